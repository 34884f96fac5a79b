/* Sweeps and the arithmetic on sizes. */
#include <limits.h>

#include "../unit.h"
#include "gemm/gemm_cases.h"

/* The shapes of a sweep as a run has them, to be freed. */
static shape *take(sweep_kind kind, bool simulated, int max_size, int *count) {
    case_list l = {.size = sizeof(shape), .max_size = max_size};
    shape s;
    case_list_add_shapes(&l, gemm_sweep(kind, simulated), &s, &s.m, &s.n, &s.k);
    *count = l.count;
    return (shape *)(void *)l.cases;
}

static void assert_sweep(sweep_kind kind, int max_size, const shape *expected, int count) {
    int found;
    shape *shapes = take(kind, false, max_size, &found);
    assert_int_equal(found, count);
    if (count > 0) assert_memory_equal(shapes, expected, (size_t)count * sizeof *shapes);
    free(shapes);
}

TEST(square_sweep) {
    const int sides[] = {256, 512, 1000, 1024, 2048, 3000, 4095, 4096, 5000, 8192, 16384};
    shape expected[ARRAY_SIZE(sides)];
    for (int i = 0; i < ARRAY_SIZE(sides); i++) expected[i] = (shape){sides[i], sides[i], sides[i]};
    assert_sweep(SWEEP_SQUARE, INT_MAX, expected, ARRAY_SIZE(sides));
}

TEST(article_sweep) {
    const shape expected[] = {{2048, 2048, 1024}, {4096, 4096, 1024}, {8192, 8192, 1024}, {16384, 16384, 1024}};
    assert_sweep(SWEEP_ARTICLE, INT_MAX, expected, ARRAY_SIZE(expected));
}

/* Each has a side that no tile divides. */
TEST(odd_sweep) {
    const shape expected[] = {{33, 33, 33},       {127, 129, 255},    {257, 1000, 33},    {1000, 1000, 1000},
                              {1023, 1025, 1027}, {4095, 4095, 4095}, {4097, 4095, 4100}, {8192, 33, 4096},
                              {33, 8192, 4096},   {200000, 65, 129},  {65, 200000, 129},  {100, 100, 100000}};
    assert_sweep(SWEEP_ODD, INT_MAX, expected, ARRAY_SIZE(expected));
    assert_sweep(SWEEP_ODD, 99999, expected, ARRAY_SIZE(expected) - 3); /* by their long side */
}

TEST(max_size_counts_every_side_and_is_inclusive) {
    const shape square[] = {{256, 256, 256}, {512, 512, 512}, {1000, 1000, 1000}};
    const shape article[] = {{2048, 2048, 1024}};
    const shape odd[] = {{33, 33, 33}, {127, 129, 255}, {257, 1000, 33}, {1000, 1000, 1000}, {1023, 1025, 1027}};
    assert_sweep(SWEEP_SQUARE, 1000, square, 3);
    assert_sweep(SWEEP_SQUARE, 1023, square, 3);
    assert_sweep(SWEEP_SQUARE, 999, square, 2);
    assert_sweep(SWEEP_ARTICLE, 2048, article, 1);
    assert_sweep(SWEEP_ARTICLE, 2047, NULL, 0);
    assert_sweep(SWEEP_ODD, 1027, odd, 5);
    assert_sweep(SWEEP_ODD, 1026, odd, 4); /* only its k is too large */
    assert_sweep(SWEEP_ODD, 1024, odd, 4);
    assert_sweep(SWEEP_ODD, 32, NULL, 0);
    assert_sweep(SWEEP_SQUARE, 0, NULL, 0);
}

/* In the simulator shapes are small, and the limit holds for every side. */
TEST(sweeps_of_the_simulator) {
    for (int kind = SWEEP_SQUARE; kind <= SWEEP_ODD; kind++) {
        int all, few;
        shape *shapes = take((sweep_kind)kind, true, 1000000, &all);
        double multiplications = 0.0;
        for (int i = 0; i < all; i++) multiplications += shape_flops(shapes[i]) / 2;
        assert_true(all >= 4 && multiplications < 6e8); /* 0.1 s for 512^3, 1.3e8, in the slowest kernel */
        free(shapes);
        shapes = take((sweep_kind)kind, true, 150, &few);
        assert_true(few >= 1 && few < all);
        for (int i = 0; i < few; i++) assert_true(shapes[i].m <= 150 && shapes[i].n <= 150 && shapes[i].k <= 150);
        free(shapes);
    }
}

TEST(flops_are_exact_past_2_to_the_32) {
    assert_true(shape_flops((shape){2, 3, 4}) == 48.0);
    assert_true(shape_flops((shape){16384, 16384, 16384}) == 8796093022208.0);
    assert_true(shape_flops((shape){200000, 65, 129}) == 3354000000.0);
    assert_true(shape_flops((shape){0, 3, 4}) == 0.0);
    assert_true(shape_flops((shape){INT_MAX, 1, 1}) == 4294967294.0);
}

TEST(bytes_count_c_twice_only_where_it_is_read) {
    const shape s = {2, 3, 5}; /* A 10, B 15, C 6 elements */
    assert_true(shape_bytes(s, 0.0f, 4, 4) == 124.0);
    assert_true(shape_bytes(s, 1.0f, 4, 4) == 148.0);
    assert_true(shape_bytes(s, -0.5f, 2, 2) == 74.0);
    assert_true(shape_bytes((shape){65536, 65536, 65536}, 0.0f, 4, 4) == 51539607552.0);
    assert_true(shape_bytes((shape){2, 3, 0}, 0.0f, 4, 4) == 24.0);
    assert_true(shape_bytes(s, 1.0f, 2, 4) == 98.0);
}

/* INT_MAX * INT_MAX is 2^62 - 2^32 + 1: bytes that fit below 2^62, and twice as many do not. */
TEST(operands_too_large_to_address) {
    operand_spec spec = {.like = {.a = operand_outline(DTYPE_S8, INT_MAX, INT_MAX, 0, 0)}};
    assert_true(isfinite(operand_sets_bytes(&spec, 1)));
    spec.like.a = operand_outline(DTYPE_F16, INT_MAX, INT_MAX, 0, 0);
    assert_true(isinf(operand_sets_bytes(&spec, 1)));
    spec.like.a = operand_outline(DTYPE_F32, 1 << 30, 1 << 30, 0, 0); /* 2^62 bytes: one too many */
    assert_true(isinf(operand_sets_bytes(&spec, 1)));
    spec.like.a = operand_outline(DTYPE_F32, (1 << 30) - 1, 1 << 30, 0, 0);
    assert_true(isfinite(operand_sets_bytes(&spec, 1)));
}
