/* Where the paths through a function lead. */
#ifndef PTX_FLOW_H
#define PTX_FLOW_H

#include "ptx/ptx.h"

/* Where an instruction leads, from *next on; the last is -1. *next has `*room` elements and grows; the caller frees it.
 * False: there is no memory. */
bool flow_successors(const ptx_function *s, int pc, int **next, int *room);

/* By instruction: the first behind it that every path from it to the function's end passes (its immediate
 * post-dominator); instruction_count where that is the end itself, -1 where no path ends. The caller frees it; NULL: no
 * memory. As in Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the reversed graph. */
int *flow_meetings(const ptx_function *s);

/* The first instruction that every path from `a` and every path from `b` pass, `a` and `b` among them, by the
 * function's flow_meetings; `end`, its instruction_count, or -1, as there. */
int flow_meeting(const int *meetings, int end, int a, int b);

#endif
