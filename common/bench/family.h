/* What a family of problems (GEMM, GEMV, nearest neighbours) gives the bench: one table. The bench parses the command
 * line, chooses the device, lists, verifies, times and records; it knows no family. To add one is to fill in a
 * bench_family and hand it to bench_main. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/record.h"
#include "bench/case_list.h"
#include "bench/options.h"
#include "bench/timing.h"
#include "gpu/device.h"
#include "gpu/kernel_info.h"
#include "tensor/operands.h"

typedef struct session session;

/* A variant of a step, as the bench sees it. */
typedef struct {
    const char *name, *idea; /* as --variant takes it; one line for --list */
    /* NULL: runs anywhere; otherwise returns NULL or the reason it cannot. */
    const char *(*supports)(const device_facts *device);
    const void *self;            /* the family's own struct */
    kernel_info (*kernel)(void); /* what --list --verbose prints; NULL: the family's `candidate` has it */
    int candidates; /* configurations, each a launch of its own, of which `choose` takes one; 0: there is one launch */
} bench_variant;

/* One launch of a variant, or of a call of the baseline, on the operands of one problem. */
typedef struct {
    const session *session;
    const void *problem;
    void *operands;               /* what `create` made; NULL as long as only `choose` and `candidate` are asked */
    const bench_variant *variant; /* NULL: the baseline */
    int number;                   /* of the variant's candidate, or of the baseline's call */
    const char *mode; /* NULL, or the workload's second_mode: another way to launch, which is recorded as this mode */
    int launches; /* that verifying enqueues back to back, where a launch reads nothing that another writes; 0: one */
} bench_launch;

/* A library's call that may be the baseline, as recorded. */
typedef struct {
    char name[RECORD_TEXT];        /* "cublasSgemm", "cublasLt heuristic 3" */
    const char *library, *version; /* "cublasLt", "13.1.0" */
    bool inexact;                  /* it may round where others are exact: no fingerprint tells whether it is right */
} bench_call;

/* What one launch on a problem takes, and how it is to be measured. */
typedef struct {
    double flops, bytes; /* of one launch: operations, and compulsory bytes of DRAM; NAN: not recorded */
    double peak;         /* the device's (device_facts), FLOP/s or bytes/s in 1e9; 0: unknown */
    double peak_per_mhz; /* what its arithmetic does at 1 MHz, 1e9 FLOP/s; 0: unknown, or the problem is of bandwidth */
    bool peak_of_bytes;  /* peak_share is of the bandwidth, not of the arithmetic */
    size_t touched;      /* bytes that one launch touches; 0: there is nothing to time */
    size_t cold_bytes;   /* so many bytes drive everything else out of the L2 cache; 0: leave the operands in it */
    bool one_set;        /* flush the cache rather than rotate operand sets */
    bool tail;           /* calls that somebody waits for: the row's ms_max is the 99th percentile of their times */
    bool restores;       /* a launch changes what the next one reads */
    timing_mode mode;
    const char *second_mode; /* the mode of a second measurement of each variant; NULL: none */
    double sustained_s;      /* it lasts so long, under continuous load; 0: it is like the first, without a baseline */
} bench_workload;

/* A column of the printed table, right-aligned: a number of the record, times `factor`. The last has no title. */
typedef struct {
    const char *title;
    int width, decimals;
    enum { COLUMN_COUNT, COLUMN_NUMBER, COLUMN_PERCENT, COLUMN_RATIO } kind; /* int64_t; double; share; with min-max */
    size_t field;                                                            /* offsetof(record, ...) */
    double factor;
    double (*of)(const session *s, const record *r); /* in the place of a field; NULL: the field */
} bench_column;

/* The operands of C = alpha*A*B + beta*C: a family that has these needs no bench_operand_functions. */
typedef struct {
    operand_spec (*spec)(const session *s, const void *problem);
    /* Enqueues `launch`, a const bench_launch *, on a set and with these scalars. */
    operand_launch *enqueue;
    /* The arithmetic that the launch's result is held to, where that is not the `usual` one. Default: it is. */
    verify_arithmetic (*arithmetic)(const bench_launch *launch, verify_arithmetic usual);
} bench_matrix_functions;

