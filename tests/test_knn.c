/* Nearest neighbours on the host: the chain, keys, the reference and comparing with it, the check list, the data that
 * it makes, and the options of a kNN step. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/options.h"
#include "knn/knn_check.h"
#include "knn/knn_key.h"
#include "knn/knn_reference.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- keys ---- */

static void keys_are_ordered_as_distances(void **state) {
    (void)state;
    static const float ascending[] = {-INFINITY, -3.4e38f, -2.0f, -0.5f, -1e-45f, 0.0f,
                                      1e-45f,    1e-38f,   0.5f,  2.0f,  3e38f,   INFINITY};
    for (size_t i = 0; i < COUNT(ascending); i++) {
        assert_true(knn_distance_of(knn_order_distance(ascending[i])) == ascending[i]);
        for (size_t j = 0; j < COUNT(ascending); j++) {
            assert_int_equal(knn_order_distance(ascending[i]) < knn_order_distance(ascending[j]), i < j);
            assert_int_equal(knn_key(ascending[i], 7) < knn_key(ascending[j], 5), i < j);
        }
    }
    assert_true(knn_key(1.0f, 5) < knn_key(1.0f, INT_MAX));
    assert_true(knn_key(INFINITY, INT_MAX) < KNN_NO_KEY);
    assert_true(knn_order_distance(-0.0f) == knn_order_distance(0.0f));
    assert_true(knn_order_distance(NAN) > knn_order_distance(INFINITY));
    assert_true(knn_order_distance(-NAN) == knn_order_distance(NAN));
    assert_int_equal(knn_key_index(knn_key(-3.0f, 2147483646)), 2147483646);
    assert_true(knn_key_distance(knn_key(-3.0f, 1)) == -3.0f);
}

/* ---- the chain ---- */

static float chain(const float *x, const float *y, int d) {
    float sum = 0.0f;
    for (int j = 0; j < d; j++) sum = fmaf(x[j] - y[j], x[j] - y[j], sum);
    return sum;
}

/* As the reference has it. */
static float distance_of(const float *x, const float *y, int d) {
    int index = -1;
    float distance = NAN;
    assert_true(knn_reference(x, y, 1, 1, d, 1, 1, &index, &distance));
    assert_int_equal(index, 0);
    return distance;
}

static void the_chain_rounds_once_a_step(void **state) {
    (void)state;
    /* 1 + 2^-12 squared is 1 + 2^-11 + 2^-24: a product that were rounded first would lose the last part, which tips
     * the sum with 2^-24 to the next float. */
    const float x[] = {0x1p-12f, 1.0f + 0x1p-12f}, y[] = {0.0f, 0.0f};
    const float first = 0x1p-24f, second = 1.0f + 0x1p-12f;
    assert_true(distance_of(x, y, 2) == fmaf(second, second, first));
    assert_true(distance_of(x, y, 2) != first + second * second);
    assert_true(distance_of(x, y, 0) == 0.0f && !signbit(distance_of(x, y, 0)));
    const float large[] = {3e38f}, small[] = {-3e38f};
    assert_true(isinf(distance_of(large, small, 1)));
}

/* ---- the reference ---- */

typedef struct {
    uint64_t key;
} keyed;

static int by_key(const void *a, const void *b) {
    const uint64_t x = ((const keyed *)a)->key, y = ((const keyed *)b)->key;
    return (x > y) - (x < y);
}

static void check_reference(int m, int n, int d, int k, int stride, bool whole) {
    float *queries = malloc(((size_t)m * (size_t)d + 1) * sizeof(float));
    float *points = malloc(((size_t)n * (size_t)d + 1) * sizeof(float));
    keyed *all = malloc((size_t)n * sizeof *all);
    const size_t rows = (size_t)knn_reference_rows(m, stride);
    int *index = malloc((rows * (size_t)k + 1) * sizeof *index);
    float *distance = malloc((rows * (size_t)k + 1) * sizeof *distance);
    for (int i = 0; i < m * d; i++) {
        const float x = values_at(VALUES_UNIFORM, 1, (uint64_t)i);
        queries[i] = whole ? floorf(2.0f * x) : x;
    }
    for (int i = 0; i < n * d; i++) {
        const float x = values_at(VALUES_UNIFORM, 2, (uint64_t)i);
        points[i] = whole ? floorf(2.0f * x) : x;
    }
    assert_true(knn_reference(queries, points, m, n, d, k, stride, index, distance));
    for (size_t row = 0; row < rows; row++) {
        const float *query = queries + row * (size_t)stride * (size_t)d;
        for (int i = 0; i < n; i++) all[i].key = knn_key(chain(query, points + (size_t)i * (size_t)d, d), i);
        qsort(all, (size_t)n, sizeof *all, by_key);
        for (int i = 0; i < k; i++) {
            const float want = knn_key_distance(all[i].key);
            assert_int_equal(index[row * (size_t)k + (size_t)i], knn_key_index(all[i].key));
            assert_memory_equal(&distance[row * (size_t)k + (size_t)i], &want, sizeof want);
        }
    }
    free(queries);
    free(points);
    free(all);
    free(index);
    free(distance);
}

