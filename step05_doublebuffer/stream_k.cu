/* Stream-K: the last waves of tiles divided evenly among the multiprocessors (Osama, Merrill, Cecka, Garland, Owens:
 * "Stream-K: work-centric parallel decomposition for dense matrix-matrix multiplication on the GPU", PPoPP 2023).
 *
 * One block per tile leaves multiprocessors idle (wave quantization): 32 tiles use 32 of 132. Here all waves but the
 * last one or two run that way. The work that remains, counted in tiles of K, is cut into as many equal pieces as there
 * are multiprocessors, regardless of where in C the cuts fall:
 *
 *   tiles of C      |------ 0 ------|------ 1 ------|------ 2 ------|     3 tiles, 4 workers, K = 8 tiles each:
 *   tiles of K      0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7       24 / 4 = 6 tiles of K per worker
 *   workers         |---- 0 ----|---- 1 ----|---- 2 ----|---- 3 ----|
 *
 * Worker 1 finishes tile 0 and begins tile 1. A worker that did not begin its tile of C leaves its partial sums in
 * global memory; the one that began the tile waits for them, adds them in the order of K (so that the result is the
 * same every time) and stores. */
#include "gemm/gemm_kernel.cuh"
#include "ptx/acquire_release.cuh"
#include "ptx/cp_async.cuh"

static const int BM = 128, BN = 256, BK = 16, WM = 64, WN = 64; /* the tiles of a block and of a warp */
static const int STAGES = 4, THREADS = 256, BAND = 8;
static const int MAX_WORKERS = 192;            /* for whom the workspace has room */
static const int MIN_SHARE = 4;                /* tiles of K of a worker; below, dividing does not pay */
static const int TM = 8, TN = 16;              /* a thread's results: blocks of 4 x 4, */
static const int ROW_STEP = 32, COL_STEP = 16; /* so far apart */

#include "copies.cuh"
#include "fma_order.cuh"

static const int COPIES = A_COPIES + B_COPIES, SLOTS = BK - 1; /* all but the last k have room for some */

static __device__ __forceinline__ source first_tile(const sgemm_problem &p, int row0, int col0, int k_begin,
                                                    int k_end) {
    int a_row = row0 + threadIdx.x / 8, b_col = min(col0 + (int)threadIdx.x % (BN / 4) * 4, p.n - 4);
    source from = {{}, gemm_at(p.B, p.ldb, k_begin + threadIdx.x / (BN / 4), b_col), min(k_end, p.k) - k_begin};
#pragma unroll
    for (int r = 0; r < A_COPIES / 2; r++)
        from.a[r] = gemm_at(p.A, p.lda, min(a_row + r * 32, p.m - 1), k_begin + threadIdx.x % 8);
    return from;
}

/* Where the tile of C with this number begins. A band has BAND rows of tiles, the last one perhaps fewer. */
static __device__ __forceinline__ void tile_position(const sgemm_problem &p, int tile, int *row0, int *col0) {
    int band_tiles = (p.n + BN - 1) / BN * BAND, band = tile / band_tiles;
    int rows = min(BAND, (p.m + BM - 1) / BM - band * BAND);
    *row0 = (band * BAND + tile % band_tiles % rows) * BM;
    *col0 = tile % band_tiles / rows * BN;
}

/* The workspace: partial sums that one worker leaves for another, and whether they are there. Only one launch at a time
 * may use it, which launches in one stream guarantee. Each flag is cleared by the worker that waited for it. */
static __device__ float left_sums[MAX_WORKERS][TM][TN][THREADS];
static __device__ unsigned left_ready[MAX_WORKERS];

static __device__ __forceinline__ void leave_sums(int worker, const float (*c_reg)[TN]) {
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) left_sums[worker][i][j][threadIdx.x] = c_reg[i][j];
    __syncthreads();
    if (threadIdx.x == 0) store_release(&left_ready[worker], 1);
}

static __device__ __forceinline__ void add_sums(int worker, float (*c_reg)[TN]) {
    if (threadIdx.x == 0)
        while (load_acquire(&left_ready[worker]) == 0) __nanosleep(100);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++)
            c_reg[i][j] += __ldcg(&left_sums[worker][i][j][threadIdx.x]); /* from L2: L1 may hold an earlier launch's */
    __syncthreads();
    if (threadIdx.x == 0) left_ready[worker] = 0;
}

/* How the work is divided. A piece is a range of units, a unit one tile of K of one tile of C. The first `whole` pieces
 * are whole tiles of C, `tiles_k` units each; of the others each has `share`, and the first `extra` of them one more.
 */
struct division {
    int whole, tiles_k, share, extra;
};

static __device__ __forceinline__ int64_t piece_begin(division d, int piece) {
    int worker = max(0, piece - d.whole);
    return (int64_t)(piece - worker) * d.tiles_k + worker * d.share + min(worker, d.extra);
}

