/* Groups of lanes: how a warp diverges and comes together again.
 *
 * All lanes of a group stand at one instruction. A branch that some lanes take splits the group; of several groups the
 * one in the deepest call and there with the lowest pc runs, so that those ahead wait at the place where the paths
 * meet, and are merged there. A group that has gone backwards too often (a loop that waits for another group) lets the
 * others run first.
 */
#include "machine/groups.h"

#include "machine/fault.h"
#include "machine/observe.h"

static group *running(warp *w) {
    return &w->groups[w->current];
}

/* The running group's state goes back into its place. */
static void pack(warp *w) {
    group *g = running(w);
    g->pc = w->pc;
    g->lanes = w->active;
}

static void unpack(warp *w, int which) {
    const group *g = &w->groups[which];
    w->current = which;
    w->pc = g->pc;
    w->active = g->lanes;
    w->frame = g->frame;
    w->registers = g->frame->registers;
    w->affine = g->frame->affine;
    w->code = g->frame->function->code;
    w->event |= EVENT_REGROUPED;
}

static void remove_group(warp *w, int which) {
    w->groups[which] = w->groups[--w->group_count];
    if (w->current == w->group_count) w->current = which;
}

/* Of the groups that may run: the deepest call, there the lowest pc. -1 if there is none. */
static int lowest(const warp *w, group_state state) {
    int best = -1;
    for (int k = 0; k < w->group_count; k++) {
        const group *g = &w->groups[k];
        if (g->state != state || g->lanes == 0) continue;
        if (best < 0 || g->frame->depth > w->groups[best].frame->depth ||
            (g->frame->depth == w->groups[best].frame->depth && g->pc < w->groups[best].pc))
            best = k;
    }
    return best;
}

void warp_choose(warp *w) {
    for (int k = w->group_count - 1; k >= 0; k--)
        if (w->groups[k].lanes == 0) remove_group(w, k);
    for (int k = 0; k < w->group_count; k++) /* those at one place become one */
        for (int j = w->group_count - 1; j > k; j--) {
            group *a = &w->groups[k], *b = &w->groups[j];
            if (a->frame != b->frame || a->pc != b->pc) continue;
            if (a->state == GROUP_AT_BARRIER || a->state == GROUP_AT_WARP_SYNC) continue;
            if (b->state == GROUP_AT_BARRIER || b->state == GROUP_AT_WARP_SYNC) continue;
            if (a->state == GROUP_AT_MBARRIER || b->state == GROUP_AT_MBARRIER) continue;
            a->lanes |= b->lanes;
            if (b->state == GROUP_READY) a->state = GROUP_READY;
            remove_group(w, j);
        }
    w->meet_pc = UINT32_MAX;
    if (w->group_count == 0) {
        w->event |= EVENT_DONE;
        return;
    }
    int best = lowest(w, GROUP_READY);
    if (best < 0) { /* only such as were preempted: their turn again */
        for (int k = 0; k < w->group_count; k++)
            if (w->groups[k].state == GROUP_POLLING) w->groups[k].state = GROUP_READY;
        best = lowest(w, GROUP_READY);
    }
    if (best < 0) {
        w->event |= EVENT_BLOCKED;
        return;
    }
    unpack(w, best);
    for (int k = 0; k < w->group_count; k++) {
        const group *g = &w->groups[k];
        if (k != best && g->state == GROUP_READY && g->frame == w->frame && g->pc > w->pc && g->pc < w->meet_pc)
            w->meet_pc = g->pc;
    }
}

void warp_select(warp *w) {
    if (w->group_count > 0 && !(w->event & (EVENT_DONE | EVENT_BLOCKED))) pack(w);
    warp_choose(w);
}

void warp_move(warp *w, uint32_t lanes, frame *f, uint32_t pc) {
    w->active &= ~lanes;
    pack(w);
    w->groups[w->group_count++] = (group){.frame = f, .pc = pc, .lanes = lanes, .state = GROUP_READY};
}

