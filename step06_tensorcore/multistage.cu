/* All that Ampere offers: copies that run while the tensor cores do, at both levels of memory.
 *
 *   global -> shared      cp.async, a ring of STAGES tiles: one is multiplied, the others are on their way
 *   shared -> registers   ldmatrix: as soon as a fragment's last product is issued, the next step's takes its place
 *
 *   32 bytes of K     step 0      step 1      step 2      step 3               of tile t
 *   cp.async          a share     a share     a share     commit; wait for     tile t + STAGES - 1
 *   ldmatrix          1           2           3           tile t + 1: 0        its fragments
 *   mma.sync          0           1           2           3
 *
 * - A warp multiplies 64 x 64: 32 products for 8 ldmatrix.x4, a load for four products.
 * - Blocks go down GROUP rows of tiles, then on to the next column, so that those running together share A and B in L2.
 * - Rows that do not begin on 16 bytes (ALIGNED is false) come by narrower copies, or through registers where not even
 *   4 bytes are aligned: loaded before a step's products, stored behind them.
 */
#include "ampere.cuh"
#include "cp_async.cuh"
#include "ldmatrix.cuh"

/* Everything about a kernel that is chosen before it is compiled. */
template <gemm_type TYPE_, gemm_layout LAYOUT_, bool ALIGNED_, int BM_, int BN_, int BK_BYTES_, int WM_, int WN_,
          int STAGES_, int BLOCKS_, int GROUP_>
struct plan {
    static const gemm_type TYPE = TYPE_;
    static const gemm_layout LAYOUT = LAYOUT_;
    static const bool ALIGNED = ALIGNED_;  /* all rows of A and B begin on 16 bytes */
    static const int BM = BM_, BN = BN_;   /* a block's tile of C */
    static const int WM = WM_, WN = WN_;   /* a warp's */
    static const int BK_BYTES = BK_BYTES_; /* of K at a time: 64 or 128 bytes */
    static const int STAGES = STAGES_;
    static const int BLOCKS = BLOCKS_; /* a multiprocessor: leaves each thread 65536 / (BLOCKS * THREADS) registers */
    static const int GROUP = GROUP_;   /* rows of tiles that are walked together */

    typedef typename tensor<TYPE>::bits T;
    typedef typename tensor<TYPE>::sum SUM;
    static const int THREADS = BM / WM * (BN / WN) * 32;
    static const int BK = BK_BYTES / sizeof(T), CHUNK = 16 / sizeof(T); /* elements */
    static const int STEPS = BK_BYTES / 32;
    static const int A_BYTES = BM * BK_BYTES, STAGE_BYTES = A_BYTES + BN * BK_BYTES, BYTES = STAGES * STAGE_BYTES;

    /* B in shared memory: as tn has it, rows of K; or rows of N. */
    static const bool B_BY_K = LAYOUT == GEMM_TN;
    static const int B_ROW_BYTES = B_BY_K ? BK_BYTES : BN * (int)sizeof(T);
    static const order B_ORDER = B_BY_K || sizeof(T) == 2 ? ROWS : WORDS;

    /* Chunks that a thread copies of a tile of A and of B: column A_ of every A_STEP-th row. */
    static const int A_CHUNKS = BK_BYTES / 16, A_STEP = THREADS / A_CHUNKS, A_COPIES = BM / A_STEP;
    static const int B_CHUNKS = B_ROW_BYTES / 16, B_STEP = THREADS / B_CHUNKS;
    static const int B_COPIES = (B_BY_K ? BN : BK) / B_STEP;
    static const int COPIES = A_COPIES + B_COPIES, SHARES = STEPS > 1 ? STEPS - 1 : 1;
    static const int SHARE = (COPIES + SHARES - 1) / SHARES; /* copies a step, at most */

    /* A warp's patch of 16 rows of sums: 8 words more than they have, so that four rows cover all banks. */
    static const int PATCH_PITCH = WN + 8;
    static_assert(BK_BYTES == 64 || BK_BYTES == 128, "chunk_place knows these");
    static_assert(THREADS / 32 * 16 * PATCH_PITCH * 4 <= BYTES, "the patches lie in the ring");
};

