/* Misaligned rows, still read 16 bytes at a time.
 *
 * If lda is odd, every row of A has a different misalignment, and x yet another. A is read from its first 16-byte
 * boundary on; the elements of x that belong to a piece of A start `shift` elements into an aligned piece of x and end
 * in the next one, so both are loaded (x comes from a cache) and combined by shifts in registers:
 *
 *   a row of A    ..|a0 a1 a2 a3 a4 a5 a6 a7|a8 ...            | a 16-byte boundary
 *   x         |.. .. x0 x1 x2 x3 x4 x5|x6 x7 x8 ...            shift = 2
 *             |------- low -----------|------ high ...         low and high give x0 ... x7
 *
 * What lies before the first whole piece and after the last, at most 22 halves, is read one by one. */
#pragma once

#include "stream.cuh"

/* How many elements an address is beyond a 16-byte boundary. */
template <typename T> static __device__ __forceinline__ int misalignment(const T *p) {
    return (int)((uintptr_t)p % 16 / sizeof(T));
}

/* The 16 bytes that begin `bytes` (0, 2, 4 ... 14) into low followed by high. */
static __device__ __forceinline__ uint4 shifted(const uint4 &low, const uint4 &high, int bytes) {
    const unsigned w[7] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z};
    unsigned v[6], u[5];
#pragma unroll
    for (int i = 0; i < 6; i++) v[i] = (bytes & 8) ? (i < 5 ? w[i + 2] : high.w) : w[i];
#pragma unroll
    for (int i = 0; i < 5; i++) u[i] = (bytes & 4) ? v[i + 1] : v[i];
    const int bits = bytes % 4 * 8;
    return make_uint4(__funnelshift_r(u[0], u[1], bits), __funnelshift_r(u[1], u[2], bits),
                      __funnelshift_r(u[2], u[3], bits), __funnelshift_r(u[3], u[4], bits));
}

/* Pieces first, first + REDUCE_THREADS, ... of the `pieces` of a row; those beyond the end are zeros and not read. */
template <int REDUCE_THREADS, int LOADS>
static __device__ __forceinline__ void load_pieces(const uint4 *row, int first, int pieces, uint4 (&a)[LOADS]) {
#pragma unroll
    for (int u = 0; u < LOADS; u++) {
        a[u] = make_uint4(0, 0, 0, 0);
        if (first + u * REDUCE_THREADS < pieces) a[u] = ld_global_once_16(row + first + u * REDUCE_THREADS);
    }
}

/* sum += row . x over k elements, by REDUCE_THREADS threads, of which this is `lane`. Waits for the preceding kernel
 * after issuing its first loads of A. */
template <typename T, int REDUCE_THREADS, int LOADS>
static __device__ __forceinline__ void add_row(const T *row, const T *x, int k, int lane, float (&sum)[2]) {
    const int ELEMENTS = gemv_vector<T>::COUNT;
    /* Whole pieces of A for which both pieces of x lie within x. */
    int head = (ELEMENTS - misalignment(row)) % ELEMENTS;
    const int shift = misalignment(x + head);
    if (shift > head) head += ELEMENTS;
    const int behind = k - head - (shift > 0 ? ELEMENTS - shift : 0);
    const int pieces = behind > 0 ? behind / ELEMENTS : 0;
    if (pieces == 0) head = 0;
    const uint4 *const vectors = (const uint4 *)(row + head), *const low = (const uint4 *)(x + head - shift);
    const int high = shift > 0 ? 1 : 0;

    uint4 a[LOADS];
    load_pieces<REDUCE_THREADS>(vectors, lane, pieces, a);
    griddepcontrol_wait();
    for (int chunk = 0; chunk < pieces; chunk += REDUCE_THREADS * LOADS) {
        uint4 from[LOADS], to[LOADS];
#pragma unroll
        for (int u = 0; u < LOADS; u++) {
            const int i = chunk + lane + u * REDUCE_THREADS;
            from[u] = to[u] = make_uint4(0, 0, 0, 0);
            if (i >= pieces) continue;
            from[u] = ld_global_16(low + i);
            to[u] = ld_global_16(low + i + high);
        }
#pragma unroll
        for (int u = 0; u < LOADS; u++) multiply_add<T>(a[u], shifted(from[u], to[u], shift * (int)sizeof(T)), sum);
        load_pieces<REDUCE_THREADS>(vectors, chunk + REDUCE_THREADS * LOADS + lane, pieces, a);
    }
    const int rest = k - pieces * ELEMENTS; /* the first `head` elements and the last ones */
    for (int i = lane; i < rest; i += REDUCE_THREADS) {
        const int j = i < head ? i : i + pieces * ELEMENTS;
        multiply_add<T>(row[j], x[j], sum);
    }
}

template <typename T, int THREADS, int REDUCE_THREADS, int LOADS>
__global__ void __launch_bounds__(THREADS) gemv_unaligned(const __grid_constant__ gemv_problem p) {
    __shared__ float partial[(THREADS + 31) / 32][1];
    griddepcontrol_launch_dependents();
    const int lane = threadIdx.x % REDUCE_THREADS;
    const int row0 = blockIdx.x * (THREADS / REDUCE_THREADS) + threadIdx.x / REDUCE_THREADS;
    float sum[1][2] = {};
    add_row<T, REDUCE_THREADS, LOADS>(stream_row<T>(p, row0), (const T *)p.x, p.k, lane, sum[0]);
    reduce_and_write<T, REDUCE_THREADS, 1>(p, row0, sum, partial);
}

/* BLOCK_N rows per block, REDUCE_THREADS threads per row, LOADS pieces of 16 bytes in flight per thread. Takes every
 * problem. */
template <int BLOCK_N, int REDUCE_THREADS, int LOADS> struct unaligned {
    static const int THREADS = BLOCK_N * REDUCE_THREADS;
    static_assert(THREADS % 32 == 0, "whole warps");

    static stream_kernel choose(dtype type) {
        if (type == DTYPE_F16) return gemv_unaligned<__half, THREADS, REDUCE_THREADS, LOADS>;
        if (type == DTYPE_BF16) return gemv_unaligned<__nv_bfloat16, THREADS, REDUCE_THREADS, LOADS>;
        return gemv_unaligned<float, THREADS, REDUCE_THREADS, LOADS>;
    }

    static kernel_info kernel(dtype type) {
        return {(const void *)choose(type), THREADS, 0};
    }

    static cudaError_t launch(const gemv_problem *p, cudaStream_t stream) {
        return gemv_launch_kernel(choose(p->type), p, BLOCK_N, THREADS, stream);
    }
};
