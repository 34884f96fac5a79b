#include "check/local.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/heap.h"
#include "check/global.h"
#include "check/message.h"
#include "check/unwritten.h"

/* ---- local memory ------------------------------------------------------------------------------------------------ */

/* By lane, then by byte. */
static void set_unwritten(checked_warp *c, const warp *w, uint32_t lane, uint64_t from, uint64_t bytes, bool is) {
    const uint64_t base = lane * w->launch->stack_bytes; /* a multiple of 8 */
    for (uint64_t k = base + from, end = k + bytes; k < end;) {
        if (k % 8 == 0 && end - k >= 8) {
            const uint64_t whole = (end - k) / 8;
            memset(c->unwritten + k / 8, is ? 0xff : 0, whole);
            k += 8 * whole;
            continue;
        }
        const uint8_t bit = (uint8_t)(1u << k % 8);
        c->unwritten[k / 8] = is ? c->unwritten[k / 8] | bit : c->unwritten[k / 8] & (uint8_t)~bit;
        k++;
    }
}

/* Which of these bytes, a bit each. */
static uint32_t unwritten_bytes(const checked_warp *c, const warp *w, uint32_t lane, uint64_t from, unsigned bytes) {
    const uint64_t base = lane * w->launch->stack_bytes + from;
    uint32_t found = 0;
    for (unsigned k = 0; k < bytes; k++) found |= (uint32_t)(c->unwritten[(base + k) / 8] >> (base + k) % 8 & 1) << k;
    return found;
}

static bool map_bits(checked_warp *c, const warp *w) {
    if (c->unwritten != NULL) return true;
    c->unwritten_bytes = LANES * w->launch->stack_bytes / 8 + 1;
    void *p =
        mmap(NULL, c->unwritten_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    c->unwritten = p != MAP_FAILED ? p : NULL;
    return c->unwritten != NULL;
}

void local_enter(observer *o, warp *w, const frame *f, uint32_t lanes) {
    checked_warp *c = &checked(w->block)->warps[w->index];
    for (int k = 0; k < f->function->local_count && map_bits(c, w); k++)
        for (uint32_t left = lanes; left != 0; left &= left - 1)
            set_unwritten(c, w, (uint32_t)__builtin_ctz(left), f->local_base + f->function->locals[k].offset,
                          f->function->locals[k].bytes, true);
}

void local_begin(block *b) {
    for (int n = 0; n < b->warp_count; n++)
        if (b->warps[n].stack != NULL) local_enter(NULL, &b->warps[n], b->warps[n].entry_frame, b->warps[n].lanes);
}

/* Does a local variable of the frame, or of one that called it, hold all of these bytes? */
static bool in_a_variable(const frame *f, uint64_t address, unsigned bytes) {
    for (; f != NULL; f = f->caller)
        for (int k = 0; k < f->function->local_count; k++) {
            const shared_array *v = &f->function->locals[k];
            const uint64_t base = f->local_base + v->offset;
            if (address >= base && address + bytes <= base + v->bytes) return true;
        }
    return false;
}

static void say_outside(const observed_access *a, uint32_t lane) {
    const site at = {a->function, a->i->pc};
    char who[96], where[320], what[800];
    if (finding_repeats(BOUNDS, at, (site){0})) return;
    snprintf(what, sizeof what, "%s %s %s", thread_name(a->w, lane, who), a->kind == ACCESS_READ ? "reads" : "writes",
             local_name(a->w->frame, a->address[lane], a->bytes, where));
    finding_add(&(finding){BOUNDS, a->w->launch->entry->source->name, at, {0}, what, NULL});
}

void local_touch(const observed_access *a) {
    warp *w = a->w;
    checked_warp *c = &checked(w->block)->warps[w->index];
    const char *opcode = a->function->source->instructions[a->i->pc].opcode;
    const uint64_t top = (uint64_t)w->frame->local_base + w->frame->function->frame_bytes;
    if (strstr(opcode, ".param") != NULL) return; /* arguments and results of calls */
    for (uint32_t left = a->mask; left != 0; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        const uint64_t at = a->address[l];
        if (at > top || a->bytes > top - at) continue; /* it will stop the launch */
        if (c->unwritten == NULL || !in_a_variable(w->frame, at, a->bytes)) {
            say_outside(a, l);
        } else if (a->kind == ACCESS_WRITE) {
            set_unwritten(c, w, l, at, a->bytes, false);
            for (unsigned k = 0; k < a->bytes && c->poisons.stored[l] != 0; k++)
                if (c->poisons.stored[l] >> k & 1) set_unwritten(c, w, l, at + k, 1, true);
        } else if (unwritten_bytes(c, w, l, at, a->bytes) != 0) {
            const unwritten_read r = {.function = a->function,
                                      .space = PTX_LOCAL,
                                      .pc = a->i->pc,
                                      .lane = l,
                                      .address = at,
                                      .bytes = a->bytes,
                                      .missing = unwritten_bytes(c, w, l, at, a->bytes),
                                      .frame = w->frame};
            unwritten_load(w, &r);
        }
    }
    if (a->kind == ACCESS_WRITE) memset(c->poisons.stored, 0, sizeof c->poisons.stored);
}

/* ---- the heap ---------------------------------------------------------------------------------------------------- */

static void say_no_object(const observed_access *a, uint32_t lane) {
    const site at = {a->function, a->i->pc};
    const uint64_t address = a->address[lane];
    heap_object it = {0};
    char who[96], what[800];
    const bool any = heap_find(address, &it), freed = any && it.freed && address < it.base + it.size;
    const char *kind = freed ? FREED : BOUNDS;
    if (finding_repeats(kind, at, (site){0})) return;
    const char *verb = a->kind == ACCESS_READ ? "reads" : a->kind == ACCESS_WRITE ? "writes" : "changes";
    if (any)
        snprintf(what, sizeof what, "%s %s %u bytes at byte %llu of %llu of what malloc gave%s",
                 thread_name(a->w, lane, who), verb, a->bytes, (unsigned long long)(address - it.base),
                 (unsigned long long)it.size, freed ? ", and has been freed" : "");
    else
        snprintf(what, sizeof what, "%s %s %u bytes of the heap, of which malloc has given none",
                 thread_name(a->w, lane, who), verb, a->bytes);
    finding_add(&(finding){kind, a->w->launch->entry->source->name, at, {0}, what, NULL});
}

void heap_touch(const observed_access *a) {
    const memory_allocation *m = NULL;
    for (uint32_t left = a->mask; left != 0; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        const uint64_t at = a->address[l];
        if (m == NULL || at - m->base >= m->size) m = memory_find(at);
        if (m != NULL && m->heap && at - m->base + a->bytes <= m->size && !heap_is_live(at, a->bytes))
            say_no_object(a, l);
    }
}

void heap_given(observer *o, warp *w, uint64_t address, uint64_t bytes) {
    memory_unwritten(address, bytes);
    global_forget(w, address, bytes);
}
