/* What loads and stores touch, and what loads bring. Stores to global memory change nothing: the program's own run of
 * the kernel does that. */
#include <string.h>

#include "base/memory.h"
#include "predict/lanes.h"

uint64_t lanes_address(const lane_warp *w, const sass_operand *o, int lane) {
    uint64_t at = (uint64_t)o->number;
    if (o->reg >= 0 && o->reg != SASS_RZ) {
        uint64_t base = w->registers[o->reg][lane];
        if (o->wide) base |= (uint64_t)w->registers[(o->reg + 1) & 255][lane] << 32;
        at += base * (o->scale > 1 ? o->scale : 1);
    }
    if (o->uniform >= 0 && o->uniform != SASS_URZ) {
        at += w->uniform[o->uniform];
        if (o->wide) at += (uint64_t)w->uniform[(o->uniform + 1) & 63] << 32;
    }
    return o->wide ? at : (uint32_t)at;
}

/* Host memory behind a global address; NULL: none. */
static const uint8_t *global_at(uint64_t address, unsigned bytes) {
    static _Thread_local const memory_allocation *last;
    if (last == NULL || address < last->base || address + bytes > last->base + last->size) last = memory_find(address);
    if (last == NULL || address < last->base || address + bytes > last->base + last->size) return NULL;
    return (const uint8_t *)(uintptr_t)address;
}

/* Another block's shared memory is this one's: it is taken to hold the same. */
static uint8_t *shared_at(const lane_warp *w, uint64_t address, unsigned bytes) {
    address &= SHARED_OFFSETS;
    return address + bytes <= w->launch->shared_bytes ? w->block->shared + address : NULL;
}

static void put(lane_warp *w, const sass_operand *to, int lane, const uint8_t *from, unsigned bytes, bool is_signed) {
    if (to->kind != KIND_REGISTER || to->reg == SASS_RZ) return;
    uint32_t words[4] = {0};
    if (from != NULL) memcpy(words, from, bytes);
    if (is_signed && bytes == 1) words[0] = (uint32_t)(int8_t)words[0];
    if (is_signed && bytes == 2) words[0] = (uint32_t)(int16_t)words[0];
    for (unsigned k = 0; k < (bytes + 3) / 4; k++) w->registers[(to->reg + (int)k) & 255][lane] = words[k];
}

static void store_shared(lane_warp *w, const sass_operand *from, int lane, uint64_t address, unsigned bytes) {
    uint8_t *to = shared_at(w, address, bytes);
    uint32_t words[4] = {0};
    for (unsigned k = 0; k < (bytes + 3) / 4 && from->kind == KIND_REGISTER && from->reg != SASS_RZ; k++)
        words[k] = w->registers[(from->reg + (int)k) & 255][lane];
    if (to != NULL) memcpy(to, words, bytes);
}

/* SHFL p, r, x, lane or mask, clamp and segments. */
static void shuffle(lane_warp *w, const sass_insn *i, uint32_t active) {
    uint32_t x[LANES], y[LANES], z[LANES], r[LANES], ok = 0;
    const uint32_t *value = lanes_value(w, &i->operands[2], x), *by = lanes_value(w, &i->operands[3], y);
    const uint32_t *clamp = lanes_value(w, &i->operands[4], z);
    for (int t = 0; t < LANES; t++) {
        const int segment = (int)(clamp[t] >> 8 & 31), most = (t & segment) | ((int)clamp[t] & 31 & ~segment);
        int from = HAS(i, UP)     ? t - (int)(by[t] & 31)
                   : HAS(i, DOWN) ? t + (int)(by[t] & 31)
                   : HAS(i, BFLY) ? t ^ (int)(by[t] & 31)
                                  : (t & segment) | ((int)by[t] & 31 & ~segment);
        const bool within = HAS(i, UP) ? from >= most : from <= most;
        if (!within || from < 0 || from > 31) from = t;
        r[t] = value[from];
        ok |= (uint32_t)within << t;
    }
    lanes_set(w, &i->operands[1], 0, r, active);
    const int p = i->operands[0].reg;
    if (i->operands[0].kind == KIND_PREDICATE && p != SASS_PT)
        w->predicates[p] = (w->predicates[p] & ~active) | (ok & active);
}

