/* How rows of A, which is not in memory, come into shared memory: a row is a place of y, and its elements are what a
 * filter's r*s*c weights meet in x, in the weights' order. x has a pixel's channels together (NHWC), so these are runs
 * of c neighbours, one for each tap:
 *
 *    weights      | tap 0,0: c | tap 0,1: c | tap 0,2: c | tap 1,0: c | ...     of all places alike
 *    a stage      |  64   |  64   |  64   |  64   |  64   | ...
 *    of a place   |abcdefgh|abcdefgh| ...                    eight copies of 16 bytes, each from one pixel
 *
 * A stage takes 64 weights wherever they begin and end: with c = 96 it has parts of two taps, and nothing is wasted. A
 * thread always copies the same eighth of a row, for every sixteenth row. So the way from the corner of a window to
 * its piece, which is the same for all rows, takes it a few instructions a stage; and a row takes an addition and two
 * comparisons, since a tap outside of the image is filled with zeros by the copy. Where c is a multiple of 4 but not of
 * 8, pieces are 8 bytes. */
#pragma once

#include <limits.h>

#include "conv/conv_kernel.cuh"
#include "half.h"
#include "ptx/cp_async.cuh"

/* A place, in shared memory: the corner of its window. */
struct __align__(16) half_row {
    const char *at;
    int i0, j0; /* outside of the image where it is padded */
};

/* The corner of the window of place number `place`. */
struct half_corner {
    int image, i, j;
};

static __device__ __forceinline__ half_corner corner_of(const half_view &v, int place) {
    const int image = divide(place, v.by_pq), inside = place - image * (v.p * v.q), down = divide(inside, v.by_q);
    return {image, down * v.stride[0] - v.pad[0], (inside - down * v.q) * v.stride[1] - v.pad[1]};
}

static __device__ __forceinline__ half_row row_of(const half_view &v, int places, int place) {
    if (place >= places) return {(const char *)v.x, INT_MIN, 0}; /* behind the last one: no tap gets into the image */
    const half_corner at = corner_of(v, place);
    return {(const char *)v.x + (((int64_t)at.image * v.h + at.i) * v.row + at.j) * v.c * 2, at.i, at.j};
}

/* The 128 threads of a tile of BM rows: where each stands in a stage. */
template <int PIECE, int BM> struct half_share {
    static const int LANES = 128 / PIECE,
                     DOWN = 128 / LANES; /* pieces of a row; rows from one of a thread to its next */
    static const int COUNT = BM / DOWN, OF_WARP = 32 / LANES; /* rows of a thread; neighbours that a warp has */
};

/* Each warp writes down its own rows, a lane a row. */
template <int PIECE, int BM>
static __device__ __forceinline__ void find_rows(const half_view &v, int places, int place0, half_row *rows) {
    typedef half_share<PIECE, BM> S;
    const int lane = threadIdx.x % 32, row = lane / S::OF_WARP * S::DOWN + threadIdx.x / 32 * S::OF_WARP;
    __syncwarp(); /* the rows before have been read */
    if (lane < BM / 4) rows[row + lane % S::OF_WARP] = row_of(v, places, place0 + row + lane % S::OF_WARP);
    __syncwarp();
}

/* A weight: its tap and channel. */
struct half_weight {
    int c, s, r;
};

static __device__ __forceinline__ half_weight weight_at(const half_view &v, int number) {
    const int tap = number / v.c;
    return {number % v.c, tap % v.s, tap / v.s};
}

/* 64 further on. */
static __device__ __forceinline__ void next_weight(const half_view &v, half_weight *at) {
    at->c += v.step_c, at->s += v.step_s, at->r += v.step_r;
    if (at->c >= v.c) at->c -= v.c, at->s++;
    if (at->s >= v.s) at->s -= v.s, at->r++;
}

/* Through L1: the next taps want most of the same pixels, and pixels of an odd number of pieces begin in the middle of
 * a sector. */
template <int PIECE> static __device__ __forceinline__ void copy_piece(unsigned to, const char *from, bool inside) {
    if constexpr (PIECE == 16)
        cp_async_16_zfill_l1(to, from, inside ? 16 : 0);
    else
        cp_async_8_zfill(to, from, inside ? 8 : 0);
}

/* Where this thread's first piece lies in a stage, in the 128-byte swizzle, and which row it is of. */
template <int PIECE> static __device__ __forceinline__ int piece_row() {
    return threadIdx.x % 128 / (128 / PIECE);
}
template <int PIECE> static __device__ __forceinline__ unsigned piece_offset() {
    const int down = piece_row<PIECE>(), byte = threadIdx.x % (128 / PIECE) * PIECE;
    return down * 128 + ((byte / 16 ^ down % 8) * 16 + byte % 16);
}

/* This thread's pieces of a stage, the first to `to`. Its rows are rows[0], rows[STEP], ... Weights behind the last
 * become zeros, too. */
template <int PIECE, int BM, int STEP>
static __device__ __forceinline__ void copy_rows(const half_view &v, const half_row *rows, const half_weight &at,
                                                 unsigned to) {
    typedef half_share<PIECE, BM> S;
    const int TOGETHER = 4; /* rows are read before the first copy: it might change them for all the compiler knows */
    const int below = at.r * v.dilation[0], right = at.s * v.dilation[1], height = at.r < v.r ? v.h : 0;
    const int64_t ahead = (((int64_t)below * v.row + right) * v.c + at.c) * 2;
#pragma unroll
    for (int first = 0; first < S::COUNT; first += TOGETHER) {
        half_row row[TOGETHER];
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) row[i] = rows[(first + i) * STEP];
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) {
            const bool inside =
                (unsigned)(row[i].i0 + below) < (unsigned)height && (unsigned)(row[i].j0 + right) < (unsigned)v.w;
            copy_piece<PIECE>(to + (first + i) * (S::DOWN * 128), row[i].at + ahead, inside);
        }
    }
}

/* The element of filter k at place `place` of all images. */
template <typename T> static __device__ __forceinline__ T *half_at(T *y, const half_view &v, int n, int place, int k) {
    if (v.in_plane == 0) return y + ((int64_t)place * n + k);
    const int image = divide(place, v.by_pq);
    return y + (((int64_t)image * n + k) * v.in_plane + (place - image * v.in_plane));
}
