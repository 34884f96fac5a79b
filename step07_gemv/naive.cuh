/* Shared memory, as in step 2: the block copies a tile of A and a piece of x there, then one thread per row multiplies.
 *
 * x is read from global memory once per block instead of once per row, and the tile of A is loaded along its rows
 * although each thread then works on its own row. But every element of A is used exactly once: shared memory cannot
 * save anything there, it only adds a store and a load for each element, and two barriers for each tile.
 *
 *                   BLOCK_K
 *         x      [ . . . . . ]  moves right         all 128 threads: copy the tile and the piece of x, barrier,
 *              +-------------+                      thread r < BLOCK_N: acc += As[r][k] * xs[k] for all k of the tile,
 *   BLOCK_N  A |   tile      |  moves right         barrier
 *              +-------------+
 */
#pragma once

#include "gemv.cuh"

static const int THREADS = 128;

template <typename T, int BLOCK_N> static __global__ void __launch_bounds__(THREADS) gemv_naive(gemv_problem p) {
    const int BLOCK_K = 256 / sizeof(T); /* 128 halves; 64 floats, so that the tile stays below 48 KB */
    const int PAD = 4 / sizeof(T);       /* a word: rows r and r+1 must not share a bank */
    __shared__ T As[BLOCK_N][BLOCK_K + PAD];
    __shared__ T xs[BLOCK_K];
    gemv_begin();
    int tid = threadIdx.x, row0 = blockIdx.x * BLOCK_N;

    float acc = 0.0f;
    for (int k0 = 0; k0 < p.k; k0 += BLOCK_K) {
        /* Beyond an edge the tiles hold zeros, which add nothing. */
        for (int e = tid; e < BLOCK_N * BLOCK_K; e += THREADS) {
            int r = e / BLOCK_K, c = e % BLOCK_K;
            As[r][c] = row0 + r < p.n && k0 + c < p.k ? gemv_row<T>(p, row0 + r)[k0 + c] : (T)0.0f;
        }
        if (tid < BLOCK_K) xs[tid] = k0 + tid < p.k ? ((const T *)p.x)[k0 + tid] : (T)0.0f;
        __syncthreads();
        if (tid < BLOCK_N)
            for (int k = 0; k < BLOCK_K; k++) acc += (float)As[tid][k] * (float)xs[k];
        __syncthreads();
    }
    if (tid < BLOCK_N && row0 + tid < p.n) gemv_write<T>(p, row0 + tid, acc);
}
