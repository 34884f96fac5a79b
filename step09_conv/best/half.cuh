/* Convolution on Hopper's tensor cores: step 6's persistent kernel (step06_tensorcore/best/persistent.cuh, read that
 * first) with other producers and a bias. Its matrices are
 *
 *      y, places x filters    =    windows of x, places x (r*s*c)    times    filters, k x (r*s*c)
 *      64 to 192 x 16 to 256       64 to 192 places x 64 weights of a stage   64 weights x 16 to 256
 *
 * TMA brings the filters. Windows come in one of four ways:
 *
 *   windows   by TMA: a stage is of 64 channels of one tap, and one instruction in im2col mode brings
 *             it (`hopper`); what is beyond the last channel are zeros
 *   tiles     by TMA, too: one tap, and no pixel left out, so that x itself is the matrix
 *   halos     by TMA, too: the pixels that all taps of patches of 8 x 8 places need, once, for tiles
 *             of their own (half_halo.cuh)
 *   pieces    all others: the four warps of the producer copy them by cp.async (half_rows.cuh), 16 bytes or 8 from
 *             wherever they lie
 *
 * Of its pieces each thread leaves an arrival at the stage's barrier, which takes place when they have been copied: it
 * never waits for them. Such copies write as threads do, while wgmma reads through another path, the asynchronous
 * proxy. So a consumer that has seen the barrier needs a fence between the two; the wgmmas of the stage before are busy
 * meanwhile.
 *
 *    stage s       128 arrivals of copied pieces, the bytes of the filters    ->  wait, fence, wgmma ...
 *
 * The rest is step 6's: the ring, ping-pong consumers, exact tiles, bulk stores, parts along the sums where places are
 * few. */
#pragma once

#include "../../step06_tensorcore/best/persistent.cuh"
#include "half_halo.cuh"
#include "half_rows.cuh"

/* Registers of a thread, of which three warpgroups have 168 each to share, and four 128: a producer remembers its rows,
 * if the sums leave it the room. */
template <class T> struct half_registers {
    static const bool ROWS = T::PIECES * T::BN < 2 * 192 && T::CONSUMERS < 3;
    static const int COPY = ROWS ? 72 : 40, MULTIPLY = ROWS ? 216 : T::CONSUMERS == 3 ? 152 : 232;
};

template <class T> constexpr int half_bytes() {
    return T::BYTES + (T::COPIES ? T::BM * (int)sizeof(half_row) : 0);
}

/* ---- producers ---- */

/* All threads: pieces; the first one also the filters. */
template <int PIECE, class T>
static __device__ __forceinline__ void copy_pieces(const CUtensorMap *f_map, const hopper_problem &p,
                                                   const half_view &v, const persistent_block &block,
                                                   const persistent_work &work, half_row *rows) {
    typedef half_share<PIECE, T::BM> S;
    const bool KEPT = PIECE == 16 && half_registers<T>::ROWS; /* of pieces of 8 bytes a thread has too many rows */
    const half_weight first = weight_at(v, threadIdx.x % S::LANES * (PIECE / 2));
    ring_position at = {0, 0};
    for (int u = block.first; u < block.units; u += block.stride) {
        const persistent_unit unit = unit_at<T>(block, work, u);
        int place0, k0;
        tile_origin<T, true>(work, unit.tile, &place0, &k0);
        find_rows<PIECE, T::BM>(v, p.m, place0, rows);
        half_row own[S::COUNT];
#pragma unroll
        for (int i = 0; i < S::COUNT; i++)
            if (KEPT) own[i] = rows[piece_row<PIECE>() + i * S::DOWN];
        half_weight weight = first;
        if (unit.first > 0) weight = weight_at(v, unit.first * 64 + threadIdx.x % S::LANES * (PIECE / 2));
        for (int t = unit.first; t < unit.first + unit.steps; t++) {
            const uint32_t stage = block.ring + at.s * block.stage_bytes, barrier = block.full + 8 * at.s;
            mbarrier_wait(block.empty + 8 * at.s, at.phase ^ 1);
            if (threadIdx.x == 0) {
                mbarrier_arrive_expect_tx(barrier, block.b_bytes);
                tma_load(stage + T::A_BYTES, f_map, t * 64, k0, barrier);
            }
            if constexpr (KEPT)
                copy_rows<PIECE, T::BM, 1>(v, own, weight, stage + piece_offset<PIECE>());
            else
                copy_rows<PIECE, T::BM, S::DOWN>(v, rows + piece_row<PIECE>(), weight, stage + piece_offset<PIECE>());
            mbarrier_arrive_copied(barrier);
            next_weight(v, &weight);
            next_stage(block, &at);
        }
    }
}

