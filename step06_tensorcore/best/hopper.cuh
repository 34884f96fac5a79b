/* What the kernels on Hopper share: types, one K of wgmma, the problem as the kernels take it, and the epilogue. */
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "best.h"
#include "gemm/gemm_kernel.cuh"
#include "gemm/launch.cuh"
#include "ptx/cluster.cuh"
#include "ptx/elect.cuh"
#include "ptx/fence.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/named_barrier.cuh"
#include "ptx/setmaxnreg.cuh"
#include "ptx/stmatrix.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"

/* A tile's row is 128 bytes along K, the width of the swizzle; wgmma takes 32 of them at a time. */
static const int ROW_BYTES = 128, K_STEPS = 4;

/* Elements of A and B in a row of a tile: 64 of f16 and bf16, 128 of s8, 32 of tf32. */
__host__ __device__ constexpr int hopper_bk(int type) {
    return type == GEMM_S8 ? 128 : type == GEMM_TF32 ? 32 : 64;
}

/* The type of sums. */
template <int TYPE> struct hopper_sum { typedef float type; };
template <> struct hopper_sum<GEMM_S8> { typedef int type; };

/* d = 64 rows of A times the tile of B over 32 bytes of K, plus d if `add`. MN_A, MN_B: that operand is MN-major. */
template <int TYPE, bool MN_A, bool MN_B, class SUM, int COUNT>
__device__ __forceinline__ void hopper_multiply(SUM (&d)[COUNT], uint64_t a, uint64_t b, int add) {
    if constexpr (TYPE == GEMM_F16)
        wgmma_f16<MN_B, MN_A>(d, a, b, add);
    else if constexpr (TYPE == GEMM_BF16)
        wgmma_bf16<MN_B, MN_A>(d, a, b, add);
    else if constexpr (TYPE == GEMM_S8)
        wgmma_s8(d, a, b, add);
    else
        wgmma_tf32(d, a, b, add);
}

/* The descriptor of a tile. K-major: its rows, or its columns, lie along K. MN-major: boxes of 64 rows or columns, one
 * after the other, each BK rows of k. hopper_step: what is added to it for the next 32 bytes or 16 rows of K. */
template <bool MN> __device__ __forceinline__ uint64_t hopper_tile(uint32_t tile) {
    return MN ? wgmma_mn_major(tile, 64 * ROW_BYTES) : wgmma_k_major(tile);
}
template <bool MN> __device__ __forceinline__ constexpr uint64_t hopper_step() {
    return wgmma_advance(MN ? 16 * ROW_BYTES : 32);
}

/* The problem, apart from its tensor maps. */
typedef struct {
    int m, n, k, ldc, out;
    float alpha, beta; /* of s8: whole numbers */
    void *C;           /* read where beta != 0 */
} hopper_problem;

static inline hopper_problem hopper_of(const gemm_problem *p) {
    return {p->m, p->n, p->k, p->ldc, (int)p->out, p->alpha, p->beta, p->C};
}

/* ---- epilogue: from sums to C ---- */

/* alpha*sum for two neighbours, and the beta*C to add. s8: modulo 2^32. */
__device__ __forceinline__ float2 hopper_scale(const hopper_problem &p, float s0, float s1) {
    return make_float2(p.alpha * s0, p.alpha * s1);
}
__device__ __forceinline__ uint2 hopper_scale(const hopper_problem &p, int s0, int s1) {
    const unsigned alpha = (unsigned)(int)p.alpha;
    return make_uint2(alpha * (unsigned)s0, alpha * (unsigned)s1);
}
__device__ __forceinline__ float2 hopper_add(const hopper_problem &p, float2 r, float2 c) {
    return make_float2(r.x + p.beta * c.x, r.y + p.beta * c.y);
}
__device__ __forceinline__ uint2 hopper_add(const hopper_problem &p, uint2 r, uint2 c) {
    const unsigned beta = (unsigned)(int)p.beta;
    return make_uint2(r.x + beta * c.x, r.y + beta * c.y);
}

/* Two results rounded to 16 bits, in one register. */
template <int OUT> __device__ __forceinline__ uint32_t hopper_pack(float2 r) {
    uint32_t packed;
    if constexpr (OUT == DTYPE_BF16) {
        const __nv_bfloat162 two = __float22bfloat162_rn(r);
        memcpy(&packed, &two, sizeof packed);
    } else {
        const __half2 two = __float22half2_rn(r);
        memcpy(&packed, &two, sizeof packed);
    }
    return packed;
}

/* The reverse. */
template <int OUT> __device__ __forceinline__ float2 hopper_unpack(uint32_t packed) {
    if constexpr (OUT == DTYPE_BF16) {
        __nv_bfloat162 two;
        memcpy(&two, &packed, sizeof packed);
        return __bfloat1622float2(two);
    } else {
        __half2 two;
        memcpy(&two, &packed, sizeof packed);
        return __half22float2(two);
    }
}

/* The type of C, besides float, for a type of operands: 16-bit for 16-bit operands. */
__host__ __device__ constexpr int hopper_short(int type) {
    return type == GEMM_F16 ? DTYPE_F16 : DTYPE_BF16;
}
template <int TYPE> struct hopper_small { typedef float type; };
template <> struct hopper_small<GEMM_F16> { typedef __half type; };
template <> struct hopper_small<GEMM_BF16> { typedef __nv_bfloat16 type; };
template <> struct hopper_small<GEMM_S8> { typedef int type; };
__host__ __device__ constexpr int hopper_long(int type) {
    return type == GEMM_S8 ? DTYPE_S32 : DTYPE_F32;
}
