/* Decides whether op_observe has to call the observers' hooks for an access. Three kinds of access skip them: one that
 * repeats the instruction's latest one, which is only counted; one to a space for which no observer has a hook; and one
 * that an observer's quick hook has dealt with. */
#pragma once

#include "base/parts.h"
#include "exec/address.h"
#include "exec/affine.h"
#include "machine/observe.h"

/* A register's lanes plus an offset, also where it is kept as base + lane * step. */
static inline void lanes_of(const warp *w, uint32_t slot, bool narrow, uint64_t offset, uint64_t *address) {
    const affine *f = w->frame->function->affine_bytes > 0 ? &w->affine[slot / AFFINE_UNIT] : NULL;
    if (f != NULL && !affine_has_lanes(f)) {
        const uint64_t base = f->base + offset, step = f->step, bits = narrow ? UINT32_MAX : UINT64_MAX;
        EACH_LANE address[l] = (base + (uint64_t)l * step) & bits;
    } else if (narrow) {
        const uint32_t *a = (const uint32_t *)__builtin_assume_aligned(w->registers + slot, 128);
        EACH_LANE address[l] = (uint32_t)(a[l] + (uint32_t)offset);
    } else {
        const uint64_t *a = (const uint64_t *)__builtin_assume_aligned(w->registers + slot, 128);
        EACH_LANE address[l] = a[l] + offset;
    }
}

/* ---- repeats -------------------------------------------------------------------------------------------------------
 */

/* Are the lanes as far apart as in the latest access? *first is lane 0's address. */
static __attribute__((noinline, unused)) bool same_lanes(const warp *w, const insn *i, const access_pattern *p,
                                                         uint64_t *first) {
    uint64_t address[LANES], other = 0;
    lanes_of(w, i->op[4], i->flags & MODE_NARROW, (uint64_t)i->imm, address);
    *first = address[0];
    EACH_LANE other |= (address[l] - *first) ^ p->apart[l];
    return other == 0;
}

/* A repetition of the latest access by all lanes, from `first` on. False where it begins elsewhere in its sector. */
static inline __attribute__((always_inline)) bool repeats_at(warp *w, const insn *i, access_pattern *p,
                                                             uint64_t first) {
    const uint64_t at = first & p->modulo, sector = first / 32;
    if (at < p->low || at > p->high) return false;
    if (i->space != PTX_GLOBAL || sector == p->sector) {
        ++*(p->moves == 0 ? &p->stays : &p->times[p->moves - 1]);
        return true;
    }
    if (p->moves == MOST_MOVES) observe_repeated(w, i->pc);
    p->sector = sector;
    p->to[p->moves] = sector;
    p->times[p->moves++] = 1;
    return true;
}

/* The same of lanes at first + lane * step. */
static inline __attribute__((always_inline)) bool repeats_affine(warp *w, const insn *i, access_pattern *p,
                                                                 uint64_t first, uint64_t step) {
    return p->repeatable && p->affine && p->step == step && repeats_at(w, i, p, first);
}

/* Notes a repetition of the instruction's latest access, if no hook must be called at once. */
static inline __attribute__((always_inline)) bool repeats(warp *w, const insn *i, uint32_t mask) {
    const frame *frame = w->frame;
    if (mask != ALL_LANES || frame->counts == NULL || frame->counts->patterns == NULL) return false;
    access_pattern *p = &frame->counts->patterns[2 * i->pc];
    uint64_t first;
    if (!p->repeatable) return false;
    if (!p->affine) return same_lanes(w, i, p, &first) && repeats_at(w, i, p, first);
    const affine *f = AFFINE(4);
    first = f->base + (uint64_t)i->imm;
    if (i->flags & MODE_NARROW) first = (uint32_t)first;
    return f->kept != LANES_ONLY && repeats_affine(w, i, p, first, f->step);
}

/* ---- accesses without a hook, and those for the quick hook --------------------------------------------------------
 */

/* Does a generic access go to global memory with all its lanes? */
static inline bool all_global(const warp *w, const insn *i, uint32_t mask) {
    const uint64_t least = memory_arena() + WINDOW_END, offset = (uint64_t)i->imm;
    const affine *f = w->frame->function->affine_bytes > 0 ? &w->affine[i->op[4] / AFFINE_UNIT] : NULL;
    if (i->flags & (MODE_NARROW | MODE_FRAME)) return false;
    if (f != NULL && !affine_has_lanes(f)) {
        const uint64_t first = f->base + offset, last = first + (LANES - 1) * f->step;
        return first >= least && last >= least && ((int64_t)f->step >= 0 ? last >= first : last <= first);
    }
    const uint64_t *a = (const uint64_t *)__builtin_assume_aligned(w->registers + i->op[4], 128);
    bool all = true;
    for (int l = 0; l < LANES; l++) all &= !(mask >> l & 1) || a[l] + offset >= least;
    return all;
}

