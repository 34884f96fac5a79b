#include "gemm/gemm_options.h"

#include <math.h>
#include <stdlib.h>

/* m = n = k if nothing is given, and --max-size of --sweep check, in the simulator. */
#define DEFAULT_SIZE       2048
#define SIMULATED_SIZE     512
#define SIMULATED_MAX_SIZE 200

#define FIELD(name) offsetof(gemm_options, name)

/* Help texts that depend on the offer, filled in for each program. */
static const option rows[] = {
    {"size", "N", OPTION_SIZE, FIELD(size),
     "m = n = k = N (default " OPTIONS_QUOTE(DEFAULT_SIZE) ", in the simulator " OPTIONS_QUOTE(
         SIMULATED_SIZE) "); --m, --n and --k override it",
     NULL},
    {"m", "N", OPTION_SIZE, FIELD(m), "rows of A and C (default: --size)", NULL},
    {"n", "N", OPTION_SIZE, FIELD(n), "columns of B and C (default: --size)", NULL},
    {"k", "N", OPTION_SIZE, FIELD(k), "columns of A, rows of B (default: --size)", NULL},
    {"lda", "N", OPTION_SIZE, FIELD(lda), "leading dimension of A, in elements (default: k)", NULL},
    {"ldb", "N", OPTION_SIZE, FIELD(ldb), "leading dimension of B, in elements (default: n; k in layout tn)", NULL},
    {"ldc", "N", OPTION_SIZE, FIELD(ldc), "leading dimension of C, in elements (default: n)", NULL},
    {"misalign", "N", OPTION_SIZE, FIELD(misalign), "A, B and C begin N elements (up to 63) beyond an aligned address",
     NULL},
    {"alpha", "X", OPTION_SCALAR, FIELD(alpha), "C = alpha*A*B + beta*C (default 1)", NULL},
    {"beta", "X", OPTION_SCALAR, FIELD(beta), "with 0, C is written and never read (default 0)", NULL},
    {"dtype", "TYPE", OPTION_CHOICE, FIELD(dtype), "what A and B hold", NULL},
    {"layout", "NAME", OPTION_CHOICE, FIELD(layout), "row-major A, and B row-major (nn) or column-major (tn)", NULL},
    {"out", "TYPE", OPTION_TEXT, FIELD(out), NULL, NULL},
    {"warm", NULL, OPTION_FLAG, FIELD(warm), "leave the operands in the L2 cache between launches (default: cold)",
     NULL},
    {"chain", NULL, OPTION_FLAG, FIELD(chain),
     "time launches back to back, operands in the L2 cache (default: apart, cold)", NULL},
    {"sustained", "S", OPTION_SECONDS, FIELD(sustained_s),
     "also measure for S seconds under continuous load; the second half counts, and the baseline is the call that won "
     "the short measurements (default: no)",
     NULL},
    {"no-baseline", NULL, OPTION_OFF, FIELD(baseline), "do not time the baseline", NULL},
    {"show", "NAME", OPTION_CHOICE, FIELD(show), "show how something works, and stop", NULL},
};

static const option_rule rules[] = {
    {"size m n k lda ldb ldc misalign", RULE_CONTRADICTS, "sweep", "which chooses the shapes"},
    {"alpha beta warm chain sustained no-baseline", RULE_CONTRADICTS, "sweep check",
     "which chooses the scalars and times nothing"},
    {"chain", RULE_CONTRADICTS, "sustained", "whose launches are cold"},
    {"lda ldb ldc misalign", RULE_CONTRADICTS, "csv", "which has no column for it"},
    {0},
};

static bool check_leading(const option_parse *p, const char *name, int ld, const char *side_name, int side) {
    if (!options_given(p, name) || (ld >= 1 && ld >= side)) return true;
    if (side < 1) return options_fail(p, "--%s %d: less than 1", name, ld);
    return options_fail(p, "--%s %d: less than %s = %d", name, ld, side_name, side);
}

static bool check_whole(const option_parse *p, const char *name, float x) {
    if (x != truncf(x))
        return options_fail(p, "--%s: '%g' is not an integer, which --dtype s8 requires", name, (double)x);
    return fabsf(x) <= GEMM_MAX_WHOLE ||
           options_fail(p, "--%s: '%g' is out of range (--dtype s8: at most %d)", name, (double)x, GEMM_MAX_WHOLE);
}

/* The types C may have, by name; NULL-terminated. */
static void list_outs(gemm_type type, const char *names[3]) {
    dtype outs[2];
    const int count = gemm_outs(type, outs);
    for (int i = 0; i < count; i++) names[i] = dtype_name(outs[i]);
    names[count] = NULL;
}

