/* The estimate, in clocks of a multiprocessor:
 *
 *   a step of a tile     its products, what a multiprocessor takes to bring it in, or what L2 takes to deliver it,
 *                        whichever is longest; L2 is faster in a single wave. An exact tile has as many columns as
 *                        fit C, or as many as fit C's rows where it is swapped
 *   a unit               its steps. Then it stores the tile, or leaves its part and adds up its share of the tile; with
 *                        ping-pong consumers the next unit is multiplied meanwhile
 *   a launch             the units of the cluster that has most of them; at least what DRAM takes to move A, B, C and
 *                        the sums of parts
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
    MAX_PARTS = 128, /* of a tile */
    SIXTEEN = 16,
    MOST_COLUMNS = 256, /* of an exact tile */
    MOST_TILES = 6      /* of a cluster: as many and more are as good with more columns each */
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

/* Words of k x n: only swapped tiles take them as they are. */
static bool transposes(const gemm_problem *p, const plan_tile *t) {
    return p->type == GEMM_TF32 && p->layout == GEMM_NN && (t->orders & AS_IS);
}

/* A plan for p without a tile: with copies of A, of B, of both. */
static hopper_plan plan_copies(const gemm_problem *problem, bool of_a, bool of_b, bool transposed,
                               const plan_costs *costs) {
    hopper_plan all = {.tile = -1, .parts = 1, .p = *problem}, *plan = &all;
    gemm_problem *p = &plan->p;
    const size_t size = dtype_size(gemm_operand_dtype(p->type));
    const bool tn = p->layout == GEMM_TN;
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

/* What does not depend on the tile. Of the product whose rows and columns tiles have: C or, swapped, its transpose. */
typedef struct {
    bool swapped, boxes; /* boxes: its B comes in boxes of 64 columns */
    bool words;          /* its A comes through registers */
    unsigned m, n;
    double row_a, row_b; /* clocks of L2 for a row of a tile */
    double least;        /* of the whole launch: DRAM */
    unsigned steps;      /* of a tile along K */
} problem_costs;

static problem_costs costs_of_problem(const gemm_problem *p, bool swapped, const plan_costs *costs) {
    const size_t size = dtype_size(gemm_operand_dtype(p->type)), out = dtype_size(p->out);
    const double c = (double)out * p->m * p->n * (p->beta != 0.0f ? 2 : 1);
    const double row_a = row_clocks(p->A, (size_t)p->lda * size, costs);
    const double row_b = row_clocks(p->B, (size_t)p->ldb * size, costs);
    return (problem_costs){.swapped = swapped,
                           .boxes = p->layout == GEMM_NN && !swapped,
                           .words = p->layout == GEMM_NN && p->type == GEMM_TF32,
                           .m = (unsigned)(swapped ? p->n : p->m),
                           .n = (unsigned)(swapped ? p->m : p->n),
                           .row_a = swapped ? row_b : row_a,
                           .row_b = swapped ? row_a : row_b,
                           .least = costs->start + ((double)size * p->k * ((double)p->m + p->n) + c) / costs->dram,
                           .steps = ceil_div((unsigned)p->k, ROW_BYTES / (unsigned)size)};
}

const cluster_shape cluster_shapes[CLUSTER_SHAPES] = {{1, 1, 0}, {2, 1, 1}, {1, 2, 1}, {2, 2, 2}, {2, 4, 3}};

/* What does not depend on how C is split. */
typedef struct {
    double products, deliver, store, between; /* clocks: of a step, to multiply, or to be taken in, and to be
                                               * delivered; to store a tile; of that, before the next */
    double part, moved;                       /* to add up parts; of DRAM, for one */
    double least, always;                     /* of the whole launch: DRAM; before the first step */
    unsigned tiles, steps, clusters;
} tile_costs;

/* Of a tile of so many columns, in `tiles` cluster tiles: without what storing and adding up cost. */
static inline tile_costs steps_of(const plan_tile *t, int columns, const cluster_shape *s, uint64_t tiles,
                                  const problem_costs *of, const plan_costs *costs) {
    const int rows_b = of->boxes ? (columns + 63) / 64 * 64 : columns;
    tile_costs c = {.tiles = tiles < INT_MAX ? (unsigned)tiles : INT_MAX, /* so many no launch takes */
                    .steps = of->steps,
                    .clusters = (unsigned)t->clusters[s->size],
                    .least = of->least * (s->size > 0 ? costs->shared : 1),
                    .always = (s->size > 0 ? costs->cluster : 0) + (t->exact ? costs->exact : 0)};
    if (2 * tiles > c.clusters) c.always += costs->full; /* else the launch before leaves it some to begin on */
    /* Of 64 rows: to multiply, or to read from shared memory. */
    const double rows = columns > 64 ? 2 * columns : columns + 64;
    c.products = t->bm / 64 * rows + (t->bm > 64 && columns < 192 ? costs->narrow : 0);
    if (of->words) c.products += costs->words * 64 / t->bm; /* while one consumer loads them, the others multiply */
    c.products = larger(c.products, (t->bm + rows_b) * costs->port);
    c.deliver = t->bm / s->across * of->row_a + rows_b / s->down * of->row_b;
    return c;
}

static inline void add_stores(tile_costs *c, const plan_tile *t, int columns, const problem_costs *of,
                              const plan_costs *costs) {
    const double rows = of->m < (unsigned)t->bm ? of->m : (unsigned)t->bm;
    c->store = costs->store + (costs->store_bn + (t->any_c ? costs->scattered * t->bm / 64 : 0)) * columns;
    c->between = t->ping_pong ? costs->between : c->store;
    const double sums = 2.0 * rows * columns * 4; /* bytes, written and read */
    c->part = costs->meet + sums / costs->sums;
    c->moved = sums * t->clusters[0] / c->clusters / costs->dram;
}

/* Cluster tiles from the top to the bottom; from left to right. */
static unsigned tiles_down(const plan_tile *t, const cluster_shape *s, const problem_costs *of) {
    return ceil_div(of->m, (unsigned)(s->down * t->bm));
}
static unsigned tiles_across(int columns, const cluster_shape *s, const problem_costs *of) {
    return ceil_div(of->n, (unsigned)(s->across * columns));
}

/* Those of a launch whose blocks take so many, with so many parts; `of_all`: of each tile, if all are divided, whose
 * blocks then read shorter stretches of more rows. Memory works while the tensor cores do, but not all the time. */
static inline double launch_clocks(const tile_costs *c, double blocks, double parts, double of_all,
                                   const plan_costs *costs) {
    const double least = c->least * (1 + of_all * costs->parted) + parts * c->moved;
    const double more = larger(blocks, least), less = blocks > least ? least : blocks;
    return costs->launch + more + costs->alternate * less;
}

/* The same with `whole` whole tiles, in so many `waves`, the others in `parts` parts. */
static inline double clocks_of(const plan_tile *t, const tile_costs *c, unsigned whole, unsigned waves, unsigned parts,
                               const plan_costs *costs) {
    const double wholes = (double)waves, each = (double)(parts > 1 ? ceil_div(c->steps, parts) : c->steps);
    const double divided = whole < c->tiles ? (double)ceil_div((c->tiles - whole) * parts, c->clusters) : 0;
    const double step = larger(c->products, c->deliver * (wholes > 1 || divided > 0 ? 1 : costs->once));
    double clocks = c->always + (wholes * (double)c->steps + divided * each) * step;
    /* Of two ping-pong consumers each has every other tile, and the time of two to multiply its own and to store it. */
    const double between = t->ping_pong ? larger(c->between, (c->store - (double)c->steps * step) / 2) : c->between;
    clocks += wholes == 0 ? costs->start : (wholes - 1) * between + (divided > 0 ? between : c->store);
    /* The last parts meet when memory has delivered everything. */
    const double part = divided > 0 ? c->part + costs->each_part * (double)parts : 0;
    if (divided > 1) clocks += (divided - 1) * (t->ping_pong ? part / 2 : part);
    return launch_clocks(c, clocks, (double)(c->tiles - whole) * parts, whole == 0 ? (double)parts : 0, costs) + part;
}

double hopper_clocks(const gemm_problem *p, const plan_tile *t, const hopper_plan *plan, const plan_costs *costs) {
    const cluster_shape *s = &cluster_shapes[plan->shape];
    if (t->clusters[s->size] < 1) return INFINITY;
    const hopper_plan copies = plan_copies(p, plan->a.rows > 0, plan->b.rows > 0, transposes(p, t), costs);
    const problem_costs of = costs_of_problem(&copies.p, plan->swapped, costs);
    const uint64_t tiles = (uint64_t)tiles_down(t, s, &of) * tiles_across(plan->columns, s, &of);
    tile_costs c = steps_of(t, plan->columns, s, tiles, &of, costs);
    add_stores(&c, t, plan->columns, &of, costs);
    const unsigned whole = (unsigned)plan->whole;
    return copies.clocks + clocks_of(t, &c, whole, ceil_div(whole, c.clusters), (unsigned)plan->parts, costs);
}

/* The search for the best plan. */
typedef struct {
    hopper_plan *plan; /* so far; its problem and its copies are settled */
    double before;     /* clocks of copies */
    double limit;      /* blocks that take as long, without the launch, are no better */
    const plan_costs *costs;
} plan_search;

/* The reverse of launch_clocks. */
static double limit_of(double clocks, double least, const plan_costs *costs) {
    const double both = clocks - costs->launch;
    return both > least * (1 + costs->alternate) ? both - costs->alternate * least : (both - least) / costs->alternate;
}

/* Makes it the plan to use tile number `i`, of so many columns, in `tiles` clusters of that shape, if that is faster,
 * for whole tiles or with parts. */
static inline void consider(plan_search *search, const plan_tile *t, int columns, const problem_costs *of, int i,
                            int shape, uint64_t tiles) {
    hopper_plan *plan = search->plan;
    const plan_costs *costs = search->costs;
    const cluster_shape *s = &cluster_shapes[shape];
    tile_costs c = steps_of(t, columns, s, tiles, of, costs);
    const double was = plan->clocks, before = search->before;
    /* Nothing takes less than if all clusters had as many steps. Where tiles have parts, all ask L2 for something. */
    const double even = (double)tiles * (double)c.steps / c.clusters;
    const double step = larger(c.products, c.deliver * (costs->once < 1 ? costs->once : 1));
    if (c.always + even * step >= search->limit || c.tiles == INT_MAX) return;
    add_stores(&c, t, columns, of, costs);
    unsigned waves = ceil_div(c.tiles, c.clusters);
    const double whole = before + clocks_of(t, &c, c.tiles, waves, 1, costs);
    if (whole < plan->clocks) plan->clocks = whole, plan->whole = (int)c.tiles, plan->parts = 1;
    const double divided =
        before + launch_clocks(&c, c.always + even * larger(c.products, c.deliver) + c.part, 0, 0, costs);
    /* The tiles of the last wave, which is not full, or of the last two. */
    unsigned rest = c.tiles + c.clusters - waves * c.clusters;
    unsigned most = c.steps < MAX_PARTS ? c.steps : MAX_PARTS;
    if (most > c.clusters) most = c.clusters; /* no cluster has two parts of a tile: it would wait for itself */
    if (!t->parts) waves = 0;
    for (; waves > 0 && rest < 2 * c.clusters && rest << s->size <= MAX_DIVIDED; rest += c.clusters) {
        waves--; /* before these */
        for (unsigned more = 1, last = 1; more <= MAX_WAVES && divided < plan->clocks; more++) {
            unsigned parts = more * c.clusters / rest;
            if (parts > most) parts = most;
            if (parts > 1) parts = ceil_div(c.steps, ceil_div(c.steps, parts)); /* as few as are no longer than these */
            if (parts <= last) continue;                                        /* no more than before, or 1 */
            const double clocks = before + clocks_of(t, &c, c.tiles - rest, waves, last = parts, costs);
            if (clocks >= plan->clocks) continue;
            plan->clocks = clocks, plan->whole = (int)(c.tiles - rest), plan->parts = (int)parts;
        }
    }
    if (plan->clocks >= was) return;
    plan->tile = i, plan->columns = columns, plan->swapped = of->swapped, plan->shape = shape;
    plan->clusters = (int)c.clusters;
    search->limit = limit_of(plan->clocks - before, of->least, costs); /* without clusters it is the least */
}

/* The numbers of columns that an exact tile may have, and how many clusters of 1, 2 or 4 of them side by side there are
 * then: only the fewest columns for as many clusters, since more of them would lie outside of C. */
typedef struct {
    int columns[MOST_COLUMNS / SIXTEEN];
    unsigned tiles[MOST_COLUMNS / SIXTEEN];
    int count;
} exact_columns;

static void find_columns(exact_columns exact[3], unsigned n) {
    unsigned tiles[MOST_COLUMNS / SIXTEEN];
#pragma GCC unroll 16 /* divisions by constants are fast */
    for (unsigned i = 0; i < MOST_COLUMNS / SIXTEEN; i++) tiles[i] = ceil_div(n, SIXTEEN * (i + 1));
    for (unsigned size = 0; size < 3; size++) {
        exact_columns *x = &exact[size];
        unsigned last = 0;
        x->count = 0;
        for (unsigned i = 0; i < MOST_COLUMNS / SIXTEEN; i++) {
            const unsigned clusters = (tiles[i] + (1u << size) - 1) >> size;
            if (clusters == last) continue;
            if (tiles[i] <= (1u << size) / 2 && size > 0) break; /* half of the blocks would have no column */
            x->tiles[x->count] = last = clusters, x->columns[x->count++] = (int)(SIXTEEN * (i + 1));
        }
    }
}

/* The same with each shape of its clusters; of four and more blocks, if there are tiles for more than half of them.
 * `exact`: for the columns of the product that tiles have. */
static void consider_clusters(plan_search *search, const plan_tile *t, int i, const problem_costs *of,
                              const exact_columns *exact) {
    for (int shape = 0; shape < CLUSTER_SHAPES; shape++) {
        const cluster_shape *s = &cluster_shapes[shape];
        if (!(t->shapes >> shape & 1) || t->clusters[s->size] < 1) continue;
        if (s->size >= 2 && of->m <= (unsigned)(s->down / 2 * t->bm)) continue;
        const uint64_t down = tiles_down(t, s, of);
        if (!t->exact) {
            const bool fits = s->size < 2 || of->n > (unsigned)(s->across / 2 * t->bn);
            if (fits) consider(search, t, t->bn, of, i, shape, down * tiles_across(t->bn, s, of));
            continue;
        }
        const bool even =
            dtype_size(search->plan->p.out) > 2 && !of->swapped; /* words leave in whole rows of 128 bytes */
        const exact_columns *x = &exact[s->across >> 1];
        uint64_t tiles = 0;
        for (int j = x->count - 1; j >= 0 && tiles < MOST_TILES * (unsigned)t->clusters[s->size]; j--) {
            const int columns = even ? (x->columns[j] + 31) / 32 * 32 : x->columns[j];
            if (columns > t->bn) continue;
            tiles = down * (even ? tiles_across(columns, s, of) : x->tiles[j]);
            consider(search, t, columns, of, i, shape, tiles);
        }
    }
}

/* The best plan with the tiles that take B transposed, or with the others. What TMA does not take, rows off 16 bytes,
 * is copied. */
static hopper_plan plan_for(const gemm_problem *p, const plan_tile *tiles, int count, bool transposed,
                            const plan_costs *costs) {
    hopper_plan best = {.tile = -1, .clocks = INFINITY};
    if (p->m == 0 || p->n == 0 || p->k == 0 || p->alpha == 0.0f) return best;
    const size_t out = dtype_size(p->out), size = dtype_size(gemm_operand_dtype(p->type));
    const bool bulk = on_16_bytes(p->C, p->ldc, out) && (size_t)p->n * out % 16 == 0; /* it writes whole chunks */
    best = plan_copies(p, !on_16_bytes(p->A, p->lda, size), transposed || !on_16_bytes(p->B, p->ldb, size), transposed,
                       costs);
    plan_search search = {&best, best.clocks, INFINITY, costs};
    problem_costs of[2]; /* as it is, swapped: in the order of the bits of `orders` */
    exact_columns exact[2][3];
    for (int order = 0; order < 2; order++) {
        of[order] = costs_of_problem(&best.p, order == 1, costs);
        find_columns(exact[order], of[order].n);
    }
    best.clocks = INFINITY;
    for (int i = 0; i < count; i++)
        for (int order = 0; order < 2; order++)
            if ((bulk || tiles[i].any_c) && (tiles[i].orders >> order & 1) && transposes(p, &tiles[i]) == transposed)
                consider_clusters(&search, &tiles[i], i, &of[order], exact[order]);
    if (best.tile < 0) return best;
    const plan_tile *t = &tiles[best.tile];
    const cluster_shape *s = &cluster_shapes[best.shape];
    const problem_costs *taken = &of[best.swapped];
    const int64_t all = (int64_t)tiles_down(t, s, taken) * tiles_across(best.columns, s, taken);
    const int64_t units = best.whole + (all - best.whole) * best.parts;
    if (units < best.clusters) best.clusters = (int)units;
    best.sums = (void *)((uintptr_t)p->workspace + best.bytes);
    best.bytes +=
        (size_t)(all - best.whole) * (size_t)best.parts * (size_t)(t->bm << s->size) * (size_t)best.columns * 4;
    return best;
}

hopper_plan plan_hopper(const gemm_problem *p, const plan_tile *tiles, int count, const plan_costs *costs) {
    const hopper_plan plan = plan_for(p, tiles, count, false, costs);
    if (p->type != GEMM_TF32 || p->layout == GEMM_TN) return plan;
    const hopper_plan transposed = plan_for(p, tiles, count, true, costs);
    return plan.clocks < transposed.clocks ? plan : transposed;
}
