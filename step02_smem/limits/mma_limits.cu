/* mma.sync from registers only: a warp holds eight tiles of sums and adds to one after the other, so that no mma waits
 * for the one before. 16 warps are four a scheduler; 32 show that more do not help. */
#include "limits.cuh"
#include "ptx/mma.cuh"

enum { TILES = 8, UNROLL = 4, MMAS = TILES * UNROLL };
enum operands { F16, F16_K8, BF16, TF32, S8 };

/* A word of ones, or of two or four. */
template <operands OF>
constexpr unsigned ONES = OF <= F16_K8 ? 0x3c003c00
                          : OF == BF16 ? 0x3f803f80
                          : OF == TF32 ? 0x3f800000
                                       : 0x01010101;

static __device__ __forceinline__ void mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2], operands of) {
    if (of == F16)
        mma_m16n8k16_f16(d, a, b);
    else if (of == F16_K8)
        mma_m16n8k8_f16(d, a, b[0]);
    else if (of == BF16)
        mma_m16n8k16_bf16(d, a, b);
    else
        mma_m16n8k8_tf32(d, a, b);
}

static __device__ __forceinline__ void mma(int (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2], operands) {
    mma_m16n8k32_s8(d, a, b);
}

template <operands OF, typename SUM>
static __global__ void __launch_bounds__(1024) mma_registers(limit_room room, int rounds) {
    SUM d[TILES][4] = {{0}};
    unsigned a[4], b[2]; /* the compiler does not know that all are the same */
    for (int i = 0; i < 4; i++) a[i] = room.memory[i] == 1.0f ? ONES<OF> : 0;
    for (int i = 0; i < 2; i++) b[i] = room.memory[4 + i] == 1.0f ? ONES<OF> : 0;
    limit_begin(room);
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int i = 0; i < MMAS; i++) mma(d[i % TILES], a, b, OF);
    SUM sum = 0;
    for (int tile = 0; tile < TILES; tile++)
        for (int i = 0; i < 4; i++) sum += d[tile][i];
    limit_end(room, (float)sum);
}

/* Each lane's share of m16n8 x k: 2 x 16 x 8 x k / 32 FLOP, and in each of four sums k. */
#define MMA(name, warps, of, sum, k, peak)                                                                             \
    {                                                                                                                  \
        "mma_" name "_" #warps "_warps", "FLOP", mma_registers<of, sum>, 32 * warps, 0, 500, MMAS * 8 * k, MMAS,       \
            MMAS * 4 * k, peak, 80                                                                                     \
    }

const limit limits_mma[] = {
    MMA("f16", 16, F16, float, 16, F16_PEAK),
    MMA("f16", 32, F16, float, 16, F16_PEAK),
    MMA("f16_k8", 16, F16_K8, float, 8, F16_PEAK),
    MMA("bf16", 16, BF16, float, 16, F16_PEAK),
    MMA("tf32", 16, TF32, float, 8, TF32_PEAK),
    MMA("s8", 16, S8, int, 32, S8_PEAK),
    {},
};
