/* The command line: what is accepted, what each refusal says, and --help. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/options.h"

#define STEP "step04_vectorized"

static const char *const variants[] = {"scalar", "float4", "float4_transposed"};
static const char *const dtypes[] = {"f32", "f16", NULL};
static const char *const layouts[] = {"nn", "nt", NULL};
static const options_step step = {STEP, variants, 3,     dtypes,       layouts, NULL, 4096,
                                  256,  200,      false, OPTIONS_GEMM, NULL,    {0},  {0}};
static const options_step simulated = {STEP, variants, 3,    dtypes,       layouts, NULL, 4096,
                                       256,  200,      true, OPTIONS_GEMM, NULL,    {0},  {0}};

/* The last parse: what it filled and what it printed. */
static options o;
static char *out_text, *err_text;

static options_result parse_for(const options_step *s, const char *const *arguments) {
    char *argv[64] = {(char *)"./run"};
    int argc = 1;
    while (arguments[argc - 1] != NULL) {
        argv[argc] = (char *)arguments[argc - 1];
        argc++;
    }
    free(out_text);
    free(err_text);
    size_t out_length, err_length;
    FILE *out = open_memstream(&out_text, &out_length), *err = open_memstream(&err_text, &err_length);
    memset(&o, 0xAA, sizeof o);
    const options_result result = options_parse(argc, argv, s, &o, out, err);
    fclose(out);
    fclose(err);
    return result;
}

#define PARSE(...) parse_for(&step, (const char *const[]){__VA_ARGS__, NULL})

static void assert_silent(void) {
    assert_string_equal(out_text, "");
    assert_string_equal(err_text, "");
}

#define ACCEPTED(...)                                                                                                  \
    do {                                                                                                               \
        assert_int_equal(PARSE(__VA_ARGS__), OPTIONS_RUN);                                                             \
        assert_silent();                                                                                               \
    } while (0)

/* `message` is the whole of the one line, without the step's name. */
static void assert_refused(options_result result, const char *message) {
    char line[1024];
    snprintf(line, sizeof line, STEP ": %s\n", message);
    assert_int_equal(result, OPTIONS_EXIT_USAGE);
    assert_string_equal(err_text, line);
    assert_string_equal(out_text, "");
    assert_ptr_equal(strchr(err_text, '\n'), err_text + strlen(err_text) - 1);
}

#define REFUSED(message, ...) assert_refused(PARSE(__VA_ARGS__), message)

static int release(void **state) {
    (void)state;
    free(out_text);
    free(err_text);
    out_text = err_text = NULL;
    return 0;
}

/* ---- accepted ---- */

static void defaults(void **state) {
    (void)state;
    assert_int_equal(parse_for(&step, (const char *const[]){NULL}), OPTIONS_RUN);
    assert_silent();
    assert_int_equal(o.m, 4096);
    assert_int_equal(o.n, 4096);
    assert_int_equal(o.k, 4096);
    assert_int_equal(o.lda, 0);
    assert_int_equal(o.ldb, 0);
    assert_int_equal(o.ldc, 0);
    assert_true(o.alpha == 1.0f);
    assert_true(o.beta == 0.0f);
    assert_ptr_equal(o.dtype, dtypes[0]);
    assert_ptr_equal(o.layout, layouts[0]);
    assert_int_equal(o.sweep, SWEEP_NONE);
    assert_int_equal(o.max_size, INT_MAX);
    assert_int_equal(o.every, 1);
    assert_true(o.chosen[0] && o.chosen[1] && o.chosen[2]);
    assert_false(o.list || o.verbose || o.warm || o.resume);
    assert_true(o.baseline);
    assert_true(o.seed == 1);
    assert_int_equal(o.device, 0);
    assert_false(o.simulate);
    assert_null(o.sim_device);
    assert_true(o.time_s == 0.5);
    assert_null(o.csv);
    assert_null(o.json);
}

