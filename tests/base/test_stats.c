/* Order statistics. */
#include <math.h>

#include "../unit.h"
#include "base/stats.h"

static void assert_summary(stats_summary s, double median, double min, double max) {
    assert_true(s.median == median && s.min == min && s.max == max);
}

static void assert_nothing(stats_summary s) {
    assert_true(isnan(s.median) && isnan(s.min) && isnan(s.max) && isnan(s.low) && isnan(s.high));
}

TEST(the_middle_or_the_mean_of_the_middle_two) {
    static const struct {
        int count;
        double values[5], median, min, max;
    } cases[] = {{5, {5, 1, 4, 2, 30}, 4, 1, 30},
                 {4, {10, 1, 4, 3}, 3.5, 1, 10},
                 {1, {7}, 7, 7, 7},
                 {2, {7, -3}, 2, -3, 7},
                 {4, {2, 2, 2, 2}, 2, 2, 2},
                 {3, {INFINITY, -1e-300, -2}, -1e-300, -2, INFINITY}};
    for (int i = 0; i < ARRAY_SIZE(cases); i++)
        assert_summary(stats_summarise(cases[i].values, cases[i].count), cases[i].median, cases[i].min, cases[i].max);
}

TEST(no_values_or_a_nan_give_nan) {
    const double values[] = {1, NAN, 3};
    assert_nothing(stats_summarise(NULL, 0));
    assert_nothing(stats_summarise(values, 3));
    assert_nothing(stats_ratio(NULL, NULL, 0, 6));
    assert_summary(stats_summarise(values, 1), 1, 1, 1);
}

TEST(values_are_left_as_they_were) {
    double values[] = {3, 1, 2}, other[] = {1, 5, 4};
    const double values_before[] = {3, 1, 2}, other_before[] = {1, 5, 4};
    stats_summarise(values, 3);
    stats_ratio(values, other, 3, 6);
    stats_of_blocks(values, 3, 2);
    assert_memory_equal(values, values_before, sizeof values);
    assert_memory_equal(other, other_before, sizeof other);
}

/* The median of the ratios is not the ratio of the medians: here 2 and 1. */
TEST(ratio_is_taken_pair_by_pair) {
    const double numerator[] = {2, 8, 1}, denominator[] = {1, 2, 2};
    assert_summary(stats_ratio(numerator, denominator, 3, 6), 2, 0.5, 4);
    assert_summary(stats_ratio(numerator, denominator, 2, 6), 3, 2, 4);
}

TEST(ratio_of_zeros) {
    const double zero[] = {0}, one[] = {1};
    assert_nothing(stats_ratio(zero, zero, 1, 6));
    assert_summary(stats_ratio(one, zero, 1, 6), INFINITY, INFINITY, INFINITY);
}

/* ---- the median's confidence interval ---- */

/* As in the tables of distribution-free intervals for the median, which are the sign test's: whose ranks the ends are,
 * in the values 1 to count; the first is always the other's mirror image. */
TEST(interval_has_the_textbooks_ranks) {
    static const int ranks[][3] = {{1, 1, 1},   {2, 1, 2},    {5, 1, 5} /* too few: only 93.75 % */,
                                   {6, 1, 6},   {8, 1, 8},    {9, 2, 8},
                                   {10, 2, 9},  {15, 4, 12},  {20, 6, 15},
                                   {25, 8, 18}, {50, 18, 33}, {100, 40, 61}};
    for (int r = 0; r < ARRAY_SIZE(ranks); r++) {
        const int count = ranks[r][0];
        double values[200];
        for (int i = 0; i < count; i++) values[i] = 1 + (i * 7 + 3) % count; /* in no order; none is a multiple of 7 */
        const stats_summary s = stats_summarise(values, count);
        assert_true(s.low == ranks[r][1] && s.high == ranks[r][2]);
    }
}

TEST(interval_of_many_values_is_narrow) {
    enum { COUNT = 200001 }; /* here 2^-COUNT is below the smallest double */
    double *values = malloc(COUNT * sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < COUNT; i++) values[i] = i;
    const stats_summary s = stats_summarise(values, COUNT);
    free(values);
    const double half = 1.959964 * sqrt(COUNT) / 2; /* of the normal approximation */
    assert_true(s.median == (COUNT - 1) / 2.0);
    assert_true(s.p99 == 198000); /* 198,001 values are no larger, 99 % of all */
    assert_true(fabs(s.median - s.low - half) <= 2 && fabs(s.high - s.median - half) <= 2);
}

TEST(ratio_has_an_interval_of_its_own) {
    double numerator[10], denominator[10];
    for (int i = 0; i < 10; i++) {
        denominator[i] = 10 - i;
        numerator[i] = (i + 1) * denominator[i];
    }
    const stats_summary s = stats_ratio(numerator, denominator, 10, 10);
    assert_true(s.median == 5.5 && s.low == 2 && s.high == 9);
}

/* The least and the greatest of the six medians, 2.5 and 22.5; of the values 1 to 24 the rest is as ever. */
TEST(interval_of_blocks) {
    double values[25];
    for (int i = 0; i < 25; i++) values[i] = i + 1;
    stats_summary s = stats_of_blocks(values, 24, 6);
    assert_summary(s, 12.5, 1, 24);
    assert_true(s.low == 2.5 && s.high == 22.5);
    s = stats_of_blocks(values, 25, 6); /* the last block has one more */
    assert_true(s.low == 2.5 && s.high == 23);
    s = stats_of_blocks(values, 6, 6);
    assert_true(s.low == 1 && s.high == 6);
    s = stats_of_blocks(values, 4, 6);
    assert_summary(s, 2.5, 1, 4);
    values[3] = NAN;
    assert_nothing(stats_of_blocks(values, 24, 6));
    assert_nothing(stats_of_blocks(NULL, 0, 6));
}
