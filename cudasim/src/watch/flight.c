#include "watch/flight.h"

#include "machine/wgmma.h"

static span *put_span(traced_block *t, const span *s) {
    t->spans = traced_grow(t->spans, t->span_count, &t->span_room, sizeof *t->spans);
    t->spans[t->span_count] = *s;
    t->spans[t->span_count].open = true;
    return &t->spans[t->span_count++];
}

void flight_end(traced_block *t, span *s, uint64_t end) {
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
                                .to = RANGE_NONE,
                                .from = RANGE_NONE,
                                .begin = w->end - 1,
                                .f = c->function,
                                .pc = c->i->pc,
                                .warp = c->w->index});
    for (int l = 0; l < LANES; l++) {
        if (!(c->lanes >> l & 1)) continue;
        range_widen(&s->to, c->to[l], c->to[l] + c->width);
        s->bytes += c->width;
        s->count++;
    }
}

void flight_commit(traced_block *t, uint32_t warp) {
    span *s = open_span(t, SPAN_CP_ASYNC, warp, true);
    if (s != NULL) s->closed_to_more = true;
}

/* Copies land in the order in which they were issued. */
static void cp_async_landed(traced_block *t, const observed_async *c) {
    for (uint32_t left = (uint32_t)__builtin_popcount(c->lanes); left > 0;) {
        span *s = open_span(t, SPAN_CP_ASYNC, c->w->index, false);
        if (s == NULL) return;
        const uint32_t most = s->count - s->done, now = left < most ? left : most;
        s->done += now;
        left -= now;
        if (s->done == s->count) flight_end(t, s, t->warps[c->w->index].end);
    }
}

void flight_async(observer *o, const observed_async *c) {
    traced_block *t = traced(c->w->block);
    if (t == NULL || t->warps[c->w->index].cut) return;
    (c->stage == COPY_ISSUED ? cp_async_issued : cp_async_landed)(t, c);
}

/* The time at which a warp first waited for the mbarrier that the copy reports to; now, if warps only test it. */
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
    if (loads) range_widen(&s.to, c->to, (uint64_t)c->to + c->extent);
    if (c->from_block != NULL) range_widen(&s.from, c->from, (uint64_t)c->from + c->extent);
    put_span(t, &s);
}

void flight_bulk(observer *o, const observed_bulk *c) {
    block *at = c->to_block != NULL ? c->to_block : c->from_block;
    traced_block *t = traced(at), *by = traced(c->w->block);
    if (t == NULL || by == NULL || c->stage == COPY_READ) return;
    const traced_warp *w = &by->warps[c->w->index];
    if (c->stage == COPY_ISSUED) {
        if (!w->cut) bulk_issued(t, c, w);
        return;
    }
    for (int k = t->oldest_open; k < t->span_count; k++) {
        span *s = &t->spans[k];
        if (!s->open || s->serial != c->serial || (s->kind != SPAN_LOAD && s->kind != SPAN_STORE)) continue;
        flight_end(t, s, s->kind == SPAN_LOAD ? wanted_at(t, at, c->mbarrier) : w->end);
        if (s->kind == SPAN_LOAD) {
            meeting_clock *m = traced_mbarrier(t, c->mbarrier);
            m->coming = larger(m->coming, s->end);
            s->phase = m->phase;
        }
        return;
    }
}

/* The shared memory that the descriptors of A and B refer to. */
static void wgmma_operands(span *s, const observed_wgmma *c) {
    const wgmma_form *form = c->i->wgmma;
    const uint32_t b = wgmma_address(c->b, form->trans_b, 0, 0);
    range_widen(&s->to, b, b + WGMMA_CHUNK);
    if (form->a_in_registers) return;
    const uint32_t a = wgmma_address(c->a, form->trans_a, 0, 0);
    range_widen(&s->from, a, a + WGMMA_CHUNK);
}

/* The first warp that issues an operation determines its shape; it begins when the last of the four has issued it. */
static void wgmma_issued(traced_block *t, const observed_wgmma *c) {
    const uint32_t number = c->w->index / WARPGROUP;
    traced_warpgroup *g = &t->warpgroups[number];
    traced_warp *w = &t->warps[c->w->index];
    const uint32_t n = w->wgmmas++;
    if (n == g->known) {
        span *s = open_span(t, SPAN_WGMMA, number, true);
        if (s == NULL || w->group != g->group)
            s = put_span(t, &(span){.kind = SPAN_WGMMA,
                                    .to = RANGE_NONE,
                                    .from = RANGE_NONE,
                                    .begin = w->end - 1,
                                    .serial = n,
                                    .f = c->function,
                                    .pc = c->i->pc,
                                    .warp = number});
        wgmma_operands(s, c);
        s->count++;
        g->known++;
        g->group = w->group;
    }
    for (int k = t->oldest_open; k < t->span_count; k++) {
        span *s = &t->spans[k];
        if (!s->open || s->kind != SPAN_WGMMA || s->warp != number || n - s->serial >= s->count) continue;
        if (n == s->serial) s->begin = larger(s->begin, w->end - 1);
        s->issued = larger(s->issued, w->end);
    }
}

void flight_wgmma(observer *o, const observed_wgmma *c) {
    traced_block *t = traced(c->w->block);
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
    if (++s->done == s->count) flight_end(t, s, w->clock);
}
