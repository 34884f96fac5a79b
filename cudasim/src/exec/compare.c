/* Comparisons: set and setp.
 *
 * A comparison gives 32 bits, a lane a bit, which is what a predicate is; set spreads them over the lanes again.
 */
#include "exec/affine.h"
#include "exec/lanes.h"

/* bits = the lanes where `condition` holds. The compiler makes a vector of single bits of it and joins them. */
#define COLLECT(bits, condition)                                                                                       \
    do {                                                                                                               \
        bits = 0;                                                                                                      \
        EACH_LANE bits |= (condition) ? (uint32_t)1 << l : 0;                                                          \
    } while (0)

static _Noreturn void no_such_comparison(warp *w, const insn *i, uint32_t mask) {
    sim_fault(w, i, mask, SIM_UNSUPPORTED, "comparison operator %d does not exist for this type", i->compare);
}

/* a eq|ne|lt|le|gt|ge b; lo, ls, hi, hs are the unsigned names of lt, le, gt, ge. */
#define INTEGER_WHERE(name, type, is_unsigned)                                                                         \
    static inline uint32_t where_##name(warp *w, const insn *i, uint32_t mask, const type *a, const type *b) {         \
        uint32_t bits;                                                                                                 \
        if (!(is_unsigned) && i->compare >= COMPARE_LO) {                                                              \
            no_such_comparison(w, i, mask);                                                                            \
        }                                                                                                              \
        switch (i->compare) {                                                                                          \
        case COMPARE_EQ:                                                                                               \
            COLLECT(bits, a[l] == b[l]);                                                                               \
            return bits;                                                                                               \
        case COMPARE_NE:                                                                                               \
            COLLECT(bits, a[l] == b[l]);                                                                               \
            return ~bits;                                                                                              \
        case COMPARE_LO:                                                                                               \
        case COMPARE_LT:                                                                                               \
            COLLECT(bits, a[l] < b[l]);                                                                                \
            return bits;                                                                                               \
        case COMPARE_HS:                                                                                               \
        case COMPARE_GE:                                                                                               \
            COLLECT(bits, a[l] < b[l]);                                                                                \
            return ~bits;                                                                                              \
        case COMPARE_HI:                                                                                               \
        case COMPARE_GT:                                                                                               \
            COLLECT(bits, a[l] > b[l]);                                                                                \
            return bits;                                                                                               \
        case COMPARE_LS:                                                                                               \
        case COMPARE_LE:                                                                                               \
            COLLECT(bits, a[l] > b[l]);                                                                                \
            return ~bits;                                                                                              \
        default:                                                                                                       \
            no_such_comparison(w, i, mask);                                                                            \
        }                                                                                                              \
    }

/* eq ... ge are false where a or b is NaN, equ ... geu true: each the complement of the opposite ordered one. */
#define FLOAT_WHERE(name, type)                                                                                        \
    static inline uint32_t where_##name(warp *w, const insn *i, uint32_t mask, const type *a, const type *b) {         \
        uint32_t bits;                                                                                                 \
        switch (i->compare) {                                                                                          \
        case COMPARE_EQ:                                                                                               \
            COLLECT(bits, a[l] == b[l]);                                                                               \
            return bits;                                                                                               \
        case COMPARE_NEU:                                                                                              \
            COLLECT(bits, a[l] == b[l]);                                                                               \
            return ~bits;                                                                                              \
        case COMPARE_LT:                                                                                               \
            COLLECT(bits, a[l] < b[l]);                                                                                \
            return bits;                                                                                               \
        case COMPARE_GEU:                                                                                              \
            COLLECT(bits, a[l] < b[l]);                                                                                \
            return ~bits;                                                                                              \
        case COMPARE_LE:                                                                                               \
            COLLECT(bits, a[l] <= b[l]);                                                                               \
            return bits;                                                                                               \
        case COMPARE_GTU:                                                                                              \
            COLLECT(bits, a[l] <= b[l]);                                                                               \
            return ~bits;                                                                                              \
        case COMPARE_GT:                                                                                               \
            COLLECT(bits, a[l] > b[l]);                                                                                \
            return bits;                                                                                               \
        case COMPARE_LEU:                                                                                              \
            COLLECT(bits, a[l] > b[l]);                                                                                \
            return ~bits;                                                                                              \
        case COMPARE_GE:                                                                                               \
            COLLECT(bits, a[l] >= b[l]);                                                                               \
            return bits;                                                                                               \
        case COMPARE_LTU:                                                                                              \
            COLLECT(bits, a[l] >= b[l]);                                                                               \
            return ~bits;                                                                                              \
        case COMPARE_NE:                                                                                               \
            COLLECT(bits, (a[l] < b[l]) | (a[l] > b[l]));                                                              \
            return bits;                                                                                               \
        case COMPARE_EQU:                                                                                              \
            COLLECT(bits, (a[l] < b[l]) | (a[l] > b[l]));                                                              \
            return ~bits;                                                                                              \
        case COMPARE_NUM:                                                                                              \
            COLLECT(bits, (a[l] != a[l]) | (b[l] != b[l]));                                                            \
            return ~bits;                                                                                              \
        case COMPARE_NAN:                                                                                              \
            COLLECT(bits, (a[l] != a[l]) | (b[l] != b[l]));                                                            \
            return bits;                                                                                               \
        default:                                                                                                       \
            no_such_comparison(w, i, mask);                                                                            \
        }                                                                                                              \
    }

