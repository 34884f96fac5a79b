/* GEMMs of every type and layout on the host's path of the verification: what belongs there, the bound worked out once
 * more, results at its edge; and the check list of such a step. */
#include <limits.h>

#include "../tensor/gemm_case.h"

static const gemm_kind kinds[] = {
    {GEMM_F32, DTYPE_F32, GEMM_NN},  {GEMM_F32, DTYPE_F32, GEMM_TN},    {GEMM_F16, DTYPE_F16, GEMM_NN},
    {GEMM_F16, DTYPE_F32, GEMM_TN},  {GEMM_BF16, DTYPE_F32, GEMM_NN},   {GEMM_BF16, DTYPE_BF16, GEMM_TN},
    {GEMM_TF32, DTYPE_F32, GEMM_NN}, {GEMM_TF32, DTYPE_F32, GEMM_TN},   {GEMM_S8, DTYPE_S32, GEMM_NN},
    {GEMM_S8, DTYPE_S32, GEMM_TN},   {GEMM_TF32X3, DTYPE_F32, GEMM_TN},
};

static gemm_case of_kind(const gemm_kind *kind, int m, int n, int k) {
    return (gemm_case){
        .m = m, .n = n, .k = k, .alpha = 1.0f, .seed = 5, .type = kind->type, .out = kind->out, .layout = kind->layout};
}

TEST(whole_numbers) {
    for (int x = -128; x < 128; x++) {
        assert_int_equal(dtype_to_bits(DTYPE_S8, x), x & 0xff);
        assert_true(dtype_round(DTYPE_S8, x) == x);
    }
    const double edges[] = {0, 1, -1, INT_MAX, INT_MIN, 123456789};
    for (int i = 0; i < ARRAY_SIZE(edges); i++) assert_true(dtype_round(DTYPE_S32, edges[i]) == edges[i]);
    assert_true(dtype_round(DTYPE_S32, 2147483648.0) == INT_MIN); /* as the hardware wraps around */
    assert_true(dtype_round(DTYPE_S32, -2147483649.0) == INT_MAX);
    assert_true(dtype_round(DTYPE_S32, 0x1p52 + 7) == 7);
    const int32_t words[] = {INT_MIN, 16777217, -16777217}; /* more than a float holds */
    for (int i = 0; i < 3; i++) assert_true(dtype_load(DTYPE_S32, words, (size_t)i) == words[i]);
    assert_int_equal(dtype_to_bits(DTYPE_S32, NAN), DTYPE_POISON_S32);
    assert_int_not_equal(dtype_guard_bits(DTYPE_S32), DTYPE_POISON_S32);

    matrix x = matrix_place(memory = aligned_alloc(256, 1 << 17), DTYPE_S8, 300, 300, 300, 0);
    int seen[256] = {0};
    matrix_fill_host(&x, VALUES_UNIFORM, 3);
    for (int i = 0; i < 300; i++)
        for (int j = 0; j < 300; j++) seen[(int)matrix_at(&x, i, j) + 128]++;
    for (int i = 0; i < 256; i++) assert_in_range(seen[i], 250, 460); /* 352 each, more or less */
    free(memory);
    x = matrix_place(memory = aligned_alloc(256, 1 << 17), DTYPE_S32, 20, 30, 33, 0);
    double least = 0.0, most = 0.0;
    matrix_fill_host(&x, VALUES_UNIFORM, 3);
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 30; j++) {
            const double value = matrix_at(&x, i, j);
            assert_true(value == matrix_value(&x, (uint64_t)i * 30 + j));
            least = fmin(least, value), most = fmax(most, value);
        }
    assert_true(least >= -0x1p23 && least < -0x1p22 && most < 0x1p23 && most > 0x1p22);
    matrix_fill_host(&x, VALUES_NAN, 3);
    assert_true(matrix_at(&x, 19, 29) == (int32_t)DTYPE_POISON_S32);
}

