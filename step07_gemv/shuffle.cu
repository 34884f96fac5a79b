/* The tree in registers: each warp has a row, and its lanes exchange their sums with shuffles.
 *
 * For that the mapping is swapped: threadIdx.x walks along K and threadIdx.y along rows. A warp now reads 512
 * consecutive bytes of one row, and the reduction is 5 shuffles, without shared memory and without a barrier: no warp
 * waits for another.
 *
 *                  16 bytes
 *   row 0    |  x0  |  x1  |  x2  | ...                 |  x31 |  x0  ...      warp 0
 *   row 1    |  x0  |  x1  |  x2  | ...                 |  x31 |  x0  ...      warp 1
 *
 *   lane     0 <- 16, 1 <- 17, ... 15 <- 31;   0 <- 8, ... 7 <- 15;   <- 4;   <- 2;   0 <- 1 has the row
 */
#include "gemv.cuh"

static const int BLOCK_N = 2;
static const int LANES = 32; /* threads per row: a warp */

template <typename T> static __global__ void __launch_bounds__(BLOCK_N *LANES) gemv_shuffle(gemv_problem p) {
    const int TILE_K = gemv_vector<T>::COUNT;
    gemv_begin();
    int lane = threadIdx.x;
    int row = blockIdx.x * BLOCK_N + threadIdx.y;
    if (row >= p.n) return; /* a whole warp leaves, for which no one waits */
    const T *a = gemv_row<T>(p, row), *x = (const T *)p.x;

    float acc = 0.0f;
    int whole = gemv_aligned<T>(p) ? p.k / TILE_K * TILE_K : 0;
    for (int k = lane * TILE_K; k < whole; k += LANES * TILE_K) acc += gemv_dot(gemv_load(a + k), gemv_load(x + k));
    for (int k = whole + lane; k < p.k; k += LANES) acc += (float)a[k] * (float)x[k];

#pragma unroll
    for (int half = LANES / 2; half > 0; half /= 2) acc += __shfl_down_sync(0xffffffffu, acc, half);
    if (lane == 0) gemv_write<T>(p, row, acc);
}

extern "C" kernel_info kernel_shuffle(dtype type) {
    return {(const void *)GEMV_INSTANCE(type, gemv_shuffle), BLOCK_N * LANES, 0};
}

extern "C" cudaError_t launch_shuffle(const gemv_problem *p, cudaStream_t stream) {
    return gemv_launch_kernel(GEMV_INSTANCE(p->type, gemv_shuffle), p, BLOCK_N, dim3(LANES, BLOCK_N), stream);
}
