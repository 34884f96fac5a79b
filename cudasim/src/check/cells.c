#include "check/cells.h"

#include <stdlib.h>
#include <string.h>

#define USE_BYTES 16

bool cells_make(cells *s, uint32_t bytes, uint32_t unit) {
    *s = (cells){.unit = unit, .count = (bytes + unit - 1) / unit};
    s->of = calloc((size_t)s->count + 16, sizeof *s->of);
    s->lines = calloc((bytes >> LINE_SHIFT) + 2, sizeof *s->lines);
    s->patterns = calloc(LINE_PATTERNS, sizeof *s->patterns);
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

/* Two accesses conflict only if at least one is weak: strong and atomic accesses do not race with one another. */
static bool conflict(const cell_access *a, uint32_t lane, stamp s, uint32_t lanes) {
    if (s == 0 || clocks_before_all(a->clocks, s, lanes, a->agent, lane)) return false;
    return a->how == STRENGTH_WEAK || stamp_strength(s) == STRENGTH_WEAK;
}

/* Adds an access by a lane of the same agent. The weaker of the two is what conflicts. */
static void merge(noted_access *n, const cell_access *a, uint32_t lane, uint32_t now) {
    const uint32_t who = stamp_lane(n->by), lanes = (who == MANY_LANES ? n->lanes : 1u << who) | 1u << lane;
    const strength how = stamp_strength(n->by) < a->how ? stamp_strength(n->by) : a->how;
    *n = (noted_access){stamp_of(now, a->agent, (lanes & (lanes - 1)) != 0 ? MANY_LANES : lane, how), a->site, lanes};
}

/* Two reads are kept apart if they are by different agents, or by lanes of one agent that have not met in between. */
static void note(noted_access noted[2], const cell_access *a, uint32_t lane) {
    const uint32_t now = a->clocks->of[a->agent].now;
    const stamp mine = stamp_of(now, a->agent, lane, a->how);
    noted_access *place = NULL;
    int other = -1; /* of the same agent, but not ordered before this one */
    for (int k = 0; k < 2; k++) {
        noted_access *n = &noted[k];
        if (n->by == mine) {
            n->site = a->site;
            return;
        }
        const bool same = stamp_agent(n->by) == a->agent && stamp_clock(n->by) >= a->clocks->begun;
        if (same && stamp_clock(n->by) == now) {
            merge(n, a, lane, now);
            return;
        }
        const bool past = clocks_before_all(a->clocks, n->by, n->lanes, a->agent, lane);
        if (past && (place == NULL || same)) place = n;
        if (same && !past) other = k;
    }
    if (place != NULL)
        *place = (noted_access){mine, a->site, 0};
    else if (other >= 0)
        merge(&noted[other], a, lane, now);
    else
        noted[a->agent & 1] = (noted_access){mine, a->site, 0};
}

/* The stamp of a word that a copy has filled with unwritten memory: a write before the block began. */
static inline stamp blank_stamp(const clocks *c) {
    return c->begun;
}

/* The line of an offset, cleared of what an earlier block has left there. */
static inline line *line_at(cells *s, const clocks *c, uint32_t number) {
    line *l = &s->lines[number];
    if (l->begun != c->begun)
        *l = (line){.written = {s->epoch, AGENT_NONE, 0},
                    .read = {s->epoch, AGENT_NONE, 0},
                    .noted = s->epoch,
                    .blank = UINT32_MAX,
                    .begun = c->begun};
    return l;
}

static inline void line_touched(line_touch *t, const cells *s, const cell_access *a) {
    const bool mixed = a->foreign || t->epoch == LINE_MIXED;
    const bool others = mixed || (t->epoch == s->epoch && t->agent != a->agent && t->agent != AGENT_NONE);
    *t = (line_touch){mixed ? LINE_MIXED : s->epoch, others ? AGENT_MANY : a->agent, a->clocks->of[a->agent].now};
}

/* Has every warp passed a barrier since, or was the line used by this agent alone, whose lanes have met since? Then
 * all earlier accesses come before whatever the agent does now. */
static inline bool touched_before(const line_touch *t, const cells *s, const cell_access *a) {
    if (a->foreign) return false;
    return t->epoch < s->epoch || (t->agent == a->agent && t->clock < a->clocks->of[a->agent].together);
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
        if (!conflict(a, lane, by, UINT32_MAX)) continue;
        *other = by;
        *other_site = r->site;
        return true;
    }
    return false;
}

static bool unordered_hidden(const cell_access *a, uint32_t lane, const hidden_writes *h, stamp *other,
                             uint32_t *other_site) {
    if (conflict(a, lane, h->weak, 0)) {
        *other = h->weak;
        *other_site = h->weak_site;
        return true;
    }
    for (int k = 0; k < 2; k++) {
        if (!conflict(a, lane, h->strong[k].by, h->strong[k].lanes)) continue;
        *other = h->strong[k].by;
        *other_site = h->strong[k].site;
        return true;
    }
    return false;
}

