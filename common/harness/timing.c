#include "timing.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "nvml.h"

enum {
    MIN_PAIRS = 3,
    MAX_PAIRS = 400,
    MIN_GRAPH_LAUNCHES = 64,
    MAX_GRAPH_LAUNCHES = 512,
    MAX_SAMPLES = 4096, /* of clock and power */
};
static const double GRAPH_BELOW_MS = 0.020;
static const double WARM_UP_S = 0.1; /* of uninterrupted work: clocks have settled */

/* On a CUDA error leave the function with it; resources are released at `done`. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        error = (call);                                                                                                \
        if (error != cudaSuccess) goto done;                                                                           \
    } while (0)

typedef cudaError_t (*launcher)(void *context, int set, cudaStream_t stream);

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A launch on `set`, and the set put back as it was. */
static cudaError_t launch_and_restore(const timing_task *task, launcher launch, int set, cudaStream_t stream) {
    cudaError_t error = launch(task->context, set, stream);
    if (error == cudaSuccess && task->restore != NULL) error = task->restore(task->context, set, stream);
    return error;
}

static cudaError_t once(const timing_task *task, launcher launch, cudaStream_t stream, double *ms) {
    cudaEvent_t begin = NULL, end = NULL;
    float elapsed = 0.0f;
    cudaError_t error;
    TRY(cudaEventCreate(&begin));
    TRY(cudaEventCreate(&end));
    TRY(launch_and_restore(task, launch, 0, stream));
    TRY(cudaEventRecord(begin, stream));
    TRY(launch(task->context, task->sets > 1 ? 1 : 0, stream));
    TRY(cudaEventRecord(end, stream));
    if (task->restore != NULL) TRY(task->restore(task->context, task->sets > 1 ? 1 : 0, stream));
    TRY(cudaEventSynchronize(end));
    TRY(cudaEventElapsedTime(&elapsed, begin, end));
    *ms = elapsed;
done:
    if (begin != NULL) cudaEventDestroy(begin);
    if (end != NULL) cudaEventDestroy(end);
    return error;
}

cudaError_t timing_once(const timing_task *task, cudaStream_t stream, double *ms) {
    return once(task, task->ours, stream, ms);
}

/* Captures `launches` launches over the operand sets in turn. */
static cudaError_t capture(const timing_task *task, launcher launch, int launches, cudaStream_t stream,
                           cudaGraphExec_t *exec) {
    cudaGraph_t graph = NULL;
    cudaError_t error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (error != cudaSuccess) return error;
    cudaError_t launched = cudaSuccess;
    for (int i = 0; i < launches && launched == cudaSuccess; i++)
        launched = launch(task->context, i % task->sets, stream);
    error = cudaStreamEndCapture(stream, &graph); /* always, to get out of capture */
    if (launched != cudaSuccess) error = launched;
    if (error == cudaSuccess) error = cudaGraphInstantiate(exec, graph, 0);
    if (graph != NULL) cudaGraphDestroy(graph);
    return error;
}

/* What is timed: single launches, or graphs of them. */
typedef struct {
    const timing_task *task;
    launcher launch[2]; /* ours, baseline */
    cudaGraphExec_t graph[2];
    int launches; /* in a graph; 0: single launches */
    int next_set;
} plan;

/* Enqueues one sample of side `side`, between events unless they are NULL. */
static cudaError_t sample(plan *p, int side, cudaEvent_t begin, cudaEvent_t end, cudaStream_t stream) {
    const timing_task *task = p->task;
    cudaError_t error = cudaSuccess;
    int set = p->next_set;
    p->next_set = (set + 1) % task->sets;
    if (task->flush != NULL) TRY(cudaMemsetAsync(task->flush, 0, task->flush_bytes, stream));
    if (begin != NULL) TRY(cudaEventRecord(begin, stream));
    if (p->launches > 0)
        TRY(cudaGraphLaunch(p->graph[side], stream));
    else
        TRY(p->launch[side](task->context, set, stream));
    if (end != NULL) TRY(cudaEventRecord(end, stream));
    if (task->restore != NULL) {
        int first = p->launches > 0 ? 0 : set, last = p->launches > 0 ? task->sets - 1 : set;
        for (int s = first; s <= last; s++) TRY(task->restore(task->context, s, stream));
    }
done:
    return error;
}

