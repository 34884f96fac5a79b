/* The exact answer at the speed of a matrix product: tensor cores screen, differences decide.
 *
 * Nearly all points are far from being among the k nearest of a query, and an approximate distance with an error bound
 * is enough to show it. The approximate distances come from tensor cores in FP16; for the few points that might be
 * among the k nearest, THE distance is computed in FP32.
 *
 *     prepare   x - centre, scaled by a power of two, rounded to FP16: h(x), and how far that moved the point: e(x)
 *     sample    rough distances to a sample of the points ──► radius r(x): at least k points are certainly that near
 *     screen    rough distances to all points; one that is certainly farther than r(x) is dropped, the others' indices
 *               go onto the query's list                       (1 of some thousand: no matrix is written)
 *     finish    THE distance of each point on the list, sorted
 *     redo      a query whose list was too short is searched by fused.cu. Rare: many points equally near, or numbers
 *               of which FP16 says nothing
 *
 * Why nothing is lost. Rounding moves a point by at most e, so it changes a distance (not its square) by at most
 * e(x) + e(y): the triangle inequality, whatever the numbers are. In units of the scaled space, H = |h(x) - h(y)|^2:
 *
 *     | |x - y| - sqrt(H) | <= e(x) + e(y)
 *
 * H itself comes out of H = N(x) + N(y) - 2 h(x) h(y), N = |h|^2. Products of FP16 are exact; sums of K products are
 * off by (K + 2) 2^-23 |h(x)| |h(y)| at most (verify.h), twice that counts, and 2 |h(x)| |h(y)| <= N(x) + N(y): so all
 * rounding is in a factor 1 -+ gamma at the norms, gamma = (K + K / 32 + 24) 2^-23, that each vector carries by itself.
 * THE distance D' differs from the true one by a factor within 1 -+ g, g = 1.125 (d + 4) 2^-24, and by d 2^-149 where
 * it underflows. So with w the k-th smallest upper bound sqrt(H) + e(y) in the sample, k points have a D' of at most (w
 * + e(x))^2 (1 + g) + ..., and every point with a D' no larger has |x - y| <= rho = (w + e(x)) sqrt((1 + g) / (1 - g))
 * + ..., hence sqrt(H) <= r + e(y) with r = rho + e(x). Squared: the screen may drop a point where
 *
 *     N(x) (1 - gamma) + N(y) (1 - gamma) + [-2 h(x) h(y)]  >  r^2 + 2 r e(y) + e(y)^2
 *       \__ in B(x) __/   \__ in p(y) __/    tensor cores      B(x)  A(x) e(y)  in p(y)
 *
 * that is  [-2 h(x) h(y)] - A(x) e(y) + p(y) > B(x): one FMA, one addition and one comparison a point, of which the
 * rounding is in gamma and in A, too. What is not a number or infinite is never dropped.
 *
 * The screen itself is exact_screen.cuh, the bounds are exact_bounds.cuh. What is made of the points alone can be kept
 * (prepare_exact_tc), and the points are then read in FP16 only; a single query of such points is one_query.cuh's. */
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "../search.h"
#include "exact_screen.cuh"
#include "fused.h"
#include "knn/knn_key.h"
#include "one_query.cuh"
#include "sort_keys.cuh"

static const int MAX_D = 1 << 20; /* gamma and g are below 1/4 */
/* ---- centre and extent ---- */

static const int LOOK_AT = 1024; /* points for that */

