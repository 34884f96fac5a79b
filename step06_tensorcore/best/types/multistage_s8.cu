/* The multistage kernel for s8, which comes only as tn. */
#include "../multistage.cuh"

cudaError_t multistage_s8(const gemm_problem *p, cudaStream_t stream) {
    return run_multistage<GEMM_S8, GEMM_TN>(p, stream);
}
