/* The same 128 x 128 tile with half as many threads: 8 x 16 results each, 24 loads for 128 FMAs. The better ratio costs
 * registers (more than 180 per thread), and therefore occupancy. */
#include "regblock.cuh"

static const int BM = 128, BN = 128, BK = 16; /* block tile */
static const int TM = 8, TN = 16;             /* thread tile */

extern "C" kernel_info kernel_tile8x16_128t(void) {
    return kernel_regblock<BM, BN, BK, TM, TN>();
}

extern "C" cudaError_t launch_tile8x16_128t(const gemm_problem *p, cudaStream_t stream) {
    return launch_regblock<BM, BN, BK, TM, TN>(p, stream);
}
