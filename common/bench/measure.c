#include "bench/measure.h"

#include "gpu/error.h"

enum { MAX_COLD_SETS = 511 };

timing_task measure_task(const timing_task *outline, const bench_launch *ours, const bench_launch *baseline,
                         bool moves) {
    const bench_operand_functions *operands = ours->session->family->operands;
    timing_task task = *outline;
    task.ours = (timing_side){operands->launch, (void *)(uintptr_t)ours};
    task.baseline = (timing_side){0};
    if (baseline != NULL) task.baseline = (timing_side){operands->launch, (void *)(uintptr_t)baseline};
    task.move = moves ? operands->move : NULL;
    return task;
}

void measure_quickly(const timing_task *outline, const bench_launch *ours, const bench_launch *baseline, double seconds,
                     bool hot, timing_result *t) {
    const session *s = ours->session;
    timing_task task = measure_task(outline, ours, baseline, false);
    task.budget_s = seconds;
    task.hot = hot;
    s->family->operands->begin(ours);
    CUDA_CHECK(timing_run(&task, s->stream, t));
    s->family->operands->end(ours);
}

bool measure_refused(cudaError_t error) {
    if (error != cudaErrorNotSupported && error != cudaErrorInvalidConfiguration &&
        error != cudaErrorLaunchOutOfResources)
        return false;
    cudaGetLastError();
    return true;
}

int measure_cold_sets(const bench_workload *w) {
    if (w->cold_bytes == 0 || w->one_set || w->touched == 0) return 1;
    size_t sets = w->cold_bytes / w->touched + 1;
    if (sets % 4 == 0) sets++; /* timing takes no multiple of four */
    if (sets > MAX_COLD_SETS) return MAX_COLD_SETS;
    /* A single set that is put back after each launch would be in the cache. */
    return sets < 2 && w->restores ? 2 : (int)sets;
}

void measure_record(record *r, const bench_workload *w, const timing_result *t) {
    const double seconds = t->ours_ms.median / 1e3;
    r->ms_median = t->ours_ms.median;
    r->ms_min = t->ours_ms.min;
    r->ms_max = w->tail ? t->ours_ms.p99 : t->ours_ms.max;
    r->gflops = w->flops / seconds / 1e9;
    r->gbps = w->bytes / seconds / 1e9;
    const bool from_cache = w->peak_of_bytes && strcmp(r->cache, "warm") == 0; /* what DRAM can do does not bound it */
    r->peak_share = w->peak > 0.0 && !from_cache ? (w->peak_of_bytes ? r->gbps : r->gflops) / w->peak : NAN;
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
