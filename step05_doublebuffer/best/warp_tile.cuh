/* One block's work: a tile of C over a range of K, for any shape and alignment. The largest of the tiles:
 *
 *   block  128 x 256      warp  64 x 64          thread  8 x 16              shared-memory loads
 *   +----+----+----+----+   lanes 8 x 4:           2 x 4 blocks of 4 x 4       of a thread for one k:
 *   | w0 | w1 | w2 | w3 |   rows  0-3 ... 28-31,   32 rows and                 6 LDS.128
 *   +----+----+----+----+         and 32 further   16 columns apart            for 128 FMAs
 *   | w4 | w5 | w6 | w7 |   cols  0-3 ... 12-15,
 *   +----+----+----+----+         and 16, 32, 48 further
 *
 * - Fragments are double-buffered: those of k+1 are loaded while k is multiplied.
 * - The copies for a later tile are spread over the values of k of the current one: in the large tiles at most two
 *   for each.
 * - FMAs run down one column of results and up the next (serpentine): consecutive FMAs share an operand, which is then
 *   read from the register file once (`.reuse` in SASS).
 * - The first tile takes the remainder of K, so that all others are whole, and rows and columns beyond an edge are
 *   replaced by others: the main loop has no bounds to check. Rows by the last one; columns by the first ones, for
 *   when a warp copies one and the same word to many columns it is slow (127 x 129 x 255 took 9.2 us instead of 5.5).
 *
 * In a tile too small for eight warps side by side, several warps have the same results, each for its slice of every
 * tile's k (sliced K); what they have is added up in shared memory at the end:
 *
 *   block  64 x 128, 4 slices      +----+----+                k  0 ... 7   8 ... 15  16 ... 23  24 ... 31
 *   warp   64 x 64                 | 0  | 1  | x 4            w   0, 1       2, 3       4, 5       6, 7
 *   thread  8 x 16                 +----+----+
 */
#pragma once

#include "gemm/gemm_kernel.cuh"
#include "ptx/cp_async.cuh"

static const int THREADS = 256;
static const int BAND = 8; /* height, in tiles, of the bands of rasterization */

/* A block's tile, BM x BN by steps of BK, a thread's results, TM x TN, how many blocks share a multiprocessor, and
 * whether there is a kernel that divides tiles among workers. Where three blocks share one, they have 128 threads each:
 * while one stores its results, the others multiply. */
template <int BM_, int BN_, int BK_, int TM_, int TN_, int STAGES_, int PER_SM_, bool DIVIDES_> struct tile_shape {
    static const int BM = BM_, BN = BN_, BK = BK_, TM = TM_, TN = TN_, STAGES = STAGES_, PER_SM = PER_SM_;
    static const int THREADS = PER_SM > 2 ? 128 : ::THREADS;
    static const bool DIVIDES = DIVIDES_;
    /* Of a B that does not consist of whole float4. Larger tiles compute larger products, for which it soon pays to
     * copy it first, into rows that do. */
    static const bool TAKES_WORDS = BM * BN <= 64 * 128;
    static const int WM = 8 * TM, WN = 4 * TN, WARPS_N = BN / WN, WARPS = BM / WM * WARPS_N;
    static const int SLICES = THREADS / 32 / WARPS, SLICE_K = BK / SLICES;
    /* Whether there is an epilogue straight from the registers, too: tiles of 96, for short k, are not worth it. */
    static const bool MAY_BE_DIRECT = SLICES == 1 && BM % 96 != 0 && BN % 96 != 0;
    static const int RESULTS = BM * BN / THREADS; /* of a thread, once the slices are added up */
    static const int A_ROW = BM + 4; /* 8 values of k and 4 rows, copied at once by a warp, fall into 32 banks */
    static const int SUM_ROW = BN + 4;
    struct stage {
        float A[BK][A_ROW];
        float B[BK][BN];
    };

    /* What a block asks for: the stages, and in their place later the sums, unless the epilogue is direct. */
    static constexpr int shared_bytes(bool direct) {
        int stages = STAGES * (int)sizeof(stage), sums = SLICES * BM * SUM_ROW * (int)sizeof(float);
        return (MAY_BE_DIRECT && direct) || stages > sums ? stages : sums;
    }
};

