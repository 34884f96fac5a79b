/* Bitonic sort (Batcher, 1968) of rows of keys, in shared memory and beyond it.
 *
 * A sequence that first rises and then falls (or a rotation of one) is bitonic. Comparing element i with element i +
 * half, and exchanging them if the first is larger, leaves two bitonic halves, with no element of the first larger than
 * any of the second; and so on down to single elements: log2 P steps merge a bitonic sequence. If every second of the
 * sorted pieces is descending, each pair of them is a bitonic sequence: merging pieces of 2, 4, 8 ... P sorts in log2 P
 * (log2 P + 1) / 2 steps, whatever the values are. P = 8:
 *
 *   size      2        4               8             v and ^: where the larger goes; o: the other end
 *   stride    1      2     1       4         2     1
 *
 *   0 --------o------o-----o-------o---------o-----o---
 *   1 --------v------|-o---v-------|-o-------|-o---v---
 *   2 --------^------v-|---o-------|-|-o-----v-|---o---
 *   3 --------o--------v---v-------|-|-|-o-----v---v---
 *   4 --------o------^-----^-------v-|-|-|---o-----o---
 *   5 --------v------|-^---o---------v-|-|---|-o---v---
 *   6 --------^------o-|---^-----------v-|---v-|---o---
 *   7 --------o--------o---o-------------v-----v---v---
 *
 * A block's shared memory holds REACH keys. In longer rows each block sorts its own piece (descending if the number of
 * the piece is odd); then steps with strides of REACH and more go through global memory, one launch each, and those
 * with smaller strides are again done within blocks, all in one launch. */
#ifndef KL_SORT_ROWS_CUH
#define KL_SORT_ROWS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#include "knn/knn_key.h"
#include "search.h"

static const int REACH = 2048;
static const int SORT_THREADS = REACH / 2;

/* The smallest power of two that is at least n, to which rows are padded. */
static inline int64_t padded_length(int64_t n) {
    int64_t length = 1;
    while (length < n) length *= 2;
    return length;
}

/* One step: pairs of elements `stride` apart; those whose number has the bit `size` set are sorted descending. */
static __device__ __forceinline__ void compare_exchange(uint64_t *keys, int64_t pair, int64_t stride, bool rising) {
    int64_t i = pair / stride * 2 * stride + pair % stride;
    uint64_t a = keys[i], b = keys[i + stride];
    if ((a > b) != rising) return;
    keys[i] = b;
    keys[i + stride] = a;
}

/* Steps with strides size/2 ... 1 on `length` keys in shared memory, the first of which is number `first` of its row.
 */
static __device__ __forceinline__ void merge_shared(uint64_t *keys, int length, int64_t first, int64_t size,
                                                    int stride) {
    for (; stride > 0; stride /= 2) {
        for (int pair = threadIdx.x; pair < length / 2; pair += blockDim.x) {
            int i = pair / stride * 2 * stride + pair % stride;
            compare_exchange(keys, pair, stride, ((first + i) & size) == 0);
        }
        __syncthreads();
    }
}

/* The first k keys of a row, as results. */
static __device__ __forceinline__ void write_results(const knn_rows &r, int64_t row, const uint64_t *keys, int64_t i) {
    r.index[row * r.k + i] = knn_key_index(keys[i]);
    r.distance[row * r.k + i] = knn_key_distance(keys[i]);
}

/* Rows of `length` <= REACH keys, a power of two, from `keys` or (NULL) made from the distances: sorts them and writes
 * the first k. */
static __global__ void __launch_bounds__(SORT_THREADS) knn_sort_block(knn_rows r, const uint64_t *keys, int length) {
    __shared__ uint64_t s[REACH];
    int64_t row = blockIdx.x;
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        if (keys != NULL)
            s[i] = keys[row * length + i];
        else
            s[i] = i < r.n ? knn_key(r.distances[row * r.n + i], i) : KNN_NO_KEY;
    }
    __syncthreads();
    for (int size = 2; size <= length; size *= 2) merge_shared(s, length, 0, size, size / 2);
    for (int i = threadIdx.x; i < r.k; i += blockDim.x) write_results(r, row, s, i);
}

/* Longer rows, piece by piece: sorts each piece (size == REACH), or merges with the strides below REACH. */
static __global__ void __launch_bounds__(SORT_THREADS) knn_sort_pieces(uint64_t *keys, int64_t length, int64_t size) {
    __shared__ uint64_t s[REACH];
    uint64_t *piece = keys + (int64_t)blockIdx.x * REACH;
    int64_t first = (int64_t)blockIdx.x * REACH % length;
    for (int i = threadIdx.x; i < REACH; i += blockDim.x) s[i] = piece[i];
    __syncthreads();
    for (int64_t z = size == REACH ? 2 : size; z <= size; z *= 2)
        merge_shared(s, REACH, first, z, (int)(z < REACH ? z : REACH) / 2);
    for (int i = threadIdx.x; i < REACH; i += blockDim.x) piece[i] = s[i];
}

/* One step through global memory. */
static __global__ void knn_sort_round(uint64_t *keys, int64_t pairs, int64_t length, int64_t size, int64_t stride) {
    int64_t pair = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= pairs) return;
    int64_t i = pair / stride * 2 * stride + pair % stride;
    compare_exchange(keys, pair, stride, (i % length & size) == 0);
}

static __global__ void knn_write_sorted(knn_rows r, const uint64_t *keys, int64_t length) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (int64_t)r.rows * r.k) write_results(r, i / r.k, keys + i / r.k * length, i % r.k);
}

static inline unsigned sort_blocks(int64_t threads) {
    return (unsigned)((threads + SORT_THREADS - 1) / SORT_THREADS);
}

/* Sorts r.rows rows of `length` keys (a power of two, padded with KNN_NO_KEY) and writes the first k. */
static inline cudaError_t sort_rows(const knn_rows &r, uint64_t *keys, int64_t length, cudaStream_t stream) {
    if (length <= REACH) {
        unsigned threads = length < 64 ? 32 : (unsigned)length / 2;
        knn_sort_block<<<(unsigned)r.rows, threads, 0, stream>>>(r, keys, (int)length);
        return cudaGetLastError();
    }
    int64_t pairs = r.rows * length / 2;
    unsigned pieces = (unsigned)(r.rows * length / REACH);
    knn_sort_pieces<<<pieces, SORT_THREADS, 0, stream>>>(keys, length, REACH);
    for (int64_t size = 2 * REACH; size <= length; size *= 2) {
        for (int64_t stride = size / 2; stride >= REACH; stride /= 2)
            knn_sort_round<<<sort_blocks(pairs), SORT_THREADS, 0, stream>>>(keys, pairs, length, size, stride);
        knn_sort_pieces<<<pieces, SORT_THREADS, 0, stream>>>(keys, length, size);
    }
    knn_write_sorted<<<sort_blocks((int64_t)r.rows * r.k), SORT_THREADS, 0, stream>>>(r, keys, length);
    return cudaGetLastError();
}

#endif
