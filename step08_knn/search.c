/* A workspace in three parts:
 *
 *   | kept for the search | distances: rows x n | the selector's scratch: rows |
 */
#include "search.h"

enum { ALIGNMENT = 256 };
static const int64_t MOST_DISTANCES = (int64_t)1 << 31; /* 8 GB of distances at a time are enough to fill any GPU */

static size_t aligned(size_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t kept_bytes(const knn_distances *from, const knn_problem *p) {
    return from->kept != NULL ? aligned(from->kept(p)) : 0;
}

static size_t row_bytes(const knn_selector *selector, const knn_problem *p) {
    return (size_t)p->n * sizeof(float) + (selector->scratch != NULL ? selector->scratch(p->n, p->k) : 0);
}

/* How many queries at a time `bytes` are enough for. */
static int rows_in(const knn_distances *from, const knn_selector *selector, const knn_problem *p, size_t bytes) {
    const size_t kept = kept_bytes(from, p) + ALIGNMENT; /* for aligning the scratch */
    if (bytes < kept) return 0;
    int64_t rows = (int64_t)((bytes - kept) / row_bytes(selector, p));
    if (rows > MOST_DISTANCES / p->n) rows = MOST_DISTANCES / p->n;
    return rows < p->m ? (int)rows : p->m;
}

static size_t bytes_of(const knn_distances *from, const knn_selector *selector, const knn_problem *p, int rows) {
    return kept_bytes(from, p) + ALIGNMENT + row_bytes(selector, p) * (size_t)rows;
}

size_t knn_search_workspace(const knn_distances *from, const knn_selector *selector, const knn_problem *p,
                            size_t limit) {
    const int rows = rows_in(from, selector, p, limit);
    return rows > 0 ? bytes_of(from, selector, p, rows) : 0;
}

const char *knn_search_refuses(const knn_distances *from, const knn_selector *selector, const knn_problem *p) {
    const char *reason = from->refuses != NULL ? from->refuses(p) : NULL;
    if (reason == NULL && selector->refuses != NULL) reason = selector->refuses(p);
    if (reason != NULL || p->m == 0 || rows_in(from, selector, p, p->workspace_bytes) > 0) return reason;
    return knn_needs((double)bytes_of(from, selector, p, 1));
}

cudaError_t knn_search_parts(const knn_distances *from, const knn_selector *selector, const knn_problem *p,
                             cudaStream_t stream) {
    const int most = rows_in(from, selector, p, p->workspace_bytes);
    if (p->m == 0) return cudaSuccess;
    if (most == 0) return cudaErrorInvalidValue;
    char *const kept = p->workspace, *const tile = kept + kept_bytes(from, p);
    char *const scratch = tile + aligned((size_t)most * (size_t)p->n * sizeof(float));
    cudaError_t error = from->prepare != NULL ? from->prepare(p, kept, stream) : cudaSuccess;
    for (int first = 0; error == cudaSuccess && first < p->m; first += most) {
        const knn_rows r = {.rows = p->m - first < most ? p->m - first : most,
                            .n = p->n,
                            .k = p->k,
                            .distances = (float *)tile,
                            .index = p->index + (size_t)first * (size_t)p->k,
                            .distance = p->distance + (size_t)first * (size_t)p->k,
                            .scratch = scratch,
                            .first_tile = first == 0};
        error = from->tile(p, kept, first, r.rows, (float *)tile, stream);
        if (error == cudaSuccess) error = selector->select(&r, stream);
    }
    return error;
}
