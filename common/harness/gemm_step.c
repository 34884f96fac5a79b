/* The main program of every GEMM step: options -> device -> shapes -> verify, time, report. */
#include "gemm.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "cublas.h"
#include "error.h"
#include "gemm_check.h"
#include "nvml.h"
#include "operands.h"
#include "options.h"
#include "progress.h"
#include "record.h"
#include "shapes.h"
#include "simulator.h"
#include "timing.h"

enum { DEFAULT_SIZE = 2048, SIMULATED_SIZE = 512, SIMULATED_MAX_SIZE = 200 };
static const double SWEEP_LIMIT_MS = 1000.0; /* in sweeps, slower launches are left out */

typedef struct {
    const char *step;
    const gemm_variant *variants;
    int count;
    char **arguments; /* main's */
    options o;
    device_facts device;
    cudaStream_t stream;
    bool baseline;
    record *recorded; /* rows the CSV held at the start (--resume) */
    int recorded_count;
    double gflops[OPTIONS_MAX_VARIANTS]; /* of the latest shape, to foresee the next one's time; 0: none yet */
    int wrong;
    long done, total; /* variants times shapes, for the progress line */
} session;

static int open_device(const session *s, device_facts *device) {
    const device_choice choice = {s->o.device, s->o.simulate, s->o.sim_device, s->arguments};
    return device_open(&choice, device, stderr);
}

/* ---- --list ---------------------------------------------------------------------------------------------------- */

static void print_kernel(const gemm_variant *v, const device_facts *d) {
    gemm_kernel kernel = v->kernel();
    struct cudaFuncAttributes attributes;
    int blocks = 0;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel.function));
    if (kernel.dynamic_shared > 0)
        CUDA_CHECK(cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)kernel.dynamic_shared));
    CUDA_CHECK(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.function, kernel.threads, kernel.dynamic_shared));
    int warps = blocks * kernel.threads / 32, most = d->threads_per_sm / 32;
    printf("    %d threads a block, %d registers a thread, %zu bytes of shared memory a block\n", kernel.threads,
           attributes.numRegs, attributes.sharedSizeBytes + kernel.dynamic_shared);
    printf("    %d blocks an SM: %d of %d warps, %.1f %% occupancy\n", blocks, warps, most, 100.0 * warps / most);
}

static int list(const session *s) {
    device_facts device;
    if (s->o.verbose) {
        int status = open_device(s, &device);
        if (status != EXIT_OK) return status;
        printf("%s (sm_%d)\n", device.name, device.cc);
    }
    for (int i = 0; i < s->count; i++) {
        if (!s->o.chosen[i]) continue;
        const gemm_variant *v = &s->variants[i];
        printf("%-18s %s\n", v->name, v->idea);
        if (!s->o.verbose) continue;
        const char *reason = v->supports != NULL ? v->supports(&device) : NULL;
        if (reason != NULL)
            printf("    not on this device: %s\n", reason);
        else
            print_kernel(v, &device);
    }
    return EXIT_OK;
}

/* ---- launches for timing --------------------------------------------------------------------------------------- */

typedef struct {
    operands *o;
    const gemm_variant *variant;
    cublas_math math;
} launch_context;

static cudaError_t launch_ours(void *context, int set, cudaStream_t stream) {
    launch_context *c = context;
    gemm_problem p = operands_problem(c->o, set);
    return c->variant->launch(&p, stream);
}

static cudaError_t launch_baseline(void *context, int set, cudaStream_t stream) {
    launch_context *c = context;
    gemm_problem p = operands_problem(c->o, set);
    return cublas_sgemm(&p, c->math, stream);
}

static cudaError_t restore_c(void *context, int set, cudaStream_t stream) {
    launch_context *c = context;
    return operands_fill_c(c->o, set, VALUES_UNIFORM, stream);
}

static cudaError_t launch_pedantic(void *context, int set, cudaStream_t stream) {
    launch_context *c = context;
    gemm_problem p = operands_problem(c->o, set);
    return cublas_sgemm(&p, CUBLAS_PEDANTIC, stream);
}

static cudaError_t verify_default(const gemm_problem *p, cudaStream_t stream) {
    return cublas_sgemm(p, CUBLAS_DEFAULT, stream);
}

static cudaError_t verify_pedantic(const gemm_problem *p, cudaStream_t stream) {
    return cublas_sgemm(p, CUBLAS_PEDANTIC, stream);
}

