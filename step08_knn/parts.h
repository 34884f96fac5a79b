/* The two parts of a search: distances of some queries to all points, and the k smallest of each query's row. search.h
 * combines them. */
#pragma once

#include "knn/knn.h"

/* Where distances come from. Those of a query are contiguous, so that selection reads consecutive words. */
typedef struct {
    /* Bytes of workspace kept for the whole search; NULL: none. */
    size_t (*kept)(const knn_problem *p);
    /* Fills them, once per search; NULL: nothing to do. */
    cudaError_t (*prepare)(const knn_problem *p, void *kept, cudaStream_t stream);
    /* Distances of queries first ... first + rows - 1: that of point j to query first + i at distances[i * n + j]. */
    cudaError_t (*tile)(const knn_problem *p, void *kept, int first, int rows, float *distances, cudaStream_t stream);
    kernel_info (*kernel)(void);
    const char *(*supports)(const device_facts *device); /* NULL: runs anywhere */
    const char *(*refuses)(const knn_problem *p);        /* NULL: takes every problem */
} knn_distances;

/* Distances of `rows` queries, which stay unchanged, and where the k smallest in each row go. */
typedef struct {
    int rows, n, k;
    const float *distances;
    int *index;
    float *distance;
    void *scratch;   /* aligned to 256 bytes */
    bool first_tile; /* of a search */
} knn_rows;

typedef struct {
    cudaError_t (*select)(const knn_rows *r, cudaStream_t stream);
    size_t (*scratch)(int n, int k);              /* bytes per row, a multiple of 8; NULL: none */
    const char *(*refuses)(const knn_problem *p); /* NULL: takes every problem */
    const char *(*note)(void);                    /* as knn_method's */
} knn_selector;
