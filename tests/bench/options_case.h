/* The command line: what is accepted, what each refusal says, and --help; for a fictitious program and for the
 * families. */
#pragma once

#include "../unit.h"
#include "gemm/gemm_options.h"
#include "gemv/gemv_options.h"
#include "knn/knn_options.h"

/* Not every test that includes this uses all of it. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"

/* ---- programs to parse for ---- */

/* A family with one option of each kind. */
typedef struct {
    int size, count, positive, range[2];
    uint64_t seed;
    float scalar;
    double seconds;
    bool flag, off;
    const char *word, *other_word, *text, *file, *other_file;
    bool fails;
} toy_options;

static const char *const toy_words[] = {"red", "green", "blue", NULL};

#define FIELD(name) offsetof(toy_options, name)
static const option toy_table[] = {
    {"size", "N", OPTION_SIZE, FIELD(size), "a size", NULL},
    {"count", "N", OPTION_INT, FIELD(count), "a count", NULL},
    {"positive", "N", OPTION_POSITIVE, FIELD(positive), "a positive number", NULL},
    {"start", "N", OPTION_SEED, FIELD(seed), "a seed", NULL},
    {"scalar", "X", OPTION_SCALAR, FIELD(scalar), "a scalar", NULL},
    {"seconds", "S", OPTION_SECONDS, FIELD(seconds), "seconds", NULL},
    {"range", "A:B", OPTION_RANGE, FIELD(range), "a range", NULL},
    {"flag", NULL, OPTION_FLAG, FIELD(flag), "becomes true", NULL},
    {"no-off", NULL, OPTION_OFF, FIELD(off), "becomes false", NULL},
    {"word", "WORD", OPTION_CHOICE, FIELD(word), "a colour", toy_words},
    {"other-word", "WORD", OPTION_CHOICE, FIELD(other_word), "another colour", toy_words},
    {"absent", "WORD", OPTION_CHOICE, FIELD(word), "not in this program", NULL},
    {"text", "TEXT", OPTION_TEXT, FIELD(text), "a text", NULL},
    {"file", "FILE", OPTION_OUTPUT, FIELD(file), "a file", NULL},
    {"an-option-wider-than-the-column", "ARGUMENT", OPTION_FILE, FIELD(other_file),
     "text that is long enough to need a second line of the help, for it goes on and on about nothing, and ends", NULL},
    {"fails", NULL, OPTION_FLAG, FIELD(fails), "what depends on several options is wrong", NULL},
    {0},
};

static const option_rule toy_rules[] = {
    {"size count", RULE_CONTRADICTS, "sweep", "which chooses them"},
    {"flag", RULE_NEEDS, "text", NULL},
    {"positive", RULE_NEEDS, "word green", "which is shared"},
    {"scalar", RULE_CONTRADICTS, "word blue", NULL},
    {"not-there", RULE_NEEDS, "text", NULL},
    {"no-off", RULE_CONTRADICTS, "not-there", NULL},
    {0},
};

static bool toy_complete(const option_parse *p, const options *common, void *values) {
    toy_options *o = values;
    assert_non_null(common);
    if (!options_given(p, "size")) o->size = common->simulate ? 8 : 64;
    return !options_given(p, "fails") || options_fail(p, "--fails: %s", "it failed");
}

/* The last parse: of which program, what it filled and what it printed. */
static options_program last;
static options o;
static toy_options toy;
static gemm_options gemm;
static gemv_options gemv;
static knn_options knn;
static char out_text[1 << 15], err_text[1 << 15];

static const char *const names[] = {"one", "two", "three"};

static options_program toy_program(void) {
    static const char *const sweeps[] = {"square", "article", "odd", "check", NULL};
    toy = (toy_options){.off = true, .word = toy_words[1]};
    return (options_program){.program = "toy",
                             .summary = "Plays.",
                             .noun = "variant",
                             .variants = names,
                             .variant_count = 3,
                             .sweeps = sweeps,
                             .simulated_max_size = 200,
                             .table = toy_table,
                             .rules = toy_rules,
                             .values = &toy,
                             .complete = toy_complete};
}

