/* FP32 as the sum of two TF32: a = big + small + rest.
 *
 *   a      1.mmmmmmmmmmmmmmmmmmmmmmm      23 bits of mantissa
 *   big    1.mmmmmmmmmm                   10: a rounded to the nearest TF32
 *   small           +-1.mmmmmmmmmm        a - big, exact in FP32, has 12 bits; TF32 takes 11 of them
 *   rest                          m       at most 2^-23 of a: lost
 *
 * A separate pass splits all of A and B, since each element is multiplied by hundreds of others, and lays the parts out
 * in the workspace just as wgmma needs them in shared memory:
 *
 *   panel     128 rows of A, or columns of B; beyond the last there are zeros
 *   slab      16 k of a panel: 128 rows of 16 big and 16 small words, 16 KB in a piece; beyond the last k, zeros
 *   row       128 bytes, K-major: big chunks 0 ... 3 (of four words), small chunks 4 ... 7; chunk c of row r is where
 *             c ^ (r % 8) would be, the 128-byte swizzle
 *
 * So whatever the alignment, layout and size of A and B, a slab is one contiguous copy, and no tensor map is needed. */
#pragma once

#include "gemm/gemm_kernel.cuh"
#include "ptx/griddepcontrol.cuh"

static const int PANEL_ROWS = 128, SLAB_K = 16;
static const int ROW_WORDS = 2 * SLAB_K, SLAB_WORDS = PANEL_ROWS * ROW_WORDS, SLAB_BYTES = SLAB_WORDS * 4;
static const int SPLIT_TOGETHER = 2; /* a panel has a multiple of this many slabs */
static const int SPLIT_THREADS = 256;
static const int SPLIT_SLABS = 4; /* a block splits this many slabs of one panel */

static inline __host__ __device__ int split_panels(int rows) {
    return (int)(((int64_t)rows + PANEL_ROWS - 1) / PANEL_ROWS);
}

static inline __host__ __device__ int split_slabs(int k) {
    const int together = SPLIT_TOGETHER * SLAB_K;
    return (int)(((int64_t)k + together - 1) / together) * SPLIT_TOGETHER;
}

/* The first word of a slab. The panels of A come first, then those of B. */
static inline __host__ __device__ float *split_slab(const gemm_problem &p, int64_t panel, int slab) {
    return (float *)p.workspace + (panel * split_slabs(p.k) + slab) * SLAB_WORDS;
}

/* Rounded to TF32: to nearest, ties away from zero, like cvt.rna.tf32.f32, but truncated if rounding would make it
 * infinite. Infinities stay, and a NaN stays one or becomes infinite. */
__device__ __forceinline__ float to_tf32(float x) {
    const unsigned bits = __float_as_uint(x);
    const bool rounds = (bits & 0x7fffffffu) + 0x1000u < 0x7f800000u;
    return __uint_as_float((rounds ? bits + 0x1000u : bits) & 0xffffe000u);
}

/* The small part of an infinity (or a NaN) is zero: inf - inf would be NaN. */
__device__ __forceinline__ float smaller_part(float x, float big) {
    const float rest = x - big;
    return rest == rest ? to_tf32(rest) : 0.0f;
}

/* Writes four consecutive k, from 4 * chunk on, of one row of a slab. */
__device__ __forceinline__ void split_store(float *slab, int row, int chunk, float4 x) {
    const float4 big = make_float4(to_tf32(x.x), to_tf32(x.y), to_tf32(x.z), to_tf32(x.w));
    const float4 small = make_float4(smaller_part(x.x, big.x), smaller_part(x.y, big.y), smaller_part(x.z, big.z),
                                     smaller_part(x.w, big.w));
    float4 *to = (float4 *)(slab + row * ROW_WORDS);
    to[chunk ^ (row % 8)] = big;
    to[(chunk + 4) ^ (row % 8)] = small;
}

/* SPLIT_SLABS slabs of a panel of X, whose rows (or columns, if X is transposed) are contiguous along K. Four lanes
 * handle a row's 16 k, a warp 8 rows: what it writes is contiguous. */
