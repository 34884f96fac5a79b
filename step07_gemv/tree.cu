/* A tree in shared memory instead of atomics; everything else is as in vectorized.cu.
 *
 * 32 atomics on one word are serialised: no instruction adds floats in shared memory, so each is a compare-and-swap
 * loop, and 16 lanes of a warp contend for each of two words. The tree takes 5 levels for the same 32 sums, and always
 * adds them in the same order: the result is the same every time.
 *
 *   sums of a row     s0   s1   s2   s3   s4   s5   s6   s7       8 of 32
 *   half = 4          s0+4 s1+5 s2+6 s3+7
 *   half = 2          +    +                                      a barrier after every level
 *   half = 1          all of the row
 */
#include "best.h"
#include "gemv.cuh"

template <typename T, int BLOCK_N, int REDUCE_THREADS>
static __global__ void __launch_bounds__(BLOCK_N *REDUCE_THREADS) gemv_tree(gemv_problem p) {
    const int TILE_K = gemv_vector<T>::COUNT;
    __shared__ float sums[REDUCE_THREADS][BLOCK_N];
    gemv_begin();
    int tn = threadIdx.x, tk = threadIdx.y;
    int row = blockIdx.x * BLOCK_N + tn;
    const T *a = gemv_row<T>(p, row), *x = (const T *)p.x;

    float acc = 0.0f;
    if (row < p.n) {
        int whole = gemv_aligned<T>(p) ? p.k / TILE_K * TILE_K : 0;
        for (int k = tk * TILE_K; k < whole; k += REDUCE_THREADS * TILE_K)
            acc += gemv_dot(gemv_load(a + k), gemv_load(x + k));
        for (int k = whole + tk; k < p.k; k += REDUCE_THREADS) acc += (float)a[k] * (float)x[k];
    }

    sums[tk][tn] = acc;
    __syncthreads();
#pragma unroll
    for (int half = REDUCE_THREADS / 2; half > 0; half /= 2) {
        if (tk < half) sums[tk][tn] += sums[tk + half][tn];
        __syncthreads();
    }
    if (tk == 0 && row < p.n) gemv_write<T>(p, row, sums[0][tn]);
}

GEMV_CONFIGURATIONS(gemv_tree)

extern "C" kernel_info kernel_tree(dtype type) {
    return kernel_at<2, 32>(type);
}

extern "C" cudaError_t launch_tree(const gemv_problem *p, cudaStream_t stream) {
    return launch_at<2, 32>(p, stream); /* of all below it won in the article's search */
}

/* BLOCK_N and REDUCE_THREADS of the article's search. It has 64 x 32 and 128 x 32, too: more threads than a block can
 * have. */
const gemv_candidate tree_configurations[TREE_CONFIGURATIONS] = {
    GEMV_CONFIGURATION(tree, 2, 4),   GEMV_CONFIGURATION(tree, 2, 8),  GEMV_CONFIGURATION(tree, 2, 32),
    GEMV_CONFIGURATION(tree, 4, 4),   GEMV_CONFIGURATION(tree, 4, 8),  GEMV_CONFIGURATION(tree, 4, 32),
    GEMV_CONFIGURATION(tree, 8, 4),   GEMV_CONFIGURATION(tree, 8, 8),  GEMV_CONFIGURATION(tree, 8, 32),
    GEMV_CONFIGURATION(tree, 32, 4),  GEMV_CONFIGURATION(tree, 32, 8), GEMV_CONFIGURATION(tree, 32, 32),
    GEMV_CONFIGURATION(tree, 64, 4),  GEMV_CONFIGURATION(tree, 64, 8), GEMV_CONFIGURATION(tree, 128, 4),
    GEMV_CONFIGURATION(tree, 128, 8),
};
