/* The nearest neighbours on the CPU, and how a result differs from them. */
#ifndef KL_KNN_REFERENCE_H
#define KL_KNN_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

/* The k nearest, by THE distance of knn.h, of the n points (n x d) for queries 0, stride, 2 * stride ... of m, one row
 * of k after the other, in host memory; queries of a row have d elements. Returns false without memory. */
bool knn_reference(const float *queries, const float *points, int m, int n, int d, int k, int stride, int *index,
                   float *distance);

/* How many queries that takes. */
int knn_reference_rows(int m, int stride);

/* A result beside the reference: all m rows of the one, the rows of the other. */
typedef struct {
    uint64_t wrong;     /* places whose index or distance is not the reference's, bit for bit */
    uint64_t different; /* neighbours that are not among the k nearest */
    int row, place;     /* the first wrong one: query and place 0 ... k-1 */
} knn_difference;

knn_difference knn_compare(int m, int k, int stride, const int *index, const float *distance, const int *want_index,
                           const float *want_distance);

/* Is every row in strictly ascending order of (distance, index), of indices below n? Where not, *row and *place say
 * where first. */
bool knn_in_order(int m, int n, int k, const int *index, const float *distance, int *row, int *place);

#endif
