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
 * The tile scheduler rasterizes C (or its transpose, where tiles are swapped) in bands of neighbouring rows, column by
 * column (threadblock swizzle), so that what runs at the same time is a compact rectangle of C and L2 holds what it
 * reads. Where such tiles are too few for the GPU, or cover it badly, they are exact: of 64, 128 or 192 rows, a
 * consumer for each 64, and of as many columns as suit C or, swapped, its rows. Or they are split along K: the tiles of
 * the last wave, which is not full, are parts of tiles (reduce_parts.cuh), so that every block has work.
 *
 *     block 0     │ tile 0   │ tile 4   │ tile 8, first half     4 blocks, 10 tiles: two waves of whole tiles,
 *     block 1     │ tile 1   │ tile 5   │ tile 8, second half    then half a wave
 *     block 2     │ tile 2   │ tile 6   │ tile 9, first half
 *     block 3     │ tile 3   │ tile 7   │ tile 9, second half
 *
 * Configurations with ANY_C take rows of C that do not begin or end on 16 bytes, which no bulk store can write; the
 * others only have what is fast. Launches overlap (ptx/griddepcontrol.cuh): a block starts as soon as
 * there is room for it, and its producer waits for the launch before. All others wait for what the producer brings.
 *
 * Rows of A or B whose pitch is not a multiple of 128 bytes cost L2 more: each 128 bytes of a tile lie in two of its
 * lines and, if the pitch is not a multiple of 32 bytes either, in five sectors instead of four. If L2 then takes
 * longer than the products, blocks form a cluster. Of two, one above the other, each loads half of the B that they
 * share and multicasts it to both; in one of 2 x 2 blocks each loads half of its A, too; in one of 2 x 4 a quarter of
 * its A. That costs time at the start, and gains nothing where L2 keeps up. The host says at the launch which shape it
 * is, so that all shapes are one kernel.
 */
#pragma once

#include "hopper.cuh"
#include "persistent_epilogue.cuh"
#include "plan.h"
#include "ptx/griddepcontrol.cuh"
#include "reduce_parts.cuh"

/* A configuration: the knobs, in one place. */
template <int BM_, int BN_, int STAGES_, int PING_PONG_, int BUFFERS_, int ANY_C_> struct persistent_tile {
    static const int BM = BM_, BN = BN_; /* the tile of a block */
    /* The consumers ping-pong, a whole tile each; or they share a tile, 64 rows each. */
    static const bool PING_PONG = PING_PONG_;
    static const int STAGES = STAGES_, MOST_STAGES = 16; /* of the ring: 128 bytes along K each */
    static const int BUFFERS = BUFFERS_; /* buffers per warp for results, which leave 128 bytes per row at a time */
    static const bool PARTS = true;      /* takes parts of tiles (step 9 has tiles that do not) */
    static const bool EXACT = false;     /* as exact_tile has it */
    static const bool ANY_C = ANY_C_;    /* takes C of any alignment; the others only rows of C that begin and end on
                                          * 16 bytes */
    static const int CONSUMERS = PING_PONG ? 2 : BM / 64, WARPS = 4 * CONSUMERS;
    static const int PIECES = PING_PONG ? BM / 64 : 1; /* 64-row parts of a tile that a consumer holds */
    static const int THREADS = 128 * (1 + CONSUMERS);
    static const int A_BYTES = BM * ROW_BYTES, B_BYTES = (BN + 63) / 64 * 64 * ROW_BYTES,
                     STAGE_BYTES = A_BYTES + B_BYTES;
    static const int SLAB = 16 * ROW_BYTES; /* 16 rows of a warp */
    static const int STORE_BYTES = WARPS * BUFFERS * SLAB;
    /* Barriers: `full` and `empty`, one per stage; from OLD on, one per consumer warp, for the old contents of C. */
    static const int OLD = 2 * 8 * MOST_STAGES, BARRIER_BYTES = 1024;
    static const int BYTES = BARRIER_BYTES + STAGES * STAGE_BYTES + STORE_BYTES;
    static_assert(BYTES <= 227 * 1024 && STAGES <= MOST_STAGES, "a block has 227 KB of shared memory");
    /* A block of three warpgroups starts with 168 registers per thread, of four with 128, and the total stays the
     * same. */
    static const int PRODUCER_REGISTERS = CONSUMERS == 3 ? 32 : 40, CONSUMER_REGISTERS = CONSUMERS == 3 ? 160 : 232;
};