/* This thread's copies of the next tile. What lies beyond the matrix becomes zeros. */
template <typename P> struct source {
    operand<typename P::T> a, b;
    int row0, col0, k0;
    const typename P::T *a_from, *b_from; /* ALIGNED: the first chunks, */
    int a_rows, b_rows;                   /* and rows there are from theirs on */
    int a_width, b_width;                 /* not ALIGNED: bytes a copy: 16, 8, 4; 0: through registers */
};

/* Bytes of a chunk that exist where `left` elements do. */
template <typename P> static __device__ __forceinline__ int bytes_of(int left) {
    return min(max(left, 0), P::CHUNK) * (int)sizeof(typename P::T);
}

/* Bytes that all rows begin on a multiple of. */
template <typename T> static __device__ __forceinline__ int width_of(const operand<T> &x) {
    uintptr_t bits = (uintptr_t)x.at | (uintptr_t)x.ld * sizeof(T);
    return bits % 16 == 0 ? 16 : bits % 8 == 0 ? 8 : bits % 4 == 0 ? 4 : 0;
}

template <typename P>
static __device__ __forceinline__ source<P> make_source(const gemm_problem &p, int row0, int col0) {
    typedef typename P::T T;
    source<P> x = {};
    x.a = operand_a<T>(p);
    x.b = operand_b<T, P::LAYOUT>(p);
    x.row0 = row0;
    x.col0 = col0;
    if (!P::ALIGNED) {
        x.a_width = width_of(x.a);
        x.b_width = width_of(x.b);
        return x;
    }
    int a_row = row0 + threadIdx.x / P::A_CHUNKS, a_col = threadIdx.x % P::A_CHUNKS * P::CHUNK;
    int b_row = threadIdx.x / P::B_CHUNKS, b_col = threadIdx.x % P::B_CHUNKS * P::CHUNK;
    if (P::B_BY_K)
        b_row += col0;
    else
        b_col += col0;
    x.a_from = gemm_at(x.a.at, x.a.ld, a_row, a_col);
    x.b_from = gemm_at(x.b.at, x.b.ld, b_row, b_col);
    x.a_rows = x.a.rows - a_row;
    x.b_rows = x.b.rows - b_row;
    return x;
}

template <typename P> static __device__ __forceinline__ void advance(source<P> *x) {
    x->k0 += P::BK;
    if (!P::ALIGNED) return;
    x->a_from += P::BK;
    x->b_from += P::B_BY_K ? P::BK : (int64_t)P::BK * x->b.ld;
    if (!P::B_BY_K) x->b_rows -= P::BK;
}

/* Where copy number s of a tile belongs, in bytes from the beginning of its stage. */
template <typename P> static __device__ __forceinline__ int place_of(int s) {
    int t = threadIdx.x;
    if (s < P::A_COPIES) return chunk_offset<ROWS, P::BK_BYTES>(t / P::A_CHUNKS + s * P::A_STEP, t % P::A_CHUNKS);
    s -= P::A_COPIES;
    return P::A_BYTES + chunk_offset<P::B_ORDER, P::B_ROW_BYTES>(t / P::B_CHUNKS + s * P::B_STEP, t % P::B_CHUNKS);
}

/* One chunk by copies of `width` bytes, or through `r`, for finish(). */
template <typename P>
static __device__ __forceinline__ void copy_narrow(const operand<typename P::T> &x, int row, int col, unsigned to,
                                                   int width, raw_chunk *r) {
    if (width == 0) {
        *r = load_chunk(x, row, col);
        return;
    }
    int bytes = row < x.rows ? bytes_of<P>(x.cols - col) : 0;
    const char *from = (const char *)(bytes > 0 ? gemm_at(x.at, x.ld, row, col) : x.at);
    if (width == 16) cp_async_16_zfill(to, from, bytes);
#pragma unroll
    for (int i = 0; i < 16; i += 8)
        if (width == 8) cp_async_8_zfill(to + i, bytes > i ? from + i : from, min(max(bytes - i, 0), 8));
#pragma unroll
    for (int i = 0; i < 16; i += 4)
        if (width == 4) cp_async_4_zfill(to + i, bytes > i ? from + i : from, min(max(bytes - i, 0), 4));
}

