/* Step 6: tensor cores. */
#include "gemm.h"

GEMM_VARIANT(mma_s8_tile);
GEMM_SHOW(mma_s8);
GEMM_SHOW(mma_f16);
GEMM_SHOW(ldmatrix);
GEMM_SHOW(swizzle);

static const char *needs_turing(const device_facts *device) {
    return device->cc >= 75 ? NULL : "mma of s8 needs compute capability 7.5";
}

static const char *takes_s8_tn(const gemm_problem *p) {
    return p->type == GEMM_S8 && p->layout == GEMM_TN ? NULL : "takes s8 tn";
}

static const gemm_variant variants[] = {
    {"mma_s8_tile", "one warp and one instruction for 8x8 of C: mma.m8n8k16 of s8", launch_mma_s8_tile,
     kernel_mma_s8_tile, needs_turing, takes_s8_tn, NULL},
};

static const gemm_show shows[] = {
    {"mma_s8", "the article's first program: one mma.m8n8k16 of s8, and which lane holds what", show_mma_s8, NULL},
    {"mma_f16", "mma.m16n8k8 and m16n8k16 of f16: which lane holds what", show_mma_f16, NULL},
    {"ldmatrix", "which lane gives which row's address, and what each lane gets", show_ldmatrix, NULL},
    {"swizzle", "16-byte chunks in shared memory: plain, padded, XORed; bank conflicts counted", show_swizzle, NULL},
};

int main(int argc, char **argv) {
    static const gemm_type types[] = {GEMM_F16, GEMM_BF16, GEMM_S8, GEMM_TF32, GEMM_TF32X3};
    static const gemm_layout layouts[] = {GEMM_TN, GEMM_NN};
    static const gemm_offer offer = {types, GEMM_COUNT(types), layouts, GEMM_COUNT(layouts), shows, GEMM_COUNT(shows)};
    return gemm_step_main(argc, argv, "step06_tensorcore", variants, GEMM_COUNT(variants), &offer);
}
