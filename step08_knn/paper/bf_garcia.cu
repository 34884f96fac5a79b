/* The paper's second baseline: brute force on a GPU as first published (Garcia, Debreuve, Barlaud: "Fast k nearest
 * neighbor search using GPU", 2008; Garcia, Debreuve, Nielsen, Barlaud, 2010), written from that description.
 *
 *   1. Distances in tiles of 16 x 16, one thread per pair: both tiles pass through shared memory 16 coordinates at a
 *      time. The matrix has a column for each query, so that neighbouring threads write, and later read, neighbouring
 *      words.
 *   2. One thread per query walks down its column. The first k distances are sorted by insertion; each further one that
 *      is below the k-th is inserted, and those above it move down by one. Only k indices are kept.
 *
 *        query      0   1   2   3            column of a thread, k = 3
 *      point 0     5   ..                     5         5         2         2  < sorted, k long
 *      point 1     7                          7    ->   7    ->   5    ->   4
 *      point 2     9                          9         9         7         5
 *      point 3     2                          2 < 9     .         .         .
 *      point 4     4                                    .         4 < 7     .
 *
 * The first k elements of a column hold the sorted list, in place. Here distances are the chain of knn.h, and each is
 * inserted after its equals: the answer is exact. One thread does all the work of a query: with 1200 queries most of
 * the GPU is idle. */
#include <cuda_runtime.h>
#include <stdint.h>

#include "knn/knn.h"

static const int TILE = 16;
static const int SORT_THREADS = 32;

static __global__ void __launch_bounds__(TILE *TILE)
    knn_garcia_distances(const float *queries, const float *points, int rows, int n, int d, float *distances) {
    __shared__ float X[TILE][TILE], Y[TILE][TILE + 1];
    int tiles = (rows + TILE - 1) / TILE, x = threadIdx.x, y = threadIdx.y;
    int query0 = blockIdx.x % tiles * TILE;
    int64_t point0 = (int64_t)(blockIdx.x / tiles) * TILE;
    float acc = 0.0f;
    for (int64_t k0 = 0; k0 < d; k0 += TILE) {
        bool inside = k0 + x < d;
        Y[y][x] = inside && query0 + y < rows ? queries[(int64_t)(query0 + y) * d + k0 + x] : 0.0f;
        X[y][x] = inside && point0 + y < n ? points[(point0 + y) * d + k0 + x] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) { /* thread (x, y): query x, point y */
            float difference = __fsub_rn(Y[x][k], X[y][k]);
            acc = __fmaf_rn(difference, difference, acc);
        }
        __syncthreads();
    }
    if (query0 + x < rows && point0 + y < n) distances[(point0 + y) * rows + query0 + x] = acc;
}

/* Inserts `value` of point `point` into the first `sorted` elements of a column; if there are k already, the last one
 * drops out. */
static __device__ __forceinline__ void insert(float *column, int *indices, int rows, int sorted, int k, float value,
                                              int point) {
    int64_t at = sorted < k ? sorted : k - 1;
    for (; at > 0 && column[(at - 1) * rows] > value; at--) {
        column[at * rows] = column[(at - 1) * rows];
        indices[at * rows] = indices[(at - 1) * rows];
    }
    column[at * rows] = value;
    indices[at * rows] = point;
}

static __global__ void __launch_bounds__(SORT_THREADS)
    knn_garcia_insertion(float *distances, int *indices, int rows, int n, int k, int *index, float *distance) {
    int query = blockIdx.x * SORT_THREADS + threadIdx.x;
    if (query >= rows) return;
    distances += query;
    indices += query;
    for (int64_t j = 0; j < n; j++) {
        float value = distances[j * rows];
        if (j < k || value < distances[(int64_t)(k - 1) * rows])
            insert(distances, indices, rows, j < k ? (int)j : k, k, value, (int)j);
    }
    for (int64_t i = 0; i < k; i++) {
        index[(int64_t)query * k + i] = indices[i * rows];
        distance[(int64_t)query * k + i] = distances[i * rows];
    }
}

/* Queries at a time: a column of distances and k indices each. */
static int rows_in(const knn_problem *p, size_t bytes) {
    const int64_t most = (int64_t)1 << 31;
    int64_t rows = (int64_t)(bytes / (((size_t)p->n + (size_t)p->k) * sizeof(float)));
    if (rows > most / p->n) rows = most / p->n;
    return rows < p->m ? (int)rows : p->m;
}

extern "C" size_t workspace_bf_garcia(const knn_problem *p, size_t limit) {
    return (size_t)rows_in(p, limit) * ((size_t)p->n + (size_t)p->k) * sizeof(float);
}

extern "C" const char *refuses_bf_garcia(const knn_problem *p) {
    if (p->m == 0 || rows_in(p, p->workspace_bytes) > 0) return NULL;
    return knn_needs(((double)p->n + p->k) * sizeof(float));
}

extern "C" kernel_info knn_kernel_bf_garcia(void) {
    return {(const void *)knn_garcia_distances, TILE * TILE, 0};
}

extern "C" cudaError_t search_bf_garcia(const knn_problem *p, cudaStream_t stream) {
    int most = rows_in(p, p->workspace_bytes);
    cudaError_t error = most > 0 || p->m == 0 ? cudaSuccess : cudaErrorInvalidValue;
    for (int first = 0; first < p->m && error == cudaSuccess; first += most) {
        int rows = p->m - first < most ? p->m - first : most;
        float *distances = (float *)p->workspace;
        int *indices = (int *)(distances + (int64_t)rows * p->n);
        int64_t blocks = (int64_t)((rows + TILE - 1) / TILE) * (((int64_t)p->n + TILE - 1) / TILE);
        knn_garcia_distances<<<(unsigned)blocks, dim3(TILE, TILE), 0, stream>>>(p->queries + (int64_t)first * p->d,
                                                                                p->points, rows, p->n, p->d, distances);
        knn_garcia_insertion<<<(rows + SORT_THREADS - 1) / SORT_THREADS, SORT_THREADS, 0, stream>>>(
            distances, indices, rows, p->n, p->k, p->index + (int64_t)first * p->k,
            p->distance + (int64_t)first * p->k);
        error = cudaGetLastError();
    }
    return error;
}
