#include "bench/timing.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "gpu/nvml.h"

enum {
    MIN_PAIRS = 3,
    MAX_PAIRS = 400,
    ESTIMATE_LAUNCHES = 32, /* of a short kernel, in a graph between one pair of events */
    GRAPH_LAUNCHES = 64,
};
static const double GRAPH_BELOW_MS = 0.020;
static const double GRAPH_MAX_MS = 50.0; /* of one graph, where its sets allow */
static const double SHORT_MS = 0.2;      /* what an estimate from one launch must reach to be believed */
static const double WARM_UP_S = 0.1;     /* of uninterrupted work: clocks have settled */
static const double HOT_WARM_UP_S = 0.002;

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

/* How long a launch takes, from one that is not counted and one more; or, where that is short, from two graphs of many:
 * events around a single launch, or around many that the host is slow to make, measure the launching too. What is to be
 * timed between events is never captured: it may wait for the stream. */
static cudaError_t estimate(const timing_task *task, launcher launch, cudaStream_t stream, double *ms) {
    cudaEvent_t begin = NULL, end = NULL;
    cudaGraphExec_t graph = NULL;
    float elapsed = 0.0f;
    cudaError_t error;
    TRY(cudaEventCreate(&begin));
    TRY(cudaEventCreate(&end));
    for (int runs = 1;; runs = ESTIMATE_LAUNCHES) {
        if (runs > 1) TRY(capture(task, launch, runs, stream, &graph));
        for (int counted = 0; counted < 2; counted++) {
            TRY(cudaEventRecord(begin, stream));
            if (graph != NULL)
                TRY(cudaGraphLaunch(graph, stream));
            else
                TRY(launch(task->context, 0, stream));
            TRY(cudaEventRecord(end, stream));
            if (task->restore != NULL)
                for (int i = 0; i < runs && i < task->sets; i++) TRY(task->restore(task->context, i, stream));
        }
        TRY(cudaEventSynchronize(end));
        TRY(cudaEventElapsedTime(&elapsed, begin, end));
        *ms = elapsed / runs;
        if (runs > 1 || *ms >= SHORT_MS || task->mode == TIMING_EVENTS) break;
    }
done:
    if (graph != NULL) cudaGraphExecDestroy(graph);
    if (begin != NULL) cudaEventDestroy(begin);
    if (end != NULL) cudaEventDestroy(end);
    return error;
}

/* Launches in a graph: every set equally often, so that graph after graph each set waits its full turn and is cold;
 * once only where the caches are flushed between graphs. */
static int graph_launches(const timing_task *task, double ms) {
    int sets = task->sets;
    if (task->flush != NULL) return sets;
    double wanted = GRAPH_LAUNCHES * ms > GRAPH_MAX_MS ? GRAPH_MAX_MS / ms : GRAPH_LAUNCHES;
    int rounds = (int)ceil(wanted / sets);
    return (rounds < 1 ? 1 : rounds) * sets;
}

/* What is timed: single launches, or graphs of them. */
typedef struct {
    const timing_task *task;
    launcher launch[2]; /* ours, baseline */
    cudaGraphExec_t graph[2];
    int launches[2]; /* in each one's graph; 0: single launches */
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
    if (p->launches[side] > 0)
        TRY(cudaGraphLaunch(p->graph[side], stream));
    else
        TRY(p->launch[side](task->context, set, stream));
    if (end != NULL) TRY(cudaEventRecord(end, stream));
    if (task->restore != NULL) {
        bool graph = p->launches[side] > 0;
        int first = graph ? 0 : set, last = graph ? task->sets - 1 : set;
        for (int s = first; s <= last; s++) TRY(task->restore(task->context, s, stream));
    }
done:
    return error;
}

/* Clock and power, read every two milliseconds for as long as it takes. */
typedef struct {
    double *clocks, *powers;
    int count, capacity;
} meter;

static void read_meter(meter *m) {
    const double mhz = nvml_clock_mhz(), watt = nvml_power_w();
    if (isnan(mhz) || isnan(watt)) return;
    if (m->count == m->capacity) {
        const int capacity = m->capacity > 0 ? 2 * m->capacity : 1024;
        double *clocks = realloc(m->clocks, (size_t)capacity * sizeof *clocks);
        if (clocks != NULL) m->clocks = clocks;
        double *powers = realloc(m->powers, (size_t)capacity * sizeof *powers);
        if (powers != NULL) m->powers = powers;
        if (clocks == NULL || powers == NULL) return;
        m->capacity = capacity;
    }
    m->clocks[m->count] = mhz;
    m->powers[m->count++] = watt;
}

