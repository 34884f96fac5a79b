/* Clusters: the barrier and the way to other blocks' shared memory. */
#include "machine/cluster.h"

#include "machine/fault.h"
#include "machine/groups.h"
#include "machine/observe.h"

struct block *cluster_block(struct block *b, uint32_t rank) {
    const cluster *c = b->cluster;
    return rank < c->size && c->blocks[rank]->live > 0 ? c->blocks[rank] : NULL;
}

bool cluster_resolve(struct block *b, uint32_t address, struct block **target, uint32_t *offset) {
    *target = cluster_block(b, address >> CLUSTER_RANK_SHIFT);
    *offset = address & CLUSTER_OFFSET;
    return *target != NULL;
}

bool cluster_holds(const struct block *b, const uint8_t *pointer) {
    const cluster *c = b->cluster;
    for (uint32_t r = 0; r < c->size; r++)
        if ((uint64_t)(pointer - c->blocks[r]->shared) < c->blocks[r]->shared_end) return true;
    return false;
}

/* ---- the barrier -------------------------------------------------------------------------------------------------
 *
 * A thread arrives, and later waits until all threads of the cluster that have not exited have arrived, too. It then
 * may arrive for the next time while others have not yet got round to waiting, so each warp remembers its lanes in one
 * of two masks: arrived at the barrier that is open (cluster_arrived), or at one since completed, not yet waited for
 * (cluster_passed). */

static void complete(cluster *c) {
    observe_sync(SYNC_CLUSTER_DONE, c->blocks[0], NULL, 0, 0);
    for (uint32_t r = 0; r < c->size; r++) {
        block *b = c->blocks[r];
        for (int n = 0; n < b->warp_count; n++) {
            warp *w = &b->warps[n];
            w->cluster_passed |= w->cluster_arrived;
            w->cluster_arrived = 0;
            for (int k = 0; k < w->group_count; k++) {
                group *g = &w->groups[k];
                if (g->state != GROUP_AT_BARRIER || g->wanted != CLUSTER_BARRIER) continue;
                w->cluster_passed &= ~g->lanes;
                observe_sync(SYNC_CLUSTER_PASS, b, w, g->lanes, 0);
                g->state = GROUP_READY;
                g->pc++;
                w->event &= ~EVENT_BLOCKED;
                w->runnable = true;
            }
        }
        b->progressed = true;
    }
    c->arrived = 0;
    c->phase++;
}

static bool is_complete(const cluster *c) {
    return c->arrived > 0 && c->arrived >= c->live;
}

/* barrier.cluster.arrive: once between two waits. */
void cluster_arrive(warp *w, const insn *i, uint32_t mask) {
    cluster *c = w->block->cluster;
    const uint32_t again = mask & (w->cluster_arrived | w->cluster_passed);
    if (again != 0)
        sim_fault(w, i, again, SIM_ILLEGAL_INSTRUCTION,
                  "arrives at the cluster's barrier again without having waited at it (barrier.cluster.wait)");
    observe_sync(SYNC_CLUSTER_ARRIVE, w->block, w, mask, 0);
    w->cluster_arrived |= mask;
    c->arrived += (uint32_t)__builtin_popcount(mask);
    if (!is_complete(c)) return;
    complete(c);
    w->meet_pc = w->pc; /* groups of this very warp may have been released */
}

/* barrier.cluster.wait */
void cluster_wait(warp *w, const insn *i, uint32_t mask) {
    const uint32_t never = mask & ~(w->cluster_arrived | w->cluster_passed);
    if (never != 0)
        sim_fault(w, i, never, SIM_ILLEGAL_INSTRUCTION,
                  "waits at the cluster's barrier without having arrived there (barrier.cluster.arrive)");
    w->cluster_passed &= ~mask;
    const uint32_t waiting = mask & w->cluster_arrived;
    if (mask != waiting) observe_sync(SYNC_CLUSTER_PASS, w->block, w, mask & ~waiting, 0);
    if (waiting != 0) warp_block(w, waiting, CLUSTER_BARRIER);
}

/* A thread that exits has arrived at every barrier (PTX ISA, exit). */
void cluster_exit(warp *w, uint32_t lanes) {
    cluster *c = w->block->cluster;
    c->live -= (uint32_t)__builtin_popcount(lanes);
    c->arrived -= (uint32_t)__builtin_popcount(lanes & w->cluster_arrived);
    w->cluster_arrived &= ~lanes;
    w->cluster_passed &= ~lanes;
    if (is_complete(c)) complete(c);
}

bool cluster_can_run(const struct block *b) {
    const cluster *c = b->cluster;
    for (uint32_t r = 0; r < c->size; r++)
        for (int n = 0; n < c->blocks[r]->warp_count; n++)
            if (c->blocks[r]->warps[n].runnable) return true;
    return false;
}

/* ---- other blocks' shared memory --------------------------------------------------------------------------------- */

bool cluster_yields(warp *w, uint32_t mask, bool always) {
    block *b = w->block;
    const cluster *c = b->cluster;
    if (w->ran_ahead & mask) { /* they have */
        w->ran_ahead &= ~mask;
        return false;
    }
    if (c->ahead || c->phase == 0 || (b->ran_ahead == c->phase && !always)) return false;
    if (always) w->ran_ahead |= mask;
    b->ran_ahead = c->phase;
    warp_again(w, EVENT_AHEAD);
    return true;
}

uint8_t *cluster_pointer(warp *w, uint64_t address, uint64_t bytes) {
    block *target;
    uint32_t offset;
    if (address > UINT32_MAX) return NULL;
    if (!cluster_resolve(w->block, (uint32_t)address, &target, &offset)) return NULL;
    if (offset < SHARED_RESERVED || bytes > target->shared_end || offset > target->shared_end - bytes) return NULL;
    return target->shared + offset;
}

void cluster_bad_address(warp *w, const insn *i, uint32_t lanes, uint64_t address, unsigned bytes, const char *verb) {
    const cluster *c = w->block->cluster;
    const uint64_t rank = address >> CLUSTER_RANK_SHIFT;
    const uint32_t offset = (uint32_t)address & CLUSTER_OFFSET;
    if (rank >= c->size)
        sim_fault(w, i, lanes, SIM_LAUNCH_FAILURE,
                  "%s %u bytes of shared memory at 0x%llx, which would be rank %llu's of a cluster of %u blocks", verb,
                  bytes, (unsigned long long)address, (unsigned long long)rank, c->size);
    const block *b = c->blocks[rank];
    if (b->live == 0)
        sim_fault(w, i, lanes, SIM_LAUNCH_FAILURE,
                  "%s %u bytes of shared memory at 0x%x of block (%u,%u,%u), rank %u of the cluster, which has ended: "
                  "a block must wait for those that use its shared memory (barrier.cluster)",
                  verb, bytes, offset, b->ctaid[0], b->ctaid[1], b->ctaid[2], b->rank);
    sim_fault(w, i, lanes, SIM_ILLEGAL_ADDRESS,
              "%s %u bytes of shared memory at 0x%x of block (%u,%u,%u), rank %u of the cluster; that block's shared "
              "memory is 0x%x to 0x%x",
              verb, bytes, offset, b->ctaid[0], b->ctaid[1], b->ctaid[2], b->rank, SHARED_RESERVED, b->shared_end);
}
