/* The nearest neighbours computed on the CPU, and how a result differs from them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The k nearest, by THE distance of knn.h, of the n points (n x d) for queries 0, stride, 2 * stride ... of m, one row
 * of k after the other, in host memory; a query has d elements. Returns false if out of memory. */
bool knn_reference(const float *queries, const float *points, int m, int n, int d, int k, int stride, int *index,
                   float *distance);

/* How many queries that is. */
int knn_reference_rows(int m, int stride);

/* A result compared with the reference: all m rows of the result, the rows that the reference has. */
typedef struct {
    uint64_t wrong;     /* entries whose index or distance is not the reference's, bit for bit */
    uint64_t different; /* neighbours that are not among the k nearest */
    int row, place;     /* the first wrong one: query and place 0 ... k-1 */
} knn_difference;

knn_difference knn_compare(int m, int k, int stride, const int *index, const float *distance, const int *want_index,
                           const float *want_distance);

/* Of the m x k neighbours in `index`, those that are not among the k nearest but as near as the last of them: what has
 * left them out is no rounding, but the order among equals. */
uint64_t knn_ties(const float *queries, const float *points, int m, int d, int k, const int *index,
                  const int *want_index, const float *want_distance);

/* Is every row in strictly ascending order of (distance, index), with indices below n? If not, *row and *place say
 * where it first is not. */
bool knn_in_order(int m, int n, int k, const int *index, const float *distance, int *row, int *place);