static void summarise_meter(const meter *m, timing_result *r) {
    r->clock_mhz = stats_summarise(m->clocks, m->count).median;
    r->power_w = stats_summarise(m->powers, m->count).median;
}

/* Waits for `last`, reading clock and power on the way. */
static cudaError_t watch(cudaEvent_t last, meter *m) {
    for (;;) {
        cudaError_t error = cudaEventQuery(last);
        if (error != cudaErrorNotReady) return error;
        cudaGetLastError(); /* "not ready" is no error: a launcher must not find it */
        read_meter(m);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

/* What is measured, as it is to be launched: estimates, and graphs where launches are short. */
static cudaError_t make_plan(plan *p, int sides, cudaStream_t stream, double ms[2]) {
    const timing_task *task = p->task;
    cudaError_t error = cudaSuccess;
    for (int side = 0; side < sides; side++) TRY(estimate(task, p->launch[side], stream, &ms[side]));
    const bool brief = ms[0] < GRAPH_BELOW_MS || (sides == 2 && ms[1] < GRAPH_BELOW_MS);
    if (task->mode == TIMING_GRAPH || (task->mode == TIMING_AUTO && brief))
        for (int side = 0; side < sides; side++) {
            p->launches[side] = graph_launches(task, ms[side]);
            TRY(capture(task, p->launch[side], p->launches[side], stream, &p->graph[side]));
        }
done:
    return error;
}

static void destroy_plan(plan *p) {
    for (int side = 0; side < 2; side++)
        if (p->graph[side] != NULL) cudaGraphExecDestroy(p->graph[side]);
}

cudaError_t timing_run(const timing_task *task, cudaStream_t stream, timing_result *r) {
    int sides = task->baseline != NULL ? 2 : 1;
    plan p = {.task = task, .launch = {task->ours, task->baseline}};
    double ms[2] = {0}, *times[2] = {NULL, NULL};
    meter m = {0};
    cudaEvent_t *events = NULL;
    int event_count = 0, pairs = 0;
    cudaError_t error;

    TRY(make_plan(&p, sides, stream, ms));

    /* Warm up until the clocks have settled, and learn how long a pair takes with everything around it. */
    double begin = now_s(), pair_s = 0.0;
    int warm_ups = 0;
    do {
        for (int side = 0; side < sides; side++) TRY(sample(&p, side, NULL, NULL, stream));
        TRY(cudaStreamSynchronize(stream));
        pair_s = (now_s() - begin) / ++warm_ups;
    } while (now_s() - begin < (task->hot ? HOT_WARM_UP_S : WARM_UP_S));

    double wanted = task->budget_s / pair_s;
    pairs = wanted < MIN_PAIRS ? MIN_PAIRS : wanted > MAX_PAIRS ? MAX_PAIRS : (int)wanted;
    event_count = pairs * sides * 2;
    events = calloc((size_t)event_count, sizeof *events);
    times[0] = calloc((size_t)pairs, sizeof(double));
    times[1] = calloc((size_t)pairs, sizeof(double));
    if (events == NULL || times[0] == NULL || times[1] == NULL) {
        error = cudaErrorMemoryAllocation;
        goto done;
    }
    for (int i = 0; i < event_count; i++) TRY(cudaEventCreate(&events[i]));

    /* One pair more, so that the first that counts waits in the queue like the others: at an idle stream its events
     * would also time the launch. */
    for (int side = 0; side < sides; side++) TRY(sample(&p, side, NULL, NULL, stream));
    for (int i = 0; i < pairs; i++)
        for (int side = 0; side < sides; side++) {
            cudaEvent_t *e = &events[(i * sides + side) * 2];
            TRY(sample(&p, side, e[0], e[1], stream));
        }
    TRY(watch(events[event_count - 1], &m));
    TRY(cudaStreamSynchronize(stream));

    for (int i = 0; i < pairs; i++)
        for (int side = 0; side < sides; side++) {
            cudaEvent_t *e = &events[(i * sides + side) * 2];
            float elapsed;
            TRY(cudaEventElapsedTime(&elapsed, e[0], e[1]));
            times[side][i] = elapsed / (p.launches[side] > 0 ? p.launches[side] : 1);
        }
    r->ours_ms = stats_summarise(times[0], pairs);
    r->baseline_ms = stats_summarise(times[1], sides == 2 ? pairs : 0);
    r->ratio = stats_ratio(times[1], times[0], sides == 2 ? pairs : 0);
    r->pairs = pairs;
    r->mode = p.launches[0] > 0 ? "graph" : "events";
    summarise_meter(&m, r);

done:
    for (int i = 0; i < event_count; i++)
        if (events != NULL && events[i] != NULL) cudaEventDestroy(events[i]);
    destroy_plan(&p);
    for (int side = 0; side < 2; side++) free(times[side]);
    free(events);
    free(m.clocks);
    free(m.powers);
    return error;
}

/* One slice of one side: `samples` of them between two events. */
static cudaError_t slice(plan *p, int side, int samples, cudaEvent_t begin, cudaEvent_t end, cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    TRY(cudaEventRecord(begin, stream));
    for (int i = 0; i < samples; i++) TRY(sample(p, side, NULL, NULL, stream));
    TRY(cudaEventRecord(end, stream));
done:
    return error;
}

cudaError_t timing_sustained(const timing_task *task, double seconds, cudaStream_t stream, timing_result *r) {
    enum { AHEAD = 2 }; /* rounds of slices in the queue, so that it never runs dry */
    const int sides = task->baseline != NULL ? 2 : 1;
    plan p = {.task = task, .launch = {task->ours, task->baseline}};
    double ms[2] = {0}, *times[2] = {NULL, NULL};
    meter m = {0};
    cudaEvent_t events[AHEAD][2][2] = {{{NULL}}};
    int samples[2] = {0}, rounds = 0, first = -1, capacity = 0;
    cudaError_t error;

    TRY(make_plan(&p, sides, stream, ms));
    for (int side = 0; side < sides; side++) {
        const double one = ms[side] * (p.launches[side] > 0 ? p.launches[side] : 1);
        const double wanted = TIMING_SLICE_MS / one;
        samples[side] = wanted < 1.0 ? 1 : (int)wanted;
    }
    /* Room for slices of a quarter of their length, should an estimate be far off. */
    capacity = 2 * MIN_PAIRS + AHEAD + (int)(seconds * 1e3 / TIMING_SLICE_MS * 4.0);
    for (int side = 0; side < 2; side++) times[side] = calloc((size_t)capacity, sizeof(double));
    if (times[0] == NULL || times[1] == NULL) {
        error = cudaErrorMemoryAllocation;
        goto done;
    }
    for (int i = 0; i < AHEAD; i++)
        for (int side = 0; side < sides; side++)
            for (int end = 0; end < 2; end++) TRY(cudaEventCreate(&events[i][side][end]));

    const double begin = now_s();
    bool last = false;
    for (int queued = 0; rounds < queued || !last;) {
        while (!last && queued < rounds + AHEAD) {
            for (int side = 0; side < sides; side++)
                TRY(slice(&p, side, samples[side], events[queued % AHEAD][side][0], events[queued % AHEAD][side][1],
                          stream));
            queued++;
            last = queued == capacity || (queued >= 2 * MIN_PAIRS && now_s() - begin >= seconds);
        }
        cudaEvent_t(*const e)[2] = events[rounds % AHEAD];
        if (first < 0 && rounds >= MIN_PAIRS && now_s() - begin >= seconds / 2) {
            first = rounds;
            m.count = 0;
        }
        TRY(watch(e[sides - 1][1], &m));
        for (int side = 0; side < sides; side++) {
            float elapsed;
            TRY(cudaEventElapsedTime(&elapsed, e[side][0], e[side][1]));
            times[side][rounds] = elapsed / samples[side] / (p.launches[side] > 0 ? p.launches[side] : 1);
        }
        rounds++;
    }
    if (first < 0 || first >= rounds) first = rounds / 2;
    r->ours_ms = stats_summarise(times[0] + first, rounds - first);
    r->baseline_ms = stats_summarise(times[1] + first, sides == 2 ? rounds - first : 0);
    r->ratio = stats_ratio(times[1] + first, times[0] + first, sides == 2 ? rounds - first : 0);
    r->pairs = rounds - first;
    r->mode = "sustained";
    summarise_meter(&m, r);

done:
    for (int i = 0; i < AHEAD; i++)
        for (int side = 0; side < 2; side++)
            for (int end = 0; end < 2; end++)
                if (events[i][side][end] != NULL) cudaEventDestroy(events[i][side][end]);
    destroy_plan(&p);
    for (int side = 0; side < 2; side++) free(times[side]);
    free(m.clocks);
    free(m.powers);
    return error;
}
