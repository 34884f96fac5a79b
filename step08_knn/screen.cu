/* Distances of only those points that may be near: tensor cores bound every distance from below.
 *
 *   round    x as FP16: h(x); N(x) = |h(x)|^2; e(x) = how far rounding has moved x
 *   lower    N(x) + N(y) - 2 h(x)h(y) is the rounded points' squared distance, by tensor cores. Rounding moves two
 *            points by at most e(x) + e(y), so  L = (sqrt(...) - e(x) - e(y))^2  is no more than THE distance
 *   bar      the k points with the smallest L, whichever they are: the largest of their distances, computed in FP32.
 *            k points are that near
 *   decide   L above the bar: the point is certainly none of the k nearest, and gets NaN, which sorts last.
 *            Else: THE distance
 *
 *            L      0.9    7.1     1.4    5.3    2.2         k = 2: the smallest L are 0.9 and 1.4, their distances
 *   distance        1.0      ?     1.6      ?      ?         1.0 and 1.6, so the bar is 1.6
 *   becomes         1.0    NaN     1.6    NaN    NaN
 *
 * The factors near 1 leave room for the rounding of this kernel itself; lesson 8.9 has the terms. The bounds lie in the
 * matrix of distances, which is read again and again; best/exact_tc.cu has no matrix. */
#include <cuda_fp16.h>
#include <stdio.h>

#include "ptx/cp_async.cuh" /* shared_address */
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"
#include "search.h"
#include "sort_rows.h"

static const int BM = 128, BN = 128, BK = 32;
static const int WM = 64, WN = 32;
static const int PAD = 8; /* halves: the rows that ldmatrix reads together lie in different banks */
static const int THREADS = 256;

/* What is kept for a search: queries first, then points. */
typedef struct {
    int k;        /* coordinates of a rounded row: d, padded to BK */
    __half *rows; /* (m + n) x k */
    uint64_t *scratch;
    float2 *facts; /* N and e of each row */
} rounded;

/* The relative error of everything that is multiplied by a norm. */
static __device__ __forceinline__ float gamma_of(int k) {
    return (k * (1.0f + 1.0f / 32) + 24) * 0x1p-23f;
}

/* One warp per row. */
static __global__ void __launch_bounds__(THREADS)
    knn_round(const float *x, int rows, int d, int k, __half *h, float2 *facts) {
    int64_t row = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / 32;
    float norm = 0.0f, rest = 0.0f;
    if (row >= rows) return; /* a whole warp */
    for (int j = threadIdx.x % 32; j < k; j += 32) {
        float value = j < d ? x[row * d + j] : 0.0f;
        __half near = __float2half_rn(value);
        float left = value - __half2float(near);
        h[row * k + j] = near;
        norm = fmaf(__half2float(near), __half2float(near), norm);
        rest = fmaf(left, left, rest);
    }
    for (int half = 16; half > 0; half /= 2) {
        norm += __shfl_down_sync(~0u, norm, half);
        rest += __shfl_down_sync(~0u, rest, half);
    }
    float e = fmaf(sqrtf(rest), 1.0f + gamma_of(k) + 0x1p-20f, 0x1p-50f); /* squares below 2^-149 are lost */
    if (threadIdx.x % 32 == 0) facts[row] = make_float2(norm, e);
}

/* ---- the bounds: a tile of 128 x 128 by eight warps, as step 6's `ldmatrix` has it */

static __device__ __forceinline__ void load_tile(const __half *x, int rows, int k, int64_t row0, int k0,
                                                 __half (*tile)[BK + PAD]) {
#pragma unroll
    for (int i = threadIdx.x; i < BM * 4; i += THREADS) { /* 4 chunks of 16 bytes per row */
        int row = i / 4, col = i % 4 * 8;
        uint4 chunk = {};
        if (row0 + row < rows) chunk = *(const uint4 *)(x + (row0 + row) * k + k0 + col);
        *(uint4 *)&tile[row][col] = chunk;
    }
}

