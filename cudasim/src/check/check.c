/* The checks: mistakes of a kernel that do not stop it. */
#include "check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parts.h"
#include "check/checked.h"
#include "check/copies.h"
#include "check/divergent.h"
#include "check/formats.h"
#include "check/global.h"
#include "check/local.h"
#include "check/message.h"
#include "check/shared.h"
#include "check/unwritten.h"
#include "check/writing.h"
#include "isa/arrays.h"
#include "machine/groups.h"
#include "machine/wgmma.h"

static checked_launch *current; /* one launch at a time */

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

/* Lowest and highest of the lanes' addresses. */
static inline void span_of(const uint64_t *address, uint32_t mask, uint64_t *low, uint64_t *high) {
    uint64_t lo = UINT64_MAX, hi = 0;
    const uint64_t some = address[__builtin_ctz(mask)];
    for (int l = 0; l < LANES; l++) {
        const uint64_t at = mask >> l & 1 ? address[l] : some;
        lo = at < lo ? at : lo;
        hi = at > hi ? at : hi;
    }
    *low = lo;
    *high = hi;
}

/* Finds accesses outside of the array that their addresses are computed from. */
static void check_array(const observed_access *a, uint8_t array, uint64_t low, uint64_t high) {
    const function *f = a->function;
    if (array == ARRAY_UNKNOWN || array == ARRAY_MANY) return;
    const shared_array *s = &f->arrays[array - 1];
    const block *b = a->w->block;
    const uint32_t end = s->bytes != 0 ? s->offset + s->bytes : b->shared_end;
    if (low >= s->offset && high + a->bytes <= end) return;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(a->mask >> l & 1) || (a->address[l] >= s->offset && a->address[l] + a->bytes <= end)) continue;
        const site at = {f, a->i->pc};
        if (finding_repeats(BOUNDS, at, (site){0})) return;
        char who[96], where[320], what[800];
        snprintf(what, sizeof what, "%s %s %s", thread_name(a->w, l, who), a->kind == ACCESS_READ ? "reads" : "writes",
                 shared_name(f, array, b, (uint32_t)a->address[l], a->bytes, where));
        finding_add(&(finding){BOUNDS, a->w->launch->entry->source->name, at, {0}, what, NULL});
        return;
    }
}

/* Do all addresses lie in the array that they are computed from, or, where that is unknown, in the block's memory?
 * Lanes outside of the mask have the address of an active one. */
static inline bool all_inside(const observed_access *a) {
    const uint8_t array = a->function->watch[a->i->pc].array;
    uint64_t begin = SHARED_RESERVED, end = a->w->block->shared_end, outside = 0;
    if (array != ARRAY_UNKNOWN && array != ARRAY_MANY) {
        const shared_array *s = &a->function->arrays[array - 1];
        begin = s->offset;
        if (s->bytes != 0) end = begin + s->bytes;
    }
    const uint64_t room = end - begin - a->bytes;
    for (int l = 0; l < LANES; l++) outside |= (a->address[l] - begin) | (room - (a->address[l] - begin)) | room;
    return outside >> 63 == 0;
}

/* Is it an exchange whose old value is never used? It initialises memory as a store does. */
static bool replaces(const observed_access *a) {
    return a->kind == ACCESS_ATOMIC && a->i->type2 == ATOMIC_EXCH && !a->function->watch[a->i->pc].learns;
}

/* The bytes of the store that were only copied from memory that nothing has written (poison.h). */
static uint16_t *stored_bytes(const warp *w) {
    return checked(w->block)->warps[w->index].poisons.stored;
}

/* Marks the bytes of such a store in shared memory as unwritten. */
static void blank_stored(const observed_access *a, checked_block *at, uint32_t mask, const uint64_t *offset,
                         uint32_t site) {
    uint16_t *stored = stored_bytes(a->w);
    const uint32_t unit = at->cells.unit, all = (1u << unit) - 1;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        for (unsigned k = 0; k < a->bytes; k += unit)
            if ((stored[l] >> k & all) == all)
                cells_blank(&at->cells, &at->cluster->clocks, (uint32_t)offset[l] + k, unit, site);
        stored[l] = 0;
    }
}

