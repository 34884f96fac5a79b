/* Step 8's methods for programs of other languages: build/step08/libknn.so. Pointers are device memory, as knn_problem
 * has them; `stream` is a cudaStream_t. One thread, one device. */
#ifndef KL_KNN_LIBRARY_H
#define KL_KNN_LIBRARY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Must come first. 0, or an exit status after a line on stderr. */
int knn_library_open(int device);

/* The i-th method's name, the best last; NULL behind the last. */
const char *knn_library_method(int i);

/* What was the matter with the last call that failed. */
const char *knn_library_reason(void);

/* Bytes of workspace the method wants, at most `limit`; -1: it does not do this here (knn_library_reason). */
long long knn_library_workspace(const char *method, int m, int n, int d, int k, size_t limit);

/* Enqueues a search. 0, or 1 (knn_library_reason). */
int knn_library_search(const char *method, const float *queries, const float *points, int m, int n, int d, int k,
                       int *index, float *distance, void *workspace, size_t bytes, void *stream);

/* Milliseconds of ours and of what it was compared with, the latter over the former pair by pair; median, least,
 * largest. */
typedef struct {
    double ours[3], baseline[3], ratio[3], clock_mhz, power_w;
    int pairs;
} knn_library_times;

/* The search and `baseline`, which enqueues something else on the stream and returns 0, timed in turn for `seconds`.
 * 0, or 1 (knn_library_reason). */
int knn_library_compare(const char *method, const float *queries, const float *points, int m, int n, int d, int k,
                        int *index, float *distance, void *workspace, size_t bytes, void *stream,
                        int (*baseline)(void *stream), double seconds, knn_library_times *times);

/* 1 where the CSV has this comparison already, 0 where it has not and can be written, -1 after a line on stderr. */
int knn_library_recorded(const char *csv, const char *method, int m, int n, int d, int k, const char *baseline);

/* Appends it. 0, or an exit status after a line on stderr. */
int knn_library_record(const char *csv, const char *method, int m, int n, int d, int k, const char *baseline,
                       const knn_library_times *times);

#ifdef __cplusplus
}
#endif

#endif
