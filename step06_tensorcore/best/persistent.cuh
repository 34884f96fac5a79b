/* Persistent blocks and ping-pong consumers: one launch of as many blocks as fit on the GPU, each working through tile
 * after tile.
 *
 * There is no prologue to wait for: the producer runs ahead into the next tile while this one is multiplied. Nor is
 * there an epilogue to wait for: a tile of 128 x 192 or 128 x 128 belongs to a single consumer, which stores its sums
 * while the other multiplies the next tile. (When both share a tile of 128 x 256, both store at once, and the tensor
 * cores are idle meanwhile.) The sums leave through shared memory and a bulk store that runs in the background.
 *
 *     producer     │ requests the stages of tile 0, of tile 1, of tile 2 ..., as they become empty
 *     consumer 0   │ multiply tile 0 │ store │  wait  │ multiply tile 2 │ store │  wait  │ multiply tile 4
 *     consumer 1   │      wait       │ multiply tile 1 │ store │  wait  │ multiply tile 3 │ store │  wait
 *                                      store: registers -> stmatrix -> shared memory -> bulk store
 *
 * All stages pass through one ring, and each consumer skips those of the other's tiles. But the parity of an mbarrier
 * only tells adjacent phases apart, so no one may wait for a phase further ahead: a consumer first waits, at a named
 * barrier, until the other has seen the last stage of the previous tile arrive.
 *
 * The tile scheduler rasterizes C in bands of neighbouring rows, column by column (threadblock swizzle), so that what
 * runs at the same time is a compact rectangle of C and L2 holds what it reads. Where such tiles are too few for the
 * GPU, they are 64 x 128, for a single consumer.
 *
 * Rows of A or B whose pitch is not a multiple of 128 bytes cost L2 more: each 128 bytes of a tile lie in two of its
 * lines and, if the pitch is not a multiple of 32 bytes either, in five sectors instead of four. If L2 then takes
 * longer than the products, two blocks, one above the other, form a cluster: each loads half of the B that they share
 * and multicasts it to both. That costs time at the start, and gains nothing where L2 keeps up.
 */
#ifndef KL_PERSISTENT_CUH
#define KL_PERSISTENT_CUH

#include "hopper.cuh"
#include "ptx/ldmatrix.cuh"

/* A configuration: the knobs, in one place. */
template <int BM_, int BN_, int STAGES_, int PING_PONG_, int CLUSTER_, int BUFFERS_> struct persistent_tile {
    static const int BM = BM_, BN = BN_; /* the tile of a block */
    /* The consumers ping-pong, a whole tile each; or they share a tile, 64 rows each. */
    static const bool PING_PONG = PING_PONG_;
    static const int STAGES = STAGES_;   /* of the ring: 128 bytes along K each */
    static const int CLUSTER = CLUSTER_; /* blocks, one above the other, that share a tile of B */
    static const int BUFFERS = BUFFERS_; /* buffers per warp for results, which leave 128 bytes per row at a time */
    static const int CONSUMERS = PING_PONG ? 2 : BM / 64, WARPS = 4 * CONSUMERS;
    static const int PIECES = PING_PONG ? BM / 64 : 1; /* 64-row parts of a tile that a consumer holds */
    static const int THREADS = 128 * (1 + CONSUMERS);
    static const int A_BYTES = BM * ROW_BYTES, B_BYTES = BN * ROW_BYTES, STAGE_BYTES = A_BYTES + B_BYTES;
    static const int SLAB = 16 * ROW_BYTES; /* 16 rows of a warp */
    static const int STORE_BYTES = WARPS * BUFFERS * SLAB;
    /* Barriers: `full` and `empty`, one per stage; from OLD on, one per consumer warp, for the old contents of C. */
    static const int OLD = 2 * 8 * STAGES, BARRIER_BYTES = 1024;
    static const int BYTES = BARRIER_BYTES + STAGES * STAGE_BYTES + STORE_BYTES;
    static_assert(BYTES <= 227 * 1024, "a block has 227 KB of shared memory");
    /* Stages that a block fills before it waits for anyone: all of them, except in a cluster, where that would make L2
     * deliver B twice. */
    static const int ALONE = CLUSTER == 1 ? STAGES : 1;
    /* A block of three warpgroups starts with 168 registers per thread, and the total stays the same. */
    static const int PRODUCER_REGISTERS = 40, CONSUMER_REGISTERS = 232;
};

