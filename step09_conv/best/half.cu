/* Convolutions of f16 and bf16: what is written into the workspace first, which kernel and tile compute, where tiles
 * are divided. f16 is instantiated here.
 *
 *   x                                           as the kernels read it
 *   NHWC, c a multiple of 8, on 16 bytes        as it lies, 16 bytes at a time
 *   NHWC, c a multiple of 4, on 8 bytes         as it lies, 8 bytes at a time
 *   up to 4 channels                            4 channels in the workspace, 8 bytes at a time; for halos 8
 *   all others                                  the next multiple of 8, or 64 if they are many, in the workspace
 *
 * A first layer, of 3 channels, thus has a quarter of zeros in pieces; in halos it has more, but each pixel is read
 * only once.
 *
 * Windows come by TMA where channels are a multiple of 64. Where they are not, a tap's last 64 have zeros, each 128
 * bytes lie in two lines of L2, and TMA delivers them more slowly than threads copy pieces. So it does where two blocks
 * share what TMA brings of the filters, if there are many channels, and tiles enough for so large ones.
 *
 * Where the stride is 1, TMA may also bring the pixels of whole patches of y with their halo, once for all taps
 * (half_halo.cuh), from x with a multiple of 8 channels. But patches of 8 x 8 places do not cover every y as well as
 * rows of places do. One tap needs no halo, but there, too, filters stay in shared memory if they are few. */
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
/* Fitted to an H200's times of all plans for 122 layers: the clocks in which L2 delivers 128 bytes of a window, and of
 * a filter. Meeting takes so many times as long as in a product of matrices, as the parts ask L2 for windows at the
 * same time; storing, which scales and adds a bias, so many. */
static const double WINDOW_ROW = 3.3, FILTER_ROW = 1.5, MEET_TIMES = 2, STORE_TIMES = 2.4;
/* With halos, the clocks for filters: PART_ROW for a row with zeros; FIRST_ROW for any other, where all are loaded
 * once; RESIDENT is what a tap then takes beside its products. */
static const double PART_ROW = 6, FIRST_ROW = 3, RESIDENT = 15;
/* The clocks of windows and of tiles, whole or in parts, count so many times against those of halos; those of pieces
 * PIECES_TIMES. */
static const double WINDOWS_TIMES = 1.05, PARTS_TIMES = 1.2;
/* Rows of fewer channels than these, which fill at most five eighths of a stage, cost step 6's kernels so many times as
 * much as it estimates. */
static const int NARROW = 48;
static const double NARROW_TIMES = 1.5;

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

