/* Measuring, with a fake CUDA runtime and a clock that moves only as the test says.
 *
 * The host and one stream each have a time. What is enqueued outside a graph takes the host `overhead` each, a graph
 * takes it once; the stream does one thing after the other, none before it was enqueued. Every run is written to a log
 * in the stream's order, and check_log holds each against what timing.h promises. */
#pragma once

#include <limits.h>
#include <math.h>
#include <time.h>

#include "../unit.h"
#include "bench/timing.h"
#include "gpu/clock_probe.h"

enum { MAX_EVENTS = 2048, MAX_GRAPHS = 16, MAX_INTERVALS = 1024, MAX_SETS = 512, MAX_NODES = 2048 };
static const double US = 1e-6;

typedef enum { LAUNCH, RESTORE, FLUSH, PROBE } kind;

typedef struct {
    kind what;
    int side, set;
    int operation; /* counts what was enqueued: a graph's launches have one number */
    double cost;
} entry;

typedef struct {
    bool live, recorded;
    double time;
    int position; /* in the log */
} made_up_event;

typedef struct {
    bool live;
    int count, moves; /* before it was captured */
    int side[MAX_NODES], set[MAX_NODES];
} made_up_graph;

static struct {
    /* what a test sets */
    double cost[2], overhead;
    double step;          /* costs grow by this factor with each sample of ours: constant within a pair */
    double drift;         /* costs grow by this share a second */
    int fail_at;          /* this call answers `failure`; 0: none */
    bool metered;         /* there is NVML: its watts are the seconds since the start */
    bool sustained;       /* the clock is both sides' */
    int interrupted_at;   /* before this launch or graph the host does something else for 3 ms; 0: never */
    bool waits;           /* a launch returns when it has ended */
    bool query_fails;     /* cudaEventQuery answers an error that is not "not ready" */
    const double *places; /* in the n-th place ours takes so many times its cost; NULL: as much in each */
    /* what comes of it */
    double host, stream, factor;
    int calls, not_ready, syncs, probes, moves;
    double idle; /* seconds for which the stream had nothing to do */
    cudaError_t last_error;
    bool capturing, capture_broken;
    made_up_graph captured, graphs[MAX_GRAPHS], execs[MAX_GRAPHS];
    made_up_event events[MAX_EVENTS];
    entry *log;
    int logged, room, operations;
    struct {
        int begin, end;
    } intervals[MAX_INTERVALS];
    int interval_count;
} fake;

static const cudaError_t failure = cudaErrorLaunchFailure;
static const cudaStream_t the_stream = (cudaStream_t)&fake.stream;
static char flushed[64];

/* ---- a clock ---- */

int clock_gettime(clockid_t id, struct timespec *t) {
    t->tv_sec = (time_t)fake.host;
    t->tv_nsec = (long)((fake.host - (double)t->tv_sec) * 1e9);
    return 0;
}

int nanosleep(const struct timespec *wanted, struct timespec *left) {
    fake.host += (double)wanted->tv_sec + 1e-9 * (double)wanted->tv_nsec;
    return 0;
}

/* ---- NVML ---- */

double nvml_power_w(void) {
    return fake.metered ? fake.host - 1000.0 : NAN;
}

/* ---- a CUDA runtime ---- */

static bool fails(void) {
    if (++fake.calls != fake.fail_at) return false;
    fake.last_error = failure;
    return true;
}

/* A call of the runtime that takes this stream, outside a capture. */
static bool call_fails(cudaStream_t stream) {
    assert_ptr_equal(stream, the_stream);
    assert_false(fake.capturing);
    return fails();
}

static void log_entry(kind what, int side, int set, double cost) {
    if (fake.logged == fake.room) {
        fake.room = fake.room > 0 ? 2 * fake.room : 4096;
        fake.log = realloc(fake.log, (size_t)fake.room * sizeof *fake.log);
        assert_non_null(fake.log);
    }
    fake.log[fake.logged++] = (entry){what, side, set, fake.operations, cost};
    fake.stream += cost;
}

