/* Threadblock rasterization: blocks that run at the same time should share rows of tiles of A and columns of tiles of
 * B.
 *
 * C is divided into bands of 8 rows of tiles. Blocks are numbered down each column of a band and on to the next column.
 * In miniature, with bands of 2 and four blocks that run at the same time:
 *
 *   row by row              down columns of 2
 *    0   1   2   3           0   2   4   6        0 to 3 need 1 row of tiles of A and 4 columns of tiles of B,
 *    4   5   6   7           1   3   5   7        or 2 rows and 2 columns
 *    8   9  10  11           8  10  12  14
 *   12  13  14  15           9  11  13  15        */
#include "gemm/gemm_kernel.cuh"
#include "gemm/launch.cuh"
#include "ptx/cp_async.cuh"

static const int BM = 128, BN = 256, BK = 16, WM = 64, WN = 64; /* the tiles of a block and of a warp */
static const int STAGES = 4, THREADS = 256, BAND = 8;
static const int TM = 8, TN = 16;              /* a thread's results: blocks of 4 x 4, */
static const int ROW_STEP = 32, COL_STEP = 16; /* so far apart */

#include "copies.cuh"
#include "fma_order.cuh"
#include "pipeline.cuh"

/* Where the tile of C with this number begins. A band has BAND rows of tiles, the last one perhaps fewer. */
static __device__ __forceinline__ void tile_position(const sgemm_problem &p, int tile, int *row0, int *col0) {
    int band_tiles = (p.n + BN - 1) / BN * BAND, band = tile / band_tiles;
    int rows = min(BAND, (p.m + BM - 1) / BM - band * BAND);
    *row0 = (band * BAND + tile % band_tiles % rows) * BM;
    *col0 = tile % band_tiles / rows * BN;
}

__global__ void __launch_bounds__(THREADS, 1) sgemm_rasterized(sgemm_problem p) {
    extern __shared__ __align__(16) stage stages[];
    int row0, col0;
    tile_position(p, blockIdx.x, &row0, &col0);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32; /* of this thread's first results in the tile: */
    int row = warp / (BN / WN) * WM + lane / 4 * 4, col = warp % (BN / WN) * WN + lane % 4 * 4;
    compute_tile(p, stages, row0, col0, row, col);
}

extern "C" kernel_info kernel_rasterized(void) {
    return {(const void *)sgemm_rasterized, THREADS, BYTES};
}

extern "C" cudaError_t launch_rasterized(const gemm_problem *p, cudaStream_t stream) {
    return gemm_launch(sgemm_rasterized, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, gemm_launch_copy(p));
}
