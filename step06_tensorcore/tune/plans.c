/* Every plan that best chooses from, as a variant of its own: each configuration of the persistent kernel, those that
 * take any C also without parts; each tile of multistage; thin.cu. Tests run them (tests/persistent), and `make tune`
 * (scripts/tune.sh) times them and fits the constants of the estimates:
 *
 *   CLUSTERS=3 run OPTION...      on three clusters of blocks, on which small problems take several waves of tiles
 *   PLANS=FILE run OPTION...      appends to FILE for each row of the table "VARIANT,...": what it computed, and how
 *   run --fit TIMES COSTS         reads such lines, each behind its microseconds, and writes the lines of a cache file
 */
#include <stdlib.h>
#include <string.h>

#include "../best/best.h"
#include "../best/multistage.h"
#include "fit.h"

enum { FIRST_WHOLE = 9, FIRST_STAGES = 13, CANDIDATES = 22, FIRST_ANY_C = 5 };
static const char *const names[CANDIDATES] = {
    "wide",
    "wide_pair",
    "square",
    "flat",
    "flat_pair",
    "square_any",
    "flat_any",
    "tall_any",
    "small_any",
    "square_whole",
    "flat_whole",
    "tall_whole",
    "small_whole",
    "stages_128x128",
    "stages_64x64",
    "stages_32x128",
    "stages_128x32",
    "stages_any_128x128",
    "stages_any_64x64",
    "stages_any_32x128",
    "stages_any_128x32",
    "thin",
};

static bool is_hopper(int i) {
    return i < FIRST_STAGES;
}

/* Always by the shipped constants: what is timed does not depend on what was fitted before. */
static hopper_plan hopper_with(const gemm_problem *p, int candidate) {
    const char *set = getenv("CLUSTERS");
    plan_tile tiles[PERSISTENT_TILES];
    plan_costs costs = shipped_costs;
    const int count = persistent_tiles(p, tiles), most = set != NULL ? atoi(set) : 0;
    const int tile = candidate < FIRST_WHOLE ? candidate : candidate - FIRST_WHOLE + FIRST_ANY_C;
    if (candidate >= FIRST_WHOLE) costs.meet = 1e15; /* no parts */
    for (int i = 0; i < count; i++) {
        if (most > 0 && tiles[i].clusters > most) tiles[i].clusters = most;
        if (i != tile) tiles[i].clusters = 0;
    }
    return plan_hopper(p, tiles, count, &costs);
}

static multistage_plan stages_with(const gemm_problem *p, int candidate) {
    return plan_multistage(p, true, candidate - FIRST_STAGES, &shipped_costs);
}

static const char *refuses(const gemm_problem *p, int i) {
    if (p->type == GEMM_S8 && p->layout == GEMM_NN) return "takes s8 in tn";
    if (p->m == 0 || p->n == 0) return NULL;
    if (i >= FIRST_WHOLE && is_hopper(i) && hopper_with(p, i - FIRST_WHOLE + FIRST_ANY_C).parts == 1)
        return "the same as without _whole";
    const bool there = is_hopper(i) ? hopper_with(p, i).tile >= 0 : stages_with(p, i).clocks < 1e300;
    return there ? NULL : "there is no such plan";
}

static const char *note(const gemm_problem *p, int i) {
    static const char *const notes[] = {"whole tiles", "whole tiles and parts", "parts"};
    const char *path = getenv("PLANS");
    const hopper_plan h = is_hopper(i) ? hopper_with(p, i) : (hopper_plan){.tile = -1};
    const multistage_plan s =
        is_hopper(i) ? (multistage_plan){.tile = h.tile, .whole = h.whole, .parts = h.parts} : stages_with(p, i);
    FILE *f = path != NULL ? fopen(path, "ae") : NULL;
    if (f != NULL) {
        fprintf(f, "%s,%s,%s,%d,%d,%d,%d,%d,%d,%d,%lld,%d,%d,%d\n", names[i], gemm_type_name(p->type),
                gemm_layout_name(p->layout), p->m, p->n, p->k, p->lda, p->ldb, p->ldc, s.tile, (long long)s.whole,
                s.parts, h.a.rows > 0, h.b.rows > 0);
        fclose(f);
    }
    return h.tile < 0 ? NULL : notes[h.parts == 1 ? 0 : h.whole > 0 ? 1 : 2];
}

