#include "isa/arrays.h"
#include "ptx/instruction.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ARRAYS (ARRAY_MANY - 1)

typedef struct follower {
    const char *const *names;
    int count;
    uint8_t *of; /* by register */
} follower;

static uint8_t join(uint8_t a, uint8_t b) {
    return a == ARRAY_UNKNOWN || a == b ? b : b == ARRAY_UNKNOWN ? a : ARRAY_MANY;
}

static uint8_t array_named(const follower *w, const char *name) {
    for (int k = 0; k < w->count && k < MOST_ARRAYS; k++)
        if (strcmp(w->names[k], name) == 0) return (uint8_t)(k + 1);
    return ARRAY_UNKNOWN;
}

static uint8_t operand_array(const follower *w, const ptx_operand *o) {
    uint8_t a = ARRAY_UNKNOWN;
    if (o->symbol != NULL && (o->kind == PTX_OPERAND_SYMBOL || o->kind == PTX_OPERAND_ADDRESS))
        a = array_named(w, o->symbol);
    if (o->reg >= 0) a = join(a, w->of[o->reg]);
    for (int k = 0; k < o->element_count; k++) a = join(a, operand_array(w, &o->elements[k]));
    return a;
}

/* Is the result something else than computed from the operands? What memory holds, or other lanes, may be any address;
 * a predicate is none. */
static bool starts_anew(const char *opcode) {
    return opcode_is_of(opcode, "ld atom ldmatrix ldu call setp set");
}

/* True where the operand's registers come from more arrays than was known. */
static bool give(follower *w, const ptx_operand *o, uint8_t array) {
    bool changed = false;
    if (o->kind == PTX_OPERAND_REGISTER && o->reg >= 0) {
        const uint8_t now = join(w->of[o->reg], array);
        changed = now != w->of[o->reg];
        w->of[o->reg] = now;
    }
    for (int k = 0; k < o->element_count; k++) changed = give(w, &o->elements[k], array) || changed;
    return changed;
}

static bool pass(follower *w, const ptx_function *s) {
    bool changed = false;
    for (int k = 0; k < s->instruction_count; k++) {
        const ptx_instruction *t = &s->instructions[k];
        if (t->operand_count < 2 || starts_anew(t->opcode) || t->operands[0].kind == PTX_OPERAND_ADDRESS) continue;
        uint8_t array = ARRAY_UNKNOWN;
        for (int o = 1; o < t->operand_count; o++) array = join(array, operand_array(w, &t->operands[o]));
        if (array != ARRAY_UNKNOWN) changed = give(w, &t->operands[0], array) || changed;
    }
    return changed;
}

uint8_t *arrays_follow(const ptx_function *s, const char *const *names, int count) {
    follower w = {names, count, calloc((size_t)s->register_count + 1, 1)};
    uint8_t *arrays = calloc((size_t)s->instruction_count + 1, 1);
    if (w.of != NULL && arrays != NULL) {
        while (pass(&w, s)) continue;
        for (int k = 0; k < s->instruction_count; k++) {
            const ptx_instruction *t = &s->instructions[k];
            for (int o = 0; o < t->operand_count; o++)
                if (t->operands[o].kind == PTX_OPERAND_ADDRESS) {
                    arrays[k] = operand_array(&w, &t->operands[o]);
                    break;
                }
        }
    }
    free(w.of);
    return arrays;
}

uint8_t *arrays_of(const function *f) {
    const char **names = calloc((size_t)f->array_count + 1, sizeof *names);
    if (names == NULL) return NULL;
    for (int k = 0; k < f->array_count; k++) names[k] = f->arrays[k].name;
    uint8_t *arrays = arrays_follow(f->source, names, f->array_count);
    free(names);
    return arrays;
}
