/* Distances as defined: sums of squared differences, without norms and without cancellation.
 *
 *   acc = 0;  for each j, ascending:  acc = fma(x_j - y_j, x_j - y_j, acc)
 *
 * This chain is THE distance: every exact method reproduces it bit for bit. The order of j is part of it, so it cannot
 * be summed in pieces; the parallelism is in the pairs of a query and a point. They are tiled like the C of a GEMM,
 * with two operations (subtract, multiply-add) where a GEMM has one:
 *
 *                        128 points
 *                 +---+---+-- ... --+---+        A block keeps 16 coordinates of 64 queries and 128 points in shared
 *             k   |   Y: 16 x 128       |        memory, coordinate by coordinate. A thread has 4 queries and 2 x 4
 *                 +---+---+-- ... --+---+        points in registers: 12 words loaded for 32 pairs.
 *       k
 *     +---+       +---+---+-- ... --+---+
 *     | X |  64   |4x4|   |         |4x4|        Beyond d both hold 0: fma(0 - 0, 0 - 0, acc) is acc to the bit.
 *     |   |       |   |   |         |   |
 *     +---+       +---+---+-- ... --+---+
 */
#include <cuda_runtime.h>
#include <stdint.h>

#include "parts.h"

static const int BM = 64, BN = 128, BK = 16;
static const int TM = 4, TN = 8;
static const int THREADS = 256; /* 16 x 16 */
static const int PAD = 4;       /* rows stay 16-byte aligned; neighbours in k are in different banks */

/* Coordinates k0 ... k0 + 15 of ROWS rows from row0 on; zeros beyond the last row and coordinate. */
template <int ROWS>
static __device__ __forceinline__ void load_tile(const float *from, int rows, int d, int64_t row0, int k0,
                                                 float (*to)[ROWS + PAD]) {
    int k = threadIdx.x % BK;
#pragma unroll
    for (int i = threadIdx.x / BK; i < ROWS; i += THREADS / BK) {
        bool exists = row0 + i < rows && k0 + k < d;
        to[k][i] = exists ? from[(row0 + i) * d + k0 + k] : 0.0f;
    }
}

static __global__ void __launch_bounds__(THREADS, 2)
    knn_direct(const float *queries, const float *points, int m, int n, int d, float *distances) {
    __shared__ __align__(16) float X[BK][BM + PAD], Y[BK][BN + PAD];
    int tiles_n = (int)(((int64_t)n + BN - 1) / BN);
    int64_t row0 = (int64_t)(blockIdx.x / tiles_n) * BM, col0 = (int64_t)(blockIdx.x % tiles_n) * BN;
    int row = threadIdx.x / 16 * TM, col = threadIdx.x % 16 * 4; /* and 64 columns further on */
    float acc[TM][TN] = {};

    for (int64_t k0 = 0; k0 < d; k0 += BK) {
        load_tile<BM>(queries, m, d, row0, (int)k0, X);
        load_tile<BN>(points, n, d, col0, (int)k0, Y);
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < BK; k++) {
            float x[TM], y[TN];
            *(float4 *)&x[0] = *(const float4 *)&X[k][row];
            *(float4 *)&y[0] = *(const float4 *)&Y[k][col];
            *(float4 *)&y[4] = *(const float4 *)&Y[k][col + BN / 2];
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++) {
                    float difference = __fsub_rn(x[i], y[j]);
                    acc[i][j] = __fmaf_rn(difference, difference, acc[i][j]);
                }
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) {
            int64_t at = col0 + col + j / 4 * (BN / 2) + j % 4;
            if (row0 + row + i < m && at < n) distances[(row0 + row + i) * n + at] = acc[i][j];
        }
}

static cudaError_t tile(const knn_problem *p, void *, int first, int rows, float *distances, cudaStream_t stream) {
    unsigned blocks = (unsigned)(((int64_t)rows + BM - 1) / BM * (((int64_t)p->n + BN - 1) / BN));
    knn_direct<<<blocks, THREADS, 0, stream>>>(p->queries + (int64_t)first * p->d, p->points, rows, p->n, p->d,
                                               distances);
    return cudaGetLastError();
}

static kernel_info kernel() {
    return {(const void *)knn_direct, THREADS, 0};
}

extern "C" const knn_distances knn_distance_direct = {NULL, NULL, tile, kernel, NULL, NULL};
