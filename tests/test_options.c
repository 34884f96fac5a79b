/* The command line: what is accepted, what each refusal says, and --help; for a fictitious program and for the
 * families. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/version.h"
#include "bench/options.h"
#include "gemm/gemm_options.h"
#include "gemv/gemv_options.h"
#include "knn/knn_options.h"

/* ---- programs to parse for ---- */

/* A family with one option of each kind. */
typedef struct {
    int size, count, positive, range[2];
    uint64_t seed;
    float scalar;
    double seconds, share, memory;
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
    {"share", "X", OPTION_SHARE, FIELD(share), "a share", NULL},
    {"memory", "SIZE", OPTION_MEMORY, FIELD(memory), "bytes", NULL},
    {"range", "A:B", OPTION_RANGE, FIELD(range), "a range", NULL},
    {"flag", NULL, OPTION_FLAG, FIELD(flag), "becomes true", NULL},
    {"no-off", NULL, OPTION_OFF, FIELD(off), "becomes false", NULL},
    {"word", "WORD", OPTION_WORD, FIELD(word), "a colour", toy_words},
    {"other-word", "WORD", OPTION_WORD, FIELD(other_word), "another colour", toy_words},
    {"absent", "WORD", OPTION_WORD, FIELD(word), "not in this program", NULL},
    {"text", "TEXT", OPTION_TEXT, FIELD(text), "a text", NULL},
    {"file", "FILE", OPTION_FILE, FIELD(file), "a file", NULL},
    {"an-option-wider-than-the-column", "ARGUMENT", OPTION_FILE, FIELD(other_file),
     "text that is long enough to need a second line of the help, for it goes on and on about nothing, and ends", NULL},
    {"fails", NULL, OPTION_FLAG, FIELD(fails), "what depends on several options is wrong", NULL},
    {0},
};

