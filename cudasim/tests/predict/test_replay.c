/* Small kernels of machine code, written out with their control words: clocks against what the constants imply by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/tensormap.h"
#include "predict/constants.h"
#include "predict/replay.h"

enum { SHARED = 23, L1 = 32, L2 = 280, DRAM = 684, NONE = 7 };

/* An instruction and its control word: stall count, scoreboards that it sets, mask of those that it waits for. */
typedef struct line {
    const char *text;
    uint8_t stall, write, read, wait;
} line;

static sass_code code;

static void write_code(const line *lines, int times) {
    int count = 0;
    while (lines[count].text != NULL) count++;
    free(code.insns);
    code = (sass_code){.insns = calloc((size_t)count * (size_t)times + 2, sizeof *code.insns)};
    for (int k = 0; k < count * times; k++) {
        sass_insn *i = &code.insns[code.count++];
        const line *l = &lines[k % count];
        assert_true(sass_parse(l->text, i));
        i->stall = l->stall;
        i->write_board = l->write;
        i->read_board = l->read;
        i->wait = l->wait;
    }
    assert_true(sass_parse("EXIT ;", &code.insns[code.count++]));
}

static lane_launch launch = {.code = &code, .grid = {1000, 1, 1}, .shared_bytes = 4096};

static replay_result run_blocks(unsigned threads, int blocks, int resident) {
    launch.block[0] = threads;
    launch.block[1] = launch.block[2] = 1;
    const replay_spec spec = {.launch = &launch,
                              .resident = resident,
                              .blocks = blocks,
                              .stride = 1,
                              .l1_kib = 128,
                              .clocks = {.l1 = L1, .l2 = L2, .dram = DRAM, .l2_sector = 1},
                              .fma_clocks = FMA_CLOCKS,
                              .tensor_clocks = TENSOR_CLOCKS,
                              .shared_clocks = SHARED,
                              .product_clocks = {13, 13, 16, 32, 64, 128},
                              .most_issues = 1000000,
                              .parts = true};
    const replay_result r = replay(&spec);
    return r;
}

/* Clocks of `lines` n times over, without what begins and ends a kernel: the difference to them twice (the end waits
 * for no load). */
static double clocks_of(const line *lines, int n, unsigned threads) {
    write_code(lines, 2);
    const double twice = run_blocks(threads, 1, 1).clocks;
    write_code(lines, n + 2);
    return run_blocks(threads, 1, 1).clocks - twice;
}

