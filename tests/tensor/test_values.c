/* Element types, the operands' values, where matrices lie in memory, and the check sweep's list of problems. */
#include <limits.h>

#include "../unit.h"
#include "bench/measure.h"
#include "gemm/gemm_cases.h"

/* ---- element types: every pattern, rounding, the ends of the range ---- */

static const dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32};

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

/* ---- the generator ---- */

/* The first hash is splitmix64's published first output for seed 0. */
TEST(known_values) {
    static const struct {
        uint64_t seed, index, hash;
        uint32_t uniform_bits;
        float integer;
    } known[] = {
        {0, 0, 0xe220a8397b1dcdafu, 0x3f444150u, -2},
        {0, 1, 0x6e789e6aa1b965f4u, 0xbe0c3b10u, 2},
        {0, UINT64_MAX, 0, 0xbf800000u, 1}, /* the least hash: exactly -1 */
        {1, 0, 0xf4a90164c4749e1au, 0x3f695202u, -2},
        {1, 1, 0xbfa9ae8d44b45a35u, 0x3efea6b8u, -1},
        {1, 4294967296u, 0xc1eb6eff156624f7u, 0x3f03d6dcu, -2},
        {42, 0, 0x31373183990900a5u, 0xbf1d919eu, 1},
        {42, 4294967296u, 0x0ecbda29e1ef66eau, 0xbf62684cu, 1},
        {UINT64_MAX, 1, 0xd37c68debc8c25d2u, 0x3f26f8d0u, -2},
    };
    for (int i = 0; i < ARRAY_SIZE(known); i++) {
        assert_true(values_hash(known[i].seed, known[i].index) == known[i].hash);
        assert_int_equal(values_to_bits(values_at(VALUES_UNIFORM, known[i].seed, known[i].index)),
                         known[i].uniform_bits);
        assert_true(values_at(VALUES_INTEGER, known[i].seed, known[i].index) == known[i].integer);
    }
    assert_int_equal(values_to_bits(values_at(VALUES_NAN, 1, 0)), 0x7fffffffu);
    assert_true(isnan(values_from_bits(VALUES_GUARD_BITS)) && VALUES_GUARD_BITS != 0x7fffffffu);
}

TEST(values_are_spread_evenly) {
    enum { DRAWS = 1 << 20, BINS = 16 };
    double products = 0.0, last = 0.0;
    int bins[BINS] = {0}, counts[5] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        const float x = values_at(VALUES_UNIFORM, 3, i), whole = values_at(VALUES_INTEGER, 5, i);
        assert_true(x >= -1.0f && x < 1.0f && x * (1 << 23) == rintf(x * (1 << 23)));
        assert_true(whole == truncf(whole) && fabsf(whole) <= 2.0f);
        products += x * last;
        last = x;
        bins[(int)((x + 1.0) / 2.0 * BINS)]++;
        counts[(int)whole + 2]++;
    }
    /* Six standard deviations of each. */
    assert_true(fabs(products / DRAWS) < 6.0 / 3.0 / sqrt(DRAWS)); /* neighbours are not correlated */
    for (int b = 0; b < BINS; b++) assert_true(fabs(bins[b] - (double)DRAWS / BINS) < 6 * sqrt((double)DRAWS / BINS));
    for (int i = 0; i < 5; i++)
        assert_true(i == 2 ? counts[i] == 0 : fabs(counts[i] - DRAWS / 4.0) < 6 * sqrt(DRAWS * 0.25 * 0.75));
}

TEST(seeds_make_different_values) {
    for (uint64_t seed = 0; seed < 20; seed++)
        for (uint64_t other = 0; other < seed; other++) {
            int equal = 0;
            for (uint64_t i = 0; i < 1000; i++)
                equal += values_at(VALUES_UNIFORM, seed, i) == values_at(VALUES_UNIFORM, other, i);
            assert_true(equal < 3);
        }
}

/* ---- where a matrix lies ---- */

TEST(a_matrix_takes_its_rows_and_two_guards) {
    assert_int_equal(MATRIX_GUARD, 1024);
    assert_true(matrix_words(DTYPE_F32, 65540, 65541, 0) ==
                2048 + (size_t)65540 * 65541 + (64 - 65540 * 65541ull % 64) % 64);
    assert_true(matrix_words(DTYPE_F32, 2000000000, 2000000000, 3) > (size_t)2000000000 * 2000000000); /* no wrap */
    for (int rows = 0; rows < 9; rows++)
        for (int ld = 1; ld < 9; ld++)
            for (int misalign = 0; misalign < 4; misalign++) {
                const size_t floats = matrix_words(DTYPE_F32, rows, ld, misalign);
                const size_t needed = (size_t)(MATRIX_GUARD + misalign + rows * ld + MATRIX_GUARD);
                assert_int_equal(floats % 64, 0);
                assert_true(floats >= needed && floats < needed + 64);
            }
}

