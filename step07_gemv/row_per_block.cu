/* A block reduces a row, as in Triton: one program per row, its 128 threads side by side along K.
 *
 * As many blocks as rows, and neighbouring lanes read neighbouring 16 bytes: a warp's load is 512 consecutive bytes. At
 * K = 1024 in f16 the row is one load per thread, followed by eight barriers.
 *
 *   row  |t0 |t1 |t2 | ... |t127|t0 |t1 | ...      16 bytes each
 *          \   |   /
 *         128 sums -> 64 -> 32 -> ... -> 1         in shared memory, one barrier per level
 */
#include "gemv.cuh"

static const int THREADS = 128;

template <typename T> static __global__ void __launch_bounds__(THREADS) gemv_row_per_block(gemv_problem p) {
    const int COUNT = gemv_vector<T>::COUNT;
    __shared__ float sums[THREADS];
    gemv_begin();
    int tid = threadIdx.x, row = blockIdx.x;
    const T *a = gemv_row<T>(p, row), *x = (const T *)p.x;

    float acc = 0.0f;
    int whole = gemv_aligned<T>(p) ? p.k / COUNT * COUNT : 0; /* elements covered by vectors; the others are read one by
                                                               * one */
    for (int k = tid * COUNT; k < whole; k += THREADS * COUNT) acc += gemv_dot(gemv_load(a + k), gemv_load(x + k));
    for (int k = whole + tid; k < p.k; k += THREADS) acc += (float)a[k] * (float)x[k];

    sums[tid] = acc;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (tid < half) sums[tid] += sums[tid + half];
        __syncthreads();
    }
    if (tid == 0) gemv_write<T>(p, row, sums[0]);
}

extern "C" kernel_info kernel_row_per_block(dtype type) {
    return {(const void *)GEMV_INSTANCE(type, gemv_row_per_block), THREADS, 0};
}

extern "C" cudaError_t launch_row_per_block(const gemv_problem *p, cudaStream_t stream) {
    return gemv_launch_kernel(GEMV_INSTANCE(p->type, gemv_row_per_block), p, 1, THREADS, stream);
}
