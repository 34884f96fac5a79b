/* The paper's own maps of threads, around the same product as distance_gemm_ladder's: m threads compute the norms of
 * the queries and n those of the points, a row each; n threads fill the matrix of sums, a column each. Ours have a warp
 * a norm and a thread a sum (norms.cu).
 *
 *   a thread a row: lanes read words d apart     a warp a row: 32 neighbours     n threads fill C: lanes write
 *   x0 |0 . . . .                                x0 |0 1 2 3 ...                 neighbours, then all go down a row
 *   x1 |1 . . . .                                x1 |(next warp)                 (with few points, few threads)
 *   x2 |2 . . . .
 */
#include <stdint.h>

#include "../search.h"
#include "norms.h"

float *ladder_norms(const knn_problem *p, void *kept);
cudaError_t ladder_transpose(const knn_problem *p, void *kept, cudaStream_t stream);
cudaError_t ladder_product(const knn_problem *p, void *kept, int first, int rows, float *distances,
                           cudaStream_t stream);

static const int THREADS = 256;

static __global__ void __launch_bounds__(THREADS) knn_norms_by_row(const float *x, int rows, int d, float *norms) {
    int64_t row = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    float sum = 0.0f;
    if (row >= rows) return;
    for (int j = 0; j < d; j++) sum += x[row * d + j] * x[row * d + j];
    norms[row] = sum;
}

static __global__ void __launch_bounds__(THREADS)
    knn_sums_by_column(const float *of_queries, const float *of_points, int rows, int n, float *sums) {
    int64_t column = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (column >= n) return;
    float of_point = of_points[column];
    for (int64_t row = 0; row < rows; row++) sums[row * n + column] = of_queries[row] + of_point;
}

static unsigned blocks_for(int threads) {
    return (unsigned)(((int64_t)threads + THREADS - 1) / THREADS);
}

static size_t kept(const knn_problem *p) {
    return knn_distance_gemm_ladder.kept(p);
}

static cudaError_t prepare(const knn_problem *p, void *kept, cudaStream_t stream) {
    float *norms = ladder_norms(p, kept);
    knn_norms_by_row<<<blocks_for(p->m), THREADS, 0, stream>>>(p->queries, p->m, p->d, norms);
    knn_norms_by_row<<<blocks_for(p->n), THREADS, 0, stream>>>(p->points, p->n, p->d, norms + p->m);
    return ladder_transpose(p, kept, stream);
}

static cudaError_t tile(const knn_problem *p, void *kept, int first, int rows, float *distances, cudaStream_t stream) {
    const float *norms = ladder_norms(p, kept);
    knn_sums_by_column<<<blocks_for(p->n), THREADS, 0, stream>>>(norms + first, norms + p->m, rows, p->n, distances);
    return ladder_product(p, kept, first, rows, distances, stream);
}

static kernel_info kernel() {
    return {(const void *)knn_sums_by_column, THREADS, 0};
}

static const char *supports(const device_facts *device) {
    return knn_distance_gemm_ladder.supports(device);
}

static const char *refuses(const knn_problem *p) {
    return knn_distance_gemm_ladder.refuses(p);
}

extern "C" const knn_distances knn_distance_gemm_maps = {kept, prepare, tile, kernel, supports, refuses};
