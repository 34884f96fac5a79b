/* Convolution, as the bench sees it. */
#include <string.h>

#include "bench/session.h"
#include "conv/conv.h"
#include "conv/conv_baseline.h"
#include "conv/conv_cases.h"
#include "conv/conv_operands.h"
#include "conv/conv_options.h"
#include "gpu/error.h"

typedef struct {
    conv_options o;
    conv_case latest; /* what was last recorded: the table's columns show its sides */
    conv_baseline baseline;
} conv_state;

static conv_state *state_of(const session *s) {
    return s->state;
}

static const conv_variant *variant_of(const bench_variant *v) {
    return v->self;
}

static bench_variant variant(const void *variants, int i) {
    const conv_variant *v = (const conv_variant *)variants + i;
    return (bench_variant){.name = v->name, .idea = v->idea, .supports = v->supports, .self = v, .kernel = v->kernel};
}

static void add_options(session *s, options_program *p) {
    conv_options_program(p, &state_of(s)->o);
}

static bool is_transformed(const session *s) {
    return strcmp(state_of(s)->o.baseline, "transformed") == 0;
}

static int open_family(session *s) {
    const conv_options *o = &state_of(s)->o;
    const bool wanted = !o->no_baseline && !s->device.simulated && !s->o.list && !s->o.verify;
    const char *reason = wanted ? cudnn_open() : NULL;
    if (reason != NULL) fprintf(stderr, "%s: nothing to compare with\n", reason);
    s->baseline = wanted && reason == NULL;
    return EXIT_OK;
}

static void close_family(session *s) {
    conv_baseline_forget(&state_of(s)->baseline);
    cudnn_close();
}

static void header(const session *s) {
    const conv_options *o = &state_of(s)->o;
    printf("y = %g*conv(x, f) + %g*y%s in %s %s", (double)o->what.alpha, (double)o->what.beta,
           o->what.bias ? " + bias" : "", o->dtype, o->layout);
    if (!s->device.simulated) printf(", L2 %s", o->warm ? "warm" : "cold");
    if (s->baseline) printf(", against the fastest %s plan of cuDNN %s", o->baseline, cudnn_version());
    printf("\n");
}

/* ---- problems -------------------------------------------------------------------------------------------------- */

static const char *refuses(const session *s, const bench_variant *v, const void *problem) {
    const conv_problem p = conv_problem_of(problem);
    return variant_of(v)->refuses != NULL ? variant_of(v)->refuses(&p) : NULL;
}

/* Does a chosen variant take this type and layout at all? */
static bool is_taken(const session *s, dtype type, bool nhwc) {
    conv_case one = state_of(s)->o.what;
    one.type = type;
    one.seen.nhwc = nhwc;
    for (int i = 0; i < s->count; i++)
        if (s->o.chosen[i] && refuses(s, &s->variants[i], &one) == NULL) return true;
    return false;
}

static void add_checked(const session *s, case_list *l) {
    static const dtype types[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};
    const conv_options *o = &state_of(s)->o;
    for (int i = 0; i < 2 * ARRAY_SIZE(types); i++) {
        const dtype type = types[i / 2];
        const bool nhwc = i % 2 != 0;
        if (o->dtype_given && type != o->what.type) continue;
        if (o->layout_given && nhwc != o->what.seen.nhwc) continue;
        if (is_taken(s, type, nhwc)) conv_cases(type, nhwc, l);
    }
}

static void add_problems(const session *s, case_list *l) {
    conv_case c = state_of(s)->o.what;
    c.seed = s->o.seed;
    if (s->o.sweep == SWEEP_CHECK)
        add_checked(s, l);
    else if (s->o.sweep == SWEEP_NONE)
        case_list_add(l, &c);
    else if (s->o.sweep == SWEEP_RANDOM)
        conv_random((random_draw){.sweep = s->o.random, .seed = s->o.seed}, s->device.simulated, &c, l);
    else
        conv_sweep(s->o.sweep, s->device.simulated, &c, l);
}