static void every_option_is_taken(void **state) {
    (void)state;
    ACCEPTED("--m", "11", "--n=12", "--k", "13", "--lda", "14", "--ldb=15", "--ldc", "16");
    assert_int_equal(o.lda, 14);
    assert_int_equal(o.ldb, 15);
    assert_int_equal(o.ldc, 16);
    ACCEPTED("--m", "11", "--n=12", "--k", "13", "--alpha", "-0.5", "--beta=2.5e-1", "--dtype", "f16", "--layout=nt",
             "--list", "--verbose", "--seed", "18446744073709551615", "--device", "3", "--sim", "--sim-device=sm_86",
             "--warm", "--time=1.25", "--no-baseline", "--csv", "no-such-a.csv", "--json", "no-such-a.json",
             "--resume");
    assert_int_equal(o.m, 11);
    assert_int_equal(o.n, 12);
    assert_int_equal(o.k, 13);
    assert_true(o.alpha == -0.5f);
    assert_true(o.beta == 0.25f);
    assert_string_equal(o.dtype, "f16");
    assert_string_equal(o.layout, "nt");
    assert_true(o.list && o.verbose && o.warm && o.resume);
    assert_false(o.baseline);
    assert_true(o.seed == UINT64_MAX);
    assert_int_equal(o.device, 3);
    assert_true(o.simulate);
    assert_string_equal(o.sim_device, "sm_86");
    assert_true(o.time_s == 1.25);
    assert_string_equal(o.csv, "no-such-a.csv");
    assert_string_equal(o.json, "no-such-a.json");
}

static void size_sets_all_three_and_single_sides_win_in_any_order(void **state) {
    (void)state;
    ACCEPTED("--size", "100");
    assert_true(o.m == 100 && o.n == 100 && o.k == 100);
    ACCEPTED("--size", "100", "--m", "7");
    assert_true(o.m == 7 && o.n == 100 && o.k == 100);
    ACCEPTED("--k", "9", "--n", "8", "--size", "100");
    assert_true(o.m == 100 && o.n == 8 && o.k == 9);
    ACCEPTED("--n", "8");
    assert_true(o.m == 4096 && o.n == 8 && o.k == 4096);
}

/* What is not asked for is smaller there; what is asked for counts. */
static void the_simulator_has_its_own_defaults(void **state) {
    (void)state;
    const char *const none[] = {NULL}, *const check[] = {"--sweep", "check", NULL};
    ACCEPTED("--sim");
    assert_true(o.simulate && o.sim_device == NULL);
    assert_true(o.m == 256 && o.n == 256 && o.k == 256);
    ACCEPTED("--m", "3000", "--sim-device", "sm_75", "--lda", "300");
    assert_true(o.simulate && o.m == 3000 && o.n == 256 && o.k == 256);
    assert_string_equal(o.sim_device, "sm_75");
    ACCEPTED("--sim", "--size", "1000");
    assert_true(o.m == 1000 && o.n == 1000 && o.k == 1000);
    ACCEPTED("--sweep", "check", "--sim");
    assert_int_equal(o.max_size, 200);
    ACCEPTED("--sweep", "check", "--sim", "--max-size", "4095");
    assert_int_equal(o.max_size, 4095);
    ACCEPTED("--sweep", "odd", "--sim"); /* its shapes are chosen for it */
    assert_int_equal(o.max_size, INT_MAX);

    assert_int_equal(parse_for(&simulated, none), OPTIONS_RUN);
    assert_false(o.simulate);
    assert_true(o.m == 256 && o.n == 256 && o.k == 256);
    assert_int_equal(parse_for(&simulated, check), OPTIONS_RUN);
    assert_int_equal(o.max_size, 200);

    REFUSED("--sim-device: 'sm_91' is unknown (known: sm_75, sm_80, sm_86, sm_89, sm_90)", "--sim-device", "sm_91");
    REFUSED("--sim-device: 'H200' is unknown (known: sm_75, sm_80, sm_86, sm_89, sm_90)", "--sim-device=H200");
    REFUSED("--sim-device: its argument is missing", "--sim-device");
    REFUSED("--sim: takes no argument", "--sim=sm_75");
    REFUSED("--lda 300: less than k = 4096", "--lda", "300");
}

static void extreme_sizes_are_legal(void **state) {
    (void)state;
    ACCEPTED("--size", "0");
    assert_true(o.m == 0 && o.n == 0 && o.k == 0);
    ACCEPTED("--m", "0", "--size", "5");
    assert_true(o.m == 0 && o.n == 5);
    assert_int_equal(GEMM_MAX_SIZE, 2000000000);
    ACCEPTED("--size", "2000000000");
    assert_true(o.m == GEMM_MAX_SIZE && o.n == GEMM_MAX_SIZE && o.k == GEMM_MAX_SIZE);
    ACCEPTED("--m", "2000000000", "--n", "2000000000", "--k", "2000000000", "--lda", "2000000000", "--ldb",
             "2000000000", "--ldc", "2000000000");
    assert_true(o.m == GEMM_MAX_SIZE && o.k == GEMM_MAX_SIZE && o.lda == GEMM_MAX_SIZE && o.ldc == GEMM_MAX_SIZE);
    ACCEPTED("--size", "-0");
    assert_int_equal(o.m, 0);
    ACCEPTED("--size", "+12");
    assert_int_equal(o.m, 12);
}

