/* What every program has: how arguments are read, rules between them, --help. */
#include "base/version.h"
#include "options_case.h"

/* ---- what every program has ---- */

TEST(common_options_are_taken) {
    static const acceptance list[] = {
        {"", "all=111 list=0 verbose=0 resume=0 sim=0 first=-1 sweep=none max-size=2147483647 every=1 seed=1 time=0.5"},
        {"", "device=0 sim-device=- csv=- counters=- counters-csv=- explain=- trace=- trace-blocks=0"},
        {"", "off=1 flag=0 word=green other-word=-"},
        {"--verbose --seed 18446744073709551615 --device=3 --sim-device=sm_86 --time 1.25 --csv a.csv --resume "
         "--variant two",
         "verbose=1 resume=1 sim=1 seed=18446744073709551615 time=1.25 device=3 sim-device=sm_86 csv=a.csv all=010"},
        /* what needs the simulator */
        {"--counters", "counters=table sim=1"},
        {"--counters=lines --variant two", "counters=lines"},
        {"--counters-csv a.csv", "counters-csv=a.csv sim=1 counters=-"},
        {"--explain ffma", "explain=ffma sim=1"},
        {"--leak-check", "leak-check=1 sim=1 no-check=0"},
        {"--trace a.json --trace-blocks 7", "trace=a.json trace-blocks=7 sim=1"},
    };
    static const refusal wrong[] = {
        {"--counters=all", "--counters: 'all' is unknown (known: table, lines)"},
        {"--counters lines", "'lines': unexpected argument (see --help)"},
        {"--counters-csv", "--counters-csv: its argument is missing"},
        {"--explain=", "--explain: its argument is empty"},
        {"--counters-csv a --csv a", "--counters-csv: 'a' is the --csv file too"},
        {"--trace a.json --trace-blocks 0", "--trace-blocks: '0' is not above 0"},
        {"--trace-blocks 7", "--trace-blocks: needs --trace"},
        {"--trace a --csv a", "--trace: 'a' is the --csv file too"},
        {"--trace a --counters-csv a", "--counters-csv: 'a' is the --trace file too"},
    };
    ALL_ACCEPTED(TOY, list);
    ALL_REFUSED(TOY, wrong);
}

TEST(sweeps_are_chosen_by_name) {
    static const acceptance list[] = {
        {"--sweep square", "sweep=square"},
        {"--sweep article --max-size 4096", "sweep=article max-size=4096"},
        {"--max-size 2147483647 --sweep odd", "sweep=odd"},
        {"--every=2147483647 --sweep check", "sweep=check every=2147483647"},
    };
    ALL_ACCEPTED(TOY, list);
    options_program none = program_of(TOY);
    none.sweeps = NULL;
    assert_refused(parse_program(&none, "--sweep square"), "--sweep: unknown option (see --help)");
    assert_refused(parse_program(&none, "--max-size 5"), "--max-size: unknown option (see --help)");
}

TEST(the_simulator_checks_smaller_problems) {
    options_program inside = program_of(TOY);
    static const acceptance list[] = {
        {"--sim", "sim=1 sim-device=- size=8"},
        {"--sweep check --sim", "max-size=200"},
        {"--sweep check --sim-device sm_90 --max-size 4095", "max-size=4095"},
        {"--sweep odd --sim", "max-size=2147483647"}, /* its shapes are chosen for it */
        {"--sweep check", "max-size=2147483647"},
    };
    inside.simulated = true;
    ALL_ACCEPTED(TOY, list);
    assert_run(parse_program(&inside, "--sweep check"), "--sweep check");
    assert_values("--sweep check", "sim=1 max-size=200");
}

TEST(variants_are_chosen_by_name) {
    ACCEPTED(TOY, "--variant three --variant=one --variant one");
    assert_values("three, one", "all=101 first=2");
    assert_true(o.variant_given);
    REFUSED(TOY, "--variant best", "--variant: 'best' is unknown (known: one, two, three)");
    REFUSED(TOY, "--method one", "--method: unknown option (see --help)");
}

TEST(a_program_may_have_methods) {
    options_program p = program_of(TOY);
    p.noun = "method";
    assert_run(parse_program(&p, "--method two --variant three"), "two spellings");
    assert_values("two, three", "all=011 first=1");
    assert_refused(parse_program(&p, "--variant four"), "--method: 'four' is unknown (known: one, two, three)");
    assert_int_equal(parse_program(&p, "--help"), OPTIONS_EXIT_OK);
    assert_non_null(strstr(out_text, "\n  --method NAME "));
    assert_non_null(strstr(out_text, "\nMethods:                one, two, three\n"));
}