/* Copy number s, A's first, then B's, into the stage at `stage`: of a tile whose rows all go on to its end. */
template <typename P> static __device__ __forceinline__ void copy_whole(const source<P> &x, int s, unsigned stage) {
    bool is_a = s < P::A_COPIES;
    int down = is_a ? s * P::A_STEP : (s - P::A_COPIES) * P::B_STEP; /* rows below the first chunk */
    const typename P::T *from = is_a ? x.a_from + down * (int64_t)x.a.ld : x.b_from + down * (int64_t)x.b.ld;
    cp_async_16_zfill(stage + place_of<P>(s), from, down < (is_a ? x.a_rows : x.b_rows) ? 16 : 0);
}

/* The same of any tile. */
template <typename P>
static __device__ __forceinline__ void copy_any(const source<P> &x, int s, unsigned stage, raw_chunk *r) {
    unsigned to = stage + place_of<P>(s);
    int t = threadIdx.x;
    if (s < P::A_COPIES) {
        int row = t / P::A_CHUNKS + s * P::A_STEP, col = t % P::A_CHUNKS * P::CHUNK;
        copy_narrow<P>(x.a, x.row0 + row, x.k0 + col, to, P::ALIGNED ? 16 : x.a_width, r);
    } else {
        int row = t / P::B_CHUNKS + (s - P::A_COPIES) * P::B_STEP, col = t % P::B_CHUNKS * P::CHUNK;
        copy_narrow<P>(x.b, (P::B_BY_K ? x.col0 : x.k0) + row, (P::B_BY_K ? x.k0 : x.col0) + col, to,
                       P::ALIGNED ? 16 : x.b_width, r);
    }
}

/* Do all rows of the next tile go on to its end? */
template <typename P> static __device__ __forceinline__ bool is_whole(const source<P> &x) {
    return P::ALIGNED && x.k0 + P::BK <= x.a.cols && (P::B_BY_K || x.col0 + P::BN <= x.b.cols);
}

/* Copies number first ... last - 1. */
template <typename P>
static __device__ __forceinline__ void copy(const source<P> &x, int first, int last, unsigned stage, raw_chunk *r) {
    if (P::ALIGNED) {
#pragma unroll 1 /* seldom: no registers for it */
        for (int s = first; s < last; s++) copy_any(x, s, stage, r);
    } else {
#pragma unroll
        for (int s = first; s < last; s++) copy_any(x, s, stage, &r[s - first]);
    }
}

/* The end of those that came through registers. */
template <typename P>
static __device__ __forceinline__ void finish(const source<P> &x, int first, int last, unsigned char *stage,
                                              const raw_chunk *r) {
    if constexpr (!P::ALIGNED) {
#pragma unroll
        for (int s = first; s < last; s++)
            if ((s < P::A_COPIES ? x.a_width : x.b_width) == 0) *(uint4 *)(stage + place_of<P>(s)) = cut(r[s - first]);
    }
}

/* Offsets in a stage of what this lane addresses for A and B in step 0; another step and other columns are an XOR or an
 * addition away, since rows of a multiple of 8 are swizzled alike. */
template <typename P> static __device__ __forceinline__ int fragment_of_a(int wm) {
    int lane = threadIdx.x % 32;
    return chunk_offset<ROWS, P::BK_BYTES>(wm + lane % 16, lane / 16);
}

template <typename P> static __device__ __forceinline__ int fragment_of_b(int wn) {
    int lane = threadIdx.x % 32;
    if (P::B_BY_K) return P::A_BYTES + chunk_offset<ROWS, P::BK_BYTES>(wn + lane / 16 * 8 + lane % 8, lane / 8 % 2);
    if (P::B_ORDER == ROWS) return P::A_BYTES + chunk_offset<ROWS, P::B_ROW_BYTES>(lane % 16, wn / 8 + lane / 16);
    int n = wn + lane / 4; /* tf32 in nn: a word of row lane % 4 */
    return P::A_BYTES + chunk_offset<WORDS, P::B_ROW_BYTES>(lane % 4, n / 4) + n % 4 * 4;
}