/* No more than THE distance, from h(x)h(y) and (N, e) of both. What is not a number becomes 0. */
static __device__ __forceinline__ float lower_bound(float product, float2 x, float2 y, int d, int k) {
    float g = 1.125f * (d + 4) * 0x1p-24f; /* THE distance is off by this factor, and by d 2^-149 */
    float h = fmaf(x.x + y.x, 1.0f - gamma_of(k), -2.0f * product);
    float apart = fmaf(sqrtf(fmaxf(h, 0.0f)), 1.0f - 0x1p-22f, -(x.y + y.y));
    return apart > 0.0f ? fmaf(apart * apart, (1.0f - g) * (1.0f - 0x1p-21f), -(d + 1) * 0x1p-149f) : 0.0f;
}

static __global__ void __launch_bounds__(THREADS, 2)
    knn_lower(knn_problem p, rounded r, int first, int rows, float *bounds) {
    __shared__ __align__(128) __half a[BM][BK + PAD], b[BN][BK + PAD];
    int tiles_n = (int)(((int64_t)p.n + BN - 1) / BN);
    int64_t row0 = (int64_t)(blockIdx.x / tiles_n) * BM, col0 = (int64_t)(blockIdx.x % tiles_n) * BN;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;
    float c[WM / 16][WN / 8][4] = {};
    for (int k0 = 0; k0 < r.k; k0 += BK) {
        load_tile(r.rows + (int64_t)first * r.k, rows, r.k, row0, k0, a);
        load_tile(r.rows + (int64_t)p.m * r.k, p.n, r.k, col0, k0, b);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            unsigned a_frag[WM / 16][4], b_frag[WN / 8][2];
#pragma unroll
            for (int i = 0; i < WM / 16; i++) {
                int row = wm + i * 16 + lane % 16;
                ldmatrix_x4(a_frag[i], shared_address(&a[row][k + lane / 16 * 8]));
            }
#pragma unroll
            for (int j = 0; j < WN / 8; j += 2) {
                int row = wn + j * 8 + lane / 16 * 8 + lane % 8;
                ldmatrix_x4(b_frag[j], shared_address(&b[row][k + lane / 8 % 2 * 8]));
            }
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int j = 0; j < WN / 8; j++) mma_m16n8k16_f16(c[i][j], a_frag[i], b_frag[j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 8; j++)
#pragma unroll
            for (int v = 0; v < 4; v++) { /* mma.cuh: lane (g, t) has rows g and g + 8, columns 2t and 2t + 1 */
                int64_t row = row0 + wm + i * 16 + v / 2 * 8 + lane / 4, col = col0 + wn + j * 8 + lane % 4 * 2 + v % 2;
                if (row < rows && col < p.n)
                    bounds[row * p.n + col] =
                        lower_bound(c[i][j][v], r.facts[first + row], r.facts[p.m + col], p.d, r.k);
            }
}

/* ---- THE distance, of few */

static __device__ __forceinline__ float distance(const knn_problem &p, int64_t query, int64_t point) {
    float sum = 0.0f;
    for (int j = 0; j < p.d; j++) {
        float difference = __fsub_rn(p.queries[query * p.d + j], p.points[point * p.d + j]);
        sum = __fmaf_rn(difference, difference, sum);
    }
    return sum;
}

/* One warp per query: the farthest of the k points that the selection has left in p.index. This bar waits in the place
 * of the query's first distance. */
static __global__ void __launch_bounds__(32) knn_bar(knn_problem p, int first) {
    int64_t query = first + blockIdx.x;
    unsigned most = 0; /* a distance's bits: none is negative, so they sort like integers */
    for (int i = threadIdx.x; i < p.k; i += 32)
        most = max(most, __float_as_uint(distance(p, query, p.index[query * p.k + i])));
    for (int half = 16; half > 0; half /= 2) most = max(most, __shfl_xor_sync(~0u, most, half));
    if (threadIdx.x == 0) p.distance[query * p.k] = __uint_as_float(most);
}

static __global__ void __launch_bounds__(THREADS) knn_decide(knn_problem p, int first, int rows, float *distances) {
    int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (at >= (int64_t)rows * p.n) return;
    int64_t query = first + at / p.n;
    bool near = !(distances[at] > p.distance[query * p.k]);
    distances[at] = near ? distance(p, query, at % p.n) : NAN;
    if (near) atomicAdd(&p.counts->candidates, 1ull);
}

/* ---- what the bounds rest on */

static __device__ int kept_bits;

static __global__ void knn_kept_bits() {
    kept_bits = mma_f16_kept_bits();
}

/* verify.h's bound of a sum takes for granted that a summand keeps one bit more than FP32's 23 below the leading one of
 * the largest. No document says so. So each device is asked, once. */
extern "C" const char *knn_sums_too_coarse(void) {
    enum { NEEDED = 24, DEVICES = 64 };
    static int known[DEVICES];
    static char reason[96];
    int device, bits;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess && known[device % DEVICES] == 0) {
        knn_kept_bits<<<1, 32>>>();
        error = cudaGetLastError();
        if (error == cudaSuccess) error = cudaMemcpyFromSymbol(&bits, kept_bits, sizeof bits);
        if (error == cudaSuccess) known[device % DEVICES] = bits;
    }
    if (error != cudaSuccess) return cudaGetErrorString(error);
    if (known[device % DEVICES] >= NEEDED) return NULL;
    snprintf(reason, sizeof reason, "mma keeps %d bits below the largest term of a sum, and the bound needs %d",
             known[device % DEVICES], NEEDED);
    return reason;
}

