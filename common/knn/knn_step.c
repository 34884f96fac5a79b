/* The main program of a nearest-neighbour step: options -> device -> data -> verify, time, report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cublas.h"
#include "gpu/error.h"
#include "knn/knn.h"
#include "knn/knn_check.h"
#include "knn/knn_files.h"
#include "knn/knn_operands.h"
#include "base/progress.h"
#include "bench/session.h"
#include "bench/timing.h"

/* The paper's synthetic case; d and k of the simulated one are its smallest. */
static const options_step outline = {.default_size = 0,
                                     .simulated_max_size = 4100,
                                     .search = {1200, 32768, 256, 25},
                                     .simulated_search = {20, 2048, 32, 25},
                                     .operation = OPTIONS_KNN};
static const char TRANSFERS[] = "transfers"; /* the mode of times with copies */
static const double VERIFIED_WORK = 1.2e10; /* multiply-adds of the reference: all queries of the paper's case */

typedef struct {
    session base;
    const knn_method *methods;
    int count;
    double memory; /* bytes that may be taken, all told */
} knn_session;

/* ---- --list ---------------------------------------------------------------------------------------------------- */

static int list(const knn_session *s) {
    device_facts device;
    if (s->base.o.verbose) {
        const int status = session_open_device(&s->base, &device);
        if (status != EXIT_OK) return status;
        printf("%s (sm_%d)\n", device.name, device.cc);
        if (!device.simulated) cublas_open(stderr);
    }
    for (int i = 0; i < s->count; i++) {
        const knn_method *method = &s->methods[i];
        if (!s->base.o.chosen[i]) continue;
        printf("%-22s %s\n", method->name, method->idea);
        if (!s->base.o.verbose) continue;
        const char *reason = method->supports != NULL ? method->supports(&device) : NULL;
        if (reason != NULL) {
            printf("    not on this device: %s\n", reason);
            continue;
        }
        const gemm_kernel kernel = method->kernel();
        struct cudaFuncAttributes attributes;
        const int blocks = session_occupancy(kernel, &attributes);
        const int warps = blocks * ((kernel.threads + 31) / 32), most = device.threads_per_sm / 32;
        printf("    %d threads a block, %d registers a thread, %zu bytes of shared memory a block, %.1f %% occupancy\n",
               kernel.threads, attributes.numRegs, attributes.sharedSizeBytes + kernel.dynamic_shared,
               100.0 * warps / most);
    }
    return EXIT_OK;
}

/* ---- timing ---------------------------------------------------------------------------------------------------- */

typedef struct {
    const knn_method *method;
    knn_problem problem;
    struct {
        void *queries, *points, *index, *distance; /* pinned */
    } host;
} search_context;

static cudaError_t search(void *context, int set, cudaStream_t stream) {
    const search_context *c = context;
    (void)set;
    const cudaError_t error = cudaMemsetAsync(c->problem.counts, 0, sizeof *c->problem.counts, stream);
    return error != cudaSuccess ? error : c->method->search(&c->problem, stream);
}

