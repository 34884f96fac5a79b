/* Deadlocks, the watchdog, which blocks are begun; warp-wide instructions. */
#include "groups_case.h"

/* ---- deadlocks and the watchdog ---- */

#define STUCK "cudasim: kernel k is stopped: deadlock: no thread of the block can go on; block (0,0,0):\n"

static void test_deadlocks(void **state) {
    static const stop_case cases[] = {
        {KERNEL(PTX_FILE, BELOW(32) LOC(12) "@%p1 bar.sync 1;\n" LOC(34) "@!%p1 bar.sync 2;\n"), 64, SIM_TIMEOUT,
         STUCK
         "    warp 0, lanes ffffffff, wait at barrier 1 (32 of 64 threads have come): case.cu:12 (PTX line 10: @%p1 "
         "bar.sync 1)\n"
         "    warp 1, lanes ffffffff, wait at barrier 2 (32 of 64 threads have come): case.cu:34 (PTX line 12: @!%p1 "
         "bar.sync 2)\n"},
        {KERNEL("", BELOW(8) "@%p1 barrier.sync 1;\nbarrier.sync 2, 32;\n"), 16, SIM_TIMEOUT,
         STUCK "    warp 0, lanes 000000ff, wait at barrier 1 (8 of 16 threads have come): PTX line 8: @%p1 "
               "barrier.sync 1\n"
               "    warp 0, lanes 0000ff00, wait at barrier 2 (8 of 32 threads have come): PTX line 9: "
               "barrier.sync 2, 32\n"},
        {KERNEL("", "setp.lt.u32 %p1, %r1, 31; @%p1 bra A;\nbar.sync 0;\nA: vote.sync.any.pred %p2, %p1, -1;\n"), 32,
         SIM_TIMEOUT,
         STUCK
         "    warp 0, lanes 80000000, wait at barrier 0 (1 of 32 threads have come): PTX line 8: bar.sync 0\n"
         "    warp 0, lanes 7fffffff, wait for lanes ffffffff of their warp: PTX line 9: vote.sync.any.pred %p2, %p1, "
         "-1\n"},
        {KERNEL("", "setp.lt.u32 %p1, %r1, 31; @%p1 bra A;\nbar.sync 0;\nA: bar.warp.sync -1;\n"), 32, SIM_TIMEOUT,
         STUCK "    warp 0, lanes 80000000, wait at barrier 0 (1 of 32 threads have come): PTX line 8: bar.sync 0\n"
               "    warp 0, lanes 7fffffff, wait for lanes ffffffff of their warp: PTX line 9: bar.warp.sync -1\n"},
    };
    check_stops(cases, COUNT(cases));
    assert_int_equal(run(KERNEL("", "mov.u32 %r3, %warpid; and.b32 %r3, %r3, 1; bar.sync %r3;\n"), 1, 1024),
                     SIM_TIMEOUT);
    assert_said(STUCK "    warp 0, lanes ffffffff, wait at barrier 0 (512 of 1024 threads have come): PTX line 7: "
                      "bar.sync %%r3\n*    warp 31, lanes ffffffff, wait at barrier 1 (512 of *");
}

static void test_long_deadlock_report_is_cut(void **state) {
    assert_int_equal(run(KERNEL("", "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0;\n@%p1 barrier.sync 3;\n"
                                    "barrier.sync 4;\n"),
                         1, 1024),
                     SIM_TIMEOUT);
    assert_said(STUCK "*    warp 19, lanes aaaaaaaa, *\n    and 24 more\n");
}