/* A problem's operands in device memory: `create` makes what bench_launch calls `operands`. */
typedef struct {
    /* Device bytes of so many operand sets; INFINITY: more than can be addressed. */
    double (*bytes)(const session *s, const void *problem, int sets);
    /* Makes the operands and, on a GPU, fills all sets; `problem` outlives them. Ends the process without memory. */
    void *(*create)(const session *s, const void *problem, int sets);
    void (*destroy)(void *operands);
    /* Launches on set 0 and compares everything it left behind with a reference. cudaErrorNotSupported: this baseline's
     * call or candidate cannot. What is wrong goes to `report` (NULL: nowhere), each line starting with `name`. */
    cudaError_t (*verify)(const bench_launch *launch, const char *name, FILE *report, verdict *v);
    /* The same without a reference for the result: takes its fingerprint (verdict) instead, on integers, whose sums are
     * exact, so that it is that of a right result if the launch is right. Default: verifies in full. */
    cudaError_t (*fingerprint)(const bench_launch *launch, const char *name, FILE *report, verdict *v);
    /* Enqueues `launch`, a const bench_launch *, once on an operand set; as timing.h has it. */
    cudaError_t (*launch)(void *launch, int set, cudaStream_t stream);
    /* Puts a set back as it was before the launch. Default: there is nothing to put back. */
    cudaError_t (*restore)(void *launch, int set, cudaStream_t stream);
    /* Puts all sets elsewhere in device memory, as `create` left them. NULL: this family's stay where they are. */
    cudaError_t (*move)(void *launch, cudaStream_t stream);
    /* Before the first and after the last launch of a measurement: a workspace, say. Default: nothing. */
    void (*begin)(const bench_launch *launch);
    void (*end)(const bench_launch *launch);
} bench_operand_functions;

/* Those of a family with bench_matrix_functions. */
extern const bench_operand_functions bench_matrices;

/* The calls that may be the baseline, all of which are tried (bench/baseline.h). Default: there is none. */
typedef struct {
    int (*count)(const session *s, const void *problem);
    /* Call number `number` of the problem that `count` was last asked for. */
    void (*describe)(const session *s, int number, bench_call *c);
} bench_baseline_functions;

/* A family whose variants have candidates. Default: none has. */
typedef struct {
    /* Kernel and name of candidate number i; false: there are no more. A variant with a single launch has one, with an
     * empty name. */
    bool (*candidate)(const session *s, const bench_variant *v, int i, kernel_info *kernel, const char **name);
    /* Sets launch->number to the candidate to launch; false where none fits. `outline` is that of a measurement. */
    bool (*choose)(session *s, const timing_task *outline, bench_launch *launch);
} bench_candidate_functions;

/* The table. A problem is one of the family's structs of problem_size bytes. Where a comment names a default, that is
 * what bench_family_complete puts in the place of NULL. */
typedef struct {
    const char *op;                      /* as recorded: "gemm" */
    const char *noun;                    /* what the step has several of: "variant" */
    bool unpredictable;                  /* its kernels' paths hang on what is in the operands: no predicted times */
    size_t state_size, problem_size;     /* of session.state, zeroed before `options`, and of a problem */
    const bench_column *sizes, *columns; /* of a problem; of what was timed */
    const char *remark_title;            /* of what `remark` returns in `text`; NULL: it returns nothing there */

    /* Variant number i of the table that bench_main got. */
    bench_variant (*variant)(const void *variants, int i);
    /* Fills in the family's part of the command line; the options' values go into session.state. */
    void (*options)(session *s, options_program *p);
    /* After the device is open: files, libraries, session.memory. EXIT_OK, or the exit status after a line. Default:
     * there is nothing to open. */
    int (*open)(session *s);
    void (*close)(session *s); /* Default: nothing to close. */
    /* Does something other than run variants, if the command line says so: the exit status, or -1 where it does not.
     * With --list, adds to the list. Default: -1. */
    int (*command)(session *s);
    /* Prints what is computed and how it is measured: a line below the device's. */
    void (*header)(const session *s);

    /* Adds the command line's problems: those of --sweep check, of another sweep, or one. */
    void (*problems)(const session *s, case_list *l);
    /* "m 3, n 4, k 5"; or, with `details`, what else tells a problem of the check list apart: "ld 4 4 4, 1 elements off
     * alignment". */
    void (*format)(const session *s, const void *problem, bool details, char *text, size_t size);
    /* Puts the problem's columns into a record. */
    void (*record)(const session *s, const void *problem, record *r);
    void (*workload)(const session *s, const void *problem, bench_workload *w);
    /* NULL: the variant takes the problem; otherwise the reason it does not. Default: all take all. */
    const char *(*refuses)(const session *s, const bench_variant *v, const void *problem);
    /* Measures a ceiling for this problem, before its variants; launch->variant is NULL. Default: there is none. */
    void (*measure_ceiling)(session *s, const bench_launch *launch, const timing_task *outline);
    /* Puts into `text`, which is empty, what is printed at the end of the variant's row, and returns what is printed in
     * a line below it (NULL: nothing). Default: neither. */
    const char *(*remark)(const bench_launch *launch, char *text, size_t size);

    bench_matrix_functions matrices;
    const bench_operand_functions *operands; /* Default: those of `matrices`. */
    bench_baseline_functions baseline;
    bench_candidate_functions candidates;
} bench_family;

/* The program of a step: `variants` are `count` of the family's own structs, `context` is for the family. Returns the
 * exit status: 0, 1 a wrong result, 2 bad arguments, 3 a CUDA error or no usable device. */
int bench_main(int argc, char **argv, const char *step, const bench_family *family, const void *variants, int count,
               const void *context);

/* The table with the defaults in the place of NULL, and those of its operands in *operands. */
bench_family bench_family_complete(const bench_family *family, bench_operand_functions *operands);
