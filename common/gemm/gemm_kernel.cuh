/* What every GEMM kernel needs besides its own idea: BLAS's corner cases, in one place. */
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

#include "gemm/gemm.h"

/* The launcher's copy of the problem: alpha == 0 and k == 0 both mean that there is no product, whatever A, B and the
 * other of the two are. */
static inline gemm_problem gemm_effective(const gemm_problem *p) {
    gemm_problem copy = *p;
    if (copy.alpha == 0.0f || copy.k == 0) {
        copy.alpha = 0.0f;
        copy.k = 0;
    }
    return copy;
}

/* The same with float pointers, for kernels that take only FP32 and row-major matrices. */
static inline sgemm_problem gemm_launch_copy(const gemm_problem *p) {
    const gemm_problem copy = gemm_effective(p);
    return gemm_as_f32(&copy);
}

/* Blocks of a flattened grid of BM x BN tiles; 0 when C is empty. One dimension, since gridDim.y ends at 65535. */
static inline unsigned gemm_blocks(const gemm_problem *p, int bm, int bn) {
    return (unsigned)(((int64_t)p->m + bm - 1) / bm * (((int64_t)p->n + bn - 1) / bn));
}

/* True if X (leading dimension ld, rows of cols elements) consists of whole, aligned float4: every row starts on a
 * 16-byte boundary and has a multiple of four elements. */
static inline __host__ __device__ bool gemm_is_float4(const void *x, int ld, int cols) {
    return (uintptr_t)x % 16 == 0 && ld % 4 == 0 && cols % 4 == 0;
}

/* The row and column, in tiles, of tile number `tile` of tiles_m x tiles_n: threadblock rasterization, bands of BAND
 * rows of tiles, each column by column, so that tiles with neighbouring numbers share rows of A and columns of B in L2
 * (CUTLASS documentation, "Efficient GEMM in CUDA"). */
static __device__ __forceinline__ int2 gemm_rasterize(int tile, int tiles_m, int tiles_n) {
    const int BAND = 8;
    int band = tile / (BAND * tiles_n) * BAND, inside = tile % (BAND * tiles_n), rows = min(BAND, tiles_m - band);
    return make_int2(band + inside % rows, inside / rows);
}

/* Address of element (row, col), in 64-bit arithmetic: rows * ld exceeds 2^31 for real matrices. */
template <typename T> __device__ __forceinline__ T *gemm_at(T *x, int ld, int row, int col) {
    return x + (int64_t)row * ld + col;
}

/* alpha*acc + beta*c, reading c only when beta != 0 (it may hold NaN otherwise). */
__device__ __forceinline__ float gemm_blend(const sgemm_problem &p, float acc, const float *c) {
    return p.beta == 0.0f ? p.alpha * acc : p.alpha * acc + p.beta * *c;
}

/* The same for four consecutive elements; c is aligned to 16 bytes. */
__device__ __forceinline__ float4 gemm_blend4(const sgemm_problem &p, float4 acc, const float *c) {
    float4 r = make_float4(p.alpha * acc.x, p.alpha * acc.y, p.alpha * acc.z, p.alpha * acc.w);
    if (p.beta != 0.0f) {
        float4 old = *(const float4 *)c;
        r.x += p.beta * old.x;
        r.y += p.beta * old.y;
        r.z += p.beta * old.z;
        r.w += p.beta * old.w;
    }
    return r;
}

/* Four words from x on, of which only the first `left` exist; the others are read as zero. VECTOR: all four exist or
 * none, and x is aligned to 16 bytes. */
template <bool VECTOR> __device__ __forceinline__ float4 gemm_load4(const float *x, int left) {
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (VECTOR) return left > 0 ? *(const float4 *)x : v;
    if (left > 0) v.x = x[0];
    if (left > 1) v.y = x[1];
    if (left > 2) v.z = x[2];
    if (left > 3) v.w = x[3];
    return v;
}

/* Stores the results for row `row` and columns col ... col + 3, those that exist: with one STG.128 (VECTOR: C consists
 * of whole float4), or word by word. */
template <bool VECTOR>
__device__ __forceinline__ void gemm_store4(const sgemm_problem &p, int row, int col, float4 acc) {
    if (row >= p.m) return;
    float *c = gemm_at(p.C, p.ldc, row, col);
    if (VECTOR) {
        if (col < p.n) *(float4 *)c = gemm_blend4(p, acc, c);
        return;
    }
    if (col + 0 < p.n) c[0] = gemm_blend(p, acc.x, c + 0);
    if (col + 1 < p.n) c[1] = gemm_blend(p, acc.y, c + 1);
    if (col + 2 < p.n) c[2] = gemm_blend(p, acc.z, c + 2);
    if (col + 3 < p.n) c[3] = gemm_blend(p, acc.w, c + 3);
}
