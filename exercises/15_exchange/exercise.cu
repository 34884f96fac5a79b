/* Exercise: the lanes of a warp write their results to shared memory and read one another's, so that each store
 * instruction writes 32 consecutive words of C. No barrier of the block is needed for that, but something is. Put it
 * where it is needed and nowhere else.
 */
#include "../step04_vectorized/tiles.cuh"

static const int WARPS = THREADS / 32;

union shared_memory {
    tiles t;
    float exchange[WARPS][2][BN]; /* a warp covers two rows of the tile at a time */
};

template <bool LOAD4> __global__ void __launch_bounds__(THREADS, 2) sgemm_exercise(sgemm_problem p) {
    __shared__ __align__(16) shared_memory s;
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM;
    int col0 = blockIdx.x % blocks_n * BN;
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;

    float c_reg[8][8] = {};
    for (int k0 = 0; k0 < p.k; k0 += BK) {
        load_tiles<LOAD4>(p, row0, col0, k0, &s.t);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            __align__(16) float a_reg[8], b_reg[8];
            *(float4 *)&a_reg[0] = *(const float4 *)&s.t.A[k][ty * 4];
            *(float4 *)&a_reg[4] = *(const float4 *)&s.t.A[k][ty * 4 + 64];
            *(float4 *)&b_reg[0] = *(const float4 *)&s.t.B[k][tx * 4];
            *(float4 *)&b_reg[4] = *(const float4 *)&s.t.B[k][tx * 4 + 64];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++) c_reg[i][j] += a_reg[i] * b_reg[j];
        }
        __syncthreads(); /* after the last one the tiles can be reused for the exchange */
    }

    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float(*exchange)[BN] = s.exchange[warp];
#pragma unroll
    for (int i = 0; i < 8; i++) {
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            *(float4 *)&exchange[ty % 2][j / 4 * 64 + tx * 4] =
                make_float4(c_reg[i][j], c_reg[i][j + 1], c_reg[i][j + 2], c_reg[i][j + 3]);
#pragma unroll
        for (int r = 0; r < 2; r++) {
            int row = row0 + i / 4 * 64 + (warp * 2 + r) * 4 + i % 4; /* ty = 2*warp + r */
#pragma unroll
            for (int x = lane; x < BN; x += 32) {
                int col = col0 + x;
                if (row < p.m && col < p.n) {
                    float *c = gemm_at(p.C, p.ldc, row, col);
                    *c = gemm_blend(p, exchange[r][x], c);
                }
            }
        }
    }
}

extern "C" kernel_info kernel_exercise(void) {
    return {(const void *)sgemm_exercise<true>, THREADS, 0};
}

extern "C" cudaError_t launch_exercise(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BM, BN);
    if (blocks == 0) return cudaSuccess;
    sgemm_problem q = gemm_launch_copy(p);
    if (tiles_load4(p)) /* the alignment of C does not matter to the stores */
        sgemm_exercise<true><<<blocks, THREADS, 0, stream>>>(q);
    else
        sgemm_exercise<false><<<blocks, THREADS, 0, stream>>>(q);
    return cudaGetLastError();
}
