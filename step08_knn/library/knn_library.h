/* Step 8's methods for programs in other languages: build/step08/libknn.so. One thread, one device. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Must be called first. Returns 0, or an exit status after a line on stderr. */
int knn_library_open(int device);

/* The name of the i-th method, the best last; NULL after the last. */
const char *knn_library_method(int i);

/* Why the last call that failed did so. */
const char *knn_library_reason(void);

/* A search: the method's name, the problem as in knn_problem, with pointers to device memory, and a cudaStream_t. */
typedef struct {
    const char *method;
    int m, n, d, k;
    const float *queries, *points;
    int *index;
    float *distance;
    void *workspace;
    size_t workspace_bytes;
    void *stream;
    const void *prepared; /* what knn_library_prepare made of the points; NULL: nothing */
} knn_library_task;

/* Bytes of workspace to allocate for it, at most `limit`; -1: the method cannot solve this here (knn_library_reason).
 * Of the task it takes the method, the sizes and whether points are prepared; so do knn_library_recorded and
 * knn_library_record. */
long long knn_library_workspace(const knn_library_task *task, size_t limit);

/* Bytes of what the method makes of the points once; 0: nothing. And makes that, before task->prepared is set and a
 * workspace asked for. Returns 0, or 1 (knn_library_reason). */
long long knn_library_prepared(const knn_library_task *task);
int knn_library_prepare(const knn_library_task *task, void *prepared);

/* Enqueues the search. Returns 0, or 1 (knn_library_reason). */
int knn_library_search(const knn_library_task *task);

/* Milliseconds of our search and of the baseline, and the ratio baseline / ours pair by pair: median, minimum, maximum.
 */
typedef struct {
    double ours[3], baseline[3], ratio[3], clock_mhz;
    int pairs;
} knn_library_times;

/* Times the search and `baseline`, which enqueues something else on the stream and returns 0, alternately for
 * `seconds`. Returns 0, or 1 (knn_library_reason). */
int knn_library_compare(const knn_library_task *task, int (*baseline)(void *stream), double seconds,
                        knn_library_times *times);

/* Returns 1 if the CSV already has this comparison, 0 if it does not and can be written, -1 after a line on stderr. */
int knn_library_recorded(const char *csv, const knn_library_task *task, const char *baseline);

/* Appends the latest comparison, which is of this task. Returns 0, or an exit status after a line on stderr. */
int knn_library_record(const char *csv, const knn_library_task *task, const char *baseline);

#ifdef __cplusplus
}
#endif