static cudaError_t launch(const gemm_problem *p, int i, cudaStream_t stream) {
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    if (is_hopper(i)) {
        const hopper_plan plan = hopper_with(p, i);
        return launch_persistent(&plan, stream);
    }
    const multistage_plan plan = stages_with(p, i);
    return launch_multistage_plan(p, &plan, stream);
}

/* clang-format off */
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17)      \
    X(18) X(19) X(20) X(21)
/* clang-format on */
#define FUNCTIONS(i)                                                                                                   \
    static cudaError_t launch_##i(const gemm_problem *p, cudaStream_t s) {                                             \
        return launch(p, i, s);                                                                                        \
    }                                                                                                                  \
    static const char *refuses_##i(const gemm_problem *p) {                                                            \
        return refuses(p, i);                                                                                          \
    }                                                                                                                  \
    static const char *note_##i(const gemm_problem *p) {                                                               \
        return note(p, i);                                                                                             \
    }                                                                                                                  \
    static size_t bytes_##i(const gemm_problem *p) {                                                                   \
        return is_hopper(i) ? hopper_with(p, i).bytes : stages_with(p, i).bytes;                                       \
    }                                                                                                                  \
    static const char *supports_##i(const device_facts *device) {                                                      \
        return device->cc >= (is_hopper(i) ? 90 : 80) ? NULL : "needs a newer GPU";                                    \
    }
EACH(FUNCTIONS)

/* ---- fitting ---- */

typedef struct {
    gemm_problem p;
    int candidate;
    hopper_plan hopper;
    multistage_plan stages;
} timed_plan;

static double estimate(const void *context, int row, const plan_costs *costs) {
    const timed_plan *t = (const timed_plan *)context + row;
    static plan_tile tiles[PERSISTENT_TILES];
    static gemm_problem last = {.m = -1};
    if (!is_hopper(t->candidate)) return multistage_clocks(&t->p, &t->stages, costs);
    if (last.m < 0 || last.type != t->p.type || last.layout != t->p.layout) persistent_tiles(&t->p, tiles);
    last = t->p;
    return hopper_clocks(&t->p, &tiles[t->hopper.tile], &t->hopper, costs);
}

static const gemm_type types[] = {GEMM_F16, GEMM_BF16, GEMM_S8, GEMM_TF32};
static const gemm_layout layouts[] = {GEMM_TN, GEMM_NN};

/* A line of TIMES; false: it makes no sense. */
static bool read_time(const char *line, fit_row *row, timed_plan *t) {
    char name[32], type[8], layout[8];
    int tile, parts, a, b;
    long long whole;
    gemm_problem *p = &t->p;
    dtype outs[2];
    *t = (timed_plan){.candidate = -1};
    *p = (gemm_problem){.alpha = 1, .A = (void *)256, .B = (void *)256, .C = (void *)256};
    if (sscanf(line, "%lf,%31[^,],%7[^,],%7[^,],%d,%d,%d,%d,%d,%d,%d,%lld,%d,%d,%d", &row->us, name, type, layout,
               &p->m, &p->n, &p->k, &p->lda, &p->ldb, &p->ldc, &tile, &whole, &parts, &a, &b) != 15)
        return false;
    row->kind = -1;
    for (int i = 0; i < ARRAY_SIZE(types); i++)
        if (strcmp(type, gemm_type_name(types[i])) == 0) row->kind = i;
    for (int i = 0; i < CANDIDATES; i++)
        if (strcmp(name, names[i]) == 0) t->candidate = i;
    if (row->kind < 0 || t->candidate < 0 || !(row->us > 0) || tile < 0 || parts < 1 ||
        tile >= (is_hopper(t->candidate) ? PERSISTENT_TILES : MULTISTAGE_THIN + 1))
        return false;
    p->type = types[row->kind];
    p->layout = strcmp(layout, "tn") == 0 ? GEMM_TN : GEMM_NN;
    gemm_outs(p->type, outs);
    p->out = outs[0];
    t->hopper = (hopper_plan){.tile = tile, .whole = (int)whole, .parts = parts, .a.rows = a, .b.rows = b};
    t->stages = (multistage_plan){.tile = tile, .whole = whole, .parts = parts};
    return true;
}

