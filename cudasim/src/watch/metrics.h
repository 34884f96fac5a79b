/* The metrics that are printed, in plain words and with Nsight Compute's names. */
#pragma once

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

/* Adds an instruction's counts to sums. Ratios and facts of the launch are left alone. */
void metrics_add(const counted_insn *i, double *sums);

/* All metrics of a kernel for one launch, the mean of all its launches. */
void metrics_of(const counted_kernel *k, double *values);

/* The ratios, from the sums. */
void metrics_ratios(double *values);

/* --explain: writes what the metric of that name is (its id in any case, its plain words, or Nsight Compute's name).
 * False where there is none. */
bool metrics_explain(const char *name, FILE *out);

/* The name that somebody who typed this is likely to have meant; NULL: none is close to it. */
const char *metrics_nearest(const char *typed);
