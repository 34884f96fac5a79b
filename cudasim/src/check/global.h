/* Races in global memory, and accesses beside operands. */
#pragma once

#include "check/checked.h"

/* A launch begins: what it may write is marked, and only accesses to that are looked at. And it ends. */
void global_begin(checked_launch *l);
void global_end(checked_launch *l);

/* The clusters begin and end. */
void global_cluster(checked_cluster *c, const block *b, bool begins);

/* An access to global memory, before it is done; and a strong or atomic one, after it has been. */
void global_touch(const observed_access *a);
void global_done(const observed_access *a);

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

/* Beside the operands that an allocation holds (base/parts.h): by the lanes of an instruction, before it is executed,
 * and by a copy. (outside.c) */
void outside_touch(const observed_access *a);
void outside_touch_range(const global_range *r);

/* Memory that is given out anew: what was done there before is no race. */
void global_forget(const warp *w, uint64_t address, uint64_t bytes);

/* Fences, and warps that meet at barriers. */
void global_sync(const observed_sync *s);

/* Judges the stores in doubt, which have been executed: those that left the value that was there are no races. The
 * other one forgets them. */
void global_settle(void);
void global_drop_doubts(void);
