#include "watch/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "isa/decode.h"
#include "isa/rows.h"
#include "machine/wgmma.h"
#include "watch/flight.h"
#include "watch/sink.h"
#include "watch/trace_file.h"

/* So many slices and spans of a block are kept, and events of all launches until no further one is traced. */
#define MOST_SLICES 200000
#define MOST_EVENTS 1000000

static void *zeros(size_t count, size_t size) {
    void *p = calloc(count, size);
    if (p == NULL) trace_no_memory();
    return p;
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
    static const trace_pipe pipes[CLASS_COUNT] = {
        [CLASS_INTEGER] = PIPE_INTEGER, [CLASS_FP16] = PIPE_FP16,       [CLASS_FP32] = PIPE_FP32,
        [CLASS_FP64] = PIPE_FP64,       [CLASS_CONVERT] = PIPE_CONVERT, [CLASS_MOVE] = PIPE_MOVE,
        [CLASS_CONTROL] = PIPE_CONTROL, [CLASS_WARP] = PIPE_WARP,       [CLASS_BARRIER] = PIPE_SYNC,
        [CLASS_ATOMIC] = PIPE_ATOMIC,   [CLASS_ASYNC] = PIPE_COPY,      [CLASS_TENSOR] = PIPE_TENSOR};
    static const watched_insn unknown = {.what = WATCH_NOTHING};
    switch (i->row) {
    case ROW_op_cp_wait:
        return PIPE_WAIT_COPY;
    case ROW_op_bulk_wait:
        return PIPE_WAIT_BULK;
    case ROW_op_wgmma_wait:
        return PIPE_WAIT_WGMMA;
    }
    const op_class class = row_class(i->row);
    if (class == CLASS_MEMORY) return pipe_of_access(f->watch != NULL ? &f->watch[i->pc] : &unknown, i);
    return pipes[class];
}

static void put_slice(traced_block *t, const slice *s) {
    t->slices = traced_grow(t->slices, t->slice_count, &t->slice_room, sizeof *t->slices);
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
    range_widen(&s->shared, i->shared.low, i->shared.high);
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

/* ---- what orders warps ------------------------------------------------------------------------------------------- */

static void on_mbarrier(traced_block *t, const observed_sync *s) {
    meeting_clock *m = traced_mbarrier(t, s->id);
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
    if (t == NULL) return;
    meeting_clock *cluster = &traced_now->list[s->b->index - s->b->rank].cluster;
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

/* Ends the trace of this warp: warps that wait for it from now on come after everything that is kept. */
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
    if (i->row == ROW_op_cp_commit) flight_commit(t, w->index);
}

static void again(observer *o, warp *w) {
    traced_block *t = traced(w->block);
    if (t == NULL) return;
    traced_warp *its = &t->warps[w->index];
    its->pending = false;
    its->clock = its->end = its->end - 1;
}

static void before(observer *o, const observed_access *a) {
    traced_block *t = traced(a->w->block);
    if (t == NULL || a->space != PTX_SHARED) return;
    for (uint32_t left = a->mask; left != 0; left &= left - 1) {
        const uint64_t at = a->address[__builtin_ctz(left)];
        range_widen(&t->warps[a->w->index].instruction.shared, at, at + a->bytes);
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

/* The trace of a launch unlike all before it, or NULL. */
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
    traced_now = NULL;
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
    traced_now = zeros(1, sizeof *traced_now + (size_t)wanted * sizeof *traced_now->list);
    *traced_now = (traced_launch){
        .what = k->what, .problem = k->problem, .name = k->name, .traced = wanted, .begin = clock_begins};
    blocks_left_out += la->blocks - wanted;
}

static void block_begins(observer *o, block *b) {
    traced_block *t = traced(b);
    if (t == NULL) return;
    t->launch = traced_now;
    t->begun = true;
    t->until = UINT64_MAX;
    memcpy(t->ctaid, b->ctaid, sizeof t->ctaid);
    t->warp_count = b->warp_count;
    t->warps = zeros((size_t)b->warp_count, sizeof *t->warps);
    t->warpgroups = zeros((size_t)b->warp_count / WARPGROUP + 1, sizeof *t->warpgroups);
    for (int n = 0; n < b->warp_count; n++) {
        t->warps[n].clock = t->warps[n].end = traced_now->begin;
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

/* Ends all open spans with their block, and returns that time. */
static uint64_t finish_block(traced_block *t) {
    uint64_t end = traced_now->begin;
    for (int n = 0; n < t->warp_count; n++) {
        settle(t, &t->warps[n]);
        put_open_slice(t, &t->warps[n]);
        end = larger(end, t->warps[n].end);
    }
    for (int k = 0; k < t->span_count; k++) {
        span *s = &t->spans[k];
        if (s->open) {
            s->incomplete = true;
            flight_end(t, s, end);
        }
        end = larger(end, s->end);
    }
    if (!t->begun || t->until == UINT64_MAX) return end;
    leave_out(t);
    return t->until;
}

static void launch_ends(observer *o, launch *la) {
    if (traced_now == NULL) return;
    uint64_t end = traced_now->begin;
    for (uint64_t n = 0; n < traced_now->traced; n++) end = larger(end, finish_block(&traced_now->list[n]));
    events += trace_write_launch(traced_now, text, &processes);
    clock_begins = end;
    for (uint64_t n = 0; n < traced_now->traced; n++) {
        traced_block *t = &traced_now->list[n];
        free(t->warps);
        free(t->warpgroups);
        free(t->slices);
        free(t->spans);
        free(t->mbarriers);
    }
    free(traced_now);
    traced_now = NULL;
}

observer trace_observer = {.launch_begin = launch_begins,
                           .launch_end = launch_ends,
                           .block_begin = block_begins,
                           .before = before,
                           .spaces = 1u << PTX_SHARED,
                           .async = flight_async,
                           .bulk = flight_bulk,
                           .wgmma = flight_wgmma,
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
    return sink_try(file);
}

/* Says in one sentence what the trace leaves out; "" if nothing. */
static char *left_out(void) {
    char *said = NULL;
    size_t size;
    FILE *to = open_memstream(&said, &size);
    if (to == NULL) trace_no_memory();
    const char *separator = "";
    if (blocks_left_out > 0) {
        fprintf(to,
                "%llu block%s (--trace-blocks or CUDASIM_TRACE_BLOCKS sets how many of each launch are traced: %llu)",
                (unsigned long long)blocks_left_out, blocks_left_out == 1 ? "" : "s", (unsigned long long)most_blocks);
        separator = "; ";
    }
    if (launches_left_out > 0) {
        fprintf(to, "%s%llu launch%s like one before", separator, (unsigned long long)launches_left_out,
                launches_left_out == 1 ? "" : "es");
        separator = "; ";
    }
    if (blocks_cut > 0) {
        fprintf(to, "%sof %llu block%s what came after %d slices: try a smaller problem", separator,
                (unsigned long long)blocks_cut, blocks_cut == 1 ? "" : "s", MOST_SLICES);
        separator = "; ";
    }
    if (launches_too_many > 0)
        fprintf(to, "%s%llu launch%s after %d events", separator, (unsigned long long)launches_too_many,
                launches_too_many == 1 ? "" : "es", MOST_EVENTS);
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
