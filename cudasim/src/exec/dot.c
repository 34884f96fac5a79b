/* Dot products: the instructions that isa/dot.c finds to be steps of one, executed together.
 *
 * Stores of vectors are what bounds such a loop: one of 64 bytes took 4 to 7 cycles where that was measured (Zen 4),
 * one of 8 bytes took 1. Most of what these instructions write is read once, by the next ones. So the factors are not
 * written at all, and the sum stays in the processor's registers to the end.
 */
#include "base/floats.h"
#include "exec/address.h"
#include "exec/filter.h"
#include "exec/fma.h"
#include "isa/rows.h"

/* The instruction by itself, and on with the next. */
static __attribute__((noinline)) void go_on(warp *w, const insn *i, uint32_t mask) {
    w->pc = i->pc + 1;
    i->run(w, i, mask);
    if (w->event == 0) i[1].next(w, i + 1, mask);
}

#ifdef __FMA__

/* The observers whose hooks the loads must call. */
typedef enum audience {
    NOBODY = 0,
    COUNTERS = 1, /* it is enough to note where it reads */
    CHECKS = 2,   /* that do not want to hear of complete memory, and have a quick hook for shared memory */
    BOTH = COUNTERS | CHECKS
} audience;

/* An execution that is being noted for the counters: its next load, and whether any so far was not expected. */
typedef struct row {
    dot_load *load;
    uint64_t other;
} row;

/* Does a load of `bytes` from `first` on pass the checks at once, without a hook or through the quick one? If not, the
 * loads go one by one. */
static inline __attribute__((always_inline)) bool passes_checks(warp *w, const insn *i, uint64_t first,
                                                                unsigned bytes) {
    return i->row == ROW_op_load_global_u32 ? is_complete(*recent_allocation(w, i), first, bytes)
                                            : quick_hook_took(w, i, ALL_LANES, &w->frame->function->watch[i->pc]);
}

/* What a load of single numbers would put into its register. False where its
 * lanes must be looked at one by one. */
static inline __attribute__((always_inline)) bool load_factor(warp *w, const insn *i, audience to, row *now,
                                                              lanes_f32 *x) {
    const affine *a = AFFINE(4);
    const bool global = i->row == ROW_op_load_global_u32, row = a->step == sizeof(float);
    const uint64_t first = i->flags & MODE_NARROW ? (uint32_t)(a->base + (uint64_t)i->imm) : a->base + (uint64_t)i->imm;
    const unsigned each = sizeof(float), bytes = row ? LANES * each : each;
    if (a->kept == LANES_ONLY || (a->step != 0 && !row)) return false;
    const float *from = (const float *)(global ? known_global_range(w, i, first, bytes, each, false)
                                               : known_shared_range(w, i, first, bytes, each, false));
    if (from == NULL || (to & CHECKS && !passes_checks(w, i, first, bytes))) return false;
    if (to & COUNTERS) {
        const uint64_t at = first + (row ? DOT_APART : 0);
        now->other |= at ^ now->load->next;
        now->load->next = at + now->load->step;
        now->load++;
    }
    *x = row ? lanes_load(from) : lanes_all(from);
    return true;
}

/* add.s64 of numbers kept as base + lane * step. */
static inline __attribute__((always_inline)) bool add_quickly(warp *w, const insn *i) {
    const affine *a = AFFINE(1), *b = AFFINE(2);
    if (!(a->kept & b->kept)) return false;
    affine_set(AFFINE(0), a->base + b->base, a->step + b->step, 8);
    return true;
}

static inline __attribute__((always_inline)) bool is_load(const insn *i) {
    return i->row == ROW_op_load_global_u32 || i->row == ROW_op_load_shared_u32;
}

/* The sum as the multiply-add's result. A NaN among its terms has made it NaN, whichever: it is canonical now. */
static inline __attribute__((always_inline)) void write_sum(warp *w, const insn *i, lanes_f32 sum) {
    uint32_t *d = U32(0);
    lanes_store((float *)d, sum);
    if (lanes_nan(sum)) EACH_LANE d[l] = f32_canonical(d[l]);
}