static const option_rule toy_rules[] = {
    {"size count", RULE_CONTRADICTS, "sweep", "which chooses them"},
    {"flag", RULE_NEEDS, "text", NULL},
    {"share", RULE_NEEDS, "word green", "which is shared"},
    {"scalar", RULE_CONTRADICTS, "word blue", NULL},
    {"file", RULE_DIFFERS, "csv an-option-wider-than-the-column file not-there", NULL},
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

/* The last parse: what it filled and what it printed. */
static options o;
static toy_options toy;
static gemm_options gemm;
static gemv_options gemv;
static knn_options knn;
static char *out_text, *err_text;

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

static options_result parse_arguments(const options_program *p, int argc, char **argv) {
    size_t out_length, err_length;
    free(out_text);
    free(err_text);
    options_free(&o);
    FILE *out = open_memstream(&out_text, &out_length), *err = open_memstream(&err_text, &err_length);
    memset(&o, 0xAA, sizeof o);
    const options_result result = options_parse(argc, argv, p, &o, out, err);
    fclose(out);
    fclose(err);
    return result;
}

/* `line` is broken at each blank: two of them make an empty argument. */
static options_result parse_program(const options_program *p, const char *line) {
    static char text[2048]; /* the options point into it */
    char *argv[64] = {(char *)"./run"}, *rest = text;
    int argc = 1;
    snprintf(text, sizeof text, "%s", line);
    while (*line != '\0' && rest != NULL) argv[argc++] = strsep(&rest, " ");
    return parse_arguments(p, argc, argv);
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
    (void)state;
    free(out_text);
    free(err_text);
    out_text = err_text = NULL;
    options_free(&o);
    return 0;
}

/* ---- what every program has ---- */

static void common_defaults(void **state) {
    (void)state;
    ACCEPTED(TOY, "");
    assert_true(o.chosen[0] && o.chosen[1] && o.chosen[2]);
    assert_false(o.variant_given || o.list || o.verbose || o.resume || o.simulate);
    assert_int_equal(o.first, -1);
    assert_int_equal(o.sweep, SWEEP_NONE);
    assert_int_equal(o.max_size, INT_MAX);
    assert_int_equal(o.every, 1);
    assert_true(o.seed == 1 && o.time_s == 0.5); /* as --help says */
    assert_int_equal(o.device, 0);
    assert_null(o.sim_device);
    assert_null(o.csv);
    assert_null(o.json);
    assert_true(toy.off && !toy.flag && toy.word == toy_words[1] && toy.other_word == NULL);
}

static void common_options_are_taken(void **state) {
    (void)state;
    ACCEPTED(TOY, "--list --verbose --seed 18446744073709551615 --device=3 --sim-device=sm_86 --time 1.25 --csv a.csv "
                  "--json a.json --resume --variant two");
    assert_true(o.list && o.verbose && o.resume && o.simulate && o.seed == UINT64_MAX && o.time_s == 1.25);
    assert_int_equal(o.device, 3);
    assert_string_equal(o.sim_device, "sm_86");
    assert_string_equal(o.csv, "a.csv");
    assert_string_equal(o.json, "a.json");
    assert_true(!o.chosen[0] && o.chosen[1] && !o.chosen[2]);
}

static void counters_need_the_simulator(void **state) {
    (void)state;
    ACCEPTED(TOY, "");
    assert_true(o.counters == NULL && o.counters_csv == NULL && o.explain == NULL && !o.simulate);
    ACCEPTED(TOY, "--counters");
    assert_string_equal(o.counters, "table");
    assert_true(o.simulate);
    ACCEPTED(TOY, "--counters=lines --variant two");
    assert_string_equal(o.counters, "lines");
    ACCEPTED(TOY, "--counters-csv a.csv");
    assert_string_equal(o.counters_csv, "a.csv");
    assert_true(o.simulate && o.counters == NULL);
    ACCEPTED(TOY, "--explain ffma");
    assert_true(o.simulate && strcmp(o.explain, "ffma") == 0);
    ACCEPTED(TOY, "--leak-check");
    assert_true(o.leak_check && o.simulate && !o.no_check);
    REFUSED(TOY, "--leak-check --no-check", "--leak-check: contradicts --no-check, which looks for nothing");
    REFUSED(TOY, "--counters=all", "--counters: 'all' is unknown (known: table, lines)");
    REFUSED(TOY, "--counters lines", "'lines': unexpected argument (see --help)");
    REFUSED(TOY, "--counters-csv", "--counters-csv: its argument is missing");
    REFUSED(TOY, "--explain=", "--explain: its argument is empty");
    REFUSED(TOY, "--counters-csv a --json a", "--counters-csv: 'a' is the --json file too");
}

static void traces_need_the_simulator(void **state) {
    (void)state;
    ACCEPTED(TOY, "");
    assert_true(o.trace == NULL && o.trace_blocks == 0 && !o.simulate);
    ACCEPTED(TOY, "--trace a.json --trace-blocks 7");
    assert_string_equal(o.trace, "a.json");
    assert_int_equal(o.trace_blocks, 7);
    assert_true(o.simulate);
    REFUSED(TOY, "--trace-blocks 7", "--trace-blocks: needs --trace");
    REFUSED(TOY, "--trace a.json --trace-blocks 0", "--trace-blocks: '0' is not above 0");
    REFUSED(TOY, "--trace a --csv a", "--trace: 'a' is the --csv file too");
    REFUSED(TOY, "--trace a --counters-csv a", "--trace: 'a' is the --counters-csv file too");
}

static void sweeps_are_chosen_by_name(void **state) {
    (void)state;
    ACCEPTED(TOY, "--sweep square");
    assert_int_equal(o.sweep, SWEEP_SQUARE);
    ACCEPTED(TOY, "--sweep article --max-size 4096");
    assert_int_equal(o.sweep, SWEEP_ARTICLE);
    assert_int_equal(o.max_size, 4096);
    ACCEPTED(TOY, "--max-size 2147483647 --sweep odd");
    assert_int_equal(o.sweep, SWEEP_ODD);
    ACCEPTED(TOY, "--every=2147483647 --sweep check");
    assert_int_equal(o.sweep, SWEEP_CHECK);
    assert_int_equal(o.every, INT_MAX);
    options_program none = program_of(TOY);
    none.sweeps = NULL;
    assert_refused(parse_program(&none, "--sweep square"), "--sweep: unknown option (see --help)");
    assert_refused(parse_program(&none, "--max-size 5"), "--max-size: unknown option (see --help)");
}

static void the_simulator_checks_smaller_problems(void **state) {
    (void)state;
    options_program inside = program_of(TOY);
    inside.simulated = true;
    ACCEPTED(TOY, "--sim");
    assert_true(o.simulate && o.sim_device == NULL && toy.size == 8);
    ACCEPTED(TOY, "--sweep check --sim");
    assert_int_equal(o.max_size, 200);
    ACCEPTED(TOY, "--sweep check --sim-device sm_90 --max-size 4095");
    assert_int_equal(o.max_size, 4095);
    ACCEPTED(TOY, "--sweep odd --sim"); /* its shapes are chosen for it */
    assert_int_equal(o.max_size, INT_MAX);
    ACCEPTED(TOY, "--sweep check");
    assert_int_equal(o.max_size, INT_MAX);
    assert_run(parse_program(&inside, "--sweep check"), "--sweep check");
    assert_true(o.simulate);
    assert_int_equal(o.max_size, 200);
}

static void variants_are_chosen_by_name(void **state) {
    (void)state;
    ACCEPTED(TOY, "--variant three --variant=one --variant one");
    assert_true(o.chosen[0] && !o.chosen[1] && o.chosen[2] && o.variant_given);
    assert_int_equal(o.first, 2);
    REFUSED(TOY, "--variant best", "--variant: 'best' is unknown (known: one, two, three)");
    REFUSED(TOY, "--method one", "--method: unknown option (see --help)");
}

static void a_program_may_have_methods(void **state) {
    (void)state;
    options_program p = program_of(TOY);
    p.noun = "method";
    assert_run(parse_program(&p, "--method two --variant three"), "two spellings");
    assert_true(!o.chosen[0] && o.chosen[1] && o.chosen[2]);
    assert_int_equal(o.first, 1);
    assert_refused(parse_program(&p, "--variant four"), "--method: 'four' is unknown (known: one, two, three)");
    assert_int_equal(parse_program(&p, "--help"), OPTIONS_EXIT_OK);
    assert_non_null(strstr(out_text, "\n  --method NAME "));
    assert_non_null(strstr(out_text, "\nMethods:                one, two, three\n"));
}

enum { MANY = 300 };

static void any_number_of_variants(void **state) {
    (void)state;
    static char text[MANY][32];
    static const char *many[MANY];
    options_program p = program_of(TOY);
    for (int i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], "variant%d", i);
        many[i] = text[i];
    }
    p.variants = many;
    for (p.variant_count = 63; p.variant_count <= MANY; p.variant_count++) {
        const char *last = many[p.variant_count - 1];
        char line[64];
        assert_run(parse_program(&p, ""), "all of many");
        for (int i = 0; i < p.variant_count; i++) assert_true(o.chosen[i]);
        snprintf(line, sizeof line, "--variant %s", last);
        assert_run(parse_program(&p, line), line);
        for (int i = 0; i < p.variant_count - 1; i++) assert_false(o.chosen[i]);
        assert_true(o.chosen[p.variant_count - 1]);
        assert_int_equal(parse_program(&p, "--variant x"), OPTIONS_EXIT_USAGE);
        assert_non_null(strstr(err_text, last));
    }
}

static void later_parses_know_nothing_of_earlier_ones(void **state) {
    (void)state;
    assert_int_equal(parse(TOY, "--flag --verbose --variant two --bogus --size 7"), OPTIONS_EXIT_USAGE);
    assert_int_equal(parse(TOY, "-xyz"), OPTIONS_EXIT_USAGE); /* leaves getopt inside a cluster of letters */
    ACCEPTED(TOY, "--size 6");
    assert_true(toy.size == 6 && !toy.flag && !o.verbose && o.chosen[0]);
    ACCEPTED(TOY, "--seed 1 --seed 2"); /* the last counts */
    assert_true(o.seed == 2);
}

