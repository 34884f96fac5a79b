/* Pointers that move, and a loop unrolled over the ring: almost nothing between two products but loads and copies.
 *
 *   before, for each of a thread's 16 copies of a tile      now
 *     the row and whether it exists, the address, where       one pointer a matrix, moved once in three tiles;
 *     it goes, whether K ends before it, which stage          stage, row and column are constants in the instruction
 *
 * The copies are spread over the four steps of a tile, a quarter in each. */
#include "../f16.cuh"
#include "gemm/launch.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"

static const int BM = 128, BN = 128, BK = 64, STEPS = BK / 16, STAGES = 3;
static const int WM = 64, WN = 64;
static const int THREADS = 128, BLOCKS = 2; /* per multiprocessor: one waits while the other multiplies */

#include "moving_copies.cuh"
#include "step_fragments.cuh"

__global__ void __launch_bounds__(THREADS, BLOCKS) gemm_pointers(gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    stage *ring = (stage *)shared;
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, pair = threadIdx.x % 4;
    int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;

    float c_frag[WM / 16][WN / 8][4] = {};
    source from = source_of(p, row0, col0, ring);
    for (int t = 0; t < STAGES - 1; t++) {
        request(p, from, t * BK, t, t, 0, EACH);
        cp_async_commit();
    }
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    unsigned a_frag[2][WM / 16][4], b_frag[2][WN / 8][2]; /* one set is multiplied, the other loaded */
    load_fragments(ring[0], wm, wn, 0, a_frag[0], b_frag[0]);
    for (int t0 = 0; t0 * BK < p.k; t0 += STAGES) {
#pragma unroll
        for (int at = 0; at < STAGES; at++) { /* the stage that is multiplied, a constant in each instruction */
            if ((t0 + at) * BK >= p.k) break;
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                const int now = step % 2, next = (step + 1) % 2, SHARE = EACH / STEPS;
                int ahead = at + STAGES - 1; /* the tile whose copies are requested, a quarter in each step */
                request(p, from, (t0 + ahead) * BK, ahead, ahead % STAGES, step * SHARE, (step + 1) * SHARE);
                if (step == STEPS - 1) { /* the next fragments are of the next tile */
                    cp_async_commit();
                    cp_async_wait<STAGES - 2>(); /* this thread's part of it is there, */
                    __syncthreads();             /* everyone's is, and no one reads this tile any more */
                }
                load_fragments(ring[(at + (step == STEPS - 1)) % STAGES], wm, wn, (step + 1) % STEPS, a_frag[next],
                               b_frag[next]);
#pragma unroll
                for (int i = 0; i < WM / 16; i++)
#pragma unroll
                    for (int j = 0; j < WN / 8; j++) mma_m16n8k16_f16(c_frag[i][j], a_frag[now][i], b_frag[now][j]);
            }
        }
        from.a += STAGES * BK, from.b += STAGES * BK;
    }

    for (int x = 0; x < WM / 16 * (WN / 8); x++) {
        int i = x / (WN / 8), j = x % (WN / 8), row = row0 + wm + i * 16 + g, col = col0 + wn + j * 8 + pair * 2;
        store_pair(p, row, col, c_frag[i][j][0], c_frag[i][j][1]);
        store_pair(p, row + 8, col, c_frag[i][j][2], c_frag[i][j][3]);
    }
}

extern "C" kernel_info kernel_pointers(void) {
    return {(const void *)gemm_pointers, THREADS, BYTES};
}

extern "C" cudaError_t launch_pointers(const gemm_problem *p, cudaStream_t stream) {
    return gemm_launch(gemm_pointers, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, gemm_effective(p));
}
