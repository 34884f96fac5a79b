/* Distances and selection in one kernel: the m x n matrix is never written.
 *
 * A block computes a tile of distances, 128 queries by 128 points, as an SGEMM computes a tile of C: both operands
 * through shared memory, 8 x 8 results per thread in registers. But each step is a difference and an FMA instead of one
 * FMA, in ascending j with one accumulator per pair: THE distance. So the FP32 pipe needs two instructions for each
 * coordinate of a pair. That is at best 132 SMs * 64 * 1.98 GHz = 1.67e13 coordinates per second on an H200, and 1200 x
 * 32768 x 256 cannot take less than 0.60 ms.
 *
 *            128 points                        then, for each query, a warp looks along its row of the tile:
 *          +-----------+
 *      128 |  distances|  ──► shared memory    distance < the k-th so far?  no: nearly always, nothing to do
 *  queries |           |                                                    yes: into the query's queue
 *          +-----------+                       queue of 32 full:  sort it in a warp, merge it into the list
 *
 * The list is sorted, so its k-th key is the threshold that keeps the queue short: of n points in random order only
 * about k (1 + ln(n / k)) ever enter it. A key's place in the merged list is its place in its own list plus the number
 * of smaller keys in the other, found by binary search: every lane moves one key at a time.
 *
 * Points come in ascending order of index, so one at the same distance as the k-th is not among the k nearest.
 *
 * If there are few queries, the points are split as well: split s takes tiles s, s + splits, ... and leaves a list of
 * its own; a second kernel merges the lists of a query. Which queries to search, and how many, may be known only on the
 * device. */
#include <cuda_runtime.h>

#include "fused.h"
#include "knn/knn_key.h"
#include "ptx/cp_async.cuh"

static const int BQ = 128, BP = 128; /* queries and points per tile */
static const int BK = 16;            /* coordinates per step */
static const int THREADS = 256, WARPS = THREADS / 32, ROWS = BQ / WARPS;
static const int PITCH = BQ + 4;        /* of a step's operand, in floats: coordinate by coordinate */
static const int HALF = BP / 2;         /* points of the tile that lie in shared memory at once */
static const int TILE_PITCH = HALF + 4; /* of these, in floats */
static const int QUEUE = 32;            /* keys per query that wait to be merged */
static const int NEAR_K = 128;          /* up to this k, lists stay in shared memory while a block works */
static const int MERGE_WARPS = 4;       /* queries per block of the second kernel */

static const int STEP_BYTES = 2 * BK * PITCH * 4;
static const int TILE_BYTES = BQ * TILE_PITCH * 4;
static const int OPERAND_BYTES = 2 * STEP_BYTES > TILE_BYTES ? 2 * STEP_BYTES : TILE_BYTES;

/* Keys per list: k, rounded up to whole warps. */
__host__ __device__ static inline int list_keys(int k) {
    return (k + 31) / 32 * 32;
}

static int shared_bytes(int k, bool near_by) {
    return OPERAND_BYTES + BQ * QUEUE * 8 + (near_by ? BQ * list_keys(k) * 8 : 0);
}

/* Which queries a launch works on, and how many lists it may write. */
typedef struct {
    const int *rows;       /* NULL: query i is row i */
    const unsigned *count; /* NULL: `most` queries */
    int most, first;       /* this launch begins with query number `first` */
    int blocks;            /* = how many lists of 128 queries there is room for */
    bool near_by;          /* lists stay in shared memory */
    uint64_t *lists;       /* [item][query of the tile][list_keys(k)] */
} fused_work;

/* How queries and points are divided into items, each a tile of queries and a part of the points. */
typedef struct {
    int queries, tiles, splits;
} fused_layout;

static __device__ __forceinline__ fused_layout divide(const fused_work &w, int n) {
    const int all = w.count ? min((int)*w.count, w.most) : w.most;
    fused_layout l;
    l.queries = max(0, min(all - w.first, w.blocks * BQ));
    l.tiles = (l.queries + BQ - 1) / BQ;
    l.splits = l.tiles ? min(w.blocks / l.tiles, (int)(((int64_t)n + BP - 1) / BP)) : 0;
    return l;
}

/* ---- a list and its queue; functions called by all lanes of a warp together ---- */

/* Sorts 32 keys, one per lane. */
static __device__ __forceinline__ uint64_t sort_lanes(uint64_t key) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int size = 2; size <= 32; size *= 2)
#pragma unroll
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const uint64_t other = __shfl_xor_sync(~0u, key, stride);
            const bool smaller = ((lane & stride) == 0) == ((lane & size) == 0);
            if ((other < key) == smaller) key = other;
        }
    return key;
}

