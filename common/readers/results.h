/* Results as files: CSV, or .npy where the name ends in that. A file is written under a temporary name beside it and
 * renamed when it is complete, so that it is never half-written; an existing file keeps its mode, and a signal that
 * ends the program takes the temporary file away. What is not a regular file (a pipe, a device), and what is standard
 * output already, is written to directly. */
#ifndef KL_RESULTS_H
#define KL_RESULTS_H

#include <stdio.h>

#include "readers/classes.h"

/* Before anything is computed: can the file be written? Changes nothing. Returns 0, or 2 after one line on `err`. */
int results_prepare(const char *path, FILE *err);

/* Each returns 0, or 3 after one line on `err`; what was there before is then unchanged.
 *   labels    CSV: a header "label", then a label a line; .npy: m numbers (f8) where labels are numeric, else strings
 *   indices   CSV: k a line, no header; .npy: i4, m x k
 *   distances CSV: k a line, nine digits, which bring the FP32 back; .npy: f4, m x k */
int results_write_labels(const char *path, const label_set *labels, const int *predicted, int m, FILE *err);
int results_write_indices(const char *path, const int *index, int m, int k, FILE *err);
int results_write_distances(const char *path, const float *distance, int m, int k, FILE *err);

#endif
