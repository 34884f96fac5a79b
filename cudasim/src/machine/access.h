/* Which host memory an address means, and whether the access is allowed. */
#pragma once

#include "machine/machine.h"

typedef enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC } access_kind;

/* Host pointers behind the lanes' addresses (`bytes` a lane, a power of two), each checked for bounds and alignment;
 * a bad one stops the launch with a report. `space`: PTX_GLOBAL, PTX_SHARED, PTX_LOCAL or PTX_NO_SPACE (generic).
 * Lanes outside of the mask get some valid pointer. False where other blocks of the cluster come first, never but for
 * PTX_SHARED_CLUSTER and PTX_NO_SPACE: the instruction must do nothing, and is executed again. */
bool access_resolve(warp *w, const insn *i, uint32_t mask, ptx_space space, const uint64_t *addresses, unsigned bytes,
                    access_kind kind, uint8_t **pointers);

/* The allocation that the running instruction last touched: by its pc, so perhaps another's. NULL: none yet. */
static inline const memory_allocation **recent_allocation(warp *w, const insn *i) {
    return &w->worker->recent[i->pc & (RECENT_ALLOCATIONS - 1)];
}

/* Compare and swap of 16 aligned bytes; gives what was there. Atomic for narrower operations on them, too, which a lock
 * would not be. */
typedef unsigned __int128 access_128;
access_128 access_swap_128(void *address, access_128 expected, access_128 desired);

/* The one address of one lane, `bytes` readable from there; NULL where it is bad. For strings of printf. */
const uint8_t *access_peek(warp *w, int lane, uint64_t address, uint64_t bytes);