static void test_watchdog(void **state) {
    set_environment("CUDASIM_WATCHDOG", "0.2");
    for (int threads = 1; threads <= 2; threads++) {
        set_environment("CUDASIM_THREADS", threads == 1 ? "1" : "2");
        assert_int_equal(run(KERNEL(PTX_FILE, LOC(5) "L: bra L;\n"), 2, 32), SIM_TIMEOUT);
        assert_said("cudasim: kernel k is stopped: no thread has ended or passed a barrier for too long "
                    "(CUDASIM_WATCHDOG=0 lets it run); "
                    "block (%c,0,0):\n    warp 0, lanes ffffffff, run: case.cu:5 (PTX line 9: bra *)\n",
                    strstr(said, "block (1") != NULL ? '1' : '0');
        /* Threads that wait for what nobody writes, and one at a barrier. */
        assert_int_equal(
            run(KERNEL("", "setp.eq.u32 %p1, %r1, 0; @%p1 bar.sync 0;\n"
                           "L: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;\n"),
                1, 32),
            SIM_TIMEOUT);
        assert_said(
            "*    warp 0, lanes 00000001, wait at barrier 0 (1 of 32 threads have come): PTX line 7: @%%p1 bar.sync "
            "0\n*");
        assert_non_null(strstr(said, "    warp 0, lanes fffffffe, run: PTX line 8: "));
    }
    set_environment("CUDASIM_THREADS", NULL);
    set_environment("CUDASIM_WATCHDOG", "0"); /* never: it counts for longer than the others may */
    run_well(KERNEL("",
                    "mov.u64 %rd3, %globaltimer; add.u64 %rd3, %rd3, 400000000;\n"
                    "L: mov.u64 %rd4, %globaltimer; setp.lt.u64 %p1, %rd4, %rd3; @%p1 bra L; mov.u32 %r2, 1;\n" STORE),
             1, 1);
    assert_int_equal(out[0], 1);
    set_environment("CUDASIM_WATCHDOG", "0.2"); /* barriers are progress */
    run_well(KERNEL("", "mov.u64 %rd3, %globaltimer; add.u64 %rd3, %rd3, 500000000;\n"
                        "L: bar.sync 0; mov.u64 %rd4, %globaltimer; setp.lt.u64 %p1, %rd4, %rd3; @%p1 bra L;\n"
                        "mov.u32 %r2, 1;\n" STORE),
             1, 1);
    assert_int_equal(out[0], 1);
    /* Atomics that change something are work. */
    run_well(KERNEL("", "mov.u64 %rd3, %globaltimer; add.u64 %rd3, %rd3, 500000000;\n"
                        "L: atom.global.add.u32 %r3, [%rd1+4], 1; mov.u64 %rd4, %globaltimer;\n"
                        "setp.lt.u64 %p1, %rd4, %rd3; @%p1 bra L; mov.u32 %r2, 1;\n" STORE),
             1, 1);
    assert_int_equal(out[0], 1);
    set_environment("CUDASIM_WATCHDOG", NULL);
}

/* ---- which blocks are begun ---- */

/* A block of one thread: counts itself in out[0], leaves the most that there ever were in out[1], and goes. */
#define COUNTS_ITSELF(loop)                                                                                            \
    KERNEL("", "atom.global.add.u32 %r3, [%rd1], 1; add.u32 %r3, %r3, 1; red.global.max.u32 [%rd1+4], %r3;\n" loop     \
               "red.global.add.u32 [%rd1], -1;\n")
#define LONG_LOOP(body) "mov.u32 %r4, 0; L: " body " add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 100000; @%p1 bra L;\n"

static void test_blocks_that_compute_run_alone(void **state) {
    static const char *const kernels[] = {
        COUNTS_ITSELF(LONG_LOOP("mad.lo.u32 %r5, %r5, 3, 1;")),
        COUNTS_ITSELF(LONG_LOOP("ld.global.u32 %r5, [%rd1+8];")),
        COUNTS_ITSELF(LONG_LOOP("atom.global.add.u32 %r5, [%rd1+8], 1;")),
        COUNTS_ITSELF(LONG_LOOP("atom.global.exch.b32 %r5, [%rd1+8], %r4;")),
        COUNTS_ITSELF(LONG_LOOP("atom.global.cas.b32 %r5, [%rd1+12], %r5, %r4;")),
    };
    set_environment("CUDASIM_THREADS", "1");
    for (size_t k = 0; k < COUNT(kernels); k++) {
        run_well(kernels[k], 4, 1);
        if (out[1] != 1) fail_msg("kernel %zu: %u blocks at a time", k, out[1]);
    }
    set_environment("CUDASIM_THREADS", NULL);
}

