/* The persistent kernel for s8; wgmma only takes layout tn. */
#include "../persistent_tiles.cuh"

persistent_choice *persistent_s8(void) {
    return persistent_choices<GEMM_S8, GEMM_TN>();
}