void warp_split(warp *w, uint32_t taken, uint32_t target) {
    warp_move(w, taken, w->frame, target);
}

void warp_diverge(warp *w, uint32_t taken, uint32_t target) {
    if (taken == w->active) {
        w->pc = target;
    } else {
        warp_split(w, taken, target);
    }
    warp_select(w);
}

void warp_preempt(warp *w) {
    pack(w);
    if (w->group_count > 1) running(w)->state = GROUP_POLLING;
    warp_choose(w);
    w->event |= EVENT_PREEMPT;
}

void warp_park(warp *w, uint32_t lanes, uint32_t offset) {
    w->active &= ~lanes;
    w->groups[w->group_count++] =
        (group){.frame = w->frame, .pc = w->pc - 1, .lanes = lanes, .state = GROUP_AT_MBARRIER, .wanted = offset};
}

void warp_again(warp *w, uint32_t event) {
    w->pc--;
    pack(w);
    w->event |= event;
}

void warp_look_again(warp *w) {
    for (int k = 0; k < w->group_count; k++)
        if (w->groups[k].state == GROUP_AT_WARP_SYNC) w->groups[k].state = GROUP_READY;
}

/* ---- whole warps wait -------------------------------------------------------------------------------------------- */

void warp_hold(warp *w, group_state state, uint32_t wanted) {
    w->pc--;
    pack(w);
    running(w)->state = state;
    running(w)->wanted = wanted;
}

void warp_stop(warp *w, group_state state, uint32_t wanted) {
    warp_hold(w, state, wanted);
    warp_choose(w);
}

void warp_block(warp *w, uint32_t lanes, uint32_t id) {
    const uint32_t rest = w->active & ~lanes;
    if (rest != 0) warp_split(w, rest, w->pc);
    warp_stop(w, GROUP_AT_BARRIER, id);
}

void warp_wake(warp *w, group_state state) {
    for (int k = 0; k < w->group_count; k++) {
        if (w->groups[k].state != state) continue;
        w->groups[k].state = GROUP_READY;
        w->event &= ~EVENT_BLOCKED;
        w->runnable = true;
        w->block->progressed = true;
    }
}

/* ---- lanes of a warp wait for one another ------------------------------------------------------------------------ */

static void check_members(warp *w, const insn *i, uint32_t mask, const uint32_t *members) {
    for (int l = 0; l < LANES; l++)
        if (mask >> l & 1 && !(members[l] >> l & 1))
            sim_fault(w, i, 1u << l, SIM_ILLEGAL_INSTRUCTION, "lane %d is not in its own member mask 0x%08x", l,
                      members[l]);
}

/* Lanes of the mask all of whose members are among `present` (or have exited). */
static uint32_t satisfied(const warp *w, uint32_t mask, const uint32_t *members, uint32_t present) {
    uint32_t ok = 0;
    for (int l = 0; l < LANES; l++)
        if (mask >> l & 1 && (members[l] & w->lanes & ~w->exited & ~present) == 0) ok |= 1u << l;
    return ok;
}

/* These lanes of the running group wait at this instruction for the members that they name. */
static void leave_waiting(warp *w, uint32_t waiting, uint32_t pc, const uint32_t *members) {
    if (waiting == 0) return;
    w->active &= ~waiting;
    w->groups[w->group_count++] = (group){.frame = w->frame,
                                          .pc = pc,
                                          .lanes = waiting,
                                          .state = GROUP_AT_WARP_SYNC,
                                          .wanted = members[__builtin_ctz(waiting)]};
}

uint32_t warp_present(const warp *w, uint32_t mask) {
    const uint32_t pc = w->pc - 1;
    for (int k = 0; k < w->group_count; k++) {
        const group *g = &w->groups[k];
        if (k != w->current && g->state == GROUP_AT_WARP_SYNC && g->frame == w->frame && g->pc == pc) mask |= g->lanes;
    }
    return mask;
}

