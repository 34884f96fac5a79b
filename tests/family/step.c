/* The table of the family, and a step with a correct variant and a wrong one. */
#include "saxpy.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "bench/session.h"
#include "gpu/error.h"
#include "tensor/operands.h"

typedef struct {
    int n;
    float a;
} saxpy_options;

typedef struct {
    int n;
    float a;
    uint64_t seed;
} saxpy_case;

/* y = a*x + y is C = a*A*B + C for an A of one column, x, and a B of one element. B is 1 where it is read. */
typedef struct {
    saxpy_case what;
    operand_sets at;
} saxpy_operands;

static bool complete(const option_parse *p, const options *common, void *values) {
    saxpy_options *o = values;
    if (!options_given(p, "n")) o->n = common->simulate ? 5000 : 1 << 24;
    return true;
}

static void program(session *s, options_program *p) {
    static const char *const sweeps[] = {"square", "check", NULL};
    static const option table[] = {
        {"n", "N", OPTION_SIZE, offsetof(saxpy_options, n), "elements", NULL},
        {"a", "X", OPTION_SCALAR, offsetof(saxpy_options, a), "y = a*x + y", NULL},
        {0},
    };
    ((saxpy_options *)s->state)->a = 2.0f;
    p->summary = "Scales a vector and adds another.";
    p->sweeps = sweeps;
    p->simulated_max_size = 1000;
    p->table = table;
    p->values = s->state;
    p->complete = complete;
}

static bench_variant variant(const void *variants, int i) {
    const saxpy_variant *v = (const saxpy_variant *)variants + i;
    return (bench_variant){.name = v->name, .idea = v->idea, .self = v};
}

static bool kernel(const session *s, const bench_variant *v, int i, kernel_info *info, const char **name) {
    (void)s;
    *info = ((const saxpy_variant *)v->self)->kernel();
    *name = "";
    return i == 0;
}

static void header(const session *s) {
    printf("y = %g*x + y\n", (double)((const saxpy_options *)s->state)->a);
}

static void *cases(const session *s, const int *sizes, int size_count, int *count) {
    saxpy_case *list = calloc((size_t)size_count, sizeof *list);
    *count = 0;
    for (int i = 0; i < size_count && list != NULL; i++)
        if (sizes[i] <= s->o.max_size)
            list[(*count)++] = (saxpy_case){sizes[i], ((const saxpy_options *)s->state)->a, s->o.seed};
    return list;
}

static void *problems(const session *s, int *count) {
    static const int sweep[] = {1000, 4096, 10000};
    const saxpy_options *o = s->state;
    return s->o.sweep == SWEEP_NONE ? cases(s, &o->n, 1, count) : cases(s, sweep, ARRAY_SIZE(sweep), count);
}

static void *check_list(const session *s, int *count) {
    static const int sizes[] = {1, 31, 32, 127, 128, 129, 1000};
    return cases(s, sizes, ARRAY_SIZE(sizes), count);
}

static void say(const void *problem, char *text, size_t size) {
    snprintf(text, size, "n %d", ((const saxpy_case *)problem)->n);
}

static void say_more(const session *s, const void *problem, char *text, size_t size) {
    (void)s;
    snprintf(text, size, "a %g", (double)((const saxpy_case *)problem)->a);
}

static void describe(const session *s, const void *problem, record *r) {
    const saxpy_case *c = problem;
    (void)s;
    r->n = c->n;
    r->alpha = c->a;
    snprintf(r->dtype, sizeof r->dtype, "f32");
    snprintf(r->cache, sizeof r->cache, "cold");
}

static void plan(const session *s, const void *problem, bench_plan *p) {
    const double n = ((const saxpy_case *)problem)->n;
    *p = (bench_plan){.flops = 2.0 * n,
                      .bytes = 12.0 * n,
                      .peak = s->device.peak_gbps,
                      .peak_of_bytes = true,
                      .touched = (size_t)(8.0 * n),
                      .cold_bytes = 2 * s->device.l2_bytes,
                      .restores = true};
}

static operand_set outline_of(const saxpy_case *c) {
    return (operand_set){operand_outline(DTYPE_F32, c->n, 1, 1, 0), operand_outline(DTYPE_F32, 1, 1, 1, 0),
                         operand_outline(DTYPE_F32, c->n, 1, 1, 0)};
}

