/* A C of few rows or columns, or of a few products an element, in 16-bit types. It takes as long as memory takes for
 * the larger matrix; what counts is how many bytes are in flight (lesson 7.7), and that they lie together.
 *
 *   rows along K: m <= 16 in tn, or n <= 16        rows along N: m = 1 in nn
 *
 *            k ->                                           columns ->
 *   row 0   |  w0  |  w1  | ... |  w7  |  w0 ...    k = 0   |t0|t1|t2|t3|
 *   row 1   |  w0  |  w1  | ... |  w7  |            k = 1   |t4|t5|t6|t7|
 *   ... row 15                                      ...
 *   a block has 16 rows, a warp 32 to 128 of K      a block has 32 columns, a thread one chunk of
 *   at a time, which mma.sync multiplies            every 64th k
 *
 * Then the warps' or threads' FP32 sums are added through shared memory, always in the same order. Chunks are those of
 * ampere.cuh, of 16 bytes and any alignment. */
#include "thin.h"

#include "ampere.cuh"
#include "gemm/launch.cuh"
#include "ptx/griddepcontrol.cuh"
#include "ptx/ld_global.cuh"

static const int MAX_THREADS = 256, ROW_THREADS = 512; /* of a block; of one of rows along K, of at most FEW_BLOCKS */
static const int MANY = 16, MOST_FEW = 16, FEW_BLOCKS = 128; /* rows of a block then; the most that are few */
static const int COLUMNS = 32, LANES = COLUMNS / 8;          /* along N: columns of a block, threads in a row */
static const int AT_ONCE = 4;                                /* and rows that a thread has in flight */
static const int FEW_K = 8, LEAST_COLUMNS = 32;              /* the most K of gemm_thin_k, and its least columns */
static const int WARP_ROWS = 16, FEW_WARP_ROWS = 4;          /* rows of its warps, and where blocks would be few */

/* Of the estimate: clocks until a thread's loads are there, also of rows, and where those have to be shifted; such
 * rounds for a K of at most FEW_K, and one for every 16 elements of A of a warp; clocks of what a block adds; threads
 * on a multiprocessor. And how many times as long as for others memory takes, for more than eight rows and where they
 * have to be shifted. */
static const double ROUND = 900, ROWS_ROUND = 700, CUT_ROUND = 1400, CUT_COLUMNS_ROUND = 2400, FEW_K_ROUNDS = 2;
static const double ONES_ROUND = 2100; /* of rows, where the few are loaded one by one: nn */
static const double NEXT_ROUND = 3000; /* of rows in tn, after the first; every kernel waits for a first one */
static const double REDUCE = 800, MORE_MEMORY = 1.25, CUT_MEMORY = 1.67;
static const int64_t RESIDENT = 768;

/* The values of a chunk. */
template <typename T> static __device__ __forceinline__ void unpack(uint4 chunk, float (&x)[8]) {
    T values[8];
    memcpy(values, &chunk, sizeof chunk);
#pragma unroll
    for (int e = 0; e < 8; e++) x[e] = (float)values[e];
}

template <typename T> static __device__ __forceinline__ float value_of(bits16 bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return (float)value;
}

/* alpha*sum + beta*C to the element at (row, col). */
template <typename T>
static __device__ __forceinline__ void store_one(const gemm_problem &p, int row, int col, float sum) {
    if (p.out == DTYPE_F32) {
        float *c = gemm_at((float *)p.C, p.ldc, row, col);
        *c = blend(p, sum, p.beta == 0.0f ? 0.0f : *c);
    } else {
        T *c = gemm_at((T *)p.C, p.ldc, row, col);
        *c = blend(p, sum, p.beta == 0.0f ? (T)0.0f : *c);
    }
}

/* tn: C has fewer rows than columns. nn: its columns are few. */
static __host__ __device__ bool has_few_rows(const gemm_problem *p) {
    return p->layout == GEMM_TN && p->m <= p->n;
}

/* The chunk at `from`, of which `left` elements exist. ALIGNED: it lies on 16 bytes, and all exist or none. Else it is
 * cut with cut_any, after load_beyond has seen to those that are not within the matrix. */
template <bool ALIGNED>
static __device__ __forceinline__ raw_chunk load_many(const operand<bits16> &x, const bits16 *from, int left) {
    if (!ALIGNED) return load_within(x, from, left);
    raw_chunk r = {};
    if (left > 0) r.low = ld_global_once_16(from);
    return r;
}
template <bool ALIGNED> static __device__ __forceinline__ uint4 cut_any(const raw_chunk &r, int left) {
    return ALIGNED ? r.low : left < 8 ? first_of(cut(r), left) : cut(r);
}

