/* The command line. Values are stored as they are read; what depends on several options is checked when all of them
 * are read, so that their order does not matter. */
#include "bench/options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/suggest.h"
#include "base/version.h"
#include "bench/option_parse.h"

/* getopt_long's value of an option is its row above every character, so that optopt tells the two apart. */
enum { CODE_BASE = 256, CODE_POSITIONAL = 1 };

enum { HELP_COLUMNS = 100, HELP_INDENT = 24 };

#define FIELD(name) offsetof(options, name)

/* --count and --max of --sweep random, and in the simulator. */
#define RANDOM_COUNT           60
#define RANDOM_MAX             8192
#define RANDOM_SIMULATED_COUNT 10
#define RANDOM_SIMULATED_MAX   200

static const char *const spreads[] = {"uniform", "log", NULL};

static const option common_table[] = {
    {"variant", "NAME", OPTION_VARIANT, 0, NULL, NULL},
    {"list", NULL, OPTION_FLAG, FIELD(list), "list them, or the problems of --sweep, and stop", NULL},
    {"verbose", NULL, OPTION_FLAG, FIELD(verbose), "say more; with --list: registers, shared memory, occupancy", NULL},
    {"sweep", "KIND", OPTION_SWEEP, FIELD(sweep), "run a list of problems (check only verifies)", NULL},
    {"verify-only", NULL, OPTION_FLAG, FIELD(verify), "only verify a sweep's problems, and time nothing", NULL},
    {"max-size", "N", OPTION_INT, FIELD(max_size), NULL, NULL},
    {"every", "N", OPTION_POSITIVE, FIELD(every), "take every Nth problem of --sweep check (default 1)", NULL},
    {"count", "N", OPTION_POSITIVE, FIELD(random.count),
     "--sweep random: draw N shapes by --seed (default " OPTIONS_QUOTE(
         RANDOM_COUNT) ", in the simulator " OPTIONS_QUOTE(RANDOM_SIMULATED_COUNT) ")",
     NULL},
    {"max", "N", OPTION_SIZE, FIELD(random.max),
     "--sweep random: sides up to N (default " OPTIONS_QUOTE(RANDOM_MAX) ", in the simulator " OPTIONS_QUOTE(
         RANDOM_SIMULATED_MAX) ")",
     NULL},
    {"spread", "NAME", OPTION_CHOICE, FIELD(random.spread), "--sweep random: what is uniform, a side or its logarithm",
     spreads},
    {"multiple", "M", OPTION_POSITIVE, FIELD(random.multiple),
     "--sweep random: every side is a multiple of M (default 1)", NULL},
    {"seed", "N", OPTION_SEED, FIELD(seed), "seed of the data's generator (default 1)", NULL},
    {"device", "N", OPTION_INT, FIELD(device), "CUDA device (default 0)", NULL},
    {"sim", NULL, OPTION_FLAG, FIELD(simulate), "run in the simulator, on the CPU (the default without a GPU)", NULL},
    {"sim-device", "NAME", OPTION_CHOICE, FIELD(sim_device), "the same, as a GPU of this kind", simulator_devices},
    {"no-check", NULL, OPTION_FLAG, FIELD(watch.unchecked), "in the simulator: do not look for mistakes of the kernels",
     NULL},
    {"leak-check", NULL, OPTION_FLAG, FIELD(watch.leak_check),
     "in the simulator: device memory that is not freed in the end is a mistake, too", NULL},
    {"counters", "FORM", OPTION_FORM, FIELD(watch.counters),
     "the same, and count what the kernels do, as Nsight Compute does", simulator_counters},
    {"counters-csv", "FILE", OPTION_OUTPUT, FIELD(watch.counters_csv), "the same, and write the counts to FILE as CSV",
     NULL},
    {"predict", NULL, OPTION_FLAG, FIELD(watch.predict),
     "the same, but run no kernel (with --sim they run, too): how long each would take on an H200, by a model", NULL},
    {"why", NULL, OPTION_FLAG, FIELD(watch.why), "as --predict, and which unit bounds which part of a block", NULL},
    {"trace", "FILE", OPTION_OUTPUT, FIELD(watch.trace),
     "the same, and write what ran when, in order, to FILE, which Perfetto opens", NULL},
    {"trace-blocks", "N", OPTION_POSITIVE, FIELD(watch.trace_blocks),
     "of the first N blocks of each launch (default 2)", NULL},
    {"explain", "METRIC", OPTION_TEXT, FIELD(watch.explain), "say what a metric of --counters is and stop", NULL},
    {"time", "S", OPTION_SECONDS, FIELD(time_s), "seconds that a measurement may take (default 0.5)", NULL},
    {"csv", "FILE", OPTION_OUTPUT, FIELD(csv),
     "append the results to FILE as CSV, - being standard output (default: none)", NULL},
    {"resume", NULL, OPTION_FLAG, FIELD(resume), "skip what the --csv file already holds", NULL},
    {"version", NULL, OPTION_VERSION, 0, "print the version and stop", NULL},
    {"help", NULL, OPTION_HELP, 0, "print this and stop (also -h)", NULL},
};

