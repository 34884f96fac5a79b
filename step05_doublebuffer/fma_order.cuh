/* The FMAs in serpentine's order, for the rungs after it. */
#pragma once

static __device__ __forceinline__ void multiply(const float *a_reg, const float *b_reg, float (*c_reg)[TN]) {
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int x = 0; x < TM; x++) {
            int i = j % 2 ? TM - 1 - x : x;
            c_reg[i][j] += a_reg[i] * b_reg[j];
        }
}
