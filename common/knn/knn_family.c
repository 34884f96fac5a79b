/* The search for nearest neighbours, as the bench sees it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ranks.h"
#include "bench/session.h"
#include "gpu/cublas.h"
#include "gpu/error.h"
#include "gpu/simulator.h"
#include "knn/knn.h"
#include "knn/knn_files.h"
#include "knn/knn_host.h"
#include "knn/knn_operands.h"
#include "knn/knn_options.h"
#include "knn/knn_ranks.h"

static const double VERIFIED_WORK = 1.2e10; /* multiply-adds of the reference: all queries of the paper's case */
static const double CHECKED_WORK = 2e9;     /* for one problem of the check list */
static const double MEMORY = 0.8;           /* of what is free */

/* One problem in memory. */
typedef struct {
    knn_operands o;
    knn_verdict found; /* by the latest search that was verified */
    void *workspace;   /* while it is timed */
    size_t workspace_bytes;
    void *prepared; /* likewise */
} knn_run;

static const knn_method *method_of(const bench_variant *v) {
    return v->self;
}

static bench_variant variant(const void *methods, int i) {
    const knn_method *m = (const knn_method *)methods + i;
    return (bench_variant){.name = m->name, .idea = m->idea, .supports = m->supports, .self = m, .kernel = m->kernel};
}

/* ---- options and --list ---------------------------------------------------------------------------------------- */

static void add_options(session *s, options_program *p) {
    knn_options_program(p, s->state);
}

static int open_family(session *s) {
    size_t free_bytes, total_bytes;
    if (s->o.list) return EXIT_OK;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    s->memory = MEMORY * (double)free_bytes;
    return knn_ranks_open(s, s->variants[0].self, knn_files_share);
}

static void close_family(session *s) {
    knn_ranks_close();
    cublas_close(); /* a method may have opened it */
}

static int classify(session *s) {
    const knn_options *o = s->state;
    if (ranks_rank() > 0 && !s->o.list) return knn_ranks_serve();
    if (o->train == NULL || s->o.list) return -1;
    return knn_files_run(s, o, s->variants[0].self, s->count);
}

static void header(const session *s) {
    const knn_options *o = s->state;
    printf("%d nearest neighbours of m %d queries among n %d points of dimension d %d%s\n", o->k, o->m, o->n, o->d,
           o->at_once > 0 ? ", prepared before; L2 cold; 99 %: so many searches take no longer" : "");
}

/* ---- problems -------------------------------------------------------------------------------------------------- */

static void add_problems(const session *s, case_list *l) {
    const knn_options *o = s->state;
    knn_case c = {.m = o->m, .n = o->n, .d = o->d, .k = o->k, .seed = s->o.seed, .prepared = o->at_once > 0};
    if (o->generate && !s->o.list) c.held = knn_ranks_held(&c);
    if (s->o.sweep == SWEEP_CHECK)
        knn_cases(l, o->at_once);
    else
        case_list_add(l, &c);
}

static void format(const session *s, const void *problem, bool details, char *text, size_t size) {
    const knn_case *c = problem;
    if (!details) {
        snprintf(text, size, "m %d, n %d, d %d, k %d", c->m, c->n, c->d, c->k);
        return;
    }
    snprintf(text, size, "%s, m %d, n %d, d %d, k %d, off alignment %d %d %d %d%s%s, seed %llu", knn_kind_name(c->kind),
             c->m, c->n, c->d, c->k, c->off[0], c->off[1], c->off[2], c->off[3], c->scarce ? ", little workspace" : "",
             c->prepared ? ", prepared" : "", (unsigned long long)c->seed);
}

static void fill_record(const session *s, const void *problem, record *r) {
    knn_describe(problem, r);
    if (ranks_count() > 1)
        snprintf(r->device, sizeof r->device, "%d x %.*s", knn_ranks_devices(), RECORD_TEXT - 16, s->device.name);
}

/* Times with copies from and to the host: "transfers", "transfers/4 pageable". NULL: there are none. */
static const char *transfers_mode(const knn_options *o) {
    static char mode[RECORD_TEXT], pieces[16];
    snprintf(pieces, sizeof pieces, o->pieces > 1 ? "/%d" : "", o->pieces);
    snprintf(mode, sizeof mode, "transfers%s%s", pieces, o->pageable ? " pageable" : "");
    return o->transfers ? mode : NULL;
}