static const options common_defaults = {.first = -1,
                                        .max_size = INT_MAX,
                                        .every = 1,
                                        .random = {RANDOM_COUNT, RANDOM_MAX, 1, "uniform"},
                                        .seed = 1,
                                        .time_s = 0.5};

/* Options that stand alone, and all that may stand beside each. */
static const struct {
    const char *name, *beside, *because;
} alone[] = {
    {"list", "variant verbose dtype layout device sim sim-device sweep count max spread multiple seed",
     "which runs nothing"},
    {"explain", "sim sim-device", "which runs nothing"},
    {"show", "device sim sim-device no-check leak-check counters counters-csv predict trace trace-blocks",
     "which runs no variant"},
};

static const option_rule common_rules[] = {
    {"every", RULE_NEEDS, "sweep check", NULL},
    {"max-size verify-only", RULE_NEEDS, "sweep", NULL},
    {"trace-blocks", RULE_NEEDS, "trace", NULL},
    {"time csv resume", RULE_CONTRADICTS, "sweep check", "which times nothing"},
    {"time csv resume", RULE_CONTRADICTS, "verify-only", "which times nothing"},
    {"resume", RULE_NEEDS, "csv", NULL},
    {"trace-blocks", RULE_CONTRADICTS, "predict", "which traces one block"},
    {"trace-blocks", RULE_CONTRADICTS, "why", "which traces one block"},
    {"predict why", RULE_CONTRADICTS, "sweep check", "which verifies results"},
    {"predict why", RULE_CONTRADICTS, "verify-only", "which verifies results"},
    {0},
};

/* Where nothing runs but the model. */
static const option_rule predict_rules[] = {
    {"counters counters-csv leak-check", RULE_CONTRADICTS, "predict", "which runs no kernel without --sim"},
    {"counters counters-csv leak-check", RULE_CONTRADICTS, "why", "which runs no kernel without --sim"},
    {0},
};

/* Of the programs that have it. */
static const option_rule random_rules[] = {
    {"count max spread multiple", RULE_NEEDS, "sweep random", NULL},
    {"max-size", RULE_CONTRADICTS, "sweep random", "whose sides end at --max"},
    {0},
};

static const char *const sweep_names[] = {
    [SWEEP_NONE] = "none", [SWEEP_SQUARE] = "square", [SWEEP_ARTICLE] = "article", [SWEEP_NETWORKS] = "networks",
    [SWEEP_ODD] = "odd",   [SWEEP_RANDOM] = "random", [SWEEP_CHECK] = "check",
};

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static void *field(const option_row *r) {
    return r->values + r->option.field;
}

/* `name` ends after `length` characters. NULL: the program has no such option. */
static option_row *find(const option_parse *p, const char *name, size_t length) {
    for (int i = 0; i < p->count; i++) {
        const char *known = p->rows[i].option.name;
        if (strncmp(known, name, length) == 0 && known[length] == '\0') return &p->rows[i];
        if (p->rows[i].option.kind == OPTION_VARIANT && length == strlen("variant") &&
            strncmp(name, "variant", length) == 0)
            return &p->rows[i];
    }
    return NULL;
}

