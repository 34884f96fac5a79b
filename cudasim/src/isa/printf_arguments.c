#include "isa/printf_arguments.h"

#include <string.h>

/* An address: so many bytes behind the beginning of a local array. */
typedef struct place {
    const char *array; /* NULL: unknown */
    int64_t offset;
} place;

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* The only instruction that assigns the register, or NULL. */
static const ptx_instruction *definition(const ptx_function *f, int reg) {
    const ptx_instruction *found = NULL;
    for (int k = 0; k < f->instruction_count; k++) {
        const ptx_instruction *i = &f->instructions[k];
        const ptx_operand *to = i->operands;
        if (i->operand_count == 0 || to->kind != PTX_OPERAND_REGISTER || to->reg != reg || starts(i->opcode, "st"))
            continue;
        if (found != NULL) return NULL;
        found = i;
    }
    return found;
}

/* What the operand holds, as compilers make such addresses: mov of the array's, cvta, additions of constants. */
static place place_of(const ptx_function *f, const ptx_operand *o, int depth) {
    const place unknown = {NULL, 0};
    if (o->symbol != NULL) return (place){o->symbol, o->integer};
    if (o->reg < 0 || depth == 8) return unknown;
    const ptx_instruction *i = definition(f, o->reg);
    if (i == NULL || i->guard >= 0 || i->operand_count < 2) return unknown;
    place p = unknown;
    if (starts(i->opcode, "mov") || starts(i->opcode, "cvta")) {
        p = place_of(f, &i->operands[1], depth + 1);
    } else if (starts(i->opcode, "add") && i->operand_count == 3 && i->operands[2].kind == PTX_OPERAND_INTEGER) {
        p = place_of(f, &i->operands[1], depth + 1);
        p.offset += i->operands[2].integer;
    }
    if (o->kind == PTX_OPERAND_ADDRESS) p.offset += o->integer;
    return p;
}

static bool has_label(const ptx_function *f, int pc) {
    for (int k = 0; k < f->label_count; k++)
        if (f->labels[k] == pc) return true;
    return false;
}

/* Of the call's arguments the second, a .param variable: what has been stored there. */
static place array_of(const ptx_function *f, int pc) {
    const ptx_instruction *call = &f->instructions[pc];
    const ptx_operand *list = NULL;
    for (int k = 0; k < call->operand_count; k++)
        if (call->operands[k].kind == PTX_OPERAND_LIST) list = &call->operands[k];
    if (list == NULL || list->element_count != 2 || list->elements[1].symbol == NULL) return (place){NULL, 0};
    for (int k = pc - 1; k >= 0 && !has_label(f, k + 1); k--) {
        const ptx_instruction *i = &f->instructions[k];
        if (starts(i->opcode, "st.param") && i->operand_count == 2 && i->operands[0].symbol != NULL &&
            strcmp(i->operands[0].symbol, list->elements[1].symbol) == 0)
            return place_of(f, &i->operands[1], 0);
    }
    return (place){NULL, 0};
}

/* Those behind it have been found before, and are what the call finds. */
static void add(printf_arguments *found, int64_t offset, unsigned bytes, bool is_float) {
    for (int k = 0; k < found->count; k++) {
        const stored_argument *s = &found->stored[k];
        if (offset < s->offset + s->bytes && s->offset < offset + bytes) return;
    }
    if (found->count == MOST_ARGUMENTS)
        found->known = false;
    else
        found->stored[found->count++] = (stored_argument){offset, bytes, is_float};
}

static void add_store(const ptx_function *f, const ptx_instruction *i, place array, printf_arguments *found) {
    const place to = place_of(f, &i->operands[0], 0);
    if (to.array == NULL) found->all = false;
    if (to.array == NULL || strcmp(to.array, array.array) != 0) return;
    const char *type_name = strrchr(i->opcode, '.') + 1;
    const ptx_type type = ptx_type_named(type_name, strlen(type_name));
    const unsigned bytes = ptx_type_size(type);
    const ptx_operand *value = &i->operands[1];
    const int count = value->kind == PTX_OPERAND_VECTOR ? value->element_count : 1;
    if (i->guard >= 0 || bytes == 0) found->known = false;
    for (int k = 0; k < count; k++) add(found, to.offset - array.offset + k * (int64_t)bytes, bytes, *type_name == 'f');
}

void printf_arguments_find(const ptx_function *f, int pc, printf_arguments *found) {
    const place array = array_of(f, pc);
    found->count = 0;
    found->known = found->all = array.array != NULL;
    for (int k = pc - 1; k >= 0 && found->known; k--) {
        const ptx_instruction *i = &f->instructions[k];
        const bool leaves = starts(i->opcode, "bra") || starts(i->opcode, "ret") || starts(i->opcode, "exit");
        if (has_label(f, k + 1) || leaves) {
            found->all = false;
            return;
        }
        if (starts(i->opcode, "call")) return; /* its own arguments come before it */
        if (starts(i->opcode, "st.") && !starts(i->opcode, "st.param") && i->operand_count == 2)
            add_store(f, i, array, found);
    }
}
