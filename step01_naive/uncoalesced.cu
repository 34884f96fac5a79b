/* One thread, one element of C, with one thing wrong: threadIdx.x walks the rows of C.
 *
 * The 32 lanes of a warp differ in threadIdx.x, so they read A at 32 addresses a whole row apart. Each load instruction
 * touches 32 sectors of 32 bytes and uses 4 bytes of each.
 *
 *          k ->                                      lane 0 . . .
 *   lane 0 x . . . .      one load instruction:      lane 1 . . .      32 rows,
 *   lane 1 x . . . .      32 rows of A               lane 2 . . .      32 sectors
 *   lane 2 x . . . .
 */
#include "gemm/gemm_kernel.cuh"

static const int BLOCK = 32; /* each block computes 32 x 32 elements of C, one per thread */

__global__ void __launch_bounds__(BLOCK *BLOCK) sgemm_uncoalesced(sgemm_problem p) {
    int blocks_n = (p.n + BLOCK - 1) / BLOCK;
    int row = blockIdx.x / blocks_n * BLOCK + threadIdx.x; /* x is the row: the mistake */
    int col = blockIdx.x % blocks_n * BLOCK + threadIdx.y;
    if (row >= p.m || col >= p.n) return;

    float acc = 0.0f;
    for (int k = 0; k < p.k; k++) acc += *gemm_at(p.A, p.lda, row, k) * *gemm_at(p.B, p.ldb, k, col);

    float *c = gemm_at(p.C, p.ldc, row, col);
    *c = gemm_blend(p, acc, c);
}

extern "C" kernel_info kernel_uncoalesced(void) {
    return {(const void *)sgemm_uncoalesced, BLOCK * BLOCK, 0};
}

extern "C" cudaError_t launch_uncoalesced(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BLOCK, BLOCK);
    if (blocks == 0) return cudaSuccess;
    sgemm_uncoalesced<<<blocks, dim3(BLOCK, BLOCK), 0, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}
