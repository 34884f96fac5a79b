/* Kernels for a C with few rows or few columns. There a tile would multiply and wait for rows and columns that do not
 * exist; what takes the time is to read the large matrix once. So operands go straight to registers, several loads in
 * flight in each thread, and blocks are light.
 *
 *   sgemm_strips: few rows                               sgemm_dots: few columns
 *
 *   B       128 columns, 4 a lane                        A       k                              B, up to 8 columns
 *       k   |lane 0|lane 1|  ...  |lane 31|              row 0   |t0|t1|t2| ... |t0|t1| ...     |t0|
 *       k+1 |lane 0|lane 1|  ...  |lane 31|                ...   |t0|t1|t2| ... |t0|t1| ...     |t1|
 *   C       2, 8 or 16 rows: all of these for the        row 7   |t0|t1|t2| ... |t0|t1| ...     |t2|
 *           same 4 columns in a lane's registers                                                ...
 *
 * In strips each word of A is for a whole warp: 32 of them are loaded at once, and handed round by shuffles. In dots
 * neighbouring threads have neighbouring values of k, and add up their sums by shuffles in the end.
 *
 * Where C is too small to occupy the GPU, k is divided: among the warps or threads of a block, who add up their sums in
 * shared memory, and among `parts` blocks. The last of these to finish, as a counter tells, adds up what all have left.
 * The order of all sums is fixed, and so the result is always the same. */
#pragma once

#include "plan.h"
#include "warp_tile.cuh"

static const int STRIP = 128, WARPS = THREADS / 32;

/* The workspace: what parts leave, and how many of a tile have done so. One launch at a time, as with the tiles. */
static __device__ float thin_left[THIN_WORDS];
static __device__ unsigned thin_arrived[THIN_TILES];

/* How a launch divides k: among so many blocks, and among so many warps (strips) or threads (dots) of each. */
struct thin_split {
    int parts, along_k;
};

/* Whether this block is the last of those that leave sums for a tile; if so, it may read all of them. */
static __device__ __forceinline__ bool is_last(int tile, int parts) {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence(); /* the sums before the count */
        last = atomicAdd(&thin_arrived[tile], 1) == parts - 1;
        __threadfence(); /* the count before the others' sums */
        if (last) thin_arrived[tile] = 0;
    }
    __syncthreads();
    return last;
}

/* ---- strips ---- */

/* This lane's four columns of a row of B, `left` of which exist from the first on, zeros for the others: neighbours
 * (VECTOR: rows of B and C are whole float4), or one in each 32. */
template <bool VECTOR> static __device__ __forceinline__ void load_strip(const float *from, int left, float (&b)[4]) {
    if (VECTOR) {
        *(float4 *)b = gemm_load4<true>(from, left);
    } else {
#pragma unroll
        for (int j = 0; j < 4; j++) b[j] = 32 * j < left ? from[32 * j] : 0.0f;
    }
}

/* Stores ROWS rows of C, this lane's columns, which begin at `col`. */
template <int ROWS, bool VECTOR>
static __device__ __forceinline__ void store_strip(const sgemm_problem &p, int row0, int col,
                                                   const float (&c)[ROWS][4]) {
    float *to = gemm_at(p.C, p.ldc, row0, col);
#pragma unroll
    for (int r = 0; r < ROWS && row0 + r < p.m; r++, to += p.ldc) {
        if (VECTOR) {
            gemm_store4<true>(p, row0 + r, col, make_float4(c[r][0], c[r][1], c[r][2], c[r][3]));
        } else { /* no branch lies between the four */
            float old[4];
#pragma unroll
            for (int j = 0; j < 4; j++) old[j] = p.beta != 0.0f && col + 32 * j < p.n ? to[32 * j] : 0.0f;
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (col + 32 * j < p.n) to[32 * j] = p.alpha * c[r][j] + p.beta * old[j];
        }
    }
}

/* c += A * B for ROWS rows and this lane's columns, k from begin to end. DEEP rows of B are in flight. */
template <int ROWS, bool VECTOR>
static __device__ __forceinline__ void add_strip(const sgemm_problem &p, int row0, int col, int begin, int end,
                                                 float (&c)[ROWS][4]) {
    const int DEEP = ROWS > 8 ? 4 : 8, lane = threadIdx.x % 32;
    for (int k0 = begin; k0 < end; k0 += 32) {
        float a[ROWS]; /* of k0 + lane */
        const float *from = gemm_at(p.A, p.lda, row0, k0 + lane);
#pragma unroll
        for (int r = 0; r < ROWS; r++, from += p.lda) a[r] = row0 + r < p.m && k0 + lane < end ? *from : 0.0f;
        for (int k = 0; k < 32 && k0 + k < end; k += DEEP) {
            float b[DEEP][4];
            from = gemm_at(p.B, p.ldb, k0 + k, col);
#pragma unroll
            for (int u = 0; u < DEEP; u++, from += p.ldb)
                load_strip<VECTOR>(from, k0 + k + u < end ? p.n - col : 0, b[u]);
#pragma unroll
            for (int u = 0; u < DEEP; u++) {
                if (k0 + k + u >= end) break; /* where k is short, most of it would be zeros */
#pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    const float x = __shfl_sync(0xffffffffu, a[r], k + u);
#pragma unroll
                    for (int j = 0; j < 4; j++) c[r][j] += x * b[u][j];
                }
            }
        }
    }
}