/* One thread's share of the copies of a tile: words of A (A_APART rows apart, 8 values of k apart), and 16 bytes
 * (VECTOR: B consists of whole float4) or words of B. `a` and `b` point at its first ones in the next tile to copy. */
template <class T, bool VECTOR> struct copier {
    static const int A_APART = T::THREADS / 8, A_ROWS = T::BM / A_APART, A_KS = T::BK / 8, A_COPIES = A_ROWS * A_KS;
    static const int WIDTH = VECTOR ? 4 : 1;
    /* Rows of B from one copy to the next. A row of 96 is 24 float4: eight of them are the work of three warps in four.
     */
    static const int B_STEP = T::BN % 3 ? T::THREADS * WIDTH / T::BN : T::THREADS * 3 / 4 * WIDTH / T::BN;
    static const int B_COPIES = T::BK / B_STEP, B_THREADS = T::BN * B_STEP / WIDTH;
    const float *a[A_ROWS], *b;
    int64_t b_step;      /* B_STEP in elements */
    unsigned a_to, b_to; /* where they go in the first stage */
};

template <class T, bool VECTOR>
static __device__ __forceinline__ copier<T, VECTOR> make_copier(const sgemm_problem &p, int row0, int col0,
                                                                typename T::stage *stages) {
    typedef copier<T, VECTOR> X;
    X x;
    int a_row = threadIdx.x / 32 * 4 + threadIdx.x % 32 / 8, a_k = threadIdx.x % 8;
    int b_k = threadIdx.x / (T::BN / X::WIDTH), b_col = threadIdx.x % (T::BN / X::WIDTH) * X::WIDTH;
#pragma unroll
    for (int r = 0; r < X::A_ROWS; r++) x.a[r] = gemm_at(p.A, p.lda, min(row0 + a_row + r * X::A_APART, p.m - 1), a_k);
    x.b = gemm_at(p.B, p.ldb, b_k, (col0 + b_col) % ((p.n + X::WIDTH - 1) & -X::WIDTH));
    x.b_step = (int64_t)p.ldb * X::B_STEP;
    x.a_to = shared_address(&stages[0].A[a_k][a_row]);
    x.b_to = shared_address(&stages[0].B[b_k][b_col]);
    return x;
}

/* Moves on to the tile `ks` further along K. */
template <class T, bool VECTOR>
static __device__ __forceinline__ void advance(copier<T, VECTOR> *x, const sgemm_problem &p, int ks) {
#pragma unroll
    for (int r = 0; r < copier<T, VECTOR>::A_ROWS; r++) x->a[r] += ks;
    x->b = gemm_at(x->b, p.ldb, ks, 0);
}

/* Copy number s of a whole tile (first those of A, then those of B), to the stage `offset` bytes after the first. */
template <class T, bool VECTOR>
static __device__ __forceinline__ void copy(const copier<T, VECTOR> &x, int s, unsigned offset) {
    typedef copier<T, VECTOR> X;
    const unsigned WORD = sizeof(float);
    if (s < X::A_COPIES) {
        int k = s % X::A_KS * 8, r = s / X::A_KS;
        cp_async_4(x.a_to + offset + (k * T::A_ROW + r * X::A_APART) * WORD, x.a[r] + k);
    } else if (X::B_THREADS == T::THREADS || (int)threadIdx.x < X::B_THREADS) {
        s -= X::A_COPIES;
        unsigned to = x.b_to + offset + s * X::B_STEP * T::BN * WORD;
        if (VECTOR)
            cp_async_16(to, x.b + s * x.b_step);
        else
            cp_async_4(to, x.b + s * x.b_step);
    }
}

