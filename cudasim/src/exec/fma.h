/* Multiply-add of 32 floats in the processor's vector registers. (The compiler leaves loops of fmaf scalar under
 * -frounding-math.) Only where the instruction set has fused multiply-add. */
#pragma once

#ifdef __FMA__
#include <immintrin.h>

#include "exec/lanes.h"

#ifdef __AVX512F__
#define FLOATS 16 /* in a vector */
typedef __m512 floats;
#define FLOATS_DO(operation) _mm512_##operation
#else
#define FLOATS               8
typedef __m256 floats;
#define FLOATS_DO(operation) _mm256_##operation
#endif
#define EACH_VECTOR _Pragma("GCC unroll 4") for (int k = 0; k < LANES / FLOATS; k++)

typedef struct lanes_f32 {
    floats v[LANES / FLOATS];
} lanes_f32;

#define ON_LANES static inline __attribute__((always_inline))

/* From 32 neighbours anywhere; all from one place. */
ON_LANES lanes_f32 lanes_load(const float *from) {
    lanes_f32 x;
    EACH_VECTOR x.v[k] = FLOATS_DO(loadu_ps)(from + FLOATS * k);
    return x;
}
ON_LANES lanes_f32 lanes_all(const float *from) {
    lanes_f32 x;
    const floats one = FLOATS_DO(set1_ps)(*from);
    EACH_VECTOR x.v[k] = one;
    return x;
}
/* To a register. */
ON_LANES void lanes_store(float *to, lanes_f32 x) {
    EACH_VECTOR FLOATS_DO(store_ps)(to + FLOATS * k, x.v[k]);
}

ON_LANES lanes_f32 lanes_fma(lanes_f32 a, lanes_f32 b, lanes_f32 c) {
    EACH_VECTOR c.v[k] = FLOATS_DO(fmadd_ps)(a.v[k], b.v[k], c.v[k]);
    return c;
}

/* Is there a NaN among them, which must become canonical? There hardly ever is: a branch is not waited for, as a
 * selection in each lane would be. */
ON_LANES bool lanes_nan(lanes_f32 x) {
#ifdef __AVX512F__
    return _mm512_cmp_ps_mask(x.v[0], x.v[1], _CMP_UNORD_Q) != 0;
#else
    return _mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps(x.v[0], x.v[1], _CMP_UNORD_Q),
                                           _mm256_cmp_ps(x.v[2], x.v[3], _CMP_UNORD_Q))) != 0;
#endif
}

#endif