/* Strong and atomic accesses order what stands around them, with fences or as releases and acquires. */
static void order_by_flags(checked_block *at, const observed_access *a) {
    clocks *c = &at->cluster->clocks;
    const uint32_t agent = agent_of(a->w);
    flag_access its = flag_access_of(a);
    if (its.releases) clocks_fence(c, agent);
    for (uint32_t left = a->mask; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t key = a->address[lane] & CLUSTER_OFFSET;
        if (its.reads) {
            const meeting *m = meeting_find(&at->flags, key);
            if (m != NULL) clocks_see(c, agent, m->met);
        }
        if (its.writes && clocks_has_fenced(c, agent)) {
            meeting *m = meeting_at(&at->flags, key, c);
            if (m != NULL) clocks_publish(c, agent, m->met);
        }
        its.key = (uint64_t)at->block->rank << CLUSTER_RANK_SHIFT | key;
        clocks_lane_flag(c, agent, lane, &its);
    }
    if (its.acquires) clocks_fence(c, agent);
}

/* `low` and `high` are the lowest and highest of the offsets, or of more. */
static void shared_access(const observed_access *a, checked_block *at, uint32_t mask, const uint64_t *offset,
                          uint64_t low, uint64_t high) {
    shared_report p = {.w = a->w,
                       .at = at,
                       .function = a->function,
                       .pc = a->i->pc,
                       .bytes = a->bytes,
                       .array = a->function->watch[a->i->pc].array,
                       .verb = a->kind == ACCESS_READ    ? "reads"
                               : a->kind == ACCESS_WRITE ? "writes"
                                                         : "changes",
                       .loads = a->kind == ACCESS_READ,
                       .silent_same = a->kind == ACCESS_WRITE};
    const cell_access access = {.clocks = &at->cluster->clocks,
                                .agent = agent_of(a->w),
                                .site = site_number(at->cluster->launch, a->function, a->i->pc),
                                .foreign = at != checked(a->w->block),
                                .how = strength_of(a),
                                .learns = a->function->watch[a->i->pc].learns,
                                .replaces = replaces(a),
                                .action = a->kind == ACCESS_READ    ? CELL_READ
                                          : a->kind == ACCESS_WRITE ? CELL_WRITE
                                                                    : CELL_UPDATE,
                                .trouble = shared_report_trouble,
                                .context = &p};
    uint64_t inside[LANES];
    for (uint32_t l = 0; l < LANES; l++) inside[l] = offset[l] & CLUSTER_OFFSET;
    if (low < SHARED_RESERVED || high + a->bytes > at->block->shared_end)
        for (uint32_t l = 0; l < LANES; l++) /* it will stop the launch */
            if (inside[l] < SHARED_RESERVED || inside[l] + a->bytes > at->block->shared_end) mask &= ~(1u << l);
    p.offset = inside;
    cells_access(&at->cells, &access, mask, inside, a->bytes);
    if (a->kind == ACCESS_WRITE && a->w->careful & CAREFUL_CHECK) blank_stored(a, at, mask, inside, access.site);
    if (a->order != ORDER_WEAK) order_by_flags(at, a);
}

static uint32_t missing_bytes(const memory_allocation *m, uint64_t address, unsigned bytes) {
    uint32_t missing = 0;
    if (memory_is_written(m, address, bytes)) return 0;
    if (bytes > 16) return ALL_BYTES;
    for (unsigned k = 0; k < bytes; k++) missing |= (uint32_t)!memory_is_written(m, address + k, 1) << k;
    return missing;
}

/* Global memory: was it written? */
static void global_access(const observed_access *a) {
    uint64_t low, high;
    span_of(a->address, a->mask, &low, &high);
    const memory_allocation *m = memory_find(low);
    if (a->kind == ACCESS_READ && m != NULL && high - low < 1024 && high - m->base + a->bytes <= m->size &&
        memory_is_written(m, low, high - low + a->bytes))
        return;
    for (uint32_t left = a->mask; left != 0; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        const uint64_t at = a->address[l];
        if (m == NULL || at < m->base || at - m->base >= m->size) m = memory_find(at);
        if (m == NULL || !m->incomplete || at - m->base + a->bytes > m->size) continue;
        const unwritten_read r = {.function = a->function,
                                  .space = PTX_GLOBAL,
                                  .pc = a->i->pc,
                                  .lane = l,
                                  .address = at,
                                  .missing = missing_bytes(m, at, a->bytes),
                                  .bytes = a->bytes};
        if (a->kind != ACCESS_WRITE && !replaces(a) && !memory_is_written(m, at, a->bytes)) {
            if (a->kind == ACCESS_READ)
                unwritten_load(a->w, &r);
            else
                say_unwritten(a->w, &r, "changes", (site){0});
        }
        if (a->kind != ACCESS_READ) memory_written(at, a->bytes);
        if (a->kind != ACCESS_WRITE || !(a->w->careful & CAREFUL_CHECK)) continue;
        uint16_t *stored = &stored_bytes(a->w)[l];
        for (unsigned k = 0; k < a->bytes && *stored != 0; k++)
            if (*stored >> k & 1) memory_unwritten(at + k, 1);
        *stored = 0;
    }
}