/* All copies of the first tile, of whose BK values of k only `ks` exist; the others become zeros. */
template <class T, bool VECTOR>
static __device__ __forceinline__ void copy_first(const copier<T, VECTOR> &x, const sgemm_problem &p, int ks) {
    typedef copier<T, VECTOR> X;
    const unsigned WORD = sizeof(float);
    int a_k = threadIdx.x % 8, b_k = threadIdx.x / (T::BN / X::WIDTH);
#pragma unroll
    for (int s = 0; s < X::A_COPIES; s++) {
        int k = s % X::A_KS * 8, r = s / X::A_KS;
        bool inside = a_k + k < ks;
        cp_async_4_zfill(x.a_to + (k * T::A_ROW + r * X::A_APART) * WORD, inside ? x.a[r] + k : p.A, inside ? 4 : 0);
    }
#pragma unroll
    for (int s = 0; s < X::B_COPIES; s++) {
        if (X::B_THREADS < T::THREADS && (int)threadIdx.x >= X::B_THREADS) break;
        bool inside = b_k + s * X::B_STEP < ks;
        const float *from = inside ? x.b + s * x.b_step : p.B;
        unsigned to = x.b_to + s * X::B_STEP * T::BN * WORD;
        if (VECTOR)
            cp_async_16_zfill(to, from, inside ? 16 : 0);
        else
            cp_async_4_zfill(to, from, inside ? 4 : 0);
    }
}

template <class T>
static __device__ __forceinline__ void load_fragments(const typename T::stage *t, int k, int row, int col, float *a_reg,
                                                      float *b_reg) {
#pragma unroll
    for (int i = 0; i < T::TM / 4; i++) *(float4 *)&a_reg[i * 4] = *(const float4 *)&t->A[k][row + i * 32];
#pragma unroll
    for (int j = 0; j < T::TN / 4; j++) *(float4 *)&b_reg[j * 4] = *(const float4 *)&t->B[k][col + j * 16];
}

/* Serpentine: down one column of results, up the next. */
template <class T>
static __device__ __forceinline__ void multiply(const float *a_reg, const float *b_reg, float (*c_reg)[T::TN]) {
#pragma unroll
    for (int j = 0; j < T::TN; j++)
#pragma unroll
        for (int x = 0; x < T::TM; x++) {
            int i = j % 2 ? T::TM - 1 - x : x;
            c_reg[i][j] += a_reg[i] * b_reg[j];
        }
}

/* The first row and column of this thread's results in the tile; the others are 32 rows and 16 columns further on. And
 * the first k of its warp's slice. */
template <class T> static __device__ __forceinline__ int thread_row() {
    int warp = T::SLICES == 1 ? threadIdx.x / 32 : threadIdx.x / 32 % T::WARPS;
    return warp / T::WARPS_N * T::WM + threadIdx.x % 32 / 4 * 4;
}
template <class T> static __device__ __forceinline__ int thread_col() {
    return threadIdx.x / 32 % T::WARPS_N * T::WN + threadIdx.x % 4 * 4;
}
template <class T> static __device__ __forceinline__ int thread_slice() {
    return T::SLICES == 1 ? 0 : threadIdx.x / 32 / T::WARPS;
}

/* Where tile number `tile` of C begins. Threadblock rasterization: C is divided into bands of BAND rows of
 * tiles, and tiles are numbered down each column of a band and on to the next, so that blocks running at the same time
 * share rows and columns of tiles in L2. */
template <class T>
static __device__ __forceinline__ void tile_position(const sgemm_problem &p, int tile, int *row0, int *col0) {
    int tiles_m = (p.m + T::BM - 1) / T::BM, tiles_n = (p.n + T::BN - 1) / T::BN;
    int band = tile / (BAND * tiles_n), within = tile % (BAND * tiles_n);
    int rows = min(BAND, tiles_m - band * BAND);
    *row0 = (band * BAND + within % rows) * T::BM;
    *col0 = within / rows * T::BN;
}

