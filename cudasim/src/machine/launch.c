/* Running a grid: blocks on host threads, warps of a block in turn, and the watchdog. */
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/device_model.h"
#include "base/environment.h"
#include "base/threads.h"
#include "machine/block.h"
#include "machine/groups.h"
#include "machine/observe.h"
#include "machine/schedule.h"
#include "machine/stuck.h"

static uint64_t stack_limit = 1024;

void sim_set_stack_limit(uint64_t bytes) {
    __atomic_store_n(&stack_limit, bytes, __ATOMIC_RELAXED);
}
uint64_t sim_stack_limit(void) {
    return __atomic_load_n(&stack_limit, __ATOMIC_RELAXED);
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */

/* Another cluster, while there are any and the device would hold it. */
static cluster *cluster_next(worker *k) {
    launch *la = k->launch;
    if (__atomic_load_n(&la->next_block, __ATOMIC_RELAXED) >= la->blocks) return NULL;
    if (__atomic_add_fetch(&la->resident, la->cluster_size, __ATOMIC_RELAXED) > la->resident_limit) {
        __atomic_sub_fetch(&la->resident, la->cluster_size, __ATOMIC_RELAXED);
        return NULL;
    }
    const unsigned long index = __atomic_fetch_add(&la->next_block, la->cluster_size, __ATOMIC_RELAXED);
    if (index >= la->blocks) {
        __atomic_sub_fetch(&la->resident, la->cluster_size, __ATOMIC_RELAXED);
        return NULL;
    }
    cluster *c = k->free_clusters;
    if (c != NULL)
        k->free_clusters = c->free;
    else
        c = cluster_new(k);
    cluster_begin(c, index);
    return c;
}

/* At most 79 columns, as a character in the last of 80 makes some terminals wrap: the kernel's name is cut for it. */
static void show_progress(const launch *la, double since, double *shown) {
    enum { COLUMNS = 79 };
    const double t = pool_now();
    if (t - since < 1.0 || t - *shown < 0.2) return;
    *shown = t;
    const unsigned long done = __atomic_load_n(&la->done_blocks, __ATOMIC_RELAXED);
    const double share = (double)done / (double)la->blocks;
    char left[64] = "", counts[192];
    if (done > 0) snprintf(left, sizeof left, ", about %.0f s left", (t - since) / share * (1.0 - share));
    const int length = snprintf(counts, sizeof counts, ": %lu of %llu blocks, %.0f %%%s", done,
                                (unsigned long long)la->blocks, 100.0 * share, left);
    fprintf(stderr, "\r\033[Ksimulating %.*s%s", COLUMNS - 11 - length, READABLE(la->entry->source->name), counts);
    fflush(stderr);
}

/* A block that waits by plain loads looks like one that computes. After so many turns without a thread's end or a
 * barrier it is taken for one that waits if its registers are what they were; and if not, after so many times more. */
#define STALE_ROUNDS   16
#define STALE_PATIENCE 64

/* Up to the cluster's first barrier a block runs alone, so that one that does not wait for the others there finds their
 * shared memory as they have not yet begun with it; but no more turns than this. */
#define ROUNDS_ALONE 64

/* So much longer the watchdog waits for a block that does not look at memory others may write, or changes some. */
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

static void queue_cluster(worker *k, cluster *c) {
    for (uint32_t r = c->size; r-- > 0;) queue_first(k, c->blocks[r]);
}

static block *queue_take(worker *k) {
    block *b = k->queue;
    k->queue = b->next;
    if (k->queue == NULL) k->queue_end = NULL;
    return b;
}

/* A checksum of where the block's threads stand and what their registers hold. */
static uint64_t checksum(const block *b) {
    uint64_t sum = 0;
    for (int n = 0; n < b->warp_count; n++) {
        const warp *w = &b->warps[n];
        for (int g = 0; g < w->group_count; g++) {
            const frame *f = w->groups[g].frame;
            const uint64_t *words = (const uint64_t *)f->registers;
            sum = (sum + w->groups[g].pc) * 0x9e3779b97f4a7c15u + w->groups[g].lanes;
            for (uint32_t at = 0; at < f->function->constant_offset / sizeof *words; at++)
                sum = (sum ^ sum >> 29 ^ words[at]) * 0x9e3779b97f4a7c15u;
            words = (const uint64_t *)f->affine;
            for (uint32_t at = 0; at < f->function->affine_bytes / sizeof *words; at++)
                sum = (sum ^ sum >> 29 ^ words[at]) * 0x9e3779b97f4a7c15u;
        }
    }
    return sum;
}

/* May the block, which has not progressed, be waiting for another one? */
static bool seems_to_wait(block *b) {
    if (b->polled && !b->changed) return true;
    const int round = ++b->stale % STALE_ROUNDS;
    if (round == 1) b->state = checksum(b);
    return round == 0 && (b->stale >= STALE_ROUNDS * STALE_PATIENCE || checksum(b) == b->state);
}

/* When the host came to wait for what runs unattended, bits of a double, and how many of its threads do; 0: none. As
 * long as one does something else it may yet do what a kernel waits for. */
static uint64_t host_waits_since;
static int host_waiting;

void sim_host_waits(int threads) {
    const int before = __atomic_exchange_n(&host_waiting, threads, __ATOMIC_RELAXED);
    if (before != 0 && threads != 0) return;
    const double since = threads != 0 ? pool_now() : 0;
    uint64_t bits;
    memcpy(&bits, &since, sizeof bits);
    __atomic_store_n(&host_waits_since, bits, __ATOMIC_RELAXED);
}

/* Warns once about a kernel that goes on but may wait for ever. */
static void warn_of_waiting(block *b) {
    launch *la = b->launch;
    if (__atomic_exchange_n(&la->warned_of_waiting, 1, __ATOMIC_RELAXED)) return;
    fprintf(
        stderr,
        "cudasim: kernel %s polls memory, and no thread has ended or passed a barrier for %g s; it goes on, since the "
        "host may yet do what it waits for; block (%u,%u,%u) is one that polls\n",
        READABLE(la->entry->source->name), la->patience, b->ctaid[0], b->ctaid[1], b->ctaid[2]);
}

/* Is there a thread of the host's that does not wait for the kernel? Looked up once in a second. */
static bool others_may_help(worker *k, double t) {
    if (t < k->others_until) return true;
    if (pool_other_threads() <= __atomic_load_n(&host_waiting, __ATOMIC_RELAXED)) return false;
    k->others_until = t + 1;
    return true;
}

/* Has the block, at time `t`, waited too long since there was progress? */
static bool too_long(block *b, double t, double progressed) {
    const launch *la = b->launch;
    if (la->patience <= 0) return false;
    const double patience = la->patience * (b->polled && !b->changed ? 1 : PATIENCE_WITH_WORK);
    if (!__atomic_load_n(&la->unattended, __ATOMIC_RELAXED)) return t - progressed > patience;
    const uint64_t bits = __atomic_load_n(&host_waits_since, __ATOMIC_RELAXED);
    double since;
    memcpy(&since, &bits, sizeof since);
    if (since > progressed) progressed = since;
    if (t - progressed <= patience) return false;
    if (bits != 0 && !(b->polled && others_may_help(b->worker, t))) return true;
    if (b->polled) warn_of_waiting(b);
    return false;
}

_Noreturn static void stop_waiting(block *b) {
    const bool all_begun = __atomic_load_n(&b->launch->next_block, __ATOMIC_RELAXED) >= b->launch->blocks;
    stuck(b, b->polled && all_begun
                 ? "no thread has ended or passed a barrier for too long (CUDASIM_WATCHDOG=0 lets it run): all of "
                   "its blocks have begun and poll memory, so only the host could help, and that waits for it"
                 : "no thread has ended or passed a barrier for too long (CUDASIM_WATCHDOG=0 lets it run)");
}

/* A kernel whose latest launch was over before others could have woken up to help, in seconds, is begun without them.
 */
#define ALONE 50e-6
static const function *alone_entry;
static uint64_t alone_blocks; /* as many as it had then, at most */

static void offer(launch *la) {
    la->offered = true;
    pool_begin(&la->helpers);
}

/* Where the block goes in its worker's queue after a round that it has not ended in. */
static void queue_again(worker *k, block *b) {
    launch *la = k->launch;
    if (b->progressed) {
        __atomic_add_fetch(&la->progress, 1, __ATOMIC_RELAXED);
        b->stale = 0;
        if (la->cluster_size == 1 || (b->cluster->phase == 0 && b->begun++ < ROUNDS_ALONE))
            queue_first(k, b);
        else
            queue_last(k, b); /* what it does next may depend on the others of its cluster */
    } else if (b->waits) {
        queue_last(k, b);
    } else if (seems_to_wait(b)) {
        /* For another block, perhaps for one not yet begun. */
        b->stale = 0;
        queue_last(k, b);
        cluster *more = cluster_next(k);
        if (more != NULL) queue_cluster(k, more);
    } else {
        queue_first(k, b);
    }
}

/* All threads of the block have exited. */
static void block_over(worker *k, block *b) {
    launch *la = k->launch;
    if (la->observer != NULL) observe_block(b, false);
    if (--b->cluster->left == 0) {
        b->cluster->free = k->free_clusters;
        k->free_clusters = b->cluster;
    }
    __atomic_sub_fetch(&la->resident, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&la->done_blocks, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&la->progress, 1, __ATOMIC_RELAXED);
}

static void worker_over(worker *k) {
    k->done = true;
    if (k->shown > 0) fputs("\r\033[K", stderr);
    clusters_free(k->clusters);
    while (k->frames != NULL) {
        frame *next = k->frames->next;
        free(k->frames->registers);
        free(k->frames);
        k->frames = next;
    }
}

void sim_launch_work(launch *la, int number, double until) {
    worker *k = &la->workers[number];
    void (*const run)(struct warp *) = la->observer != NULL ? warp_run_counted : warp_run;
    jmp_buf escape; /* a fault comes back here (sim_fault) */
    fenv_t hosts;   /* the thread may be the program's own: its rounding, traps and flushing must not reach the lanes */
    if (k->done) return;
    fegetenv(&hosts);
    fesetenv(FE_DFL_ENV);
    k->escape = &escape;
    if (setjmp(escape) == 0) {
        const double begun = pool_now();
        const bool terminal = number == 0 && isatty(STDERR_FILENO);
        double progressed = begun, t = begun;
        unsigned long progress = 0;
        while (!__atomic_load_n(&la->stop, __ATOMIC_ACQUIRE) && !(until > 0 && t > until)) {
            if (k->queue == NULL) {
                cluster *c = cluster_next(k);
                if (c == NULL) {
                    k->done = __atomic_load_n(&la->next_block, __ATOMIC_RELAXED) >= la->blocks;
                    if (k->done) break;
                    sched_yield(); /* the device is full: of blocks that other workers run */
                    t = pool_now();
                    continue;
                }
                queue_cluster(k, c);
            }
            block *b = queue_take(k);
            b->progressed = b->polled = b->changed = false;
            bool ran = false;
            for (int n = 0; n < b->warp_count; n++) {
                warp *w = &b->warps[n];
                if (!w->runnable) continue;
                ran = true;
                w->budget = WARP_BUDGET;
                k->running = w;
                run(w);
                while (w->event & EVENT_AHEAD) {
                    cluster_run_ahead(b);
                    k->running = w;
                    run(w);
                }
            }
            const bool done = block_round_over(b, ran);
            t = pool_now();
            if (!la->offered && t - la->begun > ALONE) offer(la);
            if (terminal) show_progress(la, begun, &k->shown);
            if (done) {
                block_over(k, b);
                continue;
            }
            queue_again(k, b);
            const unsigned long seen = __atomic_load_n(&la->progress, __ATOMIC_RELAXED);
            if (seen != progress) {
                progress = seen;
                progressed = t;
            } else if (too_long(b, t, progressed)) {
                stop_waiting(b);
            }
        }
    }
    fesetenv(&hosts);
    if (k->done || __atomic_load_n(&la->stop, __ATOMIC_ACQUIRE)) worker_over(k);
}

static void help(void *la, int number) {
    sim_launch_work(la, number, 0);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* The launch that runs, for whoever ends the process. From then on no launch begins or returns. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t over;
    launch *launch;
    bool ends;
} running = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, false};

