/* Launches the kernel in multistage.cuh (read that first); f16 is instantiated here. */
#include "multistage.cuh"

/* The one used for aligned problems. */
extern "C" kernel_info kernel_multistage(void) {
    typedef chosen<GEMM_F16, GEMM_TN>::aligned plan;
    return {(const void *)gemm_multistage<plan>, plan::THREADS, plan::BYTES};
}

extern "C" cudaError_t launch_multistage(const gemm_problem *p, cudaStream_t stream) {
    const bool tn = p->layout == GEMM_TN;
    switch (p->type) {
    case GEMM_F16:
        return tn ? run_multistage<GEMM_F16, GEMM_TN>(p, stream) : run_multistage<GEMM_F16, GEMM_NN>(p, stream);
    case GEMM_BF16:
        return multistage_bf16(p, stream);
    case GEMM_S8:
        return tn ? multistage_s8(p, stream) : cudaErrorInvalidValue;
    case GEMM_TF32:
        return multistage_tf32(p, stream);
    default:
        return cudaErrorInvalidValue;
    }
}
