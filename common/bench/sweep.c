#include "bench/sweep.h"

#include <stdlib.h>

#include "base/progress.h"
#include "bench/baseline.h"
#include "bench/measure.h"
#include "bench/print.h"
#include "gpu/error.h"

static const double SWEEP_LIMIT_MS = 1000.0; /* in sweeps, slower launches are left out */
enum { RIGHT_LAUNCHES = 8 };                 /* back to back, before the last verification */

typedef struct {
    const void *problem;
    bench_workload work;
    void *operands;      /* made when the first variant needs them, for with --resume there may be nothing to do */
    timing_task outline; /* of a measurement: all but what is launched */
    bench_baseline baseline;
    char text[96]; /* "m 3, n 4, k 5" */
} bench_problem;

/* ---- the problem ----------------------------------------------------------------------------------------------- */

int sweep_too_large(const session *s, const void *problem, double need) {
    char text[96], reason[96] = "more elements than can be addressed";
    record r = session_describe(s, "all", s->family->op);
    s->family->format(s, problem, false, text, sizeof text);
    s->family->record(s, problem, &r);
    if (!isinf(need))
        snprintf(reason, sizeof reason,
                 need < 1e9 ? "needs %.3f MB, may take %.3f MB" : "needs %.2f GB, may take %.2f GB",
                 need / (need < 1e9 ? 1e6 : 1e9), session_memory(s) / (need < 1e9 ? 1e6 : 1e9));
    if (s->o.sweep != SWEEP_NONE) {
        print_skipped(s, "all", &r, reason);
        return EXIT_OK;
    }
    fprintf(stderr, "%s: %s: %s\n", s->step, text, reason);
    return EXIT_USAGE;
}

/* How many sets and what to flush so that launches find cold caches. Returns the bytes needed, with a single set if
 * need be; they may be too many. */
static double plan_memory(const session *s, bench_problem *b) {
    const bench_workload *w = &b->work;
    const double memory = session_memory(s);
    for (int sets = measure_cold_sets(w);; sets /= 2) { /* padding may make many sets too large: fewer, and a flush */
        const bool flush = w->one_set || (size_t)sets * w->touched < w->cold_bytes;
        b->outline.sets = sets;
        b->outline.flush_bytes = flush ? w->cold_bytes : 0;
        const double need = s->family->operands->bytes(s, b->problem, sets) + (double)b->outline.flush_bytes;
        if (need <= memory || sets <= 1) return need;
    }
}

/* EXIT_OK, or the status with which the run ends; *fits is false where the sweep goes on without the problem. */
static int begin_problem(session *s, const void *problem, bench_problem *b, bool *fits) {
    *b = (bench_problem){.problem = problem};
    s->family->workload(s, problem, &b->work);
    s->family->format(s, problem, false, b->text, sizeof b->text);
    if (s->device.simulated) b->work.cold_bytes = 0; /* nothing is timed there, and one set will do */
    b->outline.mode = b->work.mode;
    b->outline.restore = b->work.restores ? s->family->operands->restore : NULL;
    const double need = plan_memory(s, b);
    *fits = need <= session_memory(s);
    return *fits ? EXIT_OK : sweep_too_large(s, problem, need);
}

static void make_operands(session *s, bench_problem *b) {
    b->operands = s->family->operands->create(s, b->problem, b->outline.sets);
    if (s->device.simulated) return;
    const bench_launch launch = {.session = s, .problem = b->problem, .operands = b->operands};
    if (b->outline.flush_bytes > 0) CUDA_ALLOCATE(&b->outline.flush, b->outline.flush_bytes);
    if (s->baseline && b->work.touched > 0) baseline_choose(&launch, &b->outline, &b->baseline);
    s->family->measure_ceiling(s, &launch, &b->outline);
}

static void end_problem(session *s, bench_problem *b) {
    if (b->outline.flush != NULL) CUDA_CHECK(cudaFree(b->outline.flush));
    if (b->operands != NULL) s->family->operands->destroy(b->operands);
}

/* ---- one variant ----------------------------------------------------------------------------------------------- */

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
    printf("%s", print_shares(&s->device, &b->work, r, shares, sizeof shares));
    if (!isnan(r->max_err_bound_share)) printf("; worst error %.3f of its bound", r->max_err_bound_share);
    printf("\n");
}

/* Checks the result again after timing, following several launches back to back: a race between launches shows only
 * then. It must have the fingerprint from before, so no reference is needed; a family without fingerprints verifies in
 * full. Prints a line in the table and returns false if the result is wrong. */
static bool still_right(session *s, const bench_launch *timed, uint64_t fingerprint, const record *r) {
    verdict after;
    bench_launch again = *timed;
    again.launches = RIGHT_LAUNCHES;
    CUDA_CHECK(s->family->operands->fingerprint(&again, timed->variant->name, stderr, &after));
    if (after.ok && after.fingerprint == fingerprint) return true;
    print_skipped(s, timed->variant->name, r, "WRONG RESULT after it was timed, not recorded");
    s->wrong++;
    return false;
}