static void abbreviations(void **state) {
    (void)state;
    ACCEPTED(TOY, "--verb --max=9 --sw=odd --start 4");
    assert_true(o.verbose && o.max_size == 9 && toy.seed == 4);
    static const refusal list[] = {
        {"--se 5", "--se: ambiguous option (see --help)"}, /* seed, seconds */
        {"--s=5", "--s: ambiguous option (see --help)"},
        {"--bogus", "--bogus: unknown option (see --help)"},
        {"--bogus=12", "--bogus: unknown option (see --help)"},
        {"--size 4 --sizes 5", "--sizes: unknown option (see --help)"},
        {"--absent red", "--absent: unknown option (see --help)"},
        {"-x", "-x: unknown option (see --help)"},
        {"-n 5", "-n: unknown option (see --help)"},
        {"-xyz", "-x: unknown option (see --help)"},
        {"--=5", "--: unknown option (see --help)"},
    };
    ALL_REFUSED(TOY, list);
}

static void arguments_that_are_missing_or_too_many(void **state) {
    (void)state;
    static const refusal list[] = {
        {"--size", "--size: its argument is missing"},
        {"--verbose --csv", "--csv: its argument is missing"},
        {"--var", "--variant: its argument is missing"},
        {"--verbose=yes", "--verbose: takes no argument"},
        {"--no-o=1", "--no-off: takes no argument"},
        {"--size --count 5", "--size: '--count' is not a number"},
        {"4096", "'4096': unexpected argument (see --help)"},
        {"--verbose x --bogus", "'x': unexpected argument (see --help)"},
        {"-", "'-': unexpected argument (see --help)"},
        {" ", "'': unexpected argument (see --help)"},
        {"--size 6 -- --verbose", "'--verbose': unexpected argument (see --help)"},
    };
    ACCEPTED(TOY, "--size 6 --");
    ALL_REFUSED(TOY, list);
}

static void control_characters_are_not_printed(void **state) {
    (void)state;
    REFUSED(TOY, "--size 1\n2\033[31m\177", "--size: '1?2?[31m?' is not a number");
    REFUSED(TOY, "--scalar \t1", "--scalar: '?1' is not a finite number");
    REFUSED(TOY, "--a\nb", "--a?b: unknown option (see --help)");
    REFUSED(TOY, "a\tb\r", "'a?b?': unexpected argument (see --help)");
    REFUSED(TOY, "--variant \xC3\xA9", "--variant: '\xC3\xA9' is unknown (known: one, two, three)");
}

/* ---- kinds ---- */

static void each_kind_is_read(void **state) {
    (void)state;
    ACCEPTED(TOY,
             "--size 2000000000 --count=2147483647 --positive 2147483647 --start 18446744073709551615 "
             "--scalar -2.5e-1 --seconds 86400 --share 0.25 --memory 2.5G --range 1:11 --flag --no-off --word green "
             "--other-word blue --text x --file y --an-option-wider-than-the-column z");
    assert_int_equal(toy.size, OPTIONS_MAX_SIZE);
    assert_int_equal(OPTIONS_MAX_SIZE, 2000000000);
    assert_int_equal(toy.count, INT_MAX);
    assert_int_equal(toy.positive, INT_MAX);
    assert_true(toy.seed == UINT64_MAX && toy.scalar == -0.25f && toy.seconds == 86400.0 && toy.share == 0.25);
    assert_true(toy.memory == 2.5e9 && toy.range[0] == 1 && toy.range[1] == 11 && toy.flag && !toy.off);
    assert_ptr_equal(toy.word, toy_words[1]);
    assert_ptr_equal(toy.other_word, toy_words[2]);
    assert_string_equal(toy.text, "x");
    assert_string_equal(toy.file, "y");
    assert_string_equal(toy.other_file, "z");

    ACCEPTED(TOY, "--size -0 --count +12 --positive 1 --start 0 --scalar 1e-40 --seconds 1e-9 --memory 2 "
                  "--range 5:5");
    assert_true(toy.size == 0 && toy.count == 12 && toy.positive == 1 && toy.seed == 0 && toy.scalar == 1e-40f);
    assert_true(toy.seconds == 1e-9 && toy.memory == 2.0 && toy.range[0] == 5 && toy.range[1] == 5);
    static const struct {
        const char *line;
        double bytes;
    } memory[] = {{"--memory 80%", 0.8},  {"--memory 100%", 1.0}, {"--memory 4096", 4096.0},
                  {"--memory 500M", 5e8}, {"--memory 1K", 1e3},   {"--memory 1e10", 1e10}};
    for (int i = 0; i < ARRAY_SIZE(memory); i++) {
        ACCEPTED(TOY, memory[i].line);
        assert_true(toy.memory == memory[i].bytes);
    }
    ACCEPTED(TOY, "--scalar 3.4028234e38");
    assert_true(toy.scalar == 3.4028234e38f);
    ACCEPTED(TOY, "--scalar -0");
    assert_true(toy.scalar == 0.0f);
}

/* `texts` are separated by blanks; `reason` follows "--OPTION: 'TEXT' is ". */
static void each_refused(const char *option, const char *texts, const char *reason) {
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", texts);
    while (rest != NULL) {
        char line[128], message[256];
        const char *text = strsep(&rest, " ");
        snprintf(line, sizeof line, "--%s=%s", option, text);
        snprintf(message, sizeof message, "--%s: '%s' is %s", option, text, reason);
        REFUSED(TOY, line, message);
    }
}