/* How many of `count` sorted keys are smaller. */
static __device__ __forceinline__ int smaller_keys(const uint64_t *keys, int count, uint64_t key) {
    int low = 0, high = count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Merges the 32 keys of the queue into a sorted list, keeping the smallest `keys`. Works from the end of the list,
 * since keys only move up. */
static __device__ void merge(uint64_t *list, int keys, uint64_t *queue) {
    const int lane = threadIdx.x % 32;
    __syncwarp();
    const uint64_t mine = sort_lanes(queue[lane]);
    queue[lane] = mine;
    const int place = lane + smaller_keys(list, keys, mine);
    __syncwarp();
    for (int first = keys - 32; first >= 0; first -= 32) {
        const uint64_t key = list[first + lane];
        const int up = smaller_keys(queue, QUEUE, key);
        __syncwarp();
        if (up > 0 && first + lane + up < keys) list[first + lane + up] = key;
        __syncwarp();
        if (!__any_sync(~0u, up > 0)) break; /* nor does any before */
    }
    if (place < keys) list[place] = mine;
    __syncwarp();
}

/* ---- distances ---- */

/* Loads the operands of one step into shared memory, coordinate by coordinate; zeros where there is no row or
 * coordinate. Zeros in both change no distance. */
static __device__ __forceinline__ void load_step(const knn_problem &p, float *to, const int *query,
                                                 unsigned first_point, int j0) {
    const int j = threadIdx.x % BK;
    const bool inside = j0 + j < p.d;
#pragma unroll 2
    for (int i = 0; i < BQ * BK / THREADS; i++) {
        const int row = threadIdx.x / BK + i * (THREADS / BK), q = query[row];
        const bool there = inside && q >= 0;
        cp_async_4_zfill(shared_address(to + j * PITCH + row),
                         there ? p.queries + (int64_t)q * p.d + j0 + j : p.queries, there ? 4 : 0);
    }
#pragma unroll 2
    for (int i = 0; i < BP * BK / THREADS; i++) {
        const int row = threadIdx.x / BK + i * (THREADS / BK);
        const unsigned point = first_point + row;
        const bool there = inside && point < (unsigned)p.n;
        cp_async_4_zfill(shared_address(to + (BK + j) * PITCH + row),
                         there ? p.points + (int64_t)point * p.d + j0 + j : p.points, there ? 4 : 0);
    }
}

static __device__ __forceinline__ void load8(float (&to)[8], const float *from) {
    const float4 low = *(const float4 *)from, high = *(const float4 *)(from + 64);
    to[0] = low.x, to[1] = low.y, to[2] = low.z, to[3] = low.w;
    to[4] = high.x, to[5] = high.y, to[6] = high.z, to[7] = high.w;
}

/* A thread's 64 sums of squared differences: one step's coordinates more. */
static __device__ __forceinline__ void add_step(float (&sum)[8][8], const float *operands) {
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const float *xs = operands + 4 * ty, *ys = xs - 4 * ty + BK * PITCH + 4 * tx;
#pragma unroll
    for (int j = 0; j < BK; j++) {
        float x[8], y[8];
        load8(x, xs + j * PITCH);
        load8(y, ys + j * PITCH);
#pragma unroll
        for (int r = 0; r < 8; r++)
#pragma unroll
            for (int c = 0; c < 8; c++) {
                const float difference = x[r] - y[c];
                sum[r][c] = fmaf(difference, difference, sum[r][c]);
            }
    }
}

/* ---- selection ---- */

/* A warp: its rows of half a tile of distances, to points first_point and following. Those nearer than the row's
 * threshold go into its queue, and a full queue is merged into its list. `lists` lies in shared memory. */
static __device__ __forceinline__ void examine_half(const knn_problem &p, const float *tile, unsigned first_point,
                                                    float *threshold, int *waiting, uint64_t *queues,
                                                    uint64_t *const &lists) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int row = warp * ROWS; row < (warp + 1) * ROWS; row++)
#pragma unroll
        for (int i = 0; i < HALF / 32; i++) { /* ascending points */
            const float distance = tile[row * TILE_PITCH + 32 * i + lane];
            const unsigned point = first_point + 32 * i + lane;
            const bool take = !(distance >= threshold[row]) && point < (unsigned)p.n;
            const unsigned takers = __ballot_sync(~0u, take);
            if (takers == 0) continue;
            uint64_t *queue = queues + row * QUEUE, *list = lists + row * list_keys(p.k);
            int place = waiting[row] + __popc(takers & ((1u << lane) - 1)), now = waiting[row] + __popc(takers);
            if (take && place < QUEUE) queue[place] = knn_key(distance, (int)point);
            if (now >= QUEUE) {
                merge(list, list_keys(p.k), queue);
                if (take && place >= QUEUE) queue[place - QUEUE] = knn_key(distance, (int)point);
                if (lane == 0) threshold[row] = knn_key_distance(list[p.k - 1]);
                now -= QUEUE;
            }
            __syncwarp(); /* all have read waiting[row] */
            if (lane == 0) waiting[row] = now;
            __syncwarp();
        }
}

