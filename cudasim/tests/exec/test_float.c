/* Floating-point arithmetic against exact models. */
#include "float_case.h"

#define MODELS(type, f)                                                                                                \
    static uint64_t add_##type(const insn *i, const uint64_t *x) {                                                     \
        const uint64_t y[3] = {x[0], 0, x[1]};                                                                         \
        return model_multiply_add(i, &f, y, false, true);                                                              \
    }                                                                                                                  \
    static uint64_t sub_##type(const insn *i, const uint64_t *x) {                                                     \
        const uint64_t y[3] = {x[0], 0, is_nan(x[1], &f) ? x[1] : x[1] ^ sign_of(&f)};                                 \
        return model_multiply_add(i, &f, y, false, true);                                                              \
    }                                                                                                                  \
    static uint64_t mul_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_multiply_add(i, &f, x, true, false);                                                              \
    }                                                                                                                  \
    static uint64_t fma_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_multiply_add(i, &f, x, true, true);                                                               \
    }
MODELS(f32, F32_)
MODELS(f64, F64_)
MODELS(f16, F16)
MODELS(bf16, BF16)
#define WIDE_MODELS(type, f)                                                                                           \
    static uint64_t div_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_divide(i, &f, x[0], x[1]);                                                                        \
    }                                                                                                                  \
    static uint64_t rcp_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_divide(i, &f, (uint64_t)bias_of(&f) << (f.digits - 1), x[0]);                                     \
    }                                                                                                                  \
    static uint64_t sqrt_##type(const insn *i, const uint64_t *x) {                                                    \
        return model_sqrt(i, &f, x[0]);                                                                                \
    }
WIDE_MODELS(f32, F32_)
WIDE_MODELS(f64, F64_)

#define PAIR_MODEL(name, single)                                                                                       \
    static uint64_t name(const insn *i, const uint64_t *x) {                                                           \
        const uint64_t low[3] = {x[0] & 0xffff, x[1] & 0xffff, x[2] & 0xffff};                                         \
        const uint64_t high[3] = {x[0] >> 16 & 0xffff, x[1] >> 16 & 0xffff, x[2] >> 16 & 0xffff};                      \
        return single(i, high) << 16 | single(i, low);                                                                 \
    }
/* What ptxas makes of it: see exec/half.c. */
static uint64_t fma_rz_bf16(const insn *i, const uint64_t *x) {
    insn plain = {.rounding = ROUND_RN};
    return fma_f16(&plain, x);
}

PAIR_MODEL(add_f16x2, add_f16)
PAIR_MODEL(sub_f16x2, sub_f16)
PAIR_MODEL(mul_f16x2, mul_f16)
PAIR_MODEL(fma_f16x2, fma_f16)
PAIR_MODEL(add_bf16x2, add_bf16)
PAIR_MODEL(sub_bf16x2, sub_bf16)
PAIR_MODEL(mul_bf16x2, mul_bf16)
PAIR_MODEL(fma_bf16x2, fma_bf16)
static void test_f32(void **unused) {
    for (int mode = ROUND_DEFAULT; mode <= ROUND_RP; mode++) {
        for (int k = 0; k < 4; k++) {
            insn i = {.rounding = (uint8_t)mode, .ftz = k & 1, .sat = k >> 1};
            check(H(add_f32), i, 4, 4, 2, any_f32, add_f32, ROUNDS);
            check(H(sub_f32), i, 4, 4, 2, any_f32, sub_f32, ROUNDS);
            check(H(mul_f32), i, 4, 4, 2, any_f32, mul_f32, ROUNDS);
            check(H(fma_f32), i, 4, 4, 3, any_f32, fma_f32, 3 * ROUNDS);
            if (!i.sat) {
                check(H(div_f32), i, 4, 4, 2, any_f32, div_f32, ROUNDS);
                check(H(rcp_f32), i, 4, 4, 1, any_f32, rcp_f32, ROUNDS);
                check(H(sqrt_f32), i, 4, 4, 1, any_f32, sqrt_f32, ROUNDS);
            }
        }
    }
}

