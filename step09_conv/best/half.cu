/* Convolutions of f16 and bf16: what is written into the workspace first, which kernel and tile compute, where tiles
 * are divided. f16 is instantiated here.
 *
 *   x                                           as the kernels read it
 *   NHWC, c a multiple of 8, on 16 bytes        as it lies, 16 bytes at a time
 *   NHWC, c a multiple of 4, on 8 bytes         as it lies, 8 bytes at a time
 *   up to 4 channels                            4 channels in the workspace, 8 bytes at a time
 *   all others                                  the next multiple of 8, or 64 if they are many, in the workspace
 *
 * A first layer, of 3 channels, thus has a quarter of zeros; with 8 channels it would be five eighths.
 *
 * Windows come by TMA where channels are a multiple of 64. Where they are not, a tap's last 64 have zeros, each 128
 * bytes lie in two lines of L2, and TMA delivers them more slowly than threads copy pieces. So it does where two blocks
 * share what TMA brings of the filters, if there are many channels, and tiles enough for so large ones. */
#include "half.cuh"

#include "../../step06_tensorcore/best/best.h"
#include "../../step06_tensorcore/best/multistage.h"
#include "best.h"
#include "conv/conv_map.h"

static const int BAND_ROWS = 2048; /* places in a band of the threadblock swizzle */
/* Windows with zeros, by TMA: of more channels than these, of which each may become so many; and where the plan's
 * clocks are fewer than those for pieces, which are estimated as if they came by TMA, times so many. */
static const int MANY_CHANNELS = 128;
static const double ZEROS = 1.3, PIECES_TIMES = 1.3;
/* On an H200: the clocks in which L2 delivers 128 bytes of a window, and of a filter. Meeting takes so many times as
 * long as in a product of matrices, as the parts ask L2 for windows at the same time; storing, which scales and adds a
 * bias, so many. */
static const double WINDOW_ROW = 4.2, FILTER_ROW = 1.5, MEET_TIMES = 4, STORE_TIMES = 2;

static half_choice *choices(dtype type) {
    return type == DTYPE_BF16 ? half_choices_bf16() : half_choices<GEMM_F16>();
}

/* Asks the current device, `device`, how many clusters of this kernel it runs at the same time; once per device. */
static cudaError_t ask_clusters(half_choice *c, int device) {
    if (c->device == device) return cudaSuccess;
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < CLUSTER_SIZES && error == cudaSuccess; i++)
        error = gemm_active_clusters((const void *)c->kernel, 1 << i, c->threads, c->bytes, &c->tile.clusters[i]);
    if (error == cudaSuccess) c->device = device;
    return error;
}

extern "C" int half_tiles(dtype type, plan_tile tiles[HALF_TILES]) {
    half_choice *all = choices(type);
    int device, count = 0;
    if (gemm_capability() != 90 || cudaGetDevice(&device) != cudaSuccess) return 0;
    for (; count < HALF_TILES && ask_clusters(&all[count], device) == cudaSuccess; count++)
        tiles[count] = all[count].tile;
    return count;
}

static bool aligned(const void *at, int bytes) {
    return (uintptr_t)at % (unsigned)bytes == 0;
}

static int64_t round_up(int64_t x, int to) {
    return (x + to - 1) / to * to;
}

/* So many channels that a step may be of one tap, filled up with zeros. */
static bool many_channels(int c) {
    return c > MANY_CHANNELS && (double)round_up(c, 64) <= ZEROS * c;
}

/* The channels of a pixel as the kernels read it, and whether it can stay where it is. */
static int channels_of(const conv_problem *p, bool *stays) {
    *stays = p->nhwc && p->c % 4 == 0 && aligned(p->x, p->c % 8 == 0 ? 16 : 8);
    if (p->nhwc && p->c % 8 == 0 && aligned(p->x, 8)) *stays = true;
    if (*stays || p->c == 0) return p->c;
    return p->c <= 4 ? 4 : (int)round_up(p->c, many_channels(p->c) ? 64 : 8);
}

/* Gives a copy its place in the workspace, behind what is there. */
static void *place_of(half_plan *plan, const conv_problem *p, int64_t elements) {
    void *to = (void *)((uintptr_t)p->workspace + plan->bytes);
    plan->bytes += (size_t)round_up(elements * 2, 256);
    return to;
}