static float *floats_on_256(size_t floats) {
    float *memory = aligned_alloc(256, (floats * sizeof(float) + 255) / 256 * 256);
    assert_non_null(memory);
    return memory;
}

/* Every word is an element with its value, or holds the guard's bits. */
TEST(a_filled_matrix_holds_its_values_between_guards) {
    enum { ROWS = 4, COLS = 5, LD = 8, OFF = 3 };
    const values_kind kinds[] = {VALUES_UNIFORM, VALUES_INTEGER, VALUES_NAN};
    float *memory = floats_on_256(matrix_words(DTYPE_F32, ROWS, LD, OFF));
    for (int kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
        matrix x = matrix_place(memory, DTYPE_F32, ROWS, COLS, LD, OFF);
        assert_true(x.base == memory && x.data == memory + MATRIX_GUARD + OFF && (uintptr_t)x.data % 256 == 4 * OFF);
        assert_true(x.rows == ROWS && x.cols == COLS && x.ld == LD &&
                    x.words == matrix_words(DTYPE_F32, ROWS, LD, OFF));
        for (size_t i = 0; i < x.words; i++) x.base[i] = 99.0f;
        matrix_fill_host(&x, kinds[kind], 11);
        assert_true(x.kind == kinds[kind] && x.seed == 11);
        int elements = 0;
        for (size_t i = 0; i < x.words; i++) {
            const int64_t offset = (int64_t)i - MATRIX_GUARD - OFF;
            uint32_t expected = VALUES_GUARD_BITS;
            bool inside = offset >= 0 && offset < ROWS * LD && offset % LD < COLS, said = !inside;
            if (inside)
                expected = values_to_bits(
                    values_at(kinds[kind], 11, (uint64_t)(offset / LD * COLS + offset % LD))); /* without the padding */
            elements += inside;
            assert_int_equal(values_to_bits(x.base[i]), expected);
            assert_int_equal(matrix_expected(&x, i, &said), expected);
            assert_int_equal(said, inside);
        }
        assert_int_equal(elements, ROWS * COLS);
        uint64_t changed = 99;
        int64_t first = 99;
        matrix_changed_host(&x, true, &changed, &first);
        assert_true(changed == 0 && first == 0);
    }
    free(memory);
}

TEST(operands_lie_one_behind_the_other) {
    const gemm_case padded = {.m = 50, .n = 60, .k = 70, .lda = 91, .ldb = 105, .ldc = 117, .misalign = 2, .seed = 4};
    const gemm_case product = {.m = 50, .n = 60, .k = 70, .alpha = 1.0f}, empty = {.m = 50, .n = 0, .k = 0};
    const size_t floats =
        matrix_words(DTYPE_F32, 50, 91, 2) + matrix_words(DTYPE_F32, 70, 105, 2) + matrix_words(DTYPE_F32, 50, 117, 2);
    const operand_spec padded_spec = gemm_operands(&padded), product_spec = gemm_operands(&product);
    const operand_spec empty_spec = gemm_operands(&empty);
    assert_int_equal(operand_sets_bytes(&padded_spec, 1), 4 * floats);
    assert_int_equal(operand_sets_bytes(&padded_spec, 3), 12 * floats);
    assert_int_equal(operand_touched(&product_spec), 4 * (3500 + 4200 + 3000));
    assert_int_equal(operand_touched(&padded_spec), 4 * 3000); /* alpha == 0: nobody reads A or B */

    float *memory = floats_on_256(floats);
    operand_sets o;
    operand_sets_place(&o, &padded_spec, 1, memory);
    const matrix *a = &o.set[0].a, *b = &o.set[0].b, *c = &o.set[0].c;
    assert_ptr_equal(a->base, memory);
    assert_ptr_equal(b->base, memory + a->words);
    assert_ptr_equal(c->base, memory + a->words + b->words);
    operand_sets_destroy(&o);
    const gemm_problem p = gemm_problem_on(&empty, &empty_spec.like);
    assert_true(p.lda == 1 && p.ldb == 1 && p.ldc == 1); /* BLAS: at least 1 */
    free(memory);
}

