/* The speed of light: floors that are worked out by hand here, of a made-up GPU and of real kernels. */
#include <math.h>

#include "sim_case.h"
#include "watch/floor.h"

/* Round numbers: 1 clock is 1 ns; FP32 and mma: 4 warps' FFMAs, 2048 FLOP a clock and SM. */
#define GPU                                                                                                            \
    "# NVIDIA X, of a day\nname,rate,unit\nclock,1000,MHz\nsms,132,SM\nffma_a,256,FLOP/clk\nlds_32,128,B/clk\n"        \
    "l1_32,128,B/clk\nl2_read,1000,GB/s\ndram_read,1000,GB/s\ndram_copy,500,GB/s\nmma_f16_a,2048,FLOP/clk\n"           \
    "mma_s8_a,4096,FLOP/clk\nwgmma_n16_a,2048,FLOP/clk\nwgmma_n64_a,4096,FLOP/clk\nglobal_add_u32_spread,100,Gadd/s\n" \
    "shared_add_f32_spread,8,add/clk\n"

static ceilings gpu;
static double v[METRIC_COUNT];
static floor_need needs[METRIC_COUNT];

static void reckon(const counted_kernel *k) {
    metrics_of(k, v);
    for (int m = METRIC_FLOOR_ISSUE; m <= METRIC_BALANCE; m++) v[m] = 0;
    floor_of(k, &gpu, v, needs);
}

static void run_kernel(const char *ptx, unsigned grid, unsigned block) {
    counters_free();
    counters_of("test", "");
    observers_set(&counters_observer);
    run_well(ptx, grid, block);
    observers_set(NULL);
    reckon(counters_all());
}

