/* One query on prepared points: exact_tc's bounds at the speed of memory.
 *
 * A tile of 128 queries makes tensor cores worth their while. One query does two operations with each byte of the
 * points: reading them is all there is to do, and the rest must only keep out of its way. So there is no tensor core
 * here, no shared memory in the path of the points and no barrier, but plain loads of 16 bytes, eight at a time per
 * lane: 24 warps of a multiprocessor have 96 KB under way.
 *
 *     a warp, a step of 64 coordinates:        32 rows of 128 bytes = 4 KB in a piece
 *
 *                  lanes 0 ... 7    8 ... 15    16 ... 23    24 ... 31
 *         load 0   | row 0      |   row 1    |   row 2    |   row 3    |     a lane has 8 coordinates of 8 rows,
 *         load 1   | row 4      |   row 5    |   row 6    |   row 7    |     and 8 sums in FP32
 *          ...                                                               seven shuffles leave each lane the
 *         load 7   | row 28     |   ...                                      whole sum of one row
 *
 * Two launches do everything. The first goes through the sample, the second through all points; what comes after either
 * is done by the block that finishes last: the radius, and the sorting of what is left. A warp that finds a point that
 * may be among the nearest computes THE distance at once: its lanes subtract 32 coordinates, and the chain of FMAs
 * takes them one by one. There is room for all points on the list, so no query needs to be searched again. */
#pragma once

#include <cuda_runtime.h>

#include "exact_bounds.cuh"
#include "knn/knn.h"
#include "knn/knn_key.h"
#include "ptx/griddepcontrol.cuh"
#include "ptx/ld_global.cuh"
#include "sort_keys.cuh"

static const int ONE_THREADS = RADIUS_THREADS, ONE_BLOCKS = 3; /* a block; blocks of a multiprocessor */
static const int ONE_MAX_STEPS = 64; /* the query, in FP32, takes 16 KB of shared memory at most */

/* What the two launches leave for each other. */
typedef struct {
    unsigned finished[2], listed; /* blocks; keys on the list. Zero at first */
    float2 limits;                /* A and B */
} one_state;

typedef struct {
    const float *centre;
    const tc_facts *facts;
    const uint4 *rows;  /* prepared: the sample, or all points */
    const float2 *info; /* e and p of each */
    int count, steps;   /* how many of them exist */
    int group_bits;     /* sample: 2^group_bits lanes leave one minimum */
    float *minima;      /* of the sample: upper bounds of sqrt(H) + e(y) */
    uint64_t *keys;     /* of the points that may be among the nearest: room for all */
    one_state *state;
} one_work;

/* The query as the screen needs it, -2 h(x), in shared memory; returns e and N. Each warp has all sums. */
static __device__ __forceinline__ float2 load_query(const knn_problem &p, const one_work &w, float *query) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float scale = scale_of(w.facts);
    float sums[3] = {};
#pragma unroll 4
    for (int i = 0; i < 2 * w.steps; i++) {
        const int j = 32 * i + lane;
        const bool there = j < p.d;
        const __half h = round_coordinate(there ? p.queries[j] : 0.0f, there ? w.centre[j] : 0.0f, scale, sums);
        /* The first halves of a step's 8 chunks side by side, then the second ones: 8 lanes read all 32 banks. */
        const int place = j / BK * BK + j % 8 / 4 * 32 + j % BK / 8 * 4 + j % 4;
        if (i % (ONE_THREADS / 32) == warp) query[place] = -2.0f * __half2float(h);
    }
    add_lanes<32>(sums);
    __syncthreads();
    return make_float2(error_of(sums, w.steps), sums[0]);
}

/* A warp: -2 h(x) h(y) for 32 rows, of which lane l gets row row_of(l). In memory a row's chunk c lies where c ^ (row %
 * 8) would be. */
