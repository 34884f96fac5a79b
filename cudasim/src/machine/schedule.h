/* What a block's warps wait for: copies that land, waits that expire, other blocks that run ahead. */
#pragma once

#include "machine/machine.h"

/* An instruction of b is about to reach into other blocks of its cluster (EVENT_AHEAD), which run first, as far as
 * they can. */
void cluster_run_ahead(struct block *b);

/* Every warp of the block that could run has had a turn; `ran` says whether there was one. Copies land for threads that
 * wait for them. Where no thread of the cluster can go on, what has been sent to mbarriers lands, or waits for them
 * expire; where that is no help, the launch is stopped. True once all threads have exited. */
bool block_round_over(struct block *b, bool ran);
