/* Several consecutive elements per thread and step: BLOCK_K elements per step for REDUCE_THREADS threads, TILE_K each.
 *
 * In the previous kernel, the 16 halves of a sector go to 16 different warps: it is fetched only once if all of them
 * read it while it is in L1. Here a thread takes 8 of them in one step. Threads, blocks and atomics are the same; but
 * how BLOCK_K is divided between threads and elements per thread, parallelism against work, is now a choice.
 *
 *            |<---------------- BLOCK_K = 256 ---------------->|
 *   row 0    | y0 y0 ... y0 | y1 y1 ... y1 | ... | y31 y31 ... |      thread (x, y): row x,
 *   row 1    | y0 y0 ... y0 | y1 y1 ... y1 | ... | y31 y31 ... |      8 elements from y * 8 on
 *            |<-- TILE_K -->|
 */
#include "best.h"
#include "gemv.cuh"

static const int BLOCK_K = 256; /* elements of a row per step, shared among REDUCE_THREADS */

template <typename T, int BLOCK_N, int REDUCE_THREADS>
static __global__ void __launch_bounds__(BLOCK_N *REDUCE_THREADS) gemv_splitk_balanced(gemv_problem p) {
    const int TILE_K = BLOCK_K / REDUCE_THREADS; /* elements per thread and step */
    __shared__ float sums[BLOCK_N];
    gemv_begin();
    int tn = threadIdx.x, tk = threadIdx.y;
    int row = blockIdx.x * BLOCK_N + tn;
    const T *a = gemv_row<T>(p, row), *x = (const T *)p.x;

    if (tk == 0) sums[tn] = 0.0f;
    float acc = 0.0f;
    if (row < p.n)
        for (int k0 = tk * TILE_K; k0 < p.k; k0 += BLOCK_K) {
            T a_reg[TILE_K], x_reg[TILE_K];
#pragma unroll
            for (int i = 0; i < TILE_K; i++) {
                a_reg[i] = k0 + i < p.k ? a[k0 + i] : (T)0.0f;
                x_reg[i] = k0 + i < p.k ? x[k0 + i] : (T)0.0f;
            }
#pragma unroll
            for (int i = 0; i < TILE_K; i++) acc += (float)a_reg[i] * (float)x_reg[i];
        }

    __syncthreads();
    atomicAdd(&sums[tn], acc);
    __syncthreads();
    if (tk == 0 && row < p.n) gemv_write<T>(p, row, sums[tn]);
}

GEMV_CONFIGURATIONS(gemv_splitk_balanced)

const gemv_candidate splitk_balanced_configurations[BALANCED_CONFIGURATIONS] = {
    GEMV_CONFIGURATION(splitk_balanced, 32, 8),
    GEMV_CONFIGURATION(splitk_balanced, 32, 32),
};

extern "C" kernel_info kernel_splitk_balanced(dtype type) {
    return kernel_at<32, 32>(type);
}

extern "C" cudaError_t launch_splitk_balanced(const gemv_problem *p, cudaStream_t stream) {
    return launch_at<32, 32>(p, stream);
}
