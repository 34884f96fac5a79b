/* The persistent kernel for tf32, nn: exact tiles, swapped, to whose wgmma B comes through registers; and for a B that
 * is transposed first the tiles of tn that are not exact. */
#include "../persistent_tiles.cuh"

persistent_choice *persistent_tf32_nn(void) {
    persistent_choice *all = persistent_choices<GEMM_TF32, GEMM_NN>();
    const persistent_choice *tn = persistent_tf32();
    if (all[0].kernel != NULL) return all;
    for (int i = 0; tn[i].kernel != NULL; i++) all[i] = tn[i]; /* up to the gap before tn's exact ones */
    return all;
}
