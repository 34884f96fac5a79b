/* The epilogue of the persistent kernel (persistent.cuh): sums from registers to C. In bulk, by slabs that are rounded
 * into shared memory and that TMA takes away: a warp's, of 16 rows of 128 bytes, or, of a swapped tile, a warpgroup's.
 * Or, for C of any alignment, by the threads themselves, whose sums pass through shared memory, too. T: a
 * persistent_tile. */
#pragma once

#include "hopper.cuh"
#include "ptx/ldmatrix.cuh"
#include "reduce_parts.cuh"

/* The object at an address in shared memory. */
template <class X> __device__ __forceinline__ X &shared_at(uint32_t address) {
    return *(X *)__cvta_shared_to_generic(address);
}

/* Where slabs are sent: whole ones; an exact tile's last, of fewer columns or, if it is swapped, of fewer rows; the
 * columns of a tile. */
struct slab_maps {
    const CUtensorMap *whole, *last;
    int columns;
    __device__ __forceinline__ void fetch(uint32_t slab, const CUtensorMap *map, int col, int row,
                                          uint32_t barrier) const {
        tma_load(slab, map, col, row, barrier);
    }
    __device__ __forceinline__ void send(const CUtensorMap *map, int col, int row, uint32_t slab) const {
        tma_store(map, col, row, slab);
    }
};

/* A warp's 16 rows of blocks j and j + 1, of 8 columns each, rounded to 16 bits and written to shared memory: as four
 * 8x8 matrices, upper and lower rows of block j, then of j + 1, whose rows begin where the lanes' `to` say; transposed,
 * if TRANS. ADD: beta times what is there is added. */
template <int OUT, bool ADD, bool TRANS, class SUM, int COUNT>
static __device__ __forceinline__ void store_blocks(const hopper_problem &p, const SUM (&d)[COUNT], int j,
                                                    uint32_t to) {
    uint32_t c[4], four[4];
    if (ADD && TRANS) ldmatrix_x4_trans(c, to);
    if (ADD && !TRANS) ldmatrix_x4(c, to);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 two = hopper_scale(p, d[4 * j + 2 * i], d[4 * j + 2 * i + 1]);
        if (ADD) two = hopper_add(p, two, hopper_unpack<OUT>(c[i]));
        four[i] = hopper_pack<OUT>(two);
    }
    if (TRANS)
        stmatrix_x4_trans(to, four[0], four[1], four[2], four[3]);
    else
        stmatrix_x4(to, four[0], four[1], four[2], four[3]);
}

/* A warp's 16 rows of a tile's columns, starting at (row, col): rounded, written to shared memory in the swizzled
 * layout, and sent. `place`: how many slabs the warp has sent before, hence the next buffer. ADD: beta is not zero, and
 * the old contents of C are fetched first, to where the results will go; each warp has a barrier for that, a phase a
 * slab; where a tile has an even number of those, the compiler knows its parity. MAPS: slab_maps, or as step 9 has
 * them. */
