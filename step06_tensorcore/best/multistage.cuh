/* Everything that Ampere offers: copies that overlap with the tensor cores at both levels of memory.
 *
 *   global -> shared      cp.async, a ring of STAGES tiles: one is multiplied, the others are in flight
 *   shared -> registers   ldmatrix, two sets of fragments: one is multiplied, the other is being loaded
 *
 *   32 bytes of K     step 0      step 1      step 2      step 3               of tile t
 *   cp.async          a share     a share     a share     commit; wait         of tile t + STAGES - 1
 *   ldmatrix          1           2           3           tile t + 1: 0        its fragments
 *   mma.sync          0           1           2           3
 *
 * - A warp multiplies 64 x 64: 32 products for 8 ldmatrix.x4, one load for four products.
 * - Two blocks share a multiprocessor: while one waits at its barrier, the other multiplies.
 * - Loads and copies are interleaved with the products, and almost nothing else is: on Hopper, anything else that a
 *   warp executes takes time from mma.sync. So the loop is unrolled over the ring, which makes stages and steps along K
 *   constants in the instructions; and the last tile of K, the only one that may end within a chunk, comes first.
 * - Threadblock swizzle: blocks go down a band of BAND rows of tiles, then on to the next column, so that those
 *   running at the same time share A and B in L2.
 * - Rows that do not begin on a 16-byte boundary (ALIGNED is false) go through registers: loaded as aligned chunks a
 *   tile of K before they are stored, when two of them become the chunk that lies in both.
 */
#pragma once

#include "ampere.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/griddepcontrol.cuh"
#include "ptx/ldmatrix.cuh"

static constexpr int max_of(int a, int b) {
    return a > b ? a : b;
}

/* The compile-time configuration of a kernel. */
template <gemm_type TYPE_, gemm_layout LAYOUT_, bool ALIGNED_, int BM_, int BN_, int BK_BYTES_, int WM_, int WN_,
          int STAGES_, int BLOCKS_, int BAND_>
struct plan {
    static const gemm_type TYPE = TYPE_;
    static const gemm_layout LAYOUT = LAYOUT_;
    static const bool ALIGNED = ALIGNED_;  /* all rows of A and B begin on 16 bytes */
    static const int BM = BM_, BN = BN_;   /* a block's tile of C */
    static const int WM = WM_, WN = WN_;   /* a warp's */
    static const int BK_BYTES = BK_BYTES_; /* along K at a time: 64 or 128 bytes */
    static const int STAGES = STAGES_;
    static const int BLOCKS = BLOCKS_; /* per multiprocessor: leaves each thread 65536 / (BLOCKS * THREADS) registers */
    static const int BAND = BAND_;     /* rows of tiles in a band of the threadblock swizzle */

    typedef typename tensor<TYPE>::bits T;
    typedef typename tensor<TYPE>::sum SUM;
    static const int THREADS = BM / WM * (BN / WN) * 32;
    static const int BK = BK_BYTES / sizeof(T), CHUNK = 16 / sizeof(T); /* elements */
    static const int STEPS = BK_BYTES / 32;
    static const int A_BYTES = BM * BK_BYTES, STAGE_BYTES = A_BYTES + BN * BK_BYTES;
    /* Stages in the loop: only the largest tile keeps the tensor cores busy enough to gain from constants. */
    static const int UNROLLED = ALIGNED && BM * BN >= 128 * 128 ? STAGES : 1;

    /* B in shared memory: rows of K as in tn, or rows of N. */
    static const bool B_BY_K = LAYOUT == GEMM_TN;
    static const int B_ROW_BYTES = B_BY_K ? BK_BYTES : BN * (int)sizeof(T);
    static const order B_ORDER = B_BY_K || sizeof(T) == 2 ? ROWS : WORDS;

