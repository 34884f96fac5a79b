/* Integer arithmetic.
 *
 * Wrap-around arithmetic is the same for signed and unsigned numbers, so one handler serves both; it is done on
 * unsigned ones, because signed overflow is undefined in C. 16-bit registers are 32-bit lanes with zero upper halves:
 * results are cut to 16 bits, signed inputs are extended. */
#include "exec/integer.h"

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
