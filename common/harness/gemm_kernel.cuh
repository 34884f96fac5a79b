/* What every GEMM kernel file needs beside its own idea: BLAS' corner cases, in one place. */
#ifndef KL_GEMM_KERNEL_CUH
#define KL_GEMM_KERNEL_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#include "gemm.h"

/* The launcher's copy of the problem: alpha == 0 must not read A or B, which k == 0 already guarantees. */
static inline gemm_problem gemm_launch_copy(const gemm_problem *p) {
    gemm_problem copy = *p;
    if (copy.alpha == 0.0f) copy.k = 0;
    return copy;
}

/* Blocks of a flattened grid of BM x BN tiles; 0 when C is empty. One dimension, since gridDim.y ends at 65535. */
static inline unsigned gemm_blocks(const gemm_problem *p, int bm, int bn) {
    return (unsigned)(((int64_t)p->m + bm - 1) / bm * (((int64_t)p->n + bn - 1) / bn));
}

/* True when X (leading dimension ld, rows of cols elements) is made of whole, aligned float4: every row starts on 16
 * bytes and has a multiple of four elements. */
static inline bool gemm_is_float4(const float *x, int ld, int cols) {
    return (uintptr_t)x % 16 == 0 && ld % 4 == 0 && cols % 4 == 0;
}

/* Address of element (row, col): 64-bit arithmetic, since rows * ld passes 2^31 for real matrices. */
template <typename T> __device__ __forceinline__ T *gemm_at(T *x, int ld, int row, int col) {
    return x + (int64_t)row * ld + col;
}

/* alpha*acc + beta*c, reading c only when beta != 0 (it may hold NaN otherwise). */
__device__ __forceinline__ float gemm_blend(const gemm_problem &p, float acc, const float *c) {
    return p.beta == 0.0f ? p.alpha * acc : p.alpha * acc + p.beta * *c;
}

/* The same for four neighbours; c is aligned to 16 bytes. */
__device__ __forceinline__ float4 gemm_blend4(const gemm_problem &p, float4 acc, const float *c) {
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

#endif
