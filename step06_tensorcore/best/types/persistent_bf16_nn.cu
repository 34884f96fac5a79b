/* The persistent kernel for bf16, nn. */
#include "../persistent_tiles.cuh"

persistent_choice *persistent_bf16_nn(void) {
    return persistent_choices<GEMM_BF16, GEMM_NN>();
}
