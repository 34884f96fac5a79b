/* The table of the family, and a step with a correct variant and a wrong one. */
#include "saxpy.h"

#include <stdlib.h>

#include "base/array.h"
#include "bench/session.h"
#include "gpu/error.h"

typedef struct {
    int n;
    float a;
} saxpy_options;

typedef struct {
    int n;
    float a;
    uint64_t seed;
} saxpy_case;

static bool complete(const option_parse *p, const options *common, void *values) {
    saxpy_options *o = values;
    if (!options_given(p, "n")) o->n = common->simulate ? 5000 : 1 << 24;
    return true;
}

static void add_options(session *s, options_program *p) {
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
    return (bench_variant){.name = v->name, .idea = v->idea, .self = v, .kernel = v->kernel};
}

static void header(const session *s) {
    printf("y = %g*x + y\n", (double)((const saxpy_options *)s->state)->a);
}

static void add(const session *s, case_list *l, int n) {
    const saxpy_case c = {n, ((const saxpy_options *)s->state)->a, l->seed};
    if (n <= l->max_size) case_list_add(l, &c);
}

static void problems(const session *s, case_list *l) {
    static const int timed[] = {1000, 4096, 10000}, checked[] = {1, 31, 32, 127, 128, 129, 1000};
    if (s->o.sweep == SWEEP_NONE) add(s, l, ((const saxpy_options *)s->state)->n);
    for (int i = 0; i < ARRAY_SIZE(timed) && s->o.sweep == SWEEP_SQUARE; i++) add(s, l, timed[i]);
    for (int i = 0; i < ARRAY_SIZE(checked) && s->o.sweep == SWEEP_CHECK; i++) add(s, l, checked[i]);
}

static void format(const session *s, const void *problem, bool details, char *text, size_t size) {
    if (details)
        snprintf(text, size, "a %g", (double)((const saxpy_options *)s->state)->a);
    else
        snprintf(text, size, "n %d", ((const saxpy_case *)problem)->n);
}

static void fill_record(const session *s, const void *problem, record *r) {
    const saxpy_case *c = problem;
    r->n = c->n;
    r->alpha = c->a;
    snprintf(r->dtype, sizeof r->dtype, "f32");
    snprintf(r->cache, sizeof r->cache, "cold");
}

static void workload(const session *s, const void *problem, bench_workload *w) {
    const double n = ((const saxpy_case *)problem)->n;
    *w = (bench_workload){.flops = 2.0 * n,
                          .bytes = 12.0 * n,
                          .peak = s->device.peak_gbps,
                          .peak_of_bytes = true,
                          .touched = (size_t)(8.0 * n),
                          .cold_bytes = 2 * s->device.l2_bytes,
                          .restores = true};
}

/* y = a*x + y is C = a*A*B + C for an A of one column, x, and a B of one element. */
static operand_spec spec_of(const session *s, const void *problem) {
    const saxpy_case *c = problem;
    return (operand_spec){.like = {.a = operand_outline(DTYPE_F32, c->n, 1, 1, 0),
                                   .b = operand_outline(DTYPE_F32, 1, 1, 1, 0),
                                   .c = operand_outline(DTYPE_F32, c->n, 1, 1, 0)},
                          .names = "x1y",
                          .alpha = c->a,
                          .beta = 1.0f,
                          .arithmetic = VERIFY_FMA,
                          .seed = c->seed};
}

/* The scalar is that of C times B's one element. */
static cudaError_t enqueue(void *launch, const operand_set *set, float alpha, float beta, cudaStream_t stream) {
    const bench_launch *l = launch;
    const saxpy_problem p = {((const saxpy_case *)l->problem)->n, alpha * matrix_value(&set->b, 0), set->a.elements,
                             set->c.elements};
    return ((const saxpy_variant *)l->variant->self)->launch(&p, stream);
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
                                    .options = add_options,
                                    .header = header,
                                    .problems = problems,
                                    .format = format,
                                    .record = fill_record,
                                    .workload = workload,
                                    .matrices = {spec_of, enqueue}};

int main(int argc, char **argv) {
    static const saxpy_variant variants[] = {{"plain", "a thread an element", saxpy_launch, saxpy_kernel},
                                             {"short", "leaves the last one out", saxpy_launch_short, saxpy_kernel}};
    return bench_main(argc, argv, "test_family", &family, variants, ARRAY_SIZE(variants), NULL);
}
