/* Little products, of 16-bit types and any alignment: a block computes 32 x 32 of C alone, and its eight warps divide
 * K. Such a product takes as long as one load takes to arrive, so all of K up to 128 is on its way before anyone waits.
 *
 *   128 of K       |-- warp 0 --|-- warp 1 --|  ...  |-- warp 7 --|      16 of K each
 *   32 x 32 of C   the sums of warp 0, of warp 1, ..., added in this order
 *
 * Chunks are those of ampere.cuh, of 16 bytes. Where K is short, there are fewer in a row, so that no thread loads what
 * does not exist. */
#include "little.h"

#include "ampere.cuh"
#include "gemm/launch.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/griddepcontrol.cuh"
#include "ptx/ldmatrix.cuh"
#include "reduce_parts.cuh"

static const int SIDE = 32, WARPS = 8, MOST_K = 16 * WARPS; /* of C; K at a time */
static const int THREADS = 32 * WARPS,
                 COPIES = SIDE * MOST_K / 8 / THREADS;     /* chunks of a matrix that a thread loads at a time */
static const int K_PITCH = MOST_K + 8, N_PITCH = SIDE + 8; /* rows in shared memory begin in different banks */
static const int ACROSS = SIDE / 8;                        /* chunks of a row along N */
static const int SUM_PITCH = SIDE + 4;
static const int TILE = SIDE * K_PITCH > MOST_K *N_PITCH ? SIDE *K_PITCH : MOST_K *N_PITCH;
/* Clocks: for each 32 of K; for the rest; so much of that for every further block of a multiprocessor. */
static const double ROUND = 800, BESIDES = 1800, MORE = 1.1;

/* The two matrices, or in the end the warps' sums. */
union little_shared {
    __align__(16) bits16 operands[2][TILE];
    float sums[WARPS][SIDE * SUM_PITCH];
};

/* A thread's chunks of a tile: number i begins at from + i * step. There are `count` of them, and `left` elements of
 * each exist. */
struct chunks {
    const bits16 *from;
    int64_t step;
    int count, left;
};

/* How many of first, first + step, ... are below `end`. */
static __device__ __forceinline__ int count_below(int first, int step, int end) {
    return first < end ? (end - first + step - 1) / step : 0;
}

/* Of rows along K: SIDE rows from (row0, k0) on, of 2^log_chunks chunks each. */
static __device__ __forceinline__ chunks along_k(const operand<bits16> &x, int row0, int k0, int log_chunks) {
    const int row = threadIdx.x >> log_chunks, k = k0 + (threadIdx.x & ((1 << log_chunks) - 1)) * 8;
    const int step = THREADS >> log_chunks;
    return {gemm_at(x.at, x.ld, row0 + row, k), (int64_t)step * x.ld, count_below(row, step, min(SIDE, x.rows - row0)),
            x.cols - k};
}

/* Of rows along N, B in nn: of 8 << log_chunks rows of K, of SIDE columns each. */
static __device__ __forceinline__ chunks along_n(const operand<bits16> &x, int col0, int k0, int log_chunks) {
    const int k = threadIdx.x / ACROSS, col = col0 + threadIdx.x % ACROSS * 8;
    const int step = THREADS / ACROSS;
    return {gemm_at(x.at, x.ld, k0 + k, col), (int64_t)step * x.ld,
            count_below(k, step, min(8 << log_chunks, x.rows - k0)), x.cols - col};
}

/* Begins to load them, as aligned chunks; */
static __device__ __forceinline__ void load_aligned(const operand<bits16> &x, const chunks &c, raw_chunk (&r)[COPIES]) {
#pragma unroll
    for (int i = 0; i < COPIES; i++) {
        const bits16 *from = c.from + i * c.step;
        r[i] = load_within(x, from, i < c.count ? c.left : 0);
    }
}

