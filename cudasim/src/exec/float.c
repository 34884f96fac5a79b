/* Arithmetic on f32 and f64.
 *
 * The way most instructions come, to the nearest and without .sat, is one vector loop; the others go through a second,
 * slower one, under the processor's rounding mode.
 */

#include <fenv.h>
#include <math.h>
#ifdef __FMA__
#include <immintrin.h>
#endif

#include "base/floats.h"
#include "exec/fma.h"
#include "exec/lanes.h"

/* What the manual leaves open, or what a GPU might do otherwise; to be held against recorded outputs. */
#define NEG_ABS_F32_NAN(x) f32_canonical(x) /* neg, abs of a NaN */
#define APPROX_F64_NAN     0x7fffffff00000000ull

/* d[l] = value, through a copy where not all lanes are set: the computation stays one vector loop. */
#define SET_COMPUTED(d, value)                                                                                         \
    do {                                                                                                               \
        if (mask == ALL_LANES) {                                                                                       \
            EACH_LANE(d)[l] = (value);                                                                                 \
        } else {                                                                                                       \
            __typeof__(*(d)) r_[LANES] __attribute__((aligned(128)));                                                  \
            EACH_LANE r_[l] = (value);                                                                                 \
            SET_LANES(d, r_[l]);                                                                                       \
        }                                                                                                              \
    } while (0)

/* The processor's rounding mode for an instruction's. Nothing may be moved across the calls: the loops between them
 * read and write memory that the compiler must suppose they use. */
static const int processor_rounding[] = {
    [ROUND_DEFAULT] = FE_TONEAREST, [ROUND_RN] = FE_TONEAREST, [ROUND_RZ] = FE_TOWARDZERO,
    [ROUND_RM] = FE_DOWNWARD,       [ROUND_RP] = FE_UPWARD,    [ROUND_RPI] = 0,
};

#define IS_RN(i) ((i)->rounding <= ROUND_RN)

/* ---- f32: add sub mul fma mad div rcp sqrt ----
 *
 *   add{.rnd}{.ftz}{.sat}.f32 d, a, b;      sub, mul likewise
 *   fma.rnd{.ftz}{.sat}.f32 d, a, b, c;     mad likewise: the same operation
 *   div.rnd{.ftz}.f32 d, a, b;   rcp.rnd{.ftz}.f32 d, a;   sqrt.rnd{.ftz}.f32 d, a;
 *   .rnd = { .rn, .rz, .rm, .rp }           none: .rn
 */
static inline uint32_t add_bits(uint32_t a, uint32_t b) {
    return f32_canonical(f32_bits(f32_of(a) + f32_of(b)));
}
static inline uint32_t sub_bits(uint32_t a, uint32_t b) {
    return f32_canonical(f32_bits(f32_of(a) - f32_of(b)));
}
static inline uint32_t mul_bits(uint32_t a, uint32_t b) {
    return f32_canonical(f32_bits(f32_of(a) * f32_of(b)));
}
static inline uint32_t div_bits(uint32_t a, uint32_t b) {
    return f32_canonical(f32_bits(f32_of(a) / f32_of(b)));
}
static inline uint32_t rcp_bits(uint32_t a) {
    return f32_canonical(f32_bits(1.0f / f32_of(a)));
}
static inline uint32_t sqrt_bits(uint32_t a) {
    return f32_canonical(f32_bits(sqrtf(f32_of(a))));
}
static inline uint32_t fma_bits(uint32_t a, uint32_t b, uint32_t c) {
    return f32_canonical(f32_bits(fmaf(f32_of(a), f32_of(b), f32_of(c))));
}

/* r[l] = value under the instruction's rounding. */
#define COMPUTE_ROUNDED(r, value)                                                                                      \
    if (IS_RN(i)) {                                                                                                    \
        EACH_LANE r[l] = (value);                                                                                      \
    } else {                                                                                                           \
        fesetround(processor_rounding[i->rounding]);                                                                   \
        __asm__ volatile("" : : "r"(r) : "memory");                                                                    \
        EACH_LANE r[l] = (value);                                                                                      \
        __asm__ volatile("" : : "r"(r) : "memory");                                                                    \
        fesetround(FE_TONEAREST);                                                                                      \
    }

