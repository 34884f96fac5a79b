/* The kernels of a search by several ranks (knn_ranks.h), in step08_knn/ranks. All enqueue on `stream`; all pointers are
 * to device memory. */
#ifndef KL_KNN_RANK_KERNELS_H
#define KL_KNN_RANK_KERNELS_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* keys[i * k ...] of `rows` queries: the `found` <= k neighbours of each, whose indices count from `first` on, and then
 * KNN_NO_KEY. */
cudaError_t knn_pack(const int *index, const float *distance, int rows, int found, int k, int first, uint64_t *keys,
                     cudaStream_t stream);
cudaError_t knn_unpack(const uint64_t *keys, int rows, int k, int *index, float *distance, cudaStream_t stream);

/* The k smallest of each two rows of k keys in ascending order; `out` is neither of them. */
cudaError_t knn_merge(const uint64_t *mine, const uint64_t *theirs, int rows, int k, uint64_t *out,
                      cudaStream_t stream);

/* points[i] = element number first + i of the uniform matrix with this seed (values.h). */
cudaError_t knn_generate(float *points, uint64_t seed, uint64_t first, uint64_t count, cudaStream_t stream);

/* Adds to counts[i] how many of the n points have a squared distance, in FP64, below limits[i] from query i. */
cudaError_t knn_count_nearer(const float *points, int n, int d, const float *queries, int m, const double *limits,
                             unsigned long long *counts, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