template <int OUT, bool ADD, class T, class MAPS, class SUM, int COUNT>
static __device__ __forceinline__ void store_slabs(const hopper_problem &p, const MAPS &maps, const SUM (&d)[COUNT],
                                                   int row, int col, uint32_t buffers, unsigned *place, uint32_t old,
                                                   int piece) {
    const int lane = threadIdx.x % 32;
    const int BLOCKS = OUT == DTYPE_F16 || OUT == DTYPE_BF16 ? 8 : 4; /* of 8 columns in 128 bytes */
    const int SLABS = COUNT / 4 / BLOCKS, COLUMNS = BLOCKS * 8;
    static_assert(SLABS * BLOCKS * 4 == COUNT, "whole rows of 128 bytes");
#pragma unroll
    for (int s = 0; s < SLABS; s++) {
        const int left = T::EXACT ? maps.columns - s * COLUMNS : COLUMNS; /* of the tile's columns */
        if (left <= 0) break;
        const CUtensorMap *map = left < COLUMNS ? maps.last : maps.whole;
        const uint32_t slab = buffers + *place % T::BUFFERS * T::SLAB;
        if (lane == 0) {
            tma_store_wait_read<T::BUFFERS - 1>(); /* the previous contents have been read */
            if (ADD) mbarrier_arrive_expect_tx(old, T::SLAB / COLUMNS * min(left, COLUMNS));
            if (ADD) maps.fetch(slab, map, col + s * COLUMNS, row, old);
        }
        __syncwarp();
        if (ADD) mbarrier_wait(old, !T::EXACT && T::PIECES * SLABS % 2 == 0 ? (piece * SLABS + s) % 2 : *place % 2);
        ++*place;
#pragma unroll
        for (int j = s * BLOCKS; j < (s + 1) * BLOCKS; j += BLOCKS == 8 ? 2 : 1) {
            if constexpr (BLOCKS == 8) {
                if (j % 8 * 8 >= left) break;
                const int r = lane % 16, chunk = (j % 8 + lane / 16) ^ (r % 8);
                store_blocks<OUT, ADD, false>(p, d, j, slab + r * ROW_BYTES + chunk * 16);
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
            maps.send(map, col + s * COLUMNS, row, slab);
            tma_store_commit();
        }
    }
}

/* The same of a swapped tile, of C's transpose, whose columns are rows of C: a warpgroup's 64 rows are columns of C.
 * Its warps fill slabs together, of 64 rows of C by 128 bytes; of words, twice 32 rows by 128 bytes side by side.
 * stmatrix transposes 16-bit results; words are written one by one, without bank conflicts. (row, col): in C. `old`: a
 * barrier for the four warps, a phase a slab. `barrier`: the named one at which they meet. */
template <int OUT, bool ADD, class T, class SUM, int COUNT>
static __device__ __forceinline__ void store_swapped_slabs(const hopper_problem &p, const slab_maps &maps,
                                                           const SUM (&d)[COUNT], int row, int col, uint32_t buffers,
                                                           unsigned *place, uint32_t old, int barrier) {
    const bool SHORT = OUT == DTYPE_F16 || OUT == DTYPE_BF16;
    const int ROWS = SHORT ? 64 : 32, SIDES = SHORT ? 1 : 2, SIDE = ROWS * ROW_BYTES, COLUMNS = 64 / SIDES;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    const bool elected = threadIdx.x % 128 == 0;
#pragma unroll
    for (int s = 0; s < COUNT * 2 / ROWS; s++) {
        const int left = maps.columns - s * ROWS;
        if (left <= 0) break;
        const CUtensorMap *map = left < ROWS ? maps.last : maps.whole;
        const uint32_t slab = buffers + *place % T::BUFFERS * (4 * T::SLAB);
        if (elected) {
            tma_store_wait_read<T::BUFFERS - 1>();
            if (ADD) mbarrier_arrive_expect_tx(old, SIDES * ROW_BYTES * min(left, ROWS));
#pragma unroll
            for (int side = 0; side < SIDES; side++)
                if (ADD) tma_load(slab + side * SIDE, map, col + side * COLUMNS, row + s * ROWS, old);
        }
        named_barrier_wait(barrier, 128);
        if (ADD) mbarrier_wait(old, *place % 2);
        ++*place;
#pragma unroll
        for (int j = s * ROWS / 8; j < (s + 1) * ROWS / 8; j += SHORT ? 2 : 1) { /* 8 rows of C */
            const int r0 = j * 8 - s * ROWS;
            if (r0 >= left) break;
            if constexpr (SHORT) {
                const int r = r0 + lane / 16 * 8 + lane % 8, chunk = (2 * warp + lane / 8 % 2) ^ (r % 8);
                store_blocks<OUT, ADD, true>(p, d, j, slab + r * ROW_BYTES + chunk * 16);
            } else {
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    auto two = hopper_scale(p, d[4 * j + 2 * i], d[4 * j + 2 * i + 1]);
                    const int n = 16 * warp + 8 * i + lane / 4, r = r0 + lane % 4 * 2, chunk = n % 32 / 4;
                    const uint32_t at = slab + n / 32 * SIDE + r * ROW_BYTES + n % 4 * 4;
                    auto &x = shared_at<decltype(two.x)>(at + (chunk ^ (r % 8)) * 16);
                    auto &y = shared_at<decltype(two.x)>(at + ROW_BYTES + (chunk ^ (r % 8 + 1)) * 16);
                    if (ADD) two = hopper_add(p, two, decltype(two){x, y});
                    x = two.x, y = two.y;
                }
            }
        }
        fence_proxy_async();
        named_barrier_wait(barrier, 128);
#pragma unroll
        for (int side = 0; side < SIDES; side++)
            if (elected) tma_store(map, col + side * COLUMNS, row + s * ROWS, slab + side * SIDE);
        if (elected) tma_store_commit();
    }
}

/* store_slabs for the problem's type of C. */
template <int TYPE, class T, class SUM, int COUNT>
static __device__ __forceinline__ void epilogue(const hopper_problem &p, const slab_maps &maps, const SUM (&d)[COUNT],
                                                int row, int col, uint32_t buffers, unsigned *place, uint32_t old,
                                                int piece) {
    const int SHORT = hopper_short(TYPE), LONG = hopper_long(TYPE);
    const bool add = p.beta != 0.0f;
    if constexpr (TYPE == GEMM_F16 || TYPE == GEMM_BF16) {
        if (p.out == SHORT && !add) store_slabs<SHORT, false, T>(p, maps, d, row, col, buffers, place, old, piece);
        if (p.out == SHORT && add) store_slabs<SHORT, true, T>(p, maps, d, row, col, buffers, place, old, piece);
    }
    if (p.out == LONG && !add) store_slabs<LONG, false, T>(p, maps, d, row, col, buffers, place, old, piece);
    if (p.out == LONG && add) store_slabs<LONG, true, T>(p, maps, d, row, col, buffers, place, old, piece);
}

