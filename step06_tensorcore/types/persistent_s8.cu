/* The persistent kernel for s8, of which wgmma takes the layout tn alone. */
#include "../persistent.cuh"

persistent_choice *persistent_s8(void) {
    return persistent_choices<GEMM_S8, GEMM_TN>();
}
