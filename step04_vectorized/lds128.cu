/* LDS.128: a thread fetches the 8 values of A and the 8 of B that an 8 x 8 outer product needs with four 16-byte loads
 * instead of sixteen 4-byte ones. That is why A was transposed: its 8 rows must be neighbours in shared memory.
 *
 *   b_reg     |b0 b1 b2 b3|b4 b5 b6 b7|   two LDS.128           lanes 0 and 1 read B at columns 0 and 8:
 *   a0-a3  ->  thread (tx, ty) owns rows   ty*8 ... ty*8+7      32 bytes apart, so 8 lanes span 256 bytes
 *   a4-a7  ->                 and columns  tx*8 ... tx*8+7      and two lanes meet in every bank
 */
#include "tiles.cuh"

template <bool LOAD4, bool STORE4> __global__ void __launch_bounds__(THREADS, 2) sgemm_lds128(sgemm_problem p) {
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

extern "C" kernel_info kernel_lds128(void) {
    return {(const void *)sgemm_lds128<true, true>, THREADS, 0};
}

extern "C" cudaError_t launch_lds128(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BM, BN);
    if (blocks == 0) return cudaSuccess;
    static void (*const kernels[2][2])(sgemm_problem) = {
        {sgemm_lds128<false, false>, sgemm_lds128<false, true>},
        {sgemm_lds128<true, false>, sgemm_lds128<true, true>},
    };
    kernels[tiles_load4(p)][tiles_store4(p)]<<<blocks, THREADS, 0, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}
