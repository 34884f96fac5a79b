/* The persistent kernel for bf16, tn. */
#include "../persistent_tiles.cuh"

persistent_choice *persistent_bf16_tn(void) {
    return persistent_choices<GEMM_BF16, GEMM_TN>();
}
