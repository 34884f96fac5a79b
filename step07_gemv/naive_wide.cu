/* The same kernel (naive.cuh) with 8 rows per block: 1024 rows are 128 blocks, about one per multiprocessor. 128
 * threads copy as before; only 8 multiply.
 *
 * The technique is no better. The speed-up over `naive` is what the grid alone is worth; a table that goes from 8
 * blocks to 512 while it changes the technique says nothing about either. */
#include "naive.cuh"

static const int BLOCK_N = 8;

template <typename T> static constexpr auto instance = gemv_naive<T, BLOCK_N>;

extern "C" kernel_info kernel_naive_wide(dtype type) {
    return {(const void *)GEMV_INSTANCE(type, instance), THREADS, 0};
}

extern "C" cudaError_t launch_naive_wide(const gemv_problem *p, cudaStream_t stream) {
    return gemv_launch_kernel(GEMV_INSTANCE(p->type, instance), p, BLOCK_N, THREADS, stream);
}