static void the_reference_is_a_full_sort(void **state) {
    (void)state;
    for (int n = 1; n <= 40; n++) check_reference(1 + n % 11, n, n * 7 % 13, 1 + n * 5 % n, 1, n % 2);
    for (int n = 1; n <= 20; n++) check_reference(3, n, 3, n, 1, true);
    check_reference(20, 500, 33, 100, 1, false);
    check_reference(23, 100, 5, 10, 4, true);
    check_reference(0, 10, 3, 2, 1, false);
    check_reference(5, 30, 0, 7, 1, false);
}

static void comparing_counts(void **state) {
    (void)state;
    const int want_index[] = {3, 5, 9, 0, 1, 2};
    const float want[] = {1.0f, 2.0f, 3.0f, 0.0f, 0.5f, 0.5f};
    int index[6];
    float distance[6];
    memcpy(index, want_index, sizeof index);
    memcpy(distance, want, sizeof distance);
    knn_difference d = knn_compare(2, 3, 1, index, distance, want_index, want);
    assert_true(d.wrong == 0 && d.different == 0);
    index[0] = 5, index[1] = 3; /* the same set in another order */
    d = knn_compare(2, 3, 1, index, distance, want_index, want);
    assert_true(d.wrong == 2 && d.different == 0 && d.row == 0 && d.place == 0);
    index[5] = 7;
    d = knn_compare(2, 3, 1, index, distance, want_index, want);
    assert_true(d.wrong == 3 && d.different == 1);
    memcpy(index, want_index, sizeof index);
    distance[4] = nextafterf(0.5f, 1.0f);
    d = knn_compare(2, 3, 1, index, distance, want_index, want);
    assert_true(d.wrong == 1 && d.different == 0 && d.row == 1 && d.place == 1);
    /* Every second of three queries. */
    const int three[] = {3, 5, 9, -1, -1, -1, 0, 1, 2};
    const float of_three[] = {1.0f, 2.0f, 3.0f, 0, 0, 0, 0.0f, 0.5f, 0.25f};
    d = knn_compare(3, 3, 2, three, of_three, want_index, want);
    assert_true(d.wrong == 1 && d.row == 2 && d.place == 2);
}

static void order_is_checked(void **state) {
    (void)state;
    int index[] = {3, 5, 9, 0, 1, 2}, row, place;
    float distance[] = {1.0f, 2.0f, 3.0f, 0.0f, 0.5f, 0.5f};
    assert_true(knn_in_order(2, 10, 3, index, distance, &row, &place));
    assert_true(knn_in_order(0, 10, 3, index, distance, &row, &place));
    assert_false(knn_in_order(2, 9, 3, index, distance, &row, &place));
    assert_true(row == 0 && place == 2);
    index[5] = 1;
    assert_false(knn_in_order(2, 10, 3, index, distance, &row, &place));
    assert_true(row == 1 && place == 2);
    index[5] = 2;
    distance[1] = 3.5f;
    assert_false(knn_in_order(2, 10, 3, index, distance, &row, &place));
    index[0] = -1;
    assert_false(knn_in_order(2, 10, 3, index, distance, &row, &place));
    assert_true(row == 0 && place == 0);
}

/* ---- the check list ---- */

