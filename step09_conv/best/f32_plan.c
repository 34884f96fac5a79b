/* The plan is what is estimated to be the fastest, in clocks of a multiprocessor, as in step 5's plan.h:
 *
 *   a tile of taps   FILTERS * PLACES * BK multiply-adds, `rate` of them in a clock
 *   a block          `overhead`: until the first stage is there, and for storing the results
 *   a sum of two     LEFT, when workers add up a tile that was divided among them, in pairs
 *   the operands     no plan is done before DRAM has moved each of them once
 *
 * All constants are estimates, those of step 5's tiles and a few per cent less, for the loader; they are to be fitted
 * to measurements. */
#include "f32_plan.h"

#include <limits.h>
#include <math.h>

#include "base/array.h"

static const double LEFT = 2690;
static const double DRAM_BYTES = 2400; /* in a clock, of the whole device */

typedef struct {
    int filters, places, bk, per_sm;
    double rate, overhead;
} tile_costs;

#define COSTS(FILTERS, PLACES, BK, TM, TN, STAGES, PER_SM, RATE, OVERHEAD)                                             \
    {FILTERS, PLACES, BK, PER_SM, RATE, OVERHEAD},
static const tile_costs tiles_of[] = {F32_TILES(COSTS)};

static int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/* Bits for the rows and columns of a filter and one for no tap at all, and offsets in 32 bits. */
static bool is_far(const conv_problem *p) {
    const int64_t down = (int64_t)(p->r - 1) * p->dilation[0], across = (int64_t)(p->s - 1) * p->dilation[1];
    const double pixels = (double)down * p->w + (double)across;
    const double words = p->nhwc ? (pixels + 1) * p->c : (double)(p->c - 1) * p->h * p->w + pixels + 1;
    return (int64_t)p->r + p->s > 31 || words > INT_MAX;
}

static size_t bytes_left(const tile_costs *t, int workers) {
    return (size_t)workers * (size_t)t->filters * (size_t)t->places * sizeof(float);
}

typedef struct {
    const tile_costs *t;
    int sms;
    int64_t tiles, tiles_k;
    double least; /* clocks in which DRAM moves the operands */
    f32_plan *best;
} planner;

/* Makes it the plan that so many tiles are divided among so many workers, if that is faster. */
static void offer(const planner *to, int64_t divided, int64_t workers) {
    const tile_costs *t = to->t;
    if (divided * to->tiles_k > INT_MAX / 2) return; /* units are numbered by an int, a share past the last */
    const double tile_of_k = (double)t->filters * t->places * t->bk / t->rate;
    double products = 0, clocks = 0;
    if (to->tiles > divided) {
        const int64_t each = ceil_div(to->tiles - divided, to->sms); /* that a multiprocessor computes */
        products += (double)(each * to->tiles_k) * tile_of_k;
        clocks += (double)ceil_div(each, t->per_sm) * t->overhead;
    }
    if (divided > 0) {
        const bool even = workers % divided == 0; /* nobody has parts of two tiles */
        products += (double)(ceil_div(workers, to->sms) * ceil_div(divided * to->tiles_k, workers)) * tile_of_k;
        clocks += t->overhead * (even ? 1 : 1 + (double)divided / (double)workers);
        for (int64_t parts = ceil_div(workers, divided) + !even; parts > 1; parts = ceil_div(parts, 2)) clocks += LEFT;
    }
    clocks += products > to->least ? products : to->least;
    if (clocks >= to->best->clocks) return;
    to->best->tile = (int)(t - tiles_of);
    to->best->whole = to->tiles - divided;
    to->best->divided = (int)divided, to->best->workers = (int)workers;
    to->best->workspace = bytes_left(t, (int)workers);
    to->best->clocks = clocks;
}

f32_plan f32_make_plan(const conv_problem *p, int sms) {
    const int64_t places = (int64_t)p->n * p->p * p->q, taps = (int64_t)p->c * p->r * p->s;
    const double x = (double)p->n * p->c * p->h * p->w, y = (double)places * p->k * (p->beta == 0.0f ? 1 : 2);
    f32_plan best = {.clocks = HUGE_VAL, .far = is_far(p)};
    planner to = {.sms = sms, .best = &best};
    to.least = (x + y + (double)taps * p->k) * sizeof(float) / DRAM_BYTES;
    for (int i = 0; i < ARRAY_SIZE(tiles_of); i++) {
        const tile_costs *t = to.t = &tiles_of[i];
        to.tiles = ceil_div(places, t->places) * ceil_div(p->k, t->filters);
        to.tiles_k = ceil_div(taps, t->bk);
        if (to.tiles > INT_MAX - F32_MAX_WORKERS) continue;
        offer(&to, 0, 0);
        int64_t room = (int64_t)sms * t->per_sm; /* for workers that run at once */
        if (room > F32_MAX_WORKERS) room = F32_MAX_WORKERS;
        for (int64_t parts = 2; parts * to.tiles <= room && parts <= to.tiles_k; parts += parts < 8 ? 1 : parts / 8)
            offer(&to, to.tiles, parts * to.tiles);
        const int64_t rest = to.tiles % room, divided = to.tiles < room ? rest : rest + room;
        if (rest > 0 && divided * to.tiles_k >= room) offer(&to, divided, room);
    }
    return best;
}
