/* Exercise: the threads of a block fill two tiles in shared memory, and each then reads what others wrote. Something
 * between the two is missing. (The first finding is between lanes of one warp. Look at the others, too.)
 */
#include "gemm/gemm_kernel.cuh"

static const int TILE = 32;

__global__ void __launch_bounds__(TILE *TILE) sgemm_exercise(sgemm_problem p) {
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
        for (int k = 0; k < TILE; k++) acc += As[y][k] * Bs[k][x];
        __syncthreads();
    }

    if (row < p.m && col < p.n) {
        float *c = gemm_at(p.C, p.ldc, row, col);
        *c = gemm_blend(p, acc, c);
    }
}

extern "C" kernel_info kernel_exercise(void) {
    return {(const void *)sgemm_exercise, TILE * TILE, 0};
}

extern "C" cudaError_t launch_exercise(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, TILE, TILE);
    if (blocks == 0) return cudaSuccess;
    sgemm_exercise<<<blocks, dim3(TILE, TILE), 0, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}
