/* Element types: every pattern, rounding, the ends of the range. */
#include "../unit.h"
#include "tensor/dtype.h"
#include <limits.h>
#include <math.h>

static const dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32};

/* ---- types ---- */

/* Every 16-bit pattern comes back, but that NaN loses its payload. */
TEST(all_patterns_come_back) {
    for (int i = 0; i < 2; i++)
        for (uint32_t bits = 0; bits <= 0xffff; bits++) {
            const float value = dtype_from_bits(types[i], bits);
            assert_int_equal(dtype_to_bits(types[i], value), isnan(value) ? 0x7fff : bits);
        }
}

/* Half-way between neighbours goes to the even one; the least bit beside it decides. */
TEST(rounds_to_nearest_even) {
    for (int i = 0; i < 2; i++) {
        const uint32_t infinity = types[i] == DTYPE_F16 ? 0x7c00 : 0x7f80;
        for (uint32_t bits = 0; bits + 1 < infinity; bits++) {
            const double low = dtype_from_bits(types[i], bits), high = dtype_from_bits(types[i], bits + 1);
            const double half = low + (high - low) / 2;
            assert_int_equal(dtype_to_bits(types[i], half), bits + (bits & 1));
            assert_int_equal(dtype_to_bits(types[i], nextafter(half, 0.0)), bits);
            assert_int_equal(dtype_to_bits(types[i], nextafter(half, INFINITY)), bits + 1);
            assert_int_equal(dtype_to_bits(types[i], -half), 0x8000 | (bits + (bits & 1)));
        }
    }
}

TEST(the_ends_of_the_range) {
    assert_int_equal(dtype_to_bits(DTYPE_F16, 65519.999), 0x7bff);
    assert_int_equal(dtype_to_bits(DTYPE_F16, 65520.0), 0x7c00);
    assert_int_equal(dtype_to_bits(DTYPE_F16, -1e300), 0xfc00);
    assert_int_equal(dtype_to_bits(DTYPE_F16, 0x1p-25), 0);
    assert_int_equal(dtype_to_bits(DTYPE_F16, 0x1.8p-24), 2);
    assert_int_equal(dtype_to_bits(DTYPE_F16, -0.0), 0x8000);
    assert_int_equal(dtype_to_bits(DTYPE_BF16, INFINITY), 0x7f80);
    assert_int_equal(dtype_to_bits(DTYPE_F16, NAN), 0x7fff);
    assert_true(dtype_largest(DTYPE_F16) == dtype_from_bits(DTYPE_F16, 0x7bff));
    assert_true(dtype_largest(DTYPE_BF16) == dtype_from_bits(DTYPE_BF16, 0x7f7f));
    for (int i = 0; i < ARRAY_SIZE(types); i++) {
        assert_true(dtype_from_bits(types[i], 1) == dtype_step(types[i]));
        assert_true(1.0 + 2.0 * dtype_unit(types[i]) == dtype_from_bits(types[i], dtype_to_bits(types[i], 1.0) + 1));
        assert_true(isnan(dtype_from_bits(types[i], dtype_guard_bits(types[i]))));
        assert_int_not_equal(dtype_guard_bits(types[i]), dtype_to_bits(types[i], NAN));
    }
}

/* FP32 agrees with the processor's own conversion. */
TEST(fp32_is_the_processors) {
    for (uint64_t i = 0; i < 200000; i++) {
        const uint64_t bits = values_hash(7, i);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (i % 2) x = ldexp((double)(int64_t)bits, -(int)(i % 220)); /* in and about FP32's range */
        if (isnan(x)) continue;
        assert_int_equal(dtype_to_bits(DTYPE_F32, x), values_to_bits((float)x));
    }
}

int main(void) {
    return unit_run(NULL, NULL);
}
