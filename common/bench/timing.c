#include "bench/timing.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "gpu/clock_probe.h"
#include "gpu/nvml.h"

enum {
    MIN_PAIRS = TIMING_ROUNDS, /* fewer have no 95 % interval */
    MAX_PAIRS = 400,
    ESTIMATE_LAUNCHES = 32, /* of a short kernel, in a graph between one pair of events */
    GRAPH_LAUNCHES = 64,
    CHAIN_LEAST = 4, /* launches in a chain, however long they are */
    AHEAD = 2,       /* batches in the queue, so that it never runs dry */
};
static const double GRAPH_BELOW_MS = 0.020;
static const double GRAPH_MAX_MS = 50.0; /* of one graph, where its sets allow */
static const double SHORT_MS = 1.0;      /* what an estimate from one launch must reach to be believed */
static const double METER_S = 0.002;
static const double WARM_UP_S = 0.1; /* of uninterrupted work: clocks have settled */
static const double HOT_WARM_UP_S = 0.002;
static const double ROUND_WARM_UP_MS = 20.0; /* of the later rounds: clocks have not sunk while operands moved */
static const double BATCH_MS = 1.0;          /* of a warm-up: what is waiting in the queue while the host is woken up */

/* On a CUDA error leave the function with it; resources are released at `done`. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        error = (call);                                                                                                \
        if (error != cudaSuccess) goto done;                                                                           \
    } while (0)

cudaError_t timing_capture(const timing_side *side, int sets, int launches, cudaStream_t stream,
                           cudaGraphExec_t *exec) {
    cudaGraph_t graph = NULL;
    cudaError_t error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (error != cudaSuccess) return error;
    cudaError_t launched = cudaSuccess;
    for (int i = 0; i < launches && launched == cudaSuccess; i++)
        launched = side->launch(side->context, i % sets, stream);
    error = cudaStreamEndCapture(stream, &graph); /* always, to get out of capture */
    if (launched != cudaSuccess) error = launched;
    if (error == cudaSuccess) error = cudaGraphInstantiate(exec, graph, 0);
    if (graph != NULL) cudaGraphDestroy(graph);
    return error;
}

/* How long a launch takes: the shorter of two, since the host may be interrupted between recording an event and
 * launching. Events around a short launch would mostly measure launch overhead: there it is the shorter of two graphs
 * of many launches, after one that does not count. With TIMING_EVENTS nothing is captured: such a launch may
 * synchronize the stream. */
static cudaError_t estimate(const timing_task *task, const timing_side *side, cudaStream_t stream, double *ms) {
    enum { TRIES = 3 };
    cudaEvent_t events[TRIES][2] = {{NULL}};
    cudaGraphExec_t graph = NULL;
    cudaError_t error;
    for (int i = 0; i < TRIES; i++)
        for (int end = 0; end < 2; end++) TRY(cudaEventCreate(&events[i][end]));
    for (int runs = 1;; runs = ESTIMATE_LAUNCHES) {
        const int first = runs > 1 ? 0 : 1;
        if (runs > 1) TRY(timing_capture(side, task->sets, runs, stream, &graph));
        for (int i = first; i < TRIES; i++) {
            TRY(cudaEventRecord(events[i][0], stream));
            if (graph != NULL)
                TRY(cudaGraphLaunch(graph, stream));
            else
                TRY(side->launch(side->context, 0, stream));
            TRY(cudaEventRecord(events[i][1], stream));
            if (task->restore != NULL)
                for (int set = 0; set < runs && set < task->sets; set++)
                    TRY(task->restore(task->ours.context, set, stream));
        }
        TRY(cudaEventSynchronize(events[TRIES - 1][1]));
        *ms = INFINITY;
        for (int i = 1; i < TRIES; i++) {
            float elapsed;
            TRY(cudaEventElapsedTime(&elapsed, events[i][0], events[i][1]));
            *ms = fmin(*ms, elapsed / runs);
        }
        if (runs > 1 || *ms >= SHORT_MS || task->mode == TIMING_EVENTS) break;
    }
done:
    if (graph != NULL) cudaGraphExecDestroy(graph);
    for (int i = 0; i < TRIES; i++)
        for (int end = 0; end < 2; end++)
            if (events[i][end] != NULL) cudaEventDestroy(events[i][end]);
    return error;
}

