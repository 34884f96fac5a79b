/* The plan is what is estimated to be the fastest, in clocks of a multiprocessor, as in step 5's plan.h:
 *
 *   a tile of taps   FILTERS * PLACES * BK multiply-adds, `rate` of them in a clock (step 5's
 *                    costs.h: less where warps are few)
 *   a block          `overhead`: until the first stage is there, and for storing the results
 *   a sum of two     LEFT, when workers add up a tile that was divided among them, in pairs
 *   the operands     no plan is done before DRAM has moved each of them once
 *
 * In clocks of 1.77 GHz, fitted to an H200's times of every tile, whole and divided, and every thin kernel at 220
 * layers. Thin kernels for two filters came near the best at one of these only: their rate is an estimate. */
#include "f32_plan.h"

#include <limits.h>

#include "../../step05_doublebuffer/best/costs.h"

static const double LEFT = 2760;
#define THIN_OVERHEAD 2900
static const double THIN_WAIT = 1340, THIN_TAP = 11.5; /* for 8 taps, or 64 in slices, and for each of them */
static const double DRAM_BYTES = 2400;                 /* in a clock, of the whole device */

typedef struct {
    bool nhwc;
    int filters, places, bk, warps, per_sm;
    int stages, sums; /* bytes of shared memory, for one and then for the other */
    double rate, overhead;
} tile_costs;

#define COSTS(NHWC, FILTERS, PLACES, BK, TM, TN, STAGES, THREADS, PER_SM, RATE, OVERHEAD)                              \
    {NHWC,                                                                                                             \
     FILTERS,                                                                                                          \
     PLACES,                                                                                                           \
     BK,                                                                                                               \
     (THREADS) / 32,                                                                                                   \
     PER_SM,                                                                                                           \
     STAGES * BK * ((FILTERS + PLACES + 8) * 4 + 8),                                                                   \
     (THREADS)*TM * TN / (FILTERS * PLACES) * ((FILTERS) * (PLACES) + 4 * (NHWC ? PLACES : FILTERS)) * 4,              \
     RATE,                                                                                                             \
     OVERHEAD},
#define THIN_COSTS(FILTERS, SLICES, RATE) {false, FILTERS, 512 / SLICES, 8 * SLICES, 8, 2, 0, 0, RATE, THIN_OVERHEAD},
static const tile_costs tiles_of[F32_TILE_COUNT + F32_THIN_COUNT] = {F32_TILES(COSTS) F32_THIN(THIN_COSTS)};

/* Bits for the rows and columns of a filter and one for no tap at all, and offsets in 32 bits. */
static bool is_far(const conv_problem *p) {
    const int64_t down = (int64_t)(p->r - 1) * p->dilation[0], across = (int64_t)(p->s - 1) * p->dilation[1];
    const double pixels = (double)down * p->w + (double)across;
    const double words = p->nhwc ? (pixels + 1) * p->c : (double)(p->c - 1) * p->h * p->w + pixels + 1;
    return (int64_t)p->r + p->s > 31 || words > INT_MAX;
}

bool f32_tile_takes(const conv_problem *p, int tile) {
    const tile_costs *t = &tiles_of[tile];
    return t->nhwc == p->nhwc && (!is_far(p) || (t->filters == F32_FAR_FILTERS && t->places == F32_FAR_PLACES));
}

int64_t f32_tiles(const conv_problem *p, int tile) {
    const int64_t places = (int64_t)p->n * p->p * p->q;
    return ceil_div(places, tiles_of[tile].places) * ceil_div(p->k, tiles_of[tile].filters);
}

int64_t f32_tiles_of_taps(const conv_problem *p, int tile) {
    return ceil_div((int64_t)p->c * p->r * p->s, tiles_of[tile].bk);
}

f32_plan f32_plan_of(const conv_problem *p, int tile, int64_t divided, int workers) {
    const tile_costs *t = &tiles_of[tile];
    return (f32_plan){.tile = tile,
                      .far = is_far(p),
                      .whole = f32_tiles(p, tile) - divided,
                      .divided = (int)divided,
                      .workers = workers,
                      .workspace = (size_t)workers * (size_t)t->filters * (size_t)t->places * sizeof(float)};
}