static void enqueue(void) {
    fake.operations++;
    fake.host += fake.overhead + (fake.operations == fake.interrupted_at ? 3e-3 : 0.0);
    if (fake.stream >= fake.host) return;
    fake.idle += fake.host - fake.stream;
    fake.stream = fake.host;
}

static void kernel(int side, int set) {
    const double place = fake.places != NULL && side == 0 ? fake.places[fake.moves] : 1.0;
    log_entry(LAUNCH, side, set, place * fake.cost[side] * fake.factor * (1.0 + fake.drift * (fake.stream - 1000.0)));
}

static cudaError_t launch(int side, int set, cudaStream_t stream) {
    assert_ptr_equal(stream, the_stream);
    if (fails()) {
        fake.capture_broken = fake.capturing;
        return failure;
    }
    if (fake.capturing) {
        made_up_graph *g = &fake.captured;
        assert_true(g->count < MAX_NODES);
        g->side[g->count] = side;
        g->set[g->count++] = set;
        return cudaSuccess;
    }
    if (side == 0 && fake.step > 0.0) fake.factor *= fake.step;
    enqueue();
    kernel(side, set);
    if (fake.waits) fake.host = fake.stream;
    return cudaSuccess;
}

/* ---- a probe that finds the clock at one MHz for each launch between a begin and its end ---- */

cudaError_t clock_probe_create(clock_probe *probe) {
    if (fails()) return failure;
    *probe = (clock_probe){&fake, 1};
    fake.probes++;
    return cudaSuccess;
}

void clock_probe_destroy(clock_probe *probe) {
    fake.probes -= probe->readings != NULL;
    *probe = (clock_probe){0};
}

static cudaError_t read_clock(const clock_probe *probe, int end, cudaStream_t stream) {
    assert_ptr_equal(probe->readings, &fake);
    if (call_fails(stream)) return failure;
    enqueue();
    log_entry(PROBE, end ? -2 : -1, -1, 2 * US);
    return cudaSuccess;
}

cudaError_t clock_probe_begin(clock_probe *probe, cudaStream_t stream) {
    return read_clock(probe, 0, stream);
}

cudaError_t clock_probe_end(clock_probe *probe, cudaStream_t stream) {
    return read_clock(probe, 1, stream);
}

/* Each begin has its end. */
cudaError_t clock_probe_mhz(const clock_probe *probe, double *mhz) {
    int launches = 0;
    bool open = false;
    if (fails()) return failure;
    assert_true(fake.host >= fake.stream); /* it waited */
    for (int i = 0; i < fake.logged; i++) {
        if (fake.log[i].what == PROBE) {
            assert_int_equal(fake.log[i].side, open ? -2 : -1);
            open = !open;
        } else if (open) {
            assert_true(fake.log[i].what == LAUNCH && (fake.sustained || fake.log[i].side == 0));
            launches++;
        }
    }
    assert_false(open);
    *mhz = launches;
    return cudaSuccess;
}

static cudaError_t ours(void *context, int set, cudaStream_t stream) {
    assert_ptr_equal(context, &fake);
    return launch(0, set, stream);
}

static cudaError_t baseline(void *context, int set, cudaStream_t stream) {
    assert_ptr_equal(context, &fake);
    return launch(1, set, stream);
}

static cudaError_t restore(void *context, int set, cudaStream_t stream) {
    assert_ptr_equal(context, &fake);
    if (call_fails(stream)) return failure;
    enqueue();
    log_entry(RESTORE, -1, set, 3 * US);
    return cudaSuccess;
}

/* Nothing is under way while operands move. */
static cudaError_t move(void *context, cudaStream_t stream) {
    assert_ptr_equal(context, &fake);
    assert_ptr_equal(stream, the_stream);
    assert_false(fake.capturing);
    assert_true(fake.host >= fake.stream);
    if (fails()) return failure;
    fake.moves++;
    fake.host += 1e-3;
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream) {
    assert_ptr_equal(stream, the_stream);
    assert_ptr_equal(memory, flushed);
    assert_int_equal(bytes, sizeof flushed);
    assert_false(fake.capturing);
    if (fails()) return failure;
    enqueue();
    log_entry(FLUSH, -1, -1, 20 * US);
    return cudaSuccess;
}