/* The channels of a pixel as the kernels read it, and whether it can stay where it is. `eights`: 16 bytes at a time. */
static int channels_of(const conv_problem *p, bool eights, bool *stays) {
    *stays = p->nhwc && p->c % (eights ? 8 : 4) == 0 && aligned(p->x, eights ? 16 : 8);
    if (*stays || p->c == 0) return p->c;
    return p->c <= 4 && !eights ? 4 : (int)round_up(p->c, many_channels(p->c) ? 64 : 8);
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
static void view_of(const conv_problem *p, bool eights, half_plan *all) {
    bool stays;
    const int c = channels_of(p, eights, &stays), in_64 = c > 0 ? 64 / c : 0;
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

static bool is_pointwise(const conv_problem *p) {
    return p->r * p->s == 1 && p->stride[0] == 1 && p->stride[1] == 1 && p->pad[0] == 0 && p->pad[1] == 0;
}

/* For halos: of one tap that leaves no pixel out, all pixels as one image of eight columns, of which patches leave out
 * nothing. */
static conv_problem eight_wide(const conv_problem *p) {
    conv_problem q = *p;
    if (is_pointwise(p) && conv_places(p) % 8 == 0) q.n = 1, q.h = q.p = conv_places(p) / 8, q.w = q.q = 8;
    return q;
}

/* The convolution that the kernels see. */
static conv_problem seen(const conv_problem *p, const half_plan *plan) {
    conv_problem q = plan->loader == LOAD_HALOS ? eight_wide(p) : *p;
    q.nhwc = true, q.x = plan->view.x, q.c = plan->view.c, q.f = plan->filters.at;
    return q;
}

/* Steps of 64 channels of a tap. */
static int64_t window_steps(const half_view *v) {
    return round_up(v->c, 64) / 64 * v->r * v->s;
}

static half_loader loader_of(const conv_problem *p, const half_plan *plan) {
    const conv_problem q = seen(p, plan);
    if (plan->view.piece == 16 && is_pointwise(p)) return LOAD_TILES;
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
static void offer_tiles(const half_plan *plan, const gemm_problem *g, bool resident, const plan_tile *tiles, int count,
                        plan_tile offered[HALF_TILES]) {
    const bool halos = plan->loader == LOAD_HALOS;
    const bool pieces = plan->loader == LOAD_PIECES, lines = plan->view.c % 64 == 0, whole = lines && g->n % 64 == 0;
    const int64_t broad = ((int64_t)g->m + 127) / 128 * (g->n / 256);
    for (int i = 0; i < count; i++) {
        const plan_tile *t = &tiles[i];
        const bool square = t->bm == 128 && t->bn == 128, paired = t->bm == 128 && t->bn >= 128 && !t->any_c;
        const bool in_pairs = paired && !pieces && !whole, alone = !in_pairs && (lines || plan->loader != LOAD_WINDOWS);
        const int room = tiles[0].clusters[0];
        offered[i] = *t;
        offered[i].shapes = in_pairs ? IN_2X1 : alone ? IN_1X1 : 0;
        if (halos) offered[i].shapes = IN_1X1 | IN_2X1;
        if (halos != (i >= FIRST_HALO)) offered[i].shapes = 0;
        if (resident && t->bn < g->n) offered[i].shapes = 0;
        if (pieces && (t->bm > 128 || (square && g->n % 256 == 0 && broad >= room && room > 0))) offered[i].shapes = 0;
    }
}

/* Elements that DRAM moves: the filters, y, and of x each pixel at most once or, for `windows`, every window whole. */
static double moved(const conv_problem *p, const gemm_problem *g, bool windows) {
    const double all = (double)g->m * g->k, x = windows ? all : fmin(all, (double)p->n * p->h * p->w * p->c);
    return x + (double)g->n * g->k + (double)g->m * g->n;
}

/* Patches of 8 x 8 places that cover y. */
static int64_t patches_of(const conv_problem *p) {
    return round_up(p->p, 8) / 8 * (round_up(p->q, 8) / 8) * p->n;
}

/* Windows whose neighbours are neighbours in x, too; of one tap only where a matrix of them is slower. TMA takes a
 * patch with its border in one box, and two halos find room beside a ring of filters; y leaves by TMA, too. */
static bool halos_suit(const conv_problem *p, const half_view *v) {
    const int most = 256 - 8; /* pixels from a window's first tap to its last: a box has at most 256 */
    if (is_pointwise(p) && v->c % 64 == 0) return false; /* a matrix, of which tiles are as fast */
    const bool one_by_one = p->stride[0] == 1 && p->stride[1] == 1, pixels = p->h > 0 && p->w > 0 && v->piece == 16;
    if (!p->nhwc || !one_by_one || !pixels || p->k % 8 != 0 || !aligned(p->y, 16)) return false;
    if ((int64_t)(v->r - 1) * v->dilation[0] > most || (int64_t)(v->s - 1) * v->dilation[1] > most) return false;
    if (patches_of(p) == 0 || patches_of(p) > (INT_MAX - 255) / 64 || window_steps(v) > INT_MAX / 64) return false;
    return 4 * halo_patch_of(v).bytes <= HALO_POOL - FILTER_RING;
}

/* For the estimate: the weights of a filter that are multiplied, without whole sixteens of channels of zeros; for 64 of
 * them, stages of filters, and of halos rows of 128 bytes for one of a window. */
typedef struct {
    int k;
    double stages, rows;
    bool whole, resident; /* no pixel has channels of zeros; all filters find room in shared memory */
} halo_costs;

static halo_costs costs_of_halos(const half_view *v, int filters) {
    const int slices = (v->c + 63) / 64, stages = v->r * v->s * slices;
    const halo_patch patch = halo_patch_of(v);
    halo_costs of = {v->r * v->s * (int)round_up(v->c, 16), 0, 0, 2 * v->c % patch.width == 0, false};
    of.stages = 64.0 * stages / of.k;
    of.rows = (double)patch.bytes / 128 * slices / of.k;
    of.resident = filters <= 128 && halo_resident(stages, (filters <= 64 ? 64 : 128) * patch.width, patch.bytes);
    return of;
}

/* The places of this view are patches. */
static void view_patches(const conv_problem *p, half_view *v) {
    v->p = (p->p + 7) / 8, v->q = (p->q + 7) / 8;
    v->stride[0] = v->stride[1] = 8;
    v->by_pq = divisor(v->p * v->q), v->by_q = divisor(v->q);
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
    const bool taps = all.loader == LOAD_WINDOWS || all.loader == LOAD_HALOS; /* a step is of one tap */
    if (taps && g.k > 0) g.k = (int)window_steps(&all.view) * 64;
    g.type = p->type == DTYPE_BF16 ? GEMM_BF16 : GEMM_F16, g.out = p->type, g.layout = GEMM_TN;
    g.m = all.loader == LOAD_HALOS ? (int)patches_of(p) * 64 : conv_places(p), g.n = g.ldc = p->k;
    g.A = all.view.x, g.lda = all.view.c, g.alpha = 1.0f, g.beta = p->beta, g.C = p->y;

    gemm_problem asked = g;
    asked.A = asked.B = (const void *)256, asked.lda = asked.ldb = (int)round_up(g.k, 64);
    plan_costs costs = *current_costs();
    double first = 0; /* clocks before the first tile, a column */
    bool resident = false;
    costs.copy = INFINITY;
    costs.store *= STORE_TIMES, costs.store_bn *= STORE_TIMES;
    if (all.loader == LOAD_TILES) asked.lda = asked.ldb = c;
    if (taps) {
        asked.lda = 8, asked.ldb = c;
        costs.row_16 = WINDOW_ROW, costs.row_128 = FILTER_ROW, costs.meet *= MEET_TIMES;
    }
    if (all.loader == LOAD_HALOS) {
        const halo_costs of = costs_of_halos(&all.view, p->k);
        asked.k = of.k, asked.ldb = 64, resident = of.resident;
        costs.row_16 *= of.rows;
        costs.row_128 = resident ? 0 : of.stages * (of.whole ? FILTER_ROW : PART_ROW);
        costs.narrow = of.stages * (resident ? RESIDENT : costs.narrow);
        if (resident) first = of.stages * of.k / 64 * (of.whole ? FIRST_ROW : PART_ROW);
    }
    if (g.m > 0 && g.n > 0 && g.k > 0) costs.dram *= moved(p, &asked, true) / moved(p, &asked, false);
    if (!p->nhwc) asked.C = (void *)2; /* planes: as rows that begin anywhere, for the configurations that take those */
    asked.workspace = (void *)((uintptr_t)p->workspace + all.bytes);
    plan_tile offered[HALF_TILES];
    offer_tiles(&all, &g, resident, tiles, count, offered);
    all.product = plan_hopper(&asked, offered, count, &costs);
    all.product.p = g, all.product.clocks += first * all.product.columns;
    all.hopper = all.product.tile >= 0;
    if (all.hopper) all.bytes += all.product.bytes;
    return all;
}

/* Clocks of the launch that copies x and f. */
static double copy_clocks(const half_plan *plan) {
    const half_copy *x = &plan->x, *f = &plan->f;
    const double of_x = (double)x->groups * x->inner * (x->c + x->to_c), of_f = (double)f->groups * f->pitch * 2;
    const plan_costs *costs = current_costs();
    return of_x + of_f > 0 ? costs->copy + 2 * (of_x + of_f) / costs->copied : 0;
}

static half_plan plan_halos(const conv_problem *p, const plan_tile *tiles, int count) {
    const conv_problem patched = eight_wide(p);
    half_plan all = {};
    view_of(p, true, &all);
    if (!halos_suit(p, &all.view)) return all;
    all.loader = LOAD_HALOS;
    view_patches(&patched, &all.view);
    if (is_pointwise(p)) all.view.row = patched.w;
    return plan_as(&patched, all, tiles, count);
}

extern "C" half_plan plan_half(const conv_problem *problem, const plan_tile *tiles, int count) {
    const conv_problem p = conv_effective(problem);
    half_plan all = {};
    view_of(&p, false, &all);
    all.loader = loader_of(&p, &all);
    half_plan plan = plan_as(&p, all, tiles, count);
    if (all.loader == LOAD_WINDOWS && all.view.c % 64 != 0) {
        all.loader = LOAD_PIECES;
        const half_plan pieces = plan_as(&p, all, tiles, count);
        if (!plan.hopper || plan.product.clocks >= PIECES_TIMES * pieces.product.clocks) plan = pieces;
    }
    const half_plan halos = plan_halos(&p, tiles, count);
    const double windows = plan.product.parts > 1 ? PARTS_TIMES : WINDOWS_TIMES;
    const double times = plan.loader == LOAD_PIECES ? PIECES_TIMES : windows;
    const double before = times * plan.product.clocks + copy_clocks(&plan);
    return halos.hopper && (!plan.hopper || halos.product.clocks + copy_clocks(&halos) < before) ? halos : plan;
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
    const bool windows = plan->loader == LOAD_WINDOWS, halos = plan->loader == LOAD_HALOS;
    halo_patch patch = {};
    if (halos) patch = halo_patch_of(&plan->view);
    cudaError_t error = windows ? conv_map_f(&f_map, &q, filters)
                        : halos ? conv_map_narrow_f(&f_map, &q, patch.width, filters)
                                : tensor_map_b(&f_map, g, filters);
    x_map = y_map = last_map = f_map; /* of the others, those that are used */
    if (error == cudaSuccess && plan->loader == LOAD_TILES) error = tensor_map_a(&x_map, g, t->bm);
    if (error == cudaSuccess && windows) error = conv_map_x(&x_map, &q, t->bm);
    if (error == cudaSuccess && halos)
        error = conv_map_pixels(&x_map, &q, plan->view.row, patch.width, patch.across, patch.down);
    if (error == cudaSuccess && halos) error = conv_map_y(&y_map, &q, 64, 8, 2);
    if (error == cudaSuccess && !t->any_c && !halos) error = tensor_map_c(&y_map, g, 16);
    if (error == cudaSuccess && !t->any_c && !halos && last > 0) error = tensor_map_c_part(&last_map, g, 16, last);
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
    if (!plan->hopper || plan->view.piece != 16 || !is_pointwise(p) || !p->nhwc || p->bias != NULL) return;
    gemm_problem g = plan->product.p;
    const size_t copies = plan->bytes - plan->product.bytes;
    const double times = plan->loader == LOAD_HALOS && g.lda < NARROW ? NARROW_TIMES : 1;
    g.m = conv_places(p), g.k = (int)plan->filters.weights, g.ldb = (int)plan->filters.pitch;
    g.alpha = p->alpha, g.workspace = (void *)((uintptr_t)p->workspace + copies);
    const hopper_plan persistent = plan_persistent(&g);
    const double stages = plan_multistage(&g, true, MULTISTAGE_ANY, current_costs()).clocks;
    if (times * fmin(persistent.clocks, stages) > plan->product.clocks) return;
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