/* Launches in a graph: every set equally often, so that graph after graph each set waits its full turn and is cold;
 * once only where the caches are flushed between graphs. */
static int graph_launches(const timing_task *task, int sets, double ms) {
    const bool chain = task->mode == TIMING_CHAIN;
    if (task->flush != NULL) return sets;
    double wanted = GRAPH_LAUNCHES * ms > GRAPH_MAX_MS ? GRAPH_MAX_MS / ms : GRAPH_LAUNCHES;
    if (chain && wanted < CHAIN_LEAST) wanted = CHAIN_LEAST;
    const int rounds = (int)ceil(wanted / sets);
    return (rounds < 1 ? 1 : rounds) * sets;
}

/* What is timed: single launches or graphs of them, once or several times a sample. */
typedef struct {
    const timing_task *task;
    int sides, sets;
    const timing_side *side[2]; /* ours, baseline */
    double ms[2];               /* a launch, estimated */
    cudaGraphExec_t graph[2];
    int launches[2]; /* in each one's graph; 0: single launches */
    int repeats[2];  /* of the launch or graph in one sample */
    int next_set;
    long samples;       /* enqueued */
    clock_probe *probe; /* clocks each of ours that counts; NULL: none */
} plan;

static int launches_a_sample(const plan *p, int side) {
    return (p->launches[side] > 0 ? p->launches[side] : 1) * p->repeats[side];
}

static double sample_ms(const plan *p, int side) {
    return p->ms[side] * launches_a_sample(p, side);
}

static int fit(double wanted, int least, int most) {
    return wanted < least ? least : wanted > most ? most : (int)wanted;
}

/* Enqueues one sample of side `side`, between events unless they are NULL. */
static cudaError_t sample(plan *p, int side, cudaEvent_t begin, cudaEvent_t end, cudaStream_t stream) {
    const timing_task *task = p->task;
    const bool graph = p->launches[side] > 0;
    const int first = graph ? 0 : p->next_set;
    const bool clocked = p->probe != NULL && begin != NULL && side == 0;
    cudaError_t error = cudaSuccess;
    if (task->flush != NULL) TRY(cudaMemsetAsync(task->flush, 0, task->flush_bytes, stream));
    if (clocked) TRY(clock_probe_begin(p->probe, stream));
    if (begin != NULL) TRY(cudaEventRecord(begin, stream));
    for (int i = 0; i < p->repeats[side]; i++) {
        if (graph)
            TRY(cudaGraphLaunch(p->graph[side], stream));
        else
            TRY(p->side[side]->launch(p->side[side]->context, p->next_set, stream));
        p->next_set = (p->next_set + 1) % p->sets;
    }
    if (end != NULL) TRY(cudaEventRecord(end, stream));
    if (clocked) TRY(clock_probe_end(p->probe, stream));
    if (task->restore != NULL)
        for (int i = 0; i < (graph ? p->sets : 1); i++) TRY(task->restore(task->ours.context, first + i, stream));
done:
    return error;
}

/* Whose the next sample is: A B B A A B B A ... */
static int next_side(plan *p) {
    static const int order[] = {0, 1, 1, 0};
    const long number = p->samples++;
    return p->sides == 2 ? order[number % 4] : 0;
}

/* Power, read every few milliseconds for as long as it takes. */
typedef struct {
    double *watts;
    int count, capacity;
    double last_s; /* when it was read last */
} meter;

