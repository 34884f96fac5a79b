/* The operands of a family that computes C = alpha*A*B + beta*C, by its bench_matrix_functions. */
#ifndef KL_BENCH_MATRICES_H
#define KL_BENCH_MATRICES_H

#include "bench/family.h"

extern const bench_operand_functions bench_matrices;

#endif