/* Elements k ... k + 7 of row `row` of the few; nn: of a column. */
template <bool ALIGNED, gemm_layout LAYOUT>
static __device__ __forceinline__ raw_chunk load_few(const operand<bits16> &x, int row, int k) {
    raw_chunk r = {};
    if (LAYOUT == GEMM_TN) {
        const bits16 *from = gemm_at(x.at, x.ld, min(row, x.rows - 1), k);
        if (!ALIGNED) return load_within(x, from, x.cols - k);
        if (k < x.cols) r.low = *(const uint4 *)from;
        return r;
    }
    unsigned word[4] = {};
    const bits16 *from = gemm_at(x.at, x.ld, 0, min(row, x.cols - 1));
#pragma unroll
    for (int e = 0; e < 8; e++) { /* beyond the end the last one again, replaced by zero: no branch between loads */
        const unsigned value = *gemm_at(from, x.ld, min(k + e, x.rows - 1), 0);
        word[e / 2] |= (k + e < x.rows ? value : 0) << e % 2 * 16;
    }
    r.low = make_uint4(word[0], word[1], word[2], word[3]);
    return r;
}

/* Pieces of 32 of K that a warp takes at a time, of rows along K: as many as the registers allow. */
static __host__ __device__ constexpr int pieces_of(gemm_layout layout, bool aligned, int few) {
    return layout == GEMM_NN ? 1 : aligned && few <= 8 ? 4 : 2;
}

/* A block has MANY rows of a matrix, the others are FEW eights of rows; its warps take turns along K, by PIECES of 32.
 * A lane loads a chunk of rows lane / 4 and lane / 4 + 8 and one of a row of the few. Where in K its chunks lie does
 * not matter to mma.sync, if they lie there in both: no lane needs what another has loaded. The 1 in its bounds
 * gives ptxas registers for all that a lane loads in a turn; else it would wait for some before it asks for more. */
template <gemm_type TYPE, typename T, gemm_layout LAYOUT, bool ALIGNED, int FEW>
__global__ void __launch_bounds__(ROW_THREADS, 1) gemm_thin_rows(gemm_problem p) {
    const int PIECES = pieces_of(LAYOUT, ALIGNED, 8 * FEW), PITCH = 8 * FEW + 1;
    __shared__ float sums[ROW_THREADS / 32][MANY * PITCH];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const operand<bits16> a = operand_a<bits16>(p), b = operand_b<bits16, LAYOUT>(p);
    const bool of_b = has_few_rows(&p);
    const operand<bits16> many = of_b ? b : a, few = of_b ? a : b;
    const int row0 = blockIdx.x * MANY;
    float sum[FEW][4] = {};
    griddepcontrol_launch_dependents();
    griddepcontrol_wait(); /* for the launch before, which may write what is read here */
    for (int k0 = warp * PIECES * 32; k0 < p.k; k0 += (int)blockDim.x * PIECES) {
        raw_chunk of_many[PIECES][2], of_few[PIECES][FEW];
        const int k = k0 + lane % 4 * 8; /* of its first piece */
        const auto many_at = [&](int piece, int i) {
            return gemm_at(many.at, many.ld, min(row0 + lane / 4 + i * 8, many.rows - 1), k + piece * 32);
        };
        const auto few_at = [&](int piece, int j) {
            return gemm_at(few.at, few.ld, min(j * 8 + lane / 4, few.rows - 1), k + piece * 32);
        };
#pragma unroll
        for (int piece = 0; piece < PIECES; piece++)
#pragma unroll
            for (int i = 0; i < 2; i++)
                of_many[piece][i] = load_many<ALIGNED>(many, many_at(piece, i), p.k - k - piece * 32);
#pragma unroll
        for (int piece = 0; piece < PIECES; piece++)
#pragma unroll
            for (int j = 0; j < FEW; j++)
                of_few[piece][j] = load_few<ALIGNED, LAYOUT>(few, j * 8 + lane / 4, k + piece * 32);
        /* Those not within their matrix lie at the beginning of a row or at its end. */
        const bool edge = k0 == 0 || k0 + PIECES * 32 + 3 * 8 > p.k;
#pragma unroll
        for (int piece = 0; piece < PIECES && !ALIGNED && edge; piece++) {
            const int left = p.k - k - piece * 32;
#pragma unroll
            for (int i = 0; i < 2; i++) load_beyond(many, many_at(piece, i), left, &of_many[piece][i]);
#pragma unroll
            for (int j = 0; j < FEW && LAYOUT == GEMM_TN; j++)
                load_beyond(few, few_at(piece, j), left, &of_few[piece][j]);
        }
#pragma unroll
        for (int piece = 0; piece < PIECES; piece++) {
            const int left = p.k - k - piece * 32;
            const uint4 up = cut_any<ALIGNED>(of_many[piece][0], left);
            const uint4 down = cut_any<ALIGNED>(of_many[piece][1], left);
            const unsigned first[4] = {up.x, down.x, up.y, down.y}, second[4] = {up.z, down.z, up.w, down.w};
#pragma unroll
            for (int j = 0; j < FEW; j++) {
                const uint4 x = cut_any<ALIGNED>(of_few[piece][j], left);
                const unsigned x_first[2] = {x.x, x.y}, x_second[2] = {x.z, x.w};
                multiply_32_bytes<TYPE>(sum[j], first, x_first);
                multiply_32_bytes<TYPE>(sum[j], second, x_second);
            }
        }
    }
#pragma unroll
    for (int j = 0; j < FEW; j++)
#pragma unroll
        for (int e = 0; e < 4; e++)
            sums[warp][(e / 2 * 8 + lane / 4) * PITCH + j * 8 + lane % 4 * 2 + e % 2] = sum[j][e];
    __syncthreads();
    for (int i = threadIdx.x; i < MANY * 8 * FEW; i += blockDim.x) {
        const int row = row0 + i % MANY, col = i / MANY;
        if (row >= many.rows || col >= (of_b ? p.m : p.n)) continue;
        float total = 0.0f;
        for (int w = 0; w < (int)blockDim.x / 32; w++) total += sums[w][i % MANY * PITCH + col];
        store_one<T>(p, of_b ? col : row, of_b ? row : col, total);
    }
}

