/* Nearest neighbours on the host: the chain, keys, the reference and comparing with it, the check list and the data
 * that it makes. */
#include <limits.h>

#include "../unit.h"
#include "knn/knn_key.h"
#include "knn/knn_operands.h"

/* ---- keys ---- */

TEST(keys_are_ordered_as_distances) {
    static const float ascending[] = {-INFINITY, -3.4e38f, -2.0f, -0.5f, -1e-45f, 0.0f,
                                      1e-45f,    1e-38f,   0.5f,  2.0f,  3e38f,   INFINITY};
    for (int i = 0; i < ARRAY_SIZE(ascending); i++) {
        assert_true(knn_distance_of(knn_order_distance(ascending[i])) == ascending[i]);
        for (int j = 0; j < ARRAY_SIZE(ascending); j++) {
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

TEST(the_chain_rounds_once_a_step) {
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

static int by_key(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void fill(float *x, int count, uint64_t seed, bool whole) {
    for (int i = 0; i < count; i++) {
        const float value = values_at(VALUES_UNIFORM, seed, (uint64_t)i);
        x[i] = whole ? floorf(2.0f * value) : value;
    }
}

static void check_reference(int m, int n, int d, int k, int stride, bool whole) {
    static float queries[1000], points[20000], distance[4000];
    static int index[4000];
    static uint64_t all[500];
    const int rows = (int)knn_reference_rows(m, stride);
    assert_true(m * d <= ARRAY_SIZE(queries) && n * d <= ARRAY_SIZE(points) && rows * k <= ARRAY_SIZE(index));
    fill(queries, m * d, 1, whole);
    fill(points, n * d, 2, whole);
    assert_true(knn_reference(queries, points, m, n, d, k, stride, index, distance));
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < n; i++) all[i] = knn_key(chain(queries + row * stride * d, points + i * d, d), i);
        qsort(all, (size_t)n, sizeof *all, by_key);
        for (int i = 0; i < k; i++) {
            const float want = knn_key_distance(all[i]);
            assert_int_equal(index[row * k + i], knn_key_index(all[i]));
            assert_memory_equal(&distance[row * k + i], &want, sizeof want);
        }
    }
}

TEST(the_reference_is_a_full_sort) {
    for (int n = 1; n <= 40; n++) check_reference(1 + n % 11, n, n * 7 % 13, 1 + n * 5 % n, 1, n % 2);
    for (int n = 1; n <= 20; n++) check_reference(3, n, 3, n, 1, true);
    check_reference(20, 500, 33, 100, 1, false);
    check_reference(23, 100, 5, 10, 4, true);
    check_reference(0, 10, 3, 2, 1, false);
    check_reference(5, 30, 0, 7, 1, false);
}

TEST(comparing_counts) {
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

TEST(order_is_checked) {
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

static int take_cases(int max_size, int every, uint64_t seed, knn_case **cases) {
    case_list l = {.size = sizeof **cases, .max_size = max_size, .seed = seed};
    knn_cases(&l, 0);
    case_list_thin(&l, every);
    *cases = (knn_case *)l.cases;
    return l.count;
}

TEST(the_list_has_everything) {
    knn_case *cases, *some;
    const int count = take_cases(INT_MAX, 1, 5, &cases);
    assert_true(count > 200);
    for (int i = 0; i < count; i++) {
        const knn_case *c = &cases[i];
        assert_true(c->k >= 1 && c->k <= c->n && c->m >= 0 && c->d >= 0);
        assert_true(c->seed == 5 + (uint64_t)i);
    }
#define SOME(condition) assert_some(c, cases, count, condition)
    for (int i = 0; i <= 70; i++) {
        SOME(c->d == i);
        SOME(c->n == i || i == 0);
    }
    for (int i = 0; i < KNN_KINDS; i++) SOME((int)c->kind == i);
    SOME(c->scarce);
    SOME(c->m == 0);
    SOME(c->k == c->n && c->n > 1000);
    SOME(c->k == 1 && c->n > 1000);
    SOME(c->off[0] && c->off[1] && c->off[2] && c->off[3]);
    SOME((int64_t)c->m * c->n > UINT32_MAX);
    const int fewer = take_cases(100, 3, 5, &some);
    assert_true(fewer > 0 && fewer < count / 3);
    for (int i = 0; i < fewer; i++) assert_true(some[i].n <= 100 && some[i].m <= 100 && some[i].d <= 100);
    free(cases);
    free(some);
}
