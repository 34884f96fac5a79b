/* The two ways to shared memory. Threads write it through the generic proxy, bulk copies and wgmma's descriptors go
 * through the asynchronous one, and only fence.proxy.async makes what was written through the first visible to the
 * second (PTX ISA 8.6 "Proxies"). A granule of 16 bytes that a thread has written is dirty until any thread of the
 * cluster executes such a fence; the asynchronous proxy must not meet a dirty one. Also kept here: the granules that a
 * bulk copy out of shared memory has still to read, which no thread may overwrite before cp.async.bulk.wait_group.
 *
 * A block has a map only where its module contains an instruction of the asynchronous proxy. */
#pragma once

#include "machine/machine.h"

#define PROXY_GRANULE 16u

/* block.dirty, a word a granule: the thread that wrote it + 1 (0: clean), and in the upper half its block's rank in the
 * cluster; and whether it is a source still to be read. */
#define PROXY_THREAD 0x7fffffffu
#define PROXY_RANK   16
#define PROXY_SOURCE 0x80000000u

/* The running warp's store wrote these bytes. Cheap where b->dirty is NULL. */
void proxy_wrote_granules(struct block *b, uint32_t offset, uint32_t bytes, const warp *w, int lane);
static inline void proxy_wrote(struct block *b, uint32_t offset, uint32_t bytes) {
    if (__builtin_expect(b->dirty != NULL, 0)) proxy_wrote_granules(b, offset, bytes, b->worker->running, -1);
}

/* The same for the lanes of a store with their pointers, those outside of the cluster's shared memory passed over. */
void proxy_wrote_lanes(warp *w, uint32_t mask, uint8_t *const *pointers, unsigned bytes);

/* Stops the launch where the asynchronous proxy meets a dirty granule; `what` says how: "read", "overwritten". */
bool proxy_check(struct warp *w, struct block *b, uint32_t offset, uint32_t bytes, const char *what);

/* fence.proxy.async: for the shared memory of all blocks of the cluster. */
void proxy_fence(struct block *b);

/* A bulk copy out of these bytes is in flight; has read them. */
void proxy_source(struct block *b, uint32_t offset, uint32_t bytes, bool in_flight);
