/* Arithmetic on f16, bf16 and pairs of them.
 *
 * A scalar handler sees 32 numbers, each in a 32-bit lane; a pair's handler sees 64 numbers, a lane's two next to each
 * other. Both go through arrays of bits: an operand is widened to f32, the operation runs there, and the result is
 * rounded to the format. That rounding is the only one: see the operations.
 */

#include <math.h>

#include "base/floats.h"
#include "exec/lanes.h"

/* To be held against recorded outputs. */
#define NEG_ABS_HALF_NAN(x, nan_above) (((x)&0x7fff) > (nan_above) ? 0x7fffu : (x)) /* neg, abs of a NaN */

#define PAIRS (2 * LANES)

#ifndef SIM_HALF_HELPERS
#define SIM_HALF_HELPERS

/* ---- operations: f32 bits in, f32 bits out, rounded so that rounding to the format once more is exact ---- */

/* A sum whose rounding error is known, to odd: what is rounded again then rounds as the exact sum would. */
static inline uint32_t round_to_odd(float sum, float error) {
    uint32_t s = f32_bits(sum), e = f32_bits(error);
    bool inexact = (e & ~F32_SIGN) != 0 && (s & F32_INF) != F32_INF;
    uint32_t step = (int32_t)(s ^ e) < 0 ? UINT32_MAX : 1;
    return inexact && !(s & 1) ? s + step : s;
}

/* f32 has 24 bits, twice f16's 11 and 2 more: rounding a sum or a product twice does no harm. */
static inline uint32_t half_add(uint32_t a, uint32_t b) {
    return f32_bits(f32_of(a) + f32_of(b));
}
static inline uint32_t half_sub(uint32_t a, uint32_t b) {
    return f32_bits(f32_of(a) - f32_of(b));
}
static inline uint32_t half_mul(uint32_t a, uint32_t b) {
    return f32_bits(f32_of(a) * f32_of(b));
}

/* The product of f16 numbers is exact in f32; the sum is rounded to odd. */
static inline uint32_t f16_fma(uint32_t a, uint32_t b, uint32_t c) {
    float product = f32_of(a) * f32_of(b), addend = f32_of(c), sum = product + addend, part = sum - product;
    float error = (product - (sum - part)) + (addend - part);
    return round_to_odd(sum, error);
}

/* bf16 has f32's exponents: f64 keeps the product exact; its bits. */
static inline uint64_t bf16_fma(uint32_t a, uint32_t b, uint32_t c) {
    double product = (double)f32_of(a) * (double)f32_of(b), addend = f32_of(c), sum = product + addend;
    double part = sum - product, error = (product - (sum - part)) + (addend - part);
    uint64_t s = f64_bits(sum), e = f64_bits(error);
    bool inexact = (e & ~F64_SIGN) != 0 && (s & F64_INF) != F64_INF;
    uint64_t step = (int64_t)(s ^ e) < 0 ? UINT64_MAX : 1;
    return inexact && !(s & 1) ? s + step : s;
}

/* ---- modifiers of results ---- */
static inline uint32_t f16_sat(uint32_t x) /* NaN and -0: +0 */
{
    return x > 0x7c00 ? 0 : x > 0x3c00 ? 0x3c00 : x;
}

static inline uint32_t half_relu(uint32_t x, uint32_t infinity) {
    return (x & 0x7fff) > infinity ? 0x7fff : x & 0x8000 ? 0 : x;
}

static inline uint32_t half_min_max(uint32_t a, uint32_t b, uint32_t infinity, bool max, bool nan, bool xorsign) {
    uint32_t clear = xorsign ? 0x8000 : 0, sign = (a ^ b) & clear;
    bool nan_a = (a & 0x7fff) > infinity, nan_b = (b & 0x7fff) > infinity;
    a &= ~clear, b &= ~clear;
    int order_a = (int16_t)a ^ (int)((uint32_t)(0 - (a >> 15)) & 0x7fff);
    int order_b = (int16_t)b ^ (int)((uint32_t)(0 - (b >> 15)) & 0x7fff);
    uint32_t result = ((order_a < order_b) != max ? a : b) | sign;
    result = nan_a ? b | sign : nan_b ? a | sign : result;
    return (nan_a & nan_b) | (nan & (nan_a | nan_b)) ? 0x7fff : result;
}

/* Without modifiers, in 16 bits throughout. */
static inline uint16_t half_min_max_plain(uint16_t a, uint16_t b, int16_t infinity, bool max) {
    const int16_t order_a = (int16_t)(a ^ (uint16_t)((int16_t)a >> 15 & 0x7fff));
    const int16_t order_b = (int16_t)(b ^ (uint16_t)((int16_t)b >> 15 & 0x7fff));
    const uint16_t less = order_a < order_b ? a : b, more = order_a < order_b ? b : a;
    uint16_t result = max ? more : less;
    result = (int16_t)(a & 0x7fff) > infinity ? b : result;
    result = (int16_t)(b & 0x7fff) > infinity ? a : result;
    return (int16_t)(result & 0x7fff) > infinity ? 0x7fff : result;
}
#endif

