/* Groups of lanes: how a warp diverges, waits and comes together again. */
#pragma once

#include "machine/machine.h"

#define EVENT_PREEMPT   1u  /* let other groups, warps, blocks run */
#define EVENT_BLOCKED   2u  /* no group can run */
#define EVENT_DONE      4u  /* all lanes have exited */
#define EVENT_REGROUPED 8u  /* another group may be running, or the same with other lanes */
#define EVENT_AHEAD     16u /* the other blocks of the cluster run first */

/* The lanes `taken` of the running group go on at `target`, the others where they are. */
void warp_diverge(warp *w, uint32_t taken, uint32_t target);

/* The same without picking the next group; taken may be all of them. */
void warp_split(warp *w, uint32_t taken, uint32_t target);

/* These lanes of the running group go on elsewhere, perhaps in another frame; the next group is not yet picked. */
void warp_move(warp *w, uint32_t lanes, frame *f, uint32_t pc);

/* Picks the group to run next: the deepest call, there the lowest pc; merges groups that stand at the same place. Sets
 * w->event where none can run. */
void warp_select(warp *w);

/* What an access that may be a wait takes off a warp's budget of backward branches. */
#define POLL_COST 30

/* The same where the running group's place in groups[] is up to date (warp_hold). */
void warp_choose(warp *w);

/* A branch has gone backwards: once the budget is used up, others get a turn. */
void warp_preempt(warp *w);

/* The lanes at the instruction at hand: these, and those that wait there for others. */
uint32_t warp_present(const warp *w, uint32_t mask);

/* For a .sync instruction with member masks `members` (a lane array): which lanes may execute now. The others wait at
 * the instruction until the lanes they name have come, too. Lanes that waited here before join the running group. */
uint32_t warp_converge(warp *w, const insn *i, uint32_t mask, const uint32_t *members);

/* bar.warp.sync: the same, but the others may wait at another bar.warp.sync. */
void warp_sync(warp *w, const insn *i, uint32_t mask, const uint32_t *members);

/* The running group waits at the instruction at hand; warp_choose comes next. */
void warp_hold(warp *w, group_state state, uint32_t wanted);

/* Some lanes have gone: groups that wait for lanes of their warp look again. */
void warp_look_again(warp *w);

/* These lanes of the running group wait at the instruction at hand, as at barrier `id`, until somebody makes their
 * group ready again. */
void warp_block(warp *w, uint32_t lanes, uint32_t id);

/* The lanes (of the running group) wait at this instruction for mbarrier `offset`; they will execute it again. Call
 * warp_select when all are parked. */
void warp_park(warp *w, uint32_t lanes, uint32_t offset);

/* The whole warp waits at the instruction, which it executes again once it is woken; and the waking. */
void warp_stop(warp *w, group_state state, uint32_t wanted);
void warp_wake(warp *w, group_state state);

/* The running group executes the instruction at hand again, after this event. */
void warp_again(warp *w, uint32_t event);

/* A warp's budget of backward branches in one turn. */
#define WARP_BUDGET 4000

/* Runs a warp until an event, within the budget that is left of its turn. */
void warp_run(warp *w);

/* The same, where executed instructions are counted in each frame's `counts` (machine/observe.h). */
void warp_run_counted(warp *w);