template <typename T> __global__ void __launch_bounds__(MAX_THREADS) gemm_thin_columns(gemm_problem p) {
    griddepcontrol_launch_dependents();
    griddepcontrol_wait();
    const int STEP = MAX_THREADS / LANES; /* rows of B that the block takes at once */
    __shared__ float partial[MAX_THREADS / 32][COLUMNS];
    const operand<bits16> a = operand_a<bits16>(p), b = operand_b<bits16, GEMM_NN>(p);
    const int lane = threadIdx.x % 32, col = threadIdx.x % LANES * 8, col0 = blockIdx.x * COLUMNS;
    float sum[8] = {};
    for (int k0 = threadIdx.x / LANES; k0 < p.k; k0 += AT_ONCE * STEP) {
        raw_chunk chunk[AT_ONCE];
        float x[AT_ONCE], w[8];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            const int k = k0 + i * STEP;
            chunk[i] = load_chunk(b, gemm_at(b.at, b.ld, k, col0 + col), k < p.k ? p.n - col0 - col : 0);
            x[i] = k < p.k ? value_of<T>(a.at[k]) : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            unpack<T>(cut(chunk[i]), w);
#pragma unroll
            for (int e = 0; e < 8; e++) sum[e] = fmaf(w[e], x[i], sum[e]);
        }
    }
#pragma unroll
    for (int e = 0; e < 8; e++) {
#pragma unroll
        for (int bit = LANES; bit < 32; bit *= 2) sum[e] += __shfl_xor_sync(~0u, sum[e], bit);
        if (lane < LANES) partial[threadIdx.x / 32][col + e] = sum[e];
    }
    __syncthreads();
    if (threadIdx.x >= COLUMNS || col0 + (int)threadIdx.x >= p.n) return;
    float total = 0.0f;
#pragma unroll
    for (int w = 0; w < MAX_THREADS / 32; w++) total += partial[w][threadIdx.x];
    store_one<T>(p, 0, col0 + threadIdx.x, total);
}

/* k of a few: a thread has four columns of B in registers, and goes down the rows of its warp; C is all that counts.
 * The columns are neighbours where C can be stored by fours; else they are 32 apart, so that a warp still writes
 * neighbours. A warp's part of A is in its lanes, row by row: all that a thread needs is on its way before it waits. */