static void test_blocks_wait_for_others(void **state) {
#define ALL_HERE(loop) KERNEL("", "red.global.add.u32 [%rd1], 1;\nL: " loop " @%p1 bra L;\n")
    static const char *const kernels[] = {
        ALL_HERE("ld.volatile.global.u32 %r3, [%rd1]; setp.lt.u32 %p1, %r3, 4;"),
        ALL_HERE("ld.global.u32 %r3, [%rd1]; setp.lt.u32 %p1, %r3, 4;"),
        ALL_HERE("ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r3, 4;"),
        ALL_HERE("atom.global.add.u32 %r3, [%rd1], 0; setp.lt.u32 %p1, %r3, 4;"),
        ALL_HERE("atom.global.max.u32 %r3, [%rd1], 1; setp.lt.u32 %p1, %r3, 4;"),
        ALL_HERE("atom.global.cas.b32 %r3, [%rd1], 4, 4; setp.ne.u32 %p1, %r3, 4;"),
    };
    set_environment("CUDASIM_THREADS", "1");
    for (size_t k = 0; k < COUNT(kernels); k++) {
        run_well(kernels[k], 4, 1);
        assert_int_equal(out[0], 4);
    }
    set_environment("CUDASIM_THREADS", NULL);
}

/* ---- warp-wide instructions ---- */

/* Lanes from 16 on come late to what stands at J. */
#define LATE_HALF "setp.ge.u32 %p18, %r1, 16; @%p18 bra FAR;\nJ: "
#define LATE_END  "exit;\nFAR: add.u32 %r29, %r1, 1; bra J;\n"
/* %r10: the mask of the lane's tile of 8. */
#define TILES    "shr.u32 %r9, %r1, 3; shl.b32 %r9, %r9, 3; mov.u32 %r10, 255; shl.b32 %r10, %r10, %r9;\n"
#define ODD_MASK "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 exit;\n"

static uint32_t odd_neighbour(uint32_t t) {
    return t & 1 ? (t == 31 ? 131 : t + 2 + 100) : 0;
}
static uint32_t mirrored(uint32_t t) {
    return 31 - t;
}
static uint32_t tile_first(uint32_t t) {
    return (t & ~7u) + 100;
}
static uint32_t tile_ballot(uint32_t t) {
    return 0x11u << (t & ~7u);
}
static uint32_t tile_sum(uint32_t t) {
    return 8 * (t & ~7u) + 28;
}
static uint32_t tile_most(uint32_t t) {
    return t | 7;
}
static uint32_t tile_match(uint32_t t) {
    return 0x11u << ((t & ~7u) + (t & 3));
}
static uint32_t tile_all(uint32_t t) {
    return t < 8 ? 0xff : 0;
}
static uint32_t tile_leader(uint32_t t) {
    return (t & ~7u) << 1 | ((t & 7) == 0);
}
static uint32_t votes(uint32_t t) {
    return t < 16 ? 0x5 : 0x1;
}
static uint32_t full(uint32_t t) {
    return t < 32 ? 0xffffffffu : 0;
}
static uint32_t late_ones(uint32_t t) {
    return t < 16 ? 0xffff : 0xffff0000;
}
static uint32_t twenty(uint32_t t) {
    return t < 20 ? 0xfffff : 0;
}
static uint32_t sixteen_not(uint32_t t) {
    return t < 16 ? 16 : 0;
}
static uint32_t signed_least(uint32_t t) {
    return t < 32 ? (uint32_t)-31 : 0;
}
static uint32_t ored(uint32_t t) {
    return t < 20 ? 31 : 0;
}

