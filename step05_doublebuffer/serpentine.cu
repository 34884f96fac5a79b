/* FMAs in serpentine order: down one column of results, up the next.
 *
 * An FFMA reads three registers. The operand that it shares with the one before need not be read again: ptxas marks it
 * `.reuse`. Along a column all FMAs share b_reg[j]; where the columns change, both share a_reg[i], since the next
 * column begins in the row where the last one ended.
 *
 *        j   0  1  2  3          row by row, in cp_async:
 *   i   0    |  ^  |  ^            0  ->  ->  ->
 *       1    |  |  |  |            1  ->  ->  ->      and back to column 0 for each row
 *       2    v  |  v  |            2  ->  ->  ->             */
#include "gemm/gemm_kernel.cuh"
#include "gemm/launch.cuh"
#include "ptx/cp_async.cuh"

static const int BM = 128, BN = 128, BK = 16;
static const int STAGES = 4, THREADS = 256;
static const int TM = 8, TN = 8;               /* a thread's results: blocks of 4 x 4, */
static const int ROW_STEP = 64, COL_STEP = 64; /* so far apart */
#include "copies.cuh"

static __device__ __forceinline__ void multiply(const float *a_reg, const float *b_reg, float (*c_reg)[TN]) {
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int x = 0; x < TM; x++) {
            int i = j % 2 ? TM - 1 - x : x;
            c_reg[i][j] += a_reg[i] * b_reg[j];
        }
}

__global__ void __launch_bounds__(THREADS, 2) sgemm_serpentine(sgemm_problem p) {
    extern __shared__ __align__(16) stage stages[];
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int row = threadIdx.x / 16 * 4, col = threadIdx.x % 16 * 4; /* of this thread's first results in the tile */

    source from = first_tile(p, row0, col0);
    for (int t = 0; t < STAGES - 1; t++) {
        copy_tile(p, &from, &stages[t]);
        cp_async_commit();
    }
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    float a_reg[2][TM], b_reg[2][TN], c_reg[TM][TN] = {};
    shared_to_registers(&stages[0], 0, row, col, a_reg[0], b_reg[0]);

    int tiles = (p.k + BK - 1) / BK;
    for (int t = 0; t < tiles; t++) {
        if (t + STAGES - 1 <= tiles) /* one beyond the last: zeros, which are read but not multiplied */
            copy_tile(p, &from, &stages[(t + STAGES - 1) % STAGES]);
        cp_async_commit(); /* an empty group where there is no tile, so that counting groups counts tiles */
        const stage *now = &stages[t % STAGES];
#pragma unroll
        for (int k = 0; k < BK; k++) {
            if (k == BK - 1) {
                cp_async_wait<STAGES - 2>(); /* my copies of tile t + 1 have landed */
                __syncthreads();             /* so have everyone's, and no one reads tile t any more */
                now = &stages[(t + 1) % STAGES];
            }
            shared_to_registers(now, (k + 1) % BK, row, col, a_reg[(k + 1) % 2], b_reg[(k + 1) % 2]);
            multiply(a_reg[k % 2], b_reg[k % 2], c_reg);
        }
    }

#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            gemm_store4<true>(p, row0 + row + i / 4 * ROW_STEP + i % 4, col0 + col + j / 4 * COL_STEP,
                              make_float4(c_reg[i][j], c_reg[i][j + 1], c_reg[i][j + 2], c_reg[i][j + 3]));
}

extern "C" kernel_info kernel_serpentine(void) {
    return {(const void *)sgemm_serpentine, THREADS, BYTES};
}

extern "C" cudaError_t launch_serpentine(const gemm_problem *p, cudaStream_t stream) {
    return gemm_launch(sgemm_serpentine, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, gemm_launch_copy(p));
}
