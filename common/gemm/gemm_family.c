/* GEMM, as the bench sees it. */
#include <stdlib.h>
#include <string.h>

#include "bench/random_shapes.h"
#include "bench/session.h"
#include "gemm/gemm.h"
#include "gemm/gemm_baseline.h"
#include "gemm/gemm_cases.h"
#include "gemm/gemm_operands.h"
#include "gemm/gemm_options.h"
#include "gpu/blas.h"
#include "gpu/error.h"

typedef struct {
    gemm_options o;
    gemm_kind kind;
    gemm_baseline baseline;
} gemm_state;

static gemm_state *state_of(const session *s) {
    return s->state;
}

static bool is_warm(const gemm_options *o) {
    return o->warm || o->chain;
}

static const gemm_variant *variant_of(const bench_variant *v) {
    return v->self;
}

static bench_variant variant(const void *variants, int i) {
    const gemm_variant *v = (const gemm_variant *)variants + i;
    return (bench_variant){.name = v->name, .idea = v->idea, .supports = v->supports, .self = v, .kernel = v->kernel};
}

/* ---- options, --list, --show ----------------------------------------------------------------------------------- */

static void add_options(session *s, options_program *p) {
    gemm_options_program(p, &state_of(s)->o, s->context);
}

/* What the command line chose of the offer. */
static gemm_kind chosen_kind(const gemm_offer *offer, const gemm_options *o) {
    gemm_kind kind = {GEMM_F32, DTYPE_F32, GEMM_NN};
    if (offer == NULL) return kind;
    for (int i = 0; i < offer->type_count; i++)
        if (strcmp(gemm_type_name(offer->types[i]), o->dtype) == 0) kind.type = offer->types[i];
    for (int i = 0; i < offer->layout_count; i++)
        if (strcmp(gemm_layout_name(offer->layouts[i]), o->layout) == 0) kind.layout = offer->layouts[i];
    dtype_named(o->out, &kind.out);
    return kind;
}

static int open_family(session *s) {
    gemm_state *state = state_of(s);
    state->kind = chosen_kind(s->context, &state->o);
    s->baseline = state->o.baseline && !s->device.simulated && !s->o.list && state->o.show == NULL && !s->o.verify &&
                  blas_open(stderr);
    return EXIT_OK;
}

static void close_family(session *s) {
    gemm_baseline_forget(&state_of(s)->baseline);
    blas_close();
}

static int list_shows(const gemm_offer *offer) {
    for (int i = 0; offer != NULL && i < offer->show_count; i++)
        printf("--show %-11s %s\n", offer->shows[i].name, offer->shows[i].idea);
    return EXIT_OK;
}

static int show(session *s) {
    const char *wanted = state_of(s)->o.show;
    if (s->o.list) return list_shows(s->context);
    if (wanted == NULL) return -1;
    const gemm_show *what = ((const gemm_offer *)s->context)->shows;
    while (strcmp(what->name, wanted) != 0) what++;
    error_context("%s --show %s", s->step, what->name);
    printf("%s --show %s on %s (sm_%d)\n%s\n", s->step, what->name, s->device.name, s->device.cc, what->idea);
    const char *unsupported = what->supports != NULL ? what->supports(&s->device) : NULL;
    if (unsupported != NULL) {
        printf("skipped: %s\n", unsupported);
        return EXIT_USAGE;
    }
    return what->run(&s->device, stdout) ? EXIT_OK : EXIT_WRONG;
}

static void header(const session *s) {
    const gemm_state *state = state_of(s);
    char against[96];
    printf("C = %g*A*B + %g*C in ", (double)state->o.alpha, (double)state->o.beta);
    if (s->context == NULL)
        printf("FP32");
    else
        printf("%s %s, C in %s", gemm_type_name(state->kind.type), gemm_layout_name(state->kind.layout),
               dtype_name(state->kind.out));
    if (s->context != NULL && session_predicts(s)) printf(", predicted at the boost clock, which power may not allow");
    if (!s->device.simulated)
        printf(", L2 %s%s", is_warm(&state->o) ? "warm" : "cold", state->o.chain ? ", launches back to back" : "");
    if (s->baseline) {
        blas_name(against, sizeof against);
        printf(", against the fastest call of %s", against);
    }
    printf("\n");
}

/* ---- problems -------------------------------------------------------------------------------------------------- */

/* The case on operands without memory. */
static gemm_problem problem_of(const gemm_case *c) {
    const operand_spec spec = gemm_operands(c);
    return gemm_problem_on(c, &spec.like);
}

