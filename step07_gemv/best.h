/* The candidates of `best`: best/best.cu fills in a table, which step.c passes to the harness. */
#ifndef KL_BEST_H
#define KL_BEST_H

#include "gemv/gemv.h"

enum { BEST_CANDIDATES = 49, BEST_DIRECT = 25 };

/* The first fields of a gemv_candidate. */
#define NAMED(n, r, u, v, word) "n" #n " r" #r " u" #u " v" #v word, n, r, u, v

#ifdef __cplusplus
extern "C" {
#endif

extern const gemv_candidate best_direct[BEST_DIRECT];

/* Writes all BEST_CANDIDATES, in the order in which they are tried. */
void best_list(gemv_candidate *all);

#ifdef __cplusplus
}
#endif

#endif
