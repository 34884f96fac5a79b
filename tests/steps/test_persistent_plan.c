/* Step 6's plan for the persistent kernel: what is split along K and what is not, what is copied. And how its constants
 * are fitted and read. */
#include <math.h>

#include "../../step06_tensorcore/best/plan.h"
#include "../../step06_tensorcore/tune/fit.h"
#include "../unit.h"

/* 132 multiprocessors. */
static const plan_tile tiles[] = {
    {128, 128, true, false, true, IN_1X1, {132, 66, 30, 15}, false, AS_IS},
    {64, 128, false, false, true, IN_2X1, {132, 66, 30, 15}, false, AS_IS},
    {128, 128, true, true, true, IN_1X1, {132, 66, 30, 15}, false, AS_IS},
    {64, 128, false, true, true, IN_1X1, {132, 66, 30, 15}, false, AS_IS},
};

static gemm_problem problem(int m, int n, int k) {
    const gemm_problem p = {.type = GEMM_F16,
                            .out = DTYPE_F16,
                            .layout = GEMM_TN,
                            .m = m,
                            .n = n,
                            .k = k,
                            .lda = k,
                            .ldb = k,
                            .ldc = n,
                            .alpha = 1};
    return p;
}

static hopper_plan plan_of(gemm_problem p) {
    return plan_hopper(&p, tiles, ARRAY_SIZE(tiles), &shipped_costs);
}

static int all_tiles(const hopper_plan *plan) {
    const plan_tile *t = &tiles[plan->tile];
    const cluster_shape *s = &cluster_shapes[plan->shape];
    const int BM = t->bm * s->down, BN = t->bn * s->across;
    return (plan->p.m + BM - 1) / BM * ((plan->p.n + BN - 1) / BN);
}

TEST(a_full_wave_is_not_split) {
    const hopper_plan plan = plan_of(problem(128 * 12, 128 * 11, 8192));
    assert_int_equal(plan.whole, all_tiles(&plan));
    assert_int_equal(plan.parts, 1);
    assert_int_equal(plan.bytes, 0);
}

TEST(a_partial_wave_is_split) { /* 140 tiles: 132 and 8, in 16 parts each */
    const hopper_plan plan = plan_of(problem(128 * 14, 128 * 10, 8192));
    assert_true(plan.parts > 1 && plan.whole < all_tiles(&plan));
    const int size = cluster_shapes[plan.shape].size;
    assert_int_equal(plan.whole % tiles[plan.tile].clusters[size], 0);
    assert_int_equal(plan.bytes, (size_t)(all_tiles(&plan) - plan.whole) * (size_t)plan.parts *
                                     (size_t)(tiles[plan.tile].bm * tiles[plan.tile].bn * 4 << size));
}

/* The tiles that step 6 has for 16 bits and a C on 16 bytes. */
enum { ALL_SHAPES = IN_1X1 | IN_2X1 | IN_1X2 | IN_2X2 };
static const plan_tile half_tiles[] = {
    {128, 192, true, false, true, ALL_SHAPES, {132, 66, 30, 15}, false, AS_IS},
    {128, 128, true, false, true, ALL_SHAPES, {132, 66, 30, 15}, false, AS_IS},
    {64, 128, false, false, true, ALL_SHAPES, {132, 66, 30, 15}, false, AS_IS},
    {128, 64, true, false, true, ALL_SHAPES, {132, 66, 30, 15}, false, AS_IS},
    {64, 256, false, false, true, ALL_SHAPES, {132, 66, 30, 15}, true, AS_IS | SWAPPED},
    {128, 256, false, false, true, ALL_SHAPES, {132, 66, 30, 15}, true, AS_IS | SWAPPED},
    {192, 192, false, false, true, ALL_SHAPES, {132, 66, 30, 15}, true, AS_IS | SWAPPED},
};

/* 1024^3 takes 128 tiles of 64 x 128 or 128 x 64, not fewer or larger ones. */
TEST(all_multiprocessors_take_part_in_a_small_square) {
    gemm_problem p = problem(1024, 1024, 1024);
    for (int layout = GEMM_NN; layout <= GEMM_TN; layout++) {
        p.layout = (gemm_layout)layout;
        const hopper_plan plan = plan_hopper(&p, half_tiles, ARRAY_SIZE(half_tiles), &shipped_costs);
        assert_int_equal(half_tiles[plan.tile].bm * plan.columns, 128 * 64);
        assert_int_equal(plan.clusters << cluster_shapes[plan.shape].size, 128);
    }
}

