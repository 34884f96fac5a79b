/* wgmma: which operations of a warpgroup are on their way, whose registers are theirs, and what must not be done then.
 *
 * The four warps of a warpgroup issue the same operations in the same order: the first to come to one notes what it is,
 * the others are compared with that. What is noted is done by the first warp that waits for it, which first waits until
 * all four have issued it; the others' waits then only take note. So each warp sees its results no sooner than at its
 * own wgmma.wait_group, and shared memory may be overwritten once one warp has waited, as on a GPU.
 */
#include "machine/wgmma.h"

#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "machine/fault.h"
#include "machine/groups.h"
#include "machine/observe.h"
#include "machine/proxy.h"

/* A frame's registers, as far as wgmmas use them, numbered as in its function's wgmma_function. */
typedef struct context {
    frame *frame;
    const function *function;
    uint64_t *results, *inputs; /* D and A of operations on their way */
    uint64_t *computed;         /* written since the latest wgmma.fence */
} context;

typedef struct member {
    uint32_t issued, waited; /* operations, counted from the kernel's start */
    uint32_t committed;      /* groups */
    bool fenced;
    context *contexts;
    int context_count, context_room;
} member;

typedef struct warpgroup {
    wgmma_operation *operations; /* number `base` and those after it */
    int count, room;
    uint32_t base, done;
    member members[WARPGROUP];
} warpgroup;

typedef struct wgmma_block {
    int group_count;
    bool pool_known; /* setmaxnreg */
    uint32_t pool;   /* registers, in units of one a thread of a warp */
    uint16_t *owned; /* by warp */
    warpgroup groups[];
} wgmma_block;

#define STATE "the state of wgmma"

static wgmma_block *of_block(block *b) {
    if (b->wgmma == NULL) {
        const int groups = (b->warp_count + WARPGROUP - 1) / WARPGROUP;
        const size_t bytes = sizeof(wgmma_block) + (size_t)groups * sizeof(warpgroup);
        const size_t owned = (size_t)b->warp_count * sizeof *b->wgmma->owned;
        b->wgmma = allocated(b->worker, calloc(1, bytes + owned), bytes + owned, STATE);
        b->wgmma->group_count = groups;
        b->wgmma->owned = (uint16_t *)((uint8_t *)b->wgmma + bytes);
    }
    return b->wgmma;
}

static void free_contexts(member *m) {
    for (int k = 0; k < m->context_count; k++) free(m->contexts[k].results);
    free(m->contexts);
    m->contexts = NULL;
    m->context_count = m->context_room = 0;
}

void wgmma_reset(block *b) {
    wgmma_block *s = b->wgmma;
    if (s == NULL) return;
    s->pool_known = false;
    for (int g = 0; g < s->group_count; g++) {
        warpgroup *group = &s->groups[g];
        group->count = 0;
        group->base = group->done = 0;
        for (int q = 0; q < WARPGROUP; q++) {
            free_contexts(&group->members[q]);
            group->members[q] = (member){0};
        }
    }
}

void wgmma_free(block *b) {
    if (b->wgmma == NULL) return;
    wgmma_reset(b);
    for (int g = 0; g < b->wgmma->group_count; g++) free(b->wgmma->groups[g].operations);
    free(b->wgmma);
    b->wgmma = NULL;
}

static warpgroup *group_of(warp *w) {
    return &of_block(w->block)->groups[w->index / WARPGROUP];
}
static member *member_of(warp *w) {
    return &group_of(w)->members[w->index % WARPGROUP];
}

