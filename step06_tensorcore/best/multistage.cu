/* Chooses the configuration of the multistage kernel (multistage.cuh, read that first) for a problem and launches it;
 * f16 is instantiated here.
 *
 * A plan is a tile, how many tiles of C are computed as wholes, and into how many parts along K each of the others is
 * divided (reduce_parts.cuh). Chosen is what is estimated to take the fewest clocks of a multiprocessor:
 *
 *   tiles of C        |-- whole waves, one tile a block --|-- the rest: parts of a tile a block --|
 *   clocks            tiles of K x step, + overhead        parts of K x step, + overhead, + the exchange of sums
 *
 * and not fewer than memory takes for A, B and C. If C is a row or a column, thin.cu's kernels are a choice, too. */
#include "multistage.h"

#include "best.h"
#include "multistage.cuh"
#include "thin.h"

static const int64_t LAUNCH = 2000;       /* clocks */
static const int64_t MEETING = 2500;      /* until all blocks of a tile have met, and what they left is there */
static const int64_t EXCHANGE_BYTES = 48; /* of sums that a multiprocessor writes or reads in a clock */
static const int64_t MEMORY_SHARE = 90;   /* percent of its rate that memory delivers */

typedef struct {
    int64_t clocks;
    multistage_choice *choice; /* NULL: launch_thin */
    int64_t whole;             /* tiles */
    int parts;                 /* of each of the other tiles */
} multistage_plan;

/* What the plan knows of the current device. */
typedef struct {
    int device, sms;
    int64_t memory; /* bytes that it delivers in a hundred clocks of a multiprocessor; 0: not known */
} machine;

/* Queried once per device. */
static cudaError_t query_machine(machine *now) {
    static machine known = {-1, 0, 0};
    int device, clock = 0, memory = 0, width = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess && device != known.device) {
        error = cudaDeviceGetAttribute(&known.sms, cudaDevAttrMultiProcessorCount, device);
        if (error == cudaSuccess) error = cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device);
        if (error == cudaSuccess) error = cudaDeviceGetAttribute(&memory, cudaDevAttrMemoryClockRate, device);
        if (error == cudaSuccess) error = cudaDeviceGetAttribute(&width, cudaDevAttrGlobalMemoryBusWidth, device);
        if (error != cudaSuccess) return error;
        known.memory = clock > 0 ? MEMORY_SHARE * 2 * memory * (width / 8) / clock : 0;
        known.device = device;
    }
    *now = known;
    return error;
}

/* How many blocks a multiprocessor holds; queried once per device. */
static cudaError_t query_room(multistage_choice *c, int device) {
    if (c->device == device) return cudaSuccess;
    /* more than 48 KB is available only on request */
    cudaError_t error = cudaFuncSetAttribute(c->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, c->bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&c->per_sm, c->kernel, c->threads, c->bytes);
    if (error == cudaSuccess) c->device = device;
    return error;
}

static int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Makes it the plan to compute `whole` tiles as wholes and divide the others, if that is faster. `floor`: the clocks
 * that memory takes, if there is always enough in flight. */
static void offer(multistage_plan *best, multistage_choice *c, const gemm_problem *p, const machine *on, int64_t floor,
                  int64_t whole, int64_t parts) {
    const int64_t tiles = ceil_div(p->m, c->bm) * ceil_div(p->n, c->bn), tiles_k = ceil_div(p->k, c->bk);
    const int64_t blocks = (tiles - whole) * parts, room = (int64_t)on->sms * c->per_sm;
    int64_t multiply = 0, steps = 0, besides = LAUNCH; /* steps: tiles of K, one after the other */
    if (whole > 0) {
        const int64_t waves = ceil_div(whole, room);
        multiply += larger(ceil_div(whole, on->sms) * c->step, c->alone) * tiles_k;
        steps += waves * tiles_k;
        besides += waves * c->overhead;
    }
    if (blocks > 0) {
        const int64_t share = ceil_div(tiles_k, parts), each = ceil_div(blocks, on->sms);
        const int64_t sums = (int64_t)(p->m < c->bm ? p->m : c->bm) * c->bn;
        multiply += larger(each * c->step, c->alone) * share;
        steps += share;
        besides += c->overhead + MEETING + each * sums * 2 * 4 / EXCHANGE_BYTES;
    }
    const int64_t clocks = larger(multiply, floor + steps * c->alone / 4) + besides;
    if (best->choice == NULL || clocks < best->clocks) *best = {clocks, c, whole, (int)parts};
}

/* The same for all plans of a tile: nothing is divided, all tiles are, or those of the last wave. */
static void consider(multistage_plan *best, multistage_choice *c, const gemm_problem *p, const machine *on,
                     int64_t floor, bool may_divide) {
    const int64_t tiles = ceil_div(p->m, c->bm) * ceil_div(p->n, c->bn), tiles_k = ceil_div(p->k, c->bk);
    offer(best, c, p, on, floor, tiles, 1);
    const int64_t rest = tiles % on->sms, whole = tiles - rest;
    if (!may_divide || rest == 0 || rest > MAX_DIVIDED) return;
    for (int64_t each = 1; each <= c->per_sm; each++) {
        int64_t parts = each * on->sms / rest;
        if (parts > tiles_k) parts = tiles_k;
        if (parts < 2) continue;
        /* As few parts as have no more tiles of K each. */
        offer(best, c, p, on, floor, whole, ceil_div(tiles_k, ceil_div(tiles_k, parts)));
    }
}

