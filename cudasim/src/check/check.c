/* The checks: what a kernel does wrong though it runs on. */
#include "check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parts.h"
#include "check/checked.h"
#include "check/divergent.h"
#include "check/formats.h"
#include "check/global.h"
#include "check/local.h"
#include "check/places.h"
#include "check/unwritten.h"
#include "check/words.h"
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

/* Accesses outside of the array that they are made from. */
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
                 place_name(f, array, b, (uint32_t)a->address[l], a->bytes, where));
        finding_add(&(finding){BOUNDS, a->w->launch->entry->source->name, at, {0}, what, NULL});
        return;
    }
}

/* Are all addresses inside of the array that they are made from, or, where that is not known, of the block's memory?
 * Lanes outside of the mask have an active one's. */
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

/* Is it an exchange of which nobody looks at what it gives back? It initialises as a store does. */
static bool replaces(const observed_access *a) {
    return a->kind == ACCESS_ATOMIC && a->i->type2 == ATOMIC_EXCH && !a->function->watch[a->i->pc].learns;
}

/* Bytes that the store has carried along from memory that nothing has written (poison.h). */
static uint16_t *stored_bytes(const warp *w) {
    return checked(w->block)->warps[w->index].poisons.stored;
}

/* What such a store leaves in shared memory has not been written. */
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

