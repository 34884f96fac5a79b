/* The options of a nearest-neighbour program, besides those that every program has (bench/options.h). */
#pragma once

#include <stdbool.h>

#include "bench/options.h"

typedef struct {
    int m, n, d, k; /* generated data: queries, points, dimension, neighbours; 1 <= k <= n without --train */
    int at_once;    /* search for so many queries, on points that have been prepared; 0: not given */
    bool transfers; /* also check and time a search with its copies from and to the host */
    bool pageable;  /* the host's memory is not pinned */
    int pieces;     /* that are copied one by one; at least 1 */
    bool generate;  /* the points are made on the devices and are in no host's memory */

    const char *divide; /* over several ranks: "points", "queries", "auto" */

    /* Classification of records from files, `train` and `test`; NULL and 0: not given. */
    const char *train, *test;
    const char *train_labels, *test_labels; /* files with only the labels; NULL: `labels` says where they are */
    const char *labels;                     /* "last", "first", "none" */
    const char *normalize;                  /* "none", "minmax", "zscore", "zscore,minmax" */
    int k_sweep[2];                         /* first and last */
    const char *out_labels, *out_indices, *out_distances; /* files to write */
    bool verify;                                          /* compare the neighbours with the CPU's */
} knn_options;

/* Sets *o to the defaults and fills in what a family contributes to *p (summary, noun, sweeps,
 * simulated_max_size, table, rules, values, complete). */
void knn_options_program(options_program *p, knn_options *o);
