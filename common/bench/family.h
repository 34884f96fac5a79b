/* What a family of problems (GEMM, GEMV, nearest neighbours) tells the bench: one table. The bench parses the command
 * line, chooses the device, lists, verifies, times and records; it knows no family. To add one is to fill in a
 * bench_family and hand it to bench_main. */
#ifndef KL_FAMILY_H
#define KL_FAMILY_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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
    kernel_info (*kernel)(void); /* what --list tells of; NULL: the family's `kernel` says */
    int candidates; /* configurations, each a launch of its own, of which `choose` takes one; 0: there is one launch */
} bench_variant;

/* Something to launch. */
typedef struct {
    const bench_variant *variant; /* NULL: the baseline */
    int number;                   /* of the variant's candidate, or of the baseline's call */
    const char *mode; /* NULL, or the plan's `again`: a second way to launch, which is recorded as this mode */
    int launches; /* that verifying enqueues back to back, where a launch reads nothing that another writes; 0: one */
} bench_launch;

/* A library's call that may be the baseline, as recorded. */
typedef struct {
    char name[RECORD_TEXT];        /* "cublasSgemm", "cublasLt heuristic 3" */
    const char *library, *version; /* "cublasLt", "13.1.0" */
} bench_call;

/* One problem, as timing needs to know it. */
typedef struct {
    double flops, bytes; /* of one launch: operations, and compulsory bytes of DRAM; NAN: not recorded */
    double peak;         /* the device's (device_facts), FLOP/s or bytes/s in 1e9; 0: unknown */
    double peak_per_mhz; /* what its arithmetic does at 1 MHz, 1e9 FLOP/s; 0: unknown, or none of its business */
    bool peak_of_bytes;  /* peak_share is of the bandwidth, not of the arithmetic */
    size_t touched;      /* bytes that one launch touches; 0: there is nothing to time */
    size_t cold_bytes;   /* so many bytes drive everything else out of the L2 cache; 0: leave the operands in it */
    bool one_set;        /* flush the cache rather than rotate operand sets */
    bool restores;       /* a launch changes what the next one reads */
    timing_mode mode;
    const char *again;  /* the mode of a second measurement of each variant; NULL: none */
    double sustained_s; /* it lasts so long, under continuous load; 0: it is like the first, without a baseline */
} bench_plan;

/* A column of the printed table, right-aligned: a number of the record, times `factor`. The last has no title. */
typedef struct {
    const char *title;
    int width, decimals;
    enum { COLUMN_COUNT, COLUMN_NUMBER, COLUMN_PERCENT, COLUMN_RATIO } kind; /* int64_t; double; share; with min-max */
    size_t field;                                                            /* offsetof(record, ...) */
    double factor;
    double (*of)(const session *s, const record *r); /* in the place of a field; NULL: the field */
} bench_column;

/* The table. `problem` points to one of the family's structs of problem_size bytes, `operands` to what `create` made. A
 * function whose comment ends with NULL may be NULL. */
