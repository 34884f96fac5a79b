/* Running a grid: blocks on host threads, warps of a block in turn, and the watchdog. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "call.h"
#include "device_model.h"
#include "exec_memory.h"
#include "kernel.h"
#include "report.h"
#include "wgmma.h"

static uint64_t stack_limit = 1024;

void sim_set_stack_limit(uint64_t bytes) {
    __atomic_store_n(&stack_limit, bytes, __ATOMIC_RELAXED);
}
uint64_t sim_stack_limit(void) {
    return __atomic_load_n(&stack_limit, __ATOMIC_RELAXED);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double environment_number(const char *name, double otherwise) {
    const char *text = getenv(name);
    if (text == NULL || *text == '\0') return otherwise;
    char *end;
    double value = strtod(text, &end);
    if (*end != '\0' || !(value >= 0)) {
        fprintf(stderr, "%s=%s: not a number\n", name, text);
        exit(2);
    }
    return value;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static uint8_t *map_bytes(uint64_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        fprintf(stderr, "cudasim: no memory for the stacks of a warp (%llu bytes)\n", (unsigned long long)bytes);
        exit(3);
    }
    return p;
}

static block *block_new(worker *k) {
    launch *la = k->launch;
    block *b = calloc(1, sizeof *b);
    b->launch = la;
    b->worker = k;
    b->warp_count = (int)((la->threads + LANES - 1) / LANES);
    b->warps = calloc((size_t)b->warp_count, sizeof *b->warps);
    b->shared_end = la->shared_end;
    b->shared = aligned_alloc(1024, (la->shared_end + 1023u) & ~1023u);
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
        if (la->stack_bytes > 0) w->stack = map_bytes(LANES * la->stack_bytes);
        frame *f = calloc(1, sizeof *f);
        f->function = la->entry;
        f->capacity = la->entry->register_bytes;
        f->registers = aligned_alloc(128, la->entry->register_bytes);
        memset(f->registers, 0, la->entry->register_bytes);
        f->local_base = 16; /* no variable at address 0 */
        w->frame = f;
        w->registers = f->registers;
        w->groups[0].frame = f;
        frame_fill(w, la->entry, f->registers, true);
    }
    return b;
}

static void block_begin(block *b, uint64_t index) {
    launch *la = b->launch;
    const unsigned *grid = la->config->grid;
    b->index = index;
    b->ctaid[0] = (uint32_t)(index % grid[0]);
    b->ctaid[1] = (uint32_t)(index / grid[0] % grid[1]);
    b->ctaid[2] = (uint32_t)(index / grid[0] / grid[1]);
    b->live = la->threads;
    b->progressed = b->polled = false;
    b->stale = 0;
    b->next = NULL;
    memset(b->barriers, 0, sizeof b->barriers);
    wgmma_reset(b);
    memset(b->shared, 0xff, b->shared_end); /* what nothing has written is NaN */
    for (int n = 0; n < b->warp_count; n++) {
        warp *w = &b->warps[n];
        frame *f = w->entry_frame != NULL ? w->entry_frame : w->frame;
        w->entry_frame = f;
        f->lanes = w->lanes;
        f->carry = 0;
        w->frame = f;
        w->registers = f->registers;
        w->exited = 0;
        w->runnable = true;
        w->group_count = 1;
        w->current = 0;
        w->groups[0] = (group){.frame = f, .pc = 0, .lanes = w->lanes, .state = GROUP_READY};
        async_free(w);
        frame_fill(w, la->entry, f->registers, false);
    }
}