TEST(what_is_passed_over_is_no_better) { /* the best tile, of those asked for one by one */
    static const int sizes[] = {80, 240, 808, 3640, 11008, 14800};
    for (int i = 0; i < 6 * 6 * 6; i++) {
        const gemm_problem p = problem(sizes[i / 36], sizes[i / 6 % 6], sizes[i % 6]);
        double least = INFINITY;
        for (int tile = 0; tile < ARRAY_SIZE(half_tiles); tile++)
            least = fmin(least, plan_hopper(&p, &half_tiles[tile], 1, &shipped_costs).clocks);
        assert_true(plan_hopper(&p, half_tiles, ARRAY_SIZE(half_tiles), &shipped_costs).clocks == least);
    }
}

TEST(few_tiles_fill_the_device) {
    const hopper_plan plan = plan_of(problem(128, 128, 100000));
    assert_int_equal(plan.whole, 0);
    const int blocks = 1 << cluster_shapes[plan.shape].size;
    assert_in_range(all_tiles(&plan) * plan.parts * blocks, 100, 132);
}

TEST(a_large_cluster_is_no_larger_than_c) {
    plan_tile t = {64, 64, false, true, true, 255, {132, 66, 30, 15}, false, AS_IS};
    for (int m = 8; m <= 520; m += 64)
        for (int n = 8; n <= 520; n += 64) {
            const gemm_problem p = problem(m, n, 4096);
            const hopper_plan plan = plan_hopper(&p, &t, 1, &shipped_costs);
            const cluster_shape *s = &cluster_shapes[plan.shape];
            assert_true(s->size < 2 || (m > 64 * (s->down / 2) && n > 64 * (s->across / 2)));
        }
}

TEST(clusters_share_what_l2_delivers_slowly) { /* rows of an odd multiple of 16 bytes; many tiles */
    plan_tile t = {128, 128, true, true, true, 255, {132, 66, 30, 15}, false, AS_IS};
    gemm_problem p = problem(8192, 8192, 8200);
    assert_true(cluster_shapes[plan_hopper(&p, &t, 1, &shipped_costs).shape].size > 0);
    t.shapes = IN_1X1;
    const hopper_plan alone = plan_hopper(&p, &t, 1, &shipped_costs);
    assert_int_equal(alone.shape, 0);
    t.shapes = 255, t.clusters[1] = t.clusters[2] = t.clusters[3] = 0; /* no cluster fits on the device */
    assert_true(plan_hopper(&p, &t, 1, &shipped_costs).clocks == alone.clocks);
}

/* Whole tiles and parts are all that C has, in as few columns as that takes. */
static void check_exact(gemm_problem p, plan_tile t, int eights) {
    const hopper_plan plan = plan_hopper(&p, &t, 1, &shipped_costs);
    const cluster_shape *s = &cluster_shapes[plan.shape];
    if (s->down > 2 && p.layout == GEMM_TN) eights = 32; /* each block brings a quarter of B, in eights */
    const int down = (p.m + t.bm * s->down - 1) / (t.bm * s->down);
    const int across = (p.n + plan.columns * s->across - 1) / (plan.columns * s->across), fewer = plan.columns - eights;
    assert_in_range(plan.columns, eights, t.bn);
    assert_int_equal(plan.columns % eights, 0);
    assert_true(fewer == 0 || (p.n + fewer * s->across - 1) / (fewer * s->across) > across);
    assert_in_range(plan.whole, plan.parts > 1 ? 0 : down * across, down * across);
    assert_int_equal(plan.bytes, (size_t)(down * across - plan.whole) * (size_t)plan.parts *
                                     (size_t)(t.bm * plan.columns * 4 << s->size));
    assert_true(hopper_clocks(&p, &t, &plan, &shipped_costs) == plan.clocks);
}

