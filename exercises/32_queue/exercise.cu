/* Exercise: each lane keeps newcomers in a queue of T registers. When one of them is full, the queues are sorted and
 * merged into the warp's keys. What happens to the newcomers afterwards is missing.
 */
#include "../step08_knn/parts.h"
#include "knn/knn_key.h"

static const int WARPS = 8;
static const int THREADS = WARPS * 32;
static const unsigned ALL = 0xffffffffu;

/* One step: each key, number register * 32 + lane, meets the one whose number differs in the bits of `mask`; the
 * smaller of the two gets the smaller number. */
template <int R> static __device__ __forceinline__ void compare_exchange(uint64_t (&keys)[R], int mask) {
    uint64_t other[R];
#pragma unroll
    for (int a = 0; a < R; a++) {
        other[a] = keys[a ^ mask / 32];
        if (mask % 32 != 0) other[a] = __shfl_xor_sync(ALL, other[a], mask % 32);
    }
#pragma unroll
    for (int a = 0; a < R; a++) {
        int number = a * 32 + threadIdx.x % 32;
        keys[a] = number < (number ^ mask) ? min(keys[a], other[a]) : max(keys[a], other[a]);
    }
}

template <int R> static __device__ __forceinline__ void sort(uint64_t (&keys)[R]) {
#pragma unroll
    for (int size = 2; size <= 32 * R; size *= 2) {
        compare_exchange(keys, size - 1);
#pragma unroll
        for (int stride = size / 4; stride > 0; stride /= 2) compare_exchange(keys, stride);
    }
}

/* The smallest 32 R of the keys and 32 T others, both sorted. */
template <int R, int T> static __device__ __forceinline__ void merge(uint64_t (&keys)[R], const uint64_t (&others)[T]) {
#pragma unroll
    for (int a = 0; a < T; a++)
        keys[R - 1 - a] = min(keys[R - 1 - a], __shfl_xor_sync(ALL, others[a], 31)); /* backwards */
#pragma unroll
    for (int stride = 16 * R; stride > 0; stride /= 2) compare_exchange(keys, stride);
}

/* R registers of keys, T of newcomers. */
template <int R, int T> static __global__ void __launch_bounds__(THREADS, 4) knn_warpselect(knn_rows r) {
    __shared__ uint64_t shared[WARPS][R * 32];
    int64_t row = blockIdx.x;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float *distances = r.distances + row * r.n;
    uint64_t keys[R], queue[T];
#pragma unroll
    for (int a = 0; a < R; a++) keys[a] = KNN_NO_KEY;
#pragma unroll
    for (int a = 0; a < T; a++) queue[a] = KNN_NO_KEY;

    uint64_t last = KNN_NO_KEY; /* of the warp's keys: what is not below it is none of the k */
    int waiting = 0;
    for (int64_t i = threadIdx.x; i - lane < r.n; i += THREADS) { /* as often for all lanes of a warp */
        uint64_t key = i < r.n ? knn_key(distances[i], (int)i) : KNN_NO_KEY;
        if (key < last) {
#pragma unroll
            for (int a = T - 1; a > 0; a--) queue[a] = queue[a - 1];
            queue[0] = key;
            waiting++;
        }
        if (__any_sync(ALL, waiting == T)) {
            sort(queue);
            merge(keys, queue);
            last = __shfl_sync(ALL, keys[R - 1], 31);
            waiting = 0;
        }
    }
    sort(queue);
    merge(keys, queue);

#pragma unroll
    for (int a = 0; a < R; a++) shared[warp][a * 32 + lane] = keys[a];
    __syncthreads();
    if (warp > 0) return;
    for (int other = 1; other < WARPS; other++) {
        uint64_t others[R];
#pragma unroll
        for (int a = 0; a < R; a++) others[a] = shared[other][a * 32 + lane];
        merge(keys, others);
    }
#pragma unroll
    for (int a = 0; a < R; a++)
        if (a * 32 + lane < r.k) {
            r.index[row * r.k + a * 32 + lane] = knn_key_index(keys[a]);
            r.distance[row * r.k + a * 32 + lane] = knn_key_distance(keys[a]);
        }
}

static cudaError_t select(const knn_rows *r, cudaStream_t stream) {
    static void (*const kernels[])(knn_rows) = {knn_warpselect<1, 1>, knn_warpselect<2, 2>, knn_warpselect<4, 2>,
                                                knn_warpselect<8, 4>};
    int size = 0;
    while (32 << size < r->k) size++;
    kernels[size]<<<(unsigned)r->rows, THREADS, 0, stream>>>(*r);
    return cudaGetLastError();
}

static const char *refuses(const knn_problem *p) {
    return p->k <= 256 ? NULL : "takes k up to 256";
}

extern "C" const knn_selector knn_select_exercise = {select, NULL, refuses, NULL};
