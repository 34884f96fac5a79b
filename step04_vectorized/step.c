/* Step 4: 16 bytes per instruction. */
#include "gemm/gemm.h"

GEMM_VARIANT(lds128);
GEMM_VARIANT(lds128_2x2);
GEMM_VARIANT(coalesced_store);

static const gemm_variant variants[] = {
    {"lds128", "16-byte loads; A transposed on its way into shared memory", launch_lds128, kernel_lds128, NULL, NULL,
     NULL, NULL},
    {"lds128_2x2", "2x2 blocks of 4x4 per thread: no bank conflicts", launch_lds128_2x2, kernel_lds128_2x2, NULL, NULL,
     NULL, NULL},
    {"coalesced_store", "results exchanged through shared memory, contiguous stores at any alignment",
     launch_coalesced_store, kernel_coalesced_store, NULL, NULL, NULL, NULL},
};

int main(int argc, char **argv) {
    return gemm_step_main(argc, argv, "step04_vectorized", variants, ARRAY_SIZE(variants), NULL);
}
