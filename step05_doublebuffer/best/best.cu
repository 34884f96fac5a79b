/* stream_k for any shape and alignment; warp_tile.cuh computes a tile. Stream-K: Osama, Merrill, Cecka, Garland, Owens,
 * "Stream-K: work-centric parallel decomposition for dense matrix-matrix multiplication on the GPU", PPoPP 2023.
 *
 * One block per tile leaves multiprocessors idle (wave quantization): 512 tiles on 132 of them take 4 waves, and the
 * last one is only 88 % full; 32 tiles use 32 of 132. Here all waves but the last one or two run that way. The work
 * that remains, counted in tiles of K, is divided evenly among as many workers (blocks) as there are multiprocessors,
 * regardless of where in C it lies:
 *
 *   tiles of C      |------ 0 ------|------ 1 ------|------ 2 ------|     3 tiles, 4 workers, K = 8 tiles each:
 *   tiles of K      0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7       24 / 4 = 6 tiles of K per worker
 *   workers         |---- 0 ----|---- 1 ----|---- 2 ----|---- 3 ----|
 *
 * Worker 1 finishes tile 0 and begins tile 1. A worker that did not begin its tile of C leaves its partial sums in
 * global memory; the one that began the tile waits for them, adds them in the order of K (so that the result is the
 * same every time) and stores. */
#include <limits.h>

#include "ptx/acquire_release.cuh"
#include "warp_tile.cuh"

static const int MAX_BLOCKS = 192; /* how many workers the workspace has room for */
static const int MIN_SHARE = 4;    /* below this many tiles of K per worker, splitting does not pay */

/* The workspace: partial sums that one worker leaves for another, and whether they are there. Only one launch at a time
 * may use it, which launches in one stream guarantee. Each flag is cleared by the worker that waited for it. */
static __device__ float left_sums[MAX_BLOCKS][TM][TN][THREADS];
static __device__ unsigned left_ready[MAX_BLOCKS];

/* Word by word: neighbouring threads write neighbouring words. (A float4 would want its words in four aligned registers,
 * which may bind the registers of the main loop, too.) */
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
            c_reg[i][j] += __ldcg(&left_sums[worker][i][j][threadIdx.x]); /* from L2: L1 may hold data of an earlier
                                                                           * launch */
    __syncthreads();
    if (threadIdx.x == 0) left_ready[worker] = 0;
}

/* The tiles of C from `first` on are divided: counting through all of them, each worker gets `share` tiles of K, and
 * the first `extra` workers one more. */
struct sharing {
    int first, share, extra;
};

/* The first tile of K of a worker. */
static __device__ __forceinline__ int share_begin(sharing s, int worker) {
    return worker * s.share + min(worker, s.extra);
}

template <bool VECTOR> __global__ void __launch_bounds__(THREADS, 1) sgemm_best(sgemm_problem p, sharing s) {
    extern __shared__ __align__(16) unsigned char shared[];
    /* The last block is worker 0: a worker waits for those after it, whose blocks have been started before its own. */
    int worker = gridDim.x - 1 - blockIdx.x, tiles_k = tiles_of_k(p);

    int end;
    for (int at = share_begin(s, worker); at < (end = share_begin(s, worker + 1));) {
        int tile = at / tiles_k, k_begin = at % tiles_k, k_end = min(k_begin + end - at, tiles_k);
        float c_reg[TM][TN] = {};
        int row0, col0;
        tile_position(p, s.first + tile, &row0, &col0);
        accumulate<VECTOR>(p, (stage *)shared, row0, col0, k_begin, k_end, c_reg);
        __syncthreads(); /* the stages are free for the next piece */

        if (k_begin > 0) {
            leave_sums(worker, c_reg);
        } else {
            if (k_end < tiles_k) /* the workers after this one have the rest of the tile */
                for (int other = worker + 1; share_begin(s, other) < (tile + 1) * tiles_k; other++)
                    add_sums(other, c_reg);
            store_tile(p, row0, col0, c_reg);
        }
        at += k_end - k_begin;
    }
}

extern "C" kernel_info kernel_best(void) {
    return {(const void *)sgemm_best<true>, THREADS, STAGES * sizeof(stage)};
}

extern "C" cudaError_t launch_best(const gemm_problem *p, cudaStream_t stream) {
    sgemm_problem q = gemm_launch_copy(p);
    int64_t tiles = gemm_blocks(p, BM, BN), tiles_k = tiles_of_k(q);
    int device, sms;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess) return error;

    int64_t blocks = sms < MAX_BLOCKS ? sms : MAX_BLOCKS;
    int64_t rest = tiles % blocks; /* tiles of the last, partial wave, divided together with the wave before it */
    int64_t shared_tiles = tiles < blocks ? rest : rest + blocks, work = shared_tiles * tiles_k;
    /* Not if there is nothing to divide, or if the wave is nearly full and dividing would cost more than it gains. */
    if (rest == 0 || rest * 20 >= blocks * 19 || work > INT_MAX) shared_tiles = 0;
    if (work / MIN_SHARE < blocks) {
        blocks = work / MIN_SHARE;
        if (blocks <= shared_tiles) shared_tiles = 0; /* no tile of C would be split */
    }

    error = launch_whole_tiles(q, 0, (unsigned)(tiles - shared_tiles), stream);
    if (error != cudaSuccess || shared_tiles == 0) return error;

    sharing s = {(int)(tiles - shared_tiles), (int)(work / blocks), (int)(work % blocks)};
    auto kernel = gemm_is_float4(q.B, q.ldb, q.n) ? sgemm_best<true> : sgemm_best<false>;
    const int bytes = STAGES * sizeof(stage);
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess) return error;
    kernel<<<(unsigned)blocks, THREADS, bytes, stream>>>(q, s);
    return cudaGetLastError();
}
