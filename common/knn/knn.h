/* The contract between a nearest-neighbour step and the harness: as gemm.h's, for searches.
 *
 * THE distance of a query x and a point y is an FP32 chain: acc = 0; for ascending j: acc = fmaf(x_j - y_j, x_j - y_j,
 * acc), x_j - y_j rounded once. Neighbours are ordered by (distance, index). Distances may overflow to +infinity; two
 * such are ordered by index. Every method gives the same indices and distances, bit for bit, on every run; but the
 * paper's own, which take distances from |x|^2 + |y|^2 - 2xy. */
#ifndef KL_KNN_H
#define KL_KNN_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#include "gpu/device.h"
#include "gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a method reports of its work. */
typedef struct {
    unsigned long long redone;     /* queries whose bound did not close and were searched exactly */
    unsigned long long negative;   /* distances below zero (expanded form) */
    unsigned long long candidates; /* re-ranked by direct differences */
} knn_counts;

/* Candidates a query, of m queries: those that were searched again have none that count. */
static inline double knn_candidates(const knn_counts *c, int m) {
    return (unsigned long long)m > c->redone ? (double)c->candidates / ((double)m - (double)c->redone) : 0.0;
}

/* m queries against n points of dimension d, both row-major without gaps: query i, coordinate j at queries[i*d + j].
 * Results: row i has the k nearest points in ascending order of (distance, index). 1 <= k <= n <= 2^31-1; m >= 0;
 * d >= 0 (all distances 0). */
typedef struct {
    int m, n, d, k;
    const float *queries, *points; /* device; finite; 4-byte aligned and no more */
    int *index;                    /* device, m x k */
    float *distance;               /* device, m x k */
    void *workspace;               /* device, aligned to 256 bytes */
    size_t workspace_bytes;        /* at least what `workspace` below asked for; more may be used (larger tiles) */
    knn_counts *counts;            /* device, zeroed by the harness before each search: what the method reports */
} knn_problem;

typedef struct {
    const char *name; /* "direct+radix"; as --method takes it */
    const char *idea; /* one line for --list */
    /* Enqueues the whole search on `stream`; returns the launch's error. Nothing to do (m == 0) is cudaSuccess. No
     * allocation; no synchronisation except where the method says so (auto). */
    cudaError_t (*search)(const knn_problem *p, cudaStream_t stream);
    gemm_kernel (*kernel)(void);
    const char *(*supports)(const device_facts *device); /* as gemm_variant's; NULL: runs anywhere */
    const char *(*refuses)(const knn_problem *p);        /* "takes k up to 256"; NULL: takes every problem */
    /* The bytes it wants, not above limit. 0 with limit too small for it: then refuses is asked (workspace_bytes
     * holding the limit) with a reason "needs ... MB". NULL: none. */
    size_t (*workspace)(const knn_problem *p, size_t limit);
    bool exact; /* false: the paper's own */
    /* NULL: nothing to say. Otherwise a remark on the last search, printed below the row with --verbose; or NULL. */
    const char *(*note)(void);
} knn_method;

/* The vote: out[i] is the label that most of query i's first k neighbours have (index + i * stride), the smallest of
 * them where several do. labels[j] is point j's, 0 ... classes - 1, classes > 0. All in device memory.
 * step08_knn/vote.cu. */
cudaError_t knn_vote(const int *index, int m, int k, int stride, const int *labels, int classes, int *out,
                     cudaStream_t stream);

/* Runs the step's command line over its methods, of which the last is the best: --method best, and what classifies
 * records of files where none is named. Exit status as gemm_step_main's. */
int knn_step_main(int argc, char **argv, const char *step, const knn_method *methods, int count);

#ifdef __cplusplus
}
#endif

#endif
