/* The command line. Values are stored as they are read; what depends on several options is checked after all of them
 * are read, so that their order does not matter. */
#include "bench/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "gpu/simulator.h"

#ifndef KL_VERSION
#define KL_VERSION "unknown"
#endif

#define DEFAULT_SEED      1
#define DEFAULT_TIME      0.5
#define DAY               86400.0
#define TEXT_OF(literal)  TEXT_OF_(literal)
#define TEXT_OF_(literal) #literal

/* getopt_long's value of an option is its row above every character, so that optopt tells the two apart. */
enum { CODE_BASE = 256, CODE_POSITIONAL = 1 };

enum { HELP_COLUMNS = 100, HELP_INDENT = 24, HELP_TEXT = 128 };

#define FIELD(name) offsetof(options, name)

static const option common_table[] = {
    {"variant", "NAME", OPTION_VARIANT, 0, NULL, NULL},
    {"list", NULL, OPTION_FLAG, FIELD(list), NULL, NULL},
    {"verbose", NULL, OPTION_FLAG, FIELD(verbose), "say more; with --list: registers, shared memory, occupancy", NULL},
    {"sweep", "KIND", OPTION_SWEEP, FIELD(sweep), "run a list of problems; check verifies many and times nothing",
     NULL},
    {"max-size", "N", OPTION_INT, FIELD(max_size), NULL, NULL},
    {"every", "N", OPTION_POSITIVE, FIELD(every), "take every Nth problem of --sweep check, from the first (default 1)",
     NULL},
    {"seed", "N", OPTION_SEED, FIELD(seed), "seed of the data's generator (default " TEXT_OF(DEFAULT_SEED) ")", NULL},
    {"device", "N", OPTION_INT, FIELD(device), "CUDA device (default 0)", NULL},
    {"sim", NULL, OPTION_FLAG, FIELD(simulate),
     "run in the simulator, on this machine's CPU (the default without a GPU)", NULL},
    {"sim-device", "NAME", OPTION_WORD, FIELD(sim_device), "run in the simulator, as a GPU of this kind",
     simulator_devices},
    {"time", "S", OPTION_SECONDS, FIELD(time_s),
     "seconds that a measurement may take (default " TEXT_OF(DEFAULT_TIME) ")", NULL},
    {"csv", "FILE", OPTION_FILE, FIELD(csv), "append the results to FILE as CSV (default: none)", NULL},
    {"json", "FILE", OPTION_FILE, FIELD(json), "append the results to FILE, one JSON object a line (default: none)",
     NULL},
    {"resume", NULL, OPTION_FLAG, FIELD(resume), "skip what the --csv file already holds", NULL},
    {"version", NULL, OPTION_VERSION, 0, "print the version and stop", NULL},
    {"help", NULL, OPTION_HELP, 0, "print this and stop", NULL},
};

static const option_rule common_rules[] = {
    {"every", RULE_NEEDS, "sweep check", NULL},
    {"max-size", RULE_NEEDS, "sweep", NULL},
    {"time csv json resume", RULE_CONTRADICTS, "sweep check", "which times nothing"},
    {"resume", RULE_NEEDS, "csv", NULL},
    {"json", RULE_DIFFERS, "csv", NULL},
    {0},
};

static const char *const sweep_names[] = {
    [SWEEP_NONE] = "none", [SWEEP_SQUARE] = "square", [SWEEP_ARTICLE] = "article",
    [SWEEP_ODD] = "odd",   [SWEEP_CHECK] = "check",
};

typedef struct {
    option option;
    char *values;        /* the struct that its field lies in */
    const char *initial; /* OPTION_WORD: the field before parsing */
    bool given;
} row;

struct option_parse {
    const options_program *program;
    options *o;
    FILE *err;
    row *rows; /* the family's, then the common ones */
    int count;
    const char **variants; /* NULL-terminated; program->best is the last */
    char variant_help[HELP_TEXT], list_help[HELP_TEXT], max_size_help[HELP_TEXT];
};

bool options_fail(const option_parse *p, const char *format, ...) {
    char *message = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&message, format, arguments);
    va_end(arguments);
    if (length < 0) {
        fprintf(p->err, "%s: bad arguments (and no memory to say which)\n", p->program->program);
        return false;
    }
    for (char *c = message; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F) *c = '?';
    fprintf(p->err, "%s: %s\n", p->program->program, message);
    free(message);
    return false;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static void *field(const row *r) {
    return r->values + r->option.field;
}