/* c_reg += A * B over the tiles begin ... end - 1 of K, for the tile of C at (row0, col0). */
static __device__ __forceinline__ void accumulate(const sgemm_problem &p, stage *stages, int row0, int col0, int begin,
                                                  int end, int row, int col, float (*c_reg)[TN]) {
    source from = first_tile(p, row0, col0, begin * BK, end * BK);
    for (int t = 0; t < STAGES - 1; t++) {
#pragma unroll
        for (int s = 0; s < COPIES; s++) copy(p, from, s, &stages[t]);
        next_tile(p, &from);
        cp_async_commit();
    }
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    float a_reg[2][TM], b_reg[2][TN];
    shared_to_registers(&stages[0], 0, row, col, a_reg[0], b_reg[0]);

    for (int t = 0; t < end - begin; t++) {
        stage *to = &stages[(t + STAGES - 1) % STAGES];
        const stage *now = &stages[t % STAGES];
#pragma unroll
        for (int k = 0; k < BK; k++) {
            if (k < SLOTS) { /* beyond the last tile zeros: to ask whether there is one would take registers */
#pragma unroll
                for (int s = k * COPIES / SLOTS; s < (k + 1) * COPIES / SLOTS; s++) copy(p, from, s, to);
            } else {
                cp_async_commit();
                next_tile(p, &from);
                cp_async_wait<STAGES - 2>(); /* my copies of tile t + 1 have landed */
                __syncthreads();             /* so have everyone's, and no one reads tile t any more */
                now = &stages[(t + 1) % STAGES];
            }
            shared_to_registers(now, (k + 1) % BK, row, col, a_reg[(k + 1) % 2], b_reg[(k + 1) % 2]);
            multiply(a_reg[k % 2], b_reg[k % 2], c_reg);
        }
    }
    cp_async_wait<0>(); /* the stages are free for the next piece */
    __syncthreads();
}

__global__ void __launch_bounds__(THREADS, 1) sgemm_stream_k(sgemm_problem p, division d) {
    extern __shared__ __align__(16) stage stages[];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32; /* of this thread's first results in the tile: */
    int row = warp / (BN / WN) * WM + lane / 4 * 4, col = warp % (BN / WN) * WN + lane % 4 * 4;

    /* The last piece's block starts first: a block waits only for those that have been started before it. */
    int piece = gridDim.x - 1 - blockIdx.x;
    int64_t at = piece_begin(d, piece), end = piece_begin(d, piece + 1);
    while (at < end) {
        int tile = at / d.tiles_k, k_begin = at % d.tiles_k, k_end = min(k_begin + end - at, (int64_t)d.tiles_k);
        int row0, col0;
        tile_position(p, tile, &row0, &col0);
        float c_reg[TM][TN] = {};
        accumulate(p, stages, row0, col0, k_begin, k_end, row, col, c_reg);
        at += k_end - k_begin;
        if (k_begin > 0) { /* another block began this tile */
            leave_sums(piece - d.whole, c_reg);
            continue;
        }
        for (int other = piece + 1; piece_begin(d, other) < (tile + 1ll) * d.tiles_k; other++)
            add_sums(other - d.whole, c_reg); /* the rest of the tile */
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int j = 0; j < TN; j += 4)
                gemm_store4<true>(p, row0 + row + i / 4 * ROW_STEP + i % 4, col0 + col + j / 4 * COL_STEP,
                                  make_float4(c_reg[i][j], c_reg[i][j + 1], c_reg[i][j + 2], c_reg[i][j + 3]));
    }
}

extern "C" kernel_info kernel_stream_k(void) {
    return {(const void *)sgemm_stream_k, THREADS, BYTES};
}

extern "C" cudaError_t launch_stream_k(const gemm_problem *p, cudaStream_t stream) {
    sgemm_problem q = gemm_launch_copy(p);
    int tiles = gemm_blocks(p, BM, BN), tiles_k = q.k > 0 ? (q.k + BK - 1) / BK : 1, device, sms;
    if (tiles == 0) return cudaSuccess;
    cudaError_t error = cudaFuncSetAttribute(sgemm_stream_k, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    if (error == cudaSuccess) error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess) return error;

    /* Divided are the last wave and the whole one before it, unless the last one is full, or nearly, or K is short. */
    if (sms > MAX_WORKERS) sms = MAX_WORKERS;
    int rest = tiles % sms, divided = tiles < sms ? tiles : rest + sms;
    if (rest == 0 || rest * 20 >= sms * 19 || tiles_k <= MIN_SHARE) divided = 0;
    int64_t work = (int64_t)divided * tiles_k;
    int workers = work / MIN_SHARE < sms ? work / MIN_SHARE : sms;
    division d = {tiles - divided, tiles_k, workers ? (int)(work / workers) : 0, workers ? (int)(work % workers) : 0};
    sgemm_stream_k<<<d.whole + workers, THREADS, BYTES, stream>>>(q, d);
    return cudaGetLastError();
}