    /* Chunks that a thread copies from a tile of A and of B: one in every A_STEP-th (B_STEP-th) row. */
    static const int A_CHUNKS = BK_BYTES / 16, A_STEP = THREADS / A_CHUNKS, A_COPIES = BM / A_STEP;
    static const int B_CHUNKS = B_ROW_BYTES / 16, B_STEP = THREADS / B_CHUNKS;
    static const int B_COPIES = (B_BY_K ? BN : BK) / B_STEP;
    static const int COPIES = A_COPIES + B_COPIES, SHARES = STEPS > 1 ? STEPS - 1 : 1;
    static const int SHARE = (COPIES + SHARES - 1) / SHARES; /* at most so many copies per step */

    /* A warp's patch of rows of C, padded by 8 elements per row so that rows begin in different banks. */
    static const int PATCH_ROWS = WM < 32 ? WM : 32, PATCH_PITCH = WN + 8, PATCH_BYTES = PATCH_ROWS * PATCH_PITCH * 4;
    static_assert(BK_BYTES == 64 || BK_BYTES == 128, "chunk_place knows these");
    static_assert(A_STEP % 8 == 0 && B_STEP % (B_ORDER == WORDS ? 4 : 8) == 0, "a thread's chunks are swizzled alike");
    static_assert(PATCH_ROWS * WN % (4 * 4 * 32) == 0, "each lane stores as many");
    static const int BYTES = max_of(STAGES * STAGE_BYTES, THREADS / 32 * PATCH_BYTES); /* the patches lie in the ring */
};

/* This thread's copies: those of A, then those of B. */
template <typename P> struct source {
    operand<typename P::T> a, b;
    const typename P::T *from[P::COPIES]; /* in the block's first tile of K. Rows beyond the matrix are replaced by the
                                           * last one, for sums that are never stored */
    unsigned a_to, b_to;                  /* where the first chunk of A and of B belongs in stage 0: a shared_address */
    int a_k, b_k;                         /* and where it begins along K in a tile */
    int b_left;                           /* nn: columns of B from its chunks on */
};

template <typename P>
static __device__ __forceinline__ source<P> make_source(const gemm_problem &p, int row0, int col0, int k0,
                                                        unsigned ring) {
    typedef typename P::T T;
    source<P> x = {};
    int a_down = threadIdx.x / P::A_CHUNKS, a_chunk = threadIdx.x % P::A_CHUNKS;
    int b_down = threadIdx.x / P::B_CHUNKS, b_chunk = threadIdx.x % P::B_CHUNKS, b_col = col0 + b_chunk * P::CHUNK;
    x.a = operand_a<T>(p);
    x.b = operand_b<T, P::LAYOUT>(p);
    x.a_to = ring + chunk_offset<ROWS, P::BK_BYTES>(a_down, a_chunk);
    x.b_to = ring + P::A_BYTES + chunk_offset<P::B_ORDER, P::B_ROW_BYTES>(b_down, b_chunk);
    x.a_k = a_chunk * P::CHUNK;
    x.b_k = P::B_BY_K ? b_chunk * P::CHUNK : b_down;
    x.b_left = p.n - b_col;
#pragma unroll
    for (int s = 0; s < P::A_COPIES; s++)
        x.from[s] = gemm_at(x.a.at, x.a.ld, min(row0 + a_down + s * P::A_STEP, p.m - 1), k0 + x.a_k);
#pragma unroll
    for (int s = 0; s < P::B_COPIES; s++) {
        int down = b_down + s * P::B_STEP;
        x.from[P::A_COPIES + s] = P::B_BY_K ? gemm_at(x.b.at, x.b.ld, min(col0 + down, p.n - 1), k0 + x.b_k)
                                            : gemm_at(x.b.at, x.b.ld, k0 + down, x.b_left > 0 ? b_col : 0);
    }
    return x;
}

/* The distance in elements from the chunk of copy number s to the one `tiles` tiles of K further on. */
template <typename P> static __device__ __forceinline__ int64_t ahead(const source<P> &x, int s, int tiles) {
    return (int64_t)tiles * P::BK * (s < P::A_COPIES || P::B_BY_K ? 1 : x.b.ld);
}

/* Moves on by `tiles` tiles of K. */
template <typename P> static __device__ __forceinline__ void move(source<P> *x, int tiles) {
#pragma unroll
    for (int s = 0; s < P::COPIES; s++) x->from[s] += ahead(*x, s, tiles);
}

