/* The main program of every GEMM step: options -> device -> shapes -> verify, time, report. */
#include "gemm/gemm.h"

#include <math.h>
#include <string.h>

#include "gpu/cublas.h"
#include "gpu/cublaslt.h"
#include "gpu/error.h"
#include "gemm/gemm_check.h"
#include "gemm/operands.h"
#include "base/progress.h"
#include "bench/session.h"
#include "bench/shapes.h"
#include "bench/timing.h"

enum { MAX_TYPES = 6, MAX_LAYOUTS = 2, MAX_KINDS = 2 * MAX_TYPES * MAX_LAYOUTS };
enum { DEFAULT_SIZE = 2048, SIMULATED_SIZE = 512, SIMULATED_MAX_SIZE = 200 };
static const double SWEEP_LIMIT_MS = 1000.0; /* in sweeps, slower launches are left out */

typedef struct {
    session base;
    const gemm_variant *variants;
    int count;
    const gemm_offer *offer; /* NULL: FP32 and nn */
    gemm_kind kind;
    double gflops[OPTIONS_MAX_VARIANTS]; /* of the latest shape, to foresee the next one's time; 0: none yet */
} gemm_session;

/* ---- --list ---------------------------------------------------------------------------------------------------- */

static void print_kernel(const gemm_variant *v, const device_facts *d) {
    gemm_kernel kernel = v->kernel();
    struct cudaFuncAttributes attributes;
    const int blocks = session_occupancy(kernel, &attributes);
    int warps = blocks * kernel.threads / 32, most = d->threads_per_sm / 32;
    printf("    %d threads a block, %d registers a thread, %zu bytes of shared memory a block\n", kernel.threads,
           attributes.numRegs, attributes.sharedSizeBytes + kernel.dynamic_shared);
    printf("    %d blocks an SM: %d of %d warps, %.1f %% occupancy\n", blocks, warps, most, 100.0 * warps / most);
}

static int list(const gemm_session *s) {
    device_facts device;
    if (s->base.o.verbose) {
        int status = session_open_device(&s->base, &device);
        if (status != EXIT_OK) return status;
        printf("%s (sm_%d)\n", device.name, device.cc);
    }
    for (int i = 0; i < s->count; i++) {
        if (!s->base.o.chosen[i]) continue;
        const gemm_variant *v = &s->variants[i];
        printf("%-18s %s\n", v->name, v->idea);
        if (!s->base.o.verbose) continue;
        const char *reason = v->supports != NULL ? v->supports(&device) : NULL;
        if (reason != NULL)
            printf("    not on this device: %s\n", reason);
        else
            print_kernel(v, &device);
    }
    for (int i = 0; s->offer != NULL && i < s->offer->show_count; i++)
        printf("--show %-11s %s\n", s->offer->shows[i].name, s->offer->shows[i].idea);
    return EXIT_OK;
}

/* ---- --show ---------------------------------------------------------------------------------------------------- */

static int show(const gemm_session *s) {
    const gemm_show *what = s->offer->shows;
    while (strcmp(what->name, s->base.o.show) != 0) what++;
    device_facts device;
    const int status = session_open_device(&s->base, &device);
    if (status != EXIT_OK) return status;
    error_context("%s --show %s", s->base.step, what->name);
    printf("%s --show %s on %s (sm_%d)\n%s\n", s->base.step, what->name, device.name, device.cc, what->idea);
    const char *unsupported = what->supports != NULL ? what->supports(&device) : NULL;
    if (unsupported != NULL) {
        printf("skipped: %s\n", unsupported);
        return EXIT_OK;
    }
    return what->run(&device, stdout) ? EXIT_OK : EXIT_WRONG;
}

/* ---- launches for timing --------------------------------------------------------------------------------------- */

typedef struct {
    operands *o;
    const gemm_variant *variant;
    int call, challenger; /* of the baseline: the best so far, and the one that is compared with it */
} launch_context;

