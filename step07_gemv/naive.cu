/* One row per thread, 128 rows per block, tiles of A and x in shared memory (naive.cuh): 1024 rows are only 8 blocks,
 * for the 132 multiprocessors of an H200.
 *
 * The article's compiler made this kernel warp-specialised: 128 threads copy, 128 multiply, with mbarriers between
 * them. It was still 20 times slower than cuBLAS: what is missing is not overlap within 8 blocks but more blocks. */
#include "naive.cuh"

static const int BLOCK_N = 128;

template <typename T> static constexpr auto instance = gemv_naive<T, BLOCK_N>;

extern "C" kernel_info kernel_naive(dtype type) {
    return {(const void *)GEMV_INSTANCE(type, instance), THREADS, 0};
}

extern "C" cudaError_t launch_naive(const gemv_problem *p, cudaStream_t stream) {
    return gemv_launch_kernel(GEMV_INSTANCE(p->type, instance), p, BLOCK_N, THREADS, stream);
}
