/* Step 1: one thread, one element of C. */
#include "gemm/gemm.h"

GEMM_VARIANT(uncoalesced);
GEMM_VARIANT(coalesced);

static const gemm_variant variants[] = {
    {"uncoalesced", "one thread per element; lanes walk the rows of C", launch_uncoalesced, kernel_uncoalesced, NULL,
     NULL, NULL, NULL},
    {"coalesced", "one thread per element; lanes walk the columns of C", launch_coalesced, kernel_coalesced, NULL, NULL,
     NULL, NULL},
};

int main(int argc, char **argv) {
    return gemm_step_main(argc, argv, "step01_naive", variants, ARRAY_SIZE(variants), NULL);
}