static void whole_numbers_are_checked(void **state) {
    (void)state;
    static const char *const options[] = {"size", "count", "positive", "start", "max-size", "every", "seed", "device"};
    for (int i = 0; i < ARRAY_SIZE(options); i++) {
        each_refused(options[i], "abc 12x  0x10 - --5 nan +-5", "not a number");
        each_refused(options[i], "1.5 1e4 -1. 1e400", "not a whole number");
        each_refused(options[i], "-5 -99999999999999999999", "negative");
    }
    static const refusal limits[] = {
        {"--size 2000000001", "--size: '2000000001' is out of range (at most 2000000000)"},
        {"--size 4294967297", "--size: '4294967297' is out of range (at most 2000000000)"},
        {"--size 99999999999999999999", "--size: '99999999999999999999' is out of range (at most 2000000000)"},
        {"--count 2147483648", "--count: '2147483648' is out of range (at most 2147483647)"},
        {"--positive 4294967297", "--positive: '4294967297' is out of range (at most 2147483647)"},
        {"--positive 0", "--positive: '0' is not above 0"},
        {"--positive -0", "--positive: '-0' is not above 0"},
        {"--start 18446744073709551616",
         "--start: '18446744073709551616' is out of range (at most 18446744073709551615)"},
        {"--sweep check --every 0", "--every: '0' is not above 0"},
    };
    ALL_REFUSED(TOY, limits);
}

static void decimal_numbers_are_checked(void **state) {
    (void)state;
    static const char *const options[] = {"scalar", "seconds", "share", "time"};
    for (int i = 0; i < ARRAY_SIZE(options); i++)
        each_refused(options[i], "nan inf -infinity  1.5f 1e 0x1p3 1,5 1.2.3 --1", "not a finite number");
    static const refusal limits[] = {
        {"--scalar 1e400", "--scalar: '1e400' is out of a float's range"},
        {"--scalar 1e39", "--scalar: '1e39' is out of a float's range"},
        {"--scalar 1e-60", "--scalar: '1e-60' is out of a float's range"},
        {"--seconds 0", "--seconds: '0' is out of range (above 0, at most 86400)"},
        {"--time -1", "--time: '-1' is out of range (above 0, at most 86400)"},
        {"--seconds 86400.1", "--seconds: '86400.1' is out of range (above 0, at most 86400)"},
        {"--seconds 1e400", "--seconds: '1e400' is out of range (above 0, at most 86400)"},
        {"--share 0", "--share: '0' is out of range (above 0, below 1)"},
        {"--share 1", "--share: '1' is out of range (above 0, below 1)"},
        {"--share -0.5", "--share: '-0.5' is out of range (above 0, below 1)"},
    };
    ALL_REFUSED(TOY, limits);
}

static void sizes_of_memory_and_ranges_are_checked(void **state) {
    (void)state;
    each_refused("memory", "0x5 G  % 5T 5MB 5_M nan inf 5%% 5M%", "not a size (bytes, 500M, 2.5G or 80%)");
    each_refused("memory", "0 0% 101% 1 1.5 -5 -5% 1e19 1e400",
                 "out of range (2 bytes or more, or above 0 and at most 100%)");
    each_refused("range", "5 0:5 5:4  : 5: :5 1:2:3 1::2 -1:3 +1:3 a:b 1:2147483648 1:99999999999999999999",
                 "not a range A:B with 1 <= A <= B");
}

static void words_and_texts_are_checked(void **state) {
    (void)state;
    static const refusal list[] = {
        {"--word pink", "--word: 'pink' is unknown (known: red, green, blue)"},
        {"--word RED", "--word: 'RED' is unknown (known: red, green, blue)"},
        {"--word ", "--word: '' is unknown (known: red, green, blue)"},
        {"--variant o", "--variant: 'o' is unknown (known: one, two, three)"},
        {"--sweep cube", "--sweep: 'cube' is unknown (known: square, article, odd, check)"},
        {"--sweep none", "--sweep: 'none' is unknown (known: square, article, odd, check)"},
        {"--sim-device H200", "--sim-device: 'H200' is unknown (known: sm_75, sm_80, sm_86, sm_89, sm_90)"},
        {"--text=", "--text: its argument is empty"},
        {"--csv ", "--csv: its argument is empty"},
    };
    ALL_REFUSED(TOY, list);
}

/* ---- rules ---- */

static void rules_hold_in_any_order(void **state) {
    (void)state;
    static const refusal list[] = {
        {"--size 5 --sweep odd", "--size: contradicts --sweep, which chooses them"},
        {"--sweep odd --size 5", "--size: contradicts --sweep, which chooses them"},
        {"--sweep odd --count 5", "--count: contradicts --sweep, which chooses them"},
        {"--flag", "--flag: needs --text"},
        {"--share 0.5 --word red", "--share: needs --word green, which is shared"},
        {"--word blue --scalar 1", "--scalar: contradicts --word blue"},
        {"--file a --csv a", "--file: 'a' is the --csv file too"},
        {"--csv a --file a", "--file: 'a' is the --csv file too"},
        {"--file a --an-option-wider-than-the-column a",
         "--file: 'a' is the --an-option-wider-than-the-column file too"},
        {"--fails", "--fails: it failed"},
        {"--flag --fails", "--flag: needs --text"}, /* what rules have passed */
    };
    ALL_REFUSED(TOY, list);
    ACCEPTED(TOY, "--flag --text x");
    ACCEPTED(TOY, "--share 0.5"); /* green is the default */
    ACCEPTED(TOY, "--scalar 1 --word red");
    ACCEPTED(TOY, "--scalar 1 --other-word blue");
    ACCEPTED(TOY, "--file a --csv b --json c --no-off");
    ACCEPTED(TOY, "--an-option-wider-than-the-column a --csv a"); /* no rule about these */
}

static void rules_of_every_program(void **state) {
    (void)state;
    static const refusal list[] = {
        {"--max-size 5", "--max-size: needs --sweep"},
        {"--every 5", "--every: needs --sweep check"},
        {"--sweep odd --every 1", "--every: needs --sweep check"},
        {"--resume", "--resume: needs --csv"},
        {"--resume --json a", "--resume: needs --csv"},
        {"--json a --csv a", "--json: 'a' is the --csv file too"},
        {"--sweep check --time 1", "--time: contradicts --sweep check, which times nothing"},
        {"--csv a --sweep check", "--csv: contradicts --sweep check, which times nothing"},
        {"--sweep check --json a", "--json: contradicts --sweep check, which times nothing"},
        {"--sweep check --resume", "--resume: contradicts --sweep check, which times nothing"},
    };
    ALL_REFUSED(TOY, list);
    ACCEPTED(TOY, "--sweep odd --time 1 --csv a --json ./a --resume");
}

