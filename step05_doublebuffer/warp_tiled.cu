/* Larger tiles at each level of the machine, and nothing issued in bursts: warp_tile.cuh has the work of a block. One
 * block per tile of C; blocks run in the swizzled order of tile_position, which keeps what they share in L2. */
#include "warp_tile.cuh"

extern "C" kernel_info kernel_warp_tiled(void) {
    return {(const void *)sgemm_whole_tiles<true>, THREADS, STAGES * sizeof(stage)};
}

extern "C" cudaError_t launch_warp_tiled(const gemm_problem *p, cudaStream_t stream) {
    return launch_whole_tiles(gemm_launch_copy(p), 0, gemm_blocks(p, BM, BN), stream);
}
