/* What is right passes, what is wrong does not, and the report says which element. */
#include "verify_case.h"

/* ---- right results pass ---- */

static void assert_passes(const gemm_case *what) {
    for (int pass = 0; pass < PASSES; pass++) {
        set_up_right(what, pass);
        const verify_result r = verify();
        assert_int_equal(r.wrong, 0);
        assert_int_equal(changed_anywhere(), 0);
        assert_true(pass == EXACT ? r.worst_share == 0.0 : r.worst_share >= 0.0 && r.worst_share <= 1.0);
    }
}

TEST(right_results_pass) {
    const int shapes[][3] = {{1, 1, 1},   {3, 5, 7}, {17, 33, 64}, {33, 17, 129}, {2, 1100, 9}, {64, 1, 31},
                             {1, 64, 31}, {0, 5, 3}, {5, 0, 3},    {4, 6, 0},     {0, 0, 0}};
    const float scalars[] = {0.0f, 1.0f, -0.5f, 2.0f};
    for (int s = 0; s < ARRAY_SIZE(shapes); s++)
        for (int i = 0; i < 16; i++)
            for (int off = 0; off < 4; off++) {
                gemm_case what = {.m = shapes[s][0], .n = shapes[s][1], .k = shapes[s][2], .misalign = off};
                what.alpha = scalars[i / 4], what.beta = scalars[i % 4];
                what.seed = 100 * (uint64_t)s + (uint64_t)i;
                assert_passes(&what);
                what.lda = what.k + 1 + off, what.ldb = what.n + 4, what.ldc = what.n + 3 - off + 1;
                assert_passes(&what);
            }
}

/* The same problem by OpenBLAS in FP32: another order of the sums. */
static void blas_gemm(const sgemm_problem *q) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, q->m, q->n, q->k, q->alpha, q->A, q->lda, q->B, q->ldb,
                q->beta, q->C, q->ldc);
}

static const gemm_case blas_cases[] = {
    {.m = 1, .n = 1, .k = 1, .alpha = 1.0f, .seed = 1},
    {.m = 9, .n = 14, .k = 11, .alpha = -0.5f, .beta = 2.0f, .seed = 2},
    {.m = 128, .n = 96, .k = 64, .alpha = 1.0f, .seed = 3},
    {.m = 65, .n = 600, .k = 33, .alpha = 1.25f, .beta = -1.0f, .seed = 4},
    {.m = 6, .n = 10, .k = 7, .lda = 9, .ldb = 13, .ldc = 12, .alpha = 2.0f, .beta = 1.0f, .misalign = 3, .seed = 5},
    {.m = 31, .n = 67, .k = 1000, .lda = 1001, .ldb = 70, .ldc = 99, .alpha = 0.75f, .beta = 0.25f, .seed = 6},
    {.m = 1, .n = 257, .k = 129, .alpha = 1.0f, .beta = 1.0f, .seed = 7},
    {.m = 257, .n = 1, .k = 129, .ldc = 5, .alpha = -3.0f, .seed = 8},
};

/* Another order passes; and of each wrong element in turn verify_host tells the reference. */
TEST(what_openblas_computes_is_right) {
    for (int i = 0; i < ARRAY_SIZE(blas_cases); i++)
        for (int pass = 0; pass < PASSES; pass++) {
            set_up(&blas_cases[i], pass);
            blas_gemm(&p);
            assert_int_equal(verify().wrong, 0);
            assert_true(verify().worst_share <= 1.0);
            assert_int_equal(changed_anywhere(), 0);
            for (int n = 0; n < 5; n++) {
                const int row = n * (p.m - 1) / 4, col = (4 - n) * (p.n - 1) / 4;
                float *x = at(c, row, col);
                const float right = *x;
                *x = 1e30f;
                assert_one_wrong(row, col);
                *x = right;
            }
        }
}

TEST(right_results_pass_at_large_k) {
    assert_passes(&(gemm_case){.m = 3, .n = 5, .k = 8192, .alpha = 1.0f, .beta = 0.0f, .seed = 8});
    assert_passes(&(gemm_case){.m = 2, .n = 3, .k = 200000, .alpha = 2.0f, .beta = 16.0f, .seed = 8});
}

/* What is not the scalars' own value in the exact pass is replaced by it (0.3 becomes 0.25). */
TEST(odd_scalars_pass) {
    const float scalars[] = {0.3f, -3.14159f, 1e-3f, 1000.0f, -1.0f / 3.0f};
    for (int i = 0; i < ARRAY_SIZE(scalars); i++)
        for (int j = 0; j < ARRAY_SIZE(scalars); j++)
            assert_passes(&(gemm_case){.m = 7, .n = 9, .k = 40, .alpha = scalars[i], .beta = scalars[j], .seed = i});
}