/* Is cuBLAS a baseline at this shape? It must be right in both math modes (a wrong leading dimension would show); then
 * *math is the faster one. */
static bool choose_baseline(const session *s, operands *o, timing_task task, cublas_math *math) {
    cudaError_t (*const verify[])(const gemm_problem *, cudaStream_t) = {verify_default, verify_pedantic};
    for (int i = 0; i < 2; i++) {
        gemm_verdict verdict;
        cudaError_t error = gemm_verify(verify[i], "cuBLAS", o, s->stream, stderr, &verdict);
        if (error == cudaErrorNotSupported || (error == cudaSuccess && !verdict.ok)) {
            progress_clear(stderr);
            fprintf(stderr, "cuBLAS %s at m %d, n %d, k %d: no baseline there\n",
                    error == cudaSuccess ? "is wrong" : "refuses", o->what.m, o->what.n, o->what.k);
            return false;
        }
        CUDA_CHECK(error);
    }
    *math = CUBLAS_DEFAULT;
    if (o->what.m == 0 || o->what.n == 0) return true;
    launch_context context = {.o = o, .math = CUBLAS_DEFAULT};
    timing_result t;
    task.context = &context;
    task.ours = launch_pedantic;
    task.baseline = launch_baseline;
    task.budget_s = s->o.time_s / 10;
    CUDA_CHECK(timing_run(&task, s->stream, &t));
    if (t.ratio.median > 1.0) *math = CUBLAS_PEDANTIC;
    return true;
}

/* ---- output ---------------------------------------------------------------------------------------------------- */

static void print_header(const session *s) {
    const device_facts *d = &s->device;
    if (d->simulated)
        printf("%s on %s (sm_%d, CUDA %s): results are real, times are not a GPU's\n", s->step, d->name, d->cc,
               d->cuda);
    else
        printf("%s on %s (sm_%d, %d SMs, %.0f MHz, driver %s, CUDA %s)\n", s->step, d->name, d->cc, d->sms,
               d->clock_mhz, d->driver, d->cuda);
    if (s->o.verbose) {
        printf("peaks: %.1f TFLOP/s FP32, %.0f TFLOP/s FP16 tensor, %.0f GB/s DRAM; L2 %.0f MB, memory %.1f GB\n",
               d->peak_fp32_gflops / 1e3, d->peak_tensor_gflops / 1e3, d->peak_gbps, (double)d->l2_bytes / 1048576.0,
               (double)d->memory_bytes / 1e9);
        printf("an SM: %.0f KB of shared memory (%.0f KB a block), %d registers, %d threads\n",
               (double)d->shared_per_sm / 1024.0, (double)d->shared_per_block / 1024.0, d->registers_per_sm,
               d->threads_per_sm);
    }
    printf("C = %g*A*B + %g*C in FP32", (double)s->o.alpha, (double)s->o.beta);
    if (!d->simulated)
        printf(", L2 %s%s%s", s->o.warm ? "warm" : "cold", s->baseline ? ", against cuBLAS " : "", cublas_version());
    printf("\n%-17s %6s %6s %6s", "variant", "m", "n", "k");
    if (d->simulated)
        printf("%14s  %s\n", "simulated in", "worst error, of its bound");
    else
        printf("%11s%9s%6s%11s  %-21s\n", "ms", "TFLOP/s", "peak", "cuBLAS ms", "ratio (min-max)");
    fflush(stdout);
}

static void print_row(const record *r) {
    char peak[16] = "-", baseline[16] = "-", ratio[40] = "-";
    if (!isnan(r->peak_share)) snprintf(peak, sizeof peak, "%.0f%%", 100.0 * r->peak_share);
    if (!isnan(r->baseline_ms)) snprintf(baseline, sizeof baseline, "%.4f", r->baseline_ms);
    if (!isnan(r->ratio)) snprintf(ratio, sizeof ratio, "%.3f (%.3f-%.3f)", r->ratio, r->ratio_min, r->ratio_max);
    printf("%-17s %6d %6d %6d%11.4f%9.2f%6s%11s  %-21s\n", r->variant, (int)r->m, (int)r->n, (int)r->k, r->ms_median,
           r->gflops / 1e3, peak, baseline, ratio);
    fflush(stdout);
}

static void print_simulated(const record *r, double seconds) {
    printf("%-17s %6d %6d %6d%12.3f s  %.3f\n", r->variant, (int)r->m, (int)r->n, (int)r->k, seconds,
           r->max_err_bound_share);
    fflush(stdout);
}

