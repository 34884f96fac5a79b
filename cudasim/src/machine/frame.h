/* Frames: the registers and stack of functions that are being executed. */
#pragma once

#include "machine/machine.h"

/* An empty frame for a function; where there is no memory the launch is over. */
frame *frame_new(worker *k, const function *f);
/* A new frame for the lanes that call, with the arguments copied into it. */
frame *frame_enter(warp *w, const insn *i, const function *callee, const call_site *site, uint32_t lanes);
/* Copies the results of lanes that return into their caller's frame. */
void frame_results(warp *w, const frame *f, uint32_t lanes);
/* No lane is in the frame any more: it can be used again. */
void frame_leave(warp *w, frame *f);
/* A lane's stack. */
static inline uint8_t *stack_of(const warp *w, int lane) {
    return w->stack + (uint64_t)lane * w->launch->stack_bytes;
}

/* Lane arrays as they are at a function's start: constants and special registers, or only what another block of the
 * same launch changes of these. */
void frame_fill(warp *w, const function *f, uint8_t *registers, bool all);