/* 32 coordinates per block: their mean over some of the points, and the largest extent of any. */
static __global__ void __launch_bounds__(1024) knn_centre(const knn_problem p, float *centre, tc_facts *facts) {
    __shared__ float sums[32][33], lows[32][33], highs[32][33];
    const int j = blockIdx.x * 32 + threadIdx.x, rows = min(p.n, LOOK_AT);
    float sum = 0.0f, low = FLT_MAX, high = -FLT_MAX;
    if (j < p.d)
#pragma unroll 8
        for (int i = threadIdx.y; i < rows; i += 32) {
            const float y = p.points[(int64_t)i * p.n / rows * p.d + j];
            sum += y / (float)rows;
            low = fminf(low, y);
            high = fmaxf(high, y);
        }
    sums[threadIdx.y][threadIdx.x] = sum;
    lows[threadIdx.y][threadIdx.x] = low;
    highs[threadIdx.y][threadIdx.x] = high;
    __syncthreads();
    /* Now one warp per coordinate. */
    sum = sums[threadIdx.x][threadIdx.y], low = lows[threadIdx.x][threadIdx.y], high = highs[threadIdx.x][threadIdx.y];
    for (int o = 16; o > 0; o /= 2) {
        sum += __shfl_xor_sync(~0u, sum, o);
        low = fminf(low, __shfl_xor_sync(~0u, low, o));
        high = fmaxf(high, __shfl_xor_sync(~0u, high, o));
    }
    const int mine = blockIdx.x * 32 + threadIdx.y;
    if (threadIdx.x == 0 && mine < p.d) {
        centre[mine] = sum;
        atomicMax(&facts->range, __float_as_uint(high - low)); /* not negative, so its bits sort like integers */
    }
}

/* ---- prepare ---- */

/* Which rows to prepare, and what to compute besides h: for queries (e, N), with h times -2; for points of the sample
 * (e, N (1 + gamma)); for points (e, N (1 - gamma) - e^2). */
enum { PREPARE_QUERIES, PREPARE_SAMPLE, PREPARE_POINTS };
typedef struct {
    const float *from;
    int what, first, rows; /* rows first ... first + rows - 1, padded to a whole tile with rows that are never selected
                            */
    int n, turn;           /* sample: place i holds a point of part i * turn % rows of the n points */
    int d, steps;
    uint4 *to;
    float2 *info;
} tc_rows;

/* One point from each part of the points that the sample divides them into. Neighbouring places hold points that are
 * far apart, since points are often sorted. */
static __device__ __forceinline__ int sampled(const tc_rows &r, int place) {
    const int part = (int)((int64_t)place * r.turn % r.rows);
    const int64_t low = (int64_t)part * r.n / r.rows, high = ((int64_t)part + 1) * r.n / r.rows;
    return (int)(low + (uint32_t)part * 2654435761u % (uint32_t)(high - low));
}

/* Up to three kinds of rows at once, and the block that each begins with. */
typedef struct {
    tc_rows rows[3];
    unsigned first[3];
} tc_parts;

