/* MERGE: what the asynchronous copies need of clusters; the real header and definitions replace this file and
 * cluster_stub.c. */
#ifndef SIM_CLUSTER_H
#define SIM_CLUSTER_H

#include "machine.h"

/* `rank` is a block's rank in its cluster; blocks outside of clusters are clusters of one. NULL: no such rank, or it
 * has exited. */
struct block *cluster_block(struct block *b, uint32_t rank);

/* A shared::cluster address (32 bit) to block and offset. */
bool cluster_resolve(struct block *b, uint32_t address, struct block **target, uint32_t *offset);

#endif
