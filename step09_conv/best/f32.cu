/* Implicit GEMM in FP32 for any convolution: step 5's `best`, whose copies find the elements where they lie.
 *
 * f32_tile.cuh computes a tile, and f32_plan.c says which one, and how many of them are divided along the taps: among
 * workers, as in step 5's stream-K, so that every multiprocessor has the same share, also where there are few tiles.
 *
 *   tiles of y        |------ 0 ------|------ 1 ------|------ 2 ------|     3 tiles, 4 workers
 *   tiles of taps     0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7
 *   workers           |---- 0 ----|---- 1 ----|---- 2 ----|---- 3 ----|
 *
 * A worker that did not begin its tile leaves its sums in the workspace. They are added in pairs, then the sums of
 * pairs, and so on, always in the same order; the one that began the tile stores the result.
 *
 * Tiles with the same places have neighbouring numbers: their blocks run at the same time, and find x in L2. */
#include "../../step05_doublebuffer/best/sharing.cuh"
#include "best.h"
#include "f32_plan.h"
#include "f32_tile.cuh"

/* Whether a worker's sums are there. One launch at a time uses them, and the workspace, as launches of one variant
 * follow one another. Each is cleared by the worker that waited for it. */
static __device__ unsigned left_ready[F32_MAX_WORKERS];

/* Adds up a divided tile, of which this worker has tiles of taps from `at` on and up to the tile's end others: true
 * for the worker that has the sum in the end. */
template <class T>
static __device__ __forceinline__ bool add_parts(const conv_problem &p, sharing s, int worker, int begin, int end,
                                                 float (*c_reg)[T::TN]) {
    int part = worker - worker_of(s, begin);
    for (int step = 1; part % (2 * step) == 0 && share_begin(s, worker + step) < end; step *= 2)
        add_sums<T::RESULTS, T::THREADS>(p.workspace, left_ready, worker + step, c_reg);
    if (part > 0) leave_sums<T::RESULTS, T::THREADS>(p.workspace, left_ready, worker, c_reg);
    return part == 0;
}

/* Word i of a thread of the tile in shared memory, row by row: neighbouring threads have neighbouring words. */
template <class T> static __device__ __forceinline__ float *word_of(float *shared, int i) {
    static_assert(T::SLICES == 1 || T::THREADS % T::BN == 0, "a step is of whole rows");
    const int STEP = T::THREADS / T::BN * T::SUM_ROW;
    return shared + threadIdx.x / T::BN * T::SUM_ROW + threadIdx.x % T::BN + i * STEP;
}

/* Slices of taps: c_reg's first RESULTS words become the sums of this thread's words; and back to shared memory. */
template <class T> static __device__ __forceinline__ void take_sums(float *shared, float (*c_reg)[T::TN], float alpha) {
    put_sums<T>(shared, c_reg, alpha);
#pragma unroll
    for (int i = 0; i < T::RESULTS; i++) {
        const float *from = word_of<T>(shared, i);
        float sum = *from;
#pragma unroll
        for (int s = 1; s < T::SLICES; s++) sum += from[s * T::BM * T::SUM_ROW];
        c_reg[i / T::TN][i % T::TN] = sum;
    }
}
template <class T> static __device__ __forceinline__ void return_sums(float *shared, const float (*c_reg)[T::TN]) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T::RESULTS; i++) *word_of<T>(shared, i) = c_reg[i / T::TN][i % T::TN];
    __syncthreads();
}

/* Stores WIDTH neighbours in a row of y, sums that have been multiplied by alpha, all of them or none, of filters from
 * k on: y's rows are filters (NCHW) or places (NHWC). */
template <bool NHWC, int WIDTH>
static __device__ __forceinline__ void store(const conv_problem &p, int k, float (&sum)[WIDTH], float *y) {
    float old[WIDTH] = {};
    if (p.beta != 0.0f) {
        if (WIDTH == 4)
            *(float4 *)old = *(const float4 *)y;
        else
            old[0] = *y;
    }
#pragma unroll
    for (int i = 0; i < WIDTH; i++) {
        if (p.beta != 0.0f) sum[i] += p.beta * old[i];
        if (p.bias != NULL) sum[i] += ((const float *)p.bias)[NHWC ? k + i : k];
    }
    if (WIDTH == 4)
        *(float4 *)y = *(const float4 *)sum;
    else
        *y = sum[0];
}

