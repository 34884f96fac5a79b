/* Custom cases: kernels, which need not use all of their arguments, and the words that they read and write. */
#pragma once

#include "conformance.h"

#define CASE_ARGUMENTS                                                                                                 \
    [[maybe_unused]] const void *a, [[maybe_unused]] const void *b, [[maybe_unused]] const void *c,                    \
        [[maybe_unused]] void *d, [[maybe_unused]] int n
#define KERNEL(id) static __global__ void id(CASE_ARGUMENTS)

__device__ __forceinline__ uint32_t in_u32(const void *p, int i) {
    return ((const uint32_t *)p)[i];
}

__device__ __forceinline__ void out_u32(void *p, int i, uint32_t v) {
    ((uint32_t *)p)[i] = v;
}
