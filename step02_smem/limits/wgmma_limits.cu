/* wgmma m64nNk16 on f16, on the same tiles in shared memory again and again: eight in a group, the next group issued
 * before the last is waited for. With A from shared memory, and with A from registers; by one warpgroup, and by two
 * that have sums of their own and read the same A. */
#include "limits.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/wgmma.cuh"

enum { K_A_TILE = 64, GROUP = 8, A_BYTES = 64 * 128, FRAGMENTS = 4 };

#define KL_D4(c, d) "+" c((d)[0]), "+" c((d)[1]), "+" c((d)[2]), "+" c((d)[3])
#define TEXT4       "%0, %1, %2, %3"

/* d += A * B, A by its descriptor or in registers; and the wait until no more than `GROUPS` groups are in flight. */
#define WGMMA(count, n, text, operands, o0, o1, o2, o3, o4)                                                            \
    static __device__ __forceinline__ void wgmma(float(&d)[count], uint64_t a, uint64_t b) {                           \
        KL_SM90A("wgmma.mma_async.sync.aligned.m64n" #n "k16.f32.f16.f16 {" text "}, %" #o0 ", %" #o1                  \
                 ", 1, 1, 1, 0, 0;"                                                                                    \
                 : operands                                                                                            \
                 : "l"(a), "l"(b));                                                                                    \
    }                                                                                                                  \
    static __device__ __forceinline__ void wgmma(float(&d)[count], const unsigned(&a)[FRAGMENTS], uint64_t b) {        \
        KL_SM90A("wgmma.mma_async.sync.aligned.m64n" #n "k16.f32.f16.f16 {" text "}, {%" #o0 ", %" #o1 ", %" #o2       \
                 ", %" #o3 "}, %" #o4 ", 1, 1, 1, 0;"                                                                  \
                 : operands                                                                                            \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                                                \
    }                                                                                                                  \
    template <int GROUPS> static __device__ __forceinline__ void wait(float(&d)[count]) {                              \
        KL_SM90A("wgmma.wait_group.sync.aligned %" #o0 ";" : operands : "n"(GROUPS) : "memory");                       \
    }
WGMMA(4, 8, TEXT4, KL_D4("f", d), 4, 5, 6, 7, 8)
WGMMA(8, 16, KL_TEXT8, KL_D8("f", d), 8, 9, 10, 11, 12)
WGMMA(16, 32, KL_TEXT16, KL_D16("f", d), 16, 17, 18, 19, 20)
WGMMA(32, 64, KL_TEXT32, KL_D32("f", d), 32, 33, 34, 35, 36)
WGMMA(64, 128, KL_TEXT64, KL_D64("f", d), 64, 65, 66, 67, 68)
WGMMA(128, 256, KL_TEXT128, KL_D128("f", d), 128, 129, 130, 131, 132)

/* Rows of 128 bytes, 64 values of k, with the 128-byte swizzle: of ones, so that the swizzle does not show. */
template <int N, bool A_IN_REGISTERS>
static __global__ void __launch_bounds__(256) wgmma_tiles(limit_room room, int rounds) {
    extern __shared__ __align__(1024) char tiles[];
    for (int i = threadIdx.x; i < (A_BYTES + N * 128) / 4; i += blockDim.x) ((unsigned *)tiles)[i] = 0x3c003c00;
    asm volatile("fence.proxy.async;" ::: "memory"); /* wgmma reads what ordinary stores wrote */
    unsigned a[FRAGMENTS];                           /* the compiler does not know that all are the same */
    for (int i = 0; i < FRAGMENTS; i++) a[i] = room.memory[i] == 1.0f ? 0x3c003c00 : 0;
    const uint64_t a_tile = wgmma_k_major(shared_address(tiles));
    const uint64_t b_tile = wgmma_k_major(shared_address(tiles + A_BYTES));
    float d[N / 2] = {0.0f};
    limit_begin(room);
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            const uint64_t k = wgmma_advance(i % (K_A_TILE / 16) * 32);
            if (A_IN_REGISTERS)
                wgmma(d, a, b_tile + k);
            else
                wgmma(d, a_tile + k, b_tile + k);
        }
        wgmma_commit();
        wait<1>(d);
    }
    wait<0>(d);
    float sum = 0.0f;
    for (int i = 0; i < N / 2; i++) sum += d[i];
    limit_end(room, sum);
}

/* Each thread's share: 2 x 64 x n x 16 / 128 FLOP, and in each of n / 2 sums 16. */
#define LIMIT(name, n, registers, warpgroups)                                                                          \
    {                                                                                                                  \
        "wgmma_n" #n "_" name, "FLOP", wgmma_tiles<n, registers>, 128 * warpgroups, A_BYTES + n * 128, 2000,           \
            GROUP * 16 * n, GROUP / 4.0, GROUP * 8 * n, F16_PEAK, 90                                                   \
    }
#define FORMS(n)                                                                                                       \
    LIMIT("shared", n, false, 1), LIMIT("shared_2", n, false, 2), LIMIT("registers", n, true, 1),                      \
        LIMIT("registers_2", n, true, 2)

const limit limits_wgmma[] = {FORMS(8), FORMS(16), FORMS(32), FORMS(64), FORMS(128), FORMS(256), {}};
