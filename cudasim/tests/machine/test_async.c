/* mbarriers, bulk copies, tensor maps and proxy fences: what they do, that they do it late, and what is said of each
 * mistake. Tensor copies are compared with a model that goes element by element. */
#include "sim_case.h"

#include "machine/mbarrier.h"
#include "machine/tensormap.h"

#define BAR        ".shared .align 8 .b64 bar;\n.shared .align 8 .b64 bar2;\n"
#define BUFFER     ".shared .align 1024 .b8 buf[8192];\n"
#define ZEROTH     "setp.eq.u32 %p1, %r1, 0;\n"
#define INIT(n)    ZEROTH "@%p1 mbarrier.init.shared.b64 [bar], " #n ";\n"
#define SYNC       "bar.sync 0;\n"
#define WAIT(l, p) #l ": mbarrier.try_wait.parity.shared.b64 %p9, [bar], " #p "; @!%p9 bra " #l ";\n"
#define TEST(l, p) #l ": mbarrier.test_wait.parity.shared::cta.b64 %p9, [bar], " #p "; @!%p9 bra " #l ";\n"
#define FENCE      "fence.proxy.async;\n"
#define MINE       "mov.u32 %r20, buf; mad.lo.u32 %r20, %r1, 4, %r20;\n" /* %r20: the thread's word of buf */
#define LOAD_MINE  MINE "ld.shared.u32 %r2, [%r20];\n"
#define STORE_MINE MINE "st.shared.u32 [%r20], %r1;\n"

/* ---- mbarriers ---- */

static uint32_t neighbour(uint32_t t) {
    return (t + 1) % 64;
}
static uint32_t sixty_four(uint32_t t) {
    (void)t;
    return 64;
}
static uint32_t one(uint32_t t) {
    (void)t;
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
    (void)state;
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
    (void)state;
    for (size_t k = 0; k < COUNT(mbarrier_mistakes); k++) check_mistake(&mbarrier_mistakes[k]);
}

/* A loop of test_wait is no wait that the simulator could see through: the watchdog ends it, and the report names what
 * is missing. */
static void watchdog_names_mbarriers(void **state) {
    (void)state;
    set_environment("CUDASIM_WATCHDOG", "0.3");
    const sim_status status =
        run(KERNEL(BAR, INIT(2) SYNC "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 48;\n" TEST(W, 0)), 1, 32);
    set_environment("CUDASIM_WATCHDOG", NULL);
    assert_int_equal(status, SIM_TIMEOUT);
    assert_said("*no thread has ended or passed a barrier for too long*\n"
                "    phase 0 of the mbarrier at 0x400 (1 of 2 arrivals pending, 48 bytes pending)\n");
}

/* ---- bulk copies ---- */

/* What kernels find behind their output: a tensor map, and numbers. */
#define MAP_BYTE   16384
#define DATA_BYTE  (MAP_BYTE + 256)
#define DATA_WORDS 3000
#define MAP        "add.u64 %rd10, %rd1, 16384;\n"
#define DATA       "add.u64 %rd11, %rd1, 16640;\n"
#define EXPECT(n)  "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], " #n ";\n"
#define BULK(n)                                                                                                        \
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%rd11], " #n ", [bar];\n"
#define STORE_BULK(n) "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd11], [buf], " #n ";\n"
#define COMMIT        "@%p1 cp.async.bulk.commit_group;\n"
#define DRAIN(n)      "@%p1 cp.async.bulk.wait_group " #n ";\n"
#define DRAIN_READ(n) "@%p1 cp.async.bulk.wait_group.read " #n ";\n"

static uint32_t number(uint32_t k) {
    return k * 2654435761u ^ k >> 7;
}

static sim_status run_with_map(const char *ptx, unsigned threads, const tensor_map *map) {
    out_renew();
    uint32_t *data = out + DATA_BYTE / 4;
    for (uint32_t k = 0; k < DATA_WORDS; k++) data[k] = number(k);
    if (map != NULL) {
        memcpy(out + MAP_BYTE / 4, map, sizeof *map);
    }
    program p = program_load(ptx);
    sim_status status = launch_kernel(kernel_of(&p, "k"), shape(1, threads), &out);
    program_unload(&p);
    return status;
}