template <typename T, typename OUT, int ROWS>
__global__ void __launch_bounds__(MAX_THREADS) gemm_thin_k(gemm_problem p) {
    griddepcontrol_launch_dependents();
    griddepcontrol_wait();
    const int OF_LANE = ROWS * FEW_K / 32; /* of A */
    const bool fours = is_fours<OUT>(p), tn = p.layout == GEMM_TN;
    const int across = (p.n + 4 * 32 - 1) / (4 * 32), lane = threadIdx.x % 32, next = fours ? 1 : 32;
    const int col = blockIdx.x % across * 128 + (fours ? lane * 4 : lane);
    const int top = (blockIdx.x / across * (MAX_THREADS / 32) + threadIdx.x / 32) * ROWS;
    const bits16 *a = (const bits16 *)p.A, *b = (const bits16 *)p.B;
    bits16 of_b[FEW_K][4] = {}, of_a[OF_LANE] = {};
    if (p.k > 0) { /* what does not exist is not used: the last that does comes in its place, and nobody waits */
#pragma unroll
        for (int i = 0; i < OF_LANE; i++)
            of_a[i] = *gemm_at(a, p.lda, min(top + (i * 32 + lane) / FEW_K, p.m - 1), min(lane % FEW_K, p.k - 1));
#pragma unroll
        for (int l = 0; l < FEW_K; l++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const int at = min(l, p.k - 1), column = min(col + e * next, p.n - 1);
                of_b[l][e] = tn ? *gemm_at(b, p.ldb, column, at) : *gemm_at(b, p.ldb, at, column);
            }
    }
    float v[FEW_K][4], x[OF_LANE];
#pragma unroll
    for (int i = 0; i < OF_LANE; i++) x[i] = value_of<T>(of_a[i]);
#pragma unroll
    for (int l = 0; l < FEW_K; l++)
#pragma unroll
        for (int e = 0; e < 4; e++) v[l][e] = value_of<T>(of_b[l][e]);
#pragma unroll
    for (int row = 0; row < ROWS; row += 4) {
        four<float> sum[4] = {};
        int2 to[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            to[i] = make_int2(col < p.n ? top + row + i : p.m, col);
#pragma unroll
            for (int l = 0; l < FEW_K; l++) {
                if (l >= p.k) break;
                const float factor = __shfl_sync(~0u, x[((row + i) * FEW_K + l) / 32], ((row + i) * FEW_K + l) % 32);
#pragma unroll
                for (int e = 0; e < 4; e++) sum[i].at[e] = fmaf(factor, v[l][e], sum[i].at[e]);
            }
        }
        if (fours) {
            store_fours<OUT>(p, to, sum, true);
            continue;
        }
        OUT c[4][4] = {}; /* all old ones are read before the first is needed */
#pragma unroll
        for (int i = 0; i < 16 && p.beta != 0.0f; i++)
            if (to[i / 4].x < p.m && col + i % 4 * 32 < p.n)
                c[i / 4][i % 4] = *gemm_at((const OUT *)p.C, p.ldc, to[i / 4].x, col + i % 4 * 32);
#pragma unroll
        for (int i = 0; i < 16; i++)
            if (to[i / 4].x < p.m && col + i % 4 * 32 < p.n)
                *gemm_at((OUT *)p.C, p.ldc, to[i / 4].x, col + i % 4 * 32) =
                    blend(p, sum[i / 4].at[i % 4], c[i / 4][i % 4]);
    }
}

/* ---- launching ---- */

static bool by_k(const gemm_problem *p) {
    return p->m > 1 && p->n > LEAST_COLUMNS && p->k <= FEW_K;
}

static bool by_columns(const gemm_problem *p) {
    return p->m == 1 && p->n > 1 && p->layout == GEMM_NN;
}

static int few_of(const gemm_problem *p) {
    return has_few_rows(p) ? p->m : p->n;
}

static bool is_aligned(const gemm_problem *p) {
    const int lengths = by_columns(p) ? p->ldb | p->n : p->lda | p->ldb | p->k;
    return (by_columns(p) || p->layout == GEMM_TN) && ((uintptr_t)p->A | (uintptr_t)p->B) % 16 == 0 && lengths % 8 == 0;
}

/* Blocks of gemm_thin_k with so many rows a warp. */
static int64_t blocks_by_k(const gemm_problem *p, int64_t rows) {
    const int64_t down = MAX_THREADS / 32 * rows;
    return (p->m + down - 1) / down * ((p->n + (int64_t)127) / 128);
}

static int rows_by_k(const gemm_problem *p) {
    return blocks_by_k(p, WARP_ROWS) <= FEW_BLOCKS ? FEW_WARP_ROWS : WARP_ROWS;
}

