/* Groups of lanes: how a warp diverges and comes together again.
 *
 * All lanes of a group stand at one instruction. A branch that some lanes take splits the group; of several groups the
 * one in the deepest call and there with the lowest pc runs, so that those ahead wait at the place where the paths
 * meet, and are merged there. A group that has gone backwards too often (a loop that waits for another group) lets the
 * others run first.
 */
#include <stdlib.h>
#include <string.h>

#include "machine/bulk.h"
#include "machine/call.h"
#include "machine/cluster.h"
#include "machine/machine.h"
#include "machine/wgmma.h"

#define BUDGET 4000

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

static void choose(warp *w) {
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
    choose(w);
}

void warp_split(warp *w, uint32_t taken, uint32_t target) {
    w->active &= ~taken;
    pack(w);
    w->groups[w->group_count++] = (group){.frame = w->frame, .pc = target, .lanes = taken, .state = GROUP_READY};
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
    choose(w);
    w->event |= EVENT_PREEMPT;
}

void warp_park(warp *w, uint32_t lanes, uint32_t offset) {
    w->active &= ~lanes;
    w->groups[w->group_count++] =
        (group){.frame = w->frame, .pc = w->pc - 1, .lanes = lanes, .state = GROUP_AT_MBARRIER, .wanted = offset};
}

/* Some lanes have gone: whoever waits for them looks again. */
static void retry_warp_syncs(warp *w) {
    for (int k = 0; k < w->group_count; k++)
        if (w->groups[k].state == GROUP_AT_WARP_SYNC) w->groups[k].state = GROUP_READY;
}

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

static void release(block *b, uint32_t id) {
    barrier *bar = &b->barriers[id];
    for (int n = 0; n < b->warp_count; n++) {
        warp *w = &b->warps[n];
        for (int k = 0; k < w->group_count; k++) {
            group *g = &w->groups[k];
            if (g->state != GROUP_AT_BARRIER || g->wanted != id) continue;
            const insn *i = &g->frame->function->code[g->pc];
            if (i->type2 == BARRIER_REDUCES) {
                if (i->mode == 0) {
                    uint32_t *d = (uint32_t *)(g->frame->registers + i->op[0]);
                    for (int l = 0; l < LANES; l++)
                        if (g->lanes >> l & 1) d[l] = bar->reduced;
                } else {
                    uint32_t *p = (uint32_t *)(g->frame->registers + i->op[0]);
                    const bool is = i->mode == 1 ? bar->red_and : bar->red_or;
                    *p = (*p & ~g->lanes) | (is ? g->lanes : 0);
                }
            }
            g->state = GROUP_READY;
            g->pc++;
            w->event &= ~EVENT_BLOCKED;
            w->runnable = true;
        }
    }
    *bar = (barrier){0};
    b->progressed = true;
}

static bool complete(const block *b, const barrier *bar) {
    return bar->waiting && (bar->count == 0 ? bar->arrived >= b->live : bar->arrived + bar->absent >= bar->count);
}

static uint32_t lanes_at_barrier(const warp *w, uint32_t id) {
    uint32_t lanes = 0;
    for (int k = 0; k < w->group_count; k++)
        if (w->groups[k].state == GROUP_AT_BARRIER && w->groups[k].wanted == id) lanes |= w->groups[k].lanes;
    return lanes;
}