TEST(an_exact_tile_has_as_many_columns_as_c_needs) {
    const plan_tile t = {192, 192, false, false, true, 255, {132, 66, 30, 15}, .exact = true, AS_IS};
    for (int n = 8; n <= 1400; n += 40)
        for (int m = 200; m <= 3000; m += 700) {
            gemm_problem p = problem(m, n, 1000);
            check_exact(p, t, 16);
            p.out = DTYPE_F32; /* whole rows of 128 bytes */
            check_exact(p, t, 32);
            p.out = DTYPE_F16, p.layout = GEMM_NN;
            check_exact(p, t, 16);
        }
}

TEST(a_swapped_tile_has_as_many_columns_as_c_has_rows) {
    const gemm_problem p = problem(4696, 120, 3472); /* in 59 tiles of 128 x 80; else there are 37, of 128 x 128 */
    const hopper_plan plan = plan_hopper(&p, half_tiles, ARRAY_SIZE(half_tiles), &shipped_costs);
    plan_tile t = half_tiles[plan.tile];
    assert_true(plan.swapped && t.exact);
    const int down = (120 + t.bm - 1) / t.bm, across = (4696 + plan.columns - 1) / plan.columns;
    assert_in_range(down * across * plan.parts, 90, 132);
    assert_true((4696 + plan.columns - 17) / (plan.columns - 16) > across);
    assert_true(hopper_clocks(&p, &t, &plan, &shipped_costs) == plan.clocks);
    t.orders = AS_IS; /* that tile takes longer */
    const hopper_plan other = plan_hopper(&p, &t, 1, &shipped_costs);
    assert_true(!other.swapped && other.clocks > 1.1 * plan.clocks);
    const gemm_problem turned = problem(120, 4696, 3472); /* the same the other way round */
    const hopper_plan mirrored = plan_hopper(&turned, &t, 1, &shipped_costs);
    assert_true(mirrored.clocks == plan.clocks && mirrored.columns == plan.columns);
}

TEST(a_part_has_a_step) { /* of 64 */
    for (int k = 8; k < 3000; k += 88) {
        const hopper_plan plan = plan_of(problem(64, 128, k));
        assert_in_range(plan.parts, 1, (k + 63) / 64);
    }
}

/* A row times 4096 x 14336 takes as long as memory takes. In eight parts of k the same rows are read in shorter
 * stretches than in two, which is slower. */
TEST(one_row_has_few_parts) {
    const gemm_problem p = problem(1, 4096, 14336);
    const hopper_plan plan = plan_hopper(&p, half_tiles, ARRAY_SIZE(half_tiles), &shipped_costs);
    assert_true(plan.swapped);
    assert_int_equal(plan.whole, 0);
    assert_int_equal(plan.parts, 2);
}

TEST(a_short_k_is_not_split) {
    assert_int_equal(plan_of(problem(64, 128, 64)).parts, 1);
}

TEST(only_some_tiles_take_any_c) {
    gemm_problem p = problem(1024, 1020, 1024);
    assert_true(tiles[plan_of(p).tile].any_c); /* rows do not begin on 16 bytes, */
    p.ldc = 1024;
    assert_true(tiles[plan_of(p).tile].any_c); /* do not end so */
    assert_int_equal(plan_of(p).a.rows + plan_of(p).b.rows, 0);
}

TEST(what_lies_off_16_bytes_is_copied) {
    gemm_problem p = problem(300, 200, 1001);
    p.workspace = (void *)256;
    hopper_plan plan = plan_of(p);
    assert_int_equal(plan.a.rows, 300);
    assert_int_equal(plan.b.rows, 200);
    assert_int_equal(plan.a.bytes, 2002);
    assert_ptr_equal(plan.p.A, plan.a.to);
    assert_ptr_equal(plan.p.B, (char *)plan.a.to + 300 * 2048);
    assert_int_equal(plan.p.lda, 1024);
    assert_true((char *)plan.sums >= (char *)plan.b.to + 200 * 2048);
    p.lda = 1008;
    plan = plan_of(p);
    assert_int_equal(plan.a.rows, 0);
    assert_int_equal(plan.p.lda, 1008);
    assert_int_equal(plan.b.rows, 200);
}

