/* The printed table. */
#pragma once

#include "bench/session.h"

void print_header(const session *s);

/* In the simulator, `seconds` that the launch took there, and milliseconds that it would take by the model of time. */
void print_row(const session *s, const char *name, const record *r, double seconds, double predicted_ms,
               const char *remark);

/* A row of what was not run or not recorded, with the reason. */
void print_skipped(const session *s, const char *name, const record *r, const char *reason);

/* "; 62 % of the data sheet's 989 TFLOP/s, 78 % of what 1410 MHz can do", in `text`: the first where the row has a
 * share of a peak, the second where its clock was measured, too. Returns `text`. */
const char *print_shares(const device_facts *d, const bench_workload *w, const record *r, char *text, size_t size);

/* The row of a variant that is only predicted: milliseconds, NAN where the model does not reach it. */
void print_predicted(const session *s, const char *name, const record *r, double ms);
