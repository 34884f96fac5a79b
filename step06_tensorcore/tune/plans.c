/* Every plan that best chooses from, as a variant of its own: each configuration of the persistent kernel, also without
 * parts; each tile of multistage; thin.cu; little.cu. Tests run them (tests/persistent), and `make tune`
 * (scripts/tune.sh) times them and fits the constants of the estimates:
 *
 *   CLUSTERS=3 run OPTION...      on three clusters of blocks, on which small problems take several waves of tiles
 *   CLUSTER=2x4 run OPTION...     in clusters of two blocks one above the other by four side by side, not in the best
 *   COLUMNS=48 run OPTION...      with so many columns in exact tiles
 *   SWAPPED=1 run OPTION...       by swapped tiles alone; 0: by the others
 *   WITHIN=1.5 run OPTION...      only plans that are estimated to take at most so many times what the best does
 *   PLANS=FILE run OPTION...      appends to FILE for each row of the table "VARIANT,...": what it computed, and how
 *   run --fit TIMES COSTS         reads such lines, each behind its microseconds, and writes the lines of a cache file
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../best/best.h"
#include "../best/multistage.h"
#include "fit.h"

enum { FIRST_WHOLE = 12, FIRST_STAGES = 24, CANDIDATES = 34 };
/* The configurations of the persistent kernel, in its order. */
#define HOPPER(whole)                                                                                                  \
    "wide" whole, "square" whole, "flat" whole, "square_any" whole, "flat_any" whole, "tall_any" whole,                \
        "small_any" whole, "middle_any" whole, "exact_64" whole, "exact_128" whole, "exact_192" whole, "tall" whole
/* Those _whole without parts. */
static const char *const names[CANDIDATES] = {
    HOPPER(""),
    HOPPER("_whole"),
    "stages_128x128",
    "stages_64x64",
    "stages_32x128",
    "stages_128x32",
    "stages_any_128x128",
    "stages_any_64x64",
    "stages_any_32x128",
    "stages_any_128x32",
    "thin",
    "little",
};

typedef struct {
    gemm_problem p;
    bool hopper; /* else by multistage */
    hopper_plan a;
    multistage_plan b;
} timed_plan;

/* Bits, as in plan_tile: CLUSTER's shape, or those of the tile. */
static int shapes_to_try(int of_tile) {
    const char *set = getenv("CLUSTER");
    int down, across, i = 0;
    if (set == NULL || sscanf(set, "%dx%d", &down, &across) != 2) return of_tile;
    while (i < CLUSTER_SHAPES && (cluster_shapes[i].down != down || cluster_shapes[i].across != across)) i++;
    return i < CLUSTER_SHAPES ? 1 << i : 0;
}

/* By the shipped constants: what is timed does not depend on what was fitted before. A test, which sets CLUSTERS, has
 * constants of its own. */
static timed_plan plan_with(const gemm_problem *p, int candidate) {
    timed_plan t = {*p, candidate < FIRST_STAGES, {.tile = -1}, {.clocks = INFINITY}};
    if (p->m == 0 || p->n == 0) return t;
    if (!t.hopper) {
        t.b = plan_multistage(p, true, candidate - FIRST_STAGES, &shipped_costs);
        return t;
    }
    const char *set = getenv("CLUSTERS"), *columns = getenv("COLUMNS"), *swapped = getenv("SWAPPED");
    plan_tile tiles[PERSISTENT_TILES];
    plan_costs costs = set != NULL ? *current_costs() : shipped_costs;
    const int count = persistent_tiles(p, tiles), most = set != NULL ? atoi(set) : INT_MAX;
    const int tile = candidate % FIRST_WHOLE;
    if (candidate >= FIRST_WHOLE) costs.meet = 1e15; /* no parts */
    for (int i = 0; i < count; i++) {
        tiles[i].shapes = i != tile ? 0 : shapes_to_try(tiles[i].shapes);
        if (tiles[i].exact && columns != NULL) {
            const int these = atoi(columns);
            if (these < 16 || these > tiles[i].bn || these % 16 != 0) tiles[i].shapes = 0; /* there is no such plan */
            tiles[i].exact = false, tiles[i].bn = these;
        }
        if (swapped != NULL) tiles[i].orders &= atoi(swapped) ? SWAPPED : AS_IS;
        for (int size = 0; size < CLUSTER_SIZES; size++)
            if (tiles[i].clusters[size] > most) tiles[i].clusters[size] = most;
    }
    t.a = plan_hopper(p, tiles, count, &costs);
    return t;
}

