/* Step 6: matrix products on tensor cores. */
#include "gemm/gemm.h"
#include "tensor_map.h"

GEMM_VARIANT(mma_s8_tile);
GEMM_VARIANT(wmma);
GEMM_VARIANT(mma_sync);
GEMM_VARIANT(ldmatrix);
GEMM_VARIANT(swizzle);
GEMM_VARIANT(multistage);
GEMM_VARIANT(wgmma);
GEMM_VARIANT(warp_specialised);
GEMM_VARIANT(persistent);
GEMM_VARIANT(tf32x3);
size_t workspace_tf32x3(const gemm_problem *p);
GEMM_SHOW(mma_s8);
GEMM_SHOW(mma_f16);
GEMM_SHOW(ldmatrix);
GEMM_SHOW(swizzle);

static const char *needs_mma_s8(const device_facts *device) {
    return device->cc >= 75 ? NULL : "mma of s8 needs compute capability 7.5";
}

static const char *takes_s8_tn(const gemm_problem *p) {
    return p->type == GEMM_S8 && p->layout == GEMM_TN ? NULL : "takes s8 tn";
}

static const char *needs_sm75(const device_facts *device) {
    return device->cc >= 75 ? NULL : "wmma needs compute capability 7.5";
}

static const char *needs_sm80(const device_facts *device) {
    return device->cc >= 80 ? NULL : "mma.sync of 16 x 8 x 32 bytes needs compute capability 8.0";
}

static const char *needs_wgmma(const device_facts *device) {
    return device->cc == 90 ? NULL : "wgmma needs compute capability 9.0";
}

static const char *takes_tf32x3(const gemm_problem *p) {
    return p->type == GEMM_TF32X3 ? NULL : "takes tf32x3";
}

/* Why the variants other than tf32x3 cannot solve the problem; NULL: they can. */
static const char *refused(const gemm_problem *p) {
    if (p->type == GEMM_TF32X3) return "takes f16, bf16, s8 and tf32";
    return p->type == GEMM_S8 && p->layout != GEMM_TN ? "takes s8 in tn: nothing transposes bytes" : NULL;
}

static const char *refused_by_wmma(const gemm_problem *p) {
    int device = 0, major = 8;
    if (cudaGetDevice(&device) == cudaSuccess)
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (major < 8 && (p->type == GEMM_BF16 || p->type == GEMM_TF32)) return "bf16 and tf32 need compute capability 8.0";
    return refused(p);
}

static const gemm_variant variants[] = {
    {"mma_s8_tile", "one warp and one instruction for 8x8 of C: mma.m8n8k16 of s8", launch_mma_s8_tile,
     kernel_mma_s8_tile, needs_mma_s8, takes_s8_tn, NULL, NULL},
    {"wmma", "CUDA C++'s fragments: load, multiply, store", launch_wmma, kernel_wmma, needs_sm75, refused_by_wmma, NULL,
     NULL},
    {"mma_sync", "the bare instruction; each lane loads its own pieces", launch_mma_sync, kernel_mma_sync, needs_sm80,
     refused, NULL, NULL},
    {"ldmatrix", "four 8 x 8 matrices per load", launch_ldmatrix, kernel_ldmatrix, needs_sm80, refused, NULL, NULL},
    {"swizzle", "chunks XORed with their row: no bank conflicts", launch_swizzle, kernel_swizzle, needs_sm80, refused,
     NULL, NULL},
    {"multistage", "cp.async in stages, fragments a step ahead, blocks swizzled for L2", launch_multistage,
     kernel_multistage, needs_sm80, refused, NULL, NULL},
    {"wgmma", "TMA loads tiles, one warpgroup multiplies them straight from shared memory", launch_wgmma, kernel_wgmma,
     needs_wgmma, refused, tensor_map_refuses, workspace_hopper},
    {"warp_specialised", "one warpgroup loads tiles, two multiply: 128x256 per block", launch_warp_specialised,
     kernel_warp_specialised, needs_wgmma, refused, tensor_map_refuses, workspace_hopper},
    {"persistent", "persistent blocks, ping-pong consumers: one stores while the other multiplies", launch_persistent,
     kernel_persistent, needs_wgmma, refused, tensor_map_refuses, workspace_hopper},
    {"tf32x3", "FP32 from three TF32 products, summed in FP32", launch_tf32x3, kernel_tf32x3, needs_wgmma, takes_tf32x3,
     NULL, workspace_tf32x3},
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
    static const gemm_offer offer = {types, ARRAY_SIZE(types), layouts, ARRAY_SIZE(layouts), shows, ARRAY_SIZE(shows)};
    return gemm_step_main(argc, argv, "step06_tensorcore", variants, ARRAY_SIZE(variants), &offer);
}
