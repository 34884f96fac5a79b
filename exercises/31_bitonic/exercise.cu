/* Exercise: to merge two sorted pieces, the bitonic network needs one of them rising and the other falling. In shared
 * memory this kernel asks for the wrong bit, and so sorts all of them rising. (`first + i` is the element's number in
 * its row, `size` the length of the pieces that this step makes.)
 */
#include <cuda_runtime.h>
#include <stdint.h>

#include "../step08_knn/parts.h"
#include "knn/knn_key.h"

static const int REACH = 2048;
static const int THREADS = REACH / 2;

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

/* Sorts each piece (size == piece), or merges with the strides below `piece`. */
static __global__ void __launch_bounds__(THREADS)
    knn_sort_pieces(uint64_t *keys, int piece, int64_t length, int64_t size) {
    __shared__ uint64_t s[REACH];
    uint64_t *mine = keys + (int64_t)blockIdx.x * piece;
    int64_t first = (int64_t)blockIdx.x * piece % length;
    for (int i = threadIdx.x; i < piece; i += blockDim.x) s[i] = mine[i];
    __syncthreads();
    for (int64_t z = size == piece ? 2 : size; z <= size; z *= 2)
        merge_shared(s, piece, first, z, (int)min(z, (int64_t)piece) / 2);
    for (int i = threadIdx.x; i < piece; i += blockDim.x) mine[i] = s[i];
}

/* One step through global memory. */
static __global__ void knn_sort_round(uint64_t *keys, int64_t pairs, int64_t length, int64_t size, int64_t stride) {
    int64_t pair = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= pairs) return;
    int64_t i = pair / stride * 2 * stride + pair % stride;
    compare_exchange(keys, pair, stride, (i % length & size) == 0);
}

/* The first k keys of each row, as results. */
static __global__ void knn_write_sorted(const uint64_t *keys, int64_t length, int64_t results, int k, int *index,
                                        float *distance) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= results) return;
    uint64_t key = keys[i / k * length + i % k];
    index[i] = knn_key_index(key);
    distance[i] = knn_key_distance(key);
}

static __global__ void knn_fill_keys(knn_rows r, uint64_t *keys, int64_t length) {
    int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= r.rows * length) return;
    int64_t row = at / length, i = at % length;
    keys[at] = i < r.n ? knn_key(r.distances[row * r.n + i], (int)i) : KNN_NO_KEY;
}

static unsigned blocks_for(int64_t threads) {
    return (unsigned)((threads + THREADS - 1) / THREADS);
}

/* The smallest power of two that is at least n: keys per row. */
static int64_t padded_length(int64_t n) {
    int64_t length = 1;
    while (length < n) length *= 2;
    return length;
}

/* Sorts `rows` rows of `length` keys (a power of two; KNN_NO_KEY pads a row) and writes the first k of each as index
 * and distance, k to a row; all on the device. */
static cudaError_t sort_rows(uint64_t *keys, int rows, int64_t length, int k, int *index, float *distance,
                             cudaStream_t stream) {
    int piece = (int)(length < REACH ? length : REACH), threads = piece < 64 ? 32 : piece / 2;
    int64_t pairs = rows * length / 2, results = (int64_t)rows * k;
    unsigned pieces = (unsigned)(rows * length / piece);
    knn_sort_pieces<<<pieces, threads, 0, stream>>>(keys, piece, length, piece);
    for (int64_t size = 2 * piece; size <= length; size *= 2) {
        for (int64_t stride = size / 2; stride >= REACH; stride /= 2)
            knn_sort_round<<<blocks_for(pairs), THREADS, 0, stream>>>(keys, pairs, length, size, stride);
        knn_sort_pieces<<<pieces, threads, 0, stream>>>(keys, piece, length, size);
    }
    knn_write_sorted<<<blocks_for(results), THREADS, 0, stream>>>(keys, length, results, k, index, distance);
    return cudaGetLastError();
}

static cudaError_t select(const knn_rows *r, cudaStream_t stream) {
    int64_t length = padded_length(r->n);
    uint64_t *keys = (uint64_t *)r->scratch;
    knn_fill_keys<<<blocks_for(r->rows * length), THREADS, 0, stream>>>(*r, keys, length);
    return sort_rows(keys, r->rows, length, r->k, r->index, r->distance, stream);
}

static size_t scratch(int n, int) {
    return (size_t)padded_length(n) * sizeof(uint64_t);
}

extern "C" const knn_selector knn_select_exercise = {select, scratch, NULL, NULL};
