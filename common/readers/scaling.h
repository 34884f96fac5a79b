/* The paper's two normalisations, learned from the training records and applied to any: standardise, (x - mean) /
 * standard deviation of the training records as a population; then scale to [0, 1] by their least and largest,
 * (x - min) / (max - min). Each may be left out. In FP64, rounded to FP32 once. With either, a column that is constant
 * in training becomes 0. Other records may fall outside [0, 1]. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "readers/table.h"

typedef struct {
    double min, max, mean, deviation;
    double low, span; /* for minmax, after zscore */
    bool constant;
} scaling_column;

typedef struct {
    bool zscore, minmax;
    scaling_column *column;
} scaling;

/* Learns from all rows. `how`: "none", "minmax", "zscore" or "zscore,minmax". Returns 0, or 2 after one line on `err`.
 * Free with scaling_free, also after a failure. */
int scaling_fit(scaling *s, const table *training, const char *how, FILE *err);
void scaling_free(scaling *s);

/* Writes the scaled coordinates of all rows to `to`: rows x columns without gaps, finite. `t` has as many columns as
 * the training records. Returns 0, or 2 after one line on `err` about a value that FP32 cannot hold. */
int scaling_apply(const scaling *s, const table *t, float *to, FILE *err);
