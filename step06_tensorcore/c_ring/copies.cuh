/* The copies of a tile, as stages has them. */
#pragma once

#include "stage.cuh"

/* Copies 128 rows of 64 values of k, 8 chunks of 16 bytes each. Beyond the last k there are zeros; rows beyond the last
 * are copies of it, for sums that are never stored. */
static __device__ __forceinline__ void copy_tile(const void *x, int ld, int rows, int k, int row0, int k0,
                                                 __half (*tile)[BK]) {
#pragma unroll
    for (int i = threadIdx.x; i < BM * 8; i += THREADS) {
        int row = i / 8, chunk = i % 8, col = k0 + chunk * 8;
        const __half *from = gemm_at((const __half *)x, ld, min(row0 + row, rows - 1), min(col, k - 8));
        cp_async_16_zfill(shared_address(&tile[row][place(row, chunk)]), from, col < k ? 16 : 0);
    }
}

/* Requests tile t along K of A and of B, if there is one; in any case that is a group of copies. */
static __device__ __forceinline__ void request(const gemm_problem &p, int row0, int col0, int t, stage *ring) {
    stage &to = ring[t % STAGES];
    if (t * BK < p.k) {
        copy_tile(p.A, p.lda, p.m, p.k, row0, t * BK, to.a);
        copy_tile(p.B, p.ldb, p.n, p.k, col0, t * BK, to.b);
    }
    cp_async_commit();
}
