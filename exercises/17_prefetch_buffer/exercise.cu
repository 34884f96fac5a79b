/* Exercise: two buffers let the next tile be stored while this one is still read, with one barrier per tile. But this
 * kernel writes the tile into the buffer that other warps still read. A second barrier would hide that; do without
 * one.
 */
#include "gemm/gemm_kernel.cuh"

static const int BM = 128, BN = 128, BK = 16;
static const int STAGES = 2, THREADS = 256;
static const int TM = 8, TN = 8;               /* a thread's results: blocks of 4 x 4, */
static const int ROW_STEP = 64, COL_STEP = 64; /* so far apart */
static const int A_ROW = BM + 4; /* padded: the transposing stores have two-way rather than four-way bank conflicts */
static const int A_LOADS = BM * BK / 4 / THREADS, B_LOADS = BK * BN / 4 / THREADS; /* of a thread, 16 bytes each */

struct stage {
    float A[BK][A_ROW];
    float B[BK][BN];
};

/* Where a thread reads in the next tile, and how many values of k are left. Rows of A and columns of B beyond the
 * matrix are replaced by the last ones (their results are never stored); only k needs zeros. */
struct source {
    const float *a[A_LOADS], *b;
    int k_left;
};

static __device__ __forceinline__ source first_tile(const sgemm_problem &p, int row0, int col0) {
    source from;
    int a_row = threadIdx.x / (BK / 4), a_k = threadIdx.x % (BK / 4) * 4;
    int b_k = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
#pragma unroll
    for (int r = 0; r < A_LOADS; r++)
        from.a[r] = gemm_at(p.A, p.lda, min(row0 + a_row + r * (BM / A_LOADS), p.m - 1), a_k);
    from.b = gemm_at(p.B, p.ldb, b_k, min(col0 + b_col, p.n - 4));
    from.k_left = p.k;
    return from;
}

static __device__ __forceinline__ void next_tile(const sgemm_problem &p, source *from) {
#pragma unroll
    for (int r = 0; r < A_LOADS; r++) from->a[r] += BK;
    from->b = gemm_at(from->b, p.ldb, BK, 0);
    from->k_left -= BK;
}

static __device__ __forceinline__ void global_to_registers(const sgemm_problem &p, const source &from,
                                                           float4 *ldg_a_reg, float4 *ldg_b_reg) {
    int a_k = threadIdx.x % (BK / 4) * 4, b_k = threadIdx.x / (BN / 4);
#pragma unroll
    for (int r = 0; r < A_LOADS; r++) ldg_a_reg[r] = gemm_load4<true>(from.a[r], from.k_left - a_k);
#pragma unroll
    for (int s = 0; s < B_LOADS; s++) {
        int step = s * (BK / B_LOADS);
        ldg_b_reg[s] = gemm_load4<true>(gemm_at(from.b, p.ldb, step, 0), from.k_left - b_k - step);
    }
}

static __device__ __forceinline__ void registers_to_shared(const float4 *ldg_a_reg, const float4 *ldg_b_reg,
                                                           stage *to) {
    int a_row = threadIdx.x / (BK / 4), a_k = threadIdx.x % (BK / 4) * 4;
    int b_k = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
#pragma unroll
    for (int r = 0; r < A_LOADS; r++) {
        int row = a_row + r * (BM / A_LOADS);
        to->A[a_k + 0][row] = ldg_a_reg[r].x;
        to->A[a_k + 1][row] = ldg_a_reg[r].y;
        to->A[a_k + 2][row] = ldg_a_reg[r].z;
        to->A[a_k + 3][row] = ldg_a_reg[r].w;
    }
#pragma unroll
    for (int s = 0; s < B_LOADS; s++) *(float4 *)&to->B[b_k + s * (BK / B_LOADS)][b_col] = ldg_b_reg[s];
}

static __device__ __forceinline__ void shared_to_registers(const stage *t, int k, int row, int col, float *a_reg,
                                                           float *b_reg) {
#pragma unroll
    for (int i = 0; i < TM; i += 4) *(float4 *)&a_reg[i] = *(const float4 *)&t->A[k][row + i / 4 * ROW_STEP];
#pragma unroll
    for (int j = 0; j < TN; j += 4) *(float4 *)&b_reg[j] = *(const float4 *)&t->B[k][col + j / 4 * COL_STEP];
}

static __device__ __forceinline__ void multiply(const float *a_reg, const float *b_reg, float (*c_reg)[TN]) {
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) c_reg[i][j] += a_reg[i] * b_reg[j];
}

__global__ void __launch_bounds__(THREADS, 2) sgemm_exercise(sgemm_problem p) {
    __shared__ __align__(16) stage stages[STAGES];
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int row = threadIdx.x / 16 * 4, col = threadIdx.x % 16 * 4; /* of this thread's first results in the tile */

    source from = first_tile(p, row0, col0);
    float4 ldg_a_reg[A_LOADS], ldg_b_reg[B_LOADS];
    global_to_registers(p, from, ldg_a_reg, ldg_b_reg);
    registers_to_shared(ldg_a_reg, ldg_b_reg, &stages[0]);
    __syncthreads();
    float a_reg[2][TM], b_reg[2][TN], c_reg[TM][TN] = {};
    shared_to_registers(&stages[0], 0, row, col, a_reg[0], b_reg[0]);

    int tiles = (p.k + BK - 1) / BK;
    for (int t = 0; t < tiles; t++) {
        next_tile(p, &from);
        global_to_registers(p, from, ldg_a_reg, ldg_b_reg); /* beyond the last tile: zeros that nobody multiplies */
        stage *now = &stages[t % STAGES];
#pragma unroll
        for (int k = 0; k < BK; k++) {
            if (k == BK - 1) { /* the next tile is needed */
                registers_to_shared(ldg_a_reg, ldg_b_reg, now);
                __syncthreads();
            }
            shared_to_registers(now, (k + 1) % BK, row, col, a_reg[(k + 1) % 2], b_reg[(k + 1) % 2]);
            multiply(a_reg[k % 2], b_reg[k % 2], c_reg);
        }
    }

#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            gemm_store4<true>(p, row0 + row + i / 4 * ROW_STEP + i % 4, col0 + col + j / 4 * COL_STEP,
                              make_float4(c_reg[i][j], c_reg[i][j + 1], c_reg[i][j + 2], c_reg[i][j + 3]));
}

extern "C" kernel_info kernel_exercise(void) {
    return {(const void *)sgemm_exercise, THREADS, 0};
}

extern "C" cudaError_t launch_exercise(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BM, BN);
    if (blocks == 0) return cudaSuccess;
    sgemm_exercise<<<blocks, THREADS, 0, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}
