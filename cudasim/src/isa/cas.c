#include "isa/cas.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/flow.h"
#include "ptx/instruction.h"

/* A register on the way from the load, as the instruction at pc finds it: the value itself, what was made of it, or
 * either, once the address is another one. */
typedef enum carried { EXACT, MADE, STALE } carried;
typedef struct carrier {
    int pc, reg;
    carried what;
} carrier;

#define MOST_CARRIERS 2000

typedef struct search {
    const ptx_function *s;
    ptx_operand place; /* of the load: base_of */
    carrier *list;     /* those that have been met; from `done` on they have yet to be followed */
    int count, done;
    int *next, room; /* flow_successors */
    bool guarded;    /* an atom.cas compares the value itself */
} search;

static bool is_cas(const ptx_instruction *t) {
    return opcode_is(t->opcode, "atom") && strstr(t->opcode, ".cas.") != NULL && t->operand_count >= 4;
}

bool cas_any(const ptx_function *s) {
    for (int k = 0; k < s->instruction_count; k++)
        if (is_cas(&s->instructions[k])) return true;
    return false;
}

/* The only instruction that assigns to the register; NULL: there is another one. */
static const ptx_instruction *assignment_of(const ptx_function *s, int reg) {
    const ptx_instruction *found = NULL;
    for (int k = 0; k < s->instruction_count; k++) {
        const ptx_instruction *t = &s->instructions[k];
        if (!instruction_has_result(t) || !operand_names(&t->operands[0], reg)) continue;
        if (found != NULL || t->guard >= 0) return NULL;
        found = t;
    }
    return found;
}

/* An address, followed back through moves, sums with constants and conversions of its space. */
static ptx_operand base_of(const ptx_function *s, const ptx_operand *address) {
    ptx_operand base = *address;
    for (int steps = 0; base.reg >= 0 && steps < 8; steps++) {
        const ptx_instruction *t = assignment_of(s, base.reg);
        if (t == NULL || t->operand_count < 2) break;
        const ptx_operand *from = &t->operands[1];
        const bool moves = opcode_is(t->opcode, "mov") || opcode_is(t->opcode, "cvta");
        const bool adds = opcode_is(t->opcode, "add") && t->operands[2].kind == PTX_OPERAND_INTEGER;
        if ((moves || adds) && from->kind == PTX_OPERAND_REGISTER) {
            base.reg = from->reg;
            base.integer += adds ? t->operands[2].integer : 0;
        } else if (moves && from->kind == PTX_OPERAND_SYMBOL) {
            base.reg = -1;
            base.symbol = from->symbol;
            base.integer += from->integer;
        } else {
            break;
        }
    }
    return base;
}

static bool same_place(const ptx_operand *a, const ptx_operand *b) {
    const bool same_symbol = a->symbol == b->symbol || (a->symbol && b->symbol && strcmp(a->symbol, b->symbol) == 0);
    return a->kind == PTX_OPERAND_ADDRESS && b->kind == a->kind && a->reg == b->reg && same_symbol &&
           a->integer == b->integer;
}

static bool is_register(const ptx_operand *o, int reg) {
    return o->kind == PTX_OPERAND_REGISTER && o->reg == reg;
}

static bool has_met(const search *f, carrier c) {
    for (int k = 0; k < f->count; k++)
        if (f->list[k].pc == c.pc && f->list[k].reg == c.reg && f->list[k].what == c.what) return true;
    return false;
}

/* False if it is too much to follow. */
static bool go_on(search *f, int pc, int reg, carried what) {
    if (!flow_successors(f->s, pc, &f->next, &f->room)) return false;
    for (int k = 0; f->next[k] >= 0; k++) {
        const carrier c = {f->next[k], reg, what};
        if (has_met(f, c)) continue;
        if (f->count == MOST_CARRIERS) return false;
        f->list[f->count++] = c;
    }
    return true;
}

/* Is it an atom.cas of that place? */
static bool cas_of(const search *f, const ptx_instruction *t) {
    if (!is_cas(t)) return false;
    const ptx_operand base = base_of(f->s, &t->operands[1]);
    return same_place(&base, &f->place);
}

/* Is it a comparison, for equality, of the value with what an atom.cas of the same place gave? */
static bool compares_result(const search *f, const ptx_instruction *t, const carrier *c) {
    if (c->what != EXACT || t->operand_count != 3) return false;
    if (!opcode_is(t->opcode, "setp.ne") && !opcode_is(t->opcode, "setp.eq")) return false;
    const ptx_operand *other = is_register(&t->operands[1], c->reg) ? &t->operands[2] : &t->operands[1];
    bool any = false;
    for (int k = 0; k < f->s->instruction_count && other->kind == PTX_OPERAND_REGISTER; k++) {
        const ptx_instruction *from = &f->s->instructions[k];
        if (!instruction_has_result(from) || !operand_names(&from->operands[0], other->reg)) continue;
        if (!cas_of(f, from)) return false;
        any = true;
    }
    return any;
}

