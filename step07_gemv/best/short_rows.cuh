/* Many short rows: a block copies its rows to shared memory as the one contiguous piece they are, then one thread per
 * row sums it.
 *
 *   A, lda = 5    |0 0 0 0 0|1 1 1 1 1|2 2 2 2 2|3 3 ...     16 bytes per load, across row boundaries
 *                  thread 0  thread 1  thread 2               each begins at another column, so that the lanes of a
 *                                                             warp read different banks also where lda is 32
 *
 * A row of 33 halves is 66 bytes: with one warp per row there would be four pieces of 16 bytes for 32 lanes, and five
 * shuffles to add them. */
#pragma once

#include "unaligned.cuh"

static const int SHORT_THREADS = 256;
static const int SHORT_SHARED = 48 * 1024; /* bytes of shared memory that any GPU gives a block */

template <typename T, int BLOCK_N>
__global__ void __launch_bounds__(SHORT_THREADS) gemv_short_rows(const __grid_constant__ gemv_problem p) {
    const int ELEMENTS = gemv_vector<T>::COUNT;
    extern __shared__ uint4 memory[];
    griddepcontrol_launch_dependents();
    const int row0 = blockIdx.x * BLOCK_N, rows = min(BLOCK_N, p.n - row0);
    const T *const a = gemv_row<T>(p, row0);
    const int count = p.k > 0 ? (rows - 1) * p.lda + p.k : 0; /* nothing behind the last row is read */

    /* tile[i] = a[i]; the tile has the same misalignment as a, so that 16-byte pieces are aligned in both. */
    T *const tile = (T *)memory + misalignment(a);
    const int head = min((ELEMENTS - misalignment(a)) % ELEMENTS, count), pieces = (count - head) / ELEMENTS;
    const uint4 *const from = (const uint4 *)(a + head);
    uint4 *const to = (uint4 *)(tile + head);
    for (int first = 0; first < pieces; first += 4 * SHORT_THREADS) {
        uint4 v[4];
        load_pieces<SHORT_THREADS>(from, first + threadIdx.x, pieces, v);
#pragma unroll
        for (int u = 0; u < 4; u++)
            if (first + u * SHORT_THREADS + (int)threadIdx.x < pieces)
                to[first + u * SHORT_THREADS + threadIdx.x] = v[u];
    }
    for (int i = threadIdx.x; i < count - pieces * ELEMENTS; i += SHORT_THREADS) {
        const int j = i < head ? i : i + pieces * ELEMENTS;
        tile[j] = a[j];
    }
    griddepcontrol_wait();
    __syncthreads();
    const T *const x = (const T *)p.x;
    for (int row = threadIdx.x; row < rows; row += SHORT_THREADS) {
        float sum[2] = {};
        int k = p.k > 0 ? row % p.k : 0;
        for (int i = 0; i < p.k; i++) {
            multiply_add<T>(tile[row * p.lda + k], x[k], sum);
            if (++k == p.k) k = 0;
        }
        gemv_write<T>(p, row0 + row, sum[0]);
    }
}

template <int BLOCK_N> struct short_rows {
    static stream_kernel choose(dtype type) {
        if (type == DTYPE_F16) return gemv_short_rows<__half, BLOCK_N>;
        if (type == DTYPE_BF16) return gemv_short_rows<__nv_bfloat16, BLOCK_N>;
        return gemv_short_rows<float, BLOCK_N>;
    }

    static kernel_info kernel(dtype type) {
        return {(const void *)choose(type), SHORT_THREADS, SHORT_SHARED};
    }

    static cudaError_t launch(const gemv_problem *p, cudaStream_t stream) {
        const size_t bytes = ((size_t)BLOCK_N * (size_t)p->lda + 16) * dtype_size(p->type);
        if (bytes > (size_t)SHORT_SHARED) return cudaErrorNotSupported;
        return gemv_launch_blocks(choose(p->type), p, gemv_blocks(p, BLOCK_N), SHORT_THREADS, bytes, stream);
    }
};