TEST(tf32_nn_is_transposed) {
    gemm_problem p = problem(300, 200, 1000);
    p.type = GEMM_TF32, p.out = DTYPE_F32, p.layout = GEMM_NN, p.ldb = 200;
    const hopper_plan plan = plan_of(p);
    assert_true(plan.b.transposed);
    assert_int_equal(plan.b.rows, 1000);
    assert_int_equal(plan.b.bytes, 800);
    assert_int_equal(plan.p.ldb, 1024);
    assert_int_equal(plan.p.layout, GEMM_TN);
}

TEST(tf32_nn_is_not_transposed_for_tiles_that_only_swap) {
    plan_tile some[] = {tiles[0], tiles[0]};
    some[1].exact = true, some[1].ping_pong = false, some[1].orders = SWAPPED;
    gemm_problem p = problem(2048, 2048, 2048);
    p.type = GEMM_TF32, p.out = DTYPE_F32, p.layout = GEMM_NN;
    hopper_plan plan = plan_hopper(&p, some, ARRAY_SIZE(some), &shipped_costs);
    assert_int_equal(plan.tile, 1);
    assert_true(plan.swapped);
    assert_int_equal(plan.b.rows, 0);
    assert_int_equal(plan.p.layout, GEMM_NN);
    assert_true(hopper_clocks(&p, &some[1], &plan, &shipped_costs) == plan.clocks);
    plan_costs dear = shipped_costs;
    dear.words = 1e6;
    plan = plan_hopper(&p, some, ARRAY_SIZE(some), &dear);
    assert_int_equal(plan.tile, 0);
    assert_true(plan.b.transposed);
    assert_true(hopper_clocks(&p, &some[0], &plan, &dear) == plan.clocks);
    p.ldb = 2050; /* copied, as it is */
    plan = plan_hopper(&p, &some[1], 1, &shipped_costs);
    assert_int_equal(plan.b.rows, 2048);
    assert_true(!plan.b.transposed);
}

TEST(a_tile_that_cannot_run_is_passed_over) { /* the first, too */
    plan_tile some[ARRAY_SIZE(tiles)];
    memcpy(some, tiles, sizeof tiles);
    memset(some[0].clusters, 0, sizeof some[0].clusters);
    gemm_problem p = problem(1000, 1000, 1000);
    p.lda = 1003; /* A is copied */
    const hopper_plan plan = plan_hopper(&p, some, ARRAY_SIZE(some), &shipped_costs);
    assert_true(plan.tile > 0);
}

TEST(there_is_no_plan_without_a_product) {
    gemm_problem p = problem(300, 200, 0);
    assert_int_equal(plan_of(p).tile, -1);
    p = problem(300, 200, 100);
    p.alpha = 0;
    assert_int_equal(plan_of(p).tile, -1);
    assert_true(isinf(plan_of(p).clocks));
}

/* ---- constants ---- */

typedef struct {
    gemm_problem p;
    hopper_plan plan;
} timed;

static double estimate(const void *context, int row, const plan_costs *costs) {
    const timed *t = (const timed *)context + row;
    return hopper_clocks(&t->p, &tiles[t->plan.tile], &t->plan, costs);
}

/* Rows of so many problems, as long as they take by `made`, but for errors of up to `error` (logarithms). */
static fit_data rows_of(int problems, const plan_costs *made, double error) {
    enum { MOST = 160 * ARRAY_SIZE(tiles) };
    static timed plans[MOST];
    static fit_row rows[MOST];
    fit_data data = {rows, 0, estimate, plans};
    for (int i = 0; i < problems; i++)
        for (int tile = 0; tile < ARRAY_SIZE(tiles); tile++) {
            const gemm_problem p =
                problem(8 * (i * 37 % 211 + 1), 8 * (i * 91 % 307 + 1), 8 * (i * 53 % 499 + 1) + i % 2);
            timed t = {p, plan_hopper(&p, &tiles[tile], 1, &shipped_costs)};
            if (t.plan.tile < 0) continue;
            t.plan.tile = tile, plans[data.count] = t;
            const double off = (double)(values_hash(4, (uint64_t)data.count) % 1001) / 500 - 1;
            rows[data.count] = (fit_row){i, 6e-4 * estimate(plans, data.count, made) * exp(error * off)};
            data.count++;
        }
    return data;
}

