/* The words of a finding: who accesses, which bytes, and what would have ordered two accesses. */
#pragma once

#include "check/checked.h"

/* Kinds of findings. */
#define RACE          "race"
#define UNINITIALISED "uninitialised"
#define NO_WAIT       "no-wait"
#define BOUNDS        "out-of-bounds"
#define DIVERGENT     "barrier"
#define ABSENT_LANE   "absent-lane"
#define FREED         "use-after-free"

/* "thread (0,0,0) of block (1,0,0)"; lane LANES or more: "the warp of ...". */
const char *thread_name(const warp *w, uint32_t lane, char text[96]);

/* The same by the numbers of the cluster in the grid, of the agent in it, and of the lane. */
const char *agent_name(const checked_launch *l, uint32_t cluster, uint32_t agent, uint32_t lane, char text[96]);

/* What would order the two accesses of a race, in brackets, by who the agents (and their clusters) are. */
const char *order_wanted(const checked_launch *l, uint32_t cluster, uint32_t agent, uint32_t other_cluster,
                         uint32_t other_agent);

/* "4 bytes of s at byte 12 of 128", or by its address where no array is known to lie there. */
const char *shared_name(const function *f, uint8_t array, const block *b, uint32_t offset, unsigned bytes,
                        char text[320]);

/* "4 bytes of its local arrays at byte 12 of 128": an offset into a thread's stack, of the frame or one that called it.
 */
const char *local_name(const frame *f, uint64_t address, unsigned bytes, char text[320]);

/* "4 bytes at byte 12 of the 128-byte allocation at 0x...", or of a variable by its name. */
const char *global_name(uint64_t address, unsigned bytes, char text[320]);
