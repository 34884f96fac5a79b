/* What isa/decode_memory.c and the handlers of memory instructions agree on. */
#ifndef SIM_EXEC_MEMORY_H
#define SIM_EXEC_MEMORY_H

#include "machine/machine.h"

/* insn.mode */
#define MODE_STRONG        1u  /* volatile, relaxed, acquire or release */
#define MODE_POLL          2u  /* a loop may wait on it */
#define MODE_FRAME         4u  /* the address counts from the frame's base */
#define MODE_NARROW        8u  /* the address register has 32 bits */
#define MODE_NARROW_SOURCE 16u /* cp.async: the source's has */

typedef enum atomic_op {
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS,
    ATOMIC_INC,
    ATOMIC_DEC
} atomic_op;

/* What an access that may be a wait takes off a warp's budget of backward branches. */
#define POLL_COST 30

#define MOST_ATOMIC_VECTOR 8

typedef enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC } access_kind;

/* Host pointers behind the lanes' addresses (`bytes` a lane, a power of two), each checked for bounds and alignment;
 * a bad one stops the launch with a report. `space`: PTX_GLOBAL, PTX_SHARED, PTX_LOCAL or PTX_NO_SPACE (generic).
 * Lanes outside of the mask get some valid pointer. (machine/access.c) */
void access_resolve(warp *w, const insn *i, uint32_t mask, ptx_space space, const uint64_t *addresses, unsigned bytes,
                    access_kind kind, uint8_t **pointers);

/* The allocation that the running instruction last touched: by its pc, so perhaps another's. NULL: none yet. */
static inline const memory_allocation **recent_allocation(warp *w) {
    return &w->worker->recent[(w->pc - 1) & (RECENT_ALLOCATIONS - 1)];
}

/* Compare and swap of 16 aligned bytes; gives what was there. Atomic for narrower operations on them, too, which a lock
 * would not be. */
typedef unsigned __int128 access_128;
access_128 access_swap_128(void *address, access_128 expected, access_128 desired);

/* The one address of one lane, `bytes` readable from there; NULL where it is bad. For strings of printf. */
const uint8_t *access_peek(warp *w, int lane, uint64_t address, uint64_t bytes);

/* cp.async (machine/async.c): copies wait until they are waited for, so that a missing wait shows. */
void async_copy(warp *w, const insn *i, uint32_t mask, uint8_t *const *to, uint8_t *const *from, const uint32_t *bytes);
void async_commit(warp *w, uint32_t mask);
void async_wait(warp *w, uint32_t mask, int64_t pending); /* -1: all, committed or not */
void async_free(warp *w);

/* cp.async.mbarrier.arrive: how many copies the warp has issued so far; carries out those of the lanes before that. */
uint64_t async_serial(const warp *w);
void async_complete(warp *w, uint32_t lanes, uint64_t serial);

#endif