static half_divisor divisor(int d) {
    unsigned shift = 0;
    while ((int64_t)1 << shift < d) shift++;
    return {(unsigned)((((int64_t)1 << (31 + shift)) + d - 1) / d), shift};
}

/* Pixels from a row of a copy to the next. A stage has several taps of few channels, of a row and of the next one: with
 * this distance these, too, are neighbours in the 128 bytes of L1's banks, and a wavefront copies all. */
static int row_of_copy(const conv_problem *p, int c) {
    const int across = 64 / c;
    if (across < 2 || 64 % c != 0 || p->r * p->s == 1) return p->w;
    return p->w + ((p->s - p->w) % across + across) % across;
}

/* The view of x and its copy, and the copy of f: `all` is set up to them. */
static void view_of(const conv_problem *p, half_plan *all) {
    bool stays;
    const int c = channels_of(p, &stays), in_64 = c > 0 ? 64 / c : 0;
    half_view *v = &all->view;
    v->x = p->x, v->bias = p->bias, v->alpha = p->alpha;
    v->c = c, v->h = p->h, v->w = p->w, v->r = p->r, v->s = p->s, v->p = p->p, v->q = p->q;
    v->row = p->w;
    for (int i = 0; i < 2; i++) v->stride[i] = p->stride[i], v->pad[i] = p->pad[i], v->dilation[i] = p->dilation[i];
    v->in_plane = p->nhwc ? 0 : p->p * p->q;
    if (p->p * p->q > 0) v->by_pq = divisor(p->p * p->q), v->by_q = divisor(p->q);
    all->filters.count = p->k;
    if (c == 0) return;
    v->step_c = 64 % c, v->step_s = in_64 % p->s, v->step_r = in_64 / p->s;
    if (!stays) {
        v->row = row_of_copy(p, c);
        all->x = {p->x, NULL, !p->nhwc, p->n, p->h * p->w, p->c, c, 0, p->w, v->row, p->h, {}};
        if (p->w > 0) all->x.by_w = divisor(p->w);
        v->x = all->x.to = place_of(all, p, (int64_t)p->n * p->h * v->row * c);
    }
    v->piece = c % 8 == 0 && (!stays || aligned(p->x, 16)) ? 16 : 8;

    const int64_t weights = (int64_t)c * p->r * p->s, pitch = round_up(weights, 8);
    all->filters = {p->f, weights, pitch, p->k};
    if (c != p->c || weights != pitch || !aligned(p->f, 16) || (!p->nhwc && p->r * p->s > 1)) {
        all->f = {p->f, NULL, !p->nhwc, p->k, p->r * p->s, p->c, c, pitch, 0, 0, 0, {}};
        all->filters.at = all->f.to = place_of(all, p, p->k * pitch);
    }
}

/* The convolution that the kernels see. */
static conv_problem seen(const conv_problem *p, const half_plan *plan) {
    conv_problem q = *p;
    q.nhwc = true, q.x = plan->view.x, q.c = plan->view.c, q.f = plan->filters.at;
    return q;
}

/* Steps of 64 channels of a tap. */
static int64_t window_steps(const half_view *v) {
    return round_up(v->c, 64) / 64 * v->r * v->s;
}

static half_loader loader_of(const conv_problem *p, const half_plan *plan) {
    const conv_problem q = seen(p, plan);
    const bool all_pixels = p->stride[0] == 1 && p->stride[1] == 1 && p->pad[0] == 0 && p->pad[1] == 0;
    if (plan->view.piece == 16 && p->r * p->s == 1 && all_pixels) return LOAD_TILES;
    if (q.h * q.w == 0 || conv_map_refuses(&q) != NULL || window_steps(&plan->view) > INT_MAX / 64) return LOAD_PIECES;
    return q.c % 64 == 0 || many_channels(q.c) ? LOAD_WINDOWS : LOAD_PIECES;
}

/* The tiles to choose from. Shared memory takes a wavefront of 128 bytes at a time: for a stage of a tile of 128 x 128
 * the wgmmas read 384 times if each reads all of its operands, TMA writes 128 times, and 32 copies of pieces are
 * counted with over 4 each, read and written, before what they bring into L1. That is more than the 512 clocks of the
 * products. A tile of 128 x 256 needs few more than its 1024, so it replaces the other where it has no columns to
 * spare, and a wave of tiles.
 *
 * What TMA brings from two lines of L2 each, or fills with zeros, takes it longer, so there pairs of blocks share the
 * filters. Elsewhere a pair only waits for one another. */
