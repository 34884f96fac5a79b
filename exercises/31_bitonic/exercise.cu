/* Exercise: to merge two sorted pieces, the bitonic network needs one of them rising and the other falling. In shared
 * memory this kernel asks for the wrong bit, and so sorts all of them rising. (`first + i` is the element's number in
 * its row, `size` the length of the pieces that this step makes.)
 */
#include <cuda_runtime.h>
#include <stdint.h>

#include "knn/knn_key.h"
#include "../step08_knn/search.h"

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
            compare_exchange(keys, pair, stride, ((first + i) & stride) == 0);
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

static __global__ void knn_fill_keys(knn_rows r, uint64_t *keys, int64_t length) {
    int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= r.rows * length) return;
    int64_t row = at / length, i = at % length;
    keys[at] = i < r.n ? knn_key(r.distances[row * r.n + i], (int)i) : KNN_NO_KEY;
}

static cudaError_t select(const knn_rows *r, cudaStream_t stream) {
    int64_t length = padded_length(r->n);
    uint64_t *keys = length <= REACH ? NULL : (uint64_t *)r->scratch;
    if (keys != NULL) knn_fill_keys<<<sort_blocks(r->rows * length), SORT_THREADS, 0, stream>>>(*r, keys, length);
    cudaError_t error = cudaGetLastError();
    return error != cudaSuccess ? error : sort_rows(*r, keys, length, stream);
}

static size_t scratch(int n, int) {
    int64_t length = padded_length(n);
    return length <= REACH ? 0 : (size_t)length * sizeof(uint64_t);
}

extern "C" const knn_selector knn_select_exercise = {select, scratch, NULL, NULL};
