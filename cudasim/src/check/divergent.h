/* Barriers that the threads of a warp do not reach together, though PTX wants them to (bar, barrier.sync.aligned): some
 * wait at one instruction and some at another, or some go round it and meet the others again behind it. Threads that go
 * round it to the kernel's end are no fault: they count as arrived. */
#pragma once

#include "machine/observe.h"

void divergent_arrive(const observed_sync *s); /* SYNC_BARRIER_ARRIVE */
void divergent_pass(const observed_sync *s);   /* SYNC_BARRIER_PASS */
