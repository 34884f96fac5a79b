/* Order statistics by sorting a copy: a measurement has hundreds of values, not millions. */
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const stats_summary nothing = {NAN, NAN, NAN, NAN, NAN, NAN};

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The index of the interval's lower end in `count` sorted values: below the true median lie i of them with a
 * probability of (count choose i) / 2^count. */
static int interval_begin(int count) {
    double below = 0.0;
    int l = 0;
    for (;; l++) {
        below += exp(lgamma(count + 1.0) - lgamma(l + 1.0) - lgamma(count - l + 1.0) - count * log(2.0));
        if (below > 0.025) break;
    }
    return l > 0 ? l - 1 : 0;
}

/* Sorts `values`. A NAN has no place in an order, so a single one makes the whole summary NAN rather than hide in it.
 */
static stats_summary summarise_in_place(double *values, int count) {
    for (int i = 0; i < count; i++)
        if (isnan(values[i])) return nothing;
    qsort(values, (size_t)count, sizeof *values, ascending);

    const int middle = count / 2, low = interval_begin(count);
    stats_summary s = {values[middle],          values[0],
                       values[count - 1],       values[low],
                       values[count - 1 - low], values[count - 1 - count / 100]};
    if (count % 2 == 0) s.median = 0.5 * (values[middle - 1] + values[middle]);
    return s;
}

stats_summary stats_summarise(const double *values, int count) {
    if (count <= 0) return nothing;
    double *copy = malloc((size_t)count * sizeof *copy);
    if (copy == NULL) return nothing;
    memcpy(copy, values, (size_t)count * sizeof *copy);
    const stats_summary s = summarise_in_place(copy, count);
    free(copy);
    return s;
}

stats_summary stats_of_blocks(const double *values, int count, int blocks) {
    stats_summary all = stats_summarise(values, count);
    if (count <= blocks || isnan(all.median)) return all;
    double *medians = malloc((size_t)blocks * sizeof *medians);
    if (medians == NULL) return nothing;
    for (int i = 0; i < blocks; i++) {
        const int begin = (int)((long)count * i / blocks), end = (int)((long)count * (i + 1) / blocks);
        medians[i] = stats_summarise(values + begin, end - begin).median;
    }
    const stats_summary of_medians = summarise_in_place(medians, blocks);
    all.low = of_medians.low;
    all.high = of_medians.high;
    free(medians);
    return all;
}

stats_summary stats_ratio(const double *numerator, const double *denominator, int count, int blocks) {
    if (count <= 0) return nothing;
    double *ratio = malloc((size_t)count * sizeof *ratio);
    if (ratio == NULL) return nothing;
    for (int i = 0; i < count; i++) ratio[i] = numerator[i] / denominator[i];
    const stats_summary s = stats_of_blocks(ratio, count, blocks);
    free(ratio);
    return s;
}