void warp_barrier(warp *w, const insn *i, uint32_t mask, uint32_t id, uint32_t count, bool wait, uint32_t predicates) {
    block *b = w->block;
    barrier *bar = &b->barriers[id];
    const uint32_t alive = w->lanes & ~w->exited;
    if (!bar->waiting) *bar = (barrier){.count = count, .red_and = true, .waiting = true};
    if (bar->count != count) { /* the whole block may be named by its number or by none */
        const uint32_t whole = (uint32_t)b->warp_count * LANES;
        const uint32_t one = bar->count != 0 ? bar->count : whole, other = count != 0 ? count : whole;
        if (one != other)
            sim_fault(w, i, mask, SIM_ILLEGAL_INSTRUCTION, "barrier %u is expected by %u threads and by %u", id, one,
                      other);
        bar->count = whole;
    }
    /* Barriers with a count go by whole warps: the last of a warp's threads bring those along that never existed or
     * have exited. */
    if ((alive & ~mask & ~lanes_at_barrier(w, id)) == 0) bar->absent += LANES - (uint32_t)__builtin_popcount(alive);
    bar->arrived += (uint32_t)__builtin_popcount(mask);
    bar->reduced += (uint32_t)__builtin_popcount(mask & predicates);
    bar->red_and = bar->red_and && (mask & ~predicates) == 0;
    bar->red_or = bar->red_or || (mask & predicates) != 0;
    if (wait) {
        uint32_t rest = w->active & ~mask;
        if (rest != 0) { /* a guard keeps some lanes away: they go on */
            w->groups[w->group_count++] = (group){.frame = w->frame, .pc = w->pc, .lanes = rest, .state = GROUP_READY};
            w->active = mask;
        }
        w->pc--; /* at the barrier until it opens */
        pack(w);
        running(w)->state = GROUP_AT_BARRIER;
        running(w)->wanted = id;
    }
    if (complete(b, bar)) release(b, id);
    if (wait)
        choose(w);
    else
        w->meet_pc = w->pc; /* groups of this very warp may have been released */
}

void warp_block(warp *w, uint32_t lanes, uint32_t id) {
    const uint32_t rest = w->active & ~lanes;
    if (rest != 0)
        w->groups[w->group_count++] = (group){.frame = w->frame, .pc = w->pc, .lanes = rest, .state = GROUP_READY};
    w->active = lanes;
    w->pc--;
    pack(w);
    running(w)->state = GROUP_AT_BARRIER;
    running(w)->wanted = id;
    choose(w);
}

/* ---- whole warps wait -------------------------------------------------------------------------------------------- */

void warp_stop(warp *w, group_state state, uint32_t wanted) {
    w->pc--;
    pack(w);
    running(w)->state = state;
    running(w)->wanted = wanted;
    choose(w);
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

uint32_t warp_converge(warp *w, const insn *i, uint32_t mask, const uint32_t *members) {
    const uint32_t pc = w->pc - 1;
    check_members(w, i, mask, members);
    uint32_t present = mask;
    for (int k = w->group_count - 1; k >= 0; k--) { /* who waits here joins */
        group *g = &w->groups[k];
        if (k == w->current || g->state != GROUP_AT_WARP_SYNC || g->frame != w->frame || g->pc != pc) continue;
        present |= g->lanes;
        w->active |= g->lanes;
        g->lanes = 0;
    }
    const uint32_t run = satisfied(w, present, members, present);
    const uint32_t waiting = present & ~run;
    if (waiting != 0) { /* those that are complete, and those kept away by a guard, go on */
        w->active &= ~waiting;
        w->groups[w->group_count++] = (group){.frame = w->frame,
                                              .pc = pc,
                                              .lanes = waiting,
                                              .state = GROUP_AT_WARP_SYNC,
                                              .wanted = members[__builtin_ctz(waiting)]};
    }
    /* The caller still has this group's registers in hand: the next group is picked when it has done. */
    w->meet_pc = w->pc;
    return run;
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
    if (waiting == 0 && w->group_count == 1) return;
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
        g->lanes = go;
        g->state = GROUP_READY;
        g->pc++;
    }
    if (waiting != 0) {
        w->active &= ~waiting;
        w->groups[w->group_count++] = (group){.frame = w->frame,
                                              .pc = pc,
                                              .lanes = waiting,
                                              .state = GROUP_AT_WARP_SYNC,
                                              .wanted = members[__builtin_ctz(waiting)]};
    }
    warp_select(w);
}

/* ---- calls and exits --------------------------------------------------------------------------------------------- */

