/* The lanes' addresses of a memory instruction, for its handlers, and the quick ways to see that all of them are good.
 * What these do not take goes to access_resolve. */
#ifndef SIM_EXEC_ADDRESS_H
#define SIM_EXEC_ADDRESS_H

#include "cluster.h"
#include "exec_memory.h"

/* Addresses of all lanes; those outside of the mask get the first active lane's. */
static inline void lane_addresses(warp *w, const insn *i, uint32_t mask, uint64_t *address) {
    uint64_t offset = (uint64_t)i->imm;
    if (i->mode & MODE_FRAME) offset += w->frame->local_base;
    if (i->mode & MODE_NARROW) {
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
    const memory_allocation *m = w->worker->recent[(i - w->code) & (RECENT_ALLOCATIONS - 1)];
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

#endif
