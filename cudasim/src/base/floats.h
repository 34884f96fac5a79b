/* Floating-point formats, a number at a time: bits, NaNs, flushing, and conversions between the formats.
 *
 * Everything is written with integer operations and selections, so that the compiler can vectorise loops over lanes,
 * but float_encode, which rounds any number to any format in any mode and serves wherever no other way is needed.
 * Nothing here depends on the processor's rounding mode but f32_to_f16 and the conversions named *_rn, which want the
 * default one.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/rounding.h"

/* The NaN that an instruction makes. f32, f16, bf16: the operands' NaNs are not kept. */
#define F32_NAN   0x7fffffffu
#define F16_NAN   0x7fffu
#define BF16_NAN  0x7fffu
#define F64_NAN   0xfff8000000000000ull /* of an invalid operation; a NaN operand is kept, made quiet (f64_nan) */
#define F64_QUIET 0x0008000000000000ull

#define F32_INF  0x7f800000u
#define F64_INF  0x7ff0000000000000ull
#define F32_SIGN 0x80000000u
#define F64_SIGN 0x8000000000000000ull

static inline float f32_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t f32_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double f64_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t f64_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Compared as signed numbers: processors have that as one vector instruction. */
static inline bool f32_is_nan(uint32_t x) {
    return (int32_t)(x & ~F32_SIGN) > (int32_t)F32_INF;
}
static inline bool f64_is_nan(uint64_t x) {
    return (int64_t)(x & ~F64_SIGN) > (int64_t)F64_INF;
}

static inline uint32_t f32_canonical(uint32_t x) {
    return f32_is_nan(x) ? F32_NAN : x;
}

/* The NaN that an f64 instruction makes of its operands: the first of them that is one, made quiet. Which comes first
 * is the instruction's: the H200 looks at add's and sub's second operand before the first, at mul's and fma's second,
 * then fma's third, then the first. An operand's sign is no business of sub, neg or abs where it is a NaN. */
static inline uint64_t f64_nan(uint64_t first, uint64_t second, uint64_t third) {
    uint64_t nan = f64_is_nan(first) ? first : f64_is_nan(second) ? second : third;
    return f64_is_nan(nan) ? nan | F64_QUIET : F64_NAN;
}

/* add.f64, to the nearest. (Atomics on shared memory are loops around it, with what is in memory for b.) */
static inline uint64_t f64_add(uint64_t a, uint64_t b) {
    uint64_t sum = f64_bits(f64_of(a) + f64_of(b));
    return f64_is_nan(sum) ? f64_nan(b, a, 0) : sum;
}

/* The adder at global memory hands on a NaN as it is, the instruction's before the one in memory. */
static inline uint64_t f64_add_at_memory(uint64_t memory, uint64_t value) {
    uint64_t sum = f64_bits(f64_of(memory) + f64_of(value));
    return f64_is_nan(value) ? value : f64_is_nan(memory) ? memory : f64_is_nan(sum) ? F64_NAN : sum;
}

/* .ftz: a subnormal number becomes the zero of its sign. A result is one when, rounded to
 * the format's digits but with any exponent, it is below the least normal number: see f32_tiny and exec/half.c. */
static inline uint32_t f32_ftz(uint32_t x) {
    return x & F32_INF ? x : x & F32_SIGN;
}
static inline uint64_t f64_ftz(uint64_t x) {
    return x & F64_INF ? x : x & F64_SIGN;
}
static inline uint32_t f16_ftz(uint32_t x) {
    return x & 0x7c00 ? x : x & 0x8000;
}

#define F32_LEAST_NORMAL 0x00800000u
/* Was sum + error, which rounded to the least normal number of its sign, tiny? To the nearest that is below half a unit
 * from it, away from zero a whole unit, in the units of the numbers below. (Only products have digits down there to be
 * rounded: not sums, quotients and roots of normal numbers.) */
static inline bool f32_tiny(double sum, double error, bool nearest) {
    const double bound = nearest ? 0x1p-126 - 0x1p-151 : 0x1p-126 - 0x1p-150;
    const double above = fabs(sum) - bound, rest = sum < 0 ? -error : error; /* exact: they are close, or it is plain */
    return above < 0 || (above == 0 && (nearest ? rest < 0 : rest <= 0));
}