#define EXPECT(metric, ns)                                                                                             \
    do {                                                                                                               \
        if (fabs(v[METRIC_##metric] - (ns) / 1e3) > 1e-9)                                                              \
            fail_msg("%s: %.9g us, expected %.9g ns", #metric, v[METRIC_##metric], (double)(ns));                      \
    } while (0)

/* 256 threads copy a kilobyte: 8 loads and 8 stores of a line each. */
static void a_copy(void **state) {
    run_kernel(KERNEL("", "ld.global.u32 %r5, [%rd2]; st.global.u32 [%rd2+8192], %r5;\n"), 1, 256);
    EXPECT(FLOOR_DRAM, 2048 / 500.0);
    EXPECT(FLOOR_DRAM_CACHED, 0);
    EXPECT(FLOOR_L2_READ, 1.024);
    EXPECT(FLOOR_L2_WRITE, 1.024);
    EXPECT(FLOOR_L1, 16);
    EXPECT(FLOOR_ISSUE, 4);
    EXPECT(FLOOR_FP32, 0);
    EXPECT(FLOOR, 16);
    run_kernel(
        KERNEL("", "ld.global.u32 %r5, [%rd2]; st.global.u32 [%rd2+8192], %r5; st.global.u32 [%rd2+16384], %r5;\n"), 1,
        256);
    EXPECT(FLOOR_DRAM, 2048 / 500.0 + 1024 / 1000.0);
    /* What passes L1 by reaches L2 each time. */
    run_kernel(KERNEL("", "ld.global.cg.u32 %r5, [%rd2]; ld.global.cg.u32 %r6, [%rd2]; ld.global.u32 %r7, [%rd2];\n"),
               1, 256);
    EXPECT(FLOOR_L2_READ, 2.048);
}

/* A multicast reads once for the two blocks that get it. What L2 has to do may be less: it is not in the largest. */
static void a_multicast(void **state) {
    counted_insn i = {.warps = 66,
                      .threads = 66,
                      .class = CLASS_ASYNC,
                      .sum = {.requests = 66, .bytes_in = 2 << 20},
                      .opcode = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"};
    const counted_kernel k = {.name = "",
                              .grid = {132, 1, 1},
                              .block = {128, 1, 1},
                              .cluster = {2, 1, 1},
                              .launches = 1,
                              .instructions = &i,
                              .count = 1};
    reckon(&k);
    EXPECT(FLOOR_L2_READ, 1048.576);
    EXPECT(FLOOR_MMA, 0);
    EXPECT(FLOOR, 0);
}

/* 4 warps of 4 FFMAs a block are 4 clocks; of 133 blocks one SM has two. */
static void multiply_adds_and_waves(void **state) {
    static const char ptx[] = KERNEL("", "fma.rn.f32 %f1, %f2, %f3, %f4; fma.rn.f32 %f1, %f2, %f3, %f4;\n"
                                         "fma.rn.f32 %f1, %f2, %f3, %f4; fma.rn.f32 %f1, %f2, %f3, %f4;\n");
    run_kernel(ptx, 132, 128);
    EXPECT(FLOOR_FP32, 4);
    EXPECT(FLOOR, 4);
    assert_true(v[METRIC_BALANCE] == 100);
    run_kernel(ptx, 133, 128);
    EXPECT(FLOOR_FP32, 8);
    assert_true(fabs(v[METRIC_BALANCE] - 100 * 133 / 264.0) < 1e-9);
    run_kernel(ptx, 1, 128);
    EXPECT(FLOOR_FP32, 4);
    assert_true(needs[METRIC_FLOOR_FP32].work == 16 && needs[METRIC_FLOOR_FP32].rate == 4);
    /* ptxas may make a multiply-add of the two, and a lane costs as much as 32. */
    run_kernel(KERNEL("", "mul.f32 %f1, %f2, %f3; add.f32 %f1, %f1, %f4;\n"), 1, 4);
    EXPECT(FLOOR_FP32, 0.25);
    assert_true(v[METRIC_WAVES] > 0 && v[METRIC_WAVES] < 1 / 132.0);
}

/* A block has all of an SM: 133 blocks are two waves, nearly. */
static void waves(void **state) {
    run_kernel(KERNEL("", ""), 133, 1024);
    const double two_at_once = v[METRIC_WAVES];
    assert_true(fabs(two_at_once - 133 / 264.0) < 1e-9);
    counted_kernel k = *counters_all();
    k.dynamic_shared = 200 << 10;
    reckon(&k);
    assert_true(fabs(v[METRIC_WAVES] - 133 / 132.0) < 1e-9);
}

/* Clocks of loads: one of a line; the lanes all in one bank; 32 lines in as many banks. */
#define STRIDE(bytes) KERNEL("", "mad.wide.u32 %rd3, %r1, " bytes ", %rd1; ld.global.u32 %r5, [%rd3];\n")
static void l1(void **state) {
    static const struct {
        const char *ptx;
        unsigned clocks;
    } cases[] = {{STRIDE("4"), 1}, {STRIDE("8"), 2}, {STRIDE("128"), 32}, {STRIDE("132"), 8}, {STRIDE("0"), 1}};
    for (size_t c = 0; c < COUNT(cases); c++) {
        run_kernel(cases[c].ptx, 1, 32);
        EXPECT(FLOOR_L1, cases[c].clocks);
    }
}

/* Four broadcasts that ptxas may make one of; neighbours that it cannot; a single one. */
static void shared_memory(void **state) {
#define SHARED(body) KERNEL(".shared .align 128 .b8 s[8192]; ", "mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2;\n" body)
    (void)state;
    run_kernel(SHARED("ld.shared.u32 %r5, [%r2]; ld.shared.u32 %r6, [%r2+4]; ld.shared.u32 %r7, [%r2+8];\n"
                      "ld.shared.u32 %r8, [%r2+12];\n"),
               1, 32);
    assert_true(v[METRIC_SHARED_LOAD_WAVEFRONTS] == 4);
    EXPECT(FLOOR_SHARED, 2);
    run_kernel(SHARED("ld.shared.u32 %r5, [%r3]; ld.shared.u32 %r6, [%r3+4];\n"), 1, 32);
    EXPECT(FLOOR_SHARED, 2);
    run_kernel(SHARED("ld.shared.u32 %r5, [%r2]; ld.shared.u32 %r6, [%r2+8];\n"), 1, 32);
    EXPECT(FLOOR_SHARED, 2);
    /* 16 bytes a lane in four conflicting pieces: 4 x 4 wavefronts, or the 4 of a wide load. */
    run_kernel(SHARED("mad.lo.u32 %r3, %r1, 16, %r2; ld.shared.u32 %r5, [%r3]; ld.shared.u32 %r6, [%r3+4];\n"
                      "ld.shared.u32 %r7, [%r3+8]; ld.shared.u32 %r8, [%r3+12]; ld.global.u32 %r9, [%rd2];\n"),
               1, 32);
    assert_true(v[METRIC_SHARED_LOAD_WAVEFRONTS] == 16);
    EXPECT(FLOOR_SHARED, 4);
    EXPECT(FLOOR_LSU, 5);
}

static void atomics(void **state) {
    run_kernel(KERNEL("", "red.global.add.u32 [%rd2], 1; red.global.add.u32 [%rd1], 1;\n"), 1, 32);
    EXPECT(FLOOR_ATOMICS, 40 / 100.0); /* to one word: as one sector */
    run_kernel(KERNEL(".shared .align 128 .b8 s[8192]; ", "mov.u32 %r2, s; red.shared.add.f32 [%r2], %f1;\n"), 1, 32);
    EXPECT(FLOOR_SHARED_ADDS, 4);
}

/* One instruction that 132 blocks of 4 warps execute once. */
static void tensor(const char *opcode, double mma, double wgmma) {
    counted_insn i = {.warps = 528, .threads = 32 * 528, .opcode = opcode, .class = CLASS_TENSOR};
    const counted_kernel k = {.name = "",
                              .grid = {132, 1, 1},
                              .block = {128, 1, 1},
                              .cluster = {1, 1, 1},
                              .launches = 1,
                              .instructions = &i,
                              .count = 1};
    reckon(&k);
    EXPECT(FLOOR_MMA, mma);
    EXPECT(FLOOR_WGMMA, wgmma);
    EXPECT(FLOOR_ISSUE, 1);
}

static void tensor_cores(void **state) {
    tensor("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4 * 4096 / 2048.0, 0);
    tensor("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 4 * 4096 / 2048.0, 0);
    tensor("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 4 * 8192 / 2048.0, 0);
    tensor("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", 4 * 8192 / 4096.0, 0);
    tensor("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 4 * 8192 / 4096.0, 0);
    tensor("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 0, 0); /* nobody measured it */
    tensor("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 0, 0);
    tensor("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16", 0, 32);
    tensor("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16", 0, 64);
    tensor("wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32", 0, 32);
    tensor("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16", 0, 16); /* at half the rate */
    tensor("wgmma.mma_async.sync.aligned.m64n24k16.f32.f16.f16", 0, 16);
    tensor("wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8", 0, 20);
}

/* What its data sheet does not say of a GPU is left out. */
static void a_data_sheet(void **state) {
    const ceilings measured = gpu;
    ceilings_of_data_sheet(&gpu, device_model_named("sm_75"));
    run_kernel(KERNEL("", "fma.rn.f32 %f1, %f2, %f3, %f4; ld.global.u32 %r5, [%rd2]; red.global.add.u32 [%rd1], 1;\n"),
               1, 32);
    EXPECT(FLOOR_FP32, 0.5 / 1.59);
    EXPECT(FLOOR_L2_READ, 0);
    EXPECT(FLOOR_ATOMICS, 0);
    EXPECT(FLOOR_LAUNCH, 0);
    assert_true(v[METRIC_FLOOR] > 0 && isfinite(v[METRIC_FLOOR]));
    gpu = measured;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy),  cmocka_unit_test(a_multicast),  cmocka_unit_test(multiply_adds_and_waves),
        cmocka_unit_test(waves),   cmocka_unit_test(l1),           cmocka_unit_test(shared_memory),
        cmocka_unit_test(atomics), cmocka_unit_test(tensor_cores), cmocka_unit_test(a_data_sheet),
    };
    char why[200];
    if (!ceilings_parse(&gpu, GPU, why, sizeof why)) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    counters_free();
    return failed;
}