static void workload(const session *s, const void *problem, bench_workload *w) {
    const knn_case *c = problem;
    const knn_options *o = s->state;
    *w = (bench_workload){.flops = 3.0 * c->m * (double)c->n * c->d,
                          .bytes = c->prepared ? 2.0 * c->n * (double)c->d : NAN, /* the points once, in FP16 */
                          .peak = c->prepared ? s->device.peak_gbps : 0.0,
                          .peak_of_bytes = c->prepared,
                          .cold_bytes = c->prepared ? 2 * s->device.l2_bytes : 0,
                          .one_set = true,
                          .tail = c->prepared,
                          .touched =
                              (size_t)c->m, /* the operands stay where they are: only whether there are any counts */
                          .mode = TIMING_EVENTS,
                          .second_mode = transfers_mode(o)};
}

static double bytes_of(const session *s, const knn_case *c) {
    const bool transfers = ((const knn_options *)s->state)->transfers;
    return knn_operands_bytes(c) + knn_ranks_bytes(c) + (transfers ? knn_host_bytes(c) : 0.0);
}

/* The check list's problems take half of the memory at most: the rest is for workspaces. */
static double bytes(const session *s, const void *problem, int sets) {
    return bytes_of(s, problem) * (s->o.sweep == SWEEP_CHECK ? 2.0 : 1.0);
}

/* ---- operands and launches ------------------------------------------------------------------------------------- */

static void *create(const session *s, const void *problem, int sets) {
    const bool check = s->o.sweep == SWEEP_CHECK;
    const knn_options *o = s->state;
    knn_run *run = calloc(1, sizeof *run);
    knn_ranks_hold(problem, false);
    if (run == NULL || !knn_operands_create(&run->o, problem, check ? CHECKED_WORK : VERIFIED_WORK)) {
        fprintf(stderr, "%s: no host memory for the data and the reference\n", s->step);
        exit(EXIT_USAGE);
    }
    if (run->o.what.held > 0)
        printf("Checked in FP64 against all points: up to %d queries; of all, that their neighbours are in order.\n",
               KNN_HELD_CHECKED);
    else if (!check && run->o.stride > 1)
        printf("Compared with the CPU's: one query in %d; of the others, that their neighbours are in order.\n",
               run->o.stride);
    if (o->transfers) knn_host_open(&run->o, o->pageable, o->pieces);
    return run;
}

static void destroy(void *operands) {
    knn_run *run = operands;
    knn_host_close();
    knn_operands_destroy(&run->o);
    free(run);
}

/* Why the method does not do this here, and the workspace for it. */
static const char *refusal(const session *s, const knn_method *method, const knn_case *c, size_t *workspace) {
    const knn_options *o = s->state;
    const knn_problem p = knn_operands_outline(c);
    const double left = s->memory - bytes_of(s, c);
    const size_t limit = left > 0.0 ? (size_t)left : 0;
    if (c->held > 0 && !method->exact) return "with --generate only exact answers are checked";
    const char *why = knn_ranks_refusal(method, c, &p, limit, workspace);
    if (why != NULL || o->pieces == 1) return why;
    return knn_host_refusal(method, &p, o->pieces, limit, c->scarce, workspace);
}

static const char *refuses(const session *s, const bench_variant *v, const void *problem) {
    size_t workspace;
    return refusal(s, method_of(v), problem, &workspace);
}

static cudaError_t verify(const bench_launch *l, const char *name, FILE *report, verdict *v) {
    const session *s = l->session;
    knn_run *run = l->operands;
    const knn_method *method = method_of(l->variant);
    size_t workspace;
    char said[96];
    refusal(s, method, &run->o.what, &workspace);
    if (((const knn_options *)s->state)->transfers) method = knn_host_checked(method);
    s->family->format(s, &run->o.what, false, said, sizeof said);
    simulator_count(l->variant->name, said); /* it launches nothing else in the simulator */
    const cudaError_t error = knn_verify(method, name, &run->o, workspace, s->stream, report, &run->found);
    simulator_count(NULL, NULL);
    *v = (verdict){.ok = run->found.ok, .worst_share = NAN, .seconds = run->found.seconds};
    return error;
}

