/* The lanes' addresses of a memory instruction, for its handlers, and the quick ways to see that all of them are good.
 * What these do not take goes to access_resolve. */
#pragma once

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "exec/affine.h"
#include "machine/access.h"
#include "machine/cluster.h"

/* Addresses of all lanes; those outside of the mask get the first active lane's. */
static inline void lane_addresses(warp *w, const insn *i, uint32_t mask, uint64_t *address) {
    uint64_t offset = (uint64_t)i->imm;
    if (i->flags & MODE_FRAME) offset += w->frame->local_base;
    if (i->flags & MODE_NARROW) {
        const uint32_t *a = U32(4);
        EACH_LANE address[l] = (uint32_t)(a[l] + (uint32_t)offset);
    } else {
        const uint64_t *a = U64(4);
        EACH_LANE address[l] = a[l] + offset;
    }
    if (mask != ALL_LANES) {
        const uint64_t some = address[__builtin_ctz(mask)];
        EACH_LANE address[l] = mask >> l & 1 ? address[l] : some;
    }
}

/* Lowest and highest address, and all their bits or-ed. */
static inline void span(const uint64_t *address, uint64_t *low, uint64_t *high, uint64_t *bits) {
    uint64_t lo = UINT64_MAX, hi = 0, or = 0;
    for (int l = 0; l < LANES; l++) {
        lo = address[l] < lo ? address[l] : lo;
        hi = address[l] > hi ? address[l] : hi;
        or |= address[l];
    }
    *low = lo;
    *high = hi;
    *bits = or ;
}

/* Are all lanes inside of what this instruction last touched? Then an address is its own host pointer. */
static inline bool known_global(warp *w, const insn *i, const uint64_t *address, unsigned bytes, bool write,
                                uint64_t *low, uint64_t *high) {
    uint64_t bits;
    span(address, low, high, &bits);
    const memory_allocation *m = *recent_allocation(w, i);
    return m != NULL && *low >= m->base && *high - m->base + bytes <= m->size && (bits & (bytes - 1)) == 0 &&
           !(write && m->kind == MEMORY_CONSTANT);
}

/* Are all lanes inside of the block's own shared memory? Then addresses become offsets. */
static inline bool known_shared(warp *w, uint64_t *address, unsigned bytes, uint64_t *low, uint64_t *high) {
    uint64_t bits;
    span(address, low, high, &bits);
    const uint64_t base = cluster_base(w->block);
    if (base != 0) {
        if (*low < base + SHARED_RESERVED || *high > base + w->block->shared_end - bytes || (bits & (bytes - 1)) != 0)
            return false;
        EACH_LANE address[l] -= base;
        *low -= base;
        *high -= base;
        return true;
    }
    return *low >= SHARED_RESERVED && *high <= w->block->shared_end - bytes && (bits & (bytes - 1)) == 0;
}

/* Are all lanes inside of their own stacks? Then each gets its pointer. */
static inline bool known_local(const warp *w, const uint64_t *address, unsigned bytes, uint8_t **pointer) {
    uint64_t low, high, bits;
    span(address, &low, &high, &bits);
    const uint64_t top = (uint64_t)w->frame->local_base + w->frame->function->frame_bytes;
    if (w->stack == NULL || high > top || bytes > top - high || (bits & (bytes - 1)) != 0) return false;
    EACH_LANE pointer[l] = w->stack + (uint64_t)l * w->launch->stack_bytes + address[l];
    return true;
}

/* ---- lanes at one place, or at one place after another ------------------------------------------------------------
 */

typedef enum layout { LAYOUT_ANY, LAYOUT_ONE, LAYOUT_ROW } layout;

/* Is lane l's number `first` + l * step? Two vectors' worth of work, or four; the compiler's own way to a truth value
 * is twice as long. */