/* How many columns it has, sixteens up to BN, the host chooses for each problem, so that tiles fit C and the GPU. The
 * fewer, the more stages find room. The consumers share it, 64 rows each. It may be swapped: then A and B have changed
 * places, and the tile's rows are columns of C, its columns are rows of C. In nn it always is. */
template <int BM, int BN, int STAGES, int BUFFERS> struct exact_tile : persistent_tile<BM, BN, STAGES, 0, BUFFERS, 0> {
    static const bool EXACT = true;
};

/* Which operand of wgmma is MN-major: in nn, the one that is the problem's B. */
template <int LAYOUT, class T> struct operands {
    static const bool MN_A = LAYOUT == GEMM_NN && T::EXACT, MN_B = LAYOUT == GEMM_NN && !T::EXACT;
};

/* ---- tile scheduler ---- */

/* What the host has decided: the shape of the clusters (cluster_shape of plan.h), as powers of two, so that no thread
 * waits for a division; which tiles are split along K, into how many parts. */
struct persistent_work {
    int log_down, log_across, row_bits; /* row_bits: of a block's rank, its row in its cluster */
    int first_row;                      /* the blocks of a cluster's first row, a bit each */
    int band;                           /* so many rows of cluster tiles make a band */
    int whole, parts; /* cluster tiles that one cluster computes alone; the parts of each of the others */
    void *sums;       /* their partial sums (reduce_parts.cuh) */
    int tiles_m, tiles_n, units, steps; /* cluster tiles; whole ones and parts; steps of a tile along K */
    int columns, swapped;               /* of an exact_tile */
};

/* The work of a plan with that tile, in bands of about so many rows of tiles. */
static inline persistent_work work_of(const hopper_plan *plan, const plan_tile *t, int band_rows) {
    const gemm_problem *p = &plan->p;
    const cluster_shape s = cluster_shapes[plan->shape];
    const int bm = s.down * t->bm, bn = s.across * plan->columns, bk = hopper_bk(p->type);
    const int m = plan->swapped ? p->n : p->m, n = plan->swapped ? p->m : p->n;
    const int tiles_m = (m + bm - 1) / bm, tiles_n = (n + bn - 1) / bn;
    const int units = plan->whole + (tiles_m * tiles_n - plan->whole) * plan->parts;
    return {s.down >> 1,
            s.across >> 1, /* of 1, 2 and 4 */
            s.down - 1,
            (255 / ((1 << s.down) - 1)) & ((1 << (s.down * s.across)) - 1), /* every bit, or every second */
            band_rows > bm ? band_rows / bm : 1,
            plan->whole,
            plan->parts,
            plan->sums,
            tiles_m,
            tiles_n,
            units,
            (p->k + bk - 1) / bk,
            plan->columns,
            plan->swapped};
}

/* A block's place in shared memory and its share of the tiles. Cluster tiles: those of the blocks of a cluster count
 * as one. */
struct persistent_block {
    uint32_t full, empty, ring, staging; /* barriers, one per stage; stages; buffers of the epilogue */
    int down, across, cluster;           /* blocks of a cluster, as in persistent_work; all of them */
    int row, col;                        /* of the block in its cluster, whose ranks count rows first */
    unsigned same_row, same_col;         /* bits of those in its row, which share its tile of A, and in its column */
    int part_a, part_b;                  /* rows of those tiles, or of their boxes, that each of them loads for all */
    int first, units, stride;            /* this cluster's are first, first + stride, ... below units */
    int steps;                           /* tiles along K */
    int columns;                         /* of a tile */
    int stages, b_bytes, stage_bytes;    /* of the ring; bytes of B in a stage, of A and B */
};

