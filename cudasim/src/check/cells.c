#include "check/cells.h"

#include <stdlib.h>
#include <string.h>

#define USE_BYTES 16

bool cells_make(cells *s, uint32_t bytes, uint32_t unit) {
    *s = (cells){.unit = unit, .count = (bytes + unit - 1) / unit};
    s->of = calloc((size_t)s->count + 16, sizeof *s->of);
    s->lines = calloc((bytes >> LINE_SHIFT) + 2, sizeof *s->lines);
    s->patterns = calloc(READ_PATTERNS, sizeof *s->patterns);
    return s->of != NULL && s->lines != NULL && s->patterns != NULL;
}

void cells_free(cells *s) {
    free(s->of);
    free(s->lines);
    free(s->uses);
    free(s->hidden);
    free(s->patterns);
    *s = (cells){0};
}

/* One of two that conflict must be weak: strong and atomic ones are no race with one another. */
static bool conflict(const cell_access *a, uint32_t lane, stamp s) {
    if (s == 0 || clocks_before(a->clocks, s, a->agent, lane)) return false;
    return a->how == STRENGTH_WEAK || stamp_strength(s) == STRENGTH_WEAK;
}

/* Among two of different agents. */
static void note(stamp noted[2], uint32_t sites[2], const cell_access *a, uint32_t lane) {
    const uint32_t now = a->clocks->of[a->agent].now;
    const stamp mine = stamp_of(now, a->agent, lane, a->how);
    for (int k = 0; k < 2; k++) {
        const stamp s = noted[k];
        if (s == mine) {
            sites[k] = a->site;
            return;
        }
        if (stamp_agent(s) != a->agent || stamp_clock(s) < a->clocks->begun) continue;
        const bool same = stamp_clock(s) == now;
        /* The weaker of the two is what conflicts. */
        noted[k] = stamp_of(now, a->agent, same && stamp_lane(s) != lane ? MANY_LANES : lane,
                            same && stamp_strength(s) < a->how ? stamp_strength(s) : a->how);
        sites[k] = a->site;
        return;
    }
    /* In place of one that is in order with this, or else of one of the two. */
    const int place = clocks_before(a->clocks, noted[0], a->agent, lane)   ? 0
                      : clocks_before(a->clocks, noted[1], a->agent, lane) ? 1
                                                                           : (int)(a->agent & 1);
    noted[place] = mine;
    sites[place] = a->site;
}

/* Of a word of this block to which a copy has brought what nothing has written: a write before the block began. */
static inline stamp blank_stamp(const clocks *c) {
    return c->begun;
}

/* Its line, cleared of what an earlier block has left there. */
static inline line *line_at(cells *s, const clocks *c, uint32_t number) {
    line *l = &s->lines[number];
    if (l->begun != c->begun)
        *l = (line){.written = s->epoch, .read = s->epoch, .blank = UINT32_MAX, .begun = c->begun};
    return l;
}

static bool unordered_reads(const cells *s, const cell_access *a, uint32_t lane, uint32_t number, stamp *other,
                            uint32_t *other_site) {
    const uint32_t offset = number * s->unit, word = offset >> 2 & 31;
    const line *l = &s->lines[offset >> LINE_SHIFT];
    for (int k = 0; k < LINE_READS; k++) {
        const line_reads *r = &l->reads[k];
        if (!(r->words >> word & 1) || stamp_clock(r->by) < a->clocks->begun) continue;
        if (stamp_agent(r->by) == a->agent && r->each == 0) continue;
        const uint32_t who = r->each == 0            ? MANY_LANES
                             : r->each == MANY_LANES ? MANY_LANES
                                                     : (word + r->shift) / r->each % 32;
        const stamp by = stamp_of(stamp_clock(r->by), stamp_agent(r->by), who, STRENGTH_WEAK);
        if (!conflict(a, lane, by)) continue;
        *other = by;
        *other_site = r->site;
        return true;
    }
    return false;
}

static bool unordered_hidden(const cell_access *a, uint32_t lane, const hidden_writes *h, stamp *other,
                             uint32_t *other_site) {
    const int met = conflict(a, lane, h->weak) ? 2 : conflict(a, lane, h->strong[0]) ? 0 : 1;
    if (met == 1 && !conflict(a, lane, h->strong[1])) return false;
    *other = met == 2 ? h->weak : h->strong[met];
    *other_site = met == 2 ? h->weak_site : h->strong_sites[met];
    return true;
}

/* Which asynchronous reads of it may still go on, for all that the agent knows? NULL: none. */
static const struct cells_use *unordered_use(const cells *s, const cell_access *a, uint32_t number) {
    const struct cells_use *u = &s->uses[number * s->unit / USE_BYTES * s->readers];
    const uint32_t *known = a->clocks->of[a->agent].known + s->first_reader;
    for (uint32_t k = 0; k < s->readers; k++)
        if (u[k].clock >= known[k]) return &u[k];
    return NULL;
}

