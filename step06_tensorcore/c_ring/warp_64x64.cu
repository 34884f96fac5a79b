/* Larger warp tiles: a warp multiplies 64 x 64 for 64 rows of A and 64 columns of B, where 64 x 32 took 64 and 32. So a
 * byte that ldmatrix loads serves 4/3 as many products.
 *
 *   block  128 x 128          for each 16 values of k, per warp:
 *   +---------+---------+       4 ldmatrix.x4 of A and 4 of B, for 32 products: one for four
 *   |   w0    |   w1    |       (64 x 32: 4 and 2 for 16)
 *   +---------+---------+
 *   |   w2    |   w3    |     128 sums a thread: half as many warps fit
 *   +---------+---------+
 */
#include "../f16.cuh"
#include "gemm/launch.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"

static const int BM = 128, BN = 128, BK = 64, STAGES = 3;
static const int WM = 64, WN = 64;
static const int THREADS = 128, BLOCKS = 2; /* per multiprocessor: one waits while the other multiplies */

#include "copies.cuh"

__global__ void __launch_bounds__(THREADS, BLOCKS) gemm_warp_64x64(gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    stage *ring = (stage *)shared;
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, pair = lane % 4;
    int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;

    float c_frag[WM / 16][WN / 8][4] = {};
    for (int t = 0; t < STAGES - 1; t++) request(p, row0, col0, t, ring);
    for (int t = 0; t * BK < p.k; t++) {
        cp_async_wait<STAGES - 2>(); /* this thread's part of tile t is there, */
        __syncthreads();             /* everyone's is, and no one reads tile t - 1 any more */
        request(p, row0, col0, t + STAGES - 1, ring);
        const stage &now = ring[t % STAGES];
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            unsigned a_frag[WM / 16][4], b_frag[WN / 8][2];
#pragma unroll
            for (int i = 0; i < WM / 16; i++) {
                int row = wm + i * 16 + lane % 16, chunk = k / 8 + lane / 16;
                ldmatrix_x4(a_frag[i], shared_address(&now.a[row][place(row, chunk)]));
            }
#pragma unroll
            for (int j = 0; j < WN / 8; j += 2) {
                int row = wn + j * 8 + lane / 16 * 8 + lane % 8, chunk = k / 8 + lane / 8 % 2;
                ldmatrix_x4(b_frag[j], shared_address(&now.b[row][place(row, chunk)]));
            }
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int j = 0; j < WN / 8; j++) mma_m16n8k16_f16(c_frag[i][j], a_frag[i], b_frag[j]);
        }
    }

#pragma unroll
    for (int x = 0; x < WM / 16 * (WN / 8); x++) {
        int i = x / (WN / 8), j = x % (WN / 8), row = row0 + wm + i * 16 + g, col = col0 + wn + j * 8 + pair * 2;
        store_pair(p, row, col, c_frag[i][j][0], c_frag[i][j][1]);
        store_pair(p, row + 8, col, c_frag[i][j][2], c_frag[i][j][3]);
    }
}

extern "C" kernel_info kernel_warp_64x64(void) {
    return {(const void *)gemm_warp_64x64, THREADS, BYTES};
}

extern "C" cudaError_t launch_warp_64x64(const gemm_problem *p, cudaStream_t stream) {
    return gemm_launch(gemm_warp_64x64, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, gemm_effective(p));
}
