/* Which tile computes an FP32 convolution, how many tiles as wholes, and how many divided along the taps. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conv/conv.h"

__BEGIN_DECLS

/* The tiles: layout, filters, places, taps at a time, rows and columns of a thread, stages, threads and blocks on a
 * multiprocessor; then multiply-adds in a clock of a multiprocessor, and clocks of a block besides these. */
#define F32_TILES(X)                                                                                                   \
    X(false, 128, 256, 16, 8, 16, 4, 256, 1, 108, 11200)                                                               \
    X(false, 64, 128, 16, 8, 8, 4, 128, 3, 102.5, 7100)                                                                \
    X(false, 128, 128, 16, 8, 16, 4, 128, 2, 106.5, 12100)                                                             \
    X(false, 64, 64, 32, 8, 8, 3, 128, 3, 98, 5700)                                                                    \
    X(false, 64, 64, 64, 8, 16, 3, 256, 1, 90.5, 6000)                                                                 \
    X(false, 32, 256, 16, 4, 16, 3, 128, 3, 85, 7500)                                                                  \
    X(false, 32, 128, 16, 4, 8, 4, 256, 2, 70.5, 4100)                                                                 \
    X(true, 128, 256, 16, 8, 16, 4, 256, 1, 110, 19600)                                                                \
    X(true, 64, 128, 16, 8, 8, 4, 128, 3, 100, 11900)                                                                  \
    X(true, 128, 128, 32, 8, 16, 3, 256, 1, 108, 11800)                                                                \
    X(true, 64, 64, 32, 8, 8, 3, 128, 3, 95, 7600)                                                                     \
    X(true, 64, 64, 64, 8, 16, 3, 256, 1, 89.5, 6900)                                                                  \
    X(true, 32, 128, 16, 4, 8, 4, 256, 2, 65.5, 5900)

/* The thin kernels, of NCHW: filters, slices of taps, multiply-adds in a clock. */
#define F32_THIN(X)                                                                                                    \
    X(2, 1, 20)                                                                                                        \
    X(2, 8, 20)                                                                                                        \
    X(8, 1, 47)                                                                                                        \
    X(8, 8, 47)

enum {
    F32_NHWC = 7, /* the first of NHWC */
    F32_TILE_COUNT = 13,
    F32_THIN_COUNT = 4,   /* numbered on from there */
    F32_FAR_FILTERS = 32, /* the tile that has kernels for far taps, too */
    F32_FAR_PLACES = 128,
    F32_MAX_WORKERS = 512 /* that tiles may be divided among */
};

typedef struct {
    int tile; /* row of F32_TILES, or beyond them of F32_THIN */
    bool far; /* taps as f32_tile.cuh's far_tap */
    int64_t whole;
    int divided, workers; /* tiles after the whole ones, and the blocks that share them */
    size_t workspace;
    int shared; /* least shared memory of a block, in bytes */
} f32_plan;

/* For a problem that has outputs and products, on a device with so many multiprocessors, and so many bytes of shared
 * memory for a block. */
f32_plan f32_make_plan(const conv_problem *p, int sms, int shared_limit);

/* The plan for tile number `tile`, the last `divided` of its tiles divided among so many workers, of which each has at
 * least one tile of taps. */
f32_plan f32_plan_of(const conv_problem *p, int tile, int64_t divided, int workers);

/* Whether the tile is of the problem's layout, and has a kernel for its taps. */
bool f32_tile_takes(const conv_problem *p, int tile);

/* Tiles of y, and tiles of taps in each. */
int64_t f32_tiles(const conv_problem *p, int tile);
int64_t f32_tiles_of_taps(const conv_problem *p, int tile);

/* Launches a row of F32_THIN. */
cudaError_t f32_launch_thin(const conv_problem *p, int kernel, int64_t blocks, cudaStream_t stream);

/* Launches what a plan says. */
cudaError_t f32_launch_plan(const conv_problem *p, const f32_plan *plan, cudaStream_t stream);

__END_DECLS