/* `name` ends after `length` characters. NULL: the program has no such option. */
static row *find(const option_parse *p, const char *name, size_t length) {
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
    const row *r = find(p, name, strlen(name));
    return r != NULL && r->given;
}

static void add_row(option_parse *p, const option *what, void *values) {
    const bool word = what->kind == OPTION_WORD;
    row *r = &p->rows[p->count];
    if ((word || what->kind == OPTION_SWEEP) && what->words == NULL) return;
    *r = (row){.option = *what, .values = values};
    if (word) r->initial = *(const char **)field(r);
    p->count++;
}

/* What the common options are called, say and take in this program. */
static void adapt(option_parse *p, option *what) {
    const options_program *program = p->program;
    const char *noun = program->noun;
    if (what->kind == OPTION_VARIANT) {
        snprintf(p->variant_help, HELP_TEXT, "run this %s%s; may be repeated (default: all)", noun,
                 strcmp(noun, what->name) != 0 ? " (also --variant)" : "");
        what->name = noun;
        what->help = p->variant_help;
        what->words = p->variants;
    } else if (what->kind == OPTION_SWEEP) {
        what->words = program->sweeps;
    } else if (strcmp(what->name, "list") == 0) {
        snprintf(p->list_help, HELP_TEXT, "list the %ss and stop", noun);
        what->help = p->list_help;
    } else if (strcmp(what->name, "max-size") == 0) {
        snprintf(p->max_size_help, HELP_TEXT,
                 "leave out a sweep's problems with a side above N (default: no limit; check in the simulator: %d)",
                 program->simulated_max_size);
        what->help = p->max_size_help;
    }
}

