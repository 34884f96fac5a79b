/* K split over the block's second dimension: 32 threads share a row and add their sums with atomics.
 *
 * The sum of a row no longer depends on one thread's chain of additions, and only results pass through shared memory.
 * The mapping is the article's: threadIdx.x walks along rows, so the 32 lanes of a warp read 2 bytes each from 32 rows,
 * a sector of 32 bytes for each of them.
 *
 *              K ->
 *   row 0    | y0 y1 y2 ... y31 | y0 y1 ...      thread (x, y): row x, elements y, y + 32, y + 64, ...
 *   row 1    | y0 y1 y2 ... y31 | y0 y1 ...      warp y: a column of these, 32 rows at one k
 *    ...
 *   row 31   | y0 y1 y2 ... y31 | y0 y1 ...      at the end 32 threads add to one word per row
 */
#include "gemv.cuh"

static const int BLOCK_N = 32; /* rows per block */
static const int BLOCK_K = 32; /* threads per row, one element each per step */

template <typename T> static __global__ void __launch_bounds__(BLOCK_N *BLOCK_K) gemv_splitk_atomic(gemv_problem p) {
    __shared__ float sums[BLOCK_N];
    gemv_begin();
    int tn = threadIdx.x, tk = threadIdx.y;
    int row = blockIdx.x * BLOCK_N + tn;
    const T *a = gemv_row<T>(p, row), *x = (const T *)p.x;

    if (tk == 0) sums[tn] = 0.0f;
    float acc = 0.0f;
    if (row < p.n)
        for (int k = tk; k < p.k; k += BLOCK_K) acc += (float)a[k] * (float)x[k];

    __syncthreads(); /* all sums are zero. TileLang inserts this barrier and the next one by itself */
    atomicAdd(&sums[tn], acc);
    __syncthreads(); /* all have been added, in whatever order: the last bits may differ from run to run */
    if (tk == 0 && row < p.n) gemv_write<T>(p, row, sums[tn]);
}

extern "C" kernel_info kernel_splitk_atomic(dtype type) {
    return {(const void *)GEMV_INSTANCE(type, gemv_splitk_atomic), BLOCK_N * BLOCK_K, 0};
}

extern "C" cudaError_t launch_splitk_atomic(const gemv_problem *p, cudaStream_t stream) {
    return gemv_launch_kernel(GEMV_INSTANCE(p->type, gemv_splitk_atomic), p, BLOCK_N, dim3(BLOCK_N, BLOCK_K), stream);
}
