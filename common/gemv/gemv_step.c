/* The main program of every GEMV step: options -> device -> shapes -> tune, verify, time, report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cublas.h"
#include "gpu/error.h"
#include "gemv/gemv_chain.h"
#include "gemv/gemv_check.h"
#include "gemv/gemv_operands.h"
#include "base/progress.h"
#include "gemv/read_ceiling.h"
#include "bench/session.h"
#include "bench/shapes.h"
#include "bench/timing.h"
#include "bench/tune.h"

enum { DEFAULT_SIZE = 4096, SIMULATED_SIZE = 512, SIMULATED_MAX_SIZE = 300, CHAIN_LINKS = 64, SIMULATED_LINKS = 4 };
enum { PDL_CC = 90 };
static const char mode_graph[] = "graph", mode_pdl[] = "pdl"; /* as recorded */
static const double SEARCH_S = 0.02, FINALS_S = 0.15;         /* of one candidate */
static const char tune_csv_header[] =
    "step,variant,dtype,n,k,cache,mode,candidate,block_n,reduce_threads,loads,rows,us,"
    "device,cc,driver,cuda,date\n";

typedef struct {
    session base;
    const gemv_variant *variants;
    int count;
    dtype type;
    tune_table tuned;
} gemv_session;

/* One shape: its operands, and what everything is compared with. */
typedef struct {
    gemv_operands o;
    timing_task task;
    shape size;
    size_t touched;
    gemv_launch baseline;
    const char *baseline_name; /* NULL: none */
    int ceiling_way;
    double ceiling_gbps; /* NAN: not measured */
} bench;

/* ---- --list ---------------------------------------------------------------------------------------------------- */

static void print_kernel(gemm_kernel kernel, const char *name, const device_facts *d) {
    struct cudaFuncAttributes attributes;
    const int blocks = session_occupancy(kernel, &attributes);
    const int warps = blocks * ((kernel.threads + 31) / 32), most = d->threads_per_sm / 32;
    printf("    %s%s%d threads a block, %d registers a thread, %zu bytes of shared memory a block, %.1f %% occupancy\n",
           name, *name != '\0' ? ": " : "", kernel.threads, attributes.numRegs,
           attributes.sharedSizeBytes + kernel.dynamic_shared, 100.0 * warps / most);
}

static int list(const gemv_session *s) {
    device_facts device;
    if (s->base.o.verbose) {
        int status = session_open_device(&s->base, &device);
        if (status != EXIT_OK) return status;
        printf("%s (sm_%d), %s\n", device.name, device.cc, dtype_name(s->type));
    }
    for (int i = 0; i < s->count; i++) {
        if (!s->base.o.chosen[i]) continue;
        const gemv_variant *v = &s->variants[i];
        printf("%-18s %s\n", v->name, v->idea);
        if (!s->base.o.verbose) continue;
        const char *reason = v->supports != NULL ? v->supports(&device) : NULL;
        if (reason != NULL)
            printf("    not on this device: %s\n", reason);
        else if (v->candidates == NULL)
            print_kernel(v->kernel(s->type), "", &device);
        for (int c = 0; reason == NULL && v->candidates != NULL && c < v->candidate_count; c++)
            print_kernel(v->candidates[c].kernel(s->type), v->candidates[c].name, &device);
    }
    return EXIT_OK;
}

/* ---- launches for timing --------------------------------------------------------------------------------------- */

typedef struct {
    bench *b;
    gemv_launch ours, baseline;
    int way;  /* of reading */
    bool pdl; /* reading with programmatic dependent launch */
} launch_context;

static cudaError_t launch_ours(void *context, int set, cudaStream_t stream) {
    launch_context *c = context;
    gemv_problem p = gemv_operands_problem(&c->b->o, set);
    return gemv_enqueue(&c->ours, &p, stream);
}

static cudaError_t launch_baseline(void *context, int set, cudaStream_t stream) {
    launch_context *c = context;
    gemv_problem p = gemv_operands_problem(&c->b->o, set);
    return gemv_enqueue(&c->baseline, &p, stream);
}

static cudaError_t launch_read(void *context, int set, cudaStream_t stream) {
    launch_context *c = context;
    const gemv_operands *o = &c->b->o;
    const size_t bytes = (size_t)o->what.n * (size_t)o->what.k * dtype_size(o->what.type);
    return read_ceiling(o->set[set].a.elements, bytes, c->way, c->pdl, stream);
}

