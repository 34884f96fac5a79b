/* The contract between a nearest-neighbour step and the harness, as gemm.h is for GEMM.
 *
 * THE distance between a query x and a point y is a chain of FP32 operations: acc = 0; then for ascending j: acc =
 * fmaf(x_j - y_j, x_j - y_j, acc), with x_j - y_j rounded once. Neighbours are ordered by (distance, index). Distances
 * may overflow to +infinity; equal distances, infinite ones included, are ordered by index. Every exact method returns
 * the same indices and distances, bit for bit, on every run. The paper's own methods, which compute |x|^2 + |y|^2 -
 * 2xy, do not. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "gpu/device.h"
#include "gpu/kernel_info.h"

__BEGIN_DECLS

/* What a method reports about a search. */
typedef struct {
    unsigned long long redone;     /* queries that the screen could not decide and that were searched again exactly */
    unsigned long long negative;   /* distances below zero (expanded form) */
    unsigned long long candidates; /* points re-ranked by THE distance */
} knn_counts;

/* Candidates per query, over those of the m queries that were not searched again. */
static inline double knn_candidates(const knn_counts *c, int m) {
    return (unsigned long long)m > c->redone ? (double)c->candidates / ((double)m - (double)c->redone) : 0.0;
}

/* m queries against n points of dimension d, both row-major and contiguous: coordinate j of query i is queries[i*d +
 * j]. Row i of the results holds the k points nearest to query i, in ascending order of (distance, index). 1 <= k <= n
 * <= 2^31-1; m >= 0; d >= 0 (with d = 0 all distances are 0). */
typedef struct {
    int m, n, d, k;
    const float *queries, *points; /* on the device; finite; only 4-byte alignment is guaranteed */
    int *index;                    /* device, m x k */
    float *distance;               /* device, m x k */
    void *workspace;               /* device, aligned to 256 bytes */
    size_t workspace_bytes;        /* at least what `workspace` below returned; a larger one allows larger tiles */
    const void *prepared;          /* device: what the method's `prepare` left there for these points; NULL: nothing */
    knn_counts *counts;            /* on the device; the harness zeroes it before each search */
} knn_problem;

typedef struct {
    const char *name; /* as --method takes it: "direct+radix" */
    const char *idea; /* one line for --list */
    /* Enqueues the whole search on `stream` and returns the error of the launch; cudaSuccess if m == 0. Allocates
     * nothing and does not synchronise, except for auto, which times two selections. */
    cudaError_t (*search)(const knn_problem *p, cudaStream_t stream);
    kernel_info (*kernel)(void);
    const char *(*supports)(const device_facts *device); /* as gemm_variant's; NULL: runs on any device */
    /* Returns why the method cannot solve this problem with p->workspace_bytes of workspace ("takes k up to 256",
     * "needs 12.3 MB"), or NULL if it can. If the pointer is NULL, it takes every problem. */
    const char *(*refuses)(const knn_problem *p);
    /* Returns how many bytes of workspace to allocate for the problem, at most `limit`; 0 if `limit` is too small
     * (`refuses` then says how much is needed). If the pointer is NULL, it needs none. */
    size_t (*workspace)(const knn_problem *p, size_t limit);
    /* What many searches of the same points can share: how many bytes of device memory it takes, of which p->n and p->d
     * decide, and what fills them, for searches with p->prepared. If the pointers are NULL, there is no such thing. */
    size_t (*prepared)(const knn_problem *p);
    cudaError_t (*prepare)(const knn_problem *p, void *prepared, cudaStream_t stream);
    bool exact; /* false for the paper's own methods */
    /* Returns a remark about the last search, which --verbose prints below its row, or NULL. If the pointer is NULL,
     * there never is one. */
    const char *(*note)(void);
} knn_method;

/* "needs 12.3 MB", for `refuses`; the text is valid until the next call. */
const char *knn_needs(double bytes);

/* Majority vote: out[i] becomes the most frequent label among query i's k nearest neighbours, index[i * stride] ...
 * index[i * stride + k - 1]; on a tie, the smallest of them. labels[j], 0 ... classes - 1, is the label of point j;
 * classes > 0. All pointers are to device memory. Defined in step08_knn/paper/vote.cu. */
cudaError_t knn_vote(const int *index, int m, int k, int stride, const int *labels, int classes, int *out,
                     cudaStream_t stream);

/* The kernels of a search by several ranks (knn_ranks.h), in step08_knn/ranks; all pointers are to device memory. Of
 * `rows` queries keys[i * k ...] become the `found` <= k neighbours of each, whose indices count from `first` on, and
 * then KNN_NO_KEY. */
cudaError_t knn_pack(const int *index, const float *distance, int rows, int found, int k, int first, uint64_t *keys,
                     cudaStream_t stream);
cudaError_t knn_unpack(const uint64_t *keys, int rows, int k, int *index, float *distance, cudaStream_t stream);

/* The k smallest of each two rows of k keys in ascending order; `out` is neither of them. */
cudaError_t knn_merge(const uint64_t *mine, const uint64_t *theirs, int rows, int k, uint64_t *out,
                      cudaStream_t stream);

/* points[i] = element number first + i of the uniform matrix with this seed (values.h). */
cudaError_t knn_generate(float *points, uint64_t seed, uint64_t first, uint64_t count, cudaStream_t stream);

/* Adds to counts[i] how many of the n points have a squared distance, in FP64, below limits[i] from query i. */
cudaError_t knn_count_nearer(const float *points, int n, int d, const float *queries, int m, const double *limits,
                             unsigned long long *counts, cudaStream_t stream);

/* Runs the step's command line over its methods, which are listed slowest first: classification (--train), if no
 * method is named, uses the last exact one that can run. Returns the exit status, like gemm_step_main. */
int knn_step_main(int argc, char **argv, const char *step, const knn_method *methods, int count);

__END_DECLS
