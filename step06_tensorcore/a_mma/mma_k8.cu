/* mma.m16n8k8: mma_sync with the smaller instruction, the article's second. An m16n8k16 is two of these side by side
 * along k, and its fragments are the two of theirs, so the loads and the sums are the same and there are twice as many
 * products of half the size. `--show mma_f16` runs the article's program by this kernel and draws both maps.
 *
 *   m16n8k16:  A  a[0] | a[2]   B  b[0]        m16n8k8, twice:  A  a[0]  B  b[0]   then  A  a[2]  B  b[1]
 *                 a[1] | a[3]      b[1]                            a[1]                     a[3]
 */
#include "../f16.cuh"
#include "ptx/mma.cuh"

static const int BM = 128, BN = 128, BK = 32;
static const int WM = 64, WN = 32;
static const int THREADS = 256, BLOCKS = 2; /* per multiprocessor: one loads while the other multiplies */

/* Copies 128 rows of 32 values of k, 4 chunks of 16 bytes each; zeros beyond the last row or k. */
static __device__ __forceinline__ void load_tile(const void *x, int ld, int rows, int k, int row0, int k0,
                                                 __half (*tile)[BK]) {
    const int EACH = BM * 4 / THREADS;
    uint4 v[EACH] = {}; /* all loads are in flight before the first store waits for one */
#pragma unroll
    for (int s = 0; s < EACH; s++) {
        int i = threadIdx.x + s * THREADS, row = row0 + i / 4, col = k0 + i % 4 * 8;
        if (row < rows && col < k) v[s] = *(const uint4 *)gemm_at((const __half *)x, ld, row, col);
    }
#pragma unroll
    for (int s = 0; s < EACH; s++) {
        int i = threadIdx.x + s * THREADS, row = i / 4, chunk = i % 4;
        *(uint4 *)&tile[row][chunk * 8] = v[s];
    }
}

__global__ void __launch_bounds__(THREADS, BLOCKS) gemm_mma_k8(gemm_problem p) {
    __shared__ __align__(16) __half a[BM][BK], b[BN][BK];
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;

    float c_frag[WM / 16][WN / 8][4] = {};
    for (int k0 = 0; k0 < p.k; k0 += BK) {
        load_tile(p.A, p.lda, p.m, p.k, row0, k0, a);
        load_tile(p.B, p.ldb, p.n, p.k, col0, k0, b);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 8) {
            unsigned a_frag[WM / 16][2], b_frag[WN / 8];
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int r = 0; r < 2; r++) a_frag[i][r] = *(unsigned *)&a[wm + i * 16 + r * 8 + g][k + t * 2];
#pragma unroll
            for (int j = 0; j < WN / 8; j++) b_frag[j] = *(unsigned *)&b[wn + j * 8 + g][k + t * 2];
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int j = 0; j < WN / 8; j++) mma_m16n8k8_f16(c_frag[i][j], a_frag[i], b_frag[j]);
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 8; j++) {
            int row = row0 + wm + i * 16 + g, col = col0 + wn + j * 8 + t * 2;
            store_pair(p, row, col, c_frag[i][j][0], c_frag[i][j][1]);
            store_pair(p, row + 8, col, c_frag[i][j][2], c_frag[i][j][3]);
        }
}

extern "C" kernel_info kernel_mma_k8(void) {
    return {(const void *)gemm_mma_k8, THREADS, 0};
}

extern "C" cudaError_t launch_mma_k8(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BM, BN);
    if (blocks == 0) return cudaSuccess;
    gemm_mma_k8<<<blocks, THREADS, 0, stream>>>(gemm_effective(p));
    return cudaGetLastError();
}