template <class T> static __device__ __forceinline__ int columns_of(const persistent_work &w) {
    return T::EXACT ? w.columns : T::BN;
}

/* A unit of work: a tile, or one of the parts along K of a tile. */
struct persistent_unit {
    int tile, part, first, steps; /* part: -1 of a whole tile; its steps along K */
};

/* The units in their order: the whole tiles, then the parts of the others. The parts of a tile are computed by
 * neighbouring clusters, at about the same time. */
template <class T>
static __device__ __forceinline__ persistent_unit unit_at(const persistent_block &b, const persistent_work &w, int u) {
    if (!T::PARTS || u < w.whole) return {u, -1, 0, b.steps};
    const int part = (u - w.whole) % w.parts, each = b.steps / w.parts, longer = b.steps % w.parts;
    return {w.whole + (u - w.whole) / w.parts, part, part * each + min(part, longer), each + (part < longer)};
}

/* The number of its steps along K. */
template <class T>
static __device__ __forceinline__ int unit_steps(const persistent_block &b, const persistent_work &w, int u) {
    return unit_at<T>(b, w, u).steps;
}

template <int TYPE, int LAYOUT, class T>
static __device__ __forceinline__ persistent_block persistent_begin(const persistent_work &w, unsigned char *shared) {
    typedef operands<LAYOUT, T> O;
    persistent_block b;
    b.columns = columns_of<T>(w), b.stages = T::STAGES;
    b.b_bytes = (O::MN_B ? (b.columns + 63) / 64 * 64 : b.columns) * ROW_BYTES;
    b.stage_bytes = T::A_BYTES + (T::EXACT ? b.b_bytes : T::B_BYTES);
    if constexpr (T::EXACT) b.stages = min(T::MOST_STAGES, T::STAGES * T::STAGE_BYTES / b.stage_bytes);
    b.full = shared_address(shared), b.empty = b.full + 8 * T::MOST_STAGES;
    b.ring = b.full + T::BARRIER_BYTES, b.staging = b.ring + T::STAGES * T::STAGE_BYTES;
    const int log_size = w.log_down + w.log_across, rank = (int)cluster_rank();
    b.down = 1 << w.log_down, b.across = 1 << w.log_across, b.cluster = 1 << log_size;
    b.row = rank & w.row_bits, b.col = rank >> w.log_down;
    b.units = w.units, b.steps = w.steps;
    b.same_row = (unsigned)w.first_row << b.row, b.same_col = ((1u << b.down) - 1) << b.col * b.down;
    b.part_a = (O::MN_A ? hopper_bk(TYPE) : T::BM) >> w.log_across;
    b.part_b = (O::MN_B ? hopper_bk(TYPE) : b.columns) >> w.log_down;
    b.first = blockIdx.x >> log_size, b.stride = gridDim.x >> log_size;
    return b;
}

/* The first row and column of this block's part of a cluster tile. Tiles go in bands, column by column. COLUMN: all
 * clusters are blocks one above the other. */
template <class T, bool COLUMN = false>
static __device__ __forceinline__ void tile_origin(const persistent_work &w, int tile, int *row, int *col) {
    const int first = tile / (w.band * w.tiles_n) * w.band, inside = tile % (w.band * w.tiles_n);
    const int rows = min(w.band, w.tiles_m - first), rank = (int)cluster_rank();
    *row = (((first + inside % rows) << w.log_down) + (COLUMN ? rank : rank & w.row_bits)) * T::BM;
    *col = (COLUMN ? inside / rows : (inside / rows << w.log_across) + (rank >> w.log_down)) * columns_of<T>(w);
}

/* ---- the ring of stages ---- */

/* The next stage, and the parity of its barriers' current phase. */
struct ring_position {
    int s;
    unsigned phase;
};

static __device__ __forceinline__ void next_stage(const persistent_block &b, ring_position *at) {
    if (++at->s == b.stages) at->s = 0, at->phase ^= 1;
}

