#ifndef KL_GEMM_SHAPES_H
#define KL_GEMM_SHAPES_H

#include "bench/options.h"
#include "tensor/shape.h"

/* The shapes of a timed sweep (SQUARE, ARTICLE or ODD) in the order in which they are run, for a GPU or smaller ones
 * for the simulator, where a multiply-add takes some thousand times as long; without those that have a side above
 * max_size. malloc'ed; NULL if out of memory. */
shape *gemm_sweep(sweep_kind kind, bool simulated, int max_size, int *count);

#endif
