/* One run of a step's command line: what the parts of the bench and the family share. */
#pragma once

#include <stdbool.h>

#include "bench/family.h"

struct session {
    const bench_family *family; /* complete: no function is missing */
    const char *step;           /* "step04_vectorized" */
    char **arguments;           /* main's */
    options o;
    void *state;         /* the family's: its options, and what it found out */
    const void *context; /* what the step told the family beside its variants */
    bench_variant *variants;
    int count;
    double *gflops; /* of each variant at the latest problem, to foresee the next one's time; 0: none yet */
    int name_width; /* of the first column */
    device_facts device;
    cudaStream_t stream;
    double memory;    /* bytes of device memory to take; 0: 95 % of what is free */
    bool baseline;    /* there is one, and it is wanted */
    record *recorded; /* rows that the CSV held at the start (--resume) */
    int recorded_count;
    int wrong;        /* results that were */
    int ran, skipped; /* variants that were verified or known already; those that were not run, for a reason */
    long done, total; /* variants times problems, for the progress line */
};

/* Why the variant cannot run on this device; NULL: it can. */
const char *session_unsupported(const session *s, const bench_variant *v);

/* Are times predicted? Not where paths through the kernels hang on floating-point results. */
bool session_predicts(const session *s);

/* How many bytes of device memory there are to take. */
double session_memory(const session *s);

/* An empty list of the family's problems, with the command line's limits. */
case_list session_cases(const session *s);

/* A row of what is known before measuring: numbers that are not known are NAN; mode is empty on a GPU, in the simulator
 * "sim". */
record session_describe(const session *s, const char *variant, const char *op);

/* The recorded row of the same case (and mode, where r names one; any but those of second measurements where it does
 * not) that makes measuring again unnecessary; where `needs_ratio` one without a ratio does not, unless there was no
 * call to try. NULL: none. */
const record *session_find(const session *s, const record *r, bool needs_ratio);

/* Appends the row to the file that was asked for; ends the program where that fails. */
void session_keep(const session *s, const record *r);

/* The status of a run: wrong results come first; then, where variants were named and none of them ran, a line on stderr
 * says so and the arguments were bad. */
int session_status(const session *s);
