#include "check/poison.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/instruction.h"

static void mark(poisons *p, int reg) {
    if (reg >= 0) p->marked[reg / 64 % POISON_MARKS] |= (uint64_t)1 << reg % 64;
}

static bool is_marked(const poisons *p, int reg) {
    return reg >= 0 && (p->marked[reg / 64 % POISON_MARKS] >> reg % 64 & 1);
}

/* May the operand name a register in the list? */
static bool may_name(const poisons *p, const ptx_operand *o) {
    if (is_marked(p, o->reg)) return true;
    for (int k = 0; k < o->element_count; k++)
        if (may_name(p, &o->elements[k])) return true;
    return false;
}

static bool may_concern(const poisons *p, const ptx_instruction *t) {
    if (is_marked(p, t->guard)) return true;
    for (int k = 0; k < t->operand_count; k++)
        if (may_name(p, &t->operands[k])) return true;
    return false;
}

/* Notes it of what `it` says, of another register or other lanes. */
static bool add(poisons *p, poison it, int reg, uint32_t lanes, uint32_t bytes) {
    if (lanes == 0 || bytes == 0) return false;
    for (int k = 0; k < p->count; k++) {
        poison *known = &p->list[k];
        if (known->frame != it.frame || known->reg != reg || known->origin != it.origin) continue;
        known->lanes |= lanes;
        known->bytes |= (uint16_t)bytes;
        return true;
    }
    if (p->count == p->room) {
        const int room = p->room ? 2 * p->room : 16;
        poison *list = realloc(p->list, (size_t)room * sizeof *list);
        if (list == NULL) return false;
        p->list = list;
        p->room = room;
    }
    mark(p, reg);
    p->list[p->count++] = (poison){.frame = it.frame,
                                   .reg = reg,
                                   .lanes = lanes,
                                   .origin = it.origin,
                                   .spreads = it.spreads,
                                   .padding = it.padding,
                                   .bytes = (uint16_t)bytes};
    return true;
}

/* Is it a load of what follows another member of the same struct, loaded or stored, and ends where that one's alignment
 * does? Where nvcc copies a struct, it copies its padding so, in single bytes. */
static bool loads_padding(const function *f, uint32_t pc) {
    const ptx_instruction *all = f->source->instructions;
    const ptx_operand *from = &all[pc].operands[1];
    if (!opcode_is(all[pc].opcode, "ld") || ptx_type_size((ptx_type)f->code[pc].type) != 1) return false;
    if (from->kind != PTX_OPERAND_ADDRESS || from->reg < 0) return false;
    int64_t begin = from->integer;
    const int64_t end = begin + f->code[pc].vector;
    for (uint32_t k = pc; k-- > 0 && k + 16 > pc;) {
        const ptx_instruction *t = &all[k];
        if (instruction_has_result(t) && operand_names(&t->operands[0], from->reg)) return false;
        const bool stores = opcode_is(t->opcode, "st");
        if (!(stores || opcode_is(t->opcode, "ld")) || f->code[k].space != f->code[pc].space) continue;
        const ptx_operand *o = &t->operands[stores ? 0 : 1];
        const int64_t size = (int64_t)ptx_type_size((ptx_type)f->code[k].type);
        if (o->kind != PTX_OPERAND_ADDRESS || o->reg != from->reg || o->integer + size * f->code[k].vector != begin)
            continue;
        if (size > 1) return end % size == 0;
        begin = o->integer;
    }
    return false;
}

