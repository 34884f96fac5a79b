/* Exercise: a block of 128 x 128 results, 8 x 8 a thread, in four blocks of 4 x 4 that lie ROW_STEP and COL_STEP apart.
 * A warp's lanes stand 2 x 16, so for each k it reads 16 words of A and 128 of B. Give each warp a compact part of 64
 * rows and 32 columns: lanes 8 x 4, warps 2 x 4. The steps change with the map.
 */
#include "../step04_vectorized/tiles.cuh"

static const int ROW_STEP = 64, COL_STEP = 64;

/* The first row and column of a thread's results in the block's tile. */
static __host__ __device__ constexpr int first_row(int thread) {
    return thread / 16 * 4;
}
static __host__ __device__ constexpr int first_col(int thread) {
    return thread % 16 * 4;
}

/* Rows and columns, that is words of A and B, that warp 0 needs for one k. */
static constexpr int words_of_a_warp() {
    int words = 0;
    for (int x = 0; x < BM; x++) {
        bool row = false, col = false;
        for (int lane = 0; lane < 32; lane++) {
            int r = x - first_row(lane), c = x - first_col(lane);
            row = row || (r >= 0 && r % ROW_STEP < 4 && r / ROW_STEP < 2);
            col = col || (c >= 0 && c % COL_STEP < 4 && c / COL_STEP < 2);
        }
        words += row + col;
    }
    return words;
}

template <int WORDS> __global__ void __launch_bounds__(THREADS, 2) sgemm_exercise(sgemm_problem p) {
    __shared__ __align__(16) tiles t;
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int row = first_row(threadIdx.x), col = first_col(threadIdx.x);

    float c_reg[8][8] = {};
    for (int k0 = 0; k0 < p.k; k0 += BK) {
        load_tiles<false>(p, row0, col0, k0, &t);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            __align__(16) float a_reg[8], b_reg[8];
            *(float4 *)&a_reg[0] = *(const float4 *)&t.A[k][row];
            *(float4 *)&a_reg[4] = *(const float4 *)&t.A[k][row + ROW_STEP];
            *(float4 *)&b_reg[0] = *(const float4 *)&t.B[k][col];
            *(float4 *)&b_reg[4] = *(const float4 *)&t.B[k][col + COL_STEP];
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
            gemm_store4<false>(p, row0 + row + i / 4 * ROW_STEP + i % 4, col0 + col + j / 4 * COL_STEP,
                               make_float4(c_reg[i][j], c_reg[i][j + 1], c_reg[i][j + 2], c_reg[i][j + 3]));
}

extern "C" kernel_info kernel_exercise(void) {
    return {(const void *)sgemm_exercise<words_of_a_warp()>, THREADS, 0};
}

extern "C" cudaError_t launch_exercise(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BM, BN);
    if (blocks == 0) return cudaSuccess;
    sgemm_exercise<words_of_a_warp()><<<blocks, THREADS, 0, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}