static void set_running(launch *la) {
    pthread_mutex_lock(&running.lock);
    running.launch = la;
    if (la == NULL && running.ends) pthread_cond_broadcast(&running.over);
    while (running.ends) pthread_cond_wait(&running.over, &running.lock);
    pthread_mutex_unlock(&running.lock);
}

void sim_launch_interrupt(double seconds) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += (time_t)seconds;
    pthread_mutex_lock(&running.lock);
    running.ends = true;
    if (running.launch != NULL) {
        __atomic_store_n(&running.launch->faulted, 1, __ATOMIC_RELEASE); /* nothing is said of its threads any more */
        __atomic_store_n(&running.launch->stop, 1, __ATOMIC_RELEASE);
    }
    while (running.launch != NULL && pthread_cond_timedwait(&running.over, &running.lock, &limit) == 0) {}
    pthread_mutex_unlock(&running.lock);
}

static void launch_free(launch *la) {
    if (la->grid_workspace != 0) memory_free(la->grid_workspace);
    free(la->workers);
    free(la->params);
    free(la);
}

/* What cooperative_groups.h expects: struct { uint32_t size; barrier }, zeroed, its size first. */
static bool workspace_make(launch *la) {
    la->grid_workspace = memory_allocate(256, 256, MEMORY_DEVICE, "cooperative groups' workspace", NULL);
    if (la->grid_workspace != 0) *(uint32_t *)la->grid_workspace = 256;
    return la->grid_workspace != 0;
}