/* Stores the tile in shared memory, columns from col0 on as many as the threads reach: each has WIDTH of them, whose
 * image it finds once. */
template <class T, int WIDTH>
static __device__ __forceinline__ void store_columns(const conv_problem &p, int filter0, int place0, int col0,
                                                     const float *shared, int slices) {
    const int ACROSS = T::BN / WIDTH < T::THREADS ? T::BN / WIDTH : T::THREADS, DOWN = T::THREADS / ACROSS,
              in_image = p.p * p.q;
    int row = threadIdx.x / ACROSS, col = col0 + threadIdx.x % ACROSS * WIDTH;
    const float *from = shared + row * T::SUM_ROW + col;
    row += T::NHWC ? place0 : filter0, col += T::NHWC ? filter0 : place0;
    int rows = T::NHWC ? conv_places(&p) : p.k;
    if (col >= (T::NHWC ? p.k : conv_places(&p))) return;
    int64_t stride = T::NHWC ? p.k : in_image;
    float *y = (float *)p.y + (T::NHWC ? col : (int64_t)(col / in_image) * p.k * in_image + col % in_image);
    y += row * stride;
#pragma unroll 4
    for (int i = 0; i < T::BM; i += DOWN) {
        if (row + i >= rows) break;
        float sum[WIDTH] = {};
        for (int s = 0; s < slices; s++) {
            const float *slice = from + (s * T::BM + i) * T::SUM_ROW;
            if (WIDTH == 4) {
                float4 four = *(const float4 *)slice;
                sum[0] += four.x, sum[1 % WIDTH] += four.y, sum[2 % WIDTH] += four.z, sum[3 % WIDTH] += four.w;
            } else {
                sum[0] += *slice;
            }
        }
        store<T::NHWC, WIDTH>(p, T::NHWC ? col : row + i, sum, y);
        y += DOWN * stride;
    }
}

/* Whether rows of y are whole float4, four places also in one image. */
template <class T> static __device__ __forceinline__ bool is_fours(const conv_problem &p) {
    return gemm_is_float4(p.y, T::NHWC ? p.k : p.p * p.q, 0);
}

template <class T>
static __device__ __forceinline__ void store_tile(const conv_problem &p, int filter0, int place0, const float *shared,
                                                  int slices) {
    if (is_fours<T>(p))
        store_columns<T, 4>(p, filter0, place0, 0, shared, slices);
    else
        for (int col0 = 0; col0 < T::BN; col0 += T::THREADS)
            store_columns<T, 1>(p, filter0, place0, col0, shared, slices);
}

template <class T> static __global__ void __launch_bounds__(T::THREADS, T::PER_SM) conv_f32(f32_problem q, sharing s) {
    extern __shared__ __align__(16) unsigned char bytes[];
    float *shared = (float *)bytes;
    const conv_problem &p = q.p;
    int tiles_k = (conv_taps(&p) + T::BK - 1) / T::BK, tiles_f = (p.k + T::FILTERS - 1) / T::FILTERS;
    bool whole = (int)blockIdx.x < s.first;
    /* The last block is worker 0: a worker waits for those after it, whose blocks have been started before its own. */
    int worker = gridDim.x - 1 - blockIdx.x, first = whole ? blockIdx.x : s.first;

    int at = whole ? 0 : share_begin(s, worker), end = whole ? tiles_k : share_begin(s, worker + 1);
    while (at < end) {
        int tile = at / tiles_k, k_begin = at % tiles_k, k_end = min(k_begin + end - at, tiles_k);
        int filter0 = (first + tile) % tiles_f * T::FILTERS, place0 = (first + tile) / tiles_f * T::PLACES;
        float c_reg[T::TM][T::TN] = {};
        accumulate<T>(q, (typename T::stage *)bytes, filter0, place0, k_begin, k_end, at + k_end - k_begin == end,
                      c_reg);
        if (k_end - k_begin == tiles_k) {
            put_sums<T>(shared, c_reg, p.alpha);
            store_tile<T>(p, filter0, place0, shared, T::SLICES);
        } else {
            if (T::SLICES > 1) take_sums<T>(shared, c_reg, p.alpha);
            if (add_parts<T>(p, s, worker, tile * tiles_k, (tile + 1) * tiles_k, c_reg)) {
                if (T::SLICES > 1)
                    return_sums<T>(shared, c_reg);
                else
                    put_sums<T>(shared, c_reg, p.alpha);
                store_tile<T>(p, filter0, place0, shared, 1);
            }
        }
        __syncthreads(); /* shared memory is free for the next piece */
        at += k_end - k_begin;
    }
}

