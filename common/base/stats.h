/* Order statistics of repeated measurements. */
#pragma once

#include <sys/cdefs.h>

__BEGIN_DECLS

typedef struct {
    double median, min, max;
    double low, high; /* the median's 95 % confidence interval */
    double p99;       /* 99th percentile: the least value that 99 % do not exceed */
} stats_summary;

/* Median (mean of the two middle values when count is even), minimum and maximum of values[0..count). The confidence
 * interval assumes independent values, but no shape of their distribution: it goes from the l-th smallest value to the
 * l-th largest, where l is the largest number for which fewer than l of count values fall below the true median with a
 * probability of at most 2.5 % (Hahn and Meeker, "Statistical Intervals", 5.2). Up to five values are too few for that:
 * it is then all of them, minimum to maximum. All NAN if count is 0, if a value is NAN or if memory runs out. `values`
 * is not changed. */
stats_summary stats_summarise(const double *values, int count);

/* The same of a series in time, whose neighbours are not independent: the interval is that of the medians of `blocks`
 * consecutive, equally long parts of it (one value more or less). With fewer values than blocks each is a block. */
stats_summary stats_of_blocks(const double *values, int count, int blocks);

/* The same for numerator[i] / denominator[i], pair by pair. */
stats_summary stats_ratio(const double *numerator, const double *denominator, int count, int blocks);

__END_DECLS
