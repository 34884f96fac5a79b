/* What is printed of counts: metrics in plain words, with Nsight Compute's names. */
#ifndef SIM_METRICS_H
#define SIM_METRICS_H

#include <stdio.h>

#include "watch/counters.h"

enum {
#define GROUP(heading)
#define METRIC(id, plain, nsight, unit, explanation) METRIC_##id,
#include "watch/metrics.def"
#undef GROUP
#undef METRIC
    METRIC_COUNT
};

typedef struct metric {
    const char *id, *plain, *nsight, *unit, *explanation;
} metric;
extern const metric metrics[METRIC_COUNT];

/* Adds what an instruction counts to sums; of ratios and of the launch's facts nothing. */
void metrics_add(const counted_insn *i, double *sums);

/* All of a kernel, for one launch of it (the mean of those it had). */
void metrics_of(const counted_kernel *k, double *values);

/* The ratios, from the sums. */
void metrics_ratios(double *values);

/* --explain: writes what the metric of that name is (its id in any case, its plain words, or Nsight Compute's name).
 * False where there is none. */
bool metrics_explain(const char *name, FILE *out);

#endif
