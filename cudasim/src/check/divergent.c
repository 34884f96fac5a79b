#include "check/divergent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/checked.h"
#include "check/message.h"
#include "machine/groups.h"
#include "ptx/flow.h"

static const ptx_instruction *instruction_at(site s) {
    return &s.function->source->instructions[s.pc];
}

/* Must the threads of a warp reach the barrier together? */
static bool is_aligned(site s) {
    const char *opcode = instruction_at(s)->opcode;
    return strncmp(opcode, "bar.", 4) == 0 || strstr(opcode, ".aligned") != NULL;
}

/* ---- at two instructions ----------------------------------------------------------------------------------------- */

/* Lanes of one warp that have waited at the barrier at different instructions. (At one instruction they may come one
 * after the other: hardware brings them together before it.) */
static void check_together(const observed_sync *s) {
    const warp *w = s->w;
    const group *first = NULL;
    for (int k = 0; k < w->group_count; k++) {
        const group *g = &w->groups[k];
        if ((g->lanes & s->lanes) == 0 || (g->lanes & ~s->lanes) != 0) continue;
        if (first == NULL) first = g;
        if (g->pc == first->pc && g->frame == first->frame) continue;
        const site at = {first->frame->function, first->pc - 1}, other = {g->frame->function, g->pc - 1};
        if (!is_aligned(at) || finding_repeats(DIVERGENT, at, other)) continue;
        char who[96], whom[96], what[400], other_what[400];
        snprintf(what, sizeof what, "%s waits at this barrier",
                 thread_name(w, (uint32_t)__builtin_ctz(first->lanes), who));
        snprintf(other_what, sizeof other_what,
                 "and %s, of the same warp, at this one: ", thread_name(w, (uint32_t)__builtin_ctz(g->lanes), whom));
        finding_add(&(finding){DIVERGENT, w->launch->entry->source->name, at, other, what, other_what});
    }
}

/* ---- round it ---------------------------------------------------------------------------------------------------- */

/* The function's flow_meetings, found once. NULL: no memory, or it is another module's, called through a pointer. */
static const int *meetings_of(const function *f) {
    if (f->meetings == NULL) return NULL;
    int *known = __atomic_load_n(f->meetings, __ATOMIC_ACQUIRE);
    if (known != NULL) return known;
    int *found = flow_meetings(f->source);
    if (__atomic_compare_exchange_n(f->meetings, &known, found, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return found;
    free(found); /* another thread was faster */
    return known;
}

/* The instruction, or the one that an unconditional branch there leads to. */
static int behind_branches(const ptx_function *s, int pc) {
    for (int n = 0; n < s->instruction_count && pc < s->instruction_count; n++) {
        const ptx_instruction *t = &s->instructions[pc];
        if (t->guard >= 0 || (strcmp(t->opcode, "bra") != 0 && strcmp(t->opcode, "bra.uni") != 0)) break;
        pc = (int)t->operands[0].integer;
    }
    return pc;
}

/* Where a path from the barrier at `from` and one from `to`, both in this frame, first meet for certain. False where
 * that is the barrier itself, or not before the kernel ends. */
static bool meet_behind(const frame *f, uint32_t from, uint32_t to, site *meeting) {
    for (bool returned = false;; from = to = f->return_pc, f = f->caller, returned = true) {
        const function *in = f->function;
        const ptx_function *s = in->source;
        const int *meetings = meetings_of(in);
        int pc = meetings == NULL ? -1 : flow_meeting(meetings, s->instruction_count, (int)from, (int)to);
        if (pc < 0 || (!returned && pc == (int)from)) return false;
        pc = behind_branches(s, pc);
        *meeting = (site){in, (uint32_t)pc};
        const bool returns = pc >= s->instruction_count || strncmp(instruction_at(*meeting)->opcode, "ret", 3) == 0;
        if (!returns) return strncmp(instruction_at(*meeting)->opcode, "exit", 4) != 0;
        if (f->caller == NULL) return false;
    }
}

/* The frame that both are in, or were called from; *pc_a and *pc_b become where that stands. */
static const frame *common_frame(const frame *a, uint32_t *pc_a, const frame *b, uint32_t *pc_b) {
    for (; a->depth > b->depth; a = a->caller) *pc_a = a->return_pc - 1;
    for (; b->depth > a->depth; b = b->caller) *pc_b = b->return_pc;
    for (; a != b; a = a->caller, b = b->caller) {
        *pc_a = a->return_pc - 1;
        *pc_b = b->return_pc;
    }
    return a;
}

/* Checks whether lanes that are elsewhere while others of their warp wait can still reach the barrier. */
static void look_at(warp *w, site barrier, const frame *other, uint32_t other_pc, uint32_t lanes) {
    uint32_t pc = barrier.pc;
    const frame *common = common_frame(w->frame, &pc, other, &other_pc);
    left_out *l = &checked(w->block)->warps[w->index].left_out;
    site meeting;
    if (meet_behind(common, pc, other_pc, &meeting)) *l = (left_out){lanes, barrier, meeting};
}

void divergent_arrive(const observed_sync *s) {
    warp *w = s->w;
    const site barrier = {w->frame->function, w->pc - 1};
    if ((w->lanes & ~w->exited & ~s->lanes) == 0) return;
    if (!is_aligned(barrier) || strstr(instruction_at(barrier)->opcode, ".arrive") != NULL) return;
    const uint32_t beside = w->active & ~s->lanes; /* a guard keeps them away */
    if (beside != 0) look_at(w, barrier, w->frame, w->pc, beside);
    for (int k = 0; k < w->group_count; k++) {
        const group *g = &w->groups[k];
        if (k != w->current && g->lanes != 0 && g->state != GROUP_AT_BARRIER)
            look_at(w, barrier, g->frame, g->pc, g->lanes);
    }
}

static void check_left_out(const observed_sync *s) {
    const warp *w = s->w;
    left_out *l = &checked(s->b)->warps[w->index].left_out;
    const uint32_t lanes = l->lanes & ~s->lanes;
    l->lanes = 0;
    if (lanes == 0 || finding_repeats(DIVERGENT, l->barrier, l->meeting)) return;
    char who[96], whom[96], what[400], other_what[400];
    snprintf(what, sizeof what, "%s waits at this barrier", thread_name(w, (uint32_t)__builtin_ctz(s->lanes), who));
    snprintf(other_what, sizeof other_what, "and %s, of the same warp, goes round it; they meet again here: ",
             thread_name(w, (uint32_t)__builtin_ctz(lanes), whom));
    finding_add(&(finding){DIVERGENT, w->launch->entry->source->name, l->barrier, l->meeting, what, other_what});
}

void divergent_pass(const observed_sync *s) {
    check_together(s);
    check_left_out(s);
}
