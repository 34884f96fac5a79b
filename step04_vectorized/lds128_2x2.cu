/* LDS.128 without bank conflicts: a thread's 8 x 8 results become 2 x 2 blocks of 4 x 4, 64 rows and columns apart.
 *
 * Lane tx now reads B at columns tx*4 ... tx*4+3: neighbouring lanes read neighbouring 16 bytes, 8 lanes cover all 32
 * banks exactly once. The second half of the fragment lies 64 columns further on and behaves alike.
 *
 *            columns  tx*4        64 + tx*4
 *   rows       ty*4   [4x4]  ....   [4x4]
 *                       :             :          one thread's results in the 128 x 128 tile
 *         64 + ty*4   [4x4]  ....   [4x4]
 */
#include "tiles.cuh"

template <bool LOAD4, bool STORE4> __global__ void __launch_bounds__(THREADS, 2) sgemm_lds128_2x2(sgemm_problem p) {
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
            *(float4 *)&a_reg[0] = *(const float4 *)&t.A[k][ty * 4];
            *(float4 *)&a_reg[4] = *(const float4 *)&t.A[k][ty * 4 + 64];
            *(float4 *)&b_reg[0] = *(const float4 *)&t.B[k][tx * 4];
            *(float4 *)&b_reg[4] = *(const float4 *)&t.B[k][tx * 4 + 64];
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
            gemm_store4<STORE4>(p, row0 + i / 4 * 64 + ty * 4 + i % 4, col0 + j / 4 * 64 + tx * 4,
                                make_float4(c_reg[i][j], c_reg[i][j + 1], c_reg[i][j + 2], c_reg[i][j + 3]));
}

extern "C" kernel_info kernel_lds128_2x2(void) {
    return {(const void *)sgemm_lds128_2x2<true, true>, THREADS, 0};
}

extern "C" cudaError_t launch_lds128_2x2(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BM, BN);
    if (blocks == 0) return cudaSuccess;
    static void (*const kernels[2][2])(sgemm_problem) = {
        {sgemm_lds128_2x2<false, false>, sgemm_lds128_2x2<false, true>},
        {sgemm_lds128_2x2<true, false>, sgemm_lds128_2x2<true, true>},
    };
    kernels[tiles_load4(p)][tiles_store4(p)]<<<blocks, THREADS, 0, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}