static void test_f64(void **unused) {
    for (int mode = ROUND_DEFAULT; mode <= ROUND_RP; mode++) {
        insn i = {.rounding = (uint8_t)mode};
        check(H(add_f64), i, 8, 8, 2, any_f64, add_f64, ROUNDS);
        check(H(sub_f64), i, 8, 8, 2, any_f64, sub_f64, ROUNDS);
        check(H(mul_f64), i, 8, 8, 2, any_f64, mul_f64, ROUNDS);
        check(H(fma_f64), i, 8, 8, 3, any_f64, fma_f64, 3 * ROUNDS);
        check(H(div_f64), i, 8, 8, 2, any_f64, div_f64, ROUNDS);
        check(H(rcp_f64), i, 8, 8, 1, any_f64, rcp_f64, ROUNDS);
        check(H(sqrt_f64), i, 8, 8, 1, any_f64, sqrt_f64, ROUNDS);
    }
}

static void test_half(void **unused) {
    for (int k = 0; k < 8; k++) {
        insn i = {.rounding = ROUND_RN, .ftz = k & 1, .sat = k >> 1 & 1, .relu = k >> 2};
        if (i.sat && i.relu) {
            continue;
        }
        check(H(add_f16), i, 4, 4, 2, any_f16, add_f16, ROUNDS);
        check(H(sub_f16), i, 4, 4, 2, any_f16, sub_f16, ROUNDS);
        check(H(mul_f16), i, 4, 4, 2, any_f16, mul_f16, ROUNDS);
        check(H(fma_f16), i, 4, 4, 3, any_f16, fma_f16, 10 * ROUNDS);
        check(H(add_f16x2), i, 4, 4, 2, any_f16x2, add_f16x2, ROUNDS);
        check(H(sub_f16x2), i, 4, 4, 2, any_f16x2, sub_f16x2, ROUNDS);
        check(H(mul_f16x2), i, 4, 4, 2, any_f16x2, mul_f16x2, ROUNDS);
        check(H(fma_f16x2), i, 4, 4, 3, any_f16x2, fma_f16x2, 5 * ROUNDS);
    }
    insn i = {.rounding = ROUND_RN};
    check(H(add_bf16), i, 4, 4, 2, any_bf16, add_bf16, ROUNDS);
    check(H(sub_bf16), i, 4, 4, 2, any_bf16, sub_bf16, ROUNDS);
    check(H(mul_bf16), i, 4, 4, 2, any_bf16, mul_bf16, 10 * ROUNDS);
    check(H(add_bf16x2), i, 4, 4, 2, any_bf16x2, add_bf16x2, ROUNDS);
    check(H(sub_bf16x2), i, 4, 4, 2, any_bf16x2, sub_bf16x2, ROUNDS);
    check(H(mul_bf16x2), i, 4, 4, 2, any_bf16x2, mul_bf16x2, ROUNDS);
    for (int k = 0; k < 2; k++) {
        i.relu = k & 1;
        check(H(fma_bf16), i, 4, 4, 3, any_bf16, fma_bf16, 10 * ROUNDS);
        check(H(fma_rz_bf16), i, 4, 4, 3, any_f16, fma_rz_bf16, 10 * ROUNDS);
        check(H(fma_bf16x2), i, 4, 4, 3, any_bf16x2, fma_bf16x2, 5 * ROUNDS);
    }
}

/* ---- signs, min, max, testp ---- */

static uint64_t model_sign(const insn *i, const format *f, uint64_t before, uint64_t x) {
    if (is_nan(x, f)) return f->digits == 53 ? before | 0x8000000000000 : f->nan;
    return i->ftz ? flush(x, f) : x;
}

static uint64_t model_min_max(const insn *i, const format *f, uint64_t a, uint64_t b, bool max) {
    uint64_t sign = 0;
    if (i->ftz) a = flush(a, f), b = flush(b, f);
    if (i->xorsign) {
        sign = (a ^ b) & sign_of(f);
        a &= ~sign_of(f), b &= ~sign_of(f);
    }
    if (f->digits == 53 && is_nan(a, f) && is_nan(b, f)) return b | 0x8000000000000;
    if ((is_nan(a, f) && is_nan(b, f)) || (i->nan && (is_nan(a, f) || is_nan(b, f)))) return f->nan;
    if (is_nan(a, f)) return b | sign;
    if (is_nan(b, f)) return a | sign;
    bool a_less;
    if (is_negative(a, f) != is_negative(b, f))
        a_less = is_negative(a, f);
    else
        a_less = is_negative(a, f) ? a > b : a < b;
    return (a_less != max ? a : b) | sign;
}

