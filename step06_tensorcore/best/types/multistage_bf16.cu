/* The multistage kernel for bf16. */
#include "../multistage.cuh"

cudaError_t multistage_bf16(const gemm_problem *p, cudaStream_t stream) {
    return p->layout == GEMM_TN ? run_multistage<GEMM_BF16, GEMM_TN>(p, stream)
                                : run_multistage<GEMM_BF16, GEMM_NN>(p, stream);
}