/* The number of tiles of BK along K, the first of which takes the remainder. */
template <class T> static __host__ __device__ inline int tiles_of_k(const sgemm_problem &p) {
    return (p.k + T::BK - 1) / T::BK;
}

/* c_reg += A * B over the tiles begin ... end - 1 of K (begin < end), for the tile of C at (row0, col0). */
template <class T, bool VECTOR>
static __device__ __forceinline__ void accumulate(const sgemm_problem &p, typename T::stage *stages, int row0, int col0,
                                                  int begin, int end, float (*c_reg)[T::TN]) {
    const int COPIES = copier<T, VECTOR>::A_COPIES + copier<T, VECTOR>::B_COPIES;
    float a_reg[2][T::TM], b_reg[2][T::TN];
    int row = thread_row<T>(), col = thread_col<T>(), slice = thread_slice<T>() * T::SLICE_K;
    int odd = p.k - (tiles_of_k<T>(p) - 1) * T::BK; /* what tile 0 takes */

    copier<T, VECTOR> from = make_copier<T, VECTOR>(p, row0, col0, stages);
    if (begin > 0) advance(&from, p, odd + (begin - 1) * T::BK);
    int first = begin == 0 ? odd : T::BK;
    copy_first(from, p, first);
    cp_async_commit();
    advance(&from, p, first);
    int tiles = end - begin;
    for (int t = 1; t < T::STAGES - 1; t++) {
        if (t < tiles) {
#pragma unroll
            for (int s = 0; s < COPIES; s++) copy(from, s, t * (unsigned)sizeof *stages);
            advance(&from, p, T::BK);
        }
        cp_async_commit(); /* an empty group where there is no tile: counting groups counts tiles */
    }
    cp_async_wait<T::STAGES - 2>();
    __syncthreads();
    load_fragments<T>(&stages[0], slice, row, col, a_reg[0], b_reg[0]);

    int now = 0, next = T::STAGES - 1; /* stage being multiplied, stage being filled */
    for (int t = 0; t < tiles; t++) {
        bool more = t + T::STAGES - 1 < tiles;
        unsigned to = next * (unsigned)sizeof *stages;
#pragma unroll
        for (int k = 0; k < T::SLICE_K; k++) {
            if (k == T::SLICE_K - 1) { /* the next tile is needed: wait for it, and until all are done with this one */
                cp_async_commit();
                if (more) advance(&from, p, T::BK);
                next = now;
                if (t + 1 < tiles) now = now + 1 == T::STAGES ? 0 : now + 1;
                cp_async_wait<T::STAGES - 2>();
                __syncthreads();
            }
            if (more && k < T::SLICE_K - 1) { /* this k's share of the copies, all issued by the last k but one */
                const int SLOTS = T::SLICE_K - 1;
#pragma unroll
                for (int s = k * COPIES / SLOTS; s < (k + 1) * COPIES / SLOTS; s++) copy(from, s, to);
            }
            load_fragments<T>(&stages[now], slice + (k + 1) % T::SLICE_K, row, col, a_reg[(k + 1) % 2],
                              b_reg[(k + 1) % 2]);
            multiply<T>(a_reg[k % 2], b_reg[k % 2], c_reg);
        }
    }
}

/* Through shared memory the results get into the order of C: word i of a thread is number i * THREADS + threadIdx.x of
 * the tile, row by row, so that a warp's are neighbours. First each warp puts there what it has, times alpha: a float4
 * wants its words in four aligned registers, and would the sums themselves be stored, ptxas (13.0) might keep them in
 * such ones for the whole main loop. Then one register in two that FMAs add a product to is in the same bank as the
 * word of A that they read. */