static const word_case warp_wide[] = {
    {"shfl among the odd lanes", /* 31 has no neighbour: p is false, its own value stays */
     KERNEL("", ODD_MASK "add.u32 %r4, %r1, 100; shfl.sync.down.b32 %r2|%p2, %r4, 2, 31, 0xaaaaaaaa;\n"
                         "setp.eq.u32 %p3, %r1, 31; xor.pred %p2, %p2, %p3; @!%p2 mov.u32 %r2, 0xbad;\n" STORE),
     32, odd_neighbour},
    {"shfl, half of the lanes later",
     KERNEL("", LATE_HALF "shfl.sync.bfly.b32 %r2, %r1, 31, 31, 0xffffffff;\n" TOGETHER STORE LATE_END), 32, mirrored},
    {"shfl in tiles",
     KERNEL("", TILES "add.u32 %r4, %r1, 100; shfl.sync.idx.b32 %r2, %r4, 0, 0x181f, %r10;\n" TOGETHER STORE), 32,
     tile_first},
    {"vote.ballot in tiles, half of the lanes later",
     KERNEL("", TILES "and.b32 %r3, %r1, 3; setp.eq.u32 %p1, %r3, 0; " LATE_HALF
                      "vote.sync.ballot.b32 %r2, %p1, %r10;\n" STORE LATE_END),
     32, tile_ballot},
    {"vote in halves",
     KERNEL(
         "",
         BELOW(16) "selp.u32 %r10, 0xffff, 0xffff0000, %p1; vote.sync.all.pred %p2, %p1, %r10;\n"
                   "vote.sync.any.pred %p3, !%p1, %r10; vote.sync.uni.pred %p4, %p1, %r10; selp.u32 %r3, 4, 0, %p2;\n"
                   "selp.u32 %r4, 0, 2, %p3; @%p1 mov.u32 %r4, 0; @!%p3 bra N; @%p1 mov.u32 %r4, 2; N:\n"
                   "selp.u32 %r5, 1, 0, %p4; or.b32 %r2, %r3, %r4; or.b32 %r2, %r2, %r5;\n" STORE),
     32, votes},
    {"vote with the lanes that are left", /* those that have exited are not waited for */
     KERNEL("", "setp.ge.u32 %p1, %r1, 20; @%p1 bra E; setp.lt.u32 %p2, %r1, 100;\n"
                "vote.sync.ballot.b32 %r2, %p2, 0xffffffff;\n" STORE "E:\n"),
     32, twenty},
    {"vote under a guard",
     KERNEL("", BELOW(16) "setp.ne.u32 %p2, %r1, 99; mov.u32 %r2, 0;\n"
                          "@%p1 vote.sync.ballot.b32 %r2, %p2, 0xffff;\n"
                          "@!%p1 vote.sync.ballot.b32 %r2, %p2, 0xffff0000;\n" TOGETHER STORE),
     32, late_ones},
    {"redux in tiles", KERNEL("", TILES "redux.sync.add.u32 %r2, %r1, %r10;\n" STORE), 32, tile_sum},
    {"redux in tiles, half of the lanes later",
     KERNEL("", TILES LATE_HALF "redux.sync.max.u32 %r2, %r1, %r10;\n" STORE LATE_END), 32, tile_most},
    {"redux of signed numbers", KERNEL("", "neg.s32 %r3, %r1; redux.sync.min.s32 %r2, %r3, -1;\n" STORE), 32,
     signed_least},
    {"redux of the first 20",
     KERNEL("", "setp.ge.u32 %p1, %r1, 20; @%p1 exit; redux.sync.or.b32 %r2, %r1, 0xfffff;\n" STORE), 32, ored},
    {"match.any in tiles", KERNEL("", TILES "and.b32 %r3, %r1, 3; match.any.sync.b32 %r2, %r3, %r10;\n" STORE), 32,
     tile_match},
    {"match.all in tiles",
     KERNEL("",
            TILES "mov.u64 %rd3, 0x100000000; cvt.u64.u32 %rd4, %r1; setp.lt.u32 %p1, %r1, 8;\n"
                  "selp.u64 %rd3, %rd3, %rd4, %p1; match.all.sync.b64 %r2|%p2, %rd3, %r10; xor.pred %p2, %p2, %p1;\n"
                  "@%p2 mov.u32 %r2, 0xbad;\n" STORE),
     32, tile_all},
    {"elect in tiles, half of the lanes later",
     KERNEL("", TILES LATE_HALF "elect.sync %r3|%p1, %r10; selp.u32 %r4, 1, 0, %p1; shl.b32 %r3, %r3, 1;\n"
                                "or.b32 %r2, %r3, %r4;\n" STORE LATE_END),
     32, tile_leader},
    {"bar.warp.sync, half of the lanes later",
     KERNEL("", LATE_HALF "bar.warp.sync 0xffffffff; activemask.b32 %r2;\n" STORE LATE_END), 32, full},
    {"bar.warp.sync at two places",
     KERNEL(
         "",
         BELOW(16) "st.global.u32 [%rd2], 16; mov.u32 %r2, 0; xor.b32 %r3, %r1, 16;\n"
                   "mad.wide.u32 %rd4, %r3, 4, %rd1; @%p1 bra A; st.global.u32 [%rd4], 16; bar.warp.sync -1; bra E;\n"
                   "A: bar.warp.sync -1; ld.global.u32 %r2, [%rd2]; E:\n" STORE),
     32, sixteen_not},
    {"bar.warp.sync in tiles: a tile goes on while another waits for a lane that waits for the first",
     KERNEL("", "setp.eq.u32 %p1, %r1, 31; @%p1 bra LAST; setp.lt.u32 %p2, %r1, 16;\n"
                "selp.u32 %r10, 0xffff, 0xffff0000, %p2; bar.warp.sync %r10;\n"
                "setp.eq.u32 %p3, %r1, 0; @%p3 st.volatile.global.u32 [%rd1+400], 1; bra E;\n"
                "LAST: ld.volatile.global.u32 %r3, [%rd1+400]; setp.eq.u32 %p3, %r3, 0; @%p3 bra LAST;\n"
                "bar.warp.sync 0xffff0000;\nE: mov.u32 %r2, -1;\n" STORE),
     32, full},
    {"bar.warp.sync with the lanes that are left",
     KERNEL("", "setp.ge.u32 %p1, %r1, 20; @%p1 bra E; bar.warp.sync -1; activemask.b32 %r2;\n" STORE "E:\n"), 32,
     twenty},
};