/* The warp's context of the frame that runs; made where there is none. */
static context *context_of(worker *worker, member *m, frame *f) {
    for (int k = 0; k < m->context_count; k++) {
        if (m->contexts[k].frame != f) continue;
        if (m->contexts[k].function == f->function) return &m->contexts[k];
        free(m->contexts[k].results); /* left by lanes that ended in another function, whose frame it was */
        m->contexts[k] = m->contexts[--m->context_count];
        break;
    }
    const int words = f->function->wgmma->words;
    m->contexts = with_room(worker, m->contexts, m->context_count, &m->context_room, 1, sizeof *m->contexts, STATE);
    uint64_t *sets =
        allocated(worker, calloc(3 * (size_t)words, sizeof *sets), 3 * (size_t)words * sizeof *sets, STATE);
    context *c = &m->contexts[m->context_count++];
    *c = (context){f, f->function, sets, sets + words, sets + 2 * words};
    return c;
}

static const wgmma_use *use_of(const function *f, const insn *i) {
    return &f->wgmma->uses[i - f->code];
}

static int ptx_line(const function *f, const insn *i) {
    return f->source->instructions[i - f->code].line;
}

static const char *register_name(const function *f, int number) {
    return f->source->registers[f->wgmma->registers[number]].name;
}

/* The first register that is in both sets, or -1. */
static int common(const uint64_t *a, const uint64_t *b, int words) {
    for (int k = 0; k < words; k++)
        if (a[k] & b[k]) return 64 * k + __builtin_ctzll(a[k] & b[k]);
    return -1;
}

static bool has(const uint64_t *set, int number) {
    return set[number / 64] >> number % 64 & 1;
}

/* False where the lanes must wait for others of their warp. All 32 execute such an instruction together. */
static bool together(warp *w, const insn *i, uint32_t mask) {
    if (mask == ALL_LANES) return true;
    uint32_t run = mask;
    if (mask == w->active) {
        run = warp_converge(w, i, mask, (const uint32_t *)(w->registers + i->op[WGMMA_MEMBERS]));
        if (run == 0) return false;
        if (run == ALL_LANES) return true;
    } /* else a guard keeps some away that are here */
    sim_fault(w, i, run, SIM_ILLEGAL_INSTRUCTION,
              "%d of the 32 lanes of a warp execute this, which takes all of them (.sync.aligned)",
              __builtin_popcount(run));
}

static bool has_exited(const warp *w) {
    return w->exited == w->lanes;
}

static void check_warpgroup(warp *w, const insn *i) {
    const block *b = w->block;
    const int first = (int)(w->index / WARPGROUP * WARPGROUP);
    if (first + WARPGROUP > b->warp_count)
        sim_fault(w, i, ALL_LANES, SIM_ILLEGAL_INSTRUCTION,
                  "a warpgroup is warps %d to %d, and the block has only %d warps", first, first + WARPGROUP - 1,
                  b->warp_count);
}

/* ---- issuing ----------------------------------------------------------------------------------------------------- */

static uint64_t uniform(warp *w, const insn *i, int operand) {
    const uint64_t *lanes = (const uint64_t *)(w->registers + i->op[operand]);
    uint64_t other = 0;
    for (int l = 1; l < LANES; l++) other |= lanes[l] ^ lanes[0];
    if (other != 0)
        sim_fault(w, i, ALL_LANES, SIM_ILLEGAL_INSTRUCTION, "the lanes of a warp give different descriptors of %c",
                  operand == WGMMA_A ? 'A' : 'B');
    return lanes[0];
}

/* Each chunk of a matrix in shared memory: is there memory, has it come to the asynchronous proxy? */
typedef enum check { CHECK_BOUNDS, CHECK_PROXY } check;
static void check_matrix(warp *w, const insn *i, char name, uint64_t descriptor, bool mn_major, uint32_t rows,
                         uint32_t k, check what) {
    const uint32_t end = w->block->shared_end;
    const uint32_t outer = mn_major ? rows / 8 : rows, inner = mn_major ? k : 2;
    char text[64] = "read as a part of A";
    text[strlen(text) - 1] = name;
    for (uint32_t a = 0; a < outer; a++)
        for (uint32_t b = 0; b < inner; b++) {
            const uint32_t at = wgmma_address(descriptor, mn_major, a, b);
            if (what == CHECK_PROXY) {
                if (!proxy_check(w, w->block, at, WGMMA_CHUNK, text)) return;
            } else if (at < SHARED_RESERVED || at > end - WGMMA_CHUNK) {
                sim_fault(
                    w, i, ALL_LANES, SIM_ILLEGAL_ADDRESS,
                    "the descriptor 0x%016llx of %c leads to 16 bytes of shared memory at 0x%x (%s %u, %s %u); the "
                    "block's shared memory is 0x%x to 0x%x",
                    (unsigned long long)descriptor, name, at,
                    mn_major      ? "row"
                    : name == 'A' ? "row"
                                  : "column",
                    mn_major ? 8 * a : a, mn_major ? "k" : "chunk", b, SHARED_RESERVED, end);
            }
        }
}

