#include "norms.h"

static const int THREADS = 256;

/* One warp per row. */
static __global__ void __launch_bounds__(THREADS) knn_norms(const float *x, int rows, int d, float *norms) {
    int64_t row = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / 32;
    float sum = 0.0f;
    if (row >= rows) return; /* a whole warp */
    for (int j = threadIdx.x % 32; j < d; j += 32) sum += x[row * d + j] * x[row * d + j];
#pragma unroll
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half);
    if (threadIdx.x % 32 == 0) norms[row] = sum;
}

static __global__ void __launch_bounds__(THREADS)
    knn_norm_sums(const float *of_queries, const float *of_points, int rows, int n, float *sums) {
    int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (at < (int64_t)rows * n) sums[at] = of_queries[at / n] + of_points[at % n];
}

static unsigned blocks_for(int64_t threads) {
    return (unsigned)((threads + THREADS - 1) / THREADS);
}

size_t norms_bytes(const knn_problem *p) {
    return ((size_t)p->m + (size_t)p->n) * sizeof(float);
}

cudaError_t make_norms(const knn_problem *p, float *norms, cudaStream_t stream) {
    knn_norms<<<blocks_for((int64_t)p->m * 32), THREADS, 0, stream>>>(p->queries, p->m, p->d, norms);
    knn_norms<<<blocks_for((int64_t)p->n * 32), THREADS, 0, stream>>>(p->points, p->n, p->d, norms + p->m);
    return cudaGetLastError();
}

cudaError_t make_sums(const knn_problem *p, const float *norms, int first, int rows, float *sums, cudaStream_t stream) {
    knn_norm_sums<<<blocks_for((int64_t)rows * p->n), THREADS, 0, stream>>>(norms + first, norms + p->m, rows, p->n,
                                                                            sums);
    return cudaGetLastError();
}

kernel_info norms_kernel(void) {
    return {(const void *)knn_norm_sums, THREADS, 0};
}
