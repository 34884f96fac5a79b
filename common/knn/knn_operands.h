/* One search's queries and points, made up or given, in host and device memory; its results between guard zones; and
 * what they have to be. */
#ifndef KL_KNN_OPERANDS_H
#define KL_KNN_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/record.h"
#include "knn/knn.h"
#include "knn/knn_reference.h"
#include "tensor/matrix.h"

typedef enum {
    KNN_UNIFORM, /* from [-1, 1) */
    KNN_WHOLE,   /* 0 ... 3: many distances are equal, and all are exact in every way to compute them */
    KNN_COPIES,  /* the same, and each point five times */
    KNN_EQUAL,   /* all queries and points the same */
    KNN_OFFSET,  /* uniform, and 4096 added: the expanded form cancels */
    KNN_NEAR,    /* points that are apart by a unit in the last place of one coordinate */
    KNN_HUGE,    /* squares overflow now and then */
    KNN_TINY,    /* squares are subnormal */
    KNN_GIVEN,   /* the caller's */
    KNN_KINDS = KNN_GIVEN
} knn_kind;

typedef struct {
    int m, n, d, k;
    knn_kind kind;
    int off[4];  /* words by which queries, points, indices and distances miss a 256-byte boundary, 0 ... 63 */
    bool scarce; /* as little workspace as the method can do with, but for a factor of two */
    uint64_t seed;
    const float *queries, *points; /* KNN_GIVEN: host memory, m x d and n x d, which stays the caller's */
} knn_case;

typedef struct {
    knn_case what;
    float *queries, *points;                       /* host */
    matrix at_queries, at_points, index, distance; /* device; the indices are words of 32 bits like the floats */
    knn_counts *counts;                            /* device */
    int stride;                                    /* every stride-th query has its answer here: */
    int *want_index;
    float *want_distance;
} knn_operands;

/* "uniform", "whole" ... */
const char *knn_kind_name(knn_kind kind);

/* Device bytes, all but a workspace. */
double knn_operands_bytes(const knn_case *what);

/* Makes or copies the data and finds the right answers, of as many queries as `work` multiply-adds find, at least one;
 * all: 0. False without host memory. */
bool knn_operands_create(knn_operands *o, const knn_case *what, double work);
void knn_operands_destroy(knn_operands *o);

/* Its columns of a record. */
void knn_describe(const knn_case *what, record *r);

/* The problem before there is memory: addresses are made up, and aligned as they will be. */
knn_problem knn_operands_outline(const knn_case *what);

/* The problem without a workspace. */
knn_problem knn_operands_problem(const knn_operands *o);

/* Why the method does not do this here (NULL: it does), and the bytes of workspace for it, at most `limit`. */
const char *knn_refusal(const knn_method *method, const knn_problem *p, size_t limit, size_t *workspace);

/* The least limit that will do, but for a factor of two; at most `limit`. */
size_t knn_scarce(const knn_method *method, const knn_problem *p, size_t limit);

typedef struct {
    bool ok;
    double seconds;     /* of the search in the simulator; NAN on a GPU */
    knn_counts counts;  /* as the method reports, and `negative` as it is in the results */
    int rows;           /* queries compared with the reference */
    uint64_t different; /* their neighbours that are not among the k nearest */
} knn_verdict;

/* Searches once with `workspace` bytes and looks at everything it left behind: indices and distances (bit for bit; the
 * paper's own: in order, bit for bit on whole numbers, otherwise each place's distance within what rounding can do),
 * the guard zones around queries, points, results and workspace, and that queries and points are as they were. What is
 * wrong is printed to `report` (NULL: nowhere), each line starting with `name`. */
cudaError_t knn_verify(const knn_method *method, const char *name, knn_operands *o, size_t workspace,
                       cudaStream_t stream, FILE *report, knn_verdict *verdict);

#endif
