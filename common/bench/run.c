/* One problem: its operands, the baseline, and each variant verified, timed, printed and recorded. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "bench/baseline.h"
#include "bench/session.h"
#include "gpu/error.h"

static const double SWEEP_LIMIT_MS = 1000.0; /* in sweeps, slower launches are left out */
enum { MAX_COLD_SETS = 511 };
enum { RIGHT_LAUNCHES = 8 }; /* back to back, before the last verification */

typedef struct {
    const void *problem;
    bench_plan plan;
    void *operands;      /* made when the first variant needs them, for with --resume there may be nothing to do */
    timing_task outline; /* of a measurement: all but what is launched */
    bench_baseline baseline;
    char said[96];
} bench_problem;

/* ---- timing ---------------------------------------------------------------------------------------------------- */

typedef struct {
    const session *s;
    void *operands;
    const bench_launch *ours, *baseline;
} timed_pair;

static cudaError_t launch_ours(void *context, int set, cudaStream_t stream) {
    const timed_pair *p = context;
    return p->s->family->launch(p->s, p->operands, p->ours, set, stream);
}

static cudaError_t launch_baseline(void *context, int set, cudaStream_t stream) {
    const timed_pair *p = context;
    return p->s->family->launch(p->s, p->operands, p->baseline, set, stream);
}

static cudaError_t restore(void *context, int set, cudaStream_t stream) {
    const timed_pair *p = context;
    return p->s->family->restore(p->s, p->operands, set, stream);
}

static cudaError_t move(void *context, cudaStream_t stream) {
    const timed_pair *p = context;
    p->s->family->move(p->s, p->operands);
    return cudaStreamSynchronize(stream);
}

/* The outline of what is recorded: in rounds, where the family's operands move. */
static timing_task in_rounds(const session *s, const timing_task *outline) {
    timing_task task = *outline;
    task.move = s->family->move != NULL ? move : NULL;
    return task;
}

/* The outline with launches in it. */
static timing_task task_of(const timing_task *outline, timed_pair *pair) {
    timing_task task = *outline;
    task.context = pair;
    task.ours = launch_ours;
    task.baseline = pair->baseline != NULL ? launch_baseline : NULL;
    task.restore = outline->restore != NULL ? restore : NULL;
    return task;
}

void bench_time(const session *s, void *operands, const timing_task *outline, const bench_launch *ours,
                const bench_launch *baseline, double seconds, bool hot, timing_result *t) {
    timed_pair pair = {s, operands, ours, baseline};
    timing_task task = task_of(outline, &pair);
    task.budget_s = seconds;
    task.hot = hot;
    if (s->family->begin != NULL) s->family->begin(s, operands, ours);
    CUDA_CHECK(timing_run(&task, s->stream, t));
    if (s->family->end != NULL) s->family->end(s, operands, ours);
}