/* One thread: windows and filters, 64 channels of a tap at a time. Blocks of a cluster share the filters, of which each
 * brings a part to all. */
template <class T>
static __device__ __forceinline__ void load_windows(const CUtensorMap *x_map, const CUtensorMap *f_map,
                                                    const half_view &v, const persistent_block &block,
                                                    const persistent_work &work) {
    const int slices = (v.c + 63) / 64;
    ring_position at = {0, 0};
    for (int u = block.first; u < block.units; u += block.stride) {
        const persistent_unit unit = unit_at<T>(block, work, u);
        int place0, k0;
        tile_origin<T, true>(work, unit.tile, &place0, &k0);
        const half_corner corner = corner_of(v, place0);
        int tap = unit.first / slices, c = unit.first % slices * 64, r = tap / v.s, s = tap % v.s;
#pragma unroll 1 /* as in produce */
        for (int t = unit.first; t < unit.first + unit.steps; t++) {
            const uint32_t stage = block.ring + at.s * block.stage_bytes, barrier = block.full + 8 * at.s;
            mbarrier_wait(block.empty + 8 * at.s, at.phase ^ 1);
            mbarrier_arrive_expect_tx(barrier, block.stage_bytes);
            tma_load_im2col(stage, x_map, c, corner.j, corner.i, corner.image, s * v.dilation[1], r * v.dilation[0],
                            barrier);
            const uint32_t filters = stage + T::A_BYTES + block.row * block.part_b * ROW_BYTES;
            if (block.down == 1)
                tma_load_3d(filters, f_map, c, tap, k0, barrier);
            else
                tma_load_multicast_3d(filters, f_map, c, tap, k0 + block.row * block.part_b, barrier, block.same_col);
            if ((c += 64) >= v.c) c = 0, tap++, s++;
            if (s == v.s) s = 0, r++;
            next_stage(block, &at);
        }
    }
}

/* ---- consumers ---- */

/* alpha, and the bias for one of the parts: the epilogue that follows has only beta. */
template <typename SMALL, int COUNT>
static __device__ __forceinline__ void scale(const half_view &v, float (&d)[COUNT], int k0, int n, bool bias) {
    if (v.alpha == 1.0f && !bias) return;
    const int k = k0 + threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const int at = k + i / 4 * 8 + i % 2;
        d[i] = v.alpha * d[i] + (bias && at < n ? (float)((const SMALL *)v.bias)[at] : 0.0f);
    }
}

/* A warp's 16 places of COUNT / 2 filters, of which y has planes: eight lanes write neighbours. */
template <typename SMALL, int COUNT>
static __device__ __forceinline__ void store_planes(const hopper_problem &p, const half_view &v,
                                                    const float (&d)[COUNT], int place0, int k0) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int place = place0 + lane / 4 + 8 * i, k = k0 + lane % 4 * 2;
        if (place >= p.m) continue;
        SMALL *y = half_at((SMALL *)p.C, v, p.n, place, k);
#pragma unroll
        for (int j = 0; j < COUNT / 2; j++, y += (j % 2 ? 1 : 7) * (int64_t)v.in_plane)
            if (k + j / 2 * 8 + j % 2 < p.n)
                *y = blend(p, d[j / 2 * 4 + 2 * i + j % 2], p.beta == 0.0f ? SMALL(0) : *y);
    }
}

/* add_parts for planes: places are neighbours. */
template <class T, typename SMALL>
static __device__ __forceinline__ void add_planes(const hopper_problem &p, const half_view &v, int place0, int k0,
                                                  const float *sums, int part, int parts, int thread, int threads) {
    const int rows = min(T::BM, p.m - place0), all = rows * min(T::BN, p.n - k0);
    for (int e = all * part / parts + thread; e < all * (part + 1) / parts; e += threads) {
        float sum = 0.0f;
#pragma unroll 4
        for (int s = 0; s < parts; s++) sum += __ldcg(sums + s * (T::BM * T::BN) + place_of(T::BN, e % rows, e / rows));
        SMALL *y = half_at((SMALL *)p.C, v, p.n, place0 + e % rows, k0 + e / rows);
        *y = blend(p, sum, p.beta == 0.0f ? SMALL(0) : *y);
    }
}

