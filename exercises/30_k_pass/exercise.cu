/* Exercise: the minimum by a network of comparisons. In each step element i meets element i + half: the smaller goes
 * to the front, the larger to the back, where the next pass will still find it. The comparison is missing.
 */
#include <cuda_runtime.h>
#include <stdint.h>

#include "../step08_knn/parts.h"
#include "knn/knn_key.h"

static const int REACH = 1024;
static const int THREADS = REACH / 2;

/* Moves the smallest of keys[0 ... count - 1] to keys[0]. */
static __device__ __forceinline__ void network(uint64_t *keys, int count) {
    while (count > 1) {
        int half = (count + 1) / 2;
        for (int i = threadIdx.x; i < count - half; i += blockDim.x) {
            uint64_t a = keys[i], b = keys[i + half];
            keys[i] = a;
            keys[i + half] = b;
        }
        __syncthreads();
        count = half;
    }
}

static __device__ __forceinline__ uint64_t key_at(const knn_rows &r, int64_t row, int i) {
    return knn_key(r.distances[row * r.n + i], i);
}

static __device__ __forceinline__ void write(const knn_rows &r, int64_t row, int place, uint64_t key) {
    r.index[row * r.k + place] = knn_key_index(key);
    r.distance[row * r.k + place] = knn_key_distance(key);
}

static __global__ void __launch_bounds__(THREADS) knn_kpass(knn_rows r) {
    __shared__ uint64_t keys[REACH];
    int64_t row = blockIdx.x;
    for (int i = threadIdx.x; i < r.n; i += blockDim.x) keys[i] = key_at(r, row, i);
    __syncthreads();
    for (int pass = 0; pass < r.k; pass++) network(keys + pass, r.n - pass);
    for (int i = threadIdx.x; i < r.k; i += blockDim.x) write(r, row, i, keys[i]);
}

/* For each block of a row, the minimum of what has not been set aside. */
static __global__ void __launch_bounds__(THREADS) knn_kpass_minima(knn_rows r, int pass, int blocks, uint64_t *minima) {
    __shared__ uint64_t keys[REACH];
    int64_t row = blockIdx.x / blocks, first = (int64_t)(blockIdx.x % blocks) * REACH;
    int count = (int)min((int64_t)REACH, r.n - first);
    uint64_t last = 0;
    if (pass > 0) last = knn_key(r.distance[row * r.k + pass - 1], r.index[row * r.k + pass - 1]);
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        uint64_t key = key_at(r, row, (int)first + i);
        keys[i] = pass > 0 && key <= last ? KNN_NO_KEY : key;
    }
    __syncthreads();
    network(keys, count);
    if (threadIdx.x == 0) minima[blockIdx.x] = keys[0];
}

/* The minimum of the minima; if a thread gets several, the smallest of them goes into the network. */
static __global__ void __launch_bounds__(THREADS)
    knn_kpass_minimum(knn_rows r, int pass, int blocks, const uint64_t *minima) {
    __shared__ uint64_t keys[THREADS];
    int64_t row = blockIdx.x;
    uint64_t least = KNN_NO_KEY;
    for (int i = threadIdx.x; i < blocks; i += THREADS) least = min(least, minima[row * blocks + i]);
    keys[threadIdx.x] = least;
    __syncthreads();
    network(keys, THREADS);
    if (threadIdx.x == 0) write(r, row, pass, keys[0]);
}

static int blocks_of(int n) {
    return (int)(((int64_t)n + REACH - 1) / REACH);
}

static cudaError_t select(const knn_rows *r, cudaStream_t stream) {
    if (r->n <= REACH) {
        knn_kpass<<<(unsigned)r->rows, (unsigned)(r->n + 1) / 2, 0, stream>>>(*r);
        return cudaGetLastError();
    }
    int blocks = blocks_of(r->n);
    uint64_t *minima = (uint64_t *)r->scratch;
    for (int pass = 0; pass < r->k; pass++) {
        knn_kpass_minima<<<(unsigned)((int64_t)r->rows * blocks), THREADS, 0, stream>>>(*r, pass, blocks, minima);
        knn_kpass_minimum<<<(unsigned)r->rows, THREADS, 0, stream>>>(*r, pass, blocks, minima);
    }
    return cudaGetLastError();
}

static size_t scratch(int n, int) {
    return n <= REACH ? 0 : (size_t)blocks_of(n) * sizeof(uint64_t);
}

extern "C" const knn_selector knn_select_exercise = {select, scratch, NULL, NULL};
