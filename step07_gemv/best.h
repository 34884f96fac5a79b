/* What the tuned variants choose from: tables that are filled in here and passed to the harness by step.c. */
#pragma once

#include "gemv/gemv.h"

enum { BEST_CANDIDATES = 49, BEST_DIRECT = 25 };
enum { TREE_CONFIGURATIONS = 16, VECTORIZED_CONFIGURATIONS = 3, BALANCED_CONFIGURATIONS = 2 };
enum { SEARCHED = TREE_CONFIGURATIONS + VECTORIZED_CONFIGURATIONS + BALANCED_CONFIGURATIONS };

/* The first fields of a gemv_candidate. */
#define NAMED(n, r, u, v, word) "n" #n " r" #r " u" #u " v" #v word, n, r, u, v

__BEGIN_DECLS

extern const gemv_candidate best_direct[BEST_DIRECT];

/* Writes all BEST_CANDIDATES, in the order in which they are tried. */
void best_list(gemv_candidate *all);

/* A rung's configurations, in its own file, and all of them. */
extern const gemv_candidate tree_configurations[TREE_CONFIGURATIONS];
extern const gemv_candidate vectorized_configurations[VECTORIZED_CONFIGURATIONS];
extern const gemv_candidate splitk_balanced_configurations[BALANCED_CONFIGURATIONS];
void searched_list(gemv_candidate *all);

__END_DECLS
