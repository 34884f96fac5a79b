/* Integer arithmetic, bits, predicates, moves and selection.
 *
 * A handler is a line: where its operands lie (U32, S64, ...), and the value of a lane in terms of a[l], b[l], c[l].
 * Wrap-around arithmetic is the same for signed and unsigned numbers, so that one handler serves both; it is done on
 * unsigned ones, because signed overflow is undefined in C. 16-bit registers are 32-bit lanes with zero upper halves:
 * results are cut to 16 bits, signed inputs are extended.
 */
#include "exec/affine.h"
#include "exec/lanes.h"

#define LANES_UNARY(name, D, A, value)                                                                                 \
    QUICK_HANDLER(name, ) {                                                                                            \
        const __auto_type a = A(1);                                                                                    \
        __auto_type d = D(0);                                                                                          \
        SET_LANES(d, value);                                                                                           \
        return true;                                                                                                   \
    }
#define LANES_BINARY(name, D, A, B, value)                                                                             \
    QUICK_HANDLER(name, ) {                                                                                            \
        const __auto_type a = A(1);                                                                                    \
        const __auto_type b = B(2);                                                                                    \
        __auto_type d = D(0);                                                                                          \
        SET_LANES(d, value);                                                                                           \
        return true;                                                                                                   \
    }
#define LANES_TERNARY(name, D, A, B, C, value)                                                                         \
    QUICK_HANDLER(name, ) {                                                                                            \
        const __auto_type a = A(1);                                                                                    \
        const __auto_type b = B(2);                                                                                    \
        const __auto_type c = C(3);                                                                                    \
        __auto_type d = D(0);                                                                                          \
        SET_LANES(d, value);                                                                                           \
        return true;                                                                                                   \
    }

/* The same on registers kept as base + lane * step (affine.h): the value of lane 0, from the sources' bases, and the
 * result's step in terms of the sources', as, bs, cs, under the condition that it has one. */
#define AFFINE_RESULT(D, value, step)                                                                                  \
    do {                                                                                                               \
        const uint64_t apart = step;                                                                                   \
        const __typeof__(*D(0)) first = value;                                                                         \
        affine_set(AFFINE(0), (uint64_t)first, apart, sizeof first);                                                   \
    } while (0)
#define AFFINE_SOURCE(f, LANES_OF) ((const __typeof__(*LANES_OF(0)) *)&(f)->base)
#define AFFINE_UNARY(name, D, A, value, when, step_of_d)                                                               \
    QUICK_HANDLER(name##_affine, affine_give_up(w, i, mask, 1, SIM_JOIN(name, SIM_ISA))) {                             \
        const affine *fa = AFFINE(1);                                                                                  \
        __attribute__((unused)) const uint64_t as = fa->step;                                                          \
        __attribute__((unused)) const __auto_type a = AFFINE_SOURCE(fa, A);                                            \
        enum { l = 0 };                                                                                                \
        if (mask != ALL_LANES) return false;                                                                           \
        if (fa->kept && (when)) {                                                                                      \
            AFFINE_RESULT(D, value, step_of_d);                                                                        \
            return true;                                                                                               \
        }                                                                                                              \
        if (!(affine_has_lanes(fa))) return false;                                                                     \
        AFFINE(0)->kept = LANES_ONLY;                                                                                  \
        return name##_quick(w, i, mask);                                                                               \
    }
#define AFFINE_BINARY(name, D, A, B, value, when, step_of_d)                                                           \
    QUICK_HANDLER(name##_affine, affine_give_up(w, i, mask, 2, SIM_JOIN(name, SIM_ISA))) {                             \
        const affine *fa = AFFINE(1), *fb = AFFINE(2);                                                                 \
        __attribute__((unused)) const uint64_t as = fa->step, bs = fb->step;                                           \
        const __auto_type a = AFFINE_SOURCE(fa, A);                                                                    \
        const __auto_type b = AFFINE_SOURCE(fb, B);                                                                    \
        enum { l = 0 };                                                                                                \
        if (mask != ALL_LANES) return false;                                                                           \
        if ((fa->kept & fb->kept) && (when)) {                                                                         \
            AFFINE_RESULT(D, value, step_of_d);                                                                        \
            return true;                                                                                               \
        }                                                                                                              \
        if (!(affine_has_lanes(fa) && affine_has_lanes(fb))) return false;                                             \
        AFFINE(0)->kept = LANES_ONLY;                                                                                  \
        return name##_quick(w, i, mask);                                                                               \
    }
#define AFFINE_TERNARY(name, D, A, B, C, value, when, step_of_d)                                                       \
    QUICK_HANDLER(name##_affine, affine_give_up(w, i, mask, 3, SIM_JOIN(name, SIM_ISA))) {                             \
        const affine *fa = AFFINE(1), *fb = AFFINE(2), *fc = AFFINE(3);                                                \
        __attribute__((unused)) const uint64_t as = fa->step, bs = fb->step, cs = fc->step;                            \
        const __auto_type a = AFFINE_SOURCE(fa, A);                                                                    \
        const __auto_type b = AFFINE_SOURCE(fb, B);                                                                    \
        const __auto_type c = AFFINE_SOURCE(fc, C);                                                                    \
        enum { l = 0 };                                                                                                \
        if (mask != ALL_LANES) return false;                                                                           \
        if ((fa->kept & fb->kept & fc->kept) && (when)) {                                                              \
            AFFINE_RESULT(D, value, step_of_d);                                                                        \
            return true;                                                                                               \
        }                                                                                                              \
        if (!(affine_has_lanes(fa) && affine_has_lanes(fb) && affine_has_lanes(fc))) return false;                     \
        AFFINE(0)->kept = LANES_ONLY;                                                                                  \
        return name##_quick(w, i, mask);                                                                               \
    }

/* Whatever an instruction does, of equal sources it makes equal results. */
#define UNARY(name, D, A, value) LANES_UNARY(name, D, A, value) AFFINE_UNARY(name, D, A, value, as == 0, 0)
#define BINARY(name, D, A, B, value)                                                                                   \
    LANES_BINARY(name, D, A, B, value) AFFINE_BINARY(name, D, A, B, value, (as | bs) == 0, 0)
#define TERNARY(name, D, A, B, C, value)                                                                               \
    LANES_TERNARY(name, D, A, B, C, value) AFFINE_TERNARY(name, D, A, B, C, value, (as | bs | cs) == 0, 0)

/* And these make affine results of affine sources. */
#define LINEAR_UNARY(name, D, A, value, step) LANES_UNARY(name, D, A, value) AFFINE_UNARY(name, D, A, value, true, step)
#define LINEAR_BINARY(name, D, A, B, value, when, step)                                                                \
    LANES_BINARY(name, D, A, B, value) AFFINE_BINARY(name, D, A, B, value, when, step)
#define LINEAR_TERNARY(name, D, A, B, C, value, when, step)                                                            \
    LANES_TERNARY(name, D, A, B, C, value) AFFINE_TERNARY(name, D, A, B, C, value, when, step)

