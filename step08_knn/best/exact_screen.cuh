/* exact_tc's screen: approximate distances by tensor cores; only the result of a comparison, or a minimum, leaves the
 * kernel.
 *
 * The loop is that of persistent.cu (step 6): a producer warpgroup that loads tiles and two ping-pong consumers, one
 * multiplying 128 queries by 128 points while the other examines its sums. A block keeps its queries; the splits of the
 * points take tiles round-robin, so that blocks running at the same time read the same part of them.
 *
 *     producer     | points of tile 0, 1, 2 ... as stages become empty
 *     consumer 0   | multiply tile 0 | compare |  wait  | multiply tile 2 | compare | ...
 *     consumer 1   |      wait       | multiply tile 1  | compare |  wait | multiply tile 3 ...
 *
 * Rows are prepared in exactly the order that shared memory needs, 16 KB for 128 rows of 64 numbers, so that plain bulk
 * copies suffice. Up to 256 numbers per row, the queries stay in shared memory and the points stream past them.
 *
 * A hit, one in hundreds or thousands of comparisons, goes into its warp's queue in shared memory. 32 of them are sent
 * at once: an atomic addition gives each its place on the list of its query. */
#pragma once

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#include "exact_bounds.cuh"
#include "ptx/bulk.cuh"
#include "ptx/fence.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/named_barrier.cuh"
#include "ptx/setmaxnreg.cuh"
#include "ptx/wgmma.cuh"

static const int BOX_BYTES = TILE * BK * 2; /* 128 rows of a step */
static const int COLUMN_BYTES = TILE * 8;   /* e and p of 128 points */

static inline int64_t whole_tiles(int64_t rows) {
    return (rows + TILE - 1) / TILE * TILE;
}

typedef struct {
    const unsigned char *queries, *points; /* prepared */
    const float2 *columns;                 /* e and p of each point */
    int steps, query_tiles, point_tiles, splits;
    int rows, n;        /* how many of them exist */
    const float2 *info; /* sample: the queries' e and N; else A and B */
    /* sample */
    float *minima; /* rows x groups: the smallest upper bound of sqrt(H) + e(y) in a group of points */
    int group_bits, groups;
    /* all points */
    int first, cap; /* the index of the first point; room on a list */
    int *lists;     /* rows x cap */
    unsigned *counts;
} tc_screen;

/* A configuration. RESIDENT: the tile of queries stays, and only points pass through the ring. */
template <bool RESIDENT_> struct screen_tile {
    static const bool RESIDENT = RESIDENT_;
    static const int STAGES = RESIDENT ? 8 : 6, MOST_STEPS = 4; /* steps of a tile that can stay */
    static const int STAGE_BYTES = (RESIDENT ? 1 : 2) * BOX_BYTES;
    static const int BARRIER_BYTES = 1024, QUERY_BYTES = RESIDENT ? MOST_STEPS * BOX_BYTES : 0;
    static const int WARPS = 8, QUEUE = 64; /* hits of a warp that wait to be sent to the lists */
    static const int RING = BARRIER_BYTES + QUERY_BYTES, COLUMNS = RING + STAGES * STAGE_BYTES;
    static const int QUEUES = COLUMNS + STAGES * COLUMN_BYTES, BYTES = QUEUES + WARPS * QUEUE * 8;
    static const int THREADS = 384, PRODUCER_REGISTERS = 40, CONSUMER_REGISTERS = 232;
    static_assert(BYTES <= 227 * 1024, "a block has 227 KB of shared memory");
};

/* Sends `count` hits of the queue, one per lane, to their lists. Called by all lanes together. */
__device__ __forceinline__ void flush(const tc_screen &w, const int2 *queue, int count) {
    const int lane = threadIdx.x % 32;
    __syncwarp();
    if (lane < count) {
        const int2 hit = queue[lane];
        const unsigned place = atomicAdd(&w.counts[hit.x], 1u);
        if (place < (unsigned)w.cap) w.lists[(int64_t)hit.x * w.cap + place] = w.first + hit.y;
    }
    __syncwarp();
}

/* Each lane's hits, one bit each: bit 0 of the bit number is the column, bits 1 and 2 say which of the rows row, row +
 * 8, + 64 and + 72, and bits 3 and 4 how many times 8 columns further. */
