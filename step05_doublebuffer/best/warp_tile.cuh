/* One block's work: a 128 x 256 tile of C over a range of K, for any shape and alignment.
 *
 *   block  128 x 256      warp  64 x 64          thread  8 x 16              shared-memory loads
 *   +----+----+----+----+   lanes 8 x 4:           2 x 4 blocks of 4 x 4       of a thread for one k:
 *   | w0 | w1 | w2 | w3 |   rows  0-3 ... 28-31,   32 rows and                 6 LDS.128
 *   +----+----+----+----+         and 32 further   16 columns apart            for 128 FMAs
 *   | w4 | w5 | w6 | w7 |   cols  0-3 ... 12-15,
 *   +----+----+----+----+         and 16, 32, 48 further
 *
 * - Fragments are double-buffered: those of k+1 are loaded while k is multiplied.
 * - The copies for a later tile are spread over the values of k of the current one, at most two for each.
 * - FMAs run down one column of results and up the next (serpentine): consecutive FMAs share an operand, which is then
 *   read from the register file once (`.reuse` in SASS).
 * - The first tile takes the remainder of K, so that all others are whole, and rows and columns beyond an edge are
 *   replaced by the last ones: the main loop has no bounds to check.
 */
#ifndef KL_WARP_TILE_CUH
#define KL_WARP_TILE_CUH

#include "ptx/cp_async.cuh"
#include "gemm/gemm_kernel.cuh"

static const int BM = 128, BN = 256, BK = 16;
static const int WM = 64, WN = 64;
static const int TM = 8, TN = 16;
static const int STAGES = 4;
static const int THREADS = 256;
static const int BAND = 8;       /* height, in tiles, of the bands of rasterization */
static const int A_ROW = BM + 4; /* 8 values of k and 4 rows, copied at once by a warp, fall into 32 banks */

struct stage {
    float A[BK][A_ROW];
    float B[BK][BN];
};

/* One thread's share of the copies of a tile: 8 words of A (4 rows, at k and k + 8), and 4 times 16 bytes (VECTOR: B
 * consists of whole float4) or 16 words of B. `a` and `b` point at its first ones in the next tile to copy. */
static const int A_COPIES = BM * BK / THREADS, A_ROWS = A_COPIES / 2, A_STEP = BM / A_ROWS;
template <bool VECTOR> struct copier {
    static const int WIDTH = VECTOR ? 4 : 1;
    static const int B_COPIES = BK * BN / WIDTH / THREADS, B_STEP = BK / B_COPIES; /* rows of B from one to the next */
    const float *a[A_ROWS], *b;
    int64_t b_step;      /* B_STEP in elements */
    unsigned a_to, b_to; /* where they go in the first stage */
};

template <bool VECTOR>
static __device__ __forceinline__ copier<VECTOR> make_copier(const sgemm_problem &p, int row0, int col0,
                                                             stage *stages) {
    typedef copier<VECTOR> X;
    X x;
    int a_row = threadIdx.x / 32 * 4 + threadIdx.x % 32 / 8, a_k = threadIdx.x % 8;
    int b_k = threadIdx.x / (BN / X::WIDTH), b_col = threadIdx.x % (BN / X::WIDTH) * X::WIDTH;
#pragma unroll
    for (int r = 0; r < A_ROWS; r++) x.a[r] = gemm_at(p.A, p.lda, min(row0 + a_row + r * A_STEP, p.m - 1), a_k);
    x.b = gemm_at(p.B, p.ldb, b_k, min(col0 + b_col, p.n - X::WIDTH));
    x.b_step = (int64_t)p.ldb * X::B_STEP;
    x.a_to = shared_address(&stages[0].A[a_k][a_row]);
    x.b_to = shared_address(&stages[0].B[b_k][b_col]);
    return x;
}

/* Moves on to the tile `ks` further along K. */
template <bool VECTOR>
static __device__ __forceinline__ void advance(copier<VECTOR> *x, const sgemm_problem &p, int ks) {
#pragma unroll
    for (int r = 0; r < A_ROWS; r++) x->a[r] += ks;
    x->b = gemm_at(x->b, p.ldb, ks, 0);
}