INTEGER_WHERE(u32, uint32_t, true)
INTEGER_WHERE(s32, int32_t, false)
INTEGER_WHERE(u64, uint64_t, true)
INTEGER_WHERE(s64, int64_t, false)
FLOAT_WHERE(f32, float)
FLOAT_WHERE(f64, double)

/* The types without a loop of their own are widened first; a comparison does not care. */
#define COMPARE_WIDENED 128 /* bytes: alignment, as registers have it */
typedef struct widened {
    _Alignas(COMPARE_WIDENED) uint32_t a[LANES];
    _Alignas(COMPARE_WIDENED) uint32_t b[LANES];
} widened;

/* .ftz: subnormal inputs are zeros (of either sign: they compare alike). */
static inline uint32_t flushed_f32(uint32_t x) {
    return (x & 0x7f800000) == 0 ? 0 : x;
}

/* An f16 as an f32 that compares alike: zeros as zeros, NaN as NaN, the others in the same order. (Its value would need
 * arithmetic for the subnormals; the order only needs the bits, moved up into f32's normal numbers.) */
static inline uint32_t f32_of_f16(uint32_t half, bool ftz) {
    const uint32_t sign = (half & 0x8000) << 16, rest = half & 0x7fff;
    const uint32_t moved = rest < (ftz ? 0x400u : 1u) ? 0 : (rest << 13) + 0x800000;
    return sign | (rest > 0x7c00 ? 0x7fc00000 : moved);
}
static inline uint32_t f32_of_bf16(uint32_t half) {
    return half << 16;
}

#define WIDENED_WHERE(name, element, where, convert)                                                                   \
    static __attribute__((noinline))                                                                                   \
    uint32_t where_##name(warp *w, const insn *i, uint32_t mask, const uint32_t *from_a, const uint32_t *from_b) {     \
        widened x;                                                                                                     \
        EACH_LANE x.a[l] = convert(from_a[l]);                                                                         \
        EACH_LANE x.b[l] = convert(from_b[l]);                                                                         \
        return where(w, i, mask, (const element *)x.a, (const element *)x.b);                                          \
    }
#define LOW_S16(x)   ((uint32_t)(int16_t)(x))
#define LOW_F16(x)   f32_of_f16((x)&0xffff, i->ftz)
#define HIGH_F16(x)  f32_of_f16((x) >> 16, i->ftz)
#define LOW_BF16(x)  f32_of_bf16((x)&0xffff)
#define HIGH_BF16(x) f32_of_bf16((x) >> 16)
WIDENED_WHERE(s16, int32_t, where_s32, LOW_S16)
WIDENED_WHERE(f32_ftz, float, where_f32, flushed_f32)
WIDENED_WHERE(f16, float, where_f32, LOW_F16)
WIDENED_WHERE(f16_high, float, where_f32, HIGH_F16)
WIDENED_WHERE(bf16, float, where_f32, LOW_BF16)
WIDENED_WHERE(bf16_high, float, where_f32, HIGH_BF16)

