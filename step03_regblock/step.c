/* Step 3: many results per thread, in registers. */
#include "gemm/gemm.h"

/* clang-format off */
#define VARIANTS(VARIANT) \
    VARIANT(tile4x4, "4x4 results per thread, 64x64 per block") \
    VARIANT(tile8x16_128t, "8x16 results per thread, 128x128 per block of 128 threads") \
    VARIANT(tile8x8_256t, "8x8 results per thread, 128x128 per block of 256 threads")
/* clang-format on */
GEMM_VARIANTS(VARIANTS)

int main(int argc, char **argv) {
    return gemm_step_main(argc, argv, "step03_regblock", variants, ARRAY_SIZE(variants), NULL);
}
