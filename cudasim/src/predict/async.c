/* What an SM of Hopper does beside its warps: products of wgmma, copies of TMA, and the mbarriers that tell of them. A
 * cluster is modelled by one of its blocks. The others are taken to do the same at the same time: what this one sends
 * to each of them, it gets from each of them, and so it all comes to its own shared memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/tensormap.h"
#include "predict/sm.h"

#define NEVER 1e300

/* The warp that asked, and not one of the block that came after its. */
static bool is_there(const sm_warp *w, int wave) {
    return w->block >= 0 && w->wave == wave;
}

/* ---- mbarriers --------------------------------------------------------------------------------------------------- */

static mbarrier *word_at(sm *m, int place, uint64_t address) {
    sm_block *b = &m->blocks[place];
    const unsigned offset = (unsigned)(address & SHARED_OFFSETS);
    for (int k = 0; k < b->word_count; k++)
        if (b->words[k].offset == offset) return &b->words[k];
    if (b->word_count == MBARRIER_WORDS) m->result.missing = "a block of more than 64 mbarriers";
    mbarrier *word = &b->words[b->word_count < MBARRIER_WORDS ? b->word_count++ : 0];
    *word = (mbarrier){.offset = offset};
    return word;
}

/* Who waits for the phase goes on. */
static void end_phase(sm *m, int place, mbarrier *word) {
    if (word->missing > 0 || word->bytes != 0) return;
    word->missing = word->expected;
    word->phase++;
    for (int k = 0; k < m->warps_per_block; k++) {
        sm_warp *w = &m->warps[place * m->warps_per_block + k];
        if (w->awaits != word || w->parity == word->phase % 2) continue;
        w->awaits = NULL;
        timeline_wait(m, w, "mbarrier");
        w->pending[w->board]--;
        w->ready[w->board] = m->now + m->spec->shared_clocks;
    }
}

static void come(sm *m, int place, double time, unsigned offset, int arrivals, int64_t bytes) {
    if (m->event_count == EVENTS_ROOM) {
        m->result.missing = "so much that comes to mbarriers at once";
        return;
    }
    m->events[m->event_count++] = (event){time, place, offset, arrivals, bytes};
}

/* Lanes that arrive at one mbarrier do so together. What they get names the phase that they arrived in, for a wait. */
static void arrive(sm *m, int warp, const sass_insn *i, uint32_t active) {
    const sm_warp *w = &m->warps[warp];
    uint32_t buffer[LANES], state[LANES];
    const uint32_t *bytes = lanes_value(w->lanes, &i->operands[2], buffer);
    uint64_t address[LANES];
    for (int t = 0; t < LANES; t++)
        if (active >> t & 1) address[t] = lanes_address(w->lanes, &i->operands[1], t);
    for (uint32_t left = active; left != 0;) {
        const int first = __builtin_ctz(left);
        const bool remote = address[first] >> 24 != w->lanes->block->rank;
        mbarrier *word = word_at(m, w->block, address[first]);
        int arrivals = 0;
        for (int t = first; t < LANES; t++) {
            if (!(left >> t & 1) || address[t] != address[first]) continue;
            left &= ~(1u << t);
            arrivals++;
            state[t] = (uint32_t)word->phase << 31;
            if (!HAS(i, A1T0)) word->bytes += bytes[t];
        }
        come(m, w->block, m->now + (remote ? CLUSTER_CLOCKS : 1), word->offset, arrivals, 0);
    }
    lanes_set(w->lanes, &i->operands[0], 1, state, active);
}

/* try_wait: the warp is taken to wait until the phase has ended. */
static void check_phase(sm *m, int warp, const sass_insn *i, uint32_t active) {
    sm_warp *w = &m->warps[warp];
    uint32_t buffer[LANES];
    const int lane = __builtin_ctz(active), p = i->operands[0].reg;
    const unsigned parity = lanes_value(w->lanes, &i->operands[2], buffer)[lane] >> 31;
    mbarrier *word = word_at(m, w->block, lanes_address(w->lanes, &i->operands[1], lane));
    w->lanes->predicates[p] |= active;
    if (i->write_board >= SASS_SCOREBOARDS) return;
    if (word->phase % 2 != parity) {
        w->ready[i->write_board] = fmax(w->ready[i->write_board], m->now + m->spec->shared_clocks);
        return;
    }
    w->pending[i->write_board]++;
    w->awaits = word;
    w->parity = parity;
    w->since = m->now;
    w->board = i->write_board;
    w->waits_for[i->write_board] = WAIT_MBARRIER;
}

static void synchronise(sm *m, int warp, const sass_insn *i, uint32_t active) {
    if (HAS(i, ARRIVE)) arrive(m, warp, i, active);
    if (HAS(i, PHASECHK)) check_phase(m, warp, i, active);
    if (!HAS(i, EXCH)) return;
    const lane_warp *l =
        m->warps[warp].lanes; /* bits 1 to 20 of what init stores: arrivals, as what is missing to 2^20 */
    uint32_t buffer[LANES];
    const int lane = __builtin_ctz(active);
    const uint32_t low = lanes_value(l, &i->operands[2], buffer)[lane];
    mbarrier *word = word_at(m, m->warps[warp].block, lanes_address(l, &i->operands[1], lane));
    *word = (mbarrier){.offset = word->offset, .expected = (1 << 20) - (int)(low >> 1 & 0xfffff)};
    word->missing = word->expected;
}

