/* The copies of a tile spread over the values of k of the tile that is multiplied, at most one for each.
 *
 * rasterized issues its 12 copies at once, at the beginning of a tile: a burst that the queue of memory instructions
 * must take while the FMAs wait behind it. Here a copy or none stands among the FMAs of each k but the last:
 *
 *   k          0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
 *   copies     -   A   A   A   A   -   A   A   A   A   -   B   B   B   B   wait for the next tile, barrier */
#include "gemm/gemm_kernel.cuh"
#include "gemm/launch.cuh"
#include "ptx/cp_async.cuh"

static const int BM = 128, BN = 256, BK = 16, WM = 64, WN = 64; /* the tiles of a block and of a warp */
static const int STAGES = 4, THREADS = 256, BAND = 8;
static const int TM = 8, TN = 16;              /* a thread's results: blocks of 4 x 4, */
static const int ROW_STEP = 32, COL_STEP = 16; /* so far apart */

#include "copies.cuh"
#include "fma_order.cuh"

static const int COPIES = A_COPIES + B_COPIES, SLOTS = BK - 1; /* all but the last k have room for some */

/* The block's tile of C at (row0, col0), of which this thread's results begin at (row, col). */
static __device__ __forceinline__ void compute_tile(const sgemm_problem &p, stage *stages, int row0, int col0, int row,
                                                    int col) {
    source from = first_tile(p, row0, col0);
    for (int t = 0; t < STAGES - 1; t++) {
#pragma unroll
        for (int s = 0; s < COPIES; s++) copy(p, from, s, &stages[t]);
        next_tile(p, &from);
        cp_async_commit();
    }
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    float a_reg[2][TM], b_reg[2][TN], c_reg[TM][TN] = {};
    shared_to_registers(&stages[0], 0, row, col, a_reg[0], b_reg[0]);

    int tiles = (p.k + BK - 1) / BK;
    for (int t = 0; t < tiles; t++) {
        stage *to = &stages[(t + STAGES - 1) % STAGES];
        const stage *now = &stages[t % STAGES];
#pragma unroll
        for (int k = 0; k < BK; k++) {
            if (t + STAGES - 1 <= tiles && k < SLOTS) { /* one beyond the last: zeros, read but not multiplied */
#pragma unroll
                for (int s = k * COPIES / SLOTS; s < (k + 1) * COPIES / SLOTS; s++) copy(p, from, s, to);
            }
            if (k == SLOTS) {
                cp_async_commit(); /* an empty group where there is no tile, so that counting groups counts tiles */
                next_tile(p, &from);
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

/* Where the tile of C with this number begins. A band has BAND rows of tiles, the last one perhaps fewer. */
static __device__ __forceinline__ void tile_position(const sgemm_problem &p, int tile, int *row0, int *col0) {
    int band_tiles = (p.n + BN - 1) / BN * BAND, band = tile / band_tiles;
    int rows = min(BAND, (p.m + BM - 1) / BM - band * BAND);
    *row0 = (band * BAND + tile % band_tiles % rows) * BM;
    *col0 = tile % band_tiles / rows * BN;
}

__global__ void __launch_bounds__(THREADS, 1) sgemm_spread_copies(sgemm_problem p) {
    extern __shared__ __align__(16) stage stages[];
    int row0, col0;
    tile_position(p, blockIdx.x, &row0, &col0);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32; /* of this thread's first results in the tile: */
    int row = warp / (BN / WN) * WM + lane / 4 * 4, col = warp % (BN / WN) * WN + lane % 4 * 4;
    compute_tile(p, stages, row0, col0, row, col);
}

extern "C" kernel_info kernel_spread_copies(void) {
    return {(const void *)sgemm_spread_copies, THREADS, BYTES};
}

extern "C" cudaError_t launch_spread_copies(const gemm_problem *p, cudaStream_t stream) {
    return gemm_launch(sgemm_spread_copies, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, gemm_launch_copy(p));
}