enum { MANY = 300 };

/* Names of different lengths, no two alike. */
static options_program program_of_many(void) {
    static char text[MANY][32];
    static const char *many[MANY];
    options_program p = program_of(TOY);
    for (int i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], "variant%02d%.*s", i, i % 9, "xxxxxxxxx");
        many[i] = text[i];
    }
    p.variants = many;
    return p;
}

TEST(any_number_of_variants) {
    options_program p = program_of_many();
    for (p.variant_count = 63; p.variant_count <= MANY; p.variant_count++) {
        const char *last = p.variants[p.variant_count - 1];
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

TEST(later_parses_know_nothing_of_earlier_ones) {
    assert_int_equal(parse(TOY, "--flag --verbose --variant two --bogus --size 7"), OPTIONS_EXIT_USAGE);
    assert_int_equal(parse(TOY, "-xyz"), OPTIONS_EXIT_USAGE); /* leaves getopt inside a cluster of letters */
    ACCEPTED(TOY, "--size 6");
    assert_values("--size 6", "size=6 flag=0 verbose=0 all=111");
    ACCEPTED(TOY, "--seed 1 --seed 2"); /* the last counts */
    assert_values("--seed 2", "seed=2");
}

TEST(abbreviations) {
    ACCEPTED(TOY, "--verb --max=9 --sw=odd --start 4");
    assert_values("abbreviated", "verbose=1 max-size=9 start=4");
    static const refusal list[] = {
        {"--se 5", "--se: ambiguous option (seconds, seed)"}, /* seed, seconds */
        {"--s=5", "--s: ambiguous option (size, start, scalar, seconds, sweep, seed, sim, sim-device)"},
        {"--bogus", "--bogus: unknown option (see --help)"},
        {"--size 4 --sizes 5", "--sizes: unknown option: did you mean --size? (see --help)"},
        {"--absent red", "--absent: unknown option (see --help)"},
        {"-x", "-x: unknown option (see --help)"},
        {"-n 5", "-n: unknown option (see --help)"},
        {"-xyz", "-x: unknown option (see --help)"},
        {"--=5", "--: unknown option (see --help)"},
    };
    ALL_REFUSED(TOY, list);
}

TEST(arguments_that_are_missing_or_too_many) {
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

TEST(control_characters_are_not_printed) {
    REFUSED(TOY, "--size 1\n2\033[31m\177", "--size: '1?2?[31m?' is not a number");
    REFUSED(TOY, "--scalar \t1", "--scalar: '?1' is not a finite number");
    REFUSED(TOY, "--a\nb", "--a?b: unknown option (see --help)");
    REFUSED(TOY, "a\tb\r", "'a?b?': unexpected argument (see --help)");
    REFUSED(TOY, "--variant \xC3\xA9", "--variant: '\xC3\xA9' is unknown (known: one, two, three)");
}

/* ---- kinds ---- */

TEST(each_kind_is_read) {
    static const acceptance list[] = {
        {"--size 2000000000 --count=2147483647 --positive 2147483647 --start 18446744073709551615 --scalar -2.5e-1 "
         "--seconds 86400 --range 1:11 --flag --no-off --word green --other-word blue --text x --file y "
         "--an-option-wider-than-the-column z",
         "size=2000000000 count=2147483647 positive=2147483647 start=18446744073709551615 scalar=-0.25 seconds=86400 "
         "range=1:11 flag=1 off=0 word=green other-word=blue text=x file=y an-option-wider-than-the-column=z"},
        {"--size -0 --count +12 --positive 1 --start 0 --scalar 1e-40 --seconds 1e-9 --range 5:5",
         "size=0 count=12 positive=1 start=0 scalar=9.9999461e-41 seconds=1e-09 range=5:5"},
        {"--scalar 3.4028234e38", "scalar=3.40282347e+38"},
        {"--scalar -0", "size=64"},
    };
    assert_int_equal(OPTIONS_MAX_SIZE, 2000000000);
    ALL_ACCEPTED(TOY, list);
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

TEST(whole_numbers_are_checked) {
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

TEST(decimal_numbers_are_checked) {
    static const char *const options[] = {"scalar", "seconds", "time"};
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
    };
    ALL_REFUSED(TOY, limits);
}

TEST(ranges_are_checked) {
    each_refused("range", "5 0:5 5:4  : 5: :5 1:2:3 1::2 -1:3 +1:3 a:b 1:2147483648 1:99999999999999999999",
                 "not a range A:B with 1 <= A <= B");
}

TEST(words_and_texts_are_checked) {
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

TEST(rules_hold_in_any_order) {
    static const refusal list[] = {
        {"--size 5 --sweep odd", "--size: contradicts --sweep, which chooses them"},
        {"--sweep odd --size 5", "--size: contradicts --sweep, which chooses them"},
        {"--sweep odd --count 5", "--count: contradicts --sweep, which chooses them"},
        {"--flag", "--flag: needs --text"},
        {"--positive 5 --word red", "--positive: needs --word green, which is shared"},
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
    ACCEPTED(TOY, "--positive 5"); /* green is the default */
    ACCEPTED(TOY, "--scalar 1 --word red");
    ACCEPTED(TOY, "--scalar 1 --other-word blue");
    ACCEPTED(TOY, "--file a --csv b --no-off");
}

TEST(rules_of_every_program) {
    static const refusal list[] = {
        {"--max-size 5", "--max-size: needs --sweep"},
        {"--every 5", "--every: needs --sweep check"},
        {"--sweep odd --every 1", "--every: needs --sweep check"},
        {"--resume", "--resume: needs --csv"},
        {"--sweep check --time 1", "--time: contradicts --sweep check, which times nothing"},
        {"--csv a --sweep check", "--csv: contradicts --sweep check, which times nothing"},
        {"--sweep check --resume", "--resume: contradicts --sweep check, which times nothing"},
        {"--list --size 5", "--size: contradicts --list, which runs nothing"},
        {"--csv a --list", "--csv: contradicts --list, which runs nothing"},
        {"--counters --list", "--counters: contradicts --list, which runs nothing"},
        {"--explain a --list", "--explain: contradicts --list, which runs nothing"},
        {"--explain a --variant two", "--variant: contradicts --explain, which runs nothing"},
        {"--co", "--co: ambiguous option (count, counters, counters-csv)"},
        {"--variant twoo", "--variant: 'twoo' is unknown: did you mean 'two'? (known: one, two, three)"},
        {"--word geren", "--word: 'geren' is unknown: did you mean 'green'? (known: red, green, blue)"},
    };
    ALL_REFUSED(TOY, list);
    ACCEPTED(TOY, "--sweep odd --time 1 --csv a --resume");
    ACCEPTED(TOY, "--list --verbose --variant two --device 1 --sim-device sm_80");
    assert_true(o.list && o.chosen[1] && !o.chosen[0]);
    ACCEPTED(TOY, "--list --sweep odd --seed 5");
    assert_int_equal(parse(TOY, "-h"), OPTIONS_EXIT_OK);
}

/* ---- --help and --version ---- */

TEST(help_is_made_from_the_tables) {
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

TEST(help_of_many_variants_is_broken_into_lines) {
    options_program p = program_of_many();
    for (p.variant_count = 1; p.variant_count <= MANY; p.variant_count += 7) {
        assert_int_equal(parse_program(&p, "--help"), OPTIONS_EXIT_OK);
        assert_laid_out(out_text);
        assert_non_null(strstr(out_text, p.variants[p.variant_count - 1]));
    }
}

TEST(help_comes_before_later_errors_and_after_earlier_ones) {
    assert_int_equal(parse(TOY, "--size 5 --sweep odd --help --bogus"), OPTIONS_EXIT_OK);
    assert_string_equal(err_text, "");
    REFUSED(TOY, "--bogus --help", "--bogus: unknown option (see --help)");
}

TEST(a_program_may_have_no_options_of_its_own) {
    const options_program bare = {.program = "toy", .summary = "", .noun = "variant", .variants = names};
    assert_run(parse_program(&bare, "--verbose"), "--verbose");
    assert_true(o.verbose);
    assert_refused(parse_program(&bare, "--size 5"), "--size: unknown option (see --help)");
}

TEST(version_is_printed) {
    assert_int_equal(parse(TOY, "--version --bogus"), OPTIONS_EXIT_OK);
    assert_string_equal(err_text, "");
    char expected[128];
    snprintf(expected, sizeof expected, "toy (kernel-ladder %s)\n", version_text());
    assert_string_equal(out_text, expected);
    assert_in_range(version_text()[0], '0', '9');
}

static const struct fixtures fixtures = {.after = release};