typedef struct {
    const conv_problem *p;
    int tile, per_sm, sms;
    int64_t tiles, tiles_k;
    double least, clocks; /* clocks in which DRAM moves the operands; those of the best plan */
    f32_plan best;
} planner;

/* Launches overlap: the next one's blocks come while this one's are there. With room for three blocks where two are a
 * launch's share, some multiprocessors would have three of the next, and others one. So a block asks for so much shared
 * memory that only its launch's share fits. */
static void spread(f32_plan *x, int sms, int shared_limit) {
    const int64_t each = ceil_div(x->whole + x->workers, sms);
    if (x->tile < F32_TILE_COUNT && each > 1 && each < tiles_of[x->tile].per_sm)
        x->shared = shared_of_each((int)each, shared_limit);
}

/* Makes it the plan that so many tiles are divided among so many workers, if that is faster. */
static void offer(planner *to, int64_t divided, int64_t workers) {
    const tile_costs *t = &tiles_of[to->tile];
    if (divided * to->tiles_k > INT_MAX / 2) return; /* units are numbered by an int, a share past the last */
    const double tile_of_k = (double)t->filters * t->places * t->bk / t->rate;
    double products = 0, clocks = 0;
    if (to->tiles > divided) {
        const int64_t each = ceil_div(to->tiles - divided, to->sms); /* that a multiprocessor computes */
        products += products_of(each, to->per_sm, t->warps, (double)to->tiles_k * tile_of_k);
        clocks += (double)ceil_div(each, to->per_sm) * t->overhead;
        const double waiting = (double)(ceil_div(each, to->per_sm) * to->tiles_k) * (THIN_WAIT + THIN_TAP * t->bk);
        if (to->tile >= F32_TILE_COUNT && waiting > products) products = waiting;
    }
    if (divided > 0) {
        const bool even = workers % divided == 0; /* nobody has parts of two tiles */
        const int64_t share = ceil_div(divided * to->tiles_k, workers);
        products += products_of(ceil_div(workers, to->sms), to->per_sm, t->warps, (double)share * tile_of_k);
        clocks += t->overhead * (even ? 1 : 1 + (double)divided / (double)workers);
        for (int64_t parts = ceil_div(workers, divided) + !even; parts > 1; parts = ceil_div(parts, 2)) clocks += LEFT;
    }
    clocks += products > to->least ? products : to->least;
    if (clocks >= to->clocks) return;
    to->clocks = clocks;
    to->best = f32_plan_of(to->p, to->tile, divided, (int)workers);
}

f32_plan f32_make_plan(const conv_problem *p, int sms, int shared_limit) {
    const double x = (double)p->n * p->c * p->h * p->w, f = (double)p->c * p->r * p->s * p->k;
    const double y = (double)p->n * p->p * p->q * p->k * (p->beta == 0.0f ? 1 : 2);
    planner to = {.p = p, .sms = sms, .least = (x + f + y) * sizeof(float) / DRAM_BYTES, .clocks = HUGE_VAL};
    for (to.tile = 0; to.tile < F32_TILE_COUNT + F32_THIN_COUNT; to.tile++) {
        const tile_costs *t = &tiles_of[to.tile];
        const int shared = t->stages > t->sums ? t->stages : t->sums;
        if (!f32_tile_takes(p, to.tile) || shared > shared_limit) continue;
        to.per_sm = at_a_time(t->per_sm, shared, shared_limit);
        to.tiles = f32_tiles(p, to.tile);
        to.tiles_k = f32_tiles_of_taps(p, to.tile);
        if (to.tiles > INT_MAX - F32_MAX_WORKERS) continue;
        offer(&to, 0, 0);
        if (to.tile >= F32_TILE_COUNT) continue; /* thin kernels divide nothing */
        int64_t room = (int64_t)sms * to.per_sm; /* for workers that run at once */
        if (room > F32_MAX_WORKERS) room = F32_MAX_WORKERS;
        for (int64_t parts = 2; parts * to.tiles <= room && parts <= to.tiles_k; parts += parts < 8 ? 1 : parts / 8)
            offer(&to, to.tiles, parts * to.tiles);
        const int64_t rest = to.tiles % room, divided = to.tiles < room ? rest : rest + room;
        if (rest > 0 && divided * to.tiles_k >= room) offer(&to, divided, room);
    }
    spread(&to.best, sms, shared_limit);
    return to.best;
}