/* Without products: a thread an output. */
static __global__ void __launch_bounds__(THREADS) scale(conv_problem p) {
    int64_t number = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (number >= (int64_t)conv_places(&p) * p.k) return;
    int k = (int)(p.nhwc ? number % p.k : number / (p.p * p.q) % p.k);
    conv_store(p, 0.0f, k, (float *)p.y + number);
}

template <class T> static cudaError_t launch_tile(const conv_problem *p, const f32_plan *x, cudaStream_t stream) {
    const int stages = T::STAGES * (int)sizeof(typename T::stage), sums = T::SLICES * T::BM * T::SUM_ROW * 4;
    const int needed = stages > sums ? stages : sums, bytes = needed > x->shared ? needed : x->shared;
    const int64_t work = x->divided * (((int64_t)conv_taps(p) + T::BK - 1) / T::BK);
    sharing s = {(int)x->whole, 0, 0};
    if (x->workers > 0) s.share = (int)(work / x->workers), s.extra = (int)(work % x->workers);
    f32_problem q = {*p, make_divisor(T::NHWC ? p->c : p->r * p->s), make_divisor(p->s)};
    return gemm_launch_overlapping(conv_f32<T>, (unsigned)(x->whole + x->workers), 1, T::THREADS, bytes, stream, q, s);
}

typedef cudaError_t (*launcher)(const conv_problem *p, const f32_plan *x, cudaStream_t stream);

#define TILE(NHWC, FILTERS, PLACES, BK, TM, TN, STAGES, THREADS, PER_SM, ...)                                          \
    launch_tile<f32_shape<NHWC, false, FILTERS, PLACES, BK, TM, TN, STAGES, THREADS, PER_SM>>,
static const launcher launchers[] = {F32_TILES(TILE)};
static const launcher far_launchers[] = {launch_tile<f32_shape<false, true, 32, 128, 16, 4, 8, 4, 256, 1>>,
                                         launch_tile<f32_shape<true, true, 32, 128, 16, 4, 8, 4, 256, 1>>};

extern "C" cudaError_t f32_launch_plan(const conv_problem *p, const f32_plan *x, cudaStream_t stream) {
    if (x->tile >= F32_TILE_COUNT) return f32_launch_thin(p, x->tile - F32_TILE_COUNT, x->whole, stream);
    return (x->far ? far_launchers[p->nhwc] : launchers[x->tile])(p, x, stream);
}

/* The plan on the current device. */
static cudaError_t make_plan(const conv_problem *p, f32_plan *x) {
    int device, sms, shared_limit;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&shared_limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error == cudaSuccess) *x = f32_make_plan(p, sms, shared_limit);
    return error;
}

extern "C" kernel_info f32_kernel(void) {
    typedef f32_shape<false, false, 128, 256, 16, 8, 16, 4, 256, 1> largest_tile;
    return {(const void *)conv_f32<largest_tile>, THREADS, largest_tile::STAGES * sizeof(largest_tile::stage)};
}

extern "C" size_t f32_workspace(const conv_problem *problem) {
    const conv_problem p = conv_effective(problem);
    f32_plan x;
    return p.c > 0 && make_plan(&p, &x) == cudaSuccess ? x.workspace : 0;
}

extern "C" cudaError_t f32_launch(const conv_problem *problem, cudaStream_t stream) {
    const conv_problem p = conv_effective(problem);
    if (p.c == 0) {
        scale<<<conv_blocks((int64_t)conv_places(&p) * p.k, THREADS), THREADS, 0, stream>>>(p);
        return cudaGetLastError();
    }
    f32_plan x;
    cudaError_t error = make_plan(&p, &x);
    return error == cudaSuccess ? f32_launch_plan(&p, &x, stream) : error;
}
