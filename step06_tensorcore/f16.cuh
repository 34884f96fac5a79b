/* What the kernels up to e_persistent share: f16 problems, C = alpha*A*B + beta*C, whose rows begin and end on 16
 * bytes (takes_f16 in step.c). */
#pragma once

#include <cuda_fp16.h>

#include "gemm/gemm_kernel.cuh"

/* The results of (row, col) and (row, col + 1), col even: C is read only if beta is not 0, and where there is one. */
static __device__ __forceinline__ __half2 result_pair(const gemm_problem &p, int row, int col, float x, float y) {
    float2 r = make_float2(p.alpha * x, p.alpha * y);
    if (p.beta != 0.0f && row < p.m && col < p.n) {
        float2 old = __half22float2(*(const __half2 *)gemm_at((const __half *)p.C, p.ldc, row, col));
        r = make_float2(r.x + p.beta * old.x, r.y + p.beta * old.y);
    }
    return __float22half2_rn(r);
}

/* Stores them, if they exist. */
static __device__ __forceinline__ void store_pair(const gemm_problem &p, int row, int col, float x, float y) {
    if (row < p.m && col < p.n) *(__half2 *)gemm_at((__half *)p.C, p.ldc, row, col) = result_pair(p, row, col, x, y);
}
