/* Split along K: where a GPU has more room than C has tiles, several blocks compute the same tile, each over its own
 * part of K, and then add up, each its own share of the tile (a reduce-scatter):
 *
 *              block 0         block 1         block 2              of a tile with 3 parts
 *   multiply   k 0 ... 99      k 100 ... 199   k 200 ... 299
 *   leave      part 0          part 1          part 2               all sums of the tile, in the workspace
 *   meet       ---------------- until all three have left ----------------
 *   add        rows 0 ... 42   rows 42 ... 85  rows 85 ... 127      parts 0 + 1 + 2, alpha and beta, to C
 *
 * So the adding is as parallel as the multiplying, and its order is the same on every run, as are the bits.
 *
 * All blocks of a tile wait for one another, so all of them must find room on the GPU at the same time: a launch may
 * have at most as many blocks with parts as the GPU holds at once. Blocks that wait for no one may come before them.
 *
 * Whoever calls need not be a whole block: `thread` counts the callers, `threads` says how many they are, in whole
 * warps, and `barrier` is the named barrier at which they meet (0 for a whole block). */
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#include "gemm/gemm_kernel.cuh"
#include "plan.h"
#include "ptx/acquire_release.cuh"
#include "ptx/named_barrier.cuh"

/* One counter a tile. Every launch finds zeros and leaves zeros. Only one launch at a time may use them, which launches
 * in one stream guarantee. */
static __device__ unsigned parts_met[MAX_DIVIDED];

/* What `tiles` tiles of `parts` parts need in the workspace; the first sum of the first part of a tile. */
static inline size_t parts_bytes(int64_t tiles, int parts, int bm, int bn) {
    return (size_t)tiles * (size_t)parts * (size_t)bm * (size_t)bn * 4;
}
template <typename SUM>
static __device__ __forceinline__ SUM *parts_of(void *workspace, int tile, int parts, int bm, int bn) {
    return (SUM *)workspace + (int64_t)tile * parts * (bm * bn);
}

/* alpha*acc + beta*c in FP32, rounded once, reading c only if beta != 0; for integers modulo 2^32. */
template <class PROBLEM, typename OUT> static __device__ __forceinline__ OUT blend(const PROBLEM &p, float acc, OUT c) {
    return (OUT)(p.beta == 0.0f ? p.alpha * acc : p.alpha * acc + p.beta * (float)c);
}
template <class PROBLEM> static __device__ __forceinline__ int blend(const PROBLEM &p, int acc, int c) {
    unsigned product = (unsigned)(int)p.alpha * (unsigned)acc;
    return (int)(p.beta == 0.0f ? product : product + (unsigned)(int)p.beta * (unsigned)c);
}

/* Two neighbouring sums of a part. Four lanes, of a fragment of mma.sync or wgmma, fill a sector of 32 bytes. */
template <int BN> static __device__ __forceinline__ void leave_two(float *part, int row, int col, float x, float y) {
    *(float2 *)&part[row * BN + col] = make_float2(x, y);
}
template <int BN> static __device__ __forceinline__ void leave_two(int *part, int row, int col, int x, int y) {
    *(int2 *)&part[row * BN + col] = make_int2(x, y);
}

/* Waits until all blocks of the tile have left their part. The counter goes up to `parts` as they come, and on to twice
 * that as they go, when it wraps around to zero for the next launch. */
static __device__ __forceinline__ void meet(unsigned *met, unsigned parts, int thread, int threads, int barrier) {
    named_barrier_wait(barrier, threads);
    if (thread == 0) {
        __threadfence(); /* everyone's sums before the count */
        atomicInc(met, 2 * parts - 1);
        while (load_acquire(met) < parts) __nanosleep(20);
        atomicInc(met, 2 * parts - 1);
    }
    named_barrier_wait(barrier, threads);
}

template <typename T> struct __align__(4 * sizeof(T)) four {
    T at[4];
};

/* Fours of C are stored as wholes where they are aligned in all rows and do not end beyond the last column. */
template <typename OUT, class PROBLEM> static __device__ __forceinline__ bool is_fours(const PROBLEM &p) {
    return ((uintptr_t)p.C | (uintptr_t)p.ldc * sizeof(OUT)) % sizeof(four<OUT>) == 0;
}

/* alpha*sum + beta*C for four neighbours in a row of C each, those that exist: all old ones are read before the first
 * is needed. */
template <typename OUT, typename SUM, int COUNT, class PROBLEM>
static __device__ __forceinline__ void store_fours(const PROBLEM &p, const int2 (&at)[COUNT],
                                                   const four<SUM> (&sum)[COUNT], bool fours) {
    four<OUT> c[COUNT] = {};
    if (p.beta != 0.0f) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            if (at[i].x >= p.m) continue;
            const OUT *from = gemm_at((const OUT *)p.C, p.ldc, at[i].x, at[i].y);
            if (fours && at[i].y + 4 <= p.n) {
                c[i] = *(const four<OUT> *)from;
                continue;
            }
#pragma unroll
            for (int e = 0; e < 4; e++)
                if (at[i].y + e < p.n) c[i].at[e] = from[e];
        }
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        if (at[i].x >= p.m) continue;
        OUT *to = gemm_at((OUT *)p.C, p.ldc, at[i].x, at[i].y);
#pragma unroll
        for (int e = 0; e < 4; e++) c[i].at[e] = blend(p, sum[i].at[e], c[i].at[e]);
        if (fours && at[i].y + 4 <= p.n) {
            *(four<OUT> *)to = c[i];
            continue;
        }
#pragma unroll
        for (int e = 0; e < 4; e++)
            if (at[i].y + e < p.n) to[e] = c[i].at[e];
    }
}

