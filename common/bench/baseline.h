/* What kernels are measured against: of all the calls that a family knows for a problem, the fastest whose result is
 * right. */
#pragma once

#include <stdbool.h>

#include "bench/family.h"

typedef struct {
    bool sought, there; /* baseline_choose has looked for one; is there one? */
    bench_launch launch;
    bench_call call;
    int tried, refused, wrong; /* calls: all; those that the library refused; those found to be wrong */
} bench_baseline;

/* Tries the family's calls on the launch's problem and operands (its variant is NULL), and chooses. Only the winner
 * must pass the full verification, as a variant does, because that is slow:
 *
 * The first call that passes it leaves the fingerprint of its exact pass (matrix.h), and the exact pass of every other
 * call must have the same one: no reference has to be computed, but for calls that are not exact. What a
 * graph cannot hold is refused, unless the mode has no graphs. Each call that is right so far is then timed quickly, in
 * the mode and with the caches of the outline: a single launch shows what is far slower than another, and a few are
 * enough where launches are long. The fastest are timed in pairs, as variants are. The one that wins is verified
 * completely; if it fails, it was wrong, and those that remain are timed again.
 *
 * Names on stderr what was wrong, and says so if there is no baseline; with --verbose prints what was chosen, and how
 * fast the others were. A CUDA error ends the process. */
void baseline_choose(const bench_launch *launch, const timing_task *outline, bench_baseline *b);

/* How to launch it; NULL where there is none. */
const bench_launch *baseline_launch(const bench_baseline *b);

/* Puts it into the row: its library, call, version and how many were tried, 0 where there was none to try. */
void baseline_record(const bench_baseline *b, record *r);