/* ---- tile scheduler ---- */

/* A block's place in shared memory and its share of the tiles. Cluster tiles: those of the blocks of a cluster, one
 * above the other, count as one. */
struct persistent_block {
    uint32_t full, empty, ring, staging; /* barriers, one per stage; stages; buffers of the epilogue */
    unsigned rank;                       /* of the block in its cluster */
    int tiles_m, tiles_n, band;          /* cluster tiles, and how many rows of them make a band */
    int first, tiles, stride;            /* this cluster's are first, first + stride, ... below tiles */
    int steps;                           /* tiles along K */
};

template <int TYPE, class T>
static __device__ __forceinline__ persistent_block persistent_begin(const hopper_problem &p, int band,
                                                                    unsigned char *shared) {
    const int BK = hopper_bk(TYPE);
    persistent_block b;
    b.full = shared_address(shared), b.empty = b.full + 8 * T::STAGES;
    b.ring = b.full + T::BARRIER_BYTES, b.staging = b.ring + T::STAGES * T::STAGE_BYTES;
    b.rank = T::CLUSTER > 1 ? cluster_rank() : 0;
    b.tiles_m = (p.m + T::CLUSTER * T::BM - 1) / (T::CLUSTER * T::BM), b.tiles_n = (p.n + T::BN - 1) / T::BN;
    b.band = band;
    b.first = blockIdx.x / T::CLUSTER, b.tiles = b.tiles_m * b.tiles_n, b.stride = gridDim.x / T::CLUSTER;
    b.steps = (p.k + BK - 1) / BK;
    return b;
}

/* The first row and column of this block's part of a cluster tile. Tiles go in bands, column by column. */
template <class T>
static __device__ __forceinline__ void tile_origin(const persistent_block &b, int tile, int *row, int *col) {
    const int first = tile / (b.band * b.tiles_n) * b.band, inside = tile % (b.band * b.tiles_n);
    const int rows = min(b.band, b.tiles_m - first);
    *row = ((first + inside % rows) * T::CLUSTER + b.rank) * T::BM;
    *col = inside / rows * T::BN;
}

/* ---- the ring of stages ---- */

/* The next stage, and the parity of its barriers' current phase. */
struct ring_position {
    int s;
    unsigned phase;
};

template <class T> static __device__ __forceinline__ void next_stage(ring_position *at) {
    if (++at->s == T::STAGES) at->s = 0, at->phase ^= 1;
}

/* Skips the stages of the other consumer's tile. */
template <class T> static __device__ __forceinline__ void skip_tile(ring_position *at, int steps) {
    at->phase ^= (at->s + steps) / T::STAGES & 1;
    at->s = (at->s + steps) % T::STAGES;
}

/* Tells the producers that stage s is free. Thread i of a warpgroup tells block i of the cluster, which sends a part of
 * B here: `empty` is the barrier of stage 0 there. */
template <class T> static __device__ __forceinline__ void release_stage(uint32_t empty, int s) {
    if (threadIdx.x % 128 >= T::CLUSTER) return;
    if (T::CLUSTER > 1)
        mbarrier_arrive_remote(empty + 8 * s);
    else
        mbarrier_arrive(empty + 8 * s);
}

/* ---- epilogue: from registers to C ---- */

/* The object at an address in shared memory. */
template <class X> __device__ __forceinline__ X &shared_at(uint32_t address) {
    return *(X *)__cvta_shared_to_generic(address);
}

/* A warp's 16 rows of COUNT / 2 columns, starting at (row, col): rounded, written to shared memory in the swizzled
 * layout, and sent. `place` says which buffer is next. ADD: beta is not zero, and the old contents of C are fetched
 * first, to where the results will go; each warp has a barrier for that, which completes an even number of phases per
 * tile. */
