/* Which registers of a function may be kept as base + lane * step (exec/affine.h), and which handlers its instructions
 * get for that.
 *
 * A register may if every instruction that writes it has a handler that can, and all sources of these instructions may,
 * too, or are constants or special registers. Whether it is kept so is seen when the instruction runs: it may not for
 * the shape of the block, or because not all lanes run. What reads such a register and has no handler of the kind gets
 * op_spread in front, which writes out the lanes.
 */
#include <string.h>

#include "isa/decode.h"

typedef struct analysis {
    decoder *d;
    insn *code;
    bool *may;          /* by slot / AFFINE_UNIT */
    uint32_t constants; /* from this slot on they lie, and special registers */
} analysis;

/* Is there a handler for registers kept so, and nothing in front of the plain one? */
static bool knows(const analysis *a, const insn *i) {
    const decode_context *c = a->d->context;
    return c->others[i->row].affine != NULL && i->run == c->handlers[i->row];
}

/* The slots that the instruction would keep so, and their number; `sources` are those it would make them of. 0: it has
 * no such handler, or it writes no register. */
static int results(const analysis *a, const insn *i, uint32_t *sources, int *source_count) {
    const char *operands = row_operands(i->row);
    *source_count = 0;
    if (!knows(a, i)) return 0;
    if (i->row == ROW_op_load_param) return i->width <= 8 ? i->vector : 0;
    if (i->row == ROW_op_add_imm) operands = "l=l";
    if (operands == NULL || *operands == 'p' || operands[1] != '=') return 0;
    for (int n = 2; operands[n] != '\0'; n++)
        if (operands[n] != 'p') sources[(*source_count)++] = i->op[n - 1];
    return 1;
}

static bool may_be(const analysis *a, uint32_t slot) {
    return slot >= a->constants || a->may[slot / AFFINE_UNIT];
}

/* Takes the registers of the operand from those that may. True if there was one. */
static bool exclude(const analysis *a, const ptx_operand *o) {
    bool any = false;
    if (o->kind == PTX_OPERAND_REGISTER) {
        bool *may = &a->may[a->d->register_slots[o->reg] / AFFINE_UNIT];
        any = a->d->source->registers[o->reg].type != PTX_PRED && *may;
        if (any) *may = false;
    }
    for (int k = 0; k < o->element_count; k++) any = exclude(a, &o->elements[k]) || any;
    return any;
}

/* One pass over the function. True if it has taken a register away. */
static bool reduce(const analysis *a) {
    const ptx_function *s = a->d->source;
    bool any = false;
    for (int k = 0; k < s->instruction_count; k++) {
        const insn *i = &a->code[k];
        const ptx_instruction *t = &s->instructions[k];
        uint32_t sources[INSN_OPERANDS];
        int source_count;
        const int count = results(a, i, sources, &source_count);
        bool all = count > 0;
        for (int n = 0; n < source_count; n++) all = all && may_be(a, sources[n]);
        for (int n = 0; n < count; n++) all = all && may_be(a, i->op[n]);
        /* Results stand in the first operand; a wgmma reads registers of the second one when it has long been issued.
         */
        for (int n = 0; !all && n < t->operand_count && n < (i->row == ROW_op_wgmma ? 2 : 1); n++)
            any = exclude(a, &t->operands[n]) || any;
    }
    return any;
}

/* The slots of the instruction's registers that may be kept without lanes. */
static int collect(const analysis *a, const ptx_operand *o, uint32_t *slots, int count) {
    if (o->reg >= 0 && (o->kind == PTX_OPERAND_REGISTER || o->kind == PTX_OPERAND_ADDRESS) &&
        a->d->source->registers[o->reg].type != PTX_PRED && may_be(a, a->d->register_slots[o->reg]))
        slots[count++] = a->d->register_slots[o->reg];
    for (int k = 0; k < o->element_count; k++) count = collect(a, &o->elements[k], slots, count);
    return count;
}

static int most_operands(const ptx_operand *o) {
    int count = 1;
    for (int k = 0; k < o->element_count; k++) count += most_operands(&o->elements[k]);
    return count;
}

/* The registers that the instruction names and that may be kept without lanes; NULL: none. */
static affine_sources *named(const analysis *a, int k) {
    const ptx_instruction *t = &a->d->source->instructions[k];
    int most = 0;
    for (int o = 0; o < t->operand_count; o++) most += most_operands(&t->operands[o]);
    affine_sources *list = decode_take(a->d, sizeof *list + (size_t)most * sizeof *list->slots);
    for (int o = 0; o < t->operand_count; o++) list->count = collect(a, &t->operands[o], list->slots, list->count);
    return list->count > 0 ? list : NULL;
}

static bool pick_handlers(const analysis *a) {
    bool spreads = false;
    for (int k = 0; k < a->d->source->instruction_count; k++) {
        insn *i = &a->code[k];
        affine_sources *list = named(a, k);
        uint32_t sources[INSN_OPERANDS];
        int source_count;
        const bool makes = results(a, i, sources, &source_count) > 0;
        if (list != NULL && knows(a, i) && (!makes || may_be(a, i->op[0]))) {
            i->run = a->d->context->others[i->row].affine;
        } else if (list != NULL) {
            list->run = i->run;
            a->d->f->spreads[k] = list;
            i->run = a->d->context->handlers[ROW_op_spread];
            spreads = true;
        }
    }
    return spreads;
}

static void fill_constants(decoder *d) {
    function *f = d->f;
    const constant_map *m = d->constants;
    const uint32_t first = f->constant_offset / AFFINE_UNIT, units = f->register_bytes / AFFINE_UNIT;
    f->affine_bytes = units * sizeof *f->affine_constants;
    f->affine_constants = decode_aligned(d, (units - first + 1) * sizeof *f->affine_constants);
    for (int k = 0; k < m->count; k++) {
        const struct constant *c = &m->entries[k];
        if (c->bytes > 8) continue;
        f->affine_constants[c->slot / AFFINE_UNIT - first] = (affine){c->value, 0, AFFINE_AND_LANES, c->bytes};
    }
}

bool affine_function(decoder *d, insn *code) {
    const ptx_function *s = d->source;
    function *f = d->f;
    analysis a = {.d = d, .code = code, .constants = f->constant_offset};
    a.may = decode_scratch(d, f->register_bytes / AFFINE_UNIT + 1);
    for (int r = 0; r < s->register_count; r++) {
        const ptx_register *reg = &s->registers[r];
        a.may[d->register_slots[r] / AFFINE_UNIT] =
            reg->type != PTX_PRED && reg->vector <= 1 && ptx_type_size(reg->type) <= 8;
    }
    for (int k = 0; k < s->instruction_count; k++) { /* floating-point numbers seldom are */
        const ptx_instruction *t = &s->instructions[k];
        for (int o = 0; row_is_float(code[k].row) && o < t->operand_count; o++) exclude(&a, &t->operands[o]);
    }
    while (reduce(&a)) {}
    if (memchr(a.may, true, f->register_bytes / AFFINE_UNIT) == NULL) return false;
    fill_constants(d);
    f->spreads = decode_take(d, ((size_t)s->instruction_count + 1) * sizeof *f->spreads);
    return pick_handlers(&a);
}
