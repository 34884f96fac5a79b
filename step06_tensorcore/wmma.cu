/* wmma: CUDA C++'s own way to the tensor cores. A fragment is a matrix that a warp holds together; which lane has which
 * element is unspecified, so there are just three calls, to load, multiply and store, and that is the whole program.
 *
 *   block  128 x 128           warp  64 x 32: 4 x 2 matrices of 16 x 16
 *   +----+----+----+----+      for each 16 values of k (tf32: 8):
 *   | w0 | w1 | w2 | w3 |        4 fragments of A, 2 of B, 8 products
 *   +----+----+----+----+
 *   | w4 | w5 | w6 | w7 |      A tile of A and one of B in shared memory, loaded, multiplied, loaded, ...
 *   +----+----+----+----+
 *
 * The price of not knowing: alpha and beta need the position of each element, so the sums pass through shared memory
 * once. */
#include <mma.h>

#include "ampere.cuh"

static const int BM = 128, BN = 128, BK_BYTES = 64;
static const int WM = 64, WN = 32;
static const int THREADS = 256, BLOCKS = 2; /* per multiprocessor: one loads while the other multiplies */

/* wmma's names: the types of its fragments and the memory they are loaded from, and how much of K one takes. */
template <gemm_type TYPE> struct wmma_type {};
template <> struct wmma_type<GEMM_F16> {
    typedef __half fragment, memory;
    static const int K = 16;
};
template <> struct wmma_type<GEMM_BF16> {
    typedef __nv_bfloat16 fragment, memory;
    static const int K = 16;
};
template <> struct wmma_type<GEMM_S8> {
    typedef signed char fragment, memory;
    static const int K = 16;
};
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800 /* older ones lack the name */
template <> struct wmma_type<GEMM_TF32> {
    typedef nvcuda::wmma::precision::tf32 fragment; /* takes FP32's 32 bits and uses 19 of them */
    typedef float memory;
    static const int K = 8;
};
#endif

/* sm_75 supports f16 and s8. */
template <gemm_type TYPE> static __host__ __device__ constexpr bool has_wmma() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    return TYPE == GEMM_F16 || TYPE == GEMM_S8;
#else
    return true;
#endif
}

template <gemm_type TYPE, gemm_layout LAYOUT>
static __device__ __forceinline__ void product(const gemm_problem &p, unsigned char *a, unsigned char *b, void *patch) {
    using namespace nvcuda::wmma;
    typedef wmma_type<TYPE> W;
    typedef typename tensor<TYPE>::bits T;
    typedef typename tensor<TYPE>::sum SUM;
    typedef std::conditional_t<LAYOUT == GEMM_TN, col_major, row_major> b_layout;
    const int BK = BK_BYTES / sizeof(T), LDB = LAYOUT == GEMM_TN ? BK : BN; /* elements */

    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;

    fragment<accumulator, 16, 16, W::K, SUM> c_frag[WM / 16][WN / 16];
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 16; j++) fill_fragment(c_frag[i][j], (SUM)0);

    for (int k0 = 0; k0 < p.k; k0 += BK) {
        load_tile<PLAIN, BM, BK_BYTES, THREADS>(operand_a<T>(p), row0, k0, a);
        if (LAYOUT == GEMM_TN)
            load_tile<PLAIN, BN, BK_BYTES, THREADS>(operand_b<T, LAYOUT>(p), col0, k0, b);
        else
            load_tile<PLAIN, BK, BN * sizeof(T), THREADS>(operand_b<T, LAYOUT>(p), k0, col0, b);
        __syncthreads();
#pragma unroll 1 /* more would not leave the registers for two blocks */
        for (int k = 0; k < BK; k += W::K) {
            fragment<matrix_a, 16, 16, W::K, typename W::fragment, row_major> a_frag[WM / 16];
            fragment<matrix_b, 16, 16, W::K, typename W::fragment, b_layout> b_frag[WN / 16];
            const typename W::memory *tile_a = (const typename W::memory *)a, *tile_b = (const typename W::memory *)b;
#pragma unroll
            for (int i = 0; i < WM / 16; i++) load_matrix_sync(a_frag[i], tile_a + (wm + i * 16) * BK + k, BK);
#pragma unroll
            for (int j = 0; j < WN / 16; j++) {
                int n = wn + j * 16;
                load_matrix_sync(b_frag[j], tile_b + (LAYOUT == GEMM_TN ? n * LDB + k : k * LDB + n), LDB);
            }
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int j = 0; j < WN / 16; j++) mma_sync(c_frag[i][j], a_frag[i], b_frag[j], c_frag[i][j]);
        }
        __syncthreads();
    }

    /* One matrix at a time through the warp's own patch of 16 x 16, from which each lane takes half a row. */
    SUM *own = (SUM *)patch + warp * 16 * 16;
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 16; j++) {
            store_matrix_sync(own, c_frag[i][j], 16, mem_row_major);
            __syncwarp();
            int row = lane / 2, col = lane % 2 * 8;
#pragma unroll
            for (int x = 0; x < 8; x += 2)
                store_pair<TYPE>(p, row0 + wm + i * 16 + row, col0 + wn + j * 16 + col + x, own[row * 16 + col + x],
                                 own[row * 16 + col + x + 1]);
            __syncwarp();
        }
}

template <gemm_type TYPE, gemm_layout LAYOUT>
__global__ void __launch_bounds__(THREADS, BLOCKS) gemm_wmma(gemm_problem p) {
    __shared__ __align__(128) unsigned char a[BM * BK_BYTES], b[BN * BK_BYTES];
    __shared__ __align__(128) int patch[THREADS / 32 * 16 * 16];
    if constexpr (has_wmma<TYPE>())
        product<TYPE, LAYOUT>(p, a, b, patch);
    else
        __trap(); /* step.c refuses it */
}

template <gemm_type TYPE, gemm_layout LAYOUT> static cudaError_t run(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BM, BN);
    if (blocks == 0) return cudaSuccess;
    gemm_wmma<TYPE, LAYOUT><<<blocks, THREADS, 0, stream>>>(gemm_effective(p));
    return cudaGetLastError();
}

extern "C" kernel_info kernel_wmma(void) {
    return {(const void *)gemm_wmma<GEMM_F16, GEMM_TN>, THREADS, 0};
}

extern "C" cudaError_t launch_wmma(const gemm_problem *p, cudaStream_t stream) {
    AMPERE_DISPATCH(run, p, stream)
}
