/* Step 6: tensor cores. */
#include "gemm.h"
#include "tensor_map.h"

GEMM_VARIANT(multistage);
GEMM_VARIANT(wgmma);
GEMM_VARIANT(warp_specialised);
GEMM_VARIANT(persistent);

static const char *needs_wgmma(const device_facts *device) {
    return device->cc == 90 ? NULL : "wgmma needs compute capability 9.0";
}

static const char *takes_s8_tn(const gemm_problem *p) {
    if (p->type == GEMM_TF32X3) return "does not split operands: see tf32x3";
    return p->type == GEMM_S8 && p->layout == GEMM_NN ? "takes s8 with tn" : NULL;
}

static const gemm_variant variants[] = {
    {"wgmma", "TMA brings tiles, one warpgroup multiplies them where they lie", launch_wgmma, kernel_wgmma, needs_wgmma,
     takes_s8_tn, tensor_map_refuses, workspace_hopper},
    {"warp_specialised", "one warpgroup brings tiles, two multiply: 128x256 a block", launch_warp_specialised,
     kernel_warp_specialised, needs_wgmma, takes_s8_tn, tensor_map_refuses, workspace_hopper},
    {"persistent", "clusters that stay: multicast, stores in the background, tile after tile", launch_persistent,
     kernel_persistent, needs_wgmma, takes_s8_tn, tensor_map_refuses, workspace_hopper},
};

static const gemm_type types[] = {GEMM_F16, GEMM_BF16, GEMM_S8, GEMM_TF32, GEMM_TF32X3};
static const gemm_layout layouts[] = {GEMM_TN, GEMM_NN};
static const gemm_offer offer = {types, GEMM_COUNT(types), layouts, GEMM_COUNT(layouts)};

int main(int argc, char **argv) {
    return gemm_step_main(argc, argv, "step06_tensorcore", variants, GEMM_COUNT(variants), &offer);
}