/* The asynchronous reads of the word that may still be going on as far as the agent knows, or NULL. */
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
    const bool minds = a->action == CELL_READ || (a->action == CELL_UPDATE && !a->replaces) || a->action == CELL_USE;
    if (minds && stamp_clock(c->write) < a->clocks->begun) {
        *other = c->write == blank_stamp(a->clocks) ? c->write : 0;
        *other_site = c->write_site;
        return TROUBLE_UNWRITTEN;
    }
    if (writes) {
        const noted_access *r = c->reads;
        int met = conflict(a, lane, r[0].by, r[0].lanes) ? 0 : -1; /* a read by another warp is the better message */
        if ((met < 0 || stamp_agent(r[0].by) == a->agent) && conflict(a, lane, r[1].by, r[1].lanes)) met = 1;
        if (met >= 0) {
            *other = r[met].by;
            *other_site = r[met].site;
            return TROUBLE_AFTER_READ;
        }
        if (unordered_reads(s, a, lane, number, other, other_site)) return TROUBLE_AFTER_READ;
    }
    if (conflict(a, lane, c->write, 0)) {
        *other = c->write;
        *other_site = c->write_site;
        return TROUBLE_AFTER_WRITE;
    }
    if (s->hidden != NULL && unordered_hidden(a, lane, &s->hidden[number], other, other_site))
        return TROUBLE_AFTER_WRITE;
    return TROUBLE_NONE;
}

static void note_read(cells *s, const cell_access *a, uint32_t lane, uint32_t number) {
    line *l = line_at(s, a->clocks, number * s->unit >> LINE_SHIFT);
    note(s->of[number].reads, a, lane);
    line_touched(&l->read, s, a);
    l->noted = s->epoch;
}

static void check(cells *s, const cell_access *a, uint32_t lane, uint32_t first, uint32_t end) {
    stamp other = 0;
    uint32_t site = 0;
    bool said = false;
    for (uint32_t n = first; n < end; n++) {
        const trouble t = said ? TROUBLE_NONE : look_at(s, n, a, lane, &other, &site);
        if (t != TROUBLE_NONE) {
            said = true;
            a->trouble(a->context, t, lane, n, other, site);
        }
        if (a->action == CELL_READ || a->action == CELL_FETCH) note_read(s, a, lane, n);
    }
}

/* A strong or atomic write is about to replace the latest write. */
static void hide(cells *s, uint32_t number, const cell_access *a, uint32_t lane) {
    if (s->hidden == NULL) s->hidden = calloc((size_t)s->count + 16, sizeof *s->hidden);
    if (s->hidden == NULL) return;
    hidden_writes *h = &s->hidden[number];
    const cell *c = &s->of[number];
    if (stamp_strength(c->write) == STRENGTH_WEAK) {
        h->weak = c->write;
        h->weak_site = c->write_site;
    }
    if (a->learns) h->strong[0] = h->strong[1] = (noted_access){0};
    note(h->strong, a, lane);
}

/* Notes that these words of a line are written. Where cells are smaller than words, a word stays blank, and its cells
 * tell. */
static void line_written(cells *s, const cell_access *a, uint32_t number, uint32_t words) {
    line *l = line_at(s, a->clocks, number);
    if (touched_before(&l->written, s, a)) l->words = 0;
    line_touched(&l->written, s, a);
    if (s->unit != 4) return;
    l->words |= words;
    l->blank &= ~words;
    l->pending &= ~words;
}

static inline void cell_written(cell *c, stamp by, uint32_t site) {
    c->write = by;
    c->write_site = site;
    c->reads[0].by = c->reads[1].by = 0;
    c->pending = 0;
}

static void put(cells *s, const cell_access *a, uint32_t lane, uint32_t first, uint32_t end) {
    const stamp mine = stamp_of(a->clocks->of[a->agent].now, a->agent, lane, a->how);
    for (uint32_t n = first; n < end; n++) {
        cell *c = &s->of[n];
        if (a->how == STRENGTH_WEAK) {
            cell_written(c, mine, a->site);
        } else {
            hide(s, n, a, lane);
            c->write = mine;
            c->write_site = a->site;
            c->pending = 0;
        }
        line_written(s, a, n * s->unit >> LINE_SHIFT, 1u << (n & 31));
    }
}

/* ---- reads of lines that have been written before a barrier ---------------------------------------------------------
 */

/* Notes a read of a line. Reads by one agent in the same arrangement share an entry, since each lane has read the same
 * words again. */
