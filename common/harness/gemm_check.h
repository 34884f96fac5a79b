/* --sweep check: verifies variants over a long list of problems and times nothing. */
#ifndef KL_GEMM_CHECK_H
#define KL_GEMM_CHECK_H

#include "gemm.h"
#include "operands.h"

/* The list: every size 1 ... 70 in each dimension (crossed sparsely), sizes around tile edges, rectangular and skinny
 * shapes, alpha and beta in {0, 1, -0.5, 2}, padded leading dimensions, misaligned base pointers, empty dimensions, M
 * and N of 200,000 and C beyond 2^32 elements. Shapes with a side above max_size are left out; of the others every
 * `every`th (>= 1) is taken, beginning with the first, with the seed it has in the whole list. *cases is malloc'ed.
 * Returns how many, or -1 without memory. */
int gemm_check_cases(int max_size, int every, uint64_t seed, gemm_case **cases);

/* Runs every case on every variant with chosen[i] that the device supports. Prints failures to stderr, a line a variant
 * and, last, "N passed, N failed, N skipped" to stdout. A case that does not fit the device's memory is skipped.
 * Returns the exit status: 0 or 1. */
int gemm_check_run(const char *step, const gemm_variant *variants, const bool *chosen, int count,
                   const device_facts *device, int max_size, int every, uint64_t seed);

#endif