static bool complete_out(const option_parse *p, gemm_options *o) {
    const char *names[3];
    int type = 0;
    if (o->offer == NULL) return true;
    while (strcmp(o->dtypes[type], o->dtype) != 0) type++;
    list_outs(o->offer->types[type], names);
    o->out = o->out_given ? options_choice(p, "out", o->out, names) : names[0];
    return o->out != NULL;
}

static bool complete(const option_parse *p, const options *common, void *values) {
    gemm_options *o = values;
    const int side = options_given(p, "size") ? o->size : common->simulate ? SIMULATED_SIZE : DEFAULT_SIZE;
    const bool tn = strcmp(o->layout, "tn") == 0;
    if (!options_given(p, "m")) o->m = side;
    if (!options_given(p, "n")) o->n = side;
    if (!options_given(p, "k")) o->k = side;
    o->dtype_given = options_given(p, "dtype");
    o->layout_given = options_given(p, "layout");
    o->out_given = options_given(p, "out");
    if (!check_leading(p, "lda", o->lda, "k", o->k) ||
        !check_leading(p, "ldb", o->ldb, tn ? "k" : "n", tn ? o->k : o->n) ||
        !check_leading(p, "ldc", o->ldc, "n", o->n) || !complete_out(p, o))
        return false;
    if (o->misalign > 63) return options_fail(p, "--misalign %d: more than 63", o->misalign);
    if (strcmp(o->dtype, "s8") == 0 && (!check_whole(p, "alpha", o->alpha) || !check_whole(p, "beta", o->beta)))
        return false;
    return (o->sustained_s == 0.0 && !o->chain) || o->beta == 0.0f ||
           options_fail(p, "--%s: needs --beta 0, as C is not restored between launches",
                        o->chain ? "chain" : "sustained");
}

/* "what C holds: of f16: f16 (default), f32; of s8: s32" */
static void explain_out(gemm_options *o) {
    FILE *f = fmemopen(o->out_help, sizeof o->out_help, "w");
    if (f == NULL) return;
    fputs("what C holds", f);
    for (int i = 0; i < o->offer->type_count; i++) {
        const char *names[3];
        list_outs(o->offer->types[i], names);
        fprintf(f, "%s of %s: %s", i == 0 ? ":" : ";", o->dtypes[i], names[0]);
        if (names[1] != NULL) fprintf(f, " (default), %s", names[1]);
    }
    fclose(f);
}

static void list_offer(gemm_options *o, const gemm_offer *offer) {
    if (offer->type_count > GEMM_MAX_TYPES || offer->layout_count > GEMM_MAX_LAYOUTS ||
        offer->show_count > GEMM_MAX_SHOWS)
        abort(); /* gemm_options.h: more room */
    for (int i = 0; i < offer->type_count; i++) o->dtypes[i] = gemm_type_name(offer->types[i]);
    for (int i = 0; i < offer->layout_count; i++) o->layouts[i] = gemm_layout_name(offer->layouts[i]);
    for (int i = 0; i < offer->show_count; i++) o->shows[i] = offer->shows[i].name;
    o->offer = offer;
    explain_out(o);
}

void gemm_options_program(options_program *p, gemm_options *o, const gemm_offer *offer) {
    static const char *const sweeps[] = {"square", "article", "odd", "random", "check", NULL};
    *o = (gemm_options){.alpha = 1.0f, .baseline = true, .dtypes = {"f32"}, .layouts = {"nn"}};
    if (offer != NULL) list_offer(o, offer);
    o->dtype = o->dtypes[0];
    o->layout = o->layouts[0];
    int count = 0;
    for (int i = 0; i < ARRAY_SIZE(rows); i++) {
        option *row = &o->table[count];
        *row = rows[i];
        if (row->field == FIELD(dtype)) row->choices = o->dtypes;
        if (row->field == FIELD(layout)) row->choices = o->layouts;
        if (row->field == FIELD(show) && o->shows[0] != NULL) row->choices = o->shows;
        if (row->field == FIELD(out)) row->help = o->out_help;
        count += row->field != FIELD(out) || offer != NULL;
    }
    o->table[count] = (option){0};
    p->summary = "Verifies each variant's result, then times the variant against the baseline.";
    p->noun = "variant";
    p->sweeps = sweeps;
    p->simulated_max_size = SIMULATED_MAX_SIZE;
    p->table = o->table;
    p->rules = rules;
    p->values = o;
    p->complete = complete;
}