/* Skips the stages of the other consumer's tile. */
static __device__ __forceinline__ void skip_tile(const persistent_block &b, ring_position *at, int steps) {
    at->phase ^= (at->s + steps) / b.stages & 1;
    at->s = (at->s + steps) % b.stages;
}

/* The peers of a block: those that share its tile of B or of A, and itself. */
static __device__ __forceinline__ int peers_of(const persistent_block &b) {
    return b.down + b.across - 1;
}

/* Where peer i, if there is one, has the barrier `empty` of its stage 0; else 0. */
static __device__ __forceinline__ uint32_t peer_empty(const persistent_block &b, int i) {
    if (i >= peers_of(b)) return 0;
    const int rank = i < b.down ? b.col * b.down + i : ((b.col + i - b.down + 1) & (b.across - 1)) * b.down + b.row;
    return cluster_map(b.empty, (unsigned)rank);
}

/* Tells the producers that stage s is free: thread i of a warpgroup tells peer i, which sends a part of A or B here, at
 * `empty`, as peer_empty says. */
static __device__ __forceinline__ void release_stage(uint32_t empty, int s) {
    if (empty != 0) mbarrier_arrive_remote(empty + 8 * s);
}

/* ---- producer: from memory to the ring ---- */

/* One operand of a step, from k and its row or column `first` on, to shared memory. MN: in boxes of 128 bytes of these,
 * each BK rows of k; else one box along K. `sharing` blocks need each box; this one loads its rows from `part` on for
 * all of them, the blocks in `mask`. */
template <int TYPE, bool MN, int BOXES>
static __device__ __forceinline__ void load_operand(const CUtensorMap *map, uint32_t to, int k, int first, int sharing,
                                                    int part, unsigned mask, uint32_t barrier) {
#pragma unroll
    for (int box = 0; box < BOXES; box++) {
        const int x = MN ? first + ROW_BYTES / (TYPE == GEMM_TF32 ? 4 : 2) * box : k, y = (MN ? k : first) + part;
        const uint32_t at = to + (hopper_bk(TYPE) * box + part) * ROW_BYTES;
        if (sharing == 1)
            tma_load(at, map, x, y, barrier);
        else
            tma_load_multicast(at, map, x, y, barrier, mask);
    }
}

/* Loads one step of a tile into stage s, once it is empty: this block's rows of A from `row` on, and the columns of B
 * from `col` on; one part of them for all blocks that share them, of which the others load the rest. */
template <int TYPE, int LAYOUT, class T>
static __device__ __forceinline__ void load_stage(const CUtensorMap *a_map, const CUtensorMap *b_map,
                                                  const persistent_block &block, int s, int t, int row, int col) {
    typedef operands<LAYOUT, T> O;
    const int ACROSS = ROW_BYTES / (TYPE == GEMM_TF32 ? 4 : 2); /* of an MN-major box */
    const int BOXES_A = O::MN_A ? T::BM / ACROSS : 1, BOXES_B = O::MN_B ? (T::BN + 63) / 64 : 1;
    const uint32_t a = block.ring + s * block.stage_bytes, barrier = block.full + 8 * s;
    const int k = t * hopper_bk(TYPE);
    mbarrier_arrive_expect_tx(barrier, T::A_BYTES + block.b_bytes);
    load_operand<TYPE, O::MN_A, BOXES_A>(a_map, a, k, row, block.across, block.part_a * block.col, block.same_row,
                                         barrier);
    load_operand<TYPE, O::MN_B, BOXES_B>(b_map, a + T::A_BYTES, k, col, block.down, block.part_b * block.row,
                                         block.same_col, barrier);
}

/* One thread: all steps of all units, of which the first tile begins at `row` and `col`. It reads nothing until the
 * previous launch, which may have written it, ends. */