/* Strong and atomic accesses: with fences, or as releases and acquires, they order what stands around them. */
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
    place_access p = {.w = a->w,
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
                                .trouble = place_trouble,
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
    (void)o;
    checked_block *at = checked(w->block);
    const uint64_t last = first + (LANES - 1) * (uint64_t)step + bytes, base = cluster_base(w->block);
    const uint8_t array = f->watch[i->pc].array;
    places_settle();
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
    (void)o;
    places_settle();
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

static void strong(observer *o, const observed_access *a) {
    (void)o;
    if (a->space == PTX_GLOBAL) global_done(a);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* What a lane of a cp.async reads, when it is issued and when it is done: it may be read at any time between. */
static void fetch(const observed_async *c, uint32_t lane) {
    const global_range range = {.w = c->w,
                                .function = c->function,
                                .pc = c->i->pc,
                                .lane = lane,
                                .address = c->from[lane],
                                .bytes = c->bytes[lane],
                                .kind = ACCESS_READ,
                                .verb = "copies"};
    if (range.bytes == 0) return;
    if (c->stage == COPY_ISSUED) outside_touch_range(&range);
    global_touch_range(&range);
}

/* Words of which nothing has written a byte are no more written where a copy has put them. */
static void brought(checked_block *at, uint64_t global, uint64_t bytes, uint32_t to, uint32_t site) {
    const memory_allocation *m = memory_find(global);
    if (m == NULL || memory_is_written(m, global, bytes)) return;
    const uint32_t unit = at->cells.unit;
    for (uint64_t k = 0; k < bytes; k += unit) {
        uint64_t n = k;
        while (n < k + unit && n < bytes && !memory_is_written(m, global + n, 1)) n++;
        if (n == k + unit || n == bytes) cells_blank(&at->cells, &at->cluster->clocks, to + (uint32_t)k, unit, site);
    }
}

static void on_async(observer *o, const observed_async *c) {
    (void)o;
    checked_block *at = checked(c->w->block);
    const clocks *k = &at->cluster->clocks;
    const uint32_t agent = agent_of(c->w), number = site_number(at->cluster->launch, c->function, c->i->pc);
    places_settle();
    if (c->stage == COPY_LANDED) {
        for (uint32_t l = 0; l < LANES; l++)
            if (c->lanes >> l & 1) {
                fetch(c, l);
                cells_arrived(&at->cells, k, agent, l, (uint32_t)c->to[l], c->width, number, false);
                if (c->bytes[l] > 0) brought(at, c->from[l], c->bytes[l], (uint32_t)c->to[l], number);
            }
        return;
    }
    if (c->stage != COPY_ISSUED) return;
    place_access p = {
        .w = c->w, .at = at, .function = c->function, .pc = c->i->pc, .bytes = c->width, .verb = "copies to"};
    const cell_access access = {
        .clocks = k, .agent = agent, .site = number, .action = CELL_WRITE, .trouble = place_trouble, .context = &p};
    cells_access(&at->cells, &access, c->lanes, c->to, c->width);
    for (uint32_t l = 0; l < LANES; l++)
        if (c->lanes >> l & 1) {
            cells_pending(&at->cells, (uint32_t)c->to[l], c->width, number);
            fetch(c, l);
        }
}

/* A bulk copy that is being looked at, and in what part of the checks. */
typedef struct bulk_look {
    const observed_bulk *c;
    place_access *p;
    const cell_access *access;
    global_range range;
    uint32_t site;
} bulk_look;

/* What it does in global memory, by the thread that issues it. */
static void touch_row(void *context, const tensor_row *r) {
    const bulk_look *l = context;
    global_range range = l->range;
    range.address = r->global;
    range.bytes = r->bytes;
    const memory_allocation *m = memory_find(r->global);
    if (m == NULL) return; /* past the last row */
    if (range.bytes > m->base + m->size - r->global) range.bytes = m->base + m->size - r->global;
    outside_touch_range(&range);
    global_touch_range(&range);
    if (range.kind != ACCESS_ATOMIC || memory_is_written(m, r->global, range.bytes)) return;
    const unwritten_read missing = {.function = range.function,
                                    .space = PTX_GLOBAL,
                                    .pc = range.pc,
                                    .lane = range.lane,
                                    .address = r->global,
                                    .bytes = (unsigned)range.bytes};
    say_unwritten(range.w, &missing, "has a bulk copy change", (site){0});
}

/* Calls `each` for what it reads or writes of global memory, in pieces that follow one another in shared memory, too.
 */
static void each_row(const observed_bulk *c, tensor_row_fn *each, bulk_look *l) {
    if (c->map != NULL)
        tensormap_rows(c->map, c->at, c->to_block == NULL, each, l);
    else if (c->global != 0)
        each(l, &(tensor_row){.global = c->global, .bytes = c->bytes});
}

static void bulk_touches(const observed_bulk *c, bulk_look *l) {
    const bool writes = c->to_block == NULL;
    uint64_t first = c->global, end = c->global + c->bytes;
    if (c->map != NULL ? !tensormap_range(c->map, c->at, &first, &end) : c->global == 0) return;
    const memory_allocation *m = memory_find(first);
    if (m == NULL) return;
    if (!writes && !memory_may_change(m, first, end - first) && memory_is_open(m, first, end - first, false)) return;
    if (writes) memory_changes(first, end);
    l->range = (global_range){.w = c->w,
                              .function = c->function,
                              .pc = c->i->pc,
                              .lane = (uint32_t)c->lane,
                              .kind = !writes      ? ACCESS_READ
                                      : c->reduces ? ACCESS_ATOMIC
                                                   : ACCESS_WRITE,
                              .verb = writes ? "has a bulk copy write" : "has a bulk copy read"};
    each_row(c, touch_row, l);
}

static void written_row(void *context, const tensor_row *r) {
    (void)context;
    memory_written(r->global, r->bytes);
}

/* The pieces of a row that follow one another in shared memory. */
static void each_piece(const bulk_look *l, uint32_t offset, const tensor_row *r,
                       void (*each)(const bulk_look *l, uint32_t place, uint64_t global, uint32_t bytes)) {
    for (uint64_t k = 0; k < r->bytes;) {
        uint32_t follow = (uint32_t)r->bytes, place = offset;
        if (l->c->map != NULL) place = tensormap_place(l->c->map, offset, r->row, r->from + (uint32_t)k, &follow);
        if (follow > r->bytes - k) follow = (uint32_t)(r->bytes - k);
        each(l, place, r->global + k, follow);
        k += follow;
    }
}

static void brought_piece(const bulk_look *l, uint32_t place, uint64_t global, uint32_t bytes) {
    brought(checked(l->c->to_block), global, bytes, place, l->site);
}
static void brought_row(void *context, const tensor_row *r) {
    const bulk_look *l = context;
    const memory_allocation *m = memory_find(r->global);
    if (m != NULL && !memory_is_written(m, r->global, r->bytes)) each_piece(l, l->c->to, r, brought_piece);
}

static void source_piece(const bulk_look *l, uint32_t place, uint64_t global, uint32_t bytes) {
    (void)global;
    l->p->bytes = bytes;
    cells_range(&l->p->at->cells, l->access, (uint32_t)l->c->lane, place, bytes);
}
static void source_row(void *context, const tensor_row *r) {
    const bulk_look *l = context;
    each_piece(l, l->c->from, r, source_piece);
}

static void on_bulk(observer *o, const observed_bulk *c) {
    (void)o;
    checked_launch *launch = checked(c->w->block)->cluster->launch;
    const uint32_t number = site_number(launch, c->function, c->i->pc);
    place_access p = {.w = c->w, .function = c->function, .pc = c->i->pc, .bytes = c->extent};
    cell_access access = {.clocks = &checked(c->w->block)->cluster->clocks,
                          .agent = agent_of(c->w),
                          .site = number,
                          .trouble = place_trouble,
                          .context = &p};
    bulk_look look = {.c = c, .p = &p, .access = &access, .site = number};
    places_settle();
    if (c->stage == COPY_ISSUED) bulk_touches(c, &look);
    if (c->stage != COPY_LANDED && c->from_block != NULL) { /* it may be read at any time between */
        p.at = checked(c->from_block);
        p.verb = "has a bulk copy read";
        access.action = c->stage == COPY_ISSUED ? CELL_READ : CELL_FETCH;
        if (c->map != NULL)
            tensormap_rows(c->map, c->at, false, source_row, &look);
        else
            cells_range(&p.at->cells, &access, (uint32_t)c->lane, c->from, c->extent);
    }
    p.bytes = c->extent;
    if (c->to_block == NULL) {
        if (c->stage == COPY_LANDED) each_row(c, written_row, &look);
        return;
    }
    p.at = checked(c->to_block);
    if (c->stage == COPY_ISSUED && !c->reduces) {
        p.verb = "has a bulk copy write";
        access.action = CELL_WRITE;
        cells_range(&p.at->cells, &access, (uint32_t)c->lane, c->to, c->extent);
        cells_pending(&p.at->cells, c->to, c->extent, number);
        clocks_follow(&p.at->cluster->clocks, copier_of(c->to_block), agent_of(c->w));
    } else if (c->stage == COPY_LANDED) {
        clocks *k = &p.at->cluster->clocks;
        const uint32_t agent = copier_of(c->to_block);
        cells_arrived(&p.at->cells, k, agent, 0, c->to, c->extent, number, true);
        if (!c->reduces && c->from_block == NULL) each_row(c, brought_row, &look);
        meeting *m = meeting_at(&p.at->mbarriers, c->mbarrier, k);
        if (m != NULL) clocks_release(k, agent, m->coming);
    }
}

typedef struct operand {
    place_access p;
    cell_access access;
    uint32_t reader, clock;
    use_writes met;
} operand;

static bool operand_chunk(void *context, uint32_t address) {
    operand *o = context;
    cells_use(&o->p.at->cells, &o->access, address, o->reader, o->clock, &o->met);
    return true;
}

/* Of a warpgroup's wgmma, by its number, the clock of the agent that reads its operands. (Each issue moves its warp's
 * own clock on, too: those of the next block begin later.) */
static uint32_t wgmma_clock(const clocks *c, uint32_t number) {
    return c->begun + number;
}

/* Each warp must come after what has been written there; once one has waited for it, all of it has been read. The first
 * to issue it looks at every word; the others at whose writes these were, if that is enough. */
static void on_wgmma(observer *o, const observed_wgmma *c) {
    (void)o;
    checked_block *at = checked(c->w->block);
    clocks *k = &at->cluster->clocks;
    places_settle();
    if (c->stage != COPY_ISSUED) return;
    clocks_lanes(k, agent_of(c->w), c->w->active, c->w->lanes & ~c->w->exited);
    operand it = {.p = {.w = c->w,
                        .at = at,
                        .function = c->function,
                        .pc = c->i->pc,
                        .bytes = WGMMA_CHUNK,
                        .verb = "has a wgmma read"},
                  .reader = c->w->index / WARPGROUP,
                  .clock = wgmma_clock(k, c->number)};
    it.access = (cell_access){.clocks = k,
                              .agent = agent_of(c->w),
                              .site = site_number(at->cluster->launch, c->function, c->i->pc),
                              .action = CELL_USE,
                              .trouble = place_trouble,
                              .context = &it.p};
    issued_wgmma *issued = &at->wgmmas[it.reader].recent[c->number % WGMMAS_KEPT];
    if (issued->clock == it.clock && cells_use_follows(&it.access, &issued->met)) return;
    wgmma_chunks(c->i, c->a, c->b, operand_chunk, &it);
    *issued = (issued_wgmma){it.clock, it.met};
}

/* ---- what orders threads ----------------------------------------------------------------------------------------- */

/* An mbarrier's own 8 bytes: its initialisation must come before all else that is done with it. */
static void mbarrier_touched(checked_block *at, const observed_sync *s) {
    const warp *w = s->w;
    const function *f = w->frame->function;
    const uint32_t pc = w->pc - 1;
    const bool init = s->kind == SYNC_MBARRIER_INIT;
    place_access p = {.w = s->w,
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
                                .trouble = place_trouble,
                                .context = &p};
    cells_range(&at->cells, &access, (uint32_t)__builtin_ctz(s->lanes), s->id, 8);
}

static void on_sync(observer *o, const observed_sync *s) {
    (void)o;
    checked_block *at = checked(s->b);
    clocks *c = &at->cluster->clocks;
    warp *w = s->w;
    const uint32_t agent = w != NULL ? agent_of(w) : 0, alive = w != NULL ? w->lanes & ~w->exited : 0;
    meeting *m;
    places_settle();
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
    (void)o;
    current = checked_launch_new(la);
    if (current != NULL) global_begin(current);
}
static void on_launch_end(observer *o, launch *la) {
    memory_complete();
    (void)o;
    (void)la;
    if (current != NULL) global_end(current);
    if (current != NULL) checked_launch_free(current);
    current = NULL;
}
static void on_block_begin(observer *o, block *b) {
    (void)o;
    places_forget();
    if (current == NULL || !checked_begin(current, b)) {
        fputs("cudasim: the host has no memory for the checks (CUDASIM_CHECK=0 runs without)\n", stderr);
        _exit(3);
    }
    local_begin(b);
    if (b->rank == 0) global_cluster(checked(b)->cluster, b, true);
}
static void on_block_end(observer *o, block *b) {
    (void)o;
    (void)b;
    places_settle();
}
static void on_fault(observer *o, launch *la) {
    (void)o;
    (void)la;
    places_forget();
    finding_fault();
}

static observer checks = {.launch_begin = on_launch_begin,
                          .launch_end = on_launch_end,
                          .block_begin = on_block_begin,
                          .block_end = on_block_end,
                          .before = before,
                          .strong = strong,
                          .quick = quick,
                          .spaces = 1u << PTX_SHARED | 1u << PTX_SHARED_CLUSTER | 1u << PTX_LOCAL | SPACES_INCOMPLETE,
                          .async = on_async,
                          .bulk = on_bulk,
                          .wgmma = on_wgmma,
                          .sync = on_sync,
                          .step = unwritten_step,
                          .careful = CAREFUL_CHECK,
                          .loose = unwritten_register,
                          .shuffle = unwritten_shuffle,
                          .enter = local_enter,
                          .heap = heap_given,
                          .printf = formats_printf,
                          .fault = on_fault};

/* ---- the end of the program -------------------------------------------------------------------------------------- */

static bool leaks_wanted;

static void say_leak(const memory_allocation *m) {
    char text[200];
    snprintf(text, sizeof text, "%llu bytes at 0x%llx, the program's allocation number %llu, have not been freed",
             (unsigned long long)m->size, (unsigned long long)m->base, (unsigned long long)m->serial);
    finding_say("leak", text);
}

bool checks_end(void) {
    unsigned long all;
    if (leaks_wanted) memory_leaks(say_leak);
    const unsigned long count = finding_count(&all);
    if (count == 0) return false;
    fflush(stdout);
    fprintf(stderr, "cudasim: %lu finding%s", count, count == 1 ? "" : "s");
    if (all > count) fprintf(stderr, ", %lu with repeats", all);
    fputc('\n', stderr);
    return true;
}

observer *checks_before(observer *next) {
    checks.next = next;
    return &checks;
}

void checks_begin(bool leaks) {
    leaks_wanted = leaks;
    memory_track(true);
}
