/* The naive kernel done right: threadIdx.x walks the columns of C.
 *
 * Now the 32 lanes of a warp share one row of A (one address, a broadcast) and read 32 consecutive elements of a row of
 * B: four sectors of 32 bytes, with every byte used. Nothing else has changed.
 *
 *      A                     B        lanes 0 1 2 ... 31
 *      x . . . .                           x x x ... x      128 bytes, 4 sectors
 *      all lanes: one word
 */
#include "gemm/gemm_kernel.cuh"

static const int BLOCK = 32; /* each block computes 32 x 32 elements of C, one per thread */

__global__ void __launch_bounds__(BLOCK *BLOCK) sgemm_coalesced(sgemm_problem p) {
    int blocks_n = (p.n + BLOCK - 1) / BLOCK;
    int row = blockIdx.x / blocks_n * BLOCK + threadIdx.y;
    int col = blockIdx.x % blocks_n * BLOCK + threadIdx.x; /* x is the column: neighbours read neighbours */
    if (row >= p.m || col >= p.n) return;

    float acc = 0.0f;
    for (int k = 0; k < p.k; k++) acc += *gemm_at(p.A, p.lda, row, k) * *gemm_at(p.B, p.ldb, k, col);

    float *c = gemm_at(p.C, p.ldc, row, col);
    *c = gemm_blend(p, acc, c);
}

extern "C" kernel_info kernel_coalesced(void) {
    return {(const void *)sgemm_coalesced, BLOCK * BLOCK, 0};
}

extern "C" cudaError_t launch_coalesced(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BLOCK, BLOCK);
    if (blocks == 0) return cudaSuccess;
    sgemm_coalesced<<<blocks, dim3(BLOCK, BLOCK), 0, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}
