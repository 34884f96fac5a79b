/* The turns of a block's warps. */
#ifndef SIM_SCHEDULE_H
#define SIM_SCHEDULE_H

#include "machine/machine.h"

/* Every warp of the block that can run gets a turn. Where no thread of its cluster can go on, what has been sent to
 * mbarriers lands, or waits for them expire; where that is no help, the launch is stopped. True once all threads have
 * exited. */
bool block_round(struct block *b);

#endif
