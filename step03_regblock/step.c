/* Step 3: many results per thread, in registers. */
#include "gemm/gemm.h"

GEMM_VARIANT(tile4x4);
GEMM_VARIANT(tile8x16_128t);
GEMM_VARIANT(tile8x8_256t);

static const gemm_variant variants[] = {
    {"tile4x4", "4x4 results per thread, 64x64 per block", launch_tile4x4, kernel_tile4x4, NULL, NULL, NULL, NULL},
    {"tile8x16_128t", "8x16 results per thread, 128x128 per block of 128 threads", launch_tile8x16_128t,
     kernel_tile8x16_128t, NULL, NULL, NULL, NULL},
    {"tile8x8_256t", "8x8 results per thread, 128x128 per block of 256 threads", launch_tile8x8_256t,
     kernel_tile8x8_256t, NULL, NULL, NULL, NULL},
};

int main(int argc, char **argv) {
    return gemm_step_main(argc, argv, "step03_regblock", variants, ARRAY_SIZE(variants), NULL);
}