/* Base pointers, guards and padding of elements of 1, 2 and 4 bytes. */
TEST(operands_of_all_sizes) {
    for (int i = 0; i < ARRAY_SIZE(kinds); i++)
        for (int off = 0; off <= 16; off += off < 4 ? 1 : 4) {
            gemm_case c = of_kind(&kinds[i], 5, 7, 9);
            const bool tn = c.layout == GEMM_TN;
            c.lda = 11, c.ldb = 12, c.ldc = 13, c.misalign = off, c.beta = 2.0f;
            set_up(&c, false);
            const size_t size = dtype_size(gemm_operand_dtype(c.type)), out = dtype_size(c.out);
            assert_int_equal((uintptr_t)p.A % 256, off * size);
            assert_int_equal((uintptr_t)p.B % 256, off * size);
            assert_int_equal((uintptr_t)p.C % 256, off * out);
            assert_true(v.b.rows == (tn ? 7 : 9) && v.b.cols == (tn ? 9 : 7) && v.b.ld == 12);
            const operand_spec spec = gemm_operands(&c);
            assert_int_equal(matrix_bytes(&v.a) + matrix_bytes(&v.b) + matrix_bytes(&v.c),
                             operand_sets_bytes(&spec, 1));
            const gemm_problem outline = gemm_problem_on(&c, &spec.like);
            assert_true(outline.lda == 11 && outline.ldb == 12 && outline.ldc == 13 && outline.type == c.type);
            assert_int_equal((uintptr_t)outline.A % 256, (uintptr_t)p.A % 256);
            assert_int_equal((uintptr_t)outline.B % 256, (uintptr_t)p.B % 256);
            assert_int_equal((uintptr_t)outline.C % 256, (uintptr_t)p.C % 256);
            const matrix *const all[] = {&v.a, &v.b, &v.c};
            for (int m = 0; m < 3; m++) {
                int64_t first;
                assert_int_equal(changed(all[m], true, &first), 0);
                const int64_t front = matrix_front(all[m]), end = (int64_t)all[m]->rows * all[m]->ld;
                const int64_t places[] = {-front,
                                          -MATRIX_GUARD,
                                          -2,
                                          -1,
                                          all[m]->cols /* padding of row 0 */,
                                          end - 1, /* and of the last */
                                          end,
                                          end + 1,
                                          end + MATRIX_GUARD - 1,
                                          (int64_t)all[m]->words - front - 1};
                for (int j = 0; j < ARRAY_SIZE(places); j++) {
                    const size_t word = (size_t)(front + places[j]);
                    const uint32_t before = matrix_word(all[m], word);
                    assert_int_equal(before, dtype_guard_bits(all[m]->type));
                    const uint32_t written[] = {0, before ^ 1}; /* where there are NaNs, another NaN */
                    for (int w = 0; w < 2; w++) {
                        matrix_set_word(all[m], word, written[w]);
                        assert_int_equal(changed(all[m], false, &first), 1);
                        assert_int_equal(first, places[j]);
                    }
                    matrix_set_word(all[m], word, before);
                }
                const int64_t last = end - all[m]->ld + all[m]->cols - 1, elements[] = {0, last};
                for (int j = 0; j < 2; j++) { /* which may be written in C alone */
                    const size_t word = (size_t)(front + elements[j]);
                    const uint32_t before = matrix_word(all[m], word);
                    matrix_set_word(all[m], word, before ^ 1);
                    assert_int_equal(changed(all[m], true, &first), 1);
                    assert_int_equal(first, elements[j]);
                    assert_int_equal(changed(all[m], false, &first), 0);
                    matrix_set_word(all[m], word, before);
                }
            }
            c.lda = c.ldb = c.ldc = 0;
            set_up(&c, false);
            assert_true(p.lda == 9 && p.ldb == (tn ? 9 : 7) && p.ldc == 7);
        }
}

static size_t touched(const gemm_case *c) {
    const operand_spec spec = gemm_operands(c);
    return operand_touched(&spec);
}

TEST(bytes_touched) {
    gemm_case c = {.m = 3, .n = 5, .k = 7, .alpha = 1.0f, .type = GEMM_S8, .out = DTYPE_S32};
    assert_int_equal(touched(&c), 21 + 35 + 4 * 15);
    c.type = GEMM_BF16, c.out = DTYPE_F32;
    assert_int_equal(touched(&c), 2 * (21 + 35) + 4 * 15);
    c.type = GEMM_TF32;
    assert_int_equal(touched(&c), 4 * (21 + 35 + 15));
}

/* What is right passes both passes; the operands' values differ along each dimension of B, or the layouts could not be
 * told apart. */
