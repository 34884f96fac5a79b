/* The reduction is as good as it gets; now the memory is kept busy. Three changes:
 *
 *   loads in flight   four 16-byte loads of a row are issued before the first is waited for: 32 threads have 2 KB of
 *                     their row on the way, a full multiprocessor more than the 35 KB that latency times bandwidth asks
 *   cache hints       A is used once and does not go through L1, which is left to x, which every row reads again
 *   overlap           A does not depend on the kernel in front, so its first loads leave before the wait for x
 *
 * Two rows a block, a warp each. At every shape some other choice of threads, loads and rows is faster: that is
 * `autotuned`. */
#include "stream.cuh"

typedef direct<true, 2, 32, 4, 1> by_vectors;   /* BLOCK_N, threads a row, loads in flight, rows a thread */
typedef direct<false, 4, 32, 8, 1> by_elements; /* where a row does not begin on 16 bytes */

extern "C" gemm_kernel kernel_streaming(dtype type) {
    return by_vectors::kernel(type);
}

extern "C" cudaError_t launch_streaming(const gemv_problem *p, cudaStream_t stream) {
    return stream_aligned(p) ? by_vectors::launch(p, stream) : by_elements::launch(p, stream);
}