static cudaError_t launch_ours(void *context, int set, cudaStream_t stream) {
    launch_context *c = context;
    gemm_problem p = operands_problem(c->o, set);
    return c->variant->launch(&p, stream);
}

/* Is cuBLAS' FP32 the baseline? What promises its precision is measured against it. */
static bool against_fp32(gemm_type type) {
    return type == GEMM_F32 || type == GEMM_TF32X3;
}

/* The baseline's calls: of FP32 cuBLAS' two math modes, of other types cublasLt's heuristics. */
static cudaError_t call_baseline(const gemm_problem *p, int call, cudaStream_t stream) {
    if (!against_fp32(p->type)) return cublaslt_gemm(p, call, stream);
    return cublas_sgemm(p, call == 0 ? CUBLAS_DEFAULT : CUBLAS_PEDANTIC, stream);
}

static cudaError_t launch_baseline(void *context, int set, cudaStream_t stream) {
    launch_context *c = context;
    gemm_problem p = operands_problem(c->o, set);
    return call_baseline(&p, c->call, stream);
}

static cudaError_t launch_challenger(void *context, int set, cudaStream_t stream) {
    launch_context *c = context;
    gemm_problem p = operands_problem(c->o, set);
    return call_baseline(&p, c->challenger, stream);
}

static cudaError_t restore_c(void *context, int set, cudaStream_t stream) {
    launch_context *c = context;
    return operands_fill_c(c->o, set, VALUES_UNIFORM, stream);
}

static int verified_call; /* what gemm_verify launches has no context */

static cudaError_t verify_call(const gemm_problem *p, cudaStream_t stream) {
    return call_baseline(p, verified_call, stream);
}

/* Is there a baseline at this shape? Each call must be right (a wrong leading dimension would show); then *best is the
 * fastest. Heuristics that refuse or are wrong are passed over. */
static bool choose_baseline(const gemm_session *s, operands *o, timing_task task, int *best) {
    const bool heuristics = !against_fp32(o->what.type), empty = o->what.m == 0 || o->what.n == 0;
    const gemm_problem p = operands_problem(o, 0);
    const int calls = !heuristics ? 2 : empty ? 1 : cublaslt_ask(&p);
    bool wrong = false;
    *best = -1;
    for (int call = 0; call < calls; call++) {
        char name[32];
        snprintf(name, sizeof name, heuristics ? "cublasLt #%d" : "cuBLAS", call + 1);
        gemm_verdict verdict;
        verified_call = call;
        cudaError_t error = gemm_verify(verify_call, name, o, s->base.stream, stderr, &verdict);
        if (error == cudaErrorNotSupported || (error == cudaSuccess && !verdict.ok)) {
            wrong = wrong || error == cudaSuccess;
            if (heuristics) continue;
            *best = -1;
            break;
        }
        CUDA_CHECK(error);
        if (*best < 0) {
            *best = call;
            continue;
        }
        if (empty) continue;
        launch_context context = {.o = o, .call = *best, .challenger = call};
        timing_result t;
        task.context = &context;
        task.ours = launch_challenger;
        task.baseline = launch_baseline;
        task.budget_s = s->base.o.time_s / 10;
        CUDA_CHECK(timing_run(&task, s->base.stream, &t));
        if (t.ratio.median > 1.0) *best = call;
    }
    if (*best >= 0) return true;
    progress_clear(stderr);
    fprintf(stderr, "%s %s at m %d, n %d, k %d: no baseline there\n", heuristics ? "cublasLt" : "cuBLAS",
            wrong ? "is wrong" : "refuses", o->what.m, o->what.n, o->what.k);
    return false;
}

/* ---- output ---------------------------------------------------------------------------------------------------- */