static void check_matrices(warp *w, const wgmma_operation *o, check what) {
    const wgmma_form *f = o->i->wgmma;
    if (!f->a_in_registers) check_matrix(w, o->i, 'A', o->a, f->trans_a, WGMMA_M, f->k, what);
    check_matrix(w, o->i, 'B', o->b, f->trans_b, f->n, f->k, what);
}

/* Registers of an operation on its way are free only to another that adds to the same accumulators in the same shape.
 */
static void check_registers(warp *w, const insn *i, const warpgroup *group, const member *m, const context *c) {
    const function *f = w->frame->function;
    const wgmma_use *use = use_of(f, i);
    const int words = f->wgmma->words;
    int r = common(use->first, c->computed, words);
    if (r < 0) r = common(use->second, c->computed, words);
    if (r >= 0)
        sim_fault(w, i, ALL_LANES, SIM_ILLEGAL_INSTRUCTION,
                  "%s has been written since the latest wgmma.fence: there must be one between", register_name(f, r));
    const int a = common(use->second, c->results, words), d = common(use->first, c->inputs, words);
    if (a >= 0 || d >= 0)
        sim_fault(w, i, ALL_LANES, SIM_ILLEGAL_INSTRUCTION,
                  "%s is %s while a wgmma.mma_async whose %s it is is on its way: wgmma.wait_group comes first",
                  register_name(f, a >= 0 ? a : d), a >= 0 ? "A's" : "an accumulator", a >= 0 ? "accumulator" : "A");
    if (common(use->first, c->results, words) < 0) return;
    const wgmma_form *form = i->wgmma;
    for (uint32_t n = m->waited; n != m->issued; n++) {
        const wgmma_operation *o = &group->operations[n - group->base];
        if (o->frames[w->index % WARPGROUP] != w->frame) continue;
        const wgmma_form *other = o->i->wgmma;
        if (other->n == form->n && other->k == form->k && other->d_type == form->d_type) continue;
        r = common(use->first, use_of(f, o->i)->first, words);
        if (r >= 0)
            sim_fault(
                w, i, ALL_LANES, SIM_ILLEGAL_INSTRUCTION,
                "%s is an accumulator of the wgmma.mma_async of another shape at PTX line %d, which is on its way: "
                "wgmma.wait_group comes first",
                register_name(f, r), ptx_line(f, o->i));
    }
}

static bool matrix_chunks(uint64_t descriptor, bool mn_major, uint32_t rows, uint32_t k, wgmma_chunk *each,
                          void *context) {
    const uint32_t outer = mn_major ? rows / 8 : rows, inner = mn_major ? k : 2;
    for (uint32_t n = 0; n < outer * inner; n++)
        if (!each(context, wgmma_address(descriptor, mn_major, n / inner, n % inner))) return false;
    return true;
}

void wgmma_chunks(const insn *i, uint64_t a, uint64_t b, wgmma_chunk *each, void *context) {
    const wgmma_form *f = i->wgmma;
    if (!f->a_in_registers && !matrix_chunks(a, f->trans_a, WGMMA_M, f->k, each, context)) return;
    matrix_chunks(b, f->trans_b, f->n, f->k, each, context);
}

