/* Calls: frames, and the functions that the device's runtime library would provide. */
#ifndef SIM_CALL_H
#define SIM_CALL_H

#include "machine/machine.h"

/* An empty frame for a function; where there is no memory the launch is over. */
frame *frame_new(worker *k, const function *f);
/* A new frame for the lanes that call, with the arguments copied into it. */
frame *frame_enter(warp *w, const insn *i, const function *callee, const call_site *site, uint32_t lanes);
/* Copies the results of lanes that return into their caller's frame. */
void frame_results(warp *w, const frame *f, uint32_t lanes);
/* Nobody is in it any more. */
void frame_leave(warp *w, frame *f);
/* Lane arrays as they are at a function's start: constants and special registers, or only what another block of the
 * same launch changes of these. */
void frame_fill(warp *w, const function *f, uint8_t *registers, bool all);

/* vprintf, __assertfail, malloc, free. */
void call_builtin(warp *w, const insn *i, const call_site *site, uint32_t lanes);

/* The function at an address, decoded; NULL if there is none. (load/module.c) */
const function *module_function_at(uint64_t address);
/* Decodes a function that was only referred to so far; false and a line in `error` where it cannot be. */
bool module_function_ready(function *f, char *error, size_t error_size);

/* The device's heap (base/heap.c). 0 where it is full. */
uint64_t heap_allocate(uint64_t bytes);
bool heap_free(uint64_t address);

#endif
