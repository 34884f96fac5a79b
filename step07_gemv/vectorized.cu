/* A thread's consecutive elements in one 128-bit load: 8 halves (TILE_K = 16 bytes) per instruction.
 *
 * An eighth of the load instructions for the same bytes, each for 16 bytes per lane. As in the article, a block also
 * has 2 rows instead of 32, so 1024 rows are 512 blocks and not 32: technique and grid change at the same time. A
 * misaligned row is read element by element throughout.
 *
 *                  16 bytes
 *   row 0    |  y0  |  y1  |  y2  | ... |  y15 |  y16 | ... |  y31 |  y0  ...      thread (x, y): row x
 *   row 1    |  y0  |  y1  |  y2  | ... |  y15 |  y16 | ... |  y31 |  y0  ...
 *            |<--------- warp 0 ------------->|<---- warp 1 ------>|                256 bytes of each row a warp
 */
#include "best.h"
#include "gemv.cuh"

template <typename T, int BLOCK_N, int REDUCE_THREADS>
static __global__ void __launch_bounds__(BLOCK_N *REDUCE_THREADS) gemv_vectorized(gemv_problem p) {
    const int TILE_K = gemv_vector<T>::COUNT;
    __shared__ float sums[BLOCK_N];
    gemv_begin();
    int tn = threadIdx.x, tk = threadIdx.y;
    int row = blockIdx.x * BLOCK_N + tn;
    const T *a = gemv_row<T>(p, row), *x = (const T *)p.x;

    if (tk == 0) sums[tn] = 0.0f;
    float acc = 0.0f;
    if (row < p.n) {
        int whole = gemv_aligned<T>(p) ? p.k / TILE_K * TILE_K : 0; /* elements covered by vectors */
        for (int k = tk * TILE_K; k < whole; k += REDUCE_THREADS * TILE_K)
            acc += gemv_dot(gemv_load(a + k), gemv_load(x + k));
        for (int k = whole + tk; k < p.k; k += REDUCE_THREADS) acc += (float)a[k] * (float)x[k];
    }

    __syncthreads();
    atomicAdd(&sums[tn], acc);
    __syncthreads();
    if (tk == 0 && row < p.n) gemv_write<T>(p, row, sums[tn]);
}

GEMV_CONFIGURATIONS(gemv_vectorized)

const gemv_candidate vectorized_configurations[VECTORIZED_CONFIGURATIONS] = {
    GEMV_CONFIGURATION(vectorized, 2, 4),
    GEMV_CONFIGURATION(vectorized, 2, 8),
    GEMV_CONFIGURATION(vectorized, 2, 32),
};

extern "C" kernel_info kernel_vectorized(dtype type) {
    return kernel_at<2, 32>(type);
}

extern "C" cudaError_t launch_vectorized(const gemv_problem *p, cudaStream_t stream) {
    return launch_at<2, 32>(p, stream);
}