/* The clocks of the best of all plans, by the shipped constants. */
static double least_clocks(const gemm_problem *p) {
    plan_tile tiles[PERSISTENT_TILES];
    const hopper_plan a = plan_hopper(p, tiles, persistent_tiles(p, tiles), &shipped_costs);
    return fmin(a.clocks, plan_multistage(p, true, MULTISTAGE_ANY, &shipped_costs).clocks);
}

static const char *lacks(const gemm_problem *p, int i) {
    const timed_plan t = plan_with(p, i);
    const char *within = getenv("WITHIN");
    if (within != NULL && (t.hopper ? t.a.clocks : t.b.clocks) > atof(within) * least_clocks(p))
        return "is estimated to take too long";
    if (p->type == GEMM_S8 && p->layout == GEMM_NN) return "takes s8 in tn";
    const char *swapped = getenv("SWAPPED");
    if (!t.hopper && (shapes_to_try(IN_1X1) & IN_1X1) == 0) return "has no clusters";
    if (!t.hopper && swapped != NULL && atoi(swapped)) return "swaps nothing";
    if (i >= FIRST_WHOLE && i < FIRST_STAGES && plan_with(p, i % FIRST_WHOLE).a.parts == 1)
        return "the same as without _whole";
    return t.a.tile >= 0 || isfinite(t.b.clocks) || p->m == 0 || p->n == 0 ? NULL : "there is no such plan";
}

static const char *note(const gemm_problem *p, int i) {
    static const char *const notes[] = {"whole tiles", "whole tiles and parts", "parts"};
    const char *path = getenv("PLANS");
    const timed_plan t = plan_with(p, i);
    FILE *f = path != NULL ? fopen(path, "ae") : NULL;
    if (f != NULL) {
        fprintf(f, "%s,%s,%s,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d\n", names[i], gemm_type_name(p->type),
                gemm_layout_name(p->layout), p->m, p->n, p->k, p->lda, p->ldb, p->ldc, t.hopper ? t.a.tile : t.b.tile,
                t.a.shape, t.hopper ? t.a.whole : (int)t.b.whole, t.hopper ? t.a.parts : t.b.parts, t.a.a.rows > 0,
                t.a.b.rows > 0, t.a.columns, t.a.swapped);
        fclose(f);
    }
    return t.a.tile < 0 ? NULL : notes[t.a.parts == 1 ? 0 : t.a.whole > 0 ? 1 : 2];
}

static size_t bytes(const gemm_problem *p, int i) {
    const timed_plan t = plan_with(p, i);
    return t.hopper ? t.a.bytes : t.b.bytes;
}

static cudaError_t launch(const gemm_problem *p, int i, cudaStream_t stream) {
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    const timed_plan t = plan_with(p, i);
    return t.hopper ? launch_persistent(&t.a, stream) : launch_multistage_plan(p, &t.b, stream);
}

static const char *on_hopper(const device_facts *device) {
    return device->cc == 90 ? NULL : "needs compute capability 9.0";
}

/* clang-format off */
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17)      \
    X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) X(32) X(33)
#define FUNCTIONS(i)                                                                                                   \
    static cudaError_t launch_##i(const gemm_problem *p, cudaStream_t s) { return launch(p, i, s); }                   \
    static const char *refuses_##i(const gemm_problem *p) { return lacks(p, i); }                                      \
    static const char *note_##i(const gemm_problem *p) { return note(p, i); }                                          \
    static size_t bytes_##i(const gemm_problem *p) { return bytes(p, i); }
#define ROW(i)                                                                                                         \
    {.name = names[i], .idea = "that plan alone", .launch = launch_##i, .refuses = refuses_##i, .note = note_##i,      \
     .workspace = bytes_##i, .kernel = (i) < FIRST_STAGES ? kernel_persistent : kernel_multistage,                     \
     .supports = (i) < FIRST_STAGES ? on_hopper : NULL},
/* clang-format on */
EACH(FUNCTIONS)

/* ---- fitting ---- */

static double estimate(const void *context, int row, const plan_costs *costs) {
    static plan_tile tiles[PERSISTENT_TILES];
    static const gemm_problem *last;
    const timed_plan *t = (const timed_plan *)context + row;
    if (!t->hopper) return multistage_clocks(&t->p, &t->b, costs);
    if (last == NULL || last->type != t->p.type || last->layout != t->p.layout) persistent_tiles(&t->p, tiles);
    last = &t->p;
    return hopper_clocks(&t->p, &tiles[t->a.tile], &t->a, costs);
}

