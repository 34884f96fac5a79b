/* One run of a step's command line: what the parts of the bench and the family share. */
#ifndef KL_SESSION_H
#define KL_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/family.h"

struct session {
    const bench_family *family;
    const char *step; /* "step04_vectorized" */
    char **arguments; /* main's */
    options o;
    void *state;         /* the family's: its options, and what it found out */
    const void *context; /* what the step told the family beside its variants */
    bench_variant *variants;
    int count;
    double *gflops; /* of each variant at the latest problem, to foresee the next one's time; 0: none yet */
    int name_width; /* of the first column */
    device_facts device;
    cudaStream_t stream;
    bool baseline;    /* there is one, and it is wanted */
    record *recorded; /* rows that the CSV held at the start (--resume) */
    int recorded_count;
    int wrong;        /* results that were */
    long done, total; /* variants times problems, for the progress line */
};

/* The program of a step: `variants` are `count` of the family's own structs. Returns the exit status: 0, 1 a wrong
 * result, 2 bad arguments, 3 a CUDA error or no usable device. */
int bench_main(int argc, char **argv, const char *step, const bench_family *family, const void *variants, int count,
               const void *context);

/* --sweep check: verifies all chosen variants over the family's list, a line per variant and, last, "N passed, N
 * failed, N skipped". Returns the exit status. */
int bench_check(session *s);

/* The chosen variants at one problem. In a sweep what cannot run is skipped with the reason; asked for by size it ends
 * the run with status 2. */
int bench_run(session *s, const void *problem);

/* Times `ours` beside `baseline` (NULL: alone) with the outline's sets, cache, mode and move, for so many seconds;
 * `hot`: as timing.h has it. A CUDA error ends the process. */
void bench_time(const session *s, void *operands, const timing_task *outline, const bench_launch *ours,
                const bench_launch *baseline, double seconds, bool hot, timing_result *t);

/* Does the error say that the device, or a kernel of this configuration, cannot do this problem? (No fault of a
 * candidate's.) Takes it out of the runtime. */
bool bench_refused(cudaError_t error);

/* Why the variant cannot run on this device; NULL: it can. */
const char *bench_unsupported(const session *s, const bench_variant *v);

/* How many bytes of device memory there are to take. */
double bench_memory(const session *s);

/* A row of what is known before measuring: numbers that are not known are NAN; mode is empty on a GPU, in the simulator
 * "sim". */
record session_describe(const session *s, const char *variant, const char *op);

/* The recorded row of the same case (and mode, where r names one; any but those of second measurements where it does
 * not) that makes measuring again unnecessary; one without a ratio does not where `needs_ratio`. NULL: none. */
const record *session_find(const session *s, const record *r, bool needs_ratio);

/* Appends the row to the files that were asked for; ends the program where that fails. */
void session_keep(const session *s, const record *r);

/* An empty list of the family's problems, with the command line's limits. */
case_list session_cases(const session *s);

/* How many operand sets together drive one another out of the cache, at most 511 (which may be too few: then flush), no
 * multiple of four. */
int bench_cold_sets(const bench_plan *plan);

/* The problem does not fit: says so in a sweep's table (EXIT_OK), or on stderr (EXIT_USAGE). */
int bench_too_large(const session *s, const void *problem, double need);

/* Gives the family, by its `outline` and `enqueue`, what lies between `bytes` and `move`. */
void bench_use_matrices(bench_family *family);

/* Puts what was measured into the row. */
void bench_fill_in(record *r, const bench_plan *plan, const timing_result *t);

/* ---- the printed table ---- */

/* "; 62 % of the data sheet's 989 TFLOP/s, 78 % of what 1410 MHz can do", in `text`: the first where the row has a
 * share of a peak, the second where its clock was measured, too. Returns `text`. */
const char *bench_say_shares(const device_facts *d, const bench_plan *plan, const record *r, char *text, size_t size);

void bench_print_header(const session *s);
/* `seconds`: that the launch took in the simulator. */
void bench_print_row(const session *s, const char *name, const record *r, double seconds, const char *remark);
void bench_print_skip(const session *s, const char *name, const record *r, const char *reason);

#endif