typedef struct {
    const char *op;                      /* as recorded: "gemm" */
    const char *noun;                    /* what the step has several of: "variant" */
    size_t state_size, problem_size;     /* of session.state, zeroed before `program`, and of a problem */
    const bench_column *sizes, *columns; /* of a problem; of what was timed */
    const char *remark_title;            /* of `remark`; NULL: there is none */

    /* Variant number i of the table that bench_main got. */
    bench_variant (*variant)(const void *variants, int i);
    /* Fills in its part of the command line; the options' values go into session.state. */
    void (*program)(session *s, options_program *p);
    /* After parsing, before the device is opened: files that have to be writable. EXIT_OK or a status. NULL. */
    int (*prepare)(session *s);
    /* After the device is open: libraries, memory to use. EXIT_OK, or the exit status after a line. NULL. */
    int (*open)(session *s);
    void (*close)(session *s); /* NULL */
    /* Does something other than run variants, if the command line says so: the exit status, or -1. NULL. */
    int (*instead)(session *s);
    /* Further lines for --list, below the variants. NULL. */
    void (*list)(const session *s);
    /* Kernel number i of a variant, and its name where there are several ("" otherwise). False: no more. NULL where all
     * variants have one. */
    bool (*kernel)(const session *s, const bench_variant *v, int i, kernel_info *kernel, const char **name);
    /* What is computed and how it is measured: a line below the device's. */
    void (*header)(const session *s);

    /* Adds the command line's problems (a sweep, or one); those of --sweep check. */
    void (*problems)(const session *s, case_list *l);
    void (*check_list)(const session *s, case_list *l);
    /* "m 3, n 4, k 5"; and what else tells a problem of the check list apart: "ld 4 4 4, 1 elements off alignment". */
    void (*say)(const void *problem, char *text, size_t size);
    void (*say_more)(const session *s, const void *problem, char *text, size_t size);
    void (*describe)(const session *s, const void *problem, record *r); /* the case's columns of a record */
    void (*plan)(const session *s, const void *problem, bench_plan *plan);

    /* A family whose operands are those of C = alpha*A*B + beta*C gives these two, and nothing of what follows up to
     * `move`: what is computed, and how one launch on a set is enqueued, with these scalars. */
    operand_spec (*outline)(const session *s, const void *problem);
    cudaError_t (*enqueue)(const session *s, const void *problem, const bench_launch *launch, const operand_set *set,
                           float alpha, float beta, cudaStream_t stream);

    /* Device bytes of so many operand sets; INFINITY: more than can be addressed. */
    double (*bytes)(const session *s, const void *problem, int sets);
    /* Makes the operands and, on a GPU, fills all sets; `problem` outlives them. Ends the process without memory. */
    void *(*create)(const session *s, const void *problem, int sets);
    void (*destroy)(void *operands);
    /* Launches on set 0 and looks at all that it left behind. cudaErrorNotSupported: this baseline's call or candidate
     * cannot. What is wrong goes to `report` (NULL: nowhere), each line starting with `name`. */
    cudaError_t (*verify)(const session *s, void *operands, const bench_launch *launch, const char *name, FILE *report,
                          verdict *v);
    /* Launches on set 0 on integers, whose sums are exact, and looks at all that it left behind but the result, of
     * which it takes the fingerprint (matrix.h): that of a right result, if the launch is right. Otherwise like verify.
     * NULL where there are no baselines. */
    cudaError_t (*exact)(const session *s, void *operands, const bench_launch *launch, const char *name, FILE *report,
                         verdict *v, uint64_t *fingerprint);
    /* Enqueues one launch on an operand set. */
    cudaError_t (*launch)(const session *s, void *operands, const bench_launch *launch, int set, cudaStream_t stream);
    /* Puts a set back as it was before a launch. NULL where no plan restores. */
    cudaError_t (*restore)(const session *s, void *operands, int set, cudaStream_t stream);
    /* Puts all sets elsewhere in device memory, as `create` left them. NULL: they stay where they are. */
    void (*move)(const session *s, void *operands);

    /* How many bytes there are to take. NULL: 95 % of what is free. */
    double (*memory)(const session *s);
    /* Something of its own to measure before the variants (a ceiling). NULL. */
    void (*measure_first)(session *s, const void *problem, void *operands, const timing_task *outline);
    /* NULL: the variant takes the problem; otherwise the reason it does not. NULL: all variants take all problems. */
    const char *(*refuses)(const session *s, const bench_variant *v, const void *problem);
    /* The candidate to launch; false where none fits. NULL where no variant has candidates. */
    bool (*choose)(session *s, const void *problem, void *operands, const timing_task *outline, bench_launch *launch);
    /* Before the first and after the last launch of a measurement: a workspace, say. NULL. */
    void (*begin)(const session *s, void *operands, const bench_launch *launch);
    void (*end)(const session *s, void *operands, const bench_launch *launch);

    /* How many calls may be the baseline at this problem, all of which are tried (bench/baseline.h); and one of them.
     * The second holds for the problem that the first was last called with. NULL: there is none. */
    int (*baselines)(const session *s, const void *problem);
    void (*call)(const session *s, int number, bench_call *c);

    /* What is printed at the end of a row; and in a line below it (NULL: none). */
    void (*remark)(const session *s, const void *operands, const bench_launch *launch, char *text, size_t size);
    const char *(*note)(const session *s, const void *problem, const bench_launch *launch);
    /* In the place of verifying and timing variants at one problem. EXIT_OK or a status. NULL. */
    int (*run)(session *s, const void *problem);
} bench_family;

#endif
