/* Windows that are formed in shared memory. Neighbouring places read mostly the same pixels: of 3 x 3 taps each pixel
 * nine times. Where the stride is 1, a tile need only load them once. Its places are two patches of 8 x 8, and for
 * each it loads the pixels that all their windows touch, 10 x 10 with 3 x 3 taps: the patch and its halo. The windows
 * of a tap are then the same pixels, seen from another corner:
 *
 *     . . . . . . . . . .      a row of the patch: eight places, whose pixels of a tap are eight neighbours, one after
 *     . # # # # # # # # .      the other in shared memory, 128 bytes each. A descriptor of wgmma names the first one
 *     . # # # # # # # # .      and the bytes to the next eight: a row of the halo
 *     . # # # # # # # # .
 *         ...                  the next tap: a descriptor that begins a pixel later, or a row
 *
 * A swizzle exchanges chunks by the address alone, so a matrix may begin at any pixel. With 64 channels and 3 x 3 taps
 * a tile of 128 places thus reads 25 KB of x from L2 instead of 144 KB.
 *
 * Halos have a ring of their own, and a thread that brings them, a slice of 64 channels at a time; another brings the
 * filters, a tap of a slice at a time. TMA fills with zeros what lies outside of the image, and does not store what
 * lies outside of y. */
#pragma once

#include "../../step06_tensorcore/best/persistent.cuh"
#include "half_rows.cuh"

/* A halo is two patches with their borders. The barriers of halos, full and empty, are in shared memory from
 * HALO_BARRIERS on. Behind the buffers for results, filters and halos share what is left: a ring of filters, and as
 * many halos as fit. Or, if there are few filters, all of them, which are loaded only once, with one barrier. */
static const int MOST_HALOS = 8, HALO_BARRIERS = 512;
template <int BN> struct half_halo : persistent_tile<128, BN, 1, 1, 2, 0> {
    typedef persistent_tile<128, BN, 1, 1, 2, 0> base;
    static const bool PARTS = false, COPIES = false, HALO = true;
    static const int A_BYTES = 0, BYTES = base::BARRIER_BYTES + base::STORE_BYTES + HALO_POOL;
    static_assert(base::OLD + 8 * base::WARPS <= HALO_BARRIERS &&
                      HALO_BARRIERS + 2 * 8 * MOST_HALOS <= base::BARRIER_BYTES,
                  "barriers lie side by side");
};

/* The view's places are patches (half.cu). */
struct halo_ring {
    uint32_t full, empty, at; /* barriers; the first halo */
    halo_patch patch;         /* of which a halo has two */
    int count;                /* halos of the ring */
    bool resident;            /* all filters are in shared memory */
};

/* Lays out shared memory. */
template <class T>
static __device__ __forceinline__ halo_ring halos_of(const half_view &v, const persistent_work &work,
                                                     persistent_block *block) {
    halo_ring h;
    h.full = block->full + HALO_BARRIERS, h.empty = h.full + 8 * MOST_HALOS, h.patch = halo_patch_of(&v);
    block->b_bytes = block->stage_bytes = T::BN * h.patch.width;
    h.resident = work.tiles_n == 1 && halo_resident(block->steps, block->b_bytes, h.patch.bytes);
    block->stages = h.resident ? block->steps : min(T::MOST_STAGES, FILTER_RING / block->b_bytes);
    block->staging = block->full + T::BARRIER_BYTES, block->ring = block->staging + T::STORE_BYTES;
    h.at = block->ring + block->stages * block->b_bytes;
    h.count = min(MOST_HALOS, (HALO_POOL - block->stages * block->b_bytes) / (2 * h.patch.bytes));
    return h;
}

static __device__ __forceinline__ void next_halo(const halo_ring &h, ring_position *at) {
    if (++at->s == h.count) at->s = 0, at->phase ^= 1;
}

/* ---- producers: a thread each ---- */

/* One tap of 64 channels from c on, of the filters from k0 on, to stage s. Blocks of a pair load half of them each. */
static __device__ __forceinline__ void load_tap(const CUtensorMap *f_map, const persistent_block &block,
                                                const halo_ring &h, int s, int c, int tap, int k0, uint32_t barrier) {
    const int first = block.row * block.part_b;
    const uint32_t to = block.ring + s * block.stage_bytes + first * h.patch.width;
    if (block.down == 1)
        tma_load_3d(to, f_map, c, tap, k0, barrier);
    else
        tma_load_multicast_3d(to, f_map, c, tap, k0 + first, barrier, block.same_col);
}

