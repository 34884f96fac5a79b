/* Stores that need no alignment: a warp exchanges its results through shared memory, so that each store instruction
 * writes 32 consecutive words of one row of C.
 *
 * Where C cannot be accessed as float4 (n or ldc is not a multiple of 4), the previous kernel falls back to storing the
 * four columns of a lane one by one: 32 lanes 16 bytes apart, 16 sectors per instruction for 128 bytes of data. Here:
 *
 *   registers of a warp, one i            shared memory, 2 rows              global memory
 *   lane (tx, ty): 4 + 4 columns   STS.128  0 1 2 3 ... 127   LDS.32, lane l   row of C: l, l+32, l+64, l+96
 *                                           0 1 2 3 ... 127   reads word l     4 sectors per instruction
 */
#include "tiles.cuh"

static const int WARPS = THREADS / 32;

union shared_memory {
    tiles t;
    float exchange[WARPS][2][BN]; /* a warp covers two rows of the tile at a time */
};

template <bool LOAD4> __global__ void __launch_bounds__(THREADS, 2) sgemm_coalesced_store(sgemm_problem p) {
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
        __syncwarp();
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
        __syncwarp();
    }
}

extern "C" kernel_info kernel_coalesced_store(void) {
    return {(const void *)sgemm_coalesced_store<true>, THREADS, 0};
}

extern "C" cudaError_t launch_coalesced_store(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BM, BN);
    if (blocks == 0) return cudaSuccess;
    sgemm_problem q = gemm_launch_copy(p);
    if (tiles_load4(p)) /* the alignment of C does not matter to the stores */
        sgemm_coalesced_store<true><<<blocks, THREADS, 0, stream>>>(q);
    else
        sgemm_coalesced_store<false><<<blocks, THREADS, 0, stream>>>(q);
    return cudaGetLastError();
}