static void leading_dimensions_at_their_least(void **state) {
    (void)state;
    ACCEPTED("--lda", "8", "--ldb", "9", "--ldc", "9", "--m", "100", "--n", "9", "--k", "8");
    assert_true(o.lda == 8 && o.ldb == 9 && o.ldc == 9);
    ACCEPTED("--size", "0", "--lda", "1", "--ldb", "1", "--ldc", "1");
    assert_int_equal(o.lda, 1);
}

static void sweeps(void **state) {
    (void)state;
    ACCEPTED("--sweep", "square");
    assert_int_equal(o.sweep, SWEEP_SQUARE);
    assert_int_equal(o.max_size, INT_MAX);
    ACCEPTED("--sweep", "article", "--max-size", "4096", "--alpha", "2", "--beta", "1");
    assert_int_equal(o.sweep, SWEEP_ARTICLE);
    assert_int_equal(o.max_size, 4096);
    assert_true(o.alpha == 2.0f && o.beta == 1.0f);
    ACCEPTED("--max-size", "100", "--sweep", "odd");
    assert_int_equal(o.sweep, SWEEP_ODD);
    assert_int_equal(o.max_size, 100);
    ACCEPTED("--sweep", "check");
    assert_int_equal(o.sweep, SWEEP_CHECK);
    assert_int_equal(o.every, 1);
    ACCEPTED("--every", "5", "--sweep", "check", "--max-size", "129");
    assert_int_equal(o.every, 5);
    assert_int_equal(o.max_size, 129);
    ACCEPTED("--sweep", "check", "--every=2147483647");
    assert_int_equal(o.every, INT_MAX);
}

static void variants_are_chosen_by_name(void **state) {
    (void)state;
    ACCEPTED("--variant", "float4");
    assert_true(!o.chosen[0] && o.chosen[1] && !o.chosen[2]);
    ACCEPTED("--variant", "float4_transposed", "--variant=scalar", "--variant", "scalar");
    assert_true(o.chosen[0] && !o.chosen[1] && o.chosen[2]);
}

static void unambiguous_abbreviations_and_repetition(void **state) {
    (void)state;
    ACCEPTED("--verb", "--no", "--max=9", "--sw=odd");
    assert_true(o.verbose && !o.baseline);
    assert_int_equal(o.max_size, 9);
    ACCEPTED("--seed", "1", "--seed", "2");
    assert_true(o.seed == 2);
}

static void small_scalars_stay_nonzero(void **state) {
    (void)state;
    ACCEPTED("--alpha", "1e-40", "--beta", "-0");
    assert_true(o.alpha == 1e-40f);
    assert_true(o.beta == 0.0f);
    ACCEPTED("--alpha", "3.4028234e38");
    assert_true(o.alpha == 3.4028234e38f);
}

static void parses_again_after_an_error(void **state) {
    (void)state;
    assert_int_equal(PARSE("--size", "5", "--bogus", "--m", "7"), OPTIONS_EXIT_USAGE);
    assert_int_equal(PARSE("-xyz"), OPTIONS_EXIT_USAGE); /* leaves getopt inside a cluster of letters */
    ACCEPTED("--size", "6");
    assert_true(o.m == 6 && o.k == 6);
    ACCEPTED("--warm");
    assert_int_equal(o.m, 4096);
}

static void double_dash_ends_the_options(void **state) {
    (void)state;
    ACCEPTED("--size", "6", "--");
    assert_int_equal(o.m, 6);
    REFUSED("'--warm': unexpected argument (see --help)", "--size", "6", "--", "--warm");
}

/* ---- refused ---- */

static void unknown_options(void **state) {
    (void)state;
    REFUSED("--bogus: unknown option (see --help)", "--bogus");
    REFUSED("--bogus: unknown option (see --help)", "--bogus=12");
    REFUSED("--sizes: unknown option (see --help)", "--size", "4", "--sizes", "5");
    REFUSED("-x: unknown option (see --help)", "-x");
    REFUSED("-n: unknown option (see --help)", "-n", "5");
    REFUSED("-x: unknown option (see --help)", "-xyz");
    REFUSED("--: unknown option (see --help)", "--=5");
}

static void ambiguous_options(void **state) {
    (void)state;
    REFUSED("--ld: ambiguous (lda, ldb, ldc)", "--ld", "5");
    REFUSED("--s: ambiguous (size, sweep, seed, sim, sim-device, sustained)", "--s=5");
    REFUSED("--l: ambiguous (lda, ldb, ldc, layout, list)", "--l");
}