/* Copy number s of a whole tile (first those of A, then those of B), to the stage `offset` bytes after the first. */
template <bool VECTOR> static __device__ __forceinline__ void copy(const copier<VECTOR> &x, int s, unsigned offset) {
    const unsigned WORD = sizeof(float);
    if (s < A_COPIES) {
        cp_async_4(x.a_to + offset + (s % 2 * 8 * A_ROW + s / 2 * A_STEP) * WORD, x.a[s / 2] + s % 2 * 8);
    } else {
        s -= A_COPIES;
        unsigned to = x.b_to + offset + s * copier<VECTOR>::B_STEP * BN * WORD;
        if (VECTOR)
            cp_async_16(to, x.b + s * x.b_step);
        else
            cp_async_4(to, x.b + s * x.b_step);
    }
}

/* All copies of the first tile, of whose BK values of k only `ks` exist; the others become zeros. */
template <bool VECTOR>
static __device__ __forceinline__ void copy_first(const copier<VECTOR> &x, const sgemm_problem &p, int ks) {
    typedef copier<VECTOR> X;
    const unsigned WORD = sizeof(float);
    int a_k = threadIdx.x % 8, b_k = threadIdx.x / (BN / X::WIDTH);
#pragma unroll
    for (int s = 0; s < A_COPIES; s++) {
        bool inside = a_k + s % 2 * 8 < ks;
        unsigned to = x.a_to + (s % 2 * 8 * A_ROW + s / 2 * A_STEP) * WORD;
        cp_async_4_zfill(to, inside ? x.a[s / 2] + s % 2 * 8 : p.A, inside ? 4 : 0);
    }
#pragma unroll
    for (int s = 0; s < X::B_COPIES; s++) {
        bool inside = b_k + s * X::B_STEP < ks;
        const float *from = inside ? x.b + s * x.b_step : p.B;
        unsigned to = x.b_to + s * X::B_STEP * BN * WORD;
        if (VECTOR)
            cp_async_16_zfill(to, from, inside ? 16 : 0);
        else
            cp_async_4_zfill(to, from, inside ? 4 : 0);
    }
}

static __device__ __forceinline__ void load_fragments(const stage *t, int k, int row, int col, float *a_reg,
                                                      float *b_reg) {
#pragma unroll
    for (int i = 0; i < TM / 4; i++) *(float4 *)&a_reg[i * 4] = *(const float4 *)&t->A[k][row + i * 32];
#pragma unroll
    for (int j = 0; j < TN / 4; j++) *(float4 *)&b_reg[j * 4] = *(const float4 *)&t->B[k][col + j * 16];
}

/* Serpentine: down one column of results, up the next. */
static __device__ __forceinline__ void multiply(const float *a_reg, const float *b_reg, float (*c_reg)[TN]) {
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int x = 0; x < TM; x++) {
            int i = j % 2 ? TM - 1 - x : x;
            c_reg[i][j] += a_reg[i] * b_reg[j];
        }
}

/* The first row and column of this thread's results in the tile; the others are 32 rows and 16 columns further on. */
static __device__ __forceinline__ int thread_row() {
    return threadIdx.x / 32 / (BN / WN) * WM + threadIdx.x % 32 / 4 * 4;
}
static __device__ __forceinline__ int thread_col() {
    return threadIdx.x / 32 % (BN / WN) * WN + threadIdx.x % 4 * 4;
}

/* Where tile number `tile` of C begins. Threadblock rasterization: C is divided into bands of BAND rows of
 * tiles, and tiles are numbered down each column of a band and on to the next, so that blocks running at the same time
 * share rows and columns of tiles in L2. */
static __device__ __forceinline__ void tile_position(const sgemm_problem &p, int tile, int *row0, int *col0) {
    int tiles_m = (p.m + BM - 1) / BM, tiles_n = (p.n + BN - 1) / BN;
    int band = tile / (BAND * tiles_n), within = tile % (BAND * tiles_n);
    int rows = min(BAND, tiles_m - band * BAND);
    *row0 = (band * BAND + within % rows) * BM;
    *col0 = within / rows * BN;
}

/* The number of tiles of BK along K, the first of which takes the remainder. */
static __host__ __device__ inline int tiles_of_k(const sgemm_problem &p) {
    return (p.k + BK - 1) / BK;
}

