/* A streams past x: what `streaming` and `best` are made of.
 *
 * REDUCE_THREADS threads share a row (or ROWS of them), each with LOADS pieces of 16 bytes of each row in flight:
 *
 *   a row of A   |t0|t1|t2| ... |t31|t0|t1|t2| ... |t31|  t0 ...   REDUCE_THREADS = 32, LOADS = 2: a chunk is
 *                |---- load 0 ------|---- load 1 ------|  chunk 1  32*2 pieces, 1024 bytes
 *
 * Memory that answers after 0.35 us and delivers 4.6 TB/s needs 1.6 MB in flight at least, 12 KB per multiprocessor
 * (Little's law, lesson 7.7). So what counts is bytes in flight: resident threads times LOADS times ROWS times 16
 * bytes.
 *
 *   direct       a block has its BLOCK_N = THREADS / REDUCE_THREADS * ROWS rows and ends; many blocks
 *   persistent   as many blocks as fit at once walk over all rows, x in registers, and load their next rows before they
 *                reduce these; they save the launching of blocks, 1.2 ns each
 *
 *   direct       block 0: rows 0-1 | block 1: rows 2-3 | ...        a block ends, another starts
 *   persistent   block 0: rows 0-1, then 2G, 2G+1, ...              G blocks: x is loaded once
 *
 * With programmatic dependent launch (gemv_problem.pdl) both load A before they wait for the preceding kernel, which
 * writes x: A does not depend on it. When they let the next kernel start matters too. If early, its blocks occupy
 * registers while this kernel still keeps the memory busy; if after the last loads have been issued, its loads fill the
 * gap that the tail of this kernel leaves. */
#pragma once

#include "../gemv.cuh"
#include "ptx/ld_global.cuh"

/* sum += a . x, in two chains of FMAs. */
template <typename T>
static __device__ __forceinline__ void multiply_add(const uint4 &a_bits, const uint4 &x_bits, float (&sum)[2]) {
    const gemv_vector<T> &a = (const gemv_vector<T> &)a_bits, &x = (const gemv_vector<T> &)x_bits;
#pragma unroll
    for (int i = 0; i < gemv_vector<T>::COUNT; i++) sum[i % 2] = fmaf((float)a.e[i], (float)x.e[i], sum[i % 2]);
}

template <typename T> static __device__ __forceinline__ void multiply_add(const T &a, const T &x, float (&sum)[2]) {
    sum[0] = fmaf((float)a, (float)x, sum[0]);
}

/* Loads pieces first, first + REDUCE_THREADS, ... of ROWS rows, which have `pieces`. EDGE: some may lie beyond the end;
 * these are zero in A and in x, and not read. */
template <bool EDGE, int REDUCE_THREADS, int LOADS, int ROWS>
static __device__ __forceinline__ void load_chunk_a(const uint4 *const (&row)[ROWS], int first, int pieces,
                                                    uint4 (&a)[ROWS][LOADS]) {
#pragma unroll
    for (int u = 0; u < LOADS; u++)
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            a[r][u] = make_uint4(0, 0, 0, 0);
            if (!EDGE || first + u * REDUCE_THREADS < pieces)
                a[r][u] = ld_global_once_16(row[r] + first + u * REDUCE_THREADS);
        }
}

/* The same for x: every row reads it, and the preceding kernel may just have written it. */
template <bool EDGE, int REDUCE_THREADS, int LOADS>
static __device__ __forceinline__ void load_chunk_x(const uint4 *from, int first, int pieces, uint4 (&x)[LOADS]) {
#pragma unroll
    for (int u = 0; u < LOADS; u++) {
        x[u] = make_uint4(0, 0, 0, 0);
        if (!EDGE || first + u * REDUCE_THREADS < pieces) x[u] = ld_global_16(from + first + u * REDUCE_THREADS);
    }
}

/* Row `row`, or the last one if there is none; the result of such a thread is never written. */
template <typename T> static __device__ __forceinline__ const T *stream_row(const gemv_problem &p, int row) {
    return gemv_row<T>(p, min(row, p.n - 1));
}

/* The last elements, from `first` on, that do not fill a piece: fewer than a row has threads. */
template <typename T, int REDUCE_THREADS, int ROWS>
static __device__ __forceinline__ void add_rest(const gemv_problem &p, int row0, int first, int lane,
                                                float (&sum)[ROWS][2]) {
    static_assert(gemv_vector<T>::COUNT <= REDUCE_THREADS, "one element a thread is enough");
    if (first + lane >= p.k) return;
    const T x = ((const T *)p.x)[first + lane];
#pragma unroll
    for (int r = 0; r < ROWS; r++) multiply_add<T>(stream_row<T>(p, row0 + r)[first + lane], x, sum[r]);
}