static void print_header(const gemm_session *s) {
    const device_facts *d = &s->base.device;
    if (d->simulated)
        printf("%s on %s (sm_%d, CUDA %s): results are real, times are not a GPU's\n", s->base.step, d->name, d->cc,
               d->cuda);
    else
        printf("%s on %s (sm_%d, %d SMs, %.0f MHz, driver %s, CUDA %s)\n", s->base.step, d->name, d->cc, d->sms,
               d->clock_mhz, d->driver, d->cuda);
    if (s->base.o.verbose) {
        printf("peaks: %.1f TFLOP/s FP32, %.0f TFLOP/s FP16 tensor, %.0f GB/s DRAM; L2 %.0f MB, memory %.1f GB\n",
               d->peak_fp32_gflops / 1e3, d->peak_tensor_gflops / 1e3, d->peak_gbps, (double)d->l2_bytes / 1048576.0,
               (double)d->memory_bytes / 1e9);
        printf("an SM: %.0f KB of shared memory (%.0f KB a block), %d registers, %d threads\n",
               (double)d->shared_per_sm / 1024.0, (double)d->shared_per_block / 1024.0, d->registers_per_sm,
               d->threads_per_sm);
    }
    const bool fp32 = against_fp32(s->kind.type);
    printf("C = %g*A*B + %g*C in ", (double)s->base.o.alpha, (double)s->base.o.beta);
    if (s->offer == NULL)
        printf("FP32");
    else
        printf("%s %s, C in %s", gemm_type_name(s->kind.type), gemm_layout_name(s->kind.layout),
               dtype_name(s->kind.out));
    if (!d->simulated)
        printf(", L2 %s%s%s", s->base.o.warm ? "warm" : "cold",
               !s->base.baseline ? ""
               : fp32            ? ", against cuBLAS "
                                 : ", against the best heuristic of cublasLt ",
               fp32 ? cublas_version() : cublaslt_version());
    printf("\n%-17s %6s %6s %6s", "variant", "m", "n", "k");
    if (d->simulated)
        printf("%14s  %s\n", "simulated in", "worst error, of its bound");
    else
        printf("%11s%9s%6s%11s  %-21s\n", "ms", "TFLOP/s", "peak", "cuBLAS ms", "ratio (min-max)");
    fflush(stdout);
}

static void print_row(const char *name, const record *r) {
    char peak[16] = "-", baseline[16] = "-", ratio[40] = "-";
    if (!isnan(r->peak_share)) snprintf(peak, sizeof peak, "%.0f%%", 100.0 * r->peak_share);
    if (!isnan(r->baseline_ms)) snprintf(baseline, sizeof baseline, "%.4f", r->baseline_ms);
    if (!isnan(r->ratio)) snprintf(ratio, sizeof ratio, "%.3f (%.3f-%.3f)", r->ratio, r->ratio_min, r->ratio_max);
    printf("%-17s %6d %6d %6d%11.4f%9.2f%6s%11s  %-21s\n", name, (int)r->m, (int)r->n, (int)r->k, r->ms_median,
           r->gflops / 1e3, peak, baseline, ratio);
    fflush(stdout);
}

static void print_simulated(const record *r, double seconds) {
    printf("%-17s %6d %6d %6d%12.3f s  %.3f\n", r->variant, (int)r->m, (int)r->n, (int)r->k, seconds,
           r->max_err_bound_share);
    fflush(stdout);
}

static void print_note(const gemm_variant *v, const gemm_problem *p) {
    const char *note = v->note != NULL ? v->note(p) : NULL;
    if (note != NULL) printf("    %s\n", note);
}

static void print_skip(const char *variant, shape s, const char *reason) {
    printf("%-17s %6d %6d %6d  skipped: %s\n", variant, s.m, s.n, s.k, reason);
    fflush(stdout);
}

/* ---- one variant at one shape ---------------------------------------------------------------------------------- */

static record describe(const gemm_session *s, const gemm_variant *v, const gemm_case *c) {
    record r = session_describe(&s->base, v->name, "gemm");
    r.m = c->m;
    r.n = c->n;
    r.k = c->k;
    dtype outs[2];
    gemm_outs(c->type, outs);
    if (c->out != outs[0]) snprintf(r.dtype, sizeof r.dtype, "%s>%s", gemm_type_name(c->type), dtype_name(c->out));
    return r;
}

