/* The speed of light of a launch: the microseconds that each unit of the GPU needs at least for what has been counted.
 * A floor, no prediction: what must wait for something, or meets a busy unit, takes longer. */
#pragma once

#include "base/ceilings.h"
#include "watch/metrics.h"

typedef struct floor_need {
    double work, rate; /* rate: a clock of one SM, on the average of the work; 0: what it is is not known */
    bool of_gpu;       /* all SMs share the unit */
    double us;
} floor_need;

/* Can nothing be faster than this time says? Then it counts in the largest, METRIC_FLOOR. */
bool floor_holds(int metric);

/* Reckons from one launch's counts, metrics[] of the kernel, and sets those of the speed of light among them; `needs`
 * (METRIC_COUNT, or NULL) then says what each of them is made of. */
void floor_of(const counted_kernel *k, const ceilings *c, double *counts, floor_need *needs);