TEST(scalars_of_the_exact_pass) {
    const float pairs[][2] = {{0.0f, 0.0f},     {1.0f, 1.0f},       {-0.5f, -0.5f},    {2.0f, 2.0f},
                              {0.25f, 0.25f},   {-15.75f, -15.75f}, {16.0f, 16.0f},    {16.25f, 16.0f},
                              {-17.0f, -16.0f}, {1e38f, 16.0f},     {0.3f, 0.25f},     {0.4f, 0.5f},
                              {0.375f, 0.5f},   {-0.6f, -0.5f},     {3.14159f, 3.25f}, {0.1f, 0.25f},
                              {-0.01f, -0.25f}, {1e-40f, 0.25f},    {-1e-45f, -0.25f}, {16.1f, 16.0f}};
    for (int i = 0; i < ARRAY_SIZE(pairs); i++) assert_true(verify_exact_scalar(pairs[i][0]) == pairs[i][1]);
    assert_true(signbit(verify_exact_scalar(-0.0f)));
    for (float x = -20.0f; x <= 20.0f; x += 0.0078125f) {
        const float scalar = verify_exact_scalar(x);
        assert_true(scalar * 4.0f == rintf(scalar * 4.0f) && fabsf(scalar) <= 16.0f);
        assert_true((scalar == 0.0f) == (x == 0.0f) && (scalar < 0.0f) == (x < 0.0f));
        assert_true(fabsf(scalar - x) <= 0.125f || fabsf(x) < 0.25f || fabsf(x) > 16.0f);
    }
}

/* ---- one wrong element (tests/gpu/faults.c has kernels that do not write one, or swap rows) ---- */

/* In the exact pass the next float is wrong already. */
TEST(the_exact_pass_allows_nothing) {
    const gemm_case cases[] = {plain, scaled, padded};
    for (int i = 0; i < ARRAY_SIZE(cases); i++) {
        set_up_right(&cases[i], EXACT);
        float *x = at(c, 4, 6);
        *x = nextafterf(*x, INFINITY);
        assert_one_wrong(4, 6);
        assert_true(isinf(verify().worst_share));
        assert_true(verify().first.bound == 0.0);
    }
}

TEST(nan_and_infinity_are_wrong_wherever_they_are) {
    const float poison[] = {NAN, -NAN, INFINITY, -INFINITY, FLT_MAX};
    const gemm_case cases[] = {plain, scaled, padded};
    for (int i = 0; i < ARRAY_SIZE(cases); i++)
        for (int pass = 0; pass < PASSES; pass++) {
            set_up_right(&cases[i], pass);
            const int places[][2] = {{0, 0}, {0, p.n - 1}, {p.m / 2, p.n / 2}, {p.m - 1, 0}, {p.m - 1, p.n - 1}};
            for (int j = 0; j < ARRAY_SIZE(places); j++)
                for (int k = 0; k < ARRAY_SIZE(poison); k++) {
                    float *x = at(c, places[j][0], places[j][1]), right = *x;
                    *x = poison[k];
                    assert_one_wrong(places[j][0], places[j][1]);
                    if (poison[k] != FLT_MAX) assert_true(isinf(verify().worst_share));
                    *x = right;
                }
        }
}

/* ---- first and worst ---- */

/* More than one of verify_host's panels, whose order is not the rows'. */
TEST(first_is_in_rows_order_and_worst_by_its_share) {
    set_up_right(&(gemm_case){.m = 7, .n = 1100, .k = 20, .alpha = 1.0f, .seed = 2}, RANDOM);
    const int places[][2] = {{5, 3}, {2, 1050}, {2, 700}, {6, 0}, {2, 701}};
    const float off[] = {1.0f, 2.0f, 0.5f, 64.0f, 4.0f};
    for (int i = 0; i < ARRAY_SIZE(places); i++) *at(c, places[i][0], places[i][1]) += off[i];
    verify_result r = verify();
    assert_int_equal(r.wrong, ARRAY_SIZE(places));
    assert_true(r.first.row == 2 && r.first.col == 700);
    assert_true(r.worst.row == 6 && r.worst.col == 0);
    assert_near(r.worst_share, fabs(r.worst.got - r.worst.expected) / r.worst.bound);
    assert_true(fabs(r.worst.got - r.worst.expected - 64.0) < 1e-3);
    assert_true(fabs(r.first.got - r.first.expected - 0.5) < 1e-3);

    *at(c, 3, 900) = NAN; /* worse than any number */
    r = verify();
    assert_int_equal(r.wrong, ARRAY_SIZE(places) + 1);
    assert_true(r.first.row == 2 && r.first.col == 700);
    assert_true(r.worst.row == 3 && r.worst.col == 900 && isnan(r.worst.got) && isinf(r.worst_share));
}