TEST(right_results_pass) {
    static const float scalars[][2] = {{1.0f, 0.0f}, {-3.0f, 2.0f}, {0.0f, 1.0f}, {2.0f, -1.0f}};
    static const int shapes[][3] = {{5, 7, 9}, {66, 70, 33}, {9, 1, 40}, {1, 65, 3}, {8, 8, 0}};
    for (int i = 0; i < ARRAY_SIZE(kinds); i++)
        for (int j = 0; j < ARRAY_SIZE(shapes); j++)
            for (int s = 0; s < 4; s++)
                for (int exact = 0; exact < 2; exact++) {
                    gemm_case c = of_kind(&kinds[i], shapes[j][0], shapes[j][1], shapes[j][2]);
                    c.alpha = scalars[s][0], c.beta = scalars[s][1];
                    c.misalign = s, c.lda = c.k + 3, c.ldb = 75, c.ldc = c.n + 1;
                    set_up(&c, exact);
                    gemm();
                    const verify_result r = verify();
                    assert_int_equal(r.wrong, 0);
                    assert_true(r.worst_share <= 1.0);
                    if (!exact && p.type != GEMM_S8) continue;
                    assert_true(r.worst_share == 0.0);
                    const size_t word = (size_t)matrix_front(&v.c);
                    matrix_set_word(&v.c, word, matrix_word(&v.c, word) ^ 1);
                    const verify_result one = verify(); /* by the least bit */
                    assert_true(one.wrong == 1 && isinf(one.worst_share) && one.first.bound == 0.0);
                }
    for (int i = 0; i < ARRAY_SIZE(kinds); i++) { /* B taken in the other layout */
        const gemm_case c = of_kind(&kinds[i], 20, 20, 20);
        set_up(&c, true);
        gemm();
        v.b_transposed = !v.b_transposed;
        assert_true(verify().wrong > 200);
    }
}

/* A result just within the bound passes, one just outside it does not. */
TEST(the_bound_is_what_it_says) {
    for (int i = 0; i < ARRAY_SIZE(kinds); i++)
        for (int k = 1; k <= 500; k = k * 7 + 2) {
            gemm_case c = of_kind(&kinds[i], 6, 5, k);
            c.alpha = -3.0f, c.beta = 2.0f;
            set_up(&c, false);
            gemm();
            for (int side = -1; side <= 1; side += 2) {
                double sum, magnitude;
                sums(4, 3, &sum, &magnitude);
                const double c0 = old_c(4, 3), ref = p.alpha * sum + p.beta * c0, bound = bound_of(sum, magnitude, c0);
                assert_true(fabs(verify_bound(&v, magnitude, ref, c0, 0.0) - bound) <= 1e-12 * bound);
                if (p.type == GEMM_S8) {
                    store(4, 3, ref + side);
                    assert_int_equal(verify().wrong, 1);
                    continue;
                }
                /* The type's neighbours of the bound's end: the nearer one within it, the other beyond. */
                const double end = ref + side * bound;
                double inside = dtype_round(p.out, end), outside = inside;
                const double step = fmax(fabs(end) * dtype_unit(p.out), dtype_step(p.out));
                for (double x = end; fabs(inside - ref) > bound; x -= side * step) inside = dtype_round(p.out, x);
                for (double x = end; fabs(outside - ref) <= bound; x += side * step) outside = dtype_round(p.out, x);
                store(4, 3, inside);
                assert_int_equal(verify().wrong, 0);
                store(4, 3, outside);
                const verify_result r = verify();
                assert_int_equal(r.wrong, 1);
                assert_true(r.first.row == 4 && r.first.col == 3 && r.first.got == outside);
                gemm();
            }
        }
}

/* Operands cut off to TF32 at worst, sums cut off at each product: within the bound, and near it at small k. */
TEST(tf32_cut_off_passes) {
    double worst = 0.0;
    for (int k = 1; k <= 64; k *= 2) {
        gemm_case c = of_kind(&kinds[6], 60, 60, k);
        set_up(&c, false);
        v.a.data[0] = v.b.data[0] = 0x1.003ffep0f; /* loses nearly 2^-10 of itself */
        for (int i = 0; i < p.m; i++)
            for (int j = 0; j < p.n; j++) {
                float sum = 0.0f;
                for (int l = 0; l < k; l++) {
                    const float a = values_from_bits(values_to_bits((float)a_at(i, l)) & 0xffffe000u);
                    const float b = values_from_bits(values_to_bits((float)b_at(l, j)) & 0xffffe000u);
                    sum += a * b;
                }
                store(i, j, sum);
            }
        const verify_result r = verify();
        assert_int_equal(r.wrong, 0);
        worst = fmax(worst, r.worst_share);
    }
    assert_true(worst > 0.99 && worst <= 1.0);
}

TEST(results_overflow_to_infinity_and_to_nothing_else) {
    for (int way = 0; way < 4; way++) {
        const bool exact = way & 1, f16 = way & 2;
        gemm_case c = of_kind(&kinds[f16 ? 2 : 0], 30, 30, 200);
        int infinite[2] = {0};
        c.alpha = f16 ? 16.0f * 1024.0f : 3e38f; /* sums reach 20 */
        set_up(&c, exact);
        gemm();
        assert_int_equal(verify().wrong, 0);
        for (int i = 0; i < 30; i++)
            for (int j = 0; j < 30; j++) {
                const double got = matrix_at(&v.c, i, j);
                const double wrong[] = {-got, NAN, copysign(dtype_largest(c.out), got)};
                if (!isinf(got) || infinite[got > 0.0]++ > 0) continue; /* one of each sign is enough */
                for (int w = 0; w < 3; w++) {
                    store(i, j, wrong[w]);
                    assert_int_equal(verify().wrong, 1);
                }
                store(i, j, got);
            }
        assert_true(infinite[0] > 10 && infinite[1] > 10);
    }
}

