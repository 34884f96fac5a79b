/* The search for nearest neighbours, as the bench sees it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bench/session.h"
#include "gpu/cublas.h"
#include "gpu/error.h"
#include "gpu/simulator.h"
#include "knn/knn.h"
#include "knn/knn_files.h"
#include "knn/knn_operands.h"
#include "knn/knn_options.h"

/* The modes of times with copies from and to the host: pinned memory, and pageable, which the driver copies twice. */
static const char TRANSFERS[] = "transfers", PAGEABLE[] = "pageable";
static const double VERIFIED_WORK = 1.2e10; /* multiply-adds of the reference: all queries of the paper's case */
static const double CHECKED_WORK = 2e9;     /* for one problem of the check list */
static const double MEMORY = 0.8;           /* of what is free */

/* One problem in memory. */
typedef struct {
    knn_operands o;
    knn_verdict found; /* by the latest search that was verified */
    void *workspace;   /* while it is timed */
    size_t workspace_bytes;
    void *host[KNN_MATRICES]; /* pinned; for launches from and to host memory */
} knn_run;

const char *knn_needs(double bytes) {
    static char text[64];
    snprintf(text, sizeof text, "needs %.3f MB", bytes / 1e6);
    return text;
}

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
    return EXIT_OK;
}

static void close_family(session *s) {
    cublas_close(); /* a method may have opened it */
}

static int classify(session *s) {
    const knn_options *o = s->state;
    if (o->train == NULL || s->o.list) return -1;
    return knn_files_run(s, o, s->variants[0].self, s->count);
}

static void header(const session *s) {
    const knn_options *o = s->state;
    printf("%d nearest neighbours of m %d queries among n %d points of dimension d %d\n", o->k, o->m, o->n, o->d);
}

/* ---- problems -------------------------------------------------------------------------------------------------- */

static void add_problems(const session *s, case_list *l) {
    const knn_options *o = s->state;
    const knn_case c = {.m = o->m, .n = o->n, .d = o->d, .k = o->k, .seed = s->o.seed};
    if (s->o.sweep == SWEEP_CHECK)
        knn_cases(l);
    else
        case_list_add(l, &c);
}

static void format(const session *s, const void *problem, bool details, char *text, size_t size) {
    const knn_case *c = problem;
    (void)s;
    if (!details) {
        snprintf(text, size, "m %d, n %d, d %d, k %d", c->m, c->n, c->d, c->k);
        return;
    }
    snprintf(text, size, "%s, m %d, n %d, d %d, k %d, off alignment %d %d %d %d%s, seed %llu", knn_kind_name(c->kind),
             c->m, c->n, c->d, c->k, c->off[0], c->off[1], c->off[2], c->off[3], c->scarce ? ", little workspace" : "",
             (unsigned long long)c->seed);
}

static void fill_record(const session *s, const void *problem, record *r) {
    knn_describe(problem, r);
}

static void workload(const session *s, const void *problem, bench_workload *w) {
    const knn_case *c = problem;
    const knn_options *o = s->state;
    *w = (bench_workload){.flops = 3.0 * c->m * (double)c->n * c->d,
                          .bytes = NAN,
                          .touched =
                              (size_t)c->m, /* the operands stay where they are: only whether there are any counts */
                          .mode = TIMING_EVENTS,
                          .second_mode = o->pageable    ? PAGEABLE
                                         : o->transfers ? TRANSFERS
                                                        : NULL};
}

/* The check list's problems take half of the memory at most: the rest is for workspaces. */
static double bytes(const session *s, const void *problem, int sets) {
    return knn_operands_bytes(problem) * (s->o.sweep == SWEEP_CHECK ? 2.0 : 1.0);
}

/* ---- operands and launches ------------------------------------------------------------------------------------- */

static void *create(const session *s, const void *problem, int sets) {
    const bool check = s->o.sweep == SWEEP_CHECK;
    knn_run *run = calloc(1, sizeof *run);
    if (run == NULL || !knn_operands_create(&run->o, problem, check ? CHECKED_WORK : VERIFIED_WORK)) {
        fprintf(stderr, "%s: no host memory for the data and the reference\n", s->step);
        exit(EXIT_USAGE);
    }
    if (!check && run->o.stride > 1)
        printf("Compared with the CPU's: one query in %d; of the others, that their neighbours are in order.\n",
               run->o.stride);
    return run;
}

static void destroy(void *operands) {
    knn_run *run = operands;
    knn_operands_destroy(&run->o);
    free(run);
}

