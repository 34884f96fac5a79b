/* Wavefronts and bank conflicts of accesses with known counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/banks.h"

enum { WARP = 32 };

/* Lane t's address: t * stride bytes. */
static void with_stride(unsigned addresses[WARP], unsigned stride) {
    for (unsigned t = 0; t < WARP; t++) addresses[t] = t * stride;
}

static void words(void **state) {
    (void)state;
    /* The greatest common divisor of the stride in words and 32. */
    static const int expected[][2] = {{1, 1},  {2, 2},   {3, 1},  {4, 4},  {8, 8},  {16, 16},
                                      {31, 1}, {32, 32}, {33, 1}, {34, 2}, {48, 16}};
    unsigned a[WARP];
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        with_stride(a, 4 * (unsigned)expected[i][0]);
        assert_int_equal(banks_wavefronts(a, WARP, 4), expected[i][1]);
        assert_int_equal(banks_conflicts(a, WARP, 4), expected[i][1] - 1);
    }
    with_stride(a, 0); /* all want the same word */
    assert_int_equal(banks_wavefronts(a, WARP, 4), 1);
    for (int t = 0; t < WARP; t++) a[t] = t % 2 ? 128 : 0; /* two words of a bank */
    assert_int_equal(banks_wavefronts(a, WARP, 4), 2);
    for (unsigned t = 0; t < WARP; t++) a[t] = t / 2 * 4; /* half a line, each word twice */
    assert_int_equal(banks_wavefronts(a, WARP, 4), 1);
}

static void wide_accesses_go_in_parts(void **state) {
    (void)state;
    unsigned a[WARP];
    with_stride(a, 8);
    assert_int_equal(banks_wavefronts(a, WARP, 8), 2);
    assert_int_equal(banks_conflicts(a, WARP, 8), 0);
    with_stride(a, 16);
    assert_int_equal(banks_wavefronts(a, WARP, 16), 4);
    assert_int_equal(banks_conflicts(a, WARP, 16), 0);
    with_stride(a, 32); /* every other chunk of 16 bytes */
    assert_int_equal(banks_wavefronts(a, WARP, 16), 8);
    with_stride(a, 128); /* a column of chunks */
    assert_int_equal(banks_wavefronts(a, WARP, 16), 32);
    assert_int_equal(banks_conflicts(a, WARP, 16), 28);
    with_stride(a, 144); /* the same with a chunk of padding */
    assert_int_equal(banks_conflicts(a, WARP, 16), 0);
    for (unsigned t = 0; t < WARP; t++) a[t] = 128 * t + 16 * (3 ^ t % 8); /* and with the XOR */
    assert_int_equal(banks_conflicts(a, WARP, 16), 0);
    for (unsigned t = 0; t < WARP; t++) a[t] = 128 * t + 16 * (3 ^ t % 4); /* with too small a one */
    assert_int_equal(banks_conflicts(a, WARP, 16), 4);
    for (unsigned t = 0; t < WARP; t++) a[t] = 128 * (t / 8); /* one chunk a part */
    assert_int_equal(banks_conflicts(a, WARP, 16), 0);
}

static void fewer_lanes(void **state) {
    (void)state;
    unsigned a[WARP];
    with_stride(a, 128);
    assert_int_equal(banks_wavefronts(a, 8, 16), 8); /* ldmatrix.x1 */
    assert_int_equal(banks_conflicts(a, 8, 16), 7);
    assert_int_equal(banks_wavefronts(a, 1, 16), 1);
    assert_int_equal(banks_conflicts(a, 1, 16), 0);
    assert_int_equal(banks_wavefronts(a, 12, 16), 12);
    assert_int_equal(banks_conflicts(a, 12, 16), 10);
}

static void expect(const unsigned *a, unsigned lanes, int bytes, banks_kind kind, int wavefronts, int phases) {
    const banks_count count = banks_request(a, lanes, bytes, kind);
    assert_int_equal(count.wavefronts, wavefronts);
    assert_int_equal(count.phases, phases);
}

static void loads_in_pairs(void **state) {
    (void)state;
    unsigned a[WARP];
    for (unsigned t = 0; t < WARP; t++) a[t] = t / 2 * 8; /* as lane ^ 1 */
    expect(a, ~0u, 8, BANKS_LOAD, 1, 1);
    expect(a, ~0u, 8, BANKS_STORE, 2, 2);
    expect(a, ~0u >> 1, 8, BANKS_LOAD, 1, 1);                 /* those that are there */
    for (unsigned t = 0; t < WARP; t++) a[t] = (t & 29) * 16; /* as lane ^ 2 */
    expect(a, ~0u, 16, BANKS_LOAD, 4, 2);
    expect(a, ~0u, 16, BANKS_ROWS, 4, 4);
    for (unsigned t = 0; t < WARP; t++) a[t] = (t & 27) * 16; /* as lane ^ 4 is no pair */
    expect(a, ~0u, 16, BANKS_LOAD, 4, 4);
    with_stride(a, 0);
    expect(a, ~0u, 16, BANKS_LOAD, 2, 2);
    expect(a, ~0u, 4, BANKS_LOAD, 1, 1);
}

static void lanes_that_are_missing(void **state) {
    (void)state;
    unsigned a[WARP];
    with_stride(a, 128);
    expect(a, 0x80000001u, 4, BANKS_LOAD, 2, 1);
    expect(a, 0x0000ff00u, 16, BANKS_LOAD, 8, 1);
    expect(a, 0x01000001u, 16, BANKS_STORE, 2, 2);
    for (unsigned t = 0; t < WARP; t++) a[t] = t; /* bytes: four to a word */
    expect(a, ~0u, 1, BANKS_LOAD, 1, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),          cmocka_unit_test(wide_accesses_go_in_parts), cmocka_unit_test(fewer_lanes),
        cmocka_unit_test(loads_in_pairs), cmocka_unit_test(lanes_that_are_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
