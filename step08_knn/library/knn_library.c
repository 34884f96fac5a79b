#pragma GCC visibility push(default)
#include "knn_library.h"
#pragma GCC visibility pop

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../methods.h"
#include "bench/session.h"
#include "bench/timing.h"
#include "gpu/error.h"
#include "knn/knn_operands.h"

static session here = {.step = "step08_knn"};
static knn_counts *counts;
static char reason[256];

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

long long knn_library_workspace(const char *method, int m, int n, int d, int k, size_t limit) {
    const knn_problem p = {.m = m, .n = n, .d = d, .k = k};
    const knn_method *found = find(method);
    size_t bytes;
    if (found == NULL) return -1;
    const char *why = found->supports != NULL ? found->supports(&here.device) : NULL;
    if (why == NULL) why = knn_refusal(found, &p, limit, &bytes);
    if (why == NULL) return (long long)bytes;
    failed(why);
    return -1;
}

typedef struct {
    const knn_method *method;
    knn_problem problem;
    int (*baseline)(void *stream);
} comparison;

static cudaError_t search(void *context, int set, cudaStream_t stream) {
    const comparison *c = context;
    (void)set;
    const cudaError_t error = cudaMemsetAsync(counts, 0, sizeof *counts, stream);
    return error != cudaSuccess ? error : c->method->search(&c->problem, stream);
}

static cudaError_t other(void *context, int set, cudaStream_t stream) {
    const comparison *c = context;
    (void)set;
    return c->baseline(stream) == 0 ? cudaSuccess : cudaErrorUnknown;
}

static comparison describe(const char *method, const float *queries, const float *points, int m, int n, int d, int k,
                           int *index, float *distance, void *workspace, size_t bytes) {
    return (comparison){.method = find(method),
                        .problem = {.m = m,
                                    .n = n,
                                    .d = d,
                                    .k = k,
                                    .queries = queries,
                                    .points = points,
                                    .index = index,
                                    .distance = distance,
                                    .workspace = workspace,
                                    .workspace_bytes = bytes,
                                    .counts = counts}};
}

int knn_library_search(const char *method, const float *queries, const float *points, int m, int n, int d, int k,
                       int *index, float *distance, void *workspace, size_t bytes, void *stream) {
    comparison c = describe(method, queries, points, m, n, d, k, index, distance, workspace, bytes);
    return c.method == NULL ? 1 : answer(search(&c, 0, stream));
}

static void put(double to[5], stats_summary from) {
    to[0] = from.median;
    to[1] = from.min;
    to[2] = from.max;
    to[3] = from.low;
    to[4] = from.high;
}

int knn_library_compare(const char *method, const float *queries, const float *points, int m, int n, int d, int k,
                        int *index, float *distance, void *workspace, size_t bytes, void *stream,
                        int (*baseline)(void *stream), double seconds, knn_library_times *times) {
    comparison c = describe(method, queries, points, m, n, d, k, index, distance, workspace, bytes);
    if (c.method == NULL) return 1;
    c.baseline = baseline;
    const timing_task task = {
        .ours = {search, &c}, .baseline = {other, &c}, .sets = 1, .budget_s = seconds, .mode = TIMING_EVENTS};
    timing_result t;
    const cudaError_t error = timing_run(&task, stream, &t);
    if (error != cudaSuccess) return answer(error);
    put(times->ours, t.ours_ms);
    put(times->baseline, t.baseline_ms);
    put(times->ratio, t.ratio);
    times->clock_mhz = t.clock_mhz;
    times->power_w = t.power_w;
    times->pairs = t.pairs;
    return 0;
}

static record row(const char *method, int m, int n, int d, int k, const char *baseline) {
    const knn_case what = {.m = m, .n = n, .d = d, .k = k};
    record r = session_describe(&here, method, "knn");
    knn_describe(&what, &r);
    snprintf(r.baseline, sizeof r.baseline, "%s", baseline);
    return r;
}

int knn_library_recorded(const char *csv, const char *method, int m, int n, int d, int k, const char *baseline) {
    const record r = row(method, m, n, d, k, baseline);
    record *rows = NULL;
    int count = 0, found = 0;
    if (record_csv_prepare(csv, stderr) != EXIT_OK || record_csv_load(csv, &rows, &count, stderr) != EXIT_OK) return -1;
    for (int i = 0; i < count; i++) found |= record_same_case(&rows[i], &r) && strcmp(rows[i].baseline, baseline) == 0;
    free(rows);
    return found;
}

int knn_library_record(const char *csv, const char *method, int m, int n, int d, int k, const char *baseline,
                       const knn_library_times *times) {
    record r = row(method, m, n, d, k, baseline);
    if (*r.mode == '\0') snprintf(r.mode, sizeof r.mode, "events");
    r.ms_median = times->ours[0];
    r.ms_min = times->ours[1];
    r.ms_max = times->ours[2];
    r.ms_low = times->ours[3];
    r.ms_high = times->ours[4];
    r.gflops = 3.0 * m * (double)n * d / (r.ms_median / 1e3) / 1e9;
    r.baseline_ms = times->baseline[0];
    r.ratio = times->ratio[0];
    r.ratio_min = times->ratio[1];
    r.ratio_max = times->ratio[2];
    r.ratio_low = times->ratio[3];
    r.ratio_high = times->ratio[4];
    r.pairs = times->pairs;
    r.sets = 1;
    r.clock_mhz = times->clock_mhz;
    r.power_w = times->power_w;
    return record_csv_append(csv, &r, stderr);
}
