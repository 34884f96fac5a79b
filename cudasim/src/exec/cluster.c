/* Instructions on clusters: barriers, mapa, getctarank. */
#include "machine/cluster.h"
#include "exec/lanes.h"

/* barrier.cluster.arrive{.release,.relaxed}{.aligned}; memory is ordered as strongly as can be anyway. */
HANDLER(op_cluster_arrive) {
    cluster_arrive(w, i, mask);
}

/* barrier.cluster.wait{.acquire}{.aligned}; */
HANDLER(op_cluster_wait) {
    cluster_wait(w, i, mask);
}

/* The shared addresses of mapa and getctarank, which count from `window`; one that is none is reported. */
static void shared_addresses(warp *w, const insn *i, uint32_t mask, uint64_t window, uint64_t *address) {
    if (i->width == 8) {
        const uint64_t *a = U64(1);
        EACH_LANE address[l] = a[l] - window;
    } else {
        const uint32_t *a = U32(1);
        EACH_LANE address[l] = a[l];
    }
    const uint32_t size = w->block->cluster->size;
    uint32_t bad = 0;
    for (int l = 0; l < LANES; l++) bad |= (uint32_t)(address[l] >> CLUSTER_RANK_SHIFT >= size) << l;
    bad &= mask;
    if (bad != 0)
        sim_fault(w, i, bad, SIM_ILLEGAL_ADDRESS, "0x%llx is no address of the cluster's shared memory",
                  (unsigned long long)(address[__builtin_ctz(bad)] + window));
}

static uint64_t window_of(const insn *i) {
    return i->space == PTX_NO_SPACE ? memory_arena() + WINDOW_SHARED : 0;
}

/* mapa{.shared::cluster}.{u32,u64} d, a, b: the address in the block of rank b that corresponds to a. */
HANDLER(op_mapa) {
    const uint64_t window = window_of(i);
    const uint32_t *rank = U32(2), size = w->block->cluster->size;
    uint64_t address[LANES];
    shared_addresses(w, i, mask, window, address);
    uint32_t bad = 0;
    for (int l = 0; l < LANES; l++) {
        bad |= (uint32_t)(rank[l] >= size) << l;
        address[l] = window + (((uint64_t)rank[l] << CLUSTER_RANK_SHIFT) | (address[l] & CLUSTER_OFFSET));
    }
    bad &= mask;
    if (bad != 0)
        sim_fault(w, i, bad, SIM_LAUNCH_FAILURE, "mapa: rank %u of a cluster of %u blocks", rank[__builtin_ctz(bad)],
                  size);
    if (i->width == 8) {
        uint64_t *d = U64(0);
        SET_LANES(d, address[l]);
    } else {
        uint32_t *d = U32(0);
        SET_LANES(d, (uint32_t)address[l]);
    }
}

/* getctarank{.shared::cluster}.{u32,u64} d, a: the rank of the block whose shared memory a is in. */
HANDLER(op_getctarank) {
    uint64_t address[LANES];
    shared_addresses(w, i, mask, window_of(i), address);
    uint32_t *d = U32(0);
    SET_LANES(d, (uint32_t)(address[l] >> CLUSTER_RANK_SHIFT));
}

/* mov.pred p, %is_explicit_cluster; */
HANDLER(op_mov_explicit_cluster) {
    SET_PRED(0, w->launch->config->explicit_cluster ? ALL_LANES : 0);
}