/* 1e9 operations a second at most; 0: unknown. */
static double peak_gflops(const device_facts *d, gemm_type type) {
    static const double of_f16[] = {
        [GEMM_F16] = 1.0, [GEMM_BF16] = 1.0, [GEMM_TF32] = 0.5, [GEMM_S8] = 2.0, [GEMM_TF32X3] = 1.0 / 6};
    return type == GEMM_F32 ? d->peak_fp32_gflops : of_f16[type] * d->peak_tensor_gflops;
}

static void fill_in(record *r, const timing_result *t, const gemm_session *s, shape size) {
    const double peak = peak_gflops(&s->base.device, s->kind.type);
    double seconds = t->ours_ms.median / 1e3;
    r->ms_median = t->ours_ms.median;
    r->ms_min = t->ours_ms.min;
    r->ms_max = t->ours_ms.max;
    r->gflops = shape_flops(size) / seconds / 1e9;
    r->gbps = shape_bytes(size, (float)r->beta, dtype_size(gemm_operand_dtype(s->kind.type)), dtype_size(s->kind.out)) /
              seconds / 1e9;
    r->peak_share = peak > 0.0 ? r->gflops / peak : NAN;
    r->baseline_ms = t->baseline_ms.median;
    r->ratio = t->ratio.median;
    r->ratio_min = t->ratio.min;
    r->ratio_max = t->ratio.max;
    r->clock_mhz = t->clock_mhz;
    r->power_w = t->power_w;
    snprintf(r->mode, sizeof r->mode, "%s", t->mode);
}

/* The baseline that the task has, for files. */
static void name_baseline(record *r, const timing_task *task, const gemm_session *s) {
    const launch_context *context = task->context;
    if (task->baseline == NULL) return;
    if (against_fp32(s->kind.type))
        snprintf(r->baseline, sizeof r->baseline, "cublas");
    else
        snprintf(r->baseline, sizeof r->baseline, "cublasLt #%d", context->call + 1);
}

/* Measures variant number `i` on operands that are filled and verified, against the task's baseline. */
static void measure(gemm_session *s, int i, operands *o, timing_task task, record *r) {
    const gemm_variant *v = &s->variants[i];
    const gemm_problem p = operands_problem(o, 0);
    timing_result t;
    CUDA_CHECK(timing_run(&task, s->base.stream, &t));
    fill_in(r, &t, s, (shape){p.m, p.n, p.k});
    name_baseline(r, &task, s);
    s->gflops[i] = r->gflops;
    print_row(r->variant, r);
    print_note(v, &p);
    if (s->base.o.verbose) {
        printf("    %d %s of %s, %.4f-%.4f ms", t.pairs, task.baseline != NULL ? "pairs" : "runs", t.mode, r->ms_min,
               r->ms_max);
        if (!isnan(r->clock_mhz)) printf(", %.0f MHz, %.0f W", r->clock_mhz, r->power_w);
        printf("; %.0f GB/s; worst error %.3f of its bound\n", r->gbps, r->max_err_bound_share);
    }
    session_keep(&s->base, r);
}

/* The same under continuous load. */
static void measure_sustained(gemm_session *s, operands *o, const timing_task *task, record *r) {
    const shape size = {o->what.m, o->what.n, o->what.k};
    timing_result t;
    if (task->flush != NULL) {
        print_skip("  sustained", size, "too small: without pauses its operands would stay in the L2");
        return;
    }
    CUDA_CHECK(timing_sustained(task, s->base.o.sustained_s, s->base.stream, &t));
    fill_in(r, &t, s, size);
    name_baseline(r, task, s);
    print_row("  sustained", r);
    if (!isnan(r->clock_mhz)) printf("    %.0f MHz, %.0f W\n", r->clock_mhz, r->power_w);
    session_keep(&s->base, r);
}

