/* The warp's path: operands, branches, barriers, the end. */
#include "predict/lanes.h"

#include <string.h>

#define ALL 0xffffffffu

void lanes_begin(lane_warp *w, const lane_launch *launch, lane_block *block, unsigned thread) {
    const unsigned threads = launch->block[0] * launch->block[1] * launch->block[2];
    memset(w, 0, sizeof *w);
    w->launch = launch;
    w->block = block;
    w->thread = thread;
    w->alive = threads - thread >= LANES ? ALL : (1u << (threads - thread)) - 1;
    w->group = w->alive;
    w->predicates[SASS_PT] = w->predicates[SASS_UPREDICATES + SASS_PT] = ALL;
}

/* ---- the path ---------------------------------------------------------------------------------------------------- */

/* Chooses the lanes that go next. */
static void choose(lane_warp *w) {
    if (!w->parted || w->alive == 0) return;
    int lowest = 1 << 30;
    for (int t = 0; t < LANES; t++)
        if ((w->alive >> t & 1) && w->pcs[t] < lowest) lowest = w->pcs[t];
    w->pc = lowest;
    w->group = 0;
    for (int t = 0; t < LANES; t++)
        if ((w->alive >> t & 1) && w->pcs[t] == lowest) w->group |= 1u << t;
    if (w->group == w->alive) w->parted = false;
}

/* The group's lanes go on at `next`, those of them in `taken` at `target`. */
static void move(lane_warp *w, int next, uint32_t taken, int target) {
    taken &= w->group;
    if (!w->parted && (taken == 0 || taken == w->group)) {
        w->pc = taken != 0 ? target : next;
        w->group = w->alive;
        return;
    }
    if (!w->parted)
        for (int t = 0; t < LANES; t++) w->pcs[t] = next;
    w->parted = true;
    for (int t = 0; t < LANES; t++)
        if (w->group >> t & 1) w->pcs[t] = taken >> t & 1 ? target : next;
    choose(w);
}

static lane_effect branch(lane_warp *w, const sass_insn *i, uint32_t active) {
    int target = w->pc + 1;
    for (int k = 0; k < i->count; k++) {
        const sass_operand *o = &i->operands[k];
        if (o->kind == KIND_PREDICATE) active &= lanes_predicate(w, o);
        if (o->kind == KIND_NUMBER) target = (int)(o->number / 16);
        if (i->op == SASS_RET && o->kind == KIND_REGISTER && w->group != 0)
            target = (int)(w->registers[o->reg][__builtin_ctz(w->group)] / 16);
        if (i->op == SASS_RET && o->kind == KIND_REGISTER) break;
    }
    if (target < 0 || target >= w->launch->code->count) target = w->launch->code->count - 1;
    move(w, w->pc + 1, active, target);
    return active & w->alive ? EFFECT_TAKEN : EFFECT_NONE;
}

static lane_effect barrier(lane_warp *w, const sass_insn *i, lane_access *a) {
    uint32_t temporary[LANES];
    *a = (lane_access){.waits = !HAS(i, ARV)};
    const int lane = w->group != 0 ? __builtin_ctz(w->group) : 0;
    if (i->count > 0) a->barrier = (int)(lanes_value(w, &i->operands[0], temporary)[lane] % NAMED_BARRIERS);
    if (i->count > 1) a->threads = (int)lanes_value(w, &i->operands[1], temporary)[lane];
    return EFFECT_BARRIER;
}

lane_effect lanes_step(lane_warp *w, lane_access *a, uint64_t clock) {
    const sass_insn *i = &w->launch->code->insns[w->pc];
    lane_effect effect = EFFECT_NONE;
    uint32_t active = w->group;
    if (i->predicate != SASS_PT || i->predicate_not)
        active &= i->predicate_not ? ~w->predicates[i->predicate] : w->predicates[i->predicate];
    a->mask = active;
    switch (i->op) {
    case SASS_BRA:
    case SASS_CALL:
    case SASS_RET:
        return branch(w, i, active);
    case SASS_EXIT:
        w->alive &= ~active;
        w->group &= ~active;
        if (w->alive == 0) return EFFECT_EXIT;
        if (w->group == 0)
            choose(w);
        else
            move(w, w->pc + 1, 0, 0);
        return EFFECT_NONE;
    case SASS_NANOSLEEP:
        w->napped = true;
        break;
    case SASS_BAR:
        if (active != 0) effect = barrier(w, i, a);
        break;
    case SASS_UCGABAR_WAIT:
        *a = (lane_access){.waits = true, .barrier = CLUSTER_BARRIER};
        if (active != 0) effect = EFFECT_BARRIER;
        break;
    case SASS_CS2R:
        if (strncmp(i->operands[1].text, "SR_CLOCK", 8) == 0) {
            uint32_t word[LANES];
            for (int half = 0; half < (HAS(i, CLOCKS) ? 1 : 2); half++) {
                for (int t = 0; t < LANES; t++) word[t] = (uint32_t)(clock >> 32 * half);
                lanes_set(w, &i->operands[0], half, word, active);
            }
            break;
        }
        lanes_compute(w, i, active);
        break;
    default:
        if (i->pipe == PIPE_LOAD)
            effect = lanes_memory(w, i, active, a);
        else if (i->pipe == PIPE_ASYNC && active != 0)
            effect = EFFECT_ASYNC;
        else if (i->pipe != PIPE_FMA && i->pipe != PIPE_TENSOR && active != 0)
            lanes_compute(w, i, active);
    }
    if (w->parted)
        move(w, w->pc + 1, 0, 0);
    else
        w->pc++;
    return effect;
}
