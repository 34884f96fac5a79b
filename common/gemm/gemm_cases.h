/* The problems of --sweep. */
#pragma once

#include "bench/case_list.h"
#include "bench/options.h"
#include "gemm/gemm.h"
#include "gemm/gemm_operands.h"

/* One way to store and multiply. */
typedef struct {
    gemm_type type;
    dtype out;
    gemm_layout layout;
} gemm_kind;

/* Adds a list for each of several kinds, one after the other: sizes up to 70 in each dimension (crossed sparsely),
 * sizes around tile edges up to 1025, rectangular and skinny shapes, k = 0 and below one tile, all pairs of four
 * scalars (0, 1, 2 and -0.5, for s8 -3), leading dimensions and base pointers that keep to 16 bytes, to 8, 4 and 2 and
 * to none, empty dimensions. Of FP32, moreover: every size 1 ... 70, edges up to 4095, M and N of 200,000 and C beyond
 * 2^32 elements. */
void gemm_cases(const gemm_kind *kinds, int kind_count, case_list *l);

/* The shapes of a timed sweep (SQUARE, ARTICLE or ODD) in the order in which they are run, for a GPU, or smaller ones
 * for the simulator, where a multiply-add takes some thousand times as long. */
shape_list gemm_sweep(sweep_kind kind, bool simulated);
