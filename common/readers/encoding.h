/* Turns the columns of a table into coordinates. Which columns are symbolic, how they are encoded and how numbers are
 * scaled is learned from the training rows and then applied to any row.
 *
 * A numeric column becomes one coordinate. A symbolic column of c categories becomes c coordinates, in the order of the
 * categories' bytes: 1 for the row's own category, 0 for the others (one-hot); for a category that does not occur in
 * training all are 0, and it is counted. Coordinates are in the order of their columns; the column of labels gets none.
 *
 * Only numeric columns are scaled, in FP64: zscore is (x - mean) / standard deviation (of the training rows as a
 * population), minmax is (x - min) / (max - min), after zscore if both are requested. Test values may fall outside [0,
 * 1]. With either, a column that is constant in training becomes 0. The result is rounded to FP32 once. */
#ifndef KL_ENCODING_H
#define KL_ENCODING_H

#include <stdbool.h>
#include <stdio.h>

#include "readers/table.h"

typedef enum { LABELS_LAST, LABELS_FIRST, LABELS_NONE } labels_place;

typedef struct {
    labels_place labels;
    bool zscore, minmax; /* both: zscore, then minmax */
} features_options;

/* "none", "minmax", "zscore", "zscore,minmax" into o->zscore and o->minmax; "last", "first", "none". False: no such
 * word. */
bool features_parse_normalize(const char *text, features_options *o);
bool features_parse_labels(const char *text, labels_place *place);

/* The column of labels (from 0), or -1. */
int features_label_column(const table *t, labels_place place);

typedef struct features features;

/* Learns from `count` training rows (`rows`; NULL: all of the table's, count is then ignored). `training` is not needed
 * afterwards. Returns 0 and *f (free it), or 2 after one line on `err`. */
int features_fit(const table *training, const int *rows, int count, const features_options *options, features **f,
                 FILE *err);
void features_free(features *f);

/* d: coordinates per row. */
int features_dimension(const features *f);

/* Writes `count` rows, starting with number `first`, of `rows` (NULL: of the table), which may lack the column of
 * labels, to `values`: count x d, row-major without gaps, allocated by the caller. Values are finite. `unseen` (may be
 * NULL) gets the number of values whose category does not occur in training. Returns 0, or 2 after one line on `err`: a
 * different number of columns, a word in a numeric column, a value beyond FP32. */
int features_encode(const features *f, const table *t, const int *rows, int first, int count, float *values,
                    long long *unseen, FILE *err);

/* Prints a line to `out` for each column of these rows with categories that do not occur in training, naming a few of
 * them. */
void features_report_unseen(const features *f, const table *t, const int *rows, int count, FILE *out);

/* Prints to `out`: "118 coordinates: 38 numeric columns, 3 symbolic of 80 categories" (with scaling, also how many
 * columns are constant); then a line for each column that is symbolic only because of a few words among its numbers,
 * naming the first of them. */
void features_describe(const features *f, FILE *out);

#endif
