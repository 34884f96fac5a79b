/* Does the verification catch what it is there for? The host's path of it (matrix_fill_host, verify_host,
 * matrix_changed_host) on a plain FP32 GEMM that is right, and with one fault at a time. */
#include <float.h>

#include "gemm_case.h"

enum { RANDOM, EXACT, PASSES };

static float *at(int row, int col) {
    return &v.c.data[(size_t)row * p.ldc + col];
}

/* The whole GEMM in FP32, k in order, BLAS semantics. */
static void set_up_right(const gemm_case *what, int pass) {
    set_up(what, pass == EXACT);
    if (pass == EXACT) {
        v.alpha = p.alpha = verify_exact_scalar(p.alpha);
        v.beta = p.beta = verify_exact_scalar(p.beta);
    }
    const float *A = p.A, *B = p.B;
    for (int i = 0; i < p.m; i++)
        for (int j = 0; j < p.n; j++) {
            float sum = 0.0f;
            for (int l = 0; l < (p.alpha == 0.0f ? 0 : p.k); l++)
                sum += A[(size_t)i * p.lda + l] * B[(size_t)l * p.ldb + j];
            *at(i, j) = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *at(i, j);
        }
}

static uint64_t changed_anywhere(void) {
    int64_t first;
    return changed(&v.a, true, &first) + changed(&v.b, true, &first) + changed(&v.c, false, &first);
}

static void expect(int row, int col, double *ref, double *bound) {
    double sum, magnitude;
    sums(row, col, &sum, &magnitude);
    *ref = p.alpha * sum + p.beta * old_c(row, col);
    *bound = v.exact ? 0.0 : bound_of(sum, magnitude, old_c(row, col));
}

static void assert_near(double x, double y) {
    assert_true(fabs(x - y) <= 1e-12 * fabs(y));
}

/* The verification finds exactly one wrong element, and says which, what it should be and what it is. */
static void assert_one_wrong(int row, int col) {
    const verify_result r = verify();
    double ref, bound;
    expect(row, col, &ref, &bound);
    const float got = *at(row, col);
    assert_int_equal(r.wrong, 1);
    assert_true(r.worst_share > 1.0);
    assert_memory_equal(&r.first, &r.worst, sizeof r.first);
    assert_int_equal(r.first.row, row);
    assert_int_equal(r.first.col, col);
    assert_near(r.first.expected, ref);
    assert_true(r.first.bound == bound || fabs(r.first.bound - bound) <= 1e-9 * bound);
    assert_true(isnan(got) ? isnan(r.first.got) : r.first.got == got);
}

static const gemm_case plain = {.m = 9, .n = 14, .k = 11, .alpha = 1.0f, .beta = 0.0f, .seed = 3};
static const gemm_case scaled = {.m = 9, .n = 14, .k = 11, .alpha = -0.5f, .beta = 2.0f, .seed = 3};
static const gemm_case padded = {
    .m = 6, .n = 10, .k = 7, .lda = 9, .ldb = 13, .ldc = 12, .alpha = 2.0f, .beta = 1.0f, .misalign = 3, .seed = 5};

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
    const int shapes[][3] = {{1, 1, 1},      {3, 5, 7},   {17, 33, 64}, {33, 17, 129}, {2, 1100, 9}, {64, 1, 31},
                             {31, 67, 1000}, {1, 64, 31}, {0, 5, 3},    {5, 0, 3},     {4, 6, 0},    {0, 0, 0}};
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
}

/* ---- one wrong element (tests/gpu/faults.c has kernels that do not write one, or swap rows) ---- */

