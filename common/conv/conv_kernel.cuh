/* What every convolution kernel needs besides its own idea. */
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

#include "conv/conv.h"

/* The launcher's copy of the problem: alpha == 0 and c == 0 both mean that there is no product. */
static inline conv_problem conv_effective(const conv_problem *p) {
    conv_problem copy = *p;
    if (copy.alpha == 0.0f) copy.c = 0;
    return copy;
}

/* Places of all images together. */
static inline __host__ __device__ int conv_places(const conv_problem *p) {
    return p->n * p->p * p->q;
}

/* Products of a sum, at most. */
static inline __host__ __device__ int conv_taps(const conv_problem *p) {
    return p->c * p->r * p->s;
}

/* Blocks of a flattened grid with a thread for each of `count`. */
static inline unsigned conv_blocks(int64_t count, int threads) {
    return (unsigned)((count + threads - 1) / threads);
}

/* What *y, the element of filter k, becomes: reads it only where beta != 0 (it may hold NaN otherwise). */
template <typename T>
static __device__ __forceinline__ float conv_result(const conv_problem &p, float sum, int k, const T *y) {
    float result = p.alpha * sum;
    if (p.beta != 0.0f) result += p.beta * (float)*y;
    if (p.bias != NULL) result += (float)__ldg((const T *)p.bias + k);
    return result;
}

template <typename T> static __device__ __forceinline__ void conv_store(const conv_problem &p, float sum, int k, T *y) {
    *y = (T)conv_result(p, sum, k, y);
}