static void print_skip(const char *variant, shape s, const char *reason) {
    printf("%-17s %6d %6d %6d  skipped: %s\n", variant, s.m, s.n, s.k, reason);
    fflush(stdout);
}

/* ---- one variant at one shape ---------------------------------------------------------------------------------- */

static record describe(const session *s, const gemm_variant *v, const gemm_case *c) {
    record r = {.m = c->m, .n = c->n, .k = c->k, .d = -1, .alpha = c->alpha, .beta = c->beta};
    r.ms_median = r.ms_min = r.ms_max = r.gflops = r.gbps = r.peak_share = NAN;
    r.baseline_ms = r.ratio = r.ratio_min = r.ratio_max = r.max_err_bound_share = r.clock_mhz = r.power_w = NAN;
    snprintf(r.step, sizeof r.step, "%s", s->step);
    snprintf(r.variant, sizeof r.variant, "%s", v->name);
    snprintf(r.op, sizeof r.op, "gemm");
    snprintf(r.dtype, sizeof r.dtype, "%s", s->o.dtype);
    snprintf(r.layout, sizeof r.layout, "%s", s->o.layout);
    snprintf(r.cache, sizeof r.cache, "%s", s->o.warm ? "warm" : "cold");
    snprintf(r.device, sizeof r.device, "%.*s", RECORD_TEXT - 1, s->device.name);
    snprintf(r.cc, sizeof r.cc, "%d.%d", s->device.cc / 10, s->device.cc % 10);
    snprintf(r.driver, sizeof r.driver, "%.*s", RECORD_TEXT - 1, s->device.driver);
    snprintf(r.cuda, sizeof r.cuda, "%s", s->device.cuda);
    time_t now = time(NULL);
    struct tm utc;
    strftime(r.date, sizeof r.date, "%Y-%m-%d", gmtime_r(&now, &utc));
    return r;
}

/* The row that makes measuring again unnecessary; one without the baseline does not where there is one now. */
static const record *find_recorded(const session *s, const record *r) {
    for (int i = 0; i < s->recorded_count; i++)
        if (record_same_case(&s->recorded[i], r) && (!s->baseline || !isnan(s->recorded[i].ratio)))
            return &s->recorded[i];
    return NULL;
}

static void fill_in(record *r, const timing_result *t, const device_facts *d, shape size) {
    double seconds = t->ours_ms.median / 1e3;
    r->ms_median = t->ours_ms.median;
    r->ms_min = t->ours_ms.min;
    r->ms_max = t->ours_ms.max;
    r->gflops = shape_flops(size) / seconds / 1e9;
    r->gbps = shape_bytes(size, (float)r->beta, sizeof(float)) / seconds / 1e9;
    r->peak_share = d->peak_fp32_gflops > 0.0 ? r->gflops / d->peak_fp32_gflops : NAN;
    r->baseline_ms = t->baseline_ms.median;
    r->ratio = t->ratio.median;
    r->ratio_min = t->ratio.min;
    r->ratio_max = t->ratio.max;
    r->clock_mhz = t->clock_mhz;
    r->power_w = t->power_w;
    snprintf(r->mode, sizeof r->mode, "%s", t->mode);
}

static void keep(const session *s, const record *r) {
    int status = EXIT_OK;
    if (s->o.csv != NULL) status = record_csv_append(s->o.csv, r, stderr);
    if (status == EXIT_OK && s->o.json != NULL) status = record_json_append(s->o.json, r, stderr);
    if (status != EXIT_OK) exit(status);
}

/* Measures variant number `i` on operands that are filled and verified, against the task's baseline. */
static void measure(session *s, int i, operands *o, timing_task task, record *r) {
    shape size = {o->what.m, o->what.n, o->what.k};
    timing_result t;
    ((launch_context *)task.context)->variant = &s->variants[i];
    task.ours = launch_ours;
    CUDA_CHECK(timing_run(&task, s->stream, &t));
    fill_in(r, &t, &s->device, size);
    snprintf(r->baseline, sizeof r->baseline, "%s", task.baseline != NULL ? "cublas" : "");
    s->gflops[i] = r->gflops;
    print_row(r);
    if (s->o.verbose) {
        printf("    %d %s of %s, %.4f-%.4f ms", t.pairs, task.baseline != NULL ? "pairs" : "runs", t.mode, r->ms_min,
               r->ms_max);
        if (!isnan(r->clock_mhz)) printf(", %.0f MHz, %.0f W", r->clock_mhz, r->power_w);
        printf("; %.0f GB/s; worst error %.3f of its bound\n", r->gbps, r->max_err_bound_share);
    }
    keep(s, r);
}