template <class T>
static __device__ __forceinline__ void put_sums(float *shared, const float (*c_reg)[T::TN], float alpha) {
    float *to = shared + (thread_slice<T>() * T::BM + thread_row<T>()) * T::SUM_ROW + thread_col<T>();
    __syncthreads(); /* the stages are free */
#pragma unroll
    for (int i = 0; i < T::TM; i++)
#pragma unroll
        for (int j = 0; j < T::TN; j += 4)
            *(float4 *)&to[(i / 4 * 32 + i % 4) * T::SUM_ROW + j / 4 * 16] = make_float4(
                alpha * c_reg[i][j], alpha * c_reg[i][j + 1], alpha * c_reg[i][j + 2], alpha * c_reg[i][j + 3]);
    __syncthreads();
}
/* ... then word i is what the slices have for it, added up in their order. */
template <class T> static __device__ __forceinline__ float sum_of_slices(const float *shared, int i) {
    int at = i * T::THREADS + threadIdx.x;
    const float *from = shared + at / T::BN * T::SUM_ROW + at % T::BN;
    float sum = *from;
#pragma unroll
    for (int s = 1; s < T::SLICES; s++) sum += from[s * T::BM * T::SUM_ROW];
    return sum;
}

/* With slices: c_reg's first RESULTS words become this thread's words of the tile, times alpha. */
template <class T>
static __device__ __forceinline__ void add_slices(float *shared, float (*c_reg)[T::TN], float alpha) {
    if (T::SLICES == 1) return;
    put_sums<T>(shared, c_reg, alpha);
#pragma unroll
    for (int i = 0; i < T::RESULTS; i++) c_reg[i / T::TN][i % T::TN] = sum_of_slices<T>(shared, i);
    __syncthreads(); /* shared memory is free for the next piece */
}

/* Stores word i of this thread of the tile of C at (row0, col0): `sum` has been multiplied by alpha. */
template <class T>
static __device__ __forceinline__ void store_word(const sgemm_problem &p, int row0, int col0, int i, float sum) {
    int at = i * T::THREADS + threadIdx.x, row = row0 + at / T::BN, col = col0 + at % T::BN;
    if (row >= p.m || col >= p.n) return;
    float *c = gemm_at(p.C, p.ldc, row, col);
    *c = p.beta == 0.0f ? sum : sum + p.beta * *c;
}

/* The epilogue: stores the tile of C at (row0, col0). Without slices, straight from the registers (DIRECT), or word by
 * word by way of shared memory: faster if C does not consist of whole float4. */
template <class T, bool DIRECT>
static __device__ __forceinline__ void store_tile(const sgemm_problem &p, int row0, int col0, float *shared,
                                                  const float (*c_reg)[T::TN]) {
    if (T::SLICES > 1) {
#pragma unroll
        for (int i = 0; i < T::RESULTS; i++) store_word<T>(p, row0, col0, i, c_reg[i / T::TN][i % T::TN]);
    } else if (DIRECT) {
        bool vector_c = gemm_is_float4(p.C, p.ldc, p.n);
#pragma unroll
        for (int i = 0; i < T::TM; i++) {
            int row = row0 + thread_row<T>() + i / 4 * 32 + i % 4;
#pragma unroll
            for (int j = 0; j < T::TN; j += 4) {
                int col = col0 + thread_col<T>() + j / 4 * 16;
                float4 acc = make_float4(c_reg[i][j], c_reg[i][j + 1], c_reg[i][j + 2], c_reg[i][j + 3]);
                if (vector_c)
                    gemm_store4<true>(p, row, col, acc);
                else
                    gemm_store4<false>(p, row, col, acc);
            }
        }
    } else {
        put_sums<T>(shared, c_reg, p.alpha);
#pragma unroll 4
        for (int i = 0; i < T::RESULTS; i++) store_word<T>(p, row0, col0, i, sum_of_slices<T>(shared, i));
        __syncthreads(); /* shared memory is free for the next piece */
    }
}