/* A part of a tile, as step 6's store_part. */
template <typename SMALL, class T>
static __device__ __forceinline__ void
store_half_part(const hopper_problem &p, const half_view &v, const persistent_work &work, const persistent_unit &unit,
                const float (&d)[T::PIECES][T::BN / 2], int consumer, int place0, int k0) {
    const int THREADS = T::PING_PONG ? 128 : 128 * T::CONSUMERS;
    const int thread = threadIdx.x - 128 - (T::PING_PONG ? 128 * consumer : 0), lane = thread % 32;
    const int columns = columns_of<T>(work);
    const int divided = ((unit.tile - work.whole) << work.log_down) + (int)cluster_rank();
    float *sums = parts_of<float>(work.sums, divided, work.parts, T::BM, columns);
    float *part = sums + unit.part * (T::BM * columns);
#pragma unroll
    for (int piece = 0; piece < T::PIECES; piece++) {
        const int row = 64 * piece + thread / 32 * 16;
        if (place0 + row >= p.m) continue;
#pragma unroll
        for (int j = 0; j < T::BN / 8; j++)
            if (j * 8 < columns) leave_fragment(part, columns, row, j * 8, lane, &d[piece][4 * j]);
    }
    meet(&parts_met[divided], work.parts, thread, THREADS, T::PING_PONG ? 4 + consumer : 4);
    const int TOGETHER = T::CONSUMERS == 3 ? 2 : 4; /* as in step 6 */
    if (T::ANY_C && v.in_plane > 0)
        add_planes<T, SMALL>(p, v, place0, k0, sums, unit.part, work.parts, thread, THREADS);
    else
        add_parts<SMALL, TOGETHER>(p, T::BM, columns, place0, k0, sums, unit.part, work.parts, thread, THREADS);
}

/* A whole tile's 16 rows of a warp. */
template <int TYPE, class T, class MAPS, int COUNT>
static __device__ __forceinline__ void store_half(const hopper_problem &p, const half_view &v, const MAPS &maps,
                                                  float (&d)[COUNT], int row, int k0, uint32_t buffers, unsigned *place,
                                                  uint32_t old, int piece) {
    typedef typename hopper_small<TYPE>::type small;
    const int SHORT = hopper_short(TYPE);
    if constexpr (!T::ANY_C) {
        if (p.beta == 0.0f) store_slabs<SHORT, false, T>(p, maps, d, row, k0, buffers, place, old, piece);
        if (p.beta != 0.0f) store_slabs<SHORT, true, T>(p, maps, d, row, k0, buffers, place, old, piece);
    } else if (v.in_plane > 0) {
        store_planes<small>(p, v, d, row, k0);
    } else {
        store_rows<small, T>(p, d, row, k0, buffers);
    }
}

/* A warpgroup: every unit, or every second one (consume of persistent.cuh says the rest). */
template <int TYPE, class T, class MAPS>
static __device__ __forceinline__ void consume_half(const MAPS &maps, const hopper_problem &p, const half_view &v,
                                                    const persistent_block &block, const halo_ring &halos,
                                                    const persistent_work &work, int consumer, bool copied) {
    typedef typename hopper_small<TYPE>::type small;
    const int warp = __shfl_sync(~0u, threadIdx.x / 32 - 4, 0), thread = threadIdx.x % 128, own = T::PING_PONG ? 2 : 1;
    const uint32_t release = peer_empty(block, thread);
    const uint32_t buffers = block.staging + warp * (T::BUFFERS * T::SLAB);
    unsigned place = 0;
    int u = block.first;
    float d[T::PIECES][T::BN / 2];
    ring_position at = {0, 0}, halo = {0, 0};
    if (T::HALO && halos.resident) mbarrier_wait(block.full, 0);
    if (T::PING_PONG && consumer == 1) {
        skip_tile(block, &at, unit_steps<T>(block, work, u));
        if (T::HALO) skip_halos(v, halos, &halo);
        u += block.stride;
    }
    for (; u < block.units; u += own * block.stride) {
        if (T::PING_PONG && u != block.first) named_barrier_wait(2 + consumer, 256);
        const persistent_unit unit = unit_at<T>(block, work, u);
        const bool more = u + block.stride < block.units;
        if constexpr (T::HALO) {
            if (halos.resident)
                multiply_resident<TYPE, T>(d, block, v, halos, consumer, more, &halo);
            else
                multiply_halo<TYPE, T>(d, block, v, halos, consumer, release, more, &at, &halo);
        } else if constexpr (T::EXACT)
            multiply_exact<TYPE, GEMM_TN, T>(d, block, unit.steps, consumer, release, &at, copied);
        else
            multiply_tile<TYPE, GEMM_TN, T>(d, block, unit.steps, consumer, release, more, &at, copied);
        if (T::PING_PONG) skip_tile(block, &at, unit_steps<T>(block, work, u + block.stride));
        if (T::PING_PONG && T::HALO) skip_halos(v, halos, &halo);

        int row, k0;
        tile_origin<T, true>(work, unit.tile, &row, &k0);
#pragma unroll
        for (int piece = 0; piece < T::PIECES; piece++)
            scale<small>(v, d[piece], k0, p.n, v.bias != NULL && unit.part <= 0);
        if (T::PARTS && unit.part >= 0) {
            store_half_part<small, T>(p, v, work, unit, d, consumer, row, k0);
            continue;
        }
        row += (T::PING_PONG ? warp % 4 : warp) * 16;
#pragma unroll
        for (int piece = 0; piece < T::PIECES; piece++)
            store_half<TYPE, T>(p, v, maps, d[piece], row + 64 * piece, k0, buffers, &place,
                                block.full + T::OLD + 8 * warp, piece);
    }
    if (threadIdx.x % 32 == 0) tma_store_wait_read<0>();
    __syncwarp();
}

