/* The problems of --sweep: they are the same in every session. */
#pragma once

#include "bench/case_list.h"
#include "bench/options.h"
#include "gemv/gemv_operands.h"

/* Adds, for each type: every n and k 1 ... 70 (crossed sparsely), sizes around tile edges, 1 x 1, 1 x k, n x 1,
 * empty ones, alpha and beta in {0, 1, -0.5, 2}, leading dimensions with room, A, x and y misaligned one by one and
 * together, a NaN or an infinity planted in x, A or y, in aligned and misaligned rows, more rows than a GPU takes on at
 * once, n or k of a million and more, A of more than 2^31 and 2^32 elements. */
void gemv_cases(case_list *l);

/* As gemm_sweep; m is 1. */
shape_list gemv_sweep(sweep_kind kind, bool simulated);