/* Device memory for the operands, or the reason there is none. */
static bool fits(const gemm_case *c, int sets, size_t extra, char *reason, size_t size) {
    const size_t bytes = dtype_size(gemm_operand_dtype(c->type));
    const int rows_b = c->layout == GEMM_TN ? c->n : c->k, cols_b = c->layout == GEMM_TN ? c->k : c->n;
    size_t unused;
    if (!shape_elements(c->m, c->lda > c->k ? c->lda : c->k, bytes, &unused) ||
        !shape_elements(rows_b, c->ldb > cols_b ? c->ldb : cols_b, bytes, &unused) ||
        !shape_elements(c->m, c->ldc > c->n ? c->ldc : c->n, dtype_size(c->out), &unused)) {
        snprintf(reason, size, "more elements than can be addressed");
        return false;
    }
    return session_fits((double)operands_bytes(c, sets) + (double)extra, reason, size);
}

/* The most that one of the chosen variants needs; they share it. */
static size_t largest_workspace(const gemm_session *s, const gemm_case *c) {
    const gemm_problem outline = operands_outline(c);
    size_t largest = 0;
    for (int i = 0; i < s->count; i++) {
        const gemm_variant *v = &s->variants[i];
        if (!s->base.o.chosen[i] || (v->supports != NULL && v->supports(&s->base.device) != NULL)) continue;
        const size_t bytes = gemm_workspace(v, &outline);
        if (bytes > largest) largest = bytes;
    }
    return largest;
}

/* All chosen variants at one shape. In a sweep what cannot run is skipped with the reason; asked for by size it ends
 * the program with status 2. */
