/* The operands of a GEMM. */
#pragma once

#include "gemm/gemm.h"
#include "tensor/operands.h"

typedef struct {
    int m, n, k;
    int lda, ldb, ldc; /* 0: as tight as the matrix */
    float alpha, beta;
    int misalign; /* elements by which A, B and C miss a 256-byte boundary, 0 ... 63 */
    uint64_t seed;
    gemm_type type; /* FP32 and nn where nothing is said */
    dtype out;
    gemm_layout layout;
} gemm_case;

/* Outlines of its operands, without a workspace, and all that verifying has to know. */
operand_spec gemm_operands(const gemm_case *c);

/* The case on these operands, or on outlines of them (for gemm_variant's refuses, note and workspace). */
gemm_problem gemm_problem_on(const gemm_case *c, const operand_set *set);