/* ---- the kernel ---- */

static __global__ void __launch_bounds__(THREADS, 2) knn_fused(const knn_problem p, const fused_work w) {
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ int query[BQ];       /* its row, or -1 */
    __shared__ float threshold[BQ]; /* the k-th distance so far; NaN: there are not k yet */
    __shared__ int waiting[BQ];     /* keys in the queue */
    __shared__ uint64_t *lists;     /* this row and the next: registers are scarce */
    __shared__ int stride;          /* splits */
    float *operands = (float *)shared, *tile = operands;
    uint64_t *queues = (uint64_t *)(shared + OPERAND_BYTES), *near_lists = queues + BQ * QUEUE;

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    /* A thread has rows 4 ty and 64 + 4 ty, points 4 tx and 64 + 4 tx, and the three after each. */
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int keys = list_keys(p.k), steps = (int)(((int64_t)p.d + BK - 1) / BK);
    const fused_layout l = divide(w, p.n);
    const int item = blockIdx.x, first_query = item % max(1, l.tiles) * BQ, split = item / max(1, l.tiles);
    if (item >= l.tiles * l.splits) return;

    uint64_t *const fresh = w.near_by ? near_lists : w.lists + (int64_t)item * BQ * keys;
    if (threadIdx.x == 0) lists = fresh, stride = l.splits;
    for (int i = threadIdx.x; i < BQ * keys; i += THREADS) fresh[i] = KNN_NO_KEY;
    if (threadIdx.x < BQ) {
        const int i = first_query + threadIdx.x;
        const bool there = i < l.queries;
        query[threadIdx.x] = !there ? -1 : w.rows ? w.rows[w.first + i] : w.first + i;
        threshold[threadIdx.x] = there ? knn_key_distance(KNN_NO_KEY) : -1.0f; /* -1: nothing is nearer */
        waiting[threadIdx.x] = 0;
    }
    __syncthreads();

    for (int t = split; t <= (p.n - 1) / BP; t += stride) {
        const unsigned first_point = (unsigned)t * BP;
        float sum[8][8] = {};
        if (steps > 0) load_step(p, operands, query, first_point, 0);
        cp_async_commit();
        for (int s = 0; s < steps; s++) {
            if (s + 1 < steps)
                load_step(p, operands + (s + 1) % 2 * (STEP_BYTES / 4), query, first_point, (s + 1) * BK);
            cp_async_commit();
            cp_async_wait<1>();
            __syncthreads();
            add_step(sum, operands + s % 2 * (STEP_BYTES / 4));
            __syncthreads();
        }
#pragma unroll
        for (int half = 0; half < 2; half++) {
#pragma unroll
            for (int r = 0; r < 8; r++)
                *(float4 *)(tile + (r / 4 * 64 + 4 * ty + r % 4) * TILE_PITCH + 4 * tx) =
                    make_float4(sum[r][4 * half], sum[r][4 * half + 1], sum[r][4 * half + 2], sum[r][4 * half + 3]);
            __syncthreads();
            examine_half(p, tile, first_point + HALF * half, threshold, waiting, queues, lists);
            __syncthreads();
        }
    }
    for (int row = warp * ROWS; row < (warp + 1) * ROWS; row++) {
        uint64_t *queue = queues + row * QUEUE, *list = lists + row * list_keys(p.k);
        if (waiting[row] > 0) {
            if (lane >= waiting[row]) queue[lane] = KNN_NO_KEY;
            merge(list, list_keys(p.k), queue);
        }
        uint64_t *out = w.lists + ((int64_t)blockIdx.x * BQ + row) * list_keys(p.k);
        if (w.near_by)
            for (int i = lane; i < list_keys(p.k); i += 32) out[i] = list[i];
    }
}

/* One warp per query: merges the lists that the splits have left. They are sorted: if the next keys of a list are not
 * among the k smallest, none after them is. */