static bool create_rows(option_parse *p) {
    const options_program *program = p->program;
    int own = 0;
    while (program->table[own].name != NULL) own++;
    p->rows = calloc((size_t)(own + ARRAY_SIZE(common_table)), sizeof *p->rows);
    p->variants = calloc((size_t)program->variant_count + 2, sizeof *p->variants);
    p->o->chosen = calloc((size_t)program->variant_count + 1, sizeof *p->o->chosen);
    if (p->rows == NULL || p->variants == NULL || p->o->chosen == NULL) return options_fail(p, "out of memory");
    for (int i = 0; i < program->variant_count; i++) p->variants[i] = program->variants[i];
    p->variants[program->variant_count] = program->best;
    for (int i = 0; i < own; i++) add_row(p, &program->table[i], program->values);
    for (int i = 0; i < ARRAY_SIZE(common_table); i++) {
        option what = common_table[i];
        adapt(p, &what);
        add_row(p, &what, p->o);
    }
    return true;
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

/* Decimal only: strtod alone would take blanks, "nan", "inf" and hexadecimal. */
static bool is_decimal(const char *text) {
    if (*text == '\0' || strspn(text, "0123456789+-.eE") != strlen(text)) return false;
    char *end;
    strtod(text, &end);
    return *end == '\0';
}

static bool read_whole(const option_parse *p, const char *name, const char *text, uint64_t least, uint64_t most,
                       uint64_t *value) {
    const char *digits = text + (*text == '-' || *text == '+');
    const size_t length = strlen(digits);
    if (length == 0 || strspn(digits, "0123456789") != length)
        return options_fail(p, "--%s: '%s' is not a %snumber", name, text, is_decimal(text) ? "whole " : "");
    if (*text == '-' && strspn(digits, "0") != length) return options_fail(p, "--%s: '%s' is negative", name, text);
    errno = 0;
    *value = strtoull(digits, NULL, 10);
    if (errno == ERANGE || *value > most)
        return options_fail(p, "--%s: '%s' is out of range (at most %llu)", name, text, (unsigned long long)most);
    return *value >= least ||
           options_fail(p, "--%s: '%s' is out of range (at least %llu)", name, text, (unsigned long long)least);
}

static bool read_int(const option_parse *p, const char *name, const char *text, int least, int most, int *value) {
    uint64_t whole;
    if (!read_whole(p, name, text, (uint64_t)least, (uint64_t)most, &whole)) return false;
    *value = (int)whole;
    return true;
}

static bool read_decimal(const option_parse *p, const char *name, const char *text, double *value) {
    if (!is_decimal(text)) return options_fail(p, "--%s: '%s' is not a finite number", name, text);
    *value = strtod(text, NULL);
    return true;
}

/* A scalar too small for a float is refused like one too large: as 0 it would change what the kernel may read. */
static bool read_scalar(const option_parse *p, const char *name, const char *text, float *value) {
    double wide;
    if (!read_decimal(p, name, text, &wide)) return false;
    errno = 0;
    *value = strtof(text, NULL);
    if (isinf(*value) || (*value == 0.0f && errno == ERANGE))
        return options_fail(p, "--%s: '%s' is out of a float's range", name, text);
    return true;
}

static bool read_seconds(const option_parse *p, const char *name, const char *text, double *value) {
    if (!read_decimal(p, name, text, value)) return false;
    if (!(*value > 0.0)) return options_fail(p, "--%s: '%s' is not above 0", name, text);
    return *value <= DAY || options_fail(p, "--%s: '%s' is out of range (at most %.0f)", name, text, DAY);
}

static bool read_share(const option_parse *p, const char *name, const char *text, double *value) {
    return read_decimal(p, name, text, value) &&
           ((*value > 0.0 && *value < 1.0) || options_fail(p, "--%s: '%s' is not between 0 and 1", name, text));
}

/* Bytes, or a share: what the number ends in says which. */
static bool read_memory(const option_parse *p, const char *name, const char *text, double *value) {
    static const char units[] = "%KMG";
    static const double factors[] = {0.01, 1e3, 1e6, 1e9};
    const size_t length = strlen(text);
    const char *unit = length > 0 ? strchr(units, text[length - 1]) : NULL;
    char *number = strndup(text, unit != NULL ? length - 1 : length);
    if (number == NULL) return options_fail(p, "--%s: out of memory", name);
    const bool decimal = is_decimal(number);
    *value = decimal ? strtod(number, NULL) * (unit != NULL ? factors[unit - units] : 1.0) : 0.0;
    free(number);
    if (!decimal) return options_fail(p, "--%s: '%s' is not a size (bytes, 500M, 2.5G or 80%%)", name, text);
    if (!(*value > 0.0)) return options_fail(p, "--%s: '%s' is not above 0", name, text);
    const bool share = unit == units; /* "%" */
    return (share ? *value <= 1.0 : *value >= 2.0 && *value <= 0x1p60) ||
           options_fail(p, "--%s: '%s' is out of range", name, text);
}

static bool read_range(const option_parse *p, const char *name, const char *text, int *range) {
    const char *colon = strchr(text, ':');
    if (colon == NULL) return options_fail(p, "--%s: '%s' is not a range like 1:11", name, text);
    char *begin = strndup(text, (size_t)(colon - text));
    if (begin == NULL) return options_fail(p, "--%s: out of memory", name);
    const bool ok =
        read_int(p, name, begin, 1, INT_MAX, &range[0]) && read_int(p, name, colon + 1, 1, INT_MAX, &range[1]);
    free(begin);
    return ok && (range[0] <= range[1] || options_fail(p, "--%s: '%s' ends before it begins", name, text));
}

/* ---- words ----------------------------------------------------------------------------------------------------- */

/* "first (default), second", to be freed; `initial` is the default, NULL: none. NULL when memory is short. */
static char *join(const char *const *words, const char *initial) {
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (f == NULL) return NULL;
    for (int i = 0; words[i] != NULL; i++)
        fprintf(f, "%s%s%s", i > 0 ? ", " : "", words[i],
                initial != NULL && strcmp(initial, words[i]) == 0 ? " (default)" : "");
    if (fclose(f) == 0) return text;
    free(text);
    return NULL;
}

const char *options_word(const option_parse *p, const char *option, const char *text, const char *const *words) {
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(text, words[i]) == 0) return words[i];
    char *known = join(words, NULL);
    options_fail(p, "--%s: '%s' is unknown (known: %s)", option, text, known != NULL ? known : "see --help");
    free(known);
    return NULL;
}

static bool read_sweep(const option_parse *p, const row *r, const char *text) {
    const char *word = options_word(p, r->option.name, text, r->option.words);
    sweep_kind *kind = field(r);
    if (word == NULL) return false;
    *kind = SWEEP_SQUARE;
    while (strcmp(sweep_names[*kind], word) != 0) ++*kind;
    return true;
}

static bool read_variant(const option_parse *p, const row *r, const char *text) {
    options *o = p->o;
    const char *word = options_word(p, r->option.name, text, p->variants);
    if (word == NULL) return false;
    int i = 0;
    while (p->variants[i] != word) i++;
    const bool best = i == p->program->variant_count;
    if (!o->variant_given && !best) o->first = i;
    o->variant_given = true;
    if (best)
        o->best = true;
    else
        o->chosen[i] = true;
    return true;
}

