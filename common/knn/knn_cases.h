/* The problems of --sweep check. */
#ifndef KL_KNN_CASES_H
#define KL_KNN_CASES_H

#include "knn/knn_operands.h"

/* The list: n and d 1 ... 70 (crossed sparsely), d = 0, k = 1 and n, powers of two and their neighbours as n and as k,
 * every kind of data, queries and results off alignment, little workspace, no query, more points than a block holds.
 * Problems with a side above max_size are left out; of the others every `every`th (>= 1) is taken, beginning with the
 * first, with the seed it has in the whole list. *cases is malloc'ed. Returns how many, or -1 without memory. */
int knn_cases(int max_size, int every, uint64_t seed, knn_case **cases);

#endif