static __global__ void __launch_bounds__(32 * MERGE_WARPS) knn_fused_merge(const knn_problem p, const fused_work w) {
    extern __shared__ __align__(16) unsigned char shared[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, keys = list_keys(p.k);
    uint64_t *queue = (uint64_t *)shared + (int64_t)warp * (QUEUE + keys), *list = queue + QUEUE;
    const fused_layout l = divide(w, p.n);
    const int i = blockIdx.x * MERGE_WARPS + warp;
    if (i >= l.queries) return;

    for (int s = 0; s < l.splits; s++) {
        const uint64_t *from = w.lists + ((int64_t)(s * l.tiles + i / BQ) * BQ + i % BQ) * keys;
        for (int first = 0; first < keys; first += 32) {
            const uint64_t key = from[first + lane];
            if (s == 0) {
                list[first + lane] = key;
                continue;
            }
            if (!__any_sync(~0u, key < list[p.k - 1])) break;
            __syncwarp();
            queue[lane] = key;
            merge(list, keys, queue);
        }
        __syncwarp();
    }
    const int q = w.rows ? w.rows[w.first + i] : w.first + i;
    for (int place = lane; place < p.k; place += 32) {
        p.index[(int64_t)q * p.k + place] = knn_key_index(list[place]);
        p.distance[(int64_t)q * p.k + place] = knn_key_distance(list[place]);
    }
}

/* ---- host side ---- */

/* Blocks that the current device runs at the same time, and whether their lists are in shared memory. */
static cudaError_t resident_blocks(int k, int *blocks, bool *near_by) {
    static int known_device = -1, known_keys, known_blocks;
    static bool known_near_by;
    int device;
    cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess) return error;
    if (device != known_device || list_keys(k) != known_keys) {
        int sms, each, most;
        cudaFuncAttributes attributes;
        error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
        if (error == cudaSuccess)
            error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
        if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, knn_fused);
        if (error != cudaSuccess) return error;
        known_device = -1;
        known_near_by = k <= NEAR_K && shared_bytes(k, true) + (int)attributes.sharedSizeBytes <= most;
        const int bytes = shared_bytes(k, known_near_by);
        error = cudaFuncSetAttribute(knn_fused, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        if (error == cudaSuccess)
            error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, knn_fused, THREADS, bytes);
        if (error != cudaSuccess) return error;
        known_device = device, known_keys = list_keys(k), known_blocks = each * sms;
    }
    *blocks = known_blocks;
    *near_by = known_near_by;
    return cudaSuccess;
}

/* Bytes for the lists of a block. */
static size_t block_bytes(int k) {
    return (size_t)BQ * list_keys(k) * sizeof(uint64_t);
}

extern "C" size_t fused_bytes(int m, int k, size_t limit) {
    int blocks = 0;
    bool near_by;
    (void)m; /* one tile of queries can use them all */
    if (resident_blocks(k, &blocks, &near_by) != cudaSuccess || blocks == 0) blocks = 1;
    const size_t most = limit / block_bytes(k);
    return (most < (size_t)blocks ? most : (size_t)blocks) * block_bytes(k);
}

extern "C" cudaError_t fused_search(const knn_problem *p, const int *rows, const unsigned *count, int most,
                                    void *workspace, size_t bytes, cudaStream_t stream) {
    int blocks;
    bool near_by;
    cudaError_t error = resident_blocks(p->k, &blocks, &near_by);
    if (error != cudaSuccess) return error;
    if (blocks < 1) return cudaErrorInvalidConfiguration;
    if (bytes / block_bytes(p->k) < (size_t)blocks) blocks = (int)(bytes / block_bytes(p->k));
    if (blocks < 1) return cudaErrorInvalidValue;
    for (int64_t first = 0; first < most; first += (int64_t)blocks * BQ) {
        const fused_work w = {rows, count, most, (int)first, blocks, near_by, (uint64_t *)workspace};
        knn_fused<<<blocks, THREADS, shared_bytes(p->k, near_by), stream>>>(*p, w);
        const int64_t left = most - first, queries = left < (int64_t)blocks * BQ ? left : (int64_t)blocks * BQ;
        const int merge_bytes = MERGE_WARPS * (QUEUE + list_keys(p->k)) * 8;
        knn_fused_merge<<<(unsigned)((queries + MERGE_WARPS - 1) / MERGE_WARPS), 32 * MERGE_WARPS, merge_bytes,
                          stream>>>(*p, w);
        if ((error = cudaGetLastError()) != cudaSuccess) return error;
    }
    return cudaSuccess;
}

extern "C" const char *supports_fused(const device_facts *device) {
    return device->cc >= 80 ? NULL : "cp.async needs compute capability 8.0";
}

extern "C" const char *refuses_fused(const knn_problem *p) {
    if (p->k > FUSED_MAX_K) return "takes k up to 1024";
    return p->workspace_bytes < block_bytes(p->k) ? "needs 1 MB of workspace" : NULL;
}

extern "C" size_t workspace_fused(const knn_problem *p, size_t limit) {
    return p->k > FUSED_MAX_K ? 0 : fused_bytes(p->m, p->k, limit);
}

extern "C" kernel_info knn_kernel_fused(void) {
    return {(const void *)knn_fused, THREADS, (size_t)shared_bytes(32, true)};
}

extern "C" cudaError_t search_fused(const knn_problem *p, cudaStream_t stream) {
    return p->m == 0 ? cudaSuccess : fused_search(p, NULL, NULL, p->m, p->workspace, p->workspace_bytes, stream);
}
