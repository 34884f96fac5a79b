#include "machine/fault.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/demangle.h"
#include "machine/observe.h"

static const char *status_name(sim_status status) {
    switch (status) {
    case SIM_ILLEGAL_ADDRESS:
        return "illegal address";
    case SIM_MISALIGNED_ADDRESS:
        return "misaligned address";
    case SIM_INVALID_ADDRESS_SPACE:
        return "invalid address space";
    case SIM_INVALID_PC:
        return "invalid program counter";
    case SIM_ILLEGAL_INSTRUCTION:
        return "illegal instruction";
    case SIM_STACK_ERROR:
        return "stack error";
    case SIM_TRAP:
        return "trap";
    case SIM_LAUNCH_FAILURE:
        return "launch failure";
    case SIM_ASSERT:
        return "assertion";
    case SIM_TIMEOUT:
        return "stopped";
    default:
        return "not supported";
    }
}

#define MOST_CALLERS 8

/* The line that was inlined, then those that it was inlined at. */
void fault_print_place(const function *f, uint32_t pc) {
    const ptx_function *s = f->source;
    char text[200];
    if ((int)pc >= s->instruction_count) {
        fprintf(stderr, "the end of %s\n", READABLE(s->name));
        return;
    }
    const ptx_instruction *t = &s->instructions[pc];
    bool known = false;
    for (int at = t->location; at >= 0; at = s->locations[at].inlined_at) {
        const ptx_location *l = &s->locations[at];
        const char *file = function_file(f, l->file);
        if (file == NULL || l->line == 0) continue;
        fprintf(stderr, "%s%s:%d", known ? ", inlined at " : "", file, l->line);
        known = true;
    }
    fprintf(stderr, "%sPTX line %d: %s%s\n", known ? " (" : "", t->line,
            ptx_format_instruction(s, (int)pc, text, sizeof text), known ? ")" : "");
}

bool fault_is_first(launch *la, sim_status status) {
    int none = 0;
    if (!__atomic_compare_exchange_n(&la->faulted, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return false;
    la->status = status;
    if (la->observer != NULL) observe_fault(la);
    return true;
}

void fault_leave(worker *k) {
    __atomic_store_n(&k->launch->stop, 1, __ATOMIC_RELEASE);
    longjmp(*(jmp_buf *)k->escape, 1);
}

void fault_no_memory(worker *k, uint64_t bytes, const char *what) {
    if (fault_is_first(k->launch, SIM_NO_MEMORY))
        fprintf(stderr, "cudasim: kernel %s is stopped: the host has no memory for %s (%llu bytes)\n",
                READABLE(k->launch->entry->source->name), what, (unsigned long long)bytes);
    fault_leave(k);
}

void *allocated(worker *k, void *p, uint64_t bytes, const char *what) {
    if (p == NULL) fault_no_memory(k, bytes, what);
    return p;
}

void *with_room(worker *k, void *items, int count, int *room, int least, size_t item_size, const char *what) {
    if (count < *room) return items;
    const int larger = *room > 0 ? 2 * *room : least;
    const size_t bytes = (size_t)larger * item_size;
    items = allocated(k, realloc(items, bytes), bytes, what);
    *room = larger;
    return items;
}

void sim_fault(warp *w, const insn *i, uint32_t lanes, sim_status status, const char *format, ...) {
    launch *la = w->launch;
    if (fault_is_first(la, status)) {
        const block *b = w->block;
        const int l = lanes != 0 ? __builtin_ctz(lanes) : 0;
        flockfile(stderr);
        fprintf(stderr, "cudasim: %s in kernel %s: thread (%u,%u,%u) of block (%u,%u,%u)", status_name(status),
                READABLE(la->entry->source->name), w->tid[0][l], w->tid[1][l], w->tid[2][l], b->ctaid[0], b->ctaid[1],
                b->ctaid[2]);
        if (__builtin_popcount(lanes) > 1) fprintf(stderr, " and %d more of its warp", __builtin_popcount(lanes) - 1);
        fputs(": ", stderr);
        va_list arguments;
        va_start(arguments, format);
        vfprintf(stderr, format, arguments);
        va_end(arguments);
        fputs("\n    at ", stderr);
        fault_print_place(w->frame->function, (uint32_t)(i - w->frame->function->code));
        int shown = 0;
        for (const frame *f = w->frame; f->caller != NULL && shown < MOST_CALLERS; f = f->caller, shown++) {
            fputs("    called from ", stderr);
            fault_print_place(f->caller->function, f->return_pc - 1);
        }
        if (w->frame->depth > shown) fprintf(stderr, "    and %d calls more\n", w->frame->depth - shown);
        funlockfile(stderr);
    }
    fault_leave(w->worker);
}
