#include "check/copies.h"

#include "base/parts.h"
#include "check/global.h"
#include "check/shared.h"
#include "check/unwritten.h"
#include "machine/wgmma.h"

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

/* Words in which nothing has written a byte stay unwritten where a copy has put them. */
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

void copies_async(observer *o, const observed_async *c) {
    checked_block *at = checked(c->w->block);
    const clocks *k = &at->cluster->clocks;
    const uint32_t agent = agent_of(c->w), number = site_number(at->cluster->launch, c->function, c->i->pc);
    shared_settle();
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
    shared_report p = {
        .w = c->w, .at = at, .function = c->function, .pc = c->i->pc, .bytes = c->width, .verb = "copies to"};
    const cell_access access = {.clocks = k,
                                .agent = agent,
                                .site = number,
                                .action = CELL_WRITE,
                                .trouble = shared_report_trouble,
                                .context = &p};
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
    shared_report *p;
    const cell_access *access;
    global_range range;
    uint32_t site;
} bulk_look;

/* Notes what the copy does in global memory as an access by the thread that issues it. */
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
    l->p->bytes = bytes;
    cells_range(&l->p->at->cells, l->access, (uint32_t)l->c->lane, place, bytes);
}
static void source_row(void *context, const tensor_row *r) {
    const bulk_look *l = context;
    each_piece(l, l->c->from, r, source_piece);
}

void copies_bulk(observer *o, const observed_bulk *c) {
    checked_launch *launch = checked(c->w->block)->cluster->launch;
    const uint32_t number = site_number(launch, c->function, c->i->pc);
    shared_report p = {.w = c->w, .function = c->function, .pc = c->i->pc, .bytes = c->extent};
    cell_access access = {.clocks = &checked(c->w->block)->cluster->clocks,
                          .agent = agent_of(c->w),
                          .site = number,
                          .trouble = shared_report_trouble,
                          .context = &p};
    bulk_look look = {.c = c, .p = &p, .access = &access, .site = number};
    shared_settle();
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
    shared_report p;
    cell_access access;
    uint32_t reader, clock;
    use_writes met;
} operand;

static bool operand_chunk(void *context, uint32_t address) {
    operand *o = context;
    cells_use(&o->p.at->cells, &o->access, address, o->reader, o->clock, &o->met);
    return true;
}

/* Each warp must come after the writes to what the wgmma reads; once one warp has waited for it, all of it has been
 * read. The first warp to issue it looks at every word, the others only at who wrote them where that is enough. */
void copies_wgmma(observer *o, const observed_wgmma *c) {
    checked_block *at = checked(c->w->block);
    clocks *k = &at->cluster->clocks;
    shared_settle();
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
                              .trouble = shared_report_trouble,
                              .context = &it.p};
    issued_wgmma *issued = &at->wgmmas[it.reader].recent[c->number % WGMMAS_KEPT];
    if (issued->clock == it.clock && cells_use_follows(&it.access, &issued->met)) return;
    wgmma_chunks(c->i, c->a, c->b, operand_chunk, &it);
    *issued = (issued_wgmma){it.clock, it.met};
}