static void missing_and_superfluous_arguments(void **state) {
    (void)state;
    REFUSED("--size: its argument is missing", "--size");
    REFUSED("--csv: its argument is missing", "--warm", "--csv");
    REFUSED("--variant: its argument is missing", "--var");
    REFUSED("--warm: takes no argument", "--warm=yes");
    REFUSED("--no-baseline: takes no argument", "--no-b=1");
    REFUSED("--size: '--m' is not a number", "--size", "--m", "5");
}

static void stray_arguments(void **state) {
    (void)state;
    REFUSED("'4096': unexpected argument (see --help)", "4096");
    REFUSED("'x': unexpected argument (see --help)", "--warm", "x", "--bogus");
    REFUSED("'-': unexpected argument (see --help)", "-");
    REFUSED("'': unexpected argument (see --help)", "");
}

static void malformed_whole_numbers(void **state) {
    (void)state;
    REFUSED("--size: 'abc' is not a number", "--size", "abc");
    REFUSED("--size: '12x' is not a number", "--size", "12x");
    REFUSED("--size: '' is not a number", "--size=");
    REFUSED("--size: '' is not a number", "--size", "");
    REFUSED("--size: ' 12' is not a number", "--size", " 12");
    REFUSED("--size: '12 ' is not a number", "--size", "12 ");
    REFUSED("--size: '0x10' is not a number", "--size", "0x10");
    REFUSED("--size: '-' is not a number", "--size", "-");
    REFUSED("--size: '--5' is not a number", "--size", "--5");
    REFUSED("--size: 'nan' is not a number", "--size", "nan");
    REFUSED("--m: '1.5' is not a whole number", "--m", "1.5");
    REFUSED("--k: '1e400' is not a whole number", "--k", "1e400");
}

static void whole_numbers_out_of_range(void **state) {
    (void)state;
    REFUSED("--size: '-5' is negative", "--size", "-5");
    REFUSED("--n: '-1' is negative", "--n=-1");
    REFUSED("--lda: '-1' is negative", "--lda", "-1");
    REFUSED("--device: '-1' is negative", "--device", "-1");
    REFUSED("--seed: '-1' is negative", "--seed", "-1");
    REFUSED("--device: '2147483648' is out of range (at most 2147483647)", "--device", "2147483648");
    REFUSED("--every: '4294967297' is out of range (at most 2147483647)", "--sweep", "check", "--every", "4294967297");
    REFUSED("--max-size: '99999999999999999999' is out of range (at most 2147483647)", "--sweep", "odd", "--max-size",
            "99999999999999999999");
    REFUSED("--seed: '18446744073709551616' is out of range (at most 18446744073709551615)", "--seed",
            "18446744073709551616");
}