/* A lane prepares chunks of 8 numbers, LANES lanes per row. VECTOR: rows consist of whole, aligned float4. */
template <int LANES, bool VECTOR>
static __global__ void __launch_bounds__(256)
    knn_prepare(const tc_parts parts, const float *centre, const tc_facts *facts) {
    const bool second = blockIdx.x >= parts.first[1], third = blockIdx.x >= parts.first[2];
    const tc_rows r = third ? parts.rows[2] : second ? parts.rows[1] : parts.rows[0];
    const unsigned block = blockIdx.x - (third ? parts.first[2] : second ? parts.first[1] : 0);
    const int64_t row = ((int64_t)block * 256 + threadIdx.x) / LANES; /* a grid of whole tiles */
    const int lane = threadIdx.x % LANES;
    const bool there = row < r.rows;
    const float scale = scale_of(facts);
    const int64_t source = !there ? 0 : r.what == PREPARE_SAMPLE ? sampled(r, (int)row) : r.first + row;
    const float *x = r.from + source * r.d;
    float sums[3] = {};
    for (int chunk = lane; chunk < r.steps * 8; chunk += LANES) {
        const int j0 = chunk * 8;
        float v[8] = {}, c[8] = {};
        if (VECTOR) {
#pragma unroll
            for (int i = 0; i < 8; i += 4)
                if (there && j0 + i < r.d) {
                    *(float4 *)(v + i) = *(const float4 *)(x + j0 + i);
                    *(float4 *)(c + i) = *(const float4 *)(centre + j0 + i);
                }
        } else {
#pragma unroll
            for (int i = 0; i < 8; i++)
                if (there && j0 + i < r.d) v[i] = x[j0 + i], c[i] = centre[j0 + i];
        }
        __half2 h[4];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const __half rounded = round_coordinate(v[i], c[i], scale, sums);
            const __half out = r.what == PREPARE_QUERIES ? __hmul(rounded, __float2half_rn(-2.0f)) : rounded;
            if (i % 2 == 0)
                h[i / 2].x = out;
            else
                h[i / 2].y = out;
        }
        /* Chunk c of row r of a box lies where c ^ (r % 8) would be. */
        const int64_t box = row / TILE * r.steps + chunk / 8;
        const int line = (int)(row % TILE);
        uint4 four;
        memcpy(&four, h, sizeof four);
        r.to[(box * TILE + line) * 8 + (chunk % 8 ^ line % 8)] = four;
    }
    add_lanes<LANES>(sums);
    if (lane != 0) return;
    const float gamma = gamma_of(r.steps), norm = sums[0];
    float e = error_of(sums, r.steps), p = norm;
    if (r.what == PREPARE_SAMPLE) p = e == INFINITY ? INFINITY : norm * (1.0f + gamma);
    if (r.what == PREPARE_POINTS) p = norm * (1.0f - gamma) - e * e * (1.0f + 0x1p-18f);
    if (!there) e = 0.0f, p = r.what == PREPARE_QUERIES ? 0.0f : INFINITY;
    r.info[row] = make_float2(e, p);
}

/* ---- radius ---- */

/* One block per query: what the screen compares with, A and B, from (e, N) and the k-th smallest of its minima. */
static __global__ void __launch_bounds__(RADIUS_THREADS)
    knn_radius(const float *minima, int groups, int k, int d, int rows, int steps, const tc_facts *facts,
               float2 *info) {
    const int row = blockIdx.x;
    if (row >= rows) { /* pads the tile: selects nothing */
        if (threadIdx.x == 0) info[row] = make_float2(0.0f, -INFINITY);
        return;
    }
    const float w = kth_smallest(minima + (int64_t)row * groups, groups, k);
    if (threadIdx.x == 0) info[row] = limits_of(w, info[row], d, steps, facts);
}

/* ---- finish ---- */

/* Threads of a block: with a block for every multiprocessor or fewer, more of them fetch more at once. */
static const int FINISH_THREADS = 128, FEW_ROWS = 128;

/* THE distance. VECTOR: both rows consist of whole, aligned float4. */
template <bool VECTOR> static __device__ __forceinline__ float distance(const float *x, const float *y, int d) {
    float sum = 0.0f;
    if (VECTOR) {
#pragma unroll 4
        for (int j = 0; j < d; j += 4) {
            const float4 a = *(const float4 *)(x + j), b = *(const float4 *)(y + j);
            sum = fmaf(a.x - b.x, a.x - b.x, sum);
            sum = fmaf(a.y - b.y, a.y - b.y, sum);
            sum = fmaf(a.z - b.z, a.z - b.z, sum);
            sum = fmaf(a.w - b.w, a.w - b.w, sum);
        }
    } else {
#pragma unroll 4
        for (int j = 0; j < d; j++) sum = fmaf(x[j] - y[j], x[j] - y[j], sum);
    }
    return sum;
}

/* One block per query: computes THE distance for the points on its list and sorts them, or adds the query to those to
 * be redone. */
