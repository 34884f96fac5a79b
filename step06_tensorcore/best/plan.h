/* Which configuration of the persistent kernel (persistent.cuh) computes a problem, which tiles are split along K into
 * how many parts, and what is copied first: what is estimated to be the fastest. It asks no device anything, so a test
 * can ask it (tests/steps/test_persistent_plan.c). */
#pragma once

#include "costs.h"
#include "gemm/gemm.h"

__BEGIN_DECLS

enum { MAX_DIVIDED = 1024 }; /* tiles of a launch that have parts: reduce_parts.cuh has as many counters */

/* How many blocks a cluster has, one above the other, which share a tile of B, and side by side, which share a tile of
 * A; together 1 << size. */
typedef struct {
    int down, across, size;
} cluster_shape;
enum { CLUSTER_SIZES = 4, CLUSTER_SHAPES = 5 };
extern const cluster_shape cluster_shapes[CLUSTER_SHAPES]; /* in the order of these bits, down by across */
enum { IN_1X1 = 1, IN_2X1 = 2, IN_1X2 = 4, IN_2X2 = 8, IN_2X4 = 16 };

/* A configuration as the plan sees it; persistent_tile says what the first four mean. */
typedef struct {
    int bm, bn;
    bool ping_pong, any_c, parts; /* parts: takes them */
    int shapes;                   /* bits: of its clusters */
    int clusters[CLUSTER_SIZES];  /* of each size, that run at the same time on the device; 0: it cannot run */
    bool exact;                   /* of any sixteens of columns, up to bn */
    int orders;                   /* bits, AS_IS and SWAPPED: of operands, that it takes */
} plan_tile;
/* Swapped, it computes C's transpose: its rows are columns of C, its columns rows. */
enum { AS_IS = 1, SWAPPED = 2 };

/* A copy of a matrix in the workspace, in rows that begin on 128 bytes. */
typedef struct {
    const void *from;
    void *to;
    size_t pitch, to_pitch; /* of rows, in bytes */
    int rows, bytes;        /* of the matrix: how many rows, of how many bytes. No rows: no copy */
    bool transposed;        /* words: what is a row of the matrix becomes a column of the copy */
} plan_copy;

typedef struct {
    double clocks; /* of a multiprocessor; no tile: infinite */
    int tile;      /* its number; -1: none takes the problem */
    int columns;   /* of its: all, if it is not exact */
    bool swapped;
    int shape;    /* of its clusters: an index of cluster_shapes */
    int clusters; /* of the launch */
    int whole;    /* cluster tiles that one cluster computes alone; each of the others consists of */
    int parts;    /* so many parts */
    plan_copy a, b;
    gemm_problem p; /* the problem with what has been copied */
    void *sums;     /* where the parts leave their sums */
    size_t bytes;   /* of workspace */
} hopper_plan;

/* The cheapest plan for `p`, whose workspace need not be there yet, with the best of `count` tiles; none if there is no
 * product. Takes the host a few microseconds. */
hopper_plan plan_hopper(const gemm_problem *p, const plan_tile *tiles, int count, const plan_costs *costs);

/* What `plan`, made for `p` with these or other constants and `tile` as its tile, is estimated to take. Of its copies
 * counts only which there are. Infinite: not on this device. */
double hopper_clocks(const gemm_problem *p, const plan_tile *tile, const hopper_plan *plan, const plan_costs *costs);

__END_DECLS
