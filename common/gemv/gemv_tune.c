/* Which of a variant's candidates is launched. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "bench/measure.h"
#include "gemv/gemv_state.h"
#include "gpu/error.h"
#include "gpu/program.h"

static const double SEARCH_S = 0.02, FINALS_S = 0.15; /* of one candidate */
static const char csv_header[] = "step,variant,dtype,n,k,cache,mode,candidate,block_n,reduce_threads,loads,rows,us,"
                                 "device,cc,driver,cuda,date\n";

typedef struct {
    session *s;
    const gemv_case *problem;
    const timing_task *outline;
    const gemv_variant *v;
    bench_launch launch;
    record row; /* that it is for */
} search;

int gemv_candidate_index(const gemv_variant *v, const char *name) {
    for (int i = 0; i < v->candidate_count; i++)
        if (strcmp(v->candidates[i].name, name) == 0) return i;
    return -1;
}

int gemv_tune_prepare(const session *s) {
    const char *csv = gemv_state_of(s)->o.tune_csv;
    return csv != NULL ? record_text_prepare("--tune-csv", csv, csv_header, stderr) : EXIT_OK;
}

static const char *candidate_name(void *context, int i) {
    return ((search *)context)->v->candidates[i].name;
}

static bool candidate_fits(void *context, int i) {
    search *c = context;
    verdict verdict;
    char name[160];
    c->launch.number = i;
    snprintf(name, sizeof name, "%s %s", c->v->name, c->v->candidates[i].name);
    const cudaError_t error = c->s->family->operands->verify(&c->launch, name, stderr, &verdict);
    if (measure_refused(error)) return false;
    CUDA_CHECK(error);
    if (!verdict.ok) c->s->wrong++;
    return verdict.ok;
}

static double candidate_us(void *context, int i, bool finals) {
    search *c = context;
    timing_result t;
    c->launch.number = i;
    measure_quickly(c->outline, &c->launch, NULL, finals ? FINALS_S : SEARCH_S, i > 0 && !finals, &t);
    return t.ours_ms.median * 1e3;
}

/* Appends the whole search at once. */
static void keep_search(const search *context, const double *times) {
    const gemv_variant *v = context->v;
    const record *r = &context->row;
    char *text = NULL;
    size_t length;
    FILE *f = open_memstream(&text, &length);
    if (f == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    fputs(csv_header, f);
    for (int i = 0; i < v->candidate_count; i++) {
        const gemv_candidate *c = &v->candidates[i];
        if (isnan(times[i])) continue;
        fprintf(f, "%s,%s,%s,%d,%d,%s,%s,%s,%d,%d,%d,%d,%.4f,%s,%s,%s,%s,%s\n", r->step, r->variant, r->dtype,
                (int)r->n, (int)r->k, r->cache, r->mode, c->name, c->block_n, c->reduce_threads, c->loads, c->rows,
                times[i], r->device, r->cc, r->driver, r->cuda, r->date);
    }
    if (fclose(f) != 0) CUDA_CHECK(cudaErrorMemoryAllocation);
    const int status = record_text_append(gemv_state_of(context->s)->o.tune_csv, text, sizeof csv_header - 1, stderr);
    free(text);
    if (status != EXIT_OK) exit(status);
}

static int search_candidates(search *context, tune_entry *entry, const tune_candidates *candidates) {
    gemv_state *state = gemv_state_of(context->s);
    double *times = calloc((size_t)candidates->count, sizeof *times);
    if (times == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    const int best = tune_search(candidates, times, stderr);
    if (best >= 0) {
        snprintf(entry->candidate, sizeof entry->candidate, "%s", candidate_name(context, best));
        entry->us = times[best];
        /* The key is silent on padded rows and on reading y. */
        if (state->o.lda == 0 && state->o.beta == 0.0f) tune_keep(&state->tuned, entry, stderr);
        if (state->o.tune_csv != NULL) keep_search(context, times);
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

/* What is tuned: all but the candidate. */
static tune_entry entry_for(const search *context) {
    const gemv_case *c = context->problem;
    const record *r = &context->row;
    tune_entry entry = {.n = c->n, .k = c->k};
    snprintf(entry.key, sizeof entry.key, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", context->v->name, r->device,
             program_build(), r->driver, r->cuda, r->cache, r->mode, dtype_name(c->type));
    return entry;
}

/* The candidate that the tuning file names for this shape, or with --no-tune for the nearest; -1: none. */
static int known_candidate(const search *context, const tune_entry *entry, const tune_candidates *candidates) {
    const gemv_state *state = gemv_state_of(context->s);
    const tune_entry *known = state->o.retune ? NULL : tune_find(&state->tuned, entry, true, candidates);
    if (known == NULL && !state->o.tune) {
        known = tune_find(&state->tuned, entry, false, candidates);
        if (known != NULL && context->s->o.verbose)
            printf("    %s: as tuned for n %d, k %d\n", context->v->name, known->n, known->k);
    }
    return known != NULL ? tune_index(candidates, known->candidate) : -1;
}

static int choose(search *context) {
    const gemv_case *c = context->problem;
    const bool product = c->alpha != 0.0f && c->k > 0;
    const char *named = gemv_state_of(context->s)->o.candidate;
    if (named != NULL) {
        const int i = gemv_candidate_index(context->v, named);
        return i >= 0 && candidate_fits(context, i) ? i : -1;
    }
    if (context->s->device.simulated || c->n == 0 || !product) return first_that_fits(context);
    const tune_candidates candidates = {context->v->candidate_count, context, candidate_fits, candidate_us,
                                        candidate_name};
    tune_entry entry = entry_for(context);
    const int known = known_candidate(context, &entry, &candidates);
    /* It was right for another shape, leading dimension or alignment. */
    if (known >= 0 && candidate_fits(context, known)) return known;
    return gemv_state_of(context->s)->o.tune ? search_candidates(context, &entry, &candidates)
                                             : first_that_fits(context);
}

bool gemv_tune(session *s, const timing_task *outline, bench_launch *launch) {
    search context = {s, launch->problem, outline, launch->variant->self, *launch, {.m = -1}};
    context.row = session_describe(s, launch->variant->name, "gemv");
    s->family->record(s, launch->problem, &context.row);
    if (launch->mode != NULL) snprintf(context.row.mode, RECORD_TEXT, "%s", launch->mode);
    launch->number = choose(&context);
    progress_clear(stderr);
    if (launch->number >= 0 && s->o.verbose)
        printf("    %s: %s\n", context.v->name, context.v->candidates[launch->number].name);
    return launch->number >= 0;
}
