/* The fragments of a step, for the rungs that load them a step ahead. */
#pragma once

#include "stage.cuh"

/* The fragments of a warp's rows of A and columns of B for the 16 values of k of step `step`. */
static __device__ __forceinline__ void load_fragments(const stage &now, int wm, int wn, int step, unsigned (*a_frag)[4],
                                                      unsigned (*b_frag)[2]) {
    int lane = threadIdx.x % 32;
    for (int i = 0; i < WM / 16; i++) {
        int row = wm + i * 16 + lane % 16, chunk = step * 2 + lane / 16;
        ldmatrix_x4(a_frag[i], shared_address(&now.a[row][place(row, chunk)]));
    }
    for (int j = 0; j < WN / 8; j += 2) {
        int row = wn + j * 8 + lane / 16 * 8 + lane % 8, chunk = step * 2 + lane / 8 % 2;
        ldmatrix_x4(b_frag[j], shared_address(&now.b[row][place(row, chunk)]));
    }
}