__device__ __forceinline__ int push(const tc_screen &w, int2 *queue, int waiting, unsigned hits, int row,
                                    unsigned column) {
    const int lane = threadIdx.x % 32;
    while (__any_sync(~0u, hits != 0)) {
        const int bit = __ffs(hits) - 1;
        const int at_row = row + 8 * (bit >> 1 & 1) + 64 * (bit >> 2 & 1);
        const unsigned at_column = column + (bit & 1) + 8 * (bit >> 3 & 3);
        const bool take = hits != 0 && at_row < w.rows && at_column < (unsigned)w.n;
        hits &= hits - 1;
        const unsigned takers = __ballot_sync(~0u, take);
        if (take) queue[waiting + __popc(takers & ((1u << lane) - 1))] = make_int2(at_row, (int)at_column);
        waiting += __popc(takers);
        if (waiting >= 32) {
            flush(w, queue, 32);
            waiting -= 32;
            if (lane < waiting) queue[lane] = queue[32 + lane];
            __syncwarp();
        }
    }
    return waiting;
}

/* Examines what a lane holds of a tile: for every 8 columns j two of them, in rows `row`, + 8, + 64, + 72. Discards
 * points. The warp branches once for 32 comparisons per lane, rather than after each of them. */
__device__ __forceinline__ int compare(const tc_screen &w, const float (&d)[2][64], const float2 *columns,
                                       const float2 (&limit)[4], int2 *queue, int waiting, int row, unsigned column) {
    const int two = threadIdx.x % 4 * 2;
#pragma unroll
    for (int j = 0; j < 16; j += 4) {
        bool dropped[32], all[4] = {true, true, true, true};
#pragma unroll
        for (int i = 0; i < 32; i++) {
            const float4 y = *(const float4 *)(columns + 8 * (j + i / 8) + two); /* e, p; e, p */
            const float2 x = limit[i % 8 / 2];                                   /* A, B */
            const float sum = d[i % 8 / 4][4 * (j + i / 8) + i % 4];
            dropped[i] = fmaf(-x.x, i % 2 ? y.z : y.x, sum) + (i % 2 ? y.w : y.y) > x.y;
            all[i % 8 / 2] &= dropped[i];
        }
        if (__all_sync(~0u, all[0] && all[1] && all[2] && all[3])) continue;
        unsigned hits = 0;
#pragma unroll
        for (int i = 0; i < 32; i++) hits |= (dropped[i] ? 0u : 1u) << i;
        waiting = push(w, queue, waiting, hits, row, column + 8 * j + two);
    }
    return waiting;
}

/* For the sample: an upper bound of the lane's smallest sqrt(H) + e(y), in groups of 2^group_bits of its columns. */
__device__ __forceinline__ void minima(const tc_screen &w, const float (&d)[2][64], const float2 *columns,
                                       const float2 (&info)[4], int row, int tile) {
    const int two = threadIdx.x % 4 * 2;
    const float gamma = gamma_of(w.steps);
    float least[4], e[4];
    int64_t place = (int64_t)tile * (TILE >> w.group_bits) + two / 2; /* the four lanes of a row side by side */
#pragma unroll
    for (int i = 0; i < 4; i++) least[i] = INFINITY, e[i] = 0.0f;
#pragma unroll
    for (int j = 0; j < 16; j++) {
        const float4 y = *(const float4 *)(columns + 8 * j + two);
#pragma unroll
        for (int c = 0; c < 2; c++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const float value = d[i / 2][4 * j + i % 2 * 2 + c] + (c ? y.w : y.y);
                if (value < least[i]) least[i] = value, e[i] = c ? y.z : y.x;
            }
            if ((2 * j + c + 1) % (1 << w.group_bits) == 0) { /* the same for all */
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    const int at_row = row + i % 2 * 8 + i / 2 * 64;
                    const float h = fmaxf(fmaf(info[i].y, 1.0f + gamma, least[i]), 0.0f);
                    if (at_row < w.rows)
                        w.minima[(int64_t)at_row * w.groups + place] = (root_above(h) + e[i]) * (1.0f + 0x1p-22f);
                    least[i] = INFINITY, e[i] = 0.0f;
                }
                place += 4;
            }
        }
    }
}

/* ---- the kernel ---- */

/* What a block works on: a tile of queries, and the tiles of points split, split + splits, ... */
struct screen_block {
    uint32_t full, empty, staying; /* barriers, one per stage; the queries' */
    uint32_t query_tile, ring;     /* in shared memory */
    int query_at, split, count;    /* tile of queries; first tile of points, and how many */
};

/* The next stage, and the parity of its barriers' current phase. */
struct screen_position {
    int s;
    unsigned phase;
};

template <class T> __device__ __forceinline__ void next_stage(screen_position *at) {
    if (++at->s == T::STAGES) at->s = 0, at->phase ^= 1;
}