bool options_given(const option_parse *p, const char *name) {
    const option_row *r = find(p, name, strlen(name));
    return r != NULL && r->given;
}

static void add_row(option_parse *p, const option *what, void *values) {
    const bool choice = what->kind == OPTION_CHOICE;
    option_row *r = &p->rows[p->count];
    if ((choice || what->kind == OPTION_SWEEP) && what->choices == NULL) return;
    const int argument = what->kind == OPTION_FORM ? optional_argument : required_argument;
    *r = (option_row){.option = *what, .values = values};
    if (choice) r->initial = *(const char **)field(r);
    p->long_options[p->count] =
        (struct option){what->name, what->argument != NULL ? argument : no_argument, NULL, CODE_BASE + p->count};
    p->count++;
}

/* What the common options are called, say and take in this program. */
static void adapt(option_parse *p, option *what) {
    const options_program *program = p->program;
    const char *noun = program->noun;
    if (what->kind == OPTION_VARIANT) {
        snprintf(p->variant_help, OPTION_HELP_TEXT, "run this %s%s; may be repeated (default: all)", noun,
                 strcmp(noun, what->name) != 0 ? " (also --variant)" : "");
        what->name = noun;
        what->help = p->variant_help;
        what->choices = p->variants;
    } else if (what->kind == OPTION_SWEEP) {
        what->choices = program->sweeps;
    } else if (what->field == FIELD(max_size)) {
        snprintf(p->max_size_help, OPTION_HELP_TEXT,
                 "leave out a sweep's problems with a side above N (default: no limit; check in the simulator: %d)",
                 program->simulated_max_size);
        what->help = p->max_size_help;
    }
}

static bool has_random(const options_program *program) {
    const char *const *name = program->sweeps;
    while (name != NULL && *name != NULL && strcmp(*name, "random") != 0) name++;
    return name != NULL && *name != NULL;
}

