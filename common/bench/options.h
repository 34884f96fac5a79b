/* The command line every step shares. */
#ifndef KL_OPTIONS_H
#define KL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { OPTIONS_MAX_VARIANTS = 64, OPTIONS_MAX_SHOWS = 16 };

/* No size and no leading dimension is larger, so that a kernel's `k0 += BK` or `m + BM - 1` cannot pass INT_MAX. */
enum { GEMM_MAX_SIZE = 2000000000 };

/* A scalar of whole numbers (--dtype s8) is no larger: the FP64 reference then holds every sum exactly. */
enum { GEMM_MAX_WHOLE = 65536 };

typedef enum {
    SWEEP_NONE,
    SWEEP_SQUARE,  /* 256 ... 16384 and sizes no tile divides */
    SWEEP_ARTICLE, /* the SGEMM article's shapes: K = 1024 */
    SWEEP_ODD,     /* shapes that no tile divides, skinny and rectangular */
    SWEEP_CHECK    /* verify a long list of shapes, scalars, paddings and misalignments; time nothing */
} sweep_kind;

/* What a step computes; some options are for one of them only. */
typedef enum { OPTIONS_GEMM = 1, OPTIONS_GEMV = 2, OPTIONS_KNN = 4 } options_operation;

/* What parsing needs to know of the step. */
typedef struct {
    const char *step;            /* "step04_vectorized" */
    const char *const *variants; /* names, variant_count of them */
    int variant_count;
    const char *const *dtypes;  /* NULL-terminated, the default first: {"f32", NULL} */
    const char *const *layouts; /* NULL-terminated, the default first: {"nn", NULL} */
    /* What C may hold: for each of dtypes a NULL-terminated list, the default first. NULL: as the operands (no --out).
     */
    const char *const *const *outs;
    int default_size;       /* m = n = k when nothing is asked */
    int simulated_size;     /* the same in the simulator */
    int simulated_max_size; /* and --max-size of --sweep check there */
    bool simulated;         /* this is the simulator, also without --sim */
    options_operation operation;
    const char *const *shows;           /* NULL-terminated; NULL: the step has none (no --show) */
    int search[4], simulated_search[4]; /* kNN only: m, n, d and k when nothing is asked, and in the simulator */
} options_step;

typedef struct {
    int m, n, k;       /* 0 ... GEMM_MAX_SIZE */
    int lda, ldb, ldc; /* likewise; 0: as tight as the matrix */
    float alpha, beta;
    const char *dtype, *layout;
    const char *out;                           /* NULL where the step has no --out */
    bool dtype_given, layout_given, out_given; /* asked for, not the default */
    sweep_kind sweep;
    int max_size;                      /* sweeps leave out shapes with a side above it; INT_MAX: none */
    int every;                         /* SWEEP_CHECK takes every Nth of its problems: 1 ... INT_MAX */
    bool chosen[OPTIONS_MAX_VARIANTS]; /* by index into options_step.variants; all true without --variant */
    bool list, verbose, warm, baseline, resume;
    const char *show; /* one of options_step.shows; NULL: run the variants */
    uint64_t seed;
    int device;
    bool simulate;          /* --sim or --sim-device */
    const char *sim_device; /* one of simulator_devices; NULL: the simulator's own choice */
    double time_s;          /* budget of one measurement, seconds: above 0, at most a day */
    double sustained_s;     /* of a second one under continuous load (GEMM only), likewise; 0: none */
    const char *csv, *json; /* NULL: none */
    /* GEMV only. */
    bool graph;                       /* a chain of launches, without and with programmatic dependent launch */
    bool pdl;                         /* launch with programmatic dependent launch */
    bool retune, tune;                /* search again; search at all (--no-tune: false) */
    const char *tune_file, *tune_csv; /* NULL: the cache folder's; none */
    /* kNN only. */
    int d;               /* 0 ... GEMM_MAX_SIZE */
    double memory_limit; /* bytes of device memory; up to 1: that share of what is free */
    bool transfers;      /* a search's time with its copies from and to the host, too */
    bool method_given, k_given;
    const char *train, *test;       /* NULL: made-up data; NULL with a train: split it */
    const char *train_labels, *test_labels, *rates_csv;
    int first; /* index of the variant named first on the command line; -1: none named */
    bool best; /* --method best */
    double split;                   /* share of the records that train */
    const char *labels, *normalize; /* one of the words that --help lists */
    const char *header, *symbolic;  /* likewise; symbolic: columns as table.h has them, or NULL */
    const char *positive, *classes_map;
    const char *out_labels, *out_indices, *out_distances; /* files; NULL: none */
    int k_first, k_last;                                  /* --k-sweep; 0: none */
    bool verify;
} options;

typedef enum { OPTIONS_RUN, OPTIONS_EXIT_OK, OPTIONS_EXIT_USAGE } options_result;

/* Parses argv (getopt_long syntax; does not print or exit but for --help to `out` and one line naming the argument and
 * the reason to `err`). OPTIONS_RUN: `o` is filled; OPTIONS_EXIT_OK: --help was printed; OPTIONS_EXIT_USAGE: bad
 * arguments, exit status 2. Strings in `o` point into argv or `step`. May be called again in the same process. */
options_result options_parse(int argc, char **argv, const options_step *step, options *o, FILE *out, FILE *err);

#endif