template <class T>
static __device__ __forceinline__ void load_filters(const CUtensorMap *f_map, const half_view &v, const halo_ring &h,
                                                    const persistent_block &block, const persistent_work &work) {
    const int taps = v.r * v.s;
    ring_position at = {0, 0};
    for (int u = block.first; u < block.units; u += block.stride) {
        int place0, k0;
        tile_origin<T, true>(work, u, &place0, &k0);
        for (int c = 0; c < v.c; c += 64) {
#pragma unroll 1
            for (int tap = 0; tap < taps; tap++) {
                const uint32_t barrier = block.full + 8 * at.s;
                mbarrier_wait(block.empty + 8 * at.s, at.phase ^ 1);
                mbarrier_arrive_expect_tx(barrier, block.b_bytes);
                load_tap(f_map, block, h, at.s, c, tap, k0, barrier);
                next_stage(block, &at);
            }
        }
    }
}

static __device__ __forceinline__ void load_resident(const CUtensorMap *f_map, const half_view &v, const halo_ring &h,
                                                     const persistent_block &block) {
    const int taps = v.r * v.s;
    mbarrier_arrive_expect_tx(block.full, block.stages * block.b_bytes);
#pragma unroll 1
    for (int s = 0; s < block.stages; s++) load_tap(f_map, block, h, s, s / taps * 64, s % taps, 0, block.full);
}

template <class T>
static __device__ __forceinline__ void load_halos(const CUtensorMap *x_map, const half_view &v, const halo_ring &h,
                                                  const persistent_block &block, const persistent_work &work) {
    ring_position at = {0, 0};
    for (int u = block.first; u < block.units; u += block.stride) {
        int place0, k0;
        tile_origin<T, true>(work, u, &place0, &k0);
        const half_corner a = corner_of(v, place0 / 64), b = corner_of(v, place0 / 64 + 1);
#pragma unroll 1
        for (int c = 0; c < v.c; c += 64) {
            const uint32_t to = h.at + at.s * 2 * h.patch.bytes, barrier = h.full + 8 * at.s;
            mbarrier_wait(h.empty + 8 * at.s, at.phase ^ 1);
            mbarrier_arrive_expect_tx(barrier, 2 * h.patch.across * h.patch.down * h.patch.width);
            tma_load_4d(to, x_map, c, a.j, a.i, a.image, barrier);
            tma_load_4d(to + h.patch.bytes, x_map, c, b.j, b.i, b.image, barrier);
            next_halo(h, &at);
        }
    }
}

/* ---- consumers ---- */

/* The descriptor of a tap's windows, eight neighbouring pixels of each of eight rows: of the first tap of halo number
 * `i`, and what is added to it for a tap so many pixels further right or down. */
static __device__ __forceinline__ uint64_t first_window(const halo_ring &h, int i) {
    return wgmma_rows(h.at + i * 2 * h.patch.bytes, h.patch.width, h.patch.across * h.patch.width);
}
static __device__ __forceinline__ uint64_t pixels_on(const halo_ring &h, int pixels) {
    return wgmma_advance((uint32_t)pixels * h.patch.width);
}
static __device__ __forceinline__ uint64_t rows_on(const halo_ring &h, int rows) {
    return wgmma_advance((uint32_t)rows * h.patch.across * h.patch.width);
}

/* One tap, of USED times 16 channels. */
template <int TYPE, class T, int USED>
static __device__ __forceinline__ void multiply_channels(float (&d)[T::PIECES][T::BN / 2], uint64_t a, uint64_t b,
                                                         uint64_t patch, bool add) {
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < USED; i++)
#pragma unroll
        for (int piece = 0; piece < T::PIECES; piece++)
            hopper_multiply<TYPE, false, false>(d[piece], a + piece * patch + i * wgmma_advance(32),
                                                b + i * wgmma_advance(32), i > 0 || add);
    wgmma_commit();
}
template <int TYPE, class T>
static __device__ __forceinline__ void multiply_tap(float (&d)[T::PIECES][T::BN / 2], uint64_t a, uint64_t b,
                                                    uint64_t patch, int used, bool add) {
    if (used == 4) multiply_channels<TYPE, T, 4>(d, a, b, patch, add);
    if (used == 3) multiply_channels<TYPE, T, 3>(d, a, b, patch, add);
    if (used == 2) multiply_channels<TYPE, T, 2>(d, a, b, patch, add);
    if (used == 1) multiply_channels<TYPE, T, 1>(d, a, b, patch, add);
}

