/* Exact nearest neighbours among points that stay the same: build/step08/libknn.so, for programs in C and, by
 * python/knn.py, in Python.
 *
 *     knn_points *points;
 *     if (knn_prepare(data, n, d, stream, &points) != KNN_OK) ... knn_error() ...
 *     knn_search(points, queries, m, k, index, distance, stream);      as often as there are queries
 *     knn_free(points);
 *
 * All pointers but those of the handle are to memory of one device, the current one; all matrices are row-major without
 * gaps, 4-byte aligned (16 is faster), their numbers finite. A distance is the squared Euclidean one, in the square of
 * the data's unit: the chain of FP32 operations that common/knn/knn.h defines, so that the results of any two searches
 * are the same bit for bit, however many queries come at once and on whatever GPU. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KNN_OK,
    KNN_ARGUMENT, /* a size or a pointer that cannot be; another device than at knn_prepare */
    KNN_MEMORY,   /* device or host memory is short */
    KNN_CUDA      /* any other error of CUDA's */
};

typedef struct knn_points knn_points;

/* Makes from n points of dimension d, points[n * d], what every search of them needs: norms, copies in FP16, bounds of
 * their error. That is done on `stream` (a cudaStream_t; NULL: the default one), for which it waits. On an sm_90 it
 * takes 2 bytes of device memory for each coordinate, which are padded to a multiple of 64 a point, 8 a point, and a
 * sample on top; on other GPUs nothing. `points` must stay as they are until knn_free: what may be near is computed
 * from them. 1 <= n <= 2^31 - 1, d >= 0. */
int knn_prepare(const float *points, int n, int d, void *stream, knn_points **prepared);

/* Enqueues on `stream` the search for the k points nearest to each of m queries, queries[m * d]. index[m * k] and
 * distance[m * k] get them in ascending order of (distance, index). 1 <= k <= n, m >= 0. Any number of threads may
 * search the same points at the same time, on streams of their own or on one: each search has its own workspace, taken
 * in the stream's order from a pool that the handle keeps (one query: 8 bytes a point and little more). Only the
 * enqueueing is one thread at a time. */
int knn_search(const knn_points *points, const float *queries, int m, int k, int *index, float *distance, void *stream);

/* Waits for the searches of these points, and frees what belongs to them. NULL: nothing. */
void knn_free(knn_points *points);

/* Why this thread's last call that did not return KNN_OK did not: a sentence without an end, valid until the next. */
const char *knn_error(void);

#ifdef __cplusplus
}
#endif