/* How many elements of the chunk of copy number s, and those after it, exist in a tile of K that has `k_left` of K. */
template <typename P> static __device__ __forceinline__ int left_of(const source<P> &x, int s, int k_left) {
    if (s < P::A_COPIES) return k_left - x.a_k;
    if (P::B_BY_K) return k_left - x.b_k;
    return x.b_k + (s - P::A_COPIES) * P::B_STEP < k_left ? x.b_left : 0;
}

/* Where copy number s goes in stage `stage`. */
template <typename P> static __device__ __forceinline__ unsigned place_of(const source<P> &x, int s, int stage) {
    if (s < P::A_COPIES) return x.a_to + (stage * P::STAGE_BYTES + s * P::A_STEP * P::BK_BYTES);
    return x.b_to + (stage * P::STAGE_BYTES + (s - P::A_COPIES) * P::B_STEP * P::B_ROW_BYTES);
}

/* Copy number s of the tile of K that is `tiles` further on and does not extend beyond the end of the rows. */
template <typename P>
static __device__ __forceinline__ void copy_whole(const source<P> &x, int s, int tiles, int stage) {
    cp_async_16(place_of(x, s, stage), x.from[s] + ahead(x, s, tiles));
}

/* The same for a tile of which only k_left of K exist. Whatever lies beyond the matrix becomes zeros. */
template <typename P>
static __device__ __forceinline__ void copy_partial(const source<P> &x, int s, int tiles, int k_left, int stage) {
    int bytes = min(max(left_of(x, s, k_left), 0), P::CHUNK) * (int)sizeof(typename P::T);
    cp_async_16_zfill(place_of(x, s, stage), bytes > 0 ? x.from[s] + ahead(x, s, tiles) : x.a.at, bytes);
}

/* Not ALIGNED: copies number first ... last - 1 begin, in registers; */
template <typename P>
static __device__ __forceinline__ void load(const source<P> &x, int first, int last, int tiles, int k_left,
                                            raw_chunk *r) {
#pragma unroll
    for (int s = first; s < last; s++)
        r[s] = load_chunk(s < P::A_COPIES ? x.a : x.b, x.from[s] + ahead(x, s, tiles), left_of(x, s, k_left));
}

/* and end. */
template <typename P>
static __device__ __forceinline__ void finish(const source<P> &x, int first, int last, int stage, const raw_chunk *r) {
#pragma unroll
    for (int s = first; s < last; s++) *(uint4 *)__cvta_shared_to_generic(place_of(x, s, stage)) = cut(r[s]);
}

/* Fills the ring: one group of copies per tile of K, empty ones where there is no tile. The last tile comes first, of
 * which only k_left of K exist, then the others from the first on. `whole`: the last tile does not extend beyond its
 * rows. Not ALIGNED: then loads one more tile. */
template <typename P>
static __device__ __forceinline__ void fill_ring(const source<P> &from, int tiles, int k_left, bool whole,
                                                 raw_chunk *through) {
#pragma unroll
    for (int t = 0; t < P::STAGES - 1; t++) {
        int tile = t == 0 ? tiles - 1 : t - 1;
        if (t < tiles) {
            if constexpr (P::ALIGNED) {
#pragma unroll
                for (int s = 0; s < P::COPIES; s++)
                    if (t > 0 || whole)
                        copy_whole(from, s, tile, t);
                    else
                        copy_partial(from, s, tile, k_left, t);
            } else {
                load(from, 0, P::COPIES, tile, t == 0 ? k_left : P::BK, through);
                finish(from, 0, P::COPIES, t, through);
            }
        }
        cp_async_commit();
    }
    if (!P::ALIGNED && P::STAGES - 1 < tiles) load(from, 0, P::COPIES, P::STAGES - 2, P::BK, through);
}

/* Where this lane reads A and B for step 0 of the stage at `stage`: another step or other columns are an XOR or an
 * addition away, since rows that are a multiple of 8 apart are swizzled alike. (The ring is aligned to 1024 bytes,
 * which the XOR does not reach.) */