static void format(const session *s, const void *problem, bool details, char *text, size_t size) {
    static const char *const where[] = {"", "x", "y"};
    const conv_case *c = problem;
    const windows *v = &c->seen;
    if (!details) {
        snprintf(text, size, "n %d, c %d, %d x %d, k %d, %d x %d", v->n, v->c, v->h, v->w, c->k, v->r, v->s);
        return;
    }
    const int used = snprintf(text, size, "%s %s, stride %d %d, pad %d %d, dilation %d %d, %sbias, %d off alignment",
                              dtype_name(c->type), v->nhwc ? "nhwc" : "nchw", v->stride[0], v->stride[1], v->pad[0],
                              v->pad[1], v->dilation[0], v->dilation[1], c->bias ? "" : "no ", c->misalign);
    if (c->plant != CONV_PLANT_NONE)
        snprintf(text + used, size - (size_t)used, ", %g in %s", (double)c->planted, where[c->plant]);
}

/* "1", or "2x1" where it differs across. */
static void pair_text(const int pair[2], char text[24]) {
    snprintf(text, 24, pair[0] == pair[1] ? "%d" : "%dx%d", pair[0], pair[1]);
}

/* As a product of matrices, m = n*p*q, n = k and k = c*r*s; what tells layers of that size apart is in the layout:
 * "nchw 64x3x224x224 7x7 s2 p3 d1 bias". */
static void fill_record(const session *s, const void *problem, record *r) {
    const conv_case *c = problem;
    const windows *v = &c->seen;
    const shape size = conv_shape(c);
    char stride[24], pad[24], dilation[24], layout[192];
    state_of(s)->latest = *c;
    r->m = size.m;
    r->n = size.n;
    r->k = size.k;
    r->alpha = c->alpha;
    r->beta = c->beta;
    pair_text(v->stride, stride);
    pair_text(v->pad, pad);
    pair_text(v->dilation, dilation);
    snprintf(r->dtype, sizeof r->dtype, "%s", dtype_name(c->type));
    snprintf(layout, sizeof layout, "%s %dx%dx%dx%d %dx%d s%s p%s d%s%s", v->nhwc ? "nhwc" : "nchw", v->n, v->c, v->h,
             v->w, v->r, v->s, stride, pad, dilation, c->bias ? " bias" : "");
    snprintf(r->layout, sizeof r->layout, "%.*s", RECORD_TEXT - 1, layout);
    snprintf(r->cache, sizeof r->cache, "%s", state_of(s)->o.warm ? "warm" : "cold");
    if (s->baseline) snprintf(r->baseline, sizeof r->baseline, "%s", conv_baseline_library(is_transformed(s)));
}

static void workload(const session *s, const void *problem, bench_workload *w) {
    const conv_case *c = problem;
    const operand_spec spec = conv_operands(c);
    const device_arithmetic what = c->type == DTYPE_F32 ? DEVICE_FP32 : DEVICE_F16;
    const double again = c->beta != 0.0f ? (double)matrix_element_bytes(&spec.like.c) : 0.0;
    *w = (bench_workload){.flops = shape_flops(conv_shape(c)),
                          .bytes = (double)operand_touched(&spec) + again,
                          .peak = s->device.peak_gflops[what],
                          .peak_per_mhz = device_peak_at(&s->device, what, 1.0),
                          .touched = operand_touched(&spec),
                          .cold_bytes = state_of(s)->o.warm ? 0 : 2 * s->device.l2_bytes,
                          .restores = c->beta != 0.0f,
                          .mode = TIMING_AUTO};
}

/* ---- launches -------------------------------------------------------------------------------------------------- */

/* The workspace is the largest that one of the chosen variants needs: they share it. */
static operand_spec spec_of(const session *s, const void *problem) {
    operand_spec spec = conv_operands(problem);
    const conv_problem p = conv_problem_on(problem, &spec.like);
    size_t largest = 0;
    for (int i = 0; i < s->count; i++) {
        const conv_variant *v = variant_of(&s->variants[i]);
        if (!s->o.chosen[i] || v->workspace == NULL || session_unsupported(s, &s->variants[i]) != NULL) continue;
        const size_t bytes = v->refuses == NULL || v->refuses(&p) == NULL ? v->workspace(&p) : 0;
        if (bytes > largest) largest = bytes;
    }
    spec.like.workspace = operand_workspace(largest);
    return spec;
}