/* ---- the kernel ---- */

/* x_map: only where TMA loads x. */
template <int TYPE, class T>
__global__ void __launch_bounds__(T::THREADS, 1)
    conv_half(const __grid_constant__ CUtensorMap x_map, const __grid_constant__ CUtensorMap f_map,
              const __grid_constant__ CUtensorMap y_map, const __grid_constant__ CUtensorMap last_map,
              const __grid_constant__ hopper_problem p, const __grid_constant__ half_view v, const persistent_work work,
              half_loader loader) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(1024) unsigned char shared[];
    if (threadIdx.x == 0) tma_prefetch(&x_map), tma_prefetch(&f_map);
    persistent_block block = persistent_begin<TYPE, GEMM_TN, T>(work, shared);
    halo_ring halos = {};
    if constexpr (T::HALO) halos = halos_of<T>(v, work, &block);
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0);
    griddepcontrol_launch_dependents();
    if (threadIdx.x == 128) {
        tma_prefetch(&y_map);
        for (int s = 0; s < (halos.resident ? 1 : block.stages); s++) {
            mbarrier_init(block.full + 8 * s, loader == LOAD_PIECES ? 1 + 128 : 1);
            mbarrier_init(block.empty + 8 * s, (T::PING_PONG ? 1 : T::CONSUMERS) * peers_of(block));
        }
        for (int w = 0; w < T::WARPS; w++) mbarrier_init(block.full + T::OLD + 8 * w, 1);
        for (int i = 0; i < halos.count; i++) {
            mbarrier_init(halos.full + 8 * i, 1);
            mbarrier_init(halos.empty + 8 * i, 1);
        }
        fence_mbarrier_init();
    }
    __syncwarp();
    meet_block(block);
    if (warpgroup == 0) {
        if (T::CONSUMERS > 1) setmaxnreg_dec<half_registers<T>::COPY>();
        griddepcontrol_wait(); /* consumers wait for what is copied afterwards */
        const int warp = threadIdx.x / 32;
        if constexpr (T::COPIES) {
            half_row *rows = (half_row *)(shared + T::BYTES);
            if (loader == LOAD_PIECES && v.piece == 16) copy_pieces<16, T>(&f_map, p, v, block, work, rows);
            if (loader == LOAD_PIECES && v.piece == 8) copy_pieces<8, T>(&f_map, p, v, block, work, rows);
        }
        if constexpr (T::HALO) {
            if (warp == 0 && halos.resident && elect_one()) load_resident(&f_map, v, halos, block);
            if (warp == 0 && !halos.resident && elect_one()) load_filters<T>(&f_map, v, halos, block, work);
            if (warp == 1 && elect_one()) load_halos<T>(&x_map, v, halos, block, work);
        } else {
            if (loader == LOAD_WINDOWS && warp == 0 && elect_one()) load_windows<T>(&x_map, &f_map, v, block, work);
            if (loader == LOAD_TILES && warp == 0 && elect_one()) {
                int row, col;
                tile_origin<T>(work, unit_at<T>(block, work, block.first).tile, &row, &col);
                produce<TYPE, GEMM_TN, T>(&x_map, &f_map, block, work, row, col);
            }
        }
        __syncwarp();
    } else {
        if (T::CONSUMERS > 1) setmaxnreg_inc<half_registers<T>::MULTIPLY>();
        const bool copied = T::COPIES && loader == LOAD_PIECES;
        if constexpr (T::HALO)
            consume_half<TYPE, T>(patch_maps{&y_map, &y_map, block.columns, v}, p, v, block, halos, work, warpgroup - 1,
                                  copied);
        else
            consume_half<TYPE, T>(slab_maps{&y_map, &last_map, block.columns}, p, v, block, halos, work, warpgroup - 1,
                                  copied);
    }
    if (block.cluster > 1) cluster_sync(); /* no block may exit while another still sends it something */
