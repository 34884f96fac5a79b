#include "watch/traced.h"

#include <stdio.h>
#include <stdlib.h>

traced_launch *traced_now;

void trace_no_memory(void) {
    fprintf(stderr, "cudasim: no memory is left for the trace\n");
    _Exit(3);
}

void *traced_grow(void *items, int count, int *room, size_t size) {
    if (count < *room) return items;
    *room = *room > 0 ? 2 * *room : 64;
    items = realloc(items, (size_t)*room * size);
    if (items == NULL) trace_no_memory();
    return items;
}

traced_block *traced(const block *b) {
    if (traced_now == NULL || b == NULL || b->index >= traced_now->traced) return NULL;
    return &traced_now->list[b->index];
}

void range_widen(shared_range *r, uint64_t low, uint64_t high) {
    if (low < r->low) r->low = (uint32_t)low;
    if (high > r->high) r->high = (uint32_t)high;
}

void wait_until(traced_warp *w, uint64_t time, wait_kind wait, uint32_t id) {
    if (time <= w->clock) return;
    w->clock = time;
    w->wait = wait;
    w->wait_id = id;
}

meeting_clock *traced_mbarrier(traced_block *t, uint32_t offset) {
    for (int k = 0; k < t->mbarrier_count; k++)
        if (t->mbarriers[k].offset == offset) return &t->mbarriers[k];
    t->mbarriers = traced_grow(t->mbarriers, t->mbarrier_count, &t->mbarrier_room, sizeof *t->mbarriers);
    meeting_clock *m = &t->mbarriers[t->mbarrier_count++];
    *m = (meeting_clock){.offset = offset};
    return m;
}
