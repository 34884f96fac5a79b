/* The problems of --sweep check, as bench_family's check_list adds them: they are the same in every session. */
#ifndef KL_KNN_CASES_H
#define KL_KNN_CASES_H

#include "bench/family.h"
#include "knn/knn_operands.h"

/* Adds: n and d 1 ... 70 (crossed sparsely), d = 0, k = 1 and n, powers of two and their neighbours as n and as k,
 * every kind of data, misaligned queries and results, little workspace, no query, more points than a block holds. */
void knn_cases(const session *s, case_list *l);

#endif
