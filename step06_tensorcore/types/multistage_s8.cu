/* The multistage kernel for s8, which comes as tn alone. */
#include "../multistage.cuh"

cudaError_t multistage_s8(const gemm_problem *p, cudaStream_t stream) {
    return run_multistage<GEMM_S8, GEMM_TN>(p, stream);
}