static cudaError_t restore_y(void *context, int set, cudaStream_t stream) {
    launch_context *c = context;
    return gemv_operands_fill_y(&c->b->o, set, VALUES_UNIFORM, stream);
}

/* Times ours against baseline (launch NULL and no cuBLAS: alone). */
static void time_pair(const gemv_session *s, bench *b, launch_context *c, bool alone, double budget_s, bool hot,
                      timing_result *t) {
    timing_task task = b->task;
    c->b = b;
    task.context = c;
    task.ours = launch_ours;
    task.baseline = alone ? NULL : launch_baseline;
    task.budget_s = budget_s;
    task.hot = hot;
    CUDA_CHECK(timing_run(&task, s->base.stream, t));
}

/* The fastest of cuBLAS's calls that are right here. */
static void choose_baseline(const gemv_session *s, bench *b) {
    for (int call = 0; call < CUBLAS_GEMV_CALLS; call++) {
        const char *name = cublas_gemv_name(s->type, call);
        const gemv_launch launch = {.cublas_call = call};
        gemm_verdict verdict;
        if (name == NULL) continue;
        cudaError_t error = gemv_verify(&launch, name, &b->o, s->base.stream, stderr, &verdict);
        if (error == cudaErrorNotSupported) continue;
        CUDA_CHECK(error);
        if (!verdict.ok) {
            progress_clear(stderr);
            fprintf(stderr, "%s is wrong at n %d, k %d: left out as a baseline\n", name, b->size.n, b->size.k);
            continue;
        }
        if (b->baseline_name != NULL && b->touched > 0) {
            launch_context c = {.ours = launch, .baseline = b->baseline};
            timing_result t;
            time_pair(s, b, &c, false, s->base.o.time_s / 10, call > 1, &t);
            if (!(t.ratio.median > 1.0)) continue;
        }
        b->baseline = launch;
        b->baseline_name = name;
    }
}

/* Reading A and nothing else: the fastest way of it, then that measured like a variant. False where A is empty. */
static bool measure_ceiling(const gemv_session *s, bench *b, timing_result *best) {
    timing_task task = b->task;
    launch_context c = {.b = b, .pdl = s->base.o.pdl};
    double least = INFINITY;
    if ((double)b->size.n * b->size.k * (double)dtype_size(s->type) < 16.0)
        return false; /* it reads 16 bytes at a time */
    task.context = &c;
    task.ours = launch_read;
    task.restore = NULL;
    for (int way = 0; way <= READ_CEILING_WAYS; way++) {
        const bool finals = way == READ_CEILING_WAYS;
        timing_result t;
        c.way = finals ? b->ceiling_way : way;
        task.budget_s = finals ? s->base.o.time_s / 2 : s->base.o.time_s / 20;
        task.hot = way > 0;
        CUDA_CHECK(timing_run(&task, s->base.stream, &t));
        if (finals) *best = t;
        if (finals || t.ours_ms.median >= least) continue;
        least = t.ours_ms.median;
        b->ceiling_way = way;
    }
    return true;
}

/* ---- output ---------------------------------------------------------------------------------------------------- */

static const char *how(const gemv_session *s) {
    if (s->base.o.graph) return ", in a chain";
    if (s->base.o.pdl) return ", in CUDA graphs with programmatic dependent launch";
    return s->base.o.sweep == SWEEP_ARTICLE ? ", single launches between events" : ", in CUDA graphs";
}

static void print_header(const gemv_session *s) {
    const device_facts *d = &s->base.device;
    if (d->simulated)
        printf("%s on %s (sm_%d, CUDA %s): results are real, times are not a GPU's\n", s->base.step, d->name, d->cc,
               d->cuda);
    else
        printf("%s on %s (sm_%d, %d SMs, %.0f GB/s, driver %s, CUDA %s)\n", s->base.step, d->name, d->cc, d->sms,
               d->peak_gbps, d->driver, d->cuda);
    if (s->base.o.graph)
        printf("y = sqrt(3/k)*A*x in %s", dtype_name(s->type));
    else
        printf("y = %g*A*x + %g*y in %s", (double)s->base.o.alpha, (double)s->base.o.beta, dtype_name(s->type));
    if (!d->simulated)
        printf(", L2 %s%s%s%s", s->base.o.warm ? "warm" : "cold", how(s), s->base.baseline ? ", against cuBLAS " : "",
               cublas_version());
    printf("\n%-18s %8s %8s", "variant", "n", "k");
    if (d->simulated)
        printf("%14s  %s\n", "simulated in", "worst error, of its bound");
    else if (s->base.o.graph)
        printf("%9s %9s  %s\n", "graph us", "pdl us", "graph/pdl (min-max)");
    else
        printf("%10s %8s %6s %8s  %s\n", "us", "GB/s", "peak", "ceiling", "ratio (min-max)");
    fflush(stdout);
}

