#include "proxy.h"

#include <string.h>

#include "mbarrier.h"

void proxy_wrote_granules(block *b, uint32_t offset, uint32_t bytes, uint32_t thread) {
    if (bytes == 0 || offset >= b->shared_end) return;
    if (thread == UINT32_MAX && b->running != NULL)
        thread = b->running->index * LANES + (b->running->active ? (uint32_t)__builtin_ctz(b->running->active) : 0);
    for (uint32_t g = offset / PROXY_GRANULE; g <= (offset + bytes - 1) / PROXY_GRANULE; g++) {
        if (b->dirty[g] & PROXY_SOURCE)
            async_fault(b, SIM_ILLEGAL_INSTRUCTION,
                        "shared memory at 0x%x is overwritten while a bulk copy may still read it: "
                        "cp.async.bulk.wait_group is missing",
                        g * PROXY_GRANULE);
        b->dirty[g] = (b->dirty[g] & PROXY_SOURCE) | ((thread + 1) & PROXY_THREAD);
    }
}

void proxy_wrote_lanes(warp *w, uint32_t mask, uint8_t *const *pointers, unsigned bytes) {
    block *b = w->block;
    for (int l = 0; l < LANES; l++) {
        const uintptr_t offset = (uintptr_t)pointers[l] - (uintptr_t)b->shared;
        if (mask >> l & 1 && offset < b->shared_end)
            proxy_wrote_granules(b, (uint32_t)offset, bytes, w->index * LANES + (uint32_t)l);
    }
}

bool proxy_check(warp *w, block *b, uint32_t offset, uint32_t bytes, const char *what) {
    if (b->dirty == NULL || bytes == 0) return true;
    for (uint32_t g = offset / PROXY_GRANULE; g <= (offset + bytes - 1) / PROXY_GRANULE; g++) {
        const uint32_t thread = b->dirty[g] & PROXY_THREAD;
        if (b->dirty[g] & PROXY_SOURCE && what[0] != 'r')
            async_fault(b, SIM_ILLEGAL_INSTRUCTION,
                        "shared memory at 0x%x is %s while a bulk copy may still read it: cp.async.bulk.wait_group is "
                        "missing",
                        g * PROXY_GRANULE, what);
        if (thread == 0) continue;
        const uint32_t l = (thread - 1) % LANES;
        const warp *writer = &b->warps[(thread - 1) / LANES % (uint32_t)b->warp_count];
        (void)w;
        async_fault(b, SIM_ILLEGAL_INSTRUCTION,
                    "shared memory at 0x%x is %s by the asynchronous proxy without fence.proxy.async after thread "
                    "(%u,%u,%u) wrote it",
                    g * PROXY_GRANULE, what, writer->tid[0][l], writer->tid[1][l], writer->tid[2][l]);
    }
    return true;
}

void proxy_fence(block *b) {
    if (b->dirty == NULL) return;
    const uint32_t granules = (b->shared_end + PROXY_GRANULE - 1) / PROXY_GRANULE;
    for (uint32_t g = 0; g < granules; g++) b->dirty[g] &= PROXY_SOURCE;
}

void proxy_source(block *b, uint32_t offset, uint32_t bytes, bool in_flight) {
    if (b->dirty == NULL || bytes == 0) return;
    for (uint32_t g = offset / PROXY_GRANULE; g <= (offset + bytes - 1) / PROXY_GRANULE; g++) {
        if (in_flight)
            b->dirty[g] |= PROXY_SOURCE;
        else
            b->dirty[g] &= ~PROXY_SOURCE;
    }
}
