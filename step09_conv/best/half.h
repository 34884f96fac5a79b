/* Convolutions of f16 and bf16 on tensor cores, for best.cu: what computes one, and where. */
#pragma once

#include "../../step06_tensorcore/best/plan.h"
#include "conv/conv.h"

__BEGIN_DECLS

/* A division by it of what is below 2^31 is a multiplication: x / d = 2x * factor >> 32 >> shift (Granlund and
 * Montgomery, "Division by Invariant Integers using Multiplication"). */
typedef struct {
    unsigned factor, shift;
} half_divisor;

/* x as the kernels read it, from rows of pixels, each of c channels; a filter has r*s*c weights, in that order. */
typedef struct {
    const void *x, *bias;
    int c, h, w, r, s;
    int row; /* pixels from a row of an image to the next */
    int p, q, stride[2], pad[2], dilation[2];
    int piece;                  /* bytes that are copied at a time: 16 or 8, of which a pixel is a multiple */
    int step_c, step_s, step_r; /* 64 weights further on in a filter: so many channels, columns and rows of taps */
    int in_plane;               /* y is n k p q: p*q; else 0 */
    half_divisor by_pq, by_q;
    float alpha;
} half_view;

/* What is written into the workspace first: x in n h w c, f in k r s c, with channels of zeros up to view.c. */
typedef struct {
    const void *from;
    void *to;           /* NULL: nothing is written */
    bool planes;        /* channels of `from` are planes */
    int64_t groups;     /* images; filters */
    int inner, c, to_c; /* pixels of an image, taps of a filter; channels from, to */
    int64_t pitch;      /* of f: elements from a filter to the next */
    int w, row, lines;  /* of x: pixels of a row; from a row to the next; rows of an image */
    half_divisor by_w;
} half_copy;

/* How x comes to half.cuh's tiles. */
typedef enum {
    LOAD_PIECES,  /* by cp.async, a piece at a time (half_rows.cuh) */
    LOAD_WINDOWS, /* by TMA in im2col mode, 64 channels of a tap at a time; the tensor map takes the rest */
    LOAD_TILES,   /* by TMA: of one tap, with no pixel left out, x is a matrix of places and channels */
    LOAD_HALOS    /* by TMA: the pixels of two patches of 8 x 8 places, for all taps (half_halo.cuh) */
} half_loader;

/* f as the kernels read it: each filter's weights, of which the first is on 16 bytes. */
typedef struct {
    const void *at;
    int64_t weights, pitch; /* of a filter; from one to the next */
    int count;
} half_filters;

/* Step 6's kernels for products of matrices. */
typedef enum { BY_NONE, BY_PERSISTENT, BY_MULTISTAGE } half_matrices;

/* How a problem is computed. */
typedef struct {
    bool hopper;      /* by half.cuh, else by half_mma.cu */
    half_matrices by; /* or by one of step 6's kernels */
    half_loader loader;
    half_view view;
    half_filters filters;
    half_copy x, f;
    hopper_plan product; /* of the places and the filters */
    size_t bytes;        /* of workspace */
} half_plan;

/* The configurations of half.cuh, on the current device; returns how many. */
enum { HALF_TILES = 13, FIRST_HALO = 11 }; /* from there on those that take halos, and nothing else */
int half_tiles(dtype type, plan_tile tiles[HALF_TILES]);

/* The plan with the best of `count` tiles, and its launch. No tiles: half_mma.cu computes. */
half_plan plan_half(const conv_problem *p, const plan_tile *tiles, int count);
cudaError_t launch_half(const conv_problem *p, const half_plan *plan, cudaStream_t stream);

/* What launch_half launches. */
cudaError_t half_pack(const half_plan *plan, cudaStream_t stream);
cudaError_t launch_half_mma(const conv_problem *p, const half_plan *plan, cudaStream_t stream);

__END_DECLS

#ifdef __CUDACC__
#define HALF_BOTH __host__ __device__
#else
#define HALF_BOTH
#endif
/* A patch of 8 x 8 places with its border, in shared memory (half_halo.cuh): pixels down and across; the bytes of a
 * pixel, of which there are 64 channels at a time or, if it has fewer, 32 or 16; the bytes of all. */
typedef struct {
    int down, across, width, bytes;
} halo_patch;
HALF_BOTH static inline halo_patch halo_patch_of(const half_view *v) {
    halo_patch p;
    p.down = 8 + (v->r - 1) * v->dilation[0], p.across = 8 + (v->s - 1) * v->dilation[1];
    p.width = v->c > 32 ? 128 : v->c > 16 ? 64 : 32;
    p.bytes = (p.down * p.across * p.width + 127) / 128 * 128;
    return p;
}

/* The bytes of shared memory for filters and for halos, of two patches each; of those at most so many for a ring of
 * filters. Whether all filters, in so many stages, find room beside two halos. */
enum { HALO_POOL = 194 * 1024, FILTER_RING = 112 * 1024 };
HALF_BOTH static inline bool halo_resident(int64_t stages, int stage_bytes, int patch_bytes) {
    return stages * stage_bytes + 4 * patch_bytes <= HALO_POOL;
}

#ifdef __CUDACC__
static __device__ __forceinline__ int divide(int x, half_divisor by) {
    return (int)(__umulhi(2 * (unsigned)x, by.factor) >> by.shift);
}
#endif