/* The optional Boolean operator and its predicate, operand `n` of set and setp. */
static inline uint32_t combined(const warp *w, const insn *i, int n, uint32_t bits) {
    const uint32_t c = PRED(n) ^ (i->boolean_negate ? ALL_LANES : 0);
    switch (i->boolean) {
    case BOOLEAN_AND:
        return bits & c;
    case BOOLEAN_OR:
        return bits | c;
    case BOOLEAN_XOR:
        return bits ^ c;
    default:
        return bits;
    }
}

/* setp.CmpOp{.ftz}.type p[|q], a, b;  setp.CmpOp.BoolOp{.ftz}.type p[|q], a, b, {!}c;
 *     p = (a CmpOp b) BoolOp c, q = !(a CmpOp b) BoolOp c
 *     type = b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 f16 bf16
 * With f16x2 and bf16x2, p is for the lower halves and q for the upper ones. */
static inline void set_predicates(warp *w, const insn *i, uint32_t mask, uint32_t t, uint32_t u) {
    const uint32_t p = combined(w, i, 4, t), q = combined(w, i, 4, u); /* before p is written: c may be p */
    SET_PRED(0, p);
    SET_PRED(1, q);
}
#define SETP(name, LANES_OF)                                                                                           \
    HANDLER(setp_##name) {                                                                                             \
        const uint32_t t = where_##name(w, i, mask, LANES_OF(2), LANES_OF(3));                                         \
        set_predicates(w, i, mask, t, ~t);                                                                             \
    }

/* What is the same in all lanes is compared once (affine.h). */
#define IF_LESS    1u
#define IF_EQUAL   2u
#define IF_GREATER 4u
static const uint8_t holds_if[] = {
    [COMPARE_EQ] = IF_EQUAL,
    [COMPARE_NE] = IF_LESS | IF_GREATER,
    [COMPARE_LT] = IF_LESS,
    [COMPARE_LO] = IF_LESS,
    [COMPARE_LE] = IF_LESS | IF_EQUAL,
    [COMPARE_LS] = IF_LESS | IF_EQUAL,
    [COMPARE_GT] = IF_GREATER,
    [COMPARE_HI] = IF_GREATER,
    [COMPARE_GE] = IF_GREATER | IF_EQUAL,
    [COMPARE_HS] = IF_GREATER | IF_EQUAL,
};
static __attribute__((noinline)) void setp_spread(warp *w, const insn *i, uint32_t mask, sim_handler *plain) {
    affine_spread(w, i->op[2]);
    affine_spread(w, i->op[3]);
    plain(w, i, mask);
}
#define SETP_AFFINE(name, type, last_comparison)                                                                       \
    QUICK_HANDLER(setp_##name##_affine, setp_spread(w, i, mask, SIM_JOIN(setp_##name, SIM_ISA))) {                     \
        const affine *fa = AFFINE(2), *fb = AFFINE(3);                                                                 \
        if (!((fa->kept & fb->kept) && (fa->step | fb->step) == 0 && i->compare <= (last_comparison))) return false;   \
        const type a = (type)fa->base, b = (type)fb->base;                                                             \
        const unsigned order = a < b ? IF_LESS : a > b ? IF_GREATER : IF_EQUAL;                                        \
        const uint32_t t = holds_if[i->compare] & order ? ALL_LANES : 0;                                               \
        set_predicates(w, i, mask, t, ~t);                                                                             \
        return true;                                                                                                   \
    }