TEST(cold_sets_pass_twice_the_cache) {
    const size_t l2 = 50u << 20;
    for (int side = 0; side <= 4096; side = side == 0 ? 1 : side * 2) {
        const gemm_case c = {.m = side, .n = side, .k = side};
        const operand_spec spec = gemm_operands(&c);
        const bench_workload work = {.touched = operand_touched(&spec), .cold_bytes = 2 * l2};
        const int sets = measure_cold_sets(&work);
        assert_in_range(sets, 1, 511);
        assert_int_not_equal(sets % 4, 0); /* A B B A would take each side to half of them */
        const int enough = sets % 4 == 1 && sets > 1 ? sets - 1 : sets;
        if (side > 0 && sets < 511) assert_true((size_t)sets * operand_touched(&spec) > 2 * l2);
        if (enough > 1 && sets < 511) assert_true((size_t)(enough - 1) * operand_touched(&spec) <= 2 * l2);
    }
}

/* ---- the check sweep's problems ---- */

static const gemm_kind f32 = {GEMM_F32, DTYPE_F32, GEMM_NN};
static int take_cases(int max_size, int every, uint64_t seed, gemm_case **cases) {
    case_list l = {.size = sizeof **cases, .max_size = max_size, .seed = seed};
    gemm_cases(&f32, 1, &l);
    case_list_thin(&l, every);
    *cases = (gemm_case *)l.cases;
    return l.count;
}

static gemm_case *cases;
static int case_count;

static int make_cases(void **state) {
    case_count = take_cases(INT_MAX, 1, 1, &cases);
    return case_count > 0 ? 0 : -1;
}

static int free_cases(void **state) {
    free(cases);
    return 0;
}

static void assert_same_case(const gemm_case *x, const gemm_case *y) {
    assert_true(x->m == y->m && x->n == y->n && x->k == y->k);
    assert_true(x->lda == y->lda && x->ldb == y->ldb && x->ldc == y->ldc);
    assert_true(x->alpha == y->alpha && x->beta == y->beta && x->misalign == y->misalign);
}

#define SOME(condition)   assert_some(c, cases, case_count, condition)
#define DIVIDED(c, sides) ((c)->m % (sides) == 0 && (c)->n % (sides) == 0 && (c)->k % (sides) == 0)
#define UNEVEN(c)         ((c)->m % 16 != 0 && (c)->n % 16 != 0 && (c)->k % 16 != 0)

TEST(every_case_is_legal_and_has_its_seed) {
    for (int i = 0; i < case_count; i++) {
        const gemm_case *c = &cases[i];
        assert_true(c->m >= 0 && c->n >= 0 && c->k >= 0);
        assert_true(c->lda == 0 || (c->lda >= c->k && c->lda >= 1));
        assert_true(c->ldb == 0 || (c->ldb >= c->n && c->ldb >= 1));
        assert_true(c->ldc == 0 || (c->ldc >= c->n && c->ldc >= 1));
        assert_in_range(c->misalign, 0, 16);
        assert_true(c->seed == 1 + (uint64_t)i);
    }
}

TEST(every_small_size_and_every_edge_in_each_dimension) {
    const int edges[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 4095};
    for (int size = 1; size <= 70; size++) {
        int with[3] = {0}; /* each size in each dimension beside three different pairs of others */
        for (int i = 0; i < case_count; i++) {
            const gemm_case *c = &cases[i];
            if (c->m > 70 || c->n > 70 || c->k > 70 || c->lda != 0 || c->ldb != 0 || c->ldc != 0) continue;
            with[0] += c->m == size;
            with[1] += c->n == size;
            with[2] += c->k == size;
        }
        assert_true(with[0] >= 3 && with[1] >= 3 && with[2] >= 3);
    }
    for (int i = 0; i < ARRAY_SIZE(edges); i++) {
        const int edge = edges[i];
        SOME(c->m == edge && c->n == edge && c->k == edge);
    }
}

TEST(every_pair_of_scalars) {
    const float scalars[] = {0.0f, 1.0f, -0.5f, 2.0f};
    for (int i = 0; i < 16; i++) { /* with a shape tiles divide, with one they do not, and with k = 0 */
        const float alpha = scalars[i / 4], beta = scalars[i % 4];
        SOME(c->alpha == alpha && c->beta == beta && c->m > 0 && c->n > 0 && c->k > 0 && DIVIDED(c, 64));
        SOME(c->alpha == alpha && c->beta == beta && UNEVEN(c));
        SOME(c->alpha == alpha && c->beta == beta && c->m > 0 && c->n > 0 && c->k == 0);
    }
}

