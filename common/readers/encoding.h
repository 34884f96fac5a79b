/* (Not features.h: the C library has one, which a folder of -I would hide.)
 *
 * From a table's columns to coordinates: which columns are symbolic, how they are encoded and how numbers are scaled is
 * learnt from the training rows and then applied to any row.
 *
 * A numeric column makes one coordinate. A symbolic column of c categories makes c, in the order of the categories'
 * bytes: 1 for the row's own, 0 for the others; a category that training lacks is 0 throughout, and counted.
 * Coordinates come in the order of their columns; the column of the labels makes none.
 *
 * Scaling is of numeric columns alone and in FP64: zscore is (x - mean) / deviation (of all training rows, divided by
 * their number), minmax is (x - min) / (max - min) of what zscore, if asked too, has left. Test values may lie outside
 * of [0, 1]. A column that is constant in training is 0 throughout where any scaling is asked. The result is rounded
 * once to FP32. */
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

/* The labels' column (from 0), or -1. */
int features_label_column(const table *t, labels_place place);

typedef struct features features;

/* Learns from `count` training rows (`rows`; NULL: all of the table's, count is then ignored). `training` is not needed
 * afterwards. Returns 0 and *f (free it), or 2 after one line on `err`. */
int features_fit(const table *training, const int *rows, int count, const features_options *options, features **f,
                 FILE *err);
void features_free(features *f);

/* d: coordinates a row. */
int features_dimension(const features *f);

/* Writes `count` rows (`rows`; NULL: all) of `t` to `values`: count x d, row-major without gaps, room by the caller.
 * Values are finite. `unseen` (may be NULL) gets the number of categories' values that training lacks. Returns 0, or 2
 * after one line on `err`: a dimension mismatch, a word in a numeric column, a value beyond FP32. */
int features_encode(const features *f, const table *t, const int *rows, int count, float *values, long long *unseen,
                    FILE *err);

/* The same rows once more: a line on `out` for each column with categories that training lacks, naming some. Says
 * nothing where there are none. */
void features_report_unseen(const features *f, const table *t, const int *rows, int count, FILE *out);

/* One line on `out`: coordinates, and what they come from ("118 coordinates: 38 numeric columns, 3 symbolic of 80
 * categories"; constant columns); then one for each column that is symbolic for a few words among numbers, naming the
 * first. */
void features_describe(const features *f, FILE *out);

#endif