/* ---- TMA --------------------------------------------------------------------------------------------------------- */

static void add_row(void *context, const tensor_row *r) {
    tma_copy *c = context;
    for (uint64_t at = r->global, end = at + r->bytes; at < end;) {
        const uint64_t line = at / LINE_BYTES, next = (line + 1) * LINE_BYTES, stop = next < end ? next : end;
        if (c->count == c->room) {
            copy_line *more = realloc(c->lines, (size_t)(c->room + 256) * sizeof *more);
            if (more == NULL) return;
            c->lines = more;
            c->room += 256;
        }
        copy_line *l = &c->lines[c->count++];
        *l = (copy_line){.line = line};
        for (; at < stop; at = (at / SECTOR_BYTES + 1) * SECTOR_BYTES)
            l->sectors |= (uint8_t)(1u << at / SECTOR_BYTES % 4);
        at = stop;
    }
}

/* UTMALDG [to, mbarrier, coordinates], [map] {, blocks}; UTMASTG [from, coordinates], [map]. */
static void begin_copy(sm *m, int warp, const sass_insn *i) {
    const sm_warp *w = &m->warps[warp];
    const int first = i->operands[0].uniform, where = i->operands[1].uniform;
    const bool is_store = i->op == SASS_UTMASTG, known = first >= 0 && first < 56 && where >= 0 && where < 63;
    const uint32_t *u = &w->lanes->uniform[known ? first : 0], *pair = &w->lanes->uniform[known ? where : 0];
    const uint64_t address = pair[0] | (uint64_t)pair[1] << 32, constants = (uintptr_t)m->spec->launch->constants;
    const bool there = address - constants < CONSTANT_BYTES - sizeof(tensor_map) || memory_find(address) != NULL;
    const tensor_map *map = (const tensor_map *)(uintptr_t)address;
    if (!known || !there || !tensormap_valid(map) || map->im2col) {
        m->result.missing = i->name;
        return;
    }
    tma_copy *c = &m->copies[(m->first_copy + m->copy_count++) % COPIES_ROOM];
    tensor_at at = {0};
    for (int k = 0; k < map->rank; k++) at.coordinates[k] = (int32_t)u[(is_store ? 1 : 2) + k];
    *c = (tma_copy){.warp = warp,
                    .wave = w->wave,
                    .place = w->block,
                    .is_store = is_store,
                    .offset = u[0] & SHARED_OFFSETS,
                    .barrier = u[1] & SHARED_OFFSETS,
                    .bytes = (int64_t)tensormap_bytes(map),
                    .time = m->now + TMA_CLOCKS,
                    .blocks = 1,
                    .lines = c->lines,
                    .room = c->room};
    if (HAS(i, MULTICAST)) {
        uint32_t buffer[LANES];
        c->blocks = __builtin_popcount(lanes_value(w->lanes, &i->operands[2], buffer)[0] >> 16);
    }
    tensormap_rows(map, &at, is_store, add_row, c);
}

/* The next line of the first copy. */
static void copy_line_of(sm *m, tma_copy *c) {
    if (c->next < c->count) {
        const copy_line *l = &c->lines[c->next++];
        m->tma_free = m->now + 1;
        if (c->is_store)
            cache_write(&m->memory, l->line, l->sectors, m->now);
        else
            c->done = fmax(c->done, cache_read(&m->memory, l->line, l->sectors, true, m->now));
    }
    if (c->next < c->count) return;
    m->first_copy = (m->first_copy + 1) % COPIES_ROOM;
    m->copy_count--;
    sm_warp *w = &m->warps[c->warp];
    const double begin = c->time - TMA_CLOCKS, done = fmax(c->done, m->now);
    mbarrier *word = c->is_store ? NULL : word_at(m, c->place, c->barrier);
    timeline_span(m, w, c->is_store ? "bulk store" : "bulk load", begin, done,
                  c->is_store ? "from shared" : "to shared", c->offset, (unsigned)c->bytes, word);
    if (c->is_store && is_there(w, c->wave))
        ring_take(&w->rings[RING_STORES], m->now);
    else if (!c->is_store)
        come(m, c->place, done, c->barrier, 0, c->bytes * c->blocks);
}

static double copy_next(const sm *m) {
    if (m->copy_count == 0) return NEVER;
    return fmax(m->copies[m->first_copy].time, fmax(m->tma_free, m->memory.l2_free - TMA_AHEAD));
}

/* ---- wgmma ------------------------------------------------------------------------------------------------------- */

