/* Exercise: the kernel moves 16 bytes per instruction. Such an address must be a multiple of 16, and rows that begin
 * 126 floats apart do not keep to that. The kernel has instances that load or store word by word; the launcher never
 * takes them. Let it, where it must and only there: the goals are those of a problem where all is aligned.
 */
#include "../step04_vectorized/tiles.cuh"

template <bool LOAD4, bool STORE4> __global__ void __launch_bounds__(THREADS, 2) sgemm_exercise(sgemm_problem p) {
    __shared__ __align__(16) tiles t;
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM;
    int col0 = blockIdx.x % blocks_n * BN;
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;

    float c_reg[8][8] = {};
    for (int k0 = 0; k0 < p.k; k0 += BK) {
        load_tiles<LOAD4>(p, row0, col0, k0, &t);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            __align__(16) float a_reg[8], b_reg[8];
            *(float4 *)&a_reg[0] = *(const float4 *)&t.A[k][ty * 8];
            *(float4 *)&a_reg[4] = *(const float4 *)&t.A[k][ty * 8 + 4];
            *(float4 *)&b_reg[0] = *(const float4 *)&t.B[k][tx * 8];
            *(float4 *)&b_reg[4] = *(const float4 *)&t.B[k][tx * 8 + 4];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++) c_reg[i][j] += a_reg[i] * b_reg[j];
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            gemm_store4<STORE4>(p, row0 + ty * 8 + i, col0 + tx * 8 + j,
                                make_float4(c_reg[i][j], c_reg[i][j + 1], c_reg[i][j + 2], c_reg[i][j + 3]));
}

extern "C" kernel_info kernel_exercise(void) {
    return {(const void *)sgemm_exercise<true, true>, THREADS, 0};
}

extern "C" cudaError_t launch_exercise(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BM, BN);
    if (blocks == 0) return cudaSuccess;
    static void (*const kernels[2][2])(sgemm_problem) = {
        {sgemm_exercise<false, false>, sgemm_exercise<false, true>},
        {sgemm_exercise<true, false>, sgemm_exercise<true, true>},
    };
    kernels[true][true]<<<blocks, THREADS, 0, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}