static bool quick(observer *o, warp *w, const function *f, const insn *i, uint64_t first, uint32_t step,
                  unsigned bytes) {
    checked_block *at = checked(w->block);
    const uint64_t last = first + (LANES - 1) * (uint64_t)step + bytes, base = cluster_base(w->block);
    const uint8_t array = f->watch[i->pc].array;
    shared_settle();
    if (f->watch[i->pc].guarded) return false;
    if (base != 0 || first < SHARED_RESERVED || last > at->block->shared_end || first % bytes != 0) return false;
    if (array != ARRAY_UNKNOWN && array != ARRAY_MANY) {
        const shared_array *s = &f->arrays[array - 1];
        if (first < s->offset || (s->bytes != 0 && last > s->offset + s->bytes)) return false;
    }
    const cell_access access = {.clocks = &at->cluster->clocks,
                                .agent = agent_of(w),
                                .site = site_number(at->cluster->launch, f, i->pc),
                                .action = CELL_READ};
    return cells_read_row(&at->cells, &access, (uint32_t)first, step, bytes);
}

static void before(observer *o, const observed_access *a) {
    shared_settle();
    if (a->space == PTX_GLOBAL) {
        global_access(a);
        heap_touch(a);
        outside_touch(a);
        global_touch(a);
    } else if (a->space == PTX_LOCAL) {
        local_touch(a);
    } else if (a->space == PTX_SHARED) {
        uint64_t low = SHARED_RESERVED, high = low; /* all that needs to be known of those inside */
        if (!all_inside(a)) {
            span_of(a->address, a->mask, &low, &high);
            check_array(a, a->function->watch[a->i->pc].array, low, high);
        }
        shared_access(a, checked(a->w->block), a->mask, a->address, low, high);
    } else if (a->space == PTX_SHARED_CLUSTER) {
        const cluster *c = a->w->block->cluster;
        for (uint32_t r = 0; r < c->size; r++) {
            uint32_t same = 0;
            for (uint32_t l = 0; l < LANES; l++) same |= (uint32_t)(a->address[l] >> CLUSTER_RANK_SHIFT == r) << l;
            if ((same & a->mask) != 0)
                shared_access(a, checked(c->blocks[r]), same & a->mask, a->address, 0, UINT32_MAX);
        }
    }
}

static void written(observer *o, const warp *w) {
    shared_settle();
    writing_ends(w);
}

static void strong(observer *o, const observed_access *a) {
    if (a->space == PTX_GLOBAL) global_done(a);
}

/* ---- what orders threads ----------------------------------------------------------------------------------------- */

/* Checks an mbarrier's own 8 bytes: its initialisation must come before everything else that is done with it. */
static void mbarrier_touched(checked_block *at, const observed_sync *s) {
    const warp *w = s->w;
    const function *f = w->frame->function;
    const uint32_t pc = w->pc - 1;
    const bool init = s->kind == SYNC_MBARRIER_INIT;
    shared_report p = {.w = s->w,
                       .at = at,
                       .function = f,
                       .pc = pc,
                       .bytes = 8,
                       .verb = init ? "initialises an mbarrier in" : "uses an mbarrier in",
                       .silent_same = init};
    const cell_access access = {.clocks = &at->cluster->clocks,
                                .agent = agent_of(w),
                                .site = site_number(at->cluster->launch, f, pc),
                                .how = init ? STRENGTH_WEAK : STRENGTH_ATOMIC,
                                .action = init ? CELL_WRITE : CELL_LOOK,
                                .trouble = shared_report_trouble,
                                .context = &p};
    cells_range(&at->cells, &access, (uint32_t)__builtin_ctz(s->lanes), s->id, 8);
}

