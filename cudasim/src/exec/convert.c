/* cvt: conversions between all types.
 *
 * A register may be wider than the type. Of the source the low bits count: i->source_bytes is the bytes of its
 * register, and those of 8 have 64-bit lanes. The result is sign- or zero-extended to i->width bytes, the
 * destination's.
 */

#include <math.h>

#include "base/floats.h"
#include "exec/affine.h"
#include "exec/lanes.h"

/* What a NaN becomes, on the H200. */
#define NAN_TO_S32       0                            /* from f16, bf16, f32 to an integer of 32 bits or less */
#define NAN_TO_64        INT64_MIN                    /* from anything to s64, u64 */
#define NAN_F64_TO(bits) (INT64_MIN >> (64 - (bits))) /* from f64 to s32, u32, ...: the highest bit of the type */
#define NAN_TO_TF32      0x7fffe000u                  /* with .rn, .rz */

#define ALIGNED_LANES __attribute__((aligned(128)))

#ifndef SIM_CONVERT_HELPERS
#define SIM_CONVERT_HELPERS
typedef uint8_t type_u8;
typedef int8_t type_s8;
typedef uint16_t type_u16;
typedef int16_t type_s16;
typedef uint32_t type_u32;
typedef int32_t type_s32;
typedef uint64_t type_u64;
typedef int64_t type_s64;

enum { LEAST_u8 = 0, LEAST_u16 = 0, LEAST_u32 = 0, LEAST_u64 = 0 };
#define LEAST_s8     INT8_MIN
#define LEAST_s16    INT16_MIN
#define LEAST_s32    INT32_MIN
#define LEAST_s64    INT64_MIN
#define MOST_u8      UINT8_MAX
#define MOST_s8      INT8_MAX
#define MOST_u16     UINT16_MAX
#define MOST_s16     INT16_MAX
#define MOST_u32     UINT32_MAX
#define MOST_s32     INT32_MAX
#define MOST_u64     UINT64_MAX
#define MOST_s64     INT64_MAX
#define IS_SIGNED(t) ((type_##t) - 1 < (type_##t)1)
#define BITS(t)      (8 * (int)sizeof(type_##t))

/* An integer, sign- or zero-extended to 64 bits, clamped to the range [least, most]. */
static inline uint64_t clamp(uint64_t x, bool is_signed, int64_t least, uint64_t most) {
    if (is_signed && (int64_t)x < 0) {
        return (int64_t)x < least ? (uint64_t)least : x;
    }
    return x > most ? most : x;
}
#endif

/* Results of a type of 32 bits or less, in 32-bit lanes and extended to them, to a destination of any width. */
#define STORE_NARROW(value, is_signed)                                                                                 \
    do {                                                                                                               \
        if (i->width == 8) {                                                                                           \
            uint64_t *d_ = U64(0);                                                                                     \
            SET_LANES(d_, (is_signed) ? (uint64_t)(int32_t)(value) : (uint64_t)(uint32_t)(value));                     \
        } else {                                                                                                       \
            uint32_t *d_ = U32(0);                                                                                     \
            const uint32_t kept_ = i->width == 2 ? 0xffff : i->width == 1 ? 0xff : UINT32_MAX;                         \
            SET_LANES(d_, (uint32_t)(value)&kept_);                                                                    \
        }                                                                                                              \
    } while (0)

#define STORE_BITS(type, value)                                                                                        \
    do {                                                                                                               \
        if (sizeof(type) == 8) {                                                                                       \
            uint64_t *d_ = U64(0);                                                                                     \
            SET_LANES(d_, (uint64_t)(value));                                                                          \
        } else {                                                                                                       \
            STORE_NARROW(value, (type)-1 < (type)1);                                                                   \
        }                                                                                                              \
    } while (0)

/* ---- integer to integer ----
 *
 *   cvt{.sat}.dtype.atype d, a;   .dtype, .atype = { .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64 } */