static inline __attribute__((always_inline)) bool in_steps_64(const uint64_t *a, uint64_t first, unsigned step) {
#ifdef __AVX512F__
    typedef uint64_t eight __attribute__((vector_size(64)));
    const eight *v = (const eight *)a, want = first + step * (eight){0, 1, 2, 3, 4, 5, 6, 7};
    const eight apart =
        (v[0] ^ want) | (v[1] ^ (want + 8 * step)) | (v[2] ^ (want + 16 * step)) | (v[3] ^ (want + 24 * step));
    return _mm512_test_epi64_mask((__m512i)apart, (__m512i)apart) == 0;
#else
    uint64_t apart = 0;
    EACH_LANE apart |= a[l] ^ (first + (uint64_t)step * (uint64_t)l);
    return apart == 0;
#endif
}
static inline __attribute__((always_inline)) bool in_steps_32(const uint32_t *a, uint32_t first, unsigned step) {
#ifdef __AVX512F__
    typedef uint32_t sixteen __attribute__((vector_size(64)));
    const sixteen *v = (const sixteen *)a,
                  want = first + step * (sixteen){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const sixteen apart = (v[0] ^ want) | (v[1] ^ (want + 16 * step));
    return _mm512_test_epi32_mask((__m512i)apart, (__m512i)apart) == 0;
#else
    uint32_t apart = 0;
    EACH_LANE apart |= a[l] ^ (first + step * (uint32_t)l);
    return apart == 0;
#endif
}

/* How the lanes of a whole warp lie that access `step` bytes each; *first is lane 0's address. */
static inline __attribute__((always_inline)) layout lanes_layout(const warp *w, const insn *i, uint32_t mask,
                                                                 unsigned step, uint64_t *first) {
    *first = 0;
    if (mask != ALL_LANES) return LAYOUT_ANY;
    if (i->flags & MODE_NARROW) {
        const uint32_t *a = U32(4), apart = a[LANES - 1] - a[0];
        *first = (uint32_t)(a[0] + (uint32_t)i->imm);
        if (apart == 0) return in_steps_32(a, a[0], 0) ? LAYOUT_ONE : LAYOUT_ANY;
        return apart == step * (LANES - 1) && in_steps_32(a, a[0], step) ? LAYOUT_ROW : LAYOUT_ANY;
    }
    const uint64_t *a = U64(4), apart = a[LANES - 1] - a[0];
    *first = a[0] + (uint64_t)i->imm;
    if (apart == 0) return in_steps_64(a, a[0], 0) ? LAYOUT_ONE : LAYOUT_ANY;
    return apart == step * (LANES - 1) && in_steps_64(a, a[0], step) ? LAYOUT_ROW : LAYOUT_ANY;
}

/* Host pointer of `bytes` bytes from `first` on, which is aligned as `unit` is long; NULL where known_global, or
 * known_shared, must look at every lane. */
static inline uint8_t *known_global_range(warp *w, const insn *i, uint64_t first, unsigned bytes, unsigned unit,
                                          bool write) {
    const memory_allocation *m = *recent_allocation(w, i);
    const bool known = m != NULL && bytes <= m->size && first - m->base <= m->size - bytes &&
                       (first & (unit - 1)) == 0 && !(write && m->kind == MEMORY_CONSTANT);
    return known ? (uint8_t *)first : NULL;
}
static inline uint8_t *known_shared_range(const warp *w, __attribute__((unused)) const insn *i, uint64_t first,
                                          unsigned bytes, unsigned unit, bool write) {
    const block *b = w->block;
    first -= cluster_base(b);
    const bool known = first >= SHARED_RESERVED && bytes <= b->shared_end && first <= b->shared_end - bytes &&
                       (first & (unit - 1)) == 0 && !(write && b->dirty != NULL);
    return known ? b->shared + first : NULL;
}

/* ---- addresses kept as base + lane * step (affine.h) --------------------------------------------------------------
 */

/* Where an address leads that may be kept as base + lane * step, of single elements: *step, and lane 0's address. False
 * where it is not kept so, or not all lanes run. */
static inline __attribute__((always_inline)) bool affine_address(warp *w, const insn *i, uint32_t mask, int64_t *step,
                                                                 uint64_t *first) {
    const affine *a = AFFINE(4);
    const bool narrow = i->flags & MODE_NARROW;
    *first = narrow ? (uint32_t)(a->base + (uint64_t)i->imm) : a->base + (uint64_t)i->imm;
    *step = narrow ? (int32_t)a->step : (int64_t)a->step;
    return mask == ALL_LANES && a->kept != LANES_ONLY && i->vector == 1;
}

/* Host pointer of lane 0 where the lanes access elements at one place, or one after another; *step tells. Otherwise
 * NULL, as where that is not all in known memory. */
#define AFFINE_POINTER(space)                                                                                          \
    static inline __attribute__((always_inline))                                                                       \
    uint8_t *affine_##space(warp *w, const insn *i, uint32_t mask, unsigned each, bool write, int64_t *step) {         \
        uint64_t first;                                                                                                \
        if (!affine_address(w, i, mask, step, &first) || (*step != 0 && *step != each)) return NULL;                   \
        return known_##space##_range(w, i, first, *step == 0 ? each : LANES * each, each, write);                      \
    }
AFFINE_POINTER(global)
AFFINE_POINTER(shared)