template <int TYPE, int LAYOUT, class T>
static __device__ __forceinline__ void produce(const CUtensorMap *a_map, const CUtensorMap *b_map,
                                               const persistent_block &block, const persistent_work &work, int row,
                                               int col) {
    ring_position at = {0, 0};
    griddepcontrol_wait();
    for (int u = block.first; u < block.units; u += block.stride) {
        const persistent_unit unit = unit_at<T>(block, work, u);
        if (u != block.first) tile_origin<T>(work, unit.tile, &row, &col);
#pragma unroll 1 /* a launch's first steps run as fast as instructions come from memory */
        for (int t = 0; t < unit.steps; t++) {
            mbarrier_wait(block.empty + 8 * at.s, at.phase ^ 1);
            load_stage<TYPE, LAYOUT, T>(a_map, b_map, block, at.s, unit.first + t, row, col);
            next_stage(block, &at);
        }
    }
    /* No block may exit while another may still send it a tile or an arrival. Once all stages are empty, none will. */
#pragma unroll 1
    for (int i = block.cluster > 1 ? block.stages : 0; i > 0; i--) {
        mbarrier_wait(block.empty + 8 * at.s, at.phase ^ 1);
        next_stage(block, &at);
    }
}

/* ---- consumers: from the ring to registers ---- */

/* wgmma does not take words of k x n from shared memory, so they come to it through registers. The 64 rows of a
 * consumer are columns of B and lie in two boxes of 32. For 8 of K a lane needs four words. Of two k that are 4 apart,
 * the lanes with the odd chunks of four columns read the other one first, so that a warp's words lie in 32 banks. */
struct words_place {
    uint32_t first, second; /* bytes from the consumer's first box: of k = l % 4 or 4 more, and of the other */
    bool odd;
};

static __device__ __forceinline__ words_place words_of(void) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, row = lane / 4;
    const int k = lane % 4 + row / 4 * 4, chunk = warp % 2 * 4 + row / 4;
    const uint32_t box = warp / 2 * 32 * ROW_BYTES + row % 4 * 4;
    return {box + k * ROW_BYTES + (chunk ^ k) * 16, box + (k ^ 4) * ROW_BYTES + (chunk ^ k ^ 4) * 16, row >= 4};
}

static __device__ __forceinline__ void load_words(uint32_t (&a)[4], uint32_t at, const words_place &place) {
#pragma unroll
    for (int i = 0; i < 2; i++) { /* eight rows below is two chunks further */
        const uint32_t x = shared_at<uint32_t>((at + place.first) ^ 32 * i);
        const uint32_t y = shared_at<uint32_t>((at + place.second) ^ 32 * i);
        a[i] = place.odd ? y : x, a[2 + i] = place.odd ? x : y;
    }
}

/* multiply_tile for these. While one consumer reads its words, the others multiply, so a step takes longer where there
 * is one alone; with two or three it need not. */
template <class T, int COUNT>
static __device__ __forceinline__ void multiply_words(float (&d)[COUNT], const persistent_block &block, int steps,
                                                      int consumer, uint32_t release, ring_position *at) {
    const words_place place = words_of();
#pragma unroll
    for (int i = 0; i < COUNT; i++) d[i] = 0;
#pragma unroll 1
    for (int t = 0; t < steps; t++) {
        const uint32_t stage = block.ring + at->s * block.stage_bytes, words = stage + consumer * 64 * ROW_BYTES;
        const uint64_t b = hopper_tile<false>(stage + T::A_BYTES);
        uint32_t a[K_STEPS][4];
        mbarrier_wait(block.full + 8 * at->s, at->phase);
#pragma unroll
        for (int i = 0; i < K_STEPS; i++) load_words(a[i], words + i * 8 * ROW_BYTES, place);
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < K_STEPS; i++) wgmma_words(d, a[i], b + i * hopper_step<false>(), i > 0 || t > 0);
        wgmma_commit();
        named_barrier_wait(8 + consumer, 128); /* all of its threads have read their words */
        wgmma_wait<0>(d);
        release_stage(release, at->s);
        next_stage(block, at);
    }
}

/* The sums of a unit of `steps` steps. `release`: as release_stage takes it. `more`: another unit comes after this one,
 * and the other consumer may begin with it as soon as all of this one has arrived. `copied`: threads, not TMA,
 * have written A (step 9). */