static inline bool f32_tiny_product(uint32_t a, uint32_t b, bool nearest) {
    return f32_tiny((double)f32_of(a) * (double)f32_of(b), 0, nearest);
}

static inline bool f32_tiny_fma(uint32_t a, uint32_t b, uint32_t c, bool nearest) {
    double product = (double)f32_of(a) * (double)f32_of(b), addend = f32_of(c), sum = product + addend;
    double part = sum - product, error = (product - (sum - part)) + (addend - part);
    return f32_tiny(sum, error, nearest);
}

/* .sat: [0, 1]; NaN and -0 become +0. */
static inline uint32_t f32_sat(uint32_t x) {
    int32_t order = (int32_t)x;
    uint32_t low = order < 0 || f32_is_nan(x) ? 0 : x;
    return (int32_t)low > 0x3f800000 ? 0x3f800000 : low;
}

static inline uint64_t f64_sat(uint64_t x) {
    uint64_t low = (int64_t)x < 0 || f64_is_nan(x) ? 0 : x;
    return low > 0x3ff0000000000000ull ? 0x3ff0000000000000ull : low;
}

/* ---- to f32: exact ---- */

static inline uint32_t f16_to_f32(uint32_t h) {
    uint32_t magnitude = (h & 0x7fff) << 13;
    uint32_t scaled = f32_bits(f32_of(magnitude) * 0x1p112f); /* the other bias; exact, and right for subnormals */
    scaled = magnitude >= 0x7c00u << 13 ? scaled | F32_INF : scaled;
    return scaled | (h & 0x8000) << 16;
}

static inline uint32_t bf16_to_f32(uint32_t h) {
    return h << 16;
}

static inline uint32_t e5m2_to_f16(uint32_t e) {
    return (e & 0x7f) > 0x7c ? F16_NAN : e << 8;
}

static inline uint32_t e4m3_to_f16(uint32_t e) {
    uint32_t sign = (e & 0x80) << 8, exponent = e >> 3 & 15, mantissa = e & 7;
    if ((e & 0x7f) == 0x7f) {
        return F16_NAN;
    }
    if (exponent == 0) { /* mantissa * 2^-9 */
        if (mantissa == 0) {
            return sign;
        }
        int top = mantissa >= 4 ? 2 : mantissa >= 2 ? 1 : 0;
        return sign | (uint32_t)(top - 9 + 15) << 10 | (mantissa << (10 - top) & 0x3ff);
    }
    return sign | (exponent + 8) << 10 | mantissa << 7;
}

/* ---- from f32 and f64, to the nearest, ties to even ---- */

static inline uint32_t f32_to_f16(uint32_t x) {
    uint32_t magnitude = x & ~F32_SIGN;
    /* Rounded at bit 13 by adding just under a half, and the other bias. */
    uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    normal = (int32_t)magnitude >= 0x477ff000 ? 0x7c00 : normal;
    /* A number's last place next to 0.5 is the f16 subnormals' 2^-24: the addition rounds. */
    uint32_t subnormal = f32_bits(f32_of(magnitude) + 0.5f) - 0x3f000000;
    uint32_t result = (int32_t)magnitude < 0x38800000 ? subnormal : normal;
    return f32_is_nan(x) ? F16_NAN : result | (x >> 16 & 0x8000);
}