/* The fragment of rows 16i ... 16i + 15 of A, in step `step` of the stage at `stage`. */
template <typename P>
static __device__ __forceinline__ void load_a(const unsigned char *stage, int a_at, int step, int i, unsigned *a_frag) {
    ldmatrix_x4(a_frag, shared_address(stage) + (a_at ^ step * 32) + i * 16 * P::BK_BYTES);
}

/* Those of columns 8j ... 8j + 15 of B. */
template <typename P>
static __device__ __forceinline__ void load_b(const unsigned char *stage, int b_at, int step, int j,
                                              unsigned (*b_frag)[2]) {
    if constexpr (P::B_ORDER == WORDS) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const unsigned char *b = stage + (b_at ^ (j + e / 2) * 32) + (step * 8 + e % 2 * 4) * P::B_ROW_BYTES;
            b_frag[e / 2][e % 2] = *(const unsigned *)b;
        }
    } else if (P::B_BY_K) {
        ldmatrix_x4(b_frag[0], shared_address(stage) + (b_at ^ step * 32) + j * 8 * P::BK_BYTES);
    } else {
        ldmatrix_x4_trans(b_frag[0], shared_address(stage) + (b_at ^ j * 16) + step * 16 * P::B_ROW_BYTES);
    }
}

/* C from the warp's registers, 16 rows at a time by way of shared memory, where `patch` is this warp's own: what is
 * scattered over lanes there leaves in whole rows, four elements a lane, or one where not all can be. */
template <typename P, typename OUT>
static __device__ __forceinline__ void store_tile(const gemm_problem &p, int row0, int col0,
                                                  const typename P::SUM (*c_frag)[P::WN / 8][4],
                                                  typename P::SUM *patch) {
    typedef typename P::SUM SUM;
    const int WN = P::WN, PITCH = P::PATCH_PITCH;
    int lane = threadIdx.x % 32;
    bool vector = ((uintptr_t)p.C | (uintptr_t)p.ldc * sizeof(OUT)) % sizeof(four<OUT>) == 0 && col0 + WN <= p.n;
#pragma unroll
    for (int i = 0; i < P::WM / 16; i++) {
        __syncwarp();
#pragma unroll
        for (int j = 0; j < WN / 8; j++)
#pragma unroll
            for (int half = 0; half < 2; half++) {
                SUM *to = &patch[(half * 8 + lane / 4) * PITCH + j * 8 + lane % 4 * 2];
                *(neighbours<SUM> *)to = {c_frag[i][j][half * 2], c_frag[i][j][half * 2 + 1]};
            }
        __syncwarp();
        int row = row0 + i * 16;
        if (vector) {
#pragma unroll 4
            for (int e = lane * 4; e < 16 * WN; e += 128)
                store_four<OUT>(p, row + e / WN, col0 + e % WN, *(const four<SUM> *)&patch[e / WN * PITCH + e % WN]);
        } else {
#pragma unroll 1
            for (int e = lane; e < 16 * WN; e += 32)
                store_one<OUT>(p, row + e / WN, col0 + e % WN, patch[e / WN * PITCH + e % WN]);
        }
    }
}

