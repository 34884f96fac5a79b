/* Order statistics of repeated measurements. */
#ifndef KL_STATS_H
#define KL_STATS_H

typedef struct {
    double median, min, max;
} stats_summary;

/* Median (mean of the two middle values when count is even), minimum and maximum of values[0..count). All NAN when
 * count is 0, when a value is NAN or when memory is short. `values` is left as it was. */
stats_summary stats_summarise(const double *values, int count);

/* The same of numerator[i] / denominator[i], pair by pair. */
stats_summary stats_ratio(const double *numerator, const double *denominator, int count);

#endif
