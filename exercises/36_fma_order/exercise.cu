/* Exercise: an FMA need not read again what the one before it has read. Row by row the 64 FMAs of one k read 72 words:
 * each takes another word of B, and at the end of a row another of A as well. order() says which FMA comes when. Find
 * an order of 65 words. They are counted when the kernel is compiled, and its name has their number.
 */
#include "../step04_vectorized/tiles.cuh"

struct place {
    int i, j;
};

/* Which of the thread's 8 x 8 results the FMA number x, 0 to 63, adds to. */
static __host__ __device__ constexpr place order(int x) {
    int i = x / 8, j = x % 8;
    return {i, j};
}

/* Words of A and B that the FMAs of one k read, where what the FMA before has read is at hand. */
static constexpr int words_read() {
    int words = 2;
    for (int x = 1; x < 64; x++) words += (order(x).i != order(x - 1).i) + (order(x).j != order(x - 1).j);
    return words;
}

template <int WORDS> __global__ void __launch_bounds__(THREADS, 2) sgemm_exercise(sgemm_problem p) {
    __shared__ __align__(16) tiles t;
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int row = threadIdx.x / 16 * 4, col = threadIdx.x % 16 * 4;

    float c_reg[8][8] = {};
    for (int k0 = 0; k0 < p.k; k0 += BK) {
        load_tiles<false>(p, row0, col0, k0, &t);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            __align__(16) float a_reg[8], b_reg[8];
            *(float4 *)&a_reg[0] = *(const float4 *)&t.A[k][row];
            *(float4 *)&a_reg[4] = *(const float4 *)&t.A[k][row + 64];
            *(float4 *)&b_reg[0] = *(const float4 *)&t.B[k][col];
            *(float4 *)&b_reg[4] = *(const float4 *)&t.B[k][col + 64];
#pragma unroll
            for (int x = 0; x < 64; x++) {
                const place at = order(x);
                c_reg[at.i][at.j] += a_reg[at.i] * b_reg[at.j];
            }
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            gemm_store4<false>(p, row0 + row + i / 4 * 64 + i % 4, col0 + col + j / 4 * 64,
                               make_float4(c_reg[i][j], c_reg[i][j + 1], c_reg[i][j + 2], c_reg[i][j + 3]));
}

extern "C" kernel_info kernel_exercise(void) {
    return {(const void *)sgemm_exercise<words_read()>, THREADS, 0};
}

extern "C" cudaError_t launch_exercise(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BM, BN);
    if (blocks == 0) return cudaSuccess;
    sgemm_exercise<words_read()><<<blocks, THREADS, 0, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}
