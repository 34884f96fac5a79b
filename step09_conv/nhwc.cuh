/* What the NHWC kernels share: where a window lies, which pixel is behind a tap, loads and stores of 16 bytes. */
#pragma once

#include <limits.h>

#include "conv/conv_kernel.cuh"

/* The corner of a place's window, all that a thread remembers of it. */
struct corner {
    int image;  /* number of its first pixel */
    int i0, j0; /* outside of the image where it is padded */
};

/* Of a place that may lie behind the last. */
static __device__ __forceinline__ corner corner_of(const conv_problem &p, int at) {
    if (at >= conv_places(&p)) return {0, INT_MIN, 0}; /* no tap gets into an image from there */
    return {at / (p.p * p.q) * (p.h * p.w), at / p.q % p.p * p.stride[0] - p.pad[0], at % p.q * p.stride[1] - p.pad[1]};
}

/* The number of the pixel behind row r and column s of the filter, among those of all images; -1: outside. */
static __device__ __forceinline__ int pixel_of(const conv_problem &p, const corner &from, int r, int s) {
    int i = from.i0 + r * p.dilation[0], j = from.j0 + s * p.dilation[1];
    bool inside = (unsigned)i < (unsigned)p.h && (unsigned)j < (unsigned)p.w; /* below 0 is above every side */
    return inside ? from.image + i * p.w + j : -1;
}

/* Four words, or zeros. */
static __device__ __forceinline__ float4 load4(const float *from, bool there) {
    return there ? __ldg((const float4 *)from) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

/* Four channels of a row or column of a tile, one below the other. */
template <int COLUMNS>
static __device__ __forceinline__ void store_down(float (*to)[COLUMNS], int row, int column, float4 v) {
    to[row][column] = v.x;
    to[row + 1][column] = v.y;
    to[row + 2][column] = v.z;
    to[row + 3][column] = v.w;
}

/* Stores 16 bytes of results of a place, those of the filters from k0 on, at once; one by one where k is no multiple of
 * as many. Filters and places behind the last are left out. */
template <typename T>
static __device__ __forceinline__ void store_filters(const conv_problem &p, int at, int k0, const float *sums) {
    const int COUNT = 16 / sizeof(T);
    if (at >= conv_places(&p) || k0 >= p.k) return;
    T *y = (T *)p.y + (int64_t)at * p.k + k0;
    if (p.k % COUNT != 0) {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            if (k0 + i < p.k) conv_store(p, sums[i], k0 + i, y + i);
        return;
    }
    __align__(16) T results[COUNT];
    if (p.beta != 0.0f) *(uint4 *)results = *(const uint4 *)y;
#pragma unroll
    for (int i = 0; i < COUNT; i++) conv_store(p, sums[i], k0 + i, &results[i]);
    *(uint4 *)y = *(const uint4 *)results;
}