TEST(nan_and_infinity_are_wrong_wherever_they_are) {
    const float poison[] = {NAN, -NAN, INFINITY, -INFINITY, FLT_MAX};
    const gemm_case vector = {.m = 257, .n = 1, .k = 129, .ldc = 5, .alpha = -3.0f, .seed = 8};
    const gemm_case cases[] = {plain, scaled, padded, vector};
    for (int i = 0; i < ARRAY_SIZE(cases); i++)
        for (int pass = 0; pass < PASSES; pass++) {
            set_up_right(&cases[i], pass);
            const int places[][2] = {{0, 0}, {0, p.n - 1}, {p.m / 2, p.n / 2}, {p.m - 1, 0}, {p.m - 1, p.n - 1}};
            for (int j = 0; j < ARRAY_SIZE(places); j++)
                for (int k = 0; k < ARRAY_SIZE(poison); k++) {
                    float *x = at(places[j][0], places[j][1]), right = *x;
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
    for (int i = 0; i < ARRAY_SIZE(places); i++) *at(places[i][0], places[i][1]) += off[i];
    verify_result r = verify();
    assert_int_equal(r.wrong, ARRAY_SIZE(places));
    assert_true(r.first.row == 2 && r.first.col == 700);
    assert_true(r.worst.row == 6 && r.worst.col == 0);
    assert_near(r.worst_share, fabs(r.worst.got - r.worst.expected) / r.worst.bound);
    assert_true(fabs(r.worst.got - r.worst.expected - 64.0) < 1e-3);
    assert_true(fabs(r.first.got - r.first.expected - 0.5) < 1e-3);

    *at(3, 900) = NAN; /* worse than any number */
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
                if (bound > 0.0) worst = fmax(worst, fabs(*at(i, j) - ref) / bound);
            }
        assert_true(fabs(r.worst_share - worst) <= 1e-9); /* a difference of near numbers, summed in one order */

        *at(130, 196) = NAN; /* as wrong as can be, and so are two before it; the later one is in an earlier panel */
        assert_one_wrong(130, 196);
        *at(64, 3) = NAN;
        *at(40, 129) = INFINITY;
        r = verify();
        assert_int_equal(r.wrong, 3);
        assert_true(r.first.row == 40 && r.first.col == 129);
        assert_true(r.worst.row == 40 && r.worst.col == 129);
        *at(3, 64) += 100.0f;
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

static const char *report(const char *what, const verify_result *r) {
    verify_report(listen_in(), what, &v, r);
    return heard();
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
    *at(4, 6) = NAN;
    *at(8, 0) += 1.0f;
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

/* ---- the edges of FP32's range ---- */

TEST(shares_at_the_edge_of_the_range) {
    const double past = 1e39;
    assert_true(verify_share(DTYPE_F32, INFINITY, past, 1e33) == 0.0);
    assert_true(verify_share(DTYPE_F32, -INFINITY, -past, 1e33) == 0.0);
    assert_true(verify_share(DTYPE_F32, INFINITY, past, 0.0) == 0.0);
    assert_true(verify_share(DTYPE_F32, -INFINITY, past, 1e33) > 1.0);
    assert_true(verify_share(DTYPE_F32, INFINITY, -past, 1e33) > 1.0);
    assert_true(verify_share(DTYPE_F32, FLT_MAX, past, 1e33) > 1.0);
    assert_true(verify_share(DTYPE_F32, NAN, past, 1e33) > 1.0);
    /* Near the largest float either may be right. */
    assert_true(verify_share(DTYPE_F32, INFINITY, 3.402823e38, 1e33) == 0.0);
    assert_true(verify_share(DTYPE_F32, FLT_MAX, 3.402823e38, 1e33) <= 1.0);
    assert_true(verify_share(DTYPE_F32, FLT_MAX, 3.4029e38, 1e34) <= 1.0);
    assert_true(verify_share(DTYPE_F32, INFINITY, 3.4e38, 1e33) > 1.0); /* too far below it */
    assert_true(verify_share(DTYPE_F32, INFINITY, 1.0, 0.5) > 1.0);
    assert_true(verify_share(DTYPE_F32, NAN, 1.0, 0.5) > 1.0);
    assert_true(verify_share(DTYPE_F32, NAN, NAN, 0.5) > 1.0);
    assert_true(verify_share(DTYPE_F32, 1.0f, NAN, 0.5) > 1.0);
    assert_true(verify_share(DTYPE_F32, 1.0f, 1.0, 0.0) == 0.0);
    assert_true(verify_share(DTYPE_F32, -0.0f, 0.0, 0.0) == 0.0);
    assert_true(verify_share(DTYPE_F32, 1.25f, 1.0, 0.5) == 0.5);
    assert_true(verify_share(DTYPE_F32, 2.0f, 1.0, 0.5) == 2.0);
}

/* Results below 2^-126: gradual underflow passes, flushing to zero does not. */
TEST(subnormal_results) {
    const float alphas[] = {0x1p-130f, -0x1p-135f, 0x1p-140f};
    for (int i = 0; i < ARRAY_SIZE(alphas); i++) {
        set_up_right(&(gemm_case){.m = 9, .n = 14, .k = 11, .alpha = alphas[i], .seed = 3}, RANDOM);
        assert_int_equal(verify().wrong, 0);
        int wrong = 0;
        for (int row = 0; row < p.m; row++)
            for (int col = 0; col < p.n; col++) {
                float *x = at(row, col);
                assert_true(fabsf(*x) < FLT_MIN);
                wrong += fabsf(*x) > 3 * 0x1p-149f;
                *x = 0.0f;
            }
        assert_true(wrong > 100);
        const verify_result r = verify();
        assert_true(r.wrong >= (uint64_t)wrong);
    }
    /* All terms tiny, and C's old value too: two roundings to the smallest step. */
    set_up_right(&(gemm_case){.m = 9, .n = 14, .k = 11, .alpha = 0x1p-147f, .beta = 0x1p-148f, .seed = 3}, RANDOM);
    assert_int_equal(verify().wrong, 0);
}

/* ---- changed words, and fingerprints ---- */

TEST(the_first_of_many_changes_is_reported) {
    set_up_right(&padded, RANDOM);
    int64_t first;
    v.c.data[6 * 12 + 5] = 1.0f;
    v.c.data[3 * 12 + 11] = 1.0f;
    v.c.data[3 * 12 + 10] = 1.0f;
    assert_int_equal(changed(&v.c, false, &first), 3);
    assert_int_equal(first, 3 * 12 + 10);
    v.c.data[-700] = 1.0f;
    assert_int_equal(changed(&v.c, false, &first), 4);
    assert_int_equal(first, -700);
}

/* Of the elements alone, wherever they are in memory; any other value in any other place is another one. */
TEST(fingerprints_tell_results_apart) {
    gemm_case tight = padded;
    tight.lda = tight.ldb = tight.ldc = 0;
    set_up_right(&tight, EXACT);
    const uint64_t right = matrix_fingerprint_host(&v.c);
    set_up_right(&padded, EXACT);
    assert_int_equal(matrix_fingerprint_host(&v.c), right);
    *at(0, padded.n) = 3.0f; /* padding */
    assert_int_equal(matrix_fingerprint_host(&v.c), right);
    for (int row = 0; row < padded.m; row++)
        for (int col = 0; col < padded.n; col++) {
            float *x = at(row, col);
            const float kept = *x;
            *x = kept == 0.0f ? -0.0f : nextafterf(kept, 100.0f);
            assert_true((matrix_fingerprint_host(&v.c) == right) == (kept == 0.0f));
            *x = kept;
        }
    float *x = at(1, 2), *y = at(3, 4);
    *x = 5.0f;
    *y = 6.0f;
    const uint64_t before = matrix_fingerprint_host(&v.c);
    *x = 6.0f;
    *y = 5.0f;
    assert_int_not_equal(matrix_fingerprint_host(&v.c), before);
}

static const struct fixtures fixtures = {.after = tear_down};