/* ---- host side */

static rounded lay_out(const knn_problem *p, void *kept) {
    size_t m = (size_t)p->m, all = m + (size_t)p->n;
    rounded r = {};
    r.k = (p->d + BK - 1) / BK * BK;
    r.rows = (__half *)kept;
    r.scratch = (uint64_t *)(r.rows + all * r.k);
    r.facts = (float2 *)(r.scratch + m * padded_length(p->k));
    return r;
}

static size_t kept(const knn_problem *p) {
    return (size_t)(lay_out(p, NULL).facts + p->m + p->n);
}

static unsigned blocks_for(int64_t threads) {
    return (unsigned)((threads + THREADS - 1) / THREADS);
}

static cudaError_t prepare(const knn_problem *p, void *kept, cudaStream_t stream) {
    rounded r = lay_out(p, kept);
    knn_round<<<blocks_for((int64_t)p->m * 32), THREADS, 0, stream>>>(p->queries, p->m, p->d, r.k, r.rows, r.facts);
    knn_round<<<blocks_for((int64_t)p->n * 32), THREADS, 0, stream>>>(p->points, p->n, p->d, r.k,
                                                                      r.rows + (size_t)p->m * r.k, r.facts + p->m);
    return cudaGetLastError();
}

static cudaError_t tile(const knn_problem *p, void *kept, int first, int rows, float *distances, cudaStream_t stream) {
    rounded r = lay_out(p, kept);
    int64_t tiles = (((int64_t)rows + BM - 1) / BM) * (((int64_t)p->n + BN - 1) / BN);
    knn_lower<<<(unsigned)tiles, THREADS, 0, stream>>>(*p, r, first, rows, distances);
    int64_t place = (int64_t)first * p->k;
    knn_rows bounds = {rows, p->n, p->k, distances, p->index + place, p->distance + place, r.scratch, false};
    cudaError_t error = knn_select_radix.select(&bounds, stream);
    if (error != cudaSuccess) return error;
    knn_bar<<<(unsigned)rows, 32, 0, stream>>>(*p, first);
    knn_decide<<<blocks_for((int64_t)rows * p->n), THREADS, 0, stream>>>(*p, first, rows, distances);
    return cudaGetLastError();
}

static kernel_info kernel() {
    return {(const void *)knn_lower, THREADS, 0};
}

static const char *supports(const device_facts *device) {
    return device->cc >= 80 ? knn_sums_too_coarse() : "mma.m16n8k16 needs compute capability 8.0";
}

static const char *refuses(const knn_problem *p) {
    return p->d <= 1 << 20 ? NULL : "takes d up to 1048576";
}

extern "C" const knn_distances knn_distance_screen = {kept, prepare, tile, kernel, supports, refuses};