static trouble look_at(const cells *s, uint32_t number, const cell_access *a, uint32_t lane, stamp *other,
                       uint32_t *other_site) {
    const cell *c = &s->of[number];
    if (c->pending != 0 && stamp_clock(c->write) >= a->clocks->begun) {
        *other = 0;
        *other_site = c->pending - 1;
        return TROUBLE_PENDING;
    }
    const bool writes = a->action == CELL_WRITE || a->action == CELL_UPDATE;
    const struct cells_use *use = writes && s->uses != NULL ? unordered_use(s, a, number) : NULL;
    if (use != NULL) {
        *other = 0;
        *other_site = use->site;
        return TROUBLE_IN_USE;
    }
    const bool minds = a->action == CELL_READ || a->action == CELL_UPDATE || a->action == CELL_USE;
    if (minds && stamp_clock(c->write) < a->clocks->begun) {
        *other = c->write == blank_stamp(a->clocks) ? c->write : 0;
        *other_site = c->write_site;
        return TROUBLE_UNWRITTEN;
    }
    if (writes) {
        int met = conflict(a, lane, c->reads[0]) ? 0 : -1; /* that of another warp says more */
        if ((met < 0 || stamp_agent(c->reads[0]) == a->agent) && conflict(a, lane, c->reads[1])) met = 1;
        if (met >= 0) {
            *other = c->reads[met];
            *other_site = c->read_sites[met];
            return TROUBLE_AFTER_READ;
        }
        if (unordered_reads(s, a, lane, number, other, other_site)) return TROUBLE_AFTER_READ;
    }
    if (conflict(a, lane, c->write)) {
        *other = c->write;
        *other_site = c->write_site;
        return TROUBLE_AFTER_WRITE;
    }
    if (s->hidden != NULL && unordered_hidden(a, lane, &s->hidden[number], other, other_site))
        return TROUBLE_AFTER_WRITE;
    return TROUBLE_NONE;
}

static void check(cells *s, const cell_access *a, uint32_t lane, uint32_t first, uint32_t end) {
    stamp other = 0;
    uint32_t site = 0;
    bool said = false;
    for (uint32_t n = first; n < end; n++) {
        cell *c = &s->of[n];
        const trouble t = said ? TROUBLE_NONE : look_at(s, n, a, lane, &other, &site);
        if (t != TROUBLE_NONE) {
            said = true;
            a->trouble(a->context, t, lane, n, other, site);
        }
        if (a->action != CELL_READ && a->action != CELL_FETCH) continue;
        note(c->reads, c->read_sites, a, lane);
        line_at(s, a->clocks, n * s->unit >> LINE_SHIFT)->read = s->epoch;
    }
}

/* A strong or atomic write is about to take the place of the latest one. */
static void hide(cells *s, uint32_t number, const cell_access *a, uint32_t lane) {
    if (s->hidden == NULL) s->hidden = calloc((size_t)s->count + 16, sizeof *s->hidden);
    if (s->hidden == NULL) return;
    hidden_writes *h = &s->hidden[number];
    const cell *c = &s->of[number];
    if (stamp_strength(c->write) == STRENGTH_WEAK) {
        h->weak = c->write;
        h->weak_site = c->write_site;
    }
    if (a->learns) h->strong[0] = h->strong[1] = 0;
    note(h->strong, h->strong_sites, a, lane);
}

static void put(cells *s, const cell_access *a, uint32_t lane, uint32_t first, uint32_t end) {
    const stamp mine = stamp_of(a->clocks->of[a->agent].now, a->agent, lane, a->how);
    for (uint32_t n = first; n < end; n++) {
        cell *c = &s->of[n];
        if (a->how == STRENGTH_WEAK) {
            *c = (cell){.write = mine, .write_site = a->site};
        } else {
            hide(s, n, a, lane);
            c->write = mine;
            c->write_site = a->site;
            c->pending = 0;
        }
        line *l = line_at(s, a->clocks, n * s->unit >> LINE_SHIFT);
        l->written = a->foreign ? LINE_MIXED : l->written == LINE_MIXED ? LINE_MIXED : s->epoch;
        /* A word of which only some bytes are written stays blank; its cells know more. */
        if (s->unit == 4) l->blank &= ~(1u << (n & 31));
        if (s->unit == 4) l->pending &= ~(1u << (n & 31));
    }
}

/* ---- reads of lines that have been written before a barrier ---------------------------------------------------------
 */

