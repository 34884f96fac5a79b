/* The data of one search in host and device memory; device buffers for its results, between guard
 * zones; and the expected results. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/record.h"
#include "bench/case_list.h"
#include "knn/knn.h"
#include "knn/knn_reference.h"
#include "tensor/matrix.h"

typedef enum {
    KNN_UNIFORM, /* in [-1, 1) */
    KNN_WHOLE,   /* integers 0 ... 3: many equal distances, exact however they are computed */
    KNN_COPIES,  /* as KNN_WHOLE, each point five times */
    KNN_EQUAL,   /* all queries and points are the same */
    KNN_OFFSET,  /* uniform plus 4096: catastrophic cancellation in the expanded form */
    KNN_NEAR,    /* points that differ by one ulp in one coordinate */
    KNN_HUGE,    /* some squares overflow */
    KNN_TINY,    /* squares are subnormal */
    KNN_KINDS
} knn_kind;

/* The matrices of a search; indices are 32-bit words, as the floats are. */
enum { KNN_QUERIES, KNN_POINTS, KNN_INPUTS, KNN_INDEX = KNN_INPUTS, KNN_DISTANCE, KNN_MATRICES };

typedef struct {
    int m, n, d, k;
    knn_kind kind;
    int off[KNN_MATRICES]; /* misalignment of queries, points, indices and distances: words behind a 256-byte boundary,
                              0 ... 63 */
    bool scarce;           /* the least workspace that the method can work in, within a factor of two */
    bool prepared;         /* the method has prepared the points */
    uint64_t seed;
    int held; /* 0, or: points are generated on devices (KNN_UNIFORM), so many of them, the first, on this one */
} knn_case;

typedef struct {
    knn_case what;
    float *data[KNN_INPUTS]; /* host: queries and points; NULL: these are on devices only */
    matrix at[KNN_MATRICES]; /* device */
    knn_counts *counts;      /* device */
    int stride;              /* expected results are of every stride-th query: */
    int *want_index;
    float *want_distance;
} knn_operands;

/* "uniform", "whole" ... */
const char *knn_kind_name(knn_kind kind);

/* Bytes of device memory, without a workspace. */
double knn_operands_bytes(const knn_case *what);

/* Rows first ... of a case's points, in host memory, to be freed; NULL: there is not enough. */
float *knn_operands_points(const knn_case *what, int first, int rows);

/* Coordinate j of a point or a query; all of a matrix of uniform points have this seed. */
float knn_operands_value(const knn_case *c, bool is_point, size_t row, size_t j);
uint64_t knn_operands_seed(const knn_case *what);

/* Generates the data and computes the expected results on the CPU: of as many queries as `work` multiply-adds
 * are enough for, but at least one; of all where `work` is 0. Points that are generated on devices are in no host's
 * memory: then the first KNN_HELD_CHECKED queries are checked, in FP64. Returns false without host memory. */
bool knn_operands_create(knn_operands *o, const knn_case *what, double work);
enum { KNN_HELD_CHECKED = 1000 };
void knn_operands_destroy(knn_operands *o);

/* Puts queries and points into device memory, which search after search leaves as they are. */
void knn_operands_fill(knn_operands *o);

/* Adds the problems of --sweep check: n and d 1 ... 70 (crossed sparsely), d = 0, k = 1 and n, powers of two and their
 * neighbours as n and as k, every kind of data, misaligned queries and results, little workspace, no query, more points
 * than a block holds. at_once > 0: so many queries at most, on prepared points. */
void knn_cases(case_list *l, int at_once);

/* Its columns of a record. */
void knn_describe(const knn_case *what, record *r);

/* The problem before there is memory: addresses are made up, and aligned as they will be (p.prepared, too). */
knn_problem knn_operands_outline(const knn_case *what);

/* The problem without a workspace. */
knn_problem knn_operands_problem(const knn_operands *o);

/* Why the method cannot do this problem, or prepare its points, in at most `limit` bytes of workspace, or NULL;
 * *workspace gets the bytes it wants. */
const char *knn_refusal(const knn_method *method, const knn_problem *p, size_t limit, size_t *workspace);

/* The least workspace that the method can work in, within a factor of two and at most `limit`. */
size_t knn_scarce(const knn_method *method, const knn_problem *p, size_t limit);

typedef struct {
    bool ok;
    double seconds;     /* that the search took in the simulator; NAN on a GPU */
    knn_counts counts;  /* as the method reports them, but `negative` is counted in the results */
    int rows;           /* queries compared with the reference */
    uint64_t different; /* neighbours found for them that are not among the k nearest */
} knn_verdict;

/* Searches once with `workspace` bytes of workspace and checks everything: indices and distances (bit for bit; those of
 * the paper's own methods only for order and, on whole numbers, bit for bit, otherwise within a rounding error bound),
 * the guard zones around queries, points, results and workspace, and that queries and points are unchanged. Errors are
 * printed to `report` (NULL: nowhere), each line starting with `name`. */
cudaError_t knn_verify(const knn_method *method, const char *name, knn_operands *o, size_t workspace,
                       cudaStream_t stream, FILE *report, knn_verdict *verdict);