SETP(u32, U32) /* 16 bits too: they lie zero-extended */
SETP(s16, U32)
SETP(s32, S32)
SETP(u64, U64)
SETP(s64, S64)
SETP(f64, F64)
SETP(f16, U32)
SETP(bf16, U32)
SETP_AFFINE(u32, uint32_t, COMPARE_HS)
SETP_AFFINE(s32, int32_t, COMPARE_GE)
SETP_AFFINE(u64, uint64_t, COMPARE_HS)
SETP_AFFINE(s64, int64_t, COMPARE_GE)
HANDLER(setp_f32) {
    const uint32_t t = i->ftz ? where_f32_ftz(w, i, mask, U32(2), U32(3)) : where_f32(w, i, mask, F32(2), F32(3));
    set_predicates(w, i, mask, t, ~t);
}
HANDLER(setp_f16x2) {
    set_predicates(w, i, mask, where_f16(w, i, mask, U32(2), U32(3)), where_f16_high(w, i, mask, U32(2), U32(3)));
}
HANDLER(setp_bf16x2) {
    set_predicates(w, i, mask, where_bf16(w, i, mask, U32(2), U32(3)), where_bf16_high(w, i, mask, U32(2), U32(3)));
}

/* set.CmpOp{.ftz}.dtype.stype d, a, b;  set.CmpOp.BoolOp{.ftz}.dtype.stype d, a, b, {!}c;
 *     dtype = u32 s32: 0xffffffff or 0;  f32, f16, bf16: 1.0 or 0;  u16 s16 (of f16, bf16): 0xffff or 0
 * stype = f16x2, bf16x2: each half by itself; dtype = u32 s32: 0xffff or 0, the stype: 1.0 or 0. */
#define SET(result, when_true, name, LANES_OF)                                                                         \
    HANDLER(set_##result##_##name) {                                                                                   \
        const uint32_t bits = combined(w, i, 3, where_##name(w, i, mask, LANES_OF(1), LANES_OF(2)));                   \
        uint32_t *d = U32(0);                                                                                          \
        SET_LANES(d, bits >> l & 1 ? when_true : 0);                                                                   \
    }
#define ONES_32  0xffffffffu
#define ONES_16  0xffffu
#define ONE_F32  0x3f800000u
#define ONE_F16  0x3c00u
#define ONE_BF16 0x3f80u
static inline uint32_t where_f32_either(warp *w, const insn *i, uint32_t mask, const float *a, const float *b) {
    return i->ftz ? where_f32_ftz(w, i, mask, (const uint32_t *)a, (const uint32_t *)b) : where_f32(w, i, mask, a, b);
}
#define SET_FROM_WIDE(result, when_true)                                                                               \
    SET(result, when_true, u32, U32)                                                                                   \
    SET(result, when_true, s16, U32)                                                                                   \
    SET(result, when_true, s32, S32)                                                                                   \
    SET(result, when_true, u64, U64)                                                                                   \
    SET(result, when_true, s64, S64)                                                                                   \
    SET(result, when_true, f32_either, F32)                                                                            \
    SET(result, when_true, f64, F64)
SET_FROM_WIDE(b32, ONES_32)
SET_FROM_WIDE(f32, ONE_F32)
SET_FROM_WIDE(f16, ONE_F16)
SET_FROM_WIDE(bf16, ONE_BF16)
SET(b32, ONES_32, f16, U32)
SET(b32, ONES_32, bf16, U32)
SET(b16, ONES_16, f16, U32)
SET(b16, ONES_16, bf16, U32)
SET(f16, ONE_F16, f16, U32)
SET(bf16, ONE_BF16, f16, U32)
SET(bf16, ONE_BF16, bf16, U32)

#define SET_X2(result, when_true, name)                                                                                \
    HANDLER(set_##result##_##name##x2) {                                                                               \
        const uint32_t low = combined(w, i, 3, where_##name(w, i, mask, U32(1), U32(2)));                              \
        const uint32_t high = combined(w, i, 3, where_##name##_high(w, i, mask, U32(1), U32(2)));                      \
        uint32_t *d = U32(0);                                                                                          \
        SET_LANES(d, (low >> l & 1 ? when_true : 0) | (high >> l & 1 ? when_true << 16 : 0));                          \
    }
SET_X2(b32, ONES_16, f16)
SET_X2(b32, ONES_16, bf16)
SET_X2(f16, ONE_F16, f16)
SET_X2(bf16, ONE_BF16, bf16)