/* ---- one option ------------------------------------------------------------------------------------------------ */

static bool read_value(option_parse *p, row *r, const char *text) {
    const char *name = r->option.name;
    void *value = field(r);
    r->given = true;
    switch (r->option.kind) {
    case OPTION_FLAG:
    case OPTION_OFF:
        *(bool *)value = r->option.kind == OPTION_FLAG;
        return true;
    case OPTION_SIZE:
        return read_int(p, name, text, 0, OPTIONS_MAX_SIZE, value);
    case OPTION_INT:
        return read_int(p, name, text, 0, INT_MAX, value);
    case OPTION_POSITIVE:
        return read_int(p, name, text, 1, INT_MAX, value);
    case OPTION_SEED:
        return read_whole(p, name, text, 0, UINT64_MAX, value);
    case OPTION_SCALAR:
        return read_scalar(p, name, text, value);
    case OPTION_SECONDS:
        return read_seconds(p, name, text, value);
    case OPTION_SHARE:
        return read_share(p, name, text, value);
    case OPTION_MEMORY:
        return read_memory(p, name, text, value);
    case OPTION_RANGE:
        return read_range(p, name, text, value);
    case OPTION_WORD:
        *(const char **)value = options_word(p, name, text, r->option.words);
        return *(const char **)value != NULL;
    case OPTION_TEXT:
    case OPTION_FILE:
        *(const char **)value = text;
        return *text != '\0' ||
               options_fail(p, "--%s: the %s is empty", name, r->option.kind == OPTION_FILE ? "file's name" : "text");
    case OPTION_SWEEP:
        return read_sweep(p, r, text);
    case OPTION_VARIANT:
        return read_variant(p, r, text);
    case OPTION_HELP:
    case OPTION_VERSION:
        break;
    }
    return true;
}

/* What getopt_long refused: an option without its argument, with one too many, or none of ours. */
static bool reject(const option_parse *p, int code, const char *argument) {
    const char *name = optopt >= CODE_BASE ? p->rows[optopt - CODE_BASE].option.name : NULL;
    if (code == ':') return options_fail(p, "--%s: its argument is missing", name);
    if (name != NULL) return options_fail(p, "--%s: takes no argument", name);
    if (optopt != 0) return options_fail(p, "-%c: unknown option (see --help)", optopt);
    const int length = (int)strcspn(argument, "=");
    int matches = 0;
    for (int i = 0; length > 2 && i < p->count; i++)
        matches += strncmp(p->rows[i].option.name, argument + 2, (size_t)length - 2) == 0;
    return options_fail(p, "%.*s: %s option (see --help)", length, argument, matches > 0 ? "ambiguous" : "unknown");
}

/* ---- rules ----------------------------------------------------------------------------------------------------- */

/* "name": it was given; "name value": that is its value, given or not. */
static bool holds(const option_parse *p, const char *condition) {
    const size_t length = strcspn(condition, " ");
    const row *r = find(p, condition, length);
    if (r == NULL || condition[length] == '\0') return r != NULL && r->given;
    const char *value =
        r->option.kind == OPTION_SWEEP ? sweep_names[*(sweep_kind *)field(r)] : *(const char **)field(r);
    return value != NULL && strcmp(value, condition + length + 1) == 0;
}

/* The next of the names at *list that was given; NULL: there is none. */
static const row *next_given(const option_parse *p, const char **list) {
    while (**list != '\0') {
        const size_t length = strcspn(*list, " ");
        const row *r = find(p, *list, length);
        *list += length + ((*list)[length] == ' ');
        if (r != NULL && r->given) return r;
    }
    return NULL;
}

static bool check_files(const option_parse *p, const row *file, const char *others) {
    const char *name = *(const char **)field(file);
    for (const row *other; (other = next_given(p, &others)) != NULL;)
        if (other != file && strcmp(name, *(const char **)field(other)) == 0)
            return options_fail(p, "--%s: '%s' is the --%s file too", file->option.name, name, other->option.name);
    return true;
}

