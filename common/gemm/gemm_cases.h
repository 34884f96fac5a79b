/* The problems of --sweep check. */
#ifndef KL_GEMM_CASES_H
#define KL_GEMM_CASES_H

#include "gemm/gemm.h"
#include "gemm/gemm_operands.h"

/* One way to store and multiply. */
typedef struct {
    gemm_type type;
    dtype out;
    gemm_layout layout;
} gemm_kind;

/* The list: every size 1 ... 70 in each dimension (crossed sparsely), sizes around tile edges, rectangular and skinny
 * shapes, alpha and beta in {0, 1, -0.5, 2}, padded leading dimensions, misaligned base pointers, empty dimensions, M
 * and N of 200,000 and C beyond 2^32 elements. Shapes with a side above max_size are left out; of the others every
 * `every`th (>= 1) is taken, beginning with the first, with the seed it has in the whole list. *cases is malloc'ed.
 * Returns how many, or -1 without memory. */
int gemm_cases(int max_size, int every, uint64_t seed, gemm_case **cases);

/* A shorter list for each of several kinds, one after the other: sizes, tile edges up to 1025, rectangles, scalars
 * (whole ones for s8), k = 0 and below one tile, paddings and misalignments that keep rows on 16 bytes, on 8, 4 and 2
 * and on none, empty dimensions. Otherwise as above. */
int gemm_kind_cases(const gemm_kind *kinds, int kind_count, int max_size, int every, uint64_t seed,
                    gemm_case **cases);

#endif
