/* Step 1: one thread, one element of C. */
#include "gemm/gemm.h"

/* clang-format off */
#define VARIANTS(VARIANT) \
    VARIANT(uncoalesced, "one thread per element; lanes walk the rows of C") \
    VARIANT(coalesced, "one thread per element; lanes walk the columns of C")
/* clang-format on */
GEMM_VARIANTS(VARIANTS)

int main(int argc, char **argv) {
    return gemm_step_main(argc, argv, "step01_naive", variants, ARRAY_SIZE(variants), NULL);
}
