/* Happens-before between the clusters of a launch (a block without clusters is one of its own), where it comes from
 * global memory: fences with strong accesses to one place, releases and acquires. clocks.h has the order within one.
 *
 * A release is what a warp knew at its latest fence: a clock for each agent of its cluster. It is added to the log of
 * the place that the warp then writes. Who reads from there, and fences, has acquired the log up to its end. Nothing is
 * joined then: whether an access has happened before another is looked up when the two conflict, by following the
 * acquisitions back, and what has been found out so is kept for the agent. */
#pragma once

#include "check/clocks.h"

typedef struct grid_order grid_order; /* of a launch */
typedef struct run run;               /* of one cluster of its grid */

/* NULL: no memory. */
grid_order *grid_order_new(uint32_t agents, uint64_t clusters);
void grid_order_free(grid_order *b);

/* Cluster `number`, which begins; what is kept of a cluster that has ended is less. */
run *grid_order_begin(grid_order *b, uint32_t number);
void grid_order_end(grid_order *b, run *r);

/* An agent's fence, for others than the cluster's, too, or not. */
void grid_order_fence(grid_order *b, run *r, clocks *c, uint32_t agent, bool wide);
/* A strong access to global memory. */
typedef struct strong_access {
    uint64_t address;
    bool reads, writes;
} strong_access;
void grid_order_access(grid_order *b, run *r, clocks *c, uint32_t agent, const strong_access *a);

/* Warps meet at the block's barrier `id`: what one has fenced before it the others may publish. */
void grid_order_meet(grid_order *b, run *r, uint32_t agent, uint32_t barrier, bool arrives);
void grid_order_met(grid_order *b, run *r, uint32_t barrier);

/* Has what `other` of cluster `number` did at that clock happened before what the agent does now? */
bool grid_order_ordered(grid_order *b, run *r, const clocks *c, uint32_t agent, uint32_t number, uint32_t other,
                        uint32_t clock);

/* Which side of a race lacks the fence that would order it? */
typedef enum fence_wanted {
    FENCE_UNKNOWN,
    FENCE_HERE, /* the agent has read a flag that the other wrote after its own fence, and has had none since */
    FENCE_THERE /* the agent has had one behind a flag; the other has not since that clock */
} fence_wanted;
fence_wanted grid_order_fence_wanted(grid_order *b, run *r, const clocks *c, uint32_t agent, uint32_t number,
                                     uint32_t other, uint32_t clock);
