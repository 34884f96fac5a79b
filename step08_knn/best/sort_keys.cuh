/* Sorts a few keys (knn_key.h) in shared memory. */
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

static const int SORTED = 2048; /* how many keys are sorted at once, at most */

/* The smaller (or the larger) of a key and the one `stride` lanes away. */
static __device__ __forceinline__ uint64_t exchange(uint64_t key, int stride, bool smaller) {
    const uint64_t other = __shfl_xor_sync(~0u, key, stride);
    return (other < key) == smaller ? other : key;
}

/* Sorts a power of two of keys, 64 or more, with a bitonic network. Keys 64 or more apart are compared in shared
 * memory, with a barrier each time; closer ones by a warp in registers: lane l has keys l and l + 32 of 64. */
template <int THREADS> static __device__ __forceinline__ void sort_keys(uint64_t *keys, int count) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int size = 64; size <= count; size *= 2) {
        for (int stride = size / 2; stride >= 64; stride /= 2) {
            for (int i = threadIdx.x; i < count / 2; i += THREADS) {
                const int low = 2 * i - i % stride, high = low + stride;
                const uint64_t a = keys[low], b = keys[high];
                if ((a > b) == ((low & size) == 0)) keys[low] = b, keys[high] = a;
            }
            __syncthreads();
        }
        for (int first = warp * 64; first < count; first += THREADS * 2) {
            uint64_t a = keys[first + lane], b = keys[first + lane + 32];
            if (size == 64) /* up to here each half on its own: ascending, descending */
#pragma unroll
                for (int part = 2; part <= 32; part *= 2)
#pragma unroll
                    for (int stride = part / 2; stride > 0; stride /= 2) {
                        const bool lower = (lane & stride) == 0, up = (lane & part) == 0;
                        a = exchange(a, stride, lower == up);
                        b = exchange(b, stride, lower == (part == 32 ? false : up));
                    }
            const bool up = (first & size) == 0;
            if ((a > b) == up) {
                const uint64_t c = a;
                a = b, b = c;
            }
#pragma unroll
            for (int stride = 16; stride > 0; stride /= 2) {
                const bool lower = (lane & stride) == 0;
                a = exchange(a, stride, lower == up);
                b = exchange(b, stride, lower == up);
            }
            keys[first + lane] = a, keys[first + lane + 32] = b;
        }
        __syncthreads();
    }
}