/* Adds up what the warps have, in pairs; warp 0 gets the sum. */
template <int ROWS> static __device__ __forceinline__ void add_warps(float (&c)[ROWS][4]) {
    __shared__ float sums[WARPS / 2][ROWS * 4][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll 1
    for (int half = WARPS / 2; half > 0; half /= 2) {
        if (warp >= half && warp < 2 * half)
#pragma unroll
            for (int i = 0; i < ROWS * 4; i++) sums[warp - half][i][lane] = c[i / 4][i % 4];
        __syncthreads();
        if (warp < half)
#pragma unroll
            for (int i = 0; i < ROWS * 4; i++) c[i / 4][i % 4] += sums[warp][i][lane];
        __syncthreads();
    }
}

template <int ROWS, bool VECTOR>
__global__ void __launch_bounds__(THREADS, ROWS > 2 ? 2 : 3) sgemm_strips(sgemm_problem p, thin_split s) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, strips = (p.n + STRIP - 1) / STRIP;
    const int tile = blockIdx.x / s.parts, part = blockIdx.x % s.parts;
    const int row0 = (tile / strips * (WARPS / s.along_k) + warp / s.along_k) * ROWS;
    const int col = tile % strips * STRIP + (VECTOR ? lane * 4 : lane);
    const int slices = s.parts * s.along_k, slice = part * s.along_k + warp % s.along_k;
    const int each = ((p.k + slices - 1) / slices + 7) / 8 * 8, begin = min(slice * each, p.k);
    float c[ROWS][4] = {};
    if (row0 < p.m) add_strip<ROWS, VECTOR>(p, row0, col, begin, min(begin + each, p.k), c);
    if (s.along_k > 1) {
        auto left = (float(*)[ROWS * 4][32]) thin_left + tile * s.parts;
        add_warps<ROWS>(c);
        if (s.parts > 1) {
            if (warp == 0)
#pragma unroll
                for (int i = 0; i < ROWS * 4; i++) left[part][i][lane] = c[i / 4][i % 4];
            if (!is_last(tile, s.parts)) return;
#pragma unroll
            for (int i = 0; i < ROWS * 4; i++) c[i / 4][i % 4] = 0.0f;
            for (int other = warp; other < s.parts; other += WARPS)
#pragma unroll
                for (int i = 0; i < ROWS * 4; i++) c[i / 4][i % 4] += __ldcg(&left[other][i][lane]);
            add_warps<ROWS>(c);
        }
        if (warp > 0) return;
    }
    store_strip<ROWS, VECTOR>(p, row0, col, c);
}

/* ---- dots ---- */

/* c += A * B for rows row0, row0 + step, ... and COLS columns, over every `threads`th k from `k` on. Rows beyond the
 * edge are replaced by the last one. VECTOR: B consists of whole float4. */
template <int COLS, bool VECTOR>
static __device__ __forceinline__ void add_dots(const sgemm_problem &p, int row0, int step, int col0, int k,
                                                int threads, int end, float (&c)[DOT_ROWS][COLS]) {
    const int DEEP = COLS > 1 ? 2 : 4;
    const float *row[DOT_ROWS];
#pragma unroll
    for (int r = 0; r < DOT_ROWS; r++) row[r] = gemm_at(p.A, p.lda, min(row0 + r * step, p.m - 1), 0);
    for (; k < end; k += threads * DEEP) {
        float a[DEEP][DOT_ROWS], b[DEEP][COLS];
#pragma unroll
        for (int u = 0; u < DEEP; u++) {
            const int at = k + u * threads, left = at < end ? p.n - col0 : 0;
            const float *from = gemm_at(p.B, p.ldb, at, col0);
#pragma unroll
            for (int r = 0; r < DOT_ROWS; r++) a[u][r] = left > 0 ? row[r][at] : 0.0f;
            if (COLS == 1) b[u][0] = left > 0 ? *from : 0.0f;
#pragma unroll
            for (int j = 0; j < COLS / 4 * 4; j += 4) *(float4 *)&b[u][j] = gemm_load4<VECTOR>(from + j, left - j);
        }
#pragma unroll
        for (int u = 0; u < DEEP; u++)
#pragma unroll
            for (int r = 0; r < DOT_ROWS; r++)
#pragma unroll
                for (int j = 0; j < COLS; j++) c[r][j] += a[u][r] * b[u][j];
    }
}