static int run_shape(gemm_session *s, shape size) {
    bool sweep = s->base.o.sweep != SWEEP_NONE;
    gemm_case c = {.m = size.m,
                   .n = size.n,
                   .k = size.k,
                   .lda = s->base.o.lda,
                   .ldb = s->base.o.ldb,
                   .ldc = s->base.o.ldc,
                   .alpha = s->base.o.alpha,
                   .beta = s->base.o.beta,
                   .seed = s->base.o.seed,
                   .type = s->kind.type,
                   .out = s->kind.out,
                   .layout = s->kind.layout};
    /* Two sets at least where C is put back after each launch: that would leave a single one in the cache. */
    bool warm = s->base.o.warm || s->base.device.simulated; /* in the simulator nothing is timed, and one set will do */
    int sets = warm ? 1 : operands_cold_sets(&c, s->base.device.l2_bytes);
    if (!warm && sets < 2 && c.beta != 0.0f) sets = 2;
    c.workspace = largest_workspace(s, &c);
    size_t cold_bytes = warm ? 0 : 2 * s->base.device.l2_bytes, flush_bytes;
    char reason[160];
    for (;; sets /= 2) { /* padding may make many sets too large: rather fewer, and a flush */
        flush_bytes = (size_t)sets * operands_touched(&c) < cold_bytes ? cold_bytes : 0;
        if (fits(&c, sets, flush_bytes, reason, sizeof reason)) break;
        if (sets > 1) continue;
        if (sweep) {
            print_skip("all", size, reason);
            return EXIT_OK;
        }
        fprintf(stderr, "%s: --m %d --n %d --k %d: %s\n", s->base.step, c.m, c.n, c.k, reason);
        return EXIT_USAGE;
    }

    bool empty = c.m == 0 || c.n == 0;
    operands o = {0};
    launch_context context = {.o = &o};
    timing_task task = {.context = &context,
                        .sets = sets,
                        .flush_bytes = flush_bytes,
                        .budget_s = s->base.o.time_s,
                        .restore = s->base.o.beta != 0.0f ? restore_c : NULL};
    for (int i = 0; i < s->count; i++) {
        const gemm_variant *v = &s->variants[i];
        if (!s->base.o.chosen[i]) continue;
        s->base.done++;
        const char *unsupported = v->supports != NULL ? v->supports(&s->base.device) : NULL;
        if (unsupported != NULL) {
            print_skip(v->name, size, unsupported);
            continue;
        }
        const gemm_problem outline = operands_outline(&c);
        const char *refused = v->refuses != NULL ? v->refuses(&outline) : NULL;
        if (refused != NULL) {
            print_skip(v->name, size, refused);
            continue;
        }
        record r = describe(s, v, &c), sustained = r;
        snprintf(sustained.mode, sizeof sustained.mode, "sustained");
        const bool sustain = s->base.o.sustained_s > 0.0 && !s->base.device.simulated &&
                             session_find(&s->base, &sustained, s->base.baseline) == NULL;
        const record *known = session_find(&s->base, &r, s->base.baseline);
        if (known != NULL) s->gflops[i] = known->gflops;
        if (known != NULL && !sustain) continue;
        if (sweep && s->gflops[i] > 0.0 && shape_flops(size) / s->gflops[i] / 1e6 > SWEEP_LIMIT_MS) {
            print_skip(v->name, size, "a launch would take more than a second");
            continue;
        }
        error_context("%s %s, m %d, n %d, k %d", s->base.step, v->name, c.m, c.n, c.k);
        progress_show(stderr, v->name, s->base.done - 1, s->base.total);
        if (o.set == NULL) { /* only now: with --resume there may be nothing to do */
            CUDA_CHECK(operands_create(&o, &c, sets));
            if (flush_bytes > 0) CUDA_ALLOCATE(&task.flush, flush_bytes);
            if (!s->base.device.simulated) /* gemm_verify fills the one set */
                for (int set = 0; set < sets; set++) CUDA_CHECK(operands_fill(&o, set, VALUES_UNIFORM, s->base.stream));
            if (s->base.baseline && choose_baseline(s, &o, task, &context.call)) task.baseline = launch_baseline;
        }
        gemm_verdict verdict;
        CUDA_CHECK(gemm_verify(v->launch, v->name, &o, s->base.stream, stderr, &verdict));
        progress_clear(stderr);
        if (!verdict.ok) {
            print_skip(v->name, size, "WRONG RESULT, not timed");
            s->base.wrong++;
            continue;
        }
        r.max_err_bound_share = sustained.max_err_bound_share = verdict.worst_share;
        if (empty)
            print_skip(v->name, size, "nothing to time; verified");
        else if (s->base.device.simulated) {
            print_simulated(&r, verdict.seconds);
            print_note(v, &outline);
            session_keep(&s->base, &r);
        } else {
            context.variant = v;
            task.ours = launch_ours;
            if (known == NULL) measure(s, i, &o, task, &r);
            if (sustain) measure_sustained(s, &o, &task, &sustained);
        }
    }
    if (task.flush != NULL) CUDA_CHECK(cudaFree(task.flush));
    operands_destroy(&o);
    return EXIT_OK;
}

/* ---- main ------------------------------------------------------------------------------------------------------ */

/* --sweep check: all that the step offers, or what --dtype, --out and --layout leave of it. */
static int check(const gemm_session *s) {
    gemm_kind kinds[MAX_KINDS];
    int count = 0;
    for (int i = 0; s->offer != NULL && i < s->offer->type_count; i++)
        for (int j = 0; j < s->offer->layout_count; j++) {
            const gemm_type type = s->offer->types[i];
            dtype outs[2];
            const int out_count = gemm_outs(type, outs);
            for (int k = 0; k < out_count; k++) {
                const gemm_kind kind = {type, outs[k], s->offer->layouts[j]};
                if (s->base.o.dtype_given && kind.type != s->kind.type) continue;
                if (s->base.o.layout_given && kind.layout != s->kind.layout) continue;
                if (s->base.o.out_given && kind.out != s->kind.out) continue;
                kinds[count++] = kind;
            }
        }
    const gemm_check what = {s->base.o.max_size, s->base.o.every, s->base.o.seed, kinds, count};
    return gemm_check_run(s->base.step, s->variants, s->base.o.chosen, s->count, &s->base.device, &what);
}

