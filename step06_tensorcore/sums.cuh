/* The epilogue of the wgmma kernels. */
#pragma once

#include "f16.cuh"

/* Stores a thread's sums of 64 rows (wgmma.cuh): of rows row and row + 8, two of every 8 columns from col on. */
template <int COUNT>
static __device__ __forceinline__ void store_sums(const gemm_problem &p, int row, int col, const float (&d)[COUNT]) {
#pragma unroll
    for (int j = 0; j < COUNT / 4; j++) {
        store_pair(p, row, col + 8 * j, d[4 * j], d[4 * j + 1]);
        store_pair(p, row + 8, col + 8 * j, d[4 * j + 2], d[4 * j + 3]);
    }
}