static void call_hook(warp *w, const warpgroup *group, uint32_t number, copy_stage stage) {
    const wgmma_operation *o = &group->operations[number - group->base];
    const observed_wgmma observed = {
        .stage = stage, .w = w, .function = o->function, .i = o->i, .number = number, .a = o->a, .b = o->b};
    observe_wgmma(&observed);
}

void wgmma_issue(warp *w, const insn *i, uint32_t mask) {
    if (!together(w, i, mask)) return;
    check_warpgroup(w, i);
    const wgmma_form *form = i->wgmma;
    warpgroup *group = group_of(w);
    const uint32_t q = w->index % WARPGROUP;
    member *m = &group->members[q];
    context *c = context_of(w->worker, m, w->frame);
    const function *f = w->frame->function;
    if (!m->fenced)
        sim_fault(w, i, ALL_LANES, SIM_ILLEGAL_INSTRUCTION, "there is no wgmma.fence before the first wgmma.mma_async");
    check_registers(w, i, group, m, c);

    const uint64_t a = form->a_in_registers ? 0 : uniform(w, i, WGMMA_A), b = uniform(w, i, WGMMA_B);
    const uint32_t scale =
        *(const uint32_t *)(w->registers + i->op[WGMMA_SCALE_D]) ^ (form->scale_negated ? ALL_LANES : 0);
    if (scale != 0 && scale != ALL_LANES)
        sim_fault(w, i, scale, SIM_ILLEGAL_INSTRUCTION, "the lanes of a warp give different scale-d");

    const warp *warps = &w->block->warps[w->index - q];
    const int at = (int)(m->issued - group->base);
    if (at == group->count) {
        for (int k = 0; k < WARPGROUP; k++)
            if (has_exited(&warps[k]))
                sim_fault(w, i, ALL_LANES, SIM_ILLEGAL_INSTRUCTION,
                          "warp %u of the warpgroup has ended: a wgmma.mma_async takes all four", warps[k].index);
        group->operations =
            with_room(w->worker, group->operations, group->count, &group->room, 16, sizeof *group->operations, STATE);
        group->operations[group->count++] =
            (wgmma_operation){.i = i, .function = f, .a = a, .b = b, .scale_d = scale != 0};
        check_matrices(w, &group->operations[at], CHECK_BOUNDS);
    }
    wgmma_operation *o = &group->operations[at];
    if (o->i != i)
        sim_fault(w, i, ALL_LANES, SIM_ILLEGAL_INSTRUCTION,
                  "the warps of a warpgroup execute different wgmma.mma_async: warp %u the one at PTX line %d",
                  w->index - q + (uint32_t)__builtin_ctz(o->arrived), ptx_line(o->function, o->i));
    if (o->a != a || o->b != b || o->scale_d != (scale != 0))
        sim_fault(w, i, ALL_LANES, SIM_ILLEGAL_INSTRUCTION,
                  "the warps of a warpgroup give different %s: warp %u 0x%llx, warp %u 0x%llx",
                  o->a != a   ? "descriptors of A"
                  : o->b != b ? "descriptors of B"
                              : "scale-d",
                  w->index - q + (uint32_t)__builtin_ctz(o->arrived),
                  (unsigned long long)(o->a != a   ? o->a
                                       : o->b != b ? o->b
                                                   : (uint64_t)o->scale_d),
                  w->index,
                  (unsigned long long)(o->a != a   ? a
                                       : o->b != b ? b
                                                   : (uint64_t)(scale != 0)));
    o->frames[q] = w->frame;
    o->registers[q] = w->registers;
    o->group[q] = m->committed;
    o->arrived |= 1u << q;
    if (w->launch->observer != NULL) call_hook(w, group, m->issued, COPY_ISSUED);
    m->issued++;
    const wgmma_use *use = use_of(f, i);
    for (int k = 0; k < f->wgmma->words; k++) {
        c->results[k] |= use->first[k];
        c->inputs[k] |= use->second[k];
    }
    if (o->arrived == (1u << WARPGROUP) - 1) {
        check_matrices(w, o, CHECK_PROXY);
        for (int k = 0; k < WARPGROUP; k++) warp_wake(&w->block->warps[w->index - q + (uint32_t)k], GROUP_AT_WARPGROUP);
    }
}

