/* Which workers are between the note of a write to global memory in the cells and the write itself. */
#pragma once

#include "check/checked.h"

/* The worker's write is about to be noted; a strong one or an atomic operation takes its turn first. And it has been
 * executed, or its warp has left it: others need not wait for it. */
void writing_turn(const warp *w);
void writing_begins(const warp *w);
void writing_ends(const warp *w);

/* Waits until the writes that other workers had noted when it was called have been executed. False if the launch has
 * been stopped, which is how a worker leaves a write that faults. */
bool writing_await(const warp *w);
