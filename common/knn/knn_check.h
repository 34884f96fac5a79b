/* --sweep check of a nearest-neighbour step: verifies methods over a list of problems and times nothing. */
#ifndef KL_KNN_CHECK_H
#define KL_KNN_CHECK_H

#include "knn/knn_operands.h"

/* The list: n and d 1 ... 70 (crossed sparsely), d = 0, k = 1 and n, powers of two and their neighbours as n and as k,
 * every kind of data, queries and results off alignment, little workspace, no query, more points than a block holds.
 * Problems with a side above max_size are left out; of the others every `every`th (>= 1) is taken, beginning with the
 * first, with the seed it has in the whole list. *cases is malloc'ed. Returns how many, or -1 without memory. */
int knn_check_cases(int max_size, int every, uint64_t seed, knn_case **cases);

/* Runs every problem on every method with chosen[i] that the device supports. Prints failures to stderr, a line a
 * method and, last, "N passed, N failed, N skipped" to stdout. What does not fit into `memory` bytes of device memory,
 * or what the method refuses, is skipped. Returns the exit status: 0 or 1. */
int knn_check_run(const char *step, const knn_method *methods, const bool *chosen, int count,
                  const device_facts *device, double memory, int max_size, int every, uint64_t seed);

#endif
