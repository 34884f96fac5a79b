#include "watch/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "isa/decode.h"
#include "isa/rows.h"
#include "machine/wgmma.h"
#include "watch/trace_file.h"

/* So many slices and spans of a block are kept, and events of all launches until no further one is traced. */
#define MOST_SLICES 200000
#define MOST_EVENTS 1000000

static traced_launch *current; /* NULL: this launch is not traced; one launch at a time */

void trace_no_memory(void) {
    fprintf(stderr, "cudasim: no memory is left for the trace\n");
    _Exit(3);
}

static void *zeros(size_t count, size_t size) {
    void *p = calloc(count, size);
    if (p == NULL) trace_no_memory();
    return p;
}

static void *with_one_more(void *items, int count, int *room, size_t size) {
    if (count < *room) return items;
    *room = *room > 0 ? 2 * *room : 64;
    items = realloc(items, (size_t)*room * size);
    if (items == NULL) trace_no_memory();
    return items;
}

/* NULL: the block is not traced. */
static traced_block *traced(const block *b) {
    if (current == NULL || b == NULL || b->index >= current->traced) return NULL;
    return &current->list[b->index];
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static trace_pipe pipe_of_access(const watched_insn *w, const insn *i) {
    const bool stores = w->stores;
    if (w->constant || i->row == ROW_op_load_param) return PIPE_CONSTANT;
    switch ((ptx_space)i->space) {
    case PTX_GLOBAL:
        return stores ? PIPE_GLOBAL_STORE : PIPE_GLOBAL_LOAD;
    case PTX_SHARED:
    case PTX_SHARED_CLUSTER:
        return stores ? PIPE_SHARED_STORE : PIPE_SHARED_LOAD;
    case PTX_LOCAL:
        return PIPE_LOCAL;
    case PTX_CONST:
    case PTX_PARAM:
        return PIPE_CONSTANT;
    default:
        return w->what == WATCH_MATRIX ? stores ? PIPE_SHARED_STORE : PIPE_SHARED_LOAD : PIPE_GENERIC;
    }
}

static trace_pipe pipe_of(const function *f, const insn *i) {
    static const watched_insn unknown = {.what = WATCH_NOTHING};
    switch (i->row) {
    case ROW_op_cp_wait:
        return PIPE_WAIT_COPY;
    case ROW_op_bulk_wait:
        return PIPE_WAIT_BULK;
    case ROW_op_wgmma_wait:
        return PIPE_WAIT_WGMMA;
    }
    switch (row_class(i->row)) {
    case CLASS_FP32:
        return PIPE_FP32;
    case CLASS_FP64:
        return PIPE_FP64;
    case CLASS_FP16:
        return PIPE_FP16;
    case CLASS_INTEGER:
        return PIPE_INTEGER;
    case CLASS_CONVERT:
        return PIPE_CONVERT;
    case CLASS_MOVE:
        return PIPE_MOVE;
    case CLASS_WARP:
        return PIPE_WARP;
    case CLASS_TENSOR:
        return PIPE_TENSOR;
    case CLASS_ATOMIC:
        return PIPE_ATOMIC;
    case CLASS_ASYNC:
        return PIPE_COPY;
    case CLASS_BARRIER:
        return PIPE_SYNC;
    case CLASS_MEMORY:
        return pipe_of_access(f->watch != NULL ? &f->watch[i->pc] : &unknown, i);
    default:
        return PIPE_CONTROL;
    }
}

static void widen(shared_range *r, uint64_t low, uint64_t high) {
    if (low < r->low) r->low = (uint32_t)low;
    if (high > r->high) r->high = (uint32_t)high;
}

static void put_slice(traced_block *t, const slice *s) {
    t->slices = with_one_more(t->slices, t->slice_count, &t->slice_room, sizeof *t->slices);
    t->slices[t->slice_count++] = *s;
    t->warps[s->warp].slices++;
}

static void put_open_slice(traced_block *t, traced_warp *w) {
    if (w->open.warps > 0) put_slice(t, &w->open);
    w->open.warps = 0;
}

/* The instruction under way has been executed: it is added to the latest slice, or begins one. */
static void settle(traced_block *t, traced_warp *w) {
    slice *i = &w->instruction, *s = &w->open;
    if (!w->pending) return;
    w->pending = false;
    if (s->warps == 0 || s->pipe != i->pipe || s->end != i->begin) {
        put_open_slice(t, w);
        *s = *i;
        return;
    }
    s->end = i->end;
    s->warps += i->warps;
    s->threads += i->threads;
    s->last_f = i->f;
    s->last_pc = i->pc;
    widen(&s->shared, i->shared.low, i->shared.high);
}

/* Has the warp waited since its latest instruction? */
static void put_wait(traced_block *t, traced_warp *w) {
    if (w->clock <= w->end) return;
    put_open_slice(t, w);
    slice s = w->instruction;
    s.begin = w->end;
    s.end = w->clock;
    s.warps = s.threads = 0;
    s.wait = (uint8_t)w->wait;
    s.id = w->wait_id;
    s.shared = RANGE_NONE;
    put_slice(t, &s);
}

/* The warp goes on no sooner than that. */
static void wait_until(traced_warp *w, uint64_t time, wait_kind wait, uint32_t id) {
    if (time <= w->clock) return;
    w->clock = time;
    w->wait = wait;
    w->wait_id = id;
}

/* ---- copies and products in flight ------------------------------------------------------------------------------- */

static span *put_span(traced_block *t, const span *s) {
    t->spans = with_one_more(t->spans, t->span_count, &t->span_room, sizeof *t->spans);
    t->spans[t->span_count] = *s;
    t->spans[t->span_count].open = true;
    return &t->spans[t->span_count++];
}

static void close_span(traced_block *t, span *s, uint64_t end) {
    s->open = false;
    s->end = larger(end, s->begin + 1);
    while (t->oldest_open < t->span_count && !t->spans[t->oldest_open].open) t->oldest_open++;
}

/* The warp's (warpgroup's) oldest span of the kind that is in flight, or the latest. NULL: there is none. */
static span *open_span(traced_block *t, span_kind kind, uint32_t warp, bool latest) {
    span *found = NULL;
    for (int k = t->oldest_open; k < t->span_count; k++) {
        span *s = &t->spans[k];
        if (!s->open || s->kind != kind || s->warp != warp) continue;
        found = s;
        if (!latest) break;
    }
    return found;
}

static void cp_async_issued(traced_block *t, const observed_async *c) {
    const traced_warp *w = &t->warps[c->w->index];
    span *s = open_span(t, SPAN_CP_ASYNC, c->w->index, true);
    if (s == NULL || s->closed_to_more)
        s = put_span(t, &(span){.kind = SPAN_CP_ASYNC,
                                .begin = w->end - 1,
                                .f = c->function,
                                .pc = c->i->pc,
                                .warp = c->w->index,
                                .to = RANGE_NONE,
                                .from = RANGE_NONE});
    for (int l = 0; l < LANES; l++) {
        if (!(c->lanes >> l & 1)) continue;
        widen(&s->to, c->to[l], c->to[l] + c->width);
        s->bytes += c->width;
        s->count++;
    }
}

/* Copies land in the order in which they were issued. */
static void cp_async_landed(traced_block *t, const observed_async *c) {
    for (uint32_t left = (uint32_t)__builtin_popcount(c->lanes); left > 0;) {
        span *s = open_span(t, SPAN_CP_ASYNC, c->w->index, false);
        if (s == NULL) return;
        const uint32_t most = s->count - s->done, now = left < most ? left : most;
        s->done += now;
        left -= now;
        if (s->done == s->count) close_span(t, s, t->warps[c->w->index].end);
    }
}

static void async(observer *o, const observed_async *c) {
    traced_block *t = traced(c->w->block);
    (void)o;
    if (t == NULL || t->warps[c->w->index].cut) return;
    (c->stage == COPY_ISSUED ? cp_async_issued : cp_async_landed)(t, c);
}

static meeting_clock *mbarrier_at(traced_block *t, uint32_t offset) {
    for (int k = 0; k < t->mbarrier_count; k++)
        if (t->mbarriers[k].offset == offset) return &t->mbarriers[k];
    t->mbarriers = with_one_more(t->mbarriers, t->mbarrier_count, &t->mbarrier_room, sizeof *t->mbarriers);
    meeting_clock *m = &t->mbarriers[t->mbarrier_count++];
    *m = (meeting_clock){.offset = offset};
    return m;
}

/* When somebody first waited for the mbarrier that the copy reports to; who only tests it, it is now. */
static uint64_t wanted_at(const traced_block *t, const block *b, uint32_t mbarrier) {
    uint64_t first = UINT64_MAX;
    for (int n = 0; n < b->warp_count; n++)
        for (int k = 0; k < b->warps[n].group_count; k++) {
            const group *g = &b->warps[n].groups[k];
            if (g->state == GROUP_AT_MBARRIER && g->wanted == mbarrier && t->warps[n].clock < first)
                first = t->warps[n].clock;
        }
    const warp *running = b->worker->running;
    return first != UINT64_MAX ? first : running->block == b ? t->warps[running->index].clock : 0;
}

static void bulk_issued(traced_block *t, const observed_bulk *c, const traced_warp *w) {
    const bool loads = c->to_block != NULL;
    span s = {.kind = loads ? SPAN_LOAD : SPAN_STORE,
              .begin = w->end - 1,
              .serial = c->serial,
              .f = c->function,
              .pc = c->i->pc,
              .warp = c->w->index,
              .count = 1,
              .bytes = c->bytes,
              .mbarrier = c->mbarrier,
              .to = RANGE_NONE,
              .from = RANGE_NONE,
              .tensor = c->map != NULL};
    if (loads) widen(&s.to, c->to, (uint64_t)c->to + c->extent);
    if (c->from_block != NULL) widen(&s.from, c->from, (uint64_t)c->from + c->extent);
    put_span(t, &s);
}

static void bulk(observer *o, const observed_bulk *c) {
    block *at = c->to_block != NULL ? c->to_block : c->from_block;
    traced_block *t = traced(at), *by = traced(c->w->block);
    (void)o;
    if (t == NULL || by == NULL || c->stage == COPY_READ) return;
    const traced_warp *w = &by->warps[c->w->index];
    if (c->stage == COPY_ISSUED) {
        if (!w->cut) bulk_issued(t, c, w);
        return;
    }
    for (int k = t->oldest_open; k < t->span_count; k++) {
        span *s = &t->spans[k];
        if (!s->open || s->serial != c->serial || (s->kind != SPAN_LOAD && s->kind != SPAN_STORE)) continue;
        close_span(t, s, s->kind == SPAN_LOAD ? wanted_at(t, at, c->mbarrier) : w->end);
        if (s->kind == SPAN_LOAD) {
            meeting_clock *m = mbarrier_at(t, c->mbarrier);
            m->coming = larger(m->coming, s->end);
            s->phase = m->phase;
        }
        return;
    }
}

/* What the descriptors of A and B lead to, from where on. */
static void wgmma_operands(span *s, const observed_wgmma *c) {
    const wgmma_form *form = c->i->wgmma;
    const uint32_t b = wgmma_address(c->b, form->trans_b, 0, 0);
    widen(&s->to, b, b + WGMMA_CHUNK);
    if (form->a_in_registers) return;
    const uint32_t a = wgmma_address(c->a, form->trans_a, 0, 0);
    widen(&s->from, a, a + WGMMA_CHUNK);
}

/* The first warp to come to an operation says what it is of; the others may come later. */
static void wgmma_issued(traced_block *t, const observed_wgmma *c) {
    const uint32_t number = c->w->index / WARPGROUP;
    traced_warpgroup *g = &t->warpgroups[number];
    traced_warp *w = &t->warps[c->w->index];
    const uint32_t n = w->wgmmas++;
    if (n == g->known) {
        span *s = open_span(t, SPAN_WGMMA, number, true);
        if (s == NULL || w->group != g->group)
            s = put_span(t, &(span){.kind = SPAN_WGMMA,
                                    .begin = w->end - 1,
                                    .serial = n,
                                    .f = c->function,
                                    .pc = c->i->pc,
                                    .warp = number,
                                    .to = RANGE_NONE,
                                    .from = RANGE_NONE});
        wgmma_operands(s, c);
        s->count++;
        g->known++;
        g->group = w->group;
    }
    for (int k = t->oldest_open; k < t->span_count; k++) {
        span *s = &t->spans[k];
        if (!s->open || s->kind != SPAN_WGMMA || s->warp != number || n - s->serial >= s->count) continue;
        s->begin = w->end - 1 < s->begin ? w->end - 1 : s->begin;
        s->issued = larger(s->issued, w->end);
    }
}

static void wgmma(observer *o, const observed_wgmma *c) {
    traced_block *t = traced(c->w->block);
    (void)o;
    if (t == NULL || t->warps[c->w->index].cut) return;
    if (c->stage == COPY_ISSUED) {
        wgmma_issued(t, c);
        return;
    }
    const uint32_t number = c->w->index / WARPGROUP;
    traced_warp *w = &t->warps[c->w->index];
    span *s = open_span(t, SPAN_WGMMA, number, false);
    t->warpgroups[number].done++;
    if (s == NULL) return;
    wait_until(w, s->issued, WAIT_WARPGROUP, number);
    if (++s->done == s->count) close_span(t, s, w->clock);
}

/* ---- what orders warps ------------------------------------------------------------------------------------------- */

static void on_mbarrier(traced_block *t, const observed_sync *s) {
    meeting_clock *m = mbarrier_at(t, s->id);
    const traced_block *by = s->w != NULL ? traced(s->w->block) : NULL;
    switch (s->kind) {
    case SYNC_MBARRIER_INIT:
        *m = (meeting_clock){.offset = s->id};
        break;
    case SYNC_MBARRIER_ARRIVE:
        if (by != NULL) m->coming = larger(m->coming, by->warps[s->w->index].end);
        break;
    case SYNC_MBARRIER_DONE:
        m->met = m->coming;
        m->coming = 0;
        m->phase++;
        break;
    default:
        wait_until(&t->warps[s->w->index], m->met, WAIT_MBARRIER, s->id);
    }
}

static void sync(observer *o, const observed_sync *s) {
    traced_block *t = traced(s->b);
    (void)o;
    if (t == NULL) return;
    meeting_clock *cluster = &current->list[s->b->index - s->b->rank].cluster;
    traced_warp *w = s->w != NULL && s->w->block == s->b ? &t->warps[s->w->index] : NULL;
    switch (s->kind) {
    case SYNC_BARRIER_ARRIVE:
        t->barriers[s->id] = larger(t->barriers[s->id], w->end);
        break;
    case SYNC_BARRIER_PASS:
        wait_until(w, t->barriers[s->id], WAIT_BARRIER, s->id);
        break;
    case SYNC_BARRIER_DONE:
        t->barriers[s->id] = 0;
        break;
    case SYNC_CLUSTER_ARRIVE:
        cluster->coming = larger(cluster->coming, w->end);
        break;
    case SYNC_CLUSTER_DONE:
        cluster->met = cluster->coming;
        cluster->coming = 0;
        break;
    case SYNC_CLUSTER_PASS:
        wait_until(w, cluster->met, WAIT_CLUSTER, 0);
        break;
    case SYNC_MBARRIER_INIT:
    case SYNC_MBARRIER_ARRIVE:
    case SYNC_MBARRIER_DONE:
    case SYNC_MBARRIER_PASS:
        on_mbarrier(t, s);
        break;
    default:
        break;
    }
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* No more of this warp: whoever waits for it from now on comes after all that is kept. */
#define NEVER (UINT64_MAX / 4)
static void cut(traced_block *t, warp *w) {
    traced_warp *its = &t->warps[w->index];
    if (its->clock < t->until) t->until = its->clock;
    its->cut = true;
    its->clock = its->end = NEVER;
    w->careful &= ~CAREFUL_TRACE;
}

static void step(observer *o, warp *w, const insn *i, uint32_t mask) {
    traced_block *t = traced(w->block);
    (void)o;
    if (t == NULL) return;
    traced_warp *its = &t->warps[w->index];
    const function *f = w->frame->function;
    settle(t, its);
    put_wait(t, its);
    if (its->slices >= MOST_SLICES / t->warp_count || its->clock >= NEVER) {
        cut(t, w);
        return;
    }
    its->instruction = (slice){.begin = its->clock,
                               .end = its->clock + 1,
                               .warps = 1,
                               .threads = __builtin_popcount(mask),
                               .f = f,
                               .last_f = f,
                               .pc = i->pc,
                               .last_pc = i->pc,
                               .warp = w->index,
                               .shared = RANGE_NONE,
                               .pipe = (uint8_t)pipe_of(f, i)};
    its->pending = true;
    its->end = ++its->clock;
    if (mask == 0) return;
    if (i->row == ROW_op_wgmma_commit) its->group++;
    if (i->row == ROW_op_cp_commit) {
        span *s = open_span(t, SPAN_CP_ASYNC, w->index, true);
        if (s != NULL) s->closed_to_more = true;
    }
}

static void again(observer *o, warp *w) {
    traced_block *t = traced(w->block);
    (void)o;
    if (t == NULL) return;
    traced_warp *its = &t->warps[w->index];
    its->pending = false;
    its->clock = its->end = its->end - 1;
}

static void before(observer *o, const observed_access *a) {
    traced_block *t = traced(a->w->block);
    (void)o;
    if (t == NULL || a->space != PTX_SHARED) return;
    for (uint32_t left = a->mask; left != 0; left &= left - 1) {
        const uint64_t at = a->address[__builtin_ctz(left)];
        widen(&t->warps[a->w->index].instruction.shared, at, at + a->bytes);
    }
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

typedef struct launch_key {
    struct launch_key *next;
    char *what, *problem, *name;
    unsigned grid[3], block[3], cluster[3];
} launch_key;

static launch_key *keys, **last_key = &keys;
static char *current_what, *current_problem;
static const char *path;
static uint64_t most_blocks, clock_begins, events, blocks_left_out, launches_left_out, launches_too_many, blocks_cut;
static int processes;
static FILE *text;
static char *text_bytes;
static size_t text_size;

static char *copy_text(const char *from) {
    return strcpy(zeros(strlen(from) + 1, 1), from);
}

void trace_of(const char *what, const char *problem) {
    free(current_what);
    free(current_problem);
    current_what = copy_text(what);
    current_problem = copy_text(problem);
}

/* That of a launch like none before; NULL: there was one. */
static launch_key *new_key(const launch *la) {
    const char *name = la->entry->source->name, *what = current_what, *problem = current_problem;
    const sim_launch_config *g = la->config;
    for (const launch_key *k = keys; k != NULL; k = k->next)
        if (strcmp(k->name, name) == 0 && strcmp(k->what, what) == 0 && strcmp(k->problem, problem) == 0 &&
            memcmp(k->grid, g->grid, sizeof k->grid) == 0 && memcmp(k->block, g->block, sizeof k->block) == 0 &&
            memcmp(k->cluster, g->cluster, sizeof k->cluster) == 0)
            return NULL;
    launch_key *k = zeros(1, sizeof *k);
    k->name = copy_text(name);
    k->what = copy_text(what);
    k->problem = copy_text(problem);
    memcpy(k->grid, g->grid, sizeof k->grid);
    memcpy(k->block, g->block, sizeof k->block);
    memcpy(k->cluster, g->cluster, sizeof k->cluster);
    *last_key = k;
    last_key = &k->next;
    return k;
}

static void launch_begins(observer *o, launch *la) {
    (void)o;
    current = NULL;
    if (events >= MOST_EVENTS) {
        launches_too_many++;
        return;
    }
    const launch_key *k = new_key(la);
    if (k == NULL) {
        launches_left_out++;
        return;
    }
    uint64_t wanted = (most_blocks + la->cluster_size - 1) / la->cluster_size * la->cluster_size;
    if (wanted > la->blocks) wanted = la->blocks;
    current = zeros(1, sizeof *current + (size_t)wanted * sizeof *current->list);
    *current = (traced_launch){
        .what = k->what, .problem = k->problem, .name = k->name, .traced = wanted, .begin = clock_begins};
    blocks_left_out += la->blocks - wanted;
}

static void block_begins(observer *o, block *b) {
    traced_block *t = traced(b);
    (void)o;
    if (t == NULL) return;
    t->launch = current;
    t->begun = true;
    t->until = UINT64_MAX;
    memcpy(t->ctaid, b->ctaid, sizeof t->ctaid);
    t->warp_count = b->warp_count;
    t->warps = zeros((size_t)b->warp_count, sizeof *t->warps);
    t->warpgroups = zeros((size_t)b->warp_count / WARPGROUP + 1, sizeof *t->warpgroups);
    for (int n = 0; n < b->warp_count; n++) {
        t->warps[n].clock = t->warps[n].end = current->begin;
        for (int k = 0; k < 3; k++) t->warps[n].tid[k] = b->warps[n].tid[k][0];
        b->warps[n].careful |= CAREFUL_TRACE;
    }
}

/* Slices and spans up to t->until, at which those that go on end. */
static void leave_out(traced_block *t) {
    int slices = 0, spans = 0;
    for (int k = 0; k < t->slice_count; k++)
        if (t->slices[k].begin < t->until) t->slices[slices++] = t->slices[k];
    for (int k = 0; k < t->span_count; k++)
        if (t->spans[k].begin < t->until) t->spans[spans++] = t->spans[k];
    t->slice_count = slices;
    t->span_count = spans;
    for (int k = 0; k < slices; k++)
        if (t->slices[k].end > t->until) t->slices[k].end = t->until;
    for (int k = 0; k < spans; k++)
        if (t->spans[k].end > t->until) t->spans[k].end = t->until;
    blocks_cut++;
}

/* What is still open ends with its block. Returns when that is. */
static uint64_t finish_block(traced_block *t) {
    uint64_t end = current->begin;
    for (int n = 0; n < t->warp_count; n++) {
        settle(t, &t->warps[n]);
        put_open_slice(t, &t->warps[n]);
        end = larger(end, t->warps[n].end);
    }
    for (int k = 0; k < t->span_count; k++) {
        span *s = &t->spans[k];
        if (s->open) {
            s->incomplete = true;
            close_span(t, s, end);
        }
        end = larger(end, s->end);
    }
    if (!t->begun || t->until == UINT64_MAX) return end;
    leave_out(t);
    return t->until;
}

static void launch_ends(observer *o, launch *la) {
    (void)o;
    (void)la;
    if (current == NULL) return;
    uint64_t end = current->begin;
    for (uint64_t n = 0; n < current->traced; n++) end = larger(end, finish_block(&current->list[n]));
    events += trace_write_launch(current, text, &processes);
    clock_begins = end;
    for (uint64_t n = 0; n < current->traced; n++) {
        traced_block *t = &current->list[n];
        free(t->warps);
        free(t->warpgroups);
        free(t->slices);
        free(t->spans);
        free(t->mbarriers);
    }
    free(current);
    current = NULL;
}

observer trace_observer = {.launch_begin = launch_begins,
                           .launch_end = launch_ends,
                           .block_begin = block_begins,
                           .before = before,
                           .spaces = 1u << PTX_SHARED,
                           .async = async,
                           .bulk = bulk,
                           .wgmma = wgmma,
                           .sync = sync,
                           .step = step,
                           .careful = CAREFUL_TRACE,
                           .again = again};

/* ---- the file ---------------------------------------------------------------------------------------------------- */

bool trace_begin(const char *file, uint64_t blocks) {
    path = file;
    most_blocks = blocks;
    clock_begins = events = blocks_left_out = launches_left_out = launches_too_many = blocks_cut = 0;
    processes = 0;
    trace_of("", "");
    text = open_memstream(&text_bytes, &text_size);
    if (text == NULL) trace_no_memory();
    return trace_try_file(file);
}

/* What is not there, in one sentence; "" where all is. */
static char *left_out(void) {
    char *said = NULL;
    size_t size;
    FILE *to = open_memstream(&said, &size);
    if (to == NULL) trace_no_memory();
    const char *between = "";
    if (blocks_left_out > 0) {
        fprintf(to,
                "%llu blocks (--trace-blocks or CUDASIM_TRACE_BLOCKS sets how many of each launch are traced: %llu)",
                (unsigned long long)blocks_left_out, (unsigned long long)most_blocks);
        between = "; ";
    }
    if (launches_left_out > 0) {
        fprintf(to, "%s%llu launches like one before", between, (unsigned long long)launches_left_out);
        between = "; ";
    }
    if (blocks_cut > 0) {
        fprintf(to, "%sof %llu blocks what came after %d slices: try a smaller problem", between,
                (unsigned long long)blocks_cut, MOST_SLICES);
        between = "; ";
    }
    if (launches_too_many > 0)
        fprintf(to, "%s%llu launches after %d events", between, (unsigned long long)launches_too_many, MOST_EVENTS);
    if (fclose(to) != 0) trace_no_memory();
    return said;
}

bool trace_end(void) {
    if (fclose(text) != 0) trace_no_memory();
    char *notes = left_out();
    const bool good = trace_put_file(path, text_bytes, notes);
    if (good && *notes != '\0') fprintf(stderr, "cudasim: %s leaves out %s\n", path, notes);
    free(notes);
    free(text_bytes);
    while (keys != NULL) {
        launch_key *k = keys;
        keys = k->next;
        free(k->what);
        free(k->problem);
        free(k->name);
        free(k);
    }
    last_key = &keys;
    free(current_what);
    free(current_problem);
    current_what = current_problem = NULL;
    return good;
}
