/* Step 4's product of matrices with another loader: what im2col writes out is here loaded as it is needed.
 *
 *                        128 places of y, lane by lane
 *                      +-------------------------------+
 *                      |  8 taps x 128, from x         |  each thread brings the taps of one place: it finds out once
 *                      +-------------------------------+  where that lies, and what changes in the loop is the tap,
 *    64     +-------+  +-------------------------------+  which is the same for all lanes
 *    filters| 8 taps|  |  a thread: 8 x 8 sums,        |
 *           | from f|  |  in four blocks of 4 x 4      |
 *           +-------+  +-------------------------------+
 *
 * In y's rows the places are neighbours, so lanes next to one another should store neighbours. A thread multiplies four
 * neighbouring columns of the tile; which places these are is for the loader to choose: every eighth, and eight lanes
 * have eight in a row.
 *
 *   column   0  1  2  3     4  5  6  7    ...   28 29 30 31       of 32 places
 *   place    0  8 16 24     1  9 17 25    ...    7 15 23 31
 *   thread   tx = 0         tx = 1               tx = 7
 *
 * How a tap is turned into an address is the loader's. Of a type LOADER, which is a parameter of the kernel, there are
 *
 *   LOADER::place                                          what a thread remembers of its place
 *   place place_begin(LOADER, conv_problem, int place)     of a place that may lie behind the last
 *   float place_load(LOADER, conv_problem, place, l0, i)   tap number l0 + i of all channels' taps, 0 outside
 *   void place_advance(LOADER, conv_problem, place)        after each BK taps */
#pragma once

#include "conv/conv_kernel.cuh"

static const int BM = 64, BN = 128, BK = 8, THREADS = 128; /* filters, places and taps of a block's tile */
static const int PAD = 4; /* words: the eight rows that a warp writes at once would share their banks */

/* Lanes next to one another load neighbouring taps, eight of each of four filters, word by word, as f may begin
 * anywhere: a sector each. */
static __device__ __forceinline__ void load_filters(const conv_problem &p, int k0, int l0, float (*to)[BM + PAD]) {
    int row = threadIdx.x / BK, l = threadIdx.x % BK, taps = conv_taps(&p);
    const float *f = (const float *)p.f + (int64_t)(k0 + row) * taps + l0 + l;
#pragma unroll
    for (int i = 0; i < BM; i += THREADS / BK)
        to[l][row + i] = k0 + row + i < p.k && l0 + l < taps ? f[(int64_t)i * taps] : 0.0f;
}

/* One step of the product: 4 loads of 16 bytes for 64 FMAs. */
static __device__ __forceinline__ void multiply(const float *a, const float *b, float sums[8][8]) {
    float a_reg[8], b_reg[8];
    *(float4 *)&a_reg[0] = *(const float4 *)a;
    *(float4 *)&a_reg[4] = *(const float4 *)(a + BM / 2);
    *(float4 *)&b_reg[0] = *(const float4 *)b;
    *(float4 *)&b_reg[4] = *(const float4 *)(b + BN / 2);
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) sums[i][j] += a_reg[i] * b_reg[j];
}

/* Blocks that share their places have neighbouring numbers, so that x comes from DRAM once and then from L2. */
template <class LOADER>
static __global__ void __launch_bounds__(THREADS) conv_tile(conv_problem p, const __grid_constant__ LOADER loader) {
    __shared__ __align__(16) float As[BK][BM + PAD], Bs[BK][BN];
    int tiles = (p.k + BM - 1) / BM, k0 = blockIdx.x % tiles * BM, place0 = blockIdx.x / tiles * BN;
    int tid = threadIdx.x, tx = tid % 16, ty = tid / 16, taps = conv_taps(&p);
    int column = tid / 32 * 32 + tid % 8 * 4 + tid / 8 % 4; /* of Bs: a thread's four are to be eight places apart */
    typename LOADER::place place = place_begin(loader, p, place0 + tid);

    float sums[8][8] = {};
    for (int l0 = 0; l0 < taps; l0 += BK) {
        float fetched[BK];
#pragma unroll
        for (int i = 0; i < BK; i++) fetched[i] = l0 + i < taps ? place_load(loader, p, place, l0, i) : 0.0f;
        load_filters(p, k0, l0, As);
#pragma unroll
        for (int i = 0; i < BK; i++) Bs[i][column] = fetched[i];
        place_advance(loader, p, place);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < BK; i++) multiply(&As[i][ty * 4], &Bs[i][tx * 4], sums);
        __syncthreads();
    }

#pragma unroll
    for (int j = 0; j < 8; j++) {
        int at = place0 + tx / 8 * 32 + tx % 8 + j % 4 * 8 + j / 4 * (BN / 2), in_image = p.p * p.q;
        if (at >= conv_places(&p)) break;
        float *y = (float *)p.y + (int64_t)(at / in_image) * p.k * in_image + at % in_image;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            int k = k0 + ty * 4 + i % 4 + i / 4 * (BM / 2);
            if (k < p.k) conv_store(p, sums[i][j], k, y + (int64_t)k * in_image);
        }
    }
}

static inline unsigned tile_blocks(const conv_problem *p) {
    return (unsigned)(((int64_t)conv_places(p) + BN - 1) / BN * (((int64_t)p->k + BM - 1) / BM));
}

template <class LOADER>
static cudaError_t launch_tile(const conv_problem *p, const LOADER &loader, cudaStream_t stream) {
    unsigned tiles = tile_blocks(p);
    if (tiles == 0) return cudaSuccess;
    conv_tile<<<tiles, THREADS, 0, stream>>>(conv_effective(p), loader);
    return cudaGetLastError();
}