/* ---- --help and --version ---- */

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

static void help_is_made_from_the_tables(void **state) {
    (void)state;
    static const char *const wanted[] = {
        "Usage: toy [OPTION]...\n\nPlays.\n\n  --size N              a size\n",
        "\n  --flag                becomes true\n",
        "\n  --word WORD           a colour: red, green (default), blue\n",
        "\n  --other-word WORD     another colour: red, green, blue\n",
        "\n  --an-option-wider-than-the-column ARGUMENT\n                        text that is long enough ",
        "for it goes on\n                        and on about nothing, and ends\n",
        "wrong\n\n  --variant NAME        run this variant; may be repeated (default: all)\n",
        "\n  --sim-device NAME     the same, as a GPU of this kind: sm_75, sm_80, sm_86, sm_89, sm_90\n",
        "(check only verifies): square, article, odd, check\n",
        "(default: no limit; check\n                        in the simulator: 200)\n",
        "generator (default 1)",
        "(default 0.5)",
        "\n\nVariants:               one, two, three\n",
        "\n  CUDASIM_THREADS=N     ",
        "\n  CUDASIM_WATCHDOG=S    ",
        "\nExit status:            0 ok, 1 wrong result, 2 bad arguments, 3 CUDA error or no usable device\n",
    };
    const char *help = help_of(TOY);
    for (int i = 0; i < ARRAY_SIZE(wanted); i++)
        if (strstr(help, wanted[i]) == NULL) fail_msg("no '%s' in\n%s", wanted[i], help);
    for (const option *row = toy_table; row->name != NULL; row++) {
        char label[64];
        snprintf(label, sizeof label, "\n  --%s%s", row->name, row->argument != NULL ? " " : "");
        assert_true((strstr(help, label) != NULL) == (strcmp(row->name, "absent") != 0));
    }
    parse(TOY, "--word red --help"); /* the default stays what it is */
    assert_non_null(strstr(out_text, "red, green (default), blue"));
}

static void help_of_many_variants_is_broken_into_lines(void **state) {
    (void)state;
    static char text[MANY][32];
    static const char *many[MANY];
    options_program p = program_of(TOY);
    for (int i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], "variant%02d%.*s", i, i % 9, "xxxxxxxxx");
        many[i] = text[i];
    }
    p.variants = many;
    for (p.variant_count = 1; p.variant_count <= MANY; p.variant_count += 7) {
        assert_int_equal(parse_program(&p, "--help"), OPTIONS_EXIT_OK);
        assert_laid_out(out_text);
        assert_non_null(strstr(out_text, many[p.variant_count - 1]));
    }
}

static void help_comes_before_later_errors_and_after_earlier_ones(void **state) {
    (void)state;
    assert_int_equal(parse(TOY, "--size 5 --sweep odd --help --bogus"), OPTIONS_EXIT_OK);
    assert_string_equal(err_text, "");
    REFUSED(TOY, "--bogus --help", "--bogus: unknown option (see --help)");
}

static void a_program_may_have_no_options_of_its_own(void **state) {
    (void)state;
    const options_program bare = {.program = "toy", .summary = "", .noun = "variant", .variants = names};
    assert_run(parse_program(&bare, "--verbose"), "--verbose");
    assert_true(o.verbose);
    assert_refused(parse_program(&bare, "--size 5"), "--size: unknown option (see --help)");
}

static void version_is_printed(void **state) {
    (void)state;
    assert_int_equal(parse(TOY, "--version --bogus"), OPTIONS_EXIT_OK);
    assert_string_equal(err_text, "");
    char expected[128];
    snprintf(expected, sizeof expected, "toy (kernel-ladder %s)\n", version_text());
    assert_string_equal(out_text, expected);
    assert_in_range(version_text()[0], '0', '9');
}

/* ---- GEMM ---- */

static void gemm_defaults(void **state) {
    (void)state;
    ACCEPTED(GEMM, "");
    assert_true(gemm.m == 2048 && gemm.n == 2048 && gemm.k == 2048 && gemm.lda == 0 && gemm.ldb == 0 && gemm.ldc == 0);
    assert_true(gemm.alpha == 1.0f && gemm.beta == 0.0f && gemm.baseline && !gemm.warm && gemm.sustained_s == 0.0);
    assert_string_equal(gemm.dtype, "f32");
    assert_string_equal(gemm.layout, "nn");
    assert_null(gemm.out);
    assert_null(gemm.show);
    ACCEPTED(GEMM, "--sim");
    assert_true(gemm.m == 512 && gemm.n == 512 && gemm.k == 512);
    ACCEPTED(GEMM, "--sim --sweep check");
    assert_int_equal(o.max_size, 200);
    assert_non_null(strstr(help_of(GEMM), "m = n = k = N (default 2048, in the simulator 512)"));
    assert_null(strstr(out_text, "--show"));
    assert_null(strstr(out_text, "--out"));
}