static const gemm_type types[] = {GEMM_F16, GEMM_S8, GEMM_TF32};
static const gemm_layout layouts[] = {GEMM_TN, GEMM_NN};
static const gemm_show shows[] = {{"fragments", NULL, NULL, NULL}, {"banks", NULL, NULL, NULL}};
static const gemm_offer offer = {types, 3, layouts, 2, shows, 2};

typedef enum { TOY, GEMM, TYPED, GEMV, KNN } family;

static options_program program_of(family f) {
    options_program p = toy_program();
    if (f == GEMM) gemm_options_program(&p, &gemm, NULL);
    if (f == TYPED) gemm_options_program(&p, &gemm, &offer);
    if (f == GEMV) gemv_options_program(&p, &gemv);
    if (f == KNN) knn_options_program(&p, &knn);
    return p;
}

/* ---- parsing ---- */

/* `line` is broken at each blank: two of them make an empty argument. */
static options_result parse_program(const options_program *p, const char *line) {
    static char text[2048]; /* the options point into it */
    char *argv[64] = {(char *)"./run"}, *rest = text;
    int argc = 1;
    snprintf(text, sizeof text, "%s", line);
    while (*line != '\0' && rest != NULL) argv[argc++] = strsep(&rest, " ");
    options_free(&o);
    last = *p;
    memset(&o, 0xAA, sizeof o);
    out_text[0] = err_text[0] = '\0';
    FILE *out = fmemopen(out_text, sizeof out_text, "w"), *err = fmemopen(err_text, sizeof err_text, "w");
    const options_result result = options_parse(argc, argv, p, &o, out, err);
    fclose(out);
    fclose(err);
    return result;
}

static options_result parse(family f, const char *line) {
    const options_program p = program_of(f);
    return parse_program(&p, line);
}

static void assert_run(options_result result, const char *line) {
    if (result != OPTIONS_RUN) fail_msg("'%s': %s", line, err_text);
    assert_string_equal(err_text, "");
    assert_string_equal(out_text, "");
}

#define ACCEPTED(family, line) assert_run(parse(family, line), line)

/* The value of an option of the family's as text; what --no-NAME switches off is called NAME. */
static void put_value(FILE *out, const option *row) {
    const void *at = (const char *)last.values + row->field;
    if (row->kind == OPTION_FLAG || row->kind == OPTION_OFF)
        fprintf(out, "%s=%d ", row->name + (row->kind == OPTION_OFF ? 3 : 0), *(const bool *)at);
    else if (row->kind == OPTION_SIZE || row->kind == OPTION_INT || row->kind == OPTION_POSITIVE)
        fprintf(out, "%s=%d ", row->name, *(const int *)at);
    else if (row->kind == OPTION_SEED)
        fprintf(out, "%s=%llu ", row->name, (unsigned long long)*(const uint64_t *)at);
    else if (row->kind == OPTION_SCALAR)
        fprintf(out, "%s=%.9g ", row->name, (double)*(const float *)at);
    else if (row->kind == OPTION_SECONDS)
        fprintf(out, "%s=%.9g ", row->name, *(const double *)at);
    else if (row->kind == OPTION_RANGE)
        fprintf(out, "%s=%d:%d ", row->name, ((const int *)at)[0], ((const int *)at)[1]);
    else
        fprintf(out, "%s=%s ", row->name, *(const char *const *)at != NULL ? *(const char *const *)at : "-");
}

