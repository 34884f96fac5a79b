/* A GEMM of any type and layout in host memory, straight from the texts of gemm.h and verify.h: its operands, its
 * result in FP64, what the bound allows. */
#pragma once

#include "gemm/gemm_cases.h"
#include "operands_case.h"

static gemm_problem p;

static void set_up(const gemm_case *what, bool exact) {
    const operand_spec spec = gemm_operands(what);
    p = gemm_problem_on(what, fill_operands(&spec, exact, what->seed));
}

/* Straight from gemm.h's text. */
static double a_at(int i, int l) {
    return dtype_load(gemm_operand_dtype(p.type), p.A, (size_t)i * p.lda + l);
}

static double b_at(int l, int j) {
    return dtype_load(gemm_operand_dtype(p.type), p.B,
                      p.layout == GEMM_TN ? (size_t)j * p.ldb + l : (size_t)l * p.ldb + j);
}

static void store(int i, int j, double value) {
    matrix_set_word(&v.c, (size_t)(matrix_front(&v.c) + (int64_t)i * p.ldc + j), dtype_to_bits(p.out, value));
}

static double old_c(int i, int j) {
    return p.beta == 0.0f ? 0.0 : matrix_value(&v.c, (uint64_t)i * p.n + j);
}

static void sums(int i, int j, double *sum, double *magnitude) {
    *sum = *magnitude = 0.0;
    for (int l = 0; l < (p.alpha == 0.0f ? 0 : p.k); l++) {
        *sum += a_at(i, l) * b_at(l, j);
        *magnitude += fabs(a_at(i, l) * b_at(l, j));
    }
}

/* The result in FP64, rounded to C's type. */
static void gemm(void) {
    for (int i = 0; i < p.m; i++)
        for (int j = 0; j < p.n; j++) {
            double sum, magnitude;
            sums(i, j, &sum, &magnitude);
            store(i, j, p.alpha * sum + p.beta * old_c(i, j));
        }
}

/* verify.h's bound, from its text. */
static double bound_of(double sum, double magnitude, double c0) {
    const double products = fabs((double)p.alpha) * magnitude, s = products + fabs(p.beta * c0);
    const double ref = p.alpha * sum + p.beta * c0, t = ldexp(1.0, -9) + ldexp(1.0, -20), k2 = p.k + 2;
    double x = 0.0;
    if (p.type == GEMM_S8) return 0.0;
    if (p.type == GEMM_F32) x = k2 * ldexp(s, -24);
    if (p.type == GEMM_F16 || p.type == GEMM_BF16) x = k2 * ldexp(s, -23);
    if (p.type == GEMM_TF32) x = t * products + k2 * ldexp(s + t * products, -23);
    if (p.type == GEMM_TF32X3) x = ldexp(products, -21) + (3 * p.k + 2) * ldexp(1 + ldexp(1, -9), -23) * s;
    return x + dtype_unit(p.out) * (fabs(ref) + x) + dtype_step(p.out);
}
