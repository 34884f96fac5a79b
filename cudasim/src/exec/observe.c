/* op_observe: in the watched copy of a function's code it stands in front of the handlers of memory instructions and
 * calls the observers' hooks (machine/observe.h). */
#include <string.h>

#include "exec/address.h"
#include "exec/filter.h"
#include "isa/form.h"
#include "isa/matrix.h"
#include "machine/cluster.h"
#include "machine/groups.h"
#include "machine/observe.h"

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static inline void access_addresses(const warp *w, const insn *i, uint32_t mask, uint64_t *address) {
    const uint64_t offset = (uint64_t)i->imm + (i->flags & MODE_FRAME ? w->frame->local_base : 0);
    lanes_of(w, i->op[4], i->flags & MODE_NARROW, offset, address);
    if (mask == ALL_LANES) return;
    const uint64_t some = address[__builtin_ctz(mask)];
    EACH_LANE address[l] = mask >> l & 1 ? address[l] : some;
}

/* Is the access's pattern that of the latest execution? If not, keeps the new one. */
static inline bool same_pattern(const warp *w, const insn *i, uint32_t mask, const uint64_t *address, int second) {
    const run_counts *counts = w->frame->counts;
    if (counts == NULL || counts->patterns == NULL) return false;
    access_pattern *p = &counts->patterns[2 * i->pc + second];
    const uint64_t first = address[__builtin_ctz(mask)];
    uint64_t other = p->mask ^ mask;
    EACH_LANE other |= (address[l] - first) ^ p->apart[l];
    if (other == 0) return true;
    p->mask = mask;
    EACH_LANE p->apart[l] = address[l] - first;
    return false;
}

/* The counters' hook has been called for this access: accesses like it may be counted later, all together. */
static void allow_repeats(warp *w, const insn *i, uint32_t mask, const uint64_t *address, unsigned bytes) {
    access_pattern *p = &w->frame->counts->patterns[2 * i->pc];
    const affine *f = w->frame->function->affine_bytes > 0 ? AFFINE(4) : NULL;
    p->repeatable = mask == ALL_LANES;
    p->affine = f != NULL && f->kept != LANES_ONLY;
    p->step = p->affine ? f->step : 0;
    const uint32_t bits = i->space == PTX_GLOBAL ? 31 : 3, end = bits + 1 > bytes ? bits + 1 - bytes : 0;
    uint32_t down = bits, up = bits;
    for (int l = 0; l < LANES; l++) {
        const uint32_t at = (uint32_t)address[l] & bits;
        down = at < down ? at : down;
        up = end - at < up ? end - at : up;
    }
    p->modulo = bits;
    p->low = ((uint32_t)address[0] & bits) - down;
    p->high = ((uint32_t)address[0] & bits) + up;
    p->sector = address[0] / 32;
}

/* ---- spaces ------------------------------------------------------------------------------------------------------ */

/* The space that a generic address lies in, and the window's base, to be subtracted from it. */
static ptx_space space_of(uint64_t address, bool constant, uint64_t *window) {
    const uint64_t arena = memory_arena(), offset = address - arena;
    *window = 0;
    if (constant) return PTX_CONST;
    if (offset >= WINDOW_END) return PTX_GLOBAL;
    if (offset - WINDOW_SHARED < WINDOW_SIZE) return *window = arena + WINDOW_SHARED, PTX_SHARED_CLUSTER;
    if (offset - WINDOW_LOCAL < WINDOW_SIZE) return *window = arena + WINDOW_LOCAL, PTX_LOCAL;
    if (offset - WINDOW_PARAM < WINDOW_SIZE) return *window = arena + WINDOW_PARAM, PTX_PARAM;
    return PTX_GLOBAL;
}

/* Addresses in the block's own shared memory become offsets, those in another block's rank and offset. */
static void own_shared(const warp *w, observed_access *a, uint64_t *address) {
    uint64_t others = 0;
    const uint64_t base = cluster_base(w->block);
    for (int l = 0; l < LANES; l++) others |= a->mask >> l & 1 ? (address[l] - base) >> CLUSTER_RANK_SHIFT : 0;
    a->space = others == 0 ? PTX_SHARED : PTX_SHARED_CLUSTER;
    if (others == 0 && base != 0) EACH_LANE address[l] -= base;
}

typedef void access_hook(const observed_access *a);

