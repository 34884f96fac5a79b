/* The load/store unit of an SM: four queues, one unit for all, which takes a wavefront of shared memory or a line of
 * global memory a clock. */
#include <string.h>

#include "banks.h"
#include "predict/constants.h"
#include "predict/sm.h"

static bool is_shared(const sass_insn *i) {
    return i->op == SASS_LDS || i->op == SASS_STS || i->op == SASS_LDSM || i->op == SASS_STSM || i->op == SASS_ATOMS;
}

/* ---- what an access costs ---------------------------------------------------------------------------------------- */

static int matrix_rows(const sass_insn *i) {
    return HAS(i, X4) ? 32 : HAS(i, X2) ? 16 : 8;
}

static int count_wavefronts(const sass_insn *i, const lane_access *a) {
    unsigned from[LANES], to[LANES];
    for (int t = 0; t < LANES; t++) {
        const bool active = a->mask >> t & 1;
        from[t] = active ? (unsigned)a->address[t] : 0;
        to[t] = active ? a->target[t] : 0;
    }
    if (HAS(i, CAST)) return SWAP_WAVEFRONTS * banks_request(from, a->mask, 4, BANKS_STORE).wavefronts;
    if (i->op == SASS_ATOMS) return banks_request(from, a->mask, 4, BANKS_ATOMIC).wavefronts;
    if (i->op == SASS_LDGSTS && HAS(i, BYPASS)) return banks_copy_past_l1(to, from, a->copying);
    if (i->op == SASS_LDGSTS) return banks_copy(to, from, a->mask, (int)a->bytes).wavefronts;
    if (i->op == SASS_LDSM || i->op == SASS_STSM) return banks_rows(from, matrix_rows(i), 16).wavefronts;
    return banks_request(from, a->mask, (int)a->bytes, i->op == SASS_LDS ? BANKS_LOAD : BANKS_STORE).wavefronts;
}

/* The same by the memo, where all lanes have moved alike. */
static int wavefronts(sm *m, const sass_insn *i, const lane_access *a) {
    memo *known = &m->memos[i - m->spec->launch->code->insns];
    const int first = __builtin_ctz(a->mask);
    const unsigned base = (unsigned)a->address[first], low = (base & 127) | (a->target[first] & 127) << 8;
    int32_t apart[LANES] = {0}, target[LANES] = {0};
    const bool copies = i->op == SASS_LDGSTS;
    for (int t = 0; t < LANES; t++)
        if (a->mask >> t & 1) {
            apart[t] = (int32_t)((unsigned)a->address[t] - base);
            if (copies) target[t] = (int32_t)(a->target[t] - a->target[first]);
        }
    const bool same = known->known && known->mask == a->mask && memcmp(known->apart, apart, sizeof apart) == 0;
    if (same && (!copies || (known->copying == a->copying && known->low == low &&
                             memcmp(known->target_apart, target, sizeof target) == 0)))
        return known->clocks;
    *known = (memo){.known = true, .mask = a->mask, .copying = a->copying, .low = low};
    memcpy(known->apart, apart, sizeof apart);
    memcpy(known->target_apart, target, sizeof target);
    known->clocks = count_wavefronts(i, a);
    return known->clocks;
}

/* The lines of global memory, and their sectors. */
static void find_lines(request *r, const lane_access *a, uint32_t lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint64_t address = a->address[__builtin_ctz(lanes)], line = address / LINE_BYTES;
        int k = r->lines - 1;
        while (k >= 0 && r->line[k] != line) k--;
        if (k < 0) {
            k = r->lines++;
            r->line[k] = line;
            r->sectors[k] = 0;
        }
        r->sectors[k] |= (uint8_t)(1u << address / SECTOR_BYTES % 4);
    }
}

void unit_ask(sm *m, int warp, const sass_insn *i, const lane_access *a) {
    scheduler *s = &m->schedulers[warp % SCHEDULERS];
    sm_warp *w = &m->warps[warp];
    request *r = &s->queue[(s->first + s->count++) % QUEUE_ROOM];
    r->warp = warp;
    r->wave = w->wave;
    r->insn = i;
    r->time = m->now + 1;
    r->lines = 0;
    r->clocks = 1;
    if (is_shared(i)) {
        r->clocks = wavefronts(m, i, a) * WAVEFRONT_CLOCKS;
    } else if (i->op == SASS_LDGSTS) {
        find_lines(r, a, a->copying);
        r->clocks = wavefronts(m, i, a) * WAVEFRONT_CLOCKS;
        w->rings[RING_COPIES].begun++;
    } else if (i->op != SASS_SHFL && i->op != SASS_LDL && i->op != SASS_STL) {
        find_lines(r, a, a->mask);
        r->clocks = r->lines * LINE_CLOCKS;
    }
    if (r->clocks < 1) r->clocks = 1;
    if (i->write_board < SASS_SCOREBOARDS) w->pending[i->write_board]++;
    if (i->read_board < SASS_SCOREBOARDS) w->pending[i->read_board]++;
}