/* The workspace is the largest that one of the chosen variants needs: they share it. */
static operand_spec spec_of(const session *s, const void *problem) {
    operand_spec spec = gemm_operands(problem);
    const gemm_problem p = gemm_problem_on(problem, &spec.like);
    size_t largest = 0;
    for (int i = 0; i < s->count; i++) {
        if (!s->o.chosen[i] || session_unsupported(s, &s->variants[i]) != NULL) continue;
        const size_t bytes = gemm_workspace(variant_of(&s->variants[i]), &p);
        if (bytes > largest) largest = bytes;
    }
    spec.like.workspace = operand_workspace(largest);
    return spec;
}

static void add_random(const session *s, case_list *l, gemm_case c) {
    random_draw draw = {.sweep = s->o.random, .seed = s->o.seed};
    while (draw.count < s->o.random.count) {
        const random_shape r = random_shape_next(&draw);
        c.m = r.sides.m, c.n = r.sides.n, c.k = r.sides.k;
        c.lda = c.k + r.pads[0];
        c.ldb = (c.layout == GEMM_TN ? c.k : c.n) + r.pads[1];
        c.ldc = c.n + r.pads[2];
        case_list_add(l, &c);
    }
}

static void add_timed(const session *s, case_list *l) {
    const gemm_state *state = state_of(s);
    const gemm_options *o = &state->o;
    gemm_case c = {.m = o->m,
                   .n = o->n,
                   .k = o->k,
                   .lda = o->lda,
                   .ldb = o->ldb,
                   .ldc = o->ldc,
                   .misalign = o->misalign,
                   .alpha = o->alpha,
                   .beta = o->beta,
                   .seed = s->o.seed,
                   .type = state->kind.type,
                   .out = state->kind.out,
                   .layout = state->kind.layout};
    if (s->o.sweep == SWEEP_NONE)
        case_list_add(l, &c);
    else if (s->o.sweep == SWEEP_RANDOM)
        add_random(s, l, c);
    else
        case_list_add_shapes(l, gemm_sweep(s->o.sweep, s->device.simulated), &c, &c.m, &c.n, &c.k);
}

/* Of all kinds that the step offers, or of what --dtype, --out and --layout leave of them. */
static void add_checked(const session *s, case_list *l) {
    static const gemm_type f32 = GEMM_F32;
    static const gemm_layout nn = GEMM_NN;
    static const gemm_offer plain = {.types = &f32, .type_count = 1, .layouts = &nn, .layout_count = 1};
    const gemm_offer *offer = s->context != NULL ? s->context : &plain;
    const gemm_state *state = state_of(s);
    gemm_kind kinds[2 * GEMM_MAX_TYPES * GEMM_MAX_LAYOUTS];
    int kind_count = 0;
    for (int i = 0; i < offer->type_count * offer->layout_count; i++) {
        gemm_kind kind = {.type = offer->types[i / offer->layout_count],
                          .layout = offer->layouts[i % offer->layout_count]};
        dtype outs[2];
        const int out_count = gemm_outs(kind.type, outs);
        if (state->o.dtype_given && kind.type != state->kind.type) continue;
        if (state->o.layout_given && kind.layout != state->kind.layout) continue;
        for (int j = 0; j < out_count; j++) {
            kind.out = outs[j];
            if (!state->o.out_given || kind.out == state->kind.out) kinds[kind_count++] = kind;
        }
    }
    gemm_cases(kinds, kind_count, l);
}

static void add_problems(const session *s, case_list *l) {
    (s->o.sweep == SWEEP_CHECK ? add_checked : add_timed)(s, l);
}

static void format(const session *s, const void *problem, bool details, char *text, size_t size) {
    const gemm_case *c = problem;
    if (!details) {
        snprintf(text, size, "m %d, n %d, k %d", c->m, c->n, c->k);
        return;
    }
    const gemm_problem p = problem_of(c);
    int used = 0;
    if (s->context != NULL)
        used = snprintf(text, size, "%s %s, C %s, ", gemm_type_name(c->type), gemm_layout_name(c->layout),
                        dtype_name(c->out));
    snprintf(text + used, size - (size_t)used, "ld %d %d %d, %d elements off alignment", p.lda, p.ldb, p.ldc,
             c->misalign);
}

static void fill_record(const session *s, const void *problem, record *r) {
    const gemm_case *c = problem;
    dtype outs[2];
    gemm_outs(c->type, outs);
    r->m = c->m;
    r->n = c->n;
    r->k = c->k;
    r->alpha = c->alpha;
    r->beta = c->beta;
    snprintf(r->dtype, sizeof r->dtype, c->out != outs[0] ? "%s>%s" : "%s", gemm_type_name(c->type),
             dtype_name(c->out));
    snprintf(r->layout, sizeof r->layout, "%s", gemm_layout_name(c->layout));
    snprintf(r->cache, sizeof r->cache, "%s", is_warm(&state_of(s)->o) ? "warm" : "cold");
    if (state_of(s)->o.chain && !s->device.simulated) snprintf(r->mode, sizeof r->mode, "chain");
}

