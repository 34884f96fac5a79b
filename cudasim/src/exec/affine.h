/* Registers kept as base + lane * step.
 *
 * Loop counters, pointers and what is derived from a thread's number have the same value in all lanes, or values at
 * equal distances. A register of which isa/affine.c finds that this may be so is kept as these two numbers: an addition
 * is then two additions instead of 32, and where the lanes of a load lie need not be looked at.
 *
 * The handler name_affine stands beside the handler `name`. It works on the two numbers where all 32 lanes run and its
 * sources are known so; else it writes out the lanes (affine_spread), says that they are all there is, and leaves the
 * work to `name`. So whatever knows nothing of this, and is given spread registers, is right; what a register holds
 * does not depend on the form. Arithmetic on base and step wraps around as it does in the lanes.
 */
#pragma once

#include "exec/lanes.h"

/* &w->affine[i->op[n] / AFFINE_UNIT]: one division gives the offset in bytes, and no multiplication by the size of an
 * affine follows. */
#define AFFINE(n) ((affine *)((uint8_t *)w->affine + i->op[n] / (AFFINE_UNIT / sizeof(affine))))

/* Writes a register's lanes, where it has been kept without them. */
static __attribute__((noinline, unused)) void affine_spread_now(warp *w, uint32_t slot) {
    affine *f = &w->affine[slot / AFFINE_UNIT];
    if (f->bytes == 8) {
        uint64_t *lanes = (uint64_t *)__builtin_assume_aligned(w->registers + slot, 128);
        EACH_LANE lanes[l] = f->base + (uint64_t)l * f->step;
    } else {
        uint32_t *lanes = (uint32_t *)__builtin_assume_aligned(w->registers + slot, 128);
        EACH_LANE lanes[l] = (uint32_t)f->base + (uint32_t)l * (uint32_t)f->step;
    }
    f->kept = AFFINE_AND_LANES;
}
static inline void affine_spread(warp *w, uint32_t slot) {
    if (w->affine[slot / AFFINE_UNIT].kept == AFFINE_ONLY) affine_spread_now(w, slot);
}

/* Has the register lanes? */
static inline bool affine_has_lanes(const affine *f) {
    return f->kept != AFFINE_ONLY;
}

/* The plain handler, of an instruction with a destination op[0] and so many sources after it. */
static __attribute__((noinline, unused)) void affine_give_up(warp *w, const insn *i, uint32_t mask, int sources,
                                                             sim_handler *plain) {
    for (int n = 1; n <= sources; n++) affine_spread(w, i->op[n]);
    if (mask != ALL_LANES) affine_spread(w, i->op[0]); /* the other lanes keep what they hold */
    AFFINE(0)->kept = LANES_ONLY;
    plain(w, i, mask);
}

/* d = base + lane * step, lanes of so many bytes. */
static inline void affine_set(affine *d, uint64_t base, uint64_t step, unsigned bytes) {
    d->base = bytes == 8 ? base : (uint32_t)base;
    d->step = bytes == 8 ? step : (uint32_t)step;
    d->bytes = bytes;
    d->kept = AFFINE_ONLY;
}

/* 32-bit lanes as 64-bit ones, sign- or zero-extended: false where their values wrap around, which is not affine then.
 * All values lie between lane 0's and lane 31's. */
static inline bool affine_extend(const affine *f, bool is_signed, uint64_t *base, uint64_t *step) {
    const int64_t first = is_signed ? (int32_t)f->base : (int64_t)(uint32_t)f->base, apart = (int32_t)f->step;
    const int64_t last = first + (LANES - 1) * apart;
    *base = (uint64_t)first;
    *step = (uint64_t)apart;
    return is_signed ? last >= INT32_MIN && last <= INT32_MAX : last >= 0 && last <= UINT32_MAX;
}
