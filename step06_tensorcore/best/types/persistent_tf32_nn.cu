/* The persistent kernel for tf32, nn: swapped tiles, to whose wgmma B comes through registers; and those of tn, for a B
 * that is transposed first. */
#include "../persistent_tiles.cuh"

persistent_choice *persistent_tf32_nn(void) {
    persistent_choice *all = persistent_choices<GEMM_TF32, GEMM_NN>();
    const persistent_choice *tn = persistent_tf32();
    if (all[0].kernel != NULL) return all;
    for (int i = 0; tn[i].kernel != NULL; i++) all[i] = tn[i];
    return all;
}