template <int TYPE, int LAYOUT, class T, class SUM, int COUNT>
static __device__ __forceinline__ void multiply_tile(SUM (&d)[T::PIECES][COUNT], const persistent_block &block,
                                                     int steps, int consumer, uint32_t release, bool more,
                                                     ring_position *at, bool copied = false) {
    typedef operands<LAYOUT, T> O;
    int last = 0;
    /* The first wgmma adds nothing to these, but the compiler does not know: it would keep the old ones meanwhile. */
#pragma unroll
    for (int i = 0; i < T::PIECES * COUNT; i++) d[i / COUNT][i % COUNT] = 0;
#pragma unroll 1
    for (int t = 0; t < steps; t++) {
        const uint32_t stage = block.ring + at->s * block.stage_bytes;
        const uint64_t a = hopper_tile<O::MN_A>(stage + (T::PING_PONG ? 0 : consumer * 64 * ROW_BYTES));
        const uint64_t b = hopper_tile<O::MN_B>(stage + T::A_BYTES);
        mbarrier_wait(block.full + 8 * at->s, at->phase);
        if (T::PING_PONG && t == steps - 1 && more) named_barrier_arrive(2 + (consumer ^ 1), 256);
        if (copied) fence_proxy_async();
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < K_STEPS; i++)
#pragma unroll
            for (int piece = 0; piece < T::PIECES; piece++)
                hopper_multiply<TYPE, O::MN_A, O::MN_B>(
                    d[piece], a + i * hopper_step<O::MN_A>() + wgmma_advance(64 * ROW_BYTES * piece),
                    b + i * hopper_step<O::MN_B>(), i > 0 || t > 0);
        wgmma_commit();
        /* By now the previous stage has been multiplied, this one perhaps not yet. */
#pragma unroll
        for (int piece = 0; piece < T::PIECES; piece++) wgmma_wait<1>(d[piece]);
        if (t > 0) release_stage(release, last);
        last = at->s;
        next_stage(block, at);
    }
#pragma unroll
    for (int piece = 0; piece < T::PIECES; piece++) wgmma_wait<0>(d[piece]);
    release_stage(release, last);
}

template <int TYPE, int LAYOUT, class T, class SUM, int COUNT>
static __device__ __forceinline__ void multiply_sixteens(SUM (&d)[1][COUNT], const persistent_block &block, int steps,
                                                         int consumer, uint32_t release, ring_position *at,
                                                         bool copied) {
    if constexpr (TYPE == GEMM_TF32 && LAYOUT == GEMM_NN)
        multiply_words<T>(d[0], block, steps, consumer, release, at);
    else
        multiply_tile<TYPE, LAYOUT, T>(d, block, steps, consumer, release, false, at, copied);
}

/* The same for an exact tile: a loop for each number of columns, since wgmma has it in its name. */
template <int TYPE, int LAYOUT, class T, class SUM>
static __device__ __forceinline__ void multiply_exact(SUM (&d)[1][T::BN / 2], const persistent_block &block, int steps,
                                                      int consumer, uint32_t release, ring_position *at,
                                                      bool copied = false) {
/* clang-format off */
#define SIXTEENS(i)                                                                                                    \
    case i:                                                                                                            \
        if constexpr (16 * i <= T::BN)                                                                                 \
            multiply_sixteens<TYPE, LAYOUT, T>((SUM(&)[1][8 * i])d, block, steps, consumer, release, at, copied);      \
        break;
    switch (block.columns / 16) {
        SIXTEENS(1) SIXTEENS(2) SIXTEENS(3) SIXTEENS(4) SIXTEENS(5) SIXTEENS(6) SIXTEENS(7) SIXTEENS(8)
        SIXTEENS(9) SIXTEENS(10) SIXTEENS(11) SIXTEENS(12) SIXTEENS(13) SIXTEENS(14) SIXTEENS(15) SIXTEENS(16)
    }
/* clang-format on */
#undef SIXTEENS
}