static inline void note_line(const cells *s, line *l, const cell_access *a, uint32_t words, uint8_t each,
                             uint8_t shift) {
    const agent_clocks *mine = &a->clocks->of[a->agent];
    const stamp by = stamp_of(mine->now, a->agent, 0, a->how);
    line_reads *home = &l->reads[a->agent % LINE_READS], *empty = NULL, *past = NULL, *other = NULL;
    line_touched(&l->read, s, a);
    for (int k = 0; k < LINE_READS; k++) {
        line_reads *r = &l->reads[k];
        const uint32_t clock = stamp_clock(r->by);
        if (clock < a->clocks->begun) {
            if (empty == NULL || r == home) empty = r;
        } else if (stamp_agent(r->by) != a->agent) {
            continue;
        } else if (clock < mine->together) { /* all lanes of the agent have met since */
            past = r;
        } else if (r->each == each && r->shift == shift) {
            *r = (line_reads){by, r->words | words, a->site, each, shift};
            return;
        } else {
            other = r;
        }
    }
    line_reads *place = empty != NULL ? empty : past != NULL ? past : other != NULL ? other : home;
    if (place == other) /* no entry is left for another arrangement: the lanes are no longer distinguished */
        *other = (line_reads){by, other->words | words, a->site, 0, 0};
    else
        *place = (line_reads){by, words, a->site, each, shift};
}

/* Are these words written, and does every write to the line come before the access? */
static inline bool is_settled(const cells *s, const cell_access *a, uint32_t number, uint32_t words) {
    const line *l = &s->lines[number];
    return l->begun == a->clocks->begun && (l->blank & words) == 0 && touched_before(&l->written, s, a);
}

bool cells_read_row(cells *s, const cell_access *a, uint32_t first, uint32_t step, unsigned bytes) {
    if (s->unit != 4 || bytes < 4 || a->how != STRENGTH_WEAK) return false;
    const uint32_t begin = first >> LINE_SHIFT, words = bytes / 4, at = first >> 2 & 31;
    if (step == 0) {
        const uint32_t run = (words == 32 ? UINT32_MAX : (1u << words) - 1) << at;
        if (!is_settled(s, a, begin, run)) return false;
        note_line(s, &s->lines[begin], a, run, MANY_LANES, 0);
        return true;
    }
    const uint32_t end = (first + 32 * bytes - 1) >> LINE_SHIFT;
    for (uint32_t n = begin; n <= end; n++) {
        const uint32_t run = n == begin ? UINT32_MAX << at : n == end && at != 0 ? (1u << at) - 1 : UINT32_MAX;
        if (!is_settled(s, a, n, run)) return false;
    }
    for (uint32_t n = begin; n <= end; n++) {
        const uint32_t run = n == begin ? UINT32_MAX << at : n == end && at != 0 ? (1u << at) - 1 : UINT32_MAX;
        note_line(s, &s->lines[n], a, run, (uint8_t)words, (uint8_t)((n * 32 - first / 4) % 128));
    }
    return true;
}

/* The slot of a pattern. An unrolled loop has few patterns but uses them at all places of a line, in many instructions.
 */
static inline uint32_t place_of(const uint64_t *offset, uint32_t begin, unsigned bytes) {
    const uint32_t apart = (uint32_t)offset[1] + 3 * (uint32_t)offset[4] + 7 * (uint32_t)offset[16] - 11 * begin;
    return (begin / 4 % 32 + 37 * (apart / 4) + bytes) % LINE_PATTERNS;
}

static void find_pattern(access_lines *p, uint32_t mask, const uint64_t *offset, unsigned bytes) {
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

static inline bool has_pattern(const access_lines *p, uint32_t mask, const uint64_t *offset, unsigned bytes) {
    const uint64_t begin = offset[__builtin_ctz(mask)];
    uint64_t other = (p->mask ^ mask) | (p->bytes ^ bytes) | (p->at ^ begin % (1u << LINE_SHIFT));
    for (uint32_t l = 0; l < CLOCK_LANES; l++) other |= (offset[l] - begin) ^ p->apart[l];
    return other == 0;
}

/* The pattern of these accesses. */
static const access_lines *pattern_of(cells *s, uint32_t mask, const uint64_t *offset, unsigned bytes) {
    access_lines *p = &s->patterns[place_of(offset, (uint32_t)offset[__builtin_ctz(mask)], bytes)];
    if (!has_pattern(p, mask, offset, bytes)) find_pattern(p, mask, offset, bytes);
    return p;
}

/* Notes the reads if all these words were written before. A read is noted for a whole line where the line was written
 * before a barrier of the whole block, or where the entry still says which lane has read what; else in its cells. */
static bool read_settled(cells *s, const cell_access *a, uint32_t mask, const uint64_t *offset, unsigned bytes) {
    if (s->unit != 4 || bytes < 4 || a->how != STRENGTH_WEAK || a->foreign) return false;
    const access_lines *p = pattern_of(s, mask, offset, bytes);
    const uint32_t first = (uint32_t)__builtin_ctz(mask), line = (uint32_t)offset[first] >> LINE_SHIFT;
    const uint32_t start = (uint32_t)offset[first] - first * bytes;
    bool by_line = p->row || !p->many || mask == UINT32_MAX;
    for (int k = 0; k < p->count; k++) {
        if (!is_settled(s, a, line + p->lines[k], p->words[k])) return false;
        if (!p->row && !p->many) by_line = by_line && s->lines[line + p->lines[k]].written.epoch < s->epoch;
    }
    for (uint32_t left = by_line ? 0 : mask; left != 0; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left), n = (uint32_t)offset[l] / 4;
        for (uint32_t k = 0; k < bytes / 4; k++) note_read(s, a, l, n + k);
    }
    for (int k = 0; by_line && k < p->count; k++) {
        const uint32_t number = line + p->lines[k], shift = (number * 32 - start / 4) % 128;
        note_line(s, &s->lines[number], a, p->words[k],
                  p->many  ? (uint8_t)MANY_LANES
                  : p->row ? (uint8_t)(bytes / 4)
                           : 0,
                  p->row ? (uint8_t)shift : 0);
    }
    return true;
}