static void run_map_well(const char *ptx, unsigned threads, const tensor_map *map) {
    sim_status status = run_with_map(ptx, threads, map);
    if (status != SIM_OK || said[0] != '\0') {
        fail_msg("status %d: %s", status, said);
    }
}

static uint32_t loaded(uint32_t t) {
    return number(t);
}
static uint32_t stale(uint32_t t) {
    (void)t;
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
    (void)state;
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
    (void)state;
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
    (void)state;
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
    (void)state;
    for (size_t k = 0; k < COUNT(bulk_mistakes); k++) check_mistake(&bulk_mistakes[k]);
}

/* ---- tensor maps ---- */

typedef struct map_arguments {
    int type;
    uint32_t rank;
    void *address;
    uint64_t dims[5], strides[4];
    uint32_t box[5], steps[5];
    int interleave, swizzle, promotion, fill;
} map_arguments;

static uint64_t tensor[8192]; /* what is copied from and to */

static int encode(void *map, const map_arguments *a) {
    return tensormap_encode_tiled(map, a->type, a->rank, a->address, a->dims, a->strides, a->box, a->steps,
                                  a->interleave, a->swizzle, a->promotion, a->fill);
}

/* With the right check (tensormap.c's) for what it holds. */
static const tensor_map *forged(tensor_map *map) {
    map->check = 0xcbf29ce484222325u;
    for (size_t k = 0; k < offsetof(tensor_map, check); k++)
        map->check = (map->check ^ ((const uint8_t *)map)[k]) * 0x100000001b3u;
    return map;
}