template <bool VECTOR>
__device__ __forceinline__ void split_rows(const gemm_problem &p, const float *x, int ld, int rows, int row0, int slab0,
                                           float *to) {
    const int chunk = threadIdx.x % 4, count = split_slabs(p.k) - slab0;
#pragma unroll
    for (int i = 0; i < PANEL_ROWS; i += SPLIT_THREADS / 4) {
        const int row = i + threadIdx.x / 4;
        float4 v[SPLIT_SLABS];
#pragma unroll
        for (int s = 0; s < SPLIT_SLABS; s++) {
            const int k = (slab0 + s) * SLAB_K + 4 * chunk;
            v[s] = gemm_load4<VECTOR>(gemm_at(x, ld, row0 + row, k), row0 + row < rows ? p.k - k : 0);
        }
#pragma unroll
        for (int s = 0; s < SPLIT_SLABS; s++)
            if (s < count) split_store(to + s * SLAB_WORDS, row, chunk, v[s]);
    }
}

/* The same for a B whose rows run along N: lanes read along N, exchange through shared memory, and write along K. */
__device__ __forceinline__ void split_columns(const gemm_problem &p, int col0, int slab0, float *to) {
    const int COLS = PANEL_ROWS, ROWS = SPLIT_SLABS * SLAB_K;
    const int PITCH = COLS + 2; /* 8 columns in 4 chunks of 4 k fall into 32 banks */
    __shared__ float tile[ROWS * PITCH];
    const int col = threadIdx.x % COLS, k0 = slab0 * SLAB_K, count = split_slabs(p.k) - slab0;
    const float *b = (const float *)p.B;
#pragma unroll 16
    for (int k = threadIdx.x / COLS; k < ROWS; k += SPLIT_THREADS / COLS)
        tile[k * PITCH + col] = k0 + k < p.k && col0 + col < p.n ? *gemm_at(b, p.ldb, k0 + k, col0 + col) : 0.0f;
    __syncthreads();
    const int chunk = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < COLS; i += SPLIT_THREADS / 4) {
        const int row = i + threadIdx.x / 4;
#pragma unroll
        for (int s = 0; s < SPLIT_SLABS; s++) {
            const float *from = tile + (s * SLAB_K + 4 * chunk) * PITCH + row;
            if (s < count)
                split_store(to + s * SLAB_WORDS, row, chunk,
                            make_float4(from[0], from[PITCH], from[2 * PITCH], from[3 * PITCH]));
        }
    }
}

/* Blocks 0 ... blocks_a - 1 split A, the others B. */
__global__ void __launch_bounds__(SPLIT_THREADS)
    gemm_split(gemm_problem p, unsigned blocks_a, bool vector_a, bool vector_b) {
    griddepcontrol_launch_dependents(); /* the blocks of the product may start now; they wait for this kernel to end */
    const bool of_b = blockIdx.x >= blocks_a;
    const unsigned block = blockIdx.x - (of_b ? blocks_a : 0);
    const int across = (split_slabs(p.k) + SPLIT_SLABS - 1) / SPLIT_SLABS;
    const int panel = (int)(block / across), slab0 = (int)(block % across) * SPLIT_SLABS, row0 = panel * PANEL_ROWS;
    float *to = split_slab(p, (of_b ? split_panels(p.m) : 0) + (int64_t)panel, slab0);
    if (of_b && p.layout == GEMM_NN) {
        split_columns(p, row0, slab0, to);
        return;
    }
    const float *x = (const float *)(of_b ? p.B : p.A);
    const int ld = of_b ? p.ldb : p.lda, rows = of_b ? p.n : p.m;
    if (of_b ? vector_b : vector_a)
        split_rows<true>(p, x, ld, rows, row0, slab0, to);
    else
        split_rows<false>(p, x, ld, rows, row0, slab0, to);
}

/* Bytes of workspace for both matrices. */
static inline size_t split_bytes(const gemm_problem *p) {
    return ((size_t)split_panels(p->m) + (size_t)split_panels(p->n)) * (size_t)split_slabs(p->k) * (size_t)SLAB_BYTES;
}

/* Enqueues the pass; p->k > 0. */
static inline cudaError_t split_launch(const gemm_problem &p, cudaStream_t stream) {
    const int across = (split_slabs(p.k) + SPLIT_SLABS - 1) / SPLIT_SLABS;
    const unsigned blocks_a = (unsigned)split_panels(p.m) * across, blocks_b = (unsigned)split_panels(p.n) * across;
    gemm_split<<<blocks_a + blocks_b, SPLIT_THREADS, 0, stream>>>(p, blocks_a, gemm_is_float4(p.A, p.lda, p.k),
                                                                  gemm_is_float4(p.B, p.ldb, p.k));
    return cudaGetLastError();
}
