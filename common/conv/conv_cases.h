/* The layers of --sweep: they are the same in every session. */
#pragma once

#include "bench/case_list.h"
#include "bench/options.h"
#include "bench/random_shapes.h"
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

enum { CONV_RANDOM_MAX = 16384 }; /* no larger --max */

/* Adds layers drawn by a seed, in whole numbers, in this order; each of `a, b ...` is as likely as another:
 *
 *   channels, filters  a random side each (random_shapes.h: --max, --spread, --multiple); one time in eight 3 channels
 *   images             1 ... 127, logarithms nearly uniform; rows, 7 ... 223, likewise; columns as many in 3 of 4
 *   filter             rows 1, 1, 3, 3, 3, 3, 5, 7; columns as many in 3 of 4
 *   stride             1, 1, 1, 1, 1, 2, 2, 3 both ways; dilation 1, in one of eight 2, unless that leaves no place
 *   padding            in 3 of 4 what keeps an image's size at stride 1, else any below the filter's rows, columns
 *
 * In the simulator there are up to 3 images and up to 27 rows. While it has more than 2^36 products (in the simulator
 * 2^24), or x or y more than 2^27 elements, a layer gets half of its images, then of its rows and columns down to 14,
 * then of its channels and filters: so that sixty of them are measured in minutes. */
void conv_random(random_draw draw, bool simulated, const conv_case *like, case_list *l);
