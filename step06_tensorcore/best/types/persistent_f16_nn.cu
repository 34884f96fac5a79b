/* The persistent kernel for f16, nn. */
#include "../persistent_tiles.cuh"

persistent_choice *persistent_f16_nn(void) {
    return persistent_choices<GEMM_F16, GEMM_NN>();
}
