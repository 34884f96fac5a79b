/* FP32 FMAs. A thread adds the outer product of TM words of A and TN of B to TM x TN sums, all in registers, so that
 * nothing but FFMAs is left to issue. How fast they are is then a matter of where their operands lie: a register file
 * has two banks, an FFMA reads three registers, and an operand that the FFMA before had in the same place need not be
 * read again. ptxas chooses registers and reuse by the order of the source:
 *
 *   rows           serpentine rows     columns             strips of two rows
 *   0 1 2 3        0 1 2 3             0 7 8 f             0 3 4 7
 *   4 5 6 7        7 6 5 4             1 6 9 e             1 2 5 6
 *   8 9 a b        8 9 a b             2 5 a d             f c b 8
 *   c d e f        f e d c             3 4 b c             e d a 9
 *
 * The same with the words read from shared memory, 16 bytes an instruction, as in a kernel: what remains of the rate.
 */
#include "limits.cuh"

#include "ptx/cp_async.cuh"

enum { THREADS = 256, PRODUCTS = 512, TILE_K = 16, SIDE = 6, DIAGONALS = 14 * SIDE * SIDE };
enum order { ROWS, SERPENTINE, COLUMNS, STRIPS };

/* All FMAs of an outer product; every loop is unrolled, so that only their order remains. */
template <order ORDER, int TM, int TN>
static __device__ __forceinline__ void outer_product(float (&acc)[TM][TN], const float (&a)[TM], const float (&b)[TN]) {
#pragma unroll
    for (int n = 0; n < TM * TN; n++) {
        int i = n / TN, j = n % TN; /* ROWS */
        if (ORDER == SERPENTINE && i % 2 == 1) j = TN - 1 - j;
        if (ORDER == COLUMNS) {
            j = n / TM;
            i = j % 2 == 1 ? TM - 1 - n % TM : n % TM;
        } else if (ORDER == STRIPS) {
            const int strip = n / (2 * TN), turn = n % (2 * TN) / 2;
            j = strip % 2 == 1 ? TN - 1 - turn : turn;
            i = 2 * strip + (n % 2 ^ turn % 2);
        }
        acc[i][j] = fmaf(a[i], b[j], acc[i][j]); /* written "a * b + acc", the product would leave the loop */
    }
}

template <int TM, int TN> static __device__ __forceinline__ float sum_of(const float (&acc)[TM][TN]) {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < TM * TN; i++) sum += acc[i / TN][i % TN];
    return sum;
}

template <order ORDER, int TM, int TN>
static __global__ void __launch_bounds__(THREADS) ffma(limit_room room, int rounds) {
    float acc[TM][TN] = {{0.0f}}, a[TM], b[TN];
    for (int i = 0; i < TM; i++) a[i] = room.memory[threadIdx.x + i];
    for (int j = 0; j < TN; j++) b[j] = room.memory[threadIdx.x + TM + j];
    limit_begin(room);
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int k = 0; k < PRODUCTS / (TM * TN); k++) outer_product<ORDER>(acc, a, b);
    limit_end(room, sum_of(acc));
}

/* What a third register costs, and whether its bank matters. Two words change with every FFMA, so that none can be
 * reused and each FFMA reads three registers. Words are loaded in pairs, which begin in an even register, and products
 * are of the first word of a pair: all in one bank. The sum is the second word of its pair, in the other bank, or with
 * ONE_BANK the first (which ptxas undoes for some of them). */
template <bool ONE_BANK> static __global__ void __launch_bounds__(THREADS) ffma_three(limit_room room, int rounds) {
    const float2 *ones = (const float2 *)room.memory + threadIdx.x;
    float2 acc[SIDE][SIDE], a[SIDE], b[SIDE];
    for (int i = 0; i < SIDE; i++) a[i] = ones[i], b[i] = ones[SIDE + i];
    for (int i = 0; i < SIDE * SIDE; i++) acc[i / SIDE][i % SIDE] = ones[2 * SIDE + i];
    limit_begin(room);
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int n = 0; n < DIAGONALS; n++) {
            const int i = n % SIDE, j = (n + n / SIDE) % SIDE;
            float &sum = ONE_BANK ? acc[i][j].x : acc[i][j].y;
            sum = fmaf(a[i].x, b[j].x, sum);
        }
    float sum = -2.0f * SIDE * (SIDE + 1); /* what was there before: ones */
    for (int i = 0; i < SIDE; i++) sum += a[i].y + b[i].y;
    for (int i = 0; i < SIDE * SIDE; i++) sum += acc[i / SIDE][i % SIDE].x + acc[i / SIDE][i % SIDE].y;
    limit_end(room, sum);
}