bool poison_read(poisons *p, const frame *f, uint32_t pc, uint32_t lane, uint32_t origin, uint32_t bytes) {
    const ptx_instruction *t = &f->function->source->instructions[pc];
    const insn *i = &f->function->code[pc];
    const ptx_operand *o = &t->operands[0];
    const poison it = {.frame = f, .origin = origin, .padding = loads_padding(f->function, pc)};
    if (t->used_bytes != 0) bytes &= t->used_bytes;
    if (opcode_is(t->opcode, "ldmatrix")) { /* row r of matrix m goes to four lanes, or, transposed, to every fourth */
        const int matrix = (int)lane / 8;
        const uint32_t row = lane % 8,
                       lanes = strstr(t->opcode, ".trans") != NULL ? 0x11111111u << row / 2 : 0xfu << 4 * row;
        const ptx_operand *e = o->kind == PTX_OPERAND_VECTOR ? &o->elements[matrix % o->element_count] : o;
        return e->kind == PTX_OPERAND_REGISTER && add(p, it, e->reg, lanes, ALL_BYTES);
    }
    const bool matrix = opcode_is(t->opcode, "wmma");
    const unsigned each = matrix ? 0 : ptx_type_size((ptx_type)i->type);
    const uint32_t lanes = matrix ? ALL_LANES : 1u << lane, whole = each == 0 ? ALL_BYTES : (1u << each) - 1;
    bool any = false;
    if (o->kind == PTX_OPERAND_REGISTER) any = add(p, it, o->reg, lanes, bytes);
    for (int k = 0; k < o->element_count; k++)
        if (o->elements[k].kind == PTX_OPERAND_REGISTER)
            any = add(p, it, o->elements[k].reg, lanes, bytes >> k * (int)each & whole) || any;
    return any;
}

/* The lanes whose poison in operand `o` a selection takes. */
static uint32_t selected(const warp *w, const insn *i, const ptx_instruction *t, int o) {
    if (!opcode_is(t->opcode, "selp")) return ALL_LANES;
    const uint32_t p = *(const uint32_t *)(w->registers + i->op[3]);
    return o == 1 ? p : o == 2 ? ~p : ALL_LANES;
}

/* Bytes of one of the registers of a mov of several to one, or of one to several. */
static int part_of(const ptx_instruction *t, const ptx_operand *vector) {
    return (strstr(t->opcode, "64") != NULL ? 8 : 4) / (vector->element_count > 0 ? vector->element_count : 1);
}

/* Puts it into what the instruction computes. */
static void carry(poisons *p, const ptx_instruction *t, poison it) {
    const ptx_operand *to = &t->operands[0];
    const int part = part_of(t, to);
    if (to->kind == PTX_OPERAND_REGISTER) add(p, it, to->reg, it.carried, it.carried_bytes);
    for (int e = 0; e < to->element_count; e++)
        if (to->elements[e].kind == PTX_OPERAND_REGISTER)
            add(p, it, to->elements[e].reg, it.carried,
                it.spreads ? ALL_BYTES : (uint32_t)it.carried_bytes >> e * part & ((1u << part) - 1));
}

/* The bytes of a mov's or selp's source that are unwritten. */
static uint32_t moved_bytes(const ptx_instruction *t, const ptx_operand *from, const poison *it) {
    uint32_t bytes = from->reg == it->reg ? it->bytes : 0;
    for (int e = 0; e < from->element_count; e++)
        if (from->elements[e].reg == it->reg) bytes |= (uint32_t)it->bytes << e * part_of(t, from);
    return bytes;
}

/* Is it a store that only copies the value, which is not yet a use? */
static bool stores_along(const ptx_instruction *t, const insn *i, const poison *it) {
    return opcode_is(t->opcode, "st") && (i->space == PTX_LOCAL || it->padding);
}

/* The bytes that are stored. */
static void store(poisons *p, const ptx_instruction *t, const insn *i, const poison *it, uint32_t lanes) {
    const ptx_operand *o = &t->operands[1];
    const int each = (int)ptx_type_size((ptx_type)i->type), count = o->element_count > 0 ? o->element_count : 1;
    for (int e = 0; e < count; e++) {
        if ((o->element_count > 0 ? o->elements[e].reg : o->reg) != it->reg) continue;
        const uint32_t bytes = it->bytes & ((1u << each) - 1);
        for (int l = 0; l < LANES; l++)
            if (lanes >> l & 1) p->stored[l] |= (uint16_t)(bytes << e * each);
    }
}

/* Does it only pass on what spreads? */
static bool passes(const ptx_instruction *t, int operand, bool result) {
    static const char *const judges[] = {"ld", "atom", "vote", "match", "redux", "call", "bar", "barrier", "mbarrier"};
    for (size_t k = 0; k < sizeof judges / sizeof *judges; k++)
        if (opcode_is(t->opcode, judges[k])) return false;
    return result && t->operands[operand].kind != PTX_OPERAND_ADDRESS;
}