/* The first that does not live, of a pool whose elements begin with whether they do. */
static void *take(void *pool, size_t size, int count) {
    for (char *x = pool; count > 0; count--, x += size)
        if (!*(bool *)x) return x;
    fail_msg("too many are live");
    return NULL;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    if (fails()) return failure;
    made_up_event *e = take(fake.events, sizeof *e, MAX_EVENTS);
    *e = (made_up_event){.live = true};
    *event = (cudaEvent_t)e;
    return cudaSuccess;
}

static made_up_event *live(cudaEvent_t event) {
    made_up_event *e = (made_up_event *)event;
    assert_true(e >= fake.events && e < fake.events + MAX_EVENTS && e->live);
    return e;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    live(event)->live = false;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (call_fails(stream)) return failure;
    if (fake.stream < fake.host) fake.stream = fake.host;
    made_up_event *e = live(event);
    e->recorded = true;
    e->time = fake.stream;
    e->position = fake.logged;
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    assert_false(fake.capturing);
    if (fails()) return failure;
    if (live(event)->time <= fake.host) return cudaSuccess;
    fake.not_ready++;
    return fake.last_error = fake.query_fails ? failure : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    assert_false(fake.capturing);
    if (fails()) return failure;
    if (fake.host < live(event)->time) fake.host = live(event)->time;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (call_fails(stream)) return failure;
    fake.syncs++;
    if (fake.host < fake.stream) fake.host = fake.stream;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end) {
    if (fails()) return failure;
    const made_up_event *b = live(begin), *e = live(end);
    assert_true(b->recorded && e->recorded);
    assert_true(e->time <= fake.host); /* or it would be "not ready" */
    *ms = (float)(1e3 * (e->time - b->time));
    assert_true(fake.interval_count < MAX_INTERVALS);
    fake.intervals[fake.interval_count].begin = b->position;
    fake.intervals[fake.interval_count++].end = e->position;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
    const cudaError_t error = fake.last_error;
    fake.last_error = cudaSuccess;
    return error;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    if (call_fails(stream)) return failure;
    fake.capturing = true;
    fake.capture_broken = false;
    fake.captured = (made_up_graph){.live = true, .moves = fake.moves};
    return cudaSuccess;
}

static made_up_graph *keep(made_up_graph *pool, const made_up_graph *graph) {
    made_up_graph *g = take(pool, sizeof *g, MAX_GRAPHS);
    *g = *graph;
    return g;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    assert_ptr_equal(stream, the_stream);
    assert_true(fake.capturing);
    fake.capturing = false; /* whatever it answers */
    if (fails()) return failure;
    if (fake.capture_broken) return fake.last_error = cudaErrorStreamCaptureInvalidated;
    *graph = (cudaGraph_t)keep(fake.graphs, &fake.captured);
    return cudaSuccess;
}

static made_up_graph *live_graph(void *graph, made_up_graph *pool) {
    made_up_graph *g = graph;
    assert_true(g >= pool && g < pool + MAX_GRAPHS && g->live);
    return g;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
    if (fails()) return failure;
    *exec = (cudaGraphExec_t)keep(fake.execs, live_graph(graph, fake.graphs));
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    live_graph(graph, fake.graphs)->live = false;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    live_graph(exec, fake.execs)->live = false;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    if (call_fails(stream)) return failure;
    const made_up_graph *g = live_graph(exec, fake.execs);
    assert_int_equal(g->moves, fake.moves); /* or it launches on memory that was given back */
    if (g->side[0] == 0 && fake.step > 0.0) fake.factor *= fake.step;
    enqueue();
    for (int i = 0; i < g->count; i++) kernel(g->side[i], g->set[i]);
    return cudaSuccess;
}

/* ---- a run, and what is always true of one ---- */

static timing_task task;
static timing_result result;

