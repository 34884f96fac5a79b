/* Faults of a kernel: wrong scalars, dropped terms, the edges of the range, what must not be written. */
#include "verify_case.h"

/* ---- wrong scalars, a dropped term (tests/gpu/faults.c has kernels that read what may not be read) ---- */

static verify_result verify_other(const gemm_case *what, int pass, float alpha, float beta) {
    set_up(what, pass);
    sgemm_problem other = p;
    if (!isnan(alpha)) other.alpha = alpha;
    if (!isnan(beta)) other.beta = beta;
    gemm(&other);
    return verify();
}

TEST(ignored_scalars_are_caught) {
    const float scalars[] = {0.0f, 1.0f, -0.5f, 2.0f};
    for (int i = 0; i < 16; i++)
        for (int pass = 0; pass < PASSES; pass++) {
            const gemm_case what = {
                .m = 9, .n = 14, .k = 11, .alpha = scalars[i / 4], .beta = scalars[i % 4], .seed = 3};
            assert_int_equal(verify_other(&what, pass, NAN, NAN).wrong, 0);
            if (what.beta != 0.0f) assert_true(verify_other(&what, pass, NAN, 0.0f).wrong > 100);
            if (what.beta != 1.0f) assert_true(verify_other(&what, pass, NAN, 1.0f).wrong > 100);
            if (what.alpha != 0.0f) assert_true(verify_other(&what, pass, 0.0f, NAN).wrong > 90); /* some sums are 0 */
            if (what.alpha != 1.0f) assert_true(verify_other(&what, pass, 1.0f, NAN).wrong > 90);
        }
}

/* The reason for the exact pass: at k = 8192 the bound is wider than any product, so a kernel that leaves one out
 * passes the random pass. */
TEST(a_dropped_term_slips_through_the_bound_and_not_through_the_exact_pass) {
    const gemm_case deep = {.m = 17, .n = 9, .k = 8192, .alpha = 1.0f, .beta = 0.0f, .seed = 7};
    const int dropped[] = {0, 4095, 8191};
    for (int d = 0; d < ARRAY_SIZE(dropped); d++)
        for (int pass = 0; pass < PASSES; pass++) {
            set_up(&deep, pass);
            const int l = dropped[d];
            for (int i = 0; i < p.m; i++) *at(a, i, l) = 0.0f;
            gemm(&p);
            matrix_fill_host(a, a->kind, a->seed);
            const verify_result r = verify();
            if (pass == RANDOM) {
                assert_int_equal(r.wrong, 0);
                double ref, bound;
                expect(0, 0, &ref, &bound);
                assert_true(bound > 0.9 && bound < 1.1);
            } else
                assert_int_equal(r.wrong, 17 * 9);
        }
    /* In a single element, too. */
    set_up_right(&deep, EXACT);
    *at(c, 16, 8) -= *at(a, 16, 8191) * *at(b, 8191, 8);
    assert_one_wrong(16, 8);
    /* At small k either pass catches it. */
    set_up_right(&plain, RANDOM);
    *at(c, 8, 13) -= *at(a, 8, 10) * *at(b, 10, 13);
    assert_one_wrong(8, 13);
}

/* ---- the edges of FP32's range ---- */

TEST(overflow_must_be_the_infinity_of_its_sign) {
    set_up_right(&(gemm_case){.m = 20, .n = 20, .k = 16, .alpha = 3e38f, .seed = 4}, RANDOM);
    int positive = 0, negative = 0;
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++) {
            float *x = at(c, i, j), right = *x;
            if (!isinf(right)) continue;
            positive += right > 0.0f;
            negative += right < 0.0f;
            *x = -right;
            assert_one_wrong(i, j);
            *x = NAN;
            assert_one_wrong(i, j);
            *x = copysignf(1.0f, right);
            assert_one_wrong(i, j);
            *x = right;
        }
    assert_true(positive > 50 && negative > 50 && positive + negative < 400);
    assert_int_equal(verify().wrong, 0); /* the infinities pass */
}

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
                float *x = at(c, row, col);
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

/* ---- guards, padding, operands ---- */

TEST(changed_operands_are_found) {
    const gemm_case cases[] = {padded, plain, scaled};
    for (int i = 0; i < ARRAY_SIZE(cases); i++)
        for (int pass = 0; pass < PASSES; pass++) {
            set_up_right(&cases[i], pass);
            matrix *const read[] = {a, b};
            for (int m = 0; m < 2; m++) {
                matrix *x = read[m];
                const int places[][2] = {{0, 0}, {1, x->cols - 1}, {x->rows - 1, 0}, {x->rows - 1, x->cols - 1}};
                for (int j = 0; j < ARRAY_SIZE(places); j++) {
                    float *word = at(x, places[j][0], places[j][1]), old = *word;
                    *word = values_from_bits(values_to_bits(old) ^ 1u); /* the last bit alone */
                    int64_t first;
                    assert_int_equal(changed(x, true, &first), 1);
                    assert_int_equal(first, (int64_t)places[j][0] * x->ld + places[j][1]);
                    assert_int_equal(changed(x, false, &first), 0); /* as for C, whose elements are the result */
                    *word = old;
                }
            }
            assert_int_equal(changed_anywhere(), 0);
        }
}

TEST(the_first_of_many_changes_is_reported) {
    set_up_right(&padded, RANDOM);
    int64_t first;
    c->data[6 * 12 + 5] = 1.0f;
    c->data[3 * 12 + 11] = 1.0f;
    c->data[3 * 12 + 10] = 1.0f;
    assert_int_equal(changed(c, false, &first), 3);
    assert_int_equal(first, 3 * 12 + 10);
    c->data[-700] = 1.0f;
    assert_int_equal(changed(c, false, &first), 4);
    assert_int_equal(first, -700);
}

/* Of the elements alone, wherever they are in memory; any other value in any other place is another one. */
TEST(fingerprints_tell_results_apart) {
    gemm_case tight = padded;
    tight.lda = tight.ldb = tight.ldc = 0;
    set_up_right(&tight, EXACT);
    const uint64_t right = matrix_fingerprint_host(c);
    set_up_right(&padded, EXACT);
    assert_int_equal(matrix_fingerprint_host(c), right);
    *at(c, 0, padded.n) = 3.0f; /* padding */
    assert_int_equal(matrix_fingerprint_host(c), right);
    for (int row = 0; row < padded.m; row++)
        for (int col = 0; col < padded.n; col++) {
            float *x = at(c, row, col);
            const float kept = *x;
            *x = kept == 0.0f ? -0.0f : nextafterf(kept, 100.0f);
            assert_true((matrix_fingerprint_host(c) == right) == (kept == 0.0f));
            *x = kept;
        }
    float *x = at(c, 1, 2), *y = at(c, 3, 4);
    *x = 5.0f;
    *y = 6.0f;
    const uint64_t before = matrix_fingerprint_host(c);
    *x = 6.0f;
    *y = 5.0f;
    assert_int_not_equal(matrix_fingerprint_host(c), before);
}

int main(void) {
    return unit_run(NULL, tear_down);
}
