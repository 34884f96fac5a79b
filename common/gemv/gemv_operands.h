/* The operands of a GEMV: A, x as a B of one column, y as a C of one. */
#pragma once

#include "gemv/gemv.h"
#include "tensor/operands.h"

typedef enum { PLANT_NONE, PLANT_A, PLANT_X, PLANT_Y } gemv_plant;

typedef struct {
    dtype type;
    int n, k;
    int lda; /* 0: as tight as the matrix */
    float alpha, beta;
    int off_a, off_x, off_y; /* elements by which each misses a 256-byte boundary, 0 ... 63 */
    gemv_plant plant;        /* where `planted` stands in the place of element number `plant_at` */
    uint64_t plant_at;
    float planted;
    uint64_t seed;
} gemv_case;

/* Outlines of its operands, with what is planted, and all that verifying has to know. */
operand_spec gemv_operands(const gemv_case *c);

/* The case on these operands, without programmatic dependent launch. */
gemv_problem gemv_problem_on(const gemv_case *c, const operand_set *set);
