/* Few long rows: several blocks share a row.
 *
 *   a row of A  |--- block 0 ---|--- block 1 ---|--- block 2 ---|     slices of K
 *                      |               |               |
 *                  partial[0]      partial[1]      partial[2]   -->   added by the block that finishes last
 *
 * A matrix of one row and a million columns has enough bytes for the whole GPU but enough rows for only one block. The
 * block that finishes last, as a counter tells it, adds the partial sums, always in the same order, and clears the
 * counter. */
#pragma once

#include "unaligned.cuh"

static const int SPLIT_MAX_BLOCKS = 2048; /* that the workspace has room for */
static const int SPLIT_LEAST = 2048;      /* elements per slice, below which splitting does not pay */

/* The workspace. Only one launch at a time may use it, which launches in one stream guarantee. */
static __device__ float split_partial[SPLIT_MAX_BLOCKS];
static __device__ unsigned split_arrived[SPLIT_MAX_BLOCKS]; /* how many blocks of a row have left their sum */

template <typename T, int THREADS, int LOADS>
__global__ void __launch_bounds__(THREADS) gemv_split(const __grid_constant__ gemv_problem p) {
    const int WARPS = THREADS / 32;
    __shared__ float warp_sum[WARPS];
    __shared__ bool last;
    griddepcontrol_launch_dependents();
    const int slices = gridDim.x / p.n, row = blockIdx.x / slices, slice = blockIdx.x % slices;
    const int64_t whole = (p.k / slices + 32) / 32 * 32; /* rounded up from k/slices; a slice keeps its row's alignment
                                                          */
    const int begin = (int)min(slice * whole, (int64_t)p.k), end = (int)min(begin + whole, (int64_t)p.k);
    float sum[2] = {};
    add_row<T, THREADS, LOADS>(gemv_row<T>(p, row) + begin, (const T *)p.x + begin, end - begin, threadIdx.x, sum);

    float total = sum[0] + sum[1];
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) total += __shfl_xor_sync(0xffffffffu, total, offset);
    if (threadIdx.x % 32 == 0) warp_sum[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
        total = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; w++) total += warp_sum[w];
        split_partial[blockIdx.x] = total;
        __threadfence(); /* the sum before the count */
        last = atomicAdd(&split_arrived[row], 1) == slices - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x >= 32) return;
    __threadfence(); /* the count before the others' sums */
    total = 0.0f;
    for (int s = threadIdx.x; s < slices; s += 32) total += __ldcg(&split_partial[row * slices + s]);
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) total += __shfl_xor_sync(0xffffffffu, total, offset);
    if (threadIdx.x > 0) return;
    split_arrived[row] = 0;
    gemv_write<T>(p, row, total);
}

/* BLOCKS blocks per multiprocessor, LOADS pieces of 16 bytes in flight per thread. */
template <int THREADS, int LOADS, int BLOCKS> struct split {
    static stream_kernel choose(dtype type) {
        if (type == DTYPE_F16) return gemv_split<__half, THREADS, LOADS>;
        if (type == DTYPE_BF16) return gemv_split<__nv_bfloat16, THREADS, LOADS>;
        return gemv_split<float, THREADS, LOADS>;
    }

    static kernel_info kernel(dtype type) {
        return {(const void *)choose(type), THREADS, 0};
    }

    static cudaError_t launch(const gemv_problem *p, cudaStream_t stream) {
        unsigned blocks;
        cudaError_t error = multiprocessors(&blocks);
        if (error != cudaSuccess) return error;
        blocks *= BLOCKS;
        if (blocks > SPLIT_MAX_BLOCKS) blocks = SPLIT_MAX_BLOCKS;
        unsigned slices = p->n > 0 ? blocks / (unsigned)p->n : 0;
        if (slices > (unsigned)p->k / SPLIT_LEAST) slices = (unsigned)p->k / SPLIT_LEAST;
        if (slices < 2) return cudaErrorNotSupported;
        return gemv_launch_blocks(choose(p->type), p, slices * (unsigned)p->n, THREADS, 0, stream);
    }
};
