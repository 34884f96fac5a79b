/* Happens-before between the clusters of a launch (a block without clusters is one of its own), where it comes from
 * global memory: fences with strong accesses to one place, releases and acquires. clocks.h has the order within one.
 *
 * A release is what a warp knew at its latest fence: a clock for each agent of its cluster. It is added to the log of
 * the place that the warp then writes. Who reads from there, and fences, has acquired the log up to its end. Nothing is
 * joined then: whether an access has happened before another is looked up when the two conflict, by following the
 * acquisitions back, and what has been found out so is kept for the agent. */
#ifndef SIM_BETWEEN_H
#define SIM_BETWEEN_H

#include "check/clocks.h"

typedef struct between between; /* of a launch */
typedef struct run run;         /* of one cluster of its grid */

/* NULL: no memory. */
between *between_new(uint32_t agents, uint64_t clusters);
void between_free(between *b);

/* Cluster `number`, which begins; what is kept of a cluster that has ended is less. */
run *between_begin(between *b, uint32_t number);
void between_end(between *b, run *r);

/* An agent's fence, for others than the cluster's, too, or not. */
void between_fence(between *b, run *r, clocks *c, uint32_t agent, bool wide);
/* A strong access to global memory. */
typedef struct strong_access {
    uint64_t address;
    bool reads, writes;
} strong_access;
void between_access(between *b, run *r, clocks *c, uint32_t agent, const strong_access *a);

/* Warps meet at the block's barrier `id`: what one has fenced before it the others may publish. */
void between_meet(between *b, run *r, uint32_t agent, uint32_t barrier, bool arrives);
void between_met(between *b, run *r, uint32_t barrier);

/* Has what `other` of cluster `number` did at that clock happened before what the agent does now? */
bool between_ordered(between *b, run *r, const clocks *c, uint32_t agent, uint32_t number, uint32_t other,
                     uint32_t clock);

/* Of two that are not in order, who is to have a fence for it? */
typedef enum fence_wanted {
    FENCE_UNKNOWN,
    FENCE_HERE, /* the agent has read a flag that the other wrote after its own fence, and has had none since */
    FENCE_THERE /* the agent has had one behind a flag; the other has not since that clock */
} fence_wanted;
fence_wanted between_fence_wanted(between *b, run *r, const clocks *c, uint32_t agent, uint32_t number, uint32_t other,
                                  uint32_t clock);

#endif