#define SIGN_MODELS(type, f)                                                                                           \
    static uint64_t neg_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_sign(i, &f, x[0], x[0] ^ sign_of(&f));                                                            \
    }                                                                                                                  \
    static uint64_t abs_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_sign(i, &f, x[0], x[0] & ~sign_of(&f));                                                           \
    }                                                                                                                  \
    static uint64_t min_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_min_max(i, &f, x[0], x[1], false);                                                                \
    }                                                                                                                  \
    static uint64_t max_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_min_max(i, &f, x[0], x[1], true);                                                                 \
    }
SIGN_MODELS(f32, F32_)
SIGN_MODELS(f64, F64_)
SIGN_MODELS(f16, F16)
SIGN_MODELS(bf16, BF16)
PAIR_MODEL(neg_f16x2, neg_f16)
PAIR_MODEL(abs_f16x2, abs_f16)
PAIR_MODEL(min_f16x2, min_f16)
PAIR_MODEL(max_f16x2, max_f16)
PAIR_MODEL(neg_bf16x2, neg_bf16)
PAIR_MODEL(abs_bf16x2, abs_bf16)
PAIR_MODEL(min_bf16x2, min_bf16)
PAIR_MODEL(max_bf16x2, max_bf16)
static uint64_t copysign_32(const insn *i, const uint64_t *x) {
    return (x[0] & 0x80000000) | (x[1] & 0x7fffffff);
}
static uint64_t copysign_64(const insn *i, const uint64_t *x) {
    return (x[0] >> 63 << 63) | (x[1] << 1 >> 1);
}

static void test_signs(void **unused) {
    for (int k = 0; k < 8; k++) {
        insn i = {.ftz = k & 1, .nan = k >> 1 & 1, .xorsign = k >> 2};
        check(H(min_f32), i, 4, 4, 2, any_f32, min_f32, ROUNDS);
        check(H(max_f32), i, 4, 4, 2, any_f32, max_f32, ROUNDS);
        check(H(min_f16), i, 4, 4, 2, any_f16, min_f16, ROUNDS);
        check(H(max_f16), i, 4, 4, 2, any_f16, max_f16, ROUNDS);
        check(H(min_f16x2), i, 4, 4, 2, any_f16x2, min_f16x2, ROUNDS);
        check(H(max_f16x2), i, 4, 4, 2, any_f16x2, max_f16x2, ROUNDS);
        insn plain = {.ftz = i.ftz};
        check(H(neg_f32), plain, 4, 4, 1, any_f32, neg_f32, ROUNDS);
        check(H(abs_f32), plain, 4, 4, 1, any_f32, abs_f32, ROUNDS);
        check(H(neg_f16), plain, 4, 4, 1, any_f16, neg_f16, ROUNDS);
        check(H(abs_f16), plain, 4, 4, 1, any_f16, abs_f16, ROUNDS);
        check(H(neg_f16x2), plain, 4, 4, 1, any_f16x2, neg_f16x2, ROUNDS);
        check(H(abs_f16x2), plain, 4, 4, 1, any_f16x2, abs_f16x2, ROUNDS);
        if (!i.ftz) {
            check(H(min_bf16), i, 4, 4, 2, any_bf16, min_bf16, ROUNDS);
            check(H(max_bf16), i, 4, 4, 2, any_bf16, max_bf16, ROUNDS);
            check(H(min_bf16x2), i, 4, 4, 2, any_bf16x2, min_bf16x2, ROUNDS);
            check(H(max_bf16x2), i, 4, 4, 2, any_bf16x2, max_bf16x2, ROUNDS);
        }
    }
    insn i = {0};
    check(H(neg_bf16), i, 4, 4, 1, any_bf16, neg_bf16, ROUNDS);
    check(H(abs_bf16), i, 4, 4, 1, any_bf16, abs_bf16, ROUNDS);
    check(H(neg_bf16x2), i, 4, 4, 1, any_bf16x2, neg_bf16x2, ROUNDS);
    check(H(abs_bf16x2), i, 4, 4, 1, any_bf16x2, abs_bf16x2, ROUNDS);
    check(H(min_f64), i, 8, 8, 2, any_f64, min_f64, ROUNDS);
    check(H(max_f64), i, 8, 8, 2, any_f64, max_f64, ROUNDS);
    check(H(neg_f64), i, 8, 8, 1, any_f64, neg_f64, ROUNDS);
    check(H(abs_f64), i, 8, 8, 1, any_f64, abs_f64, ROUNDS);
    check(H(copysign_f32), i, 4, 4, 2, any_f32, copysign_32, ROUNDS);
    check(H(copysign_f64), i, 8, 8, 2, any_f64, copysign_64, ROUNDS);
}