/* The sum over the lanes that differ in bits 2, 3 and 4 of their number, in the same order in each. */
template <typename SUM> static __device__ __forceinline__ void add_lanes(four<SUM> *x) {
#pragma unroll
    for (int bit = 4; bit < 32; bit *= 2)
#pragma unroll
        for (int e = 0; e < 4; e++) x->at[e] += __shfl_xor_sync(~0u, x->at[e], bit);
}

/* The place of the sum at (row, col) in a part of bn columns: */
static __device__ __forceinline__ int place_of(int bn, int row, int col) {
    return ((row / 16 * (bn / 8) + col / 8) * 32 + row % 8 * 4 + col % 8 / 2) * 4 + row % 16 / 8 * 2 + col % 2;
}

/* Leaves the sums x[0] to x[3] of a fragment of mma.sync or wgmma, 16 rows by 8 columns, in a part: fragment after
 * fragment, as they lie in the lanes, so that a warp writes 512 bytes one after the other. */
template <typename SUM>
static __device__ __forceinline__ void leave_fragment(SUM *part, int bn, int row, int col, int lane, const SUM *x) {
    *((four<SUM> *)part + (row / 16 * (bn / 8) + col / 8) * 32 + lane) = {x[0], x[1], x[2], x[3]};
}

/* A lane has two neighbours in a row and the two that lie eight rows below. Every second lane swaps two of them for two
 * of the lane before, and each has four neighbours. */
template <typename SUM> static __device__ __forceinline__ void swap_rows(four<SUM> *x, bool odd) {
    const SUM x0 = __shfl_xor_sync(~0u, odd ? x->at[0] : x->at[2], 1);
    const SUM x1 = __shfl_xor_sync(~0u, odd ? x->at[1] : x->at[3], 1);
    *x = odd ? four<SUM>{x0, x1, x->at[2], x->at[3]} : four<SUM>{x->at[0], x->at[1], x0, x1};
}

/* Four sums of a lane in a fragment of C's transpose: two rows of C, and in each a column and the eighth after it. */
template <typename OUT, typename SUM, class PROBLEM>
static __device__ __forceinline__ void store_swapped(const PROBLEM &p, int row, int col, OUT *c, const four<SUM> &sum) {
#pragma unroll
    for (int e = 0; e < 4; e++) {
        if (row + e % 2 >= p.m || col + e / 2 * 8 >= p.n) continue;
        OUT *to = gemm_at(c, p.ldc, row + e % 2, col + e / 2 * 8);
        *to = blend(p, sum.at[e], p.beta == 0.0f ? OUT(0) : *to);
    }
}

/* Adds up this block's share of the tile of bm x bn at row0, col0 and stores it: `part` is its number among `parts`.
 * Fours of sums are dealt out in pairs, those of fragments in which C has rows. Where parts are many, fours are few:
 * then eight lanes add up a four, an eighth of the parts each. TOGETHER fours of as many parts are in flight at a time.
 * `swapped`: it is a tile of C's transpose. */
template <typename OUT, int TOGETHER = 4, typename SUM, class PROBLEM>
static __device__ __forceinline__ void add_parts(const PROBLEM &p, int bm, int bn, int row0, int col0, const SUM *sums,
                                                 int part, int parts, int thread, int threads, bool swapped = false) {
    const int across = bn / 8;
    const int pairs = (min(bm, (swapped ? p.n : p.m) - row0) + 15) / 16 * across * 16,
              end = pairs * (part + 1) / parts * 2;
    const bool fours = is_fours<OUT>(p), odd = thread % 2;
    const int lanes = parts > 8 ? 8 : 1, step = threads / lanes; /* for a four; fours from one to the next of a lane */
    const int of_four = lanes > 1 ? thread % 32 / 4 : 0, first = lanes > 1 ? thread / 32 * 4 + thread % 4 : thread;
#pragma unroll 1
    for (int base = pairs * part / parts * 2; base < end; base += TOGETHER * step) {
        const int at = base + first;
        four<SUM> sum[TOGETHER] = {};
#pragma unroll 1
        for (int s0 = of_four; s0 < parts; s0 += TOGETHER * lanes) {
            uint4 bits[TOGETHER][TOGETHER] = {};
#pragma unroll
            for (int s = 0; s < TOGETHER; s++)
#pragma unroll
                for (int i = 0; i < TOGETHER; i++)
                    if (s0 + s * lanes < parts && at + i * step < end) /* from L2: L1 may hold an earlier launch's */
                        bits[s][i] = __ldcg((const uint4 *)(sums + (s0 + s * lanes) * (bm * bn)) + at + i * step);
#pragma unroll
            for (int s = 0; s < TOGETHER; s++)
#pragma unroll
                for (int i = 0; i < TOGETHER; i++) {
                    four<SUM> x;
                    memcpy(&x, &bits[s][i], sizeof x);
#pragma unroll
                    for (int e = 0; e < 4; e++) sum[i].at[e] += x.at[e];
                }
        }
        int2 to[TOGETHER];
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) {
            const int here = at + i * step;
            if (lanes > 1) add_lanes(&sum[i]);
            if (swapped) {
                if (here < end && of_four == 0)
                    store_swapped(p, col0 + here / 32 % across * 8 + here % 4 * 2,
                                  row0 + here / 32 / across * 16 + here % 32 / 4, (OUT *)p.C, sum[i]);
                continue;
            }
            swap_rows(&sum[i], odd);
            const int row = here / 32 / across * 16 + odd * 8 + here % 32 / 4;
            to[i] = make_int2(here < end && of_four == 0 ? row0 + row : p.m,
                              col0 + here / 32 % across * 8 + here % 4 / 2 * 4);
        }
        if (!swapped) store_fours<OUT>(p, to, sum, fours);
    }
}
