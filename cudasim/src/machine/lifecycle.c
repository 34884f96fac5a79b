#include "machine/lifecycle.h"

#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "base/heap.h"
#include "machine/barrier.h"
#include "machine/bulk.h"
#include "machine/cluster.h"
#include "machine/fault.h"
#include "machine/frame.h"
#include "machine/functions.h"
#include "machine/groups.h"
#include "machine/observe.h"
#include "machine/printf.h"
#include "machine/wgmma.h"

/* ---- functions that the device's runtime library would provide --------------------------------------------------- */

static uint64_t argument(const warp *w, const call_site *site, int lane, int which) {
    uint64_t value = 0;
    const int k = site->return_count + which;
    memcpy(&value, stack_of(w, lane) + w->frame->local_base + site->offsets[k],
           site->sizes[k] < 8 ? site->sizes[k] : 8);
    return value;
}

static void result(const warp *w, const call_site *site, int lane, uint64_t value) {
    if (site->return_count > 0)
        memcpy(stack_of(w, lane) + w->frame->local_base + site->offsets[0], &value,
               site->sizes[0] < 8 ? site->sizes[0] : 8);
}

static void assert_failed(warp *w, const insn *i, const call_site *site, int lane) {
    char message[512] = "?", file[256] = "?", function[512] = "?";
    printf_string(w, lane, argument(w, site, lane, 0), message, sizeof message);
    printf_string(w, lane, argument(w, site, lane, 1), file, sizeof file);
    printf_string(w, lane, argument(w, site, lane, 3), function, sizeof function);
    const block *b = w->block;
    sim_printf_flush();
    fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
            (unsigned)argument(w, site, lane, 2), function, b->ctaid[0], b->ctaid[1], b->ctaid[2], w->tid[0][lane],
            w->tid[1][lane], w->tid[2][lane], message);
    sim_fault(w, i, 1u << lane, SIM_ASSERT, "assertion `%s` failed", message);
}

static uint64_t device_malloc(warp *w, uint64_t bytes) {
    const uint64_t address = heap_allocate(bytes);
    if (address == HEAP_NO_HOST_MEMORY) fault_no_memory(w->worker, bytes, "the device's heap");
    if (w->launch->observer != NULL && address != 0) observe_heap(w, address, bytes);
    return address;
}

static void tell_printf(warp *w, const insn *i, const call_site *site, uint32_t lanes) {
    char format[4096];
    const int lane = __builtin_ctz(lanes);
    if (w->launch->observer != NULL && printf_string(w, lane, argument(w, site, lane, 0), format, sizeof format))
        observe_printf(w, i, (uint32_t)lane, format);
}

/* vprintf, __assertfail, malloc, free. */
static void call_builtin(warp *w, const insn *i, const call_site *site, uint32_t lanes) {
    static const int params[] = {
        [BUILTIN_VPRINTF] = 2, [BUILTIN_ASSERTFAIL] = 5, [BUILTIN_MALLOC] = 1, [BUILTIN_FREE] = 1};
    if (site->param_count != params[site->builtin])
        sim_fault(w, i, lanes, SIM_UNSUPPORTED, "a call with %d arguments where %d are taken", site->param_count,
                  params[site->builtin]);
    int bad = -1;
    if (site->builtin == BUILTIN_VPRINTF) tell_printf(w, i, site, lanes);
    if (site->builtin == BUILTIN_VPRINTF) printf_begin();
    for (int l = 0; l < LANES && bad < 0; l++) {
        if (!(lanes >> l & 1)) continue;
        switch (site->builtin) {
        case BUILTIN_VPRINTF: {
            int count = printf_lane(w, l, argument(w, site, l, 0), argument(w, site, l, 1));
            if (count < 0) bad = l;
            result(w, site, l, (uint64_t)(int64_t)count);
            break;
        }
        case BUILTIN_ASSERTFAIL:
            assert_failed(w, i, site, l);
            break;
        case BUILTIN_MALLOC:
            result(w, site, l, device_malloc(w, argument(w, site, l, 0)));
            break;
        default:
            if (argument(w, site, l, 0) != 0 && !heap_free(argument(w, site, l, 0))) bad = l;
        }
    }
    if (site->builtin == BUILTIN_VPRINTF) printf_end();
    if (bad >= 0)
        sim_fault(w, i, 1u << bad, SIM_ILLEGAL_ADDRESS,
                  site->builtin == BUILTIN_VPRINTF ? "printf: its format or an argument cannot be read"
                                                   : "free: 0x%llx is nothing that malloc gave",
                  (unsigned long long)argument(w, site, bad, 0));
}

/* ---- calls and exits --------------------------------------------------------------------------------------------- */

void warp_exit(warp *w, uint32_t lanes) {
    block *b = w->block;
    if (b->wgmma != NULL && (w->exited | lanes) == w->lanes) wgmma_leave(w);
    observe_sync(SYNC_EXIT, b, w, lanes, 0);
    w->exited |= lanes;
    w->active &= ~lanes;
    b->live -= (uint32_t)__builtin_popcount(lanes);
    b->progressed = true;
    for (frame *f = w->frame, *caller; f != NULL; f = caller) {
        caller = f->caller;
        f->lanes &= ~lanes;
        if (f->lanes == 0 && caller != NULL) frame_leave(w, f);
    }
    warp_look_again(w);
    cluster_exit(w, lanes);
    if (b->bulk != NULL || w->launch->async_proxy) bulk_exit(w, lanes, b->live == 0);
    barrier_exit(w);
    warp_select(w);
}

void warp_call(warp *w, const insn *i, uint32_t lanes) {
    const function *caller = w->frame->function;
    const call_site *site = &caller->calls[i->imm];
    if (site->builtin != BUILTIN_NONE) {
        call_builtin(w, i, site, lanes);
        return;
    }
    while (lanes != 0) { /* once for a direct call; through pointers once for each function */
        const function *callee = site->callee;
        uint32_t same = lanes;
        if (callee == NULL) {
            const uint64_t *pointer = (const uint64_t *)(w->frame->registers + site->pointer);
            const uint64_t first = pointer[__builtin_ctz(lanes)];
            callee = function_at(first);
            same = 0;
            for (int l = 0; l < LANES; l++) same |= (uint32_t)(pointer[l] == first) << l;
            same &= lanes;
            if (callee == NULL)
                sim_fault(w, i, same, SIM_INVALID_PC, "call of 0x%llx, which is no function",
                          (unsigned long long)first);
            if (callee->source->return_count != site->return_count || callee->source->param_count != site->param_count)
                sim_fault(w, i, same, SIM_INVALID_PC, "call of %s with other arguments than it takes",
                          READABLE(callee->source->name));
        }
        lanes &= ~same;
        warp_move(w, same, frame_enter(w, i, callee, site, same), 0);
    }
    warp_select(w);
}

void warp_return(warp *w, uint32_t lanes) {
    frame *f = w->frame;
    frame_results(w, f, lanes);
    f->lanes &= ~lanes;
    warp_move(w, lanes, f->caller, f->return_pc);
    if (f->lanes == 0) frame_leave(w, f); /* the running group is empty, and no other is in it */
    warp_select(w);
}