/* Adds the sums of the threads of a row and writes y: shuffles within a warp, then shared memory if a row has several.
 * `partial` has one float per warp and row. */
template <typename T, int REDUCE_THREADS, int ROWS>
static __device__ __forceinline__ void reduce_and_write(const gemv_problem &p, int row0, const float (&sum)[ROWS][2],
                                                        float (*partial)[ROWS]) {
    const int LANES = REDUCE_THREADS < 32 ? REDUCE_THREADS : 32, WARPS = REDUCE_THREADS / 32;
    const int lane = threadIdx.x % REDUCE_THREADS, warp = threadIdx.x / 32;
    float total[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) total[r] = sum[r][0] + sum[r][1];
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2)
#pragma unroll
        for (int r = 0; r < ROWS; r++) total[r] += __shfl_xor_sync(0xffffffffu, total[r], offset);
    if (WARPS <= 1) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (lane == r && row0 + r < p.n) gemv_write<T>(p, row0 + r, total[r]);
        return;
    }
    if (threadIdx.x % 32 == 0)
#pragma unroll
        for (int r = 0; r < ROWS; r++) partial[warp][r] = total[r];
    __syncthreads();
    if (lane < ROWS && row0 + lane < p.n) {
        float all = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; w++) all += partial[threadIdx.x / REDUCE_THREADS * WARPS + w][lane];
        gemv_write<T>(p, row0 + lane, all);
    }
}

/* ---- direct ---- */

template <typename T, int THREADS, int REDUCE_THREADS, int LOADS, int ROWS>
__global__ void __launch_bounds__(THREADS) gemv_direct(const __grid_constant__ gemv_problem p) {
    const int ELEMENTS = gemv_vector<T>::COUNT, CHUNK = REDUCE_THREADS * LOADS;
    __shared__ float partial[(THREADS + 31) / 32][ROWS];
    /* Takes effect when the last block has started: late enough, with more blocks than fit at once. */
    griddepcontrol_launch_dependents();
    const int lane = threadIdx.x % REDUCE_THREADS;
    const int row0 = (blockIdx.x * (THREADS / REDUCE_THREADS) + threadIdx.x / REDUCE_THREADS) * ROWS;
    const int pieces = p.k / ELEMENTS;
    const uint4 *row[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) row[r] = (const uint4 *)stream_row<T>(p, row0 + r);

    uint4 a[ROWS][LOADS], x[LOADS];
    float sum[ROWS][2] = {};
    if (CHUNK <= pieces)
        load_chunk_a<false, REDUCE_THREADS>(row, lane, pieces, a);
    else
        load_chunk_a<true, REDUCE_THREADS>(row, lane, pieces, a);
    griddepcontrol_wait();
    for (int chunk = 0; chunk < pieces; chunk += CHUNK) {
        if (chunk + CHUNK <= pieces)
            load_chunk_x<false, REDUCE_THREADS>((const uint4 *)p.x, chunk + lane, pieces, x);
        else
            load_chunk_x<true, REDUCE_THREADS>((const uint4 *)p.x, chunk + lane, pieces, x);
#pragma unroll
        for (int u = 0; u < LOADS; u++)
#pragma unroll
            for (int r = 0; r < ROWS; r++) multiply_add<T>(a[r][u], x[u], sum[r]);
        if (chunk + 2 * CHUNK <= pieces)
            load_chunk_a<false, REDUCE_THREADS>(row, chunk + CHUNK + lane, pieces, a);
        else if (chunk + CHUNK < pieces)
            load_chunk_a<true, REDUCE_THREADS>(row, chunk + CHUNK + lane, pieces, a);
    }
    add_rest<T, REDUCE_THREADS>(p, row0, pieces * ELEMENTS, lane, sum);
    reduce_and_write<T, REDUCE_THREADS, ROWS>(p, row0, sum, partial);
}

/* ---- persistent ---- */

