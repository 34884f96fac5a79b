/* mbarriers, bulk copies, tensor maps and proxy fences: what they do, that they do it late, and what is said of each
 * mistake. Tensor copies are compared with a model that goes element by element. */
#include "sim_case.h"

#include "mbarrier.h"
#include "tensormap.h"

#define BAR         ".shared .align 8 .b64 bar;\n.shared .align 8 .b64 bar2;\n"
#define BUFFER      ".shared .align 1024 .b8 buf[8192];\n"
#define ZEROTH      "setp.eq.u32 %p1, %r1, 0;\n"
#define INIT(n)     ZEROTH "@%p1 mbarrier.init.shared.b64 [bar], " #n ";\n"
#define SYNC        "bar.sync 0;\n"
#define WAIT(l, p)  #l ": mbarrier.try_wait.parity.shared.b64 %p9, [bar], " #p "; @!%p9 bra " #l ";\n"
#define TEST(l, p)  #l ": mbarrier.test_wait.parity.shared::cta.b64 %p9, [bar], " #p "; @!%p9 bra " #l ";\n"
#define FENCE       "fence.proxy.async;\n"
#define MINE        "mov.u32 %r20, buf; mad.lo.u32 %r20, %r1, 4, %r20;\n" /* %r20: the thread's word of buf */
#define LOAD_MINE   MINE "ld.shared.u32 %r2, [%r20];\n"
#define STORE_MINE  MINE "st.shared.u32 [%r20], %r1;\n"

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
    "add.u32 %r3, %r1, 1; and.b32 %r3, %r3, 63; mov.u32 %r4, buf; mad.lo.u32 %r4, %r3, 4, %r4; ld.shared.u32 %r2, [%r4];\n"

