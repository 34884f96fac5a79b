/* Conversions of floating-point numbers and integers against exact models. */
#include "float_case.h"

/* ---- conversions: the types at hand, for the models ---- */

typedef struct type {
    const char *name;
    int bits;
    bool is_signed;
    const format *f; /* NULL: an integer */
} type;
static const type u8 = {"u8", 8, false, NULL}, s8 = {"s8", 8, true, NULL}, u16 = {"u16", 16, false, NULL},
                  s16 = {"s16", 16, true, NULL}, u32 = {"u32", 32, false, NULL}, s32 = {"s32", 32, true, NULL},
                  u64 = {"u64", 64, false, NULL}, s64 = {"s64", 64, true, NULL}, f16 = {"f16", 16, false, &F16},
                  bf16 = {"bf16", 16, false, &BF16}, f32 = {"f32", 32, false, &F32_}, f64 = {"f64", 64, false, &F64_};
static type to_type, from_type;

static uint64_t any_integer(void) {
    uint64_t r = random_bits();
    int digits = (int)(r % 65);
    uint64_t x = digits ? random_bits() >> (64 - digits) : 0;
    return r >> 8 & 1 ? x : r >> 9 & 1 ? 0 - x : ~(x & (x - 1));
}

/* For conversions to integers: around the bounds of the integer types and halves. */
static uint64_t any_for_integer(void) {
    uint64_t r = random_bits();
    if (r & 1 && from_type.f) {
        exact n =
            exact_of(r >> 8 & 1, 1 + (random_bits() & 15), (int)(random_bits() % 12) - 8 + 8 * (int)(r >> 10 & 7));
        exact offset = exact_of(r >> 9 & 1, random_bits() & 7, -2);
        n = exact_add(n, offset);
        return round_exact(&n, from_type.f, ROUND_RN, true);
    }
    return number_of(from_type.f);
}

static uint64_t any_float_source(void) {
    return number_of(from_type.f);
}

static __int128 integer_value(uint64_t x, type t) {
    if (t.bits < 64) x &= (1ull << t.bits) - 1;
    return t.is_signed && x >> (t.bits - 1) & 1 ? (__int128)x - ((__int128)1 << t.bits) : (__int128)x;
}

/* An integer as a register of `width` bytes holds it, zero-extended to the lane. */
static uint64_t in_register(__int128 value, int width) {
    return width == 8 ? (uint64_t)value : (uint64_t)value & ((1ull << 8 * width) - 1);
}

static __int128 least_of(type t) {
    return t.is_signed ? -((__int128)1 << (t.bits - 1)) : 0;
}
static __int128 most_of(type t) {
    return ((__int128)1 << (t.bits - t.is_signed)) - 1;
}

