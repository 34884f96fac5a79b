/* The options of a GEMM program, besides those that every program has (bench/options.h). */
#pragma once

#include <stdbool.h>

#include "bench/options.h"
#include "gemm/gemm.h"

/* The largest scalar with --dtype s8: up to here the FP64 reference holds every sum exactly. */
enum { GEMM_MAX_WHOLE = 65536 };

/* The most that an offer (gemm.h) may contain. */
enum { GEMM_MAX_TYPES = 8, GEMM_MAX_LAYOUTS = 2, GEMM_MAX_SHOWS = 16 };

typedef struct {
    int size;          /* --size as given */
    int m, n, k;       /* 0 ... OPTIONS_MAX_SIZE */
    int lda, ldb, ldc; /* likewise; 0: rows follow one another without a gap */
    int misalign;      /* 0 ... 63 elements by which A, B and C are off an aligned address */
    float alpha, beta;
    const char *dtype, *layout; /* among the offer's types and layouts */
    const char *out;            /* what C holds; NULL if there is no offer */
    bool dtype_given, layout_given, out_given;
    bool warm, baseline;
    bool chain;         /* time launches back to back, warm */
    double sustained_s; /* seconds of a second measurement, under continuous load; 0: none */
    const char *show;   /* one of the offer's shows; NULL: run the variants */

    /* What the command line of this program is made of. */
    const gemm_offer *offer;
    option table[24];
    const char *dtypes[GEMM_MAX_TYPES + 1], *layouts[GEMM_MAX_LAYOUTS + 1], *shows[GEMM_MAX_SHOWS + 1];
    char out_help[256];
} gemm_options;

/* Sets *o to the defaults and fills in what a family contributes to *p (summary, noun, sweeps, simulated_max_size,
 * table, rules, values, complete). `offer` is NULL if there is only FP32 and nn. The table is inside *o, which must
 * stay where it is for options_parse. An offer that exceeds the limits above ends the program. */
void gemm_options_program(options_program *p, gemm_options *o, const gemm_offer *offer);