/* Is the value visible only in the result? */
static bool is_arithmetic(const ptx_instruction *t) {
    return !opcode_is_of(t->opcode,
                         "ld atom shfl vote match redux call bar barrier mma wmma tex mbarrier ldmatrix wgmma "
                         "suld ldu st") &&
           instruction_has_result(t);
}

/* Of an atom.cas: may the value be there? */
static bool fits_cas(search *f, const ptx_instruction *t, const carrier *c) {
    if (!cas_of(f, t)) return false;
    if (is_register(&t->operands[2], c->reg)) {
        f->guarded = true;
        return c->what == EXACT;
    }
    /* As the new value: the one compared must be the value itself, which has to have come here, too. */
    return is_register(&t->operands[3], c->reg) && t->operands[2].kind == PTX_OPERAND_REGISTER;
}

static bool reads_it(const ptx_instruction *t, int reg) {
    for (int k = instruction_has_result(t) ? 1 : 0; k < t->operand_count; k++)
        if (operand_names(&t->operands[k], reg)) return true;
    return false;
}

static bool follow(search *f, const carrier *c) {
    if (c->pc >= f->s->instruction_count) return true;
    const ptx_instruction *t = &f->s->instructions[c->pc];
    const bool result = instruction_has_result(t);
    if (t->guard == c->reg) return false;
    if (reads_it(t, c->reg)) {
        if (c->what == STALE) return false;
        if (is_cas(t)) {
            if (!fits_cas(f, t, c)) return false;
        } else if (!compares_result(f, t, c)) {
            if (!is_arithmetic(t) || t->operands[0].kind == PTX_OPERAND_ADDRESS) return false;
            const ptx_operand *to = &t->operands[0];
            const bool exact = c->what == EXACT && opcode_is(t->opcode, "mov") && is_register(&t->operands[1], c->reg);
            if (to->kind == PTX_OPERAND_REGISTER && !go_on(f, c->pc, to->reg, exact ? EXACT : MADE)) return false;
            for (int e = 0; e < to->element_count; e++)
                if (to->elements[e].kind == PTX_OPERAND_REGISTER && !go_on(f, c->pc, to->elements[e].reg, MADE))
                    return false;
        }
    }
    if (result && t->guard < 0 && operand_names(&t->operands[0], c->reg)) return true; /* it is overwritten */
    const bool moved = result && f->place.reg >= 0 && operand_names(&t->operands[0], f->place.reg);
    return go_on(f, c->pc, c->reg, moved ? STALE : c->what);
}

/* Does each atom.cas whose new value was made of it compare the value itself? */
static bool compares_all(const search *f) {
    for (int k = 0; k < f->count; k++) {
        if (f->list[k].pc >= f->s->instruction_count) continue;
        const ptx_instruction *t = &f->s->instructions[f->list[k].pc];
        if (!is_cas(t) || !is_register(&t->operands[3], f->list[k].reg)) continue;
        if (!has_met(f, (carrier){f->list[k].pc, t->operands[2].reg, EXACT})) return false;
    }
    return true;
}

bool cas_guards_load(const ptx_function *s, int pc) {
    const ptx_instruction *t = &s->instructions[pc];
    if (!opcode_is(t->opcode, "ld") || t->guard >= 0 || t->operand_count != 2) return false;
    if (t->operands[0].kind != PTX_OPERAND_REGISTER || t->operands[1].kind != PTX_OPERAND_ADDRESS) return false;
    if (t->operands[0].reg == t->operands[1].reg) return false;
    search f = {.s = s, .place = base_of(s, &t->operands[1])};
    bool ok = false;
    for (int k = 0; k < s->instruction_count && !ok; k++) ok = cas_of(&f, &s->instructions[k]);
    if (!ok) return false;
    f.list = malloc(MOST_CARRIERS * sizeof *f.list);
    ok = f.list != NULL && go_on(&f, pc, t->operands[0].reg, EXACT);
    while (ok && f.done < f.count) {
        const carrier c = f.list[f.done++];
        ok = follow(&f, &c);
    }
    ok = ok && f.guarded && compares_all(&f);
    free(f.list);
    free(f.next);
    return ok;
}