/* and the others element by element. This waits for them, so it comes after all other loads have been issued. */
static __device__ __forceinline__ void load_elements(const operand<bits16> &x, const chunks &c,
                                                     raw_chunk (&r)[COPIES]) {
#pragma unroll
    for (int i = 0; i < COPIES; i++) {
        const bits16 *from = c.from + i * c.step;
        if (i < c.count) load_beyond(x, from, c.left, &r[i]);
    }
}

/* Leaves them in shared memory, from `to` on in steps of `step` elements; zeros where there are none. */
static __device__ __forceinline__ void leave_chunks(bits16 *to, int step, int log_chunks, const chunks &c,
                                                    const raw_chunk (&r)[COPIES]) {
#pragma unroll
    for (int i = 0; i < COPIES; i++) {
        if (threadIdx.x + i * THREADS >= SIDE << log_chunks) break;
        uint4 chunk = r[i].low;
        if (r[i].bits != 0) chunk = cut(r[i]);
        if (c.left < 8) chunk = first_of(chunk, c.left);
        *(uint4 *)(to + i * step) = chunk;
    }
}

/* Both tiles, to shared memory. */
template <gemm_layout LAYOUT>
static __device__ __forceinline__ void load_tiles(const operand<bits16> &a, const operand<bits16> &b, int row0,
                                                  int col0, int k0, int log_chunks, bits16 (*tiles)[TILE]) {
    const int row = threadIdx.x >> log_chunks, k = (threadIdx.x & ((1 << log_chunks) - 1)) * 8;
    const int step = (THREADS >> log_chunks) * K_PITCH;
    const chunks of_a = along_k(a, row0, k0, log_chunks);
    const chunks of_b = LAYOUT == GEMM_TN ? along_k(b, col0, k0, log_chunks) : along_n(b, col0, k0, log_chunks);
    raw_chunk raw_a[COPIES], raw_b[COPIES];
    load_aligned(a, of_a, raw_a);
    load_aligned(b, of_b, raw_b);
    load_elements(a, of_a, raw_a);
    load_elements(b, of_b, raw_b);
    __syncthreads(); /* what was there has been multiplied */
    leave_chunks(&tiles[0][row * K_PITCH + k], step, log_chunks, of_a, raw_a);
    if (LAYOUT == GEMM_TN)
        leave_chunks(&tiles[1][row * K_PITCH + k], step, log_chunks, of_b, raw_b);
    else
        leave_chunks(&tiles[1][threadIdx.x / ACROSS * N_PITCH + threadIdx.x % ACROSS * 8], THREADS / ACROSS * N_PITCH,
                     log_chunks, of_b, raw_b);
    __syncthreads();
}

/* The warp's sums of 16 of K, from k on. */
template <gemm_type TYPE, gemm_layout LAYOUT>
static __device__ __forceinline__ void multiply_16(const bits16 *a, const bits16 *b, int k, float (&sum)[2][4][4]) {
    const int lane = threadIdx.x % 32;
    unsigned a_frag[2][4], b_frag[4][2];
#pragma unroll
    for (int i = 0; i < 2; i++)
        ldmatrix_x4(a_frag[i], shared_address(&a[(i * 16 + lane % 16) * K_PITCH + k + lane / 16 * 8]));
#pragma unroll
    for (int j = 0; j < 4; j += 2)
        if (LAYOUT == GEMM_TN)
            ldmatrix_x4(b_frag[j],
                        shared_address(&b[(j * 8 + lane / 16 * 8 + lane % 8) * K_PITCH + k + lane / 8 % 2 * 8]));
        else
            ldmatrix_x4_trans(b_frag[j], shared_address(&b[(k + lane % 16) * N_PITCH + j * 8 + lane / 16 * 8]));
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) multiply_32_bytes<TYPE>(sum[i][j], a_frag[i], b_frag[j]);
}