static bool is_same(const gemm_problem *x, const gemm_problem *y) {
    return x->type == y->type && x->layout == y->layout && x->m == y->m && x->n == y->n && x->k == y->k &&
           x->lda == y->lda && x->ldb == y->ldb && x->ldc == y->ldc;
}

static int report(const char *when, const fit_data *data, const plan_costs *costs) {
    const fit_quality q = fit_judge(data, costs);
    const timed_plan *t = (const timed_plan *)data->context + q.worst_row;
    printf(
        "%s: regret %.1f %% in the mean of %d problems, %.0f %% at worst (%s of %s %s %d x %d x %d); estimates off by "
        "%.0f %%\n",
        when, 100 * q.mean, q.problems, 100 * q.worst, names[t->candidate], gemm_type_name(t->p.type),
        gemm_layout_name(t->p.layout), t->p.m, t->p.n, t->p.k, 100 * q.error);
    return q.problems;
}

static int fit(const char *times, const char *out) {
    enum { MOST = 100000 };
    fit_row *rows = calloc(MOST, sizeof *rows);
    timed_plan *plans = calloc(MOST, sizeof *plans);
    struct cudaDeviceProp facts;
    char line[512];
    FILE *from = fopen(times, "re"), *to = fopen(out, "we");
    plan_costs costs = shipped_costs;
    int count = 0, bad = 0, device;
    if (rows == NULL || plans == NULL || from == NULL || to == NULL || cudaGetDevice(&device) != cudaSuccess ||
        cudaGetDeviceProperties(&facts, device) != cudaSuccess) {
        fprintf(stderr, "--fit: needs a GPU, %s to read and %s to write\n", times, out);
        return EXIT_FAILURE;
    }
    while (count < MOST && fgets(line, sizeof line, from) != NULL) {
        if (!read_time(line, &rows[count], &plans[count])) {
            bad++;
            continue;
        }
        const bool same = count > 0 && is_same(&plans[count].p, &plans[count - 1].p);
        rows[count].problem = count == 0 ? 0 : rows[count - 1].problem + !same;
        count++;
    }
    fclose(from);
    const fit_data data = {rows, count, estimate, plans};
    if (bad > 0) fprintf(stderr, "--fit: %s: %d lines that make no sense are left out\n", times, bad);
    if (count == 0) return EXIT_FAILURE;
    report("shipped constants", &data, &costs);
    fit_costs(&data, &costs);
    report("fitted constants", &data, &costs);
    for (int i = 0; i < PLAN_COST_COUNT; i++)
        fprintf(to, "%s\t%s\t%.4g\n", facts.name, plan_cost_names[i], ((const double *)&costs)[i]);
    free(rows);
    free(plans);
    return fclose(to) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
#define ROW(i)                                                                                                         \
    {.name = names[i],                                                                                                 \
     .idea = "that plan alone",                                                                                        \
     .launch = launch_##i,                                                                                             \
     .kernel = (i) < FIRST_STAGES ? kernel_persistent : kernel_multistage,                                             \
     .supports = supports_##i,                                                                                         \
     .refuses = refuses_##i,                                                                                           \
     .note = note_##i,                                                                                                 \
     .workspace = bytes_##i},
    const gemm_variant variants[] = {EACH(ROW)};
    static const gemm_offer offer = {types, ARRAY_SIZE(types), layouts, ARRAY_SIZE(layouts), NULL, 0};
    if (argc == 4 && strcmp(argv[1], "--fit") == 0) return fit(argv[2], argv[3]);
    return gemm_step_main(argc, argv, "plans", variants, ARRAY_SIZE(variants), &offer);
}