#define NEAR(value, expected, within)                                                                                  \
    do {                                                                                                               \
        const double is_ = (value), should_ = (expected);                                                              \
        if (is_ < should_ - (within) || is_ > should_ + (within))                                                      \
            fail_msg("%s is %.2f, expected %.2f", #value, is_, should_);                                               \
    } while (0)

/* One a clock and scheduler; with two or three operands in one bank two or three clocks; one that is kept is not read.
 */
static void fmas(void **state) {
    const line free_of_conflicts[] = {{"FFMA R0, R4, R5, RZ ;", 1, NONE, NONE, 0}, {0}};
    const line two[] = {{"FFMA R0, R3, R5, R8 ;", 1, NONE, NONE, 0}, {0}};
    const line three[] = {{"FFMA R0, R3, R5, R7 ;", 1, NONE, NONE, 0}, {0}};
    NEAR(clocks_of(free_of_conflicts, 400, 128), 400, 1);
    NEAR(clocks_of(free_of_conflicts, 400, 256), 800, 2); /* two warps a scheduler */
    NEAR(clocks_of(two, 400, 128), 800, 4);
    NEAR(clocks_of(three, 400, 128), 1200, 4);
    write_code(three, 401);
    for (int k = 0; k < code.count; k++) code.insns[k].reuse = 1;
    NEAR(run_blocks(128, 1, 1).clocks, 800, 20);
}

/* Stall counts hold a warp; pipes that have fewer lanes hold their scheduler. */
static void pipes(void **state) {
    const line waits[] = {{"FFMA R1, RZ, R4, R1 ;", 4, NONE, NONE, 0}, {0}};
    const line integers[] = {{"IADD3 R0, R4, R5, RZ ;", 1, NONE, NONE, 0}, {0}};
    const line tensor[] = {{"HMMA.16816.F32 R4, R8, R12, R4 ;", 1, NONE, NONE, 0}, {0}};
    NEAR(clocks_of(waits, 200, 32), 800, 1);
    NEAR(clocks_of(waits, 200, 4 * 128), 800, 2); /* four warps a scheduler fill the gaps */
    NEAR(clocks_of(integers, 200, 128), 200 * ALU_CLOCKS, 2);
    NEAR(clocks_of(tensor, 200, 128), 200 * TENSOR_CLOCKS, 8);
}

/* A pointer chase: shared memory; L1; loads past L1 (of a line that has been asked for). */
static void chases(void **state) {
    const line shared[] = {{"LDS R0, [R0+0x400] ;", 1, 0, NONE, 1}, {0}};
    const line cached[] = {{"LDG.E.64 R0, desc[UR4][R0.64] ;", 1, 0, NONE, 1}, {0}};
    const line past[] = {{"LDG.E.64.STRONG.GPU R0, desc[UR4][R0.64] ;", 1, 0, NONE, 1}, {0}};
    NEAR(clocks_of(shared, 100, 32), 100 * SHARED, 1);
    NEAR(clocks_of(cached, 100, 32), 100 * L1, 1);
    NEAR(clocks_of(past, 100, 32), 100 * L2, 100 * L2 * LATENCY_SPREAD + 1);
}

/* Loads of all warps share one unit: as many clocks as wavefronts, or as lines. */
static void unit(void **state) {
    const line spread[] = {{"LDS.128 R8, [R0+0x400] ;", 1, NONE, NONE, 0}, {0}};
    write_code(spread, 101);
    sass_insn *begin = &code.insns[0];
    assert_true(sass_parse("S2R R0, SR_TID.X ;", begin));
    begin->stall = 15;
    assert_true(sass_parse("SHF.L.U32 R0, R0, 0x4, RZ ;", &code.insns[1]));
    code.insns[1].stall = 15;
    NEAR(run_blocks(128, 1, 1).clocks, 4 * 99 * 4, 60); /* 512 bytes a warp */
    const line same[] = {{"LDS R8, [RZ+0x400] ;", 1, NONE, NONE, 0}, {0}};
    NEAR(clocks_of(same, 100, 128), 400, 20);
}

/* A copy is bound by what L2 gives and takes: 16 sectors each way a warp and instruction. */
static void copy(void **state) {
    const line lines[] = {{"LDG.E.128.STRONG.GPU R8, desc[UR4][R2.64] ;", 1, 0, NONE, 0},
                          {"STG.E.128 desc[UR4][R2.64], R8 ;", 1, NONE, NONE, 1},
                          {0}};
    write_code(lines, 51);
    assert_true(sass_parse("S2R R2, SR_TID.X ;", &code.insns[0]));
    assert_true(sass_parse("SHF.L.U32 R2, R2, 0x4, RZ ;", &code.insns[1]));
    code.insns[0].stall = code.insns[1].stall = 15;
    code.insns[1].wait = 0;
    const replay_result r = run_blocks(1024, 1, 1);
    NEAR((double)r.l2_sectors, 50 * 32 * 16, 0.1);
    NEAR((double)r.written_sectors, 50 * 32 * 16, 0.1);
    NEAR(r.clocks, 50 * 32 * 32, 50 * 32 * 32 * 0.1);
}

/* Two warps that meet again and again. */
static void barriers(void **state) {
    const line lines[] = {{"BAR.SYNC.DEFER_BLOCKING 0x0 ;", 1, NONE, NONE, 0}, {0}};
    NEAR(clocks_of(lines, 100, 64), 100 * BARRIER_CLOCKS, 2);
}

/* A loop of cp.async: a group is waited for until its words are there. */
static void copies(void **state) {
    const line lines[] = {{"LDGSTS.E.BYPASS.128 [RZ+0x400], desc[UR4][R2.64] ;", 1, NONE, NONE, 0},
                          {"LDGDEPBAR ;", 1, 0, NONE, 0},
                          {"DEPBAR.LE SB0, 0x0 ;", 1, NONE, NONE, 0},
                          {0}};
    NEAR(clocks_of(lines, 50, 32), 50 * L2, 50 * L2 * LATENCY_SPREAD + 100);
}

/* A loop by a predicate, and lanes that part: the path is that of the integers. */
static void paths(void **state) {
    static const char *const lines[] = {
        "MOV R0, RZ ;",   "IADD3 R0, R0, 0x1, RZ ;", "ISETP.LT.AND P0, PT, R0, 0x64, PT ;",
        "@P0 BRA 0x10 ;", "S2R R1, SR_LANEID ;",     "ISETP.LT.AND P1, PT, R1, 0x8, PT ;",
        "@P1 BRA 0x80 ;", "FFMA R4, R4, R5, R7 ;",   "FFMA R4, R4, R5, R7 ;",
        "EXIT ;"};
    free(code.insns);
    code = (sass_code){.insns = calloc(10, sizeof *code.insns), .count = 10};
    for (int k = 0; k < 10; k++) {
        assert_true(sass_parse(lines[k], &code.insns[k]));
        code.insns[k].stall = 6;
    }
    const replay_result r = run_blocks(32, 1, 1);
    assert_int_equal(r.by_pipe[PIPE_ALU], 1 + 2 * 100 + 1);
    assert_int_equal(r.by_pipe[PIPE_FMA], 2); /* 24 lanes go the long way, then all 32 meet */
}

/* How many multiply-adds a warp executes in these lines. */
static uint64_t multiply_adds(const char *const lines[], int count) {
    free(code.insns);
    code = (sass_code){.insns = calloc((size_t)count, sizeof *code.insns), .count = count};
    for (int k = 0; k < count; k++) {
        assert_true(sass_parse(lines[k], &code.insns[k]));
        code.insns[k].stall = 6;
    }
    return run_blocks(32, 1, 1).by_pipe[PIPE_FMA];
}

/* A sum of three words carries up to two, each in a predicate of its own; a loop's 64-bit counter hangs on both. */
static void carries(void **state) {
    static const char *const lines[] = {"MOV R0, 0xffffffff ;",
                                        "ISETP.LT.AND P1, PT, R0, 0x0, PT ;",
                                        "ISETP.LT.AND P2, PT, R0, 0x0, PT ;",
                                        "IADD3 R1, P1, P2, R0, RZ, -RZ ;", /* one: 0xffffffff, and 2 to the 32nd */
                                        "IADD3.X R2, RZ, RZ, RZ, P1, P2 ;",
                                        "IADD3 R1, P1, P2, R0, R0, R0 ;",
                                        "IADD3.X R2, R2, RZ, RZ, P1, P2 ;",
                                        "ISETP.EQ.AND P0, PT, R2, 0x3, PT ;",
                                        "@P0 BRA 0xa0 ;",
                                        "FFMA R4, R4, R5, R7 ;",
                                        "EXIT ;"};
    assert_int_equal(multiply_adds(lines, 11), 0);
}

/* All lanes add to one word: one after the other. In a loop of compare-and-swap one of them succeeds in each round. An
 * unknown instruction ends the replay only where it is met. */
static void atomics(void **state) {
    const line add[] = {{"ATOMS.ADD RZ, [RZ], R1 ;", 1, NONE, NONE, 0}, {0}};
    NEAR(clocks_of(add, 50, 128), 50 * 4 * 32, 450); /* the end waits for none of them */
    static const char *const lines[] = {"LDS R2, [RZ] ;", "ATOMS.CAST.SPIN R3, [RZ], R2, R3 ;",
                                        "ISETP.EQ.U32.AND P0, PT, R3, 0x1, PT ;", "@!P0 BRA 0x0 ;", "@!PT UNHEARD ;"};
    write_code(add, 4);
    for (int k = 0; k < 5; k++) assert_true(sass_parse(lines[k], &code.insns[k]));
    code.count = 5;
    assert_true(sass_parse("EXIT ;", &code.insns[code.count++]));
    assert_int_equal(run_blocks(32, 1, 1).by_pipe[PIPE_ALU], 32);
    assert_true(sass_parse("REDG.E.ADD.STRONG.GPU desc[UR4][R8.64], R5 ;", &code.insns[4]));
    assert_null(run_blocks(32, 1, 1).missing);
    assert_true(sass_parse("UNHEARD.OF ;", &code.insns[4]));
    assert_string_equal(run_blocks(32, 1, 1).missing, "UNHEARD.OF");
}

/* wgmma: the tensor cores, or what is read from shared memory; two warpgroups share both. A group is waited for. */
static void products(void **state) {
    const line n64[] = {{"HGMMA.64x64x16.F32 R24, gdesc[UR8], R24, gsb0 ;", 1, NONE, NONE, 0}, {0}};
    const line n192[] = {{"HGMMA.64x192x16.F32 R24, gdesc[UR8], R24, !UPT, gsb0 ;", 1, NONE, NONE, 0}, {0}};
    const line n8[] = {{"IGMMA.64x8x32.S8.S8 R24, gdesc[UR8], R24 ;", 1, NONE, NONE, 0}, {0}};
    const line from_registers[] = {{"HGMMA.64x8x16.F32 R24, R4, gdesc[UR8], R24 ;", 1, NONE, NONE, 0}, {0}};
    const line waits[] = {{"HGMMA.64x64x16.F32 R24, gdesc[UR8], R24, gsb0 ;", 1, NONE, NONE, 0},
                          {"WARPGROUP.DEPBAR.LE gsb0, 0x0 ;", 1, NONE, NONE, 0},
                          {0}};
    NEAR(clocks_of(n64, 100, 128), 100 * 32, 34); /* the end does not wait for the last of them */
    NEAR(clocks_of(n64, 100, 256), 200 * 32, 130);
    NEAR(clocks_of(n192, 100, 128), 100 * 96, 98);
    NEAR(clocks_of(n8, 100, 128), 100 * 18, 20);
    NEAR(clocks_of(from_registers, 100, 128), 100 * 13, 15);
    NEAR(clocks_of(waits, 100, 128), 100 * (32 + TENSOR_LATENCY + 1), 100);
}

/* A copy of 128 lines by TMA, `rounds` times, each waited for by its mbarrier. */
static replay_result copy_boxes(const char *copy, const char *bytes, int rounds) {
    static uint8_t tensor[128 * 256];
    const uint64_t dims[] = {128, 128}, strides[] = {256};
    const uint32_t box[] = {64, 128}, steps[] = {1, 1};
    const line round[] = {
        {"SYNCS.ARRIVE.TRANS64 RZ, [UR9], R1 ;", 1, NONE, NONE, 0},         {copy, 1, NONE, NONE, 0},
        {"SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR9], R0 ;", 1, 0, NONE, 0},  {"@!P0 BRA 0x0 ;", 1, NONE, NONE, 1},
        {"LOP3.LUT R0, R0, 0x80000000, RZ, 0x3c, !PT ;", 6, NONE, NONE, 0}, {0}};
    uint8_t *const map = launch.constants + 0x240;
    char low[64], high[64];
    assert_int_equal(
        tensormap_encode_tiled(map, TENSOR_F16, 2, tensor, dims, strides, box, steps, 0, SWIZZLE_128B, 0, 0), 0);
    snprintf(low, sizeof low, "UMOV UR12, 0x%x ;", (unsigned)(uintptr_t)map);
    snprintf(high, sizeof high, "UMOV UR13, 0x%x ;", (unsigned)((uintptr_t)map >> 32));
    const char *const before[] = {low,
                                  high,
                                  "UMOV UR9, 0x400 ;",
                                  "UMOV UR4, 0x1ffffe ;",
                                  bytes,
                                  "UMOV UR7, 0x30000 ;",
                                  "SYNCS.EXCH.64 URZ, [UR9], UR4 ;"};
    write_code(round, rounds + 2);
    for (int k = 0; k < 10; k++) {
        assert_true(sass_parse(k < 7 ? before[k] : "NOP ;", &code.insns[k]));
        code.insns[k].stall = 6;
    }
    return run_blocks(1, 1, 1);
}

/* All lanes of 32 warps arrive at an mbarrier, and wait with what their arrival returned. */
static void arrivals(void **state) {
    const line lines[] = {{"UMOV UR9, 0x400 ;", 6, NONE, NONE, 0},
                          {"UMOV UR4, 0x1ff800 ;", 6, NONE, NONE, 0}, /* 1024 */
                          {"SYNCS.EXCH.64 URZ, [UR9], UR4 ;", 6, NONE, NONE, 0},
                          {"MOV R15, 0x80000000 ;", 6, NONE, NONE, 0},
                          {"BAR.SYNC.DEFER_BLOCKING 0x0 ;", 6, NONE, NONE, 0},
                          {"SYNCS.ARRIVE.TRANS64.A1T0 R14, [UR9], RZ ;", 15, NONE, NONE, 0},
                          {"SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR9], R15 ;", 1, 0, NONE, 0},
                          {"@!P0 BRA 0x60 ;", 1, NONE, NONE, 1},
                          {0}};
    write_code(lines, 1);
    const replay_result r = run_blocks(1024, 1, 1);
    assert_null(r.missing);
    assert_true(r.complete);
}

/* TMA: the first time from DRAM, then from L2, which is asked once for two blocks of a cluster. */
static void boxes(void **state) {
    const char *const one = "UTMALDG.2D [UR8], [UR12] ;", *const two = "UTMALDG.2D.MULTICAST [UR8], [UR12], UR7 ;";
    const double each = TMA_CLOCKS + L2 + 128 * 4 + SHARED, spread = L2 * LATENCY_SPREAD;
    const replay_result few = copy_boxes(one, "MOV R1, 0x4000 ;", 1), more = copy_boxes(one, "MOV R1, 0x4000 ;", 11),
                        both = copy_boxes(two, "MOV R1, 0x8000 ;", 11);
    NEAR(few.clocks, each + DRAM - L2, DRAM * LATENCY_SPREAD + 80);
    NEAR(more.clocks - few.clocks, 10 * each, 10 * (spread + 10));
    assert_int_equal(more.l2_sectors, 11 * 128 * 4);
    assert_int_equal(both.l2_sectors, more.l2_sectors);
    NEAR(both.clocks, more.clocks, 1);
    assert_false(copy_boxes(one, "MOV R1, 0x8000 ;", 1).complete); /* half of the bytes do not come */
}

/* LOP3 sets a predicate where a bit of the result is set, or where another predicate is. */
static void either(void **state) {
    static const char *const lines[] = {"MOV R0, 0x1 ;",
                                        "LOP3.LUT P0, RZ, R0, 0x1, RZ, 0xc0, !PT ;",
                                        "LOP3.LUT P0, RZ, R0, 0x2, RZ, 0xc0, P0 ;",
                                        "@P0 BRA 0x50 ;",
                                        "FFMA R4, R4, R5, R7 ;",
                                        "LOP3.LUT.PAND P0, RZ, R0, 0x2, RZ, 0xc0, P0 ;",
                                        "@P0 BRA 0x80 ;",
                                        "FFMA R4, R4, R5, R7 ;",
                                        "EXIT ;"};
    assert_int_equal(multiply_adds(lines, 9), 1);
}

/* DRAM gives a sector after the other, and is busy with what is written, too; L2 has what was read before. What two
 * SMs have asked for. */
static void dram(void **state) {
    const struct cache_clocks clocks = {.l1 = L1, .l2 = L2, .dram = DRAM, .dram_read = 10, .dram_written = 20};
    cache one, other;
    double last = 0;
    assert_true(cache_begin(&one, 128, &clocks) && cache_begin(&other, 128, &clocks));
    for (uint64_t line = 0; line < 100; line++) last = fmax(last, cache_read(&one, line, 0xf, true, 0));
    NEAR(last, 100 * 4 * 10 + DRAM, DRAM * LATENCY_SPREAD + 10);
    NEAR(cache_read(&one, 7, 0xf, true, 0), L2, L2 * LATENCY_SPREAD);
    cache_write(&other, 1000, 0xf, 0);
    NEAR(cache_read(&other, 99, 0x3, true, 0), 4 * 20 + 10 + DRAM, DRAM * LATENCY_SPREAD);
    cache_read(&other, 100, 0x3, true, 0);
    cache_seen seen[] = {cache_take_seen(&one), cache_take_seen(&other)};
    NEAR(cache_common(&seen[0], &seen[1]), 2.0 / 400, 1e-9);
    NEAR(cache_common(&seen[1], &seen[0]), 2.0 / 4, 1e-9);
    for (int k = 0; k < 2; k++) free(seen[k].lines);
    cache_end(&one);
    cache_end(&other);
}

/* Blocks follow one another where places become free. */
static void waves(void **state) {
    const line lines[] = {{"FFMA R1, RZ, R4, R1 ;", 4, NONE, NONE, 0}, {0}};
    write_code(lines, 100);
    const double one = run_blocks(32, 1, 1).clocks, four = run_blocks(32, 4, 1).clocks,
                 two = run_blocks(32, 4, 2).clocks;
    NEAR(four, 4 * one, 12);
    NEAR(two, 2 * one, 12);
    /* What a block's last stores answer is not for the next one's load, which has the same scoreboard. */
    const line last[] = {{"LDG.E.64.STRONG.GPU R0, desc[UR4][R0.64] ;", 1, 0, NONE, 0},
                         {"FFMA R5, R0, R0, R5 ;", 1, NONE, NONE, 1},
                         {"STS [RZ+0x400], R0 ;", 1, NONE, 0, 0},
                         {"STS [RZ+0x400], R0 ;", 1, NONE, 0, 0},
                         {"STS [RZ+0x400], R0 ;", 1, NONE, 0, 0},
                         {0}};
    write_code(last, 1);
    NEAR(run_blocks(32, 11, 1).clocks - run_blocks(32, 1, 1).clocks, 10 * L2, 10 * L2 * LATENCY_SPREAD + 200);
}

/* Parts of a block: 100 FMAs until its first barrier, 200 until its last, 300 after that; their clocks are all there
 * are.
 */
static void parts(void **state) {
    line lines[603] = {{0}};
    for (int k = 0; k < 602; k++) {
        const bool barrier = k == 100 || k == 301;
        lines[k] = (line){barrier ? "BAR.SYNC 0x0 ;" : "FFMA R0, R4, R5, RZ ;", 1, NONE, NONE, 0};
    }
    write_code(lines, 1);
    const replay_result r = run_blocks(128, 1, 1);
    double time = 0;
    for (int k = 0; k < PARTS; k++) {
        NEAR(r.part[k][BUSY_FP32], 100 * (k + 1), 0.1);
        time += r.part[k][SHARE_TIME];
    }
    NEAR(time, r.clocks, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fmas),     cmocka_unit_test(pipes),    cmocka_unit_test(chases), cmocka_unit_test(unit),
        cmocka_unit_test(copy),     cmocka_unit_test(barriers), cmocka_unit_test(copies), cmocka_unit_test(paths),
        cmocka_unit_test(carries),  cmocka_unit_test(waves),    cmocka_unit_test(parts),  cmocka_unit_test(atomics),
        cmocka_unit_test(products), cmocka_unit_test(arrivals), cmocka_unit_test(boxes),  cmocka_unit_test(either),
        cmocka_unit_test(dram)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(code.insns);
    return failed;
}