static void forget_empty(poisons *p) {
    const int before = p->count;
    for (int k = p->count - 1; k >= 0; k--)
        if (p->list[k].lanes == 0) p->list[k] = p->list[--p->count];
    if (p->count == before) return;
    memset(p->marked, 0, sizeof p->marked);
    for (int k = 0; k < p->count; k++) mark(p, p->list[k].reg);
}

/* Follows one poisoned register through the instruction: true if the lanes compute with it. */
static bool use(poisons *p, poison *it, const warp *w, const insn *i, uint32_t lanes) {
    const ptx_instruction *t = &w->frame->function->source->instructions[i->pc];
    const bool result = instruction_has_result(t), moves = opcode_is(t->opcode, "mov") || opcode_is(t->opcode, "selp");
    if (it->spreads && t->guard == it->reg) return true;
    for (int o = result ? 1 : 0; o < t->operand_count; o++) {
        if (!operand_names(&t->operands[o], it->reg)) continue;
        if (moves) {
            it->carried |= lanes & selected(w, i, t, o);
            it->carried_bytes |= (uint16_t)moved_bytes(t, &t->operands[o], it);
        } else if (o == 1 && stores_along(t, i, it))
            store(p, t, i, it, lanes);
        else if (o == 1 && opcode_is(t->opcode, "shfl"))
            continue; /* poison_shuffle */
        else if (it->spreads && passes(t, o, result)) {
            it->carried |= lanes;
            it->carried_bytes = ALL_BYTES;
        } else
            return true;
    }
    return false;
}

bool poison_step(poisons *p, const warp *w, const insn *i, uint32_t mask, uint32_t *origin) {
    const frame *f = w->frame;
    const ptx_function *s = f->function->source;
    memset(p->stored, 0, sizeof p->stored);
    const bool last = (int)i->pc >= s->instruction_count;
    const ptx_instruction *t = last ? NULL : &s->instructions[i->pc];
    const bool leaves = last || opcode_is(t->opcode, "ret") || opcode_is(t->opcode, "exit");
    if (!leaves && !may_concern(p, t)) return false;
    const bool overwrites = !last && instruction_has_result(t) && !opcode_is(t->opcode, "shfl");
    const int count = p->count;
    bool used = false;
    for (int k = 0; k < count && !used; k++) {
        poison *it = &p->list[k];
        it->carried = it->carried_bytes = 0;
        if (last || it->frame != f || (it->lanes & mask) == 0) continue;
        used = use(p, it, w, i, it->lanes & mask);
        if (used) *origin = it->origin;
    }
    for (int k = 0; k < count; k++) {
        poison *it = &p->list[k];
        if (used && it->origin == *origin) it->lanes = it->carried = 0;
        if (it->frame == f && (leaves || (overwrites && operand_names(&t->operands[0], it->reg)))) it->lanes &= ~mask;
    }
    for (int k = 0; k < count; k++) {
        const poison it = p->list[k];
        if (it.carried != 0) carry(p, t, it);
    }
    forget_empty(p);
    return used;
}

void poison_shuffle(poisons *p, const frame *f, const insn *i, uint32_t lanes, uint32_t absent, const uint32_t *from,
                    uint32_t origin) {
    const ptx_instruction *t = &f->function->source->instructions[i->pc];
    const ptx_operand *to = &t->operands[0];
    const int reg = to->kind == PTX_OPERAND_REGISTER ? to->reg : to->element_count > 0 ? to->elements[0].reg : -1;
    const int count = p->count;
    if (reg < 0) return;
    for (int k = count - 1; k >= 0; k--) {
        const poison it = p->list[k];
        if (it.frame != f) continue;
        uint32_t moved = 0;
        for (int l = 0; l < LANES && it.reg == t->operands[1].reg; l++)
            moved |= (it.lanes >> (from[l] % LANES) & 1) << l;
        moved &= lanes & ~absent;
        if (it.reg == reg) p->list[k].lanes = (it.lanes & ~lanes) | moved;
        if (it.reg != reg) add(p, it, reg, moved, it.bytes);
    }
    add(p, (poison){.frame = f, .origin = origin, .spreads = true}, reg, absent, ALL_BYTES);
    forget_empty(p);
}

void poison_clear(poisons *p) {
    p->count = 0;
    memset(p->marked, 0, sizeof p->marked);
}
void poison_free(poisons *p) {
    free(p->list);
    *p = (poisons){0};
}
