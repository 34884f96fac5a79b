/* Measuring launches of variants and of the baseline's calls. */
#pragma once

#include "bench/session.h"

/* The outline of a measurement with launches in it (`baseline` NULL: ours alone). In rounds between which the operands
 * move, where they can and `moves` says so. The launches must outlive the task. */
timing_task measure_task(const timing_task *outline, const bench_launch *ours, const bench_launch *baseline,
                         bool moves);

/* Times `ours` beside `baseline` (NULL: alone) with the outline's sets, cache and mode, for so many seconds; `hot`: as
 * timing.h has it. A CUDA error ends the process. */
void measure_quickly(const timing_task *outline, const bench_launch *ours, const bench_launch *baseline, double seconds,
                     bool hot, timing_result *t);

/* Does the error say that the device, or a kernel of this configuration, cannot do this problem? (No fault of a
 * candidate's.) Takes it out of the runtime. */
bool measure_refused(cudaError_t error);

/* How many operand sets together drive one another out of the cache, at most 511 (which may be too few: then flush), no
 * multiple of four. */
int measure_cold_sets(const bench_workload *w);

/* Puts what was measured into the row. */
void measure_record(record *r, const bench_workload *w, const timing_result *t);
