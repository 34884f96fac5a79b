#include "conv/conv_options.h"

#include "conv/conv_cases.h"

/* If nothing is given: a layer of ResNet-50; in the simulator a small one of its kind. */
#define DEFAULT_N          64
#define DEFAULT_C          64
#define DEFAULT_H          56
#define DEFAULT_K          64
#define SIMULATED_N        2
#define SIMULATED_C        16
#define SIMULATED_H        14
#define SIMULATED_K        64
#define SIMULATED_MAX_SIZE 140 /* --max-size of --sweep check in the simulator */

#define DEFAULTS(name)                                                                                                 \
    " (default " OPTIONS_QUOTE(DEFAULT_##name) ", in the simulator " OPTIONS_QUOTE(SIMULATED_##name) ")"

#define FIELD(name) offsetof(conv_options, name)
#define SIDE(name)  FIELD(what.seen.name)

static const char *const layouts[] = {"nchw", "nhwc", NULL}, *const dtypes[] = {"f32", "f16", "bf16", NULL};

static const char *const baselines[] = {"direct", "transformed", NULL};

static const option table[] = {
    {"n", "N", OPTION_SIZE, SIDE(n), "images of x and y" DEFAULTS(N), NULL},
    {"c", "N", OPTION_SIZE, SIDE(c), "channels of x" DEFAULTS(C), NULL},
    {"h", "N", OPTION_SIZE, SIDE(h), "rows of an image of x" DEFAULTS(H), NULL},
    {"w", "N", OPTION_SIZE, SIDE(w), "columns of an image of x (default: h)", NULL},
    {"k", "N", OPTION_SIZE, FIELD(what.k), "filters, channels of y" DEFAULTS(K), NULL},
    {"r", "N", OPTION_POSITIVE, SIDE(r), "rows of a filter (default 3)", NULL},
    {"s", "N", OPTION_POSITIVE, SIDE(s), "columns of a filter (default: r)", NULL},
    {"stride", "N", OPTION_POSITIVE, SIDE(stride[0]), "pixels from one place of a filter to the next (default 1)",
     NULL},
    {"stride-w", "N", OPTION_POSITIVE, SIDE(stride[1]), "the same across, where it differs (default: --stride)", NULL},
    {"pad", "N", OPTION_SIZE, SIDE(pad[0]),
     "zeros around an image on each side (default: half the filter, which keeps the size)", NULL},
    {"pad-w", "N", OPTION_SIZE, SIDE(pad[1]), "the same left and right, where it differs (default: --pad)", NULL},
    {"dilation", "N", OPTION_POSITIVE, SIDE(dilation[0]), "pixels from one tap of a filter to the next (default 1)",
     NULL},
    {"dilation-w", "N", OPTION_POSITIVE, SIDE(dilation[1]), "the same across, where it differs (default: --dilation)",
     NULL},
    {"bias", NULL, OPTION_FLAG, FIELD(what.bias), "add a number to each channel of y", NULL},
    {"layout", "NAME", OPTION_CHOICE, FIELD(layout), "of x and y; of filters, kcrs or krsc", layouts},
    {"dtype", "TYPE", OPTION_CHOICE, FIELD(dtype), "what x, f, y and bias hold", dtypes},
    {"alpha", "X", OPTION_SCALAR, FIELD(what.alpha), "y = alpha*conv(x, f) + beta*y + bias (default 1)", NULL},
    {"beta", "X", OPTION_SCALAR, FIELD(what.beta), "with 0, y is written and never read (default 0)", NULL},
    {"misalign", "N", OPTION_SIZE, FIELD(what.misalign),
     "operands begin N elements (up to 63) beyond an aligned address", NULL},
    {"warm", NULL, OPTION_FLAG, FIELD(warm), "leave the operands in the L2 cache between launches (default: cold)",
     NULL},
    {"no-baseline", NULL, OPTION_FLAG, FIELD(no_baseline), "do not time the baseline", NULL},
    {"baseline", "KIND", OPTION_CHOICE, FIELD(baseline),
     "compare with cuDNN's fastest engine that multiplies as it is defined, or that goes by Winograd or FFT",
     baselines},
    {0},
};

static const option_rule rules[] = {
    {"n c h w k r s stride stride-w pad pad-w dilation dilation-w misalign", RULE_CONTRADICTS, "sweep",
     "which chooses the layers"},
    {"bias alpha beta warm no-baseline baseline", RULE_CONTRADICTS, "sweep check",
     "which chooses the scalars and times nothing"},
    {"no-baseline", RULE_CONTRADICTS, "baseline", NULL},
    {"misalign", RULE_CONTRADICTS, "csv", "which has no column for it"},
    {0},
};

/* The second of a pair is like the first where it was not given. */
static void complete_pair(const option_parse *p, const char *second, int pair[2]) {
    if (!options_given(p, second)) pair[1] = pair[0];
}

static bool complete(const option_parse *p, const options *common, void *values) {
    conv_options *o = values;
    windows *v = &o->what.seen;
    const bool small = common->simulate, pad = options_given(p, "pad");
    if (!options_given(p, "n")) v->n = small ? SIMULATED_N : DEFAULT_N;
    if (!options_given(p, "c")) v->c = small ? SIMULATED_C : DEFAULT_C;
    if (!options_given(p, "h")) v->h = small ? SIMULATED_H : DEFAULT_H;
    if (!options_given(p, "k")) o->what.k = small ? SIMULATED_K : DEFAULT_K;
    if (!options_given(p, "w")) v->w = v->h;
    if (!options_given(p, "s")) v->s = v->r;
    complete_pair(p, "stride-w", v->stride);
    complete_pair(p, "dilation-w", v->dilation);
    if (!pad) v->pad[0] = (int)((int64_t)(v->r - 1) * v->dilation[0] / 2);
    if (!options_given(p, "pad-w")) v->pad[1] = pad ? v->pad[0] : (int)((int64_t)(v->s - 1) * v->dilation[1] / 2);
    v->nhwc = strcmp(o->layout, "nhwc") == 0;
    dtype_named(o->dtype, &o->what.type);
    o->layout_given = options_given(p, "layout");
    o->dtype_given = options_given(p, "dtype");
    if (o->what.misalign > 63) return options_fail(p, "--misalign %d: more than 63", o->what.misalign);
    if (common->sweep == SWEEP_RANDOM && common->random.max > CONV_RANDOM_MAX)
        return options_fail(p, "--max %d: more than %d", common->random.max, CONV_RANDOM_MAX);
    const char *large = conv_case_complete(&o->what);
    return large == NULL || options_fail(p, "%s is more than %d", large, OPTIONS_MAX_SIZE);
}

void conv_options_program(options_program *p, conv_options *o) {
    static const char *const sweeps[] = {"networks", "square", "odd", "random", "check", NULL};
    *o = (conv_options){.what = {.seen = {.r = 3, .stride = {1, 1}, .dilation = {1, 1}}, .alpha = 1.0f},
                        .layout = layouts[0],
                        .dtype = dtypes[0],
                        .baseline = baselines[0]};
    p->summary = "Verifies each variant's result, then times the variant against the baseline.";
    p->noun = "variant";
    p->sweeps = sweeps;
    p->simulated_max_size = SIMULATED_MAX_SIZE;
    p->table = table;
    p->rules = rules;
    p->values = o;
    p->complete = complete;
}
