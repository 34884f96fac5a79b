/* The paper's distances: norms, their sums, and one matrix product by cuBLAS with alpha = -2 and beta = 1.
 *
 * The paper calls cublasSgemm(T, N, m, n, d) and gets a column-major m x n matrix: one query's distances are m words
 * apart. Here the points are the first operand, so that in the column-major n x m result the distances of a query are
 * contiguous, as selection reads them (cublas_sgemm does that for row-major matrices; the points, n x d row-major, are
 * its B^T). */
#include "../parts.h"
#include "norms.h"

extern "C" {
#include "gpu/cublas.h"
}

static cudaError_t prepare(const knn_problem *p, void *kept, cudaStream_t stream) {
    return make_norms(p, (float *)kept, stream);
}

static cudaError_t tile(const knn_problem *p, void *kept, int first, int rows, float *distances, cudaStream_t stream) {
    cudaError_t error = make_sums(p, (const float *)kept, first, rows, distances, stream);
    if (error != cudaSuccess || p->d == 0) return error;
    const float *queries = p->queries + (int64_t)first * p->d;
    return cublas_sgemm(true, rows, p->n, p->d, -2.0f, queries, p->d, p->points, p->d, 1.0f, distances, p->n,
                        CUBLAS_DEFAULT, stream);
}

static const char *supports(const device_facts *device) {
    if (device->simulated) return "cuBLAS does not run in the simulator";
    return cublas_open(); /* only if needed: it takes a while */
}

extern "C" const knn_distances knn_distance_gemm_cublas = {norms_bytes, prepare, tile, norms_kernel, supports, NULL};