uint32_t warp_converge(warp *w, const insn *i, uint32_t mask, const uint32_t *members) {
    const uint32_t pc = w->pc - 1, present = warp_present(w, mask);
    check_members(w, i, mask, members);
    for (int k = w->group_count - 1; k >= 0; k--) { /* who waits here joins */
        group *g = &w->groups[k];
        if (k == w->current || g->state != GROUP_AT_WARP_SYNC || g->frame != w->frame || g->pc != pc) continue;
        w->active |= g->lanes;
        g->lanes = 0;
    }
    const uint32_t run = satisfied(w, present, members, present);
    const uint32_t waiting = present & ~run;
    leave_waiting(w, waiting, pc, members); /* those that are complete, and those kept away by a guard, go on */
    /* The caller still has this group's registers in hand: the next group is picked when it has done. Other lanes may
     * run than before, which ends a straight run. */
    w->meet_pc = w->pc;
    w->event |= EVENT_REGROUPED;
    return run;
}

/* These have waited for one another, tiles each for itself. `members` holds of those that came last, who are of every
 * tile. */
static void hook_lanes_met(warp *w, uint32_t gone, const uint32_t *members) {
    if (w->launch->observer == NULL) return;
    for (uint32_t left = gone & w->active; left != 0;) {
        const uint32_t tile = members[__builtin_ctz(left)];
        observe_sync(SYNC_LANES, w->block, w, tile & gone, 0);
        left &= ~tile;
    }
}

