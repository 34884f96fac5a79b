/* stream_k for any shape and alignment, with a tile for every size of C; warp_tile.cuh computes a tile. Stream-K:
 * Osama, Merrill, Cecka, Garland, Owens, "Stream-K: work-centric parallel decomposition for dense matrix-matrix
 * multiplication on the GPU", PPoPP 2023.
 *
 * One block per tile leaves multiprocessors idle (wave quantization): 512 tiles on 132 of them take 4 waves, and the
 * last one is only 88 % full; 32 tiles use 32 of 132. So the tiles of the last wave or two, counted in tiles of K, are
 * divided evenly among as many workers (blocks) as there is room for, regardless of where in C they lie:
 *
 *   tiles of C      |------ 0 ------|------ 1 ------|------ 2 ------|     3 tiles, 4 workers, K = 8 tiles each:
 *   tiles of K      0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7       24 / 4 = 6 tiles of K per worker
 *   workers         |---- 0 ----|---- 1 ----|---- 2 ----|---- 3 ----|
 *
 * Worker 1 finishes tile 0 and begins tile 1. A worker that did not begin its tile of C leaves its partial sums in
 * global memory; the one that began the tile adds them and stores. In tiles with slices, which may have many parts,
 * they are added in pairs, then the sums of pairs, and so on. The order is always the same, and so is the result.
 *
 * Which tile computes C, and how much of C is divided, is what plan.h estimates to be the fastest. */
#include "plan.h"
#include "sharing.cuh"
#include "short.cuh"
#include "thin.cuh"
#include "warp_tile.cuh"

static const int MAX_SMS = 192, MAX_PER_SM = 3; /* how many workers the workspace has room for */

/* The workspace: partial sums that one worker leaves for another, and whether they are there. Only one launch at a time
 * may use it, which launches in one stream guarantee. Each flag is cleared by the worker that waited for it. */
static __device__ float left_sums[MAX_SMS * 128 * THREADS]; /* of the largest tile 128 from each thread */
static __device__ unsigned left_ready[MAX_SMS * MAX_PER_SM];

template <class T, bool VECTOR_B, bool DIRECT>
__global__ void __launch_bounds__(T::THREADS, T::PER_SM) sgemm_best(sgemm_problem p, sharing s) {
    extern __shared__ __align__(16) unsigned char shared[];
    /* The last block is worker 0: a worker waits for those after it, whose blocks have been started before its own. */
    int worker = gridDim.x - 1 - blockIdx.x, tiles_k = tiles_of_k<T>(p);

    int end;
    for (int at = share_begin(s, worker); at < (end = share_begin(s, worker + 1));) {
        int tile = at / tiles_k, k_begin = at % tiles_k, k_end = min(k_begin + end - at, tiles_k);
        float c_reg[T::TM][T::TN] = {};
        int row0, col0;
        tile_position<T>(p, s.first + tile, &row0, &col0);
        accumulate<T, VECTOR_B>(p, (typename T::stage *)shared, row0, col0, k_begin, k_end, c_reg);
        __syncthreads(); /* the stages are free */
        add_slices<T>((float *)shared, c_reg, p.alpha);

        /* If others have parts of the tile: with slices there may be many, which are added in pairs. */
        int tile_end = (tile + 1) * tiles_k;
        if (T::SLICES > 1 && k_end < tiles_k) {
            int part = worker - worker_of(s, tile * tiles_k);
            for (int step = 1; part % (2 * step) == 0 && share_begin(s, worker + step) < tile_end; step *= 2)
                add_sums<T::RESULTS, T::THREADS>(left_sums, left_ready, worker + step, c_reg);
        }
        if (k_begin > 0) {
            leave_sums<T::RESULTS, T::THREADS>(left_sums, left_ready, worker, c_reg);
        } else {
            if (T::SLICES == 1 && k_end < tiles_k)
                for (int other = worker + 1; share_begin(s, other) < tile_end; other++)
                    add_sums<T::RESULTS, T::THREADS>(left_sums, left_ready, other, c_reg);
            store_tile<T, DIRECT>(p, row0, col0, (float *)shared, c_reg);
        }
        at += k_end - k_begin;
    }
}