template <int OUT, bool ADD, class T, class SUM, int COUNT>
static __device__ __forceinline__ void store_slabs(const hopper_problem &p, const CUtensorMap *map,
                                                   const SUM (&d)[COUNT], int row, int col, uint32_t buffers,
                                                   int *place, uint32_t old, int piece) {
    const int lane = threadIdx.x % 32;
    const int BLOCKS = OUT == DTYPE_F16 || OUT == DTYPE_BF16 ? 8 : 4; /* of 8 columns in 128 bytes */
    const int SLABS = COUNT / 4 / BLOCKS;
    static_assert(SLABS * BLOCKS * 4 == COUNT, "whole rows of 128 bytes");
    static_assert(T::PIECES * SLABS % 2 == 0, "a tile begins with the parity of the one before");
#pragma unroll
    for (int s = 0; s < SLABS; s++) {
        const uint32_t slab = buffers + *place * T::SLAB;
        *place = *place + 1 == T::BUFFERS ? 0 : *place + 1;
        if (lane == 0) {
            tma_store_wait_read<T::BUFFERS - 1>(); /* the previous contents have been read */
            if (ADD) mbarrier_arrive_expect_tx(old, T::SLAB);
            if (ADD) tma_load(slab, map, col + s * BLOCKS * 8, row, old);
        }
        __syncwarp();
        if (ADD) mbarrier_wait(old, (piece * SLABS + s) % 2);
#pragma unroll
        for (int j = s * BLOCKS; j < (s + 1) * BLOCKS; j += BLOCKS == 8 ? 2 : 1) {
            if constexpr (BLOCKS == 8) {
                const int r = lane % 16, chunk = (j % 8 + lane / 16) ^ (r % 8);
                const uint32_t to = slab + r * ROW_BYTES + chunk * 16;
                uint32_t c[4], four[4]; /* 8x8 matrices: upper and lower rows of block j, then of j + 1 */
                if (ADD) ldmatrix_x4(c, to);
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    float2 two = hopper_scale(p, d[4 * j + 2 * i], d[4 * j + 2 * i + 1]);
                    if (ADD) two = hopper_add(p, two, hopper_unpack<OUT>(c[i]));
                    four[i] = hopper_pack<OUT>(two);
                }
                stmatrix_x4(to, four[0], four[1], four[2], four[3]);
            } else {
                /* Odd rows process the blocks in a different order: otherwise four rows would meet in half of the
                 * banks. */
                const bool odd = lane / 4 % 2 == 1;
                const int other = j ^ 2, block = odd ? other : j;
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    const SUM s0 = odd ? d[4 * other + 2 * i] : d[4 * j + 2 * i];
                    const SUM s1 = odd ? d[4 * other + 2 * i + 1] : d[4 * j + 2 * i + 1];
                    auto two = hopper_scale(p, s0, s1);
                    const int r = lane / 4 + i * 8, chunk = (block % 4 * 2 + lane % 4 / 2) ^ (r % 8);
                    auto &to = shared_at<decltype(two)>(slab + r * ROW_BYTES + chunk * 16 + lane % 2 * 8);
                    if (ADD) two = hopper_add(p, two, to);
                    to = two;
                }
            }
        }
        fence_proxy_async();
        __syncwarp();
        if (lane == 0) {
            tma_store(map, col + s * BLOCKS * 8, row, slab);
            tma_store_commit();
        }
    }
}

/* The same for the problem's type of C. */
template <int TYPE, class T, class SUM, int COUNT>
static __device__ __forceinline__ void epilogue(const hopper_problem &p, const CUtensorMap *map, const SUM (&d)[COUNT],
                                                int row, int col, uint32_t buffers, int *place, uint32_t old,
                                                int piece) {
    const int SHORT = hopper_short(TYPE), LONG = hopper_long(TYPE);
    const bool add = p.beta != 0.0f;
    if constexpr (TYPE == GEMM_F16 || TYPE == GEMM_BF16) {
        if (p.out == SHORT && !add) store_slabs<SHORT, false, T>(p, map, d, row, col, buffers, place, old, piece);
        if (p.out == SHORT && add) store_slabs<SHORT, true, T>(p, map, d, row, col, buffers, place, old, piece);
    }
    if (p.out == LONG && !add) store_slabs<LONG, false, T>(p, map, d, row, col, buffers, place, old, piece);
    if (p.out == LONG && add) store_slabs<LONG, true, T>(p, map, d, row, col, buffers, place, old, piece);
}

