#include "predict/cache.h"

#include <stdlib.h>
#include <string.h>

#include "predict/constants.h"

bool cache_begin(cache *c, unsigned l1_kib, const struct cache_clocks *clocks) {
    *c = (cache){.clocks = *clocks, .room = 1 << 12};
    c->sets = (int)(l1_kib * 1024 / LINE_BYTES / L1_WAYS);
    if (c->sets < 1) c->sets = 1;
    c->lines = calloc((size_t)c->sets * L1_WAYS, sizeof *c->lines);
    c->seen = calloc(c->room, sizeof *c->seen);
    for (int k = 0; c->lines != NULL && k < c->sets * L1_WAYS; k++) c->lines[k].line = ~0ull;
    return c->lines != NULL && c->seen != NULL;
}

void cache_end(cache *c) {
    free(c->lines);
    free(c->seen);
    *c = (cache){0};
}

static uint64_t hashed(uint64_t line) {
    return line * 0x9e3779b97f4a7c15u >> 24;
}

static seen_line *seen_at(seen_line *table, uint64_t room, uint64_t line) {
    uint64_t k = hashed(line) & (room - 1);
    while (table[k].line != 0 && table[k].line != line + 1) k = (k + 1) & (room - 1);
    return &table[k];
}

/* The sectors of a line that this SM has asked of L2 before; from now on also these. */
static unsigned note_seen(cache *c, uint64_t line, unsigned sectors) {
    if (2 * c->count >= c->room) {
        seen_line *more = calloc(2 * c->room, sizeof *more);
        if (more == NULL) return sectors;
        for (uint64_t k = 0; k < c->room; k++)
            if (c->seen[k].line != 0) *seen_at(more, 2 * c->room, c->seen[k].line - 1) = c->seen[k];
        free(c->seen);
        c->seen = more;
        c->room *= 2;
    }
    seen_line *s = seen_at(c->seen, c->room, line);
    const unsigned before = s->sectors;
    c->count += s->line == 0;
    s->line = line + 1;
    s->sectors |= (uint8_t)sectors;
    return before;
}

/* A sector that comes from L2, or from DRAM where nobody has read it before. All SMs go through a matrix in step, so
 * what this one asks for the first time is on its way from DRAM for the others, too, and each waits for it. */
static double fetch(cache *c, uint64_t line, bool before, double now) {
    const double way = 1 + LATENCY_SPREAD * ((double)(hashed(line) >> 8 & 1023) / 511.5 - 1); /* near or far */
    c->l2_free = later(c->l2_free, now) + c->clocks.l2_sector;
    c->l2_sectors++;
    c->dram_sectors += !before;
    if (before || c->warm) return c->l2_free - c->clocks.l2_sector + c->clocks.l2 * way;
    c->dram_free = later(c->dram_free, now) + c->clocks.dram_read;
    return later(c->l2_free - c->clocks.l2_sector, c->dram_free - c->clocks.dram_read) + c->clocks.dram * way;
}

static cache_line *look_up(cache *c, uint64_t line) {
    cache_line *set = c->lines + hashed(line) % (uint64_t)c->sets * L1_WAYS, *oldest = set;
    for (int k = 0; k < L1_WAYS; k++) {
        if (set[k].line == line) return &set[k];
        if (set[k].used < oldest->used) oldest = &set[k];
    }
    *oldest = (cache_line){.line = line};
    return oldest;
}

double cache_read(cache *c, uint64_t line, unsigned sectors, bool past_l1, double now) {
    cache_line *l = past_l1 ? NULL : look_up(c, line);
    unsigned missing = 0;
    double ready = now + c->clocks.l1;
    if (l != NULL) l->used = ++c->uses;
    for (int s = 0; s < 4; s++)
        if (sectors >> s & 1) {
            c->l1_sectors++;
            if (l == NULL || l->ready[s] == 0) missing |= 1u << s;
        }
    const unsigned before = missing != 0 ? note_seen(c, line, missing) : 0;
    for (int s = 0; s < 4; s++) {
        if (!(sectors >> s & 1)) continue;
        double there = l != NULL ? l->ready[s] : 0;
        if (missing >> s & 1) there = fetch(c, line, before >> s & 1, now);
        if (l != NULL) l->ready[s] = there;
        ready = later(ready, there);
    }
    return ready;
}

/* DRAM is busy for as long: for these words or for others, which leave L2 to make room. */
void cache_write(cache *c, uint64_t line, unsigned sectors, double now) {
    const int count = __builtin_popcount(sectors);
    c->l2_free = later(c->l2_free, now) + c->clocks.l2_sector * count;
    c->dram_free = later(c->dram_free, now) + c->clocks.dram_written * count;
    c->written_sectors += (uint64_t)count;
}

cache_seen cache_take_seen(cache *c) {
    const cache_seen seen = {c->seen, c->room};
    c->seen = NULL;
    return seen;
}

double cache_common(const cache_seen *one, const cache_seen *other) {
    int all = 0, common = 0;
    for (uint64_t k = 0; k < one->room; k++) {
        if (one->lines[k].line == 0) continue;
        const seen_line *s = seen_at(other->lines, other->room, one->lines[k].line - 1);
        all += __builtin_popcount(one->lines[k].sectors);
        common += __builtin_popcount(one->lines[k].sectors & s->sectors);
    }
    return all > 0 ? (double)common / all : 0;
}
