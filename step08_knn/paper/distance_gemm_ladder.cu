/* The paper's distances with step 5's matrix product, its `best`, linked in rather than copied.
 *
 * It takes B as k x n, row-major, and the points are n x d; so they are transposed, once per search:
 *
 *   points (n x d)        B (d x n)              a block: 32 x 32 through shared memory, with rows padded by a word
 *   y0 y0 y0 y0           y0 y1 y2 ...           so that the words of a column are in 32 different banks
 *   y1 y1 y1 y1    ->     y0 y1 y2 ...
 *   y2 y2 y2 y2           y0 y1 y2 ...
 *   ...                   y0 y1 y2 ...
 */
#include "../parts.h"
#include "norms.h"

#include "bench/options.h"
#include "gemm/gemm.h"

extern "C" {
GEMM_VARIANT(best);
size_t workspace_sgemm_best(const gemm_problem *p);
}

static const int SIDE = 32, ROWS = 8;

static __global__ void __launch_bounds__(SIDE *ROWS) knn_transpose(const float *points, int n, int d, float *to) {
    __shared__ float s[SIDE][SIDE + 1];
    unsigned tiles = (d + SIDE - 1) / SIDE;
    int64_t point0 = (int64_t)(blockIdx.x / tiles) * SIDE, k0 = (int64_t)(blockIdx.x % tiles) * SIDE;
    int x = threadIdx.x;
    for (int y = threadIdx.y; y < SIDE; y += ROWS)
        if (point0 + y < n && k0 + x < d) s[y][x] = points[(point0 + y) * d + k0 + x];
    __syncthreads();
    for (int y = threadIdx.y; y < SIDE; y += ROWS)
        if (k0 + y < d && point0 + x < n) to[(k0 + y) * n + point0 + x] = s[x][y];
}

static gemm_problem product_of(const knn_problem *p, int rows, const float *queries, const float *transposed,
                               float *distances) {
    gemm_problem product = {};
    product.type = GEMM_F32, product.out = DTYPE_F32, product.layout = GEMM_NN;
    product.m = rows, product.n = p->n, product.k = p->d;
    product.lda = p->d, product.ldb = p->n, product.ldc = p->n;
    product.alpha = -2.0f, product.beta = 1.0f;
    product.A = queries, product.B = transposed, product.C = distances;
    return product;
}

/* The transposed points first, then what the product needs, both in whole multiples of 256 bytes; then the norms. Where
 * n is no multiple of 4, the product may copy the transposed points once more, for each tile of queries. */
static size_t transposed_bytes(const knn_problem *p) {
    return ((size_t)p->n * (size_t)p->d * sizeof(float) + 255) / 256 * 256;
}
static size_t product_bytes(const knn_problem *p) {
    const gemm_problem product = product_of(p, p->m, NULL, NULL, NULL);
    return (workspace_sgemm_best(&product) + 255) / 256 * 256;
}

static size_t kept(const knn_problem *p) {
    return transposed_bytes(p) + product_bytes(p) + norms_bytes(p);
}

float *ladder_norms(const knn_problem *p, void *kept) {
    return (float *)((char *)kept + transposed_bytes(p) + product_bytes(p));
}

cudaError_t ladder_transpose(const knn_problem *p, void *kept, cudaStream_t stream) {
    int64_t blocks = (((int64_t)p->d + SIDE - 1) / SIDE) * (((int64_t)p->n + SIDE - 1) / SIDE);
    if (blocks > 0)
        knn_transpose<<<(unsigned)blocks, dim3(SIDE, ROWS), 0, stream>>>(p->points, p->n, p->d, (float *)kept);
    return cudaGetLastError();
}

static cudaError_t prepare(const knn_problem *p, void *kept, cudaStream_t stream) {
    cudaError_t error = ladder_transpose(p, kept, stream);
    return error != cudaSuccess ? error : make_norms(p, ladder_norms(p, kept), stream);
}

/* Takes 2 x*y from the sums of norms in `distances`. */
cudaError_t ladder_product(const knn_problem *p, void *kept, int first, int rows, float *distances,
                           cudaStream_t stream) {
    if (p->d == 0) return cudaGetLastError();
    gemm_problem product = product_of(p, rows, p->queries + (int64_t)first * p->d, (const float *)kept, distances);
    if (product_bytes(p) > 0) product.workspace = (char *)kept + transposed_bytes(p);
    return launch_best(&product, stream);
}

static cudaError_t tile(const knn_problem *p, void *kept, int first, int rows, float *distances, cudaStream_t stream) {
    cudaError_t error = make_sums(p, ladder_norms(p, kept), first, rows, distances, stream);
    return error != cudaSuccess ? error : ladder_product(p, kept, first, rows, distances, stream);
}

static const char *supports(const device_facts *device) {
    return device->cc >= 80 ? NULL : "cp.async needs compute capability 8.0";
}

static const char *refuses(const knn_problem *p) {
    return p->n <= OPTIONS_MAX_SIZE ? NULL : "takes up to 2000000000 points";
}

extern "C" const knn_distances knn_distance_gemm_ladder = {kept, prepare, tile, kernel_best, supports, refuses};
