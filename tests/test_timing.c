/* Measuring, with a fake CUDA runtime and a clock that moves only as the test says.
 *
 * The host and one stream each have a time. What is enqueued outside a graph takes the host `overhead` each, a graph
 * takes it once; the stream does one thing after the other, none before it was enqueued. Every run is written to a log
 * in the stream's order, and check_log holds each against what timing.h promises. */
#include <cuda_runtime_api.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

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
    (void)id;
    t->tv_sec = (time_t)fake.host;
    t->tv_nsec = (long)((fake.host - (double)t->tv_sec) * 1e9);
    return 0;
}

int nanosleep(const struct timespec *wanted, struct timespec *left) {
    (void)left;
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

/* ---- a probe that finds the clock at one MHz for each launch of ours between its ends ---- */

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

static cudaError_t read_clock(const clock_probe *probe, cudaStream_t stream) {
    assert_ptr_equal(probe->readings, &fake);
    assert_ptr_equal(stream, the_stream);
    assert_false(fake.capturing);
    if (fails()) return failure;
    enqueue();
    log_entry(PROBE, -1, -1, 2 * US);
    return cudaSuccess;
}

cudaError_t clock_probe_begin(clock_probe *probe, cudaStream_t stream) {
    return read_clock(probe, stream);
}

cudaError_t clock_probe_end(clock_probe *probe, cudaStream_t stream) {
    return read_clock(probe, stream);
}

/* The second of the two is the last thing that happened. */
cudaError_t clock_probe_mhz(const clock_probe *probe, double *mhz) {
    int end = fake.logged - 1, launches = 0;
    if (fails()) return failure;
    assert_true(fake.host >= fake.stream); /* it waited */
    while (fake.log[end].what == RESTORE) end--;
    assert_int_equal(fake.log[end].what, PROBE);
    for (int i = end - 1; fake.log[i].what != PROBE; i--) {
        assert_true(fake.sustained || fake.log[i].side != 1);
        launches += fake.log[i].what == LAUNCH;
    }
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
    assert_ptr_equal(stream, the_stream);
    assert_false(fake.capturing);
    if (fails()) return failure;
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
    (void)value;
    assert_ptr_equal(stream, the_stream);
    assert_ptr_equal(memory, flushed);
    assert_int_equal(bytes, sizeof flushed);
    assert_false(fake.capturing);
    if (fails()) return failure;
    enqueue();
    log_entry(FLUSH, -1, -1, 20 * US);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    if (fails()) return failure;
    for (int i = 0; i < MAX_EVENTS; i++)
        if (!fake.events[i].live) {
            fake.events[i] = (made_up_event){.live = true};
            *event = (cudaEvent_t)&fake.events[i];
            return cudaSuccess;
        }
    return cudaErrorMemoryAllocation;
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
    assert_ptr_equal(stream, the_stream);
    assert_false(fake.capturing);
    if (fails()) return failure;
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
    assert_ptr_equal(stream, the_stream);
    assert_false(fake.capturing);
    if (fails()) return failure;
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
    (void)mode;
    assert_ptr_equal(stream, the_stream);
    assert_false(fake.capturing);
    if (fails()) return failure;
    fake.capturing = true;
    fake.capture_broken = false;
    fake.captured = (made_up_graph){.live = true, .moves = fake.moves};
    return cudaSuccess;
}

static made_up_graph *keep(made_up_graph *pool, const made_up_graph *graph) {
    for (int i = 0; i < MAX_GRAPHS; i++)
        if (!pool[i].live) {
            pool[i] = *graph;
            return &pool[i];
        }
    fail_msg("more than %d graphs", MAX_GRAPHS);
    return NULL;
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
    (void)flags;
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
    assert_ptr_equal(stream, the_stream);
    assert_false(fake.capturing);
    if (fails()) return failure;
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
    static int last_use[MAX_SETS];
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
    static int used_by[MAX_SETS];
    memset(used_by, 0, sizeof used_by);
    int operation = 0;
    for (int i = first; i < fake.logged; i++) {
        const entry *e = &fake.log[i];
        if (e->what != LAUNCH) continue;
        if (e->operation != operation) {
            assert_true(i > 0);
            assert_int_equal(fake.log[i - 1].what, FLUSH);
        }
        operation = e->operation;
        assert_int_not_equal(used_by[e->set], operation);
        used_by[e->set] = operation;
    }
}

static void check_restored(void) {
    static int changed_by[MAX_SETS];
    memset(changed_by, 0, sizeof changed_by);
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
    static int uses[2][MAX_SETS];
    memset(uses, 0, sizeof uses);
    for (int i = first; i < fake.logged && fake.log[i].what != PROBE; i++)
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

static void check_log(void) {
    const int sides = task.baseline.launch != NULL ? 2 : 1, first = first_sample(sides);
    for (int i = 0; i < fake.logged; i++)
        if (fake.log[i].what == LAUNCH) assert_in_range(fake.log[i].set, 0, task.sets - 1);

    /* Nothing but the launches is timed; each interval has those of one sample. */
    const int estimates = fake.interval_count - result.pairs * sides;
    for (int n = 0; n < fake.interval_count; n++) {
        const int begin = fake.intervals[n].begin, end = fake.intervals[n].end;
        assert_true(end > begin);
        for (int i = begin; i < end; i++) {
            assert_int_equal(fake.log[i].what, LAUNCH);
            assert_int_equal(fake.log[i].side, fake.log[begin].side);
        }
        if (n < estimates) continue;
        assert_int_equal(fake.log[begin].side, side_of(n - estimates));
        assert_int_equal(fake.log[begin].operation, fake.log[end - 1].operation);
        assert_true(begin == 0 || fake.log[begin - 1].operation != fake.log[begin].operation);
        assert_true(n == estimates || begin >= fake.intervals[n - 1].end);
    }
    int sample = 0, operation = 0;
    for (int i = first; i < fake.logged && fake.log[i].what != PROBE; i++) {
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
    for (int i = 0; i < fake.logged; i++) {
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

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-4 * fabs(expected))) fail_msg("%.9g, not %.9g", value, expected);
}

static void assert_all_near(stats_summary s, double expected) {
    assert_near(s.median, expected);
    assert_near(s.min, expected);
    assert_near(s.max, expected);
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

/* ---- tests ---- */

static int launches_logged(void) {
    int count = 0;
    for (int i = 0; i < fake.logged; i++) count += fake.log[i].what == LAUNCH;
    return count;
}

static void times_and_ratio(void **state) {
    (void)state;
    set_up(100, 130, 4);
    run();
    assert_string_equal(result.mode, "events");
    assert_all_near(result.ours_ms, 0.1);
    assert_all_near(result.baseline_ms, 0.13);
    assert_all_near(result.ratio, 1.3);

    set_up(10, 8, 4);
    run();
    assert_string_equal(result.mode, "graph");
    assert_int_equal(launches_a_sample(0), 66);                /* whole rounds of three sets */
    assert_true(fabs(result.ours_ms.median - 0.010) < 0.0001); /* a graph's own launch is in it at most */
    assert_true(fabs(result.ratio.median - 0.8) < 0.01);
}

/* The ratio is one of neighbours, in both orders, so clocks that change do not change it. */
static void clocks_that_drift(void **state) {
    (void)state;
    set_up(100, 150, 3);
    fake.step = 1.001;
    run();
    assert_true(result.ours_ms.max > 1.1 * result.ours_ms.min);
    assert_true(fabs(result.ratio.median - 1.5) < 0.001); /* A B: 1.5; B A: 1.5 / 1.001 */
    assert_true(result.ratio.max - result.ratio.min < 0.002);

    set_up(50, 25, 3);
    fake.drift = 20.0; /* a share of 0.0025 a pair, 3 times as slow in the end */
    task.budget_s = 0.1;
    run();
    assert_true(result.ours_ms.max > 1.3 * result.ours_ms.min);
    assert_true(fabs(result.ratio.median - 0.5) < 0.002);
    assert_true(result.ratio.max - result.ratio.min < 0.002);

    set_up(12, 18, 3); /* graphs */
    fake.step = 1.01;
    fake.overhead = 0.0;
    task.budget_s = 0.2;
    run();
    assert_string_equal(result.mode, "graph");
    assert_true(result.ours_ms.max > 1.1 * result.ours_ms.min);
    assert_true(fabs(result.ratio.median - 1.5) < 0.008);
}

/* The median's interval: of 400 equal values it is a point, of a drift it lies around the median, within the extremes.
 */
static void intervals(void **state) {
    (void)state;
    set_up(100, 150, 3);
    run();
    assert_near(result.ours_ms.low, 0.1);
    assert_near(result.ratio.high, 1.5);
    set_up(100, 150, 3);
    fake.step = 1.001;
    run();
    const stats_summary s = result.ours_ms;
    assert_true(s.min < s.low && s.low < s.median && s.median < s.high &&
                s.high < s.max); /* of six parts of the time */
}

/* A kernel whose time depends on where its operands lie: the interval is that of the places, each of which has its part
 * of the pairs, in both orders; without places it has no width. */
static void rounds_in_other_places(void **state) {
    (void)state;
    static const double places[TIMING_ROUNDS] = {1.00, 1.04, 1.00, 1.01, 1.00, 0.98},
                        same[TIMING_ROUNDS] = {1, 1, 1, 1, 1, 1};
    const struct {
        double us, budget_s;
        int pairs;
        const char *mode;
    } cases[] = {
        {100, 0.05, 168, "events"}, {10, 0.05, 36, "graph"}, {300000, 1.0, 6, "events"}, {100, 60, 396, "events"}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int way = 0; way < 4; way++) {
            set_up(cases[c].us, 2 * cases[c].us, 3);
            fake.overhead = 0.0;
            fake.places = way & 1 ? same : places;
            if (way & 2) task.restore = restore;
            task.move = move;
            task.budget_s = cases[c].budget_s;
            assert_int_equal(timing_run(&task, the_stream, &result), cudaSuccess);
            assert_nothing_left();
            assert_int_equal(fake.moves, TIMING_ROUNDS - 1);
            assert_string_equal(result.mode, cases[c].mode);
            if ((way & 2) == 0) assert_in_range(result.pairs + 12, cases[c].pairs, cases[c].pairs + 12);
            assert_int_equal(result.pairs % TIMING_ROUNDS, 0);
            for (int n = 0; n < 2 * result.pairs; n++) {
                const int at = fake.intervals[fake.interval_count - 2 * result.pairs + n].begin;
                assert_int_equal(fake.log[at].side, side_of(n));
            }
            const double ms = cases[c].us / 1e3;
            assert_near(result.ours_ms.median, ms);
            assert_near(result.ours_ms.low, way & 1 ? ms : 0.98 * ms);
            assert_near(result.ours_ms.high, way & 1 ? ms : 1.04 * ms);
            assert_all_near(result.baseline_ms, 2 * ms);
            assert_near(result.ratio.low, way & 1 ? 2.0 : 2.0 / 1.04);
            assert_near(result.ratio.high, way & 1 ? 2.0 : 2.0 / 0.98);
            assert_true(result.clock_mhz >= 1.0);
        }
    set_up(300000, 300000, 2); /* six pairs take no longer than they did: a pair in each place to warm up */
    task.move = move;
    task.budget_s = 0.3;
    assert_int_equal(timing_run(&task, the_stream, &result), cudaSuccess);
    assert_true(launches_logged() <= 25 + 10);
}

/* From the warm-up on the stream never waits for the host; nor does it where pairs are of a few microseconds. */
static void no_pause(void **state) {
    (void)state;
    const double costs[][2] = {{100, 130}, {10, 8}, {60000, 70000}, {25, 30}};
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        set_up(costs[i][0], costs[i][1], 3);
        fake.overhead = 1 * US;
        run();
        const double of_estimates = 4 * 40 * fake.overhead; /* two of 32 launches a side, and two single ones */
        assert_true(fake.idle <= of_estimates + 10 * fake.overhead);
    }
}

/* The host is interrupted between an event and a launch: a short kernel is none the longer for it. */
static void an_interruption(void **state) {
    (void)state;
    for (int at = 1; at <= 6; at++) {
        set_up(7, 7, 3);
        fake.interrupted_at = at;
        run();
        assert_string_equal(result.mode, "graph");
    }
}

static void mode_is_the_kernels_own(void **state) {
    (void)state;
    const struct {
        double ours_us, baseline_us, overhead_us;
        const char *mode;
    } cases[] = {{20.5, 20.5, 0, "events"}, {19.5, 30, 0, "graph"},   {30, 19.5, 0, "graph"},  {13, 13, 5, "graph"},
                 {17, 50, 5, "graph"},      {50, 17, 5, "graph"},     {17, 17, 8, "graph"},    {10, 10, 25, "graph"},
                 {2, 500, 150, "graph"},    {25, 25, 5, "events"},    {21, 21, 30, "events"},  {250, 250, 5, "events"},
                 {150, 150, 150, "events"}, {1, 100000, 5, "graph"},  {100000, 1, 5, "graph"}, {19, 2000, 100, "graph"},
                 {0.5, 0.5, 5, "graph"},    {1000, 1000, 5, "events"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int way = 0; way < 4; way++) {
            set_up(cases[i].ours_us, cases[i].baseline_us, 3);
            fake.overhead = cases[i].overhead_us * US;
            if (way & 1) task.restore = restore;
            if (way & 2) flush_too();
            task.budget_s = 0.01;
            run();
            assert_string_equal(result.mode, cases[i].mode);
            for (int side = 0; side < 2 && cases[i].mode[0] == 'e'; side++)
                assert_int_equal(launches_a_sample(side), 1);
        }
}

static void the_mode_that_is_asked_for(void **state) {
    (void)state;
    set_up(100, 130, 4);
    task.mode = TIMING_GRAPH;
    run();
    assert_string_equal(result.mode, "graph");
    assert_all_near(result.ours_ms, 0.1);
    set_up(10, 8, 4);
    fake.overhead = 0.0;
    task.mode = TIMING_EVENTS;
    run();
    assert_string_equal(result.mode, "events");
    assert_all_near(result.ratio, 0.8);
    assert_false(fake.captured.live); /* never captured, not to estimate either */
}

static void a_graph_has_no_end_of_work(void **state) {
    (void)state;
    set_up(5, 10000, 2);
    task.budget_s = 0.1;
    run();
    assert_int_equal(launches_a_sample(0), 64);
    assert_in_range(launches_a_sample(1), 2, 6); /* 50 ms, whole rounds */
    assert_all_near(result.baseline_ms, 10.0);
    assert_true(fabs(result.ratio.median - 2000.0) < 50.0);
    set_up(5, 10000, 64);
    task.budget_s = 0.1;
    run();
    assert_int_equal(launches_a_sample(1), 63); /* each set once: cold matters more */
}

static void cold_operands(void **state) {
    (void)state;
    const int sets[] = {1, 2, 3, 41, 46, 64, 100, 512};
    const double costs[][2] = {{100, 120}, {4, 10}, {15, 3000}, {1000, 2}};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        for (size_t c = 0; c < sizeof costs / sizeof costs[0]; c++)
            for (int way = 0; way < 8; way++) {
                set_up(costs[c][0], costs[c][1], sets[i]);
                fake.overhead = 1 * US;
                if (way & 1) flush_too();
                if (way & 2) task.restore = restore;
                if (way & 4) task.baseline.launch = NULL;
                task.budget_s = 0.02;
                run();
            }
}

static void pairs_fit_the_budget(void **state) {
    (void)state;
    const struct {
        double ours_us, baseline_us, budget_s;
        int low, high;
    } cases[] = {{1000, 2000, 0.3, 98, 100}, {1000, 2000, 0.03, 10, 10}, {1000, 2000, 0.0, 6, 6},
                 {1000, 2000, 0.011, 6, 6},  {1000, 2000, 60, 400, 400}, {10, 10, 0.128, 96, 100},
                 {10, 10, 0.001, 6, 6},      {10, 10, 60, 400, 400},     {300000, 300000, 0.5, 6, 6},
                 {300000, 300000, 4.9, 8, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        set_up(cases[i].ours_us, cases[i].baseline_us, 2);
        task.budget_s = cases[i].budget_s;
        run();
        assert_in_range(result.pairs, cases[i].low, cases[i].high);
        assert_int_equal(result.pairs * 2, fake.interval_count - (cases[i].ours_us < 200 ? 8 : 4));
    }
    set_up(300000, 300000, 2);
    run();
    assert_true(launches_logged() <= 25); /* four estimates, two batches of two pairs, six pairs, one for the clock */
    assert_true(fake.host - 1000.0 < 25 * 0.301);

    set_up(1000, 2000, 2); /* warmed up for 0.1 s before the first that counts */
    task.budget_s = 0;
    run();
    double before = 0.0;
    for (int i = first_sample(2); i < fake.intervals[fake.interval_count - 12].begin; i++) before += fake.log[i].cost;
    assert_true(before >= 0.09 && before <= 0.12);
}

static void sustain(double seconds) {
    fake.sustained = true;
    assert_int_equal(timing_sustained(&task, seconds, the_stream, &result), cudaSuccess);
    assert_nothing_left();
    assert_int_equal(fake.last_error, cudaSuccess);
    assert_true(fake.host >= fake.stream);
    assert_string_equal(result.mode, "sustained");
}

/* Launches with nothing between them, not even an event. */
static void chains(void **state) {
    (void)state;
    const struct {
        double ours_us, baseline_us;
        int launches;
    } cases[] = {{100, 130, 64}, {10, 8, 64}, {2000, 3000, 25}, {300000, 200000, 4}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        set_up(cases[c].ours_us, cases[c].baseline_us, 1);
        fake.overhead = 1 * US;
        task.mode = TIMING_CHAIN;
        run();
        assert_string_equal(result.mode, "chain");
        assert_true(fabs(result.ratio.median / (cases[c].baseline_us / cases[c].ours_us) - 1.0) < 0.001);
        const int n = fake.interval_count - 2 * result.pairs; /* the first of ours */
        assert_int_equal(fake.intervals[n].end - fake.intervals[n].begin, cases[c].launches);
    }
}

static void the_clock_is_of_ours(void **state) {
    (void)state;
    set_up(1000, 2000, 2); /* 10 ms of it; clock_probe_mhz counts the launches */
    run();
    assert_true(result.clock_mhz == 9.0 || result.clock_mhz == 10.0);
    set_up(50000, 2000, 2);
    run();
    assert_true(result.clock_mhz == 1.0);
    set_up(1000, 2000, 2); /* one of many short ones */
    task.hot = true;
    assert_int_equal(timing_run(&task, the_stream, &result), cudaSuccess);
    assert_true(isnan(result.clock_mhz));
    for (int i = 0; i < fake.logged; i++) assert_int_not_equal(fake.log[i].what, PROBE);
    set_up(100, 130, 2);
    sustain(1.0);
    assert_true(result.clock_mhz > 2000.0 && result.clock_mhz < 5000.0); /* both sides, most of half a second */
}

static void no_baseline(void **state) {
    (void)state;
    const double costs[] = {100, 10};
    for (int i = 0; i < 2; i++) {
        set_up(costs[i], 1, 3);
        task.baseline.launch = NULL;
        run();
        assert_string_equal(result.mode, i == 0 ? "events" : "graph");
        assert_true(fabs(result.ours_ms.median - costs[i] / 1e3) < 1e-4);
        assert_true(isnan(result.ratio.median) && isnan(result.ratio.min) && isnan(result.ratio.max));
        assert_true(isnan(result.baseline_ms.median) && isnan(result.baseline_ms.min));
        for (int k = 0; k < fake.logged; k++) assert_int_not_equal(fake.log[k].side, 1);
        assert_true(result.pairs >= 3);
    }
}

/* Each call in turn fails: that error is what comes back, and nothing stays behind. */
static void every_call_that_can_fail(void **state) {
    (void)state;
    const double costs[][2] = {{60000, 70000}, {15, 60000}, {19, 18}};
    for (size_t c = 0; c < sizeof costs / sizeof costs[0]; c++)
        for (int way = 0; way < 8; way++)
            for (int n = 1;; n++) {
                set_up(costs[c][0], costs[c][1], 2);
                if (way & 4) task.move = move;
                if (way & 1) task.restore = restore;
                if (way & 2) flush_too();
                task.budget_s = 0.0;
                fake.fail_at = n;
                const cudaError_t error = timing_run(&task, the_stream, &result);
                assert_nothing_left();
                if (fake.calls < n) {
                    assert_int_equal(error, cudaSuccess);
                    assert_string_equal(result.mode, c == 0 ? "events" : "graph");
                    assert_true(n > 60);
                    break;
                }
                assert_int_equal(error, failure);
            }
}

static void not_ready_is_no_error(void **state) {
    (void)state;
    set_up(1000, 2000, 2);
    run();
    assert_true(fake.not_ready > 3);
    assert_int_equal(cudaGetLastError(), cudaSuccess);

    set_up(1000, 2000, 2); /* but others are */
    fake.query_fails = true;
    assert_int_equal(timing_run(&task, the_stream, &result), failure);
    assert_nothing_left();
}

/* ---- continuous load ---- */

/* The launches from `first` on: slices of 50 ms of either side in turn, the sets in turn, and no pause. */
static void check_slices(int first, double idle) {
    double length = 0.0, busy = 0.0;
    int side = fake.log[first].side;
    for (int i = first; i < fake.logged; i++) {
        busy += fake.log[i].cost;
        if (fake.log[i].what == PROBE) continue;
        if (i > first && fake.log[i].operation != fake.log[i - 1].operation && task.sets > 1 && fake.log[i].cost > 2e-5)
            assert_int_equal(fake.log[i].set, (fake.log[i - 1].set + 1) % sets_taken());
        assert_int_equal(fake.log[i].what, LAUNCH);
        if (fake.log[i].side != side) { /* after the first, two slices of a side follow one another */
            assert_true((length > 0.044 && length < 0.056) || (length > 0.088 && length < 0.112));
            side = fake.log[i].side;
            length = 0.0;
        }
        length += fake.log[i].cost;
    }
    assert_true(busy > idle * (fake.stream - 1000.0));
}

static void sustained_load(void **state) {
    (void)state;
    set_up(100, 130, 4);
    sustain(2.0);
    assert_all_near(result.ours_ms, 0.1);
    assert_all_near(result.baseline_ms, 0.13);
    assert_all_near(result.ratio, 1.3);
    assert_in_range(result.pairs, 9, 13); /* of 20, the second half */
    assert_true(fake.host - 1000.0 > 1.9 && fake.host - 1000.0 < 2.5);
    check_slices(fake.intervals[7].end, 0.95); /* behind four estimates a side */

    set_up(10, 8, 4); /* graphs */
    sustain(1.0);
    assert_true(fabs(result.ratio.median - 0.8) < 0.01);
    check_slices(fake.intervals[7].end, 0.9);

    set_up(70000, 130000, 2); /* a launch a slice */
    sustain(0.5);
    assert_all_near(result.ours_ms, 70);
    assert_true(result.pairs >= 3);

    set_up(100, 1, 3);
    task.baseline.launch = NULL;
    sustain(1.0);
    assert_all_near(result.ours_ms, 0.1);
    assert_true(isnan(result.ratio.median) && isnan(result.baseline_ms.median));
    for (int k = 0; k < fake.logged; k++) assert_int_not_equal(fake.log[k].side, 1);
}

/* What counts is how it runs in the end. */
static void sustained_load_settles(void **state) {
    (void)state;
    set_up(100, 150, 3);
    fake.drift = 0.5;
    sustain(4.0);
    assert_true(result.ours_ms.min >= 0.1 * 1.9);
    assert_true(result.ours_ms.max <= 0.1 * 3.3);
    assert_true(fabs(result.ratio.median - 1.5) < 0.05);
}

/* The power is read over all of the half that counts, however long that is. */
static void sustained_load_is_metered_to_its_end(void **state) {
    (void)state;
    set_up(30000, 60000, 2);
    fake.metered = true;
    sustain(30.0);
    assert_true(fabs(result.power_w - 22.5) < 0.5);
}

/* Where launches wait for the stream all has ended when the last is enqueued. */
static void launches_that_wait_are_metered(void **state) {
    (void)state;
    set_up(1000, 2000, 2);
    fake.metered = fake.waits = true;
    assert_int_equal(timing_run(&task, the_stream, &result), cudaSuccess);
    assert_true(result.power_w > 0.1 && result.power_w < 0.2);
}

static void every_call_under_load_that_can_fail(void **state) {
    (void)state;
    for (int n = 1;; n++) {
        set_up(30000, 60000, 2);
        fake.sustained = true;
        fake.fail_at = n;
        const cudaError_t error = timing_sustained(&task, 0.1, the_stream, &result);
        assert_nothing_left();
        if (fake.calls < n) {
            assert_int_equal(error, cudaSuccess);
            assert_true(n > 60);
            break;
        }
        assert_int_equal(error, failure);
    }
}

static int free_log(void **state) {
    (void)state;
    free(fake.log);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_and_ratio),
        cmocka_unit_test(clocks_that_drift),
        cmocka_unit_test(intervals),
        cmocka_unit_test(rounds_in_other_places),
        cmocka_unit_test(no_pause),
        cmocka_unit_test(chains),
        cmocka_unit_test(the_clock_is_of_ours),
        cmocka_unit_test(an_interruption),
        cmocka_unit_test(mode_is_the_kernels_own),
        cmocka_unit_test(the_mode_that_is_asked_for),
        cmocka_unit_test(a_graph_has_no_end_of_work),
        cmocka_unit_test(cold_operands),
        cmocka_unit_test(pairs_fit_the_budget),
        cmocka_unit_test(no_baseline),
        cmocka_unit_test(every_call_that_can_fail),
        cmocka_unit_test(not_ready_is_no_error),
        cmocka_unit_test(sustained_load),
        cmocka_unit_test(sustained_load_settles),
        cmocka_unit_test(sustained_load_is_metered_to_its_end),
        cmocka_unit_test(launches_that_wait_are_metered),
        cmocka_unit_test(every_call_under_load_that_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, free_log);
}
