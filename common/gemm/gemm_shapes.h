#ifndef KL_GEMM_SHAPES_H
#define KL_GEMM_SHAPES_H

#include "bench/options.h"
#include "tensor/shape.h"

/* The shapes of a timed sweep (SQUARE, ARTICLE or ODD) in the order they are run, on a GPU or those that suit the
 * simulator, where a multiply-add takes some thousand times as long; those with a side above max_size left out.
 * malloc'ed; NULL without memory. */
shape *gemm_sweep(sweep_kind kind, bool simulated, int max_size, int *count);

#endif
