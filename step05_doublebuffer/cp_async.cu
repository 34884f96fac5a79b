/* cp.async (LDGSTS): copies from global to shared memory that bypass registers, in a pipeline of four tiles.
 *
 * register_prefetch moves a tile in two steps, global memory to registers and registers to shared memory. Here one
 * instruction does both, while the warps multiply. The staging registers and the stores into shared memory are gone.
 * A is transposed on the way, since each 4-byte copy may go to any address.
 *
 *   stage      0         1          2            3           one group of copies per tile; a thread waits until
 *   tile       t        t+1        t+2          t+3          at most STAGES-2 groups are in flight: tile t+1 is there
 *           computed  in flight  in flight  being issued     when tile t has been multiplied
 *
 * Copies beyond the last k fill with zeros: the source size given to the instruction says how much to read. */
#include "gemm/gemm_kernel.cuh"
#include "gemm/launch.cuh"
#include "ptx/cp_async.cuh"

static const int BM = 128, BN = 128, BK = 16;
static const int STAGES = 4, THREADS = 256;
static const int TM = 8, TN = 8;               /* a thread's results: blocks of 4 x 4, */
static const int ROW_STEP = 64, COL_STEP = 64; /* so far apart */
static const int A_ROW = BM + 4; /* 8 values of k and 4 rows, copied at once by a warp, fall into 32 banks */
static const int A_COPIES = BM * BK / THREADS, B_COPIES = BK * BN / 4 / THREADS; /* of a thread, 4 and 16 bytes each */

struct stage {
    float A[BK][A_ROW];
    float B[BK][BN];
};
static const int BYTES = STAGES * sizeof(stage);

/* Where a thread's copies of the next tile read, and how many values of k are left. Rows of A and columns of B beyond
 * the matrix are replaced by the last ones (their results are never stored); only k needs zeros. */
struct source {
    const float *a[A_COPIES / 2], *b;
    int k_left;
};

static __device__ __forceinline__ source first_tile(const sgemm_problem &p, int row0, int col0) {
    int a_row = row0 + threadIdx.x / 8, b_col = min(col0 + (int)threadIdx.x % (BN / 4) * 4, p.n - 4);
    source from = {{}, gemm_at(p.B, p.ldb, threadIdx.x / (BN / 4), b_col), p.k};
#pragma unroll
    for (int r = 0; r < A_COPIES / 2; r++)
        from.a[r] = gemm_at(p.A, p.lda, min(a_row + r * 32, p.m - 1), threadIdx.x % 8);
    return from;
}

static __device__ __forceinline__ void next_tile(const sgemm_problem &p, source *from) {
#pragma unroll
    for (int r = 0; r < A_COPIES / 2; r++) from->a[r] += BK;
    from->b = gemm_at(from->b, p.ldb, BK, 0);
    from->k_left -= BK;
}

/* One of this thread's copies: first those of A (a warp takes 8 values of k in 4 rows, one sector a row), then B's. */
static __device__ __forceinline__ void copy(const sgemm_problem &p, const source &from, int s, stage *to) {
    if (s < A_COPIES) {
        int row = threadIdx.x / 8 + s / 2 * 32, k = threadIdx.x % 8 + s % 2 * 8;
        cp_async_4_zfill(shared_address(&to->A[k][row]), from.a[s / 2] + s % 2 * 8, k < from.k_left ? 4 : 0);
    } else {
        int step = (s - A_COPIES) * (BK / B_COPIES);
        int k = threadIdx.x / (BN / 4) + step, col = threadIdx.x % (BN / 4) * 4;
        cp_async_16_zfill(shared_address(&to->B[k][col]), gemm_at(from.b, p.ldb, step, 0), k < from.k_left ? 16 : 0);
    }
}

static __device__ __forceinline__ void copy_tile(const sgemm_problem &p, source *from, stage *to) {
#pragma unroll
    for (int s = 0; s < A_COPIES + B_COPIES; s++) copy(p, *from, s, to);
    next_tile(p, from);
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

/* The block's tile of C at (row0, col0), of which this thread's results begin at (row, col). */
static __device__ __forceinline__ void compute_tile(const sgemm_problem &p, stage *stages, int row0, int col0, int row,
                                                    int col) {
    source from = first_tile(p, row0, col0);
    for (int t = 0; t < STAGES - 1; t++) {
        copy_tile(p, &from, &stages[t]);
        cp_async_commit();
    }
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    float a_reg[2][TM], b_reg[2][TN], c_reg[TM][TN] = {};
    shared_to_registers(&stages[0], 0, row, col, a_reg[0], b_reg[0]);

    int tiles = (p.k + BK - 1) / BK;
    for (int t = 0; t < tiles; t++) {
        if (t + STAGES - 1 <= tiles) /* one beyond the last: zeros, which are read but not multiplied */
            copy_tile(p, &from, &stages[(t + STAGES - 1) % STAGES]);
        cp_async_commit(); /* an empty group where there is no tile, so that counting groups counts tiles */
        const stage *now = &stages[t % STAGES];
#pragma unroll
        for (int k = 0; k < BK; k++) {
            if (k == BK - 1) {
                cp_async_wait<STAGES - 2>(); /* my copies of tile t + 1 have landed */
                __syncthreads();             /* so have everyone's, and no one reads tile t any more */
                now = &stages[(t + 1) % STAGES];
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

__global__ void __launch_bounds__(THREADS, 2) sgemm_cp_async(sgemm_problem p) {
    extern __shared__ __align__(16) stage stages[];
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int row = threadIdx.x / 16 * 4, col = threadIdx.x % 16 * 4; /* of this thread's first results in the tile */
    compute_tile(p, stages, row0, col0, row, col);
}

extern "C" kernel_info kernel_cp_async(void) {
    return {(const void *)sgemm_cp_async, THREADS, BYTES};
}

extern "C" cudaError_t launch_cp_async(const gemm_problem *p, cudaStream_t stream) {
    return gemm_launch(sgemm_cp_async, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, gemm_launch_copy(p));
}
