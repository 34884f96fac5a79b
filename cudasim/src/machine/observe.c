#include "machine/observe.h"

static observer *observers;

void observers_set(observer *first) {
    __atomic_store_n(&observers, first, __ATOMIC_RELEASE);
}
observer *observers_get(void) {
    return __atomic_load_n(&observers, __ATOMIC_ACQUIRE);
}

#define CALL_HOOKS(launch, event, ...)                                                                                 \
    for (observer *o = (launch)->observer; o != NULL; o = o->next)                                                     \
        if (o->event != NULL) o->event(o, __VA_ARGS__)

/* Finds which hooks the observers of accesses have. */
static void divide(launch *la) {
    int others = 0;
    for (observer *o = la->observer; o != NULL; o = o->next) {
        if (o->before == NULL && o->after == NULL) continue;
        la->hooks_before = la->hooks_before || o->before != NULL;
        la->hooks_after = la->hooks_after || o->after != NULL;
        la->counts_repeats = la->counts_repeats || o->repeated != NULL;
        if (o->repeated != NULL) continue;
        la->hooked_spaces |= o->spaces != 0 ? o->spaces : UINT32_MAX;
        la->quick = ++others == 1 && o->quick != NULL && o->after == NULL ? o : NULL;
    }
}

void observe_launch(launch *la, bool begins) {
    divide(la);
    if (begins) {
        CALL_HOOKS(la, launch_begin, la);
    } else {
        CALL_HOOKS(la, launch_end, la);
    }
}

void observe_block(block *b, bool begins) {
    if (begins) {
        CALL_HOOKS(b->launch, block_begin, b);
    } else {
        CALL_HOOKS(b->launch, block_end, b);
    }
}

void observe_before(const observed_access *a) {
    CALL_HOOKS(a->w->launch, before, a);
}
void observe_after(const observed_access *a) {
    CALL_HOOKS(a->w->launch, after, a);
}
void observe_written(const warp *w) {
    CALL_HOOKS(w->launch, written, w);
}
void observe_strong(const observed_access *a) {
    CALL_HOOKS(a->w->launch, strong, a);
}
void observe_repeated(warp *w, uint32_t pc) {
    const frame *f = w->frame;
    CALL_HOOKS(w->launch, repeated, f->counts, f->function, pc);
}
void observe_loaded(warp *w, uint32_t pc, int loads) {
    const frame *f = w->frame;
    CALL_HOOKS(w->launch, loaded, f->counts, f->function, pc, loads);
}
void observe_async(const observed_async *c) {
    CALL_HOOKS(c->w->launch, async, c);
}
void observe_bulk(const observed_bulk *c) {
    CALL_HOOKS(c->w->launch, bulk, c);
}
void observe_wgmma(const observed_wgmma *c) {
    CALL_HOOKS(c->w->launch, wgmma, c);
}

void observe_sync(sync_kind kind, block *b, warp *w, uint32_t lanes, uint32_t id) {
    const observed_sync s = {.kind = kind, .b = b, .w = w, .lanes = lanes, .id = id};
    if (b->launch->observer != NULL) CALL_HOOKS(b->launch, sync, &s);
}
void observe_loose(warp *w, const insn *i, uint32_t mask) {
    CALL_HOOKS(w->launch, loose, w, i, mask);
}
void observe_step(warp *w, const insn *i) {
    const uint32_t mask = w->active & (*(const uint32_t *)(w->registers + i->guard) ^ i->guard_invert);
    for (observer *o = w->launch->observer; o != NULL; o = o->next)
        if (o->step != NULL && w->careful & o->careful) o->step(o, w, i, mask);
}
void observe_again(warp *w) {
    for (observer *o = w->launch->observer; o != NULL; o = o->next)
        if (o->again != NULL && w->careful & o->careful) o->again(o, w);
}
void observe_enter(warp *w, const frame *f, uint32_t lanes) {
    CALL_HOOKS(w->launch, enter, w, f, lanes);
}
void observe_heap(warp *w, uint64_t address, uint64_t bytes) {
    CALL_HOOKS(w->launch, heap, w, address, bytes);
}
void observe_printf(warp *w, const insn *i, uint32_t lane, const char *format) {
    CALL_HOOKS(w->launch, printf, w, i, lane, format);
}
void observe_shuffle(warp *w, const insn *i, uint32_t lanes, uint32_t absent, const uint32_t *from) {
    CALL_HOOKS(w->launch, shuffle, w, i, lanes, absent, from);
}
void observe_fault(launch *la) {
    CALL_HOOKS(la, fault, la);
}

run_counts *observe_counts(worker *k, const function *f) {
    for (observer *o = k->launch->observer; o != NULL; o = o->next) {
        run_counts *counts = o->counts != NULL ? o->counts(o, k, f) : NULL;
        if (counts != NULL) return counts;
    }
    return NULL;
}
