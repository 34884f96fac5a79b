/* Copies of the asynchronous proxy: cp.async.bulk, cp.async.bulk.tensor, cp.reduce.async.bulk, and the arrivals of
 * cp.async.mbarrier.arrive. Addresses are checked when a copy is issued; it is carried out as late as a GPU could:
 *
 *   to shared memory, with an mbarrier   when a wait for that mbarrier does not succeed at once, source included
 *   st.async, red.async                  the same
 *   out of shared memory, bulk groups    the source is read at a wait_group(.read) that covers it, memory is written at
 *                                        a wait_group without .read that does, or at the block's end
 *
 * so that a program that does not wait, or waits for the wrong phase, sees what was there before, every time. */
#ifndef SIM_BULK_H
#define SIM_BULK_H

#include "machine/machine.h"
#include "machine/tensormap.h"

typedef enum bulk_reduce {
    REDUCE_NONE,
    REDUCE_ADD,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_INC,
    REDUCE_DEC,
    REDUCE_AND,
    REDUCE_OR,
    REDUCE_XOR
} bulk_reduce;

/* Where an operand's address lies: lanes, and an offset. */
typedef struct bulk_address {
    uint32_t slot;
    bool wide;
    uint8_t space; /* bulk_space */
    int64_t offset;
} bulk_address;
typedef enum bulk_space { BULK_GENERIC, BULK_GLOBAL, BULK_CTA, BULK_CLUSTER } bulk_space;

/* A form of cp.async.bulk and its relatives; insn.more of op_bulk_copy and op_bulk_prefetch. */
typedef struct bulk_form {
    bulk_address to, from, mbarrier, map;
    uint32_t size, mask; /* slots */
    uint32_t coordinates[TENSOR_RANKS];
    uint8_t rank; /* of a tensor copy; 0: a plain one */
    bool multicast;
    uint8_t reduce, type; /* bulk_reduce, ptx_type */
} bulk_form;

/* A form of st.async or red.async; insn.more of op_store_async. */
typedef struct store_form {
    bulk_address to, mbarrier;
    uint32_t values[4];  /* slots */
    uint8_t count, size; /* of the values; bytes of each */
    uint8_t reduce, type;
} store_form;

/* Carries out what reports to that mbarrier. True where there was something. */
bool bulk_land(struct block *b, uint32_t mbarrier);
bool bulk_pending_on(const struct block *b, uint32_t mbarrier);

void bulk_issue(warp *w, const insn *i, uint32_t mask, const bulk_form *form);
/* Looks at what hardware looks at even for a prefetch: the source's alignment, or map and coordinates. */
void bulk_prefetch(warp *w, const insn *i, uint32_t mask, const bulk_form *form);
void bulk_store(warp *w, const insn *i, uint32_t mask, const store_form *form);
void bulk_commit(warp *w, uint32_t mask);
void bulk_wait(warp *w, const insn *i, uint32_t mask, uint32_t pending, bool read_only);

/* cp.async.mbarrier.arrive: arrives for the lanes once their cp.async so far are done. */
void bulk_arrive_later(warp *w, const insn *i, uint32_t lanes, uint32_t mbarrier);

/* Threads end; `last` with the block. */
void bulk_exit(warp *w, uint32_t lanes, bool last);
void bulk_clear(struct block *b);
void bulk_free(struct block *b);

/* An operand's address in lane l as block and offset in its shared memory, or a fault naming `what`. `bytes` from there
 * must lie in it. */
void bulk_shared_address(warp *w, const bulk_address *a, int lane, uint64_t bytes, const char *what, block **target,
                         uint32_t *offset);
uint64_t bulk_address_of(const warp *w, const bulk_address *a, int lane);

#endif
