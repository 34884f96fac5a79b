/* A GEMV's operands, its verification on the host, its check list and sweeps. */
#include "../tensor/operands_case.h"
#include "gemv/gemv_cases.h"
#include <limits.h>

static const dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32};

/* ---- operands ---- */

static gemv_problem p;

static void set_up(const gemv_case *what, bool exact) {
    const operand_spec spec = gemv_operands(what);
    p = gemv_problem_on(what, fill_operands(&spec, exact, what->seed));
    if (exact) {
        v.alpha = p.alpha = verify_exact_scalar(p.alpha);
        v.beta = p.beta = verify_exact_scalar(p.beta);
    }
}

static void store(int i, double value) {
    matrix_set_word(&v.c, (size_t)(matrix_front(&v.c) + i), dtype_to_bits(p.type, value));
}

/* FP32, in order, one rounding to the type at the end. */
static void gemv(void) {
    for (int i = 0; i < p.n; i++) {
        float sum = 0.0f;
        if (p.alpha != 0.0f)
            for (int j = 0; j < p.k; j++)
                sum += dtype_load(p.type, p.A, (size_t)i * p.lda + j) * dtype_load(p.type, p.x, j);
        float y = p.alpha * sum;
        if (p.alpha == 0.0f) y = 0.0f;
        if (p.beta != 0.0f) y += p.beta * dtype_load(p.type, p.y, i);
        store(i, y);
    }
}

TEST(operands_of_each_type) {
    for (int i = 0; i < ARRAY_SIZE(types); i++) {
        const size_t size = dtype_size(types[i]);
        const gemv_case c = {
            .type = types[i], .n = 5, .k = 7, .lda = 9, .alpha = 1, .beta = 1, .off_a = 3, .off_x = 1, .off_y = 2};
        set_up(&c, false);
        assert_int_equal((uintptr_t)p.A % 256, 3 * size);
        assert_int_equal((uintptr_t)p.x % 256, size);
        assert_int_equal((uintptr_t)p.y % 256, 2 * size);
        assert_true(v.a.rows == 5 && v.a.cols == 7 && v.a.ld == 9 && v.b.rows == 7 && v.b.cols == 1 && v.c.rows == 5);
        /* Elements are FP32's, rounded. */
        assert_true(matrix_at(&v.a, 4, 6) == (float)dtype_round(types[i], values_at(VALUES_UNIFORM, 0, 4 * 7 + 6)));
    }
}

static const float scalars[] = {0.0f, 1.0f, -0.5f, 2.0f};

TEST(right_results_pass) {
    for (int i = 0; i < ARRAY_SIZE(types); i++)
        for (int s = 0; s < 32; s++) {
            const gemv_case c = {
                .type = types[i], .n = 37, .k = 500, .alpha = scalars[s & 3], .beta = scalars[s >> 2 & 3], .seed = 4};
            set_up(&c, s & 16);
            gemv();
            const verify_result r = verify();
            assert_int_equal(r.wrong, 0);
            assert_true(r.worst_share <= 1.0);
        }
}

/* The bound, worked out here once more: its edge passes, and a little beyond it does not. */
TEST(the_bound_ends_where_it_says) {
    for (int i = 0; i < ARRAY_SIZE(types); i++) {
        const gemv_case c = {.type = types[i], .n = 20, .k = 33, .alpha = -0.5f, .beta = 2, .seed = 6};
        set_up(&c, false);
        const double w = types[i] == DTYPE_F32 ? 0x1p-24 : types[i] == DTYPE_F16 ? 0x1p-11 : 0x1p-8;
        const double magnitude = 7.3, ref = -1.9, y0 = -0.6, s = 0.5 * magnitude + 2 * fabs(y0);
        const double bound = (1 + w) * (c.k + 2) * 0x1p-24 * s + w * fabs(ref) + dtype_step(types[i]);
        assert_true(fabs(verify_bound(&v, magnitude, ref, y0, 0.0) - bound) <= 1e-12 * bound);
        assert_true(verify_judge(&v, (float)(ref + 1.01 * bound), ref, bound) > 1.0);
        assert_true(verify_judge(&v, (float)(ref - 0.99 * bound), ref, bound) <= 1.0);
    }
}

/* What is planted has to arrive where BLAS lets it, and nowhere else. */
TEST(planted_values_arrive) {
    static const float values[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++)
        for (int where = PLANT_A; where <= PLANT_Y; where++) {
            gemv_case c = {.type = DTYPE_BF16, .n = 6, .k = 8, .alpha = 1, .beta = -0.5f};
            c.plant = (gemv_plant)where, c.plant_at = 5, c.planted = values[i];
            set_up(&c, false);
            gemv();
            int special = 0, at = -1;
            for (int j = 0; j < 6; j++)
                if (!isfinite(matrix_at(&v.c, j, 0))) special++, at = j;
            assert_int_equal(special, where == PLANT_X ? 6 : 1);
            assert_int_equal(verify().wrong, 0);
            store(at, 1.0);
            assert_int_equal(verify().wrong, 1);
            store(at, isnan(values[i]) ? INFINITY : NAN);
            assert_int_equal(verify().wrong, 1);
        }
}

