/* Step 6: matrix products on tensor cores. */
#include <stdint.h>

#include "gemm/gemm.h"

const char *best_refuses(const gemm_problem *p);
const char *best_note(const gemm_problem *p);
size_t workspace_best(const gemm_problem *p);
GEMM_SHOW(mma_s8);
GEMM_SHOW(mma_f16);
GEMM_SHOW(shapes);
GEMM_SHOW(ldmatrix);
GEMM_SHOW(swizzle);

static const char *needs_mma_s8(const device_facts *device) {
    return device->cc >= 75 ? NULL : "mma of s8 needs compute capability 7.5";
}

static const char *needs_sm75(const device_facts *device) {
    return device->cc >= 75 ? NULL : "mma and wmma of f16 need compute capability 7.5";
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
    const bool a = whole_chunks(p->A, p->lda, p->k, type);
    const bool b = whole_chunks(p->B, p->ldb, p->layout == GEMM_TN ? p->k : p->n, type);
    return a && b && whole_chunks(p->C, p->ldc, p->n, p->out) ? NULL : "takes rows that begin and end on 16 bytes";
}

static const char *takes_f16(const gemm_problem *p) {
    if (p->type != GEMM_F16 || p->out != DTYPE_F16 || p->layout != GEMM_TN) return "takes f16 in tn, and C in f16";
    return takes_chunks(p);
}

/* No tensor map describes a matrix without columns. */
static const char *takes_f16_products(const gemm_problem *p) {
    return p->k == 0 || p->alpha == 0.0f ? "takes alpha and k other than 0" : takes_f16(p);
}

static const char *takes_f16_nn_products(const gemm_problem *p) {
    if (p->k == 0 || p->alpha == 0.0f) return "takes alpha and k other than 0";
    return p->type == GEMM_F16 && p->out == DTYPE_F16 && p->layout == GEMM_NN ? takes_chunks(p)
                                                                              : "takes f16 in nn, and C in f16";
}

static const char *takes_tf32x3(const gemm_problem *p) {
    return p->type == GEMM_TF32X3 && p->layout == GEMM_TN ? takes_chunks(p) : "takes tf32x3 in tn";
}

/* clang-format off */
#define VARIANTS(VARIANT) \
    VARIANT(mma_s8_tile, "one warp and one instruction for 8x8 of C: mma.m8n8k16 of s8", \
        .supports = needs_mma_s8, .refuses = takes_s8_tn) \
    VARIANT(wmma, "CUDA C++'s fragments: load, multiply, store", .supports = needs_sm75, .refuses = takes_f16) \
    VARIANT(mma_sync, "the bare instruction; each lane loads its own words", \
        .supports = needs_sm80, .refuses = takes_f16) \
    VARIANT(mma_k8, "the same by twice as many m16n8k8", .supports = needs_sm75, .refuses = takes_f16) \
    VARIANT(ldmatrix, "four 8 x 8 matrices per load", .supports = needs_sm80, .refuses = takes_f16) \
    VARIANT(swizzle, "chunks XORed with their row: no bank conflicts", .supports = needs_sm80, .refuses = takes_f16) \
    VARIANT(stages, "cp.async into a ring of three stages", .supports = needs_sm80, .refuses = takes_f16) \
    VARIANT(warp_64x64, "64 x 64 per warp: more products per load", .supports = needs_sm80, .refuses = takes_f16) \
    VARIANT(fragments, "fragments loaded a step ahead of the products", \
        .supports = needs_sm80, .refuses = takes_f16) \
    VARIANT(interleaved, "a tile's copies issued between its products, a quarter in each step", \
        .supports = needs_sm80, .refuses = takes_f16) \
    VARIANT(pointers, "pointers that move, the loop unrolled over the ring", \
        .supports = needs_sm80, .refuses = takes_f16) \
    VARIANT(rasterized, "blocks in bands of 8 rows of tiles: L2 holds what they share", \
        .supports = needs_sm80, .refuses = takes_f16) \
    VARIANT(tma, "one thread loads tiles by TMA, mbarriers count the bytes", \
        .supports = needs_tma, .refuses = takes_f16_products) \
    VARIANT(wgmma, "a warpgroup multiplies straight from shared memory", \
        .supports = needs_hopper, .refuses = takes_f16_products) \
    VARIANT(mn_major, "B row by row: its descriptor says that columns lie side by side", \
        .supports = needs_hopper, .refuses = takes_f16_nn_products) \
    VARIANT(warp_specialised, "one warpgroup loads tiles, two multiply: 128x256 per block", \
        .supports = needs_hopper, .refuses = takes_f16_products) \
    VARIANT(persistent_grid, "a block per multiprocessor, tile after tile", \
        .supports = needs_hopper, .refuses = takes_f16_products) \
    VARIANT(ping_pong, "the consumers alternate tiles: one stores while the other multiplies", \
        .supports = needs_hopper, .refuses = takes_f16_products) \
    VARIANT(cluster, "two blocks share B: each loads half of it for both", \
        .supports = needs_hopper, .refuses = takes_f16_products) \
    VARIANT(cooperative, "both consumers share 128x256, two blocks share B", \
        .supports = needs_hopper, .refuses = takes_f16_products) \
    VARIANT(tma_store, "TMA stores C while the next tile is multiplied", \
        .supports = needs_hopper, .refuses = takes_f16_products) \
    VARIANT(three_products, "FP32 from three TF32 products, split in registers", \
        .supports = needs_sm80, .refuses = takes_tf32x3) \
    VARIANT(best, "complete: every type, layout, shape and alignment, the fastest kernel for each", \
        .supports = needs_sm80, .refuses = best_refuses, .note = best_note, .workspace = workspace_best)
/* clang-format on */
GEMM_VARIANTS(VARIANTS)

static const gemm_show shows[] = {
    {"mma_s8", "the article's first program: one mma.m8n8k16 of s8, and which lane holds what", show_mma_s8, NULL},
    {"mma_f16", "the article's second program: mma.m16n8k8 of f16; and m16n8k16: which lane holds what", show_mma_f16,
     NULL},
    {"shapes", "every type and shape of mma.sync: who holds what, which GPU has it; all are run", show_shapes, NULL},
    {"ldmatrix", "which lane gives which row's address, and what each lane gets", show_ldmatrix, NULL},
    {"swizzle", "16-byte chunks in shared memory: plain, padded, XORed; bank conflicts counted", show_swizzle, NULL},
};

int main(int argc, char **argv) {
    static const gemm_type types[] = {GEMM_F16, GEMM_BF16, GEMM_S8, GEMM_TF32, GEMM_TF32X3};
    static const gemm_layout layouts[] = {GEMM_TN, GEMM_NN};
    static const gemm_offer offer = {types, ARRAY_SIZE(types), layouts, ARRAY_SIZE(layouts), shows, ARRAY_SIZE(shows)};
    return gemm_step_main(argc, argv, "step06_tensorcore", variants, ARRAY_SIZE(variants), &offer);
}
