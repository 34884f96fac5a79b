/* The article's double buffering: every data movement starts one step before its result is needed.
 *
 *   global -> registers   the next tile's loads are issued before this tile is computed       ldg_a_reg, ldg_b_reg
 *   registers -> shared   they are stored into the other buffer after it                      smemA[2], smemB[2]
 *   shared -> registers   fragment k+1 is loaded while fragment k is multiplied               a_reg[2], b_reg[2]
 *
 *   tile t    |LDG t+1|  k=0  k=1  ...  k=14  |STS t+1| barrier |LDS k=0 of t+1|  k=15  |
 *                        LDS1 LDS2 ...  LDS15
 *
 * One barrier per tile is enough: the buffer being written is never the one being read. */
#include "gemm/gemm_kernel.cuh"

static const int BM = 128, BN = 128, TILE_K = 16;
static const int THREADS = 256;  /* 16 x 16; each has 2x2 blocks of 4x4 results, 64 rows and columns apart */
static const int A_ROW = BM + 4; /* padded: the transposing stores have two-way rather than four-way bank conflicts */
static const int LDG_A = BM * TILE_K / 4 / THREADS, LDG_B = TILE_K * BN / 4 / THREADS; /* float4 per thread, and */
static const int A_STEP = BM / LDG_A, B_STEP = TILE_K / LDG_B;                         /* rows between them */

struct tile_pair {
    float A[2][TILE_K][A_ROW];
    float B[2][TILE_K][BN];
};

/* Where a thread reads: its float4 of A and of B in the next tile. Rows of A and columns of B beyond the matrix are
 * replaced by the last ones (their results are never stored); only k needs zeros. */
struct source {
    const float *a[LDG_A], *b;
    int cols; /* of B from b on */
};

template <bool VECTOR>
static __device__ __forceinline__ void global_to_registers(const sgemm_problem &p, source *from, int k_left,
                                                           float4 *ldg_a_reg, float4 *ldg_b_reg) {
    int a_k = threadIdx.x % (TILE_K / 4) * 4, b_k = threadIdx.x / (BN / 4);
#pragma unroll
    for (int s = 0; s < LDG_A; s++) {
        ldg_a_reg[s] = gemm_load4<VECTOR>(from->a[s], k_left - a_k);
        from->a[s] += TILE_K;
    }
#pragma unroll
    for (int s = 0; s < LDG_B; s++)
        ldg_b_reg[s] =
            gemm_load4<VECTOR>(gemm_at(from->b, p.ldb, s * B_STEP, 0), b_k + s * B_STEP < k_left ? from->cols : 0);
    from->b = gemm_at(from->b, p.ldb, TILE_K, 0);
}

static __device__ __forceinline__ void registers_to_shared(const float4 *ldg_a_reg, const float4 *ldg_b_reg,
                                                           float (*As)[A_ROW], float (*Bs)[BN]) {
#pragma unroll
    for (int s = 0; s < LDG_A; s++) {
        int e = threadIdx.x + s * THREADS, row = e / (TILE_K / 4), k = e % (TILE_K / 4) * 4;
        As[k + 0][row] = ldg_a_reg[s].x;
        As[k + 1][row] = ldg_a_reg[s].y;
        As[k + 2][row] = ldg_a_reg[s].z;
        As[k + 3][row] = ldg_a_reg[s].w;
    }
#pragma unroll
    for (int s = 0; s < LDG_B; s++) {
        int e = threadIdx.x + s * THREADS;
        *(float4 *)&Bs[e / (BN / 4)][e % (BN / 4) * 4] = ldg_b_reg[s];
    }
}

static __device__ __forceinline__ void shared_to_registers(const float *As_k, const float *Bs_k, int tx, int ty,
                                                           float *a_reg, float *b_reg) {
    *(float4 *)&a_reg[0] = *(const float4 *)&As_k[ty * 4];
    *(float4 *)&a_reg[4] = *(const float4 *)&As_k[ty * 4 + 64];
    *(float4 *)&b_reg[0] = *(const float4 *)&Bs_k[tx * 4];
    *(float4 *)&b_reg[4] = *(const float4 *)&Bs_k[tx * 4 + 64];
}

