/* Step 5: the next tile is on its way while this one is multiplied. */
#include <stdint.h>

#include "gemm/gemm.h"

GEMM_VARIANT(register_prefetch);
GEMM_VARIANT(cp_async);
GEMM_VARIANT(serpentine);
GEMM_VARIANT(warp_tiles);
GEMM_VARIANT(rasterized);
GEMM_VARIANT(spread_copies);
GEMM_VARIANT(stream_k);
GEMM_VARIANT(best);
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

static const gemm_variant variants[] = {
    {"register_prefetch", "double buffering through registers, as in the article", launch_register_prefetch,
     kernel_register_prefetch, NULL, needs_alignment, NULL, NULL},
    {"cp_async", "4 stages of cp.async: no staging registers", launch_cp_async, kernel_cp_async, needs_cp_async,
     needs_alignment, NULL, NULL},
    {"serpentine", "FMAs down one column of results and up the next", launch_serpentine, kernel_serpentine,
     needs_cp_async, needs_alignment, NULL, NULL},
    {"warp_tiles", "128x256 per block, 64x64 per warp, 8x16 per thread", launch_warp_tiles, kernel_warp_tiles,
     needs_cp_async, needs_alignment, NULL, NULL},
    {"rasterized", "blocks numbered down bands of 8 tiles, for L2", launch_rasterized, kernel_rasterized,
     needs_cp_async, needs_alignment, NULL, NULL},
    {"spread_copies", "a tile's copies spread over the FMAs, not in one burst", launch_spread_copies,
     kernel_spread_copies, needs_cp_async, needs_alignment, NULL, NULL},
    {"stream_k", "the last waves divided evenly among the multiprocessors", launch_stream_k, kernel_stream_k,
     needs_cp_async, needs_alignment, NULL, NULL},
    {"best", "the same for any shape and alignment, a tile for every size", launch_best, kernel_best, needs_cp_async,
     NULL, NULL, workspace_sgemm_best},
};

int main(int argc, char **argv) {
    return gemm_step_main(argc, argv, "step05_doublebuffer", variants, ARRAY_SIZE(variants), NULL);
}