/* The arguments that the driver API's description of cuTensorMapEncodeTiled forbids, one at a time. */
static void maps_are_checked(void **state) {
    (void)state;
    _Alignas(64) uint8_t map[16 + 128];
    const map_arguments good = {.type = TENSOR_F16,
                                .rank = 3,
                                .address = tensor,
                                .dims = {64, 32, 4},
                                .strides = {128, 4096},
                                .box = {64, 8, 1},
                                .steps = {1, 1, 1},
                                .swizzle = SWIZZLE_128B};
    assert_int_equal(encode(map, &good), 0);
    assert_int_equal(encode(map + 16, &good), 0);
    assert_int_equal(encode(map, &good), 0);
    assert_int_equal(encode(NULL, &good), 1);
    tensor_map decoded;
    memcpy(&decoded, map, sizeof decoded);
    assert_true(tensormap_valid(&decoded));
    decoded.dims[1]++;
    assert_false(tensormap_valid(&decoded));
    /* Nor is one whose author knows how the check is made. */
    memcpy(&decoded, map, sizeof decoded);
    assert_true(tensormap_valid(forged(&decoded)));
#define FORGED(change)                                                                                                 \
    do {                                                                                                               \
        memcpy(&decoded, map, sizeof decoded);                                                                         \
        decoded.change;                                                                                                \
        if (tensormap_valid(forged(&decoded))) fail_msg("%s", #change);                                                \
    } while (0)
    FORGED(box[0] = 60000);
    FORGED(box[1] = 0);
    FORGED(box[2] = 256);
    FORGED(steps[0] = 0);
    FORGED(steps[2] = 0);
    FORGED(steps[2] = 9);
    FORGED(type = TENSOR_TYPES);
    FORGED(rank = 0);
    FORGED(rank = 6);
    FORGED(swizzle = 4);
    FORGED(swizzle = SWIZZLE_64B);
    FORGED(nan_fill = 2);
    FORGED(dims[0] = 0);
    FORGED(dims[4] = 1);
    FORGED(strides[0] = 8);
#undef FORGED
#define WRONG(change)                                                                                                  \
    do {                                                                                                               \
        map_arguments a = good;                                                                                        \
        change;                                                                                                        \
        if (encode(map, &a) != 1) fail_msg("%s: %d", #change, encode(map, &a));                                        \
    } while (0)
#define RIGHT(change)                                                                                                  \
    do {                                                                                                               \
        map_arguments a = good;                                                                                        \
        change;                                                                                                        \
        if (encode(map, &a) != 0) fail_msg("%s: %d", #change, encode(map, &a));                                        \
    } while (0)
    WRONG(a.type = -1);
    WRONG(a.type = 13);
    WRONG(a.rank = 0);
    WRONG(a.rank = 6);
    WRONG(a.address = (char *)tensor + 8);
    RIGHT(a.address = NULL);
    RIGHT(a.strides[0] = 0);
    RIGHT(a.strides[0] = 64);                                                               /* half a row */
    WRONG((a.swizzle = SWIZZLE_NONE, a.type = TENSOR_U32, a.box[0] = 256, a.box[1] = 256)); /* 256 KB */
    RIGHT((a.swizzle = SWIZZLE_NONE, a.type = TENSOR_U8, a.box[0] = 256, a.box[1] = 256, a.box[2] = 2));
    RIGHT(a.box[0] = 8); /* narrower than the swizzle */
    assert_int_equal(
        tensormap_encode_tiled(map, TENSOR_U32, 1, tensor, good.dims, NULL, good.box, good.steps, 0, 0, 0, 0), 1);
    WRONG(a.dims[1] = 0);
    RIGHT(a.dims[2] = 1ull << 32);
    WRONG(a.dims[2] = (1ull << 32) + 1);
    WRONG(a.strides[0] = 136);
    WRONG(a.strides[1] = 1ull << 40);
    RIGHT(a.strides[1] = (1ull << 40) - 16);
    WRONG(a.box[1] = 0);
    WRONG(a.box[1] = 257);
    RIGHT(a.box[1] = 256);
    WRONG(a.box[0] = 12);  /* 24 bytes */
    WRONG(a.box[0] = 128); /* 256 bytes, swizzled by 128 */
    WRONG(a.swizzle = SWIZZLE_64B);
    WRONG((a.swizzle = SWIZZLE_32B, a.box[0] = 32));
    RIGHT((a.swizzle = SWIZZLE_32B, a.box[0] = 16));
    RIGHT((a.swizzle = SWIZZLE_NONE, a.box[0] = 256));
    WRONG(a.steps[2] = 0);
    WRONG(a.steps[2] = 9);
    RIGHT(a.steps[2] = 8);
    WRONG(a.interleave = 3);
    WRONG(a.swizzle = 4);
    WRONG(a.promotion = 4);
    WRONG(a.fill = 2);
    RIGHT(a.fill = 1);
    WRONG((a.fill = 1, a.type = TENSOR_U16));
    WRONG((a.interleave = 2, a.swizzle = SWIZZLE_64B, a.box[0] = 32));
    WRONG((a.interleave = 1, a.rank = 2));
#undef WRONG
#undef RIGHT
}

/* Where element `index` (counted over the box, the contiguous dimension fastest) of a copy to address `base` lies, told
 * by what swizzling means: each row has a span of its own, and in line n (of 128 bytes) chunk c of 16 bytes stands
 * where chunk c xor n would, within a span. */
static uint32_t model_place(uint32_t base, uint32_t index, uint32_t element, uint32_t row, int swizzle) {
    const uint32_t pitch = swizzle == SWIZZLE_NONE ? row * element : 16u << swizzle;
    const uint32_t byte = base + index / row * pitch + index % row * element, line = byte / 128,
                   chunk = byte % 128 / 16, rest = byte % 16;
    const uint32_t span = swizzle == SWIZZLE_NONE ? 1 : swizzle == SWIZZLE_32B ? 2 : swizzle == SWIZZLE_64B ? 4 : 8;
    const uint32_t first = chunk / span * span;
    return line * 128 + (first + ((chunk - first) ^ (line % span))) * 16 + rest;
}

static uint32_t seed = 1;
static uint32_t random_below(uint32_t n) {
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(seed >> 4) * n >> 28);
}

/* Some map over `tensor` and coordinates that lie in, across and outside of it. */
static map_arguments random_arguments(int32_t *at) {
    static const uint32_t sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
    map_arguments a = {.type = (int)random_below(10), .rank = 1 + random_below(5), .address = tensor};
    const uint32_t element = sizes[a.type];
    a.swizzle = (int)random_below(4);
    const uint32_t inner = 16 * (1 + random_below(a.swizzle != 0 ? 1u << a.swizzle : 4)), chunk = 16 / element;
    a.box[0] = inner / element;
    a.dims[0] = 1 + random_below(2 * a.box[0]);
    uint64_t stride = (a.dims[0] * element + 15) / 16 * 16 + 16 * random_below(2);
    for (uint32_t k = 1; k < a.rank; k++) {
        a.dims[k] = 1 + random_below(a.rank > 3 ? 3 : 6);
        a.box[k] = 1 + random_below(a.rank > 3 ? 3 : 5);
        a.strides[k - 1] = stride;
        stride *= a.dims[k];
    }
    for (uint32_t k = 0; k < a.rank; k++) {
        a.steps[k] = k > 0 && random_below(3) == 0 ? 1 + random_below(3) : 1;
        at[k] = (int32_t)random_below((uint32_t)a.dims[k] + 4) - 3;
        if (k == 0) at[0] = random_below(2) ? 0 : at[0] / (int32_t)chunk * (int32_t)chunk;
    }
    a.fill = a.type >= TENSOR_F16 ? (int)random_below(2) : 0;
    return a;
}

/* Element `index` of the copy: its byte in the tensor, or -1 outside. What is stored goes on behind a row's end to the
 * next multiple of 16 bytes. */
static int64_t model_global(const map_arguments *a, const int32_t *at, uint32_t index, uint32_t element, bool stored) {
    int64_t byte = 0;
    const uint32_t chunk = stored ? 16 / element : 1;
    for (uint32_t k = 0; k < a->rank; k++) {
        const uint32_t count = (a->box[k] + a->steps[k] - 1) / a->steps[k];
        const int64_t position = at[k] + (int64_t)(index % count) * a->steps[k];
        index /= count;
        const uint64_t past = k == 0 ? (a->dims[0] + chunk - 1) / chunk * chunk : a->dims[k];
        if (position < 0 || position >= (int64_t)past) return -1;
        byte += position * (int64_t)(k == 0 ? element : a->strides[k - 1]);
    }
    return byte;
}

static void put_bytes(void *context, uint8_t *to, const uint8_t *from, uint64_t bytes) {
    (void)context;
    memcpy(to, from, bytes);
}

static void tensors_are_copied(void **state) {
    (void)state;
    static uint8_t shared[65536 + 2048], linear[65536], before[sizeof tensor];
    _Alignas(64) uint8_t bytes[128];
    for (int round = 0; round < 3000; round++) {
        int32_t at[5] = {0};
        const map_arguments a = random_arguments(at);
        tensor_map map;
        assert_int_equal(encode(bytes, &a), 0);
        memcpy(&map, bytes, sizeof map);
        for (size_t k = 0; k < COUNT(tensor); k++) tensor[k] = number((uint32_t)k) * 0x9e3779b97f4a7c15ull;
        const uint32_t element = tensormap_element(&map), base = 128 * random_below(9);
        uint32_t count = 1;
        for (uint32_t k = 0; k < a.rank; k++) count *= (a.box[k] + a.steps[k] - 1) / a.steps[k];
        assert_int_equal(tensormap_bytes(&map), (uint64_t)count * element);
        assert_true(tensormap_extent(&map) <= 65536);
        memset(shared, 0xa5, sizeof shared);
        assert_true(tensormap_aligned(&map, at));
        tensormap_load(&map, at, shared, base);
        bool any = false;
        uint64_t low = UINT64_MAX, high = 0, first, end;
        for (uint32_t n = 0; n < count; n++) {
            const int64_t from = model_global(&a, at, n, element, false);
            static const uint16_t nan[4] = {0x7ff7, 0x7ff7, 0x7ff7, 0x7ff7};
            static const uint8_t zero[8];
            const void *expected = from >= 0 ? (const void *)((uint8_t *)tensor + from)
                                   : a.fill  ? (void *)nan
                                             : (void *)zero;
            if (memcmp(shared + model_place(base, n, element, a.box[0], a.swizzle), expected, element) != 0)
                fail_msg("round %d: element %u of rank %u, swizzle %d", round, n, a.rank, a.swizzle);
            if (from < 0) continue;
            any = true;
            low = (uint64_t)from < low ? (uint64_t)from : low;
            high = (uint64_t)from + element > high ? (uint64_t)from + element : high;
        }
        assert_int_equal(tensormap_range(&map, at, &first, &end), any);
        if (any) {
            assert_int_equal(first, (uint64_t)tensor + low);
            assert_int_equal(end, (uint64_t)tensor + high);
        }
        for (uint32_t k = 0; k < base; k++) assert_int_equal(shared[k], 0xa5);
        for (uint64_t k = base + tensormap_extent(&map); k < sizeof shared; k++) assert_int_equal(shared[k], 0xa5);
        /* and back, other bytes this time: what lies outside is dropped */
        for (uint32_t k = 0; k < sizeof shared; k++) shared[k] = (uint8_t)number(k);
        memcpy(before, tensor, sizeof tensor);
        tensormap_gather(&map, shared, base, linear);
        tensormap_scatter(&map, at, linear, put_bytes, NULL);
        for (uint32_t n = 0; n < count; n++) {
            const int64_t to = model_global(&a, at, n, element, true);
            if (to >= 0) memcpy(before + to, shared + model_place(base, n, element, a.box[0], a.swizzle), element);
        }
        if (memcmp(before, tensor, sizeof tensor) != 0) fail_msg("round %d: stored otherwise", round);
    }
}

/* ---- tensor copies as instructions ---- */

#define DUMP                                                                                                           \
    "mov.u32 %r3, %r1;\nDUMPS: mov.u32 %r4, buf; mad.lo.u32 %r4, %r3, 4, %r4; ld.shared.u32 %r5, [%r4];\n"             \
    "mad.wide.u32 %rd5, %r3, 4, %rd1; st.global.u32 [%rd5], %r5; add.u32 %r3, %r3, 64;\n"                              \
    "setp.lt.u32 %p8, %r3, 1024; @%p8 bra DUMPS;\n"
#define FILL                                                                                                           \
    "mov.u32 %r3, %r1;\nFILLS: mov.u32 %r4, buf; mad.lo.u32 %r4, %r3, 4, %r4; mul.lo.u32 %r5, %r3, 77777;\n"           \
    "st.shared.u32 [%r4], %r5; add.u32 %r3, %r3, 64; setp.lt.u32 %p8, %r3, 1024; @%p8 bra FILLS;\n"
#define COORDINATES(y) "mov.u32 %r11, 4; mov.u32 %r12, " #y "; mov.u32 %r13, 1; mov.u32 %r14, 0; mov.u32 %r15, 1;\n"
#define TENSOR_LOAD(dim, coordinates)                                                                                  \
    KERNEL(BAR BUFFER,                                                                                                 \
           MAP INIT(1)                                                                                                 \
               COORDINATES(-1) "@%p1 ld.global.u32 %r16, [%rd10 + 128];\n" SYNC                                        \
                               "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], %r16;\n"                           \
                               "prefetch.tensormap [%rd10];\n"                                                         \
                               "@%p1 cp.async.bulk.prefetch.tensor." dim ".L2.global.tile [%rd10, " coordinates "];\n" \
                               "@%p1 cp.async.bulk.tensor." dim                                                        \
                               ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [buf], [%rd10, " coordinates \
                               "], [bar];\n" WAIT(W, 0) DUMP)
#define TENSOR_STORE(dim, coordinates, reduce, op)                                                                     \
    KERNEL(BAR BUFFER, MAP ZEROTH COORDINATES(1) FILL FENCE SYNC                                                       \
           "@%p1 cp." reduce "async.bulk.tensor." dim ".global.shared::cta." op "tile.bulk_group [%rd10, " coordinates \
           "], [buf];\n" COMMIT DRAIN(0))

static void tensor_instructions(void **state) {
    (void)state;
    static const struct {
        const char *load, *store, *add;
    } kernels[] = {
        {TENSOR_LOAD("1d", "{%r11}"), TENSOR_STORE("1d", "{%r11}", "", ""),
         TENSOR_STORE("1d", "{%r11}", "reduce.", "add.")},
        {TENSOR_LOAD("2d", "{%r11, %r12}"), TENSOR_STORE("2d", "{%r11, %r12}", "", ""),
         TENSOR_STORE("2d", "{%r11, %r12}", "reduce.", "add.")},
        {TENSOR_LOAD("3d", "{%r11, %r12, %r13}"), TENSOR_STORE("3d", "{%r11, %r12, %r13}", "", ""),
         TENSOR_STORE("3d", "{%r11, %r12, %r13}", "reduce.", "add.")},
        {TENSOR_LOAD("4d", "{%r11, %r12, %r13, 0}"), TENSOR_STORE("4d", "{%r11, %r12, %r13, %r14}", "", ""),
         TENSOR_STORE("4d", "{%r11, %r12, %r13, %r14}", "reduce.", "add.")},
        {TENSOR_LOAD("5d", "{%r11, %r12, %r13, %r14, %r15}"), TENSOR_STORE("5d", "{%r11, %r12, %r13, %r14, 1}", "", ""),
         TENSOR_STORE("5d", "{%r11, %r12, %r13, %r14, %r15}", "reduce.", "add.")},
    };
    static const int32_t read_at[5] = {4, -1, 1, 0, 1}, write_at[5] = {4, 1, 1, 0, 1};
    for (uint32_t rank = 1; rank <= 5; rank++)
        for (int swizzle = 0; swizzle < 4; swizzle++)
            for (int what = 0; what < 3; what++) {
                map_arguments a = {.type = TENSOR_U32,
                                   .rank = rank,
                                   .swizzle = swizzle,
                                   .dims = {13, 5, 4, 2, 3},
                                   .strides = {64, 320, 1280, 2560},
                                   .box = {8, 4, 2, 2, 2},
                                   .steps = {1, 1, 1, 1, 1}};
                if (swizzle == SWIZZLE_64B) a.box[0] = 16; /* the 128-byte one is wider than the box */
                const char *ptx = what == 0   ? kernels[rank - 1].load
                                  : what == 1 ? kernels[rank - 1].store
                                              : kernels[rank - 1].add;
                out_renew();
                uint32_t *data = out + DATA_BYTE / 4;
                a.address = data;
                _Alignas(64) uint32_t map[33] = {0};
                assert_int_equal(encode(map, &a), 0);
                uint32_t count = 1;
                for (uint32_t k = 0; k < rank; k++) count *= a.box[k];
                map[32] = count * 4;
                memcpy(out + MAP_BYTE / 4, map, sizeof map);
                for (uint32_t k = 0; k < DATA_WORDS; k++) data[k] = number(k);
                program p = program_load(ptx);
                sim_status status = launch_kernel(kernel_of(&p, "k"), shape(1, 64), &out);
                program_unload(&p);
                if (status != SIM_OK) fail_msg("rank %u: %s", rank, said);
                uint32_t expected[DATA_WORDS];
                for (uint32_t k = 0; k < DATA_WORDS; k++) expected[k] = number(k);
                for (uint32_t n = 0; n < count; n++) {
                    const int64_t byte = model_global(&a, what == 0 ? read_at : write_at, n, 4, what > 0);
                    const uint32_t word = model_place(0, n, 4, a.box[0], swizzle) / 4;
                    if (what == 0)
                        assert_int_equal(out[word], byte >= 0 ? number((uint32_t)byte / 4) : 0);
                    else if (byte >= 0)
                        expected[byte / 4] = word * 77777 + (what == 2 ? expected[byte / 4] : 0);
                }
                for (uint32_t k = 0; k < DATA_WORDS; k++) assert_int_equal(data[k], expected[k]);
            }
}

/* Maps of TF32 and FTZ types; what an H200 made of these words. */
static void tensor_formats(void **state) {
    (void)state;
    static const uint32_t in[8] = {0x00000001, 0x807fffff, 0x3f801000, 0x3f803000,
                                   0x7f7ff000, 0x7f800001, 0xffc01234, 0xcbeeb2f8},
                          tf32[8] = {0,          0x80800000, 0x3f800000, 0x3f804000,
                                     0x7f800000, 0x7fffe000, 0x7fffe000, 0xcbeec000};
    _Alignas(128) uint8_t shared[128];
    _Alignas(64) uint8_t bytes[128];
    for (int type = TENSOR_F32_FTZ; type <= TENSOR_TF32_FTZ; type++) {
        const map_arguments a = {.type = type, .rank = 1, .address = tensor, .dims = {8}, .box = {8}, .steps = {1}};
        tensor_map map;
        assert_int_equal(encode(bytes, &a), 0);
        memcpy(&map, bytes, sizeof map);
        memcpy(tensor, in, sizeof in);
        tensormap_load(&map, (const int32_t[5]){0}, shared, 0);
        assert_memory_equal(shared, type == TENSOR_F32_FTZ ? in : tf32, sizeof in);
        tensormap_scatter(&map, (const int32_t[5]){0}, (const uint8_t *)in, put_bytes, NULL);
        assert_memory_equal(tensor, in, sizeof in); /* stored as it is */
        /* two denormals whose sum is none, under every type */
        map_arguments sums = a;
        out_renew();
        sums.address = out + DATA_BYTE / 4;
        assert_int_equal(encode(bytes, &sums), 0);
        memcpy(out + MAP_BYTE / 4, bytes, sizeof bytes);
        out[DATA_BYTE / 4] = 0x007fffff;
        program p = program_load(KERNEL(
            BUFFER, MAP ZEROTH MINE
            "mov.u32 %r5, 0x00000001; st.shared.u32 [%r20], %r5;\n" FENCE SYNC
            "@%p1 cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%rd10, {0}], [buf];\n" COMMIT
                DRAIN(0)));
        const sim_status status = launch_kernel(kernel_of(&p, "k"), shape(1, 64), &out);
        program_unload(&p);
        if (status != SIM_OK) fail_msg("type %d: %s", type, said);
        assert_int_equal(out[DATA_BYTE / 4], type == TENSOR_TF32 ? 0x00800000 : 0);
    }
}

/* The wrong swizzle is data in wrong places; other mistakes with maps are named. */
static void tensor_mistakes(void **state) {
    (void)state;
    static const struct {
        int type, swizzle;
        uint32_t rank, columns;
        uint64_t pitch, rows;
        const char *ptx;
        sim_status status;
        const char *says;
    } cases[] = {
        {TENSOR_U32, SWIZZLE_NONE, 1, 8, 64, 4, TENSOR_LOAD("2d", "{%r11, %r12}"), SIM_ILLEGAL_INSTRUCTION,
         "*a copy of 2 dimensions with a tensor map of 1*"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4000, TENSOR_LOAD("2d", "{%r11, 3990}"), SIM_ILLEGAL_ADDRESS,
         "*a bulk copy reads a tensor, * bytes at 0x*, *allocation at 0x*"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4000, TENSOR_STORE("2d", "{%r11, 3990}", "", ""), SIM_ILLEGAL_ADDRESS,
         "*a bulk copy writes a tensor, *"},
        {TENSOR_U8, SWIZZLE_NONE, 2, 16, 64, 4, TENSOR_STORE("2d", "{0, %r12}", "reduce.", "add."),
         SIM_ILLEGAL_INSTRUCTION, "*this reduction does not go with the tensor map's type*"},
        {TENSOR_TF32, SWIZZLE_NONE, 2, 8, 64, 4, TENSOR_STORE("2d", "{0, %r12}", "reduce.", "max."),
         SIM_ILLEGAL_INSTRUCTION, "*this reduction does not go with the tensor map's type*"},
        {TENSOR_F16, SWIZZLE_NONE, 2, 8, 64, 4, TENSOR_LOAD("2d", "{%r11, %r12}"), SIM_ILLEGAL_INSTRUCTION,
         "*a tensor copy from coordinate 4 of elements of 2 bytes: the innermost one must be a multiple of 16 bytes\n*"
         "cp.async.bulk.prefetch.tensor*"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4, TENSOR_STORE("2d", "{%r12, %r11}", "", ""), SIM_ILLEGAL_INSTRUCTION,
         "*a tensor copy from coordinate 1 of elements of 4 bytes: *cp.async.bulk.tensor*"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4, TENSOR_STORE("2d", "{%r11, -1}", "", ""), SIM_ILLEGAL_INSTRUCTION,
         "*a tensor store or reduction from coordinate -1 of dimension 1: only loads take negative ones\n*"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4, TENSOR_STORE("2d", "{-4, 0}", "reduce.", "add."),
         SIM_ILLEGAL_INSTRUCTION, "*a tensor store or reduction from coordinate -4 of dimension 0: *"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4, KERNEL("", "cp.async.bulk.prefetch.L2.global [%rd1 + 4], 64;\n"),
         SIM_MISALIGNED_ADDRESS, "*a bulk prefetch of global memory at 0x*4, which is not aligned to 16*"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4,
         KERNEL(BAR BUFFER,
                MAP INIT(1) SYNC "mov.u32 %r3, 0;\n"
                                 "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                                 "[buf + 64], [%rd10, {%r3, %r3}], [bar];\n"),
         SIM_MISALIGNED_ADDRESS, "*a bulk copy to shared memory at 0x840, which is not aligned to 128*"},
        {TENSOR_U32, SWIZZLE_NONE, 2, 8, 64, 4,
         KERNEL(BAR BUFFER,
                MAP INIT(1) SYNC "mov.u32 %r3, 0;\n"
                                 "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                                 "[buf], [%rd10 + 32, {%r3, %r3}], [bar];\n"),
         SIM_MISALIGNED_ADDRESS, "*a tensor map at 0x*, which is not aligned to 64*"},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        map_arguments a = {.type = cases[k].type,
                           .rank = cases[k].rank,
                           .swizzle = cases[k].swizzle,
                           .dims = {16, cases[k].rows},
                           .strides = {cases[k].pitch},
                           .box = {cases[k].columns, 4},
                           .steps = {1, 1}};
        _Alignas(64) uint32_t map[33] = {0};
        out_renew();
        a.address = out + DATA_BYTE / 4;
        assert_int_equal(encode(map, &a), 0);
        map[32] = 128;
        memcpy(out + MAP_BYTE / 4, map, sizeof map);
        for (uint32_t n = 0; n < DATA_WORDS; n++) out[DATA_BYTE / 4 + n] = number(n);
        program p = program_load(cases[k].ptx);
        sim_status status = launch_kernel(kernel_of(&p, "k"), shape(1, 64), &out);
        program_unload(&p);
        if (status != cases[k].status || !is_like(said, cases[k].says))
            fail_msg("status %d, said:\n%sexpected:\n%s", status, said, cases[k].says);
    }
}

/* ---- forms that are refused ---- */

static void forms_are_refused(void **state) {
    (void)state;
    static const char *const forms[] = {
        "mbarrier.init.shared::cluster.b64 [bar], 1;",
        "mbarrier.arrive.shared::cluster.b64 %rd5, [bar];",
        "mbarrier.test_wait.shared::cluster.b64 %p1, [bar], %rd5;",
        "mbarrier.arrive.noComplete.shared.b64 %rd5, [bar];",
        "mbarrier.frobnicate.shared.b64 [bar];",
        "cp.async.bulk.global.global.bulk_group [%rd1], [%rd1], 16;",
        "cp.async.bulk.shared::cta.shared::cta.mbarrier::complete_tx::bytes [buf], [buf], 16, [bar];",
        "cp.async.bulk.shared::cluster.global.bulk_group [buf], [%rd1], 16;",
        "cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes [%rd1], [buf], 16;",
        "cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [buf], [%rd1, {%r1, %r1}], "
        "[bar], {%rs1};",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%rd1, {%r1}], [bar];",
        "cp.async.bulk.tensor.6d.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%rd1, {%r1}], [bar];",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%rd1], [buf], 16;", /* .noftz is missing */
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f32 [%rd1], [buf], 16;",
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.f32 [buf], [buf], 16, "
        "[bar];",
        "cp.reduce.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.add.u32 [buf], [%rd1], 16, [bar];",
        "cp.async.bulk.wait_group %r1;",
        "fence.proxy.unknown;",
        "fence.mbarrier_init.acquire.cluster;",
        "fence.proxy.tensormap::generic.acquire.gpu;",
    };
    for (size_t k = 0; k < COUNT(forms); k++) {
        char ptx[4096], error[1024] = "";
        static const char text[] = KERNEL(BAR BUFFER, "@@");
        const char *hole = strstr(text, "@@");
        snprintf(ptx, sizeof ptx, "%.*s%s%s", (int)(hole - text), text, forms[k], hole + 2);
        program p = program_load(ptx);
        assert_non_null(p.module);
        if (sim_module_kernel(p.module, "k", error, sizeof error) != NULL) fail_msg("taken: %s", forms[k]);
        if (strstr(error, "PTX line 10") == NULL) fail_msg("%s: %s", forms[k], error);
        program_unload(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mbarriers_count),          cmocka_unit_test(mbarrier_mistakes_are_named),
        cmocka_unit_test(watchdog_names_mbarriers), cmocka_unit_test(bulk_copies_load),
        cmocka_unit_test(bulk_copies_store),        cmocka_unit_test(bulk_copies_reduce),
        cmocka_unit_test(bulk_mistakes_are_named),  cmocka_unit_test(maps_are_checked),
        cmocka_unit_test(tensors_are_copied),       cmocka_unit_test(tensor_instructions),
        cmocka_unit_test(tensor_formats),           cmocka_unit_test(tensor_mistakes),
        cmocka_unit_test(forms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