/* Between the sizes that were measured a product takes its share. */
static double product_clocks(const sm *m, int columns) {
    const double *clocks = m->spec->product_clocks;
    for (int k = 0, size = 8; k + 1 < PRODUCT_SIZES; k++, size *= 2)
        if (columns <= 2 * size) return clocks[k] + (clocks[k + 1] - clocks[k]) * (columns - size) / size;
    return clocks[PRODUCT_SIZES - 1];
}

/* In shared memory. */
static int rows_of_a(const sass_insn *i) {
    return i->operands[1].kind == KIND_REGISTER ? 0 : PRODUCT_ROWS;
}

/* A product begins when the last of its four warps has issued it. */
static void begin_product(sm *m, int warp, const sass_insn *i) {
    sm_warp *w = &m->warps[warp];
    const int in_block = warp - w->block * m->warps_per_block, first = warp - in_block % WARPGROUP;
    const uint64_t number = ++w->rings[RING_PRODUCTS].begun;
    for (int k = 0; k < i->count; k++)
        if (i->operands[k].kind == KIND_OTHER && strcmp(i->operands[k].text, "gsb0") == 0)
            ring_group(&w->rings[RING_PRODUCTS], m->now, 0, 0, 0);
    for (int k = first; k < first + WARPGROUP && k < (w->block + 1) * m->warps_per_block; k++)
        if (m->warps[k].rings[RING_PRODUCTS].begun < number) return;
    const char *pair =
        strstr(i->operands[rows_of_a(i) > 0 ? 1 : 2].text, "[UR"); /* gdesc[UR8]: A's, then B's; or B's */
    const int at = (pair != NULL ? atoi(pair + 3) : 0) + (rows_of_a(i) > 0 ? 2 : 0);
    m->products[(m->first_product + m->product_count++) % PRODUCTS_ROOM] =
        (product){first, w->wave, i, m->now, (w->lanes->uniform[at & 63] & 0x3fff) << 4};
}

static void multiply(sm *m) {
    const product p = m->products[m->first_product];
    const double reads = (rows_of_a(p.insn) + p.insn->columns) * (double)PRODUCT_K_BYTES / WAVEFRONT_BYTES;
    const double clocks = product_clocks(m, p.insn->columns);
    m->first_product = (m->first_product + 1) % PRODUCTS_ROOM;
    m->product_count--;
    const double begin = fmax(m->tensor_free, p.time);
    m->unit_free = fmax(m->unit_free, begin) + reads;
    m->tensor_free = fmax(begin + clocks, m->unit_free);
    timeline_span(m, &m->warps[p.warp], "wgmma", begin, m->tensor_free, "B from", p.b,
                  p.insn->columns * PRODUCT_K_BYTES, NULL);
    if (!is_there(&m->warps[p.warp], p.wave)) return;
    for (int k = p.warp; k < p.warp + WARPGROUP && k < MOST_WARPS; k++)
        ring_take(&m->warps[k].rings[RING_PRODUCTS], m->tensor_free + TENSOR_LATENCY);
    m->blocks[m->warps[p.warp].block].since[BUSY_TENSOR] += clocks;
    m->blocks[m->warps[p.warp].block].since[BUSY_LSU] += reads;
}

/* ---- in time ----------------------------------------------------------------------------------------------------- */

void async_issue(sm *m, int warp, const sass_insn *i, uint32_t active) {
    if (i->op == SASS_SYNCS)
        synchronise(m, warp, i, active);
    else if (i->op == SASS_UTMACMDFLUSH)
        ring_group(&m->warps[warp].rings[RING_STORES], m->now, 0, 0, 0);
    else if (i->columns > 0)
        begin_product(m, warp, i);
    else
        begin_copy(m, warp, i);
    if (i->op == SASS_UTMASTG) m->warps[warp].rings[RING_STORES].begun++;
}

bool async_is_full(const sm *m, const sm_warp *w, const sass_insn *i) {
    const group_ring *r = &w->rings[RING_PRODUCTS];
    if (i->columns > 0) return r->begun - r->taken >= PRODUCTS_AHEAD;
    return (i->op == SASS_UTMALDG || i->op == SASS_UTMASTG) && m->copy_count == COPIES_ROOM;
}

double async_next(const sm *m) {
    double soonest = copy_next(m);
    if (m->product_count > 0) soonest = fmin(soonest, m->tensor_free);
    for (int k = 0; k < m->event_count; k++) soonest = fmin(soonest, m->events[k].time);
    return soonest;
}

void async_step(sm *m) {
    for (int k = 0; k < m->event_count;) {
        const event e = m->events[k];
        if (e.time > m->now) {
            k++;
            continue;
        }
        m->events[k] = m->events[--m->event_count];
        mbarrier *word = word_at(m, e.place, e.offset);
        word->missing -= e.arrivals;
        word->bytes -= e.bytes;
        end_phase(m, e.place, word);
    }
    while (m->product_count > 0 && m->tensor_free <= m->now) multiply(m);
    if (copy_next(m) <= m->now) copy_line_of(m, &m->copies[m->first_copy]);
}

void async_end(sm *m) {
    for (int k = 0; k < COPIES_ROOM; k++) free(m->copies[k].lines);
}