static __device__ __forceinline__ void store_dot(const sgemm_problem &p, int row, int col, float acc) {
    if (row >= p.m || col >= p.n) return;
    float *c = gemm_at(p.C, p.ldc, row, col);
    *c = gemm_blend(p, acc, c);
}

/* Groups of s.along_k threads have DOT_ROWS rows each, those of neighbouring groups side by side: where a row is short,
 * a warp's loads lie together all the same. */
template <int COLS, bool VECTOR>
__global__ void __launch_bounds__(THREADS, 2) sgemm_dots(sgemm_problem p, thin_split s) {
    const int WORDS = DOT_ROWS * COLS, lane = threadIdx.x % 32, at = threadIdx.x % s.along_k;
    const int groups = THREADS / s.along_k, group = threadIdx.x / s.along_k, tiles_n = (p.n + COLS - 1) / COLS;
    const int tile = blockIdx.x / s.parts, part = blockIdx.x % s.parts;
    const int row0 = tile / tiles_n * groups * DOT_ROWS, col0 = tile % tiles_n * COLS;
    const int each = (p.k + s.parts - 1) / s.parts, begin = min(part * each, p.k);
    __shared__ float sums[WARPS][WORDS > 32 ? WORDS : 32];

    float c[DOT_ROWS][COLS] = {};
    add_dots<COLS, VECTOR>(p, row0 + group, groups, col0, begin + at, s.along_k, min(begin + each, p.k), c);
#pragma unroll 1
    for (int offset = min(s.along_k, 32) / 2; offset > 0; offset /= 2)
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            c[i / COLS][i % COLS] += __shfl_xor_sync(0xffffffffu, c[i / COLS][i % COLS], offset);
    if (s.along_k <= 32) { /* all of a group have its sums: each stores some */
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            if (i % s.along_k == at)
                store_dot(p, row0 + group + i / COLS * groups, col0 + i % COLS, c[i / COLS][i % COLS]);
        return;
    }

#pragma unroll
    for (int i = 0; i < WORDS; i++)
        if (i % 32 == lane) sums[threadIdx.x / 32][i] = c[i / COLS][i % COLS];
    __syncthreads();
    const int word = threadIdx.x % WORDS, row = row0 + threadIdx.x / WORDS + word / COLS * groups;
    const bool has_word = threadIdx.x < groups * WORDS;
    float sum = 0.0f;
    if (has_word)
        for (int w = 0; w < s.along_k / 32; w++) sum += sums[threadIdx.x / WORDS * (s.along_k / 32) + w][word];
    if (s.parts > 1) { /* one group */
        float *left = thin_left + (int64_t)tile * s.parts * WORDS + word;
        if (has_word) left[part * WORDS] = sum;
        if (!is_last(tile, s.parts)) return;
        sum = 0.0f;
        for (int other = threadIdx.x / WORDS; other < s.parts; other += THREADS / WORDS)
            sum += __ldcg(&left[other * WORDS]);
        float *all = &sums[0][0];
        all[threadIdx.x] = sum;
        __syncthreads();
        if (has_word)
            for (int other = 1; other < THREADS / WORDS; other++) sum += all[other * WORDS + word];
    }
    if (has_word) store_dot(p, row, col0 + word % COLS, sum);
}

/* ---- launching ---- */

template <int ROWS> static cudaError_t launch_strips(const sgemm_problem &p, const plan &x, cudaStream_t stream) {
    const bool vector = gemm_is_float4(p.B, p.ldb, p.n) && gemm_is_float4(p.C, p.ldc, p.n);
    auto kernel = vector ? sgemm_strips<ROWS, true> : sgemm_strips<ROWS, false>;
    kernel<<<(unsigned)(x.whole * x.workers), THREADS, 0, stream>>>(p, {x.workers, x.along_k});
    return cudaGetLastError();
}

template <int COLS> static cudaError_t launch_dots(const sgemm_problem &p, const plan &x, cudaStream_t stream) {
    auto kernel = sgemm_dots<COLS, false>;
    if constexpr (COLS > 1)
        if (gemm_is_float4(p.B, p.ldb, p.n)) kernel = sgemm_dots<COLS, true>;
    kernel<<<(unsigned)(x.whole * x.workers), THREADS, 0, stream>>>(p, {x.workers, x.along_k});
    return cudaGetLastError();
}