static const word_case mbarriers[] = {
    {"64 threads arrive and wait for the parity",
     KERNEL(BAR BUFFER, INIT(64) SYNC STORE_MINE "mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(W, 0) READ_NEIGHBOUR STORE),
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
     KERNEL(BAR BUFFER, INIT(64) SYNC "mov.u32 %r5, 0; mov.u32 %r2, 0;\n"
            "L: " MINE "st.shared.u32 [%r20], %r5; mbarrier.arrive.shared.b64 _, [bar]; and.b32 %r6, %r5, 1;\n"
            "W: mbarrier.try_wait.parity.shared.b64 %p9, [bar], %r6; @!%p9 bra W;\n"
            "add.u32 %r3, %r1, 1; and.b32 %r3, %r3, 63; mov.u32 %r4, buf; mad.lo.u32 %r4, %r3, 4, %r4;\n"
            "ld.shared.u32 %r7, [%r4]; setp.eq.u32 %p3, %r7, %r5; @%p3 add.u32 %r2, %r2, 1; " SYNC
            "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 64; @%p2 bra L;\n" STORE),
     64, sixty_four},
    {"pending_count is that before the arrival",
     KERNEL(BAR BUFFER, INIT(64) SYNC "mov.u32 %r2, 64; @!%p1 bra E;\n"
            "mbarrier.arrive.noComplete.shared.b64 %rd5, [bar], 3; mbarrier.arrive.shared.b64 %rd6, [bar];\n"
            "mbarrier.pending_count.b64 %r3, %rd5; mbarrier.pending_count.b64 %r4, %rd6; sub.u32 %r5, %r3, %r4;\n"
            "setp.ne.u32 %p2, %r5, 3; mov.u32 %r2, %r3; @%p2 mov.u32 %r2, 0;\nE: " STORE),
     64, sixty_four},
    {"expect_tx and complete_tx: a phase ends with its last byte",
     KERNEL(BAR, INIT(1) SYNC "@!%p1 bra V;\n"
            "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 96; mbarrier.complete_tx.shared::cta.b64 [bar], 64;\n"
            "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0; @%p2 trap;\n"
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 16; mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [bar], 32;\n"
            "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0; @%p2 trap;\n"
            "mbarrier.complete_tx.shared::cta.b64 [bar], 16;\n"
            "V: " WAIT(W, 0) "mov.u32 %r2, 1;\n" STORE),
     64, one},
    {"more bytes come before they are expected",
     KERNEL(BAR, INIT(1) SYNC "@!%p1 bra V; mbarrier.complete_tx.shared::cta.b64 [bar], 64;\n"
            "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\nV: " WAIT(W, 0) "mov.u32 %r2, 1;\n" STORE),
     64, one},
    {"arrive_drop: the next phase expects fewer",
     KERNEL(BAR, INIT(64) SYNC "setp.lt.u32 %p2, %r1, 32; @%p2 mbarrier.arrive_drop.shared.b64 %rd5, [bar];\n"
            "@!%p2 mbarrier.arrive.shared.b64 %rd5, [bar];\n" WAIT(W, 0) "@!%p2 mbarrier.arrive.shared.b64 %rd5, [bar];\n"
            WAIT(X, 1) "mov.u32 %r2, 1;\n" STORE),
     64, one},
    {"the phase before the first has parity 1 and has ended",
     KERNEL(BAR, INIT(64) SYNC WAIT(W, 1) "mov.u32 %r2, 1;\n" STORE), 64, one},
    {"inval, then something else, then init again",
     KERNEL(BAR, INIT(64) SYNC "@!%p1 bra E; mbarrier.inval.shared.b64 [bar]; st.shared.u64 [bar], %rd2;\n"
            "mbarrier.init.shared.b64 [bar], 64;\nE: " SYNC "mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(W, 0)
            "mov.u32 %r2, 1;\n" STORE),
     64, one},
    {"lanes of one warp wait for one another", /* 31 wait, lane 5 arrives later */
     KERNEL(BAR, ZEROTH "setp.eq.u32 %p2, %r1, 5; @%p1 mbarrier.init.shared.b64 [bar], 1; bar.warp.sync -1;\n"
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
     KERNEL(BAR BUFFER, INIT(64) "st.global.u32 [%rd2], %r1;\n" SYNC MINE "cp.async.ca.shared.global [%r20], [%rd2], 4;\n"
            "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];\n" WAIT(W, 0) READ_NEIGHBOUR SYNC STORE),
     64, neighbour},
    {"cp.async.mbarrier.arrive awaits one more", /* and comes itself: the phase still takes all 64 arrivals */
     KERNEL(BAR BUFFER, INIT(64) "st.global.u32 [%rd2], %r1;\n" SYNC MINE "cp.async.ca.shared.global [%r20], [%rd2], 4;\n"
            "cp.async.mbarrier.arrive.shared.b64 [bar]; mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(W, 0) READ_NEIGHBOUR
            SYNC STORE),
     64, neighbour},
    {"cp.async after the arrival are none of its business", /* the second copy has not landed: all ones */
     KERNEL(BAR BUFFER, INIT(64) "st.global.u32 [%rd2], %r1;\n" SYNC MINE "cp.async.ca.shared.global [%r20], [%rd2], 4;\n"
            "cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; cp.async.ca.shared.global [%r20 + 256], [%rd2], 4;\n"
            WAIT(W, 0) "ld.shared.u32 %r3, [%r20]; ld.shared.u32 %r4, [%r20 + 256]; not.b32 %r4, %r4;\n"
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
            "@%p1 mbarrier.complete_tx.shared::cta.b64 [bar], 64;\n" WAIT(W, 0)), 64, SIM_TIMEOUT,
     "*warp 0, lanes ffffffff, wait for phase 0 of the mbarrier at 0x400 (0 of 1 arrivals pending, 32 bytes pending): *"},
    {KERNEL(BAR, INIT(1) SYNC "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32;\n"
            "@%p1 mbarrier.complete_tx.shared::cta.b64 [bar], 64;\n" WAIT(W, 0)), 64, SIM_TIMEOUT,
     "*(0 of 1 arrivals pending, 32 bytes more than expected have come): *"},
    {KERNEL(BAR, INIT(63) SYNC "mbarrier.arrive.shared.b64 _, [bar], 2;\n"), 64, SIM_ILLEGAL_INSTRUCTION,
     "*thread (31,0,0)*: more arrivals than expected at the mbarrier at shared address 0x400: 2, but in phase 0 only 1*"},
    {KERNEL(BAR, INIT(64) SYNC "mbarrier.init.shared.b64 [bar], 64;\n"), 64, SIM_ILLEGAL_INSTRUCTION,
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
            "mbarrier.test_wait.shared.b64 %p2, [bar], %rd5;\n"), 1, SIM_ILLEGAL_INSTRUCTION,
     "*a state of phase 0, but the mbarrier at shared address 0x400 is in phase 2*"},
    {KERNEL(BAR, INIT(1) SYNC "mbarrier.arrive.noComplete.shared.b64 %rd5, [bar], 1;\n"), 1, SIM_ILLEGAL_INSTRUCTION,
     "*noComplete, but the arrival of 1 ends the phase*"},
    {KERNEL(BAR, INIT(1) SYNC "mbarrier.expect_tx.shared::cta.b64 [bar], 1048576;\n"), 1, SIM_ILLEGAL_INSTRUCTION,
     "*would await 1048576 bytes; 1048575 are the most*"},
};

static void mbarrier_mistakes_are_named(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(mbarrier_mistakes); k++) check_mistake(&mbarrier_mistakes[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mbarriers_count),
        cmocka_unit_test(mbarrier_mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