/* ---- producer: from memory to the ring ---- */

/* Loads one step of a tile into stage s, once it is empty: this block's rows of A from `row` on, and the columns of B
 * from `col` on, one part of them for all blocks of the cluster, of which the others load the rest; or, ALONE, all of
 * them for this block only. tn: a part of B is some of its columns, along K. nn: B comes in boxes of 64 columns, and a
 * part is some of their rows of K. */
template <int TYPE, int LAYOUT, class T, bool ALONE>
static __device__ __forceinline__ void load_stage(const CUtensorMap *a_map, const CUtensorMap *b_map,
                                                  const persistent_block &block, int s, int t, int row, int col) {
    const int BK = hopper_bk(TYPE), BOXES = LAYOUT == GEMM_TN ? 1 : T::BN / 64;
    const int PART = (LAYOUT == GEMM_TN ? T::BN : BK) / T::CLUSTER;
    const uint32_t a = block.ring + s * T::STAGE_BYTES, b = a + T::A_BYTES, barrier = block.full + 8 * s;
    mbarrier_arrive_expect_tx(barrier, T::STAGE_BYTES);
    tma_load(a, a_map, t * BK, row, barrier);
#pragma unroll
    for (int i = 0; i < BOXES * (ALONE ? T::CLUSTER : 1); i++) {
        const int box = i % BOXES, first = PART * (ALONE ? i / BOXES : (int)block.rank);
        const int x = LAYOUT == GEMM_TN ? t * BK : col + 64 * box, y = (LAYOUT == GEMM_TN ? col : t * BK) + first;
        const uint32_t to = b + (BK * box + first) * ROW_BYTES;
        if (ALONE || T::CLUSTER == 1)
            tma_load(to, b_map, x, y, barrier);
        else
            tma_load_multicast(to, b_map, x, y, barrier, (1u << T::CLUSTER) - 1);
    }
}

/* The first `alone` steps of the first tile, which depend on no other block. */
template <int TYPE, int LAYOUT, class T>
static __device__ __forceinline__ void load_first(const CUtensorMap *a_map, const CUtensorMap *b_map,
                                                  const persistent_block &block, int alone) {
    int row, col;
    tile_origin<T>(block, block.first, &row, &col);
#pragma unroll 1
    for (int t = 0; t < alone; t++) load_stage<TYPE, LAYOUT, T, true>(a_map, b_map, block, t, t, row, col);
}

/* One thread: all other steps of all tiles. */
template <int TYPE, int LAYOUT, class T>
static __device__ __forceinline__ void produce(const CUtensorMap *a_map, const CUtensorMap *b_map,
                                               const persistent_block &block, int alone) {
    int t = alone; /* the first tile's next step */
    ring_position at = {alone % T::STAGES, (unsigned)(alone / T::STAGES)};
    for (int tile = block.first; tile < block.tiles; tile += block.stride) {
        int row, col;
        tile_origin<T>(block, tile, &row, &col);
        for (; t < block.steps; t++) {
            mbarrier_wait(block.empty + 8 * at.s, at.phase ^ 1);
            load_stage<TYPE, LAYOUT, T, false>(a_map, b_map, block, at.s, t, row, col);
            next_stage<T>(&at);
        }
        t = 0;
    }
}

/* ---- consumers: from the ring to registers ---- */

/* The sums of a tile. `release`: as release_stage takes it. `more`: another tile comes after this one, and the other
 * consumer may begin with it as soon as all of this one has arrived. */