/* The same from host memory to host memory, one after the other. */
static cudaError_t search_from_host(void *context, int set, cudaStream_t stream) {
    const search_context *c = context;
    const knn_problem *p = &c->problem;
    const size_t row = (size_t)p->d * sizeof(float), results = (size_t)p->m * (size_t)p->k;
    cudaError_t error =
        cudaMemcpyAsync((void *)p->queries, c->host.queries, (size_t)p->m * row, cudaMemcpyHostToDevice, stream);
    if (error == cudaSuccess)
        error = cudaMemcpyAsync((void *)p->points, c->host.points, (size_t)p->n * row, cudaMemcpyHostToDevice, stream);
    if (error == cudaSuccess) error = search(context, set, stream);
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(c->host.index, p->index, results * sizeof(int), cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(c->host.distance, p->distance, results * sizeof(float), cudaMemcpyDeviceToHost, stream);
    return error;
}

static void *pinned(const void *from, size_t bytes) {
    void *memory;
    CUDA_CHECK(cudaMallocHost(&memory, bytes + 1));
    if (from != NULL) memcpy(memory, from, bytes);
    return memory;
}

static void pin(search_context *c, const knn_operands *o) {
    const knn_problem *p = &c->problem;
    const size_t row = (size_t)p->d * sizeof(float), results = (size_t)p->m * (size_t)p->k;
    c->host.queries = pinned(o->queries, (size_t)p->m * row);
    c->host.points = pinned(o->points, (size_t)p->n * row);
    c->host.index = pinned(NULL, results * sizeof(int));
    c->host.distance = pinned(NULL, results * sizeof(float));
}

static void unpin(const search_context *c) {
    void *const all[] = {c->host.queries, c->host.points, c->host.index, c->host.distance};
    for (int i = 0; i < GEMM_COUNT(all); i++) CUDA_CHECK(cudaFreeHost(all[i]));
}

static void measure(const knn_session *s, const knn_method *method, const knn_operands *o, size_t workspace,
                    bool transfers, record *r) {
    search_context context = {.method = method, .problem = knn_operands_problem(o)};
    const timing_task task = {.context = &context,
                              .sets = 1,
                              .ours = transfers ? search_from_host : search,
                              .budget_s = s->base.o.time_s,
                              .mode = TIMING_EVENTS};
    timing_result t;
    CUDA_ALLOCATE(&context.problem.workspace, workspace + 1);
    context.problem.workspace_bytes = workspace;
    if (transfers) pin(&context, o);
    CUDA_CHECK(timing_run(&task, s->base.stream, &t));
    if (transfers) unpin(&context);
    CUDA_CHECK(cudaFree(context.problem.workspace));
    snprintf(r->mode, sizeof r->mode, "%s", transfers ? TRANSFERS : t.mode);
    r->ms_median = t.ours_ms.median;
    r->ms_min = t.ours_ms.min;
    r->ms_max = t.ours_ms.max;
    r->gflops = 3.0 * (double)r->m * (double)r->n * (double)r->d / (r->ms_median / 1e3) / 1e9;
    r->clock_mhz = t.clock_mhz;
    r->power_w = t.power_w;
}

/* ---- output ---------------------------------------------------------------------------------------------------- */

static void print_header(const knn_session *s, const knn_operands *o) {
    const device_facts *d = &s->base.device;
    const knn_case *c = &o->what;
    if (d->simulated)
        printf("%s on %s (sm_%d, CUDA %s): results are real, times are not a GPU's\n", s->base.step, d->name, d->cc,
               d->cuda);
    else
        printf("%s on %s (sm_%d, %d SMs, driver %s, CUDA %s)\n", s->base.step, d->name, d->cc, d->sms, d->driver,
               d->cuda);
    printf("%d nearest neighbours of m %d queries among n %d points of dimension d %d\n", c->k, c->m, c->n, c->d);
    if (o->stride > 1) printf("verified: every %d. query; of the others that neighbours are in order\n", o->stride);
    if (d->simulated)
        printf("%-22s %14s  %s\n", "method", "simulated in", "neighbours");
    else
        printf("%-22s %10s %9s  %s\n", "method", "ms", "GFLOP/s", "neighbours");
    fflush(stdout);
}

static void print_skip(const char *method, const char *reason) {
    printf("%-22s skipped: %s\n", method, reason);
    fflush(stdout);
}

static void print_row(const knn_session *s, const knn_method *method, const knn_operands *o, const knn_verdict *v,
                      const record *r, const record *transfers) {
    if (s->base.device.simulated)
        printf("%-22s %12.3f s  ", method->name, v->seconds);
    else
        printf("%-22s %10.4f %9.0f  ", method->name, r->ms_median, r->gflops);
    if (method->exact)
        printf("exact");
    else
        printf("%llu of %llu are not the nearest, %llu distances below 0", (unsigned long long)v->different,
               (unsigned long long)v->rows * (unsigned)o->what.k, v->counts.negative);
    if (v->counts.candidates > 0 || v->counts.redone > 0)
        printf(", %.1f candidates a query, %llu queries searched again",
               knn_candidates(&v->counts, o->what.m), v->counts.redone);
    if (transfers != NULL) printf(", %.4f ms with copies", transfers->ms_median);
    printf("\n");
    const char *note = s->base.o.verbose && method->note != NULL ? method->note() : NULL;
    if (note != NULL) printf("    %s\n", note);
    if (s->base.o.verbose && !isnan(r->ms_median)) {
        printf("    %.4f-%.4f ms", r->ms_min, r->ms_max);
        if (!isnan(r->clock_mhz)) printf(", %.0f MHz, %.0f W", r->clock_mhz, r->power_w);
        printf("\n");
    }
    fflush(stdout);
}

/* ---- one problem ----------------------------------------------------------------------------------------------- */

static record describe(const knn_session *s, const char *method, const knn_case *c) {
    record r = session_describe(&s->base, method, "knn");
    r.m = c->m;
    r.n = c->n;
    r.d = c->d;
    r.k = c->k;
    return r;
}

static void run_method(knn_session *s, const knn_method *method, knn_operands *o, record *r) {
    const knn_problem p = knn_operands_problem(o);
    const double left = s->memory - knn_operands_bytes(&o->what);
    size_t workspace;
    const char *refused = knn_refusal(method, &p, left > 0.0 ? (size_t)left : 0, &workspace);
    if (refused != NULL) {
        print_skip(method->name, refused);
        return;
    }
    knn_verdict verdict;
    error_context("%s %s, m %d, n %d, d %d, k %d", s->base.step, method->name, o->what.m, o->what.n, o->what.d,
                  o->what.k);
    const cudaError_t error = knn_verify(method, method->name, o, workspace, s->base.stream, stderr, &verdict);
    progress_clear(stderr);
    CUDA_CHECK(error);
    if (!verdict.ok) {
        print_skip(method->name, "WRONG RESULT, not timed");
        s->base.wrong++;
        return;
    }
    if (o->what.m == 0) {
        print_skip(method->name, "nothing to time; verified");
        return;
    }
    record with_copies = *r;
    const bool transfers = s->base.o.transfers && !s->base.device.simulated;
    if (!s->base.device.simulated) measure(s, method, o, workspace, false, r);
    if (transfers) measure(s, method, o, workspace, true, &with_copies);
    print_row(s, method, o, &verdict, r, transfers ? &with_copies : NULL);
    session_keep(&s->base, r);
    if (transfers) session_keep(&s->base, &with_copies);
}

static int run_problem(knn_session *s, const knn_case *c) {
    knn_operands o;
    const double need = knn_operands_bytes(c);
    if (need > s->memory) {
        fprintf(stderr, "%s: --m %d --n %d --d %d: needs %.3f MB, may take %.3f MB (--memory-limit)\n", s->base.step,
                c->m, c->n, c->d, need / 1e6, s->memory / 1e6);
        return EXIT_USAGE;
    }
    error_context("%s, m %d, n %d, d %d, k %d", s->base.step, c->m, c->n, c->d, c->k);
    bool prepared = false;
    for (int i = 0; i < s->count; i++) {
        const knn_method *method = &s->methods[i];
        if (!s->base.o.chosen[i]) continue;
        record r = describe(s, method->name, c), wanted = r;
        if (s->base.o.transfers && !s->base.device.simulated) /* of two rows the one that is written last */
            snprintf(wanted.mode, sizeof wanted.mode, "%s", TRANSFERS);
        if (session_find(&s->base, &wanted, false) != NULL) continue;
        progress_show(stderr, method->name, s->base.done++, s->base.total);
        if (!prepared) {
            if (!knn_operands_create(&o, c, VERIFIED_WORK)) {
                progress_clear(stderr);
                fprintf(stderr, "%s: no host memory for the data and the reference\n", s->base.step);
                return EXIT_USAGE;
            }
            prepared = true;
            progress_clear(stderr);
            print_header(s, &o);
        }
        const char *unsupported = method->supports != NULL ? method->supports(&s->base.device) : NULL;
        if (unsupported != NULL)
            print_skip(method->name, unsupported);
        else
            run_method(s, method, &o, &r);
    }
    progress_clear(stderr);
    if (prepared) knn_operands_destroy(&o);
    return EXIT_OK;
}

/* ---- main ------------------------------------------------------------------------------------------------------ */

static double memory_to_take(const options *o) {
    size_t free_bytes, total_bytes;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    return o->memory_limit <= 1.0 ? o->memory_limit * (double)free_bytes : o->memory_limit;
}

static int run(knn_session *s) {
    int status = session_prepare_files(&s->base);
    if (status == EXIT_OK) status = session_open_device(&s->base, &s->base.device);
    if (status != EXIT_OK) return status;
    const options *o = &s->base.o;
    if (!s->base.device.simulated) cublas_open(stderr); /* some methods are cuBLAS's */
    s->memory = memory_to_take(o);
    CUDA_CHECK(cudaStreamCreate(&s->base.stream));
    if (o->train != NULL)
        status = knn_files_run(&s->base, s->methods, s->count, s->memory);
    else if (o->sweep == SWEEP_CHECK)
        status = knn_check_run(s->base.step, s->methods, o->chosen, s->count, &s->base.device, s->memory, o->max_size,
                               o->every, o->seed);
    else {
        const knn_case c = {.m = o->m, .n = o->n, .d = o->d, .k = o->k, .seed = o->seed};
        for (int i = 0; i < s->count; i++) s->base.total += o->chosen[i];
        status = run_problem(s, &c);
        if (status == EXIT_OK && s->base.wrong > 0) status = EXIT_WRONG;
    }
    CUDA_CHECK(cudaStreamDestroy(s->base.stream));
    return status;
}

/* "best" is the last method. */
static void choose_methods(options *o, int count) {
    o->best = o->method_given && o->chosen[count];
    if (o->first == count) o->first = -1;
    if (o->best && o->train == NULL) o->chosen[count - 1] = true;
    o->chosen[count] = false;
}

int knn_step_main(int argc, char **argv, const char *step, const knn_method *methods, int count) {
    static const char *const dtypes[] = {"f32", NULL}, *const layouts[] = {"n", NULL};
    const char *names[OPTIONS_MAX_VARIANTS];
    options_step facts = outline;
    for (int i = 0; i < count && i < OPTIONS_MAX_VARIANTS - 1; i++) names[i] = methods[i].name;
    names[count] = "best"; /* the last of them */
    facts.step = step;
    facts.variants = names;
    facts.variant_count = count + 1;
    facts.dtypes = dtypes;
    facts.layouts = layouts;
    knn_session s = {.methods = methods, .count = count};
    int status;
    if (!session_start(&s.base, &facts, argc, argv, &status)) return status;
    choose_methods(&s.base.o, count);
    s.base.o.warm = true; /* searches follow one another on the same data */
    status = s.base.o.list ? list(&s) : run(&s);
    return session_end(&s.base, status);
}