/* One block per tile of C: needs fewer registers, having no loop over pieces. */
template <class T, bool VECTOR_B, bool DIRECT>
__global__ void __launch_bounds__(T::THREADS, T::PER_SM) sgemm_whole_tiles(sgemm_problem p) {
    extern __shared__ __align__(16) unsigned char shared[];
    float c_reg[T::TM][T::TN] = {};
    int row0, col0;
    tile_position<T>(p, blockIdx.x, &row0, &col0);
    if (p.k > 0) accumulate<T, VECTOR_B>(p, (typename T::stage *)shared, row0, col0, 0, tiles_of_k<T>(p), c_reg);
    add_slices<T>((float *)shared, c_reg, p.alpha);
    store_tile<T, DIRECT>(p, row0, col0, (float *)shared, c_reg);
}

/* Copies B to rows of whole float4, the last of which ends in zeros. */
static __global__ void __launch_bounds__(THREADS) align_rows(sgemm_problem p, float4 *to) {
    int quads = (p.n + 3) / 4;
    int64_t at = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    int row = (int)(at / quads), col = (int)(at % quads) * 4;
    if (row < p.k) to[at] = gemm_load4<false>(gemm_at(p.B, p.ldb, row, col), p.n - col);
}

template <class T, bool VECTOR_B, bool DIRECT>
static cudaError_t launch_kernels(const sgemm_problem &p, const plan &x, cudaStream_t stream) {
    static_assert(T::PER_SM <= MAX_PER_SM && T::PER_SM * T::BM * T::BN <= 128 * THREADS, "the workspace's room");
    const int bytes = T::shared_bytes(DIRECT); /* more than 48 KB is available only on request */
    if (x.whole > 0) {
        auto kernel = sgemm_whole_tiles<T, VECTOR_B, DIRECT>;
        cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        if (error != cudaSuccess) return error;
        kernel<<<(unsigned)x.whole, T::THREADS, bytes, stream>>>(p);
        error = cudaGetLastError();
        if (error != cudaSuccess) return error;
    }
    if constexpr (T::DIVIDES)
        if (x.divided > 0) {
            int64_t work = x.divided * tiles_of_k<T>(p);
            sharing s = {(int)x.whole, (int)(work / x.workers), (int)(work % x.workers)};
            auto kernel = sgemm_best<T, VECTOR_B, DIRECT>;
            cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
            if (error != cudaSuccess) return error;
            kernel<<<(unsigned)x.workers, T::THREADS, bytes, stream>>>(p, s);
            return cudaGetLastError();
        }
    return cudaSuccess;
}

/* Those for where B and C lie. */
template <class T> static cudaError_t launch_tiles(const sgemm_problem &p, const plan &x, cudaStream_t stream) {
    if constexpr (T::TAKES_WORDS)
        if (!x.vector_b) return launch_kernels<T, false, false>(p, x, stream);
    if constexpr (T::MAY_BE_DIRECT)
        if (gemm_is_float4(p.C, p.ldc, p.n) || T::shared_bytes(false) > x.shared_limit)
            return launch_kernels<T, true, true>(p, x, stream);
    return launch_kernels<T, true, false>(p, x, stream);
}

/* The tiles: BM, BN, BK, TM, TN, stages, blocks on a multiprocessor, divided; multiply-adds and clocks as in
 * plan.h. */
