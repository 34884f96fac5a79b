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

#include "pipeline.cuh"

__global__ void __launch_bounds__(THREADS, 2) sgemm_serpentine(sgemm_problem p) {
    extern __shared__ __align__(16) stage stages[];
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int row = threadIdx.x / 16 * 4, col = threadIdx.x % 16 * 4; /* of this thread's first results in the tile */
    compute_tile(p, stages, row0, col0, row, col);
}

extern "C" kernel_info kernel_serpentine(void) {
    return {(const void *)sgemm_serpentine, THREADS, BYTES};
}

extern "C" cudaError_t launch_serpentine(const gemm_problem *p, cudaStream_t stream) {
    return gemm_launch(sgemm_serpentine, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, gemm_launch_copy(p));
}
