/* Which tile computes an FP32 convolution, how many tiles as wholes, and how many divided along the taps. */
#ifndef KL_STEP09_F32_PLAN_H
#define KL_STEP09_F32_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "conv/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The tiles: filters, places, taps at a time, rows and columns of a thread where rows are filters, stages, blocks on a
 * multiprocessor; then multiply-adds in a clock of a multiprocessor, and clocks of a block besides these. */
#define F32_TILES(X)                                                                                                   \
    X(128, 256, 16, 8, 16, 4, 1, 99, 10500)                                                                            \
    X(64, 256, 32, 8, 16, 3, 1, 96, 9900)                                                                              \
    X(128, 128, 32, 8, 16, 3, 1, 94, 8500)                                                                             \
    X(64, 128, 32, 8, 16, 4, 1, 90, 8500)                                                                              \
    X(64, 64, 64, 8, 16, 3, 1, 86, 6700)                                                                               \
    X(32, 128, 16, 4, 8, 4, 2, 65, 3100)

enum {
    F32_FAR_TILE = 3,     /* the one that has kernels for far taps, too */
    F32_MAX_WORKERS = 512 /* that tiles may be divided among */
};

typedef struct {
    int tile; /* row of F32_TILES */
    bool far; /* taps as f32_tile.cuh's far_tap */
    int64_t whole;
    int divided, workers; /* tiles after the whole ones, and the blocks that share them */
    size_t workspace;
} f32_plan;

/* For a problem that has outputs and products, on a device with so many multiprocessors. */
f32_plan f32_make_plan(const conv_problem *p, int sms);

/* The plan for tile number `tile`, the last `divided` of its tiles divided among so many workers, of which each has at
 * least one tile of taps. */
f32_plan f32_plan_of(const conv_problem *p, int tile, int64_t divided, int workers);

/* Tiles of y, and tiles of taps in each. */
int64_t f32_tiles(const conv_problem *p, int tile);
int64_t f32_tiles_of_taps(const conv_problem *p, int tile);

/* Launches what a plan says. */
cudaError_t f32_launch_plan(const conv_problem *p, const f32_plan *plan, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
