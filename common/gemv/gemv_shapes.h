#ifndef KL_GEMV_SHAPES_H
#define KL_GEMV_SHAPES_H

#include "bench/options.h"
#include "tensor/shape.h"

/* The shapes of a timed sweep (SQUARE, ARTICLE or ODD; m is 1) in the order in which they are run, for a GPU or smaller
 * ones for the simulator; without those that have a side above max_size. malloc'ed; NULL if out of memory. */
shape *gemv_sweep(sweep_kind kind, bool simulated, int max_size, int *count);

#endif