static void the_list_has_everything(void **state) {
    (void)state;
    knn_case *cases, *some;
    const int count = knn_check_cases(INT_MAX, 1, 5, &cases);
    bool n_seen[71] = {false}, d_seen[71] = {false}, kinds[KNN_KINDS] = {false}, scarce = false, none = false;
    bool k_is_n = false, k_is_1 = false, off = false, large = false;
    assert_true(count > 200);
    for (int i = 0; i < count; i++) {
        const knn_case *c = &cases[i];
        assert_true(c->k >= 1 && c->k <= c->n && c->m >= 0 && c->d >= 0);
        assert_true(c->seed == 5 + (uint64_t)i);
        if (c->n <= 70) n_seen[c->n] = true;
        if (c->d <= 70) d_seen[c->d] = true;
        kinds[c->kind] = true;
        scarce = scarce || c->scarce;
        none = none || c->m == 0;
        k_is_n = k_is_n || (c->k == c->n && c->n > 1000);
        k_is_1 = k_is_1 || (c->k == 1 && c->n > 1000);
        off = off || (c->off[0] && c->off[1] && c->off[2] && c->off[3]);
        large = large || (int64_t)c->m * c->n > UINT32_MAX;
    }
    for (int i = 0; i <= 70; i++) assert_true(d_seen[i] && (n_seen[i] || i == 0));
    for (int i = 0; i < KNN_KINDS; i++) assert_true(kinds[i]);
    assert_true(scarce && none && k_is_n && k_is_1 && off && large);
    const int fewer = knn_check_cases(100, 3, 5, &some);
    assert_true(fewer > 0 && fewer < count / 3);
    for (int i = 0; i < fewer; i++) assert_true(some[i].n <= 100 && some[i].m <= 100 && some[i].d <= 100);
    free(cases);
    free(some);
}

/* ---- options ---- */

static const char *const methods[] = {"one", "two", "best"}, *const dtypes[] = {"f32", NULL},
                         *const layouts[] = {"n", NULL};
static const options_step step = {.step = "test_knn",
                                  .variants = methods,
                                  .variant_count = 3,
                                  .dtypes = dtypes,
                                  .layouts = layouts,
                                  .simulated_max_size = 300,
                                  .search = {1200, 32768, 256, 25},
                                  .simulated_search = {20, 2048, 32, 10},
                                  .operation = OPTIONS_KNN};

static options_result parse(options *o, const char *line, char *message, size_t size) {
    char text[400], *argv[40] = {"test_knn"};
    int argc = 1;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) argv[argc++] = strdup(word);
    FILE *err = fmemopen(message, size, "w"), *out = fopen("/dev/null", "w");
    memset(message, 0, size);
    const options_result result = options_parse(argc, argv, &step, o, out, err); /* strings stay: o points at them */
    fclose(out);
    fclose(err);
    return result;
}

static void options_are_taken(void **state) {
    (void)state;
    char message[500];
    options o;
    assert_int_equal(parse(&o, "", message, sizeof message), OPTIONS_RUN);
    assert_true(o.m == 1200 && o.n == 32768 && o.d == 256 && o.k == 25 && o.memory_limit == 0.8);
    assert_true(o.chosen[0] && o.chosen[1] && o.chosen[2] && !o.method_given);
    assert_int_equal(parse(&o, "--sim", message, sizeof message), OPTIONS_RUN);
    assert_true(o.m == 20 && o.n == 2048 && o.d == 32 && o.k == 10);
    assert_int_equal(parse(&o, "--method two --m 0 --d 0 --n 7 --k 7", message, sizeof message), OPTIONS_RUN);
    assert_true(!o.chosen[0] && o.chosen[1] && !o.chosen[2] && o.method_given && o.m == 0 && o.n == 7 && o.d == 0);
    assert_int_equal(parse(&o, "--variant two --memory-limit 2.5G", message, sizeof message), OPTIONS_RUN);
    assert_true(o.chosen[1] && o.memory_limit == 2.5e9);
    assert_int_equal(parse(&o, "--memory-limit 50%", message, sizeof message), OPTIONS_RUN);
    assert_true(o.memory_limit == 0.5);
    assert_int_equal(parse(&o, "--memory-limit 4096", message, sizeof message), OPTIONS_RUN);
    assert_true(o.memory_limit == 4096.0);
    assert_int_equal(parse(&o, "--train a --test b --labels first --normalize zscore,minmax --metric l2 --k-sweep 1:11",
                           message, sizeof message),
                     OPTIONS_RUN);
    assert_true(strcmp(o.train, "a") == 0 && strcmp(o.test, "b") == 0 && strcmp(o.labels, "first") == 0);
    assert_true(strcmp(o.normalize, "zscore,minmax") == 0 && o.k_first == 1 && o.k_last == 11 && !o.k_given);
    assert_int_equal(parse(&o, "--train a --split 0.25 --out b --out-indices c --out-distances d.npy --k 3 --verify",
                           message, sizeof message),
                     OPTIONS_RUN);
    assert_true(o.split == 0.25 && strcmp(o.out_labels, "b") == 0 && strcmp(o.out_indices, "c") == 0 &&
                strcmp(o.out_distances, "d.npy") == 0 && o.k_given && o.k == 3 && o.verify);
    assert_int_equal(parse(&o, "--sweep check --every 3 --max-size 70 --sim", message, sizeof message), OPTIONS_RUN);
    assert_true(o.sweep == SWEEP_CHECK && o.every == 3 && o.max_size == 70);
    assert_int_equal(parse(&o, "--sweep check --sim", message, sizeof message), OPTIONS_RUN);
    assert_int_equal(o.max_size, 300);
}

