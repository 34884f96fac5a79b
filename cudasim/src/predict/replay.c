/* The schedulers: which warp issues, and when it can go on; blocks come and go. */
#include "predict/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/constants.h"
#include "predict/sm.h"

#define NEVER       1e300
#define MOST_SLEEPS 1000 /* a warp polls for what other SMs' blocks do */

static void add_part(sm *m, sm_block *b, int part) {
    for (int k = 0; k < SHARES; k++) m->result.part[part][k] += b->since[k];
    memset(b->since, 0, sizeof b->since);
}

static void wake_all(sm *m) {
    for (int k = 0; k < SCHEDULERS; k++) m->schedulers[k].asleep = 0;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static void begin_block(sm *m, int place, double when) {
    const lane_launch *l = m->spec->launch;
    const unsigned *grid = l->grid;
    const uint64_t number =
        (m->spec->first + (uint64_t)m->begun * m->spec->stride) % ((uint64_t)grid[0] * grid[1] * grid[2]);
    sm_block *b = &m->blocks[place];
    b->block.index[0] = (unsigned)(number % grid[0]);
    b->block.index[1] = (unsigned)(number / grid[0] % grid[1]);
    b->block.index[2] = (unsigned)(number / grid[0] / grid[1]);
    b->block.rank = l->cluster[0] == 0 ? 0 : (unsigned)(number % l->cluster[0]); /* clusters along x */
    memset(b->arrived, 0, sizeof b->arrived);
    b->word_count = 0;
    b->warps = m->warps_per_block;
    b->passed = false;
    for (int k = 0; k < m->warps_per_block; k++) {
        const int slot = place * m->warps_per_block + k;
        sm_warp *w = &m->warps[slot];
        const int wave = m->begun / m->spec->resident;
        *w = (sm_warp){.lanes = w->lanes, .rings = m->rings[slot], .block = place, .wave = wave, .next = when};
        memset(m->rings[slot], 0, sizeof m->rings[slot]);
        lanes_begin(w->lanes, l, &b->block, (unsigned)k * LANES);
        w->insn = &l->code->insns[w->lanes->pc];
    }
    m->begun++;
    wake_all(m);
}

static void end_warp(sm *m, sm_warp *w) {
    sm_block *b = &m->blocks[w->block];
    const int place = w->block;
    timeline_copies(m, w, NEVER);
    w->block = -1;
    if (--b->warps > 0) return;
    add_part(m, b, b->passed ? PART_LAST : PART_MIDDLE);
    m->ended++;
    if (m->begun < m->spec->blocks) begin_block(m, place, m->now + 1);
}

/* All that wait at the barrier go on, once all are there. */
static void open_barrier(sm *m, int place, int barrier, int threads) {
    sm_block *b = &m->blocks[place];
    const int wanted = threads > 0 ? (threads + LANES - 1) / LANES : b->warps;
    if (b->arrived[barrier] == 0 || b->arrived[barrier] < wanted) return;
    b->arrived[barrier] = 0;
    add_part(m, b, b->passed ? PART_MIDDLE : PART_FIRST);
    b->passed = true;
    wake_all(m);
    for (int k = 0; k < m->warps_per_block; k++) {
        sm_warp *w = &m->warps[place * m->warps_per_block + k];
        if (w->block != place || !w->waits || w->barrier != barrier) continue;
        w->waits = false;
        timeline_wait(m, w, barrier == CLUSTER_BARRIER ? "cluster" : "barrier");
        w->next = later(w->next, m->now + (barrier == CLUSTER_BARRIER ? CLUSTER_CLOCKS : BARRIER_CLOCKS));
    }
}

static void arrive(sm *m, sm_warp *w, const lane_access *a) {
    sm_block *b = &m->blocks[w->block];
    b->arrived[a->barrier]++;
    w->waits = a->waits;
    w->since = m->now;
    w->barrier = a->barrier;
    open_barrier(m, w->block, a->barrier, a->threads);
}

/* ---- issue ------------------------------------------------------------------------------------------------------- */

static const double pipe_clocks[SASS_PIPES] = {
    [PIPE_IMAD] = IMAD_CLOCKS,       [PIPE_ALU] = ALU_CLOCKS,     [PIPE_HALF] = HALF_CLOCKS,
    [PIPE_DOUBLE] = DOUBLE_CLOCKS,   [PIPE_XU] = XU_CLOCKS,       [PIPE_UNIFORM] = UNIFORM_CLOCKS,
    [PIPE_SPECIAL] = UNIFORM_CLOCKS, [PIPE_CONST] = CONST_CLOCKS, [PIPE_ASYNC] = UNIFORM_CLOCKS};
static const double latencies[SASS_PIPES] = {[PIPE_XU] = XU_LATENCY,
                                             [PIPE_SPECIAL] = SPECIAL_LATENCY,
                                             [PIPE_CONST] = CONST_LATENCY,
                                             [PIPE_TENSOR] = TENSOR_LATENCY};

/* When the warp can issue: now or earlier, later, or NEVER where that hangs on what others do; what it waits for. */
static double can_issue(const sm *m, const scheduler *s, int warp, int *why) {
    const sm_warp *w = &m->warps[warp];
    *why = WAIT_BARRIER;
    if (w->block < 0 || w->waits) return NEVER;
    *why = WAIT_RESULT;
    if (w->next > m->now) return w->next;
    const sass_insn *i = w->insn;
    double when = m->now;
    for (unsigned wait = i->wait; wait != 0; wait &= wait - 1) {
        const int board = __builtin_ctz(wait);
        if (w->pending[board] > 0 || w->ready[board] > when) *why = w->waits_for[board];
        if (w->pending[board] > 0) return NEVER;
        when = later(when, w->ready[board]);
    }
    if ((i->op == SASS_DEPBAR || i->op == SASS_WARPGROUP) && i->count > 1) {
        const int ring = i->op == SASS_WARPGROUP           ? RING_PRODUCTS
                         : w->rings[RING_STORES].begun > 0 ? RING_STORES
                                                           : RING_COPIES;
        double until;
        const unsigned open = ring_open(&w->rings[ring], m->now, &until);
        *why = i->op == SASS_WARPGROUP ? WAIT_PIPE : WAIT_GLOBAL;
        if (open > (unsigned)i->operands[1].number) return until > 0 ? until : NEVER;
    }
    if (when > m->now) return when;
    *why = i->pipe == PIPE_LOAD || i->op == SASS_UTMALDG ? WAIT_QUEUE : WAIT_PIPE;
    if (i->pipe == PIPE_ASYNC) return async_is_full(m, w, i) ? NEVER : when;
    if (i->pipe == PIPE_LOAD) return unit_is_full(m, warp) ? NEVER : when;
    return later(when, s->pipe_free[i->pipe] - (i->pipe == PIPE_TENSOR ? 1 : 0));
}

/* Reads the registers of an FMA: each of two banks gives one a clock, and what is kept from the instruction before need
 * not be read. A bank may lag behind a little; returns from when on the next instruction can be dispatched. */
static double read_banks(scheduler *s, int warp, const sass_insn *i, double now) {
    int of_bank[2] = {0}, count = 0;
    int16_t read[3];
    for (int k = 0; k < 3; k++) {
        const sass_operand *o = &i->operands[k + 1];
        if (k + 1 >= i->count || o->kind != KIND_REGISTER || o->reg == SASS_RZ) continue;
        if (s->kept_by == warp && s->kept[k] == o->reg) continue;
        bool again = false;
        for (int n = 0; n < count; n++) again = again || read[n] == o->reg;
        if (again) continue;
        read[count++] = o->reg;
        of_bank[o->reg & 1]++;
    }
    double next = now + 1;
    for (int b = 0; b < 2; b++) {
        s->bank_free[b] = later(s->bank_free[b], now) + of_bank[b];
        next = later(next, s->bank_free[b] - BANK_SLACK);
    }
    return next;
}

static void keep(scheduler *s, int warp, const sass_insn *i) {
    s->kept_by = warp;
    for (int k = 0; k < 3; k++) {
        const sass_operand *o = &i->operands[k + 1];
        s->kept[k] = (i->reuse >> k & 1) && o->kind == KIND_REGISTER ? o->reg : -1;
    }
}

/* The pipes and scoreboards of an instruction that goes to no queue. */
static void occupy(sm *m, scheduler *s, sm_warp *w, const sass_insn *i) {
    const double latency = latencies[i->pipe], clocks = i->pipe == PIPE_FMA      ? m->spec->fma_clocks
                                                        : i->pipe == PIPE_TENSOR ? m->spec->tensor_clocks
                                                                                 : pipe_clocks[i->pipe];
    s->pipe_free[i->pipe] = later(s->pipe_free[i->pipe], m->now - 1) + clocks;
    if (i->pipe != PIPE_TENSOR) s->pipe_free[i->pipe] = m->now + clocks;
    if (i->pipe == PIPE_IMAD) s->pipe_free[PIPE_FMA] = later(s->pipe_free[PIPE_FMA], m->now + 1);
    if (i->op == SASS_LDGDEPBAR) {
        timeline_copies(m, w, m->now);
        ring_group(&w->rings[RING_COPIES], m->now, w->copies_issued, w->copies_low, w->copies_high);
        w->copies_low = w->copies_high = 0;
        return;
    }
    if (i->write_board < SASS_SCOREBOARDS) w->ready[i->write_board] = later(w->ready[i->write_board], m->now + latency);
    if (i->read_board < SASS_SCOREBOARDS) w->ready[i->read_board] = later(w->ready[i->read_board], m->now + clocks + 2);
}

/* What the instruction takes of the units, four schedulers' or one for all, and what who needs its result waits for. */
static void account_issue(sm *m, sm_warp *w, const sass_insn *i) {
    double *since = m->blocks[w->block].since;
    const bool load = i->pipe == PIPE_LOAD, shared = i->op == SASS_LDS || i->op == SASS_LDSM || i->op == SASS_SHFL;
    const int why = !load                                                ? WAIT_RESULT
                    : shared || i->op == SASS_STS || i->op == SASS_ATOMS ? WAIT_SHARED
                                                                         : WAIT_GLOBAL;
    if (i->write_board < SASS_SCOREBOARDS) w->waits_for[i->write_board] = (uint8_t)why;
    if (i->read_board < SASS_SCOREBOARDS) w->waits_for[i->read_board] = load ? WAIT_QUEUE : WAIT_RESULT;
    since[BUSY_ISSUE] += 1.0 / SCHEDULERS;
    if (i->pipe == PIPE_FMA || i->pipe == PIPE_IMAD) since[BUSY_FP32] += 1.0 / SCHEDULERS;
    if (i->pipe == PIPE_TENSOR) since[BUSY_TENSOR] += m->spec->tensor_clocks / SCHEDULERS;
}

/* The SM's clocks until `next`, divided among the warps, and what they wait for. */
static void account_time(sm *m, double next) {
    const int slots = m->spec->resident * m->warps_per_block;
    int there = 0;
    for (int k = 0; k < slots; k++) there += m->warps[k].block >= 0;
    for (int k = 0; k < slots; k++) {
        const scheduler *s = &m->schedulers[k % SCHEDULERS];
        int why;
        if (m->warps[k].block < 0) continue;
        double *since = m->blocks[m->warps[k].block].since;
        const bool ready = can_issue(m, s, k, &why) <= m->now;
        since[SHARE_TIME] += (next - m->now) / there;
        since[ready ? WAIT_TURN : why] += (next - m->now) / there;
    }
}

static void issue(sm *m, scheduler *s, int warp) {
    sm_warp *w = &m->warps[warp];
    const sass_insn *i = w->insn;
    const uint32_t holds = w->lanes->predicates[i->predicate];
    if (i->pipe == PIPE_NONE && (w->lanes->group & (i->predicate_not ? ~holds : holds))) m->result.missing = i->name;
    if (m->spec->parts) account_issue(m, w, i);
    lane_access a;
    lane_effect effect = EFFECT_NONE;
    if ((i->pipe == PIPE_FMA || i->pipe == PIPE_TENSOR) && !w->lanes->parted)
        w->lanes->pc++;
    else
        effect = lanes_step(w->lanes, &a, (uint64_t)m->now);
    w->insn = &m->spec->launch->code->insns[w->lanes->pc];
    if (m->spec->trace != NULL) timeline_issue(m, w, i, &a);
    s->last = warp;
    s->dispatch_free = m->now + 1;
    w->next = m->now + (i->stall > 1 ? i->stall : 1);
    m->result.issued++;
    m->result.by_pipe[i->pipe]++;
    m->sleeps += i->op == SASS_NANOSLEEP;
    if (i->pipe == PIPE_FMA || i->pipe == PIPE_IMAD) s->dispatch_free = read_banks(s, warp, i, m->now);
    keep(s, warp, i);
    if (i->pipe != PIPE_LOAD) occupy(m, s, w, i);
    if (effect == EFFECT_ACCESS) {
        unit_ask(m, warp, i, &a);
        if (i->op == SASS_LDS || i->op == SASS_LDSM) s->debt += RETURN_CLOCKS * ((a.bytes + 3) / 4);
        for (; s->debt >= 1; s->debt -= 1) s->dispatch_free += 1;
    } else if (effect == EFFECT_TAKEN) {
        w->next = later(w->next, m->now + BRANCH_CLOCKS);
    } else if (effect == EFFECT_BARRIER) {
        arrive(m, w, &a);
    } else if (effect == EFFECT_ASYNC) {
        async_issue(m, warp, i, a.mask);
    } else if (effect == EFFECT_EXIT) {
        const int place = w->block;
        end_warp(m, w);
        for (int b = 0; b < BARRIERS && w->block < 0; b++) open_barrier(m, place, b, 0);
    }
}

/* The warp that issued last, if it can; else the youngest that can. [huerta] Returns when the next one could; NEVER:
 * that hangs on the load/store unit. */
static double schedule(sm *m, int number) {
    scheduler *s = &m->schedulers[number];
    const int slots = m->spec->resident * m->warps_per_block;
    int ignored;
    if (s->dispatch_free > m->now) return s->dispatch_free;
    if (s->asleep > m->now) return s->asleep;
    double soonest = s->last >= 0 ? can_issue(m, s, s->last, &ignored) : NEVER;
    if (soonest <= m->now) {
        issue(m, s, s->last);
        return m->now + 1;
    }
    int first = (slots - 1) / SCHEDULERS * SCHEDULERS + number;
    for (int warp = first < slots ? first : first - SCHEDULERS; warp >= 0; warp -= SCHEDULERS) {
        const double when = warp == s->last ? NEVER : can_issue(m, s, warp, &ignored);
        if (when <= m->now) {
            issue(m, s, warp);
            return m->now + 1;
        }
        if (when < soonest) soonest = when;
    }
    return s->asleep = soonest;
}

/* When the load/store unit can take up the next request. */
static double unit_next(const sm *m) {
    double soonest = NEVER;
    for (int k = 0; k < SCHEDULERS; k++) {
        const scheduler *s = &m->schedulers[k];
        if (s->count == 0) continue;
        const double when = later(m->unit_free, later(s->queue[s->first].time, s->address_free));
        if (when < soonest) soonest = when;
    }
    return soonest;
}

static void run(sm *m) {
    while (m->ended < m->spec->blocks && m->result.issued < m->spec->most_issues && m->sleeps < MOST_SLEEPS &&
           m->result.missing == NULL) {
        if (async_next(m) <= m->now) {
            async_step(m);
            wake_all(m);
        }
        unit_step(m);
        double soonest = NEVER;
        for (int k = 0; k < SCHEDULERS; k++) {
            const double when = schedule(m, k);
            if (when < soonest) soonest = when;
        }
        const double unit = unit_next(m);
        if (unit < soonest) soonest = unit;
        soonest = fmin(soonest, async_next(m));
        if (soonest >= NEVER) return; /* nobody can go on: the program waits for what is not modelled */
        const double next = later((double)(uint64_t)(soonest + 0.999999), m->now + 1);
        if (m->spec->parts) account_time(m, next);
        m->now = next;
    }
}

static bool begin(sm *m) {
    const lane_launch *l = m->spec->launch;
    const unsigned threads = l->block[0] * l->block[1] * l->block[2];
    m->warps_per_block = (int)(threads + LANES - 1) / LANES;
    const int slots = m->spec->resident * m->warps_per_block;
    bool ok = slots <= MOST_WARPS && m->spec->resident <= MOST_BLOCKS &&
              cache_begin(&m->memory, m->spec->l1_kib, &m->spec->clocks);
    m->memos = calloc((size_t)l->code->count, sizeof *m->memos);
    ok = ok && m->memos != NULL;
    for (int k = 0; ok && k < slots; k++) {
        m->warps[k].block = -1;
        ok = (m->warps[k].lanes = malloc(sizeof(lane_warp))) != NULL;
    }
    for (int k = 0; ok && k < m->spec->resident; k++)
        ok = (m->blocks[k].block.shared = calloc(1, l->shared_bytes + 16)) != NULL;
    for (int k = 0; k < SCHEDULERS; k++) m->schedulers[k].last = m->schedulers[k].kept_by = -1;
    for (int k = 0; ok && k < m->spec->resident && k < m->spec->blocks; k++)
        begin_block(m, k, BLOCK_START_CLOCKS * (double)m->spec->stride * k);
    return ok;
}

replay_result replay(const replay_spec *spec) {
    sm *m = calloc(1, sizeof *m);
    replay_result result = {0};
    if (m == NULL) return result;
    m->spec = spec;
    const bool ok = begin(m);
    if (ok) run(m);
    result = m->result;
    result.complete = ok && m->ended >= spec->blocks;
    result.clocks = m->now;
    result.l1_sectors = m->memory.l1_sectors;
    result.l2_sectors = m->memory.l2_sectors;
    result.dram_sectors = m->memory.dram_sectors;
    result.written_sectors = m->memory.written_sectors;
    for (int k = 0; k < MOST_WARPS; k++) free(m->warps[k].lanes);
    for (int k = 0; k < MOST_BLOCKS; k++) free(m->blocks[k].block.shared);
    if (spec->seen) result.seen = cache_take_seen(&m->memory);
    cache_end(&m->memory);
    async_end(m);
    free(m->memos);
    free(m);
    return result;
}
