/* Where the paths through a function lead. */
#pragma once

#include "ptx/ptx.h"

/* Writes the successors of an instruction to *next, and -1 behind the last. *next has `*room` elements and grows; the
 * caller frees it. False if there is no memory. */
bool flow_successors(const ptx_function *s, int pc, int **next, int *room);

/* The immediate post-dominator of each instruction: the first one behind it that every path from it to the function's
 * end passes. It is instruction_count if that is the end itself, and -1 if no path ends. The caller frees the array;
 * NULL: no memory. The algorithm is that of Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on
 * the reversed graph. */
int *flow_meetings(const ptx_function *s);

/* The first instruction, `a` and `b` included, that all paths from `a` and all paths from `b` pass, by the function's
 * flow_meetings. `end` is its instruction_count. Returns `end` or -1 as there. */
int flow_meeting(const int *meetings, int end, int a, int b);
