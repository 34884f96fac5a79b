/* The persistent kernel for tf32, nn: swapped tiles, to whose wgmma B comes through registers; and those of tn, for a B
 * that is transposed first. */
#include <algorithm>

#include "../persistent_tiles.cuh"

persistent_choice *persistent_tf32_nn(void) {
    static const int OF_TN = 5;
    persistent_choice *all = persistent_choices<GEMM_TF32, GEMM_NN>();
    if (all[0].kernel == NULL) std::copy(persistent_tf32(), persistent_tf32() + OF_TN, all);
    return all;
}