TEST(s8_wraps_around) {
    gemm_case c = of_kind(&kinds[9], 10, 10, 100);
    c.alpha = 65536.0f, c.beta = -65536.0f;
    set_up(&c, false);
    gemm();
    assert_int_equal(verify().wrong, 0);
    store(9, 9, INT_MAX); /* saturated */
    assert_int_equal(verify().wrong, 1);
}

/* ---- the check list ---- */

enum { FIRST = 2, KINDS = ARRAY_SIZE(kinds) - FIRST }; /* test_values.c has FP32's, which is longer */

static int take_cases(int max_size, int every, uint64_t seed, gemm_case **cases) {
    case_list l = {.size = sizeof **cases, .max_size = max_size, .seed = seed};
    gemm_cases(kinds + FIRST, KINDS, &l);
    case_list_thin(&l, every);
    *cases = (gemm_case *)l.cases;
    return l.count;
}

TEST(the_list_has_all_of_each_kind) {
    gemm_case *cases;
    const int count = take_cases(INT_MAX, 1, 9, &cases);
    assert_int_equal(count % KINDS, 0);
    const int each = count / KINDS;
    assert_in_range(each, 130, 200);
    for (int i = 0; i < KINDS; i++) {
        const gemm_kind *kind = &kinds[FIRST + i];
        const gemm_case *these = cases + i * each;
        const size_t in = dtype_size(gemm_operand_dtype(kind->type)), out = dtype_size(kind->out);
        bool rows_on_16[3][2] = {{0}}, base_on_16[2] = {0};
        for (int j = 0; j < each; j++) {
            const gemm_case *c = &these[j];
            assert_true(c->type == kind->type && c->out == kind->out && c->layout == kind->layout);
            assert_true(c->seed == 9 + (uint64_t)(i * each + j));
            assert_true(c->m >= 0 && c->m < 1100 && c->n >= 0 && c->n < 1100 && c->k >= 0 && c->k < 5000);
            const operand_spec spec = gemm_operands(c);
            const gemm_problem q = gemm_problem_on(c, &spec.like);
            assert_true(q.lda >= c->k && q.ldb >= (c->layout == GEMM_TN ? c->k : c->n) && q.ldc >= c->n);
            rows_on_16[0][(size_t)q.lda * in % 16 == 0] = true;
            rows_on_16[1][(size_t)q.ldb * in % 16 == 0] = true;
            rows_on_16[2][(size_t)q.ldc * out % 16 == 0] = true;
            base_on_16[(uintptr_t)q.A % 16 == 0] = true;
            if (c->type == GEMM_S8) assert_true(c->alpha == truncf(c->alpha) && c->beta == truncf(c->beta));
        }
        for (int x = 0; x < 3; x++) assert_true(rows_on_16[x][0] && rows_on_16[x][1]);
        assert_true(base_on_16[0] && base_on_16[1]);
#define SOME(condition) assert_some(c, these, each, condition)
        const int sides[] = {1, 2, 3, 4, 5, 6, 7, 8, 63, 64, 65, 127, 128, 129, 255, 256, 257, 513, 1025};
        for (int e = 0; e < ARRAY_SIZE(sides); e++) {
            SOME(c->m == sides[e]);
            SOME(c->n == sides[e]);
            SOME(c->k == sides[e]);
        }
        SOME(c->k == 4096);
        SOME(c->m == 0);
        SOME(c->n == 0);
        SOME(c->k == 0 && c->m > 0 && c->n > 0);
        const float scalars[] = {0.0f, 1.0f, kind->type == GEMM_S8 ? -3.0f : -0.5f, 2.0f};
        for (int e = 0; e < 16; e++) SOME(c->alpha == scalars[e / 4] && c->beta == scalars[e % 4]);
        for (int e = 1; e <= 16; e *= 2) {
            SOME(c->lda == c->k + e);
            SOME(c->misalign == e);
        }
    }
    gemm_case *some;
    const int fewer = take_cases(70, 3, 9, &some);
    assert_true(fewer > count / 9 && fewer < count / 3);
    for (int i = 0; i < fewer; i++) assert_true(some[i].m <= 70 && some[i].n <= 70 && some[i].k <= 70);
    free(some);
    free(cases);
}

static const struct fixtures fixtures = {.after = tear_down};
