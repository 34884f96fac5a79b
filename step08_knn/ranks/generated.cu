/* Points that exist on devices only, too many for a host's memory, and what it takes to check an answer about them: how
 * many points are nearer to a query than some distance, in FP64. Another formula, another precision and another loop
 * than any search's. */
#include <cuda_runtime.h>
#include <stdint.h>

#include "base/values.h"
#include "knn/knn.h"

static const int THREADS = 256;
static const int AT_ONCE = 16; /* queries, whose sums a thread has in registers */
static const int CHUNK = 64;   /* coordinates of these that are in shared memory at a time */

static __global__ void __launch_bounds__(THREADS)
    knn_generate_kernel(float *points, uint64_t seed, uint64_t first, uint64_t count) {
    const uint64_t step = (uint64_t)gridDim.x * THREADS;
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += step)
        points[i] = values_at(VALUES_UNIFORM, seed, first + i);
}

extern "C" cudaError_t knn_generate(float *points, uint64_t seed, uint64_t first, uint64_t count, cudaStream_t stream) {
    const uint64_t blocks = (count + THREADS - 1) / THREADS;
    if (count > 0)
        knn_generate_kernel<<<(unsigned)(blocks < 65536 ? blocks : 65536), THREADS, 0, stream>>>(points, seed, first,
                                                                                                 count);
    return cudaGetLastError();
}

/* A thread per point; a block goes through all queries, AT_ONCE at a time. */
static __global__ void __launch_bounds__(THREADS)
    knn_nearer_kernel(const float *points, int n, int d, const float *queries, int m, const double *limits,
                      unsigned long long *counts) {
    __shared__ double x[CHUNK][AT_ONCE];
    const int64_t point = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const float *y = points + (point < n ? point : 0) * d;
    for (int first = 0; first < m; first += AT_ONCE) {
        double sum[AT_ONCE] = {};
        for (int j0 = 0; j0 < d; j0 += CHUNK) {
            __syncthreads();
            for (int i = threadIdx.x; i < CHUNK * AT_ONCE; i += THREADS) {
                const int query = first + i % AT_ONCE, j = j0 + i / AT_ONCE;
                x[i / AT_ONCE][i % AT_ONCE] = query < m && j < d ? (double)queries[(int64_t)query * d + j] : 0.0;
            }
            __syncthreads();
            for (int j = 0; j < min(CHUNK, d - j0); j++) {
                const double of_point = (double)y[j0 + j];
#pragma unroll
                for (int i = 0; i < AT_ONCE; i++) sum[i] = fma(x[j][i] - of_point, x[j][i] - of_point, sum[i]);
            }
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (point < n && first + i < m && sum[i] < limits[first + i]) atomicAdd(&counts[first + i], 1ull);
    }
}

extern "C" cudaError_t knn_count_nearer(const float *points, int n, int d, const float *queries, int m,
                                        const double *limits, unsigned long long *counts, cudaStream_t stream) {
    const unsigned blocks = (unsigned)(((int64_t)n + THREADS - 1) / THREADS);
    if (n > 0 && m > 0) knn_nearer_kernel<<<blocks, THREADS, 0, stream>>>(points, n, d, queries, m, limits, counts);
    return cudaGetLastError();
}
