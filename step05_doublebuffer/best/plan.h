/* Which kernel, how many tiles of C as wholes, how many divided among how many workers: what is estimated to be the
 * fastest. An estimate in clocks of a multiprocessor:
 *
 *   a tile of K      BM * BN * BK multiply-adds, `rate` of them in a clock (costs.h: less where warps are few); more
 *                    where B has to be copied by words
 *   a block          `overhead`: until the first tile of K is there, and for storing the results
 *   a sum of two     LEFT, when workers add up a tile that was divided among them: in pairs in tiles with slices,
 *                    else one after the other
 *   a launch         LAUNCH, of the kernel that aligns B, and the bytes that it moves
 *   the operands     no plan is done before DRAM has moved each of them once
 *
 * In clocks of 1.77 GHz, and fitted to an H200's times: of each tile from 64 x 64 on, whole and divided, at 172 shapes,
 * of the smaller ones at 69; LEFT, the overhead of the smallest, and most of what thin kernels and a short k cost, at
 * 212 shapes, most of them small, short or thin.
 */
#pragma once

#include <limits.h>

#include "costs.h"
#include "gemm/gemm_kernel.cuh"

struct plan;
typedef cudaError_t (*plan_launch)(const sgemm_problem &p, const plan &x, cudaStream_t stream);

struct plan {
    double clocks;
    int64_t whole, divided; /* tiles of C, in this order */
    int workers;            /* that the second are divided among; thin kernels: that each of the first is */
    int along_k;            /* thin kernels: warps or threads of a block side by side along k */
    bool vector_b, align;   /* B consists of whole float4, if need be because it is copied first */
    int shared_limit;       /* bytes of shared memory that a block may have */
    plan_launch launch;
};

struct planner {
    const sgemm_problem *p;
    int sms, shared_limit;
    bool may_align;
    plan *best;
};

struct tile_costs {
    double rate, overhead;
};

static const double LEFT = 2600, LAUNCH = 8700;
static const double WORDS = 1.126;      /* times what copying B by float4 costs, in tiles up to 64 high */
static const double ALIGN_BYTES = 2300; /* read or written in a clock, by all multiprocessors */
static const double DRAM_BYTES = 2400, L2_BYTES = 2350; /* the same, at most */

/* The bytes of B in rows of whole float4. */
static inline size_t aligned_bytes(const sgemm_problem &p) {
    return (size_t)p.k * (((size_t)p.n + 3) / 4 * sizeof(float4));
}

/* The clocks in which A is read so many times, B so many, and C is written. */
static inline double memory_clocks(const sgemm_problem &p, double a_times, double b_times, double bytes) {
    const double a = (double)p.m * p.k, b = (double)p.k * p.n, c = (double)p.m * p.n * (p.beta == 0.0f ? 1 : 2);
    return (a * a_times + b * b_times + c) * sizeof(float) / bytes;
}

static inline void take_cheaper(const planner &to, const plan &x) {
    if (to.best->launch == NULL || x.clocks < to.best->clocks) *to.best = x;
}

/* The next number of parts to try: each up to 8, then steps of an eighth (tiles) or a quarter. */
static inline int64_t next_parts(int64_t parts, int steps) {
    return parts + (parts < 8 ? 1 : parts / steps);
}

