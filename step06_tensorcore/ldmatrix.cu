/* ldmatrix: one instruction replaces four loads. It reads four 8 x 8 matrices, the four quarters of A's 16 rows of 32
 * bytes, and distributes them over the lanes as mma.sync wants them (ldmatrix.cuh). For B that is enough for two
 * products.
 *
 *   A, 16 rows of 32 bytes        B, tn: 16 columns of 32 bytes      B, nn: 16 rows (k) of 16 columns, .trans
 *   +---------+---------+         +---------+---------+              +---------+---------+
 *   | 0: r[0] | 2: r[2] |         | 0: r[0] | 1: r[1] | columns 0-7  | 0: r[0] | 2: r[2] | k 0-7
 *   +---------+---------+         +---------+---------+              +---------+---------+
 *   | 1: r[1] | 3: r[3] |         | 2: r[2] | 3: r[3] | 8-15         | 1: r[1] | 3: r[3] | k 8-15
 *   +---------+---------+         +---------+---------+              +---------+---------+
 *
 * Lane l gives the address of row l % 8 of matrix l / 8. In nn the elements of a register lie in different rows, which
 * used to take two loads of 2 bytes: .trans transposes the matrices on the way. It only works on 16-bit elements, so
 * tf32 in nn keeps plain loads. Bank conflicts are as before: of eight rows, 64 bytes apart, every other one begins in
 * the same bank. */
#include "ampere.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"

static const int BM = 128, BN = 128, BK_BYTES = 64;
static const int WM = 64, WN = 32;
static const int THREADS = 256, BLOCKS = 2; /* per multiprocessor: one loads while the other multiplies */

/* The four registers of the 16 rows from `row` on and 32 bytes from `byte` on. */
static __device__ __forceinline__ void load_a(const unsigned char *a, int row, int byte, unsigned *a_frag) {
    int lane = threadIdx.x % 32;
    ldmatrix_x4(a_frag, shared_address(&a[(row + lane % 16) * BK_BYTES + byte + lane / 16 * 16]));
}

/* The four registers of the 16 columns from `col` on: two of the first eight, two of the others. */
template <typename T, gemm_layout LAYOUT>
static __device__ __forceinline__ void load_b(const unsigned char *b, int col, int byte, unsigned *b_frag) {
    int lane = threadIdx.x % 32;
    if (LAYOUT == GEMM_TN) {
        int n = col + lane / 16 * 8 + lane % 8;
        ldmatrix_x4(b_frag, shared_address(&b[n * BK_BYTES + byte + lane / 8 % 2 * 16]));
    } else if (sizeof(T) == 2) {
        int k = byte / 2 + lane % 16, n = col + lane / 16 * 8;
        ldmatrix_x4_trans(b_frag, shared_address(&b[(k * BN + n) * 2]));
    } else {
#pragma unroll
        for (int x = 0; x < 4; x++) {
            int k = byte / 4 + x % 2 * 4 + lane % 4, n = col + x / 2 * 8 + lane / 4;
            b_frag[x] = *(const unsigned *)&b[(k * BN + n) * 4];
        }
    }
}

template <gemm_type TYPE, gemm_layout LAYOUT>
__global__ void __launch_bounds__(THREADS, BLOCKS) gemm_ldmatrix(gemm_problem p) {
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
            for (int i = 0; i < WM / 16; i++) load_a(a, wm + i * 16, step, a_frag[i]);
#pragma unroll
            for (int j = 0; j < WN / 8; j += 2) load_b<T, LAYOUT>(b, wn + j * 8, step, b_frag[j]);
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
    gemm_ldmatrix<TYPE, LAYOUT><<<blocks, THREADS, 0, stream>>>(gemm_effective(p));
    return cudaGetLastError();
}

extern "C" kernel_info kernel_ldmatrix(void) {
    return {(const void *)gemm_ldmatrix<GEMM_F16, GEMM_TN>, THREADS, 0};
}

extern "C" cudaError_t launch_ldmatrix(const gemm_problem *p, cudaStream_t stream) {
    AMPERE_DISPATCH(run, p, stream)
}