/* ---- fences, groups, waiting ------------------------------------------------------------------------------------- */

void wgmma_fence(warp *w, const insn *i, uint32_t mask) {
    if (!together(w, i, mask)) return;
    check_warpgroup(w, i);
    member *m = member_of(w);
    m->fenced = true;
    for (int k = 0; k < m->context_count; k++)
        memset(m->contexts[k].computed, 0, (size_t)m->contexts[k].function->wgmma->words * sizeof(uint64_t));
}

void wgmma_commit(warp *w, const insn *i, uint32_t mask) {
    if (!together(w, i, mask)) return;
    check_warpgroup(w, i);
    member_of(w)->committed++;
}

/* What of the warp is still on its way once it has waited. */
static void renew_contexts(warp *w, const warpgroup *group, member *m) {
    const uint32_t q = w->index % WARPGROUP;
    for (int k = 0; k < m->context_count; k++) {
        context *c = &m->contexts[k];
        const int words = c->function->wgmma->words;
        memset(c->results, 0, 2 * (size_t)words * sizeof(uint64_t));
        for (uint32_t n = m->waited; n != m->issued; n++) {
            const wgmma_operation *o = &group->operations[n - group->base];
            if (o->frames[q] != c->frame) continue;
            const wgmma_use *use = use_of(o->function, o->i);
            for (int e = 0; e < words; e++) {
                c->results[e] |= use->first[e];
                c->inputs[e] |= use->second[e];
            }
        }
    }
}

void wgmma_wait(warp *w, const insn *i, uint32_t mask, wgmma_multiply *multiply) {
    if (!together(w, i, mask)) return;
    check_warpgroup(w, i);
    warpgroup *group = group_of(w);
    const uint32_t q = w->index % WARPGROUP;
    member *m = &group->members[q];
    uint32_t until = m->waited;
    while (until != m->issued &&
           (int64_t)group->operations[until - group->base].group[q] + i->imm < (int64_t)m->committed)
        until++;
    for (uint32_t n = group->done; (int32_t)(until - n) > 0; n++) {
        if (group->operations[n - group->base].arrived == (1u << WARPGROUP) - 1) continue;
        warp_stop(w, GROUP_AT_WARPGROUP, 0);
        return;
    }
    for (uint32_t n = group->done; w->launch->observer != NULL && (int32_t)(until - n) > 0; n++)
        call_hook(w, group, n, COPY_READ);
    if ((int32_t)(until - group->done) > 0) {
        if (!multiply(w->block->shared, &group->operations[group->done - group->base], (int)(until - group->done)))
            fault_no_memory(w->worker, 0, "matrices of a wgmma");
        group->done = until;
    }
    if (until == m->waited) return;
    if (w->launch->observer != NULL) observe_sync(SYNC_WGMMA_PASS, w->block, w, mask, until);
    m->waited = until;
    renew_contexts(w, group, m);
    uint32_t oldest = group->members[0].waited;
    for (int k = 1; k < WARPGROUP; k++)
        if ((int32_t)(group->members[k].waited - oldest) < 0) oldest = group->members[k].waited;
    const int gone = (int)(oldest - group->base);
    group->count -= gone;
    memmove(group->operations, group->operations + gone, (size_t)group->count * sizeof *group->operations);
    group->base = oldest;
}

void wgmma_leave(warp *w) {
    if (w->index / WARPGROUP * WARPGROUP + WARPGROUP > (uint32_t)w->block->warp_count) return;
    const warpgroup *group = group_of(w);
    const uint32_t q = w->index % WARPGROUP;
    for (int k = 0; k < WARPGROUP; k++) {
        if ((int32_t)(group->members[k].issued - group->members[q].issued) <= 0) continue;
        const wgmma_operation *o = &group->operations[group->members[q].issued - group->base];
        sim_fault(w, &w->code[w->pc - 1], ALL_LANES, SIM_ILLEGAL_INSTRUCTION,
                  "warp %u ends without the wgmma.mma_async at PTX line %d, which warp %u of its warpgroup has issued",
                  w->index, ptx_line(o->function, o->i), w->index - q + (uint32_t)k);
    }
}