template <typename P> static __device__ __forceinline__ unsigned fragment_of_a(unsigned stage, int wm) {
    int lane = threadIdx.x % 32;
    return stage + chunk_offset<ROWS, P::BK_BYTES>(wm + lane % 16, lane / 16);
}

template <typename P> static __device__ __forceinline__ unsigned fragment_of_b(unsigned stage, int wn) {
    int lane = threadIdx.x % 32;
    stage += P::A_BYTES;
    if (P::B_BY_K) return stage + chunk_offset<ROWS, P::BK_BYTES>(wn + lane / 16 * 8 + lane % 8, lane / 8 % 2);
    if (P::B_ORDER == ROWS) return stage + chunk_offset<ROWS, P::B_ROW_BYTES>(lane % 16, wn / 8 + lane / 16);
    int n = wn + lane / 4; /* tf32 in nn: a word of row lane % 4 */
    return stage + chunk_offset<WORDS, P::B_ROW_BYTES>(lane % 4, n / 4) + n % 4 * 4;
}

/* A word of shared memory. */
static __device__ __forceinline__ unsigned load_word(unsigned at) {
    return *(const unsigned *)__cvta_shared_to_generic(at);
}

/* The fragments of A and B of step `step` of stage `stage`. */
template <typename P>
static __device__ __forceinline__ void load_fragments(unsigned a_at, unsigned b_at, int stage, int step,
                                                      unsigned (*a_frag)[4], unsigned (*b_frag)[2]) {
    int begin = stage * P::STAGE_BYTES;
#pragma unroll
    for (int i = 0; i < P::WM / 16; i++) ldmatrix_x4(a_frag[i], (a_at ^ step * 32) + (begin + i * 16 * P::BK_BYTES));
    if constexpr (P::B_ORDER == WORDS) {
#pragma unroll
        for (int j = 0; j < P::WN / 8; j++)
#pragma unroll
            for (int r = 0; r < 2; r++)
                b_frag[j][r] = load_word((b_at ^ j * 32) + (begin + (step * 8 + r * 4) * P::B_ROW_BYTES));
    } else {
#pragma unroll
        for (int j = 0; j < P::WN / 8; j += 2)
            if (P::B_BY_K)
                ldmatrix_x4(b_frag[j], (b_at ^ step * 32) + (begin + j * 8 * P::BK_BYTES));
            else
                ldmatrix_x4_trans(b_frag[j], (b_at ^ j * 16) + (begin + step * 16 * P::B_ROW_BYTES));
    }
}

/* The epilogue: C from the warp's registers, PATCH_ROWS rows at a time through shared memory, where `bytes` belong to
 * this warp alone: what is scattered over lanes leaves in whole rows, four neighbours per lane. */
template <typename P, typename OUT>
static __device__ __forceinline__ void store_tile(const gemm_problem &p, int row0, int col0,
                                                  const typename P::SUM (*c_frag)[P::WN / 8][4], unsigned char *bytes) {
    typedef typename P::SUM SUM;
    const int TOGETHER = 4, ACROSS = P::WN / 4;
    const bool fours = is_fours<OUT>(p);
    int lane = threadIdx.x % 32;
    SUM *patch = (SUM *)bytes;
#pragma unroll
    for (int i0 = 0; i0 < P::WM / 8; i0 += P::PATCH_ROWS / 8) {
        __syncwarp();
#pragma unroll
        for (int i = 0; i < P::PATCH_ROWS / 8; i++)
#pragma unroll
            for (int j = 0; j < P::WN / 8; j++) {
                const SUM *two = &c_frag[(i0 + i) / 2][j][i % 2 * 2];
                leave_two<P::PATCH_PITCH>(patch, i * 8 + lane / 4, j * 8 + lane % 4 * 2, two[0], two[1]);
            }
        __syncwarp();
#pragma unroll 1
        for (int first = lane; first < P::PATCH_ROWS * ACROSS; first += TOGETHER * 32) {
            four<SUM> sum[TOGETHER];
            int2 to[TOGETHER];
#pragma unroll
            for (int i = 0; i < TOGETHER; i++) {
                int row = (first + i * 32) / ACROSS, col = (first + i * 32) % ACROSS * 4;
                sum[i] = *(const four<SUM> *)&patch[row * P::PATCH_PITCH + col];
                to[i] = make_int2(row0 + i0 * 8 + row, col0 + col);
            }
            store_fours<OUT>(p, to, sum, fours);
        }
    }
}

