/* Does the verification catch what it is there for? The host's path of it (matrix_fill_host, verify_host,
 * matrix_changed_host) on a plain FP32 GEMM that is right, and on the same GEMM with one fault at a time. */
#ifndef VERIFY_CASE_H
#define VERIFY_CASE_H

#include <float.h>
#include <math.h>

#include "gemm/gemm_operands.h"
#include "operands_case.h"
#include <cblas.h>

/* Not every test that includes this uses all of it. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"

enum { RANDOM, EXACT, PASSES };

/* ---- one problem, filled as operand_sets_verify fills it ---- */

static matrix *a, *b, *c;
static sgemm_problem p;

static void set_up(const gemm_case *what, int pass) {
    const operand_spec spec = gemm_operands(what);
    operand_set *s = fill_operands(&spec, pass == EXACT, what->seed);
    a = &s->a, b = &s->b, c = &s->c;
    const gemm_problem problem = gemm_problem_on(what, s);
    p = gemm_as_f32(&problem);
    if (pass == EXACT) {
        v.alpha = p.alpha = verify_exact_scalar(p.alpha);
        v.beta = p.beta = verify_exact_scalar(p.beta);
    }
}

/* The whole GEMM in FP32, k in order, BLAS semantics. */
static void gemm(const sgemm_problem *q) {
    for (int i = 0; i < q->m; i++)
        for (int j = 0; j < q->n; j++) {
            float sum = 0.0f;
            if (q->alpha != 0.0f)
                for (int l = 0; l < q->k; l++) sum += q->A[(size_t)i * q->lda + l] * q->B[(size_t)l * q->ldb + j];
            float *x = &q->C[(size_t)i * q->ldc + j];
            *x = q->beta == 0.0f ? q->alpha * sum : q->alpha * sum + q->beta * *x;
        }
}

static void set_up_right(const gemm_case *what, int pass) {
    set_up(what, pass);
    gemm(&p);
}

static float *at(const matrix *x, int row, int col) {
    return &x->data[(size_t)row * x->ld + col];
}

static uint64_t changed_anywhere(void) {
    int64_t first;
    return changed(a, true, &first) + changed(b, true, &first) + changed(c, false, &first);
}

/* FP64 reference and bound of one element, worked out here once more, from the text of verify.h. */
static void expect(int row, int col, double *ref, double *bound) {
    double sum = 0.0, magnitude = 0.0;
    if (p.alpha != 0.0f)
        for (int l = 0; l < p.k; l++) {
            const double product = (double)*at(a, row, l) * *at(b, l, col);
            sum += product;
            magnitude += fabs(product);
        }
    const double c0 = p.beta != 0.0f ? values_at(c->kind, c->seed, (uint64_t)row * p.n + col) : 0.0;
    const double u = ldexp(1.0, -24), s = fabs((double)p.alpha) * magnitude + fabs(p.beta * c0);
    *ref = p.alpha * sum + p.beta * c0;
    *bound = v.exact ? 0.0 : (1 + u) * (p.k + 2) * u * s + u * fabs(*ref) + ldexp(1.0, -149);
}

static void assert_near(double x, double y) {
    assert_true(fabs(x - y) <= 1e-12 * fabs(y));
}

/* The verification finds exactly one wrong element, and says which, what it should be and what it is. */
static void assert_one_wrong(int row, int col) {
    const verify_result r = verify();
    double ref, bound;
    expect(row, col, &ref, &bound);
    const float got = *at(c, row, col);
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

#endif