template <bool VECTOR, int THREADS>
static __global__ void __launch_bounds__(THREADS, THREADS > FINISH_THREADS ? 1 : 0)
    knn_finish(const knn_problem p, int first, const int *lists, int cap, const unsigned *counts, unsigned *redo_count,
               int *redo) {
    __shared__ uint64_t keys[SORTED];
    const int row = blockIdx.x, query = first + row;
    const unsigned listed = counts[row];
    if (listed > (unsigned)cap || listed < (unsigned)p.k) {
        if (threadIdx.x == 0) {
            redo[atomicAdd(redo_count, 1u)] = query;
            atomicAdd(&p.counts->redone, 1ull);
        }
        return;
    }
    if (threadIdx.x == 0) atomicAdd(&p.counts->candidates, (unsigned long long)listed);
    const float *x = p.queries + (int64_t)query * p.d;
    int have = 0; /* the smallest keys so far, sorted */
    for (int done = 0; done < (int)listed;) {
        const int more = min((int)listed - done, SORTED - have);
        int room = 64;
        while (room < have + more) room *= 2;
        for (int i = threadIdx.x; i < room - have; i += THREADS) {
            uint64_t key = KNN_NO_KEY;
            if (i < more) {
                const int point = lists[(int64_t)row * cap + done + i];
                key = knn_key(distance<VECTOR>(x, p.points + (int64_t)point * p.d, p.d), point);
            }
            keys[have + i] = key;
        }
        __syncthreads();
        sort_keys<THREADS>(keys, room);
        have = min(p.k, have + more);
        done += more;
    }
    for (int i = threadIdx.x; i < p.k; i += THREADS) {
        p.index[(int64_t)query * p.k + i] = knn_key_index(keys[i]);
        p.distance[(int64_t)query * p.k + i] = knn_key_distance(keys[i]);
    }
}

/* ---- host side: how a search is divided ---- */

typedef struct {
    int rows, points, sample; /* queries and points per pass; points in the sample */
    int cap;                  /* room on a list */
    int steps, group_bits, groups;
    size_t redo_bytes;
    /* Offsets of what is made of the points: in what was prepared of them, else in the workspace. */
    size_t centre, samples, sample_info, prepared, columns, facts, prepared_bytes;
    /* Offsets in the workspace. */
    size_t counts, redo_count, redo, queries, info, area, bytes;
} tc_plan;

static size_t take(size_t *at, size_t bytes) {
    const size_t here = *at;
    *at = here + (bytes + 1023) / 1024 * 1024;
    return here;
}

/* A sample of S points costs a comparison for each and leaves about k n / S candidates, which cost some hundred times
 * as much (on an H200). */
static int sample_of(int n, int k, double cost) {
    const double best = sqrt(cost * k * n);
    const int64_t most = best < 16384 ? 16384 : best < n / 2 ? whole_tiles((int64_t)best) : n;
    return n < most ? n : (int)most;
}

static const double CANDIDATE_COST = 400;
static const int USUAL_K = 25; /* for which prepared points have their sample */

/* Fills in what is made of `kept` points of the sample and `points` points, from *at on. */
static void lay_out_points(tc_plan *l, const knn_problem *p, int kept, int points, size_t *at) {
    const size_t vector = (size_t)l->steps * BK * 2;
    l->centre = take(at, (size_t)p->d * sizeof(float));
    l->samples = take(at, whole_tiles(kept) * vector);
    l->sample_info = take(at, whole_tiles(kept) * sizeof(float2));
    l->prepared = take(at, whole_tiles(points) * vector);
    l->columns = take(at, whole_tiles(points) * sizeof(float2));
    l->facts = take(at, sizeof(tc_facts));
}

static int steps_of(int d) {
    return d > BK ? (d + BK - 1) / BK : 1;
}

/* What prepared points look like: the same for every search of them. */
static tc_plan plan_prepared(const knn_problem *p) {
    tc_plan l = {};
    l.steps = steps_of(p->d), l.points = p->n, l.sample = sample_of(p->n, USUAL_K, CANDIDATE_COST);
    lay_out_points(&l, p, l.sample, p->n, &l.prepared_bytes);
    return l;
}

