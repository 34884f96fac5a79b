/* Order statistics of repeated measurements. */
#ifndef KL_STATS_H
#define KL_STATS_H

typedef struct {
    double median, min, max;
} stats_summary;

/* Median (mean of the two middle values when count is even), minimum and maximum of values[0..count). All NAN if count
 * is 0, if a value is NAN or if memory runs out. `values` is not changed. */
stats_summary stats_summarise(const double *values, int count);

/* The same for numerator[i] / denominator[i], pair by pair. */
stats_summary stats_ratio(const double *numerator, const double *denominator, int count);

#endif
