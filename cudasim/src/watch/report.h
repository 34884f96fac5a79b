/* Counts as text. */
#pragma once

#include "watch/metrics.h"

/* Prints a table for each kernel: the metrics of one launch that are not zero. */
void report_tables(const counted_kernel *first, FILE *out);

/* Prints each kernel's source with counts in the margin. */
void report_lines(const counted_kernel *first, FILE *out);

/* A row for each kernel and metric, all of them, under a line of names. */
void report_csv(const counted_kernel *first, FILE *out);
