#include "machine/proxy.h"

#include <stdio.h>
#include <string.h>

#include "machine/async_fault.h"
#include "machine/cluster.h"
#include "machine/mbarrier.h"

void proxy_wrote_granules(block *b, uint32_t offset, uint32_t bytes, const warp *w, int lane) {
    if (bytes == 0 || offset >= b->shared_end) return;
    if (lane < 0) lane = w->active != 0 ? __builtin_ctz(w->active) : 0;
    const uint32_t thread = w->block->rank << PROXY_RANK | (w->index * LANES + (uint32_t)lane + 1);
    b->unfenced = true;
    for (uint32_t g = offset / PROXY_GRANULE; g <= (offset + bytes - 1) / PROXY_GRANULE; g++) {
        if (b->dirty[g] & PROXY_SOURCE)
            async_fault(b, SIM_ILLEGAL_INSTRUCTION,
                        "shared memory at 0x%x is overwritten while a bulk copy may still read it: "
                        "cp.async.bulk.wait_group is missing",
                        g * PROXY_GRANULE);
        b->dirty[g] = (b->dirty[g] & PROXY_SOURCE) | thread;
    }
}

void proxy_wrote_lanes(warp *w, uint32_t mask, uint8_t *const *pointers, unsigned bytes) {
    const cluster *c = w->block->cluster;
    block *b = w->block;
    for (int l = 0; l < LANES; l++) {
        if (!(mask >> l & 1)) continue;
        for (uint32_t r = 0; (uintptr_t)pointers[l] - (uintptr_t)b->shared >= b->shared_end && r < c->size; r++)
            b = c->blocks[r];
        const uintptr_t offset = (uintptr_t)pointers[l] - (uintptr_t)b->shared;
        if (offset < b->shared_end) proxy_wrote_granules(b, (uint32_t)offset, bytes, w, l);
    }
}

bool proxy_check(warp *w, block *b, uint32_t offset, uint32_t bytes, const char *what) {
    if (b->dirty == NULL || bytes == 0 || (!b->unfenced && what[0] == 'r')) return true;
    for (uint32_t g = offset / PROXY_GRANULE; g <= (offset + bytes - 1) / PROXY_GRANULE; g++) {
        const uint32_t thread = b->dirty[g] & PROXY_THREAD;
        if (b->dirty[g] & PROXY_SOURCE && what[0] != 'r')
            async_fault(b, SIM_ILLEGAL_INSTRUCTION,
                        "shared memory at 0x%x is %s while a bulk copy may still read it: cp.async.bulk.wait_group is "
                        "missing",
                        g * PROXY_GRANULE, what);
        if (thread == 0) continue;
        const uint32_t number = (thread & ((1u << PROXY_RANK) - 1)) - 1, rank = thread >> PROXY_RANK,
                       l = number % LANES;
        const block *its = b->cluster->blocks[rank];
        const warp *writer = &its->warps[number / LANES];
        char where[64] = "";
        if (its != w->block)
            snprintf(where, sizeof where, " of block (%u,%u,%u)", its->ctaid[0], its->ctaid[1], its->ctaid[2]);
        async_fault(b, SIM_ILLEGAL_INSTRUCTION,
                    "shared memory at 0x%x is %s by the asynchronous proxy without fence.proxy.async after thread "
                    "(%u,%u,%u)%s wrote it",
                    g * PROXY_GRANULE, what, writer->tid[0][l], writer->tid[1][l], writer->tid[2][l], where);
    }
    return true;
}

void proxy_fence(block *b) {
    const cluster *c = b->cluster;
    if (b->dirty == NULL) return;
    for (uint32_t r = 0; r < c->size; r++) {
        block *each = c->blocks[r];
        if (!each->unfenced) continue;
        each->unfenced = false;
        const uint32_t granules = (each->shared_end + PROXY_GRANULE - 1) / PROXY_GRANULE;
        for (uint32_t g = 0; g < granules; g++) each->dirty[g] &= PROXY_SOURCE;
    }
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
