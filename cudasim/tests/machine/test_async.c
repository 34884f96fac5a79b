/* mbarriers and bulk copies. */
#include "async_case.h"

/* ---- mbarriers ---- */

static uint32_t neighbour(uint32_t t) {
    return (t + 1) % 64;
}
static uint32_t sixty_four(uint32_t t) {
    return 64;
}
static uint32_t one(uint32_t t) {
    return 1;
}
static uint32_t itself(uint32_t t) {
    return t;
}

#define READ_NEIGHBOUR                                                                                                 \
    "add.u32 %r3, %r1, 1; and.b32 %r3, %r3, 63; mov.u32 %r4, buf; mad.lo.u32 %r4, %r3, 4, %r4; ld.shared.u32 %r2, "    \
    "[%r4];\n"

static const word_case mbarriers[] = {
    {"64 threads arrive and wait for the parity",
     KERNEL(BAR BUFFER,
            INIT(64) SYNC STORE_MINE "mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(W, 0) READ_NEIGHBOUR STORE),
     64, neighbour},
    {"the same by states and test_wait",
     KERNEL(BAR BUFFER, INIT(64) SYNC STORE_MINE
            "mbarrier.arrive.release.cta.shared::cta.b64 %rd5, [bar];\n"
            "W: mbarrier.test_wait.acquire.cta.shared::cta.b64 %p9, [bar], %rd5; @!%p9 bra W;\n" READ_NEIGHBOUR STORE),
     64, neighbour},
    {"generic addresses, a hint of a time",
     KERNEL(BAR BUFFER, "mov.u64 %rd7, bar; cvta.shared.u64 %rd8, %rd7;\n" ZEROTH
                        "@%p1 mbarrier.init.b64 [%rd8], 64;\n" SYNC STORE_MINE "mbarrier.arrive.b64 %rd5, [%rd8];\n"
                        "W: mbarrier.try_wait.b64 %p9, [%rd8], %rd5, 1000; @!%p9 bra W;\n" READ_NEIGHBOUR STORE),
     64, neighbour},
    {"one arrival for all",
     KERNEL(BAR BUFFER, INIT(64) SYNC STORE_MINE SYNC "@%p1 mbarrier.arrive.shared.b64 _, [bar], 64;\n" WAIT(W, 0)
                            READ_NEIGHBOUR STORE),
     64, neighbour},
    {"ten phases", /* thread 0 counts the others' phases */
     KERNEL(BAR BUFFER, INIT(64) SYNC
            "mov.u32 %r5, 0; mov.u32 %r2, 0;\n"
            "L: " MINE "st.shared.u32 [%r20], %r5; mbarrier.arrive.shared.b64 _, [bar]; and.b32 %r6, %r5, 1;\n"
            "W: mbarrier.try_wait.parity.shared.b64 %p9, [bar], %r6; @!%p9 bra W;\n"
            "add.u32 %r3, %r1, 1; and.b32 %r3, %r3, 63; mov.u32 %r4, buf; mad.lo.u32 %r4, %r3, 4, %r4;\n"
            "ld.shared.u32 %r7, [%r4]; setp.eq.u32 %p3, %r7, %r5; @%p3 add.u32 %r2, %r2, 1; " SYNC
            "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 64; @%p2 bra L;\n" STORE),
     64, sixty_four},
    {"pending_count is that before the arrival",
     KERNEL(BAR BUFFER, INIT(64) SYNC
            "mov.u32 %r2, 64; @!%p1 bra E;\n"
            "mbarrier.arrive.noComplete.shared.b64 %rd5, [bar], 3; mbarrier.arrive.shared.b64 %rd6, [bar];\n"
            "mbarrier.pending_count.b64 %r3, %rd5; mbarrier.pending_count.b64 %r4, %rd6; sub.u32 %r5, %r3, %r4;\n"
            "setp.ne.u32 %p2, %r5, 3; mov.u32 %r2, %r3; @%p2 mov.u32 %r2, 0;\nE: " STORE),
     64, sixty_four},
    {"expect_tx and complete_tx: a phase ends with its last byte",
     KERNEL(BAR, INIT(1) SYNC
            "@!%p1 bra V;\n"
            "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 96; mbarrier.complete_tx.shared::cta.b64 [bar], 64;\n"
            "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0; @%p2 trap;\n"
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 16; "
            "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [bar], 32;\n"
            "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0; @%p2 trap;\n"
            "mbarrier.complete_tx.shared::cta.b64 [bar], 16;\n"
            "V: " WAIT(W, 0) "mov.u32 %r2, 1;\n" STORE),
     64, one},
    {"more bytes come before they are expected",
     KERNEL(BAR, INIT(1) SYNC
            "@!%p1 bra V; mbarrier.complete_tx.shared::cta.b64 [bar], 64;\n"
            "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\nV: " WAIT(W, 0) "mov.u32 %r2, 1;\n" STORE),
     64, one},
    {"arrive_drop: the next phase expects fewer",
     KERNEL(BAR, INIT(64) SYNC
            "setp.lt.u32 %p2, %r1, 32; @%p2 mbarrier.arrive_drop.shared.b64 %rd5, [bar];\n"
            "@!%p2 mbarrier.arrive.shared.b64 %rd5, [bar];\n" WAIT(
                W, 0) "@!%p2 mbarrier.arrive.shared.b64 %rd5, [bar];\n" WAIT(X, 1) "mov.u32 %r2, 1;\n" STORE),
     64, one},
    {"the phase before the first has parity 1 and has ended",
     KERNEL(BAR, INIT(64) SYNC WAIT(W, 1) "mov.u32 %r2, 1;\n" STORE), 64, one},
    {"inval, then something else, then init again",
     KERNEL(BAR, INIT(64) SYNC "@!%p1 bra E; mbarrier.inval.shared.b64 [bar]; st.shared.u64 [bar], %rd2;\n"
                               "mbarrier.init.shared.b64 [bar], 64;\nE: " SYNC
                               "mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(W, 0) "mov.u32 %r2, 1;\n" STORE),
     64, one},
    {"every thread initialises it, with the same count, before anybody arrives",
     KERNEL(BAR, "mbarrier.init.shared.b64 [bar], 64;\n" SYNC
                 "mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(W, 0) "mov.u32 %r2, 1;\n" STORE),
     64, one},
    {"lanes of one warp wait for one another", /* 31 wait, lane 5 arrives later */
     KERNEL(BAR, ZEROTH
            "setp.eq.u32 %p2, %r1, 5; @%p1 mbarrier.init.shared.b64 [bar], 1; bar.warp.sync -1;\n"
            "@%p2 bra A;\n" WAIT(W, 0) "bra E;\nA: mbarrier.arrive.shared.b64 _, [bar];\nE: mov.u32 %r2, 1;\n" STORE),
     32, one},
    {"try_wait comes back where nobody else could end the phase", /* the waiter itself does, afterwards */
     KERNEL(BAR, INIT(64) SYNC "mbarrier.try_wait.parity.shared.b64 %p9, [bar], 0; @%p9 trap;\n"
                               "mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(W, 0) "mov.u32 %r2, 1;\n" STORE),
     64, one},
    {"test_wait in a loop while another warp computes",
     KERNEL(BAR, INIT(1) SYNC "setp.lt.u32 %p2, %r1, 32; @%p2 bra V; mov.u32 %r3, 0;\n"
                              "C: add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 20000; @%p3 bra C;\n"
                              "setp.eq.u32 %p3, %r1, 32; @%p3 mbarrier.arrive.shared.b64 _, [bar];\n"
                              "V: " TEST(W, 0) "mov.u32 %r2, 1;\n" STORE),
     64, one},
    {"cp.async.mbarrier.arrive.noinc",
     KERNEL(BAR BUFFER,
            INIT(64) "st.global.u32 [%rd2], %r1;\n" SYNC MINE "cp.async.ca.shared.global [%r20], [%rd2], 4;\n"
                     "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];\n" WAIT(W, 0) READ_NEIGHBOUR SYNC STORE),
     64, neighbour},
    {"cp.async.mbarrier.arrive awaits one more", /* and comes itself: the phase still takes all 64 arrivals */
     KERNEL(BAR BUFFER,
            INIT(64) "st.global.u32 [%rd2], %r1;\n" SYNC MINE "cp.async.ca.shared.global [%r20], [%rd2], 4;\n"
                     "cp.async.mbarrier.arrive.shared.b64 [bar]; mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(W, 0)
                         READ_NEIGHBOUR SYNC STORE),
     64, neighbour},
    {"cp.async after the arrival are none of its business", /* the second copy has not landed: all ones */
     KERNEL(BAR BUFFER,
            INIT(64) "st.global.u32 [%rd2], %r1;\n" SYNC MINE "cp.async.ca.shared.global [%r20], [%rd2], 4;\n"
                     "cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; cp.async.ca.shared.global [%r20 + 256], [%rd2], "
                     "4;\n" WAIT(W, 0) "ld.shared.u32 %r3, [%r20]; ld.shared.u32 %r4, [%r20 + 256]; not.b32 %r4, %r4;\n"
                                       "add.u32 %r2, %r3, %r4; " STORE),
     64, itself},
};

static void mbarriers_count(void **state) {
    for (size_t k = 0; k < COUNT(mbarriers); k++) check_words(&mbarriers[k]);
}

/* ---- mistakes ---- */

typedef struct mistake {
    const char *ptx;
    unsigned threads;
    sim_status status;
    const char *says; /* with "*" */
} mistake;

static void check_mistake(const mistake *m) {
    sim_status status = run(m->ptx, 1, m->threads);
    if (status != m->status || !is_like(said, m->says))
        fail_msg("status %d, said:\n%sexpected status %d:\n%s", status, said, m->status, m->says);
}

static const mistake mbarrier_mistakes[] = {
    /* the parity of a phase that is still to come: nothing can end it */
    {KERNEL(BAR, INIT(64) SYNC "mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(W, 0) WAIT(X, 1) STORE), 64, SIM_TIMEOUT,
     "*kernel k is stopped: deadlock: no thread of the block can go on*"
     "wait for phase 1 of the mbarrier at 0x400 (64 of 64 arrivals pending, no bytes pending): *try_wait*"},
    /* too much expected, too little */
    {KERNEL(BAR, INIT(1) SYNC "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 96;\n"
                              "@%p1 mbarrier.complete_tx.shared::cta.b64 [bar], 64;\n" WAIT(W, 0)),
     64, SIM_TIMEOUT,
     "*warp 0, lanes ffffffff, wait for phase 0 of the mbarrier at 0x400 (0 of 1 arrivals pending, 32 bytes pending): "
     "*"},
    {KERNEL(BAR, INIT(1) SYNC "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32;\n"
                              "@%p1 mbarrier.complete_tx.shared::cta.b64 [bar], 64;\n" WAIT(W, 0)),
     64, SIM_TIMEOUT, "*(0 of 1 arrivals pending, 32 bytes more than expected have come): *"},
    {KERNEL(BAR, INIT(63) SYNC "mbarrier.arrive.shared.b64 _, [bar], 2;\n"), 64, SIM_LAUNCH_FAILURE,
     "*thread (63,0,0)*: more arrivals than expected at the mbarrier at shared address 0x400: 2, but in phase 0 only "
     "1*"},
    {KERNEL(BAR, INIT(64) SYNC "mbarrier.init.shared.b64 [bar], 63;\n"), 64, SIM_ILLEGAL_INSTRUCTION,
     "*mbarrier.init of the mbarrier at shared address 0x400, which is in use: mbarrier.inval comes first\n*"},
    {KERNEL(BAR, INIT(64) SYNC "mbarrier.arrive.shared.b64 _, [bar]; mbarrier.init.shared.b64 [bar], 64;\n"), 64,
     SIM_ILLEGAL_INSTRUCTION, "*mbarrier.init of the mbarrier at shared address 0x400, which is in use*"},
    {KERNEL(BAR, INIT(1) "@%p1 mbarrier.arrive.shared.b64 _, [bar];\n" SYNC "mbarrier.init.shared.b64 [bar], 1;\n"), 64,
     SIM_ILLEGAL_INSTRUCTION, "*mbarrier.init of the mbarrier at shared address 0x400, which is in use*"},
    {KERNEL(BAR,
            INIT(1) "@%p1 mbarrier.expect_tx.shared::cta.b64 [bar], 16;\n" SYNC "mbarrier.init.shared.b64 [bar], 1;\n"),
     64, SIM_ILLEGAL_INSTRUCTION,
     "*mbarrier.init of the mbarrier at shared address 0x400, which is in use: mbarrier.inval comes first\n*"},
    {KERNEL(BAR, "mbarrier.arrive.shared.b64 _, [bar];\n"), 32, SIM_ILLEGAL_INSTRUCTION,
     "*there is no mbarrier at shared address 0x400: it has not been initialised*"},
    {KERNEL(BAR, INIT(64) "@%p1 mbarrier.inval.shared.b64 [bar];\n" SYNC WAIT(W, 0)), 32, SIM_ILLEGAL_INSTRUCTION,
     "*there is no mbarrier at shared address 0x400*was invalidated*"},
    {KERNEL(BAR, INIT(64) "st.shared.u32 [bar], 5;\n" SYNC WAIT(W, 0)), 32, SIM_ILLEGAL_INSTRUCTION,
     "*the mbarrier at shared address 0x400 has been overwritten*"},
    {KERNEL(BAR, INIT(0) SYNC), 32, SIM_ILLEGAL_INSTRUCTION, "*an mbarrier for 0 arrivals; 1 to 1048575*"},
    {KERNEL(BAR, "mbarrier.init.shared.b64 [bar + 4], 1;\n"), 1, SIM_MISALIGNED_ADDRESS,
     "*an mbarrier at shared address 0x404, which is not aligned to 8*"},
    {KERNEL(BAR, "mbarrier.init.shared.b64 [bar + 4096], 1;\n"), 1, SIM_ILLEGAL_ADDRESS,
     "*an mbarrier, 8 bytes of shared memory at 0x1400; the block's shared memory is 0x400 to 0x*"},
    {KERNEL(BAR, INIT(64) "mbarrier.init.b64 [%rd1], 1;\n"), 32, SIM_INVALID_ADDRESS_SPACE,
     "*an mbarrier at 0x*, which is not in shared memory*"},
    {KERNEL(BAR, INIT(1) SYNC WAIT(W, 2)), 32, SIM_ILLEGAL_INSTRUCTION, "*a phase parity of 2; it is 0 or 1*"},
    {KERNEL(BAR, INIT(1) SYNC "mov.u64 %rd5, 5; mbarrier.test_wait.shared.b64 %p2, [bar], %rd5;\n"), 32,
     SIM_ILLEGAL_INSTRUCTION, "*0x5 is no state that mbarrier.arrive has given*"},
    {KERNEL(BAR, INIT(1) SYNC "mbarrier.arrive.shared.b64 %rd5, [bar]; mbarrier.arrive.shared.b64 %rd6, [bar];\n"
                              "mbarrier.test_wait.shared.b64 %p2, [bar], %rd5;\n"),
     1, SIM_ILLEGAL_INSTRUCTION, "*a state of phase 0, but the mbarrier at shared address 0x400 is in phase 2*"},
    {KERNEL(BAR, INIT(1) SYNC "mbarrier.arrive.noComplete.shared.b64 %rd5, [bar], 1;\n"), 1, SIM_ILLEGAL_INSTRUCTION,
     "*noComplete, but the arrival of 1 ends the phase*"},
    {KERNEL(BAR, INIT(1) SYNC "mbarrier.expect_tx.shared::cta.b64 [bar], 1048576;\n"), 1, SIM_LAUNCH_FAILURE,
     "*would await 1048576 bytes; 1048575 are the most*"},
    {KERNEL(BAR, INIT(1) SYNC "mbarrier.complete_tx.shared::cta.b64 [bar], 2097152;\n"), 1, SIM_LAUNCH_FAILURE,
     "*2097152 bytes more than expected have come for the mbarrier at shared address 0x400; 1048575 are the most*"},
};

static void mbarrier_mistakes_are_named(void **state) {
    for (size_t k = 0; k < COUNT(mbarrier_mistakes); k++) check_mistake(&mbarrier_mistakes[k]);
}

/* A loop of test_wait is no wait that the simulator could see through: the watchdog ends it, and the report names what
 * is missing. */
static void watchdog_names_mbarriers(void **state) {
    set_environment("CUDASIM_WATCHDOG", "0.3");
    const sim_status status =
        run(KERNEL(BAR, INIT(2) SYNC "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 48;\n" TEST(W, 0)), 1, 32);
    set_environment("CUDASIM_WATCHDOG", NULL);
    assert_int_equal(status, SIM_TIMEOUT);
    assert_said("*no thread has ended or passed a barrier for too long*\n"
                "    phase 0 of the mbarrier at 0x400 (1 of 2 arrivals pending, 48 bytes pending)\n");
}

static uint32_t loaded(uint32_t t) {
    return number(t);
}
static uint32_t stale(uint32_t t) {
    return UINT32_MAX;
}

static const word_case bulk_loads[] = {
    {"global to shared memory", KERNEL(BAR BUFFER, DATA INIT(1) SYNC EXPECT(256) BULK(256) WAIT(W, 0) LOAD_MINE STORE),
     64, loaded},
    {"to shared::cta, with a hint, expected afterwards",
     KERNEL(BAR BUFFER,
            DATA INIT(1) SYNC "createpolicy.fractional.L2::evict_first.b64 %rd12, 1.0;\n"
                              "@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                              "[buf], [%rd11], 256, [bar], %rd12;\n" EXPECT(256) WAIT(W, 0) LOAD_MINE STORE),
     64, loaded},
    {"multicast to a cluster of one",
     KERNEL(BAR BUFFER,
            DATA INIT(1) SYNC EXPECT(
                256) "mov.u16 %rs1, 1;\n"
                     "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [buf], "
                     "[%rd11], 256, [bar], %rs1;\n" WAIT(W, 0) LOAD_MINE STORE),
     64, loaded},
    {"in two halves, waited for by test_wait",
     KERNEL(
         BAR BUFFER,
         DATA INIT(1) SYNC EXPECT(
             256) "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%rd11], 128, [bar];\n"
                  "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf + 128], [%rd11 + 128], "
                  "128, [bar];\n" TEST(W, 0) LOAD_MINE STORE),
     64, loaded},
    {"without the wait", /* the wait comes, but too late */
     KERNEL(BAR BUFFER, DATA INIT(1) SYNC EXPECT(256) BULK(256) SYNC LOAD_MINE WAIT(W, 0) STORE), 64, stale},
    {"waiting for the wrong parity",
     KERNEL(BAR BUFFER, DATA INIT(1) SYNC EXPECT(256) BULK(256) SYNC WAIT(X, 1) LOAD_MINE WAIT(W, 0) STORE), 64, stale},
    {"waiting at the wrong mbarrier",
     KERNEL(BAR BUFFER,
            DATA INIT(1) "@%p1 mbarrier.init.shared.b64 [bar2], 1;\n" SYNC EXPECT(256)
                BULK(256) "@%p1 mbarrier.arrive.shared.b64 _, [bar2];\n"
                          "Y: mbarrier.try_wait.parity.shared.b64 %p9, [bar2], 0; @!%p9 bra Y;\n" LOAD_MINE WAIT(W, 0)
                              STORE),
     64, stale},
    {"waiters first, the copy afterwards",
     KERNEL(BAR BUFFER, DATA INIT(1) SYNC "setp.ge.u32 %p2, %r1, 32; @%p2 bra V; mov.u32 %r3, 0;\n"
                                          "C: add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 20000; @%p3 bra C;\n" EXPECT(
                                              256) BULK(256) "V: " WAIT(W, 0) LOAD_MINE STORE),
     64, loaded},
    {"shared memory to shared memory",
     KERNEL(BAR BUFFER, DATA INIT(1) MINE
            "add.u64 %rd12, %rd11, 0; mad.wide.u32 %rd12, %r1, 4, %rd11; ld.global.u32 %r3, [%rd12];\n"
            "st.shared.u32 [%r20 + 4096], %r3;\n" FENCE SYNC EXPECT(
                256) "mov.u32 %r5, buf; add.u32 %r6, %r5, 4096;\n"
                     "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5], [%r6], 256, "
                     "[bar];\n" WAIT(W, 0) LOAD_MINE STORE),
     64, loaded},
    {"a pipeline of two stages by two warps", /* warp 1 loads, warp 0 sums up over 16 rounds */
     KERNEL(".shared .align 8 .b64 full[2];\n.shared .align 8 .b64 empty[2];\n" BUFFER, DATA ZEROTH
            "@!%p1 bra B;\n"
            "mbarrier.init.shared.b64 [full], 1; mbarrier.init.shared.b64 [full + 8], 1;\n"
            "mbarrier.init.shared.b64 [empty], 32; mbarrier.init.shared.b64 [empty + 8], 32;\n"
            "fence.mbarrier_init.release.cluster;\nB: " SYNC
            "mov.u32 %r3, 0; mov.u32 %r2, 0; mov.u32 %r21, full; mov.u32 %r22, empty; mov.u32 %r23, buf;\n"
            "L: and.b32 %r4, %r3, 1; shr.u32 %r5, %r3, 1; and.b32 %r5, %r5, 1; xor.b32 %r6, %r5, 1;\n"
            "mad.lo.u32 %r7, %r4, 8, %r21; mad.lo.u32 %r8, %r4, 8, %r22; mad.lo.u32 %r9, %r4, 128, %r23;\n"
            "setp.lt.u32 %p2, %r1, 32; @%p2 bra CONSUME;\n"
            "setp.ne.u32 %p3, %r1, 32; @%p3 bra NEXT;\n"
            "E: mbarrier.try_wait.parity.shared.b64 %p9, [%r8], %r6; @!%p9 bra E;\n"
            "mbarrier.arrive.expect_tx.shared.b64 _, [%r7], 128;\n"
            "mad.wide.u32 %rd12, %r3, 128, %rd11;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd12], 128, [%r7];\n"
            "bra NEXT;\n"
            "CONSUME: mbarrier.try_wait.parity.shared.b64 %p9, [%r7], %r5; @!%p9 bra CONSUME;\n"
            "mad.lo.u32 %r10, %r1, 4, %r9; ld.shared.u32 %r11, [%r10]; add.u32 %r2, %r2, %r11;\n"
            "mbarrier.arrive.shared.b64 _, [%r8];\n"
            "NEXT: add.u32 %r3, %r3, 1; setp.lt.u32 %p4, %r3, 16; @%p4 bra L;\n" STORE),
     64, NULL},
};

static void bulk_copies_load(void **state) {
    for (size_t k = 0; k < COUNT(bulk_loads); k++) {
        const word_case *c = &bulk_loads[k];
        run_map_well(c->ptx, c->threads, NULL);
        for (uint32_t t = 0; t < c->threads; t++) {
            uint32_t expected = 0;
            if (c->expected != NULL) {
                expected = c->expected(t);
            } else {
                for (uint32_t round = 0; t < 32 && round < 16; round++) expected += number(round * 32 + t);
            }
            if (out[t] != expected) {
                fail_msg("%s: thread %u has 0x%x, not 0x%x", c->name, t, out[t], expected);
            }
        }
    }
}

/* Kernels that change the 64 words at the data, or not yet when thread 0 looks at the second (into out[0]). */
#define LOOK "@%p1 ld.global.u32 %r2, [%rd11 + 4]; @%p1 st.global.u32 [%rd2], %r2;\n"
static const struct {
    const char *name, *ptx;
    bool seen;                        /* by the look */
    uint32_t (*expected)(uint32_t t); /* in the end */
} bulk_stores[] = {
    {"stored, waited for", KERNEL(BUFFER, DATA ZEROTH STORE_MINE FENCE SYNC STORE_BULK(256) COMMIT DRAIN(0) LOOK), true,
     itself},
    {"only the source is waited for",
     KERNEL(BUFFER, DATA ZEROTH STORE_MINE FENCE SYNC STORE_BULK(256) COMMIT DRAIN_READ(0) LOOK), false, itself},
    {"the source waited for may be written anew",
     KERNEL(BUFFER, DATA ZEROTH STORE_MINE FENCE SYNC STORE_BULK(256) COMMIT DRAIN_READ(0) SYNC MINE
            "st.shared.u32 [%r20], -1;\n" LOOK),
     false, itself},
    {"not waited for yet: one group may be under way",
     KERNEL(BUFFER, DATA ZEROTH STORE_MINE FENCE SYNC STORE_BULK(256) COMMIT DRAIN(1) LOOK DRAIN(0)), false, itself},
    {"a group that is not committed is not waited for",
     KERNEL(BUFFER, DATA ZEROTH STORE_MINE FENCE SYNC STORE_BULK(256) DRAIN(0) LOOK COMMIT DRAIN(0)), false, itself},
    {"the older of two groups",
     KERNEL(BUFFER, DATA ZEROTH STORE_MINE FENCE SYNC STORE_BULK(128) COMMIT
            "@%p1 cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%rd11 + 128], [buf + 128], 128, "
            "%rd2;\n" COMMIT DRAIN(1) LOOK DRAIN(0)),
     true, itself},
};

static void bulk_copies_store(void **state) {
    for (size_t k = 0; k < COUNT(bulk_stores); k++) {
        run_map_well(bulk_stores[k].ptx, 64, NULL);
        const uint32_t *data = out + DATA_BYTE / 4;
        const uint32_t looked = bulk_stores[k].seen ? bulk_stores[k].expected(1) : number(1);
        if (out[0] != looked) {
            fail_msg("%s: the look saw 0x%x, not 0x%x", bulk_stores[k].name, out[0], looked);
        }
        for (uint32_t t = 0; t < 64; t++) {
            if (data[t] != bulk_stores[k].expected(t)) {
                fail_msg("%s: word %u is 0x%x", bulk_stores[k].name, t, data[t]);
            }
        }
        assert_int_equal(data[64], number(64));
    }
}

/* cp.reduce.async.bulk: the words (or pairs of half words, or double words) of the data with those of the buffer. */
#define REDUCE_KERNEL(op)                                                                                              \
    KERNEL(BUFFER, DATA ZEROTH STORE_MINE FENCE SYNC "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group." op     \
                                                     " [%rd11], [buf], 256;\n" COMMIT DRAIN(0))

static uint32_t sum(uint32_t t) {
    return number(t) + t;
}
static uint32_t and_(uint32_t t) {
    return number(t) & t;
}
static uint32_t or_(uint32_t t) {
    return number(t) | t;
}
static uint32_t xor_(uint32_t t) {
    return number(t) ^ t;
}
static uint32_t least(uint32_t t) {
    return number(t) < t ? number(t) : t;
}
static uint32_t most(uint32_t t) {
    return (int32_t)number(t) > (int32_t)t ? number(t) : t;
}
static uint32_t increment(uint32_t t) {
    return number(t) >= t ? 0 : number(t) + 1;
}
static uint32_t decrement(uint32_t t) {
    return number(t) == 0 || number(t) > t ? t : number(t) - 1;
}
static uint32_t wide_sum(uint32_t t) {
    const uint32_t k = t & ~1u;
    const uint64_t total = (number(k) | (uint64_t)number(k + 1) << 32) + (k | (uint64_t)(k + 1) << 32);
    return (uint32_t)(t & 1 ? total >> 32 : total);
}

static void bulk_copies_reduce(void **state) {
    static const struct {
        const char *ptx;
        uint32_t (*expected)(uint32_t t);
    } cases[] = {
        {REDUCE_KERNEL("add.u32"), sum},       {REDUCE_KERNEL("add.s32"), sum},
        {REDUCE_KERNEL("and.b32"), and_},      {REDUCE_KERNEL("or.b64"), or_},
        {REDUCE_KERNEL("xor.b32"), xor_},      {REDUCE_KERNEL("min.u32"), least},
        {REDUCE_KERNEL("max.s32"), most},      {REDUCE_KERNEL("inc.u32"), increment},
        {REDUCE_KERNEL("dec.u32"), decrement}, {REDUCE_KERNEL("add.u64"), wide_sum},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        run_map_well(cases[k].ptx, 64, NULL);
        for (uint32_t t = 0; t < 64; t++) {
            if (out[DATA_BYTE / 4 + t] != cases[k].expected(t)) {
                fail_msg("case %zu, word %u: 0x%x, not 0x%x", k, t, out[DATA_BYTE / 4 + t], cases[k].expected(t));
            }
        }
    }
    /* f32 into global memory, and u32 from shared to shared memory with an mbarrier */
    out_renew();
    run_map_well(
        KERNEL(
            BUFFER, DATA ZEROTH MINE
            "cvt.rn.f32.u32 %f1, %r1; st.shared.f32 [%r20], %f1;\n"
            "mad.wide.u32 %rd12, %r1, 4, %rd11; mov.f32 %f2, 0f3F000000; st.global.f32 [%rd12], %f2;\n" FENCE SYNC
            "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd11], [buf], 256;\n" COMMIT DRAIN(0)),
        64, NULL);
    for (uint32_t t = 0; t < 64; t++) {
        float value;
        memcpy(&value, out + DATA_BYTE / 4 + t, 4);
        assert_true(value == (float)t + 0.5f);
    }
    run_well(
        KERNEL(BAR BUFFER,
               INIT(1) STORE_MINE "add.u32 %r3, %r1, 1000; st.shared.u32 [%r20 + 1024], %r3;\n" FENCE SYNC EXPECT(
                   256) "mov.u32 %r5, buf; add.u32 %r6, %r5, 1024;\n"
                        "@%p1 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
                        "[%r5], [%r6], 256, [bar];\n" WAIT(W, 0) LOAD_MINE STORE),
        1, 64);
    for (uint32_t t = 0; t < 64; t++) assert_int_equal(out[t], 1000 + 2 * t);
}

/* ---- mistakes with bulk copies ---- */

static const mistake bulk_mistakes[] = {
    {KERNEL(BAR BUFFER, DATA INIT(1) SYNC EXPECT(128) BULK(256) WAIT(W, 0)), 64, SIM_TIMEOUT,
     "*wait for phase 0 of the mbarrier at 0x400 (0 of 1 arrivals pending, 128 bytes more than expected have come): *"},
    {KERNEL(BAR BUFFER, DATA INIT(1) SYNC EXPECT(512) BULK(256) WAIT(W, 0)), 64, SIM_TIMEOUT,
     "*(0 of 1 arrivals pending, 256 bytes pending): *"},
    {KERNEL(BUFFER, DATA ZEROTH STORE_MINE SYNC STORE_BULK(256) COMMIT DRAIN(0)), 64, SIM_ILLEGAL_INSTRUCTION,
     "cudasim: illegal instruction in kernel k: thread (0,0,0) of block (0,0,0): shared memory at 0x400 is read by the "
     "asynchronous proxy without fence.proxy.async after thread (3,0,0) wrote it\n*PTX line*cp.async.bulk.global*"},
    {KERNEL(BUFFER, DATA ZEROTH STORE_MINE "fence.proxy.async.global;\n" SYNC STORE_BULK(256) COMMIT DRAIN(0)), 64,
     SIM_ILLEGAL_INSTRUCTION, "*without fence.proxy.async*"},
    {KERNEL(BAR BUFFER,
            DATA INIT(1) "add.u32 %r3, %r1, 8; " MINE "atom.shared.add.u32 %r4, [%r20 + 128], 1;\n" SYNC EXPECT(256)
                BULK(256) WAIT(W, 0)),
     64, SIM_ILLEGAL_INSTRUCTION,
     "*shared memory at 0x880 is overwritten by the asynchronous proxy without fence.proxy.async after thread (3,0,0) "
     "wrote it*"},
    {KERNEL(BUFFER, DATA ZEROTH STORE_MINE FENCE SYNC STORE_BULK(256) COMMIT), 64, SIM_ILLEGAL_INSTRUCTION,
     "*thread (0,0,0)*: the thread ends before this bulk copy has read shared memory: cp.async.bulk.wait_group is "
     "missing\n"
     "*cp.async.bulk.global*"},
    {KERNEL(BUFFER,
            DATA ZEROTH STORE_MINE FENCE SYNC STORE_BULK(256) COMMIT SYNC MINE "st.shared.u32 [%r20], 0;\n" DRAIN(0)),
     64, SIM_ILLEGAL_INSTRUCTION,
     "*thread (*: shared memory at 0x4*0 is overwritten while a bulk copy may still read it: "
     "cp.async.bulk.wait_group is missing\n*st.shared.u32*"},
    {KERNEL(BAR BUFFER, DATA INIT(1) SYNC EXPECT(256) BULK(256)), 64, SIM_ILLEGAL_INSTRUCTION,
     "*the block ends while this bulk copy to its shared memory is in flight: nobody has waited for it\n*"},
    {KERNEL(BAR BUFFER, DATA INIT(1) SYNC EXPECT(256) BULK(248) WAIT(W, 0)), 64, SIM_ILLEGAL_INSTRUCTION,
     "*a bulk copy of 248 bytes, not a multiple of 16*"},
    {KERNEL(BAR BUFFER, "add.u64 %rd11, %rd1, 8;\n" INIT(1) SYNC EXPECT(256) BULK(256) WAIT(W, 0)), 64,
     SIM_MISALIGNED_ADDRESS, "*a bulk copy from global memory at 0x*8, which is not aligned to 16*"},
    {KERNEL(BAR BUFFER,
            DATA INIT(1) SYNC EXPECT(256) "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf "
                                          "+ 8], [%rd11], 256, [bar];\n"),
     64, SIM_MISALIGNED_ADDRESS, "*a bulk copy to shared memory at 0x808, which is not aligned to 16*"},
    {KERNEL(BAR BUFFER, "add.u64 %rd11, %rd1, 32752;\n" INIT(1) SYNC EXPECT(256) BULK(256)), 64, SIM_ILLEGAL_ADDRESS,
     "*a bulk copy reads, 256 bytes at 0x*, not inside of the 32768-byte allocation at 0x*"},
    {KERNEL(BAR BUFFER, DATA INIT(1) SYNC EXPECT(16384) BULK(16384)), 64, SIM_ILLEGAL_ADDRESS,
     "*a bulk copy to shared memory, 16384 bytes of shared memory at 0x800; the block's shared memory is*"},
    {KERNEL(BAR BUFFER, DATA INIT(1) SYNC
            "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%rd11], 256, [bar + 4];\n"),
     64, SIM_MISALIGNED_ADDRESS, "*the mbarrier of a bulk copy at 0x404, which is not aligned to 8*"},
    {KERNEL(BAR BUFFER, DATA ZEROTH BULK(256)), 64, SIM_ILLEGAL_INSTRUCTION,
     "*there is no mbarrier at shared address*"},
    {KERNEL(BAR BUFFER, DATA INIT(1) SYNC
            "mov.u16 %rs1, 2;\n"
            "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [buf], [%rd11], "
            "256, [bar], %rs1;\n"),
     64, SIM_ILLEGAL_ADDRESS, "*a multicast to block 1 of the cluster, which is not there*"},
    {KERNEL(BAR BUFFER,
            DATA MAP INIT(1) SYNC "mov.u32 %r3, 0;\n"
                                  "@%p1 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
                                  "[buf], [%rd10, {%r3}], [bar];\n"),
     64, SIM_ILLEGAL_INSTRUCTION, "*what is at 0x* is no tensor map*"},
};

static void bulk_mistakes_are_named(void **state) {
    for (size_t k = 0; k < COUNT(bulk_mistakes); k++) check_mistake(&bulk_mistakes[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mbarriers_count),          cmocka_unit_test(mbarrier_mistakes_are_named),
        cmocka_unit_test(watchdog_names_mbarriers), cmocka_unit_test(bulk_copies_load),
        cmocka_unit_test(bulk_copies_store),        cmocka_unit_test(bulk_copies_reduce),
        cmocka_unit_test(bulk_mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
