/* What the expanded form needs besides its matrix product: |x|^2 of every row, and the matrix of their sums.
 *
 *   |x - y|^2 = |x|^2 + |y|^2 - 2xy:    C = -2 X Y^T + 1 C, where C[i][j] was |x_i|^2 + |y_j|^2 before
 *
 * The norms serve the whole search: those of the queries come first, then those of the points. */
#ifndef KL_NORMS_CUH
#define KL_NORMS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#include "gemm/gemm.h"
#include "../search.h"

static const int NORM_THREADS = 256;

/* One warp per row. */
static __global__ void __launch_bounds__(NORM_THREADS) knn_norms(const float *x, int rows, int d, float *norms) {
    int64_t row = ((int64_t)blockIdx.x * NORM_THREADS + threadIdx.x) / 32;
    float sum = 0.0f;
    if (row >= rows) return; /* a whole warp */
    for (int j = threadIdx.x % 32; j < d; j += 32) sum += x[row * d + j] * x[row * d + j];
#pragma unroll
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half);
    if (threadIdx.x % 32 == 0) norms[row] = sum;
}

static __global__ void __launch_bounds__(NORM_THREADS)
    knn_norm_sums(const float *of_queries, const float *of_points, int rows, int n, float *sums) {
    int64_t at = (int64_t)blockIdx.x * NORM_THREADS + threadIdx.x;
    if (at < (int64_t)rows * n) sums[at] = of_queries[at / n] + of_points[at % n];
}

static inline unsigned norm_blocks(int64_t threads) {
    return (unsigned)((threads + NORM_THREADS - 1) / NORM_THREADS);
}

static inline size_t norms_bytes(const knn_problem *p) {
    return ((size_t)p->m + (size_t)p->n) * sizeof(float);
}

static inline cudaError_t make_norms(const knn_problem *p, float *norms, cudaStream_t stream) {
    knn_norms<<<norm_blocks((int64_t)p->m * 32), NORM_THREADS, 0, stream>>>(p->queries, p->m, p->d, norms);
    knn_norms<<<norm_blocks((int64_t)p->n * 32), NORM_THREADS, 0, stream>>>(p->points, p->n, p->d, norms + p->m);
    return cudaGetLastError();
}

static inline cudaError_t make_sums(const knn_problem *p, const float *norms, int first, int rows, float *sums,
                                    cudaStream_t stream) {
    knn_norm_sums<<<norm_blocks((int64_t)rows * p->n), NORM_THREADS, 0, stream>>>(norms + first, norms + p->m, rows,
                                                                                  p->n, sums);
    return cudaGetLastError();
}

/* C = -2 X Y^T + C for the queries from `first` on; B is the points in either layout. */
static inline gemm_problem product_of(const knn_problem *p, int first, int rows, const float *B, gemm_layout layout,
                                      float *C) {
    gemm_problem g = {};
    g.type = GEMM_F32;
    g.out = DTYPE_F32;
    g.layout = layout;
    g.m = rows;
    g.n = p->n;
    g.k = p->d;
    g.lda = p->d > 0 ? p->d : 1;
    g.ldb = layout == GEMM_NN ? p->n : g.lda;
    g.ldc = p->n;
    g.alpha = -2.0f;
    g.beta = 1.0f;
    g.A = p->queries + (int64_t)first * p->d;
    g.B = B;
    g.C = C;
    return g;
}

#endif
