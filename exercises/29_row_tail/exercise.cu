/* Exercise: a row of 515 floats is 128 loads of 16 bytes and three elements more. The loads are here; add what they
 * leave, one element per lane. Rows that do not begin on 16 bytes have no such loads (`whole` is 0), and all is left.
 */
#include "../step07_gemv/gemv.cuh"

static const int BLOCK_N = 2;
static const int LANES = 32; /* threads per row: a warp */

template <typename T> static __global__ void __launch_bounds__(BLOCK_N *LANES) gemv_exercise(gemv_problem p) {
    const int TILE_K = gemv_vector<T>::COUNT;
    gemv_begin();
    int lane = threadIdx.x;
    int row = blockIdx.x * BLOCK_N + threadIdx.y;
    if (row >= p.n) return; /* a whole warp leaves, for which no one waits */
    const T *a = gemv_row<T>(p, row), *x = (const T *)p.x;

    float acc = 0.0f;
    int whole = gemv_aligned<T>(p) ? p.k / TILE_K * TILE_K : 0;
    for (int k = lane * TILE_K; k < whole; k += LANES * TILE_K) acc += gemv_dot(gemv_load(a + k), gemv_load(x + k));

#pragma unroll
    for (int half = LANES / 2; half > 0; half /= 2) acc += __shfl_down_sync(0xffffffffu, acc, half);
    if (lane == 0) gemv_write<T>(p, row, acc);
}

extern "C" kernel_info kernel_exercise(dtype type) {
    return {(const void *)GEMV_INSTANCE(type, gemv_exercise), BLOCK_N * LANES, 0};
}

extern "C" cudaError_t launch_exercise(const gemv_problem *p, cudaStream_t stream) {
    return gemv_launch_kernel(GEMV_INSTANCE(p->type, gemv_exercise), p, BLOCK_N, dim3(LANES, BLOCK_N), stream);
}