/* LDGSTS [shared], [global] {, predicate}: copies, or writes zeros. */
static void copy_async(lane_warp *w, const sass_insn *i, uint32_t active, lane_access *a) {
    static const uint8_t zeros[16];
    a->copying = active & (i->count > 2 ? lanes_predicate(w, &i->operands[2]) : ~0u);
    for (int t = 0; t < LANES; t++) {
        if (!(active >> t & 1)) continue;
        const uint64_t to = lanes_address(w, &i->operands[0], t);
        a->address[t] = lanes_address(w, &i->operands[1], t);
        a->target[t] = (unsigned)to;
        const uint8_t *from = a->copying >> t & 1 ? global_at(a->address[t], a->bytes) : zeros;
        uint8_t *place = shared_at(w, to, a->bytes);
        if (place != NULL) memcpy(place, from != NULL ? from : zeros, a->bytes);
    }
}

/* A lane's atomic operation; operand `where` is its address. CAST is the compare-and-swap of a loop that adds in
 * floating point. What it would store is not computed; it stores what nobody expects, and so the others have to try
 * again. */
static void atomic(lane_warp *w, const sass_insn *i, int where, int lane, uint64_t address) {
    const uint8_t *at = i->op == SASS_ATOMS ? shared_at(w, address, 4) : global_at(address, 4);
    const sass_operand *by = &i->operands[where + 1];
    const bool is_register = by->kind == KIND_REGISTER && by->reg != SASS_RZ;
    const uint32_t given = is_register               ? w->registers[by->reg][lane]
                           : by->kind == KIND_NUMBER ? (uint32_t)by->number
                                                     : 0;
    uint32_t word = 0, result;
    if (at != NULL) memcpy(&word, at, sizeof word);
    result = HAS(i, CAST) ? word == given : word;
    word += HAS(i, CAST) ? result : HAS(i, ADD) ? given : 0;
    if (at != NULL && i->op == SASS_ATOMS) memcpy(shared_at(w, address, 4), &word, sizeof word);
    if (where > 0) put(w, &i->operands[where - 1], lane, (const uint8_t *)&result, sizeof result, false);
}

lane_effect lanes_memory(lane_warp *w, const sass_insn *i, uint32_t active, lane_access *a) {
    const bool is_store = i->op == SASS_STG || i->op == SASS_STS || i->op == SASS_STL || i->op == SASS_ST;
    const bool is_global = i->op == SASS_LDG || i->op == SASS_LD, is_signed = HAS(i, S8) || HAS(i, S16);
    a->mask = active;
    a->bytes = i->op == SASS_LDSM || i->op == SASS_STSM ? 16 : i->bytes;
    a->copying = 0;
    if (active == 0) return EFFECT_NONE;
    if (i->op == SASS_SHFL) {
        shuffle(w, i, active);
        return EFFECT_ACCESS;
    }
    if (i->op == SASS_LDGSTS) {
        copy_async(w, i, active, a);
        return EFFECT_ACCESS;
    }
    const sass_operand *where = NULL;
    for (int k = 0; k < i->count && where == NULL; k++)
        if (i->operands[k].kind == KIND_ADDRESS) where = &i->operands[k];
    if (where == NULL) return EFFECT_NONE;
    for (int t = 0; t < LANES; t++) {
        if (!(active >> t & 1)) continue;
        const uint64_t address = a->address[t] = lanes_address(w, where, t);
        if (i->op == SASS_ATOMS || i->op == SASS_ATOMG || i->op == SASS_RED || i->op == SASS_REDG) {
            atomic(w, i, (int)(where - i->operands), t, address);
            continue;
        }
        if (i->op == SASS_STS) store_shared(w, &i->operands[1], t, address, a->bytes);
        if (is_store || i->op == SASS_LDSM || i->op == SASS_STSM || i->op == SASS_LDL) continue;
        const uint8_t *from = is_global ? global_at(address, a->bytes) : shared_at(w, address, a->bytes);
        put(w, &i->operands[0], t, from, a->bytes, is_signed);
        if (w->napped && HAS(i, STRONG) && i->operands[0].kind == KIND_REGISTER && i->operands[0].reg != SASS_RZ &&
            w->registers[i->operands[0].reg][t] == 0)
            w->registers[i->operands[0].reg][t] = 1;
    }
    if (HAS(i, STRONG)) w->napped = false;
    return EFFECT_ACCESS;
}
