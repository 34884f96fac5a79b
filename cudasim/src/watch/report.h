/* Counts as text. */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include "watch/metrics.h"

/* A table for each kernel: of one launch, what is zero left out. */
void report_tables(const counted_kernel *first, FILE *out);

/* Each kernel's source, with counts in the margin. */
void report_lines(const counted_kernel *first, FILE *out);

/* A row for each kernel and metric, all of them, under a line of names. */
void report_csv(const counted_kernel *first, FILE *out);

#endif
