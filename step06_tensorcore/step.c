/* Step 6: matrices on tensor cores. */
#include "gemm.h"

GEMM_VARIANT(tf32x3);
size_t workspace_tf32x3(const gemm_problem *p);

static const char *needs_sm90a(const device_facts *device) {
    return device->cc == 90 ? NULL : "wgmma needs compute capability 9.0";
}

static const char *takes_tf32x3(const gemm_problem *p) {
    return p->type == GEMM_TF32X3 ? NULL : "takes tf32x3";
}

static const gemm_variant variants[] = {
    {"tf32x3", "FP32 from three products of TF32, summed up in FP32", launch_tf32x3, kernel_tf32x3, needs_sm90a,
     takes_tf32x3, NULL, workspace_tf32x3},
};

int main(int argc, char **argv) {
    static const gemm_type types[] = {GEMM_TF32X3};
    static const gemm_layout layouts[] = {GEMM_TN, GEMM_NN};
    static const gemm_offer offer = {types, GEMM_COUNT(types), layouts, GEMM_COUNT(layouts)};
    return gemm_step_main(argc, argv, "step06_tensorcore", variants, GEMM_COUNT(variants), &offer);
}