/* Do all rows of A, and x, begin on 16 bytes? */
static bool on_16_bytes(const gemv_case *c) {
    const int piece = 16 / (int)dtype_size(c->type), lda = c->lda != 0 ? c->lda : c->k;
    return lda % piece == 0 && c->off_a % piece == 0 && c->off_x % piece == 0;
}

static int take_cases(int max_size, int every, uint64_t seed, gemv_case **cases) {
    case_list l = {.size = sizeof **cases, .max_size = max_size, .seed = seed};
    gemv_cases(&l);
    case_list_thin(&l, every);
    *cases = (gemv_case *)l.cases;
    return l.count;
}

/* What kernels of 16-byte loads, and of several turns, are only seen to do right where it is listed. */
TEST(the_check_list_on_16_bytes) {
    static const float planted[] = {NAN, INFINITY, -INFINITY};
    gemv_case *cases;
    int turns[3] = {0};
    const int count = take_cases(INT_MAX, 1, 1, &cases);
    for (int i = 0; i < count; i++) {
        const gemv_case *c = &cases[i];
        turns[c->type] += on_16_bytes(c) && c->n > 2 * 132 * 16 && c->k > 1000 && c->k <= 2048;
    }
    assert_true(on_16_bytes(&cases[0]) && cases[0].n > 2 * 132 * 16 && cases[0].n <= 4301);
    for (int t = 0; t < 3; t++) {
        assert_int_equal(turns[t], 2);
        for (int i = 0; i < 12; i++) { /* A or x, each value, on 16 bytes or not */
            const int where = i < 6 ? PLANT_A : PLANT_X;
            const float value = planted[i % 3];
            assert_some(c, cases, count,
                        (int)c->type == t && (int)c->plant == where && on_16_bytes(c) == (i / 3 % 2) &&
                            (isnan(value) ? isnan(c->planted) : c->planted == value));
        }
    }
    free(cases);
    const int few = take_cases(129, 41, 1, &cases); /* what scripts/tests/sanitize.sh takes of it */
    assert_in_range(few, 12, 20);
    for (int i = 0; i < 6; i++)
        assert_some(c, cases, few, c->n > 0 && c->k >= 16 && (int)c->type == i / 2 && on_16_bytes(c) == i % 2);
    free(cases);
    const int raced = take_cases(1024, 187, 1, &cases);
    assert_some(c, cases, raced, c->n == 1024 && c->k == 1024);
    free(cases);
}

TEST(the_check_list) {
    gemv_case *cases, *some;
    const int count = take_cases(INT_MAX, 1, 1, &cases);
    assert_true(count > 600);
    for (int i = 0; i < count; i++) {
        assert_int_equal(cases[i].seed, 1 + i);
        assert_true(cases[i].lda == 0 || cases[i].lda >= cases[i].k);
    }
#define SOME(condition) assert_some(c, cases, count, condition)
    for (int i = 0; i <= 70; i++) {
        SOME(c->n == i);
        SOME(c->k == i);
    }
    for (int i = 0; i < 48; i++)
        SOME(c->type == types[i / 16] && c->alpha == scalars[i / 4 % 4] && c->beta == scalars[i % 4]);
    for (int i = PLANT_A; i <= PLANT_Y; i++) SOME((int)c->plant == i);
    SOME(c->off_a && !c->off_x && !c->off_y);
    SOME(!c->off_a && c->off_x && !c->off_y);
    SOME(!c->off_a && !c->off_x && c->off_y);
    SOME(c->lda > c->k);
    SOME(c->n == 0 || c->k == 0);
    SOME(c->n >= 1000000);
    SOME(c->k >= 1000000);
    SOME((uint64_t)c->n * (uint64_t)c->k > UINT32_MAX);
    const int fewer = take_cases(300, 7, 1, &some);
    assert_true(fewer > 50 && fewer < count / 7);
    for (int i = 0; i < fewer; i++) assert_true(some[i].n <= 300 && some[i].k <= 300);
    free(cases);
    free(some);
}

/* ---- sweeps ---- */

TEST(sweeps_of_a_gemv) {
    for (int kind = SWEEP_SQUARE; kind <= SWEEP_ODD; kind++)
        for (int simulated = 0; simulated < 2; simulated++) {
            const shape_list list = gemv_sweep((sweep_kind)kind, simulated);
            assert_true(list.count > 0);
            for (int i = 0; i < list.count; i++) assert_int_equal(list.shapes[i].m, 1);
        }
    const shape_list article = gemv_sweep(SWEEP_ARTICLE, false);
    assert_true(article.count == 1 && article.shapes[0].n == 1024 && article.shapes[0].k == 1024);
}

static const struct fixtures fixtures = {.after = tear_down};
