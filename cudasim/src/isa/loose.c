#include "isa/loose.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/flow.h"
#include "ptx/instruction.h"

bool loose_assigns(const ptx_instruction *t, int reg) {
    return instruction_has_result(t) && operand_names(&t->operands[0], reg);
}

/* A wgmma's accumulators are left out: what it does with them depends on scale-d. */
bool loose_reads(const ptx_instruction *t, int reg) {
    if (t->guard == reg) return true;
    for (int k = instruction_has_result(t) ? 1 : 0; k < t->operand_count; k++)
        if (operand_names(&t->operands[k], reg)) return true;
    return false;
}

/* Does a path from the beginning reach a reader of the register, and no assignment before? */
static bool is_loose(const ptx_function *s, int reg, uint8_t *seen, int *stack, int **next, int *room) {
    int depth = 0;
    memset(seen, 0, (size_t)s->instruction_count + 1);
    stack[depth++] = 0;
    seen[0] = 1;
    while (depth > 0) {
        const int pc = stack[--depth];
        if (pc >= s->instruction_count) continue;
        const ptx_instruction *t = &s->instructions[pc];
        if (loose_reads(t, reg)) return true;
        if (t->guard < 0 && loose_assigns(t, reg)) continue;
        if (!flow_successors(s, pc, next, room)) return false;
        for (int k = 0; (*next)[k] >= 0; k++)
            if (!seen[(*next)[k]]) {
                seen[(*next)[k]] = 1;
                stack[depth++] = (*next)[k];
            }
    }
    return false;
}

/* The first place of each register: only those that the text reads no later than it first assigns to them are looked
 * at, which the compiler does not do with others.
 */
static void first_places(const ptx_operand *o, int pc, int *first) {
    if (o->reg >= 0 && (o->kind == PTX_OPERAND_REGISTER || o->kind == PTX_OPERAND_ADDRESS) && first[o->reg] < 0)
        first[o->reg] = pc;
    for (int k = 0; k < o->element_count; k++) first_places(&o->elements[k], pc, first);
}

uint16_t *loose_registers(const ptx_function *s, int *count) {
    const size_t registers = (size_t)s->register_count + 1, instructions = (size_t)s->instruction_count + 2;
    uint16_t *numbers = calloc(registers, sizeof *numbers);
    int *first_read = malloc(registers * sizeof(int)), *first_set = malloc(registers * sizeof(int));
    int *stack = malloc(instructions * sizeof(int)), *next = NULL, room = 0;
    uint8_t *seen = malloc(instructions);
    *count = 0;
    if (numbers != NULL && first_read != NULL && first_set != NULL && stack != NULL && seen != NULL) {
        memset(first_read, 0xff, registers * sizeof(int));
        memset(first_set, 0xff, registers * sizeof(int));
        for (int pc = 0; pc < s->instruction_count; pc++) {
            const ptx_instruction *t = &s->instructions[pc];
            const bool result = instruction_has_result(t);
            for (int k = result ? 1 : 0; k < t->operand_count; k++) first_places(&t->operands[k], pc, first_read);
            if (result) first_places(&t->operands[0], pc, first_set);
        }
        for (int r = 0; r < s->register_count; r++) {
            if (first_read[r] < 0 || (first_set[r] >= 0 && first_set[r] < first_read[r])) continue;
            if (*count < UINT16_MAX && is_loose(s, r, seen, stack, &next, &room)) numbers[r] = (uint16_t)++ * count;
        }
    }
    free(first_read);
    free(first_set);
    free(stack);
    free(next);
    free(seen);
    return numbers;
}
