/* The parts of multistage.cuh: the types, the tiles in shared memory, and copies for any alignment.
 *
 * Tiles are counted in bytes, since the tensor core's instructions are: each takes 32 bytes of a row of A and of a
 * column of B (mma.cuh), which are 16 values of f16 and bf16, 32 of s8, 8 of tf32. So one kernel serves all types.
 *
 *   shared memory    A: BM rows (of A) of BK_BYTES        B, tn: BN rows (columns of B) of BK_BYTES, just like A
 *                                                         B, nn: BK rows (of B) of BN elements
 *
 * The unit of copies is the chunk, 16 bytes of a row. */
#pragma once

#include "ptx/mma.cuh"
#include "reduce_parts.cuh"

/* ---- types ---- */

/* An element of A and B as copies see it, the type of sums, and the instruction. */
template <gemm_type TYPE> struct tensor {};
template <> struct tensor<GEMM_F16> {
    typedef unsigned short bits;
    typedef float sum;
};
template <> struct tensor<GEMM_BF16> {
    typedef unsigned short bits;
    typedef float sum;
};
template <> struct tensor<GEMM_S8> {
    typedef unsigned char bits;
    typedef int sum;
};
template <> struct tensor<GEMM_TF32> {
    typedef unsigned bits;
    typedef float sum;
};

/* d += a * b for 16 rows of A, 8 columns of B and 32 bytes of each. */
template <gemm_type TYPE, typename SUM>
static __device__ __forceinline__ void multiply_32_bytes(SUM *d, const unsigned *a, const unsigned *b) {
    if constexpr (TYPE == GEMM_F16) mma_m16n8k16_f16(d, a, b);
    if constexpr (TYPE == GEMM_BF16) mma_m16n8k16_bf16(d, a, b);
    if constexpr (TYPE == GEMM_S8) mma_m16n8k32_s8(d, a, b);
    if constexpr (TYPE == GEMM_TF32) mma_m16n8k8_tf32(d, a, b);
}

/* ---- operands ---- */

/* A matrix in global memory as it is stored there: A is m x k; B is n x k in tn, k x n in nn. */
template <typename T> struct operand {
    const T *at;
    int ld, rows, cols;
};

template <typename T> static __device__ __forceinline__ operand<T> operand_a(const gemm_problem &p) {
    return {(const T *)p.A, p.lda, p.m, p.k};
}
template <typename T, gemm_layout LAYOUT>
static __device__ __forceinline__ operand<T> operand_b(const gemm_problem &p) {
    if (LAYOUT == GEMM_TN) return {(const T *)p.B, p.ldb, p.n, p.k};
    return {(const T *)p.B, p.ldb, p.k, p.n};
}

/* A chunk in flight: `bits` from the start of two aligned chunks. Extracting it waits for the loads, so code that has
 * other work to do in the meantime does it later. */
struct raw_chunk {
    uint4 low, high;
    unsigned bits;
};

/* By whole words first, then by the bits of one: a funnel shift shifts two words as one. */
static __device__ __forceinline__ uint4 cut(const raw_chunk &r) {
    const uint4 a = r.low, b = r.high;
    unsigned w[6] = {a.x, a.y, a.z, a.w, b.x, b.y};
    const unsigned two[6] = {a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 6; i++) w[i] = r.bits & 64 ? two[i] : w[i];
#pragma unroll
    for (int i = 0; i < 5; i++) w[i] = r.bits & 32 ? w[i + 1] : w[i];
    return make_uint4(__funnelshift_r(w[0], w[1], r.bits), __funnelshift_r(w[1], w[2], r.bits),
                      __funnelshift_r(w[2], w[3], r.bits), __funnelshift_r(w[3], w[4], r.bits));
}

/* The chunk at `from`, of which `left` elements exist; the others become zeros. Only element alignment is required: the
 * two aligned chunks that it lies in are read, if they are within the matrix, else single elements. */
