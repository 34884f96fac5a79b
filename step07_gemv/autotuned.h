/* The candidates of `autotuned`: autotuned.cu fills in a table, which step.c passes to the harness. */
#ifndef KL_AUTOTUNED_H
#define KL_AUTOTUNED_H

#include "gemv/gemv.h"

enum { AUTOTUNED_CANDIDATES = 49, AUTOTUNED_DIRECT = 25 };

/* The first fields of a gemv_candidate. */
#define NAMED(n, r, u, v, word) "n" #n " r" #r " u" #u " v" #v word, n, r, u, v

#ifdef __cplusplus
extern "C" {
#endif

extern const gemv_candidate autotuned_direct[AUTOTUNED_DIRECT];

/* Writes all AUTOTUNED_CANDIDATES, in the order in which they are tried. */
void autotuned_list(gemv_candidate *all);

#ifdef __cplusplus
}
#endif

#endif
