/* One correct GEMM, and what can go wrong with one: each launcher below makes a single mistake, and faults.c checks
 * that operand_sets_verify() finds it. Each thread computes one element; most mistakes are made by a second, small
 * kernel that follows it on the stream. Anything written outside C stays within the operands' guard zones. */
#include "base/values.h"
#include "gemm/gemm_kernel.cuh"

static const int BLOCK = 16; /* a block computes 16 x 16 elements of C */

/* Element (skip_row, skip_col) is not written and term `drop` of every sum left out; -1: none. */
__global__ void sgemm(sgemm_problem p, int skip_row, int skip_col, int drop) {
    int blocks_n = (p.n + BLOCK - 1) / BLOCK;
    int row = blockIdx.x / blocks_n * BLOCK + threadIdx.y;
    int col = blockIdx.x % blocks_n * BLOCK + threadIdx.x;
    if (row >= p.m || col >= p.n || (row == skip_row && col == skip_col)) return;

    float acc = 0.0f;
    for (int k = 0; k < p.k; k++)
        if (k != drop) acc += *gemm_at(p.A, p.lda, row, k) * *gemm_at(p.B, p.ldb, k, col);

    float *c = gemm_at(p.C, p.ldc, row, col);
    *c = gemm_blend(p, acc, c);
}

/* beta == 0 makes no difference to it: C is read. */
__global__ void sgemm_reads_c(sgemm_problem p) {
    int blocks_n = (p.n + BLOCK - 1) / BLOCK;
    int row = blockIdx.x / blocks_n * BLOCK + threadIdx.y;
    int col = blockIdx.x % blocks_n * BLOCK + threadIdx.x;
    if (row >= p.m || col >= p.n) return;

    float acc = 0.0f;
    for (int k = 0; k < p.k; k++) acc += *gemm_at(p.A, p.lda, row, k) * *gemm_at(p.B, p.ldb, k, col);

    float *c = gemm_at(p.C, p.ldc, row, col);
    *c = p.alpha * acc + p.beta * *c;
}

__global__ void set_bits(float *x, uint32_t bits) {
    *x = values_from_bits(bits);
}

__global__ void add_one(float *x) {
    *x += 1.0f;
}

__global__ void swap_rows(sgemm_problem p, int upper, int lower) {
    for (int col = threadIdx.x; col < p.n; col += blockDim.x) {
        float *u = gemm_at(p.C, p.ldc, upper, col), *l = gemm_at(p.C, p.ldc, lower, col), old = *u;
        *u = *l;
        *l = old;
    }
}

static cudaError_t run(gemm_problem p, cudaStream_t stream, int skip_row = -1, int skip_col = -1, int drop = -1) {
    unsigned blocks = gemm_blocks(&p, BLOCK, BLOCK);
    if (blocks == 0) return cudaSuccess;
    sgemm<<<blocks, dim3(BLOCK, BLOCK), 0, stream>>>(gemm_as_f32(&p), skip_row, skip_col, drop);
    return cudaGetLastError();
}

static cudaError_t run_right(const gemm_problem *p, cudaStream_t stream) {
    return run(gemm_effective(p), stream);
}

/* The right result, then `bits` written to x. */
static cudaError_t run_and_set(const gemm_problem *p, cudaStream_t stream, const float *x, uint32_t bits) {
    cudaError_t error = run_right(p, stream);
    if (error != cudaSuccess) return error;
    set_bits<<<1, 1, 0, stream>>>((float *)x, bits);
    return cudaGetLastError();
}

static const float *element(const void *x, int ld, int row, int col) {
    return (const float *)x + (int64_t)row * ld + col;
}

static const uint32_t A_NAN = 0x7fc00000u, AN_INFINITY = 0x7f800000u, THREE = 0x40400000u;

extern "C" cudaError_t launch_right(const gemm_problem *p, cudaStream_t stream) {
    return run_right(p, stream);
}

/* ---- wrong elements ---- */