#else
    __trap();
#endif
}

/* ---- instantiations ---- */

typedef void half_kernel(const CUtensorMap, const CUtensorMap, const CUtensorMap, const CUtensorMap,
                         const hopper_problem, const half_view, const persistent_work, half_loader);

typedef struct {
    half_kernel *kernel;
    int threads, bytes;
    plan_tile tile;
    int device; /* that tile.clusters has been asked of; -1: none yet */
} half_choice;

/* Of step 6's. Those with bulk stores take no parts: with ping-pong consumers they have no registers left for them.
 * Exact tiles do. COPIES: takes pieces. */
template <int BM, int BN, int STAGES, int PING_PONG, int BUFFERS, int ANY_Y>
struct half_tile : persistent_tile<BM, BN, STAGES, PING_PONG, BUFFERS, ANY_Y> {
    static const bool PARTS = ANY_Y, COPIES = true, HALO = false;
};
template <int BM, int BN, int STAGES, int BUFFERS> struct half_exact : exact_tile<BM, BN, STAGES, BUFFERS> {
    static const bool COPIES = BM <= 128, HALO = false; /* a thread has room for so many rows */
};
static const int MOST_BYTES = 227 * 1024; /* of shared memory */

/* The configurations.      BM   BN stages ping-pong buffers any y, parts */
typedef half_tile<128, 192, 5, 1, 1, 0> half_wide;
typedef half_tile<128, 128, 6, 1, 2, 0> half_square;
typedef half_tile<128, 64, 8, 1, 2, 0> half_tall;
typedef half_tile<64, 128, 8, 0, 1, 0> half_flat;
typedef half_tile<128, 128, 6, 1, 1, 1> half_square_any;
typedef half_tile<128, 64, 8, 1, 1, 1> half_tall_any;
typedef half_tile<64, 128, 8, 0, 1, 1> half_flat_any;
typedef half_tile<64, 64, 12, 0, 1, 1> half_small_any;
/*                       BM   BN stages of that, buffers */
typedef half_exact<64, 256, 5, 1> half_exact_64;   /* where tiles are few: a window's rows are what costs */
typedef half_exact<128, 256, 4, 1> half_exact_128; /* the fewest bytes a product: both consumers share it */
typedef half_exact<192, 192, 4, 1> half_exact_192;
/* Two patches of 8 x 8 places (half_halo.cuh). */
typedef half_halo<64> half_halo_64;
typedef half_halo<128> half_halo_128;

template <int TYPE, class T> static half_choice half_of(void) {
    static_assert(half_bytes<T>() <= MOST_BYTES, "a block has no more");
    return {conv_half<TYPE, T>,
            T::THREADS,
            half_bytes<T>(),
            {T::BM, T::BN, T::PING_PONG, T::ANY_C, T::PARTS, 0, {}, T::EXACT, AS_IS},
            -1};
}

template <int TYPE> static half_choice *half_choices(void) {
    static half_choice all[HALF_TILES] = {
        half_of<TYPE, half_wide>(),      half_of<TYPE, half_square>(),     half_of<TYPE, half_tall>(),
        half_of<TYPE, half_flat>(),      half_of<TYPE, half_square_any>(), half_of<TYPE, half_tall_any>(),
        half_of<TYPE, half_flat_any>(),  half_of<TYPE, half_small_any>(),  half_of<TYPE, half_exact_64>(),
        half_of<TYPE, half_exact_128>(), half_of<TYPE, half_exact_192>(),  half_of<TYPE, half_halo_64>(),
        half_of<TYPE, half_halo_128>(),
    };
    return all;
}

/* In a file of its own, so that the two types compile in parallel. */
half_choice *half_choices_bf16(void);