/* Whose peak is a type's, and how many of its products make one of the type's. */
static const struct {
    device_arithmetic what;
    int products;
} arithmetic_of[] = {[GEMM_F32] = {DEVICE_FP32, 1},  [GEMM_F16] = {DEVICE_F16, 1}, [GEMM_BF16] = {DEVICE_F16, 1},
                     [GEMM_TF32] = {DEVICE_TF32, 1}, [GEMM_S8] = {DEVICE_S8, 1},   [GEMM_TF32X3] = {DEVICE_TF32, 3}};

static void workload(const session *s, const void *problem, bench_workload *w) {
    const gemm_case *c = problem;
    const shape size = {c->m, c->n, c->k};
    const operand_spec spec = gemm_operands(c);
    const device_arithmetic what = arithmetic_of[c->type].what;
    const int products = arithmetic_of[c->type].products;
    *w = (bench_workload){.flops = shape_flops(size),
                          .bytes =
                              shape_bytes(size, c->beta, dtype_size(gemm_operand_dtype(c->type)), dtype_size(c->out)),
                          .peak = s->device.peak_gflops[what] / products,
                          .peak_per_mhz = device_peak_at(&s->device, what, 1.0) / products,
                          .touched = operand_touched(&spec),
                          .cold_bytes = is_warm(&state_of(s)->o) ? 0 : 2 * s->device.l2_bytes,
                          .restores = c->beta != 0.0f,
                          .mode = state_of(s)->o.chain ? TIMING_CHAIN : TIMING_AUTO,
                          .second_mode = state_of(s)->o.sustained_s > 0.0 ? "sustained" : NULL,
                          .sustained_s = state_of(s)->o.sustained_s};
}

/* ---- launches -------------------------------------------------------------------------------------------------- */

static const char *refuses(const session *s, const bench_variant *v, const void *problem) {
    const gemm_problem p = problem_of(problem);
    return variant_of(v)->refuses != NULL ? variant_of(v)->refuses(&p) : NULL;
}

static cudaError_t enqueue(void *context, const operand_set *set, float alpha, float beta, cudaStream_t stream) {
    const bench_launch *l = context;
    gemm_problem p = gemm_problem_on(l->problem, set);
    p.alpha = alpha;
    p.beta = beta;
    if (l->variant != NULL) return variant_of(l->variant)->launch(&p, stream);
    return gemm_baseline_launch(&state_of(l->session)->baseline, &p, l->number, stream);
}

static int count_calls(const session *s, const void *problem) {
    const gemm_problem p = problem_of(problem);
    return gemm_baseline_ask(&state_of(s)->baseline, &p);
}

static void describe_call(const session *s, int number, bench_call *c) {
    gemm_baseline_call(&state_of(s)->baseline, number, c);
}

static const char *remark(const bench_launch *l, char *text, size_t size) {
    const gemm_problem p = problem_of(l->problem);
    return variant_of(l->variant)->note != NULL ? variant_of(l->variant)->note(&p) : NULL;
}

/* ---- */

#define FIELD(name) offsetof(record, name)
static const bench_column sizes[] = {
    {"m", 6, 0, COLUMN_COUNT, FIELD(m), 1.0, NULL},
    {"n", 6, 0, COLUMN_COUNT, FIELD(n), 1.0, NULL},
    {"k", 6, 0, COLUMN_COUNT, FIELD(k), 1.0, NULL},
    {0},
};
static const bench_column columns[] = {
    {"ms", 10, 4, COLUMN_NUMBER, FIELD(ms_median), 1.0, NULL},
    {"TFLOP/s", 8, 2, COLUMN_NUMBER, FIELD(gflops), 1e-3, NULL},
    {"peak", 5, 0, COLUMN_PERCENT, FIELD(peak_share), 1.0, NULL},
    {"cuBLAS ms", 10, 4, COLUMN_NUMBER, FIELD(baseline_ms), 1.0, NULL},
    {"ratio (min-max)", 21, 0, COLUMN_RATIO, FIELD(ratio), 1.0, NULL},
    {0},
};

static const bench_family family = {.op = "gemm",
                                    .noun = "variant",
                                    .state_size = sizeof(gemm_state),
                                    .problem_size = sizeof(gemm_case),
                                    .sizes = sizes,
                                    .columns = columns,
                                    .variant = variant,
                                    .options = add_options,
                                    .open = open_family,
                                    .close = close_family,
                                    .command = show,
                                    .header = header,
                                    .problems = add_problems,
                                    .format = format,
                                    .record = fill_record,
                                    .workload = workload,
                                    .refuses = refuses,
                                    .remark = remark,
                                    .matrices = {spec_of, enqueue},
                                    .baseline = {count_calls, describe_call}};

int gemm_step_main(int argc, char **argv, const char *step, const gemm_variant *variants, int count,
                   const gemm_offer *offer) {
    return bench_main(argc, argv, step, &family, variants, count, offer);
}
