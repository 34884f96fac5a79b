/* The layers of --sweep: they are the same in every session. */
#ifndef KL_CONV_CASES_H
#define KL_CONV_CASES_H

#include "bench/case_list.h"
#include "bench/options.h"
#include "conv/conv_operands.h"

/* Adds the check list of a type and a layout: odd sides, strides, dilations and paddings that differ down and across, a
 * stride beyond the filter, padding wider than it, filters of one tap, of more than 64 and larger than the image, one
 * channel, one filter, more images than a tile has columns, empty dimensions, all pairs of four scalars with and
 * without a bias, misaligned operands, a NaN or an infinity planted in x or y; and, on a GPU, x and y of more than 2^31
 * elements. */
void conv_cases(dtype type, bool nhwc, case_list *l);

/* Adds the layers of a timed sweep (NETWORKS, SQUARE or ODD), each of which has what `like` has besides its sides; for
 * the simulator smaller ones. */
void conv_sweep(sweep_kind kind, bool simulated, const conv_case *like, case_list *l);

#endif
