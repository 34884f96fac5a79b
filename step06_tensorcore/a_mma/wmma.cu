/* wmma: CUDA C++'s own way to the tensor cores. A fragment is a matrix that a warp holds together; which lane has which
 * element is unspecified, so there are just three calls, to load, multiply and store, and that is the whole program.
 *
 *   block  128 x 128           warp  64 x 32: 4 x 2 matrices of 16 x 16
 *   +----+----+----+----+      for each 16 values of k:
 *   | w0 | w1 | w2 | w3 |        4 fragments of A, 2 of B, 8 products
 *   +----+----+----+----+
 *   | w4 | w5 | w6 | w7 |      A tile of A and one of B in shared memory, loaded, multiplied, loaded, ...
 *   +----+----+----+----+
 *
 * The price of not knowing: alpha and beta need the position of each element, so the sums pass through shared memory
 * once. */
#include <mma.h>

#include "../f16.cuh"

using namespace nvcuda;

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

__global__ void __launch_bounds__(THREADS, BLOCKS) gemm_wmma(gemm_problem p) {
    __shared__ __align__(128) __half a[BM][BK], b[BN][BK];
    __shared__ __align__(128) float patches[THREADS / 32][16][16];
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c_frag[WM / 16][WN / 16];
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 16; j++) wmma::fill_fragment(c_frag[i][j], 0.0f);

    for (int k0 = 0; k0 < p.k; k0 += BK) {
        load_tile(p.A, p.lda, p.m, p.k, row0, k0, a);
        load_tile(p.B, p.ldb, p.n, p.k, col0, k0, b);
        __syncthreads();
#pragma unroll 1 /* more would not leave the registers for two blocks */
        for (int k = 0; k < BK; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a_frag[WM / 16];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b_frag[WN / 16];
#pragma unroll
            for (int i = 0; i < WM / 16; i++) wmma::load_matrix_sync(a_frag[i], &a[wm + i * 16][k], BK);
#pragma unroll
            for (int j = 0; j < WN / 16; j++) wmma::load_matrix_sync(b_frag[j], &b[wn + j * 16][k], BK);
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int j = 0; j < WN / 16; j++) wmma::mma_sync(c_frag[i][j], a_frag[i], b_frag[j], c_frag[i][j]);
        }
        __syncthreads();
    }

    /* One matrix at a time through the warp's own patch of 16 x 16, from which each lane takes half a row. */
    float(*patch)[16] = patches[warp];
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 16; j++) {
            wmma::store_matrix_sync(&patch[0][0], c_frag[i][j], 16, wmma::mem_row_major);
            __syncwarp();
            int row = lane / 2, col = lane % 2 * 8;
#pragma unroll
            for (int x = col; x < col + 8; x += 2)
                store_pair(p, row0 + wm + i * 16 + row, col0 + wn + j * 16 + x, patch[row][x], patch[row][x + 1]);
            __syncwarp();
        }
}

extern "C" kernel_info kernel_wmma(void) {
    return {(const void *)gemm_wmma, THREADS, 0};
}

extern "C" cudaError_t launch_wmma(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BM, BN);
    if (blocks == 0) return cudaSuccess;
    gemm_wmma<<<blocks, THREADS, 0, stream>>>(gemm_effective(p));
    return cudaGetLastError();
}
