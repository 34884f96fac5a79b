/* Bits: counting and finding them, fields, logic, shifts, bytes; predicates, moves and selection. */
#include "exec/integer.h"

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