static bool create_rows(option_parse *p) {
    const options_program *program = p->program;
    int own = 0;
    while (program->table != NULL && program->table[own].name != NULL) own++;
    p->rows = calloc((size_t)own + ARRAY_SIZE(common_table), sizeof *p->rows);
    p->long_options = calloc((size_t)own + ARRAY_SIZE(common_table) + 2, sizeof *p->long_options);
    p->variants = calloc((size_t)program->variant_count + 1, sizeof *p->variants);
    p->o->chosen = calloc((size_t)program->variant_count + 1, sizeof *p->o->chosen);
    if (p->rows == NULL || p->long_options == NULL || p->variants == NULL || p->o->chosen == NULL)
        return options_fail(p, "out of memory");
    for (int i = 0; i < program->variant_count; i++) p->variants[i] = program->variants[i];
    for (int i = 0; i < own; i++) add_row(p, &program->table[i], program->values);
    for (int i = 0; i < ARRAY_SIZE(common_table); i++) {
        option what = common_table[i];
        const bool of_sweeps = what.field == FIELD(max_size) || what.field == FIELD(every);
        const bool of_random = what.field >= FIELD(random) && what.field < FIELD(random) + sizeof(random_sweep);
        if ((of_sweeps && program->sweeps == NULL) || (of_random && !has_random(program))) continue;
        adapt(p, &what);
        add_row(p, &what, p->o);
    }
    /* "--variant" is always known. */
    p->long_options[p->count] =
        (struct option){"variant", required_argument, NULL, CODE_BASE + (int)(find(p, "variant", 7) - p->rows)};
    return true;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static bool read_sweep(const option_parse *p, const option_row *r, const char *text) {
    const char *name = options_choice(p, r->option.name, text, r->option.choices);
    sweep_kind *kind = field(r);
    if (name == NULL) return false;
    *kind = SWEEP_SQUARE;
    while (strcmp(sweep_names[*kind], name) != 0) ++*kind;
    return true;
}

static bool read_variant(const option_parse *p, const option_row *r, const char *text) {
    options *o = p->o;
    const char *name = options_choice(p, r->option.name, text, p->variants);
    if (name == NULL) return false;
    int i = 0;
    while (p->variants[i] != name) i++;
    if (!o->variant_given) o->first = i;
    o->variant_given = o->chosen[i] = true;
    return true;
}

static bool read_option(option_parse *p, option_row *r, const char *text) {
    r->given = true;
    if (r->option.kind == OPTION_SWEEP) return read_sweep(p, r, text);
    if (r->option.kind == OPTION_VARIANT) return read_variant(p, r, text);
    return option_value_read(p, &r->option, text, field(r));
}

/* What begins an unknown option's name with the same characters, or is close to it. */
static bool reject_name(const option_parse *p, const char *argument) {
    const int length = (int)strcspn(argument, "=");
    char *name = strndup(argument + 2, (size_t)length - 2);
    const char **known = calloc((size_t)p->count + 1, sizeof *known), *nearest;
    int matches = 0;
    if (name == NULL || known == NULL) {
        free(name);
        free(known);
        return options_fail(p, "out of memory");
    }
    for (int i = 0; i < p->count && *name != '\0'; i++)
        if (strncmp(p->rows[i].option.name, name, strlen(name)) == 0) known[matches++] = p->rows[i].option.name;
    if (matches > 0) {
        char *candidates = option_join(known, NULL);
        options_fail(p, "%.*s: ambiguous option (%s)", length, argument, candidates != NULL ? candidates : "");
        free(candidates);
    } else {
        for (int i = 0; i < p->count; i++) known[i] = p->rows[i].option.name;
        nearest = suggest(name, known);
        options_fail(p, "%.*s: unknown option%s%s%s (see --help)", length, argument,
                     nearest != NULL ? ": did you mean --" : "", nearest != NULL ? nearest : "",
                     nearest != NULL ? "?" : "");
    }
    free(name);
    free(known);
    return false;
}

/* What is no option, or none of ours, or lacks its argument or has one too many. */
static bool reject(const option_parse *p, int code, const char *argument) {
    const char *name = optopt >= CODE_BASE ? p->rows[optopt - CODE_BASE].option.name : NULL;
    if (code == CODE_POSITIONAL) return options_fail(p, "'%s': unexpected argument (see --help)", argument);
    if (code == ':') return options_fail(p, "--%s: its argument is missing", name);
    if (name != NULL) return options_fail(p, "--%s: takes no argument", name);
    if (optopt != 0) return options_fail(p, "-%c: unknown option (see --help)", optopt);
    return reject_name(p, argument);
}

/* ---- rules ----------------------------------------------------------------------------------------------------- */

/* "name": it was given; "name value": that is its value, given or not. */
static bool holds(const option_parse *p, const char *condition) {
    const size_t length = strcspn(condition, " ");
    const option_row *r = find(p, condition, length);
    if (r == NULL || condition[length] == '\0') return r != NULL && r->given;
    const char *value =
        r->option.kind == OPTION_SWEEP ? sweep_names[*(sweep_kind *)field(r)] : *(const char **)field(r);
    return value != NULL && strcmp(value, condition + length + 1) == 0;
}

/* The next of the names at *list that was given; NULL: there is none. */
static const option_row *next_given(const option_parse *p, const char **list) {
    while (**list != '\0') {
        const size_t length = strcspn(*list, " ");
        const option_row *r = find(p, *list, length);
        *list += length + ((*list)[length] == ' ');
        if (r != NULL && r->given) return r;
    }
    return NULL;
}

/* No file is written that another option names, too. */
static bool check_files(const option_parse *p) {
    for (int i = 0; i < p->count; i++) {
        const option_row *r = &p->rows[i];
        if (r->option.kind != OPTION_OUTPUT || !r->given) continue;
        for (int j = 0; j < p->count; j++) {
            const option_row *other = &p->rows[j];
            const bool file = other->option.kind == OPTION_FILE || other->option.kind == OPTION_OUTPUT;
            if (other == r || !file || !other->given) continue;
            if (strcmp(*(const char **)field(r), *(const char **)field(other)) == 0)
                return options_fail(p, "--%s: '%s' is the --%s file too", r->option.name, *(const char **)field(r),
                                    other->option.name);
        }
    }
    return true;
}

static bool is_listed(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = list; *at != '\0'; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && strncmp(at, name, length) == 0) return true;
    return false;
}