TEST(the_fit_finds_what_times_were_made_of) {
    plan_costs made = shipped_costs, fitted = shipped_costs, again = shipped_costs;
    made.row_16 *= 2.5, made.row_32 *= 2.5, made.row_128 /= 1.5, made.meet *= 8, made.narrow *= 4;
    const fit_data data = rows_of(80, &made, 0);
    const fit_quality before = fit_judge(&data, &shipped_costs);
    fit_costs(&data, &fitted);
    const fit_quality after = fit_judge(&data, &fitted);
    assert_int_equal(after.problems, 80);
    assert_true(before.mean > 0.005 && before.error > 0.1);
    assert_true(after.mean < before.mean / 20 && after.error < 0.05);
    assert_true(fabs(log(fitted.row_16 / made.row_16)) < 0.3);
    assert_true(fabs(log(fitted.row_32 / made.row_32)) < 0.3);
    assert_true(fabs(log(fitted.little / made.little)) < 0.1); /* what no time says anything of stays */
    fit_costs(&data, &again);
    assert_memory_equal(&fitted, &again, sizeof fitted);
}

TEST(what_no_time_says_anything_of_stays_where_the_fit_begins) {
    plan_costs costs = shipped_costs;
    costs.little *= 3;
    const fit_data data = rows_of(20, &shipped_costs, 0.1);
    fit_costs(&data, &costs);
    assert_true(fabs(log(costs.little / shipped_costs.little / 3)) < 0.1);
}

/* Several have to change at once, where estimates err. */
TEST(the_fit_does_not_end_where_no_constant_alone_gets_better) {
    plan_costs made = shipped_costs, fitted = shipped_costs;
    for (int i = 0; i < PLAN_COST_COUNT; i++)
        ((double *)&made)[i] *= exp((double)(values_hash(4, (uint64_t)i) % 1000) / 500 - 1);
    const fit_data data = rows_of(160, &made, 0.3);
    fit_costs(&data, &fitted);
    assert_true(fit_judge(&data, &fitted).mean < 0.93 * fit_judge(&data, &made).mean);
}

/* An H100's delivers 1693 bytes a clock, 0.70 times as many as that of the H200, which the shipped ones are of. */
TEST(the_shipped_rate_of_dram_grows_with_the_memory) {
    const plan_costs unknown = shipped_with(0);
    plan_costs costs = shipped_with(1693);
    assert_memory_equal(&unknown, &shipped_costs, sizeof unknown);
    assert_true(fabs(costs.dram / shipped_costs.dram - 0.696) < 0.001);
    char text[64]; /* what was fitted stays, also where it is what was shipped */
    snprintf(text, sizeof text, "H100\tdram\t%g\n", shipped_costs.dram);
    FILE *f = fmemopen(text, strlen(text), "r");
    assert_true(read_costs(f, "H100", &costs) && costs.dram == shipped_costs.dram);
    fclose(f);
}

TEST(a_file_that_makes_no_sense_changes_nothing) {
    static const char first[] = "# made up\nGPU 1\tmeet\t3000\nGPU 2\tmeet\t9000\n";
    static const char *const next[] = {"GPU 1\trow_16\t3.5\n", /* right; all others are wrong */
                                       "made up\n",
                                       "GPU 1\tmeet\n",
                                       "GPU 1\tmeet\t\n",
                                       "GPU 1\tmeet\tnan\n",
                                       "GPU 1\tmeet\t-1\n",
                                       "GPU 1\tmeet\t1e9\n",
                                       "GPU 1\tmet\t3000\n",
                                       "GPU 1\tmeet\t3000x\n",
                                       "GPU 1\tmeet\t30"};
    for (int i = 0; i < ARRAY_SIZE(next); i++) {
        char text[128];
        plan_costs costs = shipped_costs, wanted = shipped_costs;
        FILE *f = fmemopen(text, (size_t)snprintf(text, sizeof text, "%s%s", first, next[i]), "r");
        assert_non_null(f);
        if (i == 0) wanted.meet = 3000, wanted.row_16 = 3.5;
        assert_int_equal(read_costs(f, "GPU 1", &costs), i == 0);
        assert_memory_equal(&costs, &wanted, sizeof costs);
        fclose(f);
    }
}
