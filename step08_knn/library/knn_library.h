/* Step 8's methods for programs in other languages: build/step08/libknn.so. Pointers are to device memory, as in
 * knn_problem; `stream` is a cudaStream_t. One thread, one device. */
#ifndef KL_KNN_LIBRARY_H
#define KL_KNN_LIBRARY_H

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

/* Bytes of workspace to allocate for the method, at most `limit`; -1: it cannot solve this here (knn_library_reason).
 */
long long knn_library_workspace(const char *method, int m, int n, int d, int k, size_t limit);

/* Enqueues a search. Returns 0, or 1 (knn_library_reason). */
int knn_library_search(const char *method, const float *queries, const float *points, int m, int n, int d, int k,
                       int *index, float *distance, void *workspace, size_t bytes, void *stream);

/* Milliseconds of our search and of the baseline, and the ratio baseline / ours pair by pair: median, minimum, maximum,
 * and the median's 95 % confidence interval. */
typedef struct {
    double ours[5], baseline[5], ratio[5], clock_mhz, power_w;
    int pairs;
} knn_library_times;

/* Times the search and `baseline`, which enqueues something else on the stream and returns 0, alternately for
 * `seconds`. Returns 0, or 1 (knn_library_reason). */
int knn_library_compare(const char *method, const float *queries, const float *points, int m, int n, int d, int k,
                        int *index, float *distance, void *workspace, size_t bytes, void *stream,
                        int (*baseline)(void *stream), double seconds, knn_library_times *times);

/* Returns 1 if the CSV already has this comparison, 0 if it does not and can be written, -1 after a line on stderr. */
int knn_library_recorded(const char *csv, const char *method, int m, int n, int d, int k, const char *baseline);

/* Appends it. Returns 0, or an exit status after a line on stderr. */
int knn_library_record(const char *csv, const char *method, int m, int n, int d, int k, const char *baseline,
                       const knn_library_times *times);

#ifdef __cplusplus
}
#endif

#endif