/* Makes it the plan to compute with tile T, of which `launch` launches the kernels, if that is faster. */
template <class T> static void consider(const planner &to, plan_launch launch, tile_costs costs) {
    const sgemm_problem &p = *to.p;
    const int64_t tiles = ceil_div(p.m, T::BM) * ceil_div(p.n, T::BN), tiles_k = ceil_div(p.k, T::BK);
    const bool is_vector = gemm_is_float4(p.B, p.ldb, p.n);
    if (tiles > INT_MAX || T::shared_bytes(true) > to.shared_limit) return;
    const double least = memory_clocks(p, 1, 1, DRAM_BYTES);
    const int per_sm = at_a_time(T::PER_SM, T::shared_bytes(true), to.shared_limit);

    for (int align = 0; align <= (!is_vector && to.may_align && p.k > 0); align++) {
        const bool vector_b = is_vector || align;
        if (!vector_b && !(T::TAKES_WORDS && T::shared_bytes(false) <= to.shared_limit)) continue;
        const double words = T::BM <= 64 ? WORDS : 1 + (WORDS - 1) * 64 / T::BM; /* the higher the tile, the fewer */
        const double tile_of_k = T::BM * T::BN * T::BK / costs.rate * (vector_b ? 1 : words);
        const double before = align ? LAUNCH + 2 * aligned_bytes(p) / ALIGN_BYTES : 0;
        /* No division would help: worth asking first, as a plan takes the host's time at each launch. */
        if (to.best->launch != NULL && before + tiles * tiles_k * tile_of_k / to.sms >= to.best->clocks) continue;
        auto offer = [&](int64_t divided, int64_t workers) {
            if (divided * tiles_k > INT_MAX / 2) return; /* units are numbered by an int, a share past the last */
            double products = 0, clocks = before;
            if (tiles > divided) {
                int64_t each = ceil_div(tiles - divided, to.sms); /* that a multiprocessor computes */
                products += products_of(each, per_sm, T::THREADS / 32, tiles_k * tile_of_k);
                clocks += ceil_div(each, per_sm) * costs.overhead;
            }
            if (divided > 0) {
                int64_t share = ceil_div(divided * tiles_k, workers), each = ceil_div(workers, to.sms);
                bool even = workers % divided == 0; /* nobody has parts of two tiles */
                double pieces = even ? 1 : 1 + (double)divided / workers;
                products += products_of(each, per_sm, T::THREADS / 32, share * tile_of_k);
                clocks += pieces * costs.overhead;
                int64_t parts = ceil_div(workers, divided) + !even; /* of a tile */
                if (T::SLICES == 1)
                    clocks += (parts - 1) * LEFT;
                else
                    for (; parts > 1; parts = ceil_div(parts, 2)) clocks += LEFT;
            }
            clocks += products > least ? products : least;
            take_cheaper(
                to, {clocks, tiles - divided, divided, (int)workers, 0, vector_b, align != 0, to.shared_limit, launch});
        };

        offer(0, 0);
        const int64_t room = T::DIVIDES ? (int64_t)to.sms * per_sm : 0; /* for workers that run at once */
        for (int64_t parts = 2; parts * tiles <= room && parts <= tiles_k; parts = next_parts(parts, 8))
            offer(tiles, parts * tiles);
        const int64_t rest = room > 0 ? tiles % room : 0, divided = tiles < room ? rest : rest + room;
        if (rest > 0 && divided * tiles_k >= room) offer(divided, room);
    }
}

/* ---- thin kernels ---- */

/* A unit (a warp of strips, a thread of dots) has rows x cols results and `deep` values of k in flight; a block has
 * `units` of them, all, or 1, step, step^2 ... of them side by side along k, which costs `adding` clocks to add up. */
struct thin_shape {
    int rows, cols, units, step, deep;
    double rate, adding;
};

static const int DOT_ROWS = 8;
static const int THIN_WORDS = 384 * 2048, THIN_TILES = 1024; /* room for sums that blocks leave, for tiles of C */
/* Until the first words are there and for storing; for words from DRAM; for leaving sums, and finding them all. */
static const double THIN = 2000, LATENCY = 1860, PARTS = 3300;
static const double SM_BYTES = 12.5;   /* of the operands, in a clock of a multiprocessor, at most */
static const double PART_BYTES = 41.5; /* of others' sums, by one block */

/* How many lines of L1 a warp touches whose lanes have a row each. */
static inline int lines_of(int ld) {
    return ld < 32 ? ld : 32;
}

/* The multiply-adds in a clock for which the loads of dots leave time: a row of A's words at once, B's a row a lane. */
static inline double dots_rate(const sgemm_problem &p, int cols) {
    const bool vector = cols >= 4 && gemm_is_float4(p.B, p.ldb, p.n);
    const int loads = vector ? cols / 4 : p.n < cols ? p.n : cols, lines = lines_of(p.ldb);
    return 32.0 * DOT_ROWS * cols / (DOT_ROWS + loads * (vector && lines < 4 ? 4 : lines));
}

