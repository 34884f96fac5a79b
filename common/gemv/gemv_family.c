/* GEMV, as the bench sees it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "bench/measure.h"
#include "bench/print.h"
#include "bench/random_shapes.h"
#include "gemv/gemv_cases.h"
#include "gemv/gemv_state.h"
#include "gemv/read_ceiling.h"
#include "gpu/blas.h"
#include "gpu/error.h"

/* Reading A and nothing else, in several ways. */
static const bench_variant read_a = {.name = "read_ceiling", .candidates = READ_CEILING_WAYS};

static const gemv_variant *variant_of(const bench_variant *v) {
    return v->self;
}

static bench_variant variant(const void *variants, int i) {
    const gemv_variant *v = (const gemv_variant *)variants + i;
    return (bench_variant){.name = v->name,
                           .idea = v->idea,
                           .supports = v->supports,
                           .self = v,
                           .candidates = v->candidates != NULL ? v->candidate_count : 0};
}

/* ---- options and --list ---------------------------------------------------------------------------------------- */

static void add_options(session *s, options_program *p) {
    gemv_options_program(p, &gemv_state_of(s)->o);
}

static bool candidate_known(const session *s) {
    for (int i = 0; i < s->count; i++)
        if (s->o.chosen[i] && gemv_candidate_index(variant_of(&s->variants[i]), gemv_state_of(s)->o.candidate) >= 0)
            return true;
    return false;
}

static int open_family(session *s) {
    gemv_state *state = s->state;
    const gemv_options *o = &state->o;
    dtype_named(o->dtype, &state->type);
    if (s->o.list) return EXIT_OK;
    if (o->candidate != NULL && !candidate_known(s)) {
        fprintf(stderr, "%s: --candidate %s: no variant chosen has it (--list --verbose names them)\n", s->step,
                o->candidate);
        return EXIT_USAGE;
    }
    if (o->pdl && s->device.cc < GEMV_PDL_CC) {
        fprintf(stderr, "%s: --pdl: needs sm_%d, this is %s (sm_%d)\n", s->step, GEMV_PDL_CC, s->device.name,
                s->device.cc);
        return EXIT_USAGE;
    }
    if (s->o.verify || s->device.simulated) return EXIT_OK;
    if (gemv_tune_prepare(s) != EXIT_OK) return EXIT_USAGE;
    for (int i = 0; i < s->count && state->tuned.path == NULL; i++)
        if (s->o.chosen[i] && s->variants[i].candidates > 0) tune_open(&state->tuned, o->tune_file, stderr);
    s->baseline = o->baseline && !o->graph && blas_open(stderr);
    return EXIT_OK;
}

static void close_family(session *s) {
    tune_close(&gemv_state_of(s)->tuned);
    gemv_baseline_forget(&gemv_state_of(s)->baseline);
    blas_close();
}

static bool candidate(const session *s, const bench_variant *v, int i, kernel_info *info, const char **name) {
    const gemv_variant *variant = variant_of(v);
    const dtype type = gemv_state_of(s)->type;
    if (i >= (v->candidates > 0 ? v->candidates : 1)) return false;
    *info = v->candidates > 0 ? variant->candidates[i].kernel(type) : variant->kernel(type);
    *name = v->candidates > 0 ? variant->candidates[i].name : "";
    return true;
}

static const char *timing_mode_text(const session *s) {
    const gemv_options *o = &gemv_state_of(s)->o;
    if (o->graph) return "in a chain, without and with programmatic dependent launch";
    if (o->pdl) return "in CUDA graphs with programmatic dependent launch";
    return s->o.sweep == SWEEP_ARTICLE ? "single launches between events" : "in CUDA graphs";
}

static void header(const session *s) {
    const gemv_options *o = &gemv_state_of(s)->o;
    char against[96];
    if (o->graph)
        printf("y = sqrt(3/k)*A*x in %s", o->dtype);
    else
        printf("y = %g*A*x + %g*y in %s", (double)o->alpha, (double)o->beta, o->dtype);
    if (!s->device.simulated) printf(", L2 %s, %s", o->warm ? "warm" : "cold", timing_mode_text(s));
    if (s->baseline) {
        blas_name(against, sizeof against);
        printf(", against the fastest call of %s", against);
    }
    printf("\n");
}

/* ---- problems -------------------------------------------------------------------------------------------------- */

