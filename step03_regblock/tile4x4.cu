/* 4 x 4 results per thread: 8 loads for 16 FMAs, where the previous kernels needed 32. 256 threads, 64 x 64 per block.
 */
#include "regblock.cuh"

static const int BM = 64, BN = 64, BK = 16; /* block tile */
static const int TM = 4, TN = 4;            /* thread tile */

extern "C" kernel_info kernel_tile4x4(void) {
    return kernel_regblock<BM, BN, BK, TM, TN>();
}

extern "C" cudaError_t launch_tile4x4(const gemm_problem *p, cudaStream_t stream) {
    return launch_regblock<BM, BN, BK, TM, TN>(p, stream);
}