static __device__ __forceinline__ float products(const uint4 *rows, const float *query, int steps) {
    const int lane = threadIdx.x % 32, chunk = lane % 8 ^ lane / 8;
    float sum[8] = {};
#pragma unroll 1
    for (int s = 0; s < steps; s++) {
        uint4 y[8];
#pragma unroll
        for (int i = 0; i < 8; i++) y[i] = ld_global_once_16(rows + s * (TILE * 8) + 32 * i + lane);
#pragma unroll
        for (int odd = 0; odd < 2; odd++) { /* rows 4 i + lane / 8: for odd i the other half of the swizzle */
            const float4 *from = (const float4 *)(query + s * BK) + (chunk ^ 4 * odd);
            const float4 low = from[0], high = from[8];
#pragma unroll
            for (int i = odd; i < 8; i += 2) {
                float2 pair[4];
                const unsigned words[4] = {y[i].x, y[i].y, y[i].z, y[i].w};
#pragma unroll
                for (int k = 0; k < 4; k++) pair[k] = __half22float2(*(const __half2 *)&words[k]);
                sum[i] = fmaf(pair[0].x, low.x, fmaf(pair[0].y, low.y, sum[i]));
                sum[i] = fmaf(pair[1].x, low.z, fmaf(pair[1].y, low.w, sum[i]));
                sum[i] = fmaf(pair[2].x, high.x, fmaf(pair[2].y, high.y, sum[i]));
                sum[i] = fmaf(pair[3].x, high.z, fmaf(pair[3].y, high.w, sum[i]));
            }
        }
    }
#pragma unroll
    for (int o = 4; o > 0; o /= 2)
#pragma unroll
        for (int i = 0; i < o; i++) {
            const bool upper = lane & o;
            const float other = __shfl_xor_sync(~0u, upper ? sum[i] : sum[i + o], o);
            sum[i] = (upper ? sum[i + o] : sum[i]) + other;
        }
    return sum[0];
}

static __device__ __forceinline__ int row_of(int lane) {
    return 4 * (lane % 8) + lane / 8;
}

/* A warp: THE distance of a point, in all lanes. Zeros at the end change nothing. */
static __device__ __forceinline__ float distance_by_warp(const knn_problem &p, int64_t point) {
    const int lane = threadIdx.x % 32;
    float sum = 0.0f;
#pragma unroll 4
    for (int first = 0; first < p.d; first += 32) {
        const int j = first + lane;
        const float difference = j < p.d ? p.queries[j] - p.points[point * p.d + j] : 0.0f;
#pragma unroll
        for (int i = 0; i < 32; i++) {
            const float one = __shfl_sync(~0u, difference, i);
            sum = fmaf(one, one, sum);
        }
    }
    return sum;
}

/* A warp: computes the distances of those of its 32 points that may be near, and puts them onto the list. */
static __device__ __forceinline__ void list_near(const knn_problem &p, const one_work &w, int first, unsigned near) {
    const int lane = threadIdx.x % 32, count = __popc(near);
    uint64_t key = KNN_NO_KEY;
    unsigned place = 0;
    for (int i = 0; i < count; i++) {
        const int point = first + row_of(__ffs(near) - 1);
        const float distance = distance_by_warp(p, point);
        if (lane == i) key = knn_key(distance, point);
        near &= near - 1;
    }
    if (lane == 0) place = atomicAdd(&w.state->listed, (unsigned)count);
    place = __shfl_sync(~0u, place, 0);
    if (lane < count) w.keys[place + lane] = key;
}

/* Has every other block finished? What they wrote is then visible to all threads of this one. */
static __device__ __forceinline__ bool is_last(unsigned *finished) {
    __shared__ bool last;
    __threadfence(); /* what this thread wrote before the count */
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(finished, 1u) == gridDim.x - 1;
    __syncthreads();
    __threadfence(); /* the count before what others wrote */
    return last;
}

/* A block: the k smallest of the listed keys, sorted, in shared memory. Only what is smaller than the k-th so far is
 * kept to be sorted. */
static __device__ __forceinline__ void smallest_keys(const uint64_t *list, unsigned listed, int k, uint64_t *keys) {
    __shared__ int filled;
    int have = 0;
    uint64_t bar = KNN_NO_KEY;
    if (threadIdx.x == 0) filled = 0;
    __syncthreads();
    for (unsigned first = 0; first < listed; first += ONE_THREADS) {
        const uint64_t key = first + threadIdx.x < listed ? list[first + threadIdx.x] : KNN_NO_KEY;
        if (key < bar) keys[atomicAdd(&filled, 1)] = key;
        __syncthreads();
        have = filled;
        __syncthreads();
        if (have <= SORTED - ONE_THREADS && first + ONE_THREADS < listed) continue;
        int room = 64;
        while (room < have) room *= 2;
        for (int i = have + threadIdx.x; i < room; i += ONE_THREADS) keys[i] = KNN_NO_KEY;
        __syncthreads();
        sort_keys<ONE_THREADS>(keys, room);
        if (have >= k) bar = keys[k - 1];
        if (threadIdx.x == 0) filled = min(k, have);
        __syncthreads();
    }
}