static void block_free(block *b) {
    for (int n = 0; n < b->warp_count; n++) {
        warp *w = &b->warps[n];
        frame *f = w->entry_frame != NULL ? w->entry_frame : w->frame;
        async_free(w);
        free(f->registers);
        free(f);
        if (w->stack != NULL) munmap(w->stack, LANES * b->launch->stack_bytes);
    }
    wgmma_free(b);
    free(b->warps);
    free(b->shared);
    free(b);
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */

/* Every warp of the block that can run gets a turn. True once all threads have exited. */
static bool block_round(block *b) {
    bool ran = false, left = false;
    for (int n = 0; n < b->warp_count; n++) {
        warp *w = &b->warps[n];
        if (w->runnable) {
            warp_run(w);
            ran = true;
        }
        left = left || w->group_count > 0;
    }
    if (left && !ran) {
        /* A barrier may have opened for warps that this round had passed already. */
        for (int n = 0; n < b->warp_count; n++)
            if (b->warps[n].runnable) return false;
        report_stuck(b, "deadlock: no thread of the block can go on");
    }
    return !left;
}

/* Another block, while there are any and the device would hold it. */
static block *block_next(worker *k) {
    launch *la = k->launch;
    if (__atomic_load_n(&la->next_block, __ATOMIC_RELAXED) >= la->blocks) return NULL;
    if (__atomic_add_fetch(&la->resident, 1, __ATOMIC_RELAXED) > la->resident_limit) {
        __atomic_sub_fetch(&la->resident, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    const unsigned long index = __atomic_fetch_add(&la->next_block, 1, __ATOMIC_RELAXED);
    if (index >= la->blocks) {
        __atomic_sub_fetch(&la->resident, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    block *b = k->free_blocks;
    if (b != NULL)
        k->free_blocks = b->next;
    else
        b = block_new(k);
    block_begin(b, index);
    return b;
}

static void show_progress(const launch *la, double since, double *shown) {
    const double t = now();
    if (t - since < 1.0 || t - *shown < 0.2) return;
    *shown = t;
    const unsigned long done = __atomic_load_n(&la->done_blocks, __ATOMIC_RELAXED);
    fprintf(stderr, "\r\033[Ksimulating %s: %lu of %llu blocks", la->entry->source->name, done,
            (unsigned long long)la->blocks);
    fflush(stderr);
}

/* A block that waits by plain loads cannot be told from one that computes: after so many turns without a thread's end
 * or a barrier it is taken for one that waits. */
#define STALE_ROUNDS 16

/* So much longer the watchdog waits for a block that does not look at memory others may write. */
#define PATIENCE_WITH_WORK 10

static void queue_first(worker *k, block *b) {
    b->next = k->queue;
    k->queue = b;
    if (k->queue_end == NULL) k->queue_end = b;
}

static void queue_last(worker *k, block *b) {
    b->next = NULL;
    if (k->queue_end != NULL)
        k->queue_end->next = b;
    else
        k->queue = b;
    k->queue_end = b;
}

static block *queue_take(worker *k) {
    block *b = k->queue;
    k->queue = b->next;
    if (k->queue == NULL) k->queue_end = NULL;
    return b;
}

static void work_until_done(worker *k) {
    launch *la = k->launch;
    const double begun = now();
    const bool terminal = k->first && isatty(STDERR_FILENO);
    double progressed = begun;
    unsigned long progress = 0;
    while (!__atomic_load_n(&la->stop, __ATOMIC_ACQUIRE)) {
        if (k->queue == NULL) {
            block *b = block_next(k);
            if (b == NULL) {
                if (__atomic_load_n(&la->next_block, __ATOMIC_RELAXED) >= la->blocks) return;
                sched_yield(); /* the device is full: of blocks that other workers run */
                continue;
            }
            queue_last(k, b);
        }
        block *b = k->current = queue_take(k);
        b->progressed = b->polled = false;
        const bool done = block_round(b);
        k->current = NULL;
        if (terminal) show_progress(la, begun, &k->shown);
        if (done) {
            b->next = k->free_blocks;
            k->free_blocks = b;
            __atomic_sub_fetch(&la->resident, 1, __ATOMIC_RELAXED);
            __atomic_add_fetch(&la->done_blocks, 1, __ATOMIC_RELAXED);
            __atomic_add_fetch(&la->progress, 1, __ATOMIC_RELAXED);
            continue;
        }
        if (b->progressed) {
            __atomic_add_fetch(&la->progress, 1, __ATOMIC_RELAXED);
            queue_first(k, b);
            b->stale = 0;
        } else if (b->polled || ++b->stale >= STALE_ROUNDS) {
            /* It waits for another block, perhaps for one not yet begun. */
            b->stale = 0;
            queue_last(k, b);
            block *more = block_next(k);
            if (more != NULL) queue_first(k, more);
        } else {
            queue_first(k, b);
        }
        const unsigned long seen = __atomic_load_n(&la->progress, __ATOMIC_RELAXED);
        if (seen != progress) {
            progress = seen;
            progressed = now();
        } else if (la->patience > 0 && now() - progressed > la->patience * (b->polled ? 1 : PATIENCE_WITH_WORK)) {
            report_stuck(b, "no thread has ended or passed a barrier for too long (CUDASIM_WATCHDOG=0 lets it run)");
        }
    }
}

static void free_blocks(block *b) {
    while (b != NULL) {
        block *next = b->next;
        block_free(b);
        b = next;
    }
}

/* A fault comes back here (sim_fault). */
static void work_until_fault(worker *k) {
    jmp_buf escape;
    k->escape = &escape;
    if (setjmp(escape) == 0) work_until_done(k);
}

static void *work(void *argument) {
    worker *k = argument;
    work_until_fault(k);
    if (k->shown > 0) fputs("\r\033[K", stderr);
    if (k->current != NULL) queue_first(k, k->current);
    free_blocks(k->queue);
    free_blocks(k->free_blocks);
    while (k->frames != NULL) {
        frame *next = k->frames->next;
        free(k->frames->registers);
        free(k->frames);
        k->frames = next;
    }
    return NULL;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

sim_status sim_launch(sim_kernel *kernel, const sim_launch_config *config, const void *params) {
    const device_model *model = device_model_current();
    const function *entry = sim_kernel_entry(kernel);
    launch la = {.kernel = kernel, .entry = entry, .config = config, .param_bytes = entry->param_bytes};
    la.threads = config->block[0] * config->block[1] * config->block[2];
    la.blocks = (uint64_t)config->grid[0] * config->grid[1] * config->grid[2];
    la.shared_end = sim_kernel_shared_end(kernel, config->dynamic_shared);
    la.patience = environment_number("CUDASIM_WATCHDOG", 60);
    la.params = malloc(la.param_bytes + 16);
    if (la.param_bytes > 0) memcpy(la.params, params, la.param_bytes);
    if (entry->uses_stack) la.stack_bytes = (entry->frame_bytes + sim_stack_limit() + (256u << 10) + 4095) & ~4095ull;
    sim_kernel_info info;
    sim_kernel_describe(kernel, &info);
    const int per_sm =
        device_model_blocks_per_sm(model, la.threads, info.registers, info.static_shared + config->dynamic_shared);
    la.resident_limit = (unsigned long)(per_sm > 0 ? per_sm : 1) * model->sms;
    if (config->cooperative) {
        /* struct { uint32_t size; barrier } of cooperative_groups.h: zeroed, its size first. */
        la.grid_workspace = memory_allocate(256, 256, MEMORY_DEVICE, "cooperative groups' workspace", NULL);
        if (la.grid_workspace == 0) {
            fprintf(stderr, "cudasim: no device memory is left for the workspace of a cooperative launch\n");
            free(la.params);
            return SIM_UNSUPPORTED;
        }
        *(uint32_t *)la.grid_workspace = 256;
    }
    long threads = (long)environment_number("CUDASIM_THREADS", 0);
    if (threads == 0) threads = sysconf(_SC_NPROCESSORS_ONLN);
    if (threads < 1) threads = 1;
    if (threads > 256) threads = 256;
    if ((uint64_t)threads > la.blocks) threads = (long)la.blocks;

    worker *workers = calloc((size_t)threads, sizeof *workers);
    pthread_t *ids = calloc((size_t)threads, sizeof *ids);
    long started = 1;
    for (long k = 0; k < threads; k++) workers[k].launch = &la;
    workers[0].first = true;
    for (; started < threads; started++)
        if (pthread_create(&ids[started], NULL, work, &workers[started]) != 0) break;
    work(&workers[0]);
    for (long k = 1; k < started; k++) pthread_join(ids[k], NULL);
    free(ids);
    free(workers);
    free(la.params);
    if (la.grid_workspace != 0) memory_free(la.grid_workspace);
    return la.status;
}
