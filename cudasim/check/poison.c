#include "check/poison.h"

#include <stdlib.h>
#include <string.h>

static bool is(const char *opcode, const char *word) {
    const size_t length = strlen(word);
    return strncmp(opcode, word, length) == 0 && (opcode[length] == '.' || opcode[length] == '\0');
}

static bool add(poisons *p, const frame *f, int reg, uint32_t lanes, uint32_t origin) {
    for (int k = 0; k < p->count; k++)
        if (p->list[k].frame == f && p->list[k].reg == reg && p->list[k].origin == origin) {
            p->list[k].lanes |= lanes;
            return true;
        }
    if (p->count == p->room) {
        const int room = p->room ? 2 * p->room : 16;
        poison *list = realloc(p->list, (size_t)room * sizeof *list);
        if (list == NULL) return false;
        p->list = list;
        p->room = room;
    }
    p->list[p->count++] = (poison){f, reg, lanes, origin};
    return true;
}

static void forget(poisons *p, int which) {
    p->list[which] = p->list[--p->count];
}

bool poison_read(poisons *p, const frame *f, uint32_t pc, uint32_t lane, uint32_t origin) {
    const ptx_instruction *t = &f->function->source->instructions[pc];
    const ptx_operand *o = &t->operands[0];
    if (is(t->opcode, "ldmatrix")) { /* row r of matrix m goes to four lanes, or, transposed, to every fourth */
        const int matrix = (int)lane / 8;
        const uint32_t row = lane % 8,
                       lanes = strstr(t->opcode, ".trans") != NULL ? 0x11111111u << row / 2 : 0xfu << 4 * row;
        const ptx_operand *e = o->kind == PTX_OPERAND_VECTOR ? &o->elements[matrix % o->element_count] : o;
        return e->kind == PTX_OPERAND_REGISTER && add(p, f, e->reg, lanes, origin);
    }
    bool any = false;
    const uint32_t lanes = is(t->opcode, "wmma") ? ALL_LANES : 1u << lane;
    if (o->kind == PTX_OPERAND_REGISTER) any = add(p, f, o->reg, lanes, origin);
    for (int k = 0; k < o->element_count; k++)
        if (o->elements[k].kind == PTX_OPERAND_REGISTER) any = add(p, f, o->elements[k].reg, lanes, origin) || any;
    return any;
}

static bool names(const ptx_operand *o, int reg) {
    if (o->reg == reg && (o->kind == PTX_OPERAND_REGISTER || o->kind == PTX_OPERAND_ADDRESS)) return true;
    for (int k = 0; k < o->element_count; k++)
        if (names(&o->elements[k], reg)) return true;
    return false;
}

/* Is the first operand where the result goes? */
static bool has_result(const ptx_instruction *t) {
    static const char *const without[] = {"st",
                                          "red",
                                          "stmatrix",
                                          "bar",
                                          "barrier",
                                          "bra",
                                          "brx",
                                          "ret",
                                          "exit",
                                          "cp",
                                          "call",
                                          "fence",
                                          "wmma.store",
                                          "trap",
                                          "prefetch",
                                          "mbarrier.init",
                                          "mbarrier.inval",
                                          "mbarrier.expect_tx"};
    for (size_t k = 0; k < sizeof without / sizeof *without; k++)
        if (is(t->opcode, without[k])) return false;
    return t->operand_count > 0 && t->operands[0].kind != PTX_OPERAND_ADDRESS;
}

/* The lanes whose poison in operand `o` a selection takes. */
static uint32_t selected(const warp *w, const insn *i, const ptx_instruction *t, int o) {
    if (!is(t->opcode, "selp")) return ALL_LANES;
    const uint32_t p = *(const uint32_t *)(w->registers + i->op[3]);
    return o == 1 ? p : o == 2 ? ~p : ALL_LANES;
}

bool poison_step(poisons *p, const warp *w, const insn *i, uint32_t mask, uint32_t *origin) {
    const frame *f = w->frame;
    const ptx_function *s = f->function->source;
    if ((int)i->pc >= s->instruction_count) {
        if (mask == w->active) /* the frame is left */
            for (int k = p->count - 1; k >= 0; k--)
                if (p->list[k].frame == f && (p->list[k].lanes &= ~mask) == 0) forget(p, k);
        return false;
    }
    const ptx_instruction *t = &s->instructions[i->pc];
    const bool result = has_result(t), moves = is(t->opcode, "mov") || is(t->opcode, "selp");
    bool used = false;
    const int count = p->count;
    for (int k = 0; k < count && !used; k++) {
        const poison it = p->list[k];
        if (it.frame != f || (it.lanes & mask) == 0) continue;
        for (int o = result ? 1 : 0; o < t->operand_count && !used; o++) {
            if (!names(&t->operands[o], it.reg)) continue;
            if (!moves) {
                used = true;
                *origin = it.origin;
                break;
            }
            const uint32_t lanes = it.lanes & mask & selected(w, i, t, o);
            const ptx_operand *to = &t->operands[0];
            if (lanes == 0) continue;
            if (to->kind == PTX_OPERAND_REGISTER && to->reg != it.reg) add(p, f, to->reg, lanes, it.origin);
            for (int e = 0; e < to->element_count; e++)
                if (to->elements[e].kind == PTX_OPERAND_REGISTER) add(p, f, to->elements[e].reg, lanes, it.origin);
        }
    }
    for (int k = (moves ? count : p->count) - 1; k >= 0; k--) {
        poison *it = &p->list[k];
        const bool gone = used && it->origin == *origin;
        if (!gone && !(it->frame == f && result && names(&t->operands[0], it->reg))) {
            if (it->frame == f && (is(t->opcode, "ret") || is(t->opcode, "exit")) && (it->lanes &= ~mask) == 0)
                forget(p, k);
            continue;
        }
        if (gone || (it->lanes &= ~mask) == 0) forget(p, k);
    }
    return used;
}

void poison_clear(poisons *p) {
    p->count = 0;
}
void poison_free(poisons *p) {
    free(p->list);
    *p = (poisons){0};
}