/* Calls the hook for an access, once for each space that its addresses lie in. */
static void call_hook(const observed_access *access, const uint64_t *given, bool constant, access_hook *to) {
    const bool shared = access->space == PTX_SHARED || access->space == PTX_SHARED_CLUSTER;
    if (access->space != PTX_NO_SPACE && !constant && !(shared && access->w->block->cluster->size > 1)) {
        to(access);
        return;
    }
    observed_access a = *access;
    uint64_t address[LANES];
    a.address = address;
    uint32_t left = a.mask;
    if (a.space != PTX_NO_SPACE) {
        memcpy(address, given, sizeof address);
        if (constant) a.space = PTX_CONST;
        if (shared) own_shared(a.w, &a, address);
        to(&a);
        return;
    }
    while (left != 0) {
        uint64_t window, its;
        const ptx_space space = space_of(given[__builtin_ctz(left)], constant, &window);
        uint32_t same = 0;
        for (int l = 0; l < LANES; l++) same |= (uint32_t)(space_of(given[l], constant, &its) == space) << l;
        a.same_pattern = access->same_pattern && (same & a.mask) == a.mask && left == access->mask;
        a.mask = same & left;
        a.space = space;
        const uint64_t some = given[__builtin_ctz(a.mask)];
        EACH_LANE address[l] = (same >> l & 1 ? given[l] : some) - window;
        if (space == PTX_SHARED_CLUSTER) own_shared(a.w, &a, address);
        to(&a);
        left &= ~same;
    }
}

/* ---- hooks ------------------------------------------------------------------------------------------------------ */

/* The rows (.col: columns) of a matrix in memory: a lane's address and a number of bytes for each. */
static void matrix_rows(const warp *w, const insn *i, uint64_t *address, uint32_t *mask, unsigned *bytes) {
    const fragment *f = i->matrix->fragment;
    const unsigned bits = i->vector, element = bits < 8 ? 4 : bits / 8;
    const unsigned rows = f->registers * f->per * LANES / f->columns;
    const bool columns = i->flags & MODE_TRANS;
    const unsigned lines = columns ? f->columns : rows;
    uint64_t first[LANES], stride[LANES];
    access_addresses(w, i, ALL_LANES, first);
    lanes_of(w, i->op[6], true, 0, stride);
    EACH_LANE address[l] = first[0] + (uint64_t)l * (stride[0] * bits / 8);
    *bytes = element * (columns ? rows : f->columns);
    *mask = lines == LANES ? ALL_LANES : (1u << lines) - 1;
}

/* Have these lanes executed the instruction? If not, it will be tried again. */
static bool executed(const warp *w, const insn *i, uint32_t mask) {
    return w->pc == i->pc + 1 && (mask & ~w->active) == 0;
}

static void observe_copy(warp *w, const insn *i, uint32_t mask, sim_handler *run) {
    uint64_t to[LANES], from[LANES], size[LANES];
    uint32_t bytes[LANES];
    lanes_of(w, i->op[0], i->flags & MODE_NARROW, (uint64_t)i->offsets->to, to);
    lanes_of(w, i->op[1], i->flags & MODE_NARROW_SOURCE, (uint64_t)i->offsets->from, from);
    lanes_of(w, i->op[2], true, 0, size);
    const uint32_t ignored = PRED(3);
    const uint64_t base = cluster_base(w->block);
    uint32_t reading = 0;
    for (int l = 0; l < LANES; l++) {
        bytes[l] = ignored >> l & 1 ? 0 : (uint32_t)size[l];
        to[l] -= base;
        reading |= (uint32_t)(bytes[l] != 0) << l;
    }
    reading &= mask;
    const uint64_t some_to = to[__builtin_ctz(mask)], some_from = from[__builtin_ctz(reading != 0 ? reading : mask)];
    for (int l = 0; l < LANES; l++) {
        if (!(mask >> l & 1)) to[l] = some_to;
        if (!(reading >> l & 1)) from[l] = some_from;
    }
    run(w, i, mask);
    const observed_async c = {.stage = COPY_ISSUED,
                              .w = w,
                              .function = w->frame->function,
                              .i = i,
                              .lanes = mask,
                              .reading = reading,
                              .same_to = same_pattern(w, i, mask, to, 1),
                              .same_from = reading != 0 && same_pattern(w, i, reading, from, 0),
                              .width = i->width,
                              .to = to,
                              .from = from,
                              .bytes = bytes};
    if (executed(w, i, mask)) observe_async(&c);
}