/* A part of a tile: leaves its sums in the workspace, waits until all parts have, and stores its share of the tile. */
template <int TYPE, class T, class SUM>
static __device__ __forceinline__ void store_part(const hopper_problem &p, const persistent_block &block,
                                                  const persistent_work &work, const persistent_unit &unit,
                                                  const SUM (&d)[T::PIECES][T::BN / 2], int consumer, int row0,
                                                  int col0, bool swapped) {
    typedef typename hopper_small<TYPE>::type small;             /* the other type that C may have */
    const int THREADS = T::PING_PONG ? 128 : 128 * T::CONSUMERS; /* that share the tile */
    const int TOGETHER = T::CONSUMERS == 3 ? 2 : 4;              /* as the registers allow */
    const int thread = threadIdx.x - 128 - (T::PING_PONG ? 128 * consumer : 0), lane = thread % 32;
    const int divided = ((unit.tile - work.whole) << (work.log_down + work.log_across)) + (int)cluster_rank();
    const int columns = columns_of<T>(work);
    SUM *sums = parts_of<SUM>(work.sums, divided, work.parts, T::BM, columns);
    SUM *part = sums + unit.part * (T::BM * columns);
#pragma unroll
    for (int piece = 0; piece < T::PIECES; piece++) {
        const int row = 64 * piece + thread / 32 * 16;
        if (row0 + row >= (swapped ? p.n : p.m)) continue;
#pragma unroll
        for (int j = 0; j < T::BN / 8; j++)
            if (j * 8 < columns) leave_fragment(part, columns, row, j * 8, lane, &d[piece][4 * j]);
    }
    meet(&parts_met[divided], work.parts, thread, THREADS, T::PING_PONG ? 4 + consumer : 4);
    if (p.out == hopper_long(TYPE))
        add_parts<SUM, TOGETHER>(p, T::BM, columns, row0, col0, sums, unit.part, work.parts, thread, THREADS, swapped);
    else
        add_parts<small, TOGETHER>(p, T::BM, columns, row0, col0, sums, unit.part, work.parts, thread, THREADS,
                                   swapped);
}

/* A warpgroup: every unit, or every second one. */
template <int TYPE, int LAYOUT, class T>
static __device__ __forceinline__ void consume(const slab_maps &maps, const hopper_problem &p,
                                               const persistent_block &block, const persistent_work &work,
                                               int consumer) {
    typedef typename hopper_sum<TYPE>::type sum_type;
    const int warp = __shfl_sync(~0u, threadIdx.x / 32 - 4, 0), thread = threadIdx.x % 128;
    const uint32_t buffers = block.staging + warp * (T::BUFFERS * T::SLAB);
    const uint32_t release = peer_empty(block, thread);
    const int own = T::PING_PONG ? 2 : 1;
    const bool swapped = T::EXACT && (LAYOUT == GEMM_NN || work.swapped);
    unsigned place = 0; /* slabs stored so far */
    int u = block.first;
    sum_type d[T::PIECES][T::BN / 2];
    ring_position at = {0, 0};
    if (T::PING_PONG && consumer == 1) { /* the first unit is the other's */
        skip_tile(block, &at, unit_steps<T>(block, work, u));
        u += block.stride;
    }
    for (; u < block.units; u += own * block.stride) {
        /* A parity only tells adjacent phases apart: no one may wait for one further ahead. So a consumer begins once
         * the other has seen all of the previous unit arrive. */
        if (T::PING_PONG && u != block.first) named_barrier_wait(2 + consumer, 256);
        const persistent_unit unit = unit_at<T>(block, work, u);
        int row, col; /* found now, while there is nothing to multiply yet */
        tile_origin<T>(work, unit.tile, &row, &col);
        if constexpr (T::EXACT)
            multiply_exact<TYPE, LAYOUT, T>(d, block, unit.steps, consumer, release, &at);
        else
            multiply_tile<TYPE, LAYOUT, T>(d, block, unit.steps, consumer, release, u + block.stride < block.units,
                                           &at);
        if (T::PING_PONG)
            skip_tile(block, &at, unit_steps<T>(block, work, u + block.stride)); /* the next one is the other's */
        if (unit.part >= 0) {
            store_part<TYPE, T>(p, block, work, unit, d, consumer, row, col, swapped);
            continue;
        }
        if (swapped) {
            if constexpr (T::EXACT)
                epilogue_swapped<TYPE, T>(p, maps, d[0], col, row + 64 * consumer,
                                          block.staging + consumer * (4 * T::BUFFERS * T::SLAB), &place,
                                          block.full + T::OLD + 8 * 4 * consumer, 5 + consumer);
            continue;
        }
        row += (T::PING_PONG ? warp % 4 : warp) * 16;
#pragma unroll
        for (int piece = 0; piece < T::PIECES; piece++)
            if constexpr (T::ANY_C)
                epilogue_any<TYPE, T>(p, d[piece], row + 64 * piece, col, buffers);
            else
                epilogue<TYPE, T>(p, maps, d[piece], row + 64 * piece, col, buffers, &place,
                                  block.full + T::OLD + 8 * warp, piece);
    }
    if (threadIdx.x % 32 == 0) tma_store_wait_read<0>();
    __syncwarp();
}

