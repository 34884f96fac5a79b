/* What the three Hopper kernels share: types, one K of wgmma, the problem as the kernels take it, the epilogue, and how
 * to launch a cluster. */
#ifndef KL_HOPPER_CUH
#define KL_HOPPER_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "ptx/cluster.cuh"
#include "ptx/fence.cuh"
#include "gemm/gemm_kernel.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/named_barrier.cuh"
#include "ptx/setmaxnreg.cuh"
#include "ptx/stmatrix.cuh"
#include "tensor_map.h"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"

extern "C" {
GEMM_VARIANT(multistage); /* handles what bulk copies cannot */
}

/* A tile's row is 128 bytes along K, the width of the swizzle; wgmma takes 32 of them at a time. */
static const int ROW_BYTES = 128, K_STEPS = 4;

/* Elements of A and B in a row of a tile: 64 of f16 and bf16, 128 of s8, 32 of tf32. */
__host__ __device__ constexpr int hopper_bk(int type) {
    return type == GEMM_S8 ? 128 : type == GEMM_TF32 ? 32 : 64;
}

/* The type of sums. */
template <int TYPE> struct hopper_sum { typedef float type; };
template <> struct hopper_sum<GEMM_S8> { typedef int type; };

/* d = 64 rows of A times the tile of B over 32 bytes of K, plus d if `add`. */
template <int TYPE, int LAYOUT, class SUM, int COUNT>
__device__ __forceinline__ void hopper_multiply(SUM (&d)[COUNT], uint64_t a, uint64_t b, int add) {
    if constexpr (TYPE == GEMM_F16)
        wgmma_f16<LAYOUT == GEMM_NN>(d, a, b, add);
    else if constexpr (TYPE == GEMM_BF16)
        wgmma_bf16<LAYOUT == GEMM_NN>(d, a, b, add);
    else if constexpr (TYPE == GEMM_S8)
        wgmma_s8(d, a, b, add);
    else
        wgmma_tf32(d, a, b, add);
}

/* The descriptor of a tile of B. tn: its rows are columns of B, along K. nn: boxes of 64 columns, one after the other,
 * each BK rows of k. Then the step from one 32 bytes (tn) or 16 rows (nn) of K to the next. */
template <int LAYOUT> __device__ __forceinline__ uint64_t hopper_b(uint32_t tile) {
    return LAYOUT == GEMM_TN ? wgmma_k_major(tile) : wgmma_mn_major(tile, 64 * ROW_BYTES);
}
template <int LAYOUT> __device__ __forceinline__ constexpr uint64_t hopper_b_step() {
    return wgmma_advance(LAYOUT == GEMM_TN ? 32 : 16 * ROW_BYTES);
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

/* The old contents of two neighbours of C, col even: as floats, or for s8 as 32-bit integers. Nothing outside is read.
 */
template <int OUT>
__device__ __forceinline__ void hopper_old(const hopper_problem &p, int row, int col, float (&c)[2]) {
    c[0] = c[1] = 0.0f;
    if (row >= p.m) return;
    for (int i = 0; i < 2 && col + i < p.n; i++) {
        if (OUT == DTYPE_F16) c[i] = __half2float(*gemm_at((const __half *)p.C, p.ldc, row, col + i));
        if (OUT == DTYPE_BF16) c[i] = __bfloat162float(*gemm_at((const __nv_bfloat16 *)p.C, p.ldc, row, col + i));
        if (OUT == DTYPE_F32) c[i] = *gemm_at((const float *)p.C, p.ldc, row, col + i);
    }
}
template <int OUT> __device__ __forceinline__ void hopper_old(const hopper_problem &p, int row, int col, int (&c)[2]) {
    c[0] = c[1] = 0;
    if (row >= p.m) return;
    for (int i = 0; i < 2 && col + i < p.n; i++) c[i] = *gemm_at((const int *)p.C, p.ldc, row, col + i);
}

/* alpha*sum + beta*C of two neighbours; without ADD beta is zero and C is not read. */
template <int OUT, bool ADD, class SUM>
__device__ __forceinline__ auto hopper_blend(const hopper_problem &p, int row, int col, SUM s0, SUM s1) {
    auto r = hopper_scale(p, s0, s1);
    if (ADD) {
        SUM c[2];
        hopper_old<OUT>(p, row, col, c);
        r = hopper_add(p, r, {(decltype(r.x))c[0], (decltype(r.x))c[1]});
    }
    return r;
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
__host__ __device__ constexpr int hopper_long(int type) {
    return type == GEMM_S8 ? DTYPE_S32 : DTYPE_F32;
}

/* Stores two neighbours of C, col even, with one instruction: rows of C begin and end on 16-byte boundaries. */
template <int OUT, bool ADD, class SUM>
__device__ __forceinline__ void hopper_store_two(const hopper_problem &p, int row, int col, SUM s0, SUM s1) {
    if (row >= p.m || col >= p.n) return;
    const auto two = hopper_blend<OUT, ADD>(p, row, col, s0, s1);
    if constexpr (OUT == DTYPE_F16 || OUT == DTYPE_BF16) {
        uint16_t *c = gemm_at((uint16_t *)p.C, p.ldc, row, col);
        *(uint32_t *)c = hopper_pack<OUT>(two);
    } else {
        auto *c = gemm_at((decltype(two.x) *)p.C, p.ldc, row, col);
        *(decltype(hopper_blend<OUT, ADD>(p, row, col, s0, s1)) *)c = two;
    }
}

/* Stores what a thread holds of 64 rows of sums, straight from its registers: rows row and row + 8, and two of every 8
 * columns from col on. */
template <int OUT, bool ADD, class SUM, int COUNT>
__device__ __forceinline__ void hopper_store_as(const hopper_problem &p, const SUM (&d)[COUNT], int row, int col) {
#pragma unroll
    for (int j = 0; j < COUNT / 4; j++) {
        const int left = col + 8 * j + threadIdx.x % 4 * 2;
        hopper_store_two<OUT, ADD>(p, row, left, d[4 * j], d[4 * j + 1]);
        hopper_store_two<OUT, ADD>(p, row + 8, left, d[4 * j + 2], d[4 * j + 3]);
    }
}
template <int TYPE, class SUM, int COUNT>
__device__ __forceinline__ void hopper_store(const hopper_problem &p, const SUM (&d)[COUNT], int row, int col) {
    const int SHORT = hopper_short(TYPE), LONG = hopper_long(TYPE);
    if constexpr (TYPE == GEMM_F16 || TYPE == GEMM_BF16) {
        if (p.out == SHORT && p.beta == 0.0f) hopper_store_as<SHORT, false>(p, d, row, col);
        if (p.out == SHORT && p.beta != 0.0f) hopper_store_as<SHORT, true>(p, d, row, col);
    }
    if (p.out == LONG && p.beta == 0.0f) hopper_store_as<LONG, false>(p, d, row, col);
    if (p.out == LONG && p.beta != 0.0f) hopper_store_as<LONG, true>(p, d, row, col);
}

/* ---- host side ---- */

/* Launches `blocks` blocks in clusters of `cluster` with `bytes` of dynamic shared memory. */
template <class... PARAMETERS, class... ARGUMENTS>
static cudaError_t hopper_launch(void (*kernel)(PARAMETERS...), unsigned blocks, int cluster, int threads, int bytes,
                                 cudaStream_t stream, const ARGUMENTS &...arguments) {
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess) return error;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {(unsigned)cluster, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = cluster > 1 ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

#endif
