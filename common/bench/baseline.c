#include "bench/baseline.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/progress.h"
#include "bench/measure.h"
#include "bench/session.h"
#include "gpu/error.h"

enum { FINALISTS = 5, LONG_FINALISTS = 3, MOST_LAUNCHES = 5, SHOWN = 5 };
static const double SLOW = 1.5;         /* times the fastest so far: not looked at any further */
static const double SLACK_MS = 0.02;    /* of a single launch, with the host's share in it */
static const double LONG_MS = 2.0;      /* a few launches by themselves measure what takes longer */
static const double SHORT_S = 0.002;    /* of measuring what takes less */
static const double CLOSE = 1.1;        /* times the fastest: worth measuring in pairs */
static const double LAUNCHES_MS = 50.0; /* of launches that are measured by themselves, if one is shorter */

typedef enum { RIGHT, REFUSED, WRONG } result;

typedef struct {
    bench_launch launch;
    bench_call call;
    result result;
    bool verified; /* completely */
    bool slow;     /* after one launch */
    double ms;     /* of a launch, by a quick measurement; INFINITY: not measured */
} candidate;

typedef struct {
    const session *s;
    timing_task outline;
    candidate *calls;
    int count, next_set;
    bool has_reference;
    uint64_t reference; /* the fingerprint of a right exact pass */
} search;

/* ---- right or wrong --------------------------------------------------------------------------------------------- */

static result result_of(cudaError_t error, bool ok) {
    if (measure_refused(error)) return REFUSED;
    CUDA_CHECK(error);
    return ok ? RIGHT : WRONG;
}

static void verify(search *c, candidate *a) {
    verdict v = {.ok = false};
    FILE *report = c->s->o.verbose ? stderr : NULL;
    const cudaError_t error = c->s->family->operands->verify(&a->launch, a->call.name, report, &v);
    a->result = result_of(error, v.ok);
    a->verified = a->result == RIGHT;
    if (!a->verified || c->has_reference) return;
    c->reference = v.fingerprint;
    c->has_reference = true;
}

/* What cannot be part of a graph cannot be measured beside short launches. */
static void check_capture(const search *c, candidate *a) {
    const timing_side side = {c->s->family->operands->launch, &a->launch};
    cudaGraphExec_t graph = NULL;
    if (c->outline.mode == TIMING_EVENTS) return;
    if (timing_capture(&side, 1, 1, c->s->stream, &graph) != cudaSuccess) {
        a->result = REFUSED;
        cudaGetLastError();
    }
    if (graph != NULL) cudaGraphExecDestroy(graph);
}

static void check_result(search *c, candidate *a) {
    verdict v = {.ok = false};
    if (!c->has_reference || a->call.inexact) {
        verify(c, a);
    } else {
        const cudaError_t error = c->s->family->operands->fingerprint(&a->launch, a->call.name, NULL, &v);
        a->result = result_of(error, v.ok && v.fingerprint == c->reference);
    }
    if (a->result == RIGHT) check_capture(c, a);
}

/* ---- fast or slow ----------------------------------------------------------------------------------------------- */

/* One launch, its kernels loaded already, as a measurement between events has it. */
static double one_launch_ms(search *c, bench_launch *launch) {
    const session *s = c->s;
    const bench_operand_functions *operands = s->family->operands;
    const timing_task *o = &c->outline;
    const int set = c->next_set;
    cudaEvent_t begin, end;
    float ms;
    c->next_set = (set + 1) % o->sets;
    CUDA_CHECK(cudaEventCreate(&begin));
    CUDA_CHECK(cudaEventCreate(&end));
    operands->begin(launch);
    if (o->flush != NULL) CUDA_CHECK(cudaMemsetAsync(o->flush, 0, o->flush_bytes, s->stream));
    CUDA_CHECK(cudaEventRecord(begin, s->stream));
    CUDA_CHECK(operands->launch(launch, set, s->stream));
    CUDA_CHECK(cudaEventRecord(end, s->stream));
    if (o->restore != NULL) CUDA_CHECK(o->restore(launch, set, s->stream));
    CUDA_CHECK(cudaStreamSynchronize(s->stream));
    CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
    operands->end(launch);
    CUDA_CHECK(cudaEventDestroy(begin));
    CUDA_CHECK(cudaEventDestroy(end));
    return ms;
}

static bool is_slow(double ms, double least) {
    return ms > SLOW * least + SLACK_MS;
}

/* The median of a few launches, one of which took `once`. */
static double few_launches_ms(search *c, bench_launch *launch, double once) {
    double ms[MOST_LAUNCHES] = {once};
    int count = 1;
    while (count < MOST_LAUNCHES && (count + 1) * once <= LAUNCHES_MS) ms[count++] = one_launch_ms(c, launch);
    return stats_summarise(ms, count).median;
}

/* Measures quickly all calls that are right. The first decides between events and graphs for all. */
static void measure(search *c) {
    double least = INFINITY;
    bool hot = false;
    for (int i = 0; i < c->count; i++) {
        candidate *a = &c->calls[i];
        timing_result t;
        if (a->result != RIGHT) continue;
        progress_show(stderr, a->call.name, i, c->count);
        double once = one_launch_ms(c, &a->launch);
        if (is_slow(once, least) && once < LONG_MS) once = fmin(once, one_launch_ms(c, &a->launch)); /* by chance? */
        a->slow = is_slow(once, least);
        a->ms = once;
        if (once < least) least = once;
        if (a->slow) continue;
        if (once >= LONG_MS) {
            a->ms = few_launches_ms(c, &a->launch, once);
            continue;
        }
        measure_quickly(&c->outline, &a->launch, NULL, SHORT_S, hot, &t);
        a->ms = t.ours_ms.median;
        hot = true;
        if (c->outline.mode == TIMING_AUTO)
            c->outline.mode = strcmp(t.mode, "graph") == 0 ? TIMING_GRAPH : TIMING_EVENTS;
    }
}