/* The sums of a tile, as multiply_tile of step 6 has them. */
template <int TYPE, class T>
static __device__ __forceinline__ void
multiply_halo(float (&d)[T::PIECES][T::BN / 2], const persistent_block &block, const half_view &v, const halo_ring &h,
              int consumer, uint32_t release, bool more, ring_position *at, ring_position *halo) {
    const uint64_t patch = wgmma_advance(h.patch.bytes), right = pixels_on(h, v.dilation[1]);
    const uint64_t down = rows_on(h, v.dilation[0]);
    int last = 0, before = 0;
    bool add = false;
#pragma unroll
    for (int i = 0; i < T::PIECES * T::BN / 2; i++) d[i / (T::BN / 2)][i % (T::BN / 2)] = 0;
#pragma unroll 1
    for (int c = 0; c < v.c; c += 64) {
        const int used = min(4, (v.c - c + 15) / 16); /* 16 channels each; the others are zeros */
        const uint64_t corner = first_window(h, halo->s);
        mbarrier_wait(h.full + 8 * halo->s, halo->phase);
        int r = 0, s = 0;
#pragma unroll 1
        for (int tap = 0; tap < v.r * v.s; tap++) {
            const uint64_t a = corner + (uint64_t)r * down + (uint64_t)s * right;
            const uint64_t b = wgmma_rows(block.ring + at->s * block.stage_bytes, h.patch.width, 8 * h.patch.width);
            mbarrier_wait(block.full + 8 * at->s, at->phase);
            if (more && c + 64 >= v.c && tap == v.r * v.s - 1) named_barrier_arrive(2 + (consumer ^ 1), 256);
            multiply_tap<TYPE, T>(d, a, b, patch, used, add);
            /* By now the previous stage has been multiplied, and with it the previous halo. */
#pragma unroll
            for (int piece = 0; piece < T::PIECES; piece++) wgmma_wait<1>(d[piece]);
            if (add) release_stage(release, last);
            if (add && tap == 0 && threadIdx.x % 128 == 0) mbarrier_arrive(h.empty + 8 * before);
            last = at->s, add = true;
            next_stage(block, at);
            if (++s == v.s) s = 0, r++;
        }
        before = halo->s;
        next_halo(h, halo);
    }
#pragma unroll
    for (int piece = 0; piece < T::PIECES; piece++) wgmma_wait<0>(d[piece]);
    release_stage(release, last);
    if (threadIdx.x % 128 == 0) mbarrier_arrive(h.empty + 8 * before);
}

/* The same where all filters are in shared memory, one stage after the other. Only halos are waited for, so both
 * consumers multiply at the same time. */
template <int TYPE, class T>
static __device__ __forceinline__ void
multiply_resident(float (&d)[T::PIECES][T::BN / 2], const persistent_block &block, const half_view &v,
                  const halo_ring &h, int consumer, bool more, ring_position *halo) {
    const uint64_t patch = wgmma_advance(h.patch.bytes), right = pixels_on(h, v.dilation[1]);
    const uint64_t down = rows_on(h, v.dilation[0]), next = wgmma_advance(block.stage_bytes);
    uint64_t b = wgmma_rows(block.ring, h.patch.width, 8 * h.patch.width);
    bool add = false;
#pragma unroll
    for (int i = 0; i < T::PIECES * T::BN / 2; i++) d[i / (T::BN / 2)][i % (T::BN / 2)] = 0;
#pragma unroll 1
    for (int c = 0; c < v.c; c += 64) {
        const int used = min(4, (v.c - c + 15) / 16);
        uint64_t row = first_window(h, halo->s);
        mbarrier_wait(h.full + 8 * halo->s, halo->phase);
        if (more && c + 64 >= v.c) named_barrier_arrive(2 + (consumer ^ 1), 256);
#pragma unroll 1
        for (int r = 0; r < v.r; r++, row += down) {
            uint64_t a = row;
#pragma unroll 1
            for (int s = 0; s < v.s; s++, a += right, b += next, add = true) {
                multiply_tap<TYPE, T>(d, a, b, patch, used, add);
#pragma unroll
                for (int piece = 0; piece < T::PIECES; piece++) wgmma_wait<1>(d[piece]);
            }
        }
#pragma unroll
        for (int piece = 0; piece < T::PIECES; piece++) wgmma_wait<0>(d[piece]);
        if (threadIdx.x % 128 == 0) mbarrier_arrive(h.empty + 8 * halo->s);
        next_halo(h, halo);
    }
}

/* Skips the halos of the other consumer's tile. */
static __device__ __forceinline__ void skip_halos(const half_view &v, const halo_ring &h, ring_position *at) {
    const int slices = (v.c + 63) / 64;
    at->phase ^= (at->s + slices) / h.count & 1;
    at->s = (at->s + slices) % h.count;
}

/* A slab's 16 rows are two rows of a patch in y. */
struct patch_maps {
    const CUtensorMap *whole, *last;
    int columns;
    const half_view &v;
    __device__ __forceinline__ void fetch(uint32_t slab, const CUtensorMap *map, int col, int row,
                                          uint32_t barrier) const {
        const half_corner at = corner_of(v, row / 64);
        tma_load_4d(slab, map, col, at.j + v.pad[1], at.i + v.pad[0] + row % 64 / 8, at.image, barrier);
    }
    __device__ __forceinline__ void send(const CUtensorMap *map, int col, int row, uint32_t slab) const {
        const half_corner at = corner_of(v, row / 64);
        tma_store_4d(map, col, at.j + v.pad[1], at.i + v.pad[0] + row % 64 / 8, at.image, slab);
    }
};
