/* mma.sync: the instruction itself. Now we know which lane holds which element (mma.cuh), so each lane loads its own
 * 4-byte pieces of A and B from shared memory and stores its own elements of C.
 *
 *   block  128 x 128          warp  64 x 32: 4 x 4 products of 16 x 8
 *   +----+----+----+----+     for each 32 bytes of k:
 *   | w0 | w1 | w2 | w3 |       A  4 x 4 words a lane      lane (g, t) = (lane / 4, lane % 4) loads, of row g or
 *   +----+----+----+----+       B  4 x 2 words a lane      g + 8, the word t of the lower or the upper 16 bytes
 *   | w4 | w5 | w6 | w7 |       16 mma.sync
 *   +----+----+----+----+
 *
 * Rows are 64 bytes apart, so the 8 rows of one load share two sets of banks: a four-way conflict. */
#include "ampere.cuh"

static const int BM = 128, BN = 128, BK_BYTES = 64;
static const int WM = 64, WN = 32;
static const int THREADS = 256, BLOCKS = 2; /* per multiprocessor: one loads while the other multiplies */

/* The word that holds element (k, n) of a tile of B stored as in nn and, for 16-bit types, the one below it. */
template <typename T> static __device__ __forceinline__ unsigned word_of_b(const unsigned char *b, int k, int n) {
    const T *tile = (const T *)b;
    if (sizeof(T) == 2) return (unsigned)tile[k * BN + n] | (unsigned)tile[(k + 1) * BN + n] << 16;
    return tile[k * BN + n];
}

template <gemm_type TYPE, gemm_layout LAYOUT>
__global__ void __launch_bounds__(THREADS, BLOCKS) gemm_mma_sync(gemm_problem p) {
    typedef typename tensor<TYPE>::bits T;
    const int BK = BK_BYTES / sizeof(T);
    __shared__ __align__(16) unsigned char a[BM * BK_BYTES], b[BN * BK_BYTES];

    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;

    typename tensor<TYPE>::sum c_frag[WM / 16][WN / 8][4] = {};
    for (int k0 = 0; k0 < p.k; k0 += BK) {
        load_tile<PLAIN, BM, BK_BYTES, THREADS>(operand_a<T>(p), row0, k0, a);
        if (LAYOUT == GEMM_TN)
            load_tile<PLAIN, BN, BK_BYTES, THREADS>(operand_b<T, LAYOUT>(p), col0, k0, b);
        else
            load_tile<PLAIN, BK, BN * sizeof(T), THREADS>(operand_b<T, LAYOUT>(p), k0, col0, b);
        __syncthreads();
#pragma unroll
        for (int step = 0; step < BK_BYTES; step += 32) {
            unsigned a_frag[WM / 16][4], b_frag[WN / 8][2];
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int r = 0; r < 4; r++) {
                    int row = wm + i * 16 + r % 2 * 8 + g, byte = step + r / 2 * 16 + t * 4;
                    a_frag[i][r] = *(const unsigned *)&a[row * BK_BYTES + byte];
                }
#pragma unroll
            for (int j = 0; j < WN / 8; j++)
#pragma unroll
                for (int r = 0; r < 2; r++) {
                    int col = wn + j * 8 + g, byte = step + r * 16 + t * 4;
                    b_frag[j][r] = LAYOUT == GEMM_TN ? *(const unsigned *)&b[col * BK_BYTES + byte]
                                                     : word_of_b<T>(b, byte / (int)sizeof(T), col);
                }
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int j = 0; j < WN / 8; j++) multiply_32_bytes<TYPE>(c_frag[i][j], a_frag[i], b_frag[j]);
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 8; j++) {
            int row = row0 + wm + i * 16 + g, col = col0 + wn + j * 8 + t * 2;
            store_pair<TYPE>(p, row, col, c_frag[i][j][0], c_frag[i][j][1]);
            store_pair<TYPE>(p, row + 8, col, c_frag[i][j][2], c_frag[i][j][3]);
        }
}

template <gemm_type TYPE, gemm_layout LAYOUT> static cudaError_t run(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BM, BN);
    if (blocks == 0) return cudaSuccess;
    gemm_mma_sync<TYPE, LAYOUT><<<blocks, THREADS, 0, stream>>>(gemm_effective(p));
    return cudaGetLastError();
}

extern "C" kernel_info kernel_mma_sync(void) {
    return {(const void *)gemm_mma_sync<GEMM_F16, GEMM_TN>, THREADS, 0};
}

extern "C" cudaError_t launch_mma_sync(const gemm_problem *p, cudaStream_t stream) {
    AMPERE_DISPATCH(run, p, stream)
}