/* The same as `consider` for a thin kernel. */
static inline void consider_thin(const planner &to, plan_launch launch, const thin_shape &t) {
    const sgemm_problem &p = *to.p;
    const double least = memory_clocks(p, 1, 1, DRAM_BYTES);
    const bool dots = t.step < t.units;
    const double loads = dots ? dots_rate(p, t.cols) : t.rate, rate = loads < t.rate ? loads : t.rate;
    /* A warp waits for its loads and multiplies in turn; four side by side have `rate`, one alone half of it. */
    const double turn = LATENCY + (double)t.rows * t.cols * (dots ? 32 : 1) * t.deep / (rate / 2);
    if (to.best->launch != NULL && THIN + least >= to.best->clocks) return;
    for (int along_k = 1; along_k <= t.units && (along_k == 1 || along_k / 2 < p.k); along_k *= t.step) {
        /* The loads of a warp of dots are to fill the 32 bytes of a sector before the next ones. */
        if (dots && along_k < 32 && along_k * t.deep < p.k) continue;
        const int64_t rows = (int64_t)t.rows * (t.units / along_k), words = rows * t.cols;
        const int64_t tiles_m = ceil_div(p.m, rows), tiles_n = ceil_div(p.n, t.cols), tiles = tiles_m * tiles_n;
        if (tiles > INT_MAX) continue;
        const double again = memory_clocks(p, (double)tiles_n, (double)tiles_m, L2_BYTES);
        for (int64_t parts = 1; parts == 1 || tiles * parts <= 4 * to.sms; parts = next_parts(parts, 4)) {
            if (parts > 1 && (along_k < t.units || parts * along_k > p.k || tiles > THIN_TILES ||
                              tiles * parts * words > THIN_WORDS))
                break;
            const int64_t blocks = tiles * parts, each = ceil_div(blocks, to.sms), waves = ceil_div(each, 2);
            const double products = (double)each * words * ceil_div(p.k, parts) / rate;
            const double waiting = waves * ceil_div(p.k, parts * along_k * t.deep) * turn;
            const double narrow = blocks < to.sms ? memory_clocks(p, 1, 1, SM_BYTES * blocks) : 0;
            double clocks = least > again ? least : again;
            if (narrow > clocks) clocks = narrow;
            if (products > clocks) clocks = products;
            if (waiting > clocks) clocks = waiting;
            clocks += THIN + (along_k > 1 ? each * t.adding : 0);
            if (dots) clocks += (double)each * words * lines_of(p.ldc) / 32; /* stores, a word a lane */
            if (parts > 1) clocks += PARTS + t.adding + (double)parts * words * sizeof(float) / PART_BYTES;
            take_cheaper(to, {clocks, tiles, 0, (int)parts, along_k, false, false, 0, launch});
        }
    }
}

/* ---- short k ---- */

static const int SHORT_M = 64, SHORT_N = 128, SHORT_K = 32; /* the tile of sgemm_short */
static const int WORDS_BLOCK = 256;                         /* words of C of a block of sgemm_words */
/* Until the first words are there and for storing; multiply-adds in a clock; clocks of a wave of three tiles without
 * them, and more for each further SHORT_K. */
static const double SHORT = 1000, SHORT_RATE = 72, SHORT_WAVE = 1650, SHORT_MORE = 784;
/* The same; bytes that L1 delivers in a clock, of two words for each multiply-add; until eight values of k are there;
 * clocks of a block, at least. (Eight blocks are taken to wait at a time.) */
static const double WORDS_START = 800, WORDS_BYTES = 60.2, WORDS_TURN = 909, WORDS_EACH = 480;

static inline void consider_short(const planner &to, plan_launch launch) {
    const sgemm_problem &p = *to.p;
    const int64_t tiles = ceil_div(p.m, SHORT_M) * ceil_div(p.n, SHORT_N), each = ceil_div(tiles, to.sms);
    if (tiles > INT_MAX) return;
    const double least = memory_clocks(p, 1, 1, DRAM_BYTES), more = (double)((p.k - 1) / SHORT_K);
    const double products = (double)each * (double)ceil_div(p.k, 4) * 4 * SHORT_M * SHORT_N / SHORT_RATE;
    const double clocks = products + (double)ceil_div(each, 3) * (SHORT_WAVE + more * SHORT_MORE);
    take_cheaper(to, {SHORT + (clocks > least ? clocks : least), tiles, 0, 1, 1, false, false, 0, launch});
}

static inline void consider_words(const planner &to, plan_launch launch) {
    const sgemm_problem &p = *to.p;
    const int64_t blocks = ceil_div((int64_t)p.m * p.n, WORDS_BLOCK), each = ceil_div(blocks, to.sms);
    if (blocks > INT_MAX / WORDS_BLOCK) return;
    const double loads = (double)each * WORDS_BLOCK * p.k * 2 * sizeof(float) / WORDS_BYTES;
    const double waiting = (double)ceil_div(each, 8) * (double)ceil_div(p.k, 8) * WORDS_TURN;
    double clocks = memory_clocks(p, 1, 1, DRAM_BYTES);
    if (loads > clocks) clocks = loads;
    if (waiting > clocks) clocks = waiting;
    if ((double)each * WORDS_EACH > clocks) clocks = (double)each * WORDS_EACH;
    take_cheaper(to, {WORDS_START + clocks, blocks, 0, 1, 1, false, false, 0, launch});
}
