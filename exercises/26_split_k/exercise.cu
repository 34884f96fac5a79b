/* Exercise: 32 threads share a row of A, and each adds its part to one word in shared memory. Most of the parts get
 * lost.
 */
#include "../step07_gemv/gemv.cuh"

static const int BLOCK_N = 32; /* rows per block */
static const int BLOCK_K = 32; /* threads per row, one element each per step */

template <typename T> static __global__ void __launch_bounds__(BLOCK_N *BLOCK_K) gemv_exercise(gemv_problem p) {
    __shared__ float sums[BLOCK_N];
    gemv_begin();
    int tn = threadIdx.x, tk = threadIdx.y;
    int row = blockIdx.x * BLOCK_N + tn;
    const T *a = gemv_row<T>(p, row), *x = (const T *)p.x;

    if (tk == 0) sums[tn] = 0.0f;
    float acc = 0.0f;
    if (row < p.n)
        for (int k = tk; k < p.k; k += BLOCK_K) acc += (float)a[k] * (float)x[k];

    __syncthreads();
    sums[tn] += acc;
    __syncthreads();
    if (tk == 0 && row < p.n) gemv_write<T>(p, row, sums[tn]);
}

extern "C" kernel_info kernel_exercise(dtype type) {
    return {(const void *)GEMV_INSTANCE(type, gemv_exercise), BLOCK_N * BLOCK_K, 0};
}

extern "C" cudaError_t launch_exercise(const gemv_problem *p, cudaStream_t stream) {
    return gemv_launch_kernel(GEMV_INSTANCE(p->type, gemv_exercise), p, BLOCK_N, dim3(BLOCK_N, BLOCK_K), stream);
}
