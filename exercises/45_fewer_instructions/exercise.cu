/* Exercise: two loads and an FMA for each k, and an addition to find the next row of B: four instructions. Counted are
 * more than six for each FMA of a warp. The others belong to the loop: it counts, compares, branches and moves its
 * pointers, eight instructions a trip, and the compiler has put four k into a trip. Bring the instructions down to 4.7
 * for each FMA. k need not be a multiple of anything.
 */
#include "gemm/gemm_kernel.cuh"

static const int BLOCK = 32; /* each block computes a 32 x 32 tile of C, one element per thread */

__global__ void __launch_bounds__(BLOCK *BLOCK) sgemm_exercise(sgemm_problem p) {
    int blocks_n = (p.n + BLOCK - 1) / BLOCK;
    int row = blockIdx.x / blocks_n * BLOCK + threadIdx.y;
    int col = blockIdx.x % blocks_n * BLOCK + threadIdx.x;
    if (row >= p.m || col >= p.n) return;

    float acc = 0.0f;
    for (int k = 0; k < p.k; k++) acc += *gemm_at(p.A, p.lda, row, k) * *gemm_at(p.B, p.ldb, k, col);

    float *c = gemm_at(p.C, p.ldc, row, col);
    *c = gemm_blend(p, acc, c);
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