static double bytes(const session *s, const void *problem, int sets) {
    const operand_set outline = outline_of(problem);
    (void)s;
    return (double)operand_sets_bytes(&outline, 0, sets);
}

static void *create(const session *s, const void *problem, int sets) {
    saxpy_operands *o = malloc(sizeof *o);
    if (o == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    o->what = *(const saxpy_case *)problem;
    const operand_set outline = outline_of(&o->what);
    operand_sets_create(&o->at, &outline, 0, sets);
    for (int i = 0; i < sets && !s->device.simulated; i++)
        CUDA_CHECK(operand_sets_fill(&o->at, i, VALUES_UNIFORM, 1.0f, 1.0f, o->what.seed, s->stream));
    return o;
}

static void destroy(void *operands) {
    operand_sets_destroy(&((saxpy_operands *)operands)->at);
    free(operands);
}

static cudaError_t launch_scaled(const saxpy_operands *o, const bench_launch *l, int set, float a,
                                 cudaStream_t stream) {
    const operand_set *at = &o->at.set[set];
    const saxpy_problem p = {o->what.n, a, at->a.elements, at->c.elements};
    return ((const saxpy_variant *)l->variant->self)->launch(&p, stream);
}

static cudaError_t launch(const session *s, void *operands, const bench_launch *l, int set, cudaStream_t stream) {
    const saxpy_operands *o = operands;
    (void)s;
    return launch_scaled(o, l, set, o->what.a, stream);
}

typedef struct {
    const saxpy_operands *operands;
    const bench_launch *launch;
} verified;

/* The reference multiplies by B's one element, so the launch's scalar is that times alpha. */
static cudaError_t launch_verified(void *context, float alpha, float beta, cudaStream_t stream) {
    const verified *v = context;
    (void)beta;
    return launch_scaled(v->operands, v->launch, 0, alpha * matrix_value(&v->operands->at.set[0].b, 0), stream);
}

static cudaError_t verify(const session *s, void *operands, const bench_launch *l, const char *name, FILE *report,
                          verdict *v) {
    saxpy_operands *o = operands;
    verified context = {o, l};
    const operand_test test = {.name = name,
                               .names = "x1y",
                               .alpha = o->what.a,
                               .beta = 1.0f,
                               .arithmetic = VERIFY_FMA,
                               .seed = o->what.seed,
                               .launches = 1,
                               .launch = launch_verified,
                               .context = &context};
    return operand_sets_verify(&o->at, &test, s->stream, report, v);
}

static cudaError_t restore(const session *s, void *operands, int set, cudaStream_t stream) {
    saxpy_operands *o = operands;
    (void)s;
    return operand_sets_fill_c(&o->at, set, VALUES_UNIFORM, 1.0f, o->what.seed, stream);
}

static const bench_column sizes[] = {{"n", 9, 0, COLUMN_COUNT, offsetof(record, n), 1.0, NULL}, {0}};
static const bench_column columns[] = {{"us", 9, 2, COLUMN_NUMBER, offsetof(record, ms_median), 1e3, NULL},
                                       {"peak", 6, 1, COLUMN_PERCENT, offsetof(record, peak_share), 1.0, NULL},
                                       {0}};
static const bench_family family = {.op = "axpy",
                                    .noun = "variant",
                                    .state_size = sizeof(saxpy_options),
                                    .problem_size = sizeof(saxpy_case),
                                    .sizes = sizes,
                                    .columns = columns,
                                    .variant = variant,
                                    .program = program,
                                    .kernel = kernel,
                                    .header = header,
                                    .problems = problems,
                                    .check_list = check_list,
                                    .say = say,
                                    .say_more = say_more,
                                    .describe = describe,
                                    .plan = plan,
                                    .bytes = bytes,
                                    .create = create,
                                    .destroy = destroy,
                                    .verify = verify,
                                    .launch = launch,
                                    .restore = restore};

int main(int argc, char **argv) {
    static const saxpy_variant variants[] = {{"plain", "a thread an element", saxpy_launch, saxpy_kernel},
                                             {"short", "leaves the last one out", saxpy_launch_short, saxpy_kernel}};
    return bench_main(argc, argv, "test_family", &family, variants, ARRAY_SIZE(variants), NULL);
}