static bool check_rules(const option_parse *p, const option_rule *rule) {
    for (; rule->option != NULL; rule++) {
        const char *list = rule->option, *because = rule->because;
        for (const row *r; (r = next_given(p, &list)) != NULL;) {
            if (rule->kind == RULE_DIFFERS) {
                if (!check_files(p, r, rule->other)) return false;
            } else if (holds(p, rule->other) != (rule->kind == RULE_NEEDS)) {
                return options_fail(p, "--%s: %s --%s%s%s", r->option.name,
                                    rule->kind == RULE_NEEDS ? "needs" : "contradicts", rule->other,
                                    because != NULL ? ", " : "", because != NULL ? because : "");
            }
        }
    }
    return true;
}

static bool complete(option_parse *p) {
    const options_program *program = p->program;
    options *o = p->o;
    o->simulate = o->simulate || o->sim_device != NULL || program->simulated;
    for (int i = 0; i < program->variant_count && !o->variant_given; i++) o->chosen[i] = true;
    if (!check_rules(p, common_rules) || !check_rules(p, program->rules)) return false;
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

static void print_option(FILE *out, const row *r) {
    const option *what = &r->option;
    const bool lists = what->words != NULL && what->kind != OPTION_VARIANT; /* variants have a place of their own */
    char *words = lists ? join(what->words, r->initial) : NULL, label[HELP_TEXT], *text = NULL;
    snprintf(label, sizeof label, "  --%s%s%s", what->name, what->argument != NULL ? " " : "",
             what->argument != NULL ? what->argument : "");
    if (words != NULL && asprintf(&text, "%s: %s", what->help, words) < 0) text = NULL;
    print_entry(out, label, text != NULL ? text : what->help);
    free(words);
    free(text);
}

static void print_help(FILE *out, const option_parse *p) {
    const options_program *program = p->program;
    char label[HELP_TEXT], *variants = join(p->variants, NULL);
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

/* ---- ----------------------------------------------------------------------------------------------------------- */

static options_result parse(option_parse *p, int argc, char **argv, struct option *long_options, FILE *out) {
    for (int i = 0; i < p->count; i++)
        long_options[i] = (struct option){
            .name = p->rows[i].option.name,
            .has_arg = p->rows[i].option.argument != NULL ? required_argument : no_argument,
            .val = CODE_BASE + i,
        };
    long_options[p->count] = (struct option){
        .name = "variant", .has_arg = required_argument, .val = CODE_BASE + (int)(find(p, "variant", 7) - p->rows)};
    opterr = 0;
    optind = 0; /* glibc: forget an earlier parse altogether */
    int code;
    /* "-": stray arguments come in their place and argv keeps its order; ":": a missing argument has its own code. */
    while ((code = getopt_long(argc, argv, "-:", long_options, NULL)) != -1) {
        if (code == CODE_POSITIONAL) {
            options_fail(p, "'%s': unexpected argument (see --help)", optarg);
            return OPTIONS_EXIT_USAGE;
        }
        if (code < CODE_BASE) {
            reject(p, code, argv[optind - 1]);
            return OPTIONS_EXIT_USAGE;
        }
        row *r = &p->rows[code - CODE_BASE];
        if (r->option.kind == OPTION_HELP) {
            print_help(out, p);
            return OPTIONS_EXIT_OK;
        }
        if (r->option.kind == OPTION_VERSION) {
            fprintf(out, "%s (kernel-ladder %s)\n", p->program->program, KL_VERSION);
            return OPTIONS_EXIT_OK;
        }
        if (!read_value(p, r, optarg)) return OPTIONS_EXIT_USAGE;
    }
    if (optind < argc) {
        options_fail(p, "'%s': unexpected argument (see --help)", argv[optind]);
        return OPTIONS_EXIT_USAGE;
    }
    return complete(p) ? OPTIONS_RUN : OPTIONS_EXIT_USAGE;
}

options_result options_parse(int argc, char **argv, const options_program *program, options *o, FILE *out, FILE *err) {
    *o = (options){.first = -1, .max_size = INT_MAX, .every = 1, .seed = DEFAULT_SEED, .time_s = DEFAULT_TIME};
    option_parse p = {.program = program, .o = o, .err = err};
    options_result result = OPTIONS_EXIT_USAGE;
    if (create_rows(&p)) {
        struct option *long_options = calloc((size_t)p.count + 2, sizeof *long_options);
        if (long_options != NULL)
            result = parse(&p, argc, argv, long_options, out);
        else
            options_fail(&p, "out of memory");
        free(long_options);
    }
    free(p.rows);
    free(p.variants);
    return result;
}

void options_free(options *o) {
    free(o->chosen);
    o->chosen = NULL;
}