/* The choices for the problem's type and layout. */
static multistage_choice *choices(const gemm_problem *p, int *count) {
    if (p->type == GEMM_BF16) return multistage_bf16(p->layout, count);
    if (p->type == GEMM_S8) return multistage_s8(count);
    if (p->type == GEMM_TF32) return multistage_tf32(p->layout, count);
    return p->layout == GEMM_TN ? multistage_choices<GEMM_F16, GEMM_TN>(count)
                                : multistage_choices<GEMM_F16, GEMM_NN>(count);
}

/* Bytes that memory moves: A, B and C, once. */
static int64_t bytes_of_all(const gemm_problem *p) {
    const int64_t in = dtype_size(gemm_operand_dtype(p->type)), out = dtype_size(p->out);
    const int64_t c = (int64_t)p->m * p->n * out;
    return ((int64_t)p->m + p->n) * p->k * in + (p->beta == 0.0f ? c : 2 * c);
}

/* The plan for p, as gemm_effective gives it, m, n > 0. */
static cudaError_t make_plan(const gemm_problem *p, bool may_divide, multistage_plan *best) {
    machine on;
    cudaError_t error = query_machine(&on);
    if (error != cudaSuccess) return error;
    const uintptr_t SIZE = dtype_size(gemm_operand_dtype(p->type));
    const bool aligned = ((uintptr_t)p->A | (uintptr_t)p->B | p->lda * SIZE | p->ldb * SIZE) % 16 == 0;
    const int64_t floor = on.memory > 0 ? bytes_of_all(p) * 100 / on.memory : 0;
    int count;
    multistage_choice *all = choices(p, &count);
    *best = {};
    for (int i = 0; i < count; i++) {
        if (all[i].aligned != aligned) continue;
        if ((error = query_room(&all[i], on.device)) != cudaSuccess) return error;
        if (all[i].per_sm > 0) consider(best, &all[i], p, &on, floor, may_divide);
    }
    if (best->choice == NULL) return cudaErrorInvalidConfiguration;
    const int64_t thin = cycles_thin(p, on.sms, floor);
    if (thin < INT64_MAX && thin + LAUNCH < best->clocks) *best = {thin + LAUNCH, NULL, 0, 1};
    return cudaSuccess;
}

static bool is_known(const gemm_problem *p) {
    return p->type == GEMM_F16 || p->type == GEMM_BF16 || p->type == GEMM_TF32 ||
           (p->type == GEMM_S8 && p->layout == GEMM_TN);
}

static int64_t divided_tiles(const multistage_plan *x, const gemm_problem *p) {
    if (x->choice == NULL) return 0;
    return ceil_div(p->m, x->choice->bm) * ceil_div(p->n, x->choice->bn) - x->whole;
}

/* The one used for large aligned problems. */
extern "C" kernel_info kernel_multistage(void) {
    int count;
    const multistage_choice *c = multistage_choices<GEMM_F16, GEMM_TN>(&count);
    return {(const void *)c->kernel, c->threads, (size_t)c->bytes};
}

extern "C" size_t workspace_multistage(const gemm_problem *problem) {
    const gemm_problem p = gemm_effective(problem);
    multistage_plan x;
    if (p.m == 0 || p.n == 0 || !is_known(&p) || make_plan(&p, true, &x) != cudaSuccess) return 0;
    const int64_t divided = divided_tiles(&x, &p);
    return divided > 0 ? parts_bytes(divided, x.parts, x.choice->bm, x.choice->bn) : 0;
}

extern "C" int64_t cycles_multistage(const gemm_problem *problem) {
    const gemm_problem p = gemm_effective(problem);
    multistage_plan x;
    if (p.m == 0 || p.n == 0) return 0;
    return is_known(&p) && make_plan(&p, true, &x) == cudaSuccess ? x.clocks : INT64_MAX;
}

extern "C" cudaError_t launch_multistage(const gemm_problem *problem, cudaStream_t stream) {
    const gemm_problem p = gemm_effective(problem);
    multistage_plan x;
    if (p.m == 0 || p.n == 0) return cudaSuccess;
    if (!is_known(&p)) return cudaErrorInvalidValue;
    const cudaError_t error = make_plan(&p, p.workspace != NULL, &x);
    if (error != cudaSuccess) return error;
    if (x.choice == NULL) return launch_thin(&p, stream);
    const int64_t blocks = x.whole + divided_tiles(&x, &p) * x.parts;
    x.choice->kernel<<<(unsigned)blocks, x.choice->threads, x.choice->bytes, stream>>>(p, (int)x.whole, x.parts);
    return cudaGetLastError();
}
