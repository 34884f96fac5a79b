#include "machine/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/demangle.h"
#include "machine/cluster.h"
#include "machine/launch.h"
#include "machine/mbarrier.h"

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

/* "file.cu:12 (PTX line 34: ...)", the line that was inlined and those that it was inlined at. */
static void print_place(const function *f, uint32_t pc) {
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

/* The first fault of a launch is reported; the others end their workers silently. */
static bool first_fault(launch *la, sim_status status) {
    int none = 0;
    if (!__atomic_compare_exchange_n(&la->faulted, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return false;
    la->status = status;
    return true;
}

_Noreturn static void leave(worker *k) {
    __atomic_store_n(&k->launch->stop, 1, __ATOMIC_RELEASE);
    longjmp(*(jmp_buf *)k->escape, 1);
}

void report_no_memory(worker *k, uint64_t bytes, const char *what) {
    if (first_fault(k->launch, SIM_NO_MEMORY))
        fprintf(stderr, "cudasim: kernel %s is stopped: the host has no memory for %s (%llu bytes)\n",
                READABLE(k->launch->entry->source->name), what, (unsigned long long)bytes);
    leave(k);
}

void sim_fault(warp *w, const insn *i, uint32_t lanes, sim_status status, const char *format, ...) {
    launch *la = w->launch;
    if (first_fault(la, status)) {
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
        print_place(w->frame->function, (uint32_t)(i - w->frame->function->code));
        int shown = 0;
        for (const frame *f = w->frame; f->caller != NULL && shown < MOST_CALLERS; f = f->caller, shown++) {
            fputs("    called from ", stderr);
            print_place(f->caller->function, f->return_pc - 1);
        }
        if (w->frame->depth > shown) fprintf(stderr, "    and %d calls more\n", w->frame->depth - shown);
        funlockfile(stderr);
    }
    leave(w->worker);
}

#define MOST_LINES 40

/* Where each warp of the block stands; returns how many lines there would be, those before included. */
static int print_block(const block *b, int lines) {
    for (int n = 0; n < b->warp_count; n++) {
        const warp *w = &b->warps[n];
        for (int g = 0; g < w->group_count; g++) {
            const group *at = &w->groups[g];
            if (++lines > MOST_LINES) continue;
            fprintf(stderr, "    warp %d, lanes %08x, ", n, at->lanes);
            if (at->state == GROUP_AT_BARRIER && at->wanted == CLUSTER_BARRIER)
                fprintf(stderr, "wait at the cluster's barrier (%u of %u threads have come): ", b->cluster->arrived,
                        b->cluster->live);
            else if (at->state == GROUP_AT_BARRIER) {
                const barrier *bar = &b->barriers[at->wanted];
                fprintf(stderr, "wait at barrier %u (%u of %u threads have come): ", at->wanted,
                        bar->arrived + (bar->count != 0 ? bar->absent : 0), bar->count != 0 ? bar->count : b->live);
            } else if (at->state == GROUP_AT_WARP_SYNC)
                fprintf(stderr, "wait for lanes %08x of their warp: ", at->wanted);
            else if (at->state == GROUP_AT_WARPGROUP)
                fputs("wait for all of their warpgroup to issue its wgmma: ", stderr);
            else if (at->state == GROUP_AT_REGISTERS)
                fprintf(stderr, "wait for %u registers a thread: ", at->wanted);
            else if (at->state == GROUP_AT_MBARRIER) {
                char what[200];
                mbarrier_describe(b, at->wanted, what, sizeof what);
                fprintf(stderr, "wait for %s: ", what);
            } else
                fputs("run: ", stderr);
            print_place(at->frame->function, at->pc);
        }
    }
    return lines;
}

void report_stuck(block *b, const char *why) {
    launch *la = b->launch;
    if (first_fault(la, SIM_TIMEOUT)) {
        flockfile(stderr);
        fprintf(stderr, "cudasim: kernel %s is stopped: %s; block (%u,%u,%u):\n", READABLE(la->entry->source->name),
                why, b->ctaid[0], b->ctaid[1], b->ctaid[2]);
        int lines = print_block(b, 0);
        mbarrier_list(b, stderr);
        const cluster *c = b->cluster;
        for (uint32_t r = 0; r < c->size; r++) {
            const block *other = c->blocks[r];
            if (other == b || other->live == 0) continue;
            if (lines < MOST_LINES)
                fprintf(stderr, "  block (%u,%u,%u) of its cluster:\n", other->ctaid[0], other->ctaid[1],
                        other->ctaid[2]);
            lines = print_block(other, lines);
            if (lines < MOST_LINES) mbarrier_list(other, stderr);
        }
        if (lines > MOST_LINES) fprintf(stderr, "    and %d more\n", lines - MOST_LINES);
        funlockfile(stderr);
    }
    leave(b->worker);
}