/* Skips the stages of the other consumer's tile. */
template <class T> __device__ __forceinline__ void skip_tile(screen_position *at, int steps) {
    at->phase ^= (at->s + steps) / T::STAGES & 1;
    at->s = (at->s + steps) % T::STAGES;
}

/* The producer, one thread: the queries that stay, then step after step of the points. */
template <class T> __device__ __forceinline__ void load_tiles(const tc_screen &w, const screen_block &b) {
    const unsigned char *queries = w.queries + (int64_t)b.query_at * w.steps * BOX_BYTES;
    screen_position at = {0, 0};
    if (T::RESIDENT) {
        mbarrier_arrive_expect_tx(b.staying, w.steps * BOX_BYTES);
        for (int t = 0; t < w.steps; t++)
            bulk_load(b.query_tile + t * BOX_BYTES, queries + t * BOX_BYTES, BOX_BYTES, b.staying);
    }
    for (int i = 0; i < b.count; i++) {
        const int64_t tile = b.split + (int64_t)i * w.splits;
        for (int t = 0; t < w.steps; t++) {
            const bool last = t == w.steps - 1; /* loads e and p, too */
            const uint32_t stage = b.ring + at.s * T::STAGE_BYTES, barrier = b.full + 8 * at.s;
            mbarrier_wait(b.empty + 8 * at.s, at.phase ^ 1);
            mbarrier_arrive_expect_tx(barrier, T::STAGE_BYTES + (last ? COLUMN_BYTES : 0));
            bulk_load(stage, w.points + (tile * w.steps + t) * BOX_BYTES, BOX_BYTES, barrier);
            if (!T::RESIDENT) bulk_load(stage + BOX_BYTES, queries + (int64_t)t * BOX_BYTES, BOX_BYTES, barrier);
            if (last)
                bulk_load(b.full + T::COLUMNS + at.s * COLUMN_BYTES, w.columns + tile * TILE, COLUMN_BYTES, barrier);
            next_stage<T>(&at);
        }
    }
}

/* A consumer: the products of its queries and a tile of points; returns the stage of the last step, which is not yet
 * released, since e and p lie there. `more`: another tile comes after this one, and the other consumer may begin with
 * it as soon as all of this one has arrived. */
template <class T>
__device__ __forceinline__ int multiply_tile(float (&d)[2][64], const screen_block &b, int steps, int consumer,
                                             bool more, screen_position *at) {
    int last = 0;
    for (int t = 0; t < steps; t++) {
        const uint32_t stage = b.ring + at->s * T::STAGE_BYTES;
        const uint64_t x = wgmma_k_major(T::RESIDENT ? b.query_tile + t * BOX_BYTES : stage + BOX_BYTES);
        const uint64_t y = wgmma_k_major(stage);
        mbarrier_wait(b.full + 8 * at->s, at->phase);
        if (t == steps - 1 && more) named_barrier_arrive(2 + (consumer ^ 1), 256);
        wgmma_fence();
#pragma unroll
        for (int k = 0; k < BK / 16; k++)
#pragma unroll
            for (int piece = 0; piece < 2; piece++)
                wgmma_f16<0>(d[piece], x + wgmma_advance(32 * k + 64 * 128 * piece), y + wgmma_advance(32 * k),
                             k > 0 || t > 0);
        wgmma_commit();
        /* By now the previous stage has been multiplied, this one perhaps not yet. */
        wgmma_wait<1>(d[0]);
        wgmma_wait<1>(d[1]);
        if (t > 0 && threadIdx.x % 32 == 0) mbarrier_arrive(b.empty + 8 * last);
        last = at->s;
        next_stage<T>(at);
    }
    wgmma_wait<0>(d[0]);
    wgmma_wait<0>(d[1]);
    return last;
}