/* Fills in everything that follows from rows, points, sample, cap and redo_bytes. */
static void lay_out(tc_plan *l, const knn_problem *p) {
    const int64_t rows = whole_tiles(l->rows), sample = whole_tiles(l->sample);
    /* Groups sized so that 8 remain for each of the k neighbours: few neighbours then share one. */
    l->group_bits = 0;
    while (l->group_bits < 5 && sample >> (l->group_bits + 1) >= 8 * (int64_t)p->k) l->group_bits++;
    l->groups = (int)(sample >> l->group_bits);
    size_t at = 0;
    if (p->prepared == NULL) lay_out_points(l, p, l->sample, l->points, &at);
    l->counts = take(&at, (size_t)rows * sizeof(unsigned) + sizeof(unsigned)); /* behind the facts: zeroed together */
    l->redo_count = l->counts + (size_t)rows * sizeof(unsigned);
    l->redo = take(&at, (size_t)rows * sizeof(int));
    l->queries = take(&at, rows * (size_t)l->steps * BK * 2);
    l->info = take(&at, rows * sizeof(float2));
    /* In this order: minima, lists, and the workspace for redoing. */
    size_t area = (size_t)rows * l->groups * sizeof(float), lists = (size_t)rows * l->cap * sizeof(int);
    if (area < lists) area = lists;
    if (area < l->redo_bytes) area = l->redo_bytes;
    l->area = take(&at, area);
    l->bytes = at;
}

static int half_of(int count, int least) {
    const int64_t half = whole_tiles(count / 2);
    return half < least ? least : (int)half;
}

/* The largest tiles that fit into `limit` bytes: halves whatever takes most of it until they do. Returns whether any
 * fit; if not, *l has the smallest. */
static bool plan(tc_plan *l, const knn_problem *p, size_t limit) {
    const bool given = p->prepared != NULL;
    if (given) *l = plan_prepared(p);
    const int least_rows = p->m < TILE ? p->m : TILE, least_points = p->n < TILE ? p->n : TILE;
    const int least_sample = p->n < (int)whole_tiles(p->k) ? p->n : (int)whole_tiles(p->k);
    const int sample = sample_of(p->n, p->k, CANDIDATE_COST);
    l->steps = steps_of(p->d);
    l->rows = p->m < 16384 ? p->m : 16384;
    l->points = p->n;
    l->sample = given && l->sample < sample ? l->sample : sample;
    /* Twice as many as are likely to be nearer than the k nearest of the sample, as many may be equally near. */
    const double likely = 2 * (p->k + 6 * sqrt((double)p->k) + 20) * p->n / l->sample;
    const int some = likely < p->n ? (int)likely : p->n, least_cap = p->n < 2 * p->k ? p->n : 2 * p->k;
    l->cap = some > 8192 ? some : p->n < 8192 ? p->n : 8192;
    l->redo_bytes = fused_bytes(p->m, p->k, (size_t)1 << 40);
    for (;;) {
        lay_out(l, p);
        if (l->bytes <= limit) return true;
        const size_t minima = (size_t)l->rows * l->groups * sizeof(float),
                     lists = (size_t)l->rows * l->cap * sizeof(int);
        const size_t area = minima > lists ? minima : lists, less = fused_bytes(p->m, p->k, l->redo_bytes / 2);
        const size_t sizes[] = {l->redo_bytes > area && less > 0 ? l->redo_bytes : 0,
                                l->cap > (l->rows > least_rows ? some : least_cap) && lists > minima ? lists : 0,
                                l->rows > least_rows ? l->info - l->queries + area : 0,
                                l->sample > least_sample && !given ? l->sample_info - l->samples : 0,
                                l->points > least_points && !given ? l->columns - l->prepared : 0};
        int largest = 0;
        for (int i = 1; i < ARRAY_SIZE(sizes); i++)
            if (sizes[i] > sizes[largest]) largest = i;
        if (sizes[largest] == 0) return false;
        if (largest == 0) l->redo_bytes = less;
        if (largest == 1) l->cap = l->cap / 2 < least_cap ? least_cap : l->cap / 2;
        if (largest == 2) l->rows = half_of(l->rows, least_rows);
        if (largest == 3) l->sample = half_of(l->sample, least_sample);
        if (largest == 4) l->points = half_of(l->points, least_points);
    }
}