static inline void note_line(line *l, const cell_access *a, uint32_t epoch, uint32_t words, uint8_t each,
                             uint8_t shift) {
    l->read = epoch;
    const stamp mine = stamp_of(a->clocks->of[a->agent].now, a->agent, 0, a->how);
    line_reads *place = &l->reads[a->agent % LINE_READS];
    for (int k = 0; k < LINE_READS; k++) {
        line_reads *r = &l->reads[k];
        if (r->by == mine) {
            if (r->each != each || r->shift != shift) r->each = 0;
            r->words |= words;
            r->site = a->site;
            return;
        }
        if (stamp_agent(r->by) == a->agent) place = r;
    }
    *place = (line_reads){.by = mine, .words = words, .site = a->site, .each = each, .shift = shift};
}

static inline bool is_settled(const cells *s, const cell_access *a, uint32_t number, uint32_t words) {
    const line *l = &s->lines[number];
    return l->begun == a->clocks->begun && l->written < s->epoch && (l->blank & words) == 0;
}

bool cells_read_row(cells *s, const cell_access *a, uint32_t first, uint32_t step, unsigned bytes) {
    if (s->unit != 4 || bytes < 4 || a->how != STRENGTH_WEAK) return false;
    const uint32_t begin = first >> LINE_SHIFT, words = bytes / 4, at = first >> 2 & 31;
    if (step == 0) {
        const uint32_t run = (words == 32 ? UINT32_MAX : (1u << words) - 1) << at;
        if (!is_settled(s, a, begin, run)) return false;
        note_line(&s->lines[begin], a, s->epoch, run, MANY_LANES, 0);
        return true;
    }
    const uint32_t end = (first + 32 * bytes - 1) >> LINE_SHIFT;
    for (uint32_t n = begin; n <= end; n++) {
        const uint32_t run = n == begin ? UINT32_MAX << at : n == end && at != 0 ? (1u << at) - 1 : UINT32_MAX;
        if (!is_settled(s, a, n, run)) return false;
    }
    for (uint32_t n = begin; n <= end; n++) {
        const uint32_t run = n == begin ? UINT32_MAX << at : n == end && at != 0 ? (1u << at) - 1 : UINT32_MAX;
        note_line(&s->lines[n], a, s->epoch, run, (uint8_t)words, (uint8_t)((n * 32 - first / 4) % 128));
    }
    return true;
}

/* Where a pattern stands: unrolled loops read by a few of them, at all places of a line, with many instructions. */
static inline uint32_t place_of(const uint64_t *offset, uint32_t begin, unsigned bytes) {
    const uint32_t apart = (uint32_t)offset[1] + 3 * (uint32_t)offset[4] + 7 * (uint32_t)offset[16] - 11 * begin;
    return (begin / 4 % 32 + 37 * (apart / 4) + bytes) % READ_PATTERNS;
}

static void find_pattern(read_pattern *p, uint32_t mask, const uint64_t *offset, unsigned bytes) {
    const uint32_t run = bytes == 4 ? 1 : (1u << bytes / 4) - 1;
    const uint32_t first = (uint32_t)__builtin_ctz(mask), begin = (uint32_t)offset[first];
    uint32_t off_row = 0, off_one = 0, last = UINT32_MAX;
    int place = 0;
    p->mask = mask;
    p->bytes = bytes;
    p->at = begin % (1u << LINE_SHIFT);
    p->count = 0;
    for (uint32_t l = 0; l < CLOCK_LANES; l++) {
        const uint32_t at = (uint32_t)offset[l], n = (at >> LINE_SHIFT) - (begin >> LINE_SHIFT);
        p->apart[l] = offset[l] - offset[first];
        if (!(mask >> l & 1)) continue;
        off_row |= at ^ (begin + (l - first) * bytes);
        off_one |= at ^ begin;
        if (n != last || p->count == 0) {
            for (place = 0; place < p->count && p->lines[place] != n;) place++;
            if (place == p->count) {
                p->lines[p->count] = n;
                p->words[p->count++] = 0;
            }
            last = n;
        }
        p->words[place] |= run << (at >> 2 & 31);
    }
    p->many = off_one == 0 && (mask & (mask - 1)) != 0;
    p->row = off_row == 0 && !p->many;
}

static inline bool has_pattern(const read_pattern *p, uint32_t mask, const uint64_t *offset, unsigned bytes) {
    const uint64_t begin = offset[__builtin_ctz(mask)];
    uint64_t other = (p->mask ^ mask) | (p->bytes ^ bytes) | (p->at ^ begin % (1u << LINE_SHIFT));
    for (uint32_t l = 0; l < CLOCK_LANES; l++) other |= (offset[l] - begin) ^ p->apart[l];
    return other == 0;
}