/* Why the method does not do this here, and the workspace for it. */
static const char *refusal(const session *s, const knn_method *method, const knn_case *c, size_t *workspace) {
    const knn_problem p = knn_operands_outline(c);
    const double left = s->memory - knn_operands_bytes(c);
    size_t limit = left > 0.0 ? (size_t)left : 0;
    if (c->scarce) limit = knn_scarce(method, &p, limit);
    return knn_refusal(method, &p, limit, workspace);
}

static const char *refuses(const session *s, const bench_variant *v, const void *problem) {
    size_t workspace;
    return refusal(s, method_of(v), problem, &workspace);
}

static cudaError_t verify(const bench_launch *l, const char *name, FILE *report, verdict *v) {
    const session *s = l->session;
    knn_run *run = l->operands;
    size_t workspace;
    char said[96];
    refusal(s, method_of(l->variant), &run->o.what, &workspace);
    s->family->format(s, &run->o.what, false, said, sizeof said);
    simulator_count(l->variant->name, said); /* it launches nothing else in the simulator */
    const cudaError_t error =
        knn_verify(method_of(l->variant), name, &run->o, workspace, s->stream, report, &run->found);
    simulator_count(NULL, NULL);
    *v = (verdict){.ok = run->found.ok, .worst_share = NAN, .seconds = run->found.seconds};
    return error;
}

static void begin(const bench_launch *l) {
    knn_run *run = l->operands;
    refusal(l->session, method_of(l->variant), &run->o.what, &run->workspace_bytes);
    CUDA_ALLOCATE(&run->workspace, run->workspace_bytes + 1);
    for (int i = 0; l->mode != NULL && i < KNN_MATRICES; i++) {
        const size_t bytes = matrix_element_bytes(&run->o.at[i]);
        if (l->mode == PAGEABLE)
            run->host[i] = malloc(bytes + 1);
        else
            CUDA_CHECK(cudaMallocHost(&run->host[i], bytes + 1));
        if (run->host[i] == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
        if (i < KNN_INPUTS) memcpy(run->host[i], run->o.data[i], bytes);
    }
}

static void end(const bench_launch *l) {
    knn_run *run = l->operands;
    CUDA_CHECK(cudaFree(run->workspace));
    for (int i = 0; l->mode != NULL && i < KNN_MATRICES; i++) {
        if (l->mode == PAGEABLE)
            free(run->host[i]);
        else
            CUDA_CHECK(cudaFreeHost(run->host[i]));
    }
}

static cudaError_t search(const knn_method *method, const knn_problem *p, cudaStream_t stream) {
    const cudaError_t error = cudaMemsetAsync(p->counts, 0, sizeof *p->counts, stream);
    return error != cudaSuccess ? error : method->search(p, stream);
}

/* From host memory to host memory, one after the other. */
static cudaError_t search_from_host(const knn_run *run, const knn_method *method, const knn_problem *p,
                                    cudaStream_t stream) {
    const matrix *at = run->o.at;
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < KNN_INPUTS && error == cudaSuccess; i++)
        error =
            cudaMemcpyAsync(at[i].elements, run->host[i], matrix_element_bytes(&at[i]), cudaMemcpyHostToDevice, stream);
    if (error == cudaSuccess) error = search(method, p, stream);
    for (int i = KNN_INPUTS; i < KNN_MATRICES && error == cudaSuccess; i++)
        error =
            cudaMemcpyAsync(run->host[i], at[i].elements, matrix_element_bytes(&at[i]), cudaMemcpyDeviceToHost, stream);
    return error;
}

static cudaError_t launch_on(void *context, int set, cudaStream_t stream) {
    const bench_launch *l = context;
    const knn_run *run = l->operands;
    (void)set; /* there is one */
    const knn_method *method = method_of(l->variant);
    knn_problem p = knn_operands_problem(&run->o);
    p.workspace = run->workspace;
    p.workspace_bytes = run->workspace_bytes;
    return l->mode != NULL ? search_from_host(run, method, &p, stream) : search(method, &p, stream);
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
        snprintf(text + used, size - (size_t)used, ", %.1f candidates per query, %llu queries searched again",
                 knn_candidates(&v->counts, c->m), v->counts.redone);
    return l->session->o.verbose && method->note != NULL ? method->note() : NULL;
}

/* ---- */

#define FIELD(name) offsetof(record, name)
static const bench_column sizes[] = {{0}};
static const bench_column columns[] = {
    {"ms", 10, 4, COLUMN_NUMBER, FIELD(ms_median), 1.0, NULL},
    {"GFLOP/s", 9, 0, COLUMN_NUMBER, FIELD(gflops), 1.0, NULL},
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