/* Beyond GEMM_MAX_SIZE a kernel's `k0 += BK` could pass INT_MAX. */
static void sizes_end_at_the_contract(void **state) {
    (void)state;
    const char *const names[] = {"size", "m", "n", "k", "lda", "ldb", "ldc"};
    const char *const numbers[] = {"2000000001", "2100000000", "2147483648", "4294967297", "99999999999999999999"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (size_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++) {
            char option[64], message[96];
            snprintf(option, sizeof option, "--%s=%s", names[i], numbers[j]);
            snprintf(message, sizeof message, "--%s %s: larger than 2000000000", names[i], numbers[j]);
            assert_refused(PARSE(option), message);
        }
    ACCEPTED("--sweep", "odd", "--max-size", "2147483647"); /* a limit, no size */
    assert_int_equal(o.max_size, INT_MAX);
}

static void every_size_option_checks_its_number(void **state) {
    (void)state;
    const char *const names[] = {"size", "m", "n", "k", "lda", "ldb", "ldc", "max-size", "every", "seed", "device"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char option[32], message[64];
        snprintf(option, sizeof option, "--%s=7x", names[i]);
        snprintf(message, sizeof message, "--%s: '7x' is not a number", names[i]);
        assert_refused(PARSE(option), message);
    }
}

static void scalars_that_are_no_finite_float(void **state) {
    (void)state;
    REFUSED("--alpha: 'nan' is not a finite number", "--alpha", "nan");
    REFUSED("--beta: 'inf' is not a finite number", "--beta", "inf");
    REFUSED("--beta: '-infinity' is not a finite number", "--beta=-infinity");
    REFUSED("--alpha: '' is not a finite number", "--alpha=");
    REFUSED("--alpha: '1.5f' is not a finite number", "--alpha", "1.5f");
    REFUSED("--alpha: '1e' is not a finite number", "--alpha", "1e");
    REFUSED("--alpha: '0x1p3' is not a finite number", "--alpha", "0x1p3");
    REFUSED("--alpha: '1e400' is out of a float's range", "--alpha", "1e400");
    REFUSED("--alpha: '1e39' is out of a float's range", "--alpha", "1e39");
    REFUSED("--beta: '1e-60' is out of a float's range", "--beta", "1e-60");
}

static void time_must_be_positive(void **state) {
    (void)state;
    REFUSED("--time: '0' is not above 0", "--time", "0");
    REFUSED("--time: '-1' is not above 0", "--time", "-1");
    REFUSED("--time: 'nan' is not a finite number", "--time", "nan");
    REFUSED("--time: '1s' is not a finite number", "--time", "1s");
    REFUSED("--time: '1e400' is out of range (at most 86400)", "--time", "1e400");
}

static void unknown_names(void **state) {
    (void)state;
    REFUSED("--variant: 'float' is unknown (known: scalar, float4, float4_transposed)", "--variant", "float");
    REFUSED("--variant: '' is unknown (known: scalar, float4, float4_transposed)", "--variant=");
    REFUSED("--dtype: 'f64' is unknown (known: f32, f16)", "--dtype", "f64");
    REFUSED("--layout: 'NN' is unknown (known: nn, nt)", "--layout", "NN");
    REFUSED("--sweep: 'cube' is unknown (known: square, article, odd, check)", "--sweep", "cube");
}

static void leading_dimensions_too_small(void **state) {
    (void)state;
    REFUSED("--lda 5: less than k = 8", "--lda", "5", "--k", "8");
    REFUSED("--lda 5: less than k = 8", "--k", "8", "--lda", "5");
    REFUSED("--ldb 8: less than n = 9", "--m", "2", "--n", "9", "--k", "2", "--ldb", "8");
    REFUSED("--ldc 8: less than n = 9", "--ldc", "8", "--n", "9", "--m", "2");
    REFUSED("--lda 4095: less than k = 4096", "--lda", "4095");
    REFUSED("--lda 0: less than k = 4096", "--lda", "0");
    REFUSED("--ldb 0: less than 1", "--ldb", "0", "--size", "0");
}

/* ---- a step of several types ---- */

static const char *const typed_dtypes[] = {"f16", "s8", "tf32", NULL}, *const typed_layouts[] = {"tn", "nn", NULL};
static const char *const f16_outs[] = {"f16", "f32", NULL}, *const s8_outs[] = {"s32", NULL},
                         *const tf32_outs[] = {"f32", NULL};
static const char *const *const outs[] = {f16_outs, s8_outs, tf32_outs};
static const options_step typed = {STEP, variants, 3,     typed_dtypes, typed_layouts, outs, 4096,
                                   256,  200,      false, OPTIONS_GEMM, NULL,          {0},  {0}};

#define PARSE_TYPED(...)                                                                                               \
    parse_for(&typed, (const char *const[]){"--k", "20", "--n", "10", __VA_ARGS__, NULL}) /* 20 rows and 10 columns */

static void what_c_holds(void **state) {
    (void)state;
    assert_int_equal(PARSE_TYPED("--m", "5"), OPTIONS_RUN);
    assert_string_equal(o.out, "f16");
    assert_false(o.dtype_given || o.layout_given || o.out_given);
    assert_int_equal(PARSE_TYPED("--out", "f32", "--layout", "nn"), OPTIONS_RUN);
    assert_string_equal(o.out, "f32");
    assert_true(o.out_given && o.layout_given && !o.dtype_given);
    assert_int_equal(PARSE_TYPED("--out=s32", "--dtype", "s8"), OPTIONS_RUN); /* in any order */
    assert_string_equal(o.out, "s32");
    assert_true(o.out_given && o.dtype_given);
    assert_int_equal(PARSE_TYPED("--dtype", "tf32"), OPTIONS_RUN);
    assert_string_equal(o.out, "f32");
    assert_refused(PARSE_TYPED("--out", "s32"), "--out: 's32' is unknown (known: f16, f32)");
    assert_refused(PARSE_TYPED("--out", "f16", "--dtype", "tf32"), "--out: 'f16' is unknown (known: f32)");
    REFUSED("--out: unknown option (see --help)", "--out", "f32"); /* a step of one type has none */
    ACCEPTED("--m", "5");
    assert_null(o.out);
}

static void leading_dimension_of_a_transposed_b(void **state) {
    (void)state;
    assert_int_equal(PARSE_TYPED("--ldb", "20"), OPTIONS_RUN);
    assert_refused(PARSE_TYPED("--ldb", "19"), "--ldb 19: less than k = 20");
    assert_int_equal(PARSE_TYPED("--ldb", "10", "--layout", "nn"), OPTIONS_RUN);
    assert_refused(PARSE_TYPED("--ldb", "9", "--layout", "nn"), "--ldb 9: less than n = 10");
}

static void scalars_of_whole_numbers(void **state) {
    (void)state;
    assert_int_equal(PARSE_TYPED("--dtype", "s8", "--alpha", "-65536", "--beta", "3"), OPTIONS_RUN);
    assert_int_equal(PARSE_TYPED("--alpha", "0.5", "--beta", "1e9"), OPTIONS_RUN);
    assert_refused(PARSE_TYPED("--alpha", "0.5", "--dtype", "s8"),
                   "--alpha: '0.5' is not whole, and --dtype s8 computes in whole numbers");
    assert_refused(PARSE_TYPED("--beta", "-1.25", "--dtype", "s8"),
                   "--beta: '-1.25' is not whole, and --dtype s8 computes in whole numbers");
    assert_refused(PARSE_TYPED("--beta", "65537", "--dtype", "s8"),
                   "--beta: '65537' is out of range (--dtype s8: at most 65536)");
}

static void sustained_load(void **state) {
    (void)state;
    ACCEPTED("--m", "5");
    assert_true(o.sustained_s == 0.0);
    ACCEPTED("--sustained", "2.5");
    assert_true(o.sustained_s == 2.5);
    assert_true(o.time_s == 0.5);
    REFUSED("--sustained: '0' is not above 0", "--sustained", "0");
    REFUSED("--sustained: 'x' is not a finite number", "--sustained", "x");
    REFUSED("--sustained: '1e9' is out of range (at most 86400)", "--sustained", "1e9");
    REFUSED("--sustained: contradicts --sweep check, which times nothing", "--sweep", "check", "--sustained", "1");
    REFUSED("--sustained: needs --beta 0, for C is not put back under continuous load", "--sustained", "1", "--beta",
            "1");
}

static void shows(void **state) {
    (void)state;
    const char *const names[] = {"fragments", "banks", NULL};
    options_step showing = step;
    showing.shows = names;
#define PARSE_SHOWING(...) parse_for(&showing, (const char *const[]){__VA_ARGS__, NULL})
    assert_int_equal(PARSE_SHOWING("--size", "5"), OPTIONS_RUN);
    assert_null(o.show);
    assert_int_equal(PARSE_SHOWING("--show", "banks"), OPTIONS_RUN);
    assert_string_equal(o.show, "banks");
    assert_int_equal(PARSE_SHOWING("--sim-device", "sm_80", "--show=fragments", "--device", "1", "--sim"), OPTIONS_RUN);
    assert_string_equal(o.show, "fragments");
    assert_silent();
    assert_refused(PARSE_SHOWING("--show", "bank"), "--show: 'bank' is unknown (known: fragments, banks)");
    assert_refused(PARSE_SHOWING("--show"), "--show: its argument is missing");
    assert_refused(PARSE_SHOWING("--size", "5", "--show", "banks"),
                   "--size: contradicts --show, which runs no variant");
    assert_refused(PARSE_SHOWING("--show", "banks", "--sweep", "check"),
                   "--sweep: contradicts --show, which runs no variant");
    assert_refused(PARSE_SHOWING("--show", "banks", "--list"), "--list: contradicts --show, which runs no variant");
    REFUSED("--show: unknown option (see --help)", "--show", "banks"); /* a step that shows nothing has none */
    assert_int_equal(PARSE_SHOWING("--help"), OPTIONS_EXIT_OK);
    assert_non_null(strstr(out_text, "\n  --show NAME       show how something works, and stop: fragments, banks\n"));
    assert_int_equal(PARSE("--help"), OPTIONS_EXIT_OK);
    assert_null(strstr(out_text, "--show"));
}

static void a_sweep_chooses_its_shapes(void **state) {
    (void)state;
    const char *const names[] = {"size", "m", "n", "k", "lda", "ldb", "ldc"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char option[32], message[64];
        snprintf(option, sizeof option, "--%s=9000", names[i]);
        snprintf(message, sizeof message, "--%s: contradicts --sweep, which chooses the shapes", names[i]);
        assert_refused(PARSE(option, "--sweep", "odd"), message);
        assert_refused(PARSE("--sweep", "check", option), message);
    }
    REFUSED("--alpha: contradicts --sweep check, which chooses the scalars", "--alpha", "2", "--sweep", "check");
    REFUSED("--beta: contradicts --sweep check, which chooses the scalars", "--sweep", "check", "--beta", "0");
    REFUSED("--warm: contradicts --sweep check, which times nothing", "--sweep", "check", "--warm");
    REFUSED("--time: contradicts --sweep check, which times nothing", "--sweep", "check", "--time", "1");
    REFUSED("--no-baseline: contradicts --sweep check, which times nothing", "--no-baseline", "--sweep", "check");
    REFUSED("--csv: contradicts --sweep check, which times nothing", "--csv", "x.csv", "--sweep", "check");
    REFUSED("--json: contradicts --sweep check, which times nothing", "--sweep", "check", "--json", "x.json");
    REFUSED("--max-size: needs --sweep", "--max-size", "5");

    REFUSED("--lda: cannot be recorded, --csv has no column for it", "--csv", "x.csv", "--lda", "5000");
    REFUSED("--ldc: cannot be recorded, --json has no column for it", "--ldc", "5000", "--json", "x.json");
    ACCEPTED("--ldb", "5000");
}

static void every_belongs_to_the_check_sweep(void **state) {
    (void)state;
    REFUSED("--every: needs --sweep check", "--every", "5");
    REFUSED("--every: needs --sweep check", "--every", "1", "--max-size", "5");
    REFUSED("--every: needs --sweep check", "--every", "5", "--sweep", "square");
    REFUSED("--every: needs --sweep check", "--sweep", "article", "--every", "5");
    REFUSED("--every: needs --sweep check", "--sweep", "odd", "--max-size", "5", "--every", "1");
    REFUSED("--every: '0' is not above 0", "--sweep", "check", "--every", "0");
    REFUSED("--every: '-3' is negative", "--sweep", "check", "--every", "-3");
    REFUSED("--every: '1.5' is not a whole number", "--every", "1.5", "--sweep", "check");
    REFUSED("--every: its argument is missing", "--sweep", "check", "--every");
}

static void files(void **state) {
    (void)state;
    REFUSED("--resume: needs --csv", "--resume");
    REFUSED("--resume: needs --csv", "--resume", "--json", "no-such-a.json");
    REFUSED("--csv: the file's name is empty", "--csv", "");
    REFUSED("--json: the file's name is empty", "--json=");
    REFUSED("--json: 'no-such-a' is the --csv file too", "--csv", "no-such-a", "--json", "no-such-a");
    REFUSED("--json: './no-such-a' is the --csv file too", "--csv", "no-such-a", "--json", "./no-such-a");
    REFUSED("--json: '/no-such-a' is the --csv file too", "--csv", "/../no-such-a", "--json", "/no-such-a");
    ACCEPTED("--csv", "no-such-a", "--json", "/no-such-a");
    ACCEPTED("--csv", "no-such-directory/a", "--json", "no-such-a");
}

/* Two names of one existing file. */
static void a_link_is_the_same_file(void **state) {
    (void)state;
    char path[] = "/tmp/test_options_XXXXXX", link_path[64], message[128];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    snprintf(link_path, sizeof link_path, "%s.link", path);
    assert_int_equal(symlink(path, link_path), 0);
    const options_result result = PARSE("--csv", path, "--json", link_path);
    const options_result apart = PARSE("--csv", path, "--json", "no-such-a.json");
    const options_result again = PARSE("--csv", path, "--json", link_path);
    close(fd);
    unlink(path);
    unlink(link_path);
    snprintf(message, sizeof message, "--json: '%s' is the --csv file too", link_path);
    assert_int_equal(result, OPTIONS_EXIT_USAGE);
    assert_int_equal(apart, OPTIONS_RUN);
    assert_refused(again, message);
}

static void control_characters_do_not_break_the_line(void **state) {
    (void)state;
    REFUSED("--size: '1?2?' is not a number", "--size", "1\n2\033");
    REFUSED("--a?b: unknown option (see --help)", "--a\nb");
}

static void too_many_variants(void **state) {
    (void)state;
    const char *names[OPTIONS_MAX_VARIANTS + 1];
    for (int i = 0; i <= OPTIONS_MAX_VARIANTS; i++) names[i] = "v";
    options_step many = step;
    many.variants = names;
    many.variant_count = OPTIONS_MAX_VARIANTS + 1;
    assert_refused(parse_for(&many, (const char *const[]){NULL}), "more than 64 variants");
    many.variant_count = OPTIONS_MAX_VARIANTS;
    assert_int_equal(parse_for(&many, (const char *const[]){NULL}), OPTIONS_RUN);
    assert_true(o.chosen[OPTIONS_MAX_VARIANTS - 1]);
}

/* ---- help ---- */

static void assert_lines_fit(const char *text, size_t columns) {
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        assert_true(length <= columns);
        assert_true(length == 0 || text[length - 1] != ' ');
        assert_int_equal(text[length], '\n');
        text += length + 1;
    }
}

