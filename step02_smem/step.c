/* Step 2: tiles in shared memory. */
#include "gemm/gemm.h"

GEMM_SHOW(latency);
GEMM_SHOW(limits);

/* clang-format off */
#define VARIANTS(VARIANT) \
    VARIANT(tile32, "32x32 tiles of A and B staged in shared memory")
/* clang-format on */
GEMM_VARIANTS(VARIANTS)

static const gemm_show shows[] = {
    {"latency", "how long a load waits: shared memory, L1, L2, DRAM, by following pointers", show_latency, NULL},
    {"limits", "what a SM and the GPU do at most: FFMA, mma, wgmma, reads, atomics, launches", show_limits, NULL},
};

int main(int argc, char **argv) {
    static const gemm_type f32 = GEMM_F32;
    static const gemm_layout nn = GEMM_NN;
    static const gemm_offer offer = {&f32, 1, &nn, 1, shows, ARRAY_SIZE(shows)};
    return gemm_step_main(argc, argv, "step02_smem", variants, ARRAY_SIZE(variants), &offer);
}