template <typename P> __global__ void __launch_bounds__(P::THREADS, P::BLOCKS) gemm_multistage(gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char stages[];
    const int STAGES = P::STAGES, STEPS = P::STEPS, MI = P::WM / 16, NJ = P::WN / 8;

    /* Which tile of C: GROUP rows of tiles, column by column. */
    int tiles_m = (p.m + P::BM - 1) / P::BM, tiles_n = (p.n + P::BN - 1) / P::BN;
    int group = blockIdx.x / (P::GROUP * tiles_n), within = blockIdx.x % (P::GROUP * tiles_n);
    int group_rows = min(P::GROUP, tiles_m - group * P::GROUP);
    int row0 = (group * P::GROUP + within % group_rows) * P::BM, col0 = within / group_rows * P::BN;
    int warp = threadIdx.x / 32;
    int wm = warp / (P::BN / P::WN) * P::WM, wn = warp % (P::BN / P::WN) * P::WN;

    /* Fill the ring: one group of copies a tile, empty ones where there is no tile. */
    int tiles = (p.k + P::BK - 1) / P::BK;
    source<P> from = make_source<P>(p, row0, col0);
    raw_chunk through[P::ALIGNED ? 1 : P::SHARE];
    for (int t = 0; t < STAGES - 1; t++) {
        unsigned char *to = stages + t * P::STAGE_BYTES;
        if (t < tiles) {
            if (is_whole(from)) {
#pragma unroll
                for (int s = 0; s < P::COPIES; s++) copy_whole(from, s, shared_address(to));
            } else {
#pragma unroll
                for (int s = 0; s < P::COPIES; s += P::SHARE) {
                    copy(from, s, min(s + P::SHARE, P::COPIES), shared_address(to), through);
                    finish(from, s, min(s + P::SHARE, P::COPIES), to, through);
                }
            }
            advance(&from);
        }
        cp_async_commit();
    }
    cp_async_wait<STAGES - 2>();
    __syncthreads();

    typename P::SUM c_frag[MI][NJ][4] = {};
    unsigned a_frag[MI][4], b_frag[NJ][2];
    int a_at = fragment_of_a<P>(wm), b_at = fragment_of_b<P>(wn);
    if (tiles > 0) {
#pragma unroll
        for (int i = 0; i < MI; i++) load_a<P>(stages, a_at, 0, i, a_frag[i]);
#pragma unroll
        for (int j = 0; j < NJ; j += 2) load_b<P>(stages, b_at, 0, j, &b_frag[j]);
    }

    int now = 0, next = STAGES - 1; /* stage being multiplied, stage being filled */
    for (int t = 0; t < tiles; t++) {
        bool more = t + STAGES - 1 < tiles, whole = more && is_whole(from);
        unsigned char *to = stages + next * P::STAGE_BYTES;
        if (P::ALIGNED && more && !whole) copy(from, 0, P::COPIES, shared_address(to), through);
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            const int FIRST = min(step * P::SHARE, P::COPIES), LAST = min(FIRST + P::SHARE, P::COPIES);
            if (!P::ALIGNED && more && FIRST < LAST) copy(from, FIRST, LAST, shared_address(to), through);
            if (step == STEPS - 1) { /* the next tile is needed: wait for it, and for everybody to be done with this */
                cp_async_commit();
                if (more) advance(&from);
                next = now;
                now = now + 1 == STAGES ? 0 : now + 1;
                cp_async_wait<STAGES - 2>();
                __syncthreads();
            }
            const unsigned char *stage = stages + now * P::STAGE_BYTES;
#pragma unroll
            for (int i = 0; i < MI; i++) {
#pragma unroll
                for (int j = 0; j < NJ; j++) {
                    multiply_32_bytes<P::TYPE>(c_frag[i][j], a_frag[i], b_frag[j]);
                    /* What is not needed any more makes room for the next step's. */
                    if (j == NJ - 1) load_a<P>(stage, a_at, (step + 1) % STEPS, i, a_frag[i]);
                    if (i == MI - 1 && j % 2 == 1) load_b<P>(stage, b_at, (step + 1) % STEPS, j - 1, &b_frag[j - 1]);
                    /* Every few products, one of the step's copies. */
                    const int EVERY = MI * NJ / P::SHARE, PRODUCT = i * NJ + j, COPY = FIRST + PRODUCT / EVERY;
                    if (PRODUCT % EVERY == EVERY / 2 && COPY < LAST && whole)
                        copy_whole(from, COPY, shared_address(to));
                }
            }
            if (more && FIRST < LAST) finish(from, FIRST, LAST, to, through);
        }
    }
    __syncthreads(); /* of the ring nothing is needed any more */
    typename P::SUM *patch = (typename P::SUM *)stages + warp * 16 * P::PATCH_PITCH;
    if constexpr (P::TYPE == GEMM_F16 || P::TYPE == GEMM_BF16) {
        typedef std::conditional_t<P::TYPE == GEMM_F16, __half, __nv_bfloat16> half;
        if (p.out == DTYPE_F32)
            store_tile<P, float>(p, row0 + wm, col0 + wn, c_frag, patch);
        else
            store_tile<P, half>(p, row0 + wm, col0 + wn, c_frag, patch);
    } else {
        store_tile<P, typename P::SUM>(p, row0 + wm, col0 + wn, c_frag, patch);
    }
}

