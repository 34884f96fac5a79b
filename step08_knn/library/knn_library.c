#pragma GCC visibility push(default)
#include "knn_library.h"
#pragma GCC visibility pop

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../methods.h"
#include "bench/measure.h"
#include "gpu/error.h"
#include "knn/knn_operands.h"

static session here = {.step = "step08_knn"};
static knn_counts *counts;
static char reason[256];
static timing_result latest; /* comparison */

static int failed(const char *why) {
    snprintf(reason, sizeof reason, "%s", why);
    return 1;
}

static int answer(cudaError_t error) {
    return error == cudaSuccess ? 0 : failed(cudaGetErrorString(error));
}

int knn_library_open(int device) {
    const device_choice choice = {.ordinal = device};
    const int status = device_open(&choice, &here.device, stderr);
    if (status != EXIT_OK) return status;
    return cudaMalloc((void **)&counts, sizeof *counts) == cudaSuccess ? EXIT_OK : EXIT_CUDA;
}

const char *knn_library_method(int i) {
    return i >= 0 && i < knn_method_count ? knn_methods[i].name : NULL;
}

const char *knn_library_reason(void) {
    return reason;
}

static const knn_method *find(const char *name) {
    for (int i = 0; i < knn_method_count; i++)
        if (strcmp(knn_methods[i].name, name) == 0) return &knn_methods[i];
    snprintf(reason, sizeof reason, "there is no method %.64s", name);
    return NULL;
}

static knn_problem problem_of(const knn_library_task *t) {
    return (knn_problem){.m = t->m,
                         .n = t->n,
                         .d = t->d,
                         .k = t->k,
                         .queries = t->queries,
                         .points = t->points,
                         .index = t->index,
                         .distance = t->distance,
                         .workspace = t->workspace,
                         .workspace_bytes = t->workspace_bytes,
                         .prepared = t->prepared,
                         .counts = counts};
}

long long knn_library_workspace(const knn_library_task *task, size_t limit) {
    const knn_problem p = problem_of(task);
    const knn_method *found = find(task->method);
    size_t bytes;
    if (found == NULL) return -1;
    const char *why = found->supports != NULL ? found->supports(&here.device) : NULL;
    if (why == NULL) why = knn_refusal(found, &p, limit, &bytes);
    if (why == NULL) return (long long)bytes;
    failed(why);
    return -1;
}

long long knn_library_prepared(const knn_library_task *task) {
    const knn_problem p = problem_of(task);
    const knn_method *found = find(task->method);
    return found != NULL && found->prepare != NULL ? (long long)found->prepared(&p) : 0;
}

int knn_library_prepare(const knn_library_task *task, void *prepared) {
    const knn_problem p = problem_of(task);
    const knn_method *found = find(task->method);
    if (found == NULL) return 1;
    return found->prepare != NULL ? answer(found->prepare(&p, prepared, task->stream)) : failed("prepares nothing");
}

typedef struct {
    const knn_method *method;
    knn_problem problem;
    int (*baseline)(void *stream);
} comparison;

static cudaError_t search(void *context, int set, cudaStream_t stream) {
    const comparison *c = context;
    const cudaError_t error = cudaMemsetAsync(counts, 0, sizeof *counts, stream);
    return error != cudaSuccess ? error : c->method->search(&c->problem, stream);
}

static cudaError_t other(void *context, int set, cudaStream_t stream) {
    const comparison *c = context;
    return c->baseline(stream) == 0 ? cudaSuccess : cudaErrorUnknown;
}

int knn_library_search(const knn_library_task *task) {
    comparison c = {find(task->method), problem_of(task), NULL};
    return c.method == NULL ? 1 : answer(search(&c, 0, task->stream));
}

static void put(double to[3], stats_summary from) {
    to[0] = from.median;
    to[1] = from.min;
    to[2] = from.max;
}

int knn_library_compare(const knn_library_task *task, int (*baseline)(void *stream), double seconds,
                        knn_library_times *times) {
    comparison c = {find(task->method), problem_of(task), baseline};
    if (c.method == NULL) return 1;
    const timing_task timing = {
        .ours = {search, &c}, .baseline = {other, &c}, .sets = 1, .budget_s = seconds, .mode = TIMING_EVENTS};
    const cudaError_t error = timing_run(&timing, task->stream, &latest);
    if (error != cudaSuccess) return answer(error);
    put(times->ours, latest.ours_ms);
    put(times->baseline, latest.baseline_ms);
    put(times->ratio, latest.ratio);
    times->clock_mhz = latest.clock_mhz;
    times->pairs = latest.pairs;
    return 0;
}

static record row(const knn_library_task *task, const char *baseline) {
    const knn_case what = {.m = task->m, .n = task->n, .d = task->d, .k = task->k, .prepared = task->prepared != NULL};
    record r = session_describe(&here, task->method, "knn");
    knn_describe(&what, &r);
    snprintf(r.baseline, sizeof r.baseline, "%s", baseline);
    return r;
}

int knn_library_recorded(const char *csv, const knn_library_task *task, const char *baseline) {
    const record r = row(task, baseline);
    record *rows = NULL;
    int count = 0, found = 0;
    if (record_csv_prepare(csv, stderr) != EXIT_OK || record_csv_load(csv, &rows, &count, stderr) != EXIT_OK) return -1;
    for (int i = 0; i < count; i++) found |= record_same_case(&rows[i], &r) && strcmp(rows[i].baseline, baseline) == 0;
    free(rows);
    return found;
}

int knn_library_record(const char *csv, const knn_library_task *task, const char *baseline) {
    const bench_workload work = {.flops = 3.0 * task->m * (double)task->n * task->d, .bytes = NAN};
    record r = row(task, baseline);
    if (*r.mode == '\0') snprintf(r.mode, sizeof r.mode, "%s", latest.mode);
    measure_record(&r, &work, &latest);
    return record_csv_append(csv, &r, stderr);
}
