/* The persistent kernel for tf32, tn. */
#include "../persistent_tiles.cuh"

persistent_choice *persistent_tf32(void) {
    return persistent_choices<GEMM_TF32, GEMM_TN>();
}