/* alpha, beta and the sums of `used` warps, to C: a warp stores whole rows. */
template <typename OUT>
static __device__ __forceinline__ void store_sums(const gemm_problem &p, int row0, int col0,
                                                  const float (*sums)[SIDE * SUM_PITCH], int used) {
    const int col = threadIdx.x % 32;
    if (col0 + col >= p.n) return;
#pragma unroll
    for (int i = 0; i < SIDE / WARPS; i++) {
        const int row = threadIdx.x / 32 + i * WARPS;
        if (row0 + row >= p.m) continue;
        OUT *c = gemm_at((OUT *)p.C, p.ldc, row0 + row, col0 + col);
        const OUT old = p.beta == 0.0f ? OUT(0) : *c;
        float sum = 0;
        for (int w = 0; w < used; w++) sum += sums[w][row * SUM_PITCH + col];
        *c = blend(p, sum, old);
    }
}

template <gemm_type TYPE, gemm_layout LAYOUT, typename OUT>
__global__ void __launch_bounds__(THREADS, 2) gemm_little(gemm_problem p) {
    __shared__ little_shared shared;
    const operand<bits16> a = operand_a<bits16>(p), b = operand_b<bits16, LAYOUT>(p);
    const int across = (p.n + SIDE - 1) / SIDE, row0 = blockIdx.x / across * SIDE, col0 = blockIdx.x % across * SIDE;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum[2][4][4] = {};
    griddepcontrol_launch_dependents();
    griddepcontrol_wait(); /* for the launch before, which may write what is read here */
    for (int k0 = 0; k0 < p.k; k0 += MOST_K) {
        const int left = min(p.k - k0, MOST_K);
        const int log_chunks = left <= 16 ? 1 : 32 - __clz((left + 7) / 8 - 1); /* a product takes two chunks */
        load_tiles<LAYOUT>(a, b, row0, col0, k0, log_chunks, shared.operands);
        if (warp * 16 < left) multiply_16<TYPE, LAYOUT>(shared.operands[0], shared.operands[1], warp * 16, sum);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; i++) /* upper and lower halves of 16 rows */
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const float *two = &sum[i / 2][j][i % 2 * 2];
            leave_two<SUM_PITCH>(shared.sums[warp], i * 8 + lane / 4, j * 8 + lane % 4 * 2, two[0], two[1]);
        }
    __syncthreads();
    store_sums<OUT>(p, row0, col0, shared.sums, min((p.k + 15) / 16, WARPS));
}

/* ---- launching ---- */

static int64_t blocks_of(const gemm_problem *p) {
    return ((int64_t)p->m + SIDE - 1) / SIDE * (((int64_t)p->n + SIDE - 1) / SIDE);
}

double cycles_little(const gemm_problem *p, int sms) {
    if ((p->type != GEMM_F16 && p->type != GEMM_BF16) || blocks_of(p) > INT_MAX) return INFINITY;
    const int64_t each = (blocks_of(p) + sms - 1) / sms, rounds = (p->k + (int64_t)31) / 32;
    return (1 + MORE * (double)(each - 1)) * ((double)rounds * ROUND + BESIDES);
}

template <gemm_type TYPE, typename T> static cudaError_t launch_type(const gemm_problem *p, cudaStream_t stream) {
    auto kernel = p->layout == GEMM_TN
                      ? p->out == DTYPE_F32 ? gemm_little<TYPE, GEMM_TN, float> : gemm_little<TYPE, GEMM_TN, T>
                  : p->out == DTYPE_F32 ? gemm_little<TYPE, GEMM_NN, float>
                                        : gemm_little<TYPE, GEMM_NN, T>;
    return gemm_launch_as(gemm_capability() >= 90, kernel, (unsigned)blocks_of(p), 1, THREADS, 0, stream, *p);
}

cudaError_t launch_little(const gemm_problem *p, cudaStream_t stream) {
    return p->type == GEMM_F16 ? launch_type<GEMM_F16, __half>(p, stream)
                               : launch_type<GEMM_BF16, __nv_bfloat16>(p, stream);
}
