/* The reduction is as good as it gets; now the memory is kept busy. Three changes:
 *
 *   loads in flight   four 16-byte loads of a row are issued before the first is waited for: 32 threads have 2 KB of
 *                     their row in flight, a multiprocessor full of such warps (36) 72 KB; latency times bandwidth
 *                     calls for 23 KB
 *   cache hints       A is used once and bypasses L1, leaving it to x, which every row reads again
 *   overlap           A does not depend on the preceding kernel, so its first loads are issued before the wait for x
 *
 * Two rows per block, a warp each. At nearly every shape some other choice of threads, loads and rows is faster: that
 * is what `autotuned` is for. */
#include "unaligned.cuh"

typedef direct<2, 32, 4, 1> on_boundaries;  /* BLOCK_N, threads per row, loads in flight, rows per thread */
typedef unaligned<2, 32, 4> off_boundaries; /* if a row does not begin on a 16-byte boundary */

extern "C" kernel_info kernel_streaming(dtype type) {
    return on_boundaries::kernel(type);
}

extern "C" cudaError_t launch_streaming(const gemv_problem *p, cudaStream_t stream) {
    return stream_aligned(p) ? on_boundaries::launch(p, stream) : off_boundaries::launch(p, stream);
}