/* Of a swapped tile; the consumer's 64 rows. */
template <int TYPE, class T, class SUM, int COUNT>
static __device__ __forceinline__ void epilogue_swapped(const hopper_problem &p, const slab_maps &maps,
                                                        const SUM (&d)[COUNT], int row, int col, uint32_t buffers,
                                                        unsigned *place, uint32_t old, int barrier) {
    const int SHORT = hopper_short(TYPE), LONG = hopper_long(TYPE);
    const bool add = p.beta != 0.0f;
    if constexpr (TYPE == GEMM_F16 || TYPE == GEMM_BF16) {
        if (p.out == SHORT && !add)
            store_swapped_slabs<SHORT, false, T>(p, maps, d, row, col, buffers, place, old, barrier);
        if (p.out == SHORT && add)
            store_swapped_slabs<SHORT, true, T>(p, maps, d, row, col, buffers, place, old, barrier);
    }
    if (p.out == LONG && !add) store_swapped_slabs<LONG, false, T>(p, maps, d, row, col, buffers, place, old, barrier);
    if (p.out == LONG && add) store_swapped_slabs<LONG, true, T>(p, maps, d, row, col, buffers, place, old, barrier);
}

/* A warp's 16 rows, for C of any alignment, ANY_C: 32 columns at a time pass through its slab, and leave it
 * by fours of neighbours or, where C lies otherwise, one by one. It is a loop, to keep the code small, in which the
 * sums move up in the registers: those in `d` must be numbered by constants. */
template <typename OUT, class T, class SUM, int COUNT>
static __device__ __forceinline__ void store_rows(const hopper_problem &p, SUM (&d)[COUNT], int row, int col,
                                                  uint32_t slab) {
    const int lane = threadIdx.x % 32;
    const bool fours = is_fours<OUT>(p);
    const int TOGETHER = T::BN > 128 ? 1 : 4, ROWS = 4 * TOGETHER; /* fours, rows, as the registers allow */
#pragma unroll 1
    for (int end = col + COUNT * 2; col < end && col < p.n; col += 32) {
        __syncwarp();
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int i = 0; i < 2; i++) { /* chunks of four, swizzled */
                const int r = lane / 4 + i * 8, chunk = (j * 2 + lane % 4 / 2) ^ (r % 8);
                SUM *to = &shared_at<SUM>(slab + r * ROW_BYTES + chunk * 16 + lane % 2 * 8);
                leave_two<32>(to, 0, 0, d[4 * j + 2 * i], d[4 * j + 2 * i + 1]);
            }
        __syncwarp();
        if (fours) {
#pragma unroll
            for (int i0 = 0; i0 < 4; i0 += TOGETHER) {
                int2 at[TOGETHER];
                four<SUM> sum[TOGETHER];
#pragma unroll
                for (int i = 0; i < TOGETHER; i++) {
                    const int r = lane / 8 + 4 * (i0 + i);
                    at[i] = make_int2(row + r, col + lane % 8 * 4);
                    sum[i] = shared_at<four<SUM>>(slab + r * ROW_BYTES + ((lane % 8) ^ (r % 8)) * 16);
                }
                store_fours<OUT>(p, at, sum, true);
            }
        } else if (col + lane < p.n) {
            OUT *c = gemm_at((OUT *)p.C, p.ldc, row, col + lane);
#pragma unroll
            for (int r0 = 0; r0 < 16; r0 += ROWS, c += (int64_t)ROWS * p.ldc) {
                SUM sum[ROWS];
                OUT before[ROWS] = {};
#pragma unroll
                for (int i = 0; i < ROWS; i++) {
                    const int r = r0 + i;
                    sum[i] = shared_at<SUM>(slab + r * ROW_BYTES + ((lane / 4) ^ (r % 8)) * 16 + lane % 4 * 4);
                    if (p.beta != 0.0f && row + r < p.m) before[i] = c[(int64_t)i * p.ldc];
                }
#pragma unroll
                for (int i = 0; i < ROWS; i++)
                    if (row + r0 + i < p.m) c[(int64_t)i * p.ldc] = blend(p, sum[i], before[i]);
            }
        }
#pragma unroll
        for (int i = 0; i + 16 < COUNT; i++) d[i] = d[i + 16];
    }
}

template <int TYPE, class T, class SUM, int COUNT>
static __device__ __forceinline__ void epilogue_any(const hopper_problem &p, SUM (&d)[COUNT], int row, int col,
                                                    uint32_t slab) {
    if (p.out == hopper_long(TYPE))
        store_rows<SUM, T>(p, d, row, col, slab);
    else
        store_rows<typename hopper_small<TYPE>::type, T>(p, d, row, col, slab);
}