static void print_share(double share) {
    if (isnan(share))
        printf(" %6s", "-");
    else
        printf(" %5.1f%%", 100.0 * share);
}

static void print_row(const record *r, double ceiling_gbps) {
    printf("%-18s %8d %8d %9.2f %8.1f", r->variant, (int)r->n, (int)r->k, r->ms_median * 1e3, r->gbps);
    print_share(r->peak_share);
    printf("  ");
    print_share(r->gbps / ceiling_gbps);
    if (!isnan(r->ratio)) printf("  %.3f (%.3f-%.3f)", r->ratio, r->ratio_min, r->ratio_max);
    printf("\n");
    fflush(stdout);
}

static void print_simulated(const record *r, double seconds) {
    printf("%-18s %8d %8d%12.3f s  %.3f\n", r->variant, (int)r->n, (int)r->k, seconds, r->max_err_bound_share);
    fflush(stdout);
}

static void print_skip(const char *variant, shape size, const char *reason) {
    printf("%-18s %8d %8d  skipped: %s\n", variant, size.n, size.k, reason);
    fflush(stdout);
}

/* ---- records --------------------------------------------------------------------------------------------------- */

static record describe(const gemv_session *s, const char *variant, const char *op, const char *mode, shape size) {
    record r = session_describe(&s->base, variant, op);
    r.m = 1;
    r.n = size.n;
    r.k = size.k;
    if (*r.mode == '\0') snprintf(r.mode, sizeof r.mode, "%s", mode);
    return r;
}

static void fill_in(record *r, const stats_summary *ms, const timing_result *t, const gemv_session *s, double bytes) {
    const shape size = {1, (int)r->n, (int)r->k};
    const double seconds = ms->median / 1e3;
    r->ms_median = ms->median;
    r->ms_min = ms->min;
    r->ms_max = ms->max;
    r->gflops = shape_flops(size) / seconds / 1e9;
    r->gbps = bytes / seconds / 1e9;
    r->peak_share = s->base.device.peak_gbps > 0.0 ? r->gbps / s->base.device.peak_gbps : NAN;
    r->clock_mhz = t->clock_mhz;
    r->power_w = t->power_w;
}

static void fill_in_baseline(record *r, const timing_result *t, const char *name) {
    snprintf(r->baseline, sizeof r->baseline, "%s", name);
    r->baseline_ms = t->baseline_ms.median;
    r->ratio = t->ratio.median;
    r->ratio_min = t->ratio.min;
    r->ratio_max = t->ratio.max;
}

/* ---- tuning ---------------------------------------------------------------------------------------------------- */

typedef struct {
    gemv_session *s;
    bench *b;
    const gemv_variant *v;
    const char *mode; /* of the records that it is for */
} search;

static gemv_launch launch_of(const search *c, int i) {
    return (gemv_launch){.launch = c->v->candidates[i].launch, .pdl = strcmp(c->mode, mode_pdl) == 0};
}

static const char *candidate_name(void *context, int i) {
    return ((search *)context)->v->candidates[i].name;
}

static bool candidate_fits(void *context, int i) {
    search *c = context;
    const gemv_launch launch = launch_of(c, i);
    gemm_verdict verdict;
    char name[160];
    snprintf(name, sizeof name, "%s %s", c->v->name, c->v->candidates[i].name);
    cudaError_t error = gemv_verify(&launch, name, &c->b->o, c->s->base.stream, stderr, &verdict);
    if (gemv_refused(error)) return false;
    CUDA_CHECK(error);
    if (!verdict.ok) c->s->base.wrong++;
    return verdict.ok;
}

static double candidate_us(void *context, int i, bool finals) {
    search *c = context;
    launch_context launches = {.ours = launch_of(c, i)};
    timing_result t;
    time_pair(c->s, c->b, &launches, true, finals ? FINALS_S : SEARCH_S, i > 0 && !finals, &t);
    return t.ours_ms.median * 1e3;
}

