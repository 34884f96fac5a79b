/* Additions that other threads may make at the same time: all threads add to one word, or each to one of its own, 32
 * neighbours a warp. Shared memory adds integers by itself; an FP32 sum there is a loop of reading, adding and
 * comparing. L2 does both for global memory. */
#include "limits.cuh"

enum { THREADS = 1024, ADDS = 16 };

template <typename T, bool SAME>
static __global__ void __launch_bounds__(THREADS) add_shared(limit_room room, int rounds) {
    __shared__ T words[THREADS];
    const float one = room.memory[threadIdx.x]; /* the compiler does not know it, nor that all have one word */
    T *const word = &words[SAME ? (int)one - 1 : threadIdx.x];
    words[threadIdx.x] = 0;
    limit_begin(room);
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int i = 0; i < ADDS; i++) atomicAdd(word, (T)one);
    __syncthreads();
    limit_end(room, (float)*word);
}

static __device__ __forceinline__ void add(unsigned *word, unsigned one) {
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(word), "r"(one) : "memory");
}

static __device__ __forceinline__ void add(float *word, float one) {
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(word), "f"(one) : "memory");
}

/* The scratch is zero; of one word for all, how far it has come is not known before all have ended. */
template <typename T, bool SAME>
static __global__ void __launch_bounds__(THREADS) add_global(limit_room room, int rounds) {
    const float one = room.memory[threadIdx.x];
    T *const word = (T *)room.scratch + (SAME ? (int)one - 1 : blockIdx.x * THREADS + threadIdx.x);
    limit_begin(room);
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int i = 0; i < ADDS; i++) add(word, (T)one);
    __threadfence();
    limit_end(room, SAME ? 0.0f : (float)atomicAdd(word, (T)0));
}

#define SHARED(name, type, same, rounds, peak)                                                                         \
    {                                                                                                                  \
        "shared_add_" name, "add", add_shared<type, same>, THREADS, 0, rounds, ADDS, ADDS,                             \
            same ? ADDS *THREADS : ADDS, peak                                                                          \
    }
#define GLOBAL(name, type, same, rounds)                                                                               \
    {                                                                                                                  \
        "global_add_" name, "add", add_global<type, same>, THREADS, 0, rounds, ADDS, 0, same ? 0 : ADDS, NO_PEAK, 0,   \
            true                                                                                                       \
    }

const limit limits_atomics[] = {
    SHARED("u32_spread", unsigned, false, 100, NO_PEAK),
    SHARED("u32_same", unsigned, true, 100, NO_PEAK),
    SHARED("f32_spread", float, false, 100, NO_PEAK),
    SHARED("f32_same", float, true, 10, NO_PEAK),
    GLOBAL("u32_spread", unsigned, false, 20),
    GLOBAL("u32_same", unsigned, true, 4),
    GLOBAL("f32_spread", float, false, 20),
    GLOBAL("f32_same", float, true, 4),
    {},
};