static __attribute__((noinline)) void observe_access(warp *w, const insn *i, uint32_t mask) {
    const function *f = w->frame->function;
    const watched_insn *watched = &f->watch[i->pc];
    const run_counts *counts = w->frame->counts;
    if (watched->loose) observe_loose(w, i, mask);
    if (watched->what == WATCH_NOTHING) {
        watched->run(w, i, mask);
        return;
    }
    if (watched->what == WATCH_ASYNC) {
        observe_copy(w, i, mask, watched->run);
        return;
    }
    const bool waits =
        (watched->what == WATCH_MATRIX || watched->what == WATCH_WMMA) && warp_present(w, mask) != ALL_LANES;
    const bool quiet = !waits && skips_hooks(w, i, mask, watched), counted = w->launch->counts_repeats;
    if (waits || (quiet && (!counted || (w->launch->hooked_spaces != 0 && repeats(w, i, mask))))) {
        watched->run(w, i, mask);
        return;
    }
    const bool patterns = counts != NULL && counts->patterns != NULL;
    if (patterns) counts->patterns[2 * i->pc].repeatable = false;
    if (patterns && (counts->patterns[2 * i->pc].stays > 0 || counts->patterns[2 * i->pc].moves > 0))
        observe_repeated(w, i->pc); /* they were like the latest */
    uint64_t address[LANES];
    observed_access a = {.w = w,
                         .function = f,
                         .i = i,
                         .mask = mask,
                         .kind = watched->what == WATCH_ATOMIC ? ACCESS_ATOMIC
                                 : watched->stores             ? ACCESS_WRITE
                                                               : ACCESS_READ,
                         .order = watched->order,
                         .scope = watched->scope,
                         .space = (ptx_space)i->space,
                         .bytes = watched->bytes,
                         .address = address};
    if (watched->what == WATCH_MATRIX) a.mask = i->vector == 4 ? ALL_LANES : (1u << 8 * i->vector) - 1;
    if (watched->what == WATCH_WMMA)
        matrix_rows(w, i, address, &a.mask, &a.bytes);
    else
        access_addresses(w, i, a.mask, address);
    if (a.space == PTX_SHARED_CLUSTER && w->block->cluster->size == 1) a.space = PTX_SHARED;
    a.same_pattern = same_pattern(w, i, a.mask, address, 0);
    if (w->launch->hooks_before && !quiet) call_hook(&a, address, watched->constant, observe_before);
    const bool alike = patterns && w->launch->counts_repeats && watched->what <= WATCH_WRITE && !watched->constant &&
                       (i->space == PTX_GLOBAL || i->space == PTX_SHARED);
    if (alike) allow_repeats(w, i, mask, address, a.bytes); /* a load may overwrite its address */
    watched->run(w, i, mask);
    if (w->launch->hooks_before && !quiet && a.kind != ACCESS_READ) observe_written(w);
    const bool strong = watched->order != ORDER_WEAK;
    if (!w->launch->hooks_after && !patterns && !strong) return;
    const bool done = executed(w, i, mask);
    if (done && strong) call_hook(&a, address, watched->constant, observe_strong);
    if (done)
        call_hook(&a, address, watched->constant, observe_after);
    else if (patterns)
        counts->patterns[2 * i->pc].repeatable = false;
}

HANDLER(op_observe) {
    if (w->launch->hooked_spaces == 0 && repeats(w, i, mask))
        w->frame->function->watch[i->pc].run(w, i, mask);
    else
        observe_access(w, i, mask);
}

/* insn.next: it goes on with the next instruction as the handler that it stands for does. */
void SIM_JOIN(op_observe_next, SIM_ISA)(warp *w, const insn *i, uint32_t mask);
void SIM_JOIN(op_observe_next, SIM_ISA)(warp *w, const insn *i, uint32_t mask) {
    const watched_insn *watched = &w->frame->function->watch[i->pc];
    w->pc = i->pc + 1;
    if (w->launch->hooked_spaces == 0 && repeats(w, i, mask)) {
        if (watched->next != NULL) {
            watched->next(w, i, mask);
            return;
        }
        watched->run(w, i, mask);
    } else {
        observe_access(w, i, mask);
    }
    if (w->event == 0) i[1].next(w, i + 1, mask);
}