static void add_problems(const session *s, case_list *l) {
    const gemv_state *state = gemv_state_of(s);
    const gemv_options *o = &state->o;
    gemv_case c = {.type = state->type,
                   .n = o->n,
                   .k = o->k,
                   .lda = o->lda,
                   .alpha = o->alpha,
                   .beta = o->beta,
                   .seed = s->o.seed};
    int m;
    if (s->o.sweep == SWEEP_CHECK)
        gemv_cases(l);
    else if (s->o.sweep == SWEEP_NONE)
        case_list_add(l, &c);
    else if (s->o.sweep == SWEEP_RANDOM) /* whose m and pads have no place here */
        for (random_draw draw = {.sweep = s->o.random, .seed = s->o.seed}; draw.count < s->o.random.count;) {
            const random_shape r = random_shape_next(&draw);
            c.n = r.sides.n, c.k = r.sides.k;
            case_list_add(l, &c);
        }
    else
        case_list_add_shapes(l, gemv_sweep(s->o.sweep, s->device.simulated), &c, &m, &c.n, &c.k);
}

static void format(const session *s, const void *problem, bool details, char *text, size_t size) {
    static const char *const where[] = {"", "A", "x", "y"};
    const gemv_case *c = problem;
    if (!details) {
        snprintf(text, size, "n %d, k %d", c->n, c->k);
        return;
    }
    const int used = snprintf(text, size, "%s, lda %d, %d %d %d elements off alignment", dtype_name(c->type),
                              c->lda > 0 ? c->lda : c->k, c->off_a, c->off_x, c->off_y);
    if (c->plant != PLANT_NONE)
        snprintf(text + used, size - (size_t)used, ", %g in %s", (double)c->planted, where[c->plant]);
}

static void fill_record(const session *s, const void *problem, record *r) {
    const gemv_case *c = problem;
    const gemv_options *o = &gemv_state_of(s)->o;
    const char *mode = s->o.sweep == SWEEP_ARTICLE ? "events" : o->pdl ? GEMV_PDL : GEMV_GRAPH;
    r->m = 1;
    r->n = c->n;
    r->k = c->k;
    r->alpha = c->alpha;
    r->beta = c->beta;
    snprintf(r->dtype, sizeof r->dtype, "%s", dtype_name(c->type));
    snprintf(r->layout, sizeof r->layout, "n");
    snprintf(r->cache, sizeof r->cache, "%s", o->warm ? "warm" : "cold");
    if (!s->device.simulated) snprintf(r->mode, sizeof r->mode, "%s", mode);
}

static void workload(const session *s, const void *problem, bench_workload *w) {
    const gemv_case *c = problem;
    const shape size = {1, c->n, c->k};
    const size_t word = dtype_size(c->type);
    const operand_spec spec = gemv_operands(c);
    const bool article = s->o.sweep == SWEEP_ARTICLE;
    *w = (bench_workload){.flops = shape_flops(size),
                          .bytes = shape_bytes(size, c->beta, word, word),
                          .peak = s->device.peak_gbps,
                          .peak_of_bytes = true,
                          .touched = operand_touched(&spec),
                          .cold_bytes = gemv_state_of(s)->o.warm ? 0 : gemv_cold_bytes(s),
                          .one_set = article,
                          .restores = c->beta != 0.0f,
                          .mode = article ? TIMING_EVENTS : TIMING_GRAPH};
    gemv_state_of(s)->ceiling_gbps = NAN;
}

/* ---- launches -------------------------------------------------------------------------------------------------- */

static bool with_pdl(const session *s, const bench_launch *l) {
    return l->mode != NULL ? strcmp(l->mode, GEMV_PDL) == 0 : gemv_state_of(s)->o.pdl;
}

/* Where a launch may start before the one in front of it has ended, and none reads what another wrote, verifying takes
 * three: for what overlapping launches may do to one another. */
static operand_spec spec_of(const session *s, const void *problem) {
    const gemv_options *o = &gemv_state_of(s)->o;
    operand_spec spec = gemv_operands(problem);
    spec.launches = (o->pdl || o->graph) && spec.beta == 0.0f ? 3 : 1;
    return spec;
}

static cudaError_t enqueue(void *context, const operand_set *set, float alpha, float beta, cudaStream_t stream) {
    const bench_launch *l = context;
    gemv_state *state = gemv_state_of(l->session);
    gemv_problem p = gemv_problem_on(l->problem, set);
    const size_t all = (size_t)p.n * (size_t)p.k * dtype_size(p.type);
    if (l->variant == &read_a) return read_ceiling(p.A, all, l->number, state->o.pdl, stream);
    p.alpha = alpha;
    p.beta = beta;
    if (l->variant == NULL) return gemv_baseline_launch(&state->baseline, &p, l->number, stream);
    p.pdl = with_pdl(l->session, l);
    return gemv_launcher_of(l)(&p, stream);
}

