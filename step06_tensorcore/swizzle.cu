/* XOR swizzle: the chunks (16 bytes) of a row are permuted, differently in each row, so that what is read together lies
 * in different banks. It costs nothing, whereas padding takes shared memory and may break the 16-byte alignment of the
 * next row.
 *
 *   rows of 64 bytes, two fill the 32 banks; chunk c of row r goes to c ^ (r / 2) % 4:
 *
 *   row   banks 0-3  4-7  8-11  12-15  16-19 20-23 24-27 28-31   row
 *    0          0     1     2     3      0     1     2     3      1     ldmatrix reads a column, say chunk 0 of rows
 *    2          1     0     3     2      1     0     3     2      3     0 to 7: the eight 0s stand in eight different
 *    4          2     3     0     1      2     3     0     1      5     columns of this table. A store writes whole
 *    6          3     2     1     0      3     2     1     0      7     rows: any order of a row's chunks will do.
 *
 * Longer rows (B in nn) fill all banks by themselves: c ^ r % 8. tf32 in nn is read in words, four rows of two chunks
 * at once: c ^ 2 (r % 4). All three are in chunk_place in ampere.cuh. */
#include "ampere.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"

static const int BM = 128, BN = 128, BK_BYTES = 64;
static const int WM = 64, WN = 32;
static const int THREADS = 256, BLOCKS = 2; /* per multiprocessor: one loads while the other multiplies */

/* The four registers of the 16 rows from `row` on and 32 bytes from `byte` on. */
static __device__ __forceinline__ void load_a(const unsigned char *a, int row, int byte, unsigned *a_frag) {
    int lane = threadIdx.x % 32;
    int offset = chunk_offset<ROWS, BK_BYTES>(row + lane % 16, byte / 16 + lane / 16);
    ldmatrix_x4(a_frag, shared_address(&a[offset]));
}

/* The four registers of the 16 columns from `col` on: two of the first eight, two of the others. */
template <typename T, gemm_layout LAYOUT>
static __device__ __forceinline__ void load_b(const unsigned char *b, int col, int byte, unsigned *b_frag) {
    int lane = threadIdx.x % 32;
    if (LAYOUT == GEMM_TN) {
        int offset = chunk_offset<ROWS, BK_BYTES>(col + lane / 16 * 8 + lane % 8, byte / 16 + lane / 8 % 2);
        ldmatrix_x4(b_frag, shared_address(&b[offset]));
    } else if (sizeof(T) == 2) {
        int offset = chunk_offset<ROWS, BN * 2>(byte / 2 + lane % 16, col / 8 + lane / 16);
        ldmatrix_x4_trans(b_frag, shared_address(&b[offset]));
    } else {
#pragma unroll
        for (int x = 0; x < 4; x++) {
            int k = byte / 4 + x % 2 * 4 + lane % 4, n = col + x / 2 * 8 + lane / 4;
            b_frag[x] = *(const unsigned *)&b[chunk_offset<WORDS, BN * 4>(k, n / 4) + n % 4 * 4];
        }
    }
}

template <gemm_type TYPE, gemm_layout LAYOUT>
__global__ void __launch_bounds__(THREADS, BLOCKS) gemm_swizzle(gemm_problem p) {
    typedef typename tensor<TYPE>::bits T;
    const int BK = BK_BYTES / sizeof(T);
    __shared__ __align__(128) unsigned char a[BM * BK_BYTES], b[BN * BK_BYTES];

    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;

    typename tensor<TYPE>::sum c_frag[WM / 16][WN / 8][4] = {};
    for (int k0 = 0; k0 < p.k; k0 += BK) {
        load_tile<ROWS, BM, BK_BYTES, THREADS>(operand_a<T>(p), row0, k0, a);
        if (LAYOUT == GEMM_TN)
            load_tile<ROWS, BN, BK_BYTES, THREADS>(operand_b<T, LAYOUT>(p), col0, k0, b);
        else
            load_tile<sizeof(T) == 2 ? ROWS : WORDS, BK, BN * sizeof(T), THREADS>(operand_b<T, LAYOUT>(p), k0, col0, b);
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
    gemm_swizzle<TYPE, LAYOUT><<<blocks, THREADS, 0, stream>>>(gemm_effective(p));
    return cudaGetLastError();
}

extern "C" kernel_info kernel_swizzle(void) {
    return {(const void *)gemm_swizzle<GEMM_F16, GEMM_TN>, THREADS, 0};
}

extern "C" cudaError_t launch_swizzle(const gemm_problem *p, cudaStream_t stream) {
    AMPERE_DISPATCH(run, p, stream)
}
