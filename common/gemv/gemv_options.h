/* The options of a GEMV program, besides those that every program has (bench/options.h). */
#pragma once

#include <stdbool.h>

#include "bench/options.h"

typedef struct {
    int size; /* --size as given */
    int n, k; /* 0 ... OPTIONS_MAX_SIZE */
    int lda;  /* likewise; 0: k */
    float alpha, beta;
    const char *dtype; /* "f16", "bf16", "f32" */
    bool warm, baseline;
    bool graph;                       /* time a chain of launches, without and with programmatic dependent launch */
    bool pdl;                         /* launch with programmatic dependent launch */
    bool retune, tune;                /* search even if tuned; search at all (false with --no-tune) */
    const char *candidate;            /* NULL: the search chooses */
    const char *tune_file, *tune_csv; /* NULL: the one in the cache folder; none */
} gemv_options;

/* Sets *o to the defaults and fills in what a family contributes to *p (summary, noun, sweeps, simulated_max_size,
 * table, rules, values, complete). */
void gemv_options_program(options_program *p, gemv_options *o);
