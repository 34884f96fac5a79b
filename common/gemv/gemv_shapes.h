#ifndef KL_GEMV_SHAPES_H
#define KL_GEMV_SHAPES_H

#include "bench/options.h"
#include "tensor/shape.h"

/* The shapes of a timed sweep (SQUARE, ARTICLE or ODD; m is 1) in the order they are run, on a GPU or those that suit
 * the simulator; those with a side above max_size left out. malloc'ed; NULL without memory. */
shape *gemv_sweep(sweep_kind kind, bool simulated, int max_size, int *count);

#endif