/* A row of `count` loads that was not expected: the second says how far rows are apart, others begin anew. */
static __attribute__((noinline)) void begin_rows(warp *w, const insn *i, dot_rows *of, int count) {
    const bool whole = count == of->count;
    bool second = whole && of->rows == 1;
    uint64_t now[MOST_DOT];
    for (int k = 0; k < count; k++) {
        now[k] = of->loads[k].next - of->loads[k].step;
        second = second && (now[k] - of->loads[k].first) % 4 == 0;
    }
    if (!second && of->rows > 0) observe_loaded(w, i->pc, of->count);
    of->rows = second ? 2 : 1;
    for (int k = 0; k < count; k++) {
        dot_load *load = &of->loads[k];
        *(second ? &load->step : &load->first) = second ? now[k] - load->first : now[k];
        load->next = now[k] + load->step;
    }
    if (whole) return;
    observe_loaded(w, i->pc, count); /* the others will tell of themselves */
    of->rows = 0;
    of->loads[0].next = 0; /* no address */
}

static inline __attribute__((always_inline)) void end_row(warp *w, const insn *i, dot_rows *of, row now) {
    const int count = (int)(now.load - of->loads);
    if (count == of->count && now.other == 0)
        of->rows++;
    else if (count > 0)
        begin_rows(w, i, of, count);
}

/* Each step is additions, two loads and a multiply-add (isa/dot.c). What does not go quickly goes on one by one, the
 * sum so far being written first, and what the first of two loads has read. */
static inline __attribute__((always_inline)) void dot(warp *w, const insn *i, uint32_t mask, audience to) {
    const insn *const begin = i, *const end = i + i->dot, *done = NULL; /* the last multiply-add that was */
    if (mask != ALL_LANES) {
        go_on(w, i, mask);
        return;
    }
    dot_rows *const rows = to & COUNTERS ? w->frame->counts->dots[i->pc] : NULL;
    row now = {.load = to & COUNTERS ? rows->loads : NULL};
    lanes_f32 sum = {0}, x, y;
    bool quick = true;
    while (i < end) {
        while (!is_load(i) && (quick = add_quickly(w, i))) i++;
        quick = quick && load_factor(w, i, to, &now, &x);
        if (!quick) break;
        i++;
        quick = load_factor(w, i, to, &now, &y);
        if (!quick) {
            lanes_store((float *)w->registers + i[-1].op[0] / sizeof(float), x);
            break;
        }
        i++;
        if (done == NULL) sum = lanes_load(F32(3));
        sum = lanes_fma(x, y, sum);
        done = i++;
    }
    if (done != NULL) write_sum(w, done, sum);
    if (to & COUNTERS) end_row(w, begin, rows, now);
    if (quick)
        end->next(w, end, mask);
    else
        go_on(w, i, mask);
}

/* insn.next of the first instruction of a dot product, and the same in watched code. */
HANDLER(op_dot) {
    dot(w, i, mask, NOBODY);
}
static __attribute__((noinline)) void dot_counted(warp *w, const insn *i, uint32_t mask) {
    dot(w, i, mask, COUNTERS);
}
static __attribute__((noinline)) void dot_checked(warp *w, const insn *i, uint32_t mask) {
    dot(w, i, mask, CHECKS);
}
static __attribute__((noinline)) void dot_both(warp *w, const insn *i, uint32_t mask) {
    dot(w, i, mask, BOTH);
}
HANDLER(op_dot_watched) {
    const run_counts *counts = w->frame->counts;
    const launch *la = w->launch;
    if (la->hooked_spaces >> PTX_GLOBAL & 1 || (la->counts_repeats && (counts == NULL || counts->patterns == NULL)))
        go_on(w, i, mask);
    else if (la->counts_repeats)
        la->hooked_spaces == 0 ? dot_counted(w, i, mask) : dot_both(w, i, mask);
    else
        dot_checked(w, i, mask);
}

#else
HANDLER(op_dot) {
    go_on(w, i, mask);
}
HANDLER(op_dot_watched) {
    go_on(w, i, mask);
}
#endif
