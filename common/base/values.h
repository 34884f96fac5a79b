/* The operands' values: a pure function of seed and position, the same on host and device, so that any element can be
 * recomputed anywhere and none need be kept. */
#pragma once

#include <stdint.h>

#ifdef __CUDACC__
#define KL_BOTH static __host__ __device__ inline
#else
#define KL_BOTH static inline
#endif

typedef enum {
    VALUES_UNIFORM, /* [-1, 1), multiples of 2^-23 */
    VALUES_INTEGER, /* -2, -1, 1, 2: no zeros, so a missing product shows; sums stay exact in FP32 (see verify.h) */
    VALUES_NAN      /* what C holds where beta == 0: an element that is not written, or is read, gives itself away */
} values_kind;

/* The bits of padding and guard zones: a NaN that no computation produces. */
#define VALUES_GUARD_BITS 0x7fc0deadu

/* A float and its bits. */
KL_BOTH float values_from_bits(uint32_t bits) {
    union {
        uint32_t u;
        float f;
    } x;
    x.u = bits;
    return x.f;
}

KL_BOTH uint32_t values_to_bits(float f) {
    union {
        uint32_t u;
        float f;
    } x;
    x.f = f;
    return x.u;
}

/* splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). */
KL_BOTH uint64_t values_hash(uint64_t seed, uint64_t index) {
    uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Element number `index` (row * cols + col) of the matrix with this seed. */
KL_BOTH float values_at(values_kind kind, uint64_t seed, uint64_t index) {
    if (kind == VALUES_NAN) return values_from_bits(0x7fffffffu);
    uint64_t h = values_hash(seed, index);
    if (kind == VALUES_UNIFORM) return (float)((int32_t)(h >> 40) - (1 << 23)) * (1.0f / (1 << 23));
    return (float)((int)(h >> 62 & 1) + 1) * (h >> 63 ? -1.0f : 1.0f);
}
