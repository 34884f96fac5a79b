/* Shared memory: the block stages 32 x 32 tiles of A and B once and every thread reads them from there.
 *
 * Each element of A and B is read from global memory n/32 and m/32 times instead of n and m times, and the two loads
 * that each FMA still needs take tens of cycles instead of hundreds. But there are still two of them: the ratio of
 * loads to FMAs is 2 : 1.
 *
 *              B  +----+
 *                 |tile|  32 x 32, moves down            thread (x, y) of the block:
 *                 +----+                                   loads A[y][x] and B[y][x] of the tile,
 *      A +----+   +----+                                   barrier,
 *        |tile| ->|  C |  32 x 32, stays                   32 times: 2 shared loads, 1 FMA,
 *        +----+   +----+                                   barrier
 */
#include "gemm/gemm_kernel.cuh"

static const int TILE = 32;

__global__ void __launch_bounds__(TILE *TILE) sgemm_tile32(sgemm_problem p) {
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int blocks_n = (p.n + TILE - 1) / TILE;
    int row = blockIdx.x / blocks_n * TILE + y;
    int col = blockIdx.x % blocks_n * TILE + x;

    float acc = 0.0f;
    for (int k0 = 0; k0 < p.k; k0 += TILE) {
        /* Beyond an edge the tile is filled with zeros, which add nothing; every thread must reach the barriers. */
        As[y][x] = row < p.m && k0 + x < p.k ? *gemm_at(p.A, p.lda, row, k0 + x) : 0.0f;
        Bs[y][x] = k0 + y < p.k && col < p.n ? *gemm_at(p.B, p.ldb, k0 + y, col) : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++) acc += As[y][k] * Bs[k][x];
        __syncthreads();
    }

    if (row < p.m && col < p.n) {
        float *c = gemm_at(p.C, p.ldc, row, col);
        *c = gemm_blend(p, acc, c);
    }
}

extern "C" kernel_info kernel_tile32(void) {
    return {(const void *)sgemm_tile32, TILE * TILE, 0};
}

extern "C" cudaError_t launch_tile32(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, TILE, TILE);
    if (blocks == 0) return cudaSuccess;
    sgemm_tile32<<<blocks, dim3(TILE, TILE), 0, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}