/* .ftz of results that are rounded to f32: `tiny` says whether one that became the least normal
 * number counts as subnormal. */
#define FLUSH_RESULTS(r, tiny)                                                                                         \
    do {                                                                                                               \
        uint32_t near_ = 0;                                                                                            \
        EACH_LANE r[l] = f32_ftz(r[l]);                                                                                \
        EACH_LANE near_ |= (r[l] & ~F32_SIGN) == F32_LEAST_NORMAL;                                                     \
        for (int l = 0; near_ && l < LANES; l++) {                                                                     \
            if ((r[l] & ~F32_SIGN) == F32_LEAST_NORMAL && (tiny)) {                                                    \
                r[l] &= F32_SIGN;                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

/* .ftz flushes the operands and the result; .sat clamps the result. */
#define F32_HANDLER(name, plain, flushed, tiny)                                                                        \
    HANDLER(name) {                                                                                                    \
        const uint32_t *a = U32(1), *b = U32(2), *c = U32(3);                                                          \
        uint32_t *d = U32(0), r[LANES] __attribute__((aligned(128)));                                                  \
        (void)b, (void)c;                                                                                              \
        if (IS_RN(i) && !i->sat && !i->ftz) {                                                                          \
            SET_COMPUTED(d, plain);                                                                                    \
            return;                                                                                                    \
        }                                                                                                              \
        if (i->ftz) {                                                                                                  \
            COMPUTE_ROUNDED(r, flushed)                                                                                \
            FLUSH_RESULTS(r, tiny);                                                                                    \
        } else {                                                                                                       \
            COMPUTE_ROUNDED(r, plain)                                                                                  \
        }                                                                                                              \
        if (i->sat) {                                                                                                  \
            EACH_LANE r[l] = f32_sat(r[l]);                                                                            \
        }                                                                                                              \
        SET_LANES(d, r[l]);                                                                                            \
    }

#define F32_UNARY(name, f)        F32_HANDLER(name, f(a[l]), f(f32_ftz(a[l])), false)
#define F32_BINARY(name, f, tiny) F32_HANDLER(name, f(a[l], b[l]), f(f32_ftz(a[l]), f32_ftz(b[l])), tiny)
#define TINY_FMA                  f32_tiny_fma(f32_ftz(a[l]), f32_ftz(b[l]), f32_ftz(c[l]), IS_RN(i))

F32_BINARY(add_f32, add_bits, false)
F32_BINARY(sub_f32, sub_bits, false)
F32_BINARY(mul_f32, mul_bits, f32_tiny_product(a[l], b[l], IS_RN(i)))
F32_BINARY(div_f32, div_bits, false)
F32_HANDLER(fma_f32_general, fma_bits(a[l], b[l], c[l]), fma_bits(f32_ftz(a[l]), f32_ftz(b[l]), f32_ftz(c[l])),
            TINY_FMA)

#ifdef __FMA__
/* d = a * b + c, where no result is NaN: it must become canonical. Else nothing is written, or, if `all`, the results
 * as they are. */
static inline __attribute__((always_inline)) bool fma_lanes(float *d, const float *a, const float *b, const float *c,
                                                            bool all) {
    const lanes_f32 r = lanes_fma(lanes_load(a), lanes_load(b), lanes_load(c));
    const bool nan = lanes_nan(r);
    if (all || !nan) lanes_store(d, r);
    return nan;
}

/* Some lanes, or flushed, or rounded otherwise, or NaN. */
static __attribute__((noinline)) void fma_f32_other(warp *w, const insn *i, uint32_t mask) {
    if (!IS_RN(i) || i->sat) {
        SIM_JOIN(fma_f32_general, SIM_ISA)(w, i, mask);
        return;
    }
    const uint32_t *a = U32(1), *b = U32(2), *c = U32(3);
    uint32_t *d = U32(0), x[3][LANES] __attribute__((aligned(128)));
    if (i->ftz) {
        EACH_LANE x[0][l] = f32_ftz(a[l]);
        EACH_LANE x[1][l] = f32_ftz(b[l]);
        EACH_LANE x[2][l] = f32_ftz(c[l]);
        fma_lanes((float *)x[0], (const float *)x[0], (const float *)x[1], (const float *)x[2], true);
        EACH_LANE x[0][l] = f32_canonical(x[0][l]);
        FLUSH_RESULTS(x[0], TINY_FMA);
    } else {
        fma_lanes((float *)x[0], (const float *)a, (const float *)b, (const float *)c, true);
        EACH_LANE x[0][l] = f32_canonical(x[0][l]);
    }
    SET_LANES(d, x[0][l]);
}
QUICK_HANDLER(fma_f32, fma_f32_other(w, i, mask)) {
    if (mask != ALL_LANES || !IS_RN(i) || i->sat || i->ftz) return false;
    return !fma_lanes(F32(0), F32(1), F32(2), F32(3), false);
}
#else
HANDLER(fma_f32) {
    SIM_JOIN(fma_f32_general, SIM_ISA)(w, i, mask);
}
#endif
F32_UNARY(rcp_f32, rcp_bits)
F32_UNARY(sqrt_f32, sqrt_bits)

/* ---- f64: add sub mul fma mad div rcp sqrt ----
 *
 *   add{.rnd}.f64 d, a, b;   fma.rnd.f64 d, a, b, c;   div.rnd.f64 d, a, b;   rcp.rnd.f64 d, a;   ...
 *
 *   rcp{.rnd}.ftz.f64 d, a;   not in the manual; ptxas takes it, and the H200 flushes nothing
 *
 * Of NaN operands see f64_nan: div, a routine of ptxas's, takes the first. */
#define F64_HANDLER(name, value, first, second, third)                                                                 \
    HANDLER(name) {                                                                                                    \
        const uint64_t *a = U64(1), *b = U64(2), *c = U64(3);                                                          \
        uint64_t *d = U64(0), r[LANES] __attribute__((aligned(128)));                                                  \
        (void)b, (void)c;                                                                                              \
        COMPUTE_ROUNDED(r, f64_bits(value))                                                                            \
        KEEP_NANS(r, first, second, third);                                                                            \
        SET_LANES(d, r[l]);                                                                                            \
    }
/* Most instructions see no NaN at all. */
#define KEEP_NANS(r, first, second, third)                                                                             \
    do {                                                                                                               \
        uint64_t nans_ = 0;                                                                                            \
        EACH_LANE nans_ |= (uint64_t)f64_is_nan(r[l]);                                                                 \
        if (nans_) {                                                                                                   \
            EACH_LANE r[l] = f64_is_nan(r[l]) ? f64_nan(first, second, third) : r[l];                                  \
        }                                                                                                              \
    } while (0)

F64_HANDLER(add_f64, f64_of(a[l]) + f64_of(b[l]), b[l], a[l], 0)
F64_HANDLER(sub_f64, f64_of(a[l]) - f64_of(b[l]), b[l], a[l], 0)
F64_HANDLER(mul_f64, f64_of(a[l]) * f64_of(b[l]), b[l], a[l], 0)
F64_HANDLER(div_f64, f64_of(a[l]) / f64_of(b[l]), a[l], b[l], 0)
F64_HANDLER(fma_f64_general, fma(f64_of(a[l]), f64_of(b[l]), f64_of(c[l])), b[l], c[l], a[l])
HANDLER(fma_f64) {
#ifdef __FMA__
    if (IS_RN(i)) {
        const uint64_t *a = U64(1), *b = U64(2), *c = U64(3);
        uint64_t *d = U64(0);
        uint64_t r[LANES] __attribute__((aligned(128)));
        for (int l = 0; l < LANES; l += 4) {
            _mm256_store_pd((double *)r + l, _mm256_fmadd_pd(_mm256_load_pd((const double *)a + l),
                                                             _mm256_load_pd((const double *)b + l),
                                                             _mm256_load_pd((const double *)c + l)));
        }
        KEEP_NANS(r, b[l], c[l], a[l]);
        SET_LANES(d, r[l]);
        return;
    }
#endif
    SIM_JOIN(fma_f64_general, SIM_ISA)(w, i, mask);
}
F64_HANDLER(rcp_f64, 1.0 / f64_of(a[l]), a[l], 0, 0)
F64_HANDLER(sqrt_f64, sqrt(f64_of(a[l])), a[l], 0, 0)

/* ---- approximations ----
 *
 *   div.full{.ftz}.f32, div.approx{.ftz}.f32 d, a, b;
 *   rcp, sqrt, rsqrt, sin, cos, lg2, ex2 .approx{.ftz}.f32 d, a;   tanh.approx.f32 d, a;
 *   rcp.approx.ftz.f64, rsqrt.approx{.ftz}.f64 d, a;
 *
 * A GPU's results differ from these in their last bits. The special cases are the manual's. */
#define APPROX_F32(name, value)                                                                                        \
    HANDLER(name) {                                                                                                    \
        const uint32_t *a = U32(1);                                                                                    \
        uint32_t *d = U32(0), r[LANES] __attribute__((aligned(128)));                                                  \
        double t[LANES] __attribute__((aligned(128)));                                                                 \
        if (i->ftz) {                                                                                                  \
            EACH_LANE t[l] = f32_of(f32_ftz(a[l]));                                                                    \
        } else {                                                                                                       \
            EACH_LANE t[l] = f32_of(a[l]);                                                                             \
        }                                                                                                              \
        EACH_LANE {                                                                                                    \
            const double x = t[l];                                                                                     \
            t[l] = (value);                                                                                            \
        }                                                                                                              \
        EACH_LANE r[l] = f32_canonical(f32_bits((float)t[l]));                                                         \
        if (i->ftz) {                                                                                                  \
            EACH_LANE r[l] = f32_ftz(r[l]);                                                                            \
        }                                                                                                              \
        SET_LANES(d, r[l]);                                                                                            \
    }

#ifndef SIM_APPROX_HELPERS
#define SIM_APPROX_HELPERS
/* Polynomials good to about 2^-28, in f64 and without branches: vector loops. */

/* 2^x: a power of two times 2^f, |f| <= 1/2, by its series. */
static inline double approx_ex2(double x) {
    const double bounded = x > 130 ? 130 : x < -152 ? -152 : x;
    const double shifted = bounded + 0x1.8p52, f = bounded - (shifted - 0x1.8p52); /* shifted's last bits: an integer */
    const double power = f64_of((f64_bits(shifted) + 1023) << 52);
    double s = 1.5252733804059841e-05;
    s = s * f + 1.5403530393381608e-04;
    s = s * f + 1.3333558146428443e-03;
    s = s * f + 9.6181291076284772e-03;
    s = s * f + 5.5504108664821580e-02;
    s = s * f + 2.4022650695910072e-01;
    s = s * f + 6.9314718055994531e-01;
    s = s * f + 1;
    return x != x ? x : s * power;
}

/* log2 x = e + log2 m, 2^-1/2 <= m < 2^1/2, and that by the series of artanh ((m - 1) / (m + 1)). */
static inline double approx_lg2(double x) {
    const uint64_t bits = f64_bits(x), least = 0x3fe6a09e667f3bcd;
    const uint64_t e = (bits - least + (1023ull << 52)) >> 52; /* and 1023 */
    const double m = f64_of(bits - (e << 52) + (1023ull << 52));
    const double exponent = f64_of(e | 0x4330000000000000) - (0x1p52 + 1023);
    const double s = (m - 1) / (m + 1), q = s * s;
    double p = 1.0 / 11;
    p = p * q + 1.0 / 9;
    p = p * q + 1.0 / 7;
    p = p * q + 1.0 / 5;
    p = p * q + 1.0 / 3;
    p = p * q + 1;
    const double result = exponent + 2.8853900817779268 * s * p;
    const double special = x < 0 ? NAN : x == 0 ? -INFINITY : x; /* NaN, infinity: themselves */
    return x > 0 && x < INFINITY ? result : special;
}

/* A GPU takes the sine of x / 2 pi, a product rounded towards zero: for large x that is far from x's sine. The product,
 * and then what is left of it without whole turns, -1/2..1/2. */
static inline double turns(double x) {
    const double product = f64_of(f64_bits(x * (double)0.15915494f) & ~0x1fffffffull);
    return product - rint(product);
}

/* sin (2 pi t), |t| <= 1/4, by its series. */
static inline double sine_of_turns(double t) {
    const double x = 6.283185307179586 * t, q = x * x;
    double p = 1.6059043836821613e-10;
    p = p * q - 2.5052108385441720e-08;
    p = p * q + 2.7557319223985893e-06;
    p = p * q - 1.9841269841269841e-04;
    p = p * q + 8.3333333333333332e-03;
    p = p * q - 1.6666666666666666e-01;
    return x + x * q * p;
}
static inline double approx_sin(double x) {
    const double t = turns(x), half = t < 0 ? -0.5 : 0.5;
    const double result = sine_of_turns(fabs(t) > 0.25 ? half - t : t);
    return x == 0 ? x : result;
}
static inline double approx_cos(double x) {
    return sine_of_turns(0.25 - fabs(turns(x)));
}

/* Both quotients are a times b's reciprocal rounded to 24 digits, so that a / a may be less than 1, and the greatest
 * numbers by a little less than 1 infinite. div.full scales its operands for that; div.approx does not, and where b is
 * so large (over 2^126) that its reciprocal is subnormal the product is 0, .ftz or not. */
static inline uint32_t divide_approximately(uint32_t a, uint32_t b) {
    const uint64_t reciprocal = f64_bits(1.0 / (double)f32_of(b));
    const uint64_t rounded = (reciprocal + 0xfffffff + (reciprocal >> 29 & 1)) & ~0x1fffffffull;
    return f32_canonical(f32_bits((float)((double)f32_of(a) * f64_of(rounded))));
}
#endif

APPROX_F32(rcp_approx_f32, 1.0 / x)
APPROX_F32(sqrt_approx_f32, sqrt(x))
APPROX_F32(rsqrt_approx_f32, 1.0 / sqrt(x))
APPROX_F32(sin_approx_f32, approx_sin(x))
APPROX_F32(cos_approx_f32, approx_cos(x))
APPROX_F32(lg2_approx_f32, approx_lg2(x))
APPROX_F32(ex2_approx_f32, approx_ex2(x))
APPROX_F32(tanh_approx_f32, tanh(x))

#define DIVIDE_APPROXIMATELY(r)                                                                                        \
    if (i->ftz) {                                                                                                      \
        EACH_LANE r[l] = f32_ftz(divide_approximately(f32_ftz(a[l]), f32_ftz(b[l])));                                  \
    } else {                                                                                                           \
        EACH_LANE r[l] = divide_approximately(a[l], b[l]);                                                             \
    }

HANDLER(div_full_f32) {
    const uint32_t *a = U32(1), *b = U32(2);
    uint32_t *d = U32(0), r[LANES] __attribute__((aligned(128)));
    DIVIDE_APPROXIMATELY(r)
    SET_LANES(d, r[l]);
}

HANDLER(div_approx_f32) {
    const uint32_t *a = U32(1), *b = U32(2);
    uint32_t *d = U32(0), r[LANES] __attribute__((aligned(128)));
    DIVIDE_APPROXIMATELY(r)
    EACH_LANE {
        const int32_t magnitude = (int32_t)(b[l] & ~F32_SIGN);
        const bool zero = magnitude > 0x7e800000 && magnitude < (int32_t)F32_INF && (r[l] & ~F32_SIGN) < F32_INF;
        const bool invalid = magnitude > 0x7e800000 && magnitude < (int32_t)F32_INF && (a[l] & ~F32_SIGN) == F32_INF;
        r[l] = invalid ? F32_NAN : zero ? r[l] & F32_SIGN : r[l];
    }
    SET_LANES(d, r[l]);
}

/* Of the operand the high word alone counts, and of the result there is no other. */
#define APPROX_F64(name, value)                                                                                        \
    HANDLER(name) {                                                                                                    \
        const uint64_t *a = U64(1);                                                                                    \
        uint64_t *d = U64(0), r[LANES];                                                                                \
        for (int l = 0; l < LANES; l++) {                                                                              \
            double x = f64_of(f64_ftz(a[l] & 0xffffffff00000000ull));                                                  \
            uint64_t bits = f64_bits(value);                                                                           \
            r[l] = f64_is_nan(bits) ? APPROX_F64_NAN : f64_ftz(bits & 0xffffffff00000000ull);                          \
        }                                                                                                              \
        SET_LANES(d, r[l]);                                                                                            \
    }
APPROX_F64(rcp_approx_f64, 1.0 / x)
APPROX_F64(rsqrt_approx_ftz_f64, 1.0 / sqrt(x))

HANDLER(rsqrt_approx_f64) {
    if (i->ftz) {
        SIM_JOIN(rsqrt_approx_ftz_f64, SIM_ISA)(w, i, mask);
        return;
    }
    const uint64_t *a = U64(1);
    uint64_t *d = U64(0);
    for (int l = 0; l < LANES; l++) {
        uint64_t bits = f64_bits((double)(1.0L / sqrtl((long double)f64_of(a[l]))));
        if (mask >> l & 1) {
            d[l] = f64_is_nan(bits) ? f64_nan(a[l], 0, 0) : bits;
        }
    }
}

/* ---- signs: neg abs copysign ----
 *
 *   neg{.ftz}.f32, abs{.ftz}.f32 d, a;   neg.f64, abs.f64 d, a;
 *   copysign.f32, copysign.f64 d, a, b;   b with the sign of a */
#define SIGN_F32(name, value)                                                                                          \
    HANDLER(name) {                                                                                                    \
        const uint32_t *a = U32(1);                                                                                    \
        uint32_t *d = U32(0);                                                                                          \
        if (i->ftz) {                                                                                                  \
            SET_COMPUTED(d, NEG_ABS_F32_NAN(f32_ftz(a[l] value)));                                                     \
        } else {                                                                                                       \
            SET_COMPUTED(d, NEG_ABS_F32_NAN(a[l] value));                                                              \
        }                                                                                                              \
    }
SIGN_F32(neg_f32, ^F32_SIGN)
SIGN_F32(abs_f32, &~F32_SIGN)

HANDLER(neg_f64) {
    const uint64_t *a = U64(1);
    uint64_t *d = U64(0);
    SET_LANES(d, f64_is_nan(a[l]) ? a[l] | F64_QUIET : a[l] ^ F64_SIGN);
}

HANDLER(abs_f64) {
    const uint64_t *a = U64(1);
    uint64_t *d = U64(0);
    SET_LANES(d, f64_is_nan(a[l]) ? a[l] | F64_QUIET : a[l] & ~F64_SIGN);
}

HANDLER(copysign_f32) {
    const uint32_t *a = U32(1), *b = U32(2);
    uint32_t *d = U32(0);
    SET_LANES(d, (a[l] & F32_SIGN) | (b[l] & ~F32_SIGN));
}

HANDLER(copysign_f64) {
    const uint64_t *a = U64(1), *b = U64(2);
    uint64_t *d = U64(0);
    SET_LANES(d, (a[l] & F64_SIGN) | (b[l] & ~F64_SIGN));
}

/* ---- min max ----
 *
 *   min{.ftz}{.NaN}{.xorsign.abs}.f32 d, a, b;   min.f64 d, a, b;   max likewise
 *
 * -0 < +0. One NaN loses; two, or with .NaN one, give the canonical NaN. .xorsign.abs: of the magnitudes, with the
 * exclusive or of the signs. */
static inline uint32_t f32_min_max_modified(uint32_t a, uint32_t b, bool max, bool ftz, bool nan, bool xorsign) {
    a = ftz ? f32_ftz(a) : a;
    b = ftz ? f32_ftz(b) : b;
    uint32_t clear = xorsign ? F32_SIGN : 0, sign = (a ^ b) & clear;
    uint32_t result = f32_min_max(a & ~clear, b & ~clear, max, nan);
    return f32_is_nan(result) ? F32_NAN : result | sign;
}

static inline uint64_t f64_min_max(uint64_t a, uint64_t b, bool max) {
    int64_t order_a = (int64_t)(a >> 63 ? ~a ^ F64_SIGN : a), order_b = (int64_t)(b >> 63 ? ~b ^ F64_SIGN : b);
    uint64_t result = (order_a < order_b) != max ? a : b;
    result = f64_is_nan(a) ? b : f64_is_nan(b) ? a : result;
    return f64_is_nan(result) ? result | F64_QUIET : result;
}

#define MIN_MAX_F32(name, is_max)                                                                                      \
    HANDLER(name) {                                                                                                    \
        const uint32_t *a = U32(1), *b = U32(2);                                                                       \
        uint32_t *d = U32(0);                                                                                          \
        const bool ftz = i->ftz, nan = i->nan, xorsign = i->xorsign;                                                   \
        if (ftz || nan || xorsign) {                                                                                   \
            SET_COMPUTED(d, f32_min_max_modified(a[l], b[l], is_max, ftz, nan, xorsign));                              \
        } else {                                                                                                       \
            SET_COMPUTED(d, f32_min_max(a[l], b[l], is_max, false));                                                   \
        }                                                                                                              \
    }
#define MIN_MAX_F64(name, is_max)                                                                                      \
    HANDLER(name) {                                                                                                    \
        const uint64_t *a = U64(1), *b = U64(2);                                                                       \
        uint64_t *d = U64(0);                                                                                          \
        SET_LANES(d, f64_min_max(a[l], b[l], is_max));                                                                 \
    }
MIN_MAX_F32(min_f32, false)
MIN_MAX_F32(max_f32, true)
MIN_MAX_F64(min_f64, false)
MIN_MAX_F64(max_f64, true)

/* ---- testp ----
 *
 *   testp.op.f32 p, a;   .op = { .finite, .infinite, .number, .notanumber, .normal, .subnormal };  a zero is normal */
#define TESTP(name, bits, lanes, sign, infinity, leading, condition)                                                   \
    HANDLER(name) {                                                                                                    \
        const bits *a = lanes(1);                                                                                      \
        const bits inf = infinity, one = leading; /* the least normal number */                                        \
        uint32_t result = 0;                                                                                           \
        (void)inf, (void)one;                                                                                          \
        for (int l = 0; l < LANES; l++) {                                                                              \
            bits x = a[l] & ~(bits)sign; /* its magnitude */                                                           \
            result |= (uint32_t)(condition) << l;                                                                      \
        }                                                                                                              \
        SET_PRED(0, result);                                                                                           \
    }
#define TESTPS(type, bits, lanes, sign, infinity, leading)                                                             \
    TESTP(testp_finite_##type, bits, lanes, sign, infinity, leading, x < inf)                                          \
    TESTP(testp_infinite_##type, bits, lanes, sign, infinity, leading, x == inf)                                       \
    TESTP(testp_number_##type, bits, lanes, sign, infinity, leading, x <= inf)                                         \
    TESTP(testp_notanumber_##type, bits, lanes, sign, infinity, leading, x > inf)                                      \
    TESTP(testp_normal_##type, bits, lanes, sign, infinity, leading, x == 0 || (x >= one && x < inf))                  \
    TESTP(testp_subnormal_##type, bits, lanes, sign, infinity, leading, x != 0 && x < one)
TESTPS(f32, uint32_t, U32, F32_SIGN, F32_INF, 0x00800000u)
TESTPS(f64, uint64_t, U64, F64_SIGN, F64_INF, 0x0010000000000000ull)
