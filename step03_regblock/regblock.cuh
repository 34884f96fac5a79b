/* Register blocking: a thread computes TM x TN elements of C and keeps them in registers.
 *
 * For each k it loads TM values of A and TN of B from shared memory and multiplies each of the former by each of the
 * latter: TM*TN FMAs for TM+TN loads. A thread's elements are spread over the block's tile, one every BM/TM rows and
 * BN/TN columns, so that neighbouring lanes read neighbouring words of B and store neighbouring words of C.
 *
 *              b_reg[TN]                 BM x BN tile of a block, TM = TN = 2, thread (0,0):
 *              b0 b1 b2 b3                  x . . . x . . .
 *   a_reg  a0  c  c  c  c                   . . . . . . . .
 *   [TM]   a1  c  c  c  c                   x . . . x . . .
 *          a2  c  c  c  c                   . . . . . . . .
 *          a3  c  c  c  c      4 + 4 loads, 16 FMAs
 */
#pragma once

#include "gemm/gemm_kernel.cuh"

template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN)) sgemm_regblock(sgemm_problem p) {
    const int ROWS = BM / TM, COLS = BN / TN; /* threads down and across the tile */
    const int THREADS = ROWS * COLS;
    __shared__ float As[BM][BK + 1]; /* + 1: the rows that a warp reads must not share a bank */
    __shared__ float Bs[BK][BN];

    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM;
    int col0 = blockIdx.x % blocks_n * BN;
    int tid = threadIdx.x;
    int tx = tid % COLS, ty = tid / COLS;

    float c_reg[TM][TN] = {};
    for (int k0 = 0; k0 < p.k; k0 += BK) {
        for (int e = tid; e < BM * BK; e += THREADS) {
            int r = e / BK, c = e % BK;
            As[r][c] = row0 + r < p.m && k0 + c < p.k ? *gemm_at(p.A, p.lda, row0 + r, k0 + c) : 0.0f;
        }
        for (int e = tid; e < BK * BN; e += THREADS) {
            int r = e / BN, c = e % BN;
            Bs[r][c] = k0 + r < p.k && col0 + c < p.n ? *gemm_at(p.B, p.ldb, k0 + r, col0 + c) : 0.0f;
        }
        __syncthreads();

#pragma unroll
        for (int k = 0; k < BK; k++) {
            float a_reg[TM], b_reg[TN];
#pragma unroll
            for (int i = 0; i < TM; i++) a_reg[i] = As[ty + i * ROWS][k];
#pragma unroll
            for (int j = 0; j < TN; j++) b_reg[j] = Bs[k][tx + j * COLS];
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++) c_reg[i][j] += a_reg[i] * b_reg[j];
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < TM; i++) {
        int row = row0 + ty + i * ROWS, cols_left = p.n - col0 - tx;
        if (row >= p.m) break;
        float *c = gemm_at(p.C, p.ldc, row, col0 + tx);
#pragma unroll
        for (int j = 0; j < TN; j++)
            if (j * COLS < cols_left) c[j * COLS] = gemm_blend(p, c_reg[i][j], &c[j * COLS]);
    }
}

template <int BM, int BN, int BK, int TM, int TN> static kernel_info kernel_regblock(void) {
    return {(const void *)sgemm_regblock<BM, BN, BK, TM, TN>, (BM / TM) * (BN / TN), 0};
}

template <int BM, int BN, int BK, int TM, int TN>
static cudaError_t launch_regblock(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BM, BN);
    if (blocks == 0) return cudaSuccess;
    sgemm_regblock<BM, BN, BK, TM, TN><<<blocks, (BM / TM) * (BN / TN), 0, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}