/* A tile of C is computed by one block, or by several that divide K: part `part` of `parts`. */
struct share {
    int row0, col0; /* of the tile */
    int wm, wn;     /* the warp's part of it */
    int part, parts;
    void *sums; /* parts > 1: of all parts */
};

/* Leaves this block's part of the sums for the others, and waits for theirs. */
template <typename P>
static __device__ __forceinline__ void exchange(const gemm_problem &p, const share &at, unsigned *met,
                                                const typename P::SUM (*c_frag)[P::WN / 8][4]) {
    int lane = threadIdx.x % 32;
    auto part = (typename P::SUM *)at.sums + at.part * (P::BM * P::BN);
#pragma unroll
    for (int i = 0; i < P::WM / 16; i++) {
        if (at.row0 + at.wm + i * 16 >= p.m) continue;
#pragma unroll
        for (int j = 0; j < P::WN / 8; j++)
            leave_fragment(part, P::BN, at.wm + i * 16, at.wn + j * 8, lane, c_frag[i][j]);
    }
    meet(met, at.parts, threadIdx.x, P::THREADS, 0);
}

template <typename P, typename OUT>
static __device__ __forceinline__ void store(const gemm_problem &p, const share &at,
                                             const typename P::SUM (*c_frag)[P::WN / 8][4], unsigned char *bytes) {
    if (at.parts > 1)
        add_parts<OUT>(p, P::BM, P::BN, at.row0, at.col0, (const typename P::SUM *)at.sums, at.part, at.parts,
                       threadIdx.x, P::THREADS);
    else
        store_tile<P, OUT>(p, at.row0 + at.wm, at.col0 + at.wn, c_frag, bytes);
}

/* The same for the problem's type of C. */
template <typename P>
static __device__ __forceinline__ void store_sums(const gemm_problem &p, const share &at,
                                                  const typename P::SUM (*c_frag)[P::WN / 8][4], unsigned char *bytes) {
    if constexpr (P::TYPE == GEMM_F16 || P::TYPE == GEMM_BF16) {
        typedef std::conditional_t<P::TYPE == GEMM_F16, __half, __nv_bfloat16> half;
        if (p.out == DTYPE_F32)
            store<P, float>(p, at, c_frag, bytes);
        else
            store<P, half>(p, at, c_frag, bytes);
    } else {
        store<P, typename P::SUM>(p, at, c_frag, bytes);
    }
}

/* This block's. The tiles of C: bands of BAND rows of tiles, column by column. */
template <typename P>
static __device__ __forceinline__ share make_share(const gemm_problem &p, int whole_tiles, int parts) {
    share at = {};
    int warp = threadIdx.x / 32, tile = blockIdx.x, part = tile - whole_tiles;
    at.wm = warp / (P::BN / P::WN) * P::WM;
    at.wn = warp % (P::BN / P::WN) * P::WN;
    at.parts = 1;
    if (part >= 0) {
        at.parts = parts;
        at.part = part % parts;
        at.sums = parts_of<typename P::SUM>(p.workspace, part / parts, parts, P::BM, P::BN);
        tile = whole_tiles + part / parts;
    }
    int tiles_m = (p.m + P::BM - 1) / P::BM, tiles_n = (p.n + P::BN - 1) / P::BN;
    int band = tile / (P::BAND * tiles_n), within = tile % (P::BAND * tiles_n);
    int rows = min(P::BAND, tiles_m - band * P::BAND);
    at.row0 = (band * P::BAND + within % rows) * P::BM;
    at.col0 = within / rows * P::BN;
    return at;
}

/* Blocks below `whole_tiles` compute a tile each, the others part of one: the tiles that follow have `parts` blocks
 * each. */
