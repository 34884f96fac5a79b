/* The multistage kernel for tf32. */
#include "../multistage.cuh"

cudaError_t multistage_tf32(const gemm_problem *p, cudaStream_t stream) {
    return p->layout == GEMM_TN ? run_multistage<GEMM_TF32, GEMM_TN>(p, stream)
                                : run_multistage<GEMM_TF32, GEMM_NN>(p, stream);
}