#define LOW16(x)    ((uint16_t)(x))
#define SIGNED16(x) ((int16_t)(x))
#define HIGH16(x)   ((x) >> 16)
/* Two 16-bit results in one lane; 16x2 instructions work on each half alone. */
#define PACK16(low, high) ((uint32_t)LOW16(low) | (uint32_t)LOW16(high) << 16)
#define SMALLER(x, y)     ((x) < (y) ? (x) : (y))
#define LARGER(x, y)      ((x) > (y) ? (x) : (y))

static inline int32_t saturate_s32(int64_t x) {
    return (int32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

/* ---- add, sub ----
 * add.type d, a, b;  add{.sat}.s32 d, a, b;   type = u16 s16 u32 s32 u64 s64 u16x2 s16x2
 * sub.type d, a, b;  sub{.sat}.s32 d, a, b;   type = u16 s16 u32 s32 u64 s64 */
BINARY(add_b16, U32, U32, U32, LOW16(a[l] + b[l]))
LINEAR_BINARY(add_b32, U32, U32, U32, a[l] + b[l], true, as + bs)
LINEAR_BINARY(add_b64, U64, U64, U64, a[l] + b[l], true, as + bs)
BINARY(add_b16x2, U32, U32, U32, PACK16(a[l] + b[l], HIGH16(a[l]) + HIGH16(b[l])))
BINARY(add_sat_s32, S32, S32, S32, saturate_s32((int64_t)a[l] + b[l]))
BINARY(sub_b16, U32, U32, U32, LOW16(a[l] - b[l]))
LINEAR_BINARY(sub_b32, U32, U32, U32, a[l] - b[l], true, as - bs)
LINEAR_BINARY(sub_b64, U64, U64, U64, a[l] - b[l], true, as - bs)
BINARY(sub_sat_s32, S32, S32, S32, saturate_s32((int64_t)a[l] - b[l]))

/* ---- mul, mad ----
 * mul.mode.type d, a, b;  mad.mode.type d, a, b, c;  mad.hi.sat.s32 d, a, b, c;   type = u16 s16 u32 s32 u64 s64
 * mode: .lo, .hi are the halves of the product, .wide (not for 64 bits) is all of it; mad adds c to that. */
typedef unsigned __int128 integer_u128;
typedef __int128 integer_s128;
#define PRODUCT_U16(x, y) ((uint32_t)LOW16(x) * LOW16(y))
#define PRODUCT_S16(x, y) ((uint32_t)(SIGNED16(x) * SIGNED16(y)))
#define PRODUCT_U32(x, y) ((uint64_t)(uint32_t)(x) * (uint32_t)(y))
#define PRODUCT_S32(x, y) ((uint64_t)((int64_t)(int32_t)(x) * (int32_t)(y)))
#define PRODUCT_U64(x, y) ((integer_u128)(uint64_t)(x) * (uint64_t)(y))
#define PRODUCT_S64(x, y) ((integer_u128)((integer_s128)(int64_t)(x) * (int64_t)(y)))

BINARY(mul_lo_b16, U32, U32, U32, LOW16(a[l] * b[l]))
LINEAR_BINARY(mul_lo_b32, U32, U32, U32, a[l] * b[l], as == 0 || bs == 0, as *b[0] + a[0] * bs)
LINEAR_BINARY(mul_lo_b64, U64, U64, U64, a[l] * b[l], as == 0 || bs == 0, as *b[0] + a[0] * bs)
BINARY(mul_hi_u16, U32, U32, U32, PRODUCT_U16(a[l], b[l]) >> 16)
BINARY(mul_hi_s16, U32, U32, U32, PRODUCT_S16(a[l], b[l]) >> 16)
BINARY(mul_hi_u32, U32, U32, U32, (uint32_t)(PRODUCT_U32(a[l], b[l]) >> 32))
BINARY(mul_hi_s32, U32, U32, U32, (uint32_t)(PRODUCT_S32(a[l], b[l]) >> 32))
BINARY(mul_hi_u64, U64, U64, U64, (uint64_t)(PRODUCT_U64(a[l], b[l]) >> 64))
BINARY(mul_hi_s64, U64, U64, U64, (uint64_t)(PRODUCT_S64(a[l], b[l]) >> 64))
BINARY(mul_wide_u16, U32, U32, U32, PRODUCT_U16(a[l], b[l]))
BINARY(mul_wide_s16, U32, U32, U32, PRODUCT_S16(a[l], b[l]))
/* A wide product is affine where one factor is the same in all lanes and the other does not wrap around. */
#define AFFINE_WIDE(type, is_signed)                                                                                   \
    QUICK_HANDLER(mul_wide_##type##_affine, affine_give_up(w, i, mask, 2, SIM_JOIN(mul_wide_##type, SIM_ISA))) {       \
        uint64_t a, as, b, bs;                                                                                         \
        const affine *fa = AFFINE(1), *fb = AFFINE(2);                                                                 \
        if (!(mask == ALL_LANES && (fa->kept & fb->kept) && affine_extend(fa, is_signed, &a, &as) &&                   \
              affine_extend(fb, is_signed, &b, &bs) && (as == 0 || bs == 0)))                                          \
            return false;                                                                                              \
        affine_set(AFFINE(0), a *b, as *b + a * bs, 8);                                                                \
        return true;                                                                                                   \
    }                                                                                                                  \
    QUICK_HANDLER(mad_wide_##type##_affine, affine_give_up(w, i, mask, 3, SIM_JOIN(mad_wide_##type, SIM_ISA))) {       \
        uint64_t a, as, b, bs;                                                                                         \
        const affine *fa = AFFINE(1), *fb = AFFINE(2), *fc = AFFINE(3);                                                \
        if (!(mask == ALL_LANES && (fa->kept & fb->kept & fc->kept) && affine_extend(fa, is_signed, &a, &as) &&        \
              affine_extend(fb, is_signed, &b, &bs) && (as == 0 || bs == 0)))                                          \
            return false;                                                                                              \
        affine_set(AFFINE(0), a *b + fc->base, as * b + a * bs + fc->step, 8);                                         \
        return true;                                                                                                   \
    }
LANES_BINARY(mul_wide_u32, U64, U32, U32, PRODUCT_U32(a[l], b[l]))
LANES_BINARY(mul_wide_s32, U64, U32, U32, PRODUCT_S32(a[l], b[l]))

TERNARY(mad_lo_b16, U32, U32, U32, U32, LOW16(a[l] * b[l] + c[l]))
LINEAR_TERNARY(mad_lo_b32, U32, U32, U32, U32, a[l] * b[l] + c[l], as == 0 || bs == 0, as *b[0] + a[0] * bs + cs)
LINEAR_TERNARY(mad_lo_b64, U64, U64, U64, U64, a[l] * b[l] + c[l], as == 0 || bs == 0, as *b[0] + a[0] * bs + cs)
TERNARY(mad_hi_u16, U32, U32, U32, U32, LOW16((PRODUCT_U16(a[l], b[l]) >> 16) + c[l]))
TERNARY(mad_hi_s16, U32, U32, U32, U32, LOW16((PRODUCT_S16(a[l], b[l]) >> 16) + c[l]))
TERNARY(mad_hi_u32, U32, U32, U32, U32, (uint32_t)(PRODUCT_U32(a[l], b[l]) >> 32) + c[l])
TERNARY(mad_hi_s32, U32, U32, U32, U32, (uint32_t)(PRODUCT_S32(a[l], b[l]) >> 32) + c[l])
TERNARY(mad_hi_u64, U64, U64, U64, U64, (uint64_t)(PRODUCT_U64(a[l], b[l]) >> 64) + c[l])
TERNARY(mad_hi_s64, U64, U64, U64, U64, (uint64_t)(PRODUCT_S64(a[l], b[l]) >> 64) + c[l])
TERNARY(mad_wide_u16, U32, U32, U32, U32, PRODUCT_U16(a[l], b[l]) + c[l])
TERNARY(mad_wide_s16, U32, U32, U32, U32, PRODUCT_S16(a[l], b[l]) + c[l])
LANES_TERNARY(mad_wide_u32, U64, U32, U32, U64, PRODUCT_U32(a[l], b[l]) + c[l])
AFFINE_WIDE(u32, false)
LANES_TERNARY(mad_wide_s32, U64, U32, U32, U64, PRODUCT_S32(a[l], b[l]) + c[l])
AFFINE_WIDE(s32, true)
TERNARY(mad_hi_sat_s32, S32, S32, S32, S32, saturate_s32(((int64_t)a[l] * b[l] >> 32) + c[l]))

/* mul24.mode.type d, a, b;  mad24.mode.type d, a, b, c;  mad24.hi.sat.s32 d, a, b, c;   type = u32 s32
 * The product of the low 24 bits of a and b (s32: extended from bit 23); .lo is its bits 31..0, .hi its bits 47..16. */
#define PRODUCT_U24(x, y) ((uint64_t)((x)&0xffffff) * ((y)&0xffffff))
#define EXTEND_24(x)      ((int32_t)((uint32_t)(x) << 8) >> 8)
#define PRODUCT_S24(x, y) ((int64_t)EXTEND_24(x) * EXTEND_24(y))
BINARY(mul24_lo_u32, U32, U32, U32, (uint32_t)PRODUCT_U24(a[l], b[l]))
BINARY(mul24_lo_s32, U32, U32, U32, (uint32_t)PRODUCT_S24(a[l], b[l]))
BINARY(mul24_hi_u32, U32, U32, U32, (uint32_t)(PRODUCT_U24(a[l], b[l]) >> 16))
BINARY(mul24_hi_s32, U32, U32, U32, (uint32_t)(PRODUCT_S24(a[l], b[l]) >> 16))
TERNARY(mad24_lo_u32, U32, U32, U32, U32, (uint32_t)PRODUCT_U24(a[l], b[l]) + c[l])
TERNARY(mad24_lo_s32, U32, U32, U32, U32, (uint32_t)PRODUCT_S24(a[l], b[l]) + c[l])
TERNARY(mad24_hi_u32, U32, U32, U32, U32, (uint32_t)(PRODUCT_U24(a[l], b[l]) >> 16) + c[l])
TERNARY(mad24_hi_s32, U32, U32, U32, U32, (uint32_t)(PRODUCT_S24(a[l], b[l]) >> 16) + c[l])
TERNARY(mad24_hi_sat_s32, S32, S32, S32, S32, saturate_s32((int32_t)(PRODUCT_S24(a[l], b[l]) >> 16) + (int64_t)c[l]))

/* ---- extended precision ----
 * add.cc.type d, a, b;  addc{.cc}.type d, a, b;  sub.cc.type d, a, b;  subc{.cc}.type d, a, b;
 * mad{.hi,.lo}.cc.type d, a, b, c;  madc{.hi,.lo}{.cc}.type d, a, b, c;   type = u32 s32 u64 s64
 *
 * All of them are one adder, x + y + carry-in, with the carry out of its top bit. A subtraction adds ~b and a one: so
 * the carry that sub.cc leaves and subc takes is set when there was NO borrow. The manual speaks of a borrow in CC.CF;
 * while sub.cc goes with subc and add.cc with addc one cannot tell, but ptxas compiles all to IADD3(.X) with the same
 * carry predicate, so that addc after sub.cc adds 1 where nothing was borrowed. */
#define CARRY_NONE 0u
#define CARRY_ONE  ALL_LANES
#define CARRY_FLAG (w->frame->carry)
#define EXTENDED(name, LANES_OF, type, wide, x, y, flag_in, with_cc)                                                   \
    HANDLER(name) {                                                                                                    \
        const type *a = LANES_OF(1), *b = LANES_OF(2);                                                                 \
        __attribute__((unused)) const type *c = LANES_OF(3);                                                           \
        const uint32_t in = flag_in;                                                                                   \
        type *d = LANES_OF(0);                                                                                         \
        uint32_t out = 0;                                                                                              \
        if (with_cc) { /* before d is written: d may be a, b or c */                                                   \
            EACH_LANE out |= (uint32_t)(((wide)(type)(x) + (type)(y) + (in >> l & 1)) >> 8 * sizeof(type)) << l;       \
        }                                                                                                              \
        SET_LANES(d, (type)(x) + (type)(y) + (in >> l & 1));                                                           \
        if (with_cc) {                                                                                                 \
            w->frame->carry = (w->frame->carry & ~mask) | (out & mask);                                                \
        }                                                                                                              \
    }
#define EXTENDED_32(name, x, y, flag_in, with_cc) EXTENDED(name, U32, uint32_t, uint64_t, x, y, flag_in, with_cc)
#define EXTENDED_64(name, x, y, flag_in, with_cc) EXTENDED(name, U64, uint64_t, integer_u128, x, y, flag_in, with_cc)

EXTENDED_32(add_cc_b32, a[l], b[l], CARRY_NONE, true)
EXTENDED_32(addc_b32, a[l], b[l], CARRY_FLAG, false)
EXTENDED_32(addc_cc_b32, a[l], b[l], CARRY_FLAG, true)
EXTENDED_32(sub_cc_b32, a[l], ~b[l], CARRY_ONE, true)
EXTENDED_32(subc_b32, a[l], ~b[l], CARRY_FLAG, false)
EXTENDED_32(subc_cc_b32, a[l], ~b[l], CARRY_FLAG, true)
EXTENDED_32(mad_lo_cc_b32, a[l] * b[l], c[l], CARRY_NONE, true)
EXTENDED_32(mad_hi_cc_u32, PRODUCT_U32(a[l], b[l]) >> 32, c[l], CARRY_NONE, true)
EXTENDED_32(mad_hi_cc_s32, PRODUCT_S32(a[l], b[l]) >> 32, c[l], CARRY_NONE, true)
EXTENDED_32(madc_lo_b32, a[l] * b[l], c[l], CARRY_FLAG, false)
EXTENDED_32(madc_hi_u32, PRODUCT_U32(a[l], b[l]) >> 32, c[l], CARRY_FLAG, false)
EXTENDED_32(madc_hi_s32, PRODUCT_S32(a[l], b[l]) >> 32, c[l], CARRY_FLAG, false)
EXTENDED_32(madc_lo_cc_b32, a[l] * b[l], c[l], CARRY_FLAG, true)
EXTENDED_32(madc_hi_cc_u32, PRODUCT_U32(a[l], b[l]) >> 32, c[l], CARRY_FLAG, true)
EXTENDED_32(madc_hi_cc_s32, PRODUCT_S32(a[l], b[l]) >> 32, c[l], CARRY_FLAG, true)

EXTENDED_64(add_cc_b64, a[l], b[l], CARRY_NONE, true)
EXTENDED_64(addc_b64, a[l], b[l], CARRY_FLAG, false)
EXTENDED_64(addc_cc_b64, a[l], b[l], CARRY_FLAG, true)
EXTENDED_64(sub_cc_b64, a[l], ~b[l], CARRY_ONE, true)
EXTENDED_64(subc_b64, a[l], ~b[l], CARRY_FLAG, false)
EXTENDED_64(subc_cc_b64, a[l], ~b[l], CARRY_FLAG, true)
EXTENDED_64(mad_lo_cc_b64, a[l] * b[l], c[l], CARRY_NONE, true)
EXTENDED_64(mad_hi_cc_u64, PRODUCT_U64(a[l], b[l]) >> 64, c[l], CARRY_NONE, true)
EXTENDED_64(mad_hi_cc_s64, PRODUCT_S64(a[l], b[l]) >> 64, c[l], CARRY_NONE, true)
EXTENDED_64(madc_lo_b64, a[l] * b[l], c[l], CARRY_FLAG, false)
EXTENDED_64(madc_hi_u64, PRODUCT_U64(a[l], b[l]) >> 64, c[l], CARRY_FLAG, false)
EXTENDED_64(madc_hi_s64, PRODUCT_S64(a[l], b[l]) >> 64, c[l], CARRY_FLAG, false)
EXTENDED_64(madc_lo_cc_b64, a[l] * b[l], c[l], CARRY_FLAG, true)
EXTENDED_64(madc_hi_cc_u64, PRODUCT_U64(a[l], b[l]) >> 64, c[l], CARRY_FLAG, true)
EXTENDED_64(madc_hi_cc_s64, PRODUCT_S64(a[l], b[l]) >> 64, c[l], CARRY_FLAG, true)

/* ---- div, rem ----
 * div.type d, a, b;  rem.type d, a, b;   type = u16 s16 u32 s32 u64 s64
 *
 * The manual leaves division by zero open. GPUs have no divider: ptxas 13.0 for sm_90a puts a sequence in its place
 * that divides absolute values, corrects the signs, and at the end selects all ones, for the quotient and for the
 * remainder, where the divisor is zero. -2^(n-1) / -1 comes out of it as -2^(n-1), remainder 0. */
#define QUOTIENT_BY_ZERO(type)                ((type)-1)
#define REMAINDER_BY_ZERO(type)               ((type)-1)
#define QUOTIENT_BY_MINUS_ONE(type, utype, x) ((type)(0 - (utype)(x))) /* wraps round for the smallest number */

#define DIVISION_UNSIGNED(bits)                                                                                        \
    static inline uint##bits##_t quotient_u##bits(uint##bits##_t x, uint##bits##_t y) {                                \
        return y == 0 ? QUOTIENT_BY_ZERO(uint##bits##_t) : x / y;                                                      \
    }                                                                                                                  \
    static inline uint##bits##_t remainder_u##bits(uint##bits##_t x, uint##bits##_t y) {                               \
        return y == 0 ? REMAINDER_BY_ZERO(uint##bits##_t) : x % y;                                                     \
    }
#define DIVISION_SIGNED(bits)                                                                                          \
    static inline int##bits##_t quotient_s##bits(int##bits##_t x, int##bits##_t y) {                                   \
        return y == 0    ? QUOTIENT_BY_ZERO(int##bits##_t)                                                             \
               : y == -1 ? QUOTIENT_BY_MINUS_ONE(int##bits##_t, uint##bits##_t, x)                                     \
                         : (int##bits##_t)(x / y);                                                                     \
    }                                                                                                                  \
    static inline int##bits##_t remainder_s##bits(int##bits##_t x, int##bits##_t y) {                                  \
        return y == 0 ? REMAINDER_BY_ZERO(int##bits##_t) : y == -1 ? 0 : (int##bits##_t)(x % y);                       \
    }
DIVISION_UNSIGNED(16)
DIVISION_UNSIGNED(32)
DIVISION_UNSIGNED(64)
DIVISION_SIGNED(16)
DIVISION_SIGNED(32)
DIVISION_SIGNED(64)
BINARY(div_u16, U32, U32, U32, quotient_u16(LOW16(a[l]), LOW16(b[l])))
BINARY(div_s16, U32, U32, U32, LOW16(quotient_s16(SIGNED16(a[l]), SIGNED16(b[l]))))
BINARY(div_u32, U32, U32, U32, quotient_u32(a[l], b[l]))
BINARY(div_s32, S32, S32, S32, quotient_s32(a[l], b[l]))
BINARY(div_u64, U64, U64, U64, quotient_u64(a[l], b[l]))
BINARY(div_s64, S64, S64, S64, quotient_s64(a[l], b[l]))
BINARY(rem_u16, U32, U32, U32, remainder_u16(LOW16(a[l]), LOW16(b[l])))
BINARY(rem_s16, U32, U32, U32, LOW16(remainder_s16(SIGNED16(a[l]), SIGNED16(b[l]))))
BINARY(rem_u32, U32, U32, U32, remainder_u32(a[l], b[l]))
BINARY(rem_s32, S32, S32, S32, remainder_s32(a[l], b[l]))
BINARY(rem_u64, U64, U64, U64, remainder_u64(a[l], b[l]))
BINARY(rem_s64, S64, S64, S64, remainder_s64(a[l], b[l]))

/* ---- abs, neg, sad, min, max ----
 * abs.type d, a;  neg.type d, a;   type = s16 s32 s64; the smallest number stays itself
 * sad.type d, a, b, c;             d = c + |a - b|; type = u16 s16 u32 s32 u64 s64
 * min.type d, a, b;  max.type d, a, b;  min{.relu}.rtype d, a, b;  max{.relu}.rtype d, a, b;
 *     type = u16 s16 u32 s32 u64 s64 u16x2 s16x2, rtype = s32 s16x2; .relu turns negative results into 0 */
UNARY(abs_s16, U32, U32, LOW16(SIGNED16(a[l]) < 0 ? 0 - a[l] : a[l]))
UNARY(abs_s32, U32, S32, a[l] < 0 ? 0 - (uint32_t)a[l] : (uint32_t)a[l])
UNARY(abs_s64, U64, S64, a[l] < 0 ? 0 - (uint64_t)a[l] : (uint64_t)a[l])
UNARY(neg_s16, U32, U32, LOW16(0 - a[l]))
LINEAR_UNARY(neg_s32, U32, U32, 0 - a[l], 0 - as)
LINEAR_UNARY(neg_s64, U64, U64, 0 - a[l], 0 - as)

TERNARY(sad_u16, U32, U32, U32, U32, LOW16(c[l] + (a[l] < b[l] ? b[l] - a[l] : a[l] - b[l])))
TERNARY(sad_s16, U32, U32, U32, U32, LOW16(c[l] + (SIGNED16(a[l]) < SIGNED16(b[l]) ? b[l] - a[l] : a[l] - b[l])))
TERNARY(sad_u32, U32, U32, U32, U32, c[l] + (a[l] < b[l] ? b[l] - a[l] : a[l] - b[l]))
TERNARY(sad_s32, U32, U32, U32, U32, c[l] + ((int32_t)a[l] < (int32_t)b[l] ? b[l] - a[l] : a[l] - b[l]))
TERNARY(sad_u64, U64, U64, U64, U64, c[l] + (a[l] < b[l] ? b[l] - a[l] : a[l] - b[l]))
TERNARY(sad_s64, U64, U64, U64, U64, c[l] + ((int64_t)a[l] < (int64_t)b[l] ? b[l] - a[l] : a[l] - b[l]))

#define WITH_RELU(op, type)                                                                                            \
    HANDLER(op##_##type) {                                                                                             \
        if (i->relu) {                                                                                                 \
            SIM_JOIN(op##_relu_##type, SIM_ISA)(w, i, mask);                                                           \
        } else {                                                                                                       \
            SIM_JOIN(op##_plain_##type, SIM_ISA)(w, i, mask);                                                          \
        }                                                                                                              \
    }
#define MIN_MAX(op, pick)                                                                                              \
    BINARY(op##_u16, U32, U32, U32, pick(a[l], b[l]))                                                                  \
    BINARY(op##_s16, U32, U32, U32, LOW16(pick(SIGNED16(a[l]), SIGNED16(b[l]))))                                       \
    BINARY(op##_u32, U32, U32, U32, pick(a[l], b[l]))                                                                  \
    BINARY(op##_plain_s32, S32, S32, S32, pick(a[l], b[l]))                                                            \
    BINARY(op##_u64, U64, U64, U64, pick(a[l], b[l]))                                                                  \
    BINARY(op##_s64, S64, S64, S64, pick(a[l], b[l]))                                                                  \
    BINARY(op##_u16x2, U32, U32, U32, PACK16(pick(LOW16(a[l]), LOW16(b[l])), pick(HIGH16(a[l]), HIGH16(b[l]))))        \
    BINARY(op##_plain_s16x2, U32, U32, U32,                                                                            \
           PACK16(pick(SIGNED16(a[l]), SIGNED16(b[l])), pick(SIGNED16(HIGH16(a[l])), SIGNED16(HIGH16(b[l])))))         \
    BINARY(op##_relu_s32, S32, S32, S32, LARGER(pick(a[l], b[l]), 0))                                                  \
    BINARY(op##_relu_s16x2, U32, U32, U32,                                                                             \
           PACK16(LARGER(pick(SIGNED16(a[l]), SIGNED16(b[l])), 0),                                                     \
                  LARGER(pick(SIGNED16(HIGH16(a[l])), SIGNED16(HIGH16(b[l]))), 0)))                                    \
    WITH_RELU(op, s32)                                                                                                 \
    WITH_RELU(op, s16x2)
MIN_MAX(min, SMALLER)
MIN_MAX(max, LARGER)

/* ---- counting and finding bits ----
 * popc.type d, a;  clz.type d, a;   type = b32 b64, d is .u32
 * brev.type d, a;                   type = b32 b64
 * bfind{.shiftamt}.type d, a;       type = u32 s32 u64 s64: the place of the highest bit that differs from the sign (or
 *     how far to shift it up to the top), 0xffffffff if there is none
 * fns.b32 d, mask, base, offset;    the offset-th set bit from base on, upwards or downwards; 0xffffffff if none */
UNARY(popc_b32, U32, U32, (uint32_t)__builtin_popcount(a[l]))
UNARY(popc_b64, U32, U64, (uint32_t)__builtin_popcountll(a[l]))
static inline uint32_t leading_zeros_32(uint32_t x) {
    return x == 0 ? 32 : (uint32_t)__builtin_clz(x);
}
static inline uint32_t leading_zeros_64(uint64_t x) {
    return x == 0 ? 64 : (uint32_t)__builtin_clzll(x);
}
UNARY(clz_b32, U32, U32, leading_zeros_32(a[l]))
UNARY(clz_b64, U32, U64, leading_zeros_64(a[l]))
static inline uint32_t reverse_32(uint32_t x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}
UNARY(brev_b32, U32, U32, reverse_32(a[l]))
UNARY(brev_b64, U64, U64, (uint64_t)reverse_32((uint32_t)a[l]) << 32 | reverse_32((uint32_t)(a[l] >> 32)))
/* 31 - clz is the place, or -1 = 0xffffffff for none; the shift amount is clz itself. */
#define FLIP_NEGATIVE(x) ((x) < 0 ? ~(x) : (x))
UNARY(bfind_u32, U32, U32, 31 - leading_zeros_32(a[l]))
UNARY(bfind_s32, U32, S32, 31 - leading_zeros_32((uint32_t)FLIP_NEGATIVE(a[l])))
UNARY(bfind_u64, U32, U64, 63 - leading_zeros_64(a[l]))
UNARY(bfind_s64, U32, S64, 63 - leading_zeros_64((uint64_t)FLIP_NEGATIVE(a[l])))
#define NONE_IS(zeros, bits) ((zeros) == (bits) ? 0xffffffffu : (zeros))
UNARY(bfind_shiftamt_u32, U32, U32, NONE_IS(leading_zeros_32(a[l]), 32))
UNARY(bfind_shiftamt_s32, U32, S32, NONE_IS(leading_zeros_32((uint32_t)FLIP_NEGATIVE(a[l])), 32))
UNARY(bfind_shiftamt_u64, U32, U64, NONE_IS(leading_zeros_64(a[l]), 64))
UNARY(bfind_shiftamt_s64, U32, S64, NONE_IS(leading_zeros_64((uint64_t)FLIP_NEGATIVE(a[l])), 64))

static uint32_t find_nth_set(uint32_t bits, uint32_t base, int32_t offset) {
    if (base > 31) {
        return 0xffffffff; /* undefined in the manual */
    }
    if (offset == 0) {
        return bits >> base & 1 ? base : 0xffffffff;
    }
    const int step = offset > 0 ? 1 : -1;
    int64_t left = offset > 0 ? offset : -(int64_t)offset;
    for (int place = (int)base; place >= 0 && place < 32; place += step) {
        if (bits >> place & 1 && --left == 0) {
            return (uint32_t)place;
        }
    }
    return 0xffffffff;
}
TERNARY(fns_b32, U32, U32, U32, S32, find_nth_set(a[l], b[l], c[l]))

/* ---- bit fields ----
 * bfe.type d, a, b, c;     type = u32 s32 u64 s64: c bits of a from place b on, extended; both mod 256 for 32 bits, and
 *                          for 64, which ptxas makes of several instructions, as they are
 * bfi.type f, a, b, c, d;  type = b32 b64: b with the low d bits of a at place c (both mod 256)
 * bmsk.mode.b32 d, a, b;   b ones from place a on
 * szext.mode.type d, a, b; type = u32 s32: the low b bits of a, extended
 *     mode: .wrap takes numbers mod 32, .clamp treats 32 and more as beyond the register */
#define LOW_ONES_32(n)     ((n) > 31 ? 0xffffffffu : (1u << ((n)&31)) - 1)
#define LOW_ONES_64(n)     ((n) > 63 ? ~UINT64_C(0) : (UINT64_C(1) << ((n)&63)) - 1)
#define FIELD_NUMBER_32(n) ((n)&255)
#define FIELD_NUMBER_64(n) SMALLER(n, 255u)
#define FIELD(bits)                                                                                                    \
    static inline uint##bits##_t extract_u##bits(uint##bits##_t x, uint32_t place, uint32_t length) {                  \
        place = FIELD_NUMBER_##bits(place);                                                                            \
        length = FIELD_NUMBER_##bits(length);                                                                          \
        return place > bits - 1 ? 0 : x >> (place & (bits - 1)) & LOW_ONES_##bits(length);                             \
    }                                                                                                                  \
    static inline uint##bits##_t extract_s##bits(uint##bits##_t x, uint32_t place, uint32_t length) {                  \
        place = FIELD_NUMBER_##bits(place);                                                                            \
        length = FIELD_NUMBER_##bits(length);                                                                          \
        /* shift the field's top up to the register's, then down again; what lies above the register is its sign */    \
        const uint32_t up = place + length < bits ? bits - place - length : 0;                                         \
        const uint32_t down = SMALLER(place + up, bits - 1u);                                                          \
        return length == 0 ? 0 : (uint##bits##_t)((int##bits##_t)(x << (up & (bits - 1))) >> down);                    \
    }                                                                                                                  \
    static inline uint##bits##_t insert_##bits(uint##bits##_t x, uint##bits##_t into, uint32_t place,                  \
                                               uint32_t length) {                                                      \
        place &= 255;                                                                                                  \
        const uint##bits##_t ones = place > bits - 1 ? 0 : LOW_ONES_##bits(length & 255) << (place & (bits - 1));      \
        return (into & ~ones) | (x << (place & (bits - 1)) & ones);                                                    \
    }
FIELD(32)
FIELD(64)
TERNARY(bfe_u32, U32, U32, U32, U32, extract_u32(a[l], b[l], c[l]))
TERNARY(bfe_s32, U32, U32, U32, U32, extract_s32(a[l], b[l], c[l]))
TERNARY(bfe_u64, U64, U64, U32, U32, extract_u64(a[l], b[l], c[l]))
TERNARY(bfe_s64, U64, U64, U32, U32, extract_s64(a[l], b[l], c[l]))
HANDLER(bfi_b32) {
    const uint32_t *a = U32(1), *b = U32(2), *place = U32(3), *length = U32(4);
    uint32_t *d = U32(0);
    SET_LANES(d, insert_32(a[l], b[l], place[l], length[l]));
}
HANDLER(bfi_b64) {
    const uint64_t *a = U64(1), *b = U64(2);
    const uint32_t *place = U32(3), *length = U32(4);
    uint64_t *d = U64(0);
    SET_LANES(d, insert_64(a[l], b[l], place[l], length[l]));
}
#define ONES_FROM(place, length) (LOW_ONES_32(length) << (place))
BINARY(bmsk_clamp_b32, U32, U32, U32, a[l] > 31 ? 0 : ONES_FROM(a[l] & 31, b[l]))
BINARY(bmsk_wrap_b32, U32, U32, U32, ONES_FROM(a[l] & 31, b[l] & 31))
static inline uint32_t extend_s32(uint32_t x, uint32_t bits) {
    return bits == 0 ? 0 : bits > 31 ? x : (uint32_t)((int32_t)(x << ((32 - bits) & 31)) >> ((32 - bits) & 31));
}
BINARY(szext_clamp_u32, U32, U32, U32, a[l] & LOW_ONES_32(b[l]))
BINARY(szext_wrap_u32, U32, U32, U32, a[l] & LOW_ONES_32(b[l] & 31))
BINARY(szext_clamp_s32, U32, U32, U32, extend_s32(a[l], b[l]))
BINARY(szext_wrap_s32, U32, U32, U32, extend_s32(a[l], b[l] & 31))

/* ---- dot products ----
 * dp4a.atype.btype d, a, b, c;       d = c + the sum over the four bytes of a and b
 * dp2a.mode.atype.btype d, a, b, c;  d = c + the sum over the halves of a and two bytes of b (.lo: 0, 1; .hi: 2, 3)
 *     atype, btype = u32 s32 */
#define PART(type, x, shift) ((uint32_t)(type)((x) >> (shift)))
#define DP4A(types, at, bt)                                                                                            \
    TERNARY(dp4a_##types, U32, U32, U32, U32,                                                                          \
            c[l] + PART(at, a[l], 0) * PART(bt, b[l], 0) + PART(at, a[l], 8) * PART(bt, b[l], 8) +                     \
                PART(at, a[l], 16) * PART(bt, b[l], 16) + PART(at, a[l], 24) * PART(bt, b[l], 24))
#define DP2A(mode, first, types, at, bt)                                                                               \
    TERNARY(dp2a_##mode##_##types, U32, U32, U32, U32,                                                                 \
            c[l] + PART(at, a[l], 0) * PART(bt, b[l], first) + PART(at, a[l], 16) * PART(bt, b[l], (first) + 8))
DP4A(u32_u32, uint8_t, uint8_t)
DP4A(u32_s32, uint8_t, int8_t)
DP4A(s32_u32, int8_t, uint8_t)
DP4A(s32_s32, int8_t, int8_t)
DP2A(lo, 0, u32_u32, uint16_t, uint8_t)
DP2A(lo, 0, u32_s32, uint16_t, int8_t)
DP2A(lo, 0, s32_u32, int16_t, uint8_t)
DP2A(lo, 0, s32_s32, int16_t, int8_t)
DP2A(hi, 16, u32_u32, uint16_t, uint8_t)
DP2A(hi, 16, u32_s32, uint16_t, int8_t)
DP2A(hi, 16, s32_u32, int16_t, uint8_t)
DP2A(hi, 16, s32_s32, int16_t, int8_t)

/* vabsdiff4.u32.type.type{.add} d, a, b, c;  vabsdiff2...   type = u32 s32: all that CUDA 13's SIMD intrinsics still
 * use |a - b| of every byte (half); .add: their sum + c, otherwise they are put side by side and c is not used. */
#define SIGNED_PART(type, x, shift) ((int32_t)(type)((x) >> (shift)))
#define DIFFERENCE(type, x, y, shift)                                                                                  \
    ((uint32_t)(SIGNED_PART(type, x, shift) > SIGNED_PART(type, y, shift)                                              \
                    ? SIGNED_PART(type, x, shift) - SIGNED_PART(type, y, shift)                                        \
                    : SIGNED_PART(type, y, shift) - SIGNED_PART(type, x, shift)))
#define ABSOLUTE_DIFFERENCES(type, byte, half)                                                                         \
    BINARY(vabsdiff4_##type, U32, U32, U32,                                                                            \
           DIFFERENCE(byte, a[l], b[l], 0) | DIFFERENCE(byte, a[l], b[l], 8) << 8 |                                    \
               DIFFERENCE(byte, a[l], b[l], 16) << 16 | DIFFERENCE(byte, a[l], b[l], 24) << 24)                        \
    BINARY(vabsdiff2_##type, U32, U32, U32, DIFFERENCE(half, a[l], b[l], 0) | DIFFERENCE(half, a[l], b[l], 16) << 16)  \
    TERNARY(vabsdiff4_add_##type, U32, U32, U32, U32,                                                                  \
            c[l] + DIFFERENCE(byte, a[l], b[l], 0) + DIFFERENCE(byte, a[l], b[l], 8) +                                 \
                DIFFERENCE(byte, a[l], b[l], 16) + DIFFERENCE(byte, a[l], b[l], 24))                                   \
    TERNARY(vabsdiff2_add_##type, U32, U32, U32, U32,                                                                  \
            c[l] + DIFFERENCE(half, a[l], b[l], 0) + DIFFERENCE(half, a[l], b[l], 16))
ABSOLUTE_DIFFERENCES(u32, uint8_t, uint16_t)
ABSOLUTE_DIFFERENCES(s32, int8_t, int16_t)

/* ---- logic ----
 * and.type d, a, b;  or.type d, a, b;  xor.type d, a, b;  not.type d, a;   type = pred b16 b32 b64
 * cnot.type d, a;   d = a == 0; type = b16 b32 b64
 * Predicates are masks, a lane a bit. */
BINARY(and_b32, U32, U32, U32, a[l] & b[l])
BINARY(and_b64, U64, U64, U64, a[l] & b[l])
BINARY(or_b32, U32, U32, U32, a[l] | b[l])
BINARY(or_b64, U64, U64, U64, a[l] | b[l])
BINARY(xor_b32, U32, U32, U32, a[l] ^ b[l])
BINARY(xor_b64, U64, U64, U64, a[l] ^ b[l])
UNARY(not_b16, U32, U32, LOW16(~a[l]))
LINEAR_UNARY(not_b32, U32, U32, ~a[l], 0 - as)
LINEAR_UNARY(not_b64, U64, U64, ~a[l], 0 - as)
UNARY(cnot_b32, U32, U32, a[l] == 0)
UNARY(cnot_b64, U64, U64, a[l] == 0)
HANDLER(and_pred) {
    SET_PRED(0, PRED(1) & PRED(2));
}
HANDLER(or_pred) {
    SET_PRED(0, PRED(1) | PRED(2));
}
HANDLER(xor_pred) {
    SET_PRED(0, PRED(1) ^ PRED(2));
}
HANDLER(not_pred) {
    SET_PRED(0, ~PRED(1));
}

/* lop3.b32 d, a, b, c, immLut;  lop3.BoolOp.b32 d|p, a, b, c, immLut, q;   BoolOp = or and
 * Every bit of d is the bit of immLut that the bits of a, b, c (a the highest) number; p = (d != 0) BoolOp q.
 * A tree of seven multiplexers: the four of c choose between constants, so that x ^ ((x ^ y) & c) is x ^ (k & c). */
HANDLER(lop3_b32) {
    const uint32_t *a = U32(1), *b = U32(2), *c = U32(3);
    uint32_t *d = U32(0);
    uint32_t one[8];
    for (int k = 0; k < 8; k++) {
        one[k] = i->imm >> k & 1 ? 0xffffffff : 0;
    }
    const uint32_t k00 = one[0], k01 = one[2], k10 = one[4], k11 = one[6];
    const uint32_t t00 = one[0] ^ one[1], t01 = one[2] ^ one[3], t10 = one[4] ^ one[5], t11 = one[6] ^ one[7];
#define CHOOSE(x, y, which) ((x) ^ (((x) ^ (y)) & (which)))
    SET_LANES(d, CHOOSE(CHOOSE(k00 ^ (t00 & c[l]), k01 ^ (t01 & c[l]), b[l]),
                        CHOOSE(k10 ^ (t10 & c[l]), k11 ^ (t11 & c[l]), b[l]), a[l]));
}
#define LOP3_BOOL(op, combined)                                                                                        \
    HANDLER(lop3_##op##_b32) {                                                                                         \
        const uint32_t *a = U32(2), *b = U32(3), *c = U32(4);                                                          \
        const uint32_t q = i->boolean_negate ? ~PRED(5) : PRED(5);                                                     \
        uint32_t result[LANES], *d = U32(0), some = 0;                                                                 \
        EACH_LANE {                                                                                                    \
            result[l] = 0;                                                                                             \
            for (int k = 0; k < 8; k++) {                                                                              \
                const uint32_t term = (k & 4 ? a[l] : ~a[l]) & (k & 2 ? b[l] : ~b[l]) & (k & 1 ? c[l] : ~c[l]);        \
                result[l] |= i->imm >> k & 1 ? term : 0;                                                               \
            }                                                                                                          \
        }                                                                                                              \
        EACH_LANE some |= (uint32_t)(result[l] != 0) << l;                                                             \
        SET_LANES(d, result[l]);                                                                                       \
        SET_PRED(1, combined);                                                                                         \
    }
LOP3_BOOL(and, some &q)
LOP3_BOOL(or, some | q)

/* ---- shifts ----
 * shl.type d, a, b;         type = b16 b32 b64
 * shr.type d, a, b;         type = b16 b32 b64 u16 u32 u64 s16 s32 s64; b is .u32, counts beyond the width are clamped
 * shf.dir.mode.b32 d, a, b, c;   the pair b:a shifted by c (.wrap: mod 32, .clamp: at most 32);
 *     .l gives the upper word, .r the lower */
BINARY(shl_b16, U32, U32, U32, b[l] > 15 ? 0 : LOW16(a[l] << (b[l] & 15)))
LINEAR_BINARY(shl_b32, U32, U32, U32, b[l] > 31 ? 0 : a[l] << (b[l] & 31), bs == 0, b[0] > 31 ? 0 : as << (b[0] & 31))
LINEAR_BINARY(shl_b64, U64, U64, U32, b[l] > 63 ? 0 : a[l] << (b[l] & 63), bs == 0, b[0] > 63 ? 0 : as << (b[0] & 63))
BINARY(shr_u16, U32, U32, U32, b[l] > 15 ? 0 : a[l] >> (b[l] & 15))
BINARY(shr_u32, U32, U32, U32, b[l] > 31 ? 0 : a[l] >> (b[l] & 31))
BINARY(shr_u64, U64, U64, U32, b[l] > 63 ? 0 : a[l] >> (b[l] & 63))
BINARY(shr_s16, U32, U32, U32, LOW16(SIGNED16(a[l]) >> SMALLER(b[l], 15)))
BINARY(shr_s32, S32, S32, U32, a[l] >> SMALLER(b[l], 31))
BINARY(shr_s64, S64, S64, U32, a[l] >> SMALLER(b[l], 63))
#define PAIR(high, low) ((uint64_t)(high) << 32 | (low))
TERNARY(shf_l_wrap_b32, U32, U32, U32, U32, (uint32_t)(PAIR(b[l], a[l]) << (c[l] & 31) >> 32))
TERNARY(shf_r_wrap_b32, U32, U32, U32, U32, (uint32_t)(PAIR(b[l], a[l]) >> (c[l] & 31)))
TERNARY(shf_l_clamp_b32, U32, U32, U32, U32, (uint32_t)(PAIR(b[l], a[l]) << SMALLER(c[l], 32) >> 32))
TERNARY(shf_r_clamp_b32, U32, U32, U32, U32, (uint32_t)(PAIR(b[l], a[l]) >> SMALLER(c[l], 32)))

/* prmt.b32{.mode} d, a, b, c;   mode = f4e b4e rc8 ecl ecr rc16
 * Every byte of d is one of the eight bytes of b:a. Without a mode, the low four hexadecimal digits of c choose them
 * (8 and more: that byte's sign, eight times); with a mode, the low two bits of c choose such a number from a table. */
static inline uint32_t permuted_byte(uint32_t a, uint32_t b, uint32_t selector) {
    const uint32_t byte = (selector & 4 ? b : a) >> ((selector & 3) * 8) & 0xff;
    const uint32_t sign = byte & 0x80 ? 0xff : 0;
    return selector & 8 ? sign : byte;
}
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selectors) {
    return permuted_byte(a, b, selectors) | permuted_byte(a, b, selectors >> 4) << 8 |
           permuted_byte(a, b, selectors >> 8) << 16 | permuted_byte(a, b, selectors >> 12) << 24;
}
#define PRMT_MODE(mode, s0, s1, s2, s3)                                                                                \
    HANDLER(prmt_##mode##_b32) {                                                                                       \
        static const uint16_t selectors[4] = {s0, s1, s2, s3};                                                         \
        const uint32_t *a = U32(1), *b = U32(2), *c = U32(3);                                                          \
        uint32_t *d = U32(0);                                                                                          \
        SET_LANES(d, permute(a[l], b[l], selectors[c[l] & 3]));                                                        \
    }
TERNARY(prmt_b32, U32, U32, U32, U32, permute(a[l], b[l], c[l]))
PRMT_MODE(f4e, 0x3210, 0x4321, 0x5432, 0x6543)
PRMT_MODE(b4e, 0x5670, 0x6701, 0x7012, 0x0123)
PRMT_MODE(rc8, 0x0000, 0x1111, 0x2222, 0x3333)
PRMT_MODE(ecl, 0x3210, 0x3211, 0x3222, 0x3333)
PRMT_MODE(ecr, 0x0000, 0x1110, 0x2210, 0x3210)
PRMT_MODE(rc16, 0x1010, 0x3232, 0x1010, 0x3232)

/* ---- moves and selection ----
 * mov.type d, a;                       type = pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64
 * selp.type d, a, b, c;                d = c ? a : b, c a predicate; the same types, without pred
 * slct.type.s32 d, a, b, c;            d = c >= 0 ? a : b; the same types
 * slct{.ftz}.type.f32 d, a, b, c;      the same; b if c is NaN; .ftz: a subnormal c is a zero, and -0 >= 0 */
LINEAR_UNARY(mov_b32, U32, U32, a[l], as)
LINEAR_UNARY(mov_b64, U64, U64, a[l], as)
HANDLER(mov_pred) {
    SET_PRED(0, PRED(1));
}

#define SELECT(name, LANES_OF, type)                                                                                   \
    HANDLER(name) {                                                                                                    \
        const type *a = LANES_OF(1), *b = LANES_OF(2);                                                                 \
        const uint32_t c = PRED(3);                                                                                    \
        type *d = LANES_OF(0);                                                                                         \
        SET_LANES(d, c >> l & 1 ? a[l] : b[l]);                                                                        \
    }                                                                                                                  \
    QUICK_HANDLER(name##_affine, affine_give_up(w, i, mask, 2, SIM_JOIN(name, SIM_ISA))) {                             \
        const uint32_t c = PRED(3);                                                                                    \
        const affine *f = c != 0 ? AFFINE(1) : AFFINE(2);                                                              \
        if (!(mask == ALL_LANES && f->kept && (c == ALL_LANES || c == 0))) return false;                               \
        affine_set(AFFINE(0), f->base, f->step, sizeof(type));                                                         \
        return true;                                                                                                   \
    }
SELECT(selp_b32, U32, uint32_t)
SELECT(selp_b64, U64, uint64_t)

TERNARY(slct_b32_s32, U32, U32, U32, S32, c[l] >= 0 ? a[l] : b[l])
TERNARY(slct_b64_s32, U64, U64, U64, S32, c[l] >= 0 ? a[l] : b[l])
/* On the bits of c: 0 .. +inf are at or above zero, and so is -0 (with .ftz every negative subnormal). */
#define AT_LEAST_ZERO(bits, ftz)                                                                                       \
    ((bits) <= 0x7f800000 || ((bits) >= 0x80000000 && (bits) <= ((ftz) ? 0x807fffff : 0x80000000)))
TERNARY(slct_b32_f32, U32, U32, U32, U32, AT_LEAST_ZERO(c[l], i->ftz) ? a[l] : b[l])
TERNARY(slct_b64_f32, U64, U64, U64, U32, AT_LEAST_ZERO(c[l], i->ftz) ? a[l] : b[l])