/* ---- launches ---- */

static int greatest_divisor(int a, int b) {
    while (b != 0) {
        const int rest = a % b;
        a = b, b = rest;
    }
    return a;
}

static bool aligned(const void *x, int d) {
    return (uintptr_t)x % 16 == 0 && d % 4 == 0;
}

/* Prepares `count` kinds of rows in one launch. */
static cudaError_t prepare(const tc_rows *rows, int count, const float *centre, const tc_facts *facts,
                           cudaStream_t stream) {
    typedef void kernel(tc_parts, const float *, const tc_facts *);
    const int steps = rows[0].steps, lanes = steps == 1 ? 8 : steps == 2 ? 16 : 32;
    tc_parts parts = {};
    unsigned blocks = 0;
    bool vector = true;
    for (int i = 0; i < 3; i++) {
        parts.first[i] = blocks;
        if (i >= count) continue;
        tc_rows *r = &parts.rows[i];
        *r = rows[i];
        vector &= aligned(r->from, r->d);
        blocks += (unsigned)(whole_tiles(r->rows) * lanes / 256);
        if (r->what == PREPARE_SAMPLE) { /* the golden section scatters best */
            r->turn = (int)(r->rows * 0.6180339887) | 1;
            while (greatest_divisor(r->turn, r->rows) != 1) r->turn += 2;
        }
    }
    kernel *const run = lanes == 8    ? vector ? knn_prepare<8, true> : knn_prepare<8, false>
                           : lanes == 16 ? vector ? knn_prepare<16, true> : knn_prepare<16, false>
                           : vector ? knn_prepare<32, true>
                                      : knn_prepare<32, false>;
    run<<<blocks, 256, 0, stream>>>(parts, centre, facts);
    return cudaGetLastError();
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const cudaError_t error_ = (call);                                                                             \
        if (error_ != cudaSuccess) return error_;                                                                      \
    } while (0)

static cudaError_t finish(const knn_problem *p, int first, int rows, const int *lists, int cap, const unsigned *counts,
                          unsigned *redo_count, int *redo, cudaStream_t stream) {
    typedef void kernel(knn_problem, int, const int *, int, const unsigned *, unsigned *, int *);
    const bool vector = aligned(p->queries, p->d) && aligned(p->points, p->d), few = rows <= FEW_ROWS;
    const int threads = few ? 2 * FINISH_THREADS : FINISH_THREADS;
    kernel *const run = vector ? few ? knn_finish<true, 2 * FINISH_THREADS> : knn_finish<true, FINISH_THREADS>
                        : few ? knn_finish<false, 2 * FINISH_THREADS>
                               : knn_finish<false, FINISH_THREADS>;
    run<<<rows, threads, 0, stream>>>(*p, first, lists, cap, counts, redo_count, redo);
    return cudaGetLastError();
}

/* ---- one query on prepared points: one_query.cuh ---- */

typedef struct {
    tc_plan points;
    int sample, group_bits;
    size_t state, minima, keys, bytes;
} one_plan;

/* Is the search one of these? The sample is smaller than for many queries: reading it takes what comparing takes. */
static bool plan_one(one_plan *l, const knn_problem *p, size_t limit) {
    if (p->prepared == NULL || p->m != 1 || p->k > FUSED_MAX_K || steps_of(p->d) > ONE_MAX_STEPS) return false;
    *l = {};
    l->points = plan_prepared(p);
    const int sample = sample_of(p->n, p->k, CANDIDATE_COST / 4);
    l->sample = sample < l->points.sample ? sample : l->points.sample;
    while (l->group_bits < 5 && l->sample >> (l->group_bits + 1) >= 8 * (int64_t)p->k) l->group_bits++;
    l->state = take(&l->bytes, sizeof(one_state));
    l->minima = take(&l->bytes, whole_tiles(l->sample) * sizeof(float));
    l->keys = take(&l->bytes, (size_t)p->n * sizeof(uint64_t));
    return l->bytes <= limit;
}

