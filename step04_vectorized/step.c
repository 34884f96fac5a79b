/* Step 4: 16 bytes per instruction. */
#include "gemm/gemm.h"

/* clang-format off */
#define VARIANTS(VARIANT) \
    VARIANT(lds128, "16-byte loads; A transposed on its way into shared memory") \
    VARIANT(lds128_2x2, "2x2 blocks of 4x4 per thread: no bank conflicts") \
    VARIANT(coalesced_store, "results exchanged through shared memory, contiguous stores at any alignment")
/* clang-format on */
GEMM_VARIANTS(VARIANTS)

int main(int argc, char **argv) {
    return gemm_step_main(argc, argv, "step04_vectorized", variants, ARRAY_SIZE(variants), NULL);
}
