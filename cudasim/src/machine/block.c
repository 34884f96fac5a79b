#include "machine/block.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "machine/async.h"
#include "machine/bulk.h"
#include "machine/cluster.h"
#include "machine/fault.h"
#include "machine/frame.h"
#include "machine/mbarrier.h"
#include "machine/observe.h"
#include "machine/wgmma.h"

static uint8_t *map_stacks(worker *k, uint64_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) fault_no_memory(k, bytes, "a warp's stacks");
    return p;
}

static void block_fill(worker *k, block *b) {
    launch *la = k->launch;
    const uint64_t shared = (la->shared_end + 1023u) & ~1023u, dirty = (la->shared_end / 16 + 1) * sizeof *b->dirty;
    b->launch = la;
    b->worker = k;
    const int warps = (int)((la->threads + LANES - 1) / LANES);
    b->warps = allocated(k, calloc((size_t)warps, sizeof *b->warps), (uint64_t)warps * sizeof *b->warps, "warps");
    b->warp_count = warps;
    b->shared_end = la->shared_end;
    b->shared = allocated(k, aligned_alloc(1024, shared), shared, "a block's shared memory");
    if (la->async_proxy) b->dirty = allocated(k, malloc(dirty), dirty, "a block's shared memory");
    const unsigned *shape = la->config->block;
    for (int n = 0; n < b->warp_count; n++) {
        warp *w = &b->warps[n];
        w->block = b;
        w->launch = la;
        w->worker = k;
        w->index = (uint32_t)n;
        for (uint32_t l = 0; l < LANES; l++) {
            const uint32_t t = (uint32_t)n * LANES + l;
            if (t >= la->threads) break;
            w->lanes |= 1u << l;
            w->tid[0][l] = t % shape[0];
            w->tid[1][l] = t / shape[0] % shape[1];
            w->tid[2][l] = t / shape[0] / shape[1];
        }
        if (la->stack_bytes > 0) w->stack = map_stacks(k, LANES * la->stack_bytes);
        frame *f = frame_new(k, la->entry);
        w->frame = f;
        f->local_base = 16; /* no variable at address 0 */
        w->registers = f->registers;
        w->groups[0].frame = f;
        frame_fill(w, la->entry, f->registers, true);
    }
}

static void block_begin(block *b, uint64_t index) {
    launch *la = b->launch;
    const unsigned *grid = la->config->grid, *size = la->config->cluster;
    const uint64_t number = index / la->cluster_size; /* of its cluster; in one, x goes first, as in the grid */
    const uint32_t across = grid[0] / size[0], down = grid[1] / size[1];
    b->index = index;
    b->rank = (uint32_t)(index % la->cluster_size);
    b->ctaid[0] = (uint32_t)(number % across) * size[0] + b->rank % size[0];
    b->ctaid[1] = (uint32_t)(number / across % down) * size[1] + b->rank / size[0] % size[1];
    b->ctaid[2] = (uint32_t)(number / across / down) * size[2] + b->rank / size[0] / size[1];
    b->live = la->threads;
    b->progressed = b->polled = b->changed = b->waits = false;
    b->ran_ahead = 0;
    b->stale = b->begun = 0;
    b->next = NULL;
    memset(b->barriers, 0, sizeof b->barriers);
    wgmma_reset(b);
    memset(b->shared, 0xff, b->shared_end); /* what nothing has written is NaN */
    if (b->dirty != NULL) memset(b->dirty, 0, (la->shared_end / 16 + 1) * sizeof *b->dirty);
    b->unfenced = false;
    mbarriers_clear(b);
    bulk_clear(b);
    for (int n = 0; n < b->warp_count; n++) {
        warp *w = &b->warps[n];
        frame *f = w->entry_frame != NULL ? w->entry_frame : w->frame;
        w->entry_frame = f;
        f->lanes = w->lanes;
        f->carry = 0;
        w->frame = f;
        w->registers = f->registers;
        w->exited = 0;
        w->cluster_arrived = w->cluster_passed = 0;
        w->runnable = true;
        w->careful = 0;
        w->ran_ahead = w->wait_expired = 0;
        w->group_count = 1;
        w->current = 0;
        w->groups[0] = (group){.frame = f, .pc = 0, .lanes = w->lanes, .state = GROUP_READY};
        async_free(w);
        frame_fill(w, la->entry, f->registers, false);
    }
    if (la->observer != NULL) observe_block(b, true);
}

void cluster_begin(cluster *c, uint64_t index) {
    const launch *la = c->blocks[0]->launch;
    c->left = c->size;
    c->live = la->threads * c->size;
    c->arrived = c->phase = 0;
    for (uint32_t r = 0; r < c->size; r++) block_begin(c->blocks[r], index + r);
}

cluster *cluster_new(worker *k) {
    cluster *c = allocated(k, calloc(1, sizeof *c), sizeof *c, "a cluster");
    c->size = k->launch->cluster_size;
    c->made = k->clusters;
    k->clusters = c;
    for (uint32_t r = 0; r < c->size; r++) {
        block *b = c->blocks[r] = allocated(k, calloc(1, sizeof *b), sizeof *b, "a block");
        b->cluster = c;
        b->rank = r;
        block_fill(k, b);
    }
    return c;
}

static void block_free(block *b) {
    if (b == NULL) return;
    for (int n = 0; n < b->warp_count; n++) {
        warp *w = &b->warps[n];
        frame *f = w->entry_frame != NULL ? w->entry_frame : w->frame;
        async_free(w);
        if (f != NULL) free(f->registers);
        free(f);
        if (w->stack != NULL) munmap(w->stack, LANES * b->launch->stack_bytes);
    }
    mbarriers_free(b);
    bulk_free(b);
    free(b->dirty);
    wgmma_free(b);
    free(b->warps);
    free(b->shared);
    free(b);
}

void clusters_free(cluster *c) {
    while (c != NULL) {
        cluster *next = c->made;
        for (uint32_t r = 0; r < c->size; r++) block_free(c->blocks[r]);
        free(c);
        c = next;
    }
}
