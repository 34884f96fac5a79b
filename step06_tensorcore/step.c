/* Step 6: matrix products on tensor cores. */
#include <stdint.h>

#include "gemm/gemm.h"

GEMM_VARIANT(mma_s8_tile);
GEMM_VARIANT(wmma);
GEMM_VARIANT(mma_sync);
GEMM_VARIANT(ldmatrix);
GEMM_VARIANT(swizzle);
GEMM_VARIANT(stages);
GEMM_VARIANT(warp_64x64);
GEMM_VARIANT(fragments);
GEMM_VARIANT(interleaved);
GEMM_VARIANT(pointers);
GEMM_VARIANT(rasterized);
GEMM_VARIANT(tma);
GEMM_VARIANT(wgmma);
GEMM_VARIANT(warp_specialised);
GEMM_VARIANT(persistent_grid);
GEMM_VARIANT(ping_pong);
GEMM_VARIANT(cluster);
GEMM_VARIANT(three_products);
GEMM_VARIANT(best);
const char *best_refuses(const gemm_problem *p);
const char *best_note(const gemm_problem *p);
size_t workspace_best(const gemm_problem *p);
GEMM_SHOW(mma_s8);
GEMM_SHOW(mma_f16);
GEMM_SHOW(ldmatrix);
GEMM_SHOW(swizzle);

static const char *needs_mma_s8(const device_facts *device) {
    return device->cc >= 75 ? NULL : "mma of s8 needs compute capability 7.5";
}

static const char *needs_sm75(const device_facts *device) {
    return device->cc >= 75 ? NULL : "wmma needs compute capability 7.5";
}

static const char *needs_sm80(const device_facts *device) {
    return device->cc >= 80 ? NULL : "mma.sync of 16 x 8 x 32 bytes needs compute capability 8.0";
}

static const char *needs_hopper(const device_facts *device) {
    return device->cc == 90 ? NULL : "wgmma needs compute capability 9.0";
}

static const char *needs_tma(const device_facts *device) {
    return device->cc >= 90 ? NULL : "TMA needs compute capability 9.0";
}

/* ---- what lessons leave to best ---- */

static const char *takes_s8_tn(const gemm_problem *p) {
    return p->type == GEMM_S8 && p->layout == GEMM_TN ? NULL : "takes s8 tn";
}

/* Do rows of `length` elements begin and end on 16 bytes? */
static bool whole_chunks(const void *x, int ld, int length, dtype type) {
    const size_t each = 16 / dtype_size(type);
    return (uintptr_t)x % 16 == 0 && (size_t)ld % each == 0 && (size_t)length % each == 0;
}

static const char *takes_chunks(const gemm_problem *p) {
    const dtype type = gemm_operand_dtype(p->type);
    const bool a = whole_chunks(p->A, p->lda, p->k, type), b = whole_chunks(p->B, p->ldb, p->k, type);
    return a && b && whole_chunks(p->C, p->ldc, p->n, p->out) ? NULL : "takes rows that begin and end on 16 bytes";
}

static const char *takes_f16(const gemm_problem *p) {
    if (p->type != GEMM_F16 || p->out != DTYPE_F16 || p->layout != GEMM_TN) return "takes f16 in tn, and C in f16";
    return takes_chunks(p);
}

/* No tensor map describes a matrix without columns. */
static const char *takes_f16_products(const gemm_problem *p) {
    return p->k == 0 || p->alpha == 0.0f ? "there is no product" : takes_f16(p);
}

static const char *takes_tf32x3(const gemm_problem *p) {
    return p->type == GEMM_TF32X3 && p->layout == GEMM_TN ? takes_chunks(p) : "takes tf32x3 in tn";
}

static const gemm_variant variants[] = {
    {"mma_s8_tile", "one warp and one instruction for 8x8 of C: mma.m8n8k16 of s8", launch_mma_s8_tile,
     kernel_mma_s8_tile, needs_mma_s8, takes_s8_tn, NULL, NULL},
    {"wmma", "CUDA C++'s fragments: load, multiply, store", launch_wmma, kernel_wmma, needs_sm75, takes_f16, NULL,
     NULL},
    {"mma_sync", "the bare instruction; each lane loads its own words", launch_mma_sync, kernel_mma_sync, needs_sm80,
     takes_f16, NULL, NULL},
    {"ldmatrix", "four 8 x 8 matrices per load", launch_ldmatrix, kernel_ldmatrix, needs_sm80, takes_f16, NULL, NULL},
    {"swizzle", "chunks XORed with their row: no bank conflicts", launch_swizzle, kernel_swizzle, needs_sm80, takes_f16,
     NULL, NULL},
    {"stages", "cp.async into a ring of three stages", launch_stages, kernel_stages, needs_sm80, takes_f16, NULL, NULL},
    {"warp_64x64", "64 x 64 per warp: more products per load", launch_warp_64x64, kernel_warp_64x64, needs_sm80,
     takes_f16, NULL, NULL},
    {"fragments", "fragments loaded a step ahead of the products", launch_fragments, kernel_fragments, needs_sm80,
     takes_f16, NULL, NULL},
    {"interleaved", "a tile's copies issued between its products, a quarter in each step", launch_interleaved,
     kernel_interleaved, needs_sm80, takes_f16, NULL, NULL},
    {"pointers", "pointers that move, the loop unrolled over the ring", launch_pointers, kernel_pointers, needs_sm80,
     takes_f16, NULL, NULL},
    {"rasterized", "blocks in bands of 8 rows of tiles: L2 holds what they share", launch_rasterized, kernel_rasterized,
     needs_sm80, takes_f16, NULL, NULL},
    {"tma", "one thread loads tiles by TMA, mbarriers count the bytes", launch_tma, kernel_tma, needs_tma,
     takes_f16_products, NULL, NULL},
    {"wgmma", "a warpgroup multiplies straight from shared memory", launch_wgmma, kernel_wgmma, needs_hopper,
     takes_f16_products, NULL, NULL},
    {"warp_specialised", "one warpgroup loads tiles, two multiply: 128x256 per block", launch_warp_specialised,
     kernel_warp_specialised, needs_hopper, takes_f16_products, NULL, NULL},
    {"persistent_grid", "a block per multiprocessor, tile after tile", launch_persistent_grid, kernel_persistent_grid,
     needs_hopper, takes_f16_products, NULL, NULL},
    {"ping_pong", "the consumers alternate tiles: one stores while the other multiplies", launch_ping_pong,
     kernel_ping_pong, needs_hopper, takes_f16_products, NULL, NULL},
    {"cluster", "two blocks share B: each loads half of it for both", launch_cluster, kernel_cluster, needs_hopper,
     takes_f16_products, NULL, NULL},
    {"three_products", "FP32 from three TF32 products, split in registers", launch_three_products,
     kernel_three_products, needs_sm80, takes_tf32x3, NULL, NULL},
    {"best", "complete: every type, layout, shape and alignment, the fastest kernel for each", launch_best, kernel_best,
     needs_sm80, best_refuses, best_note, workspace_best},
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
