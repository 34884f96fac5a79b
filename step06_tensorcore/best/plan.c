/* The estimate, in clocks of a multiprocessor:
 *
 *   a step of a tile     its products, or what L2 takes to deliver it, whichever is longer; L2 is faster where not all
 *                        multiprocessors ask for something
 *   a unit               its steps. Then it stores the tile, or leaves its part and adds up its share of the tile; with
 *                        ping-pong consumers the next unit is multiplied meanwhile
 *   a launch             the units of the cluster that has most of them; at least what DRAM takes to move A, B and C
 *   a copy               a launch, and the bytes of the matrix, read and written; and then L2 delivers it faster
 *
 *   132 clusters, 140 tiles         whole tiles        parts of the last 8 tiles, 16 each
 *   cluster 0                       |----- 0 -----|    |132, part 0|
 *   cluster 1                       |----- 1 -----|    |132, part 1|
 *   ...
 *   cluster 131                     |---- 131 ----|
 */
#include "plan.h"

#include <limits.h>
#include <math.h>

enum {
    ROW_BYTES = 128, /* of a tile, along K */
    MAX_WAVES = 3,   /* parts that a cluster computes */
    MAX_PARTS = 128  /* of a tile */
};

/* 32 bits, whose division is several times faster. a + b fits. */
static unsigned ceil_div(unsigned a, unsigned b) {
    return (a + b - 1) / b;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

static size_t round_up(size_t x, size_t to) {
    return (x + to - 1) / to * to;
}

static bool on_16_bytes(const void *matrix, int ld, size_t size) {
    return (uintptr_t)matrix % 16 == 0 && (size_t)ld * size % 16 == 0;
}

static bool off_128(const void *matrix, int ld, size_t size) {
    return ((uintptr_t)matrix | (size_t)ld * size) % 128 != 0;
}

/* The clocks that L2 takes for 128 bytes of a row, which are one of its lines, parts of two, or even parts of five
 * sectors of 32 bytes. */
static double row_clocks(const void *matrix, size_t pitch, const plan_costs *costs) {
    const uintptr_t bits = (uintptr_t)matrix | (uintptr_t)pitch;
    return bits % 128 == 0 ? costs->row_128 : bits % 32 == 0 ? costs->row_32 : costs->row_16;
}

/* Gives a matrix of `rows` rows of `cols` elements its place in the workspace: returns the copy. */
static plan_copy copy_to(hopper_plan *plan, const void *from, int ld, int rows, int cols, size_t size,
                         bool transposed) {
    const size_t pitch = round_up((size_t)(transposed ? rows : cols) * size, ROW_BYTES);
    const plan_copy c = {.from = from,
                         .to = (void *)((uintptr_t)plan->p.workspace + plan->bytes),
                         .pitch = (size_t)ld * size,
                         .to_pitch = pitch,
                         .rows = rows,
                         .bytes = (int)((size_t)cols * size),
                         .transposed = transposed};
    plan->bytes += round_up((size_t)(transposed ? cols : rows) * pitch, 256);
    return c;
}

static bool transposes(const gemm_problem *p) {
    return p->type == GEMM_TF32 && p->layout == GEMM_NN;
}

/* A plan for p without a tile: with copies of A, of B, of both. */
static hopper_plan plan_copies(const gemm_problem *problem, bool of_a, bool of_b, const plan_costs *costs) {
    hopper_plan all = {.tile = -1, .parts = 1, .p = *problem}, *plan = &all;
    gemm_problem *p = &plan->p;
    const size_t size = dtype_size(gemm_operand_dtype(p->type));
    const bool tn = p->layout == GEMM_TN, transposed = transposes(p);
    if (of_a) {
        plan->a = copy_to(plan, p->A, p->lda, p->m, p->k, size, false);
        p->A = plan->a.to, p->lda = (int)(plan->a.to_pitch / size);
    }
    if (of_b) {
        plan->b = copy_to(plan, p->B, p->ldb, tn ? p->n : p->k, tn ? p->k : p->n, size, transposed);
        p->B = plan->b.to, p->ldb = (int)(plan->b.to_pitch / size);
        if (transposed) p->layout = GEMM_TN;
    }
    const double bytes = (double)plan->a.rows * plan->a.bytes + (double)plan->b.rows * plan->b.bytes;
    plan->clocks = bytes > 0 ? costs->copy + 2 * bytes / costs->copied : 0;
    return all;
}

/* What does not depend on the tile. */
typedef struct {
    double row_a, row_b; /* clocks of L2 for a row of a tile */
    double least;        /* of the whole launch: DRAM */
    unsigned steps;      /* of a tile along K */
} problem_costs;

static problem_costs costs_of_problem(const gemm_problem *p, const plan_costs *costs) {
    const size_t size = dtype_size(gemm_operand_dtype(p->type)), out = dtype_size(p->out);
    const double c = (double)out * p->m * p->n * (p->beta != 0.0f ? 2 : 1);
    return (problem_costs){row_clocks(p->A, (size_t)p->lda * size, costs),
                           row_clocks(p->B, (size_t)p->ldb * size, costs),
                           costs->start + ((double)size * p->k * ((double)p->m + p->n) + c) / costs->dram,
                           ceil_div((unsigned)p->k, ROW_BYTES / (unsigned)size)};
}

const cluster_shape cluster_shapes[CLUSTER_SHAPES] = {{1, 1, 0}, {2, 1, 1}, {1, 2, 1}, {2, 2, 2},
                                                      {4, 1, 2}, {1, 4, 2}, {4, 2, 3}, {2, 4, 3}};

/* What does not depend on how C is split. */
typedef struct {
    double products, deliver, store, between, part; /* clocks: of a step, to multiply and to be delivered; to store a
                                                     * tile; of that, before the next; to add up parts */
    double least, always;                           /* of the whole launch: DRAM; before the first step */
    unsigned tiles, steps, clusters;
} tile_costs;

static tile_costs costs_of(const plan_tile *t, const cluster_shape *s, const gemm_problem *p, const problem_costs *of,
                           const plan_costs *costs) {
    const int rows = p->m < t->bm ? p->m : t->bm, bm = s->down * t->bm, bn = s->across * t->bn;
    const uint64_t tiles = (uint64_t)ceil_div((unsigned)p->m, (unsigned)bm) * ceil_div((unsigned)p->n, (unsigned)bn);
    tile_costs c = {.tiles = tiles < INT_MAX ? (unsigned)tiles : INT_MAX, /* so many no launch takes */
                    .steps = of->steps,
                    .clusters = (unsigned)t->clusters[s->size]};
    c.products = t->bm * t->bn / 32 + (t->bn < 192 ? costs->narrow : 0);
    c.deliver = t->bm / s->across * of->row_a + t->bn / s->down * of->row_b;
    c.store = costs->store + (costs->store_bn + (t->any_c ? costs->scattered * t->bm / 64 : 0)) * t->bn;
    c.between = t->ping_pong ? costs->between : c.store;
    c.part = costs->meet + 2.0 * rows * t->bn * 4 / costs->sums;
    c.always = s->size > 0 ? costs->cluster : 0;
    c.least = of->least;
    return c;
}

/* The clocks of a launch with `whole` whole tiles, the others in `parts` parts. */
static double clocks_of(const plan_tile *t, const tile_costs *c, unsigned whole, unsigned parts,
                        const plan_costs *costs) {
    const double wholes = (double)ceil_div(whole, c->clusters), each = (double)ceil_div(c->steps, parts);
    const double divided = (double)ceil_div((c->tiles - whole) * parts, c->clusters);
    const double busy =
        wholes > 1 || divided > 0 ? 1 : larger((double)whole / (double)c->clusters, 0.5); /* of the clusters */
    const double step = larger(c->products, c->deliver * busy);
    double clocks = c->always + (wholes * (double)c->steps + divided * each) * step;
    clocks += wholes == 0 ? costs->start : (wholes - 1) * c->between + (divided > 0 ? c->between : c->store);
    const double part = c->part + costs->each_part * (double)parts;
    if (divided > 0) clocks += (divided - 1) * (t->ping_pong ? part / 2 : part) + part;
    /* Memory works while the tensor cores do, but not all the time. */
    const double more = clocks > c->least ? clocks : c->least, less = clocks > c->least ? c->least : clocks;
    return costs->launch + more + costs->alternate * less;
}

double hopper_clocks(const gemm_problem *p, const plan_tile *t, const hopper_plan *plan, const plan_costs *costs) {
    const cluster_shape *s = &cluster_shapes[plan->shape];
    if (t->clusters[s->size] < 1) return INFINITY;
    const hopper_plan copies = plan_copies(p, plan->a.rows > 0, plan->b.rows > 0, costs);
    const problem_costs of = costs_of_problem(&copies.p, costs);
    const tile_costs c = costs_of(t, s, &copies.p, &of, costs);
    return copies.clocks + clocks_of(t, &c, (unsigned)plan->whole, (unsigned)plan->parts, costs);
}

/* Makes it the plan to use tile number `i` in clusters of that shape, if that is faster, for whole tiles or with parts.
 * `before`: clocks of copies. */
static void consider(hopper_plan *plan, const problem_costs *of, const plan_tile *t, int i, int shape, double before,
                     const plan_costs *costs) {
    const cluster_shape *s = &cluster_shapes[shape];
    const tile_costs c = costs_of(t, s, &plan->p, of, costs);
    const double was = plan->clocks;
    /* Nothing takes less than this: all clusters have as many steps. Where tiles have parts, all ask L2 for something.
     */
    const double always = before + costs->launch + c.always, even = (double)c.tiles * (double)c.steps / c.clusters;
    if (c.tiles == INT_MAX || before + costs->launch + c.least >= was) return;
    if (always + even * larger(c.products, c.deliver / 2) >= was) return;
    const double whole = before + clocks_of(t, &c, c.tiles, 1, costs);
    if (whole < plan->clocks) plan->clocks = whole, plan->whole = (int)c.tiles, plan->parts = 1;
    const double divided = always + even * larger(c.products, c.deliver) + c.part;
    /* The tiles of the last wave, which is not full, or of the last two. */
    unsigned rest = t->parts && divided < plan->clocks ? c.tiles % c.clusters : UINT_MAX;
    unsigned most = c.steps < MAX_PARTS ? c.steps : MAX_PARTS;
    if (most > c.clusters) most = c.clusters; /* no cluster has two parts of a tile: it would wait for itself */
    for (; rest <= c.tiles && rest < 2 * c.clusters && rest << s->size <= MAX_DIVIDED; rest += c.clusters) {
        for (unsigned waves = rest > 0 ? 1 : MAX_WAVES + 1, last = 1; waves <= MAX_WAVES && divided < plan->clocks;
             waves++) {
            unsigned parts = waves * c.clusters / rest;
            if (parts > most) parts = most;
            if (parts > 1) parts = ceil_div(c.steps, ceil_div(c.steps, parts)); /* as few as are no longer than these */
            if (parts <= last) continue;                                        /* no more than before, or 1 */
            const double clocks = before + clocks_of(t, &c, c.tiles - rest, last = parts, costs);
            if (clocks >= plan->clocks) continue;
            plan->clocks = clocks, plan->whole = (int)(c.tiles - rest), plan->parts = (int)parts;
        }
    }
    if (plan->clocks < was) plan->tile = i, plan->shape = shape, plan->clusters = (int)c.clusters;
}

/* The same with each shape of its clusters; of four and more blocks, if C has tiles for more than half of them. */
static void consider_clusters(hopper_plan *plan, const problem_costs *of, const plan_tile *t, int i, double before,
                              const plan_costs *costs) {
    for (int shape = 0; shape < CLUSTER_SHAPES; shape++) {
        const cluster_shape *s = &cluster_shapes[shape];
        if (!(t->shapes >> shape & 1) || t->clusters[s->size] < 1) continue;
        const bool fits = plan->p.n > s->across / 2 * t->bn && plan->p.m > s->down / 2 * t->bm;
        if (fits || s->size < 2) consider(plan, of, t, i, shape, before, costs);
    }
}

/* Copied must be what TMA does not take, rows off 16 bytes, and a B that wgmma does not, words of k x n. Rows off
 * 128 bytes may be, since L2 takes longer for those. */
hopper_plan plan_hopper(const gemm_problem *p, const plan_tile *tiles, int count, const plan_costs *costs) {
    hopper_plan best = {.tile = -1, .clocks = INFINITY};
    if (p->m == 0 || p->n == 0 || p->k == 0 || p->alpha == 0.0f) return best;
    const size_t out = dtype_size(p->out), size = dtype_size(gemm_operand_dtype(p->type));
    const bool bulk = on_16_bytes(p->C, p->ldc, out) && (size_t)p->n * out % 16 == 0; /* it writes whole chunks */
    const bool must_a = !on_16_bytes(p->A, p->lda, size), must_b = transposes(p) || !on_16_bytes(p->B, p->ldb, size);
    const bool may_a = must_a || off_128(p->A, p->lda, size);
    const bool may_b = must_b || off_128(p->B, p->ldb, size);
    int most = 1; /* blocks that run at the same time */
    for (int i = 0; i < count; i++) most = tiles[i].clusters[0] > most ? tiles[i].clusters[0] : most;
    const double fewest = (double)p->m * p->n * ceil_div((unsigned)p->k, (unsigned)(ROW_BYTES / size)) / 32 /
                          most; /* clocks, if no tile had anything outside of C */
    for (int of_a = must_a; of_a <= may_a; of_a++)
        for (int of_b = must_b; of_b <= may_b; of_b++) {
            hopper_plan plan = plan_copies(p, of_a, of_b, costs);
            const double before = plan.clocks;
            if (before >= best.clocks) continue;
            plan.clocks = best.clocks;
            const problem_costs of = costs_of_problem(&plan.p, costs);
            if (before + costs->launch + larger(of.least, fewest) >= best.clocks) continue;
            for (int i = 0; i < count; i++)
                if (bulk || tiles[i].any_c) consider_clusters(&plan, &of, &tiles[i], i, before, costs);
            if (plan.tile >= 0) best = plan;
        }
    if (best.tile < 0) return best;
    const plan_tile *t = &tiles[best.tile];
    const cluster_shape *s = &cluster_shapes[best.shape];
    const int64_t all = ceil_div(p->m, (int64_t)s->down * t->bm) * ceil_div(p->n, (int64_t)s->across * t->bn);
    const int64_t units = best.whole + (all - best.whole) * best.parts;
    if (units < best.clusters) best.clusters = (int)units;
    best.sums = (void *)((uintptr_t)p->workspace + best.bytes);
    best.bytes += (size_t)(all - best.whole) * (size_t)best.parts * (size_t)(t->bm << s->size) * (size_t)t->bn * 4;
    return best;
}