static bool check_alone(const option_parse *p) {
    for (int i = 0; i < ARRAY_SIZE(alone); i++) {
        const option_row *only = find(p, alone[i].name, strlen(alone[i].name));
        if (only == NULL || !only->given) continue;
        for (int j = 0; j < p->count; j++) {
            const option_row *r = &p->rows[j];
            const char *name = r->option.kind == OPTION_VARIANT ? "variant" : r->option.name;
            if (r->given && r != only && !is_listed(alone[i].beside, name))
                return options_fail(p, "--%s: contradicts --%s, %s", r->option.name, alone[i].name, alone[i].because);
        }
    }
    return true;
}

static bool check_rules(const option_parse *p, const option_rule *rule) {
    for (; rule != NULL && rule->option != NULL; rule++) {
        const char *list = rule->option, *because = rule->because;
        for (const option_row *r; (r = next_given(p, &list)) != NULL;)
            if (holds(p, rule->other) != (rule->kind == RULE_NEEDS))
                return options_fail(p, "--%s: %s --%s%s%s", r->option.name,
                                    rule->kind == RULE_NEEDS ? "needs" : "contradicts", rule->other,
                                    because != NULL ? ", " : "", because != NULL ? because : "");
    }
    return true;
}

static bool complete_random(const option_parse *p, options *o) {
    if (o->simulate && !options_given(p, "count")) o->random.count = RANDOM_SIMULATED_COUNT;
    if (o->simulate && !options_given(p, "max")) o->random.max = RANDOM_SIMULATED_MAX;
    return o->random.multiple <= o->random.max ||
           options_fail(p, "--max %d: less than --multiple %d", o->random.max, o->random.multiple);
}

static bool complete(option_parse *p) {
    const options_program *program = p->program;
    options *o = p->o;
    simulator_watched *w = &o->watch;
    o->verify = o->verify || o->sweep == SWEEP_CHECK;
    w->predict = w->predict || w->why;
    w->predict_only = w->predict && !options_given(p, "sim");
    o->simulate = o->simulate || o->sim_device != NULL || program->simulated || w->leak_check || w->counters != NULL ||
                  w->counters_csv != NULL || w->trace != NULL || w->predict || w->explain != NULL;
    for (int i = 0; i < program->variant_count && !o->variant_given; i++) o->chosen[i] = true;
    if (!check_alone(p) || !check_rules(p, common_rules) || !check_rules(p, program->rules) || !check_files(p))
        return false;
    if (w->predict_only && !check_rules(p, predict_rules)) return false;
    if (has_random(program) && (!check_rules(p, random_rules) || !complete_random(p, o))) return false;
    if (o->simulate && o->sweep == SWEEP_CHECK && !options_given(p, "max-size"))
        o->max_size = program->simulated_max_size;
    return program->complete == NULL || program->complete(p, o, program->values);
}

/* ---- help ------------------------------------------------------------------------------------------------------ */