static uint64_t model_convert(const insn *i, const uint64_t *x) {
    if (!from_type.f && !to_type.f) {
        __int128 value = integer_value(x[0], from_type);
        if (i->sat && value < least_of(to_type)) value = least_of(to_type);
        if (i->sat && value > most_of(to_type)) value = most_of(to_type);
        return in_register(integer_value((uint64_t)value, to_type), i->width);
    }
    if (!from_type.f) {
        __int128 value = integer_value(x[0], from_type);
        exact n = exact_of(value < 0, (unsigned __int128)(value < 0 ? -value : value), 0);
        insn plain = {.sat = i->sat};
        return finish(&plain, round_exact(&n, to_type.f, i->rounding, false), to_type.f);
    }
    uint64_t a = x[0];
    const format *from = from_type.f;
    if (i->ftz && from->digits == 24 && to_type.f != &F16) a = flush(a, from);
    if (!to_type.f) {
        __int128 value;
        if (is_nan(a, from)) {
            value = to_type.bits < 64 && from->digits < 53 ? 0 : (__int128)((uint64_t)1 << (to_type.bits - 1));
            value = integer_value((uint64_t)value, to_type);
            return in_register(value, i->width);
        }
        if (is_infinite(a, from)) {
            value = is_negative(a, from) ? least_of(to_type) : most_of(to_type);
        } else {
            exact n = exact_number(a, from);
            if (exact_top(&n) > ORIGIN + 100) {
                value = is_negative(a, from) ? least_of(to_type) : most_of(to_type);
            } else {
                value = (__int128)round_at(&n, ORIGIN, i->rounding);
                value = n.negative ? -value : value;
                value = value < least_of(to_type)  ? least_of(to_type)
                        : value > most_of(to_type) ? most_of(to_type)
                                                   : value;
            }
        }
        return in_register(value, i->width);
    }
    const format *to = to_type.f;
    insn after = {.sat = i->sat, .relu = i->relu, .ftz = i->ftz && to->digits == 24};
    if (is_nan(a, from)) {
        const bool plain = !i->ftz && !i->sat;
        if (from == to && to->digits >= 24 && plain && !i->rounding) return a; /* moved */
        if (from->digits == 8 && to->digits == 24 && plain) return a << 16;
        if (i->sat) return 0;
        if (from->digits != 53 && to->digits != 53) return to->nan;
        if (i->ftz && from->digits == 24) a = from->nan;
        const uint64_t mantissa = a & ((1ull << (from->digits - 1)) - 1), quiet = 1ull << (to->digits - 2);
        const int wider = to->digits - from->digits;
        return (is_negative(a, from) ? sign_of(to) : 0) | infinity_of(to) | quiet |
               (wider > 0 ? mantissa << wider : mantissa >> -wider);
    }
    if (is_infinite(a, from)) {
        return finish(&after, (is_negative(a, from) ? sign_of(to) : 0) | (infinity_of(to) - i->satfinite), to);
    }
    exact n = exact_number(a, from);
    if (i->rounding >= ROUND_RNI) {
        int top = exact_top(&n);
        if (top < ORIGIN + 60) {
            n = exact_of(n.negative, round_at(&n, ORIGIN, i->rounding), 0);
        }
    }
    return finish(&after, round_exact(&n, to, i->rounding, i->satfinite), to);
}

