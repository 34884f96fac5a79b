#include "machine/schedule.h"

#include "machine/async_fault.h"
#include "machine/bulk.h"
#include "machine/cluster.h"
#include "machine/groups.h"
#include "machine/mbarrier.h"
#include "machine/stuck.h"

/* ---- mbarriers --------------------------------------------------------------------------------------------------- */

/* Copies that have an mbarrier at which somebody waits are carried out. True where that woke somebody.
 *
 * Only who waits makes copies land, and only after the other warps have had a turn: a warp that does not wait, or for
 * a phase that has ended (the wrong parity), finds what was there before. */
static bool serve(block *b) {
    bool woke = false;
    uint32_t tested;
    if (b->bulk == NULL || b->mbarriers == NULL) return false;
    for (int at = 0; mbarrier_tested(b, &at, &tested); at++) bulk_land(b, tested);
    for (int n = 0; n < b->warp_count; n++) {
        warp *w = &b->warps[n];
        for (int k = 0; k < w->group_count; k++) {
            const uint32_t offset = w->groups[k].wanted;
            if (w->groups[k].state == GROUP_AT_MBARRIER && bulk_land(b, offset) &&
                w->groups[k].state != GROUP_AT_MBARRIER)
                woke = true;
        }
    }
    async_site(NULL, NULL, NULL, 0);
    return woke;
}

/* So often all threads' try_wait may come back empty-handed. */
#define MOST_EXPIRIES 5000

/* No thread of the block can go on: those in try_wait come back with false, as when its time is over. False where that
 * has happened so often, and nothing came of it, that nothing ever will. */
static bool expire(block *b) {
    bool any = false;
    for (int n = 0; n < b->warp_count; n++) {
        warp *w = &b->warps[n];
        for (int k = 0; k < w->group_count; k++) {
            group *g = &w->groups[k];
            if (g->state != GROUP_AT_MBARRIER) continue;
            any = true;
            if (b->expiries >= MOST_EXPIRIES) continue;
            g->state = GROUP_READY;
            w->wait_expired |= g->lanes;
            w->event &= ~EVENT_BLOCKED;
            w->runnable = true;
        }
    }
    return any && b->expiries++ < MOST_EXPIRIES;
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

/* No thread of the cluster can go on: what others of its blocks have sent lands, or else those in mbarrier.try_wait
 * come back empty-handed. False where there is nothing of the kind. */
static bool wake_waiting(const cluster *c) {
    bool woke = false;
    for (uint32_t r = 0; r < c->size; r++) woke = serve(c->blocks[r]) || woke;
    if (woke) return true;
    for (uint32_t r = 0; r < c->size; r++) woke = expire(c->blocks[r]) || woke;
    return woke;
}

bool block_round_over(block *b, bool ran) {
    bool left = false;
    b->waits = false;
    for (int n = 0; n < b->warp_count; n++) left = left || b->warps[n].group_count > 0;
    if (serve(b)) ran = true;
    if (b->progressed || b->polled) b->expiries = 0;
    if (left && !ran) {
        /* A barrier may have opened for warps that this round had passed already. */
        for (int n = 0; n < b->warp_count; n++)
            if (b->warps[n].runnable) return false;
        b->waits = cluster_can_run(b);
        if (!b->waits && !wake_waiting(b->cluster))
            stuck(b, b->cluster->size == 1 ? "deadlock: no thread of the block can go on"
                                           : "deadlock: no thread of the cluster can go on");
    }
    return !left;
}

/* Other blocks may run ahead of one for so many rounds. */
#define ROUNDS_AHEAD 8

void cluster_run_ahead(block *b) {
    cluster *c = b->cluster;
    c->ahead = true; /* none of these calls for others to run ahead of it */
    for (uint32_t r = 0; r < c->size; r++) {
        block *other = c->blocks[r];
        bool more = other != b && other->live > 0;
        for (int round = 0; more && round < ROUNDS_AHEAD; round++) {
            bool ran = false;
            other->progressed = false;
            for (int n = 0; n < other->warp_count; n++) {
                warp *w = &other->warps[n];
                if (!w->runnable) continue;
                ran = true;
                w->budget = WARP_BUDGET;
                w->worker->running = w;
                (w->launch->observer != NULL ? warp_run_counted : warp_run)(w);
            }
            more = !block_round_over(other, ran) && other->progressed;
            b->progressed = b->progressed || other->progressed; /* the watchdog only sees b's */
        }
    }
    c->ahead = false;
}