/* results[k] of `count` numbers to the destination's lanes. */
#define STORE_SCALARS(results)                                                                                         \
    do {                                                                                                               \
        uint32_t *d_ = U32(0);                                                                                         \
        SET_LANES(d_, (uint32_t)(results)[l]);                                                                         \
    } while (0)
#define STORE_PAIRS(results)                                                                                           \
    do {                                                                                                               \
        uint32_t *d_ = U32(0);                                                                                         \
        const uint32_t *r_ = (const uint32_t *)__builtin_assume_aligned(results, 128);                                 \
        SET_LANES(d_, r_[l]);                                                                                          \
    } while (0)

/* Two handlers, name and name_x2 with the type in them, of results r[k] = value of x[k], y[k], z[k], all bits. */
#define HALF_BODY(element, lanes, count, store, body)                                                                  \
    const element *x = LANE_ARRAY(element, 1), *y = LANE_ARRAY(element, 2), *z = LANE_ARRAY(element, 3);               \
    uint16_t r[count] __attribute__((aligned(128)));                                                                   \
    enum { n = (count) };                                                                                              \
    (void)y, (void)z;                                                                                                  \
    body store(r);
#define HALF_HANDLERS(name, type, body)                                                                                \
    HANDLER(name##_##type){HALF_BODY(uint32_t, U32, LANES, STORE_SCALARS, body)} HANDLER(name##_##type##x2) {          \
        HALF_BODY(uint16_t, U16, PAIRS, STORE_PAIRS, body)                                                             \
    }

/* Without lanes.h's pragma: gcc 11 loses one in a macro's argument, and nothing else points into r. */
#define EACH(value)                                                                                                    \
    for (int k = 0; k < n; k++) {                                                                                      \
        r[k] = (uint16_t)(value);                                                                                      \
    }

/* ---- add sub mul fma ----
 *
 *   add{.rn}{.ftz}{.sat}.{f16,f16x2} d, a, b;   add{.rn}.{bf16,bf16x2} d, a, b;   sub, mul likewise
 *   fma.rn{.ftz}{.sat}.{f16,f16x2} d, a, b, c;   fma.rn{.ftz}.relu.{f16,f16x2} d, a, b, c;
 *   fma.rn{.relu}.{bf16,bf16x2} d, a, b, c;
 *   fma.rn.oob{.relu}.type d, a, b, c;   0 where a or b is the NaN that stands for an element out of bounds: on an
 *     H200, of all NaNs of either type, 7ff7 and fff7
 *   fma.rz{.oob}{.relu}.{bf16,bf16x2} d, a, b, c;   not in the manual; ptxas takes it and drops .rz: a pair is rounded
 *     to the nearest, and a single number goes, as f16, to f16's fma without .relu and .oob
 *
 * .ftz flushes what, rounded to 11 digits, is below 2^-14: what is below that less a quarter of 2^-24. */
static inline uint32_t flush_below_f16(uint32_t x) {
    return (int32_t)(x & ~F32_SIGN) < 0x387ff000 ? x & F32_SIGN : x;
}
#define IS_OOB(v) (((v)&0x7fff) == 0x7ff7)
#define ZERO_OOB                                                                                                       \
    if (i->oob) {                                                                                                      \
        EACH(IS_OOB(x[k]) || IS_OOB(y[k]) ? 0 : r[k])                                                                  \
    }
#define F16(v)         f16_to_f32(v)
#define F16_FLUSHED(v) f16_to_f32(f16_ftz(v))
#define F16_ARITHMETIC(name, plain, flushed)                                                                           \
    HALF_HANDLERS(name, f16, {                                                                                         \
        if (i->ftz) {                                                                                                  \
            EACH(f32_to_f16(flush_below_f16(flushed)))                                                                 \
        } else {                                                                                                       \
            EACH(f32_to_f16(plain))                                                                                    \
        }                                                                                                              \
        if (i->sat) {                                                                                                  \
            EACH(f16_sat(r[k]))                                                                                        \
        }                                                                                                              \
        if (i->relu) {                                                                                                 \
            EACH(half_relu(r[k], 0x7c00))                                                                              \
        }                                                                                                              \
        ZERO_OOB                                                                                                       \
    })
#define F16_BINARY(name, f) F16_ARITHMETIC(name, f(F16(x[k]), F16(y[k])), f(F16_FLUSHED(x[k]), F16_FLUSHED(y[k])))
#define F16_TERNARY(name, f)                                                                                           \
    F16_ARITHMETIC(name, f(F16(x[k]), F16(y[k]), F16(z[k])), f(F16_FLUSHED(x[k]), F16_FLUSHED(y[k]), F16_FLUSHED(z[k])))