template <int TYPE, int LAYOUT, class T, class SUM>
static __device__ __forceinline__ void multiply_tile(SUM (&d)[T::PIECES][T::BN / 2], const persistent_block &block,
                                                     int consumer, uint32_t release, bool more, ring_position *at) {
    int last = 0;
    for (int t = 0; t < block.steps; t++) {
        const uint32_t stage = block.ring + at->s * T::STAGE_BYTES;
        const uint64_t a = wgmma_k_major(stage + (T::PING_PONG ? 0 : consumer * 64 * ROW_BYTES));
        const uint64_t b = hopper_b<LAYOUT>(stage + T::A_BYTES);
        mbarrier_wait(block.full + 8 * at->s, at->phase);
        if (T::PING_PONG && t == block.steps - 1 && more) named_barrier_arrive(2 + (consumer ^ 1), 256);
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < K_STEPS; i++)
#pragma unroll
            for (int piece = 0; piece < T::PIECES; piece++)
                hopper_multiply<TYPE, LAYOUT>(d[piece], a + wgmma_advance(32 * i + 64 * ROW_BYTES * piece),
                                              b + i * hopper_b_step<LAYOUT>(), i > 0 || t > 0);
        wgmma_commit();
        /* By now the previous stage has been multiplied, this one perhaps not yet. */
#pragma unroll
        for (int piece = 0; piece < T::PIECES; piece++) wgmma_wait<1>(d[piece]);
        if (t > 0) release_stage<T>(release, last);
        last = at->s;
        next_stage<T>(at);
    }
#pragma unroll
    for (int piece = 0; piece < T::PIECES; piece++) wgmma_wait<0>(d[piece]);
    release_stage<T>(release, last);
}

/* A warpgroup: every tile, or every second one. */
template <int TYPE, int LAYOUT, class T>
static __device__ __forceinline__ void consume(const CUtensorMap *c_map, const hopper_problem &p,
                                               const persistent_block &block, int consumer) {
    typedef typename hopper_sum<TYPE>::type sum_type;
    const int warp = __shfl_sync(~0u, threadIdx.x / 32 - 4, 0), thread = threadIdx.x % 128;
    const uint32_t buffers = block.staging + warp * (T::BUFFERS * T::SLAB);
    const uint32_t release = T::CLUSTER > 1 && thread < T::CLUSTER ? cluster_map(block.empty, thread) : block.empty;
    const int own = T::PING_PONG ? 2 : 1;
    int place = 0, tile = block.first;
    sum_type d[T::PIECES][T::BN / 2];
    ring_position at = {0, 0};
    if (T::PING_PONG && consumer == 1) { /* the first tile is the other's */
        tile += block.stride;
        skip_tile<T>(&at, block.steps);
    }
    for (; tile < block.tiles; tile += own * block.stride) {
        /* A parity only tells adjacent phases apart: no one may wait for one further ahead. So a consumer begins once
         * the other has seen all of the previous tile arrive. */
        if (T::PING_PONG && tile != block.first) named_barrier_wait(2 + consumer, 256);
        multiply_tile<TYPE, LAYOUT, T>(d, block, consumer, release, tile + block.stride < block.tiles, &at);
        if (T::PING_PONG) skip_tile<T>(&at, block.steps); /* the next tile is the other's */

        int row, col;
        tile_origin<T>(block, tile, &row, &col);
        row += (T::PING_PONG ? warp % 4 : warp) * 16;
#pragma unroll
        for (int piece = 0; piece < T::PIECES; piece++)
            epilogue<TYPE, T>(p, c_map, d[piece], row + 64 * piece, col, buffers, &place,
                              block.full + T::OLD + 8 * warp, piece);
    }
    if (threadIdx.x % 32 == 0) tma_store_wait_read<0>();
    __syncwarp();
}

/* ---- the kernel ---- */

/* One thread: barriers before their first use, and the maps, which are fetched meanwhile. */
template <class T>
static __device__ __forceinline__ void init_barriers(const CUtensorMap *a_map, const CUtensorMap *b_map,
                                                     const CUtensorMap *c_map, const persistent_block &block) {
    tma_prefetch(a_map);
    tma_prefetch(b_map);
    tma_prefetch(c_map);
    for (int s = 0; s < T::STAGES; s++) {
        mbarrier_init(block.full + 8 * s, 1);
        mbarrier_init(block.empty + 8 * s, (T::PING_PONG ? 1 : T::CONSUMERS) * T::CLUSTER);
    }
    for (int w = 0; w < T::WARPS; w++) mbarrier_init(block.full + T::OLD + 8 * w, 1);
    fence_mbarrier_init();
}

