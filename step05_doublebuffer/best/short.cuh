/* Kernels for a short k: what takes the time is to write C or, where C is small, too, to wait for the first words.
 *
 *   sgemm_short   a tile of 64 x 128, of which each warp has 8 rows and stores 512 bytes at once. 32 of k are copied at
 *                 a time, which may be all; three blocks on a multiprocessor copy, multiply and store while others do
 *                 something else
 *   sgemm_words   a word of C for each thread, counted row by row through C, so that no thread is idle where C is
 *                 narrow, and whose loads wait for nothing
 */
#pragma once

#include "thin.cuh"

static const int SHORT_ROWS = SHORT_M / WARPS;
static_assert(SHORT_N == STRIP && WORDS_BLOCK == THREADS, "as the plan has them");

/* The tile's rows of A and of B, from k0 on; zeros for what is not there. */
template <bool VECTOR>
static __device__ __forceinline__ void copy_short(const sgemm_problem &p, int row0, int col, int k0,
                                                  float (&a)[SHORT_M][SHORT_K], float (&b)[SHORT_K][SHORT_N]) {
    const int STEPS = SHORT_K / WARPS, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    __align__(16) float y[STEPS][4];
    float x[SHORT_ROWS];
    const float *from = gemm_at(p.B, p.ldb, k0 + warp, col);
#pragma unroll
    for (int i = 0; i < STEPS; i++, from += (int64_t)WARPS * p.ldb)
        load_strip<VECTOR>(from, k0 + warp + i * WARPS < p.k ? p.n - col : 0, y[i]);
    from = gemm_at(p.A, p.lda, row0 + warp, k0 + lane);
#pragma unroll
    for (int i = 0; i < SHORT_ROWS; i++, from += (int64_t)WARPS * p.lda)
        x[i] = row0 + warp + i * WARPS < p.m && k0 + lane < p.k ? *from : 0.0f;
#pragma unroll
    for (int i = 0; i < SHORT_ROWS; i++) a[warp + i * WARPS][lane] = x[i];
#pragma unroll
    for (int i = 0; i < STEPS; i++)
        if (VECTOR)
            *(float4 *)&b[warp + i * WARPS][lane * 4] = *(const float4 *)y[i];
        else
#pragma unroll
            for (int j = 0; j < 4; j++) b[warp + i * WARPS][lane + 32 * j] = y[i][j];
}

/* VECTOR: B and C consist of whole float4. A lane has the columns that it has in strips. */
template <bool VECTOR> __global__ void __launch_bounds__(THREADS, 3) sgemm_short(sgemm_problem p) {
    __shared__ __align__(16) float a[SHORT_M][SHORT_K], b[SHORT_K][SHORT_N];
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * SHORT_ROWS, across = (p.n - 1) / SHORT_N + 1;
    const int row0 = blockIdx.x / across * SHORT_M, col = blockIdx.x % across * SHORT_N + (VECTOR ? lane * 4 : lane);
    float c[SHORT_ROWS][4] = {};
    for (int k0 = 0; k0 < p.k; k0 += SHORT_K) {
        if (k0 > 0) __syncthreads(); /* all are done with the words before */
        copy_short<VECTOR>(p, row0, col, k0, a, b);
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < SHORT_K && k0 + k < p.k; k += 4) {
            __align__(16) float y[4][4];
#pragma unroll
            for (int u = 0; u < 4; u++)
                if (VECTOR)
                    *(float4 *)y[u] = *(const float4 *)&b[k + u][lane * 4];
                else
#pragma unroll
                    for (int j = 0; j < 4; j++) y[u][j] = b[k + u][lane + 32 * j];
#pragma unroll
            for (int r = 0; r < SHORT_ROWS; r++) {
                const float4 x = *(const float4 *)&a[row + r][k]; /* one for the whole warp */
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    c[r][j] += x.x * y[0][j];
                    c[r][j] += x.y * y[1][j];
                    c[r][j] += x.z * y[2][j];
                    c[r][j] += x.w * y[3][j];
                }
            }
        }
    }
    store_strip<SHORT_ROWS, VECTOR>(p, row0 + row, col, c);
}

/* C has fewer than 2^31 words. All loads of DEEP values of k are on their way before the first product, which the 1 in
 * its bounds leaves ptxas the registers for. */
static __global__ void __launch_bounds__(THREADS, 1) sgemm_words(sgemm_problem p) {
    const int DEEP = 8;
    const unsigned at = blockIdx.x * THREADS + threadIdx.x;
    const int row = (int)(at / (unsigned)p.n), col = (int)(at % (unsigned)p.n);
    if (row >= p.m) return;
    const float *a = gemm_at(p.A, p.lda, row, 0), *b = p.B + col;
    float *c = gemm_at(p.C, p.ldc, row, col);
    const float old = p.beta == 0.0f ? 0.0f : *c;
    float sum = 0.0f;
    for (int k = 0; k < p.k; k += DEEP) {
        float x[DEEP], y[DEEP];
#pragma unroll
        for (int u = 0; u < DEEP; u++, b += p.ldb) {
            x[u] = k + u < p.k ? a[k + u] : 0.0f;
            y[u] = k + u < p.k ? *b : 0.0f;
        }
#pragma unroll
        for (int u = 0; u < DEEP; u++) sum += x[u] * y[u];
    }
    *c = p.alpha * sum + p.beta * old;
}

/* ---- launching ---- */

static cudaError_t launch_short(const sgemm_problem &p, const plan &x, cudaStream_t stream) {
    const bool vector = gemm_is_float4(p.B, p.ldb, p.n) && gemm_is_float4(p.C, p.ldc, p.n);
    auto kernel = vector ? sgemm_short<true> : sgemm_short<false>;
    kernel<<<(unsigned)x.whole, THREADS, 0, stream>>>(p);
    return cudaGetLastError();
}

static cudaError_t launch_words(const sgemm_problem &p, const plan &x, cudaStream_t stream) {
    sgemm_words<<<(unsigned)x.whole, THREADS, 0, stream>>>(p);
    return cudaGetLastError();
}
