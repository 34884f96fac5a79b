/* Step 5: the next tile is on its way while this one is multiplied. */
#include <stdint.h>

#include "gemm/gemm.h"

size_t workspace_sgemm_best(const gemm_problem *p);

static const char *needs_cp_async(const device_facts *device) {
    return device->cc >= 80 ? NULL : "cp.async needs compute capability 8.0";
}

/* All but best: loads, copies and stores of 16 bytes. */
static bool whole_float4(const void *x, int ld, int cols) {
    return (uintptr_t)x % 16 == 0 && ld % 4 == 0 && cols % 4 == 0;
}
static const char *needs_alignment(const gemm_problem *p) {
    bool aligned =
        whole_float4(p->A, p->lda, p->k) && whole_float4(p->B, p->ldb, p->n) && whole_float4(p->C, p->ldc, p->n);
    return aligned ? NULL : "takes rows of A, B and C that are multiples of 16 bytes and begin on one";
}

/* clang-format off */
#define VARIANTS(VARIANT) \
    VARIANT(register_prefetch, "double buffering through registers, as in the article", .refuses = needs_alignment) \
    VARIANT(cp_async, "4 stages of cp.async: no staging registers", \
        .supports = needs_cp_async, .refuses = needs_alignment) \
    VARIANT(serpentine, "FMAs down one column of results and up the next", \
        .supports = needs_cp_async, .refuses = needs_alignment) \
    VARIANT(warp_tiles, "128x256 per block, 64x64 per warp, 8x16 per thread", \
        .supports = needs_cp_async, .refuses = needs_alignment) \
    VARIANT(rasterized, "blocks numbered down bands of 8 tiles, for L2", \
        .supports = needs_cp_async, .refuses = needs_alignment) \
    VARIANT(spread_copies, "a tile's copies spread over the FMAs, not in one burst", \
        .supports = needs_cp_async, .refuses = needs_alignment) \
    VARIANT(stream_k, "the last waves divided evenly among the multiprocessors", \
        .supports = needs_cp_async, .refuses = needs_alignment) \
    VARIANT(best, "the same for any shape and alignment, a tile for every size", \
        .supports = needs_cp_async, .workspace = workspace_sgemm_best)
/* clang-format on */
GEMM_VARIANTS(VARIANTS)

int main(int argc, char **argv) {
    return gemm_step_main(argc, argv, "step05_doublebuffer", variants, ARRAY_SIZE(variants), NULL);
}