/* Appends the whole search at once. */
static void keep_search(const search *context, const double *times) {
    const gemv_session *s = context->s;
    const gemv_variant *v = context->v;
    const record r = describe(s, v->name, "gemv", context->mode, context->b->size);
    char *text = NULL;
    size_t length;
    FILE *f = open_memstream(&text, &length);
    if (f == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    fputs(tune_csv_header, f);
    for (int i = 0; i < v->candidate_count; i++) {
        const gemv_candidate *c = &v->candidates[i];
        if (isnan(times[i])) continue;
        fprintf(f, "%s,%s,%s,%d,%d,%s,%s,%s,%d,%d,%d,%d,%.4f,%s,%s,%s,%s,%s\n", r.step, r.variant, r.dtype, (int)r.n,
                (int)r.k, r.cache, r.mode, c->name, c->block_n, c->reduce_threads, c->loads, c->rows, times[i],
                r.device, r.cc, r.driver, r.cuda, r.date);
    }
    if (fclose(f) != 0) CUDA_CHECK(cudaErrorMemoryAllocation);
    const int status = record_text_append(s->base.o.tune_csv, text, sizeof tune_csv_header - 1, stderr);
    free(text);
    if (status != EXIT_OK) exit(status);
}

static int index_of(const gemv_variant *v, const char *name) {
    for (int i = 0; i < v->candidate_count; i++)
        if (strcmp(v->candidates[i].name, name) == 0) return i;
    return -1;
}

static int search_candidates(search *context, tune_entry *key) {
    gemv_session *s = context->s;
    const gemv_variant *v = context->v;
    const tune_candidates candidates = {v->candidate_count, context, candidate_fits, candidate_us, candidate_name};
    double *times = calloc((size_t)v->candidate_count, sizeof *times);
    if (times == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    const int best = tune_search(&candidates, times, stderr);
    if (best >= 0) {
        snprintf(key->candidate, sizeof key->candidate, "%s", v->candidates[best].name);
        key->us = times[best];
        /* The key is silent on padded rows and on reading y. */
        if (s->base.o.lda == 0 && s->base.o.beta == 0.0f) tune_keep(&s->tuned, key, stderr);
        if (s->base.o.tune_csv != NULL) keep_search(context, times);
    }
    free(times);
    return best;
}

/* Where nothing is timed: the first that can run the problem. */
static int first_that_fits(search *context) {
    for (int i = 0; i < context->v->candidate_count; i++)
        if (candidate_fits(context, i)) return i;
    return -1;
}

/* The candidate for this shape: known, found now, or the nearest shape's. -1: none. */
static int choose_candidate(search *context) {
    gemv_session *s = context->s;
    const bench *b = context->b;
    const gemv_variant *v = context->v;
    const bool product = s->base.o.alpha != 0.0f && b->size.k > 0;
    if (s->base.device.simulated || b->touched == 0 || !product) return first_that_fits(context);
    const char **names = calloc((size_t)v->candidate_count + 1, sizeof *names);
    if (names == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    for (int i = 0; i < v->candidate_count; i++) names[i] = v->candidates[i].name;
    tune_entry key = {.type = s->type, .n = b->size.n, .k = b->size.k};
    snprintf(key.variant, sizeof key.variant, "%s", v->name);
    snprintf(key.device, sizeof key.device, "%.*s", TUNE_TEXT - 1, s->base.device.name);
    snprintf(key.cache, sizeof key.cache, "%s", s->base.o.warm ? "warm" : "cold");
    snprintf(key.mode, sizeof key.mode, "%s", context->mode);
    const tune_entry *known = s->base.o.retune ? NULL : tune_find(&s->tuned, &key, names, v->candidate_count);
    if (known == NULL && !s->base.o.tune) {
        known = tune_nearest(&s->tuned, &key, names, v->candidate_count);
        if (known != NULL && s->base.o.verbose)
            printf("    %s: as tuned for n %d, k %d\n", v->name, known->n, known->k);
    }
    int chosen = known != NULL ? index_of(v, known->candidate) : -1;
    /* It was right for another shape, leading dimension or alignment. */
    if (chosen >= 0 && !candidate_fits(context, chosen)) chosen = -1;
    if (chosen < 0) chosen = s->base.o.tune ? search_candidates(context, &key) : first_that_fits(context);
    free(names);
    return chosen;
}

/* What to launch for the variant; false (and printed) where there is nothing. */
static bool choose_launch(gemv_session *s, bench *b, const gemv_variant *v, const char *mode, gemv_launch *launch) {
    search context = {s, b, v, mode};
    *launch = (gemv_launch){.launch = v->launch, .pdl = strcmp(mode, mode_pdl) == 0};
    if (v->candidates == NULL) return true;
    const int chosen = choose_candidate(&context);
    progress_clear(stderr);
    if (chosen < 0) {
        print_skip(v->name, b->size, "no candidate fits");
        return false;
    }
    *launch = launch_of(&context, chosen);
    if (s->base.o.verbose) printf("    %s: %s\n", v->name, v->candidates[chosen].name);
    return true;
}

/* ---- one shape ------------------------------------------------------------------------------------------------- */

static gemv_case case_of(const gemv_session *s, shape size) {
    return (gemv_case){.type = s->type,
                       .n = size.n,
                       .k = size.k,
                       .lda = s->base.o.lda,
                       .alpha = s->base.o.alpha,
                       .beta = s->base.o.beta,
                       .seed = s->base.o.seed};
}

/* Device memory for `need` bytes beside those of `c`'s elements, or the reason there is none. */
static bool fits(const gemv_case *c, double need, char *reason, size_t size) {
    size_t unused;
    if (!shape_elements(c->n, c->lda > c->k ? c->lda : c->k, dtype_size(c->type), &unused)) {
        snprintf(reason, size, "more elements than can be addressed");
        return false;
    }
    return session_fits(need, reason, size);
}

/* In a sweep what does not fit is skipped with the reason; asked for by size it ends the program with status 2. */
static int refuse(const gemv_session *s, shape size, const char *reason) {
    if (s->base.o.sweep == SWEEP_NONE) {
        fprintf(stderr, "%s: --n %d --k %d: %s\n", s->base.step, size.n, size.k, reason);
        return EXIT_USAGE;
    }
    print_skip("all", size, reason);
    return EXIT_OK;
}

/* Operands, baseline and ceiling: made when the first variant needs them, for with --resume there may be nothing. */
static void prepare(gemv_session *s, bench *b, const gemv_case *c, int sets) {
    CUDA_CHECK(gemv_operands_create(&b->o, c, sets));
    if (b->task.flush_bytes > 0) CUDA_ALLOCATE(&b->task.flush, b->task.flush_bytes);
    if (s->base.device.simulated) return; /* gemv_verify fills the one set */
    for (int set = 0; set < sets; set++) CUDA_CHECK(gemv_operands_fill(&b->o, set, VALUES_UNIFORM, s->base.stream));
    if (s->base.baseline) choose_baseline(s, b);
    timing_result t;
    if (!measure_ceiling(s, b, &t)) return;
    record r = describe(s, "read_ceiling", "read", s->base.o.pdl ? mode_pdl : t.mode, b->size);
    fill_in(&r, &t.ours_ms, &t, s, (double)c->n * c->k * (double)dtype_size(c->type));
    r.gflops = NAN;
    b->ceiling_gbps = r.gbps;
    progress_clear(stderr);
    print_row(&r, b->ceiling_gbps);
    if (session_find(&s->base, &r, false) == NULL) session_keep(&s->base, &r);
}

static void measure(gemv_session *s, bench *b, const gemv_launch *launch, record *r) {
    launch_context c = {.ours = *launch, .baseline = b->baseline};
    timing_result t;
    time_pair(s, b, &c, b->baseline_name == NULL, s->base.o.time_s, false, &t);
    fill_in(r, &t.ours_ms, &t, s, shape_bytes(b->size, (float)r->beta, dtype_size(s->type), dtype_size(s->type)));
    if (b->baseline_name != NULL) fill_in_baseline(r, &t, b->baseline_name);
    print_row(r, b->ceiling_gbps);
    if (s->base.o.verbose) {
        printf("    %d %s of %s, %.3f-%.3f us", t.pairs, b->baseline_name != NULL ? "pairs" : "runs", t.mode,
               r->ms_min * 1e3, r->ms_max * 1e3);
        if (b->baseline_name != NULL) printf(", %s %.3f us", b->baseline_name, r->baseline_ms * 1e3);
        if (!isnan(r->clock_mhz)) printf(", %.0f MHz, %.0f W", r->clock_mhz, r->power_w);
        printf("; worst error %.3f of its bound\n", r->max_err_bound_share);
    }
    session_keep(&s->base, r);
}

/* All chosen variants at one shape. */
static int run_shape(gemv_session *s, shape size) {
    const bool article = s->base.o.sweep == SWEEP_ARTICLE, simulated = s->base.device.simulated;
    const bool warm = s->base.o.warm || simulated;
    const char *mode = article ? "events" : s->base.o.pdl ? mode_pdl : mode_graph;
    const gemv_case c = case_of(s, size);
    bench b = {.size = size, .touched = gemv_operands_touched(&c), .ceiling_gbps = NAN};
    int sets = warm || article ? 1 : gemv_operands_cold_sets(&c, s->base.device.l2_bytes);
    if (!warm && sets < 2 && c.beta != 0.0f) sets = 2; /* a single one that is put back would be in the cache */
    const size_t cold_bytes = warm ? 0 : gemv_operands_cold_bytes(s->base.device.l2_bytes);
    char reason[160];
    for (;; sets /= 2) { /* padding may make many sets too large: rather fewer, and a flush */
        const bool flush = article ? !warm : (size_t)sets * b.touched < cold_bytes;
        b.task.flush_bytes = flush ? cold_bytes : 0;
        if (fits(&c, (double)gemv_operands_bytes(&c, sets) + (double)b.task.flush_bytes, reason, sizeof reason)) break;
        if (sets <= 1) return refuse(s, size, reason);
    }
    b.task.sets = sets;
    b.task.restore = c.beta != 0.0f ? restore_y : NULL;
    b.task.mode = article ? TIMING_EVENTS : TIMING_GRAPH;
    for (int i = 0; i < s->count; i++) {
        const gemv_variant *v = &s->variants[i];
        if (!s->base.o.chosen[i]) continue;
        s->base.done++;
        const char *unsupported = v->supports != NULL ? v->supports(&s->base.device) : NULL;
        if (unsupported != NULL) {
            print_skip(v->name, size, unsupported);
            continue;
        }
        record r = describe(s, v->name, "gemv", mode, size);
        const bool told_apart = !(simulated && s->base.o.pdl); /* a simulated row is one, however it was launched */
        if (told_apart && session_find(&s->base, &r, s->base.baseline) != NULL) continue;
        error_context("%s %s, %s, n %d, k %d", s->base.step, v->name, dtype_name(s->type), size.n, size.k);
        progress_show(stderr, v->name, s->base.done - 1, s->base.total);
        if (b.o.set == NULL) prepare(s, &b, &c, sets);
        gemv_launch launch;
        gemm_verdict verdict;
        if (!choose_launch(s, &b, v, mode, &launch)) continue;
        CUDA_CHECK(gemv_verify(&launch, v->name, &b.o, s->base.stream, stderr, &verdict));
        progress_clear(stderr);
        if (!verdict.ok) {
            print_skip(v->name, size, "WRONG RESULT, not timed");
            s->base.wrong++;
            continue;
        }
        r.max_err_bound_share = verdict.worst_share;
        if (b.touched == 0)
            print_skip(v->name, size, "nothing to time; verified");
        else if (simulated) {
            print_simulated(&r, verdict.seconds);
            session_keep(&s->base, &r);
        } else
            measure(s, &b, &launch, &r);
    }
    if (b.task.flush != NULL) CUDA_CHECK(cudaFree(b.task.flush));
    gemv_operands_destroy(&b.o);
    return EXIT_OK;
}

/* ---- --graph --------------------------------------------------------------------------------------------------- */

/* A chain both ways, each with the launch that is the fastest for it. */
typedef struct {
    gemv_chain chain;
    gemv_launch launch[2]; /* without and with programmatic dependent launch */
} chain_pair;

static cudaError_t link_plain(void *context, int set, cudaStream_t stream) {
    chain_pair *c = context;
    c->chain.launch = c->launch[0];
    return gemv_chain_link(&c->chain, set, stream);
}

static cudaError_t link_pdl(void *context, int set, cudaStream_t stream) {
    chain_pair *c = context;
    c->chain.launch = c->launch[1];
    return gemv_chain_link(&c->chain, set, stream);
}

/* Both ways right? Leaves the worst share of each. */
static bool verify_chain(gemv_session *s, chain_pair *c, const char *name, bool pdl, gemm_verdict verdict[2]) {
    bool ok = true;
    for (int way = 0; way < (pdl ? 2 : 1); way++) {
        c->chain.launch = c->launch[way];
        CUDA_CHECK(gemv_chain_verify(&c->chain, name, s->base.stream, stderr, &verdict[way]));
        ok = ok && verdict[way].ok;
    }
    return ok;
}

static void measure_chain(gemv_session *s, chain_pair *c, shape size, bool pdl, record rows[2]) {
    const timing_task task = {.context = c,
                              .sets = c->chain.links,
                              .ours = pdl ? link_pdl : link_plain,
                              .baseline = pdl ? link_plain : NULL,
                              .budget_s = s->base.o.time_s,
                              .mode = TIMING_GRAPH};
    const double bytes = shape_bytes(size, 0.0f, dtype_size(s->type), dtype_size(s->type));
    timing_result t;
    CUDA_CHECK(timing_run(&task, s->base.stream, &t));
    fill_in(&rows[0], pdl ? &t.baseline_ms : &t.ours_ms, &t, s, bytes);
    printf("%-18s %8d %8d %9.2f", rows[0].variant, size.n, size.k, rows[0].ms_median * 1e3);
    if (pdl) {
        fill_in(&rows[1], &t.ours_ms, &t, s, bytes);
        fill_in_baseline(&rows[1], &t, mode_graph);
        printf(" %9.2f  %.3f (%.3f-%.3f)\n", rows[1].ms_median * 1e3, rows[1].ratio, rows[1].ratio_min,
               rows[1].ratio_max);
    } else
        printf(" %9s  needs sm_%d\n", "-", PDL_CC);
    fflush(stdout);
    for (int i = 0; i < (pdl ? 2 : 1); i++) session_keep(&s->base, &rows[i]);
}

static int run_chain(gemv_session *s, shape size) {
    const bool simulated = s->base.device.simulated, pdl = s->base.device.cc >= PDL_CC;
    const gemv_case what = case_of(s, size);
    const int sets = s->base.o.warm || simulated ? 1 : gemv_operands_cold_sets(&what, s->base.device.l2_bytes);
    const int least = simulated ? SIMULATED_LINKS : CHAIN_LINKS, links = sets > least ? sets : least;
    char reason[160];
    if (!fits(&what, (double)gemv_chain_bytes(&what, links, sets) + (double)gemv_operands_bytes(&what, sets), reason,
              sizeof reason))
        return refuse(s, size, reason);
    chain_pair pair = {0};
    gemv_chain *chain = &pair.chain;
    bench b = {.size = size, .touched = gemv_operands_touched(&what), .ceiling_gbps = NAN};
    const size_t cold_bytes = gemv_operands_cold_bytes(s->base.device.l2_bytes);
    const bool small = (size_t)sets * b.touched < cold_bytes;   /* some of the chain stays in the L2 */
    b.task = (timing_task){.sets = sets, .mode = TIMING_GRAPH}; /* a search's, as run_shape has it */
    b.task.flush_bytes = small && !s->base.o.warm && !simulated ? cold_bytes : 0;
    for (int i = 0; i < s->count; i++) {
        const gemv_variant *v = &s->variants[i];
        if (!s->base.o.chosen[i]) continue;
        s->base.done++;
        const char *unsupported = v->supports != NULL ? v->supports(&s->base.device) : NULL;
        if (unsupported != NULL) {
            print_skip(v->name, size, unsupported);
            continue;
        }
        record rows[2] = {describe(s, v->name, "gemv_chain", mode_graph, size),
                          describe(s, v->name, "gemv_chain", mode_pdl, size)};
        error_context("%s %s, %s, a chain, n %d, k %d", s->base.step, v->name, dtype_name(s->type), size.n, size.k);
        progress_show(stderr, v->name, s->base.done - 1, s->base.total);
        if (chain->memory == NULL) {
            CUDA_CHECK(gemv_chain_create(chain, &what, links, sets, s->base.stream));
            CUDA_CHECK(gemv_operands_create(&b.o, &what, sets));
            if (b.task.flush_bytes > 0) CUDA_ALLOCATE(&b.task.flush, b.task.flush_bytes);
            for (int set = 0; set < sets; set++)
                CUDA_CHECK(gemv_operands_fill(&b.o, set, VALUES_UNIFORM, s->base.stream));
        }
        rows[0].alpha = rows[1].alpha = chain->what.alpha;
        rows[0].beta = rows[1].beta = 0.0;
        for (int way = 0; small && way < 2; way++) snprintf(rows[way].cache, sizeof rows[way].cache, "warm");
        if (session_find(&s->base, &rows[0], false) != NULL &&
            (!pdl || session_find(&s->base, &rows[1], false) != NULL))
            continue;
        gemm_verdict verdict[2];
        if (!choose_launch(s, &b, v, mode_graph, &pair.launch[0])) continue;
        if (pdl && !choose_launch(s, &b, v, mode_pdl, &pair.launch[1])) continue;
        const bool ok = verify_chain(s, &pair, v->name, pdl, verdict);
        progress_clear(stderr);
        if (!ok) {
            print_skip(v->name, size, "WRONG RESULT, not timed");
            s->base.wrong++;
            continue;
        }
        for (int way = 0; way < (pdl ? 2 : 1); way++) rows[way].max_err_bound_share = verdict[way].worst_share;
        if (b.touched == 0)
            print_skip(v->name, size, "nothing to time; verified");
        else if (simulated) {
            print_simulated(&rows[pdl ? 1 : 0], verdict[pdl ? 1 : 0].seconds);
            session_keep(&s->base, &rows[pdl ? 1 : 0]);
        } else
            measure_chain(s, &pair, size, pdl, rows);
    }
    if (b.task.flush != NULL) CUDA_CHECK(cudaFree(b.task.flush));
    gemv_chain_destroy(chain);
    gemv_operands_destroy(&b.o);
    return EXIT_OK;
}

/* ---- main ------------------------------------------------------------------------------------------------------ */

static int run(gemv_session *s) {
    int status = session_prepare_files(&s->base);
    if (status == EXIT_OK && s->base.o.tune_csv != NULL)
        status = record_text_prepare("--tune-csv", s->base.o.tune_csv, tune_csv_header, stderr);
    if (status == EXIT_OK) status = session_open_device(&s->base, &s->base.device);
    if (status != EXIT_OK) return status;
    if (s->base.o.pdl && s->base.device.cc < PDL_CC) {
        fprintf(stderr, "--pdl: needs sm_%d, this is %s (sm_%d)\n", PDL_CC, s->base.device.name, s->base.device.cc);
        return EXIT_USAGE;
    }
    if (s->base.o.sweep == SWEEP_CHECK)
        return gemv_check_run(s->base.step, s->variants, s->base.o.chosen, s->count, &s->base.device,
                              s->base.o.max_size, s->base.o.every, s->base.o.seed);

    bool tunable = false;
    for (int i = 0; i < s->count; i++) tunable = tunable || (s->base.o.chosen[i] && s->variants[i].candidates != NULL);
    if (tunable && !s->base.device.simulated) tune_open(&s->tuned, s->base.o.tune_file, stderr);
    CUDA_CHECK(cudaStreamCreate(&s->base.stream));
    s->base.baseline = s->base.o.baseline && !s->base.o.graph && !s->base.device.simulated && cublas_open(stderr);
    print_header(s);
    shape single = {1, s->base.o.n, s->base.o.k};
    const shape *shapes = &single;
    int count = 1;
    if (s->base.o.sweep != SWEEP_NONE)
        count = shapes_sweep_gemv(s->base.o.sweep, s->base.device.simulated, s->base.o.max_size, &shapes);
    for (int i = 0; i < s->count; i++) s->base.total += s->base.o.chosen[i] ? count : 0;
    for (int i = 0; i < count && status == EXIT_OK; i++)
        status = s->base.o.graph ? run_chain(s, shapes[i]) : run_shape(s, shapes[i]);
    CUDA_CHECK(cudaStreamSynchronize(s->base.stream));
    CUDA_CHECK(cudaStreamDestroy(s->base.stream));
    if (status != EXIT_OK) return status;
    return s->base.wrong > 0 ? EXIT_WRONG : EXIT_OK;
}

int gemv_step_main(int argc, char **argv, const char *step, const gemv_variant *variants, int count) {
    static const char *const dtypes[] = {"f16", "bf16", "f32", NULL}, *const layouts[] = {"n", NULL};
    const char *names[OPTIONS_MAX_VARIANTS];
    for (int i = 0; i < count && i < OPTIONS_MAX_VARIANTS; i++) names[i] = variants[i].name;
    const options_step facts = {.step = step,
                                .variants = names,
                                .variant_count = count,
                                .dtypes = dtypes,
                                .layouts = layouts,
                                .default_size = DEFAULT_SIZE,
                                .simulated_size = SIMULATED_SIZE,
                                .simulated_max_size = SIMULATED_MAX_SIZE,
                                .operation = OPTIONS_GEMV};
    gemv_session s = {.variants = variants, .count = count};
    int status;
    if (!session_start(&s.base, &facts, argc, argv, &status)) return status;
    dtype_named(s.base.o.dtype, &s.type);
    status = s.base.o.list ? list(&s) : run(&s);
    tune_close(&s.tuned);
    return session_end(&s.base, status);
}
