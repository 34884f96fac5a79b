#include "ptx/instruction.h"

#include <string.h>

bool opcode_is(const char *opcode, const char *parts) {
    while (*parts != '\0' && *opcode == *parts) opcode++, parts++;
    return *parts == '\0' && (*opcode == '.' || *opcode == '\0');
}

bool opcode_is_of(const char *opcode, const char *list) {
    for (size_t length; *list != '\0'; list += length + (list[length] == ' ')) {
        length = strcspn(list, " ");
        if (strncmp(opcode, list, length) == 0 && (opcode[length] == '.' || opcode[length] == '\0')) return true;
    }
    return false;
}

bool operand_names(const ptx_operand *o, int reg) {
    if (o->reg == reg && (o->kind == PTX_OPERAND_REGISTER || o->kind == PTX_OPERAND_ADDRESS)) return true;
    for (int k = 0; k < o->element_count; k++)
        if (operand_names(&o->elements[k], reg)) return true;
    return false;
}

bool instruction_has_result(const ptx_instruction *t) {
    if (t->operand_count == 0 || t->operands[0].kind == PTX_OPERAND_ADDRESS) return false;
    if (opcode_is_of(t->opcode, "bar barrier") && strstr(t->opcode, ".red.") != NULL) return true;
    return !opcode_is_of(t->opcode, "st red stmatrix bar barrier bra brx ret exit cp call fence membar wmma.store trap "
                                    "prefetch");
}