/* testp by C's own classification; the predicate is operand 0. */
static void check_testp(handlers h, int bytes, bool (*expected)(int class)) {
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t mask = round & 1 ? (uint32_t)random_bits() : ALL_LANES, want = 0x12345678 & ~mask;
        for (int l = 0; l < LANES; l++) {
            uint64_t x = bytes == 8 ? any_f64() : any_f32();
            uint32_t low = (uint32_t)x;
            float f;
            double g;
            memcpy(&f, &low, 4);
            memcpy(&g, &x, 8);
            put(1, bytes, l, x);
            want |= (uint32_t)(mask >> l & 1 && expected(bytes == 8 ? fpclassify(g) : fpclassify(f))) << l;
        }
        warp w = {.registers = registers};
        insn i = {.op = {0, 256}};
        put(0, 4, 0, 0x12345678);

        h.run(&w, &i, mask);
        assert_int_equal(get(0, 4, 0), want);
    }
}
static bool finite_class(int c) {
    return c != FP_NAN && c != FP_INFINITE;
}
static bool infinite_class(int c) {
    return c == FP_INFINITE;
}
static bool number_class(int c) {
    return c != FP_NAN;
}
static bool nan_class(int c) {
    return c == FP_NAN;
}
static bool normal_class(int c) {
    return c == FP_NORMAL || c == FP_ZERO;
}
static bool subnormal_class(int c) {
    return c == FP_SUBNORMAL;
}

static void test_testp(void **unused) {
    check_testp(H(testp_finite_f32), 4, finite_class);
    check_testp(H(testp_infinite_f32), 4, infinite_class);
    check_testp(H(testp_number_f32), 4, number_class);
    check_testp(H(testp_notanumber_f32), 4, nan_class);
    check_testp(H(testp_normal_f32), 4, normal_class);
    check_testp(H(testp_subnormal_f32), 4, subnormal_class);
    check_testp(H(testp_finite_f64), 8, finite_class);
    check_testp(H(testp_infinite_f64), 8, infinite_class);
    check_testp(H(testp_number_f64), 8, number_class);
    check_testp(H(testp_notanumber_f64), 8, nan_class);
    check_testp(H(testp_normal_f64), 8, normal_class);
    check_testp(H(testp_subnormal_f64), 8, subnormal_class);
}

/* ---- approximations: special cases, and near C's functions elsewhere ---- */

static void approx_f32(handlers h, bool ftz, float x, float want, double tolerance) {
    warp w = {.registers = registers};
    insn i = {.op = {0, 256}, .ftz = ftz};
    for (int l = 0; l < LANES; l++) {
        memcpy(registers + 256 + 4 * l, &x, 4);
    }
    h.run(&w, &i, ALL_LANES);
    float got;
    memcpy(&got, registers, 4);
    if (isnan(want)) {
        assert_int_equal(get(0, 4, 0), 0x7fffffff);
    } else if (want == 0 || isinf(want)) {
        assert_memory_equal(&got, &want, 4);
    } else if (!(fabs((double)got - want) <= tolerance * fabs(want))) {
        fail_msg("%s(%a) = %a, not %a", h.name, x, got, want);
    }
}

