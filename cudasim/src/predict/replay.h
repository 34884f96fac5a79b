/* One SM, clock by clock: its warps' instructions against what its units can take. */
#ifndef SIM_PREDICT_REPLAY_H
#define SIM_PREDICT_REPLAY_H

#include "predict/cache.h"
#include "predict/lanes.h"

typedef struct replay_spec {
    const lane_launch *launch;
    int resident;    /* blocks that an SM holds at once */
    int blocks;      /* that it runs */
    uint64_t first;  /* the number of its first block */
    uint64_t stride; /* from one of its blocks to the next, by number: the SMs */
    unsigned l1_kib;
    struct cache_clocks clocks;
    double shared_clocks; /* until a word of shared memory is there */
    bool l2_holds_all;    /* what a launch touches fits L2: blocks after the first ones find it there */
    uint64_t most_issues; /* gives up after so many instructions */
} replay_spec;

typedef struct replay_result {
    bool complete; /* false: it gave up, or had no memory */
    double clocks;
    uint64_t issued, by_pipe[SASS_PIPES];
    uint64_t wavefronts, lsu_busy;
    uint64_t l1_sectors, l2_sectors, dram_sectors, written_sectors;
} replay_result;

replay_result replay(const replay_spec *spec);

#endif