static void begin(const bench_launch *l) {
    knn_run *run = l->operands;
    refusal(l->session, method_of(l->variant), &run->o.what, &run->workspace_bytes);
    CUDA_ALLOCATE(&run->workspace, run->workspace_bytes + 1);
    if (run->o.what.prepared) {
        const knn_method *method = method_of(l->variant);
        const knn_problem p = knn_operands_problem(&run->o);
        CUDA_ALLOCATE(&run->prepared, method->prepared(&p) + 1);
        CUDA_CHECK(method->prepare(&p, run->prepared, l->session->stream));
        CUDA_CHECK(cudaStreamSynchronize(l->session->stream));
    }
}

static void end(const bench_launch *l) {
    knn_run *run = l->operands;
    CUDA_CHECK(cudaFree(run->workspace));
    CUDA_CHECK(cudaFree(run->prepared));
    run->prepared = NULL;
}

static cudaError_t launch_on(void *context, int set, cudaStream_t stream) {
    const bench_launch *l = context;
    const knn_run *run = l->operands;
    const knn_method *method = method_of(l->variant);
    knn_problem p = knn_operands_problem(&run->o);
    p.workspace = run->workspace;
    p.workspace_bytes = run->workspace_bytes;
    p.prepared = run->prepared;
    CUDA_CHECK(cudaMemsetAsync(p.counts, 0, sizeof *p.counts, stream));
    return l->mode != NULL ? knn_host_search(method, &p, stream) : knn_ranks_search(method, &p, stream);
}

static const char *remark(const bench_launch *l, char *text, size_t size) {
    const knn_method *method = method_of(l->variant);
    const knn_run *run = l->operands;
    const knn_verdict *v = &run->found;
    const knn_case *c = &run->o.what;
    int used = snprintf(text, size, "exact");
    if (!method->exact)
        used = snprintf(text, size, "%llu of %llu are not the nearest, %llu distances below 0",
                        (unsigned long long)v->different, (unsigned long long)v->rows * (unsigned)c->k,
                        v->counts.negative);
    if (v->counts.candidates > 0 || v->counts.redone > 0)
        used += snprintf(text + used, size - (size_t)used, ", %.1f candidates per query, %llu queries searched again",
                         knn_candidates(&v->counts, c->m), v->counts.redone);
    snprintf(text + used, size - (size_t)used, "%s", knn_ranks_remark());
    return l->session->o.verbose && method->note != NULL ? method->note() : NULL;
}

/* ---- */

static double tail_of(const session *s, const record *r) {
    return ((const knn_options *)s->state)->at_once > 0 ? r->ms_max : NAN;
}

#define FIELD(name) offsetof(record, name)
static const bench_column sizes[] = {{0}};
static const bench_column columns[] = {
    {"ms", 10, 4, COLUMN_NUMBER, FIELD(ms_median), 1.0, NULL},
    {"99 %", 10, 4, COLUMN_NUMBER, 0, 1.0, tail_of},
    {"GFLOP/s", 9, 0, COLUMN_NUMBER, FIELD(gflops), 1.0, NULL},
    {"GB/s", 6, 0, COLUMN_NUMBER, FIELD(gbps), 1.0, NULL},
    {0},
};

static const bench_operand_functions operand_functions = {.bytes = bytes,
                                                          .create = create,
                                                          .destroy = destroy,
                                                          .verify = verify,
                                                          .launch = launch_on,
                                                          .begin = begin,
                                                          .end = end};

static const bench_family family = {.op = "knn",
                                    .noun = "method",
                                    .state_size = sizeof(knn_options),
                                    .problem_size = sizeof(knn_case),
                                    .sizes = sizes,
                                    .columns = columns,
                                    .remark_title = "neighbours",
                                    .unpredictable = true,
                                    .variant = variant,
                                    .options = add_options,
                                    .open = open_family,
                                    .close = close_family,
                                    .command = classify,
                                    .header = header,
                                    .problems = add_problems,
                                    .format = format,
                                    .record = fill_record,
                                    .workload = workload,
                                    .refuses = refuses,
                                    .remark = remark,
                                    .operands = &operand_functions};

int knn_step_main(int argc, char **argv, const char *step, const knn_method *methods, int count) {
    return bench_main(argc, argv, step, &family, methods, count, NULL);
}
