/* Dot products: the instructions that isa/dot.c finds to be steps of one, executed together.
 *
 * Vector stores are what the processor is slowest at here (a store of 64 bytes takes 4 cycles or more where that was
 * measured, an instruction of one number 2 or less), and most of what these instructions write is read once, by the
 * next ones. So the factors are not written at all, and the sum stays in the processor's registers to the end.
 */
#include "exec/address.h"
#include "exec/fma.h"
#include "isa/rows.h"

#ifdef __FMA__

/* What a load would put into its register. False where its lanes must be looked at one by one. */
static inline __attribute__((always_inline)) bool load_factor(warp *w, const insn *i, lanes_f32 *x) {
    const unsigned each = sizeof(float);
    int64_t step;
    const uint8_t *from = i->row == ROW_op_load_global_u32 ? affine_global(w, i, ALL_LANES, each, false, &step)
                                                           : affine_shared(w, i, ALL_LANES, each, false, &step);
    if (from == NULL) return false;
    *x = step == 0 ? lanes_all((const float *)from) : lanes_load((const float *)from);
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

/* The instruction by itself, and on with the next. */
static __attribute__((noinline)) void go_on(warp *w, const insn *i, uint32_t mask) {
    w->pc = i->pc + 1;
    i->run(w, i, mask);
    if (w->event == 0) i[1].next(w, i + 1, mask);
}

/* insn.next of the first instruction of a dot product. Each step of it is additions, two loads and a multiply-add
 * (isa/dot.c). What does not go quickly goes on one by one, from the loads of its step, which have no effect but for
 * their registers: the sum so far is written first. */
HANDLER(op_dot) {
    const insn *const end = i + i->dot, *sum_of = NULL; /* the last multiply-add that was done */
    lanes_f32 sum, x, y;
    if (mask != ALL_LANES) {
        go_on(w, i, mask);
        return;
    }
    while (i < end) {
        for (; !is_load(i); i++)
            if (!add_quickly(w, i)) goto one_by_one;
        if (!load_factor(w, i, &x) || !load_factor(w, i + 1, &y)) goto one_by_one;
        const insn *const fma = i + 2;
        const lanes_f32 more =
            lanes_fma(x, y, sum_of == NULL ? lanes_load((const float *)(w->registers + fma->op[3])) : sum);
        if (lanes_nan(more)) goto one_by_one;
        sum = more;
        sum_of = fma;
        i += 3;
    }
    lanes_store((float *)(w->registers + sum_of->op[0]), sum);
    end->next(w, end, mask);
    return;

one_by_one:
    if (sum_of != NULL) lanes_store((float *)(w->registers + sum_of->op[0]), sum);
    go_on(w, i, mask);
}

#else
HANDLER(op_dot) {
    w->pc = i->pc + 1;
    i->run(w, i, mask);
    if (w->event == 0) i[1].next(w, i + 1, mask);
}
#endif