template <typename P> static cudaError_t run_plan(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, P::BM, P::BN);
    if (blocks == 0) return cudaSuccess;
    /* more than 48 KB must be asked for */
    cudaError_t error = cudaFuncSetAttribute(gemm_multistage<P>, cudaFuncAttributeMaxDynamicSharedMemorySize, P::BYTES);
    if (error != cudaSuccess) return error;
    gemm_multistage<P><<<blocks, P::THREADS, P::BYTES, stream>>>(gemm_effective(p));
    return cudaGetLastError();
}

/* What is launched. The large tiles ask L2 for a quarter less, and take 144 KB of shared memory: sm_80 and sm_90 have
 * them. The small ones take 96 KB, which every GPU from sm_80 on has. */
template <gemm_type TYPE, gemm_layout LAYOUT> struct chosen {
    typedef plan<TYPE, LAYOUT, true, 256, 128, 128, 64, 64, 3, 1, 8> large;
    typedef plan<TYPE, LAYOUT, true, 128, 128, 128, 64, 64, 3, 2, 8> small;
    typedef plan<TYPE, LAYOUT, false, 128, 128, 64, 64, 32, 4, 1, 8> unaligned;
};

/* What the current device has; asked once a device. */
struct device_room {
    int device, multiprocessors, bytes; /* of shared memory, at most, a block */
};

static cudaError_t get_room(device_room *room) {
    static device_room known = {-1, 0, 0};
    int device;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess && device != known.device) {
        device_room found = {device, 0, 0};
        error = cudaDeviceGetAttribute(&found.multiprocessors, cudaDevAttrMultiProcessorCount, device);
        if (error == cudaSuccess)
            error = cudaDeviceGetAttribute(&found.bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
        if (error == cudaSuccess) known = found;
    }
    *room = known;
    return error;
}

template <gemm_type TYPE, gemm_layout LAYOUT> static cudaError_t run(const gemm_problem *p, cudaStream_t stream) {
    typedef typename chosen<TYPE, LAYOUT>::large large;
    typedef typename chosen<TYPE, LAYOUT>::small small;
    const uintptr_t SIZE = sizeof(typename tensor<TYPE>::bits);
    uintptr_t rows = (uintptr_t)p->A | (uintptr_t)p->B | (uintptr_t)p->lda * SIZE | (uintptr_t)p->ldb * SIZE;
    if (rows % 16 != 0) return run_plan<typename chosen<TYPE, LAYOUT>::unaligned>(p, stream);
    device_room room;
    cudaError_t error = get_room(&room);
    if (error != cudaSuccess) return error;
    /* Where each of the small tiles gets a multiprocessor of its own, half as many large ones would leave half idle. */
    bool few = gemm_blocks(p, small::BM, small::BN) <= (unsigned)room.multiprocessors;
    if (few || large::BYTES > room.bytes) return run_plan<small>(p, stream);
    return run_plan<large>(p, stream);
}

template <typename P> static gemm_kernel kernel_of() {
    return {(const void *)gemm_multistage<P>, P::THREADS, P::BYTES};
}

/* The one that a large and aligned problem gets on the current device. */
extern "C" gemm_kernel kernel_multistage(void) {
    typedef chosen<GEMM_F16, GEMM_TN> plans;
    device_room room;
    bool fits = get_room(&room) == cudaSuccess && plans::large::BYTES <= room.bytes;
    return fits ? kernel_of<plans::large>() : kernel_of<plans::small>();
}

extern "C" cudaError_t launch_multistage(const gemm_problem *p, cudaStream_t stream) {
    AMPERE_DISPATCH(run, p, stream)
}