/* Have all these words been written before the latest barrier of the whole block? Then the reads are noted. */
static bool read_settled(cells *s, const cell_access *a, uint32_t mask, const uint64_t *offset, unsigned bytes) {
    if (s->unit != 4 || bytes < 4 || a->how != STRENGTH_WEAK) return false;
    const uint32_t first = (uint32_t)__builtin_ctz(mask);
    read_pattern *p = &s->patterns[place_of(offset, (uint32_t)offset[first], bytes)];
    if (!has_pattern(p, mask, offset, bytes)) find_pattern(p, mask, offset, bytes);
    const uint32_t line = (uint32_t)offset[first] >> LINE_SHIFT;
    const uint32_t start = (uint32_t)offset[first] - first * bytes;
    for (int k = 0; k < p->count; k++)
        if (!is_settled(s, a, line + p->lines[k], p->words[k])) return false;
    for (int k = 0; k < p->count; k++) {
        const uint32_t number = line + p->lines[k], shift = (number * 32 - start / 4) % 128;
        note_line(&s->lines[number], a, s->epoch, p->words[k],
                  p->many  ? (uint8_t)MANY_LANES
                  : p->row ? (uint8_t)(bytes / 4)
                           : 0,
                  p->row ? (uint8_t)shift : 0);
    }
    return true;
}

/* Is no copy on its way there, and has everybody passed a barrier since anybody has read or written the line? */
static inline bool is_free(cells *s, const cell_access *a, uint32_t number) {
    const line *l = line_at(s, a->clocks, number);
    const bool fresh = l->blank == UINT32_MAX; /* of this block nobody has */
    return l->pending == 0 && (fresh || (l->written < s->epoch && l->read < s->epoch && s->uses == NULL));
}

void cells_access(cells *s, const cell_access *a, uint32_t mask, const uint64_t *offset, unsigned bytes) {
    const unsigned shift = s->unit == 4 ? 2 : s->unit == 2 ? 1 : 0;
    const uint32_t wide = bytes > s->unit ? bytes >> shift : 1;
    if (mask == 0 || (a->action == CELL_READ && read_settled(s, a, mask, offset, bytes))) return;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left), n = (uint32_t)(offset[l] >> shift);
        if (a->action == CELL_WRITE && s->unit == 4 && is_free(s, a, (uint32_t)(offset[l] >> LINE_SHIFT))) continue;
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
    for (uint32_t n = offset / s->unit; n < end; n++) {
        s->of[n].pending = site + 1;
        line *l = &s->lines[n * s->unit >> LINE_SHIFT];
        l->blank |= 1u << (n * s->unit >> 2 & 31);
        l->pending |= 1u << (n * s->unit >> 2 & 31);
    }
}

static bool has_met(const use_writes *met, stamp write) {
    for (uint32_t k = 0; k < met->count; k++)
        if (met->list[k] == write) return true;
    return false;
}

void cells_use(cells *s, const cell_access *a, uint32_t offset, uint32_t reader, uint32_t clock, use_writes *met) {
    const size_t chunks = (size_t)s->count * s->unit / USE_BYTES + 2;
    if (s->uses == NULL) s->uses = calloc(chunks * s->readers, sizeof *s->uses);
    if (s->uses != NULL) s->uses[offset / USE_BYTES * s->readers + reader] = (struct cells_use){clock, a->site};
    stamp other = 0;
    uint32_t site = 0;
    for (uint32_t n = offset / s->unit; n < (offset + USE_BYTES) / s->unit; n++) {
        const cell *c = &s->of[n];
        const bool plain = c->pending == 0 && s->hidden == NULL;
        if (plain && has_met(met, c->write)) continue;
        const trouble t = look_at(s, n, a, 0, &other, &site);
        if (t == TROUBLE_NONE && plain && met->count < USE_WRITES)
            met->list[met->count++] = c->write;
        else
            met->more = true;
        if (t == TROUBLE_NONE) continue;
        a->trouble(a->context, t, 0, n, other, site);
        return;
    }
}

bool cells_use_follows(const cell_access *a, const use_writes *met) {
    bool all = !met->more;
    for (uint32_t k = 0; all && k < met->count; k++) all = !conflict(a, 0, met->list[k]);
    return all;
}

void cells_arrived(cells *s, const clocks *c, uint32_t agent, uint32_t lane, uint32_t offset, uint32_t bytes,
                   uint32_t site, bool foreign) {
    const cell_access a = {.clocks = c, .agent = agent, .site = site, .foreign = foreign};
    put(s, &a, lane, offset / s->unit, (offset + bytes + s->unit - 1) / s->unit);
}

void cells_blank(cells *s, const clocks *c, uint32_t offset, uint32_t bytes, uint32_t site) {
    const uint32_t end = (offset + bytes + s->unit - 1) / s->unit;
    for (uint32_t n = offset / s->unit; n < end; n++) {
        s->of[n].write = blank_stamp(c);
        s->of[n].write_site = site;
        line_at(s, c, n * s->unit >> LINE_SHIFT)->blank |= 1u << (n * s->unit >> 2 & 31);
    }
}
