/* --sweep check of a GEMV step: verifies variants over a long list of problems and times nothing. */
#ifndef KL_GEMV_CHECK_H
#define KL_GEMV_CHECK_H

#include "gemv/gemv_operands.h"

/* The list, for each type: every n and k 1 ... 70 (crossed sparsely), sizes around tile edges, 1 x 1, 1 x k, n x 1,
 * empty ones, alpha and beta in {0, 1, -0.5, 2}, leading dimensions with room, A, x and y off alignment one by one and
 * together, a NaN or an infinity planted in x, A or y, in rows on and off 16 bytes, more rows than a GPU takes on at
 * once, n or k of a million and more, A of more than 2^31 and 2^32 elements. Cases with a side above max_size are left
 * out; of the others every `every`th (>= 1) is taken, beginning with the first, with the seed it has in the whole list.
 * *cases is malloc'ed. Returns how many, or -1 without memory. */
int gemv_check_cases(int max_size, int every, uint64_t seed, gemv_case **cases);

/* Runs every case on every variant with chosen[i] that the device supports, and on each of its candidates; in the
 * simulator a candidate takes one case in GEMV_CHECK_STRIDE, each another one first. Prints as gemm_check_run does.
 * Returns the exit status: 0 or 1. */
enum { GEMV_CHECK_STRIDE = 16 };
int gemv_check_run(const char *step, const gemv_variant *variants, const bool *chosen, int count,
                   const device_facts *device, int max_size, int every, uint64_t seed);

#endif
