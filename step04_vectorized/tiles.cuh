/* Copies tiles from global to shared memory 16 bytes at a time; A is transposed on the way, so that the main loop can
 * read four adjacent rows of it with one LDS.128.
 *
 *   A in global memory (rows)           As in shared memory (columns of A are rows here)
 *        k0 k1 k2 k3                         row r  r+1 ...
 *   row r  [a  b  c  d]  one LDG.128     k0    a
 *                                        k1    b            four STS.32
 *                                        k2    c
 *                                        k3    d
 *
 * The four spare words at the end of a row of As shift each k by four banks: the 16 rows and 2 groups of k that a warp
 * stores at once then lie in 32 different banks. */
#pragma once

#include "gemm/gemm_kernel.cuh"

static const int BM = 128, BN = 128, BK = 8; /* block tile */
static const int THREADS = 256;              /* 16 x 16, each with 8 x 8 results */
static const int A_ROW = BM + 4;             /* padded row of As */

struct tiles {
    float A[BK][A_ROW];
    float B[BK][BN];
};

/* The BM x BK tile of A at (row0, k0) and the BK x BN tile of B at (k0, col0), with zeros beyond the edges of the
 * matrices. Each thread loads one float4 of each. */
template <bool LOAD4>
static __device__ __forceinline__ void load_tiles(const sgemm_problem &p, int row0, int col0, int k0, tiles *t) {
    int a_row = threadIdx.x / (BK / 4), a_k = threadIdx.x % (BK / 4) * 4;
    float4 a = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (row0 + a_row < p.m) a = gemm_load4<LOAD4>(gemm_at(p.A, p.lda, row0 + a_row, k0 + a_k), p.k - k0 - a_k);

    int b_k = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
    float4 b = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (k0 + b_k < p.k) b = gemm_load4<LOAD4>(gemm_at(p.B, p.ldb, k0 + b_k, col0 + b_col), p.n - col0 - b_col);

    t->A[a_k + 0][a_row] = a.x;
    t->A[a_k + 1][a_row] = a.y;
    t->A[a_k + 2][a_row] = a.z;
    t->A[a_k + 3][a_row] = a.w;
    *(float4 *)&t->B[b_k][b_col] = b;
}

/* May A and B be read, and may C be written, 16 bytes at a time? */
static inline bool tiles_load4(const gemm_problem *p) {
    return gemm_is_float4(p->A, p->lda, p->k) && gemm_is_float4(p->B, p->ldb, p->n);
}

static inline bool tiles_store4(const gemm_problem *p) {
    return gemm_is_float4(p->C, p->ldc, p->n);
}