/* Device memory for the operands, or the reason there is none. */
static bool fits(const gemm_case *c, int sets, size_t extra, char *reason, size_t size) {
    size_t free_bytes, total_bytes, unused;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    if (!shape_elements(c->m, c->lda > c->k ? c->lda : c->k, sizeof(float), &unused) ||
        !shape_elements(c->k, c->ldb > c->n ? c->ldb : c->n, sizeof(float), &unused) ||
        !shape_elements(c->m, c->ldc > c->n ? c->ldc : c->n, sizeof(float), &unused)) {
        snprintf(reason, size, "more elements than can be addressed");
        return false;
    }
    double need = (double)operands_bytes(c, sets) + (double)extra;
    if (need <= (double)free_bytes * 0.95) return true;
    snprintf(reason, size, "needs %.2f GB, %.2f GB of %.2f GB are free", need / 1e9, (double)free_bytes / 1e9,
             (double)total_bytes / 1e9);
    return false;
}

/* All chosen variants at one shape. In a sweep what cannot run is skipped with the reason; asked for by size it ends
 * the program with status 2. */
static int run_shape(session *s, shape size) {
    bool sweep = s->o.sweep != SWEEP_NONE;
    gemm_case c = {.m = size.m,
                   .n = size.n,
                   .k = size.k,
                   .lda = s->o.lda,
                   .ldb = s->o.ldb,
                   .ldc = s->o.ldc,
                   .alpha = s->o.alpha,
                   .beta = s->o.beta,
                   .seed = s->o.seed};
    /* Two sets at least where C is put back after each launch: that would leave a single one in the cache. */
    bool warm = s->o.warm || s->device.simulated; /* in the simulator nothing is timed, and one set will do */
    int sets = warm ? 1 : operands_cold_sets(&c, s->device.l2_bytes);
    if (!warm && sets < 2 && c.beta != 0.0f) sets = 2;
    size_t cold_bytes = warm ? 0 : 2 * s->device.l2_bytes, flush_bytes;
    char reason[160];
    for (;; sets /= 2) { /* padding may make many sets too large: rather fewer, and a flush */
        flush_bytes = (size_t)sets * operands_touched(&c) < cold_bytes ? cold_bytes : 0;
        if (fits(&c, sets, flush_bytes, reason, sizeof reason)) break;
        if (sets > 1) continue;
        if (sweep) {
            print_skip("all", size, reason);
            return EXIT_OK;
        }
        fprintf(stderr, "%s: --m %d --n %d --k %d: %s\n", s->step, c.m, c.n, c.k, reason);
        return EXIT_USAGE;
    }

    bool empty = c.m == 0 || c.n == 0;
    operands o = {0};
    launch_context context = {.o = &o};
    timing_task task = {.context = &context,
                        .sets = sets,
                        .flush_bytes = flush_bytes,
                        .budget_s = s->o.time_s,
                        .restore = s->o.beta != 0.0f ? restore_c : NULL};
    for (int i = 0; i < s->count; i++) {
        const gemm_variant *v = &s->variants[i];
        if (!s->o.chosen[i]) continue;
        s->done++;
        const char *unsupported = v->supports != NULL ? v->supports(&s->device) : NULL;
        if (unsupported != NULL) {
            print_skip(v->name, size, unsupported);
            continue;
        }
        record r = describe(s, v, &c);
        const record *known = find_recorded(s, &r);
        if (known != NULL) {
            s->gflops[i] = known->gflops;
            continue;
        }
        if (sweep && s->gflops[i] > 0.0 && shape_flops(size) / s->gflops[i] / 1e6 > SWEEP_LIMIT_MS) {
            print_skip(v->name, size, "a launch would take more than a second");
            continue;
        }
        error_context("%s %s, m %d, n %d, k %d", s->step, v->name, c.m, c.n, c.k);
        progress_show(stderr, v->name, s->done - 1, s->total);
        if (o.set == NULL) { /* only now: with --resume there may be nothing to do */
            CUDA_CHECK(operands_create(&o, &c, sets));
            if (flush_bytes > 0) CUDA_ALLOCATE(&task.flush, flush_bytes);
            if (!s->device.simulated) /* gemm_verify fills the one set */
                for (int set = 0; set < sets; set++) CUDA_CHECK(operands_fill(&o, set, VALUES_UNIFORM, s->stream));
            if (s->baseline && choose_baseline(s, &o, task, &context.math)) task.baseline = launch_baseline;
        }
        gemm_verdict verdict;
        CUDA_CHECK(gemm_verify(v->launch, v->name, &o, s->stream, stderr, &verdict));
        progress_clear(stderr);
        if (!verdict.ok) {
            print_skip(v->name, size, "WRONG RESULT, not timed");
            s->wrong++;
            continue;
        }
        r.max_err_bound_share = verdict.worst_share;
        if (empty)
            print_skip(v->name, size, "nothing to time; verified");
        else if (s->device.simulated) {
            snprintf(r.mode, sizeof r.mode, "sim");
            print_simulated(&r, verdict.seconds);
            keep(s, &r);
        } else
            measure(s, i, &o, task, &r);
    }
    if (task.flush != NULL) CUDA_CHECK(cudaFree(task.flush));
    operands_destroy(&o);
    return EXIT_OK;
}

