/* Clusters: blocks that run together, reach one another's shared memory and have a barrier of their own.
 *
 * Every block is in a cluster; where a launch names none it is one of one block. A worker takes a whole cluster and
 * runs its blocks in turn, so that nothing in here needs a lock.
 *
 * A shared address has 32 bits: the block's rank in its cluster in the upper 8, the offset in the lower 24. A block's
 * own variables have such addresses, too, so an address of .shared::cta is one of .shared::cluster as it stands (the
 * ISA has the one window lie in the other), and means the same place in every block of the cluster. Rank 0 and blocks
 * outside of clusters have plain offsets. The generic address is memory_arena() + WINDOW_SHARED + this.
 */
#pragma once

#include "machine/machine.h"

#define MOST_CLUSTER       16u
#define CLUSTER_RANK_SHIFT 24
#define CLUSTER_OFFSET     ((1u << CLUSTER_RANK_SHIFT) - 1)

/* group.wanted of those who wait at the cluster's barrier (GROUP_AT_BARRIER). */
#define CLUSTER_BARRIER 0x100u

typedef struct cluster {
    struct block *blocks[MOST_CLUSTER]; /* by rank */
    uint32_t size;
    uint32_t left;               /* blocks that the worker has not yet seen ended */
    uint32_t live;               /* threads that have not exited */
    uint32_t arrived;            /* of these, at the barrier that is open */
    uint32_t phase;              /* barriers completed */
    bool ahead;                  /* blocks run ahead of one that is about to reach into another */
    struct cluster *made, *free; /* lists: all of a worker's, those at hand */
} cluster;

/* `rank` is a block's rank in its cluster; blocks outside of clusters are clusters of one. NULL: no such rank, or it
 * has exited. */
struct block *cluster_block(struct block *b, uint32_t rank);

/* A shared::cluster address (32 bit) to block and offset. False: no such rank, or that block has exited. The offset is
 * not compared with the block's shared memory (access_resolve with PTX_SHARED_CLUSTER does both and reports). */
bool cluster_resolve(struct block *b, uint32_t address, struct block **target, uint32_t *offset);

/* What a shared address of the block's own adds to the offset. */
static inline uint32_t cluster_base(const struct block *b) {
    return b->rank << CLUSTER_RANK_SHIFT;
}

/* Host memory behind a shared::cluster address, `bytes` from there; NULL where nothing is. */
uint8_t *cluster_pointer(warp *w, uint64_t address, uint64_t bytes);

/* Does the host address lie in shared memory of the block's cluster? */
bool cluster_holds(const struct block *b, const uint8_t *pointer);

/* The lanes' instruction is about to reach into another block. One that ends while others still reach into its shared
 * memory does harm only if it is gone by then. So that it always is, the rest of the cluster runs ahead of a block's
 * first such access after each barrier, as far as it can; of an arrival, a copy or the like ahead of each (`always`).
 * Not before the first barrier: there the mistake is another (nothing has been written yet), which the order of blocks
 * shows. True: the instruction must do nothing; it is executed again once they have run. */
bool cluster_yields(warp *w, uint32_t mask, bool always);

/* Reports why cluster_pointer gave NULL. */
_Noreturn void cluster_bad_address(warp *w, const insn *i, uint32_t lanes, uint64_t address, unsigned bytes,
                                   const char *verb);

/* The lanes have ended: the barrier waits for them no longer. */
void cluster_exit(warp *w, uint32_t lanes);

/* Can any thread of the cluster go on? */
bool cluster_can_run(const struct block *b);

/* barrier.cluster.arrive, .wait */
void cluster_arrive(warp *w, const insn *i, uint32_t mask);
void cluster_wait(warp *w, const insn *i, uint32_t mask);