static const gemm_type types[] = {GEMM_F16, GEMM_BF16, GEMM_S8, GEMM_TF32};
static const gemm_layout layouts[] = {GEMM_TN, GEMM_NN};

/* A line of TIMES, into zeros; false: it makes no sense. */
static bool read_time(const char *line, double *us, timed_plan *t) {
    char name[32], type[8], layout[8];
    int tile, shape, whole, parts, a, b, columns, swapped, candidate = 0, kind = 0;
    gemm_problem *p = &t->p;
    if (sscanf(line, "%lf,%31[^,],%7[^,],%7[^,],%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d", us, name, type, layout,
               &p->m, &p->n, &p->k, &p->lda, &p->ldb, &p->ldc, &tile, &shape, &whole, &parts, &a, &b, &columns,
               &swapped) != 18)
        return false;
    while (kind < ARRAY_SIZE(types) && strcmp(type, gemm_type_name(types[kind])) != 0) kind++;
    while (candidate < CANDIDATES && strcmp(name, names[candidate]) != 0) candidate++;
    t->hopper = candidate < FIRST_STAGES;
    if (kind == ARRAY_SIZE(types) || candidate == CANDIDATES || !(*us > 0) || parts < 1 || shape < 0 ||
        columns < t->hopper || shape >= CLUSTER_SHAPES || tile < 0 ||
        tile >= (t->hopper ? PERSISTENT_TILES : MULTISTAGE_LITTLE + 1))
        return false;
    dtype outs[2];
    gemm_outs(p->type = types[kind], outs);
    p->out = outs[0], p->layout = strcmp(layout, "tn") == 0 ? GEMM_TN : GEMM_NN, p->alpha = 1;
    t->a.tile = t->b.tile = tile, t->b.whole = t->a.whole = whole, t->a.parts = t->b.parts = parts;
    t->a.shape = shape, t->a.columns = columns, t->a.swapped = swapped, t->a.a.rows = a, t->a.b.rows = b;
    return true;
}

static void report(const char *constants, const fit_data *data, const plan_costs *costs) {
    const fit_quality q = fit_judge(data, costs);
    const gemm_problem *p = &((const timed_plan *)data->context)[q.worst_row].p;
    printf("%s constants: regret %.1f %% in the mean of %d problems, %.0f %% at worst (%s %s %d x %d x %d); estimates "
           "off by %.0f %%\n",
           constants, 100 * q.mean, q.problems, 100 * q.worst, gemm_type_name(p->type), gemm_layout_name(p->layout),
           p->m, p->n, p->k, 100 * q.error);
}

static int fit(FILE *times, FILE *out) {
    enum { MOST = 20000 };
    static fit_row rows[MOST];
    static timed_plan plans[MOST];
    static struct cudaDeviceProp facts;
    fit_data data = {rows, 0, estimate, plans};
    plan_costs costs = shipped_with(memory_per_clock(0));
    char line[512] = "\n";
    if (times == NULL || out == NULL || cudaGetDeviceProperties(&facts, 0) != cudaSuccess) return EXIT_FAILURE;
    while (data.count < MOST && fgets(line, sizeof line, times) != NULL) {
        const int i = data.count;
        memset(&plans[i], 0, sizeof *plans);
        if (!read_time(line, &rows[i].us, &plans[i]) || !isfinite(estimate(plans, i, &costs))) break;
        rows[data.count++].problem =
            i == 0 ? 0 : rows[i - 1].problem + (memcmp(&plans[i].p, &plans[i - 1].p, sizeof plans->p) != 0);
    }
    if (data.count == 0 || !feof(times)) {
        fprintf(stderr, "--fit: %s: %s", data.count == 0 ? "no times" : "a line makes no sense", line);
        return EXIT_FAILURE;
    }
    report("shipped", &data, &costs);
    fit_costs(&data, &costs);
    report("fitted", &data, &costs);
    for (int i = 0; i < PLAN_COST_COUNT; i++)
        fprintf(out, "%s\t%s\t%.4g\n", facts.name, plan_cost_names[i], ((const double *)&costs)[i]);
    return fclose(out) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
    const gemm_variant variants[] = {EACH(ROW)};
    static const gemm_offer offer = {types, ARRAY_SIZE(types), layouts, ARRAY_SIZE(layouts), NULL, 0};
    if (argc == 4 && strcmp(argv[1], "--fit") == 0) return fit(fopen(argv[2], "re"), fopen(argv[3], "we"));
    return gemm_step_main(argc, argv, "plans", variants, ARRAY_SIZE(variants), &offer);
}
