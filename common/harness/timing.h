/* Timing two ways of doing the same thing, interleaved.
 *
 * ours baseline ours baseline ... are enqueued in one stream between CUDA events, so both see the same clocks and
 * temperature, and the ratio is taken pair by pair. Each launch takes the next of several operand sets: together they
 * exceed twice the L2 cache, so every launch finds it cold (or the caches are flushed before each sample). Where either
 * side takes under 20 microseconds, an event pair would measure the launch rather than the kernel, and both are timed
 * in CUDA graphs of many launches instead. */
#ifndef KL_TIMING_H
#define KL_TIMING_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "stats.h"

typedef enum {
    TIMING_AUTO,  /* events, or graphs where a launch is short */
    TIMING_GRAPH, /* graphs */
    TIMING_EVENTS /* single launches, however short: what an event pair sees of them includes some of the launching */
} timing_mode;

typedef struct {
    void *context;
    int sets; /* operand sets, >= 1 */
    /* Enqueues one launch on operand set `set`. */
    cudaError_t (*ours)(void *context, int set, cudaStream_t stream);
    cudaError_t (*baseline)(void *context, int set, cudaStream_t stream); /* NULL: none */
    /* Puts set `set` back as it was before a launch changed it; NULL where a launch changes nothing that matters. */
    cudaError_t (*restore)(void *context, int set, cudaStream_t stream);
    /* Memory written before each sample to empty the caches, where the sets alone are too small to; NULL: none. */
    void *flush;
    size_t flush_bytes;
    double budget_s; /* how long to measure, warm-up apart */
    timing_mode mode;
    bool hot; /* another measurement has just ended: the clocks need no warm-up */
} timing_task;

typedef struct {
    stats_summary ours_ms, baseline_ms; /* milliseconds a launch */
    stats_summary ratio;                /* baseline / ours, pair by pair; NAN without a baseline */
    int pairs;
    const char *mode;          /* "events" or "graph" */
    double clock_mhz, power_w; /* medians sampled while it ran; NAN without NVML */
} timing_result;

/* Measures. Returns the first CUDA error; *r is then undefined. Synchronises `stream`. */
cudaError_t timing_run(const timing_task *task, cudaStream_t stream, timing_result *r);

#endif
