/* Exercise: a tree of additions in shared memory. At each level half of the threads add what the others left at the
 * level before. Often the result is right all the same: 64 threads are two warps. (When it is done: from which level
 * on would a barrier of the warp, __syncwarp(), be enough?)
 */
#include "../step07_gemv/gemv.cuh"

static const int BLOCK_N = 2;
static const int REDUCE_THREADS = 32;

template <typename T> static __global__ void __launch_bounds__(BLOCK_N *REDUCE_THREADS) gemv_exercise(gemv_problem p) {
    const int TILE_K = gemv_vector<T>::COUNT;
    __shared__ float sums[REDUCE_THREADS][BLOCK_N];
    gemv_begin();
    int tn = threadIdx.x, tk = threadIdx.y;
    int row = blockIdx.x * BLOCK_N + tn;
    const T *a = gemv_row<T>(p, row), *x = (const T *)p.x;

    float acc = 0.0f;
    if (row < p.n) {
        int whole = gemv_aligned<T>(p) ? p.k / TILE_K * TILE_K : 0;
        for (int k = tk * TILE_K; k < whole; k += REDUCE_THREADS * TILE_K)
            acc += gemv_dot(gemv_load(a + k), gemv_load(x + k));
        for (int k = whole + tk; k < p.k; k += REDUCE_THREADS) acc += (float)a[k] * (float)x[k];
    }

    sums[tk][tn] = acc;
    __syncthreads();
#pragma unroll
    for (int half = REDUCE_THREADS / 2; half > 0; half /= 2) {
        if (tk < half) sums[tk][tn] += sums[tk + half][tn];
    }
    if (tk == 0 && row < p.n) gemv_write<T>(p, row, sums[0][tn]);
}

extern "C" kernel_info kernel_exercise(dtype type) {
    return {(const void *)GEMV_INSTANCE(type, gemv_exercise), BLOCK_N * REDUCE_THREADS, 0};
}

extern "C" cudaError_t launch_exercise(const gemv_problem *p, cudaStream_t stream) {
    return gemv_launch_kernel(GEMV_INSTANCE(p->type, gemv_exercise), p, BLOCK_N, dim3(BLOCK_N, REDUCE_THREADS), stream);
}
