/* cp.async: a copy is only noted when it is issued and carried out when it is waited for, the latest moment a GPU could
 * choose. A program that forgets the wait reads what was there before, every time. Groups are counted a thread (PTX ISA
 * 9.7.9.25.3). */
#include <stdlib.h>
#include <string.h>

#include "machine/async.h"
#include "machine/fault.h"
#include "machine/observe.h"
#include "machine/proxy.h"

typedef struct copy {
    uint32_t lanes; /* for which it is still to be done */
    uint32_t group; /* the number of groups these lanes had committed when they issued it */
    uint32_t width;
    uint64_t serial;
    const function *function; /* whose */
    const insn *i;
    uint32_t bytes[LANES];
    uint8_t *to[LANES];
    const uint8_t *from[LANES];
} copy;

typedef struct async_copies {
    copy *copies;
    int count, room;
    uint32_t committed[LANES]; /* groups a lane has committed */
    uint64_t serial;           /* copies issued */
} async_copies;

#define COPIES "asynchronous copies"

void async_copy(warp *w, const insn *i, uint32_t mask, uint8_t *const *to, uint8_t *const *from,
                const uint32_t *bytes) {
    if (w->async == NULL) w->async = allocated(w->worker, calloc(1, sizeof *w->async), sizeof *w->async, COPIES);
    async_copies *a = w->async;
    while (mask != 0) { /* once, unless lanes have committed different numbers of groups */
        const uint32_t group = a->committed[__builtin_ctz(mask)];
        uint32_t same = 0;
        for (int l = 0; l < LANES; l++) same |= (uint32_t)(a->committed[l] == group) << l;
        same &= mask;
        mask &= ~same;
        a->copies = with_room(w->worker, a->copies, a->count, &a->room, 32, sizeof *a->copies, COPIES);
        copy *c = &a->copies[a->count++];
        *c = (copy){.lanes = same,
                    .group = group,
                    .width = i->width,
                    .serial = a->serial++,
                    .function = w->frame->function,
                    .i = i};
        memcpy(c->bytes, bytes, sizeof c->bytes);
        memcpy(c->to, to, sizeof c->to);
        memcpy(c->from, from, sizeof c->from);
    }
}

void async_commit(warp *w, uint32_t mask) {
    if (w->async == NULL) return;
    for (int l = 0; l < LANES; l++) w->async->committed[l] += mask >> l & 1;
}

static void call_hook(warp *w, const copy *c, uint32_t lanes) {
    uint64_t to[LANES], from[LANES];
    for (int l = 0; l < LANES; l++) {
        to[l] = (uint64_t)(c->to[l] - w->block->shared);
        from[l] = (uint64_t)c->from[l];
    }
    const observed_async observed = {.stage = COPY_LANDED,
                                     .w = w,
                                     .function = c->function,
                                     .i = c->i,
                                     .lanes = lanes,
                                     .width = c->width,
                                     .to = to,
                                     .from = from,
                                     .bytes = c->bytes};
    observe_async(&observed);
}

static void carry_out(warp *w, const copy *c, uint32_t lanes) {
    if (w->launch->observer != NULL) call_hook(w, c, lanes);
    if (w->block->dirty != NULL) proxy_wrote_lanes(w, lanes, c->to, c->width);
    for (int l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1)) continue;
        if (c->bytes[l] == 16 && c->width == 16) {
            memcpy(c->to[l], c->from[l], 16);
        } else if (c->bytes[l] == 4 && c->width == 4) {
            memcpy(c->to[l], c->from[l], 4);
        } else {
            if (c->bytes[l] > 0) memcpy(c->to[l], c->from[l], c->bytes[l]);
            memset(c->to[l] + c->bytes[l], 0, c->width - c->bytes[l]);
        }
    }
}

/* Carries out what is due of each copy, in these lanes, and forgets what is done. */
typedef uint32_t due_lanes(const async_copies *a, const copy *c, int64_t limit);
static void settle(warp *w, uint32_t lanes, due_lanes *due_of, int64_t limit) {
    async_copies *a = w->async;
    if (a == NULL) return;
    int kept = 0;
    for (int k = 0; k < a->count; k++) {
        copy *c = &a->copies[k];
        const uint32_t due = due_of(a, c, limit) & c->lanes & lanes;
        if (due != 0) carry_out(w, c, due);
        c->lanes &= ~due;
        if (c->lanes != 0) {
            if (kept != k) a->copies[kept] = *c;
            kept++;
        }
    }
    a->count = kept;
}

static uint32_t in_older_groups(const async_copies *a, const copy *c, int64_t pending) {
    uint32_t due = 0;
    for (int l = 0; l < LANES; l++)
        due |= (uint32_t)(pending < 0 || (int64_t)c->group + pending < (int64_t)a->committed[l]) << l;
    return due;
}

static uint32_t issued_before(const async_copies *a, const copy *c, int64_t serial) {
    return c->serial < (uint64_t)serial ? ALL_LANES : 0;
}

void async_wait(warp *w, uint32_t mask, int64_t pending) {
    settle(w, mask, in_older_groups, pending);
}

uint64_t async_serial(const warp *w) {
    return w->async != NULL ? w->async->serial : 0;
}

void async_complete(warp *w, uint32_t lanes, uint64_t serial) {
    settle(w, lanes, issued_before, (int64_t)serial);
}

void async_free(warp *w) {
    if (w->async != NULL) free(w->async->copies);
    free(w->async);
    w->async = NULL;
}
