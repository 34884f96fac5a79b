#include "machine/stuck.h"

#include <stdio.h>

#include "base/demangle.h"
#include "machine/cluster.h"
#include "machine/fault.h"
#include "machine/mbarrier.h"

#define MOST_LINES 40

/* Where each warp of the block stands; returns how many lines there would be, those before included. */
static int print_block(const block *b, int lines) {
    for (int n = 0; n < b->warp_count; n++) {
        const warp *w = &b->warps[n];
        for (int g = 0; g < w->group_count; g++) {
            const group *at = &w->groups[g];
            if (++lines > MOST_LINES) continue;
            fprintf(stderr, "    warp %d, lanes %08x, ", n, at->lanes);
            if (at->state == GROUP_AT_BARRIER && at->wanted == CLUSTER_BARRIER)
                fprintf(stderr, "wait at the cluster's barrier (%u of %u threads have come): ", b->cluster->arrived,
                        b->cluster->live);
            else if (at->state == GROUP_AT_BARRIER) {
                const barrier *bar = &b->barriers[at->wanted];
                fprintf(stderr, "wait at barrier %u (%u of %u threads have come): ", at->wanted,
                        bar->arrived + (bar->count != 0 ? bar->absent : 0), bar->count != 0 ? bar->count : b->live);
            } else if (at->state == GROUP_AT_WARP_SYNC)
                fprintf(stderr, "wait for lanes %08x of their warp: ", at->wanted);
            else if (at->state == GROUP_AT_WARPGROUP)
                fputs("wait for all of their warpgroup to issue its wgmma: ", stderr);
            else if (at->state == GROUP_AT_REGISTERS)
                fprintf(stderr, "wait for %u registers per thread: ", at->wanted);
            else if (at->state == GROUP_AT_MBARRIER) {
                char what[200];
                mbarrier_describe(b, at->wanted, what, sizeof what);
                fprintf(stderr, "wait for %s: ", what);
            } else
                fputs("run: ", stderr);
            fault_print_place(at->frame->function, at->pc);
        }
    }
    return lines;
}

void stuck(block *b, const char *why) {
    launch *la = b->launch;
    if (fault_is_first(la, SIM_TIMEOUT)) {
        flockfile(stderr);
        fprintf(stderr, "cudasim: kernel %s is stopped: %s; block (%u,%u,%u):\n", READABLE(la->entry->source->name),
                why, b->ctaid[0], b->ctaid[1], b->ctaid[2]);
        int lines = print_block(b, 0);
        mbarrier_list(b, stderr);
        const cluster *c = b->cluster;
        for (uint32_t r = 0; r < c->size; r++) {
            const block *other = c->blocks[r];
            if (other == b || other->live == 0) continue;
            if (lines < MOST_LINES)
                fprintf(stderr, "  block (%u,%u,%u) of its cluster:\n", other->ctaid[0], other->ctaid[1],
                        other->ctaid[2]);
            lines = print_block(other, lines);
            if (lines < MOST_LINES) mbarrier_list(other, stderr);
        }
        if (lines > MOST_LINES) fprintf(stderr, "    and %d more\n", lines - MOST_LINES);
        funlockfile(stderr);
    }
    fault_leave(b->worker);
}
