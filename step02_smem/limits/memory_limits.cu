/* Reading, and copying. Every thread reads 1, 2 or 4 words an instruction, a warp 32 neighbours of them, and adds up
 * what it read; the loads of a round do not wait for one another.
 *
 *   shared memory, L1   48 KB of the block's own, which stay: bytes a clock of one SM; `same`: a warp's lanes all read
 * the same words, as those of A in a GEMM L2                  8 MB of the GPU's, by loads that pass L1 by DRAM
 * gigabytes, each once */
#include "limits.cuh"
#include "ptx/cp_async.cuh"

enum { THREADS = 1024, LOADS = 16, NEAR_BYTES = 48 << 10, L2_BYTES = 8 << 20 };
enum source { SHARED, SAME, L1, FAR };

#define LOAD(FROM, address)                                                                                            \
    if (WORDS == 1) asm volatile(FROM ".f32 %0, [%1];" : "=f"(v[0]) : address : "memory");                             \
    if (WORDS == 2) asm volatile(FROM ".v2.f32 {%0, %1}, [%2];" : "=f"(v[0]), "=f"(v[1]) : address : "memory");        \
    if (WORDS == 4)                                                                                                    \
    asm volatile(FROM ".v4.f32 {%0, %1, %2, %3}, [%4];"                                                                \
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])                                                      \
                 : address                                                                                             \
                 : "memory")

/* The sum of WORDS neighbouring words. */
template <source FROM, int WORDS> static __device__ __forceinline__ float load(size_t address) {
    float v[4] = {0.0f};
    if (FROM == SHARED || FROM == SAME) {
        LOAD("ld.shared", "r"((unsigned)address));
    } else if (FROM == L1) {
        LOAD("ld.global", "l"(address));
    } else {
        LOAD("ld.global.cg", "l"(address));
    }
    return WORDS == 1 ? v[0] : WORDS == 2 ? v[0] + v[1] : v[0] + v[1] + (v[2] + v[3]);
}

/* Two halves in turn, so that a load's address is not always the same; each load reads another kilobyte on. */
template <source FROM, int WORDS>
static __global__ void __launch_bounds__(THREADS) read_near(limit_room room, int rounds) {
    extern __shared__ float4 copy[];
    const float *own = room.memory + blockIdx.x * (NEAR_BYTES / 4);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < NEAR_BYTES / 4; i += THREADS) {
        if (FROM == SHARED || FROM == SAME)
            ((float *)copy)[i] = own[i];
        else
            sum += 0.0f * load<FROM, 1>((size_t)(own + i)); /* once, so that it is there */
    }
    const size_t base = FROM == SHARED || FROM == SAME ? shared_address(copy) : (size_t)own;
    unsigned at = (FROM == SAME ? threadIdx.x / 32 : threadIdx.x) * WORDS * 4;
    limit_begin(room);
#pragma unroll 1
    for (int round = 0; round < rounds; round++, at ^= 16384)
#pragma unroll
        for (int i = 0; i < LOADS; i++) sum += load<FROM, WORDS>(base + at + i * 1024);
    limit_end(room, sum);
}

/* All blocks share the words, a power of two, and go through them in step. */
static __global__ void __launch_bounds__(THREADS) read_far(limit_room room, int rounds) {
    const size_t step = (size_t)gridDim.x * THREADS * 4, mask = room.words - 1;
    size_t at = ((size_t)blockIdx.x * THREADS + threadIdx.x) * 4;
    float sum = 0.0f;
    limit_begin(room);
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int i = 0; i < LOADS; i++, at += step) sum += load<FAR, 4>((size_t)(room.memory + (at & mask)));
    limit_end(room, sum);
}

/* The same, from the first half of the words to the second; half of the loads before the first store. */
static __global__ void __launch_bounds__(THREADS) copy_far(limit_room room, int rounds) {
    const size_t step = (size_t)gridDim.x * THREADS * 4, half = room.words / 2;
    size_t at = ((size_t)blockIdx.x * THREADS + threadIdx.x) * 4;
    float4 v[LOADS / 2];
    limit_begin(room);
    for (int round = 0; round < 2 * rounds; round++, at += step * (LOADS / 2)) {
#pragma unroll
        for (int i = 0; i < LOADS / 2; i++) v[i] = __ldcs((const float4 *)(room.memory + (at + i * step & (half - 1))));
#pragma unroll
        for (int i = 0; i < LOADS / 2; i++) __stcs((float4 *)(room.memory + half + (at + i * step & (half - 1))), v[i]);
    }
    limit_end(room, 0.0f);
}

/* All warps of a block meet, again and again. */
static __global__ void __launch_bounds__(256) meet(limit_room room, int rounds) {
    limit_begin(room);
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int i = 0; i < LOADS; i++) __syncthreads();
    limit_end(room, 0.0f);
}

/* Words of 4 bytes a load; of DRAM the rounds are as many as all of its bytes take. */
#define NEAR(name, from, words, bits, peak)                                                                            \
    {                                                                                                                  \
        name bits, "B", read_near<from, words>, THREADS, from <= SAME ? NEAR_BYTES : 0, 200, 4 * LOADS *words, LOADS,  \
            LOADS *words, peak                                                                                         \
    }

const limit limits_memory[] = {
    NEAR("lds_", SHARED, 1, "32", PORT_PEAK),
    NEAR("lds_", SHARED, 2, "64", PORT_PEAK),
    NEAR("lds_", SHARED, 4, "128", PORT_PEAK),
    NEAR("lds_same_", SAME, 1, "32", NO_PEAK),
    NEAR("lds_same_", SAME, 4, "128", NO_PEAK),
    NEAR("l1_", L1, 1, "32", PORT_PEAK),
    NEAR("l1_", L1, 2, "64", PORT_PEAK),
    NEAR("l1_", L1, 4, "128", PORT_PEAK),
    {"barrier_8_warps", "bar", meet, 256, 0, 200, LOADS / 256.0, LOADS, 0},
    {"l2_read", "B", read_far, THREADS, 0, 40, 16 * LOADS, 0, 4 * LOADS, NO_PEAK, 0, true, L2_BYTES},
    {"dram_read", "B", read_far, THREADS, 0, 0, 16 * LOADS, 0, 4 * LOADS, DRAM_PEAK, 0, true, (size_t)8 << 30},
    {"dram_copy", "B", copy_far, THREADS, 0, 0, 32 * LOADS, 0, 0, DRAM_PEAK, 0, true, (size_t)8 << 30},
    {},
};