void bench_fill_in(record *r, const bench_plan *plan, const timing_result *t) {
    const double seconds = t->ours_ms.median / 1e3;
    r->ms_median = t->ours_ms.median;
    r->ms_min = t->ours_ms.min;
    r->ms_max = t->ours_ms.max;
    r->gflops = plan->flops / seconds / 1e9;
    r->gbps = plan->bytes / seconds / 1e9;
    r->peak_share = plan->peak > 0.0 ? (plan->peak_of_bytes ? r->gbps : r->gflops) / plan->peak : NAN;
    r->baseline_ms = t->baseline_ms.median;
    r->ratio = t->ratio.median;
    r->ratio_min = t->ratio.min;
    r->ratio_max = t->ratio.max;
    r->clock_mhz = t->clock_mhz;
    r->power_w = t->power_w;
    r->pairs = t->pairs;
    r->sets = t->sets;
    r->ms_low = t->ours_ms.low;
    r->ms_high = t->ours_ms.high;
    r->ratio_low = t->ratio.low;
    r->ratio_high = t->ratio.high;
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

double bench_memory(const session *s) {
    size_t free_bytes, total_bytes;
    if (s->family->memory != NULL) return s->family->memory(s);
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    return (double)free_bytes * 0.95;
}

int bench_cold_sets(const bench_plan *plan) {
    if (plan->cold_bytes == 0 || plan->one_set || plan->touched == 0) return 1;
    size_t sets = plan->cold_bytes / plan->touched + 1;
    if (sets % 4 == 0) sets++; /* timing takes no multiple of four */
    if (sets > MAX_COLD_SETS) return MAX_COLD_SETS;
    /* A single set that is put back after each launch would be in the cache. */
    return sets < 2 && plan->restores ? 2 : (int)sets;
}

int bench_too_large(const session *s, const void *problem, double need) {
    char said[96], reason[96] = "more elements than can be addressed";
    record r = session_describe(s, "all", s->family->op);
    s->family->say(problem, said, sizeof said);
    s->family->describe(s, problem, &r);
    if (!isinf(need))
        snprintf(reason, sizeof reason,
                 need < 1e9 ? "needs %.3f MB, may take %.3f MB" : "needs %.2f GB, may take %.2f GB",
                 need / (need < 1e9 ? 1e6 : 1e9), bench_memory(s) / (need < 1e9 ? 1e6 : 1e9));
    if (s->o.sweep != SWEEP_NONE) {
        bench_print_skip(s, "all", &r, reason);
        return EXIT_OK;
    }
    fprintf(stderr, "%s: %s: %s\n", s->step, said, reason);
    return EXIT_USAGE;
}

/* How many sets and what to flush so that launches find cold caches. Returns the bytes needed, with a single set if
 * need be; they may be too many. */
static double plan_memory(const session *s, bench_problem *b) {
    const bench_plan *plan = &b->plan;
    const double memory = bench_memory(s);
    for (int sets = bench_cold_sets(plan);; sets /= 2) { /* padding may make many sets too large: fewer, and a flush */
        const bool flush = plan->one_set || (size_t)sets * plan->touched < plan->cold_bytes;
        b->outline.sets = sets;
        b->outline.flush_bytes = flush ? plan->cold_bytes : 0;
        const double need = s->family->bytes(s, b->problem, sets) + (double)b->outline.flush_bytes;
        if (need <= memory || sets <= 1) return need;
    }
}

/* ---- one variant ----------------------------------------------------------------------------------------------- */

static void make_operands(session *s, bench_problem *b) {
    b->operands = s->family->create(s, b->problem, b->outline.sets);
    if (s->device.simulated) return;
    if (b->outline.flush_bytes > 0) CUDA_ALLOCATE(&b->outline.flush, b->outline.flush_bytes);
    if (s->baseline && s->family->baselines != NULL && b->plan.touched > 0)
        baseline_choose(s, b->problem, b->operands, &b->outline, &b->baseline);
    if (s->family->measure_first != NULL) s->family->measure_first(s, b->problem, b->operands, &b->outline);
}

static void print_details(const session *s, const bench_problem *b, const record *r, const timing_result *t) {
    char shares[128];
    if (!s->o.verbose) return;
    printf("    %d %s of %s, %.4f-%.4f ms", t->pairs, b->baseline.there ? "pairs" : "runs", t->mode, r->ms_min,
           r->ms_max);
    if (b->baseline.there) printf(", %s %.4f ms", b->baseline.call.name, r->baseline_ms);
    if (!isnan(r->ratio)) printf(", ratio %.3f-%.3f (95 %%)", r->ratio_low, r->ratio_high);
    if (!isnan(r->clock_mhz)) printf(", %.0f MHz", r->clock_mhz);
    if (!isnan(r->power_w)) printf(", %.0f W", r->power_w);
    if (!isnan(r->gbps)) printf("; %.0f GB/s", r->gbps);
    printf("%s", bench_say_shares(&s->device, &b->plan, r, shares, sizeof shares));
    if (!isnan(r->max_err_bound_share)) printf("; worst error %.3f of its bound", r->max_err_bound_share);
    printf("\n");
}

/* The fingerprint of the exact pass of a launch that has been found right; 0 where the family has none. */
static uint64_t right_result(const session *s, const bench_problem *b, const bench_launch *launch) {
    verdict v;
    uint64_t fingerprint = 0;
    if (s->family->exact != NULL)
        CUDA_CHECK(s->family->exact(s, b->operands, launch, launch->variant->name, stderr, &v, &fingerprint));
    return fingerprint;
}

/* Checks the result again after timing, following several launches back to back: a race between launches shows only
 * then. It must have the fingerprint from before (`right`), so no reference is needed; a family without fingerprints
 * verifies in full. Prints a line in the table and returns false if the result is wrong. */
static bool still_right(session *s, const bench_problem *b, const bench_launch *timed, uint64_t right,
                        const record *r) {
    const char *name = timed->variant->name;
    verdict after;
    bench_launch again = *timed;
    uint64_t fingerprint = right;
    again.launches = RIGHT_LAUNCHES;
    if (s->family->exact != NULL)
        CUDA_CHECK(s->family->exact(s, b->operands, &again, name, stderr, &after, &fingerprint));
    else
        CUDA_CHECK(s->family->verify(s, b->operands, &again, name, stderr, &after));
    if (after.ok && fingerprint == right) return true;
    bench_print_skip(s, timed->variant->name, r, "WRONG RESULT after it was timed, not recorded");
    s->wrong++;
    return false;
}

/* Prints and keeps the row of what was timed (t), or has taken so many seconds in the simulator (t: NULL). */
static void report(const session *s, const bench_problem *b, const bench_launch *launch, const char *name, record *r,
                   const timing_result *t, double seconds) {
    char remark[160] = "";
    const char *note = NULL;
    if (t != NULL) {
        bench_fill_in(r, &b->plan, t);
        baseline_describe(&b->baseline, r);
        if (*r->mode == '\0') snprintf(r->mode, sizeof r->mode, "%s", t->mode);
    }
    if (s->family->remark != NULL) s->family->remark(s, b->operands, launch, remark, sizeof remark);
    bench_print_row(s, name, r, seconds, remark);
    if (s->family->note != NULL && launch->mode == NULL) note = s->family->note(s, b->problem, launch);
    if (note != NULL) printf("    %s\n", note);
    if (t != NULL) print_details(s, b, r, t);
    session_keep(s, r);
}

/* The second measurement of a variant. */
static void measure_again(session *s, const bench_problem *b, bench_launch launch, uint64_t right, record *r) {
    char name[RECORD_TEXT];
    timing_result t;
    snprintf(name, sizeof name, "  %.*s", RECORD_TEXT - 3, r->mode);
    launch.mode = r->mode;
    if (b->plan.sustained_s > 0.0) {
        timed_pair pair = {s, b->operands, &launch, b->baseline.there ? &b->baseline.launch : NULL};
        const timing_task task = task_of(&b->outline, &pair);
        if (task.flush != NULL) {
            bench_print_skip(s, name, r, "too small: without pauses its operands would stay in the L2");
            return;
        }
        CUDA_CHECK(timing_sustained(&task, b->plan.sustained_s, s->stream, &t));
    } else {
        const timing_task outline = in_rounds(s, &b->outline);
        bench_time(s, b->operands, &outline, &launch, NULL, s->o.time_s, false, &t);
    }
    if (still_right(s, b, &launch, right, r)) report(s, b, &launch, name, r, &t, NAN);
}

/* What there is to do for a variant at this problem, after what --resume found. */
typedef struct {
    record once, again;  /* the rows that will be recorded */
    const record *known; /* the first, where it is recorded already */
    bool measures, measures_again;
} bench_rows;

static bench_rows rows_of(const session *s, const bench_problem *b, const bench_variant *v) {
    bench_rows rows;
    const char *mode = s->device.simulated ? NULL : b->plan.again;
    rows.once = session_describe(s, v->name, s->family->op);
    s->family->describe(s, b->problem, &rows.once);
    rows.again = rows.once;
    rows.known = session_find(s, &rows.once, s->baseline);
    rows.measures = rows.known == NULL;
    if (mode != NULL) snprintf(rows.again.mode, sizeof rows.again.mode, "%s", mode);
    rows.measures_again = mode != NULL && session_find(s, &rows.again, s->baseline) == NULL;
    return rows;
}

/* Why the variant is not even verified; NULL: it is. */
static const char *reason_to_skip(const session *s, const bench_problem *b, const bench_variant *v, double gflops) {
    const char *reason = bench_unsupported(s, v);
    if (reason == NULL && s->family->refuses != NULL) reason = s->family->refuses(s, v, b->problem);
    if (reason == NULL && s->o.sweep != SWEEP_NONE && gflops > 0.0 && b->plan.flops / gflops / 1e6 > SWEEP_LIMIT_MS)
        reason = "a launch would take more than a second";
    return reason;
}

static void run_variant(session *s, bench_problem *b, int i) {
    const bench_variant *v = &s->variants[i];
    bench_rows rows = rows_of(s, b, v);
    const char *reason = reason_to_skip(s, b, v, s->gflops[i]);
    bench_launch launch = {.variant = v};
    verdict verdict;
    if (reason != NULL) {
        bench_print_skip(s, v->name, &rows.once, reason);
        return;
    }
    if (!rows.measures && isfinite(rows.known->gflops)) s->gflops[i] = rows.known->gflops; /* a sweep's limit goes on */
    if (!rows.measures && !rows.measures_again) return;
    error_context("%s %s, %s", s->step, v->name, b->said);
    progress_show(stderr, v->name, s->done - 1, s->total);
    if (b->operands == NULL) make_operands(s, b);
    if (v->candidates > 0 && !s->family->choose(s, b->problem, b->operands, &b->outline, &launch)) {
        progress_clear(stderr);
        bench_print_skip(s, v->name, &rows.once, "no candidate fits");
        return;
    }
    CUDA_CHECK(s->family->verify(s, b->operands, &launch, v->name, stderr, &verdict));
    progress_clear(stderr);
    if (!verdict.ok) {
        bench_print_skip(s, v->name, &rows.once, "WRONG RESULT, not timed");
        s->wrong++;
        return;
    }
    rows.once.max_err_bound_share = rows.again.max_err_bound_share = verdict.worst_share;
    if (b->plan.touched == 0)
        bench_print_skip(s, v->name, &rows.once, "nothing to time; verified");
    else if (s->device.simulated)
        report(s, b, &launch, v->name, &rows.once, NULL, verdict.seconds);
    else {
        const uint64_t right = right_result(s, b, &launch);
        if (rows.measures) {
            const timing_task outline = in_rounds(s, &b->outline);
            timing_result t;
            bench_time(s, b->operands, &outline, &launch, b->baseline.there ? &b->baseline.launch : NULL, s->o.time_s,
                       false, &t);
            if (!still_right(s, b, &launch, right, &rows.once)) return;
            report(s, b, &launch, v->name, &rows.once, &t, NAN);
            s->gflops[i] = rows.once.gflops;
        }
        if (rows.measures_again) measure_again(s, b, launch, right, &rows.again);
    }
}

int bench_run(session *s, const void *problem) {
    bench_problem b = {.problem = problem};
    s->family->plan(s, problem, &b.plan);
    s->family->say(problem, b.said, sizeof b.said);
    if (s->device.simulated) b.plan.cold_bytes = 0; /* nothing is timed there, and one set will do */
    b.outline.mode = b.plan.mode;
    b.outline.restore = b.plan.restores ? restore : NULL;
    const double need = plan_memory(s, &b);
    if (need > bench_memory(s)) return bench_too_large(s, problem, need);
    for (int i = 0; i < s->count; i++) {
        if (!s->o.chosen[i]) continue;
        s->done++;
        run_variant(s, &b, i);
    }
    if (b.outline.flush != NULL) CUDA_CHECK(cudaFree(b.outline.flush));
    if (b.operands != NULL) s->family->destroy(b.operands);
    return EXIT_OK;
}
