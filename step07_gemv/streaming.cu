/* The reduction is as good as it gets; now the memory is kept busy. Three changes:
 *
 *   loads in flight   four 16-byte loads of a row are issued before the first is waited for: 32 threads have 2 KB of
 *                     their row on the way, a multiprocessor full of such warps (36) 72 KB; latency times bandwidth
 *                     asks for 23
 *   cache hints       A is used once and does not go through L1, which is left to x, which every row reads again
 *   overlap           A does not depend on the kernel in front, so its first loads leave before the wait for x
 *
 * Two rows a block, a warp each. At nearly every shape some other choice of threads, loads and rows is
 * faster: that is
 * `autotuned`. */
#include "unaligned.cuh"

typedef direct<2, 32, 4, 1> on_boundaries;  /* BLOCK_N, threads a row, loads in flight, rows a thread */
typedef unaligned<2, 32, 4> off_boundaries; /* where a row does not begin on 16 bytes */

extern "C" kernel_info kernel_streaming(dtype type) {
    return on_boundaries::kernel(type);
}

extern "C" cudaError_t launch_streaming(const gemv_problem *p, cudaStream_t stream) {
    return stream_aligned(p) ? on_boundaries::launch(p, stream) : off_boundaries::launch(p, stream);
}