static __device__ __forceinline__ void multiply(const float *a_reg, const float *b_reg, float4 (*c)[2]) {
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 2; j++) {
            c[i][j].x += a_reg[i] * b_reg[j * 4 + 0];
            c[i][j].y += a_reg[i] * b_reg[j * 4 + 1];
            c[i][j].z += a_reg[i] * b_reg[j * 4 + 2];
            c[i][j].w += a_reg[i] * b_reg[j * 4 + 3];
        }
}

template <bool VECTOR> __global__ void __launch_bounds__(THREADS, 1) sgemm_register_prefetch(sgemm_problem p) {
    __shared__ __align__(16) tile_pair smem;
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM;
    int col0 = blockIdx.x % blocks_n * BN;
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;

    int a_k = threadIdx.x % (TILE_K / 4) * 4, b_k = threadIdx.x / (BN / 4);
    int b_col = min(col0 + (int)threadIdx.x % (BN / 4) * 4, VECTOR ? p.n - 4 : p.n - 1);
    source from = {{}, gemm_at(p.B, p.ldb, b_k, b_col), p.n - b_col};
#pragma unroll
    for (int s = 0; s < LDG_A; s++)
        from.a[s] = gemm_at(p.A, p.lda, min(row0 + s * A_STEP + (int)threadIdx.x / (TILE_K / 4), p.m - 1), a_k);

    float4 ldg_a_reg[LDG_A], ldg_b_reg[LDG_B];
    __align__(16) float a_reg[2][8], b_reg[2][8];
    float4 c[8][2] = {};

    /* First tile: global, registers, shared, barrier, first fragment. */
    global_to_registers<VECTOR>(p, &from, p.k, ldg_a_reg, ldg_b_reg);
    registers_to_shared(ldg_a_reg, ldg_b_reg, smem.A[0], smem.B[0]);
    __syncthreads();
    shared_to_registers(smem.A[0][0], smem.B[0][0], tx, ty, a_reg[0], b_reg[0]);

    int write_stage_idx = 1;
    for (int k_left = p.k; k_left > 0; k_left -= TILE_K) {
        bool more = k_left > TILE_K;
        int read_stage_idx = write_stage_idx ^ 1;
        if (more) global_to_registers<VECTOR>(p, &from, k_left - TILE_K, ldg_a_reg, ldg_b_reg);
#pragma unroll
        for (int j = 0; j < TILE_K - 1; j++) {
            shared_to_registers(smem.A[read_stage_idx][j + 1], smem.B[read_stage_idx][j + 1], tx, ty,
                                a_reg[(j + 1) % 2], b_reg[(j + 1) % 2]);
            multiply(a_reg[j % 2], b_reg[j % 2], c);
        }
        if (more) {
            registers_to_shared(ldg_a_reg, ldg_b_reg, smem.A[write_stage_idx], smem.B[write_stage_idx]);
            __syncthreads();
            shared_to_registers(smem.A[write_stage_idx][0], smem.B[write_stage_idx][0], tx, ty, a_reg[0], b_reg[0]);
            write_stage_idx ^= 1;
        }
        multiply(a_reg[(TILE_K - 1) % 2], b_reg[(TILE_K - 1) % 2], c);
    }

#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
            gemm_store4<VECTOR>(p, row0 + i / 4 * 64 + ty * 4 + i % 4, col0 + j * 64 + tx * 4, c[i][j]);
}

extern "C" kernel_info kernel_register_prefetch(void) {
    return {(const void *)sgemm_register_prefetch<true>, THREADS, 0};
}

extern "C" cudaError_t launch_register_prefetch(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BM, BN);
    if (blocks == 0) return cudaSuccess;
    sgemm_problem q = gemm_launch_copy(p);
    if (gemm_is_float4(p->A, p->lda, p->k) && gemm_is_float4(p->B, p->ldb, p->n) && gemm_is_float4(p->C, p->ldc, p->n))
        sgemm_register_prefetch<true><<<blocks, THREADS, 0, stream>>>(q);
    else
        sgemm_register_prefetch<false><<<blocks, THREADS, 0, stream>>>(q);
    return cudaGetLastError();
}