static void gemm_options_are_taken(void **state) {
    (void)state;
    ACCEPTED(GEMM, "--k 9 --n 8 --size 100");
    assert_true(gemm.m == 100 && gemm.n == 8 && gemm.k == 9 && gemm.size == 100);
    ACCEPTED(GEMM, "--m 0 --size 5 --sim");
    assert_true(gemm.m == 0 && gemm.n == 5 && gemm.k == 5);
    ACCEPTED(GEMM, "--lda 8 --ldb 9 --ldc 10 --m 100 --n 9 --k 8 --alpha -0.5 --beta 2 --warm --no-baseline");
    assert_true(gemm.lda == 8 && gemm.ldb == 9 && gemm.ldc == 10 && gemm.alpha == -0.5f && gemm.beta == 2.0f);
    assert_true(gemm.warm && !gemm.baseline);
    ACCEPTED(GEMM, "--size 0 --lda 1 --ldb 1 --ldc 1 --sustained 2.5");
    assert_true(gemm.sustained_s == 2.5 && o.time_s == 0.5 && !gemm.chain);
    ACCEPTED(GEMM, "--chain --sweep square");
    assert_true(gemm.chain && !gemm.warm);
    ACCEPTED(GEMM, "--sweep article --alpha 2 --beta 1");
    ACCEPTED(TYPED, "");
    assert_string_equal(gemm.dtype, "f16");
    assert_string_equal(gemm.layout, "tn");
    assert_string_equal(gemm.out, "f16");
    assert_false(gemm.dtype_given || gemm.layout_given || gemm.out_given);
    ACCEPTED(TYPED, "--out f32 --layout nn");
    assert_string_equal(gemm.out, "f32");
    assert_true(gemm.out_given && gemm.layout_given && !gemm.dtype_given);
    ACCEPTED(TYPED, "--out=s32 --dtype s8 --alpha -65536 --beta 3"); /* in any order */
    assert_true(gemm.out_given && gemm.dtype_given);
    assert_string_equal(gemm.out, "s32");
    ACCEPTED(TYPED, "--dtype tf32 --alpha 0.5 --beta 1e9");
    assert_string_equal(gemm.out, "f32");
    ACCEPTED(TYPED, "--sim-device sm_80 --show=fragments --device 1 --sim");
    assert_string_equal(gemm.show, "fragments");
    help_of(TYPED);
    assert_non_null(strstr(out_text, ": f16 (default), s8, tf32\n"));
    assert_non_null(strstr(out_text, "what C holds: of f16: f16 (default), f32; of s8: s32; of tf32: f32\n"));
    assert_non_null(strstr(out_text, "show how something works, and stop: fragments, banks\n"));
}

static void gemm_refuses(void **state) {
    (void)state;
    static const refusal list[] = {
        {"--lda 5 --k 8", "--lda 5: less than k = 8"},
        {"--k 8 --lda 5", "--lda 5: less than k = 8"},
        {"--m 2 --n 9 --k 2 --ldb 8", "--ldb 8: less than n = 9"},
        {"--ldc 8 --n 9 --m 2", "--ldc 8: less than n = 9"},
        {"--lda 0", "--lda 0: less than k = 2048"},
        {"--ldb 0 --size 0", "--ldb 0: less than 1"},
        {"--lda 2000000001", "--lda: '2000000001' is out of range (at most 2000000000)"},
        {"--sustained 1 --beta 1", "--sustained: needs --beta 0, as C is not restored between launches"},
        {"--chain --beta 1", "--chain: needs --beta 0, as C is not restored between launches"},
        {"--chain --sustained 1", "--chain: contradicts --sustained, whose launches are cold"},
        {"--dtype f16", "--dtype: 'f16' is unknown (known: f32)"},
        {"--out f32", "--out: unknown option (see --help)"},
        {"--show banks", "--show: unknown option (see --help)"},
        {"--graph", "--graph: unknown option (see --help)"},
        {"--d 5", "--d: ambiguous option (see --help)"}, /* dtype, device */
    };
    static const refusal typed[] = {
        {"--out s32", "--out: 's32' is unknown (known: f16, f32)"},
        {"--out f16 --dtype tf32", "--out: 'f16' is unknown (known: f32)"},
        {"--k 20 --n 10 --ldb 19", "--ldb 19: less than k = 20"}, /* B is transposed */
        {"--k 20 --n 10 --ldb 9 --layout nn", "--ldb 9: less than n = 10"},
        {"--alpha 0.5 --dtype s8", "--alpha: '0.5' is not an integer, which --dtype s8 requires"},
        {"--dtype s8 --beta -1.25", "--beta: '-1.25' is not an integer, which --dtype s8 requires"},
        {"--beta 65537 --dtype s8", "--beta: '65537' is out of range (--dtype s8: at most 65536)"},
        {"--show bank", "--show: 'bank' is unknown (known: fragments, banks)"},
        {"--show banks --sweep check", "--sweep: contradicts --show, which runs no variant"},
    };
    ALL_REFUSED(GEMM, list);
    ALL_REFUSED(TYPED, typed);
    ACCEPTED(TYPED, "--k 20 --n 10 --ldb 10 --layout nn");
    each_refused_with(GEMM, "--sweep check", "size=9 m=9 n=9 k=9 lda=9 ldb=9 ldc=9",
                      "contradicts --sweep, which chooses the shapes");
    each_refused_with(GEMM, "--sweep check", "alpha=2 beta=0", "contradicts --sweep check, which chooses the scalars");
    each_refused_with(GEMM, "--sweep check", "warm chain sustained=1 no-baseline",
                      "contradicts --sweep check, which times nothing");
    each_refused_with(GEMM, "--csv x", "lda=5000 ldb=5000 ldc=5000", "contradicts --csv, which has no column for it");
    each_refused_with(GEMM, "--json x", "lda=5000 ldb=5000 ldc=5000", "contradicts --json, which has no column for it");
    each_refused_with(TYPED, "--show banks", "variant=one list verbose sweep=odd seed=1 time=1 csv=a json=a",
                      "contradicts --show, which runs no variant");
}

/* Whatever options GEMM will have. */
static void a_show_takes_no_other_option(void **state) {
    (void)state;
    static const char *const argument[] = {
        [OPTION_FLAG] = "",   [OPTION_OFF] = "",       [OPTION_SIZE] = " 9", [OPTION_SCALAR] = " 1",
        [OPTION_TEXT] = " x", [OPTION_SECONDS] = " 1", [OPTION_WORD] = NULL};
    char line[96], message[96];
    program_of(TYPED);
    for (const option *row = gemm.table; row->name != NULL; row++) {
        if (strcmp(row->name, "show") == 0) continue;
        const char *value = row->kind == OPTION_WORD ? row->words[0] : argument[row->kind];
        assert_non_null(value);
        snprintf(line, sizeof line, "--show banks --%s%s%s", row->name, row->kind == OPTION_WORD ? " " : "", value);
        snprintf(message, sizeof message, "--%s: contradicts --show, which runs no variant", row->name);
        REFUSED(TYPED, line, message);
    }
}

