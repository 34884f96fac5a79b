/* Which tile, how many tiles of C as wholes, how many divided among how many workers: what is estimated to be the
 * fastest. An estimate in clocks of a multiprocessor:
 *
 *   a tile of K      BM * BN * BK multiply-adds, `rate` of them in a clock; more where B has to be copied by words
 *   a block          `overhead`: until the first tile of K is there, and for storing the results
 *   a sum of two     LEFT, when workers add up a tile that was divided among them: in pairs in tiles with slices,
 *                    else one after the other
 *   a launch         LAUNCH, of the kernel that aligns B, and the bytes that it moves
 *
 * The constants are fitted to measurements on an H200 of every tile and division at 44 shapes. */
#ifndef KL_PLAN_H
#define KL_PLAN_H

#include <limits.h>

#include "gemm/gemm_kernel.cuh"

struct plan {
    double clocks;
    int64_t whole, divided; /* tiles of C, in this order */
    int workers;            /* that the second are divided among */
    bool vector_b, align;   /* B consists of whole float4, if need be because it is copied first */
    int shared_limit;       /* bytes of shared memory that a block may have */
    cudaError_t (*launch)(const sgemm_problem &p, const plan &x, cudaStream_t stream);
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

static const double LEFT = 2690, LAUNCH = 3360;
static const double WORDS = 1.07;      /* times what copying B by float4 costs */
static const double ALIGN_BYTES = 806; /* read or written in a clock, by all multiprocessors */

/* The bytes of B in rows of whole float4. */
static inline size_t aligned_bytes(const sgemm_problem &p) {
    return (size_t)p.k * (((size_t)p.n + 3) / 4 * sizeof(float4));
}

static inline int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/* Makes it the plan to compute with tile T, of which `launch` launches the kernels, if that is faster. */
template <class T>
static void consider(const planner &to, cudaError_t (*launch)(const sgemm_problem &, const plan &, cudaStream_t),
                     tile_costs costs) {
    const sgemm_problem &p = *to.p;
    const int64_t tiles = ceil_div(p.m, T::BM) * ceil_div(p.n, T::BN), tiles_k = ceil_div(p.k, T::BK);
    const bool is_vector = gemm_is_float4(p.B, p.ldb, p.n);
    if (tiles > INT_MAX || T::shared_bytes(true) > to.shared_limit) return;

    for (int align = 0; align <= (!is_vector && to.may_align && p.k > 0); align++) {
        const bool vector_b = is_vector || align;
        if (!vector_b && !T::TAKES_WORDS) continue;
        const double tile_of_k = T::BM * T::BN * T::BK / costs.rate * (vector_b ? 1 : WORDS);
        const double before = align ? LAUNCH + 2 * aligned_bytes(p) / ALIGN_BYTES : 0;
        auto offer = [&](int64_t divided, int64_t workers) {
            if (divided * tiles_k > INT_MAX / 2) return; /* units are numbered by an int, a share past the last */
            double clocks = before;
            if (tiles > divided) {
                int64_t each = ceil_div(tiles - divided, to.sms); /* that a multiprocessor computes */
                clocks += each * tiles_k * tile_of_k + ceil_div(each, T::PER_SM) * costs.overhead;
            }
            if (divided > 0) {
                int64_t share = ceil_div(divided * tiles_k, workers), each = ceil_div(workers, to.sms);
                bool even = workers % divided == 0; /* nobody has parts of two tiles */
                double pieces = even ? 1 : 1 + (double)divided / workers;
                clocks += each * share * tile_of_k + pieces * costs.overhead;
                int64_t parts = ceil_div(workers, divided) + !even; /* of a tile */
                if (T::SLICES == 1)
                    clocks += (parts - 1) * LEFT;
                else
                    for (; parts > 1; parts = ceil_div(parts, 2)) clocks += LEFT;
            }
            if (to.best->launch == NULL || clocks < to.best->clocks)
                *to.best = {clocks,   tiles - divided, divided,         (int)workers,
                            vector_b, align != 0,      to.shared_limit, launch};
        };

        offer(0, 0);
        const int64_t room = T::DIVIDES ? (int64_t)to.sms * T::PER_SM : 0; /* for workers that run at once */
        for (int64_t workers = 2 * tiles; workers <= room && workers <= tiles * tiles_k; workers += tiles)
            offer(tiles, workers);
        const int64_t rest = room > 0 ? tiles % room : 0, divided = tiles < room ? rest : rest + room;
        if (rest > 0 && divided * tiles_k >= room) offer(divided, room);
    }
}

#endif
