/* A C of one row or one column, or of a few products an element, in 16-bit types. One row or column is a matrix times a
 * vector, which takes as long as memory takes for the matrix. No tensor core is needed; what counts is how many bytes
 * are in flight (lesson 7.7).
 *
 *   rows along K: n = 1, or m = 1 in tn            rows along N: m = 1 in nn
 *
 *            k ->                                           columns ->
 *   row 0  |t0|t1|t2| ... |t0|t1|t2| ...            k = 0   |t0|t1|t2|t3|
 *   row 1  |t0|t1|t2| ...                           k = 1   |t4|t5|t6|t7|
 *   row 2, row 3                                    ...
 *   a block has four rows, a thread one chunk of    a block has 32 columns, a thread one chunk of
 *   each and the same of the vector at a time       every 64th k
 *
 * Then the threads' FP32 sums are added by shuffles and through shared memory, always in the same order. Chunks are
 * those of ampere.cuh, of 16 bytes and any alignment. */
#include "thin.h"

#include "ampere.cuh"
#include "gemm/launch.cuh"
#include "ptx/griddepcontrol.cuh"

static const int ROWS_EACH = 4, MAX_THREADS = 256;  /* along K: rows of a block, and its threads */
static const int COLUMNS = 32, LANES = COLUMNS / 8; /* along N: columns of a block, threads in a row */
static const int AT_ONCE = 4;                       /* and rows that a thread has in flight */
static const int FEW_K = 4, WARP_ROWS = 16;         /* k of a few: and rows of C that a warp computes */
static const double ROUND = 900, REDUCE = 800;      /* clocks: until a thread's loads are there; what a block adds */
static const int64_t RESIDENT = 768;                /* threads on a multiprocessor */

typedef unsigned short bits16;

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

/* A vector's elements k ... k + 7, zeros from its end on. */
template <typename T>
static __device__ __forceinline__ void load_vector(const operand<bits16> &x, bool contiguous, int k, float (&v)[8]) {
    if (contiguous) {
        unpack<T>(cut(load_chunk(x, x.at + k, x.cols - k)), v);
        return;
    }
#pragma unroll
    for (int e = 0; e < 8; e++) v[e] = k + e < x.rows ? value_of<T>(*gemm_at(x.at, x.ld, k + e, 0)) : 0.0f;
}