#define WITH_SOURCE(s, store)                                                                                          \
    do {                                                                                                               \
        if (sizeof(type_##s) == 8 || i->source_bytes == 8) {                                                           \
            const uint64_t *a = U64(1);                                                                                \
            store;                                                                                                     \
        } else {                                                                                                       \
            const uint32_t *a = U32(1);                                                                                \
            store;                                                                                                     \
        }                                                                                                              \
    } while (0)

#define CVT_INT(d, s)                                                                                                  \
    HANDLER(cvt_##d##_##s) {                                                                                           \
        if (i->sat) {                                                                                                  \
            WITH_SOURCE(s, STORE_BITS(type_##d,                                                                        \
                                      (type_##d)clamp((uint64_t)(type_##s)a[l], IS_SIGNED(s), LEAST_##d, MOST_##d)));  \
        } else {                                                                                                       \
            WITH_SOURCE(s, STORE_BITS(type_##d, (type_##d)(type_##s)a[l]));                                            \
        }                                                                                                              \
    }
#define EACH_INT_PAIR(F, d) F(d, u8) F(d, s8) F(d, u16) F(d, s16) F(d, u32) F(d, s32) F(d, u64) F(d, s64)
/* bf16 is not converted from and to integers of 8 bits. */
#define EACH_WIDE_INT(F) F(u16) F(s16) F(u32) F(s32) F(u64) F(s64)
EACH_INT_PAIR(CVT_INT, u8)
EACH_INT_PAIR(CVT_INT, s8)
EACH_INT_PAIR(CVT_INT, u16)
EACH_INT_PAIR(CVT_INT, s16)
EACH_INT_PAIR(CVT_INT, u32)
EACH_INT_PAIR(CVT_INT, s32)
EACH_INT_PAIR(CVT_INT, u64)
EACH_INT_PAIR(CVT_INT, s64)

/* The conversions of indices to addresses and back, of registers kept as base + lane * step (affine.h). */
#define CVT_EXTEND(d, s, is_signed)                                                                                    \
    QUICK_HANDLER(cvt_##d##_##s##_affine, affine_give_up(w, i, mask, 1, SIM_JOIN(cvt_##d##_##s, SIM_ISA))) {           \
        uint64_t base, step;                                                                                           \
        const affine *f = AFFINE(1);                                                                                   \
        if (!(mask == ALL_LANES && f->kept && affine_extend(f, is_signed, &base, &step))) return false;                \
        affine_set(AFFINE(0), base, step, 8);                                                                          \
        return true;                                                                                                   \
    }
#define CVT_CUT(d, s)                                                                                                  \
    QUICK_HANDLER(cvt_##d##_##s##_affine, affine_give_up(w, i, mask, 1, SIM_JOIN(cvt_##d##_##s, SIM_ISA))) {           \
        const affine *f = AFFINE(1);                                                                                   \
        if (!(mask == ALL_LANES && f->kept && i->source_bytes == 8 && i->width == 4 && !i->sat)) return false;         \
        affine_set(AFFINE(0), f->base, f->step, 4);                                                                    \
        return true;                                                                                                   \
    }
CVT_EXTEND(s64, s32, true)
CVT_EXTEND(u64, u32, false)
CVT_CUT(u32, u64)

/* ---- integer to floating point ----
 *
 *   cvt.frnd{.ftz}{.sat}.dtype.atype d, a;   .frnd = { .rn, .rz, .rm, .rp }, .dtype = { .f16, .bf16, .f32, .f64 }
 *
 * To f32 and f64 to the nearest: as C does. The others one by one. */
#ifndef SIM_ENCODE_INT
#define SIM_ENCODE_INT
__attribute__((noinline)) static uint64_t encode_int(uint64_t x, bool is_signed, const float_format *format,
                                                     rounding mode) {
    bool negative = is_signed && (int64_t)x < 0;
    return float_encode(negative, negative ? 0 - x : x, 0, format, mode, false);
}
#endif

#define CVT_INT_TO_FLOAT(type, s, bits, is_wide, quick, sat_bits)                                                      \
    HANDLER(cvt_##type##_##s) {                                                                                        \
        bits *d = LANE_ARRAY(bits, 0), r[LANES] ALIGNED_LANES;                                                         \
        if (is_wide && i->rounding <= ROUND_RN && !i->sat) {                                                           \
            WITH_SOURCE(s, SET_LANES(d, quick));                                                                       \
            return;                                                                                                    \
        }                                                                                                              \
        WITH_SOURCE(                                                                                                   \
            s, for (int l = 0; l < LANES; l++) {                                                                       \
                r[l] = (bits)encode_int((uint64_t)(type_##s)a[l], IS_SIGNED(s), &format_##type, i->rounding);          \
            });                                                                                                        \
        if (i->sat) {                                                                                                  \
            EACH_LANE r[l] = sat_bits(r[l]);                                                                           \
        }                                                                                                              \
        SET_LANES(d, r[l]);                                                                                            \
    }
#define F16_SAT(x) ((x) > 0x7c00 ? 0 : (x) > 0x3c00 ? 0x3c00 : (x))
#define NO_SAT(x)  (x)
#define CVT_INT_TO_FLOATS(unused, s)                                                                                   \
    CVT_INT_TO_FLOAT(f16, s, uint32_t, sizeof(type_##s) <= 2, f32_to_f16(f32_bits((float)(type_##s)a[l])), F16_SAT)    \
    CVT_INT_TO_FLOAT(f32, s, uint32_t, true, f32_bits((float)(type_##s)a[l]), f32_sat)                                 \
    CVT_INT_TO_FLOAT(f64, s, uint64_t, true, f64_bits((double)(type_##s)a[l]), f64_sat)
#define CVT_INT_TO_BF16(s)                                                                                             \
    CVT_INT_TO_FLOAT(bf16, s, uint32_t, sizeof(type_##s) <= 2, f32_to_bf16(f32_bits((float)(type_##s)a[l])), NO_SAT)
EACH_INT_PAIR(CVT_INT_TO_FLOATS, )
EACH_WIDE_INT(CVT_INT_TO_BF16)

/* ---- floating point to integer ----
 *
 *   cvt.irnd{.ftz}{.sat}.dtype.atype d, a;   .irnd = { .rni, .rzi, .rmi, .rpi }
 *
 * What is too large gives the type's nearest number, with and without .sat. */
#define F16_TO_F32(x)  f16_to_f32((uint16_t)(x))
#define BF16_TO_F32(x) bf16_to_f32((uint16_t)(x))
#define SAME_BITS(x)   (x)

/* Rounds t[] to integers in place, as the instruction says. C's conversion drops fractions itself. */
#define ROUND_INTEGERS(t, suffix)                                                                                      \
    switch (i->rounding) {                                                                                             \
    case ROUND_RNI:                                                                                                    \
        EACH_LANE t[l] = rint##suffix(t[l]);                                                                           \
        break;                                                                                                         \
    case ROUND_RMI:                                                                                                    \
        EACH_LANE t[l] = floor##suffix(t[l]);                                                                          \
        break;                                                                                                         \
    case ROUND_RPI:                                                                                                    \
        EACH_LANE t[l] = ceil##suffix(t[l]);                                                                           \
        break;                                                                                                         \
    case ROUND_RZI:                                                                                                    \
        EACH_LANE t[l] = trunc##suffix(t[l]);                                                                          \
        break;                                                                                                         \
    default:                                                                                                           \
        break;                                                                                                         \
    }

#ifndef SIM_TO_INTEGER
#define SIM_TO_INTEGER
/* Operands out of range are replaced by 0 before the conversion, which C leaves undefined for them. */
static inline int32_t f32_to_s32(float value) {
    uint32_t x = f32_bits(value), magnitude = x & ~F32_SIGN;
    bool fits = (int32_t)magnitude < 0x4f000000;
    int32_t result = (int32_t)f32_of(fits ? x : 0);
    result = fits ? result : (int32_t)x < 0 ? INT32_MIN : INT32_MAX;
    return f32_is_nan(x) ? NAN_TO_S32 : result;
}

static inline uint32_t f32_to_u32(float value) {
    uint32_t x = f32_bits(value);
    bool high = (int32_t)x >= 0x4f000000, fits = (int32_t)x < 0x4f800000;
    x = (int32_t)x < 0 ? 0 : x;
    float low = high ? f32_of(x) - 0x1p31f : f32_of(x);
    uint32_t result = (uint32_t)(int32_t)f32_of(fits ? f32_bits(low) : 0) + (high ? 0x80000000u : 0);
    result = fits ? result : UINT32_MAX;
    return f32_is_nan(f32_bits(value)) ? NAN_TO_S32 : result;
}

static inline int64_t f64_to_s64(double value) {
    uint64_t x = f64_bits(value), magnitude = x & ~F64_SIGN;
    bool fits = (int64_t)magnitude < 0x43e0000000000000;
    int64_t result = (int64_t)f64_of(fits ? x : 0);
    result = fits ? result : (int64_t)x < 0 ? INT64_MIN : INT64_MAX;
    return f64_is_nan(x) ? NAN_TO_64 : result;
}

static inline uint64_t f64_to_u64(double value) {
    uint64_t x = f64_bits(value);
    if (f64_is_nan(x)) {
        return (uint64_t)NAN_TO_64;
    }
    if ((int64_t)x < 0) {
        return 0;
    }
    if (x < 0x43e0000000000000) {
        return (uint64_t)(int64_t)value;
    }
    return x < 0x43f0000000000000 ? (uint64_t)(int64_t)(value - 0x1p63) | F64_SIGN : UINT64_MAX;
}

static inline int32_t f32_to_narrow(float value, int32_t least, int32_t most) {
    int32_t x = f32_to_s32(value); /* a NaN's 0 is in every range */
    return x < least ? least : x > most ? most : x;
}

static inline int64_t f64_to_narrow(double value, int bits, int64_t least, int64_t most) {
    int64_t x = f64_to_s64(value);
    x = x < least ? least : x > most ? most : x;
    return f64_is_nan(f64_bits(value)) ? NAN_F64_TO(bits) : x;
}
#endif

#define F32_TO_s8(x)  f32_to_narrow(x, INT8_MIN, INT8_MAX)
#define F32_TO_u8(x)  f32_to_narrow(x, 0, UINT8_MAX)
#define F32_TO_s16(x) f32_to_narrow(x, INT16_MIN, INT16_MAX)
#define F32_TO_u16(x) f32_to_narrow(x, 0, UINT16_MAX)
#define F32_TO_s32(x) f32_to_s32(x)
#define F32_TO_u32(x) f32_to_u32(x)
#define F32_TO_s64(x) f64_to_s64(x)
#define F32_TO_u64(x) f64_to_u64(x)
#define F64_TO_s8(x)  f64_to_narrow(x, 8, INT8_MIN, INT8_MAX)
#define F64_TO_u8(x)  f64_to_narrow(x, 8, 0, UINT8_MAX)
#define F64_TO_s16(x) f64_to_narrow(x, 16, INT16_MIN, INT16_MAX)
#define F64_TO_u16(x) f64_to_narrow(x, 16, 0, UINT16_MAX)
#define F64_TO_s32(x) f64_to_narrow(x, 32, INT32_MIN, INT32_MAX)
#define F64_TO_u32(x) f64_to_narrow(x, 32, 0, UINT32_MAX)
#define F64_TO_s64(x) f64_to_s64(x)
#define F64_TO_u64(x) f64_to_u64(x)

#define CVT_FLOAT_TO_INT(d, s, widen, flush)                                                                           \
    HANDLER(cvt_##d##_##s) {                                                                                           \
        const uint32_t *a = U32(1);                                                                                    \
        float t[LANES] ALIGNED_LANES;                                                                                  \
        type_##d r[LANES] ALIGNED_LANES;                                                                               \
        if (i->ftz) {                                                                                                  \
            EACH_LANE t[l] = f32_of(flush(widen(a[l])));                                                               \
        } else {                                                                                                       \
            EACH_LANE t[l] = f32_of(widen(a[l]));                                                                      \
        }                                                                                                              \
        if (i->rounding != ROUND_RZI) {                                                                                \
            ROUND_INTEGERS(t, f)                                                                                       \
        }                                                                                                              \
        EACH_LANE r[l] = (type_##d)F32_TO_##d(t[l]);                                                                   \
        STORE_BITS(type_##d, r[l]);                                                                                    \
    }
#define CVT_F64_TO_INT(d, s)                                                                                           \
    HANDLER(cvt_##d##_f64) {                                                                                           \
        const double *a = F64(1);                                                                                      \
        double t[LANES] ALIGNED_LANES;                                                                                 \
        type_##d r[LANES] ALIGNED_LANES;                                                                               \
        EACH_LANE t[l] = a[l];                                                                                         \
        if (i->rounding != ROUND_RZI) {                                                                                \
            ROUND_INTEGERS(t, )                                                                                        \
        }                                                                                                              \
        EACH_LANE r[l] = (type_##d)F64_TO_##d(t[l]);                                                                   \
        STORE_BITS(type_##d, r[l]);                                                                                    \
    }
#define CVT_FLOATS_TO_INT(unused, d)                                                                                   \
    CVT_FLOAT_TO_INT(d, f16, F16_TO_F32, SAME_BITS)                                                                    \
    CVT_FLOAT_TO_INT(d, f32, SAME_BITS, f32_ftz)                                                                       \
    CVT_F64_TO_INT(d, f64)
EACH_INT_PAIR(CVT_FLOATS_TO_INT, )
#define CVT_BF16_TO_INT(d) CVT_FLOAT_TO_INT(d, bf16, BF16_TO_F32, SAME_BITS)
EACH_WIDE_INT(CVT_BF16_TO_INT)

/* ---- floating point to floating point ----
 *
 *   cvt{.irnd}{.ftz}{.sat}.type.type d, a;          rounding to an integer
 *   cvt{.ftz}{.sat}.dtype.atype d, a;               to a wider type: exact
 *   cvt.frnd{.ftz}{.sat}.dtype.atype d, a;          to a narrower one
 *   cvt.{rn,rz}{.relu}{.satfinite}.{f16,bf16}.f32 d, a;
 *   cvt.rn{.relu}... as the rows of isa/ops.def say; .ftz flushes f32, operand or result
 *
 * Lane by lane through f64, where every number of every format is exact; the usual ones are loops of their own.
 *
 * NaNs: to and from f64 they keep their sign and as much of the rest as there is room for, made quiet; .ftz is an f32
 * operation, and makes the canonical NaN of f32 of them where f32 is the source. f32.f32 and f64.f64 without any
 * modifier move bits, and so does f32.bf16 without .ftz. All others make the result's canonical NaN. .ftz does not
 * flush the operand of f16.f32, as .rm and .rp show. */
#ifndef SIM_CVT_FLOAT
#define SIM_CVT_FLOAT
static inline uint64_t f32_to_f64(uint32_t x) {
    return f64_bits((double)f32_of(x));
}

static inline uint64_t round_to_integer(uint64_t x, rounding mode) {
    double value = f64_of(x);
    switch (mode) {
    case ROUND_RNI:
        return f64_bits(rint(value));
    case ROUND_RMI:
        return f64_bits(floor(value));
    case ROUND_RPI:
        return f64_bits(ceil(value));
    case ROUND_RZI:
        return f64_bits(trunc(value));
    default:
        return x;
    }
}

/* The bits x of an f64 that holds the operand, in another format with the instruction's modifiers. */
__attribute__((noinline)) static uint64_t convert_f64(uint64_t x, const insn *i, const float_format *format) {
    x = round_to_integer(x, i->rounding);
    if (i->sat) {
        x = f64_sat(x);
    }
    if (i->relu && !f64_is_nan(x) && x >> 63) {
        x = 0;
    }
    return f64_encode(x, format, i->rounding, i->satfinite);
}

static inline uint32_t flush_if(uint32_t x, bool ftz) {
    return ftz ? f32_ftz(x) : x;
}

static inline uint64_t result_f64(uint64_t x, const insn *i) {
    x = f64_is_nan(x) ? x | (i->rounding ? F64_QUIET : 0) : round_to_integer(x, i->rounding);
    return i->sat ? f64_sat(x) : x;
}

/* The bits x of an f64 operand in a narrower format. */
__attribute__((noinline)) static uint64_t narrow_f64(uint64_t x, const insn *i, const float_format *format) {
    if (f64_is_nan(x) && !i->sat) {
        return (x >> 63) << format->sign_bit | format->infinity |
               (x & 0xfffffffffffffull) >> (52 - format->mantissa_bits) | 1ull << (format->mantissa_bits - 1);
    }
    return convert_f64(x, i, format);
}

static inline uint32_t convert_to_f32(uint64_t x, const insn *i) {
    return flush_if((uint32_t)convert_f64(x, i, &format_f32), i->ftz);
}

#endif

#define CVT_FLOAT(d, s, to, from, value)                                                                               \
    HANDLER(cvt_##d##_##s) {                                                                                           \
        const from *a = LANE_ARRAY(from, 1);                                                                           \
        to *d_lanes = LANE_ARRAY(to, 0), r[LANES] ALIGNED_LANES;                                                       \
        for (int l = 0; l < LANES; l++) {                                                                              \
            r[l] = (to)(value);                                                                                        \
        }                                                                                                              \
        SET_LANES(d_lanes, r[l]);                                                                                      \
    }
/* The same with a loop for instructions without modifiers (ROUND_DEFAULT or .rn). */
#define CVT_FLOAT_QUICK(d, s, to, from, quick, value)                                                                  \
    HANDLER(cvt_##d##_##s) {                                                                                           \
        const from *a = LANE_ARRAY(from, 1);                                                                           \
        to *d_lanes = LANE_ARRAY(to, 0), r[LANES] ALIGNED_LANES;                                                       \
        if (i->rounding <= ROUND_RN && !i->ftz && !i->sat && !i->relu && !i->satfinite) {                              \
            EACH_LANE r[l] = (to)(quick);                                                                              \
        } else {                                                                                                       \
            for (int l = 0; l < LANES; l++) {                                                                          \
                r[l] = (to)(value);                                                                                    \
            }                                                                                                          \
        }                                                                                                              \
        SET_LANES(d_lanes, r[l]);                                                                                      \
    }

#define F16_AS_F64(x)  f32_to_f64(F16_TO_F32(x))
#define BF16_AS_F64(x) f32_to_f64(BF16_TO_F32(x))
#define F32_AS_F64(x)  f32_to_f64(i->ftz ? f32_canonical(f32_ftz(x)) : (x))
#define TO_F16(x)      convert_f64(x, i, &format_f16)
#define TO_BF16(x)     convert_f64(x, i, &format_bf16)
#define TO_F32(x)      convert_to_f32(x, i)
#define TO_F64(x)      result_f64(x, i)

CVT_FLOAT(f16, f16, uint32_t, uint32_t, TO_F16(F16_AS_F64(a[l])))
CVT_FLOAT(f16, bf16, uint32_t, uint32_t, TO_F16(BF16_AS_F64(a[l])))
CVT_FLOAT_QUICK(f16, f32, uint32_t, uint32_t, f32_to_f16(a[l]), TO_F16(f32_to_f64(a[l])))
CVT_FLOAT(f16, f64, uint32_t, uint64_t, narrow_f64(a[l], i, &format_f16))
CVT_FLOAT(bf16, f16, uint32_t, uint32_t, TO_BF16(F16_AS_F64(a[l])))
CVT_FLOAT(bf16, bf16, uint32_t, uint32_t, TO_BF16(BF16_AS_F64(a[l])))
CVT_FLOAT_QUICK(bf16, f32, uint32_t, uint32_t, f32_to_bf16(a[l]), TO_BF16(F32_AS_F64(a[l])))
CVT_FLOAT(bf16, f64, uint32_t, uint64_t, narrow_f64(a[l], i, &format_bf16))
CVT_FLOAT_QUICK(f32, f16, uint32_t, uint32_t, f32_canonical(F16_TO_F32(a[l])), TO_F32(F16_AS_F64(a[l])))
CVT_FLOAT_QUICK(f32, bf16, uint32_t, uint32_t, BF16_TO_F32(a[l]),
                i->ftz ? TO_F32(BF16_AS_F64(a[l])) : BF16_TO_F32(a[l]))
CVT_FLOAT_QUICK(f32, f32, uint32_t, uint32_t, a[l], TO_F32(F32_AS_F64(a[l])))
CVT_FLOAT_QUICK(f32, f64, uint32_t, uint64_t, f32_bits((float)f64_of(a[l])),
                flush_if((uint32_t)narrow_f64(a[l], i, &format_f32), i->ftz))
CVT_FLOAT(f64, f16, uint64_t, uint32_t, TO_F64(F16_AS_F64(a[l])))
CVT_FLOAT(f64, bf16, uint64_t, uint32_t, TO_F64(BF16_AS_F64(a[l])))
CVT_FLOAT_QUICK(f64, f32, uint64_t, uint32_t, f32_to_f64(a[l]), TO_F64(F32_AS_F64(a[l])))
CVT_FLOAT(f64, f64, uint64_t, uint64_t, TO_F64(a[l]))

/* cvt.rna{.satfinite}.tf32.f32 d, a;   cvt.{rn,rz}{.relu}.tf32.f32 d, a;
 *
 * The low 13 bits of the result are 0. .rna adds half a unit to a number's bits, and only cuts a NaN; its .satfinite
 * takes a unit off whatever is not finite then, NaNs too. */
#define TF32_UNIT 0x2000u
HANDLER(cvt_tf32_f32) {
    const uint32_t *a = U32(1);
    uint32_t *d = U32(0), r[LANES] ALIGNED_LANES;
    const bool away = i->rounding == ROUND_RNA, nearest = i->rounding == ROUND_RN, relu = i->relu;
    const uint32_t half = away ? TF32_UNIT / 2 : nearest ? TF32_UNIT / 2 - 1 : 0, odd = nearest ? TF32_UNIT : 0;
    EACH_LANE {
        const uint32_t x = a[l], rounded = x + (f32_is_nan(x) ? 0 : half + ((x & odd) >> 13));
        const uint32_t number = relu && (int32_t)x < 0 ? 0 : rounded & ~(TF32_UNIT - 1);
        r[l] = f32_is_nan(x) && !away ? NAN_TO_TF32 : number;
    }
    if (i->satfinite) {
        EACH_LANE {
            const bool finite = (int32_t)(r[l] & ~F32_SIGN) < (int32_t)F32_INF;
            r[l] = finite || (f32_is_nan(r[l]) && !away) ? r[l] : r[l] - TF32_UNIT;
        }
    }
    SET_LANES(d, r[l]);
}

/* ---- pairs: a goes to the upper half ----
 *
 *   cvt.{rn,rz}{.relu}{.satfinite}.{f16x2,bf16x2}.f32 d, a, b;
 *   cvt.rn.satfinite{.relu}.{e4m3x2,e5m2x2}.f32 d, a, b;
 *   cvt.rn.satfinite{.relu}.{e4m3x2,e5m2x2}.f16x2 d, a;
 *   cvt.rn{.relu}.f16x2.{e4m3x2,e5m2x2} d, a; */
#define CVT_PAIR(name, quick, value)                                                                                   \
    HANDLER(name) {                                                                                                    \
        const uint32_t *a = U32(1), *b = U32(2);                                                                       \
        uint32_t *d = U32(0), r[LANES] ALIGNED_LANES;                                                                  \
        if (i->rounding <= ROUND_RN && !i->relu && !i->satfinite) {                                                    \
            EACH_LANE r[l] = quick(a[l]) << 16 | quick(b[l]);                                                          \
        } else {                                                                                                       \
            for (int l = 0; l < LANES; l++) {                                                                          \
                r[l] = (uint32_t)(value(F32_AS_F64(a[l])) << 16 | value(F32_AS_F64(b[l])));                            \
            }                                                                                                          \
        }                                                                                                              \
        SET_LANES(d, r[l]);                                                                                            \
    }
CVT_PAIR(cvt_f16x2_f32, f32_to_f16, TO_F16)
CVT_PAIR(cvt_bf16x2_f32, f32_to_bf16, TO_BF16)

#define TO_E4M3(x) convert_f64(x, i, &format_e4m3)
#define TO_E5M2(x) convert_f64(x, i, &format_e5m2)
#define CVT_F8(type, to)                                                                                               \
    HANDLER(cvt_##type##x2_f32) {                                                                                      \
        const uint32_t *a = U32(1), *b = U32(2);                                                                       \
        uint32_t *d = U32(0), r[LANES];                                                                                \
        for (int l = 0; l < LANES; l++) {                                                                              \
            r[l] = (uint32_t)(to(F32_AS_F64(a[l])) << 8 | to(F32_AS_F64(b[l])));                                       \
        }                                                                                                              \
        SET_LANES(d, r[l]);                                                                                            \
    }                                                                                                                  \
    HANDLER(cvt_##type##x2_f16x2) {                                                                                    \
        const uint32_t *a = U32(1);                                                                                    \
        uint32_t *d = U32(0), r[LANES];                                                                                \
        for (int l = 0; l < LANES; l++) {                                                                              \
            r[l] = (uint32_t)(to(F16_AS_F64(a[l] >> 16)) << 8 | to(F16_AS_F64(a[l])));                                 \
        }                                                                                                              \
        SET_LANES(d, r[l]);                                                                                            \
    }                                                                                                                  \
    HANDLER(cvt_f16x2_##type##x2) {                                                                                    \
        const uint32_t *a = U32(1);                                                                                    \
        uint32_t *d = U32(0), r[LANES];                                                                                \
        for (int l = 0; l < LANES; l++) {                                                                              \
            uint32_t high = type##_to_f16(a[l] >> 8 & 0xff), low = type##_to_f16(a[l] & 0xff);                         \
            if (i->relu) {                                                                                             \
                high = high > 0x7fff ? 0 : high; /* a NaN is positive by now */                                        \
                low = low > 0x7fff ? 0 : low;                                                                          \
            }                                                                                                          \
            r[l] = high << 16 | low;                                                                                   \
        }                                                                                                              \
        SET_LANES(d, r[l]);                                                                                            \
    }
CVT_F8(e4m3, TO_E4M3)
CVT_F8(e5m2, TO_E5M2)

/* ---- cvt.pack ----
 *
 *   cvt.pack.sat.{u16,s16}.s32 d, a, b;                             a saturated above b saturated
 *   cvt.pack.sat.{u8,s8,u4,s4,u2,s2}.s32.b32 d, a, b, c;            the same below the low bits of c */
#define CLAMP_S32(x, least, most) ((x) < (least) ? (least) : (x) > (most) ? (most) : (x))
#define CVT_PACK(name, bits, least, most, upper)                                                                       \
    HANDLER(name) {                                                                                                    \
        const int32_t *a = S32(1), *b = S32(2);                                                                        \
        const uint32_t *c = U32(3), field = (1u << (bits)) - 1;                                                        \
        uint32_t *d = U32(0);                                                                                          \
        (void)c;                                                                                                       \
        SET_LANES(d, (upper) | ((uint32_t)CLAMP_S32(a[l], least, most) & field) << (bits) |                            \
                         ((uint32_t)CLAMP_S32(b[l], least, most) & field));                                            \
    }
CVT_PACK(cvt_pack_u16, 16, 0, 65535, 0)
CVT_PACK(cvt_pack_s16, 16, -32768, 32767, 0)
CVT_PACK(cvt_pack_u8, 8, 0, 255, c[l] << 16)
CVT_PACK(cvt_pack_s8, 8, -128, 127, c[l] << 16)
CVT_PACK(cvt_pack_u4, 4, 0, 15, c[l] << 8)
CVT_PACK(cvt_pack_s4, 4, -8, 7, c[l] << 8)
CVT_PACK(cvt_pack_u2, 2, 0, 3, c[l] << 4)
CVT_PACK(cvt_pack_s2, 2, -2, 1, c[l] << 4)