static void read_meter(meter *m) {
    const double now = clock_now_s();
    if (now - m->last_s < METER_S) return;
    m->last_s = now;
    const double watts = nvml_power_w();
    if (isnan(watts)) return;
    if (m->count == m->capacity) {
        const int capacity = m->capacity > 0 ? 2 * m->capacity : 1024;
        double *grown = realloc(m->watts, (size_t)capacity * sizeof *grown);
        if (grown == NULL) return;
        m->watts = grown;
        m->capacity = capacity;
    }
    m->watts[m->count++] = watts;
}

/* Waits for `last`, reading the power on the way. */
static cudaError_t watch(cudaEvent_t last, meter *m) {
    for (;;) {
        cudaError_t error = cudaEventQuery(last);
        if (error != cudaErrorNotReady) return error;
        cudaGetLastError(); /* "not ready" is no error: a launcher must not find it */
        read_meter(m);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

static void release_graphs(plan *p) {
    for (int side = 0; side < 2; side++) {
        if (p->graph[side] != NULL) cudaGraphExecDestroy(p->graph[side]);
        p->graph[side] = NULL;
    }
}

static cudaError_t capture_graphs(plan *p, cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    for (int side = 0; side < p->sides && p->launches[side] > 0 && error == cudaSuccess; side++)
        error = timing_capture(p->side[side], p->sets, p->launches[side], stream, &p->graph[side]);
    return error;
}

/* What is measured, as it is to be launched: estimates, and graphs where launches are short. */
static cudaError_t make_plan(plan *p, const timing_task *task, cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    *p = (plan){.task = task, .side = {&task->ours, &task->baseline}, .repeats = {1, 1}};
    p->sides = task->baseline.launch != NULL ? 2 : 1;
    p->sets = p->sides == 2 && task->sets % 4 == 0 ? task->sets - 1 : task->sets;
    for (int side = 0; side < p->sides; side++) TRY(estimate(task, p->side[side], stream, &p->ms[side]));
    const bool brief = p->ms[0] < GRAPH_BELOW_MS || (p->sides == 2 && p->ms[1] < GRAPH_BELOW_MS);
    if (task->mode == TIMING_EVENTS || (task->mode == TIMING_AUTO && !brief)) return cudaSuccess;
    for (int side = 0; side < p->sides; side++) p->launches[side] = graph_launches(task, p->sets, p->ms[side]);
    TRY(capture_graphs(p, stream));
done:
    return error;
}

/* Samples without a pause for so many seconds, after which some are still in the queue. *pair_s: how long a pair takes
 * with everything around it. */
static cudaError_t warm_up(plan *p, double seconds, cudaStream_t stream, double *pair_s) {
    const double pair_ms = sample_ms(p, 0) + (p->sides == 2 ? sample_ms(p, 1) : 0.0);
    const int batch = 2 * fit(BATCH_MS / pair_ms, 1, 32); /* pairs */
    cudaEvent_t ends[AHEAD] = {NULL};
    cudaError_t error;
    for (int i = 0; i < AHEAD; i++) TRY(cudaEventCreate(&ends[i]));
    const double begin = clock_now_s();
    for (int queued = 0, ended = 0; ended == 0 || clock_now_s() - begin < seconds; ended++) {
        for (; queued < ended + AHEAD; queued++) {
            for (int i = 0; i < batch * p->sides; i++) TRY(sample(p, next_side(p), NULL, NULL, stream));
            TRY(cudaEventRecord(ends[queued % AHEAD], stream));
        }
        TRY(cudaEventSynchronize(ends[ended % AHEAD]));
        *pair_s = (clock_now_s() - begin) / (ended + 1) / batch;
    }
done:
    for (int i = 0; i < AHEAD; i++)
        if (ends[i] != NULL) cudaEventDestroy(ends[i]);
    return error;
}

/* The samples' times by side and pair. */
typedef struct {
    double *ms[2];
    int capacity;
} times;

static bool allocate_times(times *t, int capacity) {
    t->capacity = capacity;
    for (int side = 0; side < 2; side++) t->ms[side] = calloc((size_t)capacity, sizeof(double));
    return t->ms[0] != NULL && t->ms[1] != NULL;
}

/* Of pairs first ... first + count - 1. */
static void summarise(const plan *p, const times *t, int first, int count, timing_result *r) {
    const int beside = p->sides == 2 ? count : 0;
    r->ours_ms = stats_of_blocks(t->ms[0] + first, count, TIMING_ROUNDS);
    r->baseline_ms = stats_of_blocks(t->ms[1] + first, beside, TIMING_ROUNDS);
    r->ratio = stats_ratio(t->ms[1] + first, t->ms[0] + first, beside, TIMING_ROUNDS);
    r->pairs = count;
    r->sets = p->sets;
    r->clock_mhz = r->power_w = NAN;
}

/* Reads the time of a sample of pair number `pair`: the first or second of its two. */
static cudaError_t take_time(const plan *p, times *t, int pair, int second, const cudaEvent_t *e) {
    const int side = p->sides == 2 ? second ^ (pair & 1) : 0; /* the pairs are AB, BA, AB ... */
    float elapsed;
    const cudaError_t error = cudaEventElapsedTime(&elapsed, e[0], e[1]);
    t->ms[side][pair] = elapsed / launches_a_sample(p, side);
    return error;
}

static void release(plan *p, times *t, clock_probe *probe) {
    release_graphs(p);
    for (int side = 0; side < 2; side++) free(t->ms[side]);
    clock_probe_destroy(probe);
}

/* The operands elsewhere, graphs that launch on them, and a short warm-up there. */
static cudaError_t move(plan *p, cudaStream_t stream) {
    const double pair_ms = sample_ms(p, 0) + (p->sides == 2 ? sample_ms(p, 1) : 0.0);
    cudaError_t error;
    release_graphs(p);
    TRY(p->task->move(p->task->ours.context, stream));
    TRY(capture_graphs(p, stream));
    for (int i = p->sides * fit(ROUND_WARM_UP_MS / pair_ms, 1, MAX_PAIRS); i > 0; i--)
        TRY(sample(p, next_side(p), NULL, NULL, stream));
done:
    return error;
}

/* So many of so long pairs in each of the rounds: even, so that both orders are in each, or a single one. */
static int pairs_a_round(double wanted, int rounds, int most) {
    const double each = wanted / rounds;
    if (rounds > 1 && (each < 1.5 || most < 2 * rounds)) return 1;
    return 2 * fit(each / 2.0 + 0.5, rounds > 1 ? 1 : MIN_PAIRS / 2, most / rounds / 2);
}

cudaError_t timing_run(const timing_task *task, cudaStream_t stream, timing_result *r) {
    const int rounds = task->move != NULL ? TIMING_ROUNDS : 1;
    plan p;
    times t = {0};
    clock_probe probe = {0};
    cudaEvent_t *events = NULL;
    int event_count = 0, each = 0, done_pairs = 0;
    double pair_s = 0.0;
    cudaError_t error;

    TRY(make_plan(&p, task, stream));
    if (!task->hot) {
        TRY(clock_probe_create(&probe));
        p.probe = &probe;
    }
    /* Whatever is slow on the host comes first, before the stream gets busy. */
    const double shortest_s = (sample_ms(&p, 0) + (p.sides == 2 ? sample_ms(&p, 1) : 0.0)) * 0.8e-3;
    const int most = rounds * pairs_a_round(task->budget_s / shortest_s + 2.0, rounds, MAX_PAIRS);
    events = calloc((size_t)(most * p.sides) * 2, sizeof *events);
    if (events == NULL || !allocate_times(&t, most)) {
        error = cudaErrorMemoryAllocation;
        goto done;
    }
    for (; event_count < most * p.sides * 2; event_count++) TRY(cudaEventCreate(&events[event_count]));

    TRY(warm_up(&p, task->hot ? HOT_WARM_UP_S : WARM_UP_S, stream, &pair_s));
    each = pairs_a_round(task->budget_s / pair_s, rounds, most);
    for (int round = 0; round < rounds; round++, done_pairs += each) {
        const int begin = done_pairs * p.sides, end = begin + each * p.sides;
        if (round > 0) TRY(move(&p, stream));
        p.samples = begin; /* the pairs go on being AB, BA, AB ... */
        for (int i = begin; i < end; i++) TRY(sample(&p, next_side(&p), events[2 * i], events[2 * i + 1], stream));
        TRY(cudaStreamSynchronize(stream));
        for (int i = begin; i < end; i++) TRY(take_time(&p, &t, i / p.sides, i % p.sides, &events[2 * i]));
    }
    summarise(&p, &t, 0, done_pairs, r);
    r->mode = task->mode == TIMING_CHAIN ? "chain" : p.launches[0] > 0 ? "graph" : "events";
    if (!task->hot) TRY(clock_probe_mhz(&probe, &r->clock_mhz));

done:
    for (int i = 0; i < event_count; i++) cudaEventDestroy(events[i]);
    free(events);
    release(&p, &t, &probe);
    return error;
}

cudaError_t timing_sustained(const timing_task *task, double seconds, cudaStream_t stream, timing_result *r) {
    plan p;
    times t = {0};
    meter m = {0};
    clock_probe probe = {0};
    cudaEvent_t events[AHEAD][2][2] = {{{NULL}}};
    int pairs = 0, first = -1;
    cudaError_t error;

    TRY(make_plan(&p, task, stream));
    TRY(clock_probe_create(&probe));
    for (int side = 0; side < p.sides; side++) p.repeats[side] = fit(TIMING_SLICE_MS / sample_ms(&p, side), 1, INT_MAX);
    /* Room for slices of a quarter of their length, should an estimate be far off. */
    if (!allocate_times(&t, 2 * MIN_PAIRS + AHEAD + (int)(seconds * 1e3 / TIMING_SLICE_MS * 4.0))) {
        error = cudaErrorMemoryAllocation;
        goto done;
    }
    for (int i = 0; i < AHEAD; i++)
        for (int sample = 0; sample < p.sides; sample++)
            for (int end = 0; end < 2; end++) TRY(cudaEventCreate(&events[i][sample][end]));

    const double begin = clock_now_s();
    bool last = false;
    for (int queued = 0; pairs < queued || !last;) {
        while (!last && queued < pairs + AHEAD) {
            cudaEvent_t(*const e)[2] = events[queued % AHEAD];
            for (int i = 0; i < p.sides; i++) {
                TRY(sample(&p, next_side(&p), e[i][0], e[i][1], stream));
                read_meter(&m); /* the host may have waited for the launch itself */
            }
            queued++;
            last = queued == t.capacity || (queued >= 2 * MIN_PAIRS && clock_now_s() - begin >= seconds);
            if (last) TRY(clock_probe_end(&probe, stream));
        }
        cudaEvent_t(*const e)[2] = events[pairs % AHEAD];
        if (first < 0 && pairs >= MIN_PAIRS && clock_now_s() - begin >= seconds / 2) {
            first = pairs;
            m.count = 0;
            if (!last) TRY(clock_probe_begin(&probe, stream));
        }
        TRY(watch(e[p.sides - 1][1], &m));
        for (int i = 0; i < p.sides; i++) TRY(take_time(&p, &t, pairs, i, e[i]));
        pairs++;
    }
    TRY(cudaStreamSynchronize(stream));
    if (first < 0 || first >= pairs) first = pairs / 2;
    summarise(&p, &t, first, pairs - first, r);
    r->power_w = stats_summarise(m.watts, m.count).median;
    r->mode = "sustained";
    TRY(clock_probe_mhz(&probe, &r->clock_mhz));

done:
    for (int i = 0; i < AHEAD; i++)
        for (int sample = 0; sample < 2; sample++)
            for (int end = 0; end < 2; end++)
                if (events[i][sample][end] != NULL) cudaEventDestroy(events[i][sample][end]);
    free(m.watts);
    release(&p, &t, &probe);
    return error;
}
