#include "watch/cells.h"

#include <stdlib.h>

bool cells_make(cells *s, uint32_t bytes, uint32_t unit) {
    *s = (cells){.unit = unit, .count = (bytes + unit - 1) / unit};
    s->of = calloc((size_t)s->count + 16, sizeof *s->of);
    return s->of != NULL;
}

void cells_free(cells *s) {
    free(s->of);
    *s = (cells){0};
}

/* One of two that conflict must be weak: strong and atomic ones are no race with one another. */
static bool conflict(const cell_access *a, uint32_t lane, stamp s) {
    if (s == 0 || clocks_before(a->clocks, s, a->agent, lane)) return false;
    return a->how == STRENGTH_WEAK || stamp_strength(s) == STRENGTH_WEAK;
}

static void note_read(cell *c, const cell_access *a, uint32_t lane) {
    const uint32_t now = a->clocks->of[a->agent].now;
    const stamp mine = stamp_of(now, a->agent, lane, a->how);
    for (int k = 0; k < 2; k++) {
        const stamp s = c->reads[k];
        if (s == mine) {
            c->read_sites[k] = a->site;
            return;
        }
        if (stamp_agent(s) != a->agent || stamp_clock(s) < a->clocks->begun) continue;
        const bool same = stamp_clock(s) == now;
        /* The weaker of the two is what conflicts. */
        c->reads[k] = stamp_of(now, a->agent, same && stamp_lane(s) != lane ? MANY_LANES : lane,
                               same && stamp_strength(s) < a->how ? stamp_strength(s) : a->how);
        c->read_sites[k] = a->site;
        return;
    }
    /* In place of one that is in order with this, or else of one of the two. */
    const int place = clocks_before(a->clocks, c->reads[0], a->agent, lane)   ? 0
                      : clocks_before(a->clocks, c->reads[1], a->agent, lane) ? 1
                                                                              : (int)(a->agent & 1);
    c->reads[place] = mine;
    c->read_sites[place] = a->site;
}

static trouble look_at(const cell *c, const cell_access *a, uint32_t lane, stamp *other, uint32_t *other_site) {
    if (c->pending != 0 && stamp_clock(c->write) >= a->clocks->begun) {
        *other = 0;
        *other_site = c->pending - 1;
        return TROUBLE_PENDING;
    }
    if ((a->action == CELL_READ || a->action == CELL_UPDATE) && stamp_clock(c->write) < a->clocks->begun)
        return TROUBLE_UNWRITTEN;
    if (a->action == CELL_WRITE || a->action == CELL_UPDATE)
        for (int k = 0; k < 2; k++)
            if (conflict(a, lane, c->reads[k])) {
                *other = c->reads[k];
                *other_site = c->read_sites[k];
                return TROUBLE_AFTER_READ;
            }
    if (conflict(a, lane, c->write)) {
        *other = c->write;
        *other_site = c->write_site;
        return TROUBLE_AFTER_WRITE;
    }
    return TROUBLE_NONE;
}

static void check(cells *s, const cell_access *a, uint32_t lane, uint32_t first, uint32_t end) {
    stamp other = 0;
    uint32_t site = 0;
    bool said = false;
    for (uint32_t n = first; n < end; n++) {
        cell *c = &s->of[n];
        const trouble t = said ? TROUBLE_NONE : look_at(c, a, lane, &other, &site);
        if (t != TROUBLE_NONE) {
            said = true;
            a->trouble(a->context, t, lane, n, other, site);
        }
        if (a->action == CELL_READ) note_read(c, a, lane);
    }
}

static void put(cells *s, const cell_access *a, uint32_t lane, uint32_t first, uint32_t end) {
    const stamp mine = stamp_of(a->clocks->of[a->agent].now, a->agent, lane, a->how);
    for (uint32_t n = first; n < end; n++) {
        cell *c = &s->of[n];
        *c = (cell){.write = mine, .write_site = a->site};
    }
}

void cells_access(cells *s, const cell_access *a, uint32_t mask, const uint64_t *offset, unsigned bytes) {
    const unsigned shift = s->unit == 4 ? 2 : s->unit == 2 ? 1 : 0;
    const uint32_t wide = bytes > s->unit ? bytes >> shift : 1;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left), n = (uint32_t)(offset[l] >> shift);
        check(s, a, l, n, n + wide);
    }
    if (a->action != CELL_WRITE && a->action != CELL_UPDATE) return;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left), n = (uint32_t)(offset[l] >> shift);
        put(s, a, l, n, n + wide);
    }
}

void cells_range(cells *s, const cell_access *a, uint32_t lane, uint32_t offset, uint32_t bytes) {
    const uint32_t first = offset / s->unit, end = (offset + bytes + s->unit - 1) / s->unit;
    check(s, a, lane, first, end);
    if (a->action == CELL_WRITE || a->action == CELL_UPDATE) put(s, a, lane, first, end);
}

void cells_pending(cells *s, uint32_t offset, uint32_t bytes, uint32_t site) {
    const uint32_t end = (offset + bytes + s->unit - 1) / s->unit;
    for (uint32_t n = offset / s->unit; n < end; n++) s->of[n].pending = site + 1;
}

void cells_arrived(cells *s, const clocks *c, uint32_t agent, uint32_t lane, uint32_t offset, uint32_t bytes,
                   uint32_t site) {
    const cell_access a = {.clocks = c, .agent = agent, .site = site};
    put(s, &a, lane, offset / s->unit, (offset + bytes + s->unit - 1) / s->unit);
}