static void help_is_complete(void **state) {
    (void)state;
    const char *const wanted[] = {
        "\n  --size N ",
        "\n  --m N ",
        "\n  --n N ",
        "\n  --k N ",
        "\n  --lda N ",
        "\n  --ldb N ",
        "\n  --ldc N ",
        "\n  --alpha X ",
        "\n  --beta X ",
        "\n  --dtype TYPE ",
        "\n  --layout NAME ",
        "\n  --sweep KIND ",
        "\n  --max-size N ",
        "\n  --every N ",
        "\n  --variant NAME ",
        "\n  --list ",
        "\n  --verbose ",
        "\n  --seed N ",
        "\n  --device N ",
        "\n  --sim ",
        "\n  --sim-device NAME ",
        "\n  --warm ",
        "\n  --time S ",
        "\n  --sustained S ",
        "\n  --no-baseline ",
        "\n  --csv FILE ",
        "\n  --json FILE ",
        "\n  --resume ",
        "\n  --help ",
        "Usage: " STEP,
        "default 4096, simulated 256",
        "check, simulated: 200",
        "sm_75, sm_80, sm_86, sm_89, sm_90\n",
        "CUDASIM_THREADS",
        "CUDASIM_WATCHDOG",
        "(default 60, 0: never)",
        "f32 (default), f16\n",
        "nn (default), nt\n",
        "square, article, odd; check",
        "scalar, float4, float4_transposed\n",
        "(default 1)",
        "(default 0)",
        "(default 0.5)",
        "0 ok, 1 wrong result, 2 bad arguments, 3 CUDA error or no usable device\n",
    };
    assert_int_equal(PARSE("--help"), OPTIONS_EXIT_OK);
    assert_string_equal(err_text, "");
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) assert_non_null(strstr(out_text, wanted[i]));
    assert_lines_fit(out_text, 100);
}

