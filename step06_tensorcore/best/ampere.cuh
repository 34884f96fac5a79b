/* The parts of multistage.cuh: the types, the tiles in shared memory, and copies for any alignment.
 *
 * Tiles are counted in bytes, since the tensor core's instructions are: each takes 32 bytes of a row of A and of a
 * column of B (mma.cuh), which are 16 values of f16 and bf16, 32 of s8, 8 of tf32. So one kernel serves all types.
 *
 *   shared memory    A: BM rows (of A) of BK_BYTES        B, tn: BN rows (columns of B) of BK_BYTES, just like A
 *                                                         B, nn: BK rows (of B) of BN elements
 *
 * The unit of copies is the chunk, 16 bytes of a row. */
#ifndef KL_AMPERE_CUH
#define KL_AMPERE_CUH

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

/* A chunk in flight: words of global memory from which it is extracted, `shift` bits from the start. Extracting it
 * waits for the loads, so code that has other work to do in the meantime does it later. */
struct raw_chunk {
    __align__(16) unsigned word[5];
    unsigned shift;
};

static __device__ __forceinline__ uint4 cut(const raw_chunk &r) {
    return make_uint4(__funnelshift_r(r.word[0], r.word[1], r.shift), __funnelshift_r(r.word[1], r.word[2], r.shift),
                      __funnelshift_r(r.word[2], r.word[3], r.shift), __funnelshift_r(r.word[3], r.word[4], r.shift));
}

/* A chunk of the elements of row `row` from column `col` on, zeros where the matrix ends. Only element alignment is
 * required: where the chunk straddles words, five of them are read, all within the matrix or its padding. */
template <typename T> static __device__ __forceinline__ raw_chunk load_chunk(const operand<T> &x, int row, int col) {
    const int CHUNK = 16 / sizeof(T), WORD = 4 / sizeof(T); /* elements */
    raw_chunk r = {};
    if (row >= x.rows || col >= x.cols) return r;
    const T *from = gemm_at(x.at, x.ld, row, col);
    unsigned odd = (uintptr_t)from % 4;
    bool whole = col + CHUNK <= x.cols;
    bool words_inside = odd == 0 || ((row > 0 || col > 0) && (row < x.rows - 1 || col + CHUNK + WORD <= x.cols));
    if (whole && (uintptr_t)from % 16 == 0) {
        *(uint4 *)r.word = *(const uint4 *)from;
    } else if (whole && words_inside) {
        const unsigned *word = (const unsigned *)((uintptr_t)from - odd);
#pragma unroll
        for (int i = 0; i < 4; i++) r.word[i] = word[i];
        if (odd != 0) r.word[4] = word[4];
        r.shift = odd * 8;
    } else {
#pragma unroll
        for (int i = 0; i < CHUNK; i++)
            if (col + i < x.cols) r.word[i / WORD] |= (unsigned)from[i] << i % WORD * 8 * (int)sizeof(T);
    }
    return r;
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

/* ---- epilogue ---- */

template <typename T> struct __align__(2 * sizeof(T)) neighbours {
    T x, y;
};

#endif
