/* Happens-before among the warps of a cluster, and among the lanes of a warp, by clocks.
 *
 * Agents are the warps of the cluster and, for each of its blocks, one that stands for asynchronous copies and, where
 * the kernel has wgmma, one for what each warpgroup's read. An agent's clock goes on at everything that orders it with
 * others. An access is stamped with its agent, lane and the agent's
 * clock; it happens before what a lane does next if that lane knows of a later clock of the agent's. What one lane
 * acquires from another warp all lanes of its warp are taken to know, and what one releases is its whole warp's: only
 * between lanes of one warp each is looked at by itself. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_LANES 32

/* An access: who, when, how. 0: none. */
typedef uint64_t stamp;
typedef enum strength { STRENGTH_WEAK, STRENGTH_STRONG, STRENGTH_ATOMIC } strength;
#define MANY_LANES 32u

static inline stamp stamp_of(uint32_t clock, uint32_t agent, uint32_t lane, strength how) {
    return (stamp)clock << 32 | agent << 16 | lane << 8 | (uint32_t)how;
}
static inline uint32_t stamp_clock(stamp s) {
    return (uint32_t)(s >> 32);
}
static inline uint32_t stamp_agent(stamp s) {
    return (uint32_t)s >> 16;
}
static inline uint32_t stamp_lane(stamp s) {
    return (uint32_t)s >> 8 & 0xff;
}
static inline strength stamp_strength(stamp s) {
    return (strength)(s & 0xff);
}

/* What some lanes of a warp know of one another, where not all have synchronised: a clock for each pair. */
typedef struct lane_clocks {
    uint32_t known[CLOCK_LANES][CLOCK_LANES]; /* by who knows, of whom */
} lane_clocks;

typedef struct lane_flags lane_flags; /* clocks_lane_flag */

typedef struct agent_clocks {
    uint32_t now;       /* stamps of its accesses have this */
    uint32_t together;  /* all its lanes know of all its accesses before */
    lane_clocks *apart; /* NULL: no more than that */
    lane_flags *flags;  /* what its lanes release to one another; NULL: none has had a fence */
    uint32_t *known;    /* by agent: it knows of all accesses before */
    uint32_t *fenced;   /* what it knew at its latest fence, which a relaxed store publishes */
    uint32_t *seen;     /* what relaxed loads have shown it, which it knows after its next fence */
    bool has_seen;
    uint32_t version; /* of what it knows */
} agent_clocks;

typedef struct clocks {
    uint32_t agents;
    uint32_t begun; /* stamps before this are of blocks that have ended */
    agent_clocks *of;
    uint32_t *words;
} clocks;

/* What is known at a place where agents meet: a clock for each. */
typedef uint32_t known_clocks;

/* False if there is no memory. */
bool clocks_make(clocks *c, uint32_t agents);
void clocks_free(clocks *c);

/* Other blocks begin: no agent knows of another, and all earlier accesses have happened before. */
void clocks_begin(clocks *c);

/* Has the access happened before what lane `lane` of `agent` does now? A stamp of a block that has ended has. `lanes`:
 * those that a stamp with MANY_LANES is of. */
bool clocks_before_lane(const clocks *c, stamp s, uint32_t lanes, uint32_t agent, uint32_t lane);
static inline bool clocks_before_all(const clocks *c, stamp s, uint32_t lanes, uint32_t agent, uint32_t lane) {
    const uint32_t clock = stamp_clock(s), other = stamp_agent(s);
    const agent_clocks *a = &c->of[agent];
    if (clock < c->begun) return true;
    if (other != agent) return clock < a->known[other];
    return stamp_lane(s) == lane || clock < a->together || clocks_before_lane(c, s, lanes, agent, lane);
}
static inline bool clocks_before(const clocks *c, stamp s, uint32_t agent, uint32_t lane) {
    return clocks_before_all(c, s, UINT32_MAX, agent, lane);
}

/* The agent's accesses so far, and what it knows, go into `at`; what it does next is later. And: it comes to know what
 * stands there. */
void clocks_release(clocks *c, uint32_t agent, known_clocks *at);
void clocks_acquire(clocks *c, uint32_t agent, const known_clocks *at);

/* `to` takes over what `agent` knows: a copy starts from what its issuer knows. */
void clocks_follow(clocks *c, uint32_t to, uint32_t agent);

/* It comes to know of all that `other` did before that clock. */
void clocks_know(clocks *c, uint32_t agent, uint32_t other, uint32_t clock);

/* These lanes of the warp, all of them or only some, wait for one another. */
void clocks_lanes(clocks *c, uint32_t agent, uint32_t lanes, uint32_t all);

/* They know of all that their warp did before that clock. */
void clocks_learn(clocks *c, uint32_t agent, uint32_t lanes, uint32_t all, uint32_t clock);

/* A fence; a relaxed store or atomic operation that `at` belongs to; a relaxed load of it. */
void clocks_fence(clocks *c, uint32_t agent);
static inline bool clocks_has_fenced(const clocks *c, uint32_t agent) {
    return c->of[agent].fenced[agent] > c->begun;
}
void clocks_publish(clocks *c, uint32_t agent, known_clocks *at);
void clocks_see(clocks *c, uint32_t agent, const known_clocks *at);

/* The same among the lanes of one warp, each of which is looked at by itself: a fence by these lanes, and a strong or
 * atomic access by one of them to the flag `key`. */
void clocks_lane_fence(clocks *c, uint32_t agent, uint32_t lanes);
typedef struct flag_access {
    uint64_t key;
    bool reads, writes, releases, acquires;
} flag_access;
void clocks_lane_flag(clocks *c, uint32_t agent, uint32_t lane, const flag_access *f);
void lane_flags_free(lane_flags *f);

static inline void known_join(known_clocks *to, const known_clocks *from, uint32_t agents) {
    for (uint32_t k = 0; k < agents; k++) to[k] = from[k] > to[k] ? from[k] : to[k];
}