static void help_wraps_many_names(void **state) {
    (void)state;
    char name[OPTIONS_MAX_VARIANTS][32];
    const char *names[OPTIONS_MAX_VARIANTS];
    for (int i = 0; i < OPTIONS_MAX_VARIANTS; i++) {
        snprintf(name[i], sizeof name[i], "variant_%02d%.*s", i, i % 9, "xxxxxxxxx");
        names[i] = name[i];
    }
    options_step many = step;
    many.variants = names;
    for (many.variant_count = 1; many.variant_count <= OPTIONS_MAX_VARIANTS; many.variant_count++) {
        assert_int_equal(parse_for(&many, (const char *const[]){"--help", NULL}), OPTIONS_EXIT_OK);
        assert_lines_fit(out_text, 100);
        assert_non_null(strstr(out_text, names[many.variant_count - 1]));
    }
}

static void help_comes_before_later_errors_and_after_earlier_ones(void **state) {
    (void)state;
    assert_int_equal(PARSE("--size", "5", "--sweep", "odd", "--help", "--bogus"), OPTIONS_EXIT_OK);
    assert_string_equal(err_text, "");
    REFUSED("--bogus: unknown option (see --help)", "--bogus", "--help");
}

#define TEST(name) cmocka_unit_test_teardown(name, release)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(defaults),
        TEST(every_option_is_taken),
        TEST(size_sets_all_three_and_single_sides_win_in_any_order),
        TEST(the_simulator_has_its_own_defaults),
        TEST(extreme_sizes_are_legal),
        TEST(leading_dimensions_at_their_least),
        TEST(sweeps),
        TEST(variants_are_chosen_by_name),
        TEST(unambiguous_abbreviations_and_repetition),
        TEST(small_scalars_stay_nonzero),
        TEST(parses_again_after_an_error),
        TEST(double_dash_ends_the_options),
        TEST(unknown_options),
        TEST(ambiguous_options),
        TEST(what_c_holds),
        TEST(leading_dimension_of_a_transposed_b),
        TEST(scalars_of_whole_numbers),
        TEST(sustained_load),
        TEST(shows),
        TEST(missing_and_superfluous_arguments),
        TEST(stray_arguments),
        TEST(malformed_whole_numbers),
        TEST(whole_numbers_out_of_range),
        TEST(sizes_end_at_the_contract),
        TEST(every_size_option_checks_its_number),
        TEST(scalars_that_are_no_finite_float),
        TEST(time_must_be_positive),
        TEST(unknown_names),
        TEST(leading_dimensions_too_small),
        TEST(a_sweep_chooses_its_shapes),
        TEST(every_belongs_to_the_check_sweep),
        TEST(files),
        TEST(a_link_is_the_same_file),
        TEST(control_characters_do_not_break_the_line),
        TEST(too_many_variants),
        TEST(help_is_complete),
        TEST(help_wraps_many_names),
        TEST(help_comes_before_later_errors_and_after_earlier_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
