/* Results as files: .npy if the name ends in that, else CSV. A file is written under a temporary name next to the
 * target and renamed when it is complete, so that it is never half-written; an existing file keeps its mode, and a
 * signal that ends the program removes the temporary file. Anything but a regular file (a pipe, a device), and anything
 * that is already standard output, is written to directly. */
#ifndef KL_RESULTS_H
#define KL_RESULTS_H

#include <stdio.h>

#include "readers/classes.h"

/* Checks, before anything is computed, that the file can be written. Changes nothing. Returns 0, or 2 after one line on
 * `err`. */
int results_prepare(const char *path, FILE *err);

/* Each returns 0, or 3 after one line on `err`; the previous contents of the file are then unchanged.
 *   labels    CSV: a header "label", then one label per line; .npy: m numbers (f8) if labels are numeric, else strings
 *   indices   CSV: k per line, no header; .npy: i4, m x k
 *   distances CSV: k per line, with nine digits, which read back as the same FP32; .npy: f4, m x k */
int results_write_labels(const char *path, const label_set *labels, const int *predicted, int m, FILE *err);
int results_write_indices(const char *path, const int *index, int m, int k, FILE *err);
int results_write_distances(const char *path, const float *distance, int m, int k, FILE *err);

#endif