/* Goes through the sample, and leaves what the screen compares with; or through all points, and leaves the answer. */
template <bool SAMPLE>
static __global__ void __launch_bounds__(ONE_THREADS, ONE_BLOCKS) knn_one(const knn_problem p, const one_work w) {
    extern __shared__ __align__(16) float query[];
    __shared__ uint64_t keys[SAMPLE ? 1 : SORTED];
    const int lane = threadIdx.x % 32, warps = gridDim.x * (ONE_THREADS / 32);
    const float gamma = gamma_of(w.steps);
    if (SAMPLE) griddepcontrol_launch_dependents(); /* the other launch may load the query meanwhile */
    const float2 x = load_query(p, w, query);
    if (!SAMPLE) griddepcontrol_wait();
    const float2 limits = SAMPLE ? x : w.state->limits;
    for (int64_t first = 32 * (blockIdx.x + (int64_t)gridDim.x * (threadIdx.x / 32)); first < w.count;
         first += 32 * (int64_t)warps) {
        /* A tile of 128 rows has one box of 16 KB for each step. */
        const uint4 *rows = w.rows + (first / TILE * w.steps * TILE + first % TILE) * 8;
        const float2 y = w.info[first + row_of(lane)]; /* e and p */
        const float sum = products(rows, query, w.steps);
        if (SAMPLE) {
            const float h = fmaxf(fmaf(x.y, 1.0f + gamma, sum + y.y), 0.0f);
            float bound = (root_above(h) + y.x) * (1.0f + 0x1p-22f);
            for (int o = 1; o < 1 << w.group_bits; o *= 2) bound = fminf(bound, __shfl_xor_sync(~0u, bound, o));
            if (lane % (1 << w.group_bits) == 0) w.minima[(first + lane) >> w.group_bits] = bound;
        } else {
            const bool dropped = fmaf(-limits.x, y.x, sum) + y.y > limits.y;
            const unsigned near = __ballot_sync(~0u, !dropped && first + row_of(lane) < w.count);
            if (near != 0) list_near(p, w, (int)first, near);
        }
    }
    if (!is_last(&w.state->finished[SAMPLE ? 0 : 1])) return;
    if (SAMPLE) {
        const int groups = (int)(((int64_t)w.count + 31) / 32 * 32 >> w.group_bits);
        const float near_points = kth_smallest(w.minima, groups, p.k);
        if (threadIdx.x == 0) w.state->limits = limits_of(near_points, x, p.d, w.steps, w.facts);
        return;
    }
    const unsigned listed = w.state->listed;
    smallest_keys(w.keys, listed, p.k, keys);
    for (int i = threadIdx.x; i < p.k; i += ONE_THREADS) {
        p.index[i] = knn_key_index(keys[i]);
        p.distance[i] = knn_key_distance(keys[i]);
    }
    if (threadIdx.x == 0) atomicAdd(&p.counts->candidates, (unsigned long long)listed);
}

/* ---- host side ---- */

template <bool SAMPLE> static cudaError_t launch_one(const knn_problem *p, const one_work &w, cudaStream_t stream) {
    int device, sms;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess) return error;
    const int64_t needed = ((int64_t)w.count + ONE_THREADS - 1) / ONE_THREADS, most = (int64_t)sms * ONE_BLOCKS;
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)(needed < most ? needed : most));
    config.blockDim = dim3(ONE_THREADS);
    config.dynamicSmemBytes = (size_t)w.steps * BK * sizeof(float);
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = SAMPLE ? 0 : 1; /* before the first there may be anything */
    return cudaLaunchKernelEx(&config, knn_one<SAMPLE>, *p, w);
}
