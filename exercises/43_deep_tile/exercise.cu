/* Exercise: the ring of stages as it is, but a tile has 32 values of k: rows of 64 bytes, four chunks of 16 bytes each.
 * Make a tile twice as deep, 64 values of k. Rows of 128 bytes have eight chunks, and each row fills the 32 banks: what
 * has to change is how many chunks are copied and where a chunk goes. Loads should have no conflicts, and a warp's copy
 * four wavefronts.
 */
#include "../step06_tensorcore/f16.cuh"
#include "gemm/launch.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"

static const int BM = 128, BN = 128, BK = 32, STAGES = 3;
static const int WM = 64, WN = 32;
static const int THREADS = 256, BLOCKS = 2; /* per multiprocessor: one waits while the other multiplies */

struct stage {
    __half a[BM][BK], b[BN][BK];
};
static const int BYTES = STAGES * sizeof(stage);

/* The place of chunk `chunk` of row `row`, as an index of its first number. */
static __device__ __forceinline__ int place(int row, int chunk) {
    return (chunk ^ row / 2 % 4) * 8;
}

/* Copies 128 rows of 32 values of k, 4 chunks of 16 bytes each. Beyond the last k there are zeros; rows beyond the last
 * are copies of it, for sums that are never stored. */
static __device__ __forceinline__ void copy_tile(const void *x, int ld, int rows, int k, int row0, int k0,
                                                 __half (*tile)[BK]) {
#pragma unroll
    for (int i = threadIdx.x; i < BM * 4; i += THREADS) {
        int row = i / 4, chunk = i % 4, col = k0 + chunk * 8;
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

__global__ void __launch_bounds__(THREADS, BLOCKS) gemm_exercise(gemm_problem p) {
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

extern "C" kernel_info kernel_exercise(void) {
    return {(const void *)gemm_exercise, THREADS, BYTES};
}

extern "C" cudaError_t launch_exercise(const gemm_problem *p, cudaStream_t stream) {
    return gemm_launch(gemm_exercise, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, gemm_effective(p));
}
