/* Step 6: matrices on tensor cores. */
#include "gemm.h"

GEMM_VARIANT(wmma);
GEMM_VARIANT(mma_sync);
GEMM_VARIANT(ldmatrix);
GEMM_VARIANT(swizzle);
GEMM_VARIANT(multistage);

static const char *needs_sm75(const device_facts *device) {
    return device->cc >= 75 ? NULL : "wmma needs compute capability 7.5";
}

static const char *needs_sm80(const device_facts *device) {
    return device->cc >= 80 ? NULL : "mma.sync of 16 x 8 x 32 bytes needs compute capability 8.0";
}

/* Why no variant but tf32x3 can do the problem; NULL: it can. */
static const char *refused(const gemm_problem *p) {
    if (p->type == GEMM_TF32X3) return "takes f16, bf16, s8 and tf32";
    return p->type == GEMM_S8 && p->layout != GEMM_TN ? "takes s8 in tn: of bytes nothing transposes" : NULL;
}

static const char *refused_by_wmma(const gemm_problem *p) {
    int device = 0, major = 8;
    if (cudaGetDevice(&device) == cudaSuccess)
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (major < 8 && (p->type == GEMM_BF16 || p->type == GEMM_TF32)) return "bf16 and tf32 need compute capability 8.0";
    return refused(p);
}

static const gemm_variant variants[] = {
    {"wmma", "CUDA C++'s fragments: load, multiply, store", launch_wmma, kernel_wmma, needs_sm75, refused_by_wmma,
     NULL},
    {"mma_sync", "the instruction itself; each lane loads its own pieces", launch_mma_sync, kernel_mma_sync, needs_sm80,
     refused, NULL},
    {"ldmatrix", "four 8 x 8 matrices a load", launch_ldmatrix, kernel_ldmatrix, needs_sm80, refused, NULL},
    {"swizzle", "chunks XORed with their row: no bank conflicts", launch_swizzle, kernel_swizzle, needs_sm80, refused,
     NULL},
    {"multistage", "cp.async in stages, fragments double-buffered, blocks in an order for L2", launch_multistage,
     kernel_multistage, needs_sm80, refused, NULL},
};

int main(int argc, char **argv) {
    static const gemm_type types[] = {GEMM_F16, GEMM_BF16, GEMM_S8, GEMM_TF32, GEMM_TF32X3};
    static const gemm_layout layouts[] = {GEMM_TN, GEMM_NN};
    static const gemm_offer offer = {types, GEMM_COUNT(types), layouts, GEMM_COUNT(layouts)};
    return gemm_step_main(argc, argv, "step06_tensorcore", variants, GEMM_COUNT(variants), &offer);
}