extern "C" cudaError_t launch_wrong_element(const gemm_problem *p, cudaStream_t stream) {
    cudaError_t error = run_right(p, stream);
    if (error != cudaSuccess) return error;
    add_one<<<1, 1, 0, stream>>>((float *)element(p->C, p->ldc, 5, 7));
    return cudaGetLastError();
}

extern "C" cudaError_t launch_nan(const gemm_problem *p, cudaStream_t stream) {
    return run_and_set(p, stream, element(p->C, p->ldc, 0, p->n - 1), A_NAN);
}

extern "C" cudaError_t launch_infinity(const gemm_problem *p, cudaStream_t stream) {
    return run_and_set(p, stream, element(p->C, p->ldc, p->m - 1, p->n - 1), AN_INFINITY);
}

extern "C" cudaError_t launch_swapped_rows(const gemm_problem *p, cudaStream_t stream) {
    cudaError_t error = run_right(p, stream);
    if (error != cudaSuccess) return error;
    swap_rows<<<1, 32, 0, stream>>>(gemm_as_f32(p), 2, 3);
    return cudaGetLastError();
}

extern "C" cudaError_t launch_unwritten_element(const gemm_problem *p, cudaStream_t stream) {
    return run(gemm_effective(p), stream, 4, 9);
}

extern "C" cudaError_t launch_unwritten_block(const gemm_problem *p, cudaStream_t stream) {
    sgemm<<<gemm_blocks(p, BLOCK, BLOCK) - 1, dim3(BLOCK, BLOCK), 0, stream>>>(gemm_launch_copy(p), -1, -1, -1);
    return cudaGetLastError();
}

extern "C" cudaError_t launch_dropped_term(const gemm_problem *p, cudaStream_t stream) {
    return run(gemm_effective(p), stream, -1, -1, p->k - 1);
}

/* ---- wrong scalars, and reading what may not be read ---- */

extern "C" cudaError_t launch_ignores_alpha(const gemm_problem *p, cudaStream_t stream) {
    gemm_problem other = *p;
    other.alpha = 1.0f;
    return run(other, stream);
}

extern "C" cudaError_t launch_ignores_beta(const gemm_problem *p, cudaStream_t stream) {
    gemm_problem other = *p;
    other.beta = 0.0f;
    return run(other, stream);
}

extern "C" cudaError_t launch_reads_a(const gemm_problem *p, cudaStream_t stream) {
    return run(*p, stream); /* without gemm_launch_copy: alpha == 0 makes no difference */
}

extern "C" cudaError_t launch_reads_c(const gemm_problem *p, cudaStream_t stream) {
    sgemm_reads_c<<<gemm_blocks(p, BLOCK, BLOCK), dim3(BLOCK, BLOCK), 0, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}

extern "C" cudaError_t launch_reads_beyond_k(const gemm_problem *p, cudaStream_t stream) {
    gemm_problem other = *p;
    other.k++; /* column k of A is padding, row k of B the guard behind it */
    return run(other, stream);
}

/* ---- writing what may not be written ---- */

extern "C" cudaError_t launch_writes_before_c(const gemm_problem *p, cudaStream_t stream) {
    return run_and_set(p, stream, (const float *)p->C - 1, THREE);
}

extern "C" cudaError_t launch_writes_after_c(const gemm_problem *p, cudaStream_t stream) {
    return run_and_set(p, stream, element(p->C, p->ldc, p->m, 0), THREE);
}

extern "C" cudaError_t launch_writes_padding(const gemm_problem *p, cudaStream_t stream) {
    return run_and_set(p, stream, element(p->C, p->ldc, 3, p->n), THREE);
}

extern "C" cudaError_t launch_writes_a(const gemm_problem *p, cudaStream_t stream) {
    return run_and_set(p, stream, element(p->A, p->lda, 1, 2), THREE);
}

extern "C" cudaError_t launch_writes_b(const gemm_problem *p, cudaStream_t stream) {
    return run_and_set(p, stream, element(p->B, p->ldb, 2, 1), THREE);
}