/* ---- GEMV ---- */

static void gemv_options_are_taken(void **state) {
    (void)state;
    ACCEPTED(GEMV, "");
    assert_true(gemv.n == 4096 && gemv.k == 4096 && gemv.lda == 0 && gemv.alpha == 1.0f && gemv.beta == 0.0f);
    assert_true(gemv.baseline && gemv.tune && !gemv.retune && !gemv.graph && !gemv.pdl && !gemv.warm);
    assert_string_equal(gemv.dtype, "f16");
    assert_null(gemv.tune_file);
    assert_null(gemv.tune_csv);
    ACCEPTED(GEMV, "--n 5 --k=7 --dtype f32 --retune --tune-file a --tune-csv b --no-baseline --warm");
    assert_true(gemv.n == 5 && gemv.k == 7 && gemv.retune && gemv.tune && !gemv.baseline && gemv.warm);
    assert_string_equal(gemv.dtype, "f32");
    assert_string_equal(gemv.tune_file, "a");
    assert_string_equal(gemv.tune_csv, "b");
    ACCEPTED(GEMV, "--graph --no-tune --size 8");
    assert_true(gemv.graph && !gemv.tune && gemv.n == 8 && gemv.k == 8);
    ACCEPTED(GEMV, "--pdl --k=7 --lda 9 --sim");
    assert_true(gemv.pdl && gemv.lda == 9 && gemv.n == 512);
    ACCEPTED(GEMV, "--sweep check --sim");
    assert_int_equal(o.max_size, 300);
    help_of(GEMV);
    assert_non_null(strstr(out_text, "n = k = N (default 4096, in the simulator 512); --n and --k override it\n"));
    assert_non_null(strstr(out_text, ": f16 (default), bf16, f32\n"));
}

static void gemv_refuses(void **state) {
    (void)state;
    static const refusal list[] = {
        {"--lda 6 --k 7", "--lda 6: less than k = 7"},
        {"--lda 0 --k 0", "--lda 0: less than 1"},
        {"--alpha 2 --sweep check", "--alpha: contradicts --sweep check, which chooses the scalars"},
        {"--retune --no-tune", "--retune: contradicts --no-tune"},
        {"--tune-csv x --no-tune", "--tune-csv: contradicts --no-tune, which searches nothing"},
        {"--tune-csv x --sim", "--tune-csv: there is no search in the simulator, whose times are not a GPU's"},
        {"--sim-device sm_90 --tune-csv x",
         "--tune-csv: there is no search in the simulator, whose times are not a GPU's"},
        {"--pdl --graph", "--pdl: contradicts --graph, which times launches with and without it"},
        {"--m 3", "--max-size: needs --sweep"}, /* an abbreviation, to getopt_long */
        {"--ldb=3", "--ldb: unknown option (see --help)"},
        {"--layout n", "--layout: unknown option (see --help)"},
    };
    ALL_REFUSED(GEMV, list);
    each_refused_with(GEMV, "--sweep odd", "size=9 n=9 k=9 lda=9", "contradicts --sweep, which chooses the shapes");
    each_refused_with(GEMV, "--sweep check", "alpha=1 beta=1", "contradicts --sweep check, which chooses the scalars");
    each_refused_with(GEMV, "--sweep check", "warm no-baseline graph pdl retune no-tune tune-file=a tune-csv=a",
                      "contradicts --sweep check, which times nothing");
    each_refused_with(GEMV, "--sweep article", "graph pdl", "contradicts --sweep article, which times single launches");
    each_refused_with(GEMV, "--graph", "alpha=1 beta=1", "contradicts --graph, which chooses the scalars");
    each_refused_with(GEMV, "--csv x", "lda=5000", "contradicts --csv, which has no column for it");
    each_refused_with(GEMV, "--json x", "lda=5000", "contradicts --json, which has no column for it");
    each_refused_with(GEMV, "--tune-csv x", "lda=5000 alpha=1 beta=1",
                      "contradicts --tune-csv, which has no column for it");
    each_refused_with(GEMV, "--csv x", "tune-csv=x tune-file=x", "'x' is the --csv file too");
    each_refused_with(GEMV, "--json x", "tune-csv=x tune-file=x", "'x' is the --json file too");
    each_refused_with(GEMV, "--tune-csv x", "tune-file=x", "'x' is the --tune-csv file too");
    options_program inside = program_of(GEMV);
    inside.simulated = true;
    assert_refused(parse_program(&inside, "--tune-csv x"),
                   "--tune-csv: there is no search in the simulator, whose times are not a GPU's");
}

/* ---- kNN ---- */