void warp_sync(warp *w, const insn *i, uint32_t mask, const uint32_t *members) {
    const uint32_t pc = w->pc - 1;
    check_members(w, i, mask, members);
    uint32_t present = mask;
    for (int k = 0; k < w->group_count; k++) {
        const group *g = &w->groups[k];
        if (g->state == GROUP_AT_WARP_SYNC && g->frame->function->code[g->pc].row == i->row) present |= g->lanes;
    }
    const uint32_t waiting = mask & ~satisfied(w, mask, members, present);
    uint32_t gone = mask & ~waiting;
    if (waiting == 0 && w->group_count == 1) {
        hook_lanes_met(w, gone, members);
        return;
    }
    /* Those whose members have now all come go on, each group from where it stands; a tile does not wait for another.
     */
    for (int k = w->group_count - 1; k >= 0; k--) {
        group *g = &w->groups[k];
        if (k == w->current || g->state != GROUP_AT_WARP_SYNC) continue;
        const insn *at = &g->frame->function->code[g->pc];
        if (at->row != i->row) continue;
        const uint32_t go = satisfied(w, g->lanes, (const uint32_t *)(g->frame->registers + at->op[0]), present);
        if (go != g->lanes && go != 0)
            w->groups[w->group_count++] = (group){g->frame, g->pc, g->lanes & ~go, GROUP_AT_WARP_SYNC, g->wanted};
        if (go == 0) continue;
        gone |= go;
        g->lanes = go;
        g->state = GROUP_READY;
        g->pc++;
    }
    leave_waiting(w, waiting, pc, members);
    hook_lanes_met(w, gone, members);
    warp_select(w);
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* Does another group wait before the end of the straight run that begins here? */
static bool meets(const warp *w, const insn *i) {
    return i->straight > w->meet_pc - w->pc;
}

/* The instructions of a straight run up to where another group waits. */
static void run_to_meeting(warp *w, const insn *i) {
    const uint32_t lanes = w->active;
    for (const insn *const end = i + (w->meet_pc - w->pc); i < end && w->event == 0; i++) {
        w->pc++;
        i->run(w, i, lanes);
    }
}

/* An instruction that may be guarded, branch or wait. */
static void run_one(warp *w, const insn *i) {
    const uint32_t mask = w->active & (*(const uint32_t *)(w->registers + i->guard) ^ i->guard_invert);
    w->pc++;
    if (mask != 0) i->run(w, i, mask);
}

static void resume(warp *w) {
    w->event = 0;
    if (w->group_count > 1) {
        warp_choose(w);
    } else {
        w->groups[0].state = GROUP_READY;
        unpack(w, 0);
        w->meet_pc = UINT32_MAX;
    }
}

void warp_run(warp *w) {
    resume(w);
    while ((w->event & ~EVENT_REGROUPED) == 0) {
        const insn *i = &w->code[w->pc];
        w->event = 0;
        if (i->straight == 0)
            run_one(w, i);
        else if (meets(w, i))
            run_to_meeting(w, i);
        else
            i->next(w, i, w->active); /* up to op_stop, or an event */
        if (w->pc == w->meet_pc) warp_select(w);
    }
    w->runnable = !(w->event & (EVENT_BLOCKED | EVENT_DONE));
}

/* ---- the same, counted ------------------------------------------------------------------------------------------- */

static void count(run_counts *c, uint32_t first, uint32_t end, uint32_t lanes) {
    const int64_t threads = lanes == ALL_LANES ? LANES : __builtin_popcount(lanes);
    if (c == NULL) return; /* a function of another module, called through a pointer */
    run_count *from = &c->runs[first], *to = &c->runs[end];
    from->warps++, from->threads += threads;
    to->warps--, to->threads -= threads;
}

/* Will the lanes execute this instruction again, because it waits for something or lets another block go first? One
 * that waits at a barrier, or for other lanes at bar.warp, goes on after it. */
static bool comes_again(const warp *w, const frame *f, uint32_t pc, uint32_t lanes) {
    if (w->event == 0) return false;
    for (int k = 0; k < w->group_count; k++) {
        const group *g = &w->groups[k];
        const bool waits = g->state == GROUP_AT_MBARRIER || g->state == GROUP_AT_WARPGROUP ||
                           g->state == GROUP_AT_REGISTERS || (w->event & EVENT_AHEAD && k == w->current);
        if (waits && g->frame == f && g->pc == pc && (lanes & ~g->lanes) == 0) return true;
    }
    return false;
}

/* False where it comes again. */
static bool run_one_counted(warp *w, const insn *i) {
    frame *f = w->frame; /* it may be left */
    run_counts *c = f->counts;
    const uint32_t pc = w->pc, mask = w->active & (*(const uint32_t *)(w->registers + i->guard) ^ i->guard_invert);
    w->pc++;
    if (mask != 0) {
        i->run(w, i, mask);
        if (comes_again(w, f, pc, mask)) return false;
    }
    count(c, pc, pc + 1, mask);
    return true;
}

/* A branch behind the run may have gone with it (isa/function.c: none to itself or to what follows it). */
static void run_straight_counted(warp *w, const insn *i) {
    const uint32_t first = w->pc, lanes = w->active, end = first + i->straight;
    const bool whole = !meets(w, i);
    if (whole)
        i->next(w, i, lanes);
    else
        run_to_meeting(w, i);
    const bool branched = whole && w->event == 0 && w->pc != end, taken = w->pc != end + 1;
    count(w->frame->counts, first, branched ? end + taken : w->pc, lanes);
    if (branched && !taken) count(w->frame->counts, end, end + 1, 0);
}

void warp_run_counted(warp *w) {
    resume(w);
    while ((w->event & ~EVENT_REGROUPED) == 0) {
        const insn *i = &w->code[w->pc];
        w->event = 0;
        if (w->careful) {
            observe_step(w, i);
            if (!run_one_counted(w, i)) observe_again(w);
        } else if (i->straight > 0) {
            run_straight_counted(w, i);
        } else {
            run_one_counted(w, i);
        }
        if (w->pc == w->meet_pc) warp_select(w);
    }
    w->runnable = !(w->event & (EVENT_BLOCKED | EVENT_DONE));
}