static inline uint32_t f32_to_bf16(uint32_t x) {
    return f32_is_nan(x) ? BF16_NAN : (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

/* A double's bits rounded to bf16, once. */
static inline uint32_t f64_to_bf16_rn(uint64_t x) {
    uint64_t magnitude = x & ~F64_SIGN;
    uint64_t normal = (magnitude + 0xfffffffffffull + (magnitude >> 45 & 1)) & ~0x1fffffffffffull;
    /* bf16's subnormals have the last place 2^-133. */
    uint64_t subnormal = f64_bits((f64_of(magnitude) + 0x1p-81) - 0x1p-81);
    uint64_t rounded = (int64_t)magnitude < 0x3810000000000000 ? subnormal : normal;
    /* Now exact, or an overflow. */
    uint32_t result = f32_bits((float)f64_of(rounded)) >> 16;
    return f64_is_nan(x) ? BF16_NAN : result | (uint32_t)(x >> 48 & 0x8000);
}

/* ---- any rounding, any format ---- */

typedef struct float_format {
    int mantissa_bits, bias;
    uint64_t max_finite, infinity, nan; /* infinity: what an overflow gives; e4m3 has none, and gives NaN */
    int sign_bit;
} float_format;

static const float_format format_f64 = {52, 1023, 0x7fefffffffffffffull, F64_INF, F64_NAN, 63};
static const float_format format_f32 = {23, 127, 0x7f7fffff, F32_INF, F32_NAN, 31};
static const float_format format_f16 = {10, 15, 0x7bff, 0x7c00, F16_NAN, 15};
static const float_format format_bf16 = {7, 127, 0x7f7f, 0x7f80, BF16_NAN, 15};
static const float_format format_tf32 = {10, 127, 0x3fbff, 0x3fc00, 0x3ffff, 18}; /* 19 bits; shifted by 13 in use */
static const float_format format_e4m3 = {3, 7, 0x7e, 0x7f, 0x7f, 7};
static const float_format format_e5m2 = {2, 15, 0x7b, 0x7c, 0x7f, 7};

/* The number (-1)^negative * magnitude * 2^exponent in a format. */
static inline uint64_t float_encode(bool negative, uint64_t magnitude, int exponent, const float_format *format,
                                    rounding mode, bool satfinite) {
    uint64_t sign = (uint64_t)negative << format->sign_bit;
    if (magnitude == 0) {
        return sign;
    }
    int smallest = 1 - format->bias;
    int top = exponent + 63 - __builtin_clzll(magnitude);
    int place = (top > smallest ? top : smallest) - format->mantissa_bits; /* the result's last */
    int shift = place - exponent;
    uint64_t result;
    if (shift <= 0) {
        result = magnitude << -shift;
    } else {
        shift = shift > 100 ? 100 : shift;
        unsigned __int128 number = magnitude, unit = (unsigned __int128)1 << shift, rest = number & (unit - 1);
        result = (uint64_t)(number >> shift);
        bool up;
        switch (mode) {
        case ROUND_RZ:
            up = false;
            break;
        case ROUND_RM:
            up = negative && rest != 0;
            break;
        case ROUND_RP:
            up = !negative && rest != 0;
            break;
        case ROUND_RNA:
            up = rest >= unit / 2;
            break;
        default:
            up = rest > unit / 2 || (rest == unit / 2 && (result & 1));
            break;
        }
        result += up;
    }
    /* The leading bit of a normal number adds 1 to the exponent field. */
    result += (uint64_t)(place + format->mantissa_bits - smallest) << format->mantissa_bits;
    if (result > format->max_finite) {
        bool toward_zero = mode == ROUND_RZ || (mode == ROUND_RM && !negative) || (mode == ROUND_RP && negative);
        result = satfinite || toward_zero ? format->max_finite : format->infinity;
    }
    return sign | result;
}

/* A double's bits in a format. */
static inline uint64_t f64_encode(uint64_t x, const float_format *format, rounding mode, bool satfinite) {
    uint64_t magnitude = x & ~F64_SIGN;
    int exponent = (int)(magnitude >> 52);
    if (magnitude > F64_INF) {
        return format->nan;
    }
    if (magnitude == F64_INF) {
        return (x >> 63) << format->sign_bit | (satfinite ? format->max_finite : format->infinity);
    }
    uint64_t mantissa = magnitude & 0xfffffffffffffull;
    mantissa |= exponent ? 1ull << 52 : 0;
    return float_encode(x >> 63, mantissa, (exponent ? exponent : 1) - 1075, format, mode, satfinite);
}

/* ---- the order of min, max: -0 < +0; a NaN loses, or with .NaN wins ---- */

static inline uint32_t f32_min_max(uint32_t a, uint32_t b, bool max, bool nan) {
    int32_t order_a = (int32_t)a ^ (int32_t)((uint32_t)((int32_t)a >> 31) >> 1);
    int32_t order_b = (int32_t)b ^ (int32_t)((uint32_t)((int32_t)b >> 31) >> 1);
    uint32_t result = (order_a < order_b) != max ? a : b;
    result = f32_is_nan(a) ? b : f32_is_nan(b) ? a : result;
    result = nan && (f32_is_nan(a) | f32_is_nan(b)) ? F32_NAN : result;
    return f32_canonical(result);
}