template <int TYPE, int LAYOUT, class T>
__global__ void __launch_bounds__(T::THREADS, 1)
    gemm_persistent(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
                    const __grid_constant__ CUtensorMap c_map, const hopper_problem p, const int band) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(1024) unsigned char shared[];
    const persistent_block block = persistent_begin<TYPE, T>(p, band, shared);
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0); /* so that the compiler sees it is the same for all
                                                                   * lanes */
    if (threadIdx.x == 0) init_barriers<T>(&a_map, &b_map, &c_map, block);
    __syncwarp();
    /* No one uses a barrier before it is initialised; in a cluster that includes those of the other blocks. */
    const int READY = 32 + 128 * T::CONSUMERS; /* the threads that meet: warp 0 and the consumers */
    if (T::CLUSTER > 1)
        cluster_arrive_relaxed();
    else if (threadIdx.x < 32)
        named_barrier_arrive(1, READY);
    /* But the first stages depend on no one else: they are requested before anyone waits. */
    const int alone = min(block.steps, T::ALONE);
    if (threadIdx.x == 0) load_first<TYPE, LAYOUT, T>(&a_map, &b_map, block, alone);
    __syncwarp();
    if (T::CLUSTER > 1)
        cluster_wait();
    else if (warpgroup > 0)
        named_barrier_wait(1, READY);

    if (warpgroup == 0) {
        if (T::CONSUMERS > 1) setmaxnreg_dec<T::PRODUCER_REGISTERS>();
        if (threadIdx.x == 0) produce<TYPE, LAYOUT, T>(&a_map, &b_map, block, alone);
        __syncwarp();
    } else {
        if (T::CONSUMERS > 1) setmaxnreg_inc<T::CONSUMER_REGISTERS>();
        consume<TYPE, LAYOUT, T>(&c_map, p, block, warpgroup - 1);
    }
    /* No block may exit while another may still send it a tile or an arrival. */
    if (T::CLUSTER > 1) cluster_sync();
#else
    __trap();
#endif
}

/* ---- instantiations ---- */

typedef void persistent_kernel(const CUtensorMap, const CUtensorMap, const CUtensorMap, const hopper_problem,
                               const int);

/* A kernel and its configuration, for the host. */
typedef struct {
    persistent_kernel *kernel;
    int bm, bn, cluster, threads, bytes; /* as in persistent_tile */
    bool ping_pong;
    int device, clusters; /* clusters of it that this device runs at the same time; -1: not queried yet */
} persistent_choice;

enum { PERSISTENT_CHOICES = 5 };

template <int TYPE, int LAYOUT, class T> static persistent_choice persistent_of(void) {
    return {gemm_persistent<TYPE, LAYOUT, T>, T::BM, T::BN, T::CLUSTER, T::THREADS, T::BYTES, T::PING_PONG, -1, 0};
}

/* The configurations.                 BM   BN stages ping-pong cluster buffers */
typedef persistent_tile<128, 192, 5, 1, 1, 1> wide;
typedef persistent_tile<128, 192, 5, 1, 2, 1> wide_pair;
typedef persistent_tile<128, 128, 5, 1, 1, 4> square;
typedef persistent_tile<128, 128, 6, 1, 1, 2> square_deep; /* s8: faster by one fourteenth at 2048^3; the other types
                                                            * are slower */
typedef persistent_tile<64, 128, 8, 0, 1, 1> flat;
typedef persistent_tile<64, 128, 7, 0, 2, 2> flat_pair;

/* Those for a type and a layout, PERSISTENT_CHOICES of them. */
template <int TYPE, int LAYOUT> static persistent_choice *persistent_choices(void) {
    typedef std::conditional_t<TYPE == GEMM_S8, square_deep, square> square_tile;
    static persistent_choice all[] = {
        persistent_of<TYPE, LAYOUT, wide>(),        persistent_of<TYPE, LAYOUT, wide_pair>(),
        persistent_of<TYPE, LAYOUT, square_tile>(), persistent_of<TYPE, LAYOUT, flat>(),
        persistent_of<TYPE, LAYOUT, flat_pair>(),
    };
    static_assert(sizeof all / sizeof *all == PERSISTENT_CHOICES, "the launcher goes through as many");
    return all;
}

/* For the launcher in persistent.cu: each type is in its own file, so that they compile in parallel. */
persistent_choice *persistent_bf16(gemm_layout layout);
persistent_choice *persistent_s8(void);   /* tn */
persistent_choice *persistent_tf32(void); /* tn */

#endif