/* COUNT words, four by four, `apart` bytes between the fours. */
template <int COUNT> static __device__ __forceinline__ void read_fours(float (&to)[COUNT], unsigned from, int apart) {
#pragma unroll
    for (int i = 0; i < COUNT; i += 4)
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(to[i]), "=f"(to[i + 1]), "=f"(to[i + 2]), "=f"(to[i + 3])
                     : "r"(from + i / 4 * apart));
}

/* A warp's lanes are 4 rows of 8, the eight warps 4 rows of 2; the words of the next k are read while those of this one
 * are multiplied. Nobody writes, so there is no barrier. */
template <order ORDER, int TM, int TN>
static __global__ void __launch_bounds__(THREADS, 1) ffma_fed(limit_room room, int rounds) {
    enum { BM = 16 * TM, BN = 16 * TN };
    extern __shared__ float4 tiles[];
    float *as = (float *)tiles, *bs = as + TILE_K * BM;
    for (int i = threadIdx.x; i < TILE_K * (BM + BN); i += THREADS) as[i] = room.memory[i];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned a_row = shared_address(as + warp / 2 * (4 * TM) + lane / 8 * 4);
    const unsigned b_row = shared_address(bs + warp % 2 * (8 * TN) + lane % 8 * 4);
    float acc[TM][TN] = {{0.0f}}, a[2][TM], b[2][TN];
    __syncthreads();
    read_fours(a[0], a_row, 64);
    read_fours(b[0], b_row, 128);
    limit_begin(room);
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int k = 0; k < TILE_K; k++) {
            const int next = (k + 1) % TILE_K;
            read_fours(a[next % 2], a_row + next * BM * 4, 64);
            read_fours(b[next % 2], b_row + next * BN * 4, 128);
            outer_product<ORDER>(acc, a[k % 2], b[k % 2]);
        }
    limit_end(room, sum_of(acc));
}

#define REGISTERS(name, order, tm, tn)                                                                                 \
    {                                                                                                                  \
        "ffma_" #tm "x" #tn "_" name, "FLOP", ffma<order, tm, tn>, THREADS, 0, 500, 2 * PRODUCTS, PRODUCTS, PRODUCTS,  \
            FP32_PEAK                                                                                                  \
    }
#define ORDERS(tm, tn)                                                                                                 \
    REGISTERS("rows", ROWS, tm, tn), REGISTERS("serpentine", SERPENTINE, tm, tn),                                      \
        REGISTERS("columns", COLUMNS, tm, tn), REGISTERS("strips", STRIPS, tm, tn)
#define THREE(name, one_bank)                                                                                          \
    { "ffma_" name, "FLOP", ffma_three<one_bank>, THREADS, 0, 500, 2 * DIAGONALS, DIAGONALS, DIAGONALS, FP32_PEAK }
#define FED(name, order, tm, tn)                                                                                       \
    {                                                                                                                  \
        "fed_" #tm "x" #tn "_" name, "FLOP", ffma_fed<order, tm, tn>, THREADS,                                         \
            TILE_K * 16 * (tm + tn) * (int)sizeof(float), 500, 2 * TILE_K *tm *tn, TILE_K *tm *tn, TILE_K *tm *tn,     \
            FP32_PEAK                                                                                                  \
    }
#define FED_ORDERS(tm, tn) FED("columns", COLUMNS, tm, tn), FED("strips", STRIPS, tm, tn)

const limit limits_ffma[] = {ORDERS(8, 8),
                             ORDERS(16, 8),
                             ORDERS(8, 16),
                             THREE("three_reads", false),
                             THREE("one_bank", true),
                             FED_ORDERS(8, 8),
                             FED_ORDERS(16, 8),
                             FED_ORDERS(8, 16),
                             {}};
