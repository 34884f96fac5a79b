/* Exercise: A is transposed on its way into shared memory, so that a thread can read four of its rows with one
 * instruction. The stores that transpose it conflict. Choose the least length of a row, A_ROW, with which they do not;
 * the loads of 16 bytes set a condition of their own.
 */
#include "gemm/gemm_kernel.cuh"

static const int BM = 128, BN = 128, BK = 8; /* block tile */
static const int THREADS = 256;              /* 16 x 16, each with 8 x 8 results */
static const int A_ROW = BM;                 /* words in a row of As */

struct tiles {
    float A[BK][A_ROW];
    float B[BK][BN];
};

/* The BM x BK tile of A at (row0, k0) and the BK x BN tile of B at (k0, col0), with zeros beyond the edges of the
 * matrices. Each thread loads one float4 of each. */
template <bool LOAD4>
static __device__ __forceinline__ void load_tiles(const sgemm_problem &p, int row0, int col0, int k0, tiles *t) {
    int a_row = threadIdx.x / (BK / 4), a_k = threadIdx.x % (BK / 4) * 4;
    float4 a = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (row0 + a_row < p.m) a = gemm_load4<LOAD4>(gemm_at(p.A, p.lda, row0 + a_row, k0 + a_k), p.k - k0 - a_k);

    int b_k = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
    float4 b = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (k0 + b_k < p.k) b = gemm_load4<LOAD4>(gemm_at(p.B, p.ldb, k0 + b_k, col0 + b_col), p.n - col0 - b_col);

    t->A[a_k + 0][a_row] = a.x;
    t->A[a_k + 1][a_row] = a.y;
    t->A[a_k + 2][a_row] = a.z;
    t->A[a_k + 3][a_row] = a.w;
    *(float4 *)&t->B[b_k][b_col] = b;
}

/* May A and B be read, and may C be written, 16 bytes at a time? */
static inline bool tiles_load4(const gemm_problem *p) {
    return gemm_is_float4(p->A, p->lda, p->k) && gemm_is_float4(p->B, p->ldb, p->n);
}

static inline bool tiles_store4(const gemm_problem *p) {
    return gemm_is_float4(p->C, p->ldc, p->n);
}

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
    kernels[tiles_load4(p)][tiles_store4(p)]<<<blocks, THREADS, 0, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}
