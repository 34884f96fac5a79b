#include "watch/ptxas.h"

#include <string.h>

/* ld has its address behind what it loads. */
static const ptx_operand *address_of(const ptx_instruction *i) {
    const int at = i->opcode[0] == 'l' ? 1 : 0;
    return i->operand_count > at ? &i->operands[at] : NULL;
}

static bool same_base(const ptx_operand *a, const ptx_operand *b) {
    const bool symbols = a->symbol != NULL && b->symbol != NULL && strcmp(a->symbol, b->symbol) == 0;
    return a->kind == b->kind && a->reg == b->reg && (a->symbol == b->symbol || symbols);
}

bool ptxas_may_merge(const ptx_function *f, uint32_t pc, unsigned bytes) {
    const ptx_instruction *own = &f->instructions[pc];
    const ptx_operand *at = address_of(own);
    if (at == NULL || bytes < BANKS_BYTES || bytes > 8) return false;
    for (int k = 0; k < f->instruction_count; k++) {
        const ptx_instruction *i = &f->instructions[k];
        if (strcmp(i->opcode, own->opcode) != 0) continue;
        const int64_t apart = address_of(i)->integer - at->integer;
        if ((apart == bytes || apart == -(int64_t)bytes) && same_base(address_of(i), at)) return true;
    }
    return false;
}

/* A wide access begins at a multiple of its width, and is cut up the same in every lane. */
static bool alike(const unsigned *offsets, uint32_t lanes, unsigned width) {
    const unsigned first = offsets[__builtin_ctz(lanes)] % width;
    for (; lanes != 0; lanes &= lanes - 1)
        if (offsets[__builtin_ctz(lanes)] % width != first) return false;
    return true;
}

int ptxas_quarters(const unsigned *offsets, uint32_t lanes, unsigned bytes, banks_kind kind, int wavefronts) {
    int least = 4 * wavefronts;
    for (unsigned width = 2 * bytes; width <= 16 && alike(offsets, lanes, width); width *= 2) {
        unsigned whole[BANKS_LANES];
        for (int l = 0; l < BANKS_LANES; l++) whole[l] = offsets[l] / width * width;
        const int wide = 4 * banks_request(whole, lanes, (int)width, kind).wavefronts * (int)bytes / (int)width;
        if (wide < least) least = wide;
    }
    return least;
}

/* Does any instruction of the function read the register? */
static bool reads(const ptx_operand *o, int count, int reg, bool written) {
    for (int k = 0; k < count; k++) {
        const bool value = o[k].kind == PTX_OPERAND_REGISTER || o[k].kind == PTX_OPERAND_ADDRESS;
        if (value && o[k].reg == reg && !(k == 0 && written && o[k].kind == PTX_OPERAND_REGISTER)) return true;
        if (reads(o[k].elements, o[k].element_count, reg, false)) return true;
    }
    return false;
}
static bool is_read(const ptx_function *f, int reg) {
    for (int k = 0; k < f->instruction_count; k++)
        if (reads(f->instructions[k].operands, f->instructions[k].operand_count, reg, true)) return true;
    return false;
}

banks_kind ptxas_atomic_kind(const ptx_function *f, const ptx_instruction *i) {
    const bool red = strncmp(i->opcode, "red.", 4) == 0;
    const ptx_operand *value = &i->operands[red ? 1 : 2];
    if (strstr(i->opcode, ".cas.") != NULL) return BANKS_SWAP;
    if (strstr(i->opcode, ".add.") == NULL) return BANKS_ATOMIC;
    if (strstr(i->opcode, ".u32") == NULL && strstr(i->opcode, ".s32") == NULL) return BANKS_SWAP;
    const bool one = value->kind == PTX_OPERAND_INTEGER && value->integer == 1;
    return one && (red || !is_read(f, i->operands[0].reg)) ? BANKS_STORE : BANKS_ATOMIC;
}
