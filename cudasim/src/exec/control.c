/* Branches, calls, barriers, fences. */
#include <string.h>

#include "exec/affine.h"
#include "exec/lanes.h"
#include "machine/barrier.h"
#include "machine/groups.h"
#include "machine/lifecycle.h"
#include "machine/observe.h"

/* bra target; the lanes of the mask go there. */
HANDLER(op_bra) {
    if (mask == w->active && w->group_count == 1)
        w->pc = (uint32_t)i->imm;
    else
        warp_diverge(w, mask, (uint32_t)i->imm);
}

/* The same, towards lower addresses: a loop. */
HANDLER(op_bra_back) {
    if (mask == w->active && w->group_count == 1)
        w->pc = (uint32_t)i->imm;
    else
        warp_diverge(w, mask, (uint32_t)i->imm);
    if (--w->budget < 0) warp_preempt(w);
}

/* insn.next of both, where a straight run ends: the branch is taken, or not, if all lanes agree. Where others may wait
 * here, or for their turn, it is left to the machine, as op_stop does. */
static inline void branch_together(warp *w, const insn *i, uint32_t mask, bool back) {
    const uint32_t taken = mask & (*(const uint32_t *)(w->registers + i->guard) ^ i->guard_invert);
    w->pc = i->pc;
    if (w->group_count != 1 || w->budget < 1) return;
    if (taken == mask) {
        w->pc = (uint32_t)i->imm;
        w->budget -= back;
    } else if (taken == 0) {
        w->pc++;
    }
}
HANDLER(op_bra_next) {
    branch_together(w, i, mask, false);
}
HANDLER(op_bra_back_next) {
    branch_together(w, i, mask, true);
}

/* brx.idx index, targets; behaviour is undefined where the index is too large: refused here. */
HANDLER(op_brx) {
    const uint32_t *index = U32(0);
    uint32_t left = mask;
    while (left != 0) {
        int first = __builtin_ctz(left);
        uint32_t same = 0;
        for (int l = 0; l < LANES; l++) same |= (uint32_t)(index[l] == index[first]) << l;
        same &= left;
        if ((int64_t)index[first] >= i->imm)
            sim_fault(w, i, same, SIM_INVALID_PC, "index %u of %lld branch targets", index[first], (long long)i->imm);
        left &= ~same;
        bool last = left == 0 && mask == w->active;
        if (last && w->group_count == 1) {
            w->pc = i->targets[index[first]];
        } else {
            /* warp_diverge may switch to another group; the lanes still to be sent must be the running ones. */
            warp_split(w, same, i->targets[index[first]]);
            if (left == 0) warp_select(w);
        }
    }
    if (--w->budget < 0) warp_preempt(w);
}

HANDLER(op_call) {
    warp_call(w, i, mask);
}
HANDLER(op_ret) {
    warp_return(w, mask);
}
HANDLER(op_exit) {
    warp_exit(w, mask);
}
HANDLER(op_nop) {
}

HANDLER(op_trap) {
    sim_fault(w, i, mask, SIM_TRAP, "trap");
}

/* Predicates that stand negated as operands of the instruction, then the instruction. */
HANDLER(op_negate) {
    const negations *n = i->negations;
    for (int k = 0; k < n->count; k++)
        *(uint32_t *)(w->registers + n->list[k].to) = ~*(const uint32_t *)(w->registers + n->list[k].from);
    n->run(w, i, mask);
}

/* An instruction that reads lanes of registers that may be kept without (affine.h). */
HANDLER(op_spread) {
    const affine_sources *list = w->frame->function->spreads[i - w->code];
    for (int k = 0; k < list->count; k++) affine_spread(w, list->slots[k]);
    list->run(w, i, mask);
}

/* insn.next of an instruction that has no handler for that, and of one where the straight run is over. */
HANDLER(op_next) {
    w->pc = i->pc + 1;
    i->run(w, i, mask);
    if (w->event == 0) i[1].next(w, i + 1, mask);
}
HANDLER(op_stop) {
    w->pc = i->pc;
}

/* nanosleep: a thread that sleeps waits for another one. */
HANDLER(op_nanosleep) {
    w->block->polled = true;
    w->budget -= 200;
}

/* Where the mask's lanes disagree about the barrier they go to each barrier is served by itself. */
static void barriers(warp *w, const insn *i, uint32_t mask, bool wait) {
    const uint32_t *id = U32(1), *count = U32(2);
    uint32_t predicates = PRED(3) ^ (i->boolean_negate ? ALL_LANES : 0);
    int first = __builtin_ctz(mask);
    uint32_t same = 0;
    for (int l = 0; l < LANES; l++) same |= (uint32_t)(id[l] == id[first] && count[l] == count[first]) << l;
    if ((same & mask) != mask)
        sim_fault(w, i, mask & ~same, SIM_ILLEGAL_INSTRUCTION, "lanes of one warp name different barriers");
    if (id[first] >= BARRIERS)
        sim_fault(w, i, mask, SIM_ILLEGAL_INSTRUCTION, "barrier %u: there are %d", id[first], BARRIERS);
    uint32_t expected = count[first] == UINT32_MAX ? 0 : count[first];
    if (count[first] != UINT32_MAX && (expected == 0 || expected % LANES != 0))
        sim_fault(w, i, mask, SIM_ILLEGAL_INSTRUCTION, "a barrier for %u threads: not a multiple of %d", expected,
                  LANES);
    warp_barrier(w, i, mask, id[first], expected, wait, predicates);
}

HANDLER(op_bar_sync) {
    barriers(w, i, mask, true);
}
HANDLER(op_bar_red) {
    barriers(w, i, mask, true);
}
HANDLER(op_bar_arrive) {
    barriers(w, i, mask, false);
}

/* bar.warp.sync membermask; */
HANDLER(op_bar_warp) {
    const uint32_t *members = U32(0);
    if (mask == ALL_LANES && members[0] == ALL_LANES && members[31] == ALL_LANES) {
        if (w->launch->observer != NULL) observe_sync(SYNC_LANES, w->block, w, mask, 0);
        return;
    }
    warp_sync(w, i, mask, members);
}

/* membar, fence: the host's own fence; every thread of a block runs on one host thread. */
HANDLER(op_membar) {
    if (w->launch->observer != NULL) observe_sync(SYNC_FENCE, w->block, w, mask, 0);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
