/* The reduction is as good as it gets; now the memory is kept busy. Every load that can be issued is issued before
 * anything is waited for:
 *
 *   loads in flight   four 16-byte loads of A a thread, then four of x, then the arithmetic. The loads are volatile,
 *                     so the compiler cannot put a wait between them
 *   overlap           A does not depend on the preceding kernel, so its first loads go out before the wait for x
 *   cache hint        A is used once and bypasses L1, leaving it to x, which every row reads again
 *
 *                  16 bytes
 *   row 0    |  x0  |  x1  | ... |  x31 |  x0  | ... |  x31 |  x0  | ...  |  x0  | ...      warp 0
 *            |<----- load 0 ----------->|<--- load 1 ------>|<- load 2 -->|<- load 3 -->|   2 KB on their way
 */
#include "gemv.cuh"
#include "ptx/ld_global.cuh"

static const int BLOCK_N = 2;
static const int LANES = 32; /* threads per row: a warp */
static const int LOADS = 4;  /* 16-byte loads of A in flight per thread */

/* Pieces first, first + LANES, ... of the 16-byte pieces at `from`. Beyond the last one: zeros, and no load. Where all
 * lanes have all pieces, there is nothing to ask, and the compiler issues the loads one behind the other. */
template <bool ONCE, typename T>
static __device__ __forceinline__ void load_chunk(const T *from, int first, int pieces, gemv_vector<T> (&v)[LOADS]) {
    const uint4 *at = (const uint4 *)from + first;
    bool all = (first | (LANES - 1)) + (LOADS - 1) * LANES < pieces; /* also of the warp's last lane */
    if (all) {
#pragma unroll
        for (int u = 0; u < LOADS; u++)
            *(uint4 *)&v[u] = ONCE ? ld_global_once_16(at + u * LANES) : ld_global_16(at + u * LANES);
        return;
    }
#pragma unroll
    for (int u = 0; u < LOADS; u++)
        v[u] = first + u * LANES < pieces ? gemv_load(from + (first + u * LANES) * v->COUNT) : gemv_vector<T>{};
}

template <typename T> static __global__ void __launch_bounds__(BLOCK_N *LANES) gemv_streaming(gemv_problem p) {
    const int TILE_K = gemv_vector<T>::COUNT;
    griddepcontrol_launch_dependents();
    int lane = threadIdx.x;
    int row = blockIdx.x * BLOCK_N + threadIdx.y;
    if (row >= p.n) return; /* a whole warp leaves, for which no one waits */
    const T *a = gemv_row<T>(p, row), *x = (const T *)p.x;

    float acc = 0.0f;
    int pieces = gemv_aligned<T>(p) ? p.k / TILE_K : 0;
    gemv_vector<T> a_reg[LOADS], x_reg[LOADS];
    load_chunk<true>(a, lane, pieces, a_reg);
    griddepcontrol_wait();
    for (int chunk = 0; chunk < pieces; chunk += LANES * LOADS) {
        load_chunk<false>(x, chunk + lane, pieces, x_reg);
#pragma unroll
        for (int u = 0; u < LOADS; u++) acc += gemv_dot(a_reg[u], x_reg[u]);
        load_chunk<true>(a, chunk + LANES * LOADS + lane, pieces, a_reg);
    }
    for (int k = pieces * TILE_K + lane; k < p.k; k += LANES) acc += (float)a[k] * (float)x[k];

#pragma unroll
    for (int half = LANES / 2; half > 0; half /= 2) acc += __shfl_down_sync(0xffffffffu, acc, half);
    if (lane == 0) gemv_write<T>(p, row, acc);
}

extern "C" kernel_info kernel_streaming(dtype type) {
    return {(const void *)GEMV_INSTANCE(type, gemv_streaming), BLOCK_N * LANES, 0};
}

extern "C" cudaError_t launch_streaming(const gemv_problem *p, cudaStream_t stream) {
    return gemv_launch_kernel(GEMV_INSTANCE(p->type, gemv_streaming), p, BLOCK_N, dim3(LANES, BLOCK_N), stream);
}