static void test_warp_wide(void **state) {
    for (size_t k = 0; k < COUNT(warp_wide); k++) check_words(&warp_wide[k]);
}

static void test_lane_outside_of_its_mask(void **state) {
    static const stop_case cases[] = {
        {KERNEL("", "shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffff;\n"), 32, SIM_ILLEGAL_INSTRUCTION,
         ILLEGAL "thread (16,0,0) of block (0,0,0): lane 16 is not in its own member mask 0x0000ffff\n"
                 "    at PTX line 7: shfl.sync.idx.b32 %r2, %r1, 0, 31, 65535\n"},
        {KERNEL("", "bar.warp.sync 2;\n"), 32, SIM_ILLEGAL_INSTRUCTION,
         ILLEGAL "thread (0,0,0) of block (0,0,0): lane 0 is not in its own member mask 0x00000002\n"
                 "    at PTX line 7: bar.warp.sync 2\n"},
        {KERNEL("", "mov.u32 %r3, %lanemask_eq; add.u32 %r3, %r3, %r3; redux.sync.add.u32 %r2, %r1, %r3;\n"), 64,
         SIM_ILLEGAL_INSTRUCTION,
         ILLEGAL "thread (0,0,0) of block (0,0,0): lane 0 is not in its own member mask 0x00000002\n"
                 "    at PTX line 7: redux.sync.add.u32 %r2, %r1, %r3\n"},
    };
    check_stops(cases, COUNT(cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deadlocks),
        cmocka_unit_test(test_long_deadlock_report_is_cut),
        cmocka_unit_test(test_watchdog),
        cmocka_unit_test(test_blocks_that_compute_run_alone),
        cmocka_unit_test(test_blocks_wait_for_others),
        cmocka_unit_test(test_warp_wide),
        cmocka_unit_test(test_lane_outside_of_its_mask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