/* Prints and keeps the row of what was timed (t), or has taken so many seconds in the simulator (t: NULL). */
static void report(const session *s, const bench_problem *b, const bench_launch *launch, const char *name, record *r,
                   const timing_result *t, double seconds, double predicted_ms) {
    char remark[160] = "";
    if (t != NULL) {
        measure_record(r, &b->work, t);
        baseline_record(&b->baseline, r);
        if (*r->mode == '\0') snprintf(r->mode, sizeof r->mode, "%s", t->mode);
    }
    const char *below = s->family->remark(launch, remark, sizeof remark);
    print_row(s, name, r, seconds, predicted_ms, remark);
    if (s->o.verbose && s->o.sweep == SWEEP_RANDOM && launch->mode == NULL) { /* what the table has no columns for */
        char details[160];
        s->family->format(s, b->problem, true, details, sizeof details);
        printf("    %s\n", details);
    }
    if (below != NULL && launch->mode == NULL) printf("    %s\n", below);
    if (t != NULL) print_details(s, b, r, t);
    session_keep(s, r);
}

/* What there is to do for a variant at this problem, after what --resume found. */
typedef struct {
    record first, second; /* the rows that will be recorded */
    const record *known;  /* the first, where it is recorded already */
    bool measures, measures_twice;
} bench_rows;

static bench_rows rows_of(const session *s, const bench_problem *b, const bench_variant *v) {
    bench_rows rows;
    const char *mode = s->device.simulated ? NULL : b->work.second_mode;
    rows.first = session_describe(s, v->name, s->family->op);
    s->family->record(s, b->problem, &rows.first);
    rows.second = rows.first;
    rows.known = session_find(s, &rows.first, s->baseline);
    rows.measures = rows.known == NULL;
    if (mode != NULL) snprintf(rows.second.mode, sizeof rows.second.mode, "%s", mode);
    rows.measures_twice = mode != NULL && session_find(s, &rows.second, s->baseline) == NULL;
    return rows;
}

/* The second measurement of a variant. */
static void measure_second(session *s, const bench_problem *b, bench_launch launch, uint64_t fingerprint, record *r) {
    char name[RECORD_TEXT];
    timing_result t;
    snprintf(name, sizeof name, "  %.*s", RECORD_TEXT - 3, r->mode);
    launch.mode = r->mode;
    if (b->work.sustained_s > 0.0) {
        const timing_task task = measure_task(&b->outline, &launch, baseline_launch(&b->baseline), false);
        if (task.flush != NULL) {
            print_skipped(s, name, r, "too small: without pauses its operands would stay in the L2");
            return;
        }
        CUDA_CHECK(timing_sustained(&task, b->work.sustained_s, s->stream, &t));
    } else {
        timing_task task = measure_task(&b->outline, &launch, NULL, true);
        task.budget_s = s->o.time_s;
        s->family->operands->begin(&launch);
        CUDA_CHECK(timing_run(&task, s->stream, &t));
        s->family->operands->end(&launch);
    }
    if (still_right(s, &launch, fingerprint, r)) report(s, b, &launch, name, r, &t, NAN, NAN);
}

/* Why the variant is not even verified; NULL: it is. The speed at the shape before foresees no random shape's. */
static const char *reason_to_skip(const session *s, const bench_problem *b, const bench_variant *v, double gflops) {
    const char *reason = session_unsupported(s, v);
    if (reason == NULL) reason = s->family->refuses(s, v, b->problem);
    const bool foreseen = s->o.sweep != SWEEP_NONE && s->o.sweep != SWEEP_RANDOM && gflops > 0.0;
    if (reason == NULL && foreseen && b->work.flops / gflops / 1e6 > SWEEP_LIMIT_MS)
        reason = "a launch would take more than a second";
    return reason;
}

/* Decides what to launch. False: there is nothing to do, which has been said if it is not known already. */
static bool choose_launch(session *s, bench_problem *b, int i, const bench_rows *rows, bench_launch *launch) {
    const bench_variant *v = &s->variants[i];
    const char *reason = reason_to_skip(s, b, v, s->gflops[i]);
    if (reason == NULL && v->candidates > 0 && s->o.watch.predict_only) reason = "chosen by timing, which needs a GPU";
    *launch = (bench_launch){.session = s, .problem = b->problem, .variant = v};
    if (reason == NULL) {
        s->ran++;
        /* What --resume found foresees the time of the next problem, too. */
        if (!rows->measures && isfinite(rows->known->gflops)) s->gflops[i] = rows->known->gflops;
        if (!rows->measures && !rows->measures_twice) return false;
        error_context("%s %s, %s", s->step, v->name, b->text);
        progress_show(stderr, v->name, s->done - 1, s->total);
        if (b->operands == NULL) make_operands(s, b);
        launch->operands = b->operands;
        if (v->candidates == 0 || s->family->candidates.choose(s, &b->outline, launch)) return true;
        progress_clear(stderr);
        reason = "no candidate fits";
        s->ran--;
    }
    s->skipped++;
    print_skipped(s, v->name, &rows->first, reason);
    return false;
}