static void offer_tiles(const half_plan *plan, const gemm_problem *g, const plan_tile *tiles, int count,
                        plan_tile offered[HALF_TILES]) {
    const bool pieces = plan->loader == LOAD_PIECES, lines = plan->view.c % 64 == 0, whole = lines && g->n % 64 == 0;
    const int64_t broad = ((int64_t)g->m + 127) / 128 * (g->n / 256);
    for (int i = 0; i < count; i++) {
        const plan_tile *t = &tiles[i];
        const bool square = t->bm == 128 && t->bn == 128, paired = t->bm == 128 && t->bn >= 128 && !t->any_c;
        const bool in_pairs = paired && !pieces && !whole, alone = !in_pairs && (lines || plan->loader != LOAD_WINDOWS);
        const int room = tiles[0].clusters[0];
        offered[i] = *t;
        offered[i].shapes = in_pairs ? IN_2X1 : alone ? IN_1X1 : 0;
        if (pieces && (t->bm > 128 || (square && g->n % 256 == 0 && broad >= room && room > 0))) offered[i].shapes = 0;
    }
}

/* Elements that DRAM moves: the filters, y, and of x each pixel at most once or, for `windows`, every window whole. */
static double moved(const conv_problem *p, const gemm_problem *g, bool windows) {
    const double all = (double)g->m * g->k, x = windows ? all : fmin(all, (double)p->n * p->h * p->w * p->c);
    return x + (double)g->n * g->k + (double)g->m * g->n;
}

/* Asks step 6's plan for tiles and parts, with x and f copied by `all.loader`. Pieces are estimated as if they came by
 * TMA from 128 bytes on. A window's row takes L2 longer than a filter's, and DRAM has pixels, not windows. Operands are
 * not copied for this. Filters of more weights than it can count are left to half_mma.cu. */
static half_plan plan_as(const conv_problem *p, half_plan all, const plan_tile *tiles, int count) {
    const half_filters *f = &all.filters;
    const int c = all.view.c;
    gemm_problem g = {};
    g.B = f->at;
    if (f->weights <= INT_MAX - 64) g.k = (int)f->weights, g.ldb = (int)f->pitch;
    if (all.loader == LOAD_WINDOWS && g.k > 0) g.k = (int)window_steps(&all.view) * 64;
    g.type = p->type == DTYPE_BF16 ? GEMM_BF16 : GEMM_F16, g.out = p->type, g.layout = GEMM_TN;
    g.m = conv_places(p), g.n = g.ldc = p->k;
    g.A = all.view.x, g.lda = all.view.c, g.alpha = 1.0f, g.beta = p->beta, g.C = p->y;

    gemm_problem asked = g;
    asked.A = asked.B = (const void *)256, asked.lda = asked.ldb = (int)round_up(g.k, 64);
    plan_costs costs = *current_costs();
    costs.copy = INFINITY;
    costs.store *= STORE_TIMES, costs.store_bn *= STORE_TIMES;
    if (g.m > 0 && g.n > 0 && g.k > 0) costs.dram *= moved(p, &g, true) / moved(p, &g, false);
    if (all.loader == LOAD_TILES) asked.lda = asked.ldb = c;
    if (all.loader == LOAD_WINDOWS) {
        asked.lda = 8, asked.ldb = c;
        costs.row_16 = WINDOW_ROW, costs.row_128 = FILTER_ROW, costs.meet *= MEET_TIMES;
    }
    if (!p->nhwc) asked.C = (void *)2; /* planes: as rows that begin anywhere, for the configurations that take those */
    asked.workspace = (void *)((uintptr_t)p->workspace + all.bytes);
    plan_tile offered[HALF_TILES];
    offer_tiles(&all, &g, tiles, count, offered);
    all.product = plan_hopper(&asked, offered, count, &costs);
    all.product.p = g;
    all.hopper = all.product.tile >= 0;
    if (all.hopper) all.bytes += all.product.bytes;
    return all;
}