static void on_sync(observer *o, const observed_sync *s) {
    checked_block *at = checked(s->b);
    clocks *c = &at->cluster->clocks;
    warp *w = s->w;
    const uint32_t agent = w != NULL ? agent_of(w) : 0, alive = w != NULL ? w->lanes & ~w->exited : 0;
    meeting *m;
    shared_settle();
    switch (s->kind) {
    case SYNC_BARRIER_ARRIVE:
        divergent_arrive(s);
        global_sync(s);
        clocks_release(c, agent, at->barriers[s->id].coming);
        break;
    case SYNC_BARRIER_PASS:
        divergent_pass(s);
        at->passed += (uint32_t)__builtin_popcount(s->lanes);
        clocks_acquire(c, agent, at->barriers[s->id].coming);
        clocks_acquire(c, agent, at->exited.coming);
        clocks_lanes(c, agent, s->lanes, alive);
        global_sync(s);
        break;
    case SYNC_BARRIER_DONE:
        global_sync(s);
        if (at->passed == s->b->live) at->cells.epoch++;
        at->passed = 0;
        meeting_forget(&at->barriers[s->id], c);
        break;
    case SYNC_CLUSTER_ARRIVE:
        clocks_release(c, agent, at->cluster->barrier.coming);
        break;
    case SYNC_CLUSTER_DONE:
        known_join(at->cluster->barrier.met, at->cluster->barrier.coming, c->agents);
        break;
    case SYNC_CLUSTER_PASS:
        clocks_acquire(c, agent, at->cluster->barrier.met);
        clocks_lanes(c, agent, alive, alive); /* all have arrived, whichever way they came */
        break;
    case SYNC_LANES:
        clocks_lanes(c, agent, s->lanes, alive);
        break;
    case SYNC_FENCE:
        global_sync(s);
        clocks_fence(c, agent);
        clocks_lane_fence(c, agent, s->lanes);
        break;
    case SYNC_MBARRIER_INIT:
        mbarrier_touched(at, s);
        m = meeting_at(&at->mbarriers, s->id, c);
        if (m != NULL) meeting_forget(m, c);
        break;
    case SYNC_MBARRIER_ARRIVE:
        mbarrier_touched(at, s);
        m = meeting_at(&at->mbarriers, s->id, c);
        if (m != NULL) clocks_release(c, agent, m->coming);
        break;
    case SYNC_MBARRIER_DONE:
        m = meeting_find(&at->mbarriers, s->id);
        if (m != NULL) known_join(m->met, m->coming, c->agents);
        break;
    case SYNC_MBARRIER_PASS:
        mbarrier_touched(at, s);
        m = meeting_find(&at->mbarriers, s->id);
        if (m != NULL) clocks_acquire(c, agent, m->met);
        if (m != NULL) clocks_learn(c, agent, s->lanes, alive, m->met[agent]);
        break;
    case SYNC_WGMMA_PASS:
        clocks_know(c, agent, at->cells.first_reader + w->index / WARPGROUP, wgmma_clock(c, s->id));
        clocks_lanes(c, agent, s->lanes, alive);
        break;
    case SYNC_EXIT:
        clocks_release(c, agent, at->exited.coming);
        break;
    }
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static void on_launch_begin(observer *o, launch *la) {
    current = checked_launch_new(la);
    if (current != NULL) global_begin(current);
}
static void on_launch_end(observer *o, launch *la) {
    memory_complete();
    if (current != NULL) global_end(current);
    if (current != NULL) checked_launch_free(current);
    current = NULL;
}
static void on_block_begin(observer *o, block *b) {
    shared_forget();
    if (current == NULL || !checked_begin(current, b)) {
        fputs("cudasim: the host has no memory for the checks (CUDASIM_CHECK=0 runs without)\n", stderr);
        _exit(3);
    }
    local_begin(b);
    if (b->rank == 0) global_cluster(checked(b)->cluster, b, true);
}
static void on_block_end(observer *o, block *b) {
    shared_settle();
}
static void on_fault(observer *o, launch *la) {
    shared_forget();
    finding_fault();
}

static observer checks = {.launch_begin = on_launch_begin,
                          .launch_end = on_launch_end,
                          .block_begin = on_block_begin,
                          .block_end = on_block_end,
                          .before = before,
                          .written = written,
                          .strong = strong,
                          .quick = quick,
                          .spaces = 1u << PTX_SHARED | 1u << PTX_SHARED_CLUSTER | 1u << PTX_LOCAL | SPACES_INCOMPLETE,
                          .async = copies_async,
                          .bulk = copies_bulk,
                          .wgmma = copies_wgmma,
                          .sync = on_sync,
                          .step = unwritten_step,
                          .careful = CAREFUL_CHECK,
                          .loose = unwritten_register,
                          .shuffle = unwritten_shuffle,
                          .enter = local_enter,
                          .heap = heap_given,
                          .printf = formats_printf,
                          .fault = on_fault};

observer *checks_before(observer *next) {
    checks.next = next;
    return &checks;
}
