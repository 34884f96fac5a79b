/* What the rungs after cp_async have as it is there: a stage of the ring, a thread's copies into one, its fragments. A
 * rung has its constants, BM to COL_STEP, before it includes this. */
#pragma once

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
