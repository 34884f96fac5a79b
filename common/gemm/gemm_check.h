/* --sweep check: verifies variants over a long list of problems and times nothing. */
#ifndef KL_GEMM_CHECK_H
#define KL_GEMM_CHECK_H

#include "gemm/gemm.h"
#include "gemm/operands.h"

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
int gemm_check_cases(int max_size, int every, uint64_t seed, gemm_case **cases);

/* A shorter list for each of several kinds, one after the other: sizes, tile edges up to 1025, rectangles, scalars
 * (whole ones for s8), k = 0 and below one tile, paddings and misalignments that keep rows on 16 bytes, on 8, 4 and 2
 * and on none, empty dimensions. Otherwise as above. */
int gemm_check_kind_cases(const gemm_kind *kinds, int kind_count, int max_size, int every, uint64_t seed,
                          gemm_case **cases);

/* What is checked. */
typedef struct {
    int max_size, every;
    uint64_t seed;
    const gemm_kind *kinds;
    int kind_count; /* 0: gemm_check_cases' list, of FP32 and nn */
} gemm_check;

/* Runs every case on every variant with chosen[i] that the device supports. Prints failures to stderr, a line a variant
 * and, last, "N passed, N failed, N skipped" to stdout. A case that does not fit the device's memory, or that the
 * variant refuses, is skipped. Returns the exit status: 0 or 1. */
int gemm_check_run(const char *step, const gemm_variant *variants, const bool *chosen, int count,
                   const device_facts *device, const gemm_check *what);

#endif