#define CONVERT(d, s, insn_, source, rounds)                                                                           \
    do {                                                                                                               \
        to_type = d, from_type = s;                                                                                    \
        check(H(cvt_##d##_##s), insn_, (insn_).width == 8 ? 8 : 4, (insn_).source_bytes == 8 ? 8 : 4, 1, source,       \
              model_convert, rounds);                                                                                  \
    } while (0)

#define FOR_WIDE_INTEGERS(F, x) F(x, u16) F(x, s16) F(x, u32) F(x, s32) F(x, u64) F(x, s64)
#define FOR_INTEGERS(F, x)      F(x, u8) F(x, s8) FOR_WIDE_INTEGERS(F, x)

/* Registers as wide as the type, or wider. */
#define INTEGER_PAIR(d, s)                                                                                             \
    for (int width = d.bits / 8; width <= 8; width *= 2) {                                                             \
        for (int mode = s.bits / 8; mode <= 8; mode *= 2) {                                                            \
            for (int sat = 0; sat < 2; sat++) {                                                                        \
                insn i = {.width = (uint8_t)width, .source_bytes = (uint8_t)mode, .sat = sat};                         \
                CONVERT(d, s, i, any_integer, 8);                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

static void test_integer_conversions(void **unused) {
    FOR_INTEGERS(INTEGER_PAIR, u8)
    FOR_INTEGERS(INTEGER_PAIR, s8)
    FOR_INTEGERS(INTEGER_PAIR, u16)
    FOR_INTEGERS(INTEGER_PAIR, s16)
    FOR_INTEGERS(INTEGER_PAIR, u32)
    FOR_INTEGERS(INTEGER_PAIR, s32)
    FOR_INTEGERS(INTEGER_PAIR, u64)
    FOR_INTEGERS(INTEGER_PAIR, s64)
}

#define TO_FLOAT(d, s)                                                                                                 \
    for (int mode = s.bits / 8; mode <= 8; mode *= 2) {                                                                \
        for (int k = ROUND_RN; k <= ROUND_RP; k++) {                                                                   \
            for (int sat = 0; sat < 2; sat++) {                                                                        \
                insn i = {.width = d.bits / 8,                                                                         \
                          .source_bytes = (uint8_t)mode,                                                               \
                          .rounding = (uint8_t)k,                                                                      \
                          .sat = sat && d.bits != 0};                                                                  \
                if (sat && d.f == &BF16) continue;                                                                     \
                CONVERT(d, s, i, any_integer, 30);                                                                     \
            }                                                                                                          \
        }                                                                                                              \
    }
#define FROM_FLOAT(s, d)                                                                                               \
    for (int width = d.bits / 8; width <= 8; width *= 2) {                                                             \
        for (int k = ROUND_RNI; k <= ROUND_RPI; k++) {                                                                 \
            for (int ftz = 0; ftz < 2; ftz++) {                                                                        \
                insn i = {.width = (uint8_t)width,                                                                     \
                          .source_bytes = s.bits / 8,                                                                  \
                          .rounding = (uint8_t)k,                                                                      \
                          .ftz = ftz && s.f == &F32_};                                                                 \
                CONVERT(d, s, i, any_for_integer, 30);                                                                 \
            }                                                                                                          \
        }                                                                                                              \
    }

static void test_integers_and_floats(void **unused) {
    FOR_INTEGERS(TO_FLOAT, f16)
    FOR_WIDE_INTEGERS(TO_FLOAT, bf16)
    FOR_INTEGERS(TO_FLOAT, f32)
    FOR_INTEGERS(TO_FLOAT, f64)
    FOR_INTEGERS(FROM_FLOAT, f16)
    FOR_WIDE_INTEGERS(FROM_FLOAT, bf16)
    FOR_INTEGERS(FROM_FLOAT, f32)
    FOR_INTEGERS(FROM_FLOAT, f64)
}

/* first..last roundings, with .ftz, .sat, .relu, .satfinite where allowed */
#define FLOAT_PAIR(d, s, first, last, ftz_, sat_, relu_)                                                               \
    for (int k = first; k <= last; k++) {                                                                              \
        for (int m = 0; m < 16; m++) {                                                                                 \
            insn i = {.width = d.bits / 8,                                                                             \
                      .source_bytes = s.bits / 8,                                                                      \
                      .rounding = (uint8_t)k,                                                                          \
                      .ftz = m & 1,                                                                                    \
                      .sat = m >> 1 & 1,                                                                               \
                      .relu = m >> 2 & 1,                                                                              \
                      .satfinite = m >> 3};                                                                            \
            if ((i.ftz && !(ftz_)) || (i.sat && !(sat_)) || ((i.relu || i.satfinite) && !(relu_))) continue;           \
            if ((i.relu || i.satfinite) && (i.sat || i.ftz || k > ROUND_RZ)) continue;                                 \
            CONVERT(d, s, i, any_float_source, ROUNDS);                                                                \
        }                                                                                                              \
    }

static void test_float_conversions(void **unused) {
    FLOAT_PAIR(f16, f16, ROUND_RNI, ROUND_RPI, false, true, false)
    FLOAT_PAIR(f16, f16, ROUND_DEFAULT, ROUND_DEFAULT, false, true, false)
    FLOAT_PAIR(f16, bf16, ROUND_DEFAULT, ROUND_RP, false, false, false)
    FLOAT_PAIR(f16, f32, ROUND_RN, ROUND_RP, true, true, true)
    FLOAT_PAIR(f16, f64, ROUND_RN, ROUND_RP, false, true, false)
    FLOAT_PAIR(bf16, f16, ROUND_DEFAULT, ROUND_RP, false, false, false)
    FLOAT_PAIR(bf16, bf16, ROUND_RNI, ROUND_RPI, false, false, false)
    FLOAT_PAIR(bf16, f32, ROUND_RN, ROUND_RP, true, false, true)
    FLOAT_PAIR(bf16, f64, ROUND_RN, ROUND_RP, false, false, false)
    FLOAT_PAIR(f32, f16, ROUND_DEFAULT, ROUND_DEFAULT, true, true, false)
    FLOAT_PAIR(f32, bf16, ROUND_DEFAULT, ROUND_RP, true, false, false)
    FLOAT_PAIR(f32, f32, ROUND_RNI, ROUND_RPI, true, true, false)
    FLOAT_PAIR(f32, f32, ROUND_DEFAULT, ROUND_DEFAULT, true, true, false)
    FLOAT_PAIR(f32, f64, ROUND_RN, ROUND_RP, true, true, false)
    FLOAT_PAIR(f64, f16, ROUND_DEFAULT, ROUND_DEFAULT, false, true, false)
    FLOAT_PAIR(f64, bf16, ROUND_DEFAULT, ROUND_RP, false, false, false)
    FLOAT_PAIR(f64, f32, ROUND_DEFAULT, ROUND_DEFAULT, true, true, false)
    FLOAT_PAIR(f64, f64, ROUND_RNI, ROUND_RPI, false, true, false)
    FLOAT_PAIR(f64, f64, ROUND_DEFAULT, ROUND_DEFAULT, false, true, false)
}

/* ---- tf32, pairs, eight bits ---- */

static uint64_t model_tf32(const insn *i, const uint64_t *x) {
    to_type = (type){"tf32", 32, false, &TF32}, from_type = f32;
    if (!is_nan(x[0], &F32_)) return model_convert(i, x) << 13;
    if (i->rounding != ROUND_RNA) return 0x7fffe000;
    if (i->relu && x[0] >> 31) return 0; /* no such instruction */
    return (x[0] & ~(uint64_t)0x1fff) - (i->satfinite ? 0x2000 : 0);
}

static uint64_t model_pair(const insn *i, const uint64_t *x, const type *t) {
    to_type = *t, from_type = f32;
    return model_convert(i, x) << 16 | model_convert(i, x + 1);
}
static uint64_t model_f16x2(const insn *i, const uint64_t *x) {
    return model_pair(i, x, &f16);
}
static uint64_t model_bf16x2(const insn *i, const uint64_t *x) {
    return model_pair(i, x, &bf16);
}

/* The value of an 8-bit number; NaN for those, and infinities. */
static double f8_value(int x, int mantissa_bits) {
    int field = (x & 127) >> mantissa_bits, mantissa = x & ((1 << mantissa_bits) - 1),
        bias = mantissa_bits == 3 ? 7 : 15;
    double sign = x & 128 ? -1 : 1;
    if (mantissa_bits == 3 && (x & 127) == 127) return NAN;
    if (mantissa_bits == 2 && field == 31) return mantissa ? NAN : sign * INFINITY;
    return sign * ldexp(field ? mantissa + (1 << mantissa_bits) : mantissa, (field ? field : 1) - bias - mantissa_bits);
}

/* The nearest of all finite 8-bit numbers, the even one of two. */
static uint64_t f8_nearest(double value, int mantissa_bits, bool relu) {
    int best = 0, sign = signbit(value) ? 128 : 0, most = mantissa_bits == 3 ? 0x7e : 0x7b;
    if (isnan(value)) return 0x7f;
    if (relu && sign) return 0;
    value = fabs(value);
    if (value > f8_value(most, mantissa_bits)) return (uint64_t)(most | sign);
    for (int x = 0; x <= most; x++) {
        double distance = fabs(f8_value(x, mantissa_bits) - value), least = fabs(f8_value(best, mantissa_bits) - value);
        if (distance < least || (distance == least && !(x & 1))) best = x;
    }
    return (uint64_t)(best | sign);
}

static double double_of(uint64_t x, const format *f) /* exact */
{
    insn i = {0};
    to_type = f64, from_type = f == &F16 ? f16 : f32;
    uint64_t bits = model_convert(&i, &x);
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

static uint64_t f8_pair(const insn *i, uint64_t a, uint64_t b, const format *f, int mantissa_bits) {
    return f8_nearest(double_of(a, f), mantissa_bits, i->relu) << 8 |
           f8_nearest(double_of(b, f), mantissa_bits, i->relu);
}
static uint64_t e4m3_f32(const insn *i, const uint64_t *x) {
    return f8_pair(i, x[0], x[1], &F32_, 3);
}
static uint64_t e5m2_f32(const insn *i, const uint64_t *x) {
    return f8_pair(i, x[0], x[1], &F32_, 2);
}
static uint64_t e4m3_f16(const insn *i, const uint64_t *x) {
    return f8_pair(i, x[0] >> 16, x[0] & 0xffff, &F16, 3);
}
static uint64_t e5m2_f16(const insn *i, const uint64_t *x) {
    return f8_pair(i, x[0] >> 16, x[0] & 0xffff, &F16, 2);
}

static uint64_t f16_of_f8(uint64_t x, int mantissa_bits, bool relu) {
    double value = f8_value((int)x, mantissa_bits);
    if (isnan(value)) return 0x7fff;
    insn i = {.relu = relu};
    uint64_t bits;
    memcpy(&bits, &value, 8);
    to_type = f16, from_type = f64;
    return model_convert(&i, &bits);
}
static uint64_t f16_e4m3(const insn *i, const uint64_t *x) {
    return f16_of_f8(x[0] >> 8 & 255, 3, i->relu) << 16 | f16_of_f8(x[0] & 255, 3, i->relu);
}
static uint64_t f16_e5m2(const insn *i, const uint64_t *x) {
    return f16_of_f8(x[0] >> 8 & 255, 2, i->relu) << 16 | f16_of_f8(x[0] & 255, 2, i->relu);
}

static uint64_t f32_near_f16(void) {
    uint64_t r = random_bits();
    return r & 1 ? any_f32() : ((r >> 8) & 0x80000000) | (uint32_t)(0x33000000 + (random_bits() % 0x15000000));
}
static uint64_t any_f8x2(void) {
    return random_bits() & 0xffff;
}

static void test_packed(void **unused) {
    const int tf32_rounding[] = {ROUND_RN, ROUND_RZ, ROUND_RNA};
    for (int k = 0; k < 12; k++) {
        insn i = {.rounding = (uint8_t)tf32_rounding[k % 3], .relu = k / 3 & 1, .satfinite = k / 6};
        check(H(cvt_tf32_f32), i, 4, 4, 1, any_f32, model_tf32, ROUNDS);
        if (i.rounding != ROUND_RNA) {
            check(H(cvt_f16x2_f32), i, 4, 4, 2, f32_near_f16, model_f16x2, ROUNDS);
            check(H(cvt_bf16x2_f32), i, 4, 4, 2, any_f32, model_bf16x2, ROUNDS);
        }
    }
    for (int relu = 0; relu < 2; relu++) {
        insn i = {.rounding = ROUND_RN, .relu = relu, .satfinite = true};
        check(H(cvt_e4m3x2_f32), i, 4, 4, 2, f32_near_f16, e4m3_f32, ROUNDS);
        check(H(cvt_e5m2x2_f32), i, 4, 4, 2, f32_near_f16, e5m2_f32, ROUNDS);
        check(H(cvt_e4m3x2_f16x2), i, 4, 4, 1, any_f16x2, e4m3_f16, ROUNDS);
        check(H(cvt_e5m2x2_f16x2), i, 4, 4, 1, any_f16x2, e5m2_f16, ROUNDS);
        i.satfinite = false;
        check(H(cvt_f16x2_e4m3x2), i, 4, 4, 1, any_f8x2, f16_e4m3, ROUNDS);
        check(H(cvt_f16x2_e5m2x2), i, 4, 4, 1, any_f8x2, f16_e5m2, ROUNDS);
    }
}

static type pack_type;
static int pack_bits;
static uint64_t model_pack(const insn *i, const uint64_t *x) {
    uint64_t result = pack_bits == 16 ? 0 : x[2] << 2 * pack_bits;
    for (int k = 0; k < 2; k++) {
        __int128 value = integer_value(x[k], s32), most = ((__int128)1 << (pack_bits - pack_type.is_signed)) - 1;
        __int128 least = pack_type.is_signed ? -most - 1 : 0;
        value = value < least ? least : value > most ? most : value;
        result |= ((uint64_t)value & ((1u << pack_bits) - 1)) << (k == 0 ? pack_bits : 0);
    }
    return result;
}
#define PACK(name, bits, signedness)                                                                                   \
    pack_bits = bits, pack_type = signedness;                                                                          \
    check(H(cvt_pack_##name), i, 4, 4, 3, any_integer, model_pack, ROUNDS);
static void test_pack(void **unused) {
    insn i = {0};
    PACK(u16, 16, u32)
    PACK(s16, 16, s32)
    PACK(u8, 8, u32)
    PACK(s8, 8, s32)
    PACK(u4, 4, u32)
    PACK(s4, 4, s32)
    PACK(u2, 2, u32)
    PACK(s2, 2, s32)
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integer_conversions),
        cmocka_unit_test(test_integers_and_floats),
        cmocka_unit_test(test_float_conversions),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_pack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
