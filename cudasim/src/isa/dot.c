/* Finds dot products, as compilers unroll them: steps that follow one another of
 *
 *     add.s64 ...                      of addresses; any number of them, perhaps none
 *     ld.global.f32 x, [a];            or ld.shared, also of 32-bit integers
 *     ld.global.f32 y, [b];
 *     fma.rn.f32 d, x, y, c;           or y, x
 *
 * where c is the d of the step before. exec/dot.c executes them together and writes only the last d. That is all that
 * can be read: x, y and the other d are named by the instruction that writes and the one that reads them, nowhere else
 * in the function, and no branch leads in between.
 */
#include "isa/decode.h"

typedef struct search {
    const decoder *d;
    insn *code;
    uint32_t *names; /* by register: how often the function names it */
    int label;       /* the next one's number */
} search;

static void count_names(const search *s, const ptx_operand *o) {
    if (o->reg >= 0) s->names[o->reg]++;
    for (int k = 0; k < o->element_count; k++) count_names(s, &o->elements[k]);
}

/* Is the register its instruction's operand number `o` is, named twice in the function? */
static bool passes_on(const search *s, int k, int o) {
    const ptx_operand *operand = &s->d->source->instructions[k].operands[o];
    return operand->kind == PTX_OPERAND_REGISTER && s->names[operand->reg] == 2;
}

static bool is_add(const search *s, int k) {
    const insn *i = &s->code[k];
    const sim_other_handlers *o = &s->d->context->others[i->row];
    return (i->row == ROW_add_s64 || i->row == ROW_add_u64) && i->next == o->affine_next;
}

static bool is_load(const search *s, int k) {
    const insn *i = &s->code[k];
    const sim_other_handlers *o = &s->d->context->others[i->row];
    return (i->row == ROW_op_load_global_u32 || i->row == ROW_op_load_shared_u32) && i->vector == 1 &&
           i->next == o->affine_next && passes_on(s, k, 0);
}

static bool is_fma(const search *s, int k) {
    const insn *i = &s->code[k];
    const sim_other_handlers *o = &s->d->context->others[i->row];
    return i->row == ROW_fma_f32 && i->next == o->next && i->rounding <= ROUND_RN && !i->sat && !i->ftz;
}

/* Number of the step's instructions from the k-th on, of at most `most`; 0: there is no step. */
static int step_length(const search *s, int k, int most) {
    int adds = 0;
    while (adds + 3 < most && is_add(s, k + adds)) adds++;
    const int load = k + adds, fma = load + 2;
    if (adds + 3 > most || !is_load(s, load) || !is_load(s, load + 1) || !is_fma(s, fma)) return 0;
    const uint32_t x = s->code[load].op[0], y = s->code[load + 1].op[0], *of = &s->code[fma].op[1];
    return (of[0] == x && of[1] == y) || (of[0] == y && of[1] == x) ? adds + 3 : 0;
}

/* How many instructions from the k-th on no branch leads into, but to the first of them. `k` grows from call to call.
 */
static int to_label(search *s, int k) {
    const ptx_function *f = s->d->source;
    while (s->label < f->label_count && f->labels[s->label] <= k) s->label++;
    return (s->label < f->label_count ? f->labels[s->label] : f->instruction_count) - k;
}

/* Number of the instructions of the dot product that begins with the k-th. */
static int dot_length(search *s, int k) {
    int most = to_label(s, k), length = 0;
    if (most > (int)s->code[k].straight) most = (int)s->code[k].straight;
    if (most > MOST_DOT) most = MOST_DOT;
    while (true) {
        const int step = step_length(s, k + length, most - length), fma = k + length + step - 1;
        const bool first = length == 0;
        if (step == 0 ||
            (!first && (!passes_on(s, k + length - 1, 0) || s->code[fma].op[3] != s->code[k + length - 1].op[0])))
            return length;
        length += step;
    }
}

void dot_function(decoder *d, insn *code) {
    const ptx_function *f = d->source;
    search s = {.d = d, .code = code, .names = decode_scratch(d, ((size_t)f->register_count + 1) * sizeof *s.names)};
    for (int k = 0; k < f->instruction_count; k++)
        for (int o = 0; o < f->instructions[k].operand_count; o++) count_names(&s, &f->instructions[k].operands[o]);
    for (int k = 0; k < f->instruction_count;) {
        const int length = dot_length(&s, k);
        if (length > 0) {
            code[k].dot = (uint8_t)length;
            code[k].next = d->context->handlers[ROW_op_dot];
            row_use(ROW_op_dot);
        }
        k += length > 0 ? length : 1;
    }
}