/* Large enough for several threads, with the last rows and columns in no whole tile. */
TEST(threads_and_tiles_agree_on_everything) {
    for (int pass = 0; pass < PASSES; pass++) {
        set_up_right(&(gemm_case){.m = 131, .n = 197, .k = 61, .ldb = 200, .alpha = 1.0f, .beta = 1.0f, .seed = 5},
                     pass);
        verify_result r = verify();
        assert_int_equal(r.wrong, 0);
        assert_true(pass == EXACT ? r.worst_share == 0.0 : r.worst_share > 0.0 && r.worst_share <= 1.0);
        /* The worst share of all is that of one element. */
        double worst = 0.0;
        for (int i = 0; i < p.m; i++)
            for (int j = 0; j < p.n; j++) {
                double ref, bound;
                expect(i, j, &ref, &bound);
                if (bound > 0.0) worst = fmax(worst, fabs(*at(c, i, j) - ref) / bound);
            }
        assert_true(fabs(r.worst_share - worst) <= 1e-9); /* a difference of near numbers, summed in one order */

        *at(c, 130, 196) = NAN; /* as wrong as can be, and so are two before it; the later one is in an earlier panel */
        assert_one_wrong(130, 196);
        *at(c, 64, 3) = NAN;
        *at(c, 40, 129) = INFINITY;
        r = verify();
        assert_int_equal(r.wrong, 3);
        assert_true(r.first.row == 40 && r.first.col == 129);
        assert_true(r.worst.row == 40 && r.worst.col == 129);
        *at(c, 3, 64) += 100.0f;
        r = verify();
        assert_int_equal(r.wrong, 4);
        assert_true(r.first.row == 3 && r.first.col == 64);
        if (pass == RANDOM) assert_true(r.worst.row == 40 && r.worst.col == 129);
    }
}

TEST(everything_wrong_is_counted) {
    for (int pass = 0; pass < PASSES; pass++) {
        set_up(&(gemm_case){.m = 30, .n = 700, .k = 3, .alpha = 1.0f, .seed = 2}, pass); /* no GEMM at all */
        const verify_result r = verify();
        assert_int_equal(r.wrong, 30 * 700);
        assert_true(r.first.row == 0 && r.first.col == 0);
    }
}

/* ---- the report ---- */

static char *report(const char *what, const verify_result *r) {
    static char text[1024];
    memset(text, 0, sizeof text);
    FILE *f = fmemopen(text, sizeof text, "w");
    assert_non_null(f);
    verify_report(f, what, &v, r);
    fclose(f);
    return text;
}

TEST(the_report_of_the_random_pass) {
    set_up(&scaled, RANDOM);
    const verify_result r = {
        .wrong = 17, .first = {1, 2, 1.5, 1.25, 0.001}, .worst = {8, 13, -0.123456789012, INFINITY, 2e-6}};
    assert_string_equal(report("tile8x8", &r),
                        "tile8x8: random pass: 17 of 126 elements wrong (m 9, n 14, k 11, alpha -0.5, beta 2)\n"
                        "  first at row 1, column 2: expected 1.5, got 1.25 (off by 0.25, allowed 0.001)\n"
                        "  worst at row 8, column 13: expected -0.123456789, got inf (off by inf, allowed 2e-06)\n");
}

TEST(the_report_of_the_exact_pass) {
    set_up_right(&plain, EXACT);
    *at(c, 4, 6) = NAN;
    *at(c, 8, 0) += 1.0f;
    const verify_result r = verify();
    char expected[512];
    snprintf(expected, sizeof expected,
             "x: exact pass: 2 of 126 elements wrong (m 9, n 14, k 11, alpha 1, beta 0)\n"
             "  first at row 4, column 6: expected %.9g, got nan\n"
             "  worst at row 4, column 6: expected %.9g, got nan\n",
             r.first.expected, r.first.expected);
    assert_string_equal(report("x", &r), expected);
}

TEST(the_report_counts_beyond_32_bits) {
    v = (verify_case){.a = {.cols = 3}, .c = {.rows = 65540, .cols = 65541}, .alpha = 1.0f};
    const verify_result r = {.wrong = 5000000000u};
    assert_non_null(strstr(report("x", &r), "x: random pass: 5000000000 of 4295557140 elements wrong (m 65540, "));
}

int main(void) {
    return unit_run(NULL, tear_down);
}