/* Has all of this been written, is nobody writing it, and may all of it be read? */
static inline bool is_complete(const memory_allocation *m, uint64_t first, uint64_t bytes) {
    return memory_is_whole(m, first, bytes) && !memory_may_change(m, first, bytes) &&
           memory_is_open(m, first, bytes, false);
}

/* Do all lanes read what this instruction last touched, all of which has been written and nobody is writing? */
static inline bool all_complete(warp *w, const insn *i, uint32_t mask, unsigned bytes) {
    const memory_allocation *m = *recent_allocation(w, i);
    const uint64_t offset = (uint64_t)i->imm;
    const affine *f = w->frame->function->affine_bytes > 0 ? &w->affine[i->op[4] / AFFINE_UNIT] : NULL;
    if (m == NULL || i->flags & (MODE_NARROW | MODE_FRAME)) return false;
    uint64_t low = UINT64_MAX, high = 0;
    if (f != NULL && !affine_has_lanes(f)) {
        const uint64_t first = f->base + offset, last = first + (LANES - 1) * f->step;
        low = (int64_t)f->step >= 0 ? first : last;
        high = (int64_t)f->step >= 0 ? last : first;
    } else {
        const uint64_t *a = (const uint64_t *)__builtin_assume_aligned(w->registers + i->op[4], 128);
        const uint64_t some = a[__builtin_ctz(mask)];
        for (int l = 0; l < LANES; l++) {
            const uint64_t at = (mask >> l & 1 ? a[l] : some) + offset;
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
    }
    return low <= high && low >= m->base && high - m->base + bytes <= m->size &&
           is_complete(m, low, high - low + bytes);
}

/* Has no observer a hook for this access, other than those that only count? */
static inline bool has_no_hook(warp *w, const insn *i, uint32_t mask, const watched_insn *watched) {
    const uint32_t wanted = w->launch->hooked_spaces;
    if (watched->constant) return !(wanted >> PTX_CONST & 1);
    if (watched->what == WATCH_MATRIX || watched->what == WATCH_WMMA) return false;
    if (i->space != PTX_NO_SPACE && i->space != PTX_GLOBAL) return !(wanted >> i->space & 1);
    if (wanted >> PTX_GLOBAL & 1) return false;
    if (wanted & SPACES_INCOMPLETE)
        return !watched->stores && watched->what != WATCH_ATOMIC && all_complete(w, i, mask, watched->bytes);
    return i->space == PTX_GLOBAL || all_global(w, i, mask);
}

/* Is the quick hook the only one that would be called, and has it dealt with the access? */
static inline bool quick_hook_took(warp *w, const insn *i, uint32_t mask, const watched_insn *watched) {
    const unsigned bytes = watched->bytes;
    observer *o = w->launch->quick;
    if (o == NULL || watched->what != WATCH_READ || i->space != PTX_SHARED || mask != ALL_LANES ||
        watched->order != ORDER_WEAK || i->flags & MODE_FRAME)
        return false;
    const function *f = w->frame->function;
    const affine *known = f->affine_bytes > 0 ? &w->affine[i->op[4] / AFFINE_UNIT] : NULL;
    if (known != NULL && known->kept) {
        const uint64_t bits = i->flags & MODE_NARROW ? UINT32_MAX : UINT64_MAX, step = known->step & bits;
        const uint64_t first = (known->base + (uint64_t)i->imm) & bits;
        return (step == 0 || step == bytes) && o->quick(o, w, f, i, first, (uint32_t)step, bytes);
    }
    uint64_t first;
    const layout how = lanes_layout(w, i, mask, bytes, &first);
    return how != LAYOUT_ANY && o->quick(o, w, f, i, first, how == LAYOUT_ONE ? 0 : bytes, bytes);
}

/* May the hooks be skipped for this access? It is counted all the same. */
static inline bool skips_hooks(warp *w, const insn *i, uint32_t mask, const watched_insn *watched) {
    return w->launch->hooked_spaces == 0 || has_no_hook(w, i, mask, watched) || quick_hook_took(w, i, mask, watched);
}