static void test_approximations(void **unused) {
    const float nan = NAN, inf = INFINITY;
    approx_f32(H(rcp_approx_f32), false, 0.0f, inf, 0);
    approx_f32(H(rcp_approx_f32), false, -0.0f, -inf, 0);
    approx_f32(H(rcp_approx_f32), false, -inf, -0.0f, 0);
    approx_f32(H(rcp_approx_f32), true, -0x1p-130f, -inf, 0);
    approx_f32(H(rcp_approx_f32), true, 0x1p127f, 0.0f, 0);
    approx_f32(H(rcp_approx_f32), false, 0x1p127f, 0x1p-127f, 0);
    approx_f32(H(sqrt_approx_f32), false, -1.0f, nan, 0);
    approx_f32(H(sqrt_approx_f32), false, -0.0f, -0.0f, 0);
    approx_f32(H(sqrt_approx_f32), true, 0x1p-130f, 0.0f, 0);
    approx_f32(H(rsqrt_approx_f32), false, -0.0f, -inf, 0);
    approx_f32(H(rsqrt_approx_f32), false, inf, 0.0f, 0);
    approx_f32(H(rsqrt_approx_f32), false, -2.0f, nan, 0);
    approx_f32(H(sin_approx_f32), false, inf, nan, 0);
    approx_f32(H(sin_approx_f32), false, -0.0f, -0.0f, 0);
    approx_f32(H(sin_approx_f32), true, -0x1p-130f, -0.0f, 0);
    approx_f32(H(cos_approx_f32), false, -inf, nan, 0);
    approx_f32(H(cos_approx_f32), false, 0.0f, 1.0f, 0);
    approx_f32(H(lg2_approx_f32), false, -0.0f, -inf, 0);
    approx_f32(H(lg2_approx_f32), true, 0x1p-130f, -inf, 0);
    approx_f32(H(lg2_approx_f32), false, 0x1p-130f, -130.0f, 0);
    approx_f32(H(lg2_approx_f32), false, -1.0f, nan, 0);
    approx_f32(H(lg2_approx_f32), false, inf, inf, 0);
    approx_f32(H(ex2_approx_f32), false, -inf, 0.0f, 0);
    approx_f32(H(ex2_approx_f32), false, inf, inf, 0);
    approx_f32(H(ex2_approx_f32), false, 0x1p-130f, 1.0f, 0);
    approx_f32(H(ex2_approx_f32), false, -130.0f, 0x1p-130f, 0);
    approx_f32(H(ex2_approx_f32), true, -130.0f, 0.0f, 0);
    approx_f32(H(ex2_approx_f32), false, nan, nan, 0);
    approx_f32(H(tanh_approx_f32), false, inf, 1.0f, 0);
    approx_f32(H(tanh_approx_f32), false, -0.0f, -0.0f, 0);
    for (int k = 0; k < 300; k++) {
        float x = (float)(random_bits() >> 40) * 0x1p-22f + 0x1p-10f; /* to 4 */
        approx_f32(H(rcp_approx_f32), k & 1, x, 1 / x, 1e-7);
        approx_f32(H(sqrt_approx_f32), k & 1, x, sqrtf(x), 1e-7);
        approx_f32(H(rsqrt_approx_f32), k & 1, x, (float)(1 / sqrt(x)), 1e-7);
        approx_f32(H(ex2_approx_f32), k & 1, x, exp2f(x), 2e-7);
        approx_f32(H(lg2_approx_f32), k & 1, x + 2, log2f(x + 2), 2e-7);
        approx_f32(H(tanh_approx_f32), false, x, tanhf(x), 2e-7);
        approx_f32(H(sin_approx_f32), k & 1, x / 4 + 0.1f, sinf(x / 4 + 0.1f), 1e-5);
        approx_f32(H(cos_approx_f32), k & 1, x / 4, cosf(x / 4), 1e-5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32),   cmocka_unit_test(test_f64),   cmocka_unit_test(test_half),
        cmocka_unit_test(test_signs), cmocka_unit_test(test_testp), cmocka_unit_test(test_approximations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