TEST(padded_and_misaligned_operands) {
    SOME(c->lda > c->k && c->ldb == 0 && c->ldc == 0);
    SOME(c->ldb > c->n && c->lda == 0 && c->ldc == 0);
    SOME(c->ldc > c->n && c->lda == 0 && c->ldb == 0);
    SOME(c->lda > c->k && c->ldb > c->n && c->ldc > c->n);
    SOME(c->lda > c->k && c->lda % 4 == 0 && c->ldb > c->n && c->ldb % 4 == 0);
    SOME(c->ldc > c->n && c->beta != 0.0f);
    for (int off = 1; off <= 3; off++) /* with n and k for which kernels would use float4 */
        SOME(c->misalign == off && c->n % 4 == 0 && c->k % 4 == 0);
}

TEST(empty_and_huge_matrices) {
    SOME(c->m == 0 && c->n > 0 && c->k > 0);
    SOME(c->n == 0 && c->m > 0 && c->k > 0);
    SOME(c->k == 0 && c->m > 0 && c->n > 0 && c->alpha != 0.0f && c->beta == 0.0f);
    SOME(c->k == 0 && c->m > 0 && c->n > 0 && c->alpha != 0.0f && c->beta != 0.0f);
    SOME(c->m == 0 && c->n == 0 && c->k == 0);
    SOME(c->m == 200000 && c->n > 1 && c->k > 1);
    SOME(c->n == 200000 && c->m > 1 && c->k > 1);
    SOME((int64_t)c->m * c->n > INT64_C(2147483648) && (int64_t)c->m * c->n <= INT64_C(4294967296));
    SOME((int64_t)c->m * c->n > INT64_C(4294967296));
}

TEST(max_size_counts_every_side_and_drops_nothing_else) {
    const int limits[] = {0, 1, 2, 33, 70, 129, 1000, 4095, 200000};
    for (int i = 0; i < ARRAY_SIZE(limits); i++) {
        gemm_case *kept = NULL;
        const int count = take_cases(limits[i], 1, 9, &kept);
        assert_true(count > 0);
        int at = 0;
        for (int j = 0; j < case_count; j++) {
            const gemm_case *c = &cases[j];
            if (c->m > limits[i] || c->n > limits[i] || c->k > limits[i]) continue;
            assert_true(at < count);
            assert_same_case(&kept[at], c);
            assert_true(kept[at].seed == 9 + (uint64_t)at);
            at++;
        }
        assert_int_equal(at, count);
        free(kept);
    }
}

TEST(every_takes_each_nth_from_the_first_on) {
    const int steps[] = {1, 2, 5, 7, 1000000, INT_MAX};
    const int limits[] = {0, 129, INT_MAX};
    for (int l = 0; l < ARRAY_SIZE(limits); l++) {
        gemm_case *whole = NULL;
        const int whole_count = take_cases(limits[l], 1, 1, &whole);
        for (int i = 0; i < ARRAY_SIZE(steps); i++) {
            gemm_case *kept = NULL;
            const int count = take_cases(limits[l], steps[i], 1, &kept);
            assert_int_equal(count, (whole_count - 1) / steps[i] + 1);
            for (int j = 0; j < count; j++) {
                assert_same_case(&kept[j], &whole[j * steps[i]]);
                assert_true(kept[j].seed == whole[j * steps[i]].seed); /* the same problem, not only the same shape */
            }
            free(kept);
        }
        free(whole);
    }
}

/* scripts/tests/sanitize.sh's selection: few, but with a bit of everything. */
TEST(the_sanitizers_selection_has_a_bit_of_everything) {
    gemm_case *kept = NULL;
    const int count = take_cases(129, 5, 1, &kept);
    assert_in_range(count, 50, 100);
    assert_some(c, kept, count, c->k == 0 && c->m > 0 && c->n > 0);
    assert_some(c, kept, count, c->alpha == 0.0f && c->k > 0);
    assert_some(c, kept, count, c->beta == 0.0f);
    assert_some(c, kept, count, c->ldc > c->n);
    assert_some(c, kept, count, c->misalign != 0);
    assert_some(c, kept, count, UNEVEN(c));
    assert_some(c, kept, count, c->m >= 64 && c->m % 64 == 0 && c->n % 64 == 0);
    free(kept);
}

static const struct fixtures fixtures = {.first = make_cases, .last = free_cases};