/* Waits for `last`, reading clock and power on the way. */
static cudaError_t watch(cudaEvent_t last, double *clocks, double *powers, int *samples) {
    for (;;) {
        cudaError_t error = cudaEventQuery(last);
        if (error != cudaErrorNotReady) return error;
        cudaGetLastError(); /* "not ready" is no error: a launcher must not find it */
        if (*samples < MAX_SAMPLES) {
            double mhz = nvml_clock_mhz(), watt = nvml_power_w();
            if (!isnan(mhz) && !isnan(watt)) {
                clocks[*samples] = mhz;
                powers[(*samples)++] = watt;
            }
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

cudaError_t timing_run(const timing_task *task, cudaStream_t stream, timing_result *r) {
    int sides = task->baseline != NULL ? 2 : 1, samples = 0;
    plan p = {.task = task, .launch = {task->ours, task->baseline}};
    double ms[2] = {0}, *times[2] = {NULL, NULL}, *clocks = NULL, *powers = NULL;
    cudaEvent_t *events = NULL;
    int event_count = 0, pairs = 0;
    cudaError_t error;

    for (int side = 0; side < sides; side++) TRY(once(task, p.launch[side], stream, &ms[side]));
    if (ms[0] < GRAPH_BELOW_MS || (sides == 2 && ms[1] < GRAPH_BELOW_MS)) {
        p.launches = task->sets < MIN_GRAPH_LAUNCHES   ? MIN_GRAPH_LAUNCHES
                     : task->sets > MAX_GRAPH_LAUNCHES ? MAX_GRAPH_LAUNCHES
                                                       : task->sets;
        for (int side = 0; side < sides; side++) {
            TRY(capture(task, p.launch[side], p.launches, stream, &p.graph[side]));
            ms[side] *= p.launches;
        }
    }

    /* Warm up until the clocks have settled, and learn how long a pair takes with everything around it. */
    double begin = now_s(), pair_s = 0.0;
    int warm_ups = 0;
    do {
        for (int side = 0; side < sides; side++) TRY(sample(&p, side, NULL, NULL, stream));
        TRY(cudaStreamSynchronize(stream));
        pair_s = (now_s() - begin) / ++warm_ups;
    } while (now_s() - begin < WARM_UP_S);

    double wanted = task->budget_s / pair_s;
    pairs = wanted < MIN_PAIRS ? MIN_PAIRS : wanted > MAX_PAIRS ? MAX_PAIRS : (int)wanted;
    event_count = pairs * sides * 2;
    events = calloc((size_t)event_count, sizeof *events);
    times[0] = calloc((size_t)pairs, sizeof(double));
    times[1] = calloc((size_t)pairs, sizeof(double));
    clocks = calloc(MAX_SAMPLES, sizeof(double));
    powers = calloc(MAX_SAMPLES, sizeof(double));
    if (events == NULL || times[0] == NULL || times[1] == NULL || clocks == NULL || powers == NULL) {
        error = cudaErrorMemoryAllocation;
        goto done;
    }
    for (int i = 0; i < event_count; i++) TRY(cudaEventCreate(&events[i]));

    for (int i = 0; i < pairs; i++)
        for (int side = 0; side < sides; side++) {
            cudaEvent_t *e = &events[(i * sides + side) * 2];
            TRY(sample(&p, side, e[0], e[1], stream));
        }
    TRY(watch(events[event_count - 1], clocks, powers, &samples));
    TRY(cudaStreamSynchronize(stream));

    for (int i = 0; i < pairs; i++)
        for (int side = 0; side < sides; side++) {
            cudaEvent_t *e = &events[(i * sides + side) * 2];
            float elapsed;
            TRY(cudaEventElapsedTime(&elapsed, e[0], e[1]));
            times[side][i] = elapsed / (p.launches > 0 ? p.launches : 1);
        }
    r->ours_ms = stats_summarise(times[0], pairs);
    r->baseline_ms = stats_summarise(times[1], sides == 2 ? pairs : 0);
    r->ratio = stats_ratio(times[1], times[0], sides == 2 ? pairs : 0);
    r->pairs = pairs;
    r->mode = p.launches > 0 ? "graph" : "events";
    r->clock_mhz = stats_summarise(clocks, samples).median;
    r->power_w = stats_summarise(powers, samples).median;

done:
    for (int i = 0; i < event_count; i++)
        if (events != NULL && events[i] != NULL) cudaEventDestroy(events[i]);
    for (int side = 0; side < 2; side++) {
        if (p.graph[side] != NULL) cudaGraphExecDestroy(p.graph[side]);
        free(times[side]);
    }
    free(events);
    free(clocks);
    free(powers);
    return error;
}