/* Each of the words, NAME=VALUE, is among the values of the last parse; for all=..., the variants, a bit each. */
static void assert_values(const char *line, const char *words) {
    static const char *const sweeps[] = {"none", "square", "article", "odd", "networks", "random", "check"};
    char text[2048] = " ", copy[512], word[128], *rest = copy;
    FILE *out = fmemopen(text + 1, sizeof text - 1, "w");
#define TEXT(field) ((field) != NULL ? (field) : "-")
    fprintf(out, "list=%d verbose=%d resume=%d sweep=%s max-size=%d every=%d count=%d max=%d multiple=%d spread=%s ",
            o.list, o.verbose, o.resume, sweeps[o.sweep], o.max_size, o.every, o.random.count, o.random.max,
            o.random.multiple, TEXT(o.random.spread));
    fprintf(out, "seed=%llu device=%d sim=%d sim-device=%s time=%.9g csv=%s first=%d all=", (unsigned long long)o.seed,
            o.device, o.simulate, TEXT(o.sim_device), o.time_s, TEXT(o.csv), o.first);
    for (int i = 0; i < last.variant_count; i++) fprintf(out, "%d", o.chosen[i]);
    fprintf(out, " counters=%s counters-csv=%s explain=%s trace=%s trace-blocks=%d leak-check=%d no-check=%d ",
            TEXT(o.watch.counters), TEXT(o.watch.counters_csv), TEXT(o.watch.explain), TEXT(o.watch.trace),
            o.watch.trace_blocks, o.watch.leak_check, o.watch.unchecked);
    for (const option *row = last.table; row->name != NULL; row++) put_value(out, row);
    fclose(out);
    snprintf(copy, sizeof copy, "%s", words);
    while (rest != NULL) {
        snprintf(word, sizeof word, " %s ", strsep(&rest, " "));
        if (strstr(text, word) == NULL) fail_msg("'%s': no %s in\n%s", line, word, text);
    }
}

typedef struct {
    const char *line, *values;
} acceptance;

static void all_accepted(family f, const acceptance *list, int count) {
    for (int i = 0; i < count; i++) {
        ACCEPTED(f, list[i].line);
        assert_values(list[i].line, list[i].values);
    }
}

#define ALL_ACCEPTED(family, list) all_accepted(family, list, ARRAY_SIZE(list))

/* `message` is the whole of the one line, without the program's name. */
static void assert_refused(options_result result, const char *message) {
    char line[2048];
    snprintf(line, sizeof line, "toy: %s\n", message);
    assert_string_equal(err_text, line);
    assert_string_equal(out_text, "");
    assert_int_equal(result, OPTIONS_EXIT_USAGE);
}

#define REFUSED(family, line, message) assert_refused(parse(family, line), message)

typedef struct {
    const char *line, *message;
} refusal;

static void all_refused(family f, const refusal *list, int count) {
    for (int i = 0; i < count; i++) REFUSED(f, list[i].line, list[i].message);
}

#define ALL_REFUSED(family, list) all_refused(family, list, ARRAY_SIZE(list))

/* `options` are separated by blanks ("alpha=1 warm"); each is refused together with `line`, for this reason. */
static void each_refused_with(family f, const char *line, const char *options, const char *reason) {
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", options);
    while (rest != NULL) {
        char both[256], message[256];
        const char *option = strsep(&rest, " ");
        snprintf(both, sizeof both, "%s%s--%s", line, *line != '\0' ? " " : "", option);
        snprintf(message, sizeof message, "--%.*s: %s", (int)strcspn(option, "="), option, reason);
        REFUSED(f, both, message);
    }
}

static int release(void **state) {
    options_free(&o);
    return 0;
}

/* At most 100 columns, no line that ends in a blank, and what options do begins in one column. */
static void assert_laid_out(const char *text) {
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        if (length > 100 || (length > 0 && text[length - 1] == ' ')) fail_msg("'%.*s'", (int)length, text);
        const char *gap = strncmp(text, "  --", 4) == 0 ? memmem(text + 4, length - 4, "  ", 2) : NULL;
        if (gap != NULL && strspn(gap, " ") + (size_t)(gap - text) != 24) fail_msg("'%.*s'", (int)length, text);
        text += length + 1;
    }
}

static const char *help_of(family f) {
    assert_int_equal(parse(f, "--help"), OPTIONS_EXIT_OK);
    assert_string_equal(err_text, "");
    assert_laid_out(out_text);
    return out_text;
}