extern "C" half_plan plan_half(const conv_problem *problem, const plan_tile *tiles, int count) {
    const conv_problem p = conv_effective(problem);
    half_plan all = {};
    view_of(&p, &all);
    all.loader = loader_of(&p, &all);
    const half_plan plan = plan_as(&p, all, tiles, count);
    if (all.loader != LOAD_WINDOWS || all.view.c % 64 == 0) return plan;
    all.loader = LOAD_PIECES;
    const half_plan pieces = plan_as(&p, all, tiles, count);
    return plan.hopper && plan.product.clocks < PIECES_TIMES * pieces.product.clocks ? plan : pieces;
}

static cudaError_t launch_hopper(const conv_problem *p, const half_plan *plan, cudaStream_t stream) {
    const gemm_problem *g = &plan->product.p;
    const half_choice *c = &choices(g->out)[plan->product.tile];
    const plan_tile *t = &c->tile;
    const cluster_shape *s = &cluster_shapes[plan->product.shape];
    CUtensorMap x_map, f_map, y_map, last_map;
    const conv_problem q = seen(p, plan);
    const int filters = plan->product.columns / s->down; /* of a box */
    const int last = plan->product.columns % (128 / (int)dtype_size(p->type));
    const bool windows = plan->loader == LOAD_WINDOWS;
    cudaError_t error = windows ? conv_map_f(&f_map, &q, filters) : tensor_map_b(&f_map, g, filters);
    x_map = y_map = last_map = f_map; /* of the others, those that are used */
    if (error == cudaSuccess && plan->loader == LOAD_TILES) error = tensor_map_a(&x_map, g, t->bm);
    if (error == cudaSuccess && windows) error = conv_map_x(&x_map, &q, t->bm);
    if (error == cudaSuccess && !t->any_c) error = tensor_map_c(&y_map, g, 16);
    if (error == cudaSuccess && !t->any_c && last > 0) error = tensor_map_c_part(&last_map, g, 16, last);
    if (error != cudaSuccess) return error;
    const persistent_work work = work_of(&plan->product, t, BAND_ROWS);
    const int cluster = 1 << s->size;
    return gemm_launch_overlapping(c->kernel, (unsigned)(plan->product.clusters * cluster), cluster, c->threads,
                                   c->bytes, stream, x_map, f_map, y_map, last_map, hopper_of(g), plan->view, work,
                                   plan->loader);
}

extern "C" cudaError_t launch_half(const conv_problem *p, const half_plan *plan, cudaStream_t stream) {
    const cudaError_t error = half_pack(plan, stream);
    if (error != cudaSuccess) return error;
    if (plan->by == BY_PERSISTENT) return launch_persistent(&plan->product, stream);
    if (plan->by == BY_MULTISTAGE) return launch_multistage(&plan->product.p, stream);
    return plan->hopper ? launch_hopper(p, plan, stream) : launch_half_mma(p, plan, stream);
}

/* One tap that leaves no pixel out, and no bias, is a product of matrices, for which step 6 has more kernels, above all
 * for little ones. */
static void consider_matrices(const conv_problem *p, half_plan *plan) {
    if (!plan->hopper || plan->loader != LOAD_TILES || !p->nhwc || p->bias != NULL) return;
    gemm_problem g = plan->product.p;
    const size_t copies = plan->bytes - plan->product.bytes;
    g.alpha = p->alpha, g.workspace = (void *)((uintptr_t)p->workspace + copies);
    const hopper_plan persistent = plan_persistent(&g);
    const double stages = plan_multistage(&g, true, MULTISTAGE_ANY, current_costs()).clocks;
    if (fmin(persistent.clocks, stages) > plan->product.clocks) return;
    plan->by = persistent.clocks <= stages ? BY_PERSISTENT : BY_MULTISTAGE;
    if (plan->by == BY_PERSISTENT)
        plan->product = persistent;
    else
        plan->product.p = g;
    plan->bytes = copies + (plan->by == BY_PERSISTENT ? persistent.bytes : workspace_multistage(&g));
}

static half_plan plan_here(const conv_problem *p) {
    plan_tile tiles[HALF_TILES];
    half_plan plan = plan_half(p, tiles, half_tiles(p->type, tiles));
    consider_matrices(p, &plan);
    return plan;
}

extern "C" size_t half_workspace(const conv_problem *p) {
    return plan_here(p).bytes;
}

extern "C" cudaError_t half_launch(const conv_problem *p, cudaStream_t stream) {
    const half_plan plan = plan_here(p);
    return launch_half(p, &plan, stream);
}