/* Has only this agent read the line since its lanes last met, and has no other lane, as far as is known, read the words
 * that the lanes of the pattern are about to write? */
static bool reads_are_its_own(const cells *s, const cell_access *a, const line *l, uint32_t words, unsigned each,
                              uint32_t shift) {
    if (l->read.agent != a->agent || l->noted == s->epoch) return false;
    for (int k = 0; k < LINE_READS; k++) {
        const line_reads *r = &l->reads[k];
        if (stamp_agent(r->by) != a->agent || stamp_clock(r->by) < a->clocks->of[a->agent].together) continue;
        if (r->each != 0 && (r->words & words) != 0 && (r->each != each || r->shift != shift)) return false;
    }
    return true;
}

/* True if no copy to the line is under way and every earlier access to these words comes before this one. `each` and
 * `shift` are as in line_reads. */
static bool is_free(cells *s, const cell_access *a, uint32_t number, uint32_t words, unsigned each, uint32_t shift) {
    const line *l = line_at(s, a->clocks, number);
    if (l->pending != 0) return false;
    if (l->blank == UINT32_MAX) return true; /* no thread of this block has touched the line */
    if (s->uses != NULL) return false;
    if (!touched_before(&l->written, s, a) && (l->written.agent != a->agent || (l->words & words) != 0)) return false;
    return touched_before(&l->read, s, a) || reads_are_its_own(s, a, l, words, each, shift);
}

/* Notes the write if there is nothing that it could race with. */
static bool write_settled(cells *s, const cell_access *a, uint32_t mask, const uint64_t *offset, unsigned bytes) {
    if (s->unit != 4 || bytes < 4 || a->how != STRENGTH_WEAK || a->foreign) return false;
    const access_lines *p = pattern_of(s, mask, offset, bytes);
    const uint32_t first = (uint32_t)__builtin_ctz(mask), line = (uint32_t)offset[first] >> LINE_SHIFT;
    const uint32_t start = (uint32_t)offset[first] - first * bytes;
    for (int k = 0; k < p->count; k++) {
        const uint32_t number = line + p->lines[k], shift = (number * 32 - start / 4) % 128;
        if (!is_free(s, a, number, p->words[k], p->row ? bytes / 4 : 0, shift)) return false;
    }
    for (int k = 0; k < p->count; k++) line_written(s, a, line + p->lines[k], p->words[k]);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        cell *c = &s->of[offset[l] / 4];
        const stamp mine = stamp_of(a->clocks->of[a->agent].now, a->agent, l, STRENGTH_WEAK);
        for (uint32_t n = 0; n < bytes / 4; n++) cell_written(&c[n], mine, a->site);
    }
    return true;
}

void cells_access(cells *s, const cell_access *a, uint32_t mask, const uint64_t *offset, unsigned bytes) {
    const unsigned shift = s->unit == 4 ? 2 : s->unit == 2 ? 1 : 0;
    const uint32_t wide = bytes > s->unit ? bytes >> shift : 1;
    if (mask == 0 || (a->action == CELL_READ && read_settled(s, a, mask, offset, bytes))) return;
    if (a->action == CELL_WRITE && write_settled(s, a, mask, offset, bytes)) return;
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

uint32_t cells_unwritten(const cells *s, const clocks *c, uint32_t offset, unsigned bytes) {
    uint32_t found = 0;
    for (unsigned k = 0; k < bytes && k < 16; k++)
        found |= (uint32_t)(stamp_clock(s->of[(offset + k) / s->unit].write) < c->begun) << k;
    return found;
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
    for (uint32_t k = 0; all && k < met->count; k++) all = !conflict(a, 0, met->list[k], 0);
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