/* A consumer: every second tile, multiplied and examined. */
template <class T, bool SAMPLE>
__device__ __forceinline__ void examine_tiles(const tc_screen &w, const screen_block &b, int consumer,
                                              unsigned char *shared) {
    const int warp = __shfl_sync(~0u, threadIdx.x / 32 - 4, 0), lane = threadIdx.x % 32, steps = w.steps;
    const int row = b.query_at * TILE + warp % 4 * 16 + lane / 4; /* and 8, 64 and 72 further */
    int2 *queue = (int2 *)(shared + T::QUEUES) + warp * T::QUEUE;
    int waiting = 0;
    float2 info[4];
#pragma unroll
    for (int i = 0; i < 4; i++) info[i] = w.info[row + i % 2 * 8 + i / 2 * 64];
    if (T::RESIDENT) mbarrier_wait(b.staying, 0);
    screen_position at = {0, 0};
    if (consumer == 1) skip_tile<T>(&at, steps); /* the first tile is the other's */
    float d[2][64];
    for (int i = consumer; i < b.count; i += 2) {
        /* A parity only tells adjacent phases apart: no one may wait for one further ahead. So a consumer begins once
         * the other has seen all of the previous tile arrive. */
        if (i > 0) named_barrier_wait(2 + consumer, 256);
        const int last = multiply_tile<T>(d, b, steps, consumer, i + 1 < b.count, &at);
        skip_tile<T>(&at, steps); /* the next tile is the other's */

        const int64_t tile = b.split + (int64_t)i * w.splits;
        const float2 *columns = (const float2 *)(shared + T::COLUMNS + last * COLUMN_BYTES);
        if (SAMPLE)
            minima(w, d, columns, info, row, (int)tile);
        else
            waiting = compare(w, d, columns, info, queue, waiting, row, (unsigned)tile * TILE);
        __syncwarp();
        if (lane == 0) mbarrier_arrive(b.empty + 8 * last); /* its e and p have been read */
    }
    if (!SAMPLE) flush(w, queue, waiting);
}

template <class T, bool SAMPLE> static __global__ void __launch_bounds__(T::THREADS, 1) knn_screen(const tc_screen w) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(1024) unsigned char shared[];
    screen_block b;
    b.full = shared_address(shared), b.empty = b.full + 8 * T::STAGES, b.staying = b.empty + 8 * T::STAGES;
    b.query_tile = b.full + T::BARRIER_BYTES, b.ring = b.full + T::RING;
    b.query_at = blockIdx.x % w.query_tiles, b.split = blockIdx.x / w.query_tiles;
    b.count = (w.point_tiles - b.split + w.splits - 1) / w.splits;
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0); /* so that the compiler sees it is the same for all
                                                                   * lanes */
    if (threadIdx.x == 0) {
        for (int s = 0; s < T::STAGES; s++) {
            mbarrier_init(b.full + 8 * s, 1);
            mbarrier_init(b.empty + 8 * s, 4); /* the warps of the consumer whose tile it is */
        }
        mbarrier_init(b.staying, 1);
        fence_mbarrier_init();
    }
    __syncthreads();

    if (warpgroup == 0) {
        setmaxnreg_dec<T::PRODUCER_REGISTERS>();
        if (threadIdx.x == 0) load_tiles<T>(w, b);
        __syncwarp();
    } else {
        setmaxnreg_inc<T::CONSUMER_REGISTERS>();
        examine_tiles<T, SAMPLE>(w, b, warpgroup - 1, shared);
    }
#else
    __trap();
#endif
}

/* ---- host side ---- */

/* How many parts to split the points into so that all multiprocessors stay busy to the end: one block per tile of
 * queries and part. The overhead of a block equals the cost of a few tiles. */
static int choose_splits(int query_tiles, int point_tiles, int sms) {
    int best = 1;
    int64_t least = INT64_MAX;
    for (int splits = 1; splits <= point_tiles && splits <= 2 * sms; splits++) {
        const int64_t waves = ((int64_t)query_tiles * splits + sms - 1) / sms;
        const int64_t cost = waves * ((point_tiles + splits - 1) / splits + 6);
        if (cost < least) least = cost, best = splits;
    }
    return best;
}

template <class T, bool SAMPLE> static cudaError_t launch_screen(const tc_screen &w, cudaStream_t stream) {
    const cudaError_t error =
        cudaFuncSetAttribute(knn_screen<T, SAMPLE>, cudaFuncAttributeMaxDynamicSharedMemorySize, T::BYTES);
    if (error != cudaSuccess) return error;
    knn_screen<T, SAMPLE><<<(unsigned)w.query_tiles * w.splits, T::THREADS, T::BYTES, stream>>>(w);
    return cudaGetLastError();
}

static cudaError_t screen(tc_screen w, bool sample, cudaStream_t stream) {
    int device, sms;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess) return error;
    w.query_tiles = (int)(whole_tiles(w.rows) / TILE);
    w.point_tiles = (int)(whole_tiles(w.n) / TILE);
    w.splits = choose_splits(w.query_tiles, w.point_tiles, sms);
    if (w.steps <= screen_tile<true>::MOST_STEPS)
        return sample ? launch_screen<screen_tile<true>, true>(w, stream)
                      : launch_screen<screen_tile<true>, false>(w, stream);
    return sample ? launch_screen<screen_tile<false>, true>(w, stream)
                  : launch_screen<screen_tile<false>, false>(w, stream);
}
