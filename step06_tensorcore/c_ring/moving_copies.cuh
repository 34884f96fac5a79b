/* The copies of a thread from pointers that move. */
#pragma once

#include "stage.cuh"

/* What a thread copies of a tile: its chunk of every 16th row of A and of B. */
static const int EACH = BM * 8 / THREADS, APART = BM / EACH;
struct source {
    const __half *a, *b;     /* the first ones, */
    int a_rows, b_rows, col; /* how many of the rows exist, their column in a tile, */
    unsigned to;             /* and where the first one of A goes in stage 0 */
};

static __device__ __forceinline__ source source_of(const gemm_problem &p, int row0, int col0, const stage *ring) {
    int row = threadIdx.x / 8, chunk = threadIdx.x % 8;
    return {gemm_at((const __half *)p.A, p.lda, row0 + row, chunk * 8),
            gemm_at((const __half *)p.B, p.ldb, col0 + row, chunk * 8),
            (p.m - row0 - row + APART - 1) / APART,
            (p.n - col0 - row + APART - 1) / APART,
            chunk * 8,
            shared_address(&ring->a[row][place(row, chunk)])};
}

/* Requests copies first ... last - 1 of the tile at k0, `ahead` tiles further on than the pointers, into stage s; zeros
 * beyond the last row or k: a predicate, no branch. */
static __device__ __forceinline__ void request(const gemm_problem &p, const source &x, int k0, int ahead, int s,
                                               int first, int last) {
    unsigned to = x.to + s * (int)sizeof(stage);
    int a_rows = k0 + x.col < p.k ? x.a_rows : 0, b_rows = k0 + x.col < p.k ? x.b_rows : 0;
#pragma unroll
    for (int i = first; i < last; i++) {
        int down = i * APART;
        cp_async_16_zfill(to + down * BK * 2, gemm_at(x.a, p.lda, down, ahead * BK), i < a_rows ? 16 : 0);
        cp_async_16_zfill(to + (BM + down) * BK * 2, gemm_at(x.b, p.ldb, down, ahead * BK), i < b_rows ? 16 : 0);
    }
}
