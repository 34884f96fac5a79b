/* Faults: the report on stderr when a kernel is stopped, and the way out of its handlers. */
#pragma once

#include "machine/machine.h"

/* Stops the launch: writes the report and does not return. */
_Noreturn void sim_fault(warp *w, const insn *i, uint32_t lanes, sim_status status, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The host has no such memory for the worker's warps: says so, and stops the launch. */
_Noreturn void fault_no_memory(worker *k, uint64_t bytes, const char *what);

/* `p`, which has just been allocated; where it has not the launch is over. What was allocated before must hang on what
 * the worker's end frees. */
void *allocated(worker *k, void *p, uint64_t bytes, const char *what);

/* An array of `count` items with room for one more: itself, or moved to twice the room, from `least` on. */
void *with_room(worker *k, void *items, int count, int *room, int least, size_t item_size, const char *what);

/* ---- for other reports ---- */

/* True for the first fault of a launch, whose status this is then: it is reported; the others end their workers
 * silently. */
bool fault_is_first(launch *la, sim_status status);

/* "file.cu:12 (PTX line 34: ...)" and a new line on stderr. */
void fault_print_place(const function *f, uint32_t pc);

/* Ends the worker's part of a launch that is stopped. */
_Noreturn void fault_leave(worker *k);
