#include "machine/async_fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "machine/fault.h"

static _Thread_local struct {
    warp *w;
    const insn *i;
    const function *f; /* that the instruction belongs to; NULL: the warp's current one */
    uint32_t lanes;
} site;

void async_site(warp *w, const insn *i, const function *f, uint32_t lanes) {
    site.w = w;
    site.i = i;
    site.f = f;
    site.lanes = lanes;
}

void async_fault(block *b, sim_status status, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    warp *w = site.w;
    const insn *i = site.i;
    uint32_t lanes = site.lanes;
    if (w == NULL) { /* an instruction of another family: the warp whose turn it is executes it */
        w = b->worker->running;
        i = &w->code[w->pc - 1];
        lanes = w->active;
    }
    if (b != w->block) {
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "; that is shared memory of block (%u,%u,%u)", b->ctaid[0],
                 b->ctaid[1], b->ctaid[2]);
    }
    frame there;
    if (site.w != NULL && site.f != NULL) { /* the warp may be in another function by now */
        there = (frame){.function = site.f};
        w->frame = &there;
    }
    site.w = NULL;
    sim_fault(w, i, lanes, status, "%s", text);
}