static void knn_options_are_taken(void **state) {
    (void)state;
    ACCEPTED(KNN, "");
    assert_true(knn.m == 1200 && knn.n == 32768 && knn.d == 256 && knn.k == 25 && knn.memory_limit == 0.8);
    assert_true(!knn.k_given && !knn.transfers && !knn.verify && knn.k_sweep[1] == 0);
    assert_string_equal(knn.labels, "last");
    assert_string_equal(knn.normalize, "none");
    assert_true(knn.train == NULL && knn.test == NULL && knn.out_labels == NULL);
    ACCEPTED(KNN, "--sim");
    assert_true(knn.m == 20 && knn.n == 2048 && knn.d == 32 && knn.k == 25);
    ACCEPTED(KNN, "--method two --m 0 --d 0 --n 7 --k 7 --memory-limit 2.5G --transfers");
    assert_true(knn.m == 0 && knn.n == 7 && knn.d == 0 && knn.k == 7 && knn.k_given && knn.transfers);
    assert_true(knn.memory_limit == 2.5e9 && !o.chosen[0] && o.chosen[1]);
    ACCEPTED(KNN, "--method two --sweep check --every 3 --sim");
    assert_true(o.sweep == SWEEP_CHECK && o.every == 3 && o.max_size == 4100);
    ACCEPTED(KNN, "--train a --test b --labels first --normalize zscore,minmax --k-sweep 1:11 --seed 4 --verify");
    assert_string_equal(knn.train, "a");
    assert_string_equal(knn.test, "b");
    assert_string_equal(knn.labels, "first");
    assert_string_equal(knn.normalize, "zscore,minmax");
    assert_true(knn.k_sweep[0] == 1 && knn.k_sweep[1] == 11 && knn.k == 5 && !knn.k_given && knn.verify);
    ACCEPTED(KNN, "--train a --test e --out b --out-indices c --out-distances d --k 3");
    assert_true(knn.k_given && knn.k == 3);
    assert_string_equal(knn.out_labels, "b");
    assert_string_equal(knn.out_indices, "c");
    assert_string_equal(knn.out_distances, "d");
    ACCEPTED(KNN, "--train a --test b --k-sweep 1:5 --out c");
    ACCEPTED(KNN, "--train a --test b --train-labels c --test-labels d");
    assert_string_equal(knn.train_labels, "c");
    assert_string_equal(knn.test_labels, "d");
    ACCEPTED(KNN, "--train a --test a --train-labels c"); /* the same records, and labels to find */
    ACCEPTED(KNN, "--train a --test b --labels none --out-indices c");
    help_of(KNN);
    assert_non_null(strstr(out_text, "\n  --out-distances FILE  write the squared distances\n"));
    assert_non_null(strstr(out_text, "\n  --m N                 queries (default 1200, in the simulator 20)\n"));
    assert_non_null(strstr(out_text, "(default 80%)\n"));
}

static void knn_refuses(void **state) {
    (void)state;
    static const refusal list[] = {
        {"--k 0", "--k: '0' is not above 0"},
        {"--n 0", "--n: must be at least 1"},
        {"--n 5 --k 6", "--k 6: more than --n 5"},
        {"--n 5", "--k 25: more than --n 5"},
        {"--method three --method four", "--method: 'four' is unknown (known: one, two, three)"},
        {"--sweep square", "--sweep: 'square' is unknown (known: check)"},
        {"--lda 5", "--lda: unknown option (see --help)"},
        {"--metric l2", "--metric: unknown option (see --help)"},
        {"--dtype f16", "--dtype: unknown option (see --help)"},
        {"--train a", "--train: needs --test"},
        {"--train a --test b --k 0", "--k: '0' is not above 0"},
        {"--train a --test b --k 3 --k-sweep 1:5", "--k: contradicts --k-sweep"},
        {"--train a --test b --labels middle", "--labels: 'middle' is unknown (known: last, first, none)"},
        {"--train a --test b --test-labels c", "--test-labels: needs --train-labels"},
        {"--train a --test b --out c --out-indices c", "--out: 'c' is the --out-indices file too"},
    };
    ALL_REFUSED(KNN, list);
    each_refused_with(KNN, "",
                      "test=a labels=last train-labels=a test-labels=a normalize=none k-sweep=1:2 out=a out-indices=a "
                      "out-distances=a verify",
                      "needs --train");
    each_refused_with(KNN, "--sweep check", "m=9 n=9 d=9 k=9", "contradicts --sweep, which chooses the shapes");
    each_refused_with(KNN, "--sweep check", "transfers", "contradicts --sweep check, which times nothing");
    each_refused_with(KNN, "--train a --test b", "m=9 n=9 d=9 sweep=check",
                      "contradicts --train, which brings its own data");
    each_refused_with(KNN, "--train a --test b", "time=1 csv=c json=c transfers",
                      "contradicts --train, which searches once and records no times");
    each_refused_with(KNN, "--train a --test b --labels none", "k-sweep=1:2 out=c",
                      "contradicts --labels none, which predicts nothing");
    each_refused_with(KNN, "--train a --test b --labels last", "train-labels=c test-labels=c",
                      "contradicts --labels, which is for labels among the records");
    const char *const inputs[] = {"train", "test", "train-labels", "test-labels"};
    for (int i = 0; i < ARRAY_SIZE(inputs); i++) {
        char line[96], reason[64];
        snprintf(line, sizeof line, "--train a --test b --%s x", inputs[i]);
        snprintf(reason, sizeof reason, "'x' is the --%s file too", inputs[i]);
        each_refused_with(KNN, line, "out=x out-indices=x out-distances=x", reason);
    }
}

#define TEST(name) cmocka_unit_test_teardown(name, release)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(common_defaults),
        TEST(common_options_are_taken),
        TEST(counters_need_the_simulator),
        TEST(traces_need_the_simulator),
        TEST(sweeps_are_chosen_by_name),
        TEST(the_simulator_checks_smaller_problems),
        TEST(variants_are_chosen_by_name),
        TEST(a_program_may_have_methods),
        TEST(any_number_of_variants),
        TEST(later_parses_know_nothing_of_earlier_ones),
        TEST(abbreviations),
        TEST(arguments_that_are_missing_or_too_many),
        TEST(control_characters_are_not_printed),
        TEST(each_kind_is_read),
        TEST(whole_numbers_are_checked),
        TEST(decimal_numbers_are_checked),
        TEST(sizes_of_memory_and_ranges_are_checked),
        TEST(words_and_texts_are_checked),
        TEST(rules_hold_in_any_order),
        TEST(rules_of_every_program),
        TEST(help_is_made_from_the_tables),
        TEST(help_of_many_variants_is_broken_into_lines),
        TEST(help_comes_before_later_errors_and_after_earlier_ones),
        TEST(a_program_may_have_no_options_of_its_own),
        TEST(version_is_printed),
        TEST(gemm_defaults),
        TEST(gemm_options_are_taken),
        TEST(gemm_refuses),
        TEST(a_show_takes_no_other_option),
        TEST(gemv_options_are_taken),
        TEST(gemv_refuses),
        TEST(knn_options_are_taken),
        TEST(knn_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