static cudaError_t search_one(const knn_problem *p, const one_plan *l, cudaStream_t stream) {
    const unsigned char *made = (const unsigned char *)p->prepared;
    unsigned char *base = (unsigned char *)p->workspace;
    one_work w = {};
    w.centre = (const float *)(made + l->points.centre), w.facts = (const tc_facts *)(made + l->points.facts);
    w.steps = l->points.steps, w.group_bits = l->group_bits;
    w.state = (one_state *)(base + l->state), w.minima = (float *)(base + l->minima);
    w.keys = (uint64_t *)(base + l->keys);
    TRY(cudaMemsetAsync(w.state, 0, sizeof *w.state, stream));
    w.rows = (const uint4 *)(made + l->points.samples), w.info = (const float2 *)(made + l->points.sample_info);
    w.count = l->sample;
    TRY(launch_one<true>(p, w, stream));
    w.rows = (const uint4 *)(made + l->points.prepared), w.info = (const float2 *)(made + l->points.columns);
    w.count = p->n;
    return launch_one<false>(p, w, stream);
}

/* ---- what the table of methods calls ---- */

extern "C" const char *refuses_exact_tc(const knn_problem *p) {
    static char reason[64];
    tc_plan l;
    one_plan one;
    if (p->k > FUSED_MAX_K) return "takes k up to 1024";
    if (p->d > MAX_D) return "takes d up to 1048576";
    if (p->m == 0 || plan_one(&one, p, p->workspace_bytes) || plan(&l, p, p->workspace_bytes)) return NULL;
    snprintf(reason, sizeof reason, "needs %zu MB of workspace", (l.bytes >> 20) + 1);
    return reason;
}

extern "C" size_t workspace_exact_tc(const knn_problem *p, size_t limit) {
    tc_plan l;
    one_plan one;
    if (p->m == 0 || p->k > FUSED_MAX_K || p->d > MAX_D) return 0;
    if (plan_one(&one, p, limit)) return one.bytes;
    return plan(&l, p, limit) ? l.bytes : 0;
}

extern "C" const char *supports_exact_tc(const device_facts *device) {
    return device->cc == 90 ? knn_sums_too_coarse() : "wgmma needs compute capability 9.0";
}

extern "C" kernel_info knn_kernel_exact_tc(void) {
    typedef screen_tile<true> T;
    return {(const void *)knn_screen<T, false>, T::THREADS, T::BYTES};
}

/* What is made of the points, in `base`. */
typedef struct {
    float *centre;
    tc_facts *facts;
    tc_rows sample, points;
} tc_made;

static tc_made made_in(unsigned char *base, const tc_plan *l, const knn_problem *p) {
    tc_made y = {};
    y.centre = (float *)(base + l->centre), y.facts = (tc_facts *)(base + l->facts);
    y.points = {p->points,
                PREPARE_POINTS,
                0,
                l->points,
                p->n,
                0,
                p->d,
                l->steps,
                (uint4 *)(base + l->prepared),
                (float2 *)(base + l->columns)};
    y.sample = y.points;
    y.sample.what = PREPARE_SAMPLE, y.sample.rows = l->sample;
    y.sample.to = (uint4 *)(base + l->samples), y.sample.info = (float2 *)(base + l->sample_info);
    return y;
}

/* Centre and extent; the facts have been zeroed. */
static cudaError_t look_at(const knn_problem *p, const tc_made *y, cudaStream_t stream) {
    knn_centre<<<(unsigned)(p->d + 31) / 32 + 1, dim3(32, 32), 0, stream>>>(*p, y->centre, y->facts);
    return cudaGetLastError();
}

