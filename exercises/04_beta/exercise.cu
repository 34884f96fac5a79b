/* Exercise: C = alpha*A*B + beta*C. In BLAS beta = 0 means that C is only written: it may hold anything before, NaN
 * included. This kernel gets that wrong. Other values of alpha and beta must stay right.
 */
#include "gemm/gemm_kernel.cuh"

static const int BLOCK = 32; /* each block computes 32 x 32 elements of C, one per thread */

__global__ void __launch_bounds__(BLOCK *BLOCK) sgemm_exercise(sgemm_problem p) {
    int blocks_n = (p.n + BLOCK - 1) / BLOCK;
    int row = blockIdx.x / blocks_n * BLOCK + threadIdx.y;
    int col = blockIdx.x % blocks_n * BLOCK + threadIdx.x;
    if (row >= p.m || col >= p.n) return;

    float acc = 0.0f;
    for (int k = 0; k < p.k; k++) acc += *gemm_at(p.A, p.lda, row, k) * *gemm_at(p.B, p.ldb, k, col);

    float *c = gemm_at(p.C, p.ldc, row, col);
    *c = p.alpha * acc + p.beta * *c;
}

extern "C" kernel_info kernel_exercise(void) {
    return {(const void *)sgemm_exercise, BLOCK * BLOCK, 0};
}

extern "C" cudaError_t launch_exercise(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BLOCK, BLOCK);
    if (blocks == 0) return cudaSuccess;
    sgemm_exercise<<<blocks, dim3(BLOCK, BLOCK), 0, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}
