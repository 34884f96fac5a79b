/* Timing two ways of doing the same thing, interleaved.
 *
 * Ours and the baseline are enqueued in one stream between CUDA events, in the order A B B A: both see the same clocks
 * and temperature, a drift is in favour of neither, and the ratio is taken pair by pair. Before that the same samples
 * run without a pause until the clocks have settled. Each launch takes the next of several operand sets: together they
 * exceed twice the L2 cache, so every launch finds it cold (or the caches are flushed before each sample), and either
 * side takes every set. The time is divided into rounds, before each of which the operands move elsewhere in memory:
 * with the addresses some kernels' times change by more than anything that happens within a round, as between two runs
 * of a program. The median's interval is therefore one of the rounds' medians. Where either side takes under 20
 * microseconds, an event pair would measure the launch rather than the kernel, and both are timed in CUDA graphs of
 * many launches instead. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "base/stats.h"

typedef enum {
    TIMING_AUTO,   /* events, or graphs where a launch is short */
    TIMING_GRAPH,  /* graphs */
    TIMING_EVENTS, /* single launches, however short: what an event pair sees of them includes some of the launching */
    TIMING_CHAIN   /* graphs, however long a launch is: launches back to back with nothing between, so that one may
                    * begin while the last one ends; no flush, no restore */
} timing_mode;

enum { TIMING_SLICE_MS = 50 };
enum { TIMING_ROUNDS = 6 }; /* so many medians have a 95 % interval: from the least to the greatest */

/* One of the two: `launch` enqueues it once, on operand set `set`. */
typedef struct {
    cudaError_t (*launch)(void *context, int set, cudaStream_t stream); /* NULL: there is no such side */
    void *context;
} timing_side;

typedef struct {
    timing_side ours, baseline; /* the second may be missing */
    int sets; /* operand sets, >= 1; of a multiple of four all but one are taken: A B B A would give each side half */
    /* Puts set `set` back as it was before a launch changed it; NULL where a launch changes nothing that matters. It
     * and `move` get the context of `ours`. */
    cudaError_t (*restore)(void *context, int set, cudaStream_t stream);
    /* Memory written before each sample to empty the caches, where the sets alone are too small to; NULL: none. */
    void *flush;
    size_t flush_bytes;
    /* Puts the operands elsewhere in memory, as they were; what was captured launches on the old ones. NULL: they stay
     * and there is one round, whose time is divided for the interval alone. */
    cudaError_t (*move)(void *context, cudaStream_t stream);
    double budget_s; /* how long to measure, warm-up apart */
    timing_mode mode;
    bool hot; /* one of many short ones that are compared: another has just ended, so the clocks need no warm-up, and
               * none is read */
} timing_task;

typedef struct {
    stats_summary ours_ms, baseline_ms; /* milliseconds per launch; intervals as stats_of_blocks has them */
    stats_summary ratio;                /* baseline / ours, pair by pair; NAN without a baseline */
    int pairs, sets;                    /* samples of each side; operand sets that they rotated through */
    const char *mode;                   /* "events", "graph", "chain" or "sustained" */
    double clock_mhz; /* of the SMs (gpu/clock_probe.h) in ours' samples themselves, all together; under continuous load
                       * over what counts of it, both sides; NAN: unknown */
    double power_w;   /* under continuous load the median of NVML's, which is itself an average over a second; else NAN,
                       * as without NVML */
} timing_result;

/* Captures `launches` launches over the operand sets, rotating through them. */
cudaError_t timing_capture(const timing_side *side, int sets, int launches, cudaStream_t stream, cudaGraphExec_t *exec);

/* Measures. Returns the first CUDA error; *r is then undefined. Synchronises `stream`. */
cudaError_t timing_run(const timing_task *task, cudaStream_t stream, timing_result *r);

/* The same under continuous load, as long runs have it: `seconds` of slices of about TIMING_SLICE_MS each, in the same
 * order, with no pause between them, so that the GPU reaches its power limit. A slice's time over its
 * launches is one sample; the results (mode "sustained") are of the second half of the time, in which clocks have
 * settled. There is nothing to restore and no flush: task->restore and task->flush must be NULL. */
cudaError_t timing_sustained(const timing_task *task, double seconds, cudaStream_t stream, timing_result *r);