static int by_time(const void *x, const void *y) {
    const candidate *a = x, *b = y;
    if ((a->result == RIGHT) != (b->result == RIGHT)) return a->result == RIGHT ? -1 : 1;
    return a->ms != b->ms ? (a->ms > b->ms) - (a->ms < b->ms) : a->launch.number - b->launch.number;
}

/* The fastest of those that are right so far, of calls in the order of their times; NULL: there is none. */
static candidate *winner(const search *c) {
    candidate *best = NULL;
    double limit = INFINITY, seconds = 0.0;
    int left = FINALISTS;
    for (int i = 0; i < c->count && left > 0; i++, left--) {
        candidate *a = &c->calls[i];
        timing_result t;
        if (a->result != RIGHT || !(a->ms < limit)) break; /* the wrong ones have come last */
        if (best == NULL) {
            const bool is_long = a->ms >= LONG_MS;
            best = a;
            limit = CLOSE * a->ms;
            if (is_long) left = LONG_FINALISTS;
            seconds = c->s->o.time_s / (is_long ? 10 : 4);
            continue;
        }
        measure_quickly(&c->outline, &a->launch, &best->launch, seconds, true, &t);
        if (t.ratio.median > 1.0) best = a;
    }
    return best;
}

static const candidate *choose(search *c) {
    for (int i = 0; i < c->count; i++) {
        progress_show(stderr, c->calls[i].call.name, i, c->count);
        check_result(c, &c->calls[i]);
    }
    for (;;) { /* again without what was wrong: it may be why others counted as slow */
        measure(c);
        qsort(c->calls, (size_t)c->count, sizeof *c->calls, by_time);
        candidate *best = winner(c);
        if (best == NULL) return NULL;
        if (!best->verified) verify(c, best);
        if (best->verified) return best;
    }
}

/* ---- printing ----------------------------------------------------------------------------------------------- */

static int tally(const search *c, result what) {
    int count = 0;
    for (int i = 0; i < c->count; i++) count += c->calls[i].result == what;
    return count;
}

static void warn(const search *c, const bench_baseline *b, const char *where) {
    const char *separator = "";
    if (b->there && b->wrong == 0) return;
    if (!b->there) {
        fprintf(stderr, "no baseline at %s: %d calls tried, %d refused, %d wrong\n", where, b->tried, b->refused,
                b->wrong);
        return;
    }
    for (int i = 0; i < c->count; i++) {
        if (c->calls[i].result != WRONG) continue;
        fprintf(stderr, "%s%s", separator, c->calls[i].call.name);
        separator = ", ";
    }
    fprintf(stderr, ": wrong at %s, left out as a baseline\n", where);
}

static void print_choice(const search *c, const bench_baseline *b, double seconds) {
    int slow = 0, shown = 0;
    for (int i = 0; i < c->count; i++) slow += c->calls[i].slow;
    if (b->there) printf("    baseline: %s (%s), ", b->call.name, b->call.version);
    printf("%s%d calls tried, %d refused, %d wrong, %d slow after one launch; chosen in %.2f s\n",
           b->there ? "" : "    no baseline: ", b->tried, b->refused, b->wrong, slow, seconds);
    for (int i = 0; i < c->count && shown < SHOWN; i++)
        if (c->calls[i].result == RIGHT)
            printf("%s%s %.4f", shown++ == 0 ? "    quick timing, ms: " : ", ", c->calls[i].call.name, c->calls[i].ms);
    if (shown > 0) printf("\n");
}

void baseline_choose(const bench_launch *launch, const timing_task *outline, bench_baseline *b) {
    const double begin = clock_now_s();
    const session *s = launch->session;
    search c = {.s = s, .outline = *outline, .count = s->family->baseline.count(s, launch->problem)};
    char where[96];
    *b = (bench_baseline){.sought = true, .tried = c.count};
    if (c.count == 0) return;
    s->family->format(s, launch->problem, false, where, sizeof where);
    c.calls = calloc((size_t)c.count, sizeof *c.calls);
    if (c.calls == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    for (int i = 0; i < c.count; i++) {
        c.calls[i].launch = *launch;
        c.calls[i].launch.number = i;
        c.calls[i].ms = INFINITY;
        s->family->baseline.describe(s, i, &c.calls[i].call);
    }
    const candidate *best = choose(&c);
    b->there = best != NULL;
    b->refused = tally(&c, REFUSED);
    b->wrong = tally(&c, WRONG);
    if (best != NULL) {
        b->launch = best->launch;
        b->call = best->call;
    }
    progress_clear(stderr);
    warn(&c, b, where);
    if (s->o.verbose) print_choice(&c, b, clock_now_s() - begin);
    free(c.calls);
}

const bench_launch *baseline_launch(const bench_baseline *b) {
    return b->there ? &b->launch : NULL;
}

void baseline_record(const bench_baseline *b, record *r) {
    if (!b->sought) return;
    r->calls_tried = b->tried;
    r->calls_failed = b->refused;
    r->calls_wrong = b->wrong;
    if (!b->there) return;
    snprintf(r->baseline, sizeof r->baseline, "%s", b->call.library);
    snprintf(r->baseline_call, sizeof r->baseline_call, "%s", b->call.name);
    snprintf(r->cublas, sizeof r->cublas, "%s", b->call.version);
}
