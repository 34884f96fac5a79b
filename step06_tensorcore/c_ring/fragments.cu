/* Fragments a step ahead: while the tensor cores multiply one set of fragments, ldmatrix loads the next, across the
 * border between two tiles as well.
 *
 *   of tile t         step 0     step 1     step 2     step 3
 *   ldmatrix          1          2          3          0 of tile t + 1, once it has arrived: wait; barrier
 *   mma.sync          0          1          2          3
 */
#include "../f16.cuh"
#include "gemm/launch.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"

static const int BM = 128, BN = 128, BK = 64, STEPS = BK / 16, STAGES = 3;
static const int WM = 64, WN = 64;
static const int THREADS = 128, BLOCKS = 2; /* per multiprocessor: one waits while the other multiplies */

struct stage {
    __half a[BM][BK], b[BN][BK];
};
static const int BYTES = STAGES * sizeof(stage);

/* The place of chunk `chunk` of row `row`, as an index of its first number. */
static __device__ __forceinline__ int place(int row, int chunk) {
    return (chunk ^ row % 8) * 8;
}

/* Copies 128 rows of 64 values of k, 8 chunks of 16 bytes each. Beyond the last k there are zeros; rows beyond the last
 * are copies of it, for sums that are never stored. */
static __device__ __forceinline__ void copy_tile(const void *x, int ld, int rows, int k, int row0, int k0,
                                                 __half (*tile)[BK]) {
#pragma unroll
    for (int i = threadIdx.x; i < BM * 8; i += THREADS) {
        int row = i / 8, chunk = i % 8, col = k0 + chunk * 8;
        const __half *from = gemm_at((const __half *)x, ld, min(row0 + row, rows - 1), min(col, k - 8));
        cp_async_16_zfill(shared_address(&tile[row][place(row, chunk)]), from, col < k ? 16 : 0);
    }
}

/* Requests tile t along K of A and of B, if there is one; in any case that is a group of copies. */
static __device__ __forceinline__ void request(const gemm_problem &p, int row0, int col0, int t, stage *ring) {
    stage &to = ring[t % STAGES];
    if (t * BK < p.k) {
        copy_tile(p.A, p.lda, p.m, p.k, row0, t * BK, to.a);
        copy_tile(p.B, p.ldb, p.n, p.k, col0, t * BK, to.b);
    }
    cp_async_commit();
}

/* The fragments of a warp's rows of A and columns of B for the 16 values of k of step `step`. */
static __device__ __forceinline__ void load_fragments(const stage &now, int wm, int wn, int step, unsigned (*a_frag)[4],
                                                      unsigned (*b_frag)[2]) {
    int lane = threadIdx.x % 32;
    for (int i = 0; i < WM / 16; i++) {
        int row = wm + i * 16 + lane % 16, chunk = step * 2 + lane / 16;
        ldmatrix_x4(a_frag[i], shared_address(&now.a[row][place(row, chunk)]));
    }
    for (int j = 0; j < WN / 8; j += 2) {
        int row = wn + j * 8 + lane / 16 * 8 + lane % 8, chunk = step * 2 + lane / 8 % 2;
        ldmatrix_x4(b_frag[j], shared_address(&now.b[row][place(row, chunk)]));
    }
}

__global__ void __launch_bounds__(THREADS, BLOCKS) gemm_fragments(gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    stage *ring = (stage *)shared;
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, pair = threadIdx.x % 4;
    int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;

    float c_frag[WM / 16][WN / 8][4] = {};
    for (int t = 0; t < STAGES - 1; t++) request(p, row0, col0, t, ring);
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    unsigned a_frag[2][WM / 16][4], b_frag[2][WN / 8][2]; /* one set is multiplied, the other loaded */
    load_fragments(ring[0], wm, wn, 0, a_frag[0], b_frag[0]);
    for (int t = 0; t * BK < p.k; t++) {
        request(p, row0, col0, t + STAGES - 1, ring);
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            int now = step % 2, next = (step + 1) % 2;
            if (step == STEPS - 1) {         /* the next fragments are of tile t + 1 */
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

extern "C" kernel_info kernel_fragments(void) {
    return {(const void *)gemm_fragments, THREADS, BYTES};
}

extern "C" cudaError_t launch_fragments(const gemm_problem *p, cudaStream_t stream) {
    return gemm_launch(gemm_fragments, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, gemm_effective(p));
}