#define TILES(X)                                                                                                       \
    X(115.1, 16200, 128, 256, 16, 8, 16, 4, 1, true)                                                                   \
    X(111.7, 13700, 256, 96, 16, 8, 12, 4, 1, true)                                                                    \
    X(111.8, 13000, 96, 256, 16, 12, 8, 4, 1, true)                                                                    \
    X(109.6, 8000, 64, 128, 16, 8, 8, 4, 3, true)                                                                      \
    X(107.9, 9000, 128, 64, 16, 8, 8, 4, 3, true)                                                                      \
    X(109.3, 7500, 64, 128, 32, 8, 16, 4, 1, true)                                                                     \
    X(105.5, 6000, 64, 64, 64, 8, 16, 3, 1, true)                                                                      \
    X(77.3, 3610, 64, 32, 64, 8, 8, 3, 2, false)                                                                       \
    X(71, 3310, 32, 128, 16, 4, 8, 4, 2, false)                                                                        \
    X(58.5, 3200, 32, 32, 64, 4, 8, 3, 2, true)

/* The thin kernels: rows and columns of a warp or thread, as in plan.h. */
#define THIN_KERNELS(X)                                                                                                \
    X(launch_strips<2>, 2, STRIP, WARPS, WARPS, 8, 41.2, 278)                                                          \
    X(launch_strips<8>, 8, STRIP, WARPS, WARPS, 8, 33, 1450)                                                           \
    X(launch_strips<16>, 16, STRIP, WARPS, WARPS, 4, 46.5, 3770)                                                       \
    X(launch_dots<1>, DOT_ROWS, 1, THREADS, 2, 4, 22, 328)                                                             \
    X(launch_dots<8>, DOT_ROWS, 8, THREADS, 2, 2, 27, 2120)

/* The plan for p (m, n > 0) on the current device; may_align: there is a workspace to copy B to. */
static cudaError_t make_plan(const sgemm_problem &p, bool may_align, plan *x) {
    int device, sms, shared_limit;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&shared_limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error != cudaSuccess) return error;
    planner to = {&p, sms < MAX_SMS ? sms : MAX_SMS, shared_limit, may_align, x};
    consider_words(to, launch_words);
    consider_short(to, launch_short);
#define CONSIDER_THIN(LAUNCH, ...) consider_thin(to, LAUNCH, {__VA_ARGS__});
    THIN_KERNELS(CONSIDER_THIN)
#define CONSIDER(RATE, OVERHEAD, ...)                                                                                  \
    consider<tile_shape<__VA_ARGS__>>(to, launch_tiles<tile_shape<__VA_ARGS__>>, {RATE, OVERHEAD});
    TILES(CONSIDER)
    return x->launch != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

extern "C" kernel_info kernel_best(void) {
    typedef tile_shape<128, 256, 16, 8, 16, 4, 1, true> largest_tile;
    return {(const void *)sgemm_best<largest_tile, true, true>, largest_tile::THREADS,
            largest_tile::shared_bytes(true)};
}

extern "C" size_t workspace_sgemm_best(const gemm_problem *p) {
    sgemm_problem q = gemm_launch_copy(p);
    if (q.m == 0 || q.n == 0) return 0;
    plan x = {};
    return make_plan(q, true, &x) == cudaSuccess && x.align ? aligned_bytes(q) : 0;
}

extern "C" cudaError_t launch_best(const gemm_problem *p, cudaStream_t stream) {
    sgemm_problem q = gemm_launch_copy(p);
    if (q.m == 0 || q.n == 0) return cudaSuccess;
    plan x = {};
    cudaError_t error = make_plan(q, p->workspace != NULL, &x);
    if (error != cudaSuccess) return error;
    if (x.align) {
        int64_t quads = aligned_bytes(q) / sizeof(float4);
        align_rows<<<(unsigned)((quads + THREADS - 1) / THREADS), THREADS, 0, stream>>>(q, (float4 *)p->workspace);
        error = cudaGetLastError();
        if (error != cudaSuccess) return error;
        q.B = (const float *)p->workspace, q.ldb = (q.n + 3) / 4 * 4;
    }
    return x.launch(q, x, stream);
}
