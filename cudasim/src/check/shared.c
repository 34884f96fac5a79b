#include "check/shared.h"

#include <stdio.h>
#include <string.h>

#include "check/global.h"
#include "check/message.h"
#include "check/unwritten.h"

/* A store that races with another one, unless it leaves the value that is there. */
typedef struct doubt {
    shared_report access;
    uint32_t lane, number;
    stamp other;
    uint32_t other_site;
    uint8_t before[4];
} doubt;
#define MOST_DOUBTS 64
static _Thread_local doubt doubts[MOST_DOUBTS];
static _Thread_local int doubt_count;

static void say_race(const shared_report *p, trouble t, uint32_t lane, uint32_t number, stamp other,
                     uint32_t other_site) {
    const checked_launch *l = p->at->cluster->launch;
    const site at = {p->function, p->pc}, there = site_at(l, other_site);
    if (finding_repeats(RACE, at, there)) return;
    const block *b = p->w->block;
    const uint32_t agent = stamp_agent(other), index = agent % l->each;
    const block *other_block = b->cluster->blocks[agent / l->each];
    const bool copy = index == l->warps;
    const warp *other_warp = copy ? NULL : &other_block->warps[index];
    char who[96], whom[96], where[320], what[800], other_what[400];
    const char *did = t == TROUBLE_AFTER_READ ? "read" : "write";
    snprintf(what, sizeof what, "%s %s %s", thread_name(p->w, lane, who), p->verb,
             shared_name(p->function, p->array, p->at->block, number * p->at->cells.unit, p->bytes, where));
    if (copy)
        snprintf(other_what, sizeof other_what, "and nothing orders it after this copy: ");
    else
        snprintf(other_what, sizeof other_what, "and nothing orders it after the %s by %s%s: ", did,
                 thread_name(other_warp, stamp_lane(other), whom), order_wanted(l, 0, agent_of(p->w), 0, agent));
    finding_add(&(finding){RACE, l->la->entry->source->name, at, there, what, other_what});
}

void shared_settle_all(void) {
    for (int k = 0; k < doubt_count; k++) {
        const doubt *d = &doubts[k];
        const cells *c = &d->access.at->cells;
        if (memcmp(d->before, d->access.at->block->shared + (size_t)d->number * c->unit, c->unit) != 0)
            say_race(&d->access, TROUBLE_AFTER_WRITE, d->lane, d->number, d->other, d->other_site);
    }
    doubt_count = 0;
    global_settle();
    checked_doubts = false;
}

void shared_forget(void) {
    doubt_count = 0;
    global_drop_doubts();
    checked_doubts = false;
}

/* A loaded value may never be used, so the registers that hold it are followed instruction by instruction. */
static void unwritten(const shared_report *p, uint32_t lane, uint32_t number, bool brought, uint32_t copy) {
    const uint32_t missing = p->offset == NULL ? ALL_BYTES
                                               : cells_unwritten(&p->at->cells, &p->at->cluster->clocks,
                                                                 (uint32_t)p->offset[lane], p->bytes);
    const unwritten_read r = {.function = p->function,
                              .space = PTX_SHARED,
                              .pc = p->pc,
                              .address = number * p->at->cells.unit,
                              .missing = missing,
                              .lane = lane,
                              .bytes = p->bytes,
                              .where = p->at->block,
                              .copy = brought ? site_at(p->at->cluster->launch, copy) : (site){0}};
    if (p->loads)
        unwritten_load(p->w, &r);
    else
        say_unwritten(p->w, &r, p->verb, (site){0});
}

static void say_no_wait(const shared_report *p, trouble t, uint32_t lane, uint32_t number, uint32_t other_site) {
    const checked_launch *l = p->at->cluster->launch;
    const site at = {p->function, p->pc}, there = site_at(l, other_site);
    if (finding_repeats(NO_WAIT, at, there)) return;
    char who[96], where[320], what[800];
    const bool pending = t == TROUBLE_PENDING;
    snprintf(what, sizeof what, "%s %s %s, %s", thread_name(p->w, lane, who), p->verb,
             shared_name(p->function, p->array, p->at->block, number * p->at->cells.unit, p->bytes, where),
             pending ? "into which a copy is under way that nobody has waited for"
                     : "which a wgmma reads, and nothing orders this after a wgmma.wait_group for it");
    finding_add(
        &(finding){NO_WAIT, l->la->entry->source->name, at, there, what, pending ? "the copy: " : "the wgmma: "});
}

void shared_report_trouble(void *context, trouble t, uint32_t lane, uint32_t number, stamp other, uint32_t other_site) {
    const shared_report *p = context;
    const cells *c = &p->at->cells;
    if (t == TROUBLE_UNWRITTEN) {
        unwritten(p, lane, number, other != 0, other_site);
    } else if (t == TROUBLE_PENDING || t == TROUBLE_IN_USE) {
        say_no_wait(p, t, lane, number, other_site);
    } else if (t == TROUBLE_AFTER_WRITE && p->silent_same && doubt_count < MOST_DOUBTS) {
        doubt *d = &doubts[doubt_count++];
        checked_doubts = true;
        *d = (doubt){*p, lane, number, other, other_site, {0}};
        memcpy(d->before, p->at->block->shared + (size_t)number * c->unit, c->unit);
    } else {
        say_race(p, t, lane, number, other, other_site);
    }
}