/* A label and, from HELP_INDENT on, its text, broken at blanks; below a label that is too long. */
static void print_entry(FILE *out, const char *label, const char *text) {
    int column = fprintf(out, "%s", label);
    if (column + 2 > HELP_INDENT) column = fprintf(out, "\n") - 1;
    column += fprintf(out, "%*s", HELP_INDENT - column, "");
    while (*text != '\0') {
        const int length = (int)strcspn(text, " ");
        const bool begins = column == HELP_INDENT;
        if (!begins && column + 1 + length > HELP_COLUMNS)
            column = fprintf(out, "\n%*s", HELP_INDENT, "") - 1;
        else if (!begins)
            column += fprintf(out, " ");
        column += fprintf(out, "%.*s", length, text);
        text += length + (text[length] == ' ');
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const option_row *r) {
    const option *what = &r->option;
    const bool lists = what->choices != NULL && what->kind != OPTION_VARIANT; /* variants have a place of their own */
    char *choices = lists ? option_join(what->choices, r->initial) : NULL, label[OPTION_HELP_TEXT], *text = NULL;
    const bool optional = what->kind == OPTION_FORM;
    snprintf(label, sizeof label, "  --%s%s%s%s", what->name,
             optional                 ? "[="
             : what->argument != NULL ? " "
                                      : "",
             what->argument != NULL ? what->argument : "", optional ? "]" : "");
    if (choices != NULL && asprintf(&text, "%s: %s", what->help, choices) < 0) text = NULL;
    print_entry(out, label, text != NULL ? text : what->help);
    free(choices);
    free(text);
}

static void print_help(FILE *out, const option_parse *p) {
    const options_program *program = p->program;
    char label[OPTION_HELP_TEXT], *variants = option_join(p->variants, NULL);
    fprintf(out, "Usage: %s [OPTION]...\n\n%s\n\n", program->program, program->summary);
    for (int i = 0; i < p->count; i++) {
        if (i > 0 && p->rows[i].values != p->rows[i - 1].values) fputc('\n', out);
        print_option(out, &p->rows[i]);
    }
    snprintf(label, sizeof label, "%c%ss:", program->noun[0] - 'a' + 'A', program->noun + 1);
    fputc('\n', out);
    print_entry(out, label, variants != NULL ? variants : "see --list");
    free(variants);
    fputs("\nIn the environment, for the simulator:\n", out);
    print_entry(out, "  CUDASIM_THREADS=N", "the CPU cores that it takes (default: all)");
    print_entry(out, "  CUDASIM_WATCHDOG=S",
                "seconds without progress after which it stops a kernel (default 60; 0: never)");
    fputc('\n', out);
    print_entry(out, "Exit status:", "0 ok, 1 wrong result, 2 bad arguments, 3 CUDA error or no usable device");
}

/* ---- all ------------------------------------------------------------------------------------------------------- */

static options_result parse(option_parse *p, int argc, char **argv, FILE *out) {
    opterr = 0;
    optind = 0; /* glibc: forget an earlier parse altogether */
    int code;
    /* "-": stray arguments come in their place and argv keeps its order; ":": a missing argument has its own code. */
    while ((code = getopt_long(argc, argv, "-:h", p->long_options, NULL)) != -1) {
        option_row *r = code >= CODE_BASE ? &p->rows[code - CODE_BASE] : NULL;
        if (code == 'h' || (r != NULL && r->option.kind == OPTION_HELP)) {
            print_help(out, p);
            return OPTIONS_EXIT_OK;
        }
        if (r != NULL && r->option.kind == OPTION_VERSION) {
            fprintf(out, "%s (kernel-ladder %s)\n", p->program->program, version_text());
            return OPTIONS_EXIT_OK;
        }
        const bool ok = r != NULL ? read_option(p, r, optarg)
                                  : reject(p, code, code == CODE_POSITIONAL ? optarg : argv[optind - 1]);
        if (!ok) return OPTIONS_EXIT_USAGE;
    }
    if (optind < argc) /* after "--" */
        reject(p, CODE_POSITIONAL, argv[optind]);
    return optind == argc && complete(p) ? OPTIONS_RUN : OPTIONS_EXIT_USAGE;
}

options_result options_parse(int argc, char **argv, const options_program *program, options *o, FILE *out, FILE *err) {
    *o = common_defaults;
    option_parse p = {.program = program, .o = o, .err = err};
    const options_result result = create_rows(&p) ? parse(&p, argc, argv, out) : OPTIONS_EXIT_USAGE;
    free(p.rows);
    free(p.long_options);
    free(p.variants);
    return result;
}

void options_free(options *o) {
    free(o->chosen);
    o->chosen = NULL;
}