/* ---- main ------------------------------------------------------------------------------------------------------ */

static int run(session *s) {
    int status = EXIT_OK;
    if (s->o.csv != NULL) status = record_csv_prepare(s->o.csv, stderr);
    if (status == EXIT_OK && s->o.json != NULL) status = record_json_prepare(s->o.json, stderr);
    if (status == EXIT_OK && s->o.resume) status = record_csv_load(s->o.csv, &s->recorded, &s->recorded_count, stderr);
    if (status != EXIT_OK) return status;

    status = open_device(s, &s->device);
    if (status != EXIT_OK) return status;
    if (s->o.sweep == SWEEP_CHECK)
        return gemm_check_run(s->step, s->variants, s->o.chosen, s->count, &s->device, s->o.max_size, s->o.every,
                              s->o.seed);

    CUDA_CHECK(cudaStreamCreate(&s->stream));
    s->baseline = s->o.baseline && !s->device.simulated && cublas_open(stderr);
    print_header(s);
    shape single = {s->o.m, s->o.n, s->o.k};
    const shape *shapes = &single;
    int count = 1;
    if (s->o.sweep != SWEEP_NONE)
        count = (s->device.simulated ? shapes_sweep_simulated : shapes_sweep)(s->o.sweep, s->o.max_size, &shapes);
    for (int i = 0; i < s->count; i++) s->total += s->o.chosen[i] ? count : 0;
    for (int i = 0; i < count && status == EXIT_OK; i++) status = run_shape(s, shapes[i]);
    CUDA_CHECK(cudaStreamSynchronize(s->stream));
    CUDA_CHECK(cudaStreamDestroy(s->stream));
    if (status != EXIT_OK) return status;
    return s->wrong > 0 ? EXIT_WRONG : EXIT_OK;
}

/* What was printed has to have arrived, --help and --list too. */
static int finish(const char *step, int status) {
    if (fflush(stdout) == 0) return status;
    fprintf(stderr, "%s: standard output cannot be written\n", step);
    return EXIT_USAGE;
}

int gemm_step_main(int argc, char **argv, const char *step, const gemm_variant *variants, int count) {
    static const char *const dtypes[] = {"f32", NULL}, *const layouts[] = {"nn", NULL};
    const char *names[OPTIONS_MAX_VARIANTS];
    for (int i = 0; i < count; i++) names[i] = variants[i].name;
    int status = simulator_arrive(stderr);
    if (status != EXIT_OK) return status;
    options_step facts = {step,
                          names,
                          count,
                          dtypes,
                          layouts,
                          DEFAULT_SIZE,
                          SIMULATED_SIZE,
                          SIMULATED_MAX_SIZE,
                          simulator_active(),
                          OPTIONS_GEMM};
    session s = {.step = step, .variants = variants, .count = count, .arguments = argv};
    switch (options_parse(argc, argv, &facts, &s.o, stdout, stderr)) {
    case OPTIONS_EXIT_OK:
        return finish(step, EXIT_OK);
    case OPTIONS_EXIT_USAGE:
        return EXIT_USAGE;
    case OPTIONS_RUN:
        break;
    }
    status = s.o.list ? list(&s) : run(&s);
    free(s.recorded);
    cublas_close();
    nvml_close();
    return finish(step, status);
}
