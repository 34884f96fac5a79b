/* The barriers of a block (bar, barrier.cta). */
#pragma once

#include "machine/machine.h"

/* The lanes arrive at barrier `id` (count 0: all threads) and wait there, or do not (bar.arrive). `predicates` is for
 * bar.red. */
void warp_barrier(warp *w, const insn *i, uint32_t mask, uint32_t id, uint32_t count, bool wait, uint32_t predicates);

/* Lanes of the warp have ended: barriers wait for them no longer. */
void barrier_exit(warp *w);
