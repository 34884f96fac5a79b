/* Copies of A and B for the persistent kernel, both in one launch: what TMA does not take, rows off 16 bytes, in rows
 * that begin on 128 bytes; and, for TF32, a B of k x n transposed to n x k, since from shared memory wgmma only takes
 * K-major tiles of 32-bit types.
 *
 *   a copy       a lane makes a chunk of 16 bytes of two aligned chunks, shifted:
 *
 *                from   ....0123 456789ab cdef....       two LDG.128; the neighbour's first is this one's second,
 *                to         0123456789abcdef             which L1 has by then: each sector comes once
 *
 *   transposed   tiles of 64 x 64 words pass through shared memory, so that both sides access whole lines: a warp reads
 *                32 neighbours of a row of B, and half a warp writes 64 of a column of B, which is a row now. 65 words
 *                per row: a column of the tile lies in 32 banks
 *
 * Every thread has several loads in flight. */
#include "align.h"
#include "gemm/gemm_kernel.cuh"
#include "gemm/launch.cuh"
#include "ptx/griddepcontrol.cuh"

static const int THREADS = 256, CHUNK = 16;
static const int EACH = 4;             /* chunks that a thread copies */
static const int TILE = 64, ROWS = 16; /* a block's tile of words; rows of it that a thread reads */

/* Chunks in a row of the copy; blocks of a copy. */
static __host__ __device__ int chunks_of(const plan_copy &c) {
    return (c.bytes + CHUNK - 1) / CHUNK;
}
static int64_t blocks_of(const plan_copy &c) {
    if (c.transposed) return ((int64_t)c.rows + TILE - 1) / TILE * ((c.bytes / 4 + TILE - 1) / TILE);
    return ((int64_t)c.rows * chunks_of(c) + EACH * THREADS - 1) / (EACH * THREADS);
}

/* The aligned 16 bytes at `at`; where they are not all of the matrix, begin ... end, byte by byte, and zeros. */
static __device__ __forceinline__ uint4 load_aligned(const unsigned char *at, const unsigned char *begin,
                                                     const unsigned char *end) {
    if (at >= begin && at + CHUNK <= end) return *(const uint4 *)at;
    unsigned word[4] = {};
#pragma unroll
    for (int i = 0; i < CHUNK; i++)
        if (at + i >= begin && at + i < end) word[i / 4] |= (unsigned)at[i] << i % 4 * 8;
    return make_uint4(word[0], word[1], word[2], word[3]);
}

/* 16 bytes of the 32 in `low` and `high`, from byte `off` on, below 16. */
static __device__ __forceinline__ uint4 shifted(uint4 low, uint4 high, unsigned off) {
    unsigned w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    if (off & 8)
#pragma unroll
        for (int i = 0; i < 6; i++) w[i] = w[i + 2];
    if (off & 4)
#pragma unroll
        for (int i = 0; i < 5; i++) w[i] = w[i + 1];
    const unsigned bits = off % 4 * 8;
    return make_uint4(__funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits),
                      __funnelshift_r(w[2], w[3], bits), __funnelshift_r(w[3], w[4], bits));
}

/* Chunks number first, first + THREADS, ... of the copy, as far as there are any. */
static __device__ __forceinline__ void copy_chunks(const plan_copy &c, int64_t first) {
    const unsigned char *begin = (const unsigned char *)c.from, *end = begin + (c.rows - 1) * c.pitch + c.bytes;
    const int across = chunks_of(c), down = THREADS / across, right = THREADS % across;
    const int64_t left = (int64_t)c.rows * across - first;
    int row = (int)(first / across), chunk = (int)(first % across);
    uint4 low[EACH], high[EACH];
    unsigned char *to[EACH];
    unsigned off[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const unsigned char *from = begin + row * c.pitch + chunk * CHUNK;
        off[i] = (unsigned)((uintptr_t)from % CHUNK);
        to[i] = (unsigned char *)c.to + row * c.to_pitch + chunk * CHUNK;
        low[i] = high[i] = make_uint4(0, 0, 0, 0);
        if (i * THREADS < left) {
            low[i] = load_aligned(from - off[i], begin, end);
            if (off[i] != 0) high[i] = load_aligned(from - off[i] + CHUNK, begin, end);
        }
        row += down, chunk += right;
        if (chunk >= across) row++, chunk -= across;
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (i * THREADS < left) *(uint4 *)to[i] = shifted(low[i], high[i], off[i]);
}

/* Tile number `block` of the transposed copy. */
static __device__ __forceinline__ void transpose_tile(const plan_copy &c, int64_t block) {
    __shared__ unsigned tile[TILE][TILE + 1];
    const int cols = c.bytes / 4, across = (cols + TILE - 1) / TILE;
    const int row0 = (int)(block / across) * TILE, col0 = (int)(block % across) * TILE;
    const int col = threadIdx.x % TILE, top = threadIdx.x / TILE;
    unsigned word[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const int row = row0 + top + i * (THREADS / TILE);
        const unsigned *from = (const unsigned *)((const unsigned char *)c.from + row * c.pitch) + col0 + col;
        word[i] = row < c.rows && col0 + col < cols ? *from : 0;
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) tile[top + i * (THREADS / TILE)][col] = word[i];
    __syncthreads();
    const int four = threadIdx.x % (TILE / 4) * 4;
#pragma unroll
    for (int i = 0; i < TILE; i += THREADS / (TILE / 4)) {
        const int row = i + threadIdx.x / (TILE / 4);
        if (col0 + row >= cols || row0 + four >= c.rows) continue;
        uint4 *to = (uint4 *)((unsigned *)((unsigned char *)c.to + (col0 + row) * c.to_pitch) + row0 + four);
        *to = make_uint4(tile[four][row], tile[four + 1][row], tile[four + 2][row], tile[four + 3][row]);
    }
}

/* The first blocks_a blocks copy A, the others B. */
static __global__ void __launch_bounds__(THREADS) gemm_align(plan_copy a, plan_copy b, unsigned blocks_a) {
    griddepcontrol_launch_dependents(); /* the blocks of the product may start; they wait for this kernel to end */
    griddepcontrol_wait();              /* the launch before may still read the workspace */
    const bool of_b = blockIdx.x >= blocks_a;
    const plan_copy c = of_b ? b : a;
    const int64_t block = blockIdx.x - (of_b ? blocks_a : 0);
    if (c.transposed)
        transpose_tile(c, block);
    else
        copy_chunks(c, block * (EACH * THREADS) + threadIdx.x);
}

cudaError_t align_operands(const plan_copy *a, const plan_copy *b, cudaStream_t stream) {
    const unsigned blocks_a = (unsigned)blocks_of(*a), blocks = blocks_a + (unsigned)blocks_of(*b);
    return gemm_launch_overlapping(gemm_align, blocks, 1, THREADS, 0, stream, *a, *b, blocks_a);
}
