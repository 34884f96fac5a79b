/* Counters: how often each instruction of a kernel is executed, and what its accesses cost, as Nsight Compute counts
 * it. Sums by instruction in each worker, added up at a launch's end to those of the launches like it. */
#pragma once

#include "machine/observe.h"

/* What the accesses of one instruction (or of many) cost. Its opcode says whether these are loads, stores or
 * cp.async. */
typedef struct access_sum {
    int64_t requests, sectors, lines;                          /* of global memory */
    int64_t shared_requests, shared_wavefronts, shared_phases; /* of shared memory; ldmatrix, stmatrix: of rows */
    int64_t constant_requests, constant_words; /* of constant memory: loads, and the words they served */
    int64_t bytes_in, bytes_out;               /* by bulk copies, into and out of shared memory */
    int64_t least_quarters;                    /* of wavefronts, if ptxas merges neighbours */
    int64_t l1_clocks;                         /* of loads of global memory whose lines L1 has */
} access_sum;

/* One instruction of a kernel, or of a function that it calls. */
typedef struct counted_insn {
    int64_t warps, threads; /* that executed it; a guard's lanes that do not are left out of `threads` */
    access_sum sum;
    const char *opcode;
    op_class class;
    const char *file; /* of the kernel's own source: the innermost line of that file; NULL: none */
    int line;
} counted_insn;

/* Launches of one kernel in one shape, for one `what`. */
typedef struct counted_kernel {
    struct counted_kernel *next;
    char *what, *problem; /* the variant and its problem (counters_of); "" where nobody said */
    char *name;
    unsigned grid[3], block[3], cluster[3];
    uint64_t dynamic_shared;
    unsigned registers, static_shared;
    int64_t launches;
    int64_t sectors_read, sectors_written; /* distinct ones, of each launch */
    counted_insn *instructions;
    int count;
    struct counted_part {
        const ptx_function *source;
        int first, count; /* in instructions */
    } * parts;            /* the functions that have been executed */
    int part_count;
} counted_kernel;

extern observer counters_observer;

/* Counts launches from now on under `what`, at `problem`; NULL: does not count them. At first `what` is "". */
void counters_of(const char *what, const char *problem);

/* All counts, in the order of the first launches. No kernel may be running. */
const counted_kernel *counters_all(void);
void counters_free(void);
