/* Chooses the configuration of the multistage kernel (multistage.cuh, read that first) for a problem and launches it;
 * f16 is instantiated here.
 *
 * A plan is a tile, how many tiles of C are computed as wholes, and into how many parts along K each of the others is
 * divided (reduce_parts.cuh). Chosen is what is estimated to take the fewest clocks of a multiprocessor:
 *
 *   tiles of C        |-- whole waves, one tile a block --|-- the rest: parts of a tile a block --|
 *   clocks            tiles of K x step, + overhead        parts of K x step, + overhead, + the exchange of sums
 *
 * and not fewer than memory takes for A, B and C; costs.h and the table of tiles have the constants. If C has few rows
 * or columns, thin.cu's kernels are a choice, too, and for little products little.cu's. */
#include "multistage.h"

#include "best.h"
#include "gemm/launch.cuh"
#include "little.h"
#include "multistage.cuh"
#include "thin.h"

/* What the plan knows of the current device. */
typedef struct {
    int device, sms;
    double memory; /* memory_per_clock */
} machine;

/* Queried once per device. */
static cudaError_t query_machine(machine *now) {
    static machine known = {-1, 0, 0};
    int device;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess && device != known.device) {
        error = cudaDeviceGetAttribute(&known.sms, cudaDevAttrMultiProcessorCount, device);
        if (error != cudaSuccess) return error;
        known.memory = memory_per_clock(device);
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

static double larger(double a, double b) {
    return a > b ? a : b;
}

static int64_t tiles_of(const multistage_choice *c, const gemm_problem *p) {
    return ceil_div(p->m, c->bm) * ceil_div(p->n, c->bn);
}

/* The clocks with `whole` tiles as wholes and the others divided. `floor`: those that memory takes, if there is always
 * enough in flight. */
static double clocks_of(const multistage_choice *c, const gemm_problem *p, const machine *on, double floor,
                        int64_t whole, int64_t parts, const plan_costs *x) {
    const int64_t tiles_k = ceil_div(p->k, c->bk), blocks = (tiles_of(c, p) - whole) * parts;
    const double step = c->step * (c->aligned ? x->step : x->any_step);
    const double alone = c->alone * (c->aligned ? x->alone : x->any_alone);
    const double overhead = c->overhead * (c->aligned ? x->overhead : x->any_overhead);
    double multiply = 0, steps = 0, besides = x->stage_launch; /* steps: tiles of K, one after the other */
    if (whole > 0) {
        const double waves = (double)ceil_div(whole, (int64_t)on->sms * c->per_sm);
        multiply += larger((double)ceil_div(whole, on->sms) * step, alone) * (double)tiles_k;
        steps += waves * (double)tiles_k;
        besides += waves * overhead;
    }
    if (blocks > 0) {
        const double share = (double)ceil_div(tiles_k, parts), each = (double)ceil_div(blocks, on->sms);
        const double sums = (double)(p->m < c->bm ? p->m : c->bm) * c->bn;
        multiply += larger(each * step, alone) * share;
        steps += share;
        besides += overhead + x->stage_meet + each * sums * 2 * 4 / x->stage_sums;
    }
    return larger(multiply, floor + steps * alone / 4) + besides;
}

/* Makes it the plan, if that is faster. */
static void offer(multistage_plan *best, int tile, const multistage_choice *c, const gemm_problem *p, const machine *on,
                  double floor, int64_t whole, int64_t parts, const plan_costs *costs) {
    const double clocks = clocks_of(c, p, on, floor, whole, parts, costs);
    if (clocks < best->clocks) *best = {clocks, tile, (int)parts, whole, 0};
}

/* The same for all plans of a tile: nothing is divided, all tiles are, or those of the last wave. */
static void consider(multistage_plan *best, int tile, const multistage_choice *c, const gemm_problem *p,
                     const machine *on, double floor, bool may_divide, const plan_costs *costs) {
    const int64_t tiles = tiles_of(c, p), tiles_k = ceil_div(p->k, c->bk);
    offer(best, tile, c, p, on, floor, tiles, 1, costs);
    const int64_t rest = tiles % on->sms, whole = tiles - rest;
    if (!may_divide || rest == 0 || rest > MAX_DIVIDED) return;
    for (int64_t each = 1; each <= c->per_sm; each++) {
        int64_t parts = each * on->sms / rest;
        if (parts > tiles_k) parts = tiles_k;
        if (parts < 2) continue;
        /* As few parts as have no more tiles of K each. */
        offer(best, tile, c, p, on, floor, whole, ceil_div(tiles_k, ceil_div(tiles_k, parts)), costs);
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

static bool is_known(const gemm_problem *p) {
    return p->m > 0 && p->n > 0 &&
           (p->type == GEMM_F16 || p->type == GEMM_BF16 || p->type == GEMM_TF32 ||
            (p->type == GEMM_S8 && p->layout == GEMM_TN));
}

static double floor_of(const gemm_problem *p, const machine *on, const plan_costs *costs) {
    return on->memory > 0 ? (double)bytes_of_all(p) / (on->memory * costs->stage_memory) : 0;
}

static double little_clocks(const gemm_problem *p, const machine *on, const plan_costs *costs) {
    return costs->stage_launch + costs->little * larger(cycles_little(p, on->sms), floor_of(p, on, costs));
}

static double thin_clocks(const gemm_problem *p, const machine *on, const plan_costs *costs) {
    const double peak = floor_of(p, on, costs) * costs->stage_memory;
    return costs->stage_launch +
           larger(costs->thin * cycles_thin(p, on->sms), costs->thin_memory * memory_thin(p) * peak);
}

extern "C" multistage_plan plan_multistage(const gemm_problem *problem, bool workspace, int only,
                                           const plan_costs *costs) {
    machine on;
    multistage_plan best = {INFINITY, 0, 1, 0, 0};
    const gemm_problem p = gemm_effective(problem);
    if (!is_known(&p) || query_machine(&on) != cudaSuccess) return best;
    const uintptr_t SIZE = dtype_size(gemm_operand_dtype(p.type));
    const bool aligned = ((uintptr_t)p.A | (uintptr_t)p.B | p.lda * SIZE | p.ldb * SIZE) % 16 == 0;
    const double floor = floor_of(&p, &on, costs);
    int count;
    multistage_choice *all = choices(&p, &count);
    for (int i = 0; i < count; i++) {
        if (all[i].aligned != aligned || (only != MULTISTAGE_ANY && only != i)) continue;
        if (query_room(&all[i], on.device) != cudaSuccess) return best;
        if (all[i].per_sm > 0) consider(&best, i, &all[i], &p, &on, floor, workspace, costs);
    }
    const int64_t divided = isinf(best.clocks) ? 0 : tiles_of(&all[best.tile], &p) - best.whole;
    if (divided > 0) best.bytes = parts_bytes(divided, best.parts, all[best.tile].bm, all[best.tile].bn);
    const double thin = thin_clocks(&p, &on, costs), little = little_clocks(&p, &on, costs);
    if ((only == MULTISTAGE_ANY || only == MULTISTAGE_THIN) && thin < best.clocks)
        best = {thin, MULTISTAGE_THIN, 1, 0, 0};
    if ((only == MULTISTAGE_ANY || only == MULTISTAGE_LITTLE) && little < best.clocks)
        best = {little, MULTISTAGE_LITTLE, 1, 0, 0};
    return best;
}

extern "C" double multistage_clocks(const gemm_problem *p, const multistage_plan *plan, const plan_costs *costs) {
    machine on;
    int count;
    if (query_machine(&on) != cudaSuccess) return INFINITY;
    if (plan->tile == MULTISTAGE_THIN) return thin_clocks(p, &on, costs);
    if (plan->tile == MULTISTAGE_LITTLE) return little_clocks(p, &on, costs);
    multistage_choice *c = choices(p, &count) + plan->tile;
    if (plan->tile >= count || query_room(c, on.device) != cudaSuccess || c->per_sm < 1) return INFINITY;
    return clocks_of(c, p, &on, floor_of(p, &on, costs), plan->whole, plan->parts, costs);
}

/* The one used for large aligned problems. */
extern "C" kernel_info kernel_multistage(void) {
    int count;
    const multistage_choice *c = multistage_choices<GEMM_F16, GEMM_TN>(&count);
    return {(const void *)c->kernel, c->threads, (size_t)c->bytes};
}

extern "C" size_t workspace_multistage(const gemm_problem *p) {
    return plan_multistage(p, true, MULTISTAGE_ANY, current_costs()).bytes;
}

extern "C" cudaError_t launch_multistage_plan(const gemm_problem *problem, const multistage_plan *plan,
                                              cudaStream_t stream) {
    const gemm_problem p = gemm_effective(problem);
    if (isinf(plan->clocks)) return cudaErrorInvalidConfiguration;
    if (plan->tile == MULTISTAGE_THIN) return launch_thin(&p, stream);
    if (plan->tile == MULTISTAGE_LITTLE) return launch_little(&p, stream);
    int count;
    const multistage_choice *c = &choices(&p, &count)[plan->tile];
    const int64_t blocks = plan->whole + (tiles_of(c, &p) - plan->whole) * plan->parts;
    return gemm_launch_as(gemm_capability() >= 90, c->kernel, (unsigned)blocks, 1, c->threads, c->bytes, stream, p,
                          (int)plan->whole, plan->parts);
}

extern "C" cudaError_t launch_multistage(const gemm_problem *p, cudaStream_t stream) {
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    const multistage_plan plan = plan_multistage(p, p->workspace != NULL, MULTISTAGE_ANY, current_costs());
    return launch_multistage_plan(p, &plan, stream);
}