template <typename P>
__global__ void __launch_bounds__(P::THREADS, P::BLOCKS) gemm_multistage(gemm_problem p, int whole_tiles, int parts) {
    extern __shared__ __align__(1024) unsigned char stages[];
    const int STAGES = P::STAGES, STEPS = P::STEPS, MI = P::WM / 16, NJ = P::WN / 8;
    const int PRODUCTS = MI * NJ; /* a step */

    griddepcontrol_launch_dependents(); /* launches overlap, on sm_90: each waits for the one before */
    griddepcontrol_wait();
    share at = make_share<P>(p, whole_tiles, parts);
    int tiles_k = (p.k + P::BK - 1) / P::BK, each = tiles_k / at.parts, extra = tiles_k % at.parts;
    int begin = at.part * each + min(at.part, extra), tiles = each + (at.part < extra);
    /* The last tile: its rows go on to its end. */
    bool whole = begin + tiles < tiles_k || (p.k % P::BK == 0 && (P::B_BY_K || at.col0 + P::BN <= p.n));
    source<P> from = make_source<P>(p, at.row0, at.col0, begin * P::BK, shared_address(stages));
    raw_chunk through[P::ALIGNED ? 1 : P::COPIES];
    fill_ring(from, tiles, min(p.k - (begin + tiles - 1) * P::BK, P::BK), whole, through);
    move(&from, P::ALIGNED ? STAGES - 2 : STAGES - 1);
    cp_async_wait<STAGES - 2>();
    __syncthreads();

    typename P::SUM c_frag[MI][NJ][4] = {};
    unsigned a_frag[2][MI][4], b_frag[2][NJ][2];
    unsigned a_at = fragment_of_a<P>(shared_address(stages), at.wm);
    unsigned b_at = fragment_of_b<P>(shared_address(stages), at.wn);
    asm volatile(""
                 : "+r"(a_at), "+r"(b_at)); /* otherwise ptxas, short of registers, recomputes them in every
                                             * iteration */
    if (tiles > 0) load_fragments<P>(a_at, b_at, 0, 0, a_frag[0], b_frag[0]);

    for (int t0 = 0; t0 < tiles; t0 += STAGES) {
#pragma unroll(P::UNROLLED)
        for (int now = 0; now < STAGES; now++) {                  /* the stage being multiplied */
            int t = t0 + now, next = (now + STAGES - 1) % STAGES; /* and the one being filled */
            if (t >= tiles) break;
            bool more = t + STAGES - 1 < tiles;
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                const int FIRST = min(step * P::SHARE, P::COPIES), LAST = min(FIRST + P::SHARE, P::COPIES);
                if (!P::ALIGNED && more) finish(from, FIRST, LAST, next, through);
                if (!P::ALIGNED && t + STAGES < tiles) load(from, FIRST, LAST, 0, P::BK, through);
                /* The last step needs the next tile: wait for it, and until everyone is done with this one. */
                if (step == STEPS - 1) {
                    cp_async_commit();
                    cp_async_wait<STAGES - 2>();
                    __syncthreads();
                }
                int other = (step + 1) % 2, stage = step == STEPS - 1 ? (now + 1) % STAGES : now;
                load_fragments<P>(a_at, b_at, stage, (step + 1) % STEPS, a_frag[other], b_frag[other]);
#pragma unroll
                for (int x = 0; x < PRODUCTS; x++) {
                    int j = x / MI, i = j % 2 ? MI - 1 - x % MI : x % MI; /* serpentine: consecutive products share an
                                                                           * operand */
                    multiply_32_bytes<P::TYPE>(c_frag[i][j], a_frag[step % 2][i], b_frag[step % 2][j]);
                    /* Every few products, one of this step's copies. */
                    const int EVERY = PRODUCTS / P::SHARE, COPY = FIRST + x / EVERY;
                    if (P::ALIGNED && more && x % EVERY == EVERY / 2 && COPY < LAST)
                        copy_whole(from, COPY, P::UNROLLED == 1 ? 0 : now, next);
                }
            }
            if (P::UNROLLED == 1) move(&from, 1);
        }
        if (P::UNROLLED > 1) move(&from, STAGES);
    }
    if (at.parts > 1)
        exchange<P>(p, at, &parts_met[(blockIdx.x - whole_tiles) / parts], c_frag);
    else
        __syncthreads(); /* nothing in the ring is needed any more */
    store_sums<P>(p, at, c_frag, stages + threadIdx.x / 32 * P::PATCH_BYTES);
}

