/* The shapes of --sweep random: drawn by a seed, in whole numbers, so that they are the same on every machine. */
#pragma once

#include <stdint.h>

#include "bench/options.h"
#include "tensor/shape.h"

enum { RANDOM_MAX_PAD = 15 };

/* Where a draw stands. The first shapes of a longer sweep are those of a shorter one. */
typedef struct {
    random_sweep sweep;
    uint64_t seed, drawn; /* of values_hash (values.h): what it is asked for next */
    int count;            /* shapes so far */
} random_draw;

/* m, n and k; and by how many elements the leading dimensions of A, B and C exceed their rows' lengths. */
typedef struct {
    shape sides;
    int pads[3];
} random_shape;

/* Any of 0 ... count - 1. */
int random_below(random_draw *d, int count);

/* A side: `multiple` times a factor from 1 to most = max / multiple, rounded down. With "uniform" each factor is as
 * likely as any other. With "log" it is the whole part of a number from 1 to most + 1 whose logarithm is uniform, so
 * that 1, 2 to 3 and 4 to 7 are equally likely. */
int random_side(random_draw *d);

/* The next shape, side by side.
 *
 * There are no gaps between rows, unless `multiple` is 1 and rows do not keep to 16 bytes anyway: then every other
 * shape has pads of 0 ... RANDOM_MAX_PAD, drawn for each of A, B and C. */
random_shape random_shape_next(random_draw *d);
