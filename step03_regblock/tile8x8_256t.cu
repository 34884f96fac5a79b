/* 8 x 8 results per thread, 256 threads per block: 16 loads for 64 FMAs. Sixty-four accumulators leave room for two
 * blocks per SM (16 warps): the article's compromise between reuse and occupancy. */
#include "regblock.cuh"

static const int BM = 128, BN = 128, BK = 16; /* block tile */
static const int TM = 8, TN = 8;              /* thread tile */

extern "C" kernel_info kernel_tile8x8_256t(void) {
    return kernel_regblock<BM, BN, BK, TM, TN>();
}

extern "C" cudaError_t launch_tile8x8_256t(const gemm_problem *p, cudaStream_t stream) {
    return launch_regblock<BM, BN, BK, TM, TN>(p, stream);
}