bool unit_is_full(const sm *m, int warp) {
    return m->schedulers[warp % SCHEDULERS].count >= QUEUE_ENTRIES;
}

/* ---- taking requests up ------------------------------------------------------------------------------------------ */

/* When its words are there. */
static double serve(sm *m, const request *r) {
    const sass_insn *i = r->insn;
    const bool is_store = i->op == SASS_STG || i->op == SASS_ST || i->op == SASS_RED || i->op == SASS_REDG;
    const bool past_l1 = HAS(i, BYPASS) || HAS(i, STRONG) || HAS(i, NA);
    double done = m->now - 1 + r->clocks - 1;
    if (r->lines == 0) return done + (i->op == SASS_LDL ? m->spec->clocks.l1 : m->spec->shared_clocks);
    const double first = done;
    for (int k = 0; k < r->lines; k++) {
        if (is_store)
            cache_write(&m->memory, r->line[k], r->sectors[k], first);
        else
            done = later(done, cache_read(&m->memory, r->line[k], r->sectors[k], past_l1, first));
    }
    return done;
}

static void take_up(sm *m, scheduler *s) {
    const request *r = &s->queue[s->first];
    const sass_insn *i = r->insn;
    sm_warp *w = &m->warps[r->warp];
    m->memory.warm = m->spec->l2_holds_all && w->wave > 0;
    double done = serve(m, r);
    s->first = (s->first + 1) % QUEUE_ROOM;
    s->count--;
    s->asleep = 0;
    s->address_free = m->now + ADDRESS_CLOCKS;
    m->unit_free = m->now + r->clocks;
    if (w->block >= 0) m->blocks[w->block].since[BUSY_LSU] += r->clocks;
    if (w->block < 0 || r->wave != w->wave) return; /* the warp that asked has ended */
    if (i->op == SASS_LDGSTS) {
        ring_take(&w->rings[RING_COPIES], done);
    } else if (is_shared(i)) {
        w->returned = done = later(w->returned, done);
    }
    if (i->write_board < SASS_SCOREBOARDS) {
        w->pending[i->write_board]--;
        w->ready[i->write_board] = later(w->ready[i->write_board], done);
    }
    if (i->read_board < SASS_SCOREBOARDS) {
        w->pending[i->read_board]--;
        w->ready[i->read_board] = later(w->ready[i->read_board], m->now + r->clocks);
    }
}

void unit_step(sm *m) {
    if (m->unit_free > m->now) return;
    for (int k = 0; k < SCHEDULERS; k++) {
        const int at = (m->turn + k) % SCHEDULERS;
        scheduler *s = &m->schedulers[at];
        if (s->count == 0 || s->queue[s->first].time > m->now || s->address_free > m->now) continue;
        m->turn = at + 1;
        take_up(m, s);
        return;
    }
}

/* ---- groups of copies -------------------------------------------------------------------------------------------- */

void ring_take(group_ring *r, double done) {
    r->done = later(r->done, done);
    r->taken++;
    for (unsigned k = 0; k < r->count; k++) {
        const unsigned at = (r->first + k) % GROUPS;
        if (r->groups[at].done < 0 && r->groups[at].begun <= r->taken) r->groups[at].done = r->done;
    }
}

void ring_group(group_ring *r, double now, double issued, unsigned low, unsigned high) {
    while (r->count > 0 && r->groups[r->first].done >= 0 && r->groups[r->first].done <= now) {
        r->first = (r->first + 1) % GROUPS;
        r->count--;
    }
    if (r->count == GROUPS) return;
    const unsigned at = (r->first + r->count++) % GROUPS;
    const double done = r->taken == r->begun ? later(r->done, now) : -1;
    r->groups[at] = (copy_group){r->begun, done, issued, low, high};
}

unsigned ring_open(const group_ring *r, double now, double *until) {
    unsigned open = 0;
    *until = 0;
    for (unsigned k = 0; k < r->count; k++) {
        const double done = r->groups[(r->first + k) % GROUPS].done;
        if (done >= 0 && done <= now) continue;
        open++;
        if (done >= 0 && (*until == 0 || done < *until)) *until = done;
    }
    return open;
}