template <typename T> __global__ void __launch_bounds__(MAX_THREADS) gemm_thin_rows(gemm_problem p) {
    griddepcontrol_launch_dependents();
    griddepcontrol_wait();
    __shared__ float partial[MAX_THREADS / 32][ROWS_EACH];
    const operand<bits16> a = operand_a<bits16>(p);
    const bool of_b = p.n > 1; /* the rows are those of B */
    const operand<bits16> b = p.layout == GEMM_TN ? operand_b<bits16, GEMM_TN>(p) : operand_b<bits16, GEMM_NN>(p);
    const operand<bits16> rows = of_b ? b : a, x = of_b ? a : b;
    const bool contiguous = of_b || p.layout == GEMM_TN;
    const int row0 = blockIdx.x * ROWS_EACH, lane = threadIdx.x % 32;
    float sum[ROWS_EACH] = {};
    for (int k = threadIdx.x * 8; k < p.k; k += blockDim.x * 8) {
        raw_chunk chunk[ROWS_EACH];
#pragma unroll
        for (int i = 0; i < ROWS_EACH; i++)
            chunk[i] = load_chunk(rows, gemm_at(rows.at, rows.ld, min(row0 + i, rows.rows - 1), k), p.k - k);
        float v[8], w[8];
        load_vector<T>(x, contiguous, k, v);
#pragma unroll
        for (int i = 0; i < ROWS_EACH; i++) {
            unpack<T>(cut(chunk[i]), w);
#pragma unroll
            for (int e = 0; e < 8; e++) sum[i] = fmaf(w[e], v[e], sum[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < ROWS_EACH; i++) {
#pragma unroll
        for (int bit = 1; bit < 32; bit *= 2) sum[i] += __shfl_xor_sync(~0u, sum[i], bit);
        if (lane == 0) partial[threadIdx.x / 32][i] = sum[i];
    }
    __syncthreads();
    const int row = row0 + threadIdx.x;
    if (threadIdx.x >= ROWS_EACH || row >= rows.rows) return;
    float total = 0.0f;
    for (int w = 0; w < (int)blockDim.x / 32; w++) total += partial[w][threadIdx.x];
    store_one<T>(p, of_b ? 0 : row, of_b ? row : 0, total);
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

/* k of a few: a thread has four columns of B in registers, and goes down the rows of its warp. C is all that counts. */
template <typename T, typename OUT> __global__ void __launch_bounds__(MAX_THREADS) gemm_thin_k(gemm_problem p) {
    griddepcontrol_launch_dependents();
    griddepcontrol_wait();
    const bool fours = is_fours<OUT>(p), tn = p.layout == GEMM_TN;
    const int across = (p.n + 4 * 32 - 1) / (4 * 32), col = blockIdx.x % across * 128 + threadIdx.x % 32 * 4;
    const int top = (blockIdx.x / across * (MAX_THREADS / 32) + threadIdx.x / 32) * WARP_ROWS;
    const bits16 *a = (const bits16 *)p.A, *b = (const bits16 *)p.B;
    float v[FEW_K][4] = {};
#pragma unroll
    for (int l = 0; l < FEW_K; l++)
#pragma unroll
        for (int e = 0; e < 4; e++)
            if (l < p.k && col + e < p.n)
                v[l][e] = value_of<T>(tn ? *gemm_at(b, p.ldb, col + e, l) : *gemm_at(b, p.ldb, l, col + e));
#pragma unroll 1
    for (int row = top; row < min(top + WARP_ROWS, p.m); row += 4) {
        four<float> sum[4] = {};
        int2 to[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            to[i] = make_int2(col < p.n ? row + i : p.m, col);
#pragma unroll
            for (int l = 0; l < FEW_K; l++) {
                const float x = l < p.k && row + i < p.m ? value_of<T>(*gemm_at(a, p.lda, row + i, l)) : 0.0f;
#pragma unroll
                for (int e = 0; e < 4; e++)
                    if (l < p.k) sum[i].at[e] = fmaf(x, v[l][e], sum[i].at[e]);
            }
        }
        store_fours<OUT>(p, to, sum, fours);
    }
}

/* ---- launching ---- */

static bool by_k(const gemm_problem *p) {
    return p->m > 1 && p->n > 1 && p->k <= FEW_K;
}

static bool by_columns(const gemm_problem *p) {
    return p->m == 1 && p->n > 1 && p->layout == GEMM_NN;
}

static int64_t blocks_of(const gemm_problem *p) {
    const int64_t DOWN = MAX_THREADS / 32 * WARP_ROWS;
    if (by_k(p)) return (p->m + DOWN - 1) / DOWN * ((p->n + (int64_t)127) / 128);
    if (by_columns(p)) return ((int64_t)p->n + COLUMNS - 1) / COLUMNS;
    return ((p->n == 1 ? (int64_t)p->m : p->n) + ROWS_EACH - 1) / ROWS_EACH;
}

/* As many as have four chunks of a row each. */
static int threads_of(const gemm_problem *p) {
    int threads = MAX_THREADS;
    if (by_columns(p) || by_k(p)) return threads;
    while (threads > 32 && (int64_t)threads * 4 * 8 > p->k) threads /= 2;
    return threads;
}

double cycles_thin(const gemm_problem *p, int sms, double floor) {
    if ((p->type != GEMM_F16 && p->type != GEMM_BF16) || (p->m > 1 && p->n > 1 && !by_k(p))) return INFINITY;
    const int64_t threads = threads_of(p), resident = sms * (RESIDENT / threads);
    const int64_t waves = (blocks_of(p) + resident - 1) / resident;
    const int64_t each = by_columns(p) ? MAX_THREADS / LANES * AT_ONCE : threads * 8; /* of K, a round */
    const int64_t rounds = by_k(p) ? 2 : (p->k + each - 1) / each;
    const double clocks = (double)waves * ((double)rounds * ROUND + REDUCE);
    return clocks > floor ? clocks : floor;
}

template <typename T> static cudaError_t launch_type(const gemm_problem *p, cudaStream_t stream) {
    auto kernel = by_columns(p)         ? gemm_thin_columns<T>
                  : !by_k(p)            ? gemm_thin_rows<T>
                  : p->out == DTYPE_F32 ? gemm_thin_k<T, float>
                                        : gemm_thin_k<T, T>;
    return gemm_launch_as(gemm_capability() >= 90, kernel, (unsigned)blocks_of(p), 1, threads_of(p), 0, stream, *p);
}

cudaError_t launch_thin(const gemm_problem *p, cudaStream_t stream) {
    return p->type == GEMM_F16 ? launch_type<__half>(p, stream) : launch_type<__nv_bfloat16>(p, stream);
}
