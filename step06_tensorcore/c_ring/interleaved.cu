/* Interleaved copies: a tile's copies are issued a quarter in each of its four steps, between the products, no longer
 * all before them.
 *
 *   16 values of k of tile t    step 0     step 1     step 2     step 3
 *   copies of a thread, before  16
 *   copies of a thread, now     4          4          4          4, then commit; wait; barrier
 *   mma.sync of a warp          32         32         32         32
 */
#include "../f16.cuh"
#include "gemm/launch.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"

static const int BM = 128, BN = 128, BK = 64, STEPS = BK / 16, STAGES = 3;
static const int WM = 64, WN = 64;
static const int THREADS = 128, BLOCKS = 2; /* per multiprocessor: one waits while the other multiplies */

#include "stage.cuh"

static const int EACH = BM * 8 / THREADS; /* a thread's copies of a tile of A, and as many of B */

/* Makes a thread's copies first ... last - 1 of 128 rows of 64 values of k, 8 chunks of 16 bytes each. Beyond the last
 * k there are zeros; rows beyond the last are copies of it, for sums that are never stored. */
static __device__ __forceinline__ void copy_tile(const void *x, int ld, int rows, int k, int row0, int k0,
                                                 __half (*tile)[BK], int first, int last) {
#pragma unroll
    for (int i = first; i < last; i++) {
        int at = threadIdx.x + i * THREADS, row = at / 8, chunk = at % 8, col = k0 + chunk * 8;
        const __half *from = gemm_at((const __half *)x, ld, min(row0 + row, rows - 1), min(col, k - 8));
        cp_async_16_zfill(shared_address(&tile[row][place(row, chunk)]), from, col < k ? 16 : 0);
    }
}

/* Requests copies first ... last - 1 of tile t along K, of A and of B, if there is such a tile. */
static __device__ __forceinline__ void request(const gemm_problem &p, int row0, int col0, int t, stage *ring, int first,
                                               int last) {
    stage &to = ring[t % STAGES];
    if (t * BK < p.k) {
        copy_tile(p.A, p.lda, p.m, p.k, row0, t * BK, to.a, first, last);
        copy_tile(p.B, p.ldb, p.n, p.k, col0, t * BK, to.b, first, last);
    }
}

#include "step_fragments.cuh"

__global__ void __launch_bounds__(THREADS, BLOCKS) gemm_interleaved(gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    stage *ring = (stage *)shared;
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, pair = threadIdx.x % 4;
    int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;

    float c_frag[WM / 16][WN / 8][4] = {};
    for (int t = 0; t < STAGES - 1; t++) {
        request(p, row0, col0, t, ring, 0, EACH);
        cp_async_commit();
    }
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    unsigned a_frag[2][WM / 16][4], b_frag[2][WN / 8][2]; /* one set is multiplied, the other loaded */
    load_fragments(ring[0], wm, wn, 0, a_frag[0], b_frag[0]);
    for (int t = 0; t * BK < p.k; t++) {
#pragma unroll 2 /* now and next are constants; all four steps would take more registers than there are */
        for (int step = 0; step < STEPS; step++) {
            const int now = step % 2, next = (step + 1) % 2, SHARE = EACH / STEPS;
            request(p, row0, col0, t + STAGES - 1, ring, step * SHARE, (step + 1) * SHARE);
            if (step == STEPS - 1) { /* the next fragments are of tile t + 1 */
                cp_async_commit();
                cp_async_wait<STAGES - 2>(); /* this thread's part of it is there, */
                __syncthreads();             /* everyone's is, and no one reads tile t any more */
            }
            load_fragments(ring[(t + (step == STEPS - 1)) % STAGES], wm, wn, (step + 1) % STEPS, a_frag[next],
                           b_frag[next]);
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int j = 0; j < WN / 8; j++) mma_m16n8k16_f16(c_frag[i][j], a_frag[now][i], b_frag[now][j]);
        }
    }

    for (int x = 0; x < WM / 16 * (WN / 8); x++) {
        int i = x / (WN / 8), j = x % (WN / 8), row = row0 + wm + i * 16 + g, col = col0 + wn + j * 8 + pair * 2;
        store_pair(p, row, col, c_frag[i][j][0], c_frag[i][j][1]);
        store_pair(p, row + 8, col, c_frag[i][j][2], c_frag[i][j][3]);
    }
}

extern "C" kernel_info kernel_interleaved(void) {
    return {(const void *)gemm_interleaved, THREADS, BYTES};
}

extern "C" cudaError_t launch_interleaved(const gemm_problem *p, cudaStream_t stream) {
    return gemm_launch(gemm_interleaved, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, gemm_effective(p));
}
