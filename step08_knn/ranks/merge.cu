/* The k nearest of two ranks' points: a step of a reduction. Each rank has searched its share of the points and holds,
 * for every query, k (distance, index) pairs in ascending order, as keys (knn_key.h). Of two such lists only the k
 * smallest are kept.
 *
 *    mine    a0 < a1 < a2 < a3          A pair's place among all 2k is its place in its own list
 *    theirs  b0 < b1 < b2 < b3          plus how many of the other list are smaller: for a1 with b0, b1 < a1 it is 3.
 *
 * So one thread per pair finds its place alone, by a binary search in the other list, and writes it there if that is
 * below k. No thread waits for another, and k comparisons in a row become log2 k. The order of the ranks does not
 * matter: keys of different points differ, and the k smallest of all are the same however they are put together. */
#include <cuda_runtime.h>
#include <stdint.h>

#include "knn/knn.h"
#include "knn/knn_key.h"

static const int THREADS = 256;

static unsigned blocks_for(int64_t count) {
    return (unsigned)((count + THREADS - 1) / THREADS);
}

static __device__ int64_t number_of_thread() {
    return (int64_t)blockIdx.x * THREADS + threadIdx.x;
}

static __global__ void __launch_bounds__(THREADS)
    knn_merge_kernel(const uint64_t *mine, const uint64_t *theirs, int rows, int k, uint64_t *out) {
    const int64_t at = number_of_thread(), row = at / (2 * k);
    const int i = (int)(at % (2 * k));
    if (row >= rows) return;
    const bool first = i < k;
    const uint64_t *own = (first ? mine : theirs) + row * k, *other = (first ? theirs : mine) + row * k;
    const uint64_t key = own[first ? i : i - k];
    /* How many of the other list come before it. Equal keys are KNN_NO_KEY: of these mine do. */
    int low = 0, high = k;
    while (low < high) {
        const int middle = (low + high) / 2;
        const bool before = first ? other[middle] < key : other[middle] <= key;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    const int place = (first ? i : i - k) + low;
    if (place < k) out[row * k + place] = key;
}

/* A share's answer as keys: its `found` neighbours, and then no key. Its points are those from `first` on. */
static __global__ void __launch_bounds__(THREADS)
    knn_pack_kernel(const int *index, const float *distance, int rows, int found, int k, int first, uint64_t *keys) {
    const int64_t at = number_of_thread(), row = at / k, i = at % k, from = row * found + i;
    if (row < rows) keys[at] = i < found ? knn_key(distance[from], index[from] + first) : KNN_NO_KEY;
}

static __global__ void __launch_bounds__(THREADS)
    knn_unpack_kernel(const uint64_t *keys, int64_t count, int *index, float *distance) {
    const int64_t at = number_of_thread();
    if (at >= count) return;
    index[at] = knn_key_index(keys[at]);
    distance[at] = knn_key_distance(keys[at]);
}

extern "C" cudaError_t knn_merge(const uint64_t *mine, const uint64_t *theirs, int rows, int k, uint64_t *out,
                                 cudaStream_t stream) {
    const int64_t count = (int64_t)rows * 2 * k;
    if (count > 0) knn_merge_kernel<<<blocks_for(count), THREADS, 0, stream>>>(mine, theirs, rows, k, out);
    return cudaGetLastError();
}

extern "C" cudaError_t knn_pack(const int *index, const float *distance, int rows, int found, int k, int first,
                                uint64_t *keys, cudaStream_t stream) {
    const int64_t count = (int64_t)rows * k;
    if (count > 0)
        knn_pack_kernel<<<blocks_for(count), THREADS, 0, stream>>>(index, distance, rows, found, k, first, keys);
    return cudaGetLastError();
}

extern "C" cudaError_t knn_unpack(const uint64_t *keys, int rows, int k, int *index, float *distance,
                                  cudaStream_t stream) {
    const int64_t count = (int64_t)rows * k;
    if (count > 0) knn_unpack_kernel<<<blocks_for(count), THREADS, 0, stream>>>(keys, count, index, distance);
    return cudaGetLastError();
}
