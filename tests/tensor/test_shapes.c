/* Sweeps and the arithmetic on sizes. */
#include <limits.h>

#include "../unit.h"
#include "gemm/gemm_shapes.h"

static const shape square[] = {{256, 256, 256},    {512, 512, 512},    {1000, 1000, 1000},   {1024, 1024, 1024},
                               {2048, 2048, 2048}, {3000, 3000, 3000}, {4095, 4095, 4095},   {4096, 4096, 4096},
                               {5000, 5000, 5000}, {8192, 8192, 8192}, {16384, 16384, 16384}};
static const shape article[] = {{2048, 2048, 1024}, {4096, 4096, 1024}, {8192, 8192, 1024}, {16384, 16384, 1024}};
/* Each has a side that no tile divides. */
static const shape odd[] = {{33, 33, 33},       {127, 129, 255},    {257, 1000, 33},    {1000, 1000, 1000},
                            {1023, 1025, 1027}, {4095, 4095, 4095}, {4097, 4095, 4100}, {8192, 33, 4096},
                            {33, 8192, 4096},   {200000, 65, 129},  {65, 200000, 129}};

/* The limit is of every side, and inclusive. */
TEST(sweeps_and_their_limits) {
    static const struct {
        sweep_kind kind;
        int max_size;
        const shape *expected;
        int count;
    } cases[] = {{SWEEP_SQUARE, INT_MAX, square, 11},
                 {SWEEP_SQUARE, 1023, square, 3},
                 {SWEEP_SQUARE, 1000, square, 3},
                 {SWEEP_SQUARE, 999, square, 2},
                 {SWEEP_SQUARE, 0, square, 0},
                 {SWEEP_ARTICLE, INT_MAX, article, 4},
                 {SWEEP_ARTICLE, 2048, article, 1},
                 {SWEEP_ARTICLE, 2047, article, 0},
                 {SWEEP_ODD, INT_MAX, odd, 11},
                 {SWEEP_ODD, 199999, odd, 9},
                 {SWEEP_ODD, 1027, odd, 5},
                 {SWEEP_ODD, 1026, odd, 4},
                 {SWEEP_ODD, 32, odd, 0}};
    for (int i = 0; i < ARRAY_SIZE(cases); i++) {
        int found;
        shape *shapes = gemm_sweep(cases[i].kind, false, cases[i].max_size, &found);
        assert_int_equal(found, cases[i].count);
        if (found > 0) assert_memory_equal(shapes, cases[i].expected, (size_t)found * sizeof *shapes);
        free(shapes);
    }
}

/* In the simulator shapes are small, and the limit holds for every side. */
TEST(sweeps_of_the_simulator) {
    for (int kind = SWEEP_SQUARE; kind <= SWEEP_ODD; kind++) {
        int all, few;
        shape *shapes = gemm_sweep((sweep_kind)kind, true, 1000000, &all);
        double multiplications = 0.0;
        for (int i = 0; i < all; i++) multiplications += shape_flops(shapes[i]) / 2;
        assert_true(all >= 4 && multiplications < 6e8); /* 0.1 s for 512^3, 1.3e8, in the slowest kernel */
        free(shapes);
        shapes = gemm_sweep((sweep_kind)kind, true, 150, &few);
        assert_true(few >= 1 && few < all);
        for (int i = 0; i < few; i++) assert_true(shapes[i].m <= 150 && shapes[i].n <= 150 && shapes[i].k <= 150);
        free(shapes);
    }
}

TEST(flops_and_bytes) {
    const shape s = {2, 3, 5}; /* A 10, B 15, C 6 elements */
    assert_true(shape_flops(s) == 60.0);
    assert_true(shape_flops((shape){16384, 16384, 16384}) == 8796093022208.0);
    assert_true(shape_bytes(s, 0.0f, 4, 4) == 124.0);
    assert_true(shape_bytes(s, -0.5f, 2, 2) == 74.0); /* C counts twice where it is read */
    assert_true(shape_bytes(s, 1.0f, 2, 4) == 98.0);
    assert_true(shape_bytes((shape){65536, 65536, 65536}, 0.0f, 4, 4) == 51539607552.0);
}

/* INT_MAX * INT_MAX is 2^62 - 2^32 + 1: as bytes it fits below SIZE_MAX / 4 = 2^62 - 1, twice that does
 * not. */
TEST(elements_too_many_are_refused) {
    size_t elements = 42;
    const int refused[][3] = {{INT_MAX, INT_MAX, 2},
                              {INT_MAX, INT_MAX, 4},
                              {INT_MAX, INT_MAX, 8},
                              {-1, 5, 4},
                              {-1, -1, 4},
                              {-1, 0, 4},
                              {5, -1, 4},
                              {1 << 30, 1 << 30, 4},   /* 2^62 bytes: one too many */
                              {1 << 30, 1 << 30, 16}}; /* 2^64 bytes: 0 if it wrapped */
    for (int i = 0; i < ARRAY_SIZE(refused); i++)
        assert_false(shape_elements(refused[i][0], refused[i][1], (size_t)refused[i][2], &elements));
    assert_int_equal(elements, 42);
    assert_true(shape_elements((1 << 30) - 1, 1 << 30, 4, &elements));
    assert_true(shape_elements(100000, 100000, 4, &elements) && elements == (size_t)10000000000);
    assert_true(shape_elements(0, 5, 4, &elements) && elements == 0);
    assert_true(shape_elements(INT_MAX, INT_MAX, 1, &elements));
    assert_true(elements == (size_t)INT_MAX * (size_t)INT_MAX);
}

int main(void) {
    return unit_run(NULL, NULL);
}