static int run(gemm_session *s) {
    int status = session_prepare_files(&s->base);
    if (status == EXIT_OK) status = session_open_device(&s->base, &s->base.device);
    if (status != EXIT_OK) return status;
    if (s->base.o.sweep == SWEEP_CHECK) return check(s);

    CUDA_CHECK(cudaStreamCreate(&s->base.stream));
    s->base.baseline = s->base.o.baseline && !s->base.device.simulated &&
                       (against_fp32(s->kind.type) ? cublas_open(stderr) : cublaslt_open(stderr));
    print_header(s);
    shape single = {s->base.o.m, s->base.o.n, s->base.o.k};
    const shape *shapes = &single;
    int count = 1;
    if (s->base.o.sweep != SWEEP_NONE)
        count = (s->base.device.simulated ? shapes_sweep_simulated : shapes_sweep)(s->base.o.sweep, s->base.o.max_size,
                                                                                   &shapes);
    for (int i = 0; i < s->count; i++) s->base.total += s->base.o.chosen[i] ? count : 0;
    for (int i = 0; i < count && status == EXIT_OK; i++) status = run_shape(s, shapes[i]);
    CUDA_CHECK(cudaStreamSynchronize(s->base.stream));
    CUDA_CHECK(cudaStreamDestroy(s->base.stream));
    if (status != EXIT_OK) return status;
    return s->base.wrong > 0 ? EXIT_WRONG : EXIT_OK;
}

/* What the command line chose of it. */
static gemm_kind chosen_kind(const gemm_offer *offer, const options *o) {
    gemm_kind kind = {GEMM_F32, DTYPE_F32, GEMM_NN};
    if (offer == NULL) return kind;
    for (int i = 0; i < offer->type_count; i++)
        if (strcmp(gemm_type_name(offer->types[i]), o->dtype) == 0) kind.type = offer->types[i];
    for (int i = 0; i < offer->layout_count; i++)
        if (strcmp(gemm_layout_name(offer->layouts[i]), o->layout) == 0) kind.layout = offer->layouts[i];
    dtype_named(o->out, &kind.out);
    return kind;
}

int gemm_step_main(int argc, char **argv, const char *step, const gemm_variant *variants, int count,
                   const gemm_offer *offer) {
    const char *dtypes[MAX_TYPES + 1] = {"f32"}, *layouts[MAX_LAYOUTS + 1] = {"nn"}, *outs[MAX_TYPES][3] = {{NULL}};
    const char *const *of_types[MAX_TYPES];
    const char *names[OPTIONS_MAX_VARIANTS], *shows[OPTIONS_MAX_SHOWS + 1] = {NULL};
    for (int i = 0; i < count; i++) names[i] = variants[i].name;
    for (int i = 0; offer != NULL && i < offer->show_count; i++) shows[i] = offer->shows[i].name;
    for (int i = 0; offer != NULL && i < offer->type_count; i++) {
        dtype each[2];
        const int out_count = gemm_outs(offer->types[i], each);
        dtypes[i] = gemm_type_name(offer->types[i]);
        for (int j = 0; j < out_count; j++) outs[i][j] = dtype_name(each[j]);
        of_types[i] = outs[i];
    }
    for (int i = 0; offer != NULL && i < offer->layout_count; i++) layouts[i] = gemm_layout_name(offer->layouts[i]);
    const options_step facts = {.step = step,
                                .variants = names,
                                .variant_count = count,
                                .dtypes = dtypes,
                                .layouts = layouts,
                                .outs = offer != NULL ? of_types : NULL,
                                .default_size = DEFAULT_SIZE,
                                .simulated_size = SIMULATED_SIZE,
                                .simulated_max_size = SIMULATED_MAX_SIZE,
                                .operation = OPTIONS_GEMM,
                                .shows = *shows != NULL ? shows : NULL};
    gemm_session s = {.variants = variants, .count = count, .offer = offer};
    int status;
    if (!session_start(&s.base, &facts, argc, argv, &status)) return status;
    s.kind = chosen_kind(offer, &s.base.o);
    return session_end(&s.base, s.base.o.show != NULL ? show(&s) : s.base.o.list ? list(&s) : run(&s));
}
