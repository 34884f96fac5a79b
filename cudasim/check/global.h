/* Races in global memory. */
#ifndef SIM_GLOBAL_H
#define SIM_GLOBAL_H

#include "check/checked.h"

/* A launch begins: what it may write is marked, and only accesses to that are looked at. And it ends. */
void global_begin(checked_launch *l);
void global_end(checked_launch *l);

/* The clusters begin and end. */
void global_cluster(checked_cluster *c, const block *b, bool begins);

/* An access to global memory, before it is done. */
void global_touch(const observed_access *a);

/* `bytes` from `address` on, by one lane: what a copy reads, writes or changes. */
typedef struct global_range {
    warp *w;
    const function *function;
    uint32_t pc, lane;
    uint64_t address, bytes;
    access_kind kind;
    const char *verb;
} global_range;
void global_touch_range(const global_range *r);

/* Fences, and warps that meet at barriers. */
void global_sync(const observed_sync *s);

/* Stores that left what was there were no race with other stores: the instructions before have been executed. */
void global_settle(void);

#endif
