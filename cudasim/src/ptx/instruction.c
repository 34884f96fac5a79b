#include "ptx/instruction.h"

#include <string.h>

bool opcode_is(const char *opcode, const char *parts) {
    while (*parts != '\0' && *opcode == *parts) opcode++, parts++;
    return *parts == '\0' && (*opcode == '.' || *opcode == '\0');
}

static bool ends_word(char c) {
    return c == ' ' || c == '\0';
}

bool opcode_is_of(const char *opcode, const char *list) {
    for (;; list++) {
        const char *at = opcode;
        while (!ends_word(*list) && *at == *list) at++, list++;
        if (ends_word(*list) && (*at == '.' || *at == '\0')) return true;
        while (!ends_word(*list)) list++;
        if (*list == '\0') return false;
    }
}

bool operand_names(const ptx_operand *o, int reg) {
    if (o->reg == reg && (o->kind == PTX_OPERAND_REGISTER || o->kind == PTX_OPERAND_ADDRESS)) return true;
    for (int k = 0; k < o->element_count; k++)
        if (operand_names(&o->elements[k], reg)) return true;
    return false;
}

static bool find_result(const ptx_instruction *t) {
    if (t->operand_count == 0 || t->operands[0].kind == PTX_OPERAND_ADDRESS) return false;
    if (opcode_is_of(t->opcode, "bar barrier") && strstr(t->opcode, ".red.") != NULL) return true;
    return !opcode_is_of(t->opcode, "st red stmatrix bar barrier bra brx ret exit cp call fence membar wmma.store trap "
                                    "prefetch");
}

/* It is asked of every instruction that is run while something is unwritten. */
bool instruction_has_result(const ptx_instruction *t) {
    int known = __atomic_load_n(&t->result, __ATOMIC_RELAXED);
    if (known == 0) {
        known = find_result(t) ? 2 : 1;
        __atomic_store_n((int *)&t->result, known, __ATOMIC_RELAXED);
    }
    return known == 2;
}
