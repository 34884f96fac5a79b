/* Element types of operands, on host and device. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/cdefs.h>

#include "base/values.h"

__BEGIN_DECLS

typedef enum { DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_S8, DTYPE_S32 } dtype;

/* "f32", "f16", "bf16", "s8", "s32". */
const char *dtype_name(dtype t);

/* Looks a type up by name; false if there is none. */
int dtype_named(const char *name, dtype *t);

/* Its number in cudaDataType. */
int dtype_cuda(dtype t);

__END_DECLS

/* Bytes per element. */
KL_BOTH size_t dtype_size(dtype t) {
    return t == DTYPE_F32 || t == DTYPE_S32 ? 4 : t == DTYPE_S8 ? 1 : 2;
}

KL_BOTH int dtype_is_whole(dtype t) {
    return t == DTYPE_S8 || t == DTYPE_S32;
}

/* ---- floating-point types ---- */

/* Bits of the stored mantissa, and the exponent of the smallest normal number. */
KL_BOTH int dtype_mantissa_bits(dtype t) {
    return t == DTYPE_F32 ? 23 : t == DTYPE_F16 ? 10 : 7;
}

KL_BOTH int dtype_least_exponent(dtype t) {
    return t == DTYPE_F16 ? -14 : -126;
}

/* The unit round-off: half the distance from 1 to its upper neighbour. */
KL_BOTH double dtype_unit(dtype t) {
    return t == DTYPE_F32 ? 0x1p-24 : t == DTYPE_F16 ? 0x1p-11 : 0x1p-8;
}

/* The distance between subnormal neighbours. */
KL_BOTH double dtype_step(dtype t) {
    return t == DTYPE_F32 ? 0x1p-149 : t == DTYPE_F16 ? 0x1p-24 : 0x1p-133;
}

/* The largest finite number; for integers, which have no infinity to round to, a bound that no sum reaches. */
KL_BOTH double dtype_largest(dtype t) {
    if (dtype_is_whole(t)) return 0x1p1023;
    return t == DTYPE_F32 ? 0x1.fffffep127 : t == DTYPE_F16 ? 65504.0 : 0x1.fep127;
}

/* ---- all types ---- */

/* Stands in for NaN in integer types, which have none: a value that no sum is likely to reach. */
#define DTYPE_POISON_S8  0x80u
#define DTYPE_POISON_S32 0x80c0ffeeu

/* The bits of x, rounded once to nearest, ties to even. Values beyond the largest become infinity, and every NaN
 * becomes the one that the GPU's conversions produce. For integer types x is an integer below 2^63; it wraps around,
 * and NaN becomes DTYPE_POISON. */
KL_BOTH uint32_t dtype_to_bits(dtype t, double x) {
    if (t == DTYPE_S8) return x != x ? DTYPE_POISON_S8 : (uint32_t)(int64_t)x & 0xffu;
    if (t == DTYPE_S32) return x != x ? DTYPE_POISON_S32 : (uint32_t)(int64_t)x;
    const int mantissa = dtype_mantissa_bits(t), least = dtype_least_exponent(t);
    const uint32_t infinity = t == DTYPE_F32 ? 0x7f800000u : t == DTYPE_F16 ? 0x7c00u : 0x7f80u;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t sign = (uint32_t)(bits >> 63) << (t == DTYPE_F32 ? 31 : 15);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    const uint64_t fraction = bits & 0xfffffffffffffu;
    if (exponent == 1024) return fraction != 0 ? (t == DTYPE_F32 ? 0x7fffffffu : 0x7fffu) : sign | infinity;
    if (exponent > 200) return sign | infinity;
    int shift = 52 - mantissa;
    if (exponent < least) shift += least - exponent;
    if (shift > 53) return sign; /* below half the smallest subnormal, or zero */
    const uint64_t whole = fraction | (uint64_t)1 << 52, rest = whole & (((uint64_t)1 << shift) - 1);
    const uint64_t half = (uint64_t)1 << (shift - 1);
    uint64_t rounded = whole >> shift;
    if (rest > half || (rest == half && (rounded & 1) != 0)) rounded++;
    /* The leading 1 adds one to the exponent; so does a carry, into infinity if need be. */
    if (exponent >= least) rounded += (uint64_t)(exponent - least) << mantissa;
    return sign | (rounded < infinity ? (uint32_t)rounded : infinity);
}

/* The floating-point number that has these bits. */
KL_BOTH float dtype_from_bits(dtype t, uint32_t bits) {
    if (t == DTYPE_F32) return values_from_bits(bits);
    if (t == DTYPE_BF16) return values_from_bits(bits << 16);
    const uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u) return values_from_bits(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    if (magnitude >= 0x400u) return values_from_bits(sign | ((magnitude << 13) + 0x38000000u));
    const float subnormal = (float)magnitude * 0x1p-24f;
    return sign != 0 ? -subnormal : subnormal;
}

/* x rounded to the type. */
KL_BOTH double dtype_round(dtype t, double x) {
    const uint32_t bits = dtype_to_bits(t, x);
    if (t == DTYPE_S8) return (int8_t)bits;
    if (t == DTYPE_S32) return (int32_t)bits;
    return dtype_from_bits(t, bits);
}

/* Element i of an array of this type; a double can hold every value of every type. */
KL_BOTH double dtype_load(dtype t, const void *array, size_t i) {
    if (t == DTYPE_F32) return ((const float *)array)[i];
    if (t == DTYPE_S8) return ((const int8_t *)array)[i];
    if (t == DTYPE_S32) return ((const int32_t *)array)[i];
    return dtype_from_bits(t, ((const uint16_t *)array)[i]);
}

/* The bits of padding and guard zones: a NaN that no computation and no conversion produces; for integers an unlikely
 * value. */
KL_BOTH uint32_t dtype_guard_bits(dtype t) {
    if (dtype_is_whole(t)) return t == DTYPE_S8 ? 0xadu : 0xdeadc0deu;
    return t == DTYPE_F32 ? VALUES_GUARD_BITS : t == DTYPE_F16 ? 0x7eadu : 0x7fedu;
}
