/* Step 6's plan for the persistent kernel: what is split along K and what is not, what is copied. */
#include <math.h>

#include "../../step06_tensorcore/best/plan.h"
#include "../unit.h"

/* 132 multiprocessors. */
static const plan_tile tiles[] = {
    {128, 128, 1, true, false, 132},
    {64, 128, 2, false, false, 66},
    {128, 128, 1, true, true, 132},
    {64, 128, 1, false, true, 132},
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
    return plan_hopper(&p, tiles, (int)(sizeof tiles / sizeof *tiles));
}

static int all_tiles(const hopper_plan *plan) {
    const plan_tile *t = &tiles[plan->tile];
    const int BM = t->bm * t->cluster;
    return (plan->p.m + BM - 1) / BM * ((plan->p.n + t->bn - 1) / t->bn);
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
    assert_int_equal(plan.whole % tiles[plan.tile].clusters, 0);
    assert_int_equal(plan.bytes, (size_t)(all_tiles(&plan) - plan.whole) * (size_t)plan.parts *
                                     (size_t)(tiles[plan.tile].bm * tiles[plan.tile].bn * 4));
}

TEST(few_tiles_fill_the_device) {
    const hopper_plan plan = plan_of(problem(128, 128, 100000));
    assert_int_equal(plan.whole, 0);
    assert_in_range(all_tiles(&plan) * plan.parts, 100, 132);
}

TEST(a_part_has_a_step) { /* of 64 */
    for (int k = 8; k < 3000; k += 88) {
        const hopper_plan plan = plan_of(problem(64, 128, k));
        assert_in_range(plan.parts, 1, (k + 63) / 64);
    }
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

TEST(there_is_no_plan_without_a_product) {
    gemm_problem p = problem(300, 200, 0);
    assert_int_equal(plan_of(p).tile, -1);
    p = problem(300, 200, 100);
    p.alpha = 0;
    assert_int_equal(plan_of(p).tile, -1);
    assert_true(isinf(plan_of(p).clocks));
}

int main(void) {
    return unit_run(NULL, NULL);
}
