/* The bounds that exact_tc and one_query share: how far rounding moves a row, and from the near points of a sample what
 * the screen compares with. exact_tc.cu says why they hold. */
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <float.h>
#include <math.h>
#include <stdint.h>

static const int TILE = 128;           /* queries, or points, per tile */
static const int BK = 64;              /* numbers of a row per step: 128 bytes, the width of the swizzle */
static const float LARGEST = 32000.0f; /* anything beyond this in the scaled space is clipped; -2h must fit in FP16, too
                                        */

/* The relative error of everything multiplied by a norm. */
static __host__ __device__ inline float gamma_of(int steps) {
    return ((float)(steps * BK) * (1.0f + 1.0f / 32) + 24) * 0x1p-23f;
}

/* What all kernels need to know about the data: the centre can be any vector and the scale any power of two; good ones
 * make e small. */
typedef struct {
    unsigned range; /* bits of the largest extent of a coordinate in the sample */
} tc_facts;

static __device__ __forceinline__ float scale_of(const tc_facts *facts) {
    const int exponent = (int)(facts->range >> 23); /* range < 2^(exponent - 126), which becomes 2^10 */
    return facts->range == 0 ? 1.0f : __int_as_float(min(263 - exponent, 254) << 23);
}

/* A coordinate without the centre, scaled, rounded; its share of the row's three sums of squares: of what is left, of
 * what rounding has taken away, and of both. */
static __device__ __forceinline__ __half round_coordinate(float x, float centre, float scale, float (&sums)[3]) {
    const float z = (x - centre) * scale;
    const __half rounded = __float2half_rn(fminf(fmaxf(z, -LARGEST), LARGEST));
    const float near = __half2float(rounded), left = z - near;
    sums[0] = fmaf(near, near, sums[0]);
    sums[1] = fmaf(left, left, sums[1]);
    sums[2] = fmaf(z, z, sums[2]);
    return rounded;
}

/* These sums over LANES neighbouring lanes, in all of them. */
template <int LANES> static __device__ __forceinline__ void add_lanes(float (&sums)[3]) {
#pragma unroll
    for (int o = LANES / 2; o > 0; o /= 2)
#pragma unroll
        for (int i = 0; i < 3; i++) sums[i] += __shfl_xor_sync(~0u, sums[i], o);
}

/* e: the error of rounding to FP16, that of x - centre (2^-24 of it), and underflow. */
static __device__ __forceinline__ float error_of(const float (&sums)[3], int steps) {
    const float e =
        fmaf(sqrtf(sums[1]) + 1.01f * 0x1p-24f * sqrtf(sums[2]), 1.0f + gamma_of(steps) + 0x1p-20f, 0x1p-50f);
    return e <= FLT_MAX ? e : INFINITY;
}

/* The square root, or slightly more: the error of sqrt.approx is at most 2^-23 of it. */
static __device__ __forceinline__ float root_above(float x) {
    float root;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root * (1.0f + 0x1p-21f);
}

/* ---- radius ---- */

static const int RADIUS_THREADS = 256, BINS = 2048;

/* A warp: which of 32 groups of `each` bins holds the value of this rank, which becomes its rank in the group. */
static __device__ __forceinline__ int group_with(const unsigned *bins, int each, unsigned *rank) {
    const int lane = threadIdx.x % 32;
    unsigned sum = 0;
    for (int i = 0; i < each; i++) sum += bins[lane * each + (i + lane) % each];
    unsigned up_to = sum;
    for (int o = 1; o < 32; o *= 2) {
        const unsigned other = __shfl_up_sync(~0u, up_to, o);
        if (lane >= o) up_to += other;
    }
    const int group = __ffs(__ballot_sync(~0u, *rank <= up_to)) - 1;
    *rank -= __shfl_sync(~0u, up_to - sum, group);
    return group;
}

/* A block of RADIUS_THREADS: the k-th smallest of `count` numbers, digit by digit from the highest. None is negative,
 * so their bits sort like integers. */
static __device__ __forceinline__ float kth_smallest(const float *numbers, int count, int k) {
    __shared__ unsigned bins[BINS];
    __shared__ unsigned found, left;
    unsigned above = 0; /* the digits known so far */
    if (threadIdx.x == 0) left = (unsigned)k;
    for (int shift = 21; shift >= 0; shift = shift == 21 ? 10 : shift == 10 ? 0 : -1) {
        const int bits = shift == 0 ? 10 : 11;
        for (int i = threadIdx.x; i < BINS; i += RADIUS_THREADS) bins[i] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < count; i += RADIUS_THREADS) {
            const unsigned value = __float_as_uint(numbers[i]);
            if ((uint64_t)value >> (shift + bits) == (uint64_t)above >> (shift + bits))
                atomicAdd(&bins[value >> shift & ((1u << bits) - 1)], 1u);
        }
        __syncthreads();
        if (threadIdx.x < 32) {
            unsigned rank = left;
            int bin = BINS / 32 * group_with(bins, BINS / 32, &rank);
            bin += BINS / 1024 * group_with(bins + bin, BINS / 1024, &rank);
            for (; rank > bins[bin]; bin++) rank -= bins[bin];
            __syncwarp();
            if (threadIdx.x == 0) found = (unsigned)bin, left = rank;
        }
        __syncthreads();
        above |= found << shift;
        __syncthreads();
    }
    return __uint_as_float(above);
}

/* What the screen compares with, A and B, for a query with e and N (info), of which k points are within w + e. */
static __device__ __forceinline__ float2 limits_of(float near_points, float2 info, int d, int steps,
                                                   const tc_facts *facts) {
    const double scale = scale_of(facts), w = near_points, e = info.x, g = 1.125 * (d + 4.0) * 0x1p-24;
    const double near = w + e;
    double r = INFINITY;
    if (near < scale * 0x1p63) /* otherwise THE distance may overflow, and then indices decide the order */
        r = sqrt((near * near * (1 + g) + scale * scale * (d + 1.0) * 0x1p-147) / (1 - g)) * (1 + 0x1p-40) + e;
    return make_float2(__double2float_ru(2 * r * (1 + 0x1p-19)),
                       __double2float_ru(r * r * (1 + 0x1p-19) - (double)info.y * (1 - gamma_of(steps))));
}