static cudaError_t enqueue(void *context, const operand_set *set, float alpha, float beta, cudaStream_t stream) {
    const bench_launch *l = context;
    conv_problem p = conv_problem_on(l->problem, set);
    p.alpha = alpha;
    p.beta = beta;
    if (l->variant == NULL) return conv_baseline_launch(&state_of(l->session)->baseline, &p, l->number, stream);
    return variant_of(l->variant)->launch(&p, stream);
}

static int count_calls(const session *s, const void *problem) {
    const conv_problem p = conv_problem_of(problem);
    conv_baseline *b = &state_of(s)->baseline;
    const int count = conv_baseline_ask(b, &p, is_transformed(s));
    if (s->o.verbose) printf("    cuDNN: %d plans, %d that cannot be built or need too much\n", count, b->unbuilt);
    return count;
}

static void describe_call(const session *s, int number, bench_call *c) {
    conv_baseline_call(&state_of(s)->baseline, number, c);
}

/* A variant's own bound, or the baseline's, in the place of the usual one. */
static verify_arithmetic arithmetic(const bench_launch *l, verify_arithmetic usual) {
    if (l->variant == NULL) return is_transformed(l->session) ? VERIFY_TRANSFORMED : usual;
    const verify_arithmetic own = variant_of(l->variant)->bound;
    return own != 0 ? own : usual;
}

/* ---- */

#define SIDE(name, value)                                                                                              \
    static double name(const session *s, const record *r) {                                                            \
        return state_of(s)->latest.value;                                                                              \
    }
SIDE(side_n, seen.n)
SIDE(side_c, seen.c)
SIDE(side_h, seen.h)
SIDE(side_w, seen.w)
SIDE(side_k, k)
SIDE(side_r, seen.r)
SIDE(side_s, seen.s)
SIDE(side_stride, seen.stride[0])

#define FIELD(name) offsetof(record, name)
static const bench_column sizes[] = {
    {"n", 5, 0, COLUMN_NUMBER, 0, 1.0, side_n},
    {"c", 5, 0, COLUMN_NUMBER, 0, 1.0, side_c},
    {"h", 5, 0, COLUMN_NUMBER, 0, 1.0, side_h},
    {"w", 5, 0, COLUMN_NUMBER, 0, 1.0, side_w},
    {"k", 5, 0, COLUMN_NUMBER, 0, 1.0, side_k},
    {"r", 3, 0, COLUMN_NUMBER, 0, 1.0, side_r},
    {"s", 3, 0, COLUMN_NUMBER, 0, 1.0, side_s},
    {"stride", 6, 0, COLUMN_NUMBER, 0, 1.0, side_stride},
    {0},
};
static const bench_column columns[] = {
    {"ms", 10, 4, COLUMN_NUMBER, FIELD(ms_median), 1.0, NULL},
    {"TFLOP/s", 8, 2, COLUMN_NUMBER, FIELD(gflops), 1e-3, NULL},
    {"peak", 5, 0, COLUMN_PERCENT, FIELD(peak_share), 1.0, NULL},
    {"ratio (min-max)", 21, 0, COLUMN_RATIO, FIELD(ratio), 1.0, NULL},
    {0},
};

static const bench_family family = {.op = "conv",
                                    .noun = "variant",
                                    .state_size = sizeof(conv_state),
                                    .problem_size = sizeof(conv_case),
                                    .sizes = sizes,
                                    .columns = columns,
                                    .variant = variant,
                                    .options = add_options,
                                    .open = open_family,
                                    .close = close_family,
                                    .header = header,
                                    .problems = add_problems,
                                    .format = format,
                                    .record = fill_record,
                                    .workload = workload,
                                    .refuses = refuses,
                                    .matrices = {spec_of, enqueue, arithmetic},
                                    .baseline = {count_calls, describe_call}};

int conv_step_main(int argc, char **argv, const char *step, const conv_variant *variants, int count) {
    return bench_main(argc, argv, step, &family, variants, count, NULL);
}
