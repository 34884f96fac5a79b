/* One SM, clock by clock: its warps' instructions against what its units can take. */
#pragma once

#include <stdio.h>

#include "predict/cache.h"
#include "predict/lanes.h"

/* A block's time falls into parts: until its first barrier, from there to its last, and the rest. In each, the clocks
 * for which units are busy on the part's account, as shares of all that the SM has, and those that warps wait, by what
 * for. */
enum { PART_FIRST, PART_MIDDLE, PART_LAST, PARTS };
enum { SHARE_TIME, BUSY_ISSUE, BUSY_FP32, BUSY_TENSOR, BUSY_LSU, BUSY_END };
enum { WAIT_GLOBAL = BUSY_END, WAIT_SHARED, WAIT_QUEUE, WAIT_PIPE, WAIT_RESULT, WAIT_BARRIER, WAIT_MBARRIER };
enum { WAIT_TURN = WAIT_MBARRIER + 1, SHARES };
enum { PRODUCT_SIZES = 6 };

typedef struct replay_spec {
    const lane_launch *launch;
    int resident;    /* blocks that an SM holds at once */
    int blocks;      /* that it runs */
    uint64_t first;  /* the number of its first block */
    uint64_t stride; /* from one of its blocks to the next, by number: the SMs */
    unsigned l1_kib;
    struct cache_clocks clocks;
    double fma_clocks, tensor_clocks;     /* for which an instruction holds a scheduler's pipe */
    double shared_clocks;                 /* until a word of shared memory is there */
    double product_clocks[PRODUCT_SIZES]; /* of wgmma, for which it holds the tensor cores: 8, 16, 32 ... columns */
    bool l2_holds_all;                    /* what a launch touches fits L2: blocks after the first ones find it there */
    uint64_t most_issues;                 /* gives up after so many instructions */
    FILE *trace;                          /* NULL: none; else where events of the first block go */
    double clock_mhz;                     /* for its times */
    bool parts, seen;                     /* these of the result are wanted */
} replay_spec;

typedef struct replay_result {
    bool complete;       /* false: it gave up, or had no memory */
    const char *missing; /* the instruction that it met and does not know */
    double clocks;
    uint64_t issued, by_pipe[SASS_PIPES];
    double part[PARTS][SHARES];
    uint64_t l1_sectors, l2_sectors, dram_sectors, written_sectors;
    cache_seen seen;
} replay_result;

replay_result replay(const replay_spec *spec);
