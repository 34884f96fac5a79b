/* Step 2: tiles in shared memory. */
#include "gemm/gemm.h"

GEMM_VARIANT(tile32);

static const gemm_variant variants[] = {
    {"tile32", "32x32 tiles of A and B staged in shared memory", launch_tile32, kernel_tile32, NULL, NULL, NULL, NULL},
};

int main(int argc, char **argv) {
    return gemm_step_main(argc, argv, "step02_smem", variants, ARRAY_SIZE(variants), NULL);
}