static void bad_options_are_refused(void **state) {
    (void)state;
    static const char *const lines[][2] = {
        {"--k 0", "--k: '0' is not above 0"},
        {"--n 0", "--n: there has to be a point"},
        {"--n 5 --k 6", "--k 6: more than --n 5"},
        {"--d -3", "--d: '-3' is negative"},
        {"--m 1.5", "--m: '1.5' is not a whole number"},
        {"--method three", "--method: 'three' is unknown (known: one, two, best)"},
        {"--sweep square", "--sweep: 'square' is unknown (known: check)"},
        {"--sweep check --d 5", "--d: contradicts --sweep, which chooses the shapes"},
        {"--lda 5", "--lda: is for a GEMM or GEMV, this is a kNN search"},
        {"--ldb 5", "--ldb: is for a GEMM, this is a kNN search"},
        {"--graph", "--graph: is for a GEMV, this is a kNN search"},
        {"--dtype f16", "--dtype: is for a GEMM or GEMV, this is a kNN search"},
        {"--memory-limit 0", "--memory-limit: '0' is not above 0"},
        {"--memory-limit 0x5", "--memory-limit: '0x5' is no size (bytes, 500M, 2.5G or 80%)"},
        {"--memory-limit G", "--memory-limit: 'G' is no size (bytes, 500M, 2.5G or 80%)"},
        {"--memory-limit 101%", "--memory-limit: '101%' is out of range"},
        {"--memory-limit 1", "--memory-limit: '1' is out of range"},
        {"--test b", "--test: needs --train"},
        {"--verify", "--verify: needs --train"},
        {"--train a", "--train: needs --test or --split"},
        {"--train a --test b --split 0.5", "--split: contradicts --test"},
        {"--train a --split 1", "--split: '1' is not between 0 and 1"},
        {"--train a --test b --m 5", "--m: contradicts --train, which brings its own data"},
        {"--train a --test b --transfers", "--transfers: contradicts --train, which brings its own data"},
        {"--sweep check --transfers", "--transfers: contradicts --sweep check, which times nothing"},
        {"--train a --test b --csv c", "--csv: contradicts --train, which brings its own data"},
        {"--train a --test b --k 0", "--k: '0' is not above 0"},
        {"--train a --test b --k 3 --k-sweep 1:5", "--k: contradicts --k-sweep"},
        {"--train a --test b --k-sweep 5", "--k-sweep: '5' is no range, as 1:11 is one"},
        {"--train a --test b --k-sweep 0:5", "--k-sweep: '0' is not above 0"},
        {"--train a --test b --k-sweep 5:4", "--k-sweep: '5:4' ends before it begins"},
        {"--train a --test b --k-sweep 1:5 --out c", "--out: contradicts --k-sweep, which predicts several times"},
        {"--train a --test b --labels none --out c", "--out: contradicts --labels none"},
        {"--train a --test b --labels middle", "--labels: 'middle' is unknown (known: last, first, none)"},
        {"--train a --test b --metric l1", "--metric: 'l1' is unknown (known: l2)"},
        {"--train a --test b --out ./b", "--out: './b' is another option's file too"},
        {"--train a --test b --out c --out-indices c", "--out-indices: 'c' is another option's file too"},
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        char message[500], want[300];
        options o;
        snprintf(want, sizeof want, "test_knn: %s\n", lines[i][1]);
        assert_int_equal(parse(&o, lines[i][0], message, sizeof message), OPTIONS_EXIT_USAGE);
        assert_string_equal(message, want);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test(name)
    const struct CMUnitTest tests[] = {
        TEST(keys_are_ordered_as_distances),
        TEST(the_chain_rounds_once_a_step),
        TEST(the_reference_is_a_full_sort),
        TEST(comparing_counts),
        TEST(order_is_checked),
        TEST(the_list_has_everything),
        TEST(options_are_taken),
        TEST(bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