/* One launch, which the simulator does not run: how long it would take; NAN: not known. A plan that timing chooses on a
 * GPU is not known here. */
static double launch_predicted(const session *s, const bench_launch *launch, bool soon) {
    if (!session_predicts(s) || launch->variant->candidates > 0) return NAN;
    simulator_predict(soon);
    const cudaError_t error = s->family->operands->launch((void *)(uintptr_t)launch, 0, s->stream);
    const double ms = simulator_predicted_ms();
    cudaGetLastError();
    return error == cudaSuccess ? ms : NAN; /* it may need what no kernel has computed */
}

/* Before the first variant at a problem: what all of them will be asked for. */
static void foresee(session *s, bench_problem *b) {
    for (int i = 0; i < s->count && session_predicts(s); i++) {
        const bench_variant *v = &s->variants[i];
        if (!s->o.chosen[i] || reason_to_skip(s, b, v, s->gflops[i]) != NULL) continue;
        if (b->operands == NULL) make_operands(s, b);
        const bench_launch launch = {.session = s, .problem = b->problem, .variant = v, .operands = b->operands};
        launch_predicted(s, &launch, true);
    }
}

/* What the verification found. True: the launch is right, and there is something to time. */
static bool verified(session *s, const bench_problem *b, const bench_launch *launch, const verdict *v,
                     bench_rows *rows) {
    const char *name = launch->variant->name;
    rows->first.max_err_bound_share = rows->second.max_err_bound_share = v->worst_share;
    if (!v->ok) {
        print_skipped(s, name, &rows->first, "WRONG RESULT, not timed");
        s->wrong++;
    } else if (b->work.touched == 0)
        print_skipped(s, name, &rows->first, "nothing to time; verified");
    else if (s->device.simulated)
        report(s, b, launch, name, &rows->first, NULL, v->seconds, launch_predicted(s, launch, false));
    else
        return true;
    return false;
}

/* The row of a variant that is only predicted. */
static void predict(const session *s, const bench_launch *launch, record *r) {
    r->ms_median = launch_predicted(s, launch, false);
    snprintf(r->mode, sizeof r->mode, "predicted");
    progress_clear(stderr);
    print_predicted(s, launch->variant->name, r, r->ms_median);
    session_keep(s, r);
}

static void run_variant(session *s, bench_problem *b, int i) {
    const char *name = s->variants[i].name;
    const bench_operand_functions *operands = s->family->operands;
    bench_rows rows = rows_of(s, b, &s->variants[i]);
    bench_launch launch;
    verdict before;
    timing_result t;
    if (!choose_launch(s, b, i, &rows, &launch)) return;
    if (s->o.watch.predict_only) {
        predict(s, &launch, &rows.first);
        return;
    }
    CUDA_CHECK(operands->verify(&launch, name, stderr, &before));
    progress_clear(stderr);
    if (!verified(s, b, &launch, &before, &rows)) return;
    if (rows.measures) {
        timing_task task = measure_task(&b->outline, &launch, baseline_launch(&b->baseline), true);
        task.budget_s = s->o.time_s;
        operands->begin(&launch);
        CUDA_CHECK(timing_run(&task, s->stream, &t));
        operands->end(&launch);
        if (!still_right(s, &launch, before.fingerprint, &rows.first)) return;
        report(s, b, &launch, name, &rows.first, &t, NAN, NAN);
        s->gflops[i] = rows.first.gflops;
    }
    if (rows.measures_twice) measure_second(s, b, launch, before.fingerprint, &rows.second);
}

/* ---- all problems ---------------------------------------------------------------------------------------------- */

int sweep_begin(session *s, case_list *problems) {
    *problems = session_cases(s);
    s->family->problems(s, problems);
    if (problems->count == 0) {
        fprintf(stderr, "%s: --sweep with --max-size %d leaves no problem\n", s->step, s->o.max_size);
        return EXIT_USAGE;
    }
    print_header(s);
    for (int i = 0; i < s->count; i++) s->total += s->o.chosen[i] ? problems->count : 0;
    return EXIT_OK;
}

int sweep_end(session *s, case_list *problems, int status) {
    progress_clear(stderr);
    CUDA_CHECK(cudaStreamSynchronize(s->stream));
    free(problems->cases);
    return status != EXIT_OK ? status : session_status(s);
}

int bench_sweep(session *s) {
    case_list problems;
    int status = sweep_begin(s, &problems);
    for (int j = 0; j < problems.count && status == EXIT_OK; j++) {
        bench_problem b;
        bool fits;
        status = begin_problem(s, case_list_at(&problems, j), &b, &fits);
        if (!fits) continue;
        foresee(s, &b);
        for (int i = 0; i < s->count; i++) {
            if (!s->o.chosen[i]) continue;
            s->done++;
            run_variant(s, &b, i);
        }
        end_problem(s, &b);
    }
    return sweep_end(s, &problems, status);
}