static void set_up(double ours_us, double baseline_us, int sets) {
    free(fake.log);
    memset(&fake, 0, sizeof fake);
    fake.cost[0] = ours_us * US;
    fake.cost[1] = baseline_us * US;
    fake.factor = 1.0;
    fake.overhead = 5 * US;
    fake.host = fake.stream = 1000.0;
    memset(&result, 0xAA, sizeof result);
    task = (timing_task){.sets = sets, .ours = {ours, &fake}, .baseline = {baseline, &fake}, .budget_s = 0.05};
}

static void flush_too(void) {
    task.flush = flushed;
    task.flush_bytes = sizeof flushed;
}

static void assert_nothing_left(void) {
    assert_false(fake.capturing);
    assert_int_equal(fake.probes, 0);
    for (int i = 0; i < MAX_EVENTS; i++) assert_false(fake.events[i].live);
    for (int i = 0; i < MAX_GRAPHS; i++) assert_false(fake.graphs[i].live || fake.execs[i].live);
}

/* Where the samples begin (those of the warm-up first): after the last estimate. */
static int first_sample(int sides) {
    const int estimates = fake.interval_count - result.pairs * sides;
    assert_true(estimates >= sides);
    int first = fake.intervals[estimates - 1].end;
    while (first < fake.logged && fake.log[first].what == RESTORE) first++;
    return first;
}

/* So many of the sets are taken: of a multiple of four one stays out, so that A B B A shows each side all of them. */
static int sets_taken(void) {
    return task.baseline.launch != NULL && task.sets % 4 == 0 ? task.sets - 1 : task.sets;
}

/* Which of a set's launches find it cold: since its last use every other set was used. */
static void check_cold(int first) {
    int last_use[MAX_SETS];
    for (int s = 0; s < task.sets; s++) last_use[s] = -1;
    for (int i = first; i < fake.logged; i++) {
        if (fake.log[i].what != LAUNCH) continue;
        const int set = fake.log[i].set;
        if (last_use[set] >= 0)
            for (int s = 0; s < sets_taken(); s++)
                if (s != set && last_use[s] < last_use[set])
                    fail_msg("set %d again, %d launches later, without set %d between", set, i - last_use[set], s);
        last_use[set] = i;
    }
}

/* The same where the caches are flushed: before each sample, and in it no set twice. */
static void check_flushed(int first) {
    int used_by[MAX_SETS] = {0};
    int operation = 0;
    for (int i = first; i < fake.logged; i++) {
        const entry *e = &fake.log[i];
        if (e->what != LAUNCH) continue;
        if (e->operation != operation) {
            const int before = i > 0 && fake.log[i - 1].what == PROBE ? i - 2 : i - 1;
            assert_true(before >= 0);
            assert_int_equal(fake.log[before].what, FLUSH);
        }
        operation = e->operation;
        assert_int_not_equal(used_by[e->set], operation);
        used_by[e->set] = operation;
    }
}

static void check_restored(void) {
    int changed_by[MAX_SETS] = {0};
    for (int i = 0; i < fake.logged; i++) {
        const entry *e = &fake.log[i];
        if (e->what == LAUNCH) {
            assert_true(changed_by[e->set] == 0 || changed_by[e->set] == e->operation);
            changed_by[e->set] = e->operation;
        } else if (e->what == RESTORE) {
            assert_int_not_equal(changed_by[e->set], 0); /* or it was in vain */
            changed_by[e->set] = 0;
        }
    }
    for (int s = 0; s < task.sets; s++) assert_int_equal(changed_by[s], 0);
}

/* Each side has every set equally often, one more or less. */
static void check_fair(int first) {
    int uses[2][MAX_SETS] = {{0}};
    for (int i = first; i < fake.logged; i++)
        if (fake.log[i].what == LAUNCH) uses[fake.log[i].side][fake.log[i].set]++;
    for (int side = 0; side < (task.baseline.launch != NULL ? 2 : 1); side++) {
        int least = INT_MAX, most = 0;
        for (int s = 0; s < sets_taken(); s++) {
            least = uses[side][s] < least ? uses[side][s] : least;
            most = uses[side][s] > most ? uses[side][s] : most;
        }
        assert_true(most - least <= 2);
    }
}

