/* Other ways than global and shared memory, and other ways than one. All lanes of a warp, or 8, or 2, or 1 want the
 * same word of constant memory; lanes read neighbouring words through textures; the lanes of a warp take 1, 2 or 32
 * ways. */
#include "limits.cuh"

enum { THREADS = 1024, STEPS = 16, NEAR_WORDS = 12 << 10 };

static __constant__ float table[1024]; /* zeros, which the compiler does not know */

template <int DIFFERENT> static __global__ void __launch_bounds__(THREADS) read_constant(limit_room room, int rounds) {
    unsigned at = (unsigned)room.memory[threadIdx.x] - 1 + threadIdx.x % DIFFERENT;
    float sum = 0.0f;
    limit_begin(room);
#pragma unroll 1
    for (int round = 0; round < rounds; round++, at ^= 512)
#pragma unroll
        for (int i = 0; i < STEPS; i++) sum += table[at + i * 32];
    limit_end(room, sum);
}

static __global__ void __launch_bounds__(THREADS) read_texture(limit_room room, int rounds) {
    int at = blockIdx.x * NEAR_WORDS + threadIdx.x;
    float sum = 0.0f;
    limit_begin(room);
#pragma unroll 1
    for (int round = 0; round < rounds; round++, at ^= 4096)
#pragma unroll
        for (int i = 0; i < STEPS; i++) sum += tex1Dfetch<float>(room.texture, at + i * 256);
    limit_end(room, sum);
}

/* Each way is STEPS multiply-adds, which no other has. */
template <int WAYS> static __global__ void __launch_bounds__(THREADS) diverge(limit_room room, int rounds) {
    const float one = room.memory[threadIdx.x];
    float x = one;
    limit_begin(room);
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int way = 0; way < WAYS; way++)
            if (threadIdx.x % WAYS == way)
#pragma unroll
                for (int i = 0; i < STEPS; i++)
                    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(one), "f"(1.0f + way));
    limit_end(room, 0.0f * x);
}

#define CONSTANT(different)                                                                                            \
    { "const_" #different, "B", read_constant<different>, THREADS, 0, 20, 4 * STEPS, STEPS, 0 }
#define DIVERGE(ways)                                                                                                  \
    { "diverge_" #ways, "FMA", diverge<ways>, THREADS, 0, 100, STEPS, STEPS, 0 }

const limit limits_paths[] = {
    CONSTANT(1),
    CONSTANT(2),
    CONSTANT(8),
    CONSTANT(32),
    {"texture_32", "B", read_texture, THREADS, 0, 200, 4 * STEPS, STEPS, STEPS, PORT_PEAK, 0, false, 0, true},
    DIVERGE(1),
    DIVERGE(2),
    DIVERGE(32),
    {},
};
