/* Step 5: the next tile is on its way while this one is multiplied. */
#include "gemm/gemm.h"

GEMM_VARIANT(register_prefetch);
GEMM_VARIANT(cp_async);
GEMM_VARIANT(warp_tiled);
GEMM_VARIANT(stream_k);

static const char *needs_cp_async(const device_facts *device) {
    return device->cc >= 80 ? NULL : "cp.async needs compute capability 8.0";
}

static const gemm_variant variants[] = {
    {"register_prefetch", "double buffering through registers, as in the article", launch_register_prefetch,
     kernel_register_prefetch, NULL, NULL, NULL, NULL},
    {"cp_async", "4 stages of cp.async: no staging registers", launch_cp_async, kernel_cp_async, needs_cp_async, NULL,
     NULL, NULL},
    {"warp_tiled", "128x256 per block, 64x64 per warp, 8x16 per thread; spread copies, serpentine FMAs",
     launch_warp_tiled, kernel_warp_tiled, needs_cp_async, NULL, NULL, NULL},
    {"stream_k", "the same tiles, the last waves divided evenly among the multiprocessors", launch_stream_k,
     kernel_stream_k, needs_cp_async, NULL, NULL, NULL},
};

int main(int argc, char **argv) {
    return gemm_step_main(argc, argv, "step05_doublebuffer", variants, ARRAY_SIZE(variants), NULL);
}