void warp_exit(warp *w, uint32_t lanes) {
    block *b = w->block;
    if (b->wgmma != NULL && (w->exited | lanes) == w->lanes) wgmma_leave(w);
    w->exited |= lanes;
    w->active &= ~lanes;
    b->live -= (uint32_t)__builtin_popcount(lanes);
    b->progressed = true;
    for (frame *f = w->frame, *caller; f != NULL; f = caller) {
        caller = f->caller;
        f->lanes &= ~lanes;
        if (f->lanes == 0 && caller != NULL) frame_leave(w, f);
    }
    retry_warp_syncs(w);
    cluster_exit(w, lanes);
    if (b->bulk != NULL || w->launch->async_proxy) bulk_exit(w, lanes, b->live == 0);
    const uint32_t alive = w->lanes & ~w->exited;
    for (uint32_t id = 0; id < BARRIERS; id++) {
        barrier *bar = &b->barriers[id];
        if (!bar->waiting) continue;
        /* The rest of the warp has come to the barrier: it counts as a whole warp (see warp_barrier). */
        if (alive != 0 && (alive & ~lanes_at_barrier(w, id)) == 0)
            bar->absent += LANES - (uint32_t)__builtin_popcount(alive);
        if (b->live > 0 && complete(b, bar)) release(b, id);
    }
    warp_select(w);
}

void warp_call(warp *w, const insn *i, uint32_t lanes) {
    const function *caller = w->frame->function;
    const call_site *site = &caller->calls[i->imm];
    if (site->builtin != BUILTIN_NONE) {
        call_builtin(w, i, site, lanes);
        return;
    }
    while (lanes != 0) { /* once for a direct call; through pointers once for each function */
        const function *callee = site->callee;
        uint32_t same = lanes;
        if (callee == NULL) {
            const uint64_t *pointer = (const uint64_t *)(w->frame->registers + site->pointer);
            const uint64_t first = pointer[__builtin_ctz(lanes)];
            callee = module_function_at(first);
            same = 0;
            for (int l = 0; l < LANES; l++) same |= (uint32_t)(pointer[l] == first) << l;
            same &= lanes;
            if (callee == NULL)
                sim_fault(w, i, same, SIM_INVALID_PC, "call of 0x%llx, which is no function",
                          (unsigned long long)first);
            if (callee->source->return_count != site->return_count || callee->source->param_count != site->param_count)
                sim_fault(w, i, same, SIM_INVALID_PC, "call of %s with other arguments than it takes",
                          callee->source->name);
        }
        lanes &= ~same;
        frame *f = frame_enter(w, i, callee, site, same);
        w->active &= ~same;
        w->groups[w->group_count] = (group){.frame = f, .pc = 0, .lanes = same, .state = GROUP_READY};
        w->group_count++;
        pack(w);
    }
    choose(w);
}

void warp_return(warp *w, uint32_t lanes) {
    frame *f = w->frame;
    frame_results(w, f, lanes);
    f->lanes &= ~lanes;
    w->active &= ~lanes;
    pack(w);
    w->groups[w->group_count++] = (group){.frame = f->caller, .pc = f->return_pc, .lanes = lanes, .state = GROUP_READY};
    if (f->lanes == 0) {
        frame_leave(w, f); /* the running group is empty, and no other is in it */
    }
    choose(w);
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* The instructions from the next on that all of the group's lanes execute one after the other, up to where another
 * group waits. */
static void run_straight(warp *w, const insn *i) {
    const uint32_t ahead = w->meet_pc - w->pc, lanes = w->active;
    if (i->straight <= ahead) {
        i->next(w, i, lanes);
        return;
    }
    for (const insn *const end = i + ahead; i < end && w->event == 0; i++) {
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

void warp_run(warp *w) {
    w->event = 0;
    w->budget = BUDGET;
    if (w->group_count > 1) {
        choose(w);
    } else {
        w->groups[0].state = GROUP_READY;
        unpack(w, 0);
        w->meet_pc = UINT32_MAX;
    }
    while ((w->event & ~EVENT_REGROUPED) == 0) {
        const insn *i = &w->code[w->pc];
        w->event = 0;
        if (i->straight > 0)
            run_straight(w, i);
        else
            run_one(w, i);
        if (w->pc == w->meet_pc) warp_select(w);
    }
    w->runnable = !(w->event & (EVENT_BLOCKED | EVENT_DONE));
}