extern "C" size_t prepared_exact_tc(const knn_problem *p) {
    return p->d > MAX_D ? 0 : plan_prepared(p).prepared_bytes;
}

extern "C" cudaError_t prepare_exact_tc(const knn_problem *p, void *prepared, cudaStream_t stream) {
    if (p->d > MAX_D) return cudaSuccess;
    const tc_plan l = plan_prepared(p);
    const tc_made y = made_in((unsigned char *)prepared, &l, p);
    const tc_rows rows[] = {y.sample, y.points};
    TRY(cudaMemsetAsync(y.facts, 0, sizeof *y.facts, stream));
    TRY(look_at(p, &y, stream));
    return prepare(rows, 2, y.centre, y.facts, stream);
}

extern "C" cudaError_t search_exact_tc(const knn_problem *p, cudaStream_t stream) {
    tc_plan l;
    one_plan one;
    if (p->m == 0) return cudaSuccess;
    if (plan_one(&one, p, p->workspace_bytes)) return search_one(p, &one, stream);
    if (!plan(&l, p, p->workspace_bytes)) return cudaErrorInvalidValue;
    const bool given = p->prepared != NULL;
    unsigned char *base = (unsigned char *)p->workspace;
    unsigned *counts = (unsigned *)(base + l.counts), *redo_count = (unsigned *)(base + l.redo_count);
    int *redo = (int *)(base + l.redo), *lists = (int *)(base + l.area);
    float2 *info = (float2 *)(base + l.info);
    const tc_made y = made_in(given ? (unsigned char *)p->prepared : base, &l, p);
    const size_t zeros = given ? l.counts : l.facts; /* the facts are in front of the counts */

    TRY(cudaMemsetAsync(base + zeros, 0, l.redo_count + sizeof(unsigned) - zeros, stream));
    if (!given) TRY(look_at(p, &y, stream));
    for (int64_t begin = 0; begin < p->m; begin += l.rows) {
        const int row = (int)begin, rows = p->m - row < l.rows ? p->m - row : l.rows;
        const int all_rows = (int)whole_tiles(rows);
        const tc_rows queries = {
            p->queries, PREPARE_QUERIES, row, rows, p->n, 0, p->d, l.steps, (uint4 *)(base + l.queries), info};
        const tc_rows all[] = {queries, y.sample, y.points};
        TRY(prepare(all, given || row > 0 ? 1 : l.points < p->n ? 2 : 3, y.centre, y.facts, stream));
        if (row > 0) TRY(cudaMemsetAsync(counts, 0, l.redo_count + sizeof(unsigned) - l.counts, stream));

        tc_screen w = {};
        w.queries = base + l.queries, w.info = info, w.steps = l.steps, w.rows = rows;
        w.points = (const unsigned char *)y.sample.to, w.columns = y.sample.info, w.n = l.sample;
        w.minima = (float *)(base + l.area), w.group_bits = l.group_bits, w.groups = l.groups;
        TRY(screen(w, true, stream));
        knn_radius<<<all_rows, RADIUS_THREADS, 0, stream>>>(w.minima, l.groups, p->k, p->d, rows, l.steps, y.facts,
                                                            info);
        TRY(cudaGetLastError());

        w.points = (const unsigned char *)y.points.to, w.columns = y.points.info;
        w.cap = l.cap, w.lists = lists, w.counts = counts;
        for (int64_t first = 0; first < p->n; first += l.points) {
            w.first = (int)first;
            w.n = p->n - first < l.points ? (int)(p->n - first) : l.points;
            tc_rows part = y.points;
            part.first = w.first, part.rows = w.n;
            if (l.points < p->n) TRY(prepare(&part, 1, y.centre, y.facts, stream));
            TRY(screen(w, false, stream));
        }
        TRY(finish(p, row, rows, lists, l.cap, counts, redo_count, redo, stream));
        TRY(fused_search(p, redo, redo_count, rows, base + l.area, l.redo_bytes, stream));
    }
    return cudaSuccess;
}
