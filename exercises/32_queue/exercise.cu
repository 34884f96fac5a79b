/* Exercise: each lane keeps newcomers in a queue of T registers. When one of them is full, the queues are sorted and
 * merged into the warp's keys. What happens to the newcomers afterwards is missing.
 */
#include <cuda_runtime.h>
#include <stdint.h>

#include "knn/knn_key.h"
#include "../step08_knn/search.h"

static const int WARPS = 8;
static const int THREADS = WARPS * 32;
static const int MOST = 256; /* k */
static const unsigned ALL = 0xffffffffu;

/* One step: compares keys whose numbers (register * 32 + lane) differ in the bit `stride`; those with the bit `size`
 * set are sorted descending. */
template <int R> static __device__ __forceinline__ void compare_exchange(uint64_t *keys, int stride, int size) {
    int lane = threadIdx.x % 32;
    if (stride >= 32) {
#pragma unroll
        for (int a = 0; a < R; a++) {
            int b = a + stride / 32;
            if ((a & (stride / 32)) != 0 || b >= R) continue;
            bool rising = ((a * 32) & size) == 0;
            uint64_t low = min(keys[a], keys[b]), high = max(keys[a], keys[b]);
            keys[a] = rising ? low : high;
            keys[b] = rising ? high : low;
        }
    } else {
#pragma unroll
        for (int a = 0; a < R; a++) {
            uint64_t other = __shfl_xor_sync(ALL, keys[a], stride);
            bool rising = ((a * 32 + lane) & size) == 0, first = (lane & stride) == 0;
            keys[a] = rising == first ? min(keys[a], other) : max(keys[a], other);
        }
    }
}

template <int R> static __device__ __forceinline__ void merge_bitonic(uint64_t *keys, int size) {
#pragma unroll
    for (int stride = 16 * R; stride > 0; stride /= 2)
        if (stride < size) compare_exchange<R>(keys, stride, size);
}

template <int R> static __device__ __forceinline__ void sort(uint64_t *keys) {
#pragma unroll
    for (int size = 2; size <= 32 * R; size *= 2) merge_bitonic<R>(keys, size);
}

/* The smallest 32 R of the keys and others[0 ... 32 T - 1], both ascending. */
template <int R, int T> static __device__ __forceinline__ void merge(uint64_t *keys, const uint64_t *others) {
#pragma unroll
    for (int a = 0; a < T; a++) {
        uint64_t mirrored = __shfl_xor_sync(ALL, others[a], 31);
        keys[R - 1 - a] = min(keys[R - 1 - a], mirrored);
    }
    merge_bitonic<R>(keys, 32 * R);
}

/* R registers of keys, T of newcomers. */
template <int R, int T> static __global__ void __launch_bounds__(THREADS, 4) knn_warpselect(knn_rows r) {
    __shared__ uint64_t shared[WARPS / 2][R * 32];
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
    for (int64_t i0 = warp * 32; i0 < r.n; i0 += THREADS) {
        int64_t i = i0 + lane;
        uint64_t key = i < r.n ? knn_key(distances[i], (int)i) : KNN_NO_KEY;
        if (key < last) {
#pragma unroll
            for (int a = T - 1; a > 0; a--) queue[a] = queue[a - 1];
            queue[0] = key;
            waiting++;
        }
        if (__any_sync(ALL, waiting == T)) {
            sort<T>(queue);
            merge<R, T>(keys, queue);
            last = __shfl_sync(ALL, keys[R - 1], 31);
            waiting = 0;
        }
    }
    sort<T>(queue);
    merge<R, T>(keys, queue);

    for (int half = WARPS / 2; half > 0; half /= 2) { /* warps half ... 2 half - 1 pass theirs to the ones below */
        if (warp >= half && warp < 2 * half)
#pragma unroll
            for (int a = 0; a < R; a++) shared[warp - half][a * 32 + lane] = keys[a];
        __syncthreads();
        if (warp < half) {
            uint64_t others[R];
#pragma unroll
            for (int a = 0; a < R; a++) others[a] = shared[warp][a * 32 + lane];
            merge<R, R>(keys, others);
        }
        __syncthreads();
    }
    if (warp > 0) return;
#pragma unroll
    for (int a = 0; a < R; a++)
        if (a * 32 + lane < r.k) {
            r.index[row * r.k + a * 32 + lane] = knn_key_index(keys[a]);
            r.distance[row * r.k + a * 32 + lane] = knn_key_distance(keys[a]);
        }
}

static cudaError_t select(const knn_rows *r, cudaStream_t stream) {
    unsigned rows = (unsigned)r->rows;
    if (r->k <= 32)
        knn_warpselect<1, 1><<<rows, THREADS, 0, stream>>>(*r);
    else if (r->k <= 64)
        knn_warpselect<2, 2><<<rows, THREADS, 0, stream>>>(*r);
    else if (r->k <= 128)
        knn_warpselect<4, 2><<<rows, THREADS, 0, stream>>>(*r);
    else
        knn_warpselect<8, 4><<<rows, THREADS, 0, stream>>>(*r);
    return cudaGetLastError();
}

static const char *refuses(const knn_problem *p) {
    return p->k <= MOST ? NULL : "takes k up to 256";
}

extern "C" const knn_selector knn_select_exercise = {select, NULL, refuses, NULL};