/* c_reg += A * B over the tiles begin ... end - 1 of K (begin < end), for the tile of C at (row0, col0). */
template <bool VECTOR>
static __device__ __forceinline__ void accumulate(const sgemm_problem &p, stage *stages, int row0, int col0, int begin,
                                                  int end, float (*c_reg)[TN]) {
    const int COPIES = A_COPIES + copier<VECTOR>::B_COPIES;
    float a_reg[2][TM], b_reg[2][TN];
    int row = thread_row(), col = thread_col();
    int odd = p.k - (tiles_of_k(p) - 1) * BK; /* what tile 0 takes */

    copier<VECTOR> from = make_copier<VECTOR>(p, row0, col0, stages);
    if (begin > 0) advance(&from, p, odd + (begin - 1) * BK);
    int first = begin == 0 ? odd : BK;
    copy_first(from, p, first);
    cp_async_commit();
    advance(&from, p, first);
    int tiles = end - begin;
    for (int t = 1; t < STAGES - 1; t++) {
        if (t < tiles) {
#pragma unroll
            for (int s = 0; s < COPIES; s++) copy(from, s, t * (unsigned)sizeof(stage));
            advance(&from, p, BK);
        }
        cp_async_commit(); /* an empty group where there is no tile: counting groups counts tiles */
    }
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    load_fragments(&stages[0], 0, row, col, a_reg[0], b_reg[0]);

    int now = 0, next = STAGES - 1; /* stage being multiplied, stage being filled */
    for (int t = 0; t < tiles; t++) {
        bool more = t + STAGES - 1 < tiles;
        unsigned to = next * (unsigned)sizeof(stage);
#pragma unroll
        for (int k = 0; k < BK; k++) {
            if (k == BK - 1) { /* the next tile is needed: wait for it, and until everyone is done with this one */
                cp_async_commit();
                if (more) advance(&from, p, BK);
                next = now;
                if (t + 1 < tiles) now = now + 1 == STAGES ? 0 : now + 1;
                cp_async_wait<STAGES - 2>();
                __syncthreads();
            }
            if (more && k < BK - 1) { /* this k's share of the copies, all issued by the last k but one */
                const int SLOTS = BK - 1;
#pragma unroll
                for (int s = k * COPIES / SLOTS; s < (k + 1) * COPIES / SLOTS; s++) copy(from, s, to);
            }
            load_fragments(&stages[now], (k + 1) % BK, row, col, a_reg[(k + 1) % 2], b_reg[(k + 1) % 2]);
            multiply(a_reg[k % 2], b_reg[k % 2], c_reg);
        }
    }
}

/* The epilogue: stores the tile of C at (row0, col0) from the registers of the block. */
static __device__ __forceinline__ void store_tile(const sgemm_problem &p, int row0, int col0,
                                                  const float (*c_reg)[TN]) {
    bool vector_c = gemm_is_float4(p.C, p.ldc, p.n);
#pragma unroll
    for (int i = 0; i < TM; i++) {
        int row = row0 + thread_row() + i / 4 * 32 + i % 4;
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            int col = col0 + thread_col() + j / 4 * 16;
            float4 acc = make_float4(c_reg[i][j], c_reg[i][j + 1], c_reg[i][j + 2], c_reg[i][j + 3]);
            if (vector_c)
                gemm_store4<true>(p, row, col, acc);
            else
                gemm_store4<false>(p, row, col, acc);
        }
    }
}

/* One block per tile of C, starting with number `first_tile`. */
template <bool VECTOR>
__global__ void __launch_bounds__(THREADS, 1) sgemm_whole_tiles(sgemm_problem p, int first_tile) {
    extern __shared__ __align__(16) unsigned char shared[];
    float c_reg[TM][TN] = {};
    int row0, col0;
    tile_position(p, first_tile + blockIdx.x, &row0, &col0);
    if (p.k > 0) accumulate<VECTOR>(p, (stage *)shared, row0, col0, 0, tiles_of_k(p), c_reg);
    store_tile(p, row0, col0, c_reg);
}

/* Launches it for `blocks` tiles (for none: does nothing). */
static inline cudaError_t launch_whole_tiles(const sgemm_problem &p, int first_tile, unsigned blocks,
                                             cudaStream_t stream) {
    if (blocks == 0) return cudaSuccess;
    auto kernel = gemm_is_float4(p.B, p.ldb, p.n) ? sgemm_whole_tiles<true> : sgemm_whole_tiles<false>;
    const int bytes = STAGES * sizeof(stage); /* more than 48 KB is available only on request */
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess) return error;
    kernel<<<blocks, THREADS, bytes, stream>>>(p, first_tile);
    return cudaGetLastError();
}

#endif