/* ---- the kernel ---- */

/* One thread: barriers before their first use, and C's map, which is fetched meanwhile. */
template <class T>
static __device__ __forceinline__ void init_barriers(const CUtensorMap *c_map, const persistent_block &block) {
    tma_prefetch(c_map);
    for (int s = 0; s < (T::EXACT ? T::MOST_STAGES : T::STAGES); s++) {
        mbarrier_init(block.full + 8 * s, 1);
        mbarrier_init(block.empty + 8 * s, (T::PING_PONG ? 1 : T::CONSUMERS) * peers_of(block));
    }
    for (int w = 0; w < T::WARPS; w++) mbarrier_init(block.full + T::OLD + 8 * w, 1);
    fence_mbarrier_init();
}

/* No one uses a barrier before it is initialised; in a cluster that includes those of the other blocks. */
static __device__ __forceinline__ void meet_block(const persistent_block &block) {
    if (block.cluster > 1)
        cluster_arrive_relaxed(), cluster_wait();
    else
        __syncthreads();
}

template <int TYPE, int LAYOUT, class T>
__global__ void __launch_bounds__(T::THREADS, 1)
    gemm_persistent(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
                    const __grid_constant__ CUtensorMap c_map, const __grid_constant__ CUtensorMap last_map,
                    const hopper_problem p, const persistent_work work) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(1024) unsigned char shared[];
    if (threadIdx.x == 0) tma_prefetch(&a_map), tma_prefetch(&b_map); /* first, since this takes longest */
    const persistent_block block = persistent_begin<TYPE, LAYOUT, T>(work, shared);
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0); /* so that the compiler sees it is the same for all
                                                                   * lanes */
    griddepcontrol_launch_dependents(); /* the next launch may begin, as far as there is room; it waits, as this does */
    int row = 0, col = 0;
    if (warpgroup == 0) { /* its first tile is found meanwhile */
        tile_origin<T>(work, unit_at<T>(block, work, block.first).tile, &row, &col);
        row = __shfl_sync(~0u, row, 0), col = __shfl_sync(~0u, col, 0); /* else it would be found after the barrier */
    } else if (threadIdx.x == 128) {
        init_barriers<T>(&c_map, block);
    }
    __syncwarp();
    meet_block(block);
    if (warpgroup == 0) {
        /* Its registers go before it loads: the consumers wait for them. */
        if (T::CONSUMERS > 1) setmaxnreg_dec<T::PRODUCER_REGISTERS>();
        if (threadIdx.x < 32 && elect_one()) produce<TYPE, LAYOUT, T>(&a_map, &b_map, block, work, row, col);
        __syncwarp();
    } else {
        if (T::CONSUMERS > 1) setmaxnreg_inc<T::CONSUMER_REGISTERS>();
        consume<TYPE, LAYOUT, T>({&c_map, &last_map, block.columns}, p, block, work, warpgroup - 1);
    }
#else
    __trap();
#endif
}
