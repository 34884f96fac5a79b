#include "machine/barrier.h"

#include "isa/form.h"
#include "machine/fault.h"
#include "machine/groups.h"
#include "machine/observe.h"

static void release(block *b, uint32_t id) {
    barrier *bar = &b->barriers[id];
    for (int n = 0; n < b->warp_count; n++) {
        warp *w = &b->warps[n];
        uint32_t passed = 0;
        for (int k = 0; k < w->group_count; k++) {
            group *g = &w->groups[k];
            if (g->state != GROUP_AT_BARRIER || g->wanted != id) continue;
            passed |= g->lanes;
            const insn *i = &g->frame->function->code[g->pc];
            if (i->type2 == BARRIER_REDUCES) {
                if (i->choice == BARRIER_COUNT) {
                    uint32_t *d = (uint32_t *)(g->frame->registers + i->op[0]);
                    for (int l = 0; l < LANES; l++)
                        if (g->lanes >> l & 1) d[l] = bar->reduced;
                } else {
                    uint32_t *p = (uint32_t *)(g->frame->registers + i->op[0]);
                    const bool is = i->choice == BARRIER_AND ? bar->red_and : bar->red_or;
                    *p = (*p & ~g->lanes) | (is ? g->lanes : 0);
                }
            }
            g->state = GROUP_READY;
            g->pc++;
            w->event &= ~EVENT_BLOCKED;
            w->runnable = true;
        }
        if (passed != 0) observe_sync(SYNC_BARRIER_PASS, b, w, passed, id);
    }
    observe_sync(SYNC_BARRIER_DONE, b, NULL, 0, id);
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
    observe_sync(SYNC_BARRIER_ARRIVE, b, w, mask, id);
    bar->arrived += (uint32_t)__builtin_popcount(mask);
    bar->reduced += (uint32_t)__builtin_popcount(mask & predicates);
    bar->red_and = bar->red_and && (mask & ~predicates) == 0;
    bar->red_or = bar->red_or || (mask & predicates) != 0;
    if (wait) {
        const uint32_t rest = w->active & ~mask;
        if (rest != 0) warp_split(w, rest, w->pc); /* a guard keeps some lanes away: they go on */
        warp_hold(w, GROUP_AT_BARRIER, id);
    }
    if (complete(b, bar)) release(b, id);
    if (wait)
        warp_choose(w);
    else
        w->meet_pc = w->pc; /* groups of this very warp may have been released */
}

void barrier_exit(warp *w) {
    block *b = w->block;
    const uint32_t alive = w->lanes & ~w->exited;
    for (uint32_t id = 0; id < BARRIERS; id++) {
        barrier *bar = &b->barriers[id];
        if (!bar->waiting) continue;
        /* The rest of the warp has come to the barrier: it counts as a whole warp (see warp_barrier). */
        if (alive != 0 && (alive & ~lanes_at_barrier(w, id)) == 0)
            bar->absent += LANES - (uint32_t)__builtin_popcount(alive);
        if (b->live > 0 && complete(b, bar)) release(b, id);
    }
}