/* A B B A A B B A, or A alone. */
static int side_of(int sample) {
    return task.baseline.launch != NULL ? (sample + 1) / 2 % 2 : 0;
}

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-4 * fabs(expected))) fail_msg("%.9g, not %.9g", value, expected);
}

static void check_log(void) {
    const int sides = task.baseline.launch != NULL ? 2 : 1, first = first_sample(sides);
    for (int i = 0; i < fake.logged; i++)
        if (fake.log[i].what == LAUNCH) assert_in_range(fake.log[i].set, 0, task.sets - 1);

    /* Nothing but the launches is timed; each interval has those of one sample. Those of ours that count are clocked,
     * and nothing else. */
    int clocked = 0;
    const int estimates = fake.interval_count - result.pairs * sides;
    for (int n = 0; n < fake.interval_count; n++) {
        const int begin = fake.intervals[n].begin, end = fake.intervals[n].end;
        assert_true(end > begin);
        for (int i = begin; i < end; i++) {
            assert_int_equal(fake.log[i].what, LAUNCH);
            assert_int_equal(fake.log[i].side, fake.log[begin].side);
        }
        if (n < estimates) continue;
        clocked += fake.log[begin].side == 0 ? end - begin : 0;
        assert_int_equal(fake.log[begin].side, side_of(n - estimates));
        assert_int_equal(fake.log[begin].operation, fake.log[end - 1].operation);
        assert_true(begin == 0 || fake.log[begin - 1].operation != fake.log[begin].operation);
        assert_true(n == estimates || begin >= fake.intervals[n - 1].end);
    }
    assert_near(result.clock_mhz, clocked);
    int sample = 0, operation = 0;
    for (int i = first; i < fake.logged; i++) {
        if (fake.log[i].what != LAUNCH || fake.log[i].operation == operation) continue;
        operation = fake.log[i].operation;
        assert_int_equal(fake.log[i].side, side_of(sample));
        sample++;
    }
    assert_int_equal(sample % (2 * sides), 0);
    assert_int_equal(result.sets, sets_taken());

    if (task.flush != NULL)
        check_flushed(first);
    else {
        check_cold(first);
        check_fair(first);
    }
    if (task.restore != NULL) check_restored();
    if (sides == 1) assert_true(isnan(result.ratio.median) && isnan(result.ratio.min) && isnan(result.baseline_ms.max));
    for (int i = 0; i < fake.logged; i++) {
        assert_true(fake.log[i].side < sides);
        assert_true(task.flush != NULL || fake.log[i].what != FLUSH);
        assert_true(task.restore != NULL || fake.log[i].what != RESTORE);
    }
}

static void run(void) {
    assert_int_equal(timing_run(&task, the_stream, &result), cudaSuccess);
    assert_nothing_left();
    assert_int_equal(fake.last_error, cudaSuccess);
    assert_true(fake.host >= fake.stream); /* it waited */
    assert_true(result.clock_mhz >= 1.0 && isnan(result.power_w));
    check_log();
}

static void assert_all_near(stats_summary s, double expected) {
    assert_near(s.median, expected);
    assert_near(s.min, expected);
    assert_near(s.max, expected);
    assert_near(s.low, expected);
    assert_near(s.high, expected);
}

/* Launches of the first sample of ours. */
static int launches_a_sample(int side) {
    int count = 0, operation = 0;
    for (int i = first_sample(task.baseline.launch != NULL ? 2 : 1); i < fake.logged; i++) {
        if (fake.log[i].what != LAUNCH || fake.log[i].side != side) continue;
        if (operation == 0) operation = fake.log[i].operation;
        count += fake.log[i].operation == operation;
    }
    return count;
}

static void sustain(double seconds) {
    fake.sustained = true;
    assert_int_equal(timing_sustained(&task, seconds, the_stream, &result), cudaSuccess);
    assert_nothing_left();
    assert_int_equal(fake.last_error, cudaSuccess);
    assert_true(fake.host >= fake.stream);
    assert_string_equal(result.mode, "sustained");
}

static int free_log(void **state) {
    free(fake.log);
    return 0;
}
