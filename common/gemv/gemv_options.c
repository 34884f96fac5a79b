#include "gemv/gemv_options.h"

/* n = k if nothing is given, and --max-size of --sweep check, in the simulator. */
#define DEFAULT_SIZE       4096
#define SIMULATED_SIZE     512
#define SIMULATED_MAX_SIZE 300

#define FIELD(name) offsetof(gemv_options, name)

static const char *const dtypes[] = {"f16", "bf16", "f32", NULL};

static const option table[] = {
    {"size", "N", OPTION_SIZE, FIELD(size),
     "n = k = N (default " OPTIONS_QUOTE(DEFAULT_SIZE) ", in the simulator " OPTIONS_QUOTE(
         SIMULATED_SIZE) "); --n and --k override it",
     NULL},
    {"n", "N", OPTION_SIZE, FIELD(n), "rows of A, elements of y (default: --size)", NULL},
    {"k", "N", OPTION_SIZE, FIELD(k), "columns of A, elements of x (default: --size)", NULL},
    {"lda", "N", OPTION_SIZE, FIELD(lda), "leading dimension of A, in elements (default: k)", NULL},
    {"alpha", "X", OPTION_SCALAR, FIELD(alpha), "y = alpha*A*x + beta*y (default 1)", NULL},
    {"beta", "X", OPTION_SCALAR, FIELD(beta), "with 0, y is written and never read (default 0)", NULL},
    {"dtype", "TYPE", OPTION_CHOICE, FIELD(dtype), "what A, x and y hold", dtypes},
    {"warm", NULL, OPTION_FLAG, FIELD(warm), "leave the operands in the L2 cache between launches (default: cold)",
     NULL},
    {"no-baseline", NULL, OPTION_OFF, FIELD(baseline), "do not time the baseline", NULL},
    {"graph", NULL, OPTION_FLAG, FIELD(graph),
     "time a chain of launches, without and with programmatic dependent launch", NULL},
    {"pdl", NULL, OPTION_FLAG, FIELD(pdl),
     "launch our kernels (not cuBLAS's) with programmatic dependent launch (sm_90 and newer)", NULL},
    {"candidate", "NAME", OPTION_TEXT, FIELD(candidate),
     "launch this one of a variant's candidates, which --list --verbose names (default: search for the fastest)", NULL},
    {"retune", NULL, OPTION_FLAG, FIELD(retune), "search for the best candidates again, tuned or not", NULL},
    {"no-tune", NULL, OPTION_OFF, FIELD(tune), "do not search: use the candidate of the nearest tuned shape", NULL},
    {"tune-file", "FILE", OPTION_OUTPUT, FIELD(tune_file),
     "keep what was tuned in FILE (default: gemv.tune in the user's cache folder)", NULL},
    {"tune-csv", "FILE", OPTION_OUTPUT, FIELD(tune_csv), "append every candidate's time to FILE as CSV (default: none)",
     NULL},
    {0},
};

static const option_rule rules[] = {
    {"size n k lda", RULE_CONTRADICTS, "sweep", "which chooses the shapes"},
    {"alpha beta warm no-baseline graph pdl candidate retune no-tune tune-file tune-csv", RULE_CONTRADICTS,
     "sweep check", "which chooses the scalars and times nothing"},
    {"lda", RULE_CONTRADICTS, "csv", "which has no column for it"},
    {"lda alpha beta", RULE_CONTRADICTS, "tune-csv", "which has no column for it"},
    {"candidate", RULE_CONTRADICTS, "csv", "which has no column for it"},
    {"retune no-tune tune-file tune-csv", RULE_CONTRADICTS, "candidate", "which leaves nothing to search for"},
    {"retune tune-csv", RULE_CONTRADICTS, "no-tune", "which searches nothing"},
    {"graph pdl", RULE_CONTRADICTS, "sweep article", "which times single launches"},
    {"pdl alpha beta", RULE_CONTRADICTS, "graph", "which chooses the launches and the scalars"},
    {0},
};

static bool complete(const option_parse *p, const options *common, void *values) {
    gemv_options *o = values;
    const int side = options_given(p, "size") ? o->size : common->simulate ? SIMULATED_SIZE : DEFAULT_SIZE;
    if (!options_given(p, "n")) o->n = side;
    if (!options_given(p, "k")) o->k = side;
    if (options_given(p, "lda") && (o->lda < 1 || o->lda < o->k))
        return o->k < 1 ? options_fail(p, "--lda %d: less than 1", o->lda)
                        : options_fail(p, "--lda %d: less than k = %d", o->lda, o->k);
    return o->tune_csv == NULL || !common->simulate ||
           options_fail(p, "--tune-csv: there is no search in the simulator, whose times are not a GPU's");
}

void gemv_options_program(options_program *p, gemv_options *o) {
    static const char *const sweeps[] = {"square", "article", "odd", "random", "check", NULL};
    *o = (gemv_options){.alpha = 1.0f, .dtype = dtypes[0], .baseline = true, .tune = true};
    p->summary = "Verifies each variant's result, then times the variant against the baseline.";
    p->noun = "variant";
    p->sweeps = sweeps;
    p->simulated_max_size = SIMULATED_MAX_SIZE;
    p->table = table;
    p->rules = rules;
    p->values = o;
    p->complete = complete;
}