static int64_t blocks_of(const gemm_problem *p) {
    if (by_k(p)) return blocks_by_k(p, rows_by_k(p));
    if (by_columns(p)) return ((int64_t)p->n + COLUMNS - 1) / COLUMNS;
    return ((has_few_rows(p) ? (int64_t)p->n : p->m) + MANY - 1) / MANY;
}

/* Blocks that are few have twice as many threads each; none has more than K takes. */
static int threads_of(const gemm_problem *p) {
    if (by_columns(p) || by_k(p)) return MAX_THREADS;
    const int64_t most = blocks_of(p) <= FEW_BLOCKS ? ROW_THREADS : MAX_THREADS,
                  each = 32 * pieces_of(p->layout, is_aligned(p), few_of(p));
    const int64_t warps = p->k > 0 ? (p->k + each - 1) / each : 1;
    return (int)(warps * 32 < most ? warps * 32 : most);
}

static bool takes(const gemm_problem *p) {
    if (p->type != GEMM_F16 && p->type != GEMM_BF16) return false;
    return by_k(p) || by_columns(p) || few_of(p) <= MOST_FEW;
}

static bool is_rows(const gemm_problem *p) {
    return !by_k(p) && !by_columns(p);
}

static bool is_cut(const gemm_problem *p) {
    return !by_k(p) && !is_aligned(p);
}

double memory_thin(const gemm_problem *p) {
    return is_cut(p) ? CUT_MEMORY : is_rows(p) && few_of(p) > 8 ? MORE_MEMORY : 1;
}

double cycles_thin(const gemm_problem *p, int sms) {
    if (!takes(p)) return INFINITY;
    const int64_t threads = threads_of(p), resident = sms * (RESIDENT / threads);
    const int64_t waves = (blocks_of(p) + resident - 1) / resident;
    const int64_t each = by_columns(p) ? MAX_THREADS / LANES * AT_ONCE
                                       : threads * pieces_of(p->layout, is_aligned(p), few_of(p)); /* of K, a round */
    const int64_t rounds = by_k(p) ? FEW_K_ROUNDS + rows_by_k(p) * p->k / 16 : (p->k + each - 1) / each;
    const double aligned = is_rows(p) ? ROWS_ROUND : ROUND, cut = is_rows(p) ? CUT_ROUND : CUT_COLUMNS_ROUND;
    const double all = is_cut(p) ? cut : aligned, ones = is_rows(p) && p->layout == GEMM_NN ? ONES_ROUND : 0;
    const double round = all > ones ? all : ones;
    const double next = is_rows(p) && p->layout == GEMM_TN ? NEXT_ROUND : round;
    const double more = rounds > 1 ? (double)(rounds - 1) * next : 0;
    return (double)waves * (round + more + REDUCE);
}

typedef void (*thin_kernel)(gemm_problem);

template <gemm_type TYPE, typename T, gemm_layout LAYOUT, bool ALIGNED> static thin_kernel rows_kernel(int few) {
    return few <= 8 ? gemm_thin_rows<TYPE, T, LAYOUT, ALIGNED, 1> : gemm_thin_rows<TYPE, T, LAYOUT, ALIGNED, 2>;
}

template <gemm_type TYPE, typename T> static thin_kernel kernel_of(const gemm_problem *p) {
    if (by_columns(p)) return gemm_thin_columns<T>;
    if (by_k(p) && rows_by_k(p) == WARP_ROWS)
        return p->out == DTYPE_F32 ? gemm_thin_k<T, float, WARP_ROWS> : gemm_thin_k<T, T, WARP_ROWS>;
    if (by_k(p)) return p->out == DTYPE_F32 ? gemm_thin_k<T, float, FEW_WARP_ROWS> : gemm_thin_k<T, T, FEW_WARP_ROWS>;
    if (p->layout == GEMM_NN) return rows_kernel<TYPE, T, GEMM_NN, false>(few_of(p));
    return is_aligned(p) ? rows_kernel<TYPE, T, GEMM_TN, true>(few_of(p))
                         : rows_kernel<TYPE, T, GEMM_TN, false>(few_of(p));
}

cudaError_t launch_thin(const gemm_problem *p, cudaStream_t stream) {
    const thin_kernel kernel =
        p->type == GEMM_F16 ? kernel_of<GEMM_F16, __half>(p) : kernel_of<GEMM_BF16, __nv_bfloat16>(p);
    return gemm_launch_as(gemm_capability() >= 90, kernel, (unsigned)blocks_of(p), 1, threads_of(p), 0, stream, *p);
}
