/* Exercise: stream-K divides the work evenly, wherever the cuts fall in C's tiles. A block that did not begin its tile
 * leaves its sums in global memory and raises a flag; the block that began the tile waits for the flag and adds them.
 * On a GPU the result is often right, and nothing here makes it so. Before you run it, say what may go wrong between
 * the thread that has a sum and the thread that adds it; then mend it.
 */
#include "gemm/gemm_kernel.cuh"

static const int BM = 64, BN = 64, BK = 16, THREADS = 256;
static const int TM = 4, TN = 4, ROWS = BM / TM, COLS = BN / TN; /* a thread's results, ROWS and COLS apart */
static const int MAX_WORKERS = 192;                              /* for whom there is room below */
static const int MIN_SHARE = 2;                                  /* units of a worker */

/* The sums that one worker leaves for another, and whether they are there. */
static __device__ float left_sums[MAX_WORKERS][TM][TN][THREADS];
static __device__ unsigned left_ready[MAX_WORKERS];

static __device__ __forceinline__ void leave_sums(int worker, const float (*c_reg)[TN]) {
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) left_sums[worker][i][j][threadIdx.x] = c_reg[i][j];
    if (threadIdx.x == 0) *(volatile unsigned *)&left_ready[worker] = 1;
    __syncthreads();
}

static __device__ __forceinline__ void add_sums(int worker, float (*c_reg)[TN]) {
    if (threadIdx.x == 0)
        while (*(volatile unsigned *)&left_ready[worker] == 0) __nanosleep(100);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) c_reg[i][j] += left_sums[worker][i][j][threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) left_ready[worker] = 0; /* for the next launch */
}

/* A unit is one tile of K of one tile of C. Each worker has `share` units, the first `extra` of them one more. */
struct division {
    int tiles_k, share, extra;
};

static __device__ __forceinline__ int units_before(division d, int worker) {
    return worker * d.share + min(worker, d.extra);
}

/* c_reg += A * B over the tiles begin ... end - 1 of K. */
static __device__ __forceinline__ void accumulate(const sgemm_problem &p, int row0, int col0, int begin, int end,
                                                  float (*c_reg)[TN]) {
    __shared__ float As[BM][BK + 1], Bs[BK][BN];
    int tx = threadIdx.x % COLS, ty = threadIdx.x / COLS;
    for (int k0 = begin * BK; k0 < end * BK; k0 += BK) {
        for (int e = threadIdx.x; e < BM * BK; e += THREADS) {
            int r = e / BK, c = e % BK;
            As[r][c] = row0 + r < p.m && k0 + c < p.k ? *gemm_at(p.A, p.lda, row0 + r, k0 + c) : 0.0f;
        }
        for (int e = threadIdx.x; e < BK * BN; e += THREADS) {
            int r = e / BN, c = e % BN;
            Bs[r][c] = k0 + r < p.k && col0 + c < p.n ? *gemm_at(p.B, p.ldb, k0 + r, col0 + c) : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++)
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++) c_reg[i][j] += As[ty + i * ROWS][k] * Bs[k][tx + j * COLS];
        __syncthreads();
    }
}

__global__ void __launch_bounds__(THREADS) sgemm_exercise(sgemm_problem p, division d) {
    int blocks_n = (p.n + BN - 1) / BN, tx = threadIdx.x % COLS, ty = threadIdx.x / COLS;

    /* The last worker's block starts first: a block waits only for those that have been started before it. */
    int worker = gridDim.x - 1 - blockIdx.x;
    int at = units_before(d, worker), end = units_before(d, worker + 1);
    while (at < end) {
        int tile = at / d.tiles_k, k_begin = at % d.tiles_k, k_end = min(k_begin + end - at, d.tiles_k);
        int row0 = tile / blocks_n * BM, col0 = tile % blocks_n * BN;
        float c_reg[TM][TN] = {};
        accumulate(p, row0, col0, k_begin, k_end, c_reg);
        at += k_end - k_begin;
        if (k_begin > 0) { /* another block began this tile */
            leave_sums(worker, c_reg);
            continue;
        }
        for (int other = worker + 1; units_before(d, other) < (tile + 1) * d.tiles_k; other++) add_sums(other, c_reg);
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int j = 0; j < TN; j++) {
                int row = row0 + ty + i * ROWS, col = col0 + tx + j * COLS;
                if (row >= p.m || col >= p.n) continue;
                float *c = gemm_at(p.C, p.ldc, row, col);
                *c = gemm_blend(p, c_reg[i][j], c);
            }
    }
}

extern "C" kernel_info kernel_exercise(void) {
    return {(const void *)sgemm_exercise, THREADS, 0};
}

extern "C" cudaError_t launch_exercise(const gemm_problem *p, cudaStream_t stream) {
    sgemm_problem q = gemm_launch_copy(p);
    int tiles = gemm_blocks(p, BM, BN), tiles_k = max(1, (q.k + BK - 1) / BK), units = tiles * tiles_k, device, sms;
    if (tiles == 0) return cudaSuccess;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess) return error;
    int workers = max(1, min(units / MIN_SHARE, min(sms, MAX_WORKERS)));
    division d = {tiles_k, units / workers, units % workers};
    sgemm_exercise<<<workers, THREADS, 0, stream>>>(q, d);
    return cudaGetLastError();
}