/* ---- guards ------------------------------------------------------------------------------------------------------ */

sim_handler *wgmma_guard(warp *w, const insn *i, uint32_t mask) {
    const function *f = w->frame->function;
    const wgmma_use *use = use_of(f, i);
    member *m = member_of(w);
    const int words = f->wgmma->words;
    if (use->returns) {
        for (int k = 0; k < m->context_count; k++) {
            context *c = &m->contexts[k];
            if (c->frame != w->frame) continue;
            if (m->issued != m->waited)
                sim_fault(w, i, mask, SIM_ILLEGAL_INSTRUCTION,
                          "%s returns while a wgmma.mma_async is on its way: wgmma.wait_group comes first",
                          READABLE(f->source->name));
            free(c->results);
            *c = m->contexts[--m->context_count];
            break;
        }
        return use->run;
    }
    context *c = context_of(w->worker, m, w->frame);
    if (m->issued != m->waited) {
        const int d = common(use->first, c->results, words), a = common(use->first, c->inputs, words);
        /* Reading A is no harm. */
        const bool harms = d >= 0 || (a >= 0 && has(use->second, a));
        if (harms) {
            const int r = d >= 0 ? d : a;
            int line = 0;
            for (uint32_t n = m->waited; n != m->issued; n++) {
                const warpgroup *group = group_of(w);
                const wgmma_operation *o = &group->operations[n - group->base];
                if (o->frames[w->index % WARPGROUP] != w->frame) continue;
                const wgmma_use *its = use_of(o->function, o->i);
                if (has(d >= 0 ? its->first : its->second, r)) line = ptx_line(o->function, o->i);
            }
            sim_fault(
                w, i, mask, SIM_ILLEGAL_INSTRUCTION,
                "%s is %s while the wgmma.mma_async at PTX line %d, whose %s it is, is on its way: wgmma.wait_group "
                "comes first",
                register_name(f, r), has(use->second, r) ? "written" : "accessed", line, d >= 0 ? "accumulator" : "A");
        }
    }
    for (int k = 0; k < words; k++) c->computed[k] |= use->second[k];
    return use->run;
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

/* setmaxnreg: warps hand registers back to the block and take them from there. It counts from what the kernel was
 * compiled for, a multiple of 8, and has no effect where neither .maxnreg nor a number of threads was given. */
void setmaxnreg(warp *w, const insn *i, uint32_t mask) {
    if (!together(w, i, mask)) return;
    check_warpgroup(w, i);
    block *b = w->block;
    wgmma_block *s = of_block(b);
    if (!s->pool_known) {
        s->pool_known = true;
        s->pool = 0;
        for (int k = 0; k < b->warp_count; k++) s->owned[k] = (uint16_t)((w->launch->own_registers + 7) / 8 * 8);
    }
    if (w->launch->own_registers == 0) return;
    uint16_t *own = &s->owned[w->index];
    const uint32_t count = (uint32_t)i->imm;
    const bool rises = i->choice == SETMAXNREG_INC;
    if (rises ? count < *own : count > *own)
        sim_fault(w, i, mask, SIM_ILLEGAL_INSTRUCTION, "a warp with %u registers per thread cannot %s to %u", *own,
                  rises ? "rise" : "go down", count);
    if (!rises) {
        s->pool += *own - count;
        *own = (uint16_t)count;
        for (int k = 0; k < b->warp_count; k++) warp_wake(&b->warps[k], GROUP_AT_REGISTERS);
        return;
    }
    if (count - *own > s->pool) {
        warp_stop(w, GROUP_AT_REGISTERS, count - *own - s->pool);
        return;
    }
    s->pool -= count - *own;
    *own = (uint16_t)count;
}