F16_BINARY(add, half_add)
F16_BINARY(sub, half_sub)
F16_BINARY(mul, half_mul)
F16_TERNARY(fma, f16_fma)

#define BF16(v) bf16_to_f32(v)
HALF_HANDLERS(add, bf16, EACH(f32_to_bf16(half_add(BF16(x[k]), BF16(y[k])))))
HALF_HANDLERS(sub, bf16, EACH(f32_to_bf16(half_sub(BF16(x[k]), BF16(y[k])))))
/* A product may be subnormal in f32, and rounded there: as a sum with -0 instead. */
HALF_HANDLERS(mul, bf16, EACH(f64_to_bf16_rn(bf16_fma(BF16(x[k]), BF16(y[k]), F32_SIGN))))
HALF_HANDLERS(fma, bf16, {
    EACH(f64_to_bf16_rn(bf16_fma(BF16(x[k]), BF16(y[k]), BF16(z[k]))))
    if (i->relu) {
        EACH(half_relu(r[k], 0x7f80))
    }
    ZERO_OOB
})

HANDLER(fma_rz_bf16) {
    insn plain = *i;
    plain.relu = plain.oob = false;
    SIM_JOIN(fma_f16, SIM_ISA)(w, &plain, mask);
}

/* ---- neg abs ----
 *
 *   neg{.ftz}.{f16,f16x2} d, a;   neg.{bf16,bf16x2} d, a;   abs likewise */
#define F16_FLUSH_IF(v) (i->ftz ? f16_ftz(v) : (v))
HALF_HANDLERS(neg, f16, EACH(NEG_ABS_HALF_NAN(F16_FLUSH_IF(x[k] ^ 0x8000u), 0x7c00u)))
HALF_HANDLERS(abs, f16, EACH(NEG_ABS_HALF_NAN(F16_FLUSH_IF(x[k] & 0x7fffu), 0x7c00u)))
HALF_HANDLERS(neg, bf16, EACH(NEG_ABS_HALF_NAN(x[k] ^ 0x8000u, 0x7f80u)))
HALF_HANDLERS(abs, bf16, EACH(NEG_ABS_HALF_NAN(x[k] & 0x7fffu, 0x7f80u)))

/* ---- min max ----
 *
 *   min{.ftz}{.NaN}{.xorsign.abs}.{f16,f16x2} d, a, b;   min{.NaN}{.xorsign.abs}.{bf16,bf16x2} d, a, b; */
#define HALF_MIN_MAX(name, type, infinity, flush, is_max)                                                              \
    HALF_HANDLERS(name, type, {                                                                                        \
        if (i->ftz || i->nan || i->xorsign) {                                                                          \
            EACH(half_min_max(flush(x[k]), flush(y[k]), infinity, is_max, i->nan, i->xorsign))                         \
        } else {                                                                                                       \
            EACH(half_min_max_plain((uint16_t)x[k], (uint16_t)y[k], infinity, is_max))                                 \
        }                                                                                                              \
    })
#define UNFLUSHED(v) (v)
HALF_MIN_MAX(min, f16, 0x7c00, F16_FLUSH_IF, false)
HALF_MIN_MAX(max, f16, 0x7c00, F16_FLUSH_IF, true)
HALF_MIN_MAX(min, bf16, 0x7f80, UNFLUSHED, false)
HALF_MIN_MAX(max, bf16, 0x7f80, UNFLUSHED, true)

/* ---- approximations ----
 *
 *   ex2.approx.{f16,f16x2} d, a;   ex2.approx.ftz.{bf16,bf16x2} d, a;   tanh.approx.{f16,f16x2,bf16,bf16x2} d, a; */
#define BF16_FLUSHED(v) f32_ftz(bf16_to_f32(v))
HALF_HANDLERS(ex2_approx, f16, EACH(f64_encode(f64_bits(exp2(f32_of(F16(x[k])))), &format_f16, ROUND_RN, false)))
HALF_HANDLERS(tanh_approx, f16, EACH(f64_encode(f64_bits(tanh(f32_of(F16(x[k])))), &format_f16, ROUND_RN, false)))
HALF_HANDLERS(tanh_approx, bf16, EACH(f64_encode(f64_bits(tanh(f32_of(BF16(x[k])))), &format_bf16, ROUND_RN, false)))
HALF_HANDLERS(ex2_approx, bf16,
              {EACH(f64_encode(f64_bits(exp2(f32_of(BF16_FLUSHED(x[k])))), &format_bf16, ROUND_RN, false))
                   EACH((r[k] & 0x7f80) == 0 ? r[k] & 0x8000 : r[k])})
