/* Warp tiles: each warp has a compact part of the block's tile, so that what its lanes load is shared by many of them.
 *
 * In serpentine a warp's results lie in 16 rows and all 128 columns of the tile, so it reads much of B for few rows of
 * A. Here it has 64 x 64, its lanes stand 8 x 4, and a thread can have 8 x 16 results.
 *
 *   block  128 x 256      warp  64 x 64          thread  8 x 16              shared-memory loads
 *   +----+----+----+----+   lanes 8 x 4:           2 x 4 blocks of 4 x 4       of a thread for one k:
 *   | w0 | w1 | w2 | w3 |   rows  0-3 ... 28-31,   32 rows and                 6 LDS.128
 *   +----+----+----+----+         and 32 further   16 columns apart            for 128 FMAs
 *   | w4 | w5 | w6 | w7 |   cols  0-3 ... 12-15,
 *   +----+----+----+----+         and 16, 32, 48 further
 *
 * 128 sums and two fragments of 24 words leave registers for one block on a multiprocessor: 8 warps. */
#include "gemm/gemm_kernel.cuh"
#include "gemm/launch.cuh"
#include "ptx/cp_async.cuh"

static const int BM = 128, BN = 256, BK = 16, WM = 64, WN = 64; /* the tiles of a block and of a warp */
static const int STAGES = 4, THREADS = 256;
static const int TM = 8, TN = 16;              /* a thread's results: blocks of 4 x 4, */
static const int ROW_STEP = 32, COL_STEP = 16; /* so far apart */

#include "copies.cuh"
#include "fma_order.cuh"
#include "pipeline.cuh"

__global__ void __launch_bounds__(THREADS, 1) sgemm_warp_tiles(sgemm_problem p) {
    extern __shared__ __align__(16) stage stages[];
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32; /* of this thread's first results in the tile: */
    int row = warp / (BN / WN) * WM + lane / 4 * 4, col = warp % (BN / WN) * WN + lane % 4 * 4;
    compute_tile(p, stages, row0, col0, row, col);
}

extern "C" kernel_info kernel_warp_tiles(void) {
    return {(const void *)sgemm_warp_tiles, THREADS, BYTES};
}

extern "C" cudaError_t launch_warp_tiles(const gemm_problem *p, cudaStream_t stream) {
    return gemm_launch(sgemm_warp_tiles, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, gemm_launch_copy(p));
}