static int count_calls(const session *s, const void *problem) {
    const operand_spec spec = gemv_operands(problem);
    const gemv_problem p = gemv_problem_on(problem, &spec.like);
    return gemv_baseline_ask(&gemv_state_of(s)->baseline, &p);
}

static void describe_call(const session *s, int number, bench_call *c) {
    gemv_baseline_call(&gemv_state_of(s)->baseline, number, c);
}

/* Reading A and nothing else: the fastest way of it, then that measured like a variant. */
static void measure_ceiling(session *s, const bench_launch *problem, const timing_task *outline) {
    const gemv_case *c = problem->problem;
    gemv_state *state = s->state;
    const double all = (double)c->n * c->k * (double)dtype_size(c->type);
    timing_task reading = *outline;
    bench_launch launch = *problem;
    timing_result t;
    double least = INFINITY;
    launch.variant = &read_a;
    if (all < 16.0) return; /* it reads 16 bytes at a time */
    reading.restore = NULL;
    for (int way = 0; way < READ_CEILING_WAYS; way++) {
        launch.number = way;
        measure_quickly(&reading, &launch, NULL, s->o.time_s / 20, way > 0, &t);
        if (t.ours_ms.median >= least) continue;
        least = t.ours_ms.median;
        state->ceiling_way = way;
    }
    launch.number = state->ceiling_way;
    measure_quickly(&reading, &launch, NULL, s->o.time_s / 2, true, &t);
    record r = session_describe(s, read_a.name, "read");
    const bench_workload work = {.flops = NAN, .bytes = all, .peak = s->device.peak_gbps, .peak_of_bytes = true};
    fill_record(s, c, &r);
    if (!state->o.pdl) snprintf(r.mode, sizeof r.mode, "%s", t.mode);
    measure_record(&r, &work, &t);
    state->ceiling_gbps = r.gbps;
    progress_clear(stderr);
    print_row(s, r.variant, &r, NAN, NAN, "");
    if (session_find(s, &r, false) == NULL) session_keep(s, &r);
}

static int run_chains(session *s) {
    return gemv_state_of(s)->o.graph && !s->o.list ? gemv_chain_sweep(s) : -1;
}

/* ---- */

static double ceiling_share(const session *s, const record *r) {
    return r->gbps / gemv_state_of(s)->ceiling_gbps;
}

#define FIELD(name) offsetof(record, name)
static const bench_column sizes[] = {
    {"n", 8, 0, COLUMN_COUNT, FIELD(n), 1.0, NULL},
    {"k", 8, 0, COLUMN_COUNT, FIELD(k), 1.0, NULL},
    {0},
};
static const bench_column columns[] = {
    {"us", 9, 2, COLUMN_NUMBER, FIELD(ms_median), 1e3, NULL},
    {"GB/s", 8, 1, COLUMN_NUMBER, FIELD(gbps), 1.0, NULL},
    {"peak", 6, 1, COLUMN_PERCENT, FIELD(peak_share), 1.0, NULL},
    {"ceiling", 8, 1, COLUMN_PERCENT, 0, 1.0, ceiling_share},
    {"ratio (min-max)", 21, 0, COLUMN_RATIO, FIELD(ratio), 1.0, NULL},
    {0},
};

static const bench_family family = {.op = "gemv",
                                    .noun = "variant",
                                    .state_size = sizeof(gemv_state),
                                    .problem_size = sizeof(gemv_case),
                                    .sizes = sizes,
                                    .columns = columns,
                                    .variant = variant,
                                    .options = add_options,
                                    .open = open_family,
                                    .close = close_family,
                                    .command = run_chains,
                                    .header = header,
                                    .problems = add_problems,
                                    .format = format,
                                    .record = fill_record,
                                    .workload = workload,
                                    .measure_ceiling = measure_ceiling,
                                    .matrices = {spec_of, enqueue},
                                    .baseline = {count_calls, describe_call},
                                    .candidates = {candidate, gemv_tune}};

int gemv_step_main(int argc, char **argv, const char *step, const gemv_variant *variants, int count) {
    return bench_main(argc, argv, step, &family, variants, count, NULL);
}