/* ---- instantiations ---- */

typedef void multistage_kernel(gemm_problem, int, int);

/* A kernel and what the plan in multistage.cu knows of it. */
typedef struct {
    multistage_kernel *kernel;
    bool aligned;
    int bm, bn, bk, threads, bytes; /* as in plan; bk in elements */
    int step, alone, overhead;      /* clocks, as in MULTISTAGE_TILES */
    int device, per_sm;             /* how many blocks a multiprocessor of this device holds; -1: not queried yet */
} multistage_choice;

template <typename P> static multistage_choice multistage_of(int step, int alone, int overhead) {
    return {gemm_multistage<P>, P::ALIGNED, P::BM, P::BN, P::BK, P::THREADS, P::BYTES, step, alone, overhead, -1, 0};
}

/* The tiles: aligned, BM, BN, BK in bytes, WM, WN, stages, blocks on a multiprocessor; then in clocks of a
 * multiprocessor what a tile of K takes where all blocks are there and where a block is alone, and what a block takes
 * besides. Bytes bound all but the largest: what ldmatrix reads and cp.async writes, 128 bytes in a clock.
 *
 * Those of the second table are for 16-bit types alone. In all, the thin ones are for a few rows or columns that are
 * multiplied by a matrix as large as memory delivers: 96 KB of stages, which every GPU from sm_80 on has on a
 * multiprocessor, keep it busy. */
#define MULTISTAGE_TILES(X)                                                                                            \
    X(true, 128, 128, 128, 64, 64, 3, 2, 860, 900, 3000)                                                               \
    X(true, 64, 64, 128, 32, 32, 3, 4, 420, 480, 1800)                                                                 \
    X(true, 32, 128, 128, 32, 32, 3, 4, 440, 500, 1800)                                                                \
    X(true, 128, 32, 128, 32, 32, 3, 4, 440, 500, 1800)                                                                \
    X(false, 128, 128, 64, 64, 32, 2, 1, 800, 800, 3500)                                                               \
    X(false, 64, 64, 64, 32, 32, 2, 3, 250, 700, 2200)
#define MULTISTAGE_THIN_TILES(X)                                                                                       \
    X(false, 32, 128, 64, 32, 32, 2, 3, 350, 700, 2200)                                                                \
    X(false, 128, 32, 64, 32, 32, 2, 3, 350, 700, 2200)

template <gemm_type TYPE, gemm_layout LAYOUT> static multistage_choice *multistage_choices(int *count) {
#define BAND_OF(BM) (1024 / BM) /* rows of tiles */
#define CHOICE(ALIGNED, BM, BN, BK_BYTES, WM, WN, STAGES, BLOCKS, ...)                                                 \
    multistage_of<plan<TYPE, LAYOUT, ALIGNED, BM, BN, BK_BYTES, WM, WN, STAGES, BLOCKS, BAND_OF(BM)>>(__VA_ARGS__),
    if constexpr (sizeof(typename tensor<TYPE>::bits) == 2) {
        static multistage_choice all[] = {MULTISTAGE_TILES(CHOICE) MULTISTAGE_THIN_TILES(CHOICE)};
        *count = ARRAY_SIZE(all);
        return all;
    } else {
        static multistage_choice all[] = {MULTISTAGE_TILES(CHOICE)};
        *count = ARRAY_SIZE(all);
        return all;
    }
#undef CHOICE
#undef BAND_OF
}

/* For multistage.cu: each type is in its own file, so that they compile in parallel. */
multistage_choice *multistage_bf16(gemm_layout layout, int *count);
multistage_choice *multistage_s8(int *count); /* tn */
multistage_choice *multistage_tf32(gemm_layout layout, int *count);