template <typename T>
static __device__ __forceinline__ raw_chunk load_chunk(const operand<T> &x, const T *from, int left) {
    const int CHUNK = 16 / sizeof(T), WORD = 4 / sizeof(T); /* elements */
    const unsigned odd = (uintptr_t)from % 16;
    const uint4 *low = (const uint4 *)((uintptr_t)from - odd);
    const T *end = gemm_at(x.at, x.ld, x.rows - 1, x.cols);
    raw_chunk r = {};
    if (left >= CHUNK && (odd == 0 || ((const T *)low >= x.at && (const T *)(low + 2) <= end))) {
        r.low = low[0];
        if (odd != 0) r.high = low[1];
        r.bits = odd * 8;
    } else if (left > 0) {
        unsigned word[4] = {};
#pragma unroll
        for (int i = 0; i < CHUNK; i++)
            if (i < left) word[i / WORD] |= (unsigned)from[i] << i % WORD * 8 * (int)sizeof(T);
        r.low = make_uint4(word[0], word[1], word[2], word[3]);
    }
    return r;
}

/* ---- 16-bit types, where many chunks are to be on their way before anyone waits ---- */

typedef unsigned short bits16;

/* Whether the aligned chunks that the chunk at `from` lies in are within the matrix. Most are: all but the first and
 * the last can be. */
static __device__ __forceinline__ bool is_within(const operand<bits16> &x, const bits16 *from) {
    const uintptr_t low = (uintptr_t)from & ~(uintptr_t)15, high = (((uintptr_t)from + 15) & ~(uintptr_t)15) + 16;
    return low >= (uintptr_t)x.at && high <= (uintptr_t)gemm_at(x.at, x.ld, x.rows - 1, x.cols);
}

/* The chunk at `from`, of which `left` elements exist, if it is within the matrix; behind them may be anything. */
static __device__ __forceinline__ raw_chunk load_within(const operand<bits16> &x, const bits16 *from, int left) {
    const uint4 *low = (const uint4 *)((uintptr_t)from & ~(uintptr_t)15);
    raw_chunk r = {};
    if (left <= 0 || !is_within(x, from)) return r;
    r.low = low[0], r.bits = (uintptr_t)from % 16 * 8;
    if (r.bits != 0) r.high = low[1];
    return r;
}

/* If it is not, its elements, one by one. This waits for them, so it comes after all other loads have been issued. */
static __device__ __forceinline__ void load_beyond(const operand<bits16> &x, const bits16 *from, int left,
                                                   raw_chunk *r) {
    if (left <= 0 || is_within(x, from)) return;
    unsigned element[8];
#pragma unroll
    for (int e = 0; e < 8; e++) element[e] = e < left ? from[e] : 0;
    r->low = make_uint4(element[0] | element[1] << 16, element[2] | element[3] << 16, element[4] | element[5] << 16,
                        element[6] | element[7] << 16);
}

/* A chunk with zeros behind the first `left` elements. */
static __device__ __forceinline__ uint4 first_of(uint4 chunk, int left) {
    unsigned w[4] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
    for (int i = 0; i < 4; i++) w[i] = left >= 2 * i + 2 ? w[i] : left == 2 * i + 1 ? w[i] & 0xffff : 0;
    return make_uint4(w[0], w[1], w[2], w[3]);
}

/* ---- tiles in shared memory ---- */

/* How the chunks of a row are permuted, so that those which are read together lie in different banks. */
enum order {
    ROWS, /* for eight rows, the same chunk of each: ldmatrix */
    WORDS /* for four rows, the same two chunks of each, a word a lane: B of tf32 and nn */
};

/* The place, in rows of ROW_BYTES, of chunk `chunk` of row `row`. All 32 banks are 8 chunks, or two rows of 64 bytes.
 */
template <order ORDER, int ROW_BYTES> static __host__ __device__ __forceinline__ int chunk_place(int row, int chunk) {
    if (ORDER == ROWS) return ROW_BYTES == 64 ? chunk ^ row / 2 % 4 : chunk ^ row % 8;
    if (ORDER == WORDS) return chunk ^ row % 4 * 2;
    return chunk;
}

/* Its offset in the tile, in bytes. */
template <order ORDER, int ROW_BYTES> static __host__ __device__ __forceinline__ int chunk_offset(int row, int chunk) {
    return row * ROW_BYTES + chunk_place<ORDER, ROW_BYTES>(row, chunk) * 16;
}