static launch *launch_new(const launch_spec *spec, const void *params) {
    const device_model *model = device_model_current();
    const function *entry = spec->entry;
    launch *la = calloc(1, sizeof *la);
    if (la == NULL) return NULL;
    *la = (launch){.entry = entry,
                   .given = spec->config,
                   .config = &la->given,
                   .param_bytes = entry->param_bytes,
                   .shared_end = spec->shared_end,
                   .registers = spec->registers,
                   .static_shared = spec->static_shared,
                   .own_registers = spec->own_registers,
                   .async_proxy = spec->async_proxy,
                   .observer = spec->observer,
                   .patience = environment_watchdog()};
    for (int k = 0; k < 3; k++)
        if (la->given.cluster[k] == 0) la->given.cluster[k] = 1;
    const sim_launch_config *config = la->config;
    la->threads = config->block[0] * config->block[1] * config->block[2];
    la->blocks = (uint64_t)config->grid[0] * config->grid[1] * config->grid[2];
    la->cluster_size = config->cluster[0] * config->cluster[1] * config->cluster[2];
    if (entry->uses_stack) la->stack_bytes = (entry->frame_bytes + sim_stack_limit() + (256u << 10) + 4095) & ~4095ull;
    const int per_sm =
        device_model_blocks_per_sm(model, la->threads, spec->registers, spec->static_shared + config->dynamic_shared);
    la->resident_limit = (unsigned long)(per_sm > 0 ? per_sm : 1) * model->sms;
    long threads = environment_threads();
    if ((uint64_t)threads > la->blocks / la->cluster_size) threads = (long)(la->blocks / la->cluster_size);
    la->helpers = (pool_job){help, la, (int)threads - 1, 0, 0};
    la->params = malloc(la->param_bytes + 16);
    la->workers = calloc((size_t)threads, sizeof *la->workers);
    if (la->params == NULL || la->workers == NULL || (config->cooperative && !workspace_make(la))) {
        launch_free(la);
        return NULL;
    }
    if (la->param_bytes > 0) memcpy(la->params, params, la->param_bytes);
    for (long k = 0; k < threads; k++) la->workers[k].launch = la;
    la->worker_count = (int)threads;
    if (la->observer != NULL) observe_launch(la, true);
    return la;
}

sim_running *launch_begin(const launch_spec *spec, const void *params) {
    launch *la = launch_new(spec, params);
    if (la == NULL) {
        fprintf(stderr, "cudasim: no memory is left for a launch\n");
        return NULL;
    }
    set_running(la);
    la->begun = pool_now();
    if (la->entry != alone_entry || la->blocks > alone_blocks) offer(la);
    return la;
}

bool sim_launch_end(launch *la, double until, sim_status *status) {
    if (!la->workers[0].done || !pool_end(&la->helpers, until)) {
        __atomic_store_n(&la->unattended, 1, __ATOMIC_RELAXED);
        return false;
    }
    *status = la->status;
    alone_entry = pool_now() - la->begun < ALONE ? la->entry : NULL;
    alone_blocks = la->blocks;
    if (la->observer != NULL) observe_launch(la, false);
    set_running(NULL);
    launch_free(la);
    return true;
}
