/* What asynchronous copies and wgmma read and write, as the observer's hooks tell of it (machine/observe.h). */
#pragma once

#include "check/checked.h"

void copies_async(observer *o, const observed_async *c);
void copies_bulk(observer *o, const observed_bulk *c);
void copies_wgmma(observer *o, const observed_wgmma *c);

/* Of a warpgroup's wgmma, by its number, the clock of the agent that reads its operands. (Each issue moves its warp's
 * own clock on, too: those of the next block begin later.) */
static inline uint32_t wgmma_clock(const clocks *c, uint32_t number) {
    return c->begun + number;
}
