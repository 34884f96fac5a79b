#include "isa/writes.h"

#include <stdlib.h>
#include <string.h>

#include "isa/decode.h"
#include "ptx/instruction.h"

typedef struct follower {
    const function *f;
    uint64_t *of; /* by register */
} follower;

/* Has the opcode a part of 64 bits or more: may what it loads be an address? */
static bool is_wide(const char *opcode) {
    return strstr(opcode, "64") != NULL || strstr(opcode, "128") != NULL;
}

static uint64_t of_symbol(const function *f, const char *name) {
    const ptx_function *s = f->source;
    for (int k = 0; k < f->array_count; k++)
        if (strcmp(f->arrays[k].name, name) == 0) return WRITES_OWN;
    for (int k = 0; k < s->local_count; k++)
        if (strcmp(s->locals[k].name, name) == 0)
            return s->locals[k].space == PTX_GLOBAL ? WRITES_VARIABLES : WRITES_OWN;
    for (int k = 0; k < s->param_count; k++)
        if (strcmp(s->params[k].name, name) == 0) return WRITES_OWN; /* its address: nobody may write there */
    return WRITES_VARIABLES;
}

static uint64_t of_operand(const follower *w, const ptx_operand *o) {
    uint64_t set = 0;
    if (o->symbol != NULL && (o->kind == PTX_OPERAND_SYMBOL || o->kind == PTX_OPERAND_ADDRESS))
        set = of_symbol(w->f, o->symbol);
    if (o->kind == PTX_OPERAND_SPECIAL && strncmp(o->symbol, "%envreg", 7) == 0) set = WRITES_WORKSPACE;
    if (o->reg >= 0) set |= w->of[o->reg];
    for (int k = 0; k < o->element_count; k++) set |= of_operand(w, &o->elements[k]);
    return set;
}

/* A kernel's parameters as ld.param loads them. */
static uint64_t of_param(const follower *w, int pc) {
    const insn *i = &w->f->code[pc];
    const unsigned bytes = ptx_type_size((ptx_type)i->type) * i->vector;
    const uint64_t first = (uint64_t)i->imm / 8, last = ((uint64_t)i->imm + bytes - 1) / 8;
    if (i->row != ROW_op_load_param) return WRITES_ANYWHERE;
    if (ptx_type_size((ptx_type)i->type) < 8) return 0;
    if (last >= WRITES_PARAMS) return WRITES_ANYWHERE;
    return (uint64_t)1 << first | (uint64_t)1 << last;
}

static uint64_t of_result(const follower *w, int pc) {
    const ptx_instruction *t = &w->f->source->instructions[pc];
    uint64_t set = 0;
    if (opcode_is(t->opcode, "setp") || opcode_is(t->opcode, "set")) return 0;
    if (opcode_is(t->opcode, "ld.param") && is_wide(t->opcode)) return of_param(w, pc);
    if (opcode_is(t->opcode, "call")) return WRITES_ANYWHERE;
    if (opcode_is(t->opcode, "ld") || opcode_is(t->opcode, "ldu") || opcode_is(t->opcode, "atom"))
        return is_wide(t->opcode) ? WRITES_ANYWHERE : 0;
    for (int k = 1; k < t->operand_count; k++) set |= of_operand(w, &t->operands[k]);
    return set;
}

/* True where the operand's registers may come from more places than was known. */
static bool give(follower *w, const ptx_operand *o, uint64_t set) {
    bool changed = false;
    if (o->kind == PTX_OPERAND_REGISTER && o->reg >= 0) {
        changed = (set & ~w->of[o->reg]) != 0;
        w->of[o->reg] |= set;
    }
    for (int k = 0; k < o->element_count; k++) changed = give(w, &o->elements[k], set) || changed;
    return changed;
}

static bool pass(follower *w) {
    const ptx_function *s = w->f->source;
    bool changed = false;
    for (int k = 0; k < s->instruction_count; k++) {
        const ptx_instruction *t = &s->instructions[k];
        if (t->operand_count < 2 || t->operands[0].kind == PTX_OPERAND_ADDRESS) continue;
        const uint64_t set = of_result(w, k);
        if (set != 0) changed = give(w, &t->operands[0], set) || changed;
    }
    return changed;
}

static bool writes_global(const char *opcode) {
    if (opcode_is(opcode, "cp.async.bulk.global") || opcode_is(opcode, "cp.reduce.async.bulk.global")) return true;
    if (!opcode_is(opcode, "st") && !opcode_is(opcode, "atom") && !opcode_is(opcode, "red") &&
        !opcode_is(opcode, "wmma.store"))
        return false;
    return strstr(opcode, ".shared") == NULL && strstr(opcode, ".local") == NULL && strstr(opcode, ".param") == NULL &&
           !opcode_is(opcode, "st.async");
}

uint64_t writes_of(const function *f) {
    const ptx_function *s = f->source;
    follower w = {f, calloc((size_t)s->register_count + 1, sizeof *w.of)};
    uint64_t writes = 0;
    if (w.of == NULL) return WRITES_ANYWHERE;
    while (pass(&w)) continue;
    for (int k = 0; k < s->instruction_count; k++) {
        const ptx_instruction *t = &s->instructions[k];
        if (!writes_global(t->opcode)) continue;
        for (int o = 0; o < t->operand_count; o++)
            if (t->operands[o].kind == PTX_OPERAND_ADDRESS) {
                const uint64_t set = of_operand(&w, &t->operands[o]);
                writes |= set != 0 ? set : WRITES_ANYWHERE;
                break;
            }
    }
    free(w.of);
    return writes;
}