/* The whole block on ROWS rows at a time; x must fit into its registers: k <= THREADS * LOADS * ELEMENTS. */
template <typename T, int THREADS, int LOADS, int ROWS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS) gemv_persistent(const __grid_constant__ gemv_problem p) {
    const int ELEMENTS = gemv_vector<T>::COUNT;
    __shared__ float partial[2][THREADS / 32][ROWS]; /* two buffers, so that one barrier per iteration is enough */
    const int lane = threadIdx.x, step = gridDim.x * ROWS, pieces = p.k / ELEMENTS;
    int row0 = blockIdx.x * ROWS, turn = 0;
    uint4 a[ROWS][LOADS], x[LOADS];
    const uint4 *row[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) row[r] = (const uint4 *)stream_row<T>(p, row0 + r);
    load_chunk_a<true, THREADS>(row, lane, pieces, a);
    if (row0 + step >= p.n) griddepcontrol_launch_dependents();
    griddepcontrol_wait();
    load_chunk_x<true, THREADS>((const uint4 *)p.x, lane, pieces, x);
    for (; row0 < p.n; row0 += step, turn ^= 1) {
        float sum[ROWS][2] = {};
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int u = 0; u < LOADS; u++) multiply_add<T>(a[r][u], x[u], sum[r]);
        if (row0 + step < p.n) {
#pragma unroll
            for (int r = 0; r < ROWS; r++) row[r] = (const uint4 *)stream_row<T>(p, row0 + step + r);
            load_chunk_a<true, THREADS>(row, lane, pieces, a);
            if (row0 + 2 * step >= p.n) griddepcontrol_launch_dependents(); /* these were the last loads */
        }
        add_rest<T, THREADS>(p, row0, pieces * ELEMENTS, lane, sum);
        reduce_and_write<T, THREADS, ROWS>(p, row0, sum, partial[turn]);
    }
}

/* ---- launching ---- */

typedef void (*stream_kernel)(gemv_problem);

static inline bool stream_aligned(const gemv_problem *p) {
    if (p->type == DTYPE_F32) return gemv_aligned<float>(*p);
    return gemv_aligned<__half>(*p); /* and bf16, as wide */
}

template <int BLOCK_N, int REDUCE_THREADS, int LOADS, int ROWS> struct direct {
    static const int THREADS = BLOCK_N / ROWS * REDUCE_THREADS;
    static_assert(BLOCK_N % ROWS == 0 && THREADS % 32 == 0, "whole warps");
    static_assert(ROWS <= REDUCE_THREADS, "a thread per row writes y");

    static stream_kernel choose(dtype type) {
        if (type == DTYPE_F16) return gemv_direct<__half, THREADS, REDUCE_THREADS, LOADS, ROWS>;
        if (type == DTYPE_BF16) return gemv_direct<__nv_bfloat16, THREADS, REDUCE_THREADS, LOADS, ROWS>;
        return gemv_direct<float, THREADS, REDUCE_THREADS, LOADS, ROWS>;
    }

    static kernel_info kernel(dtype type) {
        return {(const void *)choose(type), THREADS, 0};
    }

    static cudaError_t launch(const gemv_problem *p, cudaStream_t stream) {
        if (!stream_aligned(p)) return cudaErrorNotSupported;
        return gemv_launch_kernel(choose(p->type), p, BLOCK_N, THREADS, stream);
    }
};

/* How many multiprocessors the current device has: queried once per device, since a launch takes only microseconds. */
static inline cudaError_t multiprocessors(unsigned *count) {
    static int known_device = -1, known_count;
    int device;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess && device != known_device) {
        error = cudaDeviceGetAttribute(&known_count, cudaDevAttrMultiProcessorCount, device);
        if (error == cudaSuccess) known_device = device;
    }
    *count = (unsigned)known_count;
    return error;
}

/* BLOCK_N rows at a time by a whole block of REDUCE_THREADS, BLOCKS blocks per multiprocessor. */
template <int BLOCK_N, int REDUCE_THREADS, int LOADS, int BLOCKS> struct persistent {
    static stream_kernel choose(dtype type) {
        if (type == DTYPE_F16) return gemv_persistent<__half, REDUCE_THREADS, LOADS, BLOCK_N, BLOCKS>;
        if (type == DTYPE_BF16) return gemv_persistent<__nv_bfloat16, REDUCE_THREADS, LOADS, BLOCK_N, BLOCKS>;
        return gemv_persistent<float, REDUCE_THREADS, LOADS, BLOCK_N, BLOCKS>;
    }

    static kernel_info kernel(dtype type) {
        return {(const void *)choose(type), REDUCE_THREADS, 0};
    }

    static cudaError_t launch(const gemv_problem *p, cudaStream_t stream) {
        const unsigned blocks = gemv_blocks(p, BLOCK_N);
        const int elements = 16 / (int)dtype_size(p->type);
        unsigned most;
        if (!stream_aligned(p) || p->k / elements > REDUCE_THREADS * LOADS) return cudaErrorNotSupported;
        cudaError_t error = multiprocessors(&most);
        if (error != cudaSuccess) return error;
        most *= BLOCKS;
        return gemv_launch_blocks(choose(p->type), p, blocks < most ? blocks : most, REDUCE_THREADS, 0, stream);
    }
};
