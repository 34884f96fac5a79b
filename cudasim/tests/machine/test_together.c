/* Asynchronous operations across the blocks of a cluster, the proxy check of every kind of store, and what is said of
 * mistakes in these. */
#include "sim_case.h"

static sim_launch_config clusters(unsigned grid, unsigned block, unsigned cluster) {
    return (sim_launch_config){
        .grid = {grid, 1, 1}, .block = {block, 1, 1}, .cluster = {cluster, 1, 1}, .explicit_cluster = true};
}

/* Kernel k(out): %r1 is the thread in the grid, %r20 the block's rank, %r21 the cluster's size, %r24 the thread in the
 * block, %p1 thread 0 of the block; %r26, %r27 and %r28: this block's buf, its word of the thread, bar; %r30, %r31 and
 * %r32 the same in the next block of the cluster, %rd2 the thread's word of out. */
#define TOGETHER(body)                                                                                                 \
    PTX_HEAD                                                                                                           \
    ".shared .align 8 .b64 bar;\n.shared .align 1024 .b8 buf[8192];\n"                                                 \
    ".visible .entry k(.param .u64 out) {\n"                                                                           \
    ".reg .pred %p<20>; .reg .b16 %rs<20>; .reg .b32 %r<60>; .reg .b64 %rd<40>; .reg .f32 %f<20>;\n"                   \
    "mov.u32 %r22, %ctaid.x; mov.u32 %r23, %ntid.x; mov.u32 %r24, %tid.x; mad.lo.u32 %r1, %r22, %r23, %r24;\n"         \
    "mov.u32 %r20, %cluster_ctarank; mov.u32 %r21, %cluster_nctarank; setp.eq.u32 %p1, %r24, 0;\n"                     \
    "mov.u32 %r26, buf; mad.lo.u32 %r27, %r24, 4, %r26; mov.u32 %r28, bar;\n"                                          \
    "add.u32 %r29, %r20, 1; rem.u32 %r29, %r29, %r21;\n"                                                               \
    "mapa.shared::cluster.u32 %r30, %r26, %r29; mapa.shared::cluster.u32 %r31, %r27, %r29;\n"                          \
    "mapa.shared::cluster.u32 %r32, %r28, %r29;\n"                                                                     \
    "ld.param.u64 %rd1, [out]; mad.wide.u32 %rd2, %r1, 4, %rd1;\n" body "\nret;\n}\n"
#define SYNC      "barrier.cluster.arrive; barrier.cluster.wait;\n"
#define INIT(n)   "@%p1 mbarrier.init.shared.b64 [bar], " #n "; fence.mbarrier_init.release.cluster;\n" SYNC
#define WAIT(l)   #l ": mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p9, [bar], 0; @!%p9 bra " #l ";\n"
#define EXPECT(n) "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], " #n ";\n"
#define LOAD      "ld.shared.u32 %r2, [%r27];\n"
#define TX        ".mbarrier::complete_tx::bytes"

/* Thread t of the previous block of its cluster of four (32 threads per block). */
static uint32_t previous(uint32_t t) {
    return (t / 32 + 3) % 4 * 32 + t % 32;
}
static uint32_t previous_plus(uint32_t t) {
    return previous(t) + 1000;
}
static uint32_t everybody(uint32_t t) {
    return t % 32 * 4 + 32 * 6;
}
static uint32_t most(uint32_t t) {
    return 96 + t % 32;
}
static uint32_t four(uint32_t t) {
    return 4;
}
static uint32_t first(uint32_t t) {
    return t % 32;
}
static uint32_t stale(uint32_t t) {
    return UINT32_MAX;
}

static const struct {
    const char *name, *ptx;
    uint32_t (*expected)(uint32_t t);
} cases[] = {
    {"a store, and an arrival at the other's mbarrier",
     TOGETHER(INIT(32) "st.shared::cluster.u32 [%r31], %r1;\n"
                       "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r32];\n" WAIT(W) LOAD STORE SYNC),
     previous},
    {"an arrival at the other's mbarrier counts once", /* though it lets the others run first: it is in phase 1 then */
     TOGETHER(INIT(32) "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r32];\n" SYNC
                       "mbarrier.test_wait.parity.shared.b64 %p9, [bar], 1; selp.u32 %r2, 1000, 4, %p9;\n" STORE SYNC),
     four},
    {"a store, and its bytes by complete_tx",
     TOGETHER(INIT(1) EXPECT(128) "st.shared::cluster.u32 [%r31], %r1;\n"
                                  "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r32], 4;\n" WAIT(W)
                                      LOAD STORE SYNC),
     previous},
    {"st.async",
     TOGETHER(INIT(1) EXPECT(128) "st.async.weak.shared::cluster" TX ".u32 [%r31], %r1, [%r32];\n" WAIT(W)
                  LOAD STORE SYNC),
     previous},
    {"st.async, generic addresses, without .weak",
     TOGETHER(INIT(1)
                  EXPECT(128) "cvta.shared::cluster.u64 %rd5, 0;\ncvt.u64.u32 %rd6, %r31; add.u64 %rd6, %rd6, %rd5;\n"
                              "cvt.u64.u32 %rd7, %r32; add.u64 %rd7, %rd7, %rd5;\n"
                              "st.async" TX ".b32 [%rd6], %r1, [%rd7];\n" WAIT(W) LOAD STORE SYNC),
     previous},
    {"st.async of four words",
     TOGETHER(INIT(1) EXPECT(
         512) "mad.lo.u32 %r40, %r24, 16, %r30; add.u32 %r41, %r1, 1000;\n"
              "st.async.weak.shared::cluster" TX ".v4.b32 [%r40], {%r20, %r41, %r1, %r20}, [%r32];\n" WAIT(
                  W) "mad.lo.u32 %r40, %r24, 16, %r26; ld.shared.u32 %r2, [%r40 + 4];\n" STORE SYNC),
     previous_plus},
    {"st.async of two doublewords",
     TOGETHER(INIT(1)
                  EXPECT(512) "mad.lo.u32 %r40, %r24, 16, %r30; add.u32 %r41, %r1, 1000; mov.b64 %rd5, {%r20, %r41};\n"
                              "st.async.weak.shared::cluster" TX ".v2.b64 [%r40], {%rd1, %rd5}, [%r32];\n" WAIT(
                                  W) "mad.lo.u32 %r40, %r24, 16, %r26; ld.shared.u32 %r2, [%r40 + 12];\n" STORE SYNC),
     previous_plus},
    {"st.async of a float",
     TOGETHER(INIT(1) EXPECT(128) "mov.b32 %f1, %r1; st.async.weak.shared::cluster" TX
                                  ".f32 [%r31], %f1, [%r32];\n" WAIT(W) LOAD STORE SYNC),
     previous},
    {"st.async is late",
     TOGETHER(INIT(1) EXPECT(128) "st.async.weak.shared::cluster" TX ".u32 [%r31], %r1, [%r32];\n" SYNC LOAD WAIT(W)
                  STORE SYNC),
     stale},
    {"red.async.add, from every block to every block",
     TOGETHER("st.shared.u32 [%r27], 0;\n" INIT(1) EXPECT(
         512) "mov.u32 %r40, 0;\nL: mapa.shared::cluster.u32 %r41, %r27, %r40; mapa.shared::cluster.u32 %r42, %r28, "
              "%r40;\n"
              "red.async.relaxed.cluster.shared::cluster" TX ".add.u32 [%r41], %r1, [%r42];\n"
              "add.u32 %r40, %r40, 1; setp.lt.u32 %p2, %r40, %r21; @%p2 bra L;\n" WAIT(W) LOAD STORE SYNC),
     everybody},
    {"red.async.max",
     TOGETHER("st.shared.u32 [%r27], 0;\n" INIT(1) EXPECT(
         512) "mov.u32 %r40, 0;\nL: mapa.shared::cluster.u32 %r41, %r27, %r40; mapa.shared::cluster.u32 %r42, %r28, "
              "%r40;\n"
              "red.async.relaxed.cluster.shared::cluster" TX ".max.u32 [%r41], %r1, [%r42];\n"
              "add.u32 %r40, %r40, 1; setp.lt.u32 %p2, %r40, %r21; @%p2 bra L;\n" WAIT(W) LOAD STORE SYNC),
     most},
    {"red.async.inc",
     TOGETHER("st.shared.u32 [%r27], 0;\n" INIT(1) EXPECT(
         512) "mov.u32 %r40, 0;\nL: mapa.shared::cluster.u32 %r41, %r27, %r40; mapa.shared::cluster.u32 %r42, %r28, "
              "%r40;\n"
              "red.async.relaxed.cluster.shared::cluster" TX ".inc.u32 [%r41], 100, [%r42];\n"
              "add.u32 %r40, %r40, 1; setp.lt.u32 %p2, %r40, %r21; @%p2 bra L;\n" WAIT(W) LOAD STORE SYNC),
     four},
    {"a bulk copy from block to block",
     TOGETHER("st.shared.u32 [%r27], %r1; fence.proxy.async;\n" INIT(1) EXPECT(
         128) "add.u32 %r40, %r30, 1024;\n"
              "@%p1 cp.async.bulk.shared::cluster.shared::cta" TX
              " [%r40], [%r26], 128, [%r32];\n" WAIT(W) "ld.shared.u32 %r2, [%r27 + 1024];\n" STORE SYNC),
     previous},
    {"try_wait comes back where nobody in the cluster could go on", /* the last block's own threads arrive afterwards */
     TOGETHER(INIT(32) "setp.ne.u32 %p2, %r20, 3; @%p2 bra A;\n"
                       "mbarrier.try_wait.parity.shared.b64 %p9, [bar], 0; @%p9 trap;\n"
                       "A: mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(W) "mov.u32 %r2, 4;\n" SYNC STORE),
     four},
    {"a multicast to all blocks",
     TOGETHER("setp.eq.u32 %p3, %r22, 0; @%p3 st.global.u32 [%rd2 + 4096], %r1;\n" INIT(1)
                  EXPECT(128) "and.pred %p4, %p1, %p3; mov.u16 %rs1, 15; add.u64 %rd5, %rd1, 4096;\n"
                              "@%p4 cp.async.bulk.shared::cluster.global" TX
                              ".multicast::cluster [buf], [%rd5], 128, [bar], %rs1;\n" WAIT(W) LOAD STORE SYNC),
     first},
    {"a store into another block, fenced there by the writer, read by a bulk copy",
     TOGETHER("st.shared::cluster.u32 [%r31], %r1; fence.proxy.async;\n" SYNC
              "mul.wide.u32 %rd5, %r22, 128; add.u64 %rd5, %rd1, %rd5;\n"
              "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd5], [buf], 128;\n"
              "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;\n"),
     previous},
    {"the same, fenced by the reader",
     TOGETHER("st.shared::cluster.u32 [%r31], %r1;\n" SYNC
              "fence.proxy.async; bar.sync 0; mul.wide.u32 %rd5, %r22, 128; add.u64 %rd5, %rd1, %rd5;\n"
              "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd5], [buf], 128;\n"
              "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;\n"),
     previous},
};

static void blocks_work_together(void **state) {
    static const char *const threads[] = {"1", "2"};
    for (size_t k = 0; k < COUNT(cases); k++)
        for (size_t n = 0; n < COUNT(threads); n++) {
            set_environment("CUDASIM_THREADS", threads[n]);
            const sim_status status = run_with(cases[k].ptx, clusters(4, 32, 4));
            if (status != SIM_OK || said[0] != '\0') fail_msg("%s: status %d: %s", cases[k].name, status, said);
            for (uint32_t t = 0; t < 128; t++)
                if (out[t] != cases[k].expected(t))
                    fail_msg("%s: thread %u has 0x%x, not 0x%x", cases[k].name, t, out[t], cases[k].expected(t));
        }
    set_environment("CUDASIM_THREADS", NULL);
}

#define COPY_OUT                                                                                                       \
    "mul.wide.u32 %rd5, %r22, 128; add.u64 %rd5, %rd1, %rd5;\n"                                                        \
    "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd5], [buf], 128;\n"                                           \
    "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;\n"
#define WGMMA                                                                                                          \
    "mov.u64 %rd5, 0x4000004000010000; shr.u32 %r40, %r26, 4; cvt.u64.u32 %rd6, %r40; or.b64 %rd5, %rd5, %rd6;\n"      \
    "mov.pred %p5, -1; wgmma.fence.sync.aligned;\n"                                                                    \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd5, %rd5, %p5, 1, 1, 0, 0;\n"           \
    "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"

static const struct {
    const char *name, *ptx;
    unsigned threads;
    sim_status status;
    const char *says;
} mistakes[] = {
    {"a store into another block without fence", TOGETHER("st.shared::cluster.u32 [%r31], %r1;\n" SYNC COPY_OUT), 32,
     SIM_ILLEGAL_INSTRUCTION,
     "*block (3,0,0): shared memory at 0x800 is read by the asynchronous proxy without fence.proxy.async after thread "
     "(3,0,0) of block (2,0,0) wrote it\n*cp.async.bulk.global*"},
    {"an atomic operation in another block without fence",
     TOGETHER("red.shared::cluster.add.u32 [%r31], %r1;\n" SYNC COPY_OUT), 32, SIM_ILLEGAL_INSTRUCTION,
     "*without fence.proxy.async after thread (3,0,0) of block (*,0,0) wrote it\n*"},
    {"stmatrix without fence",
     TOGETHER("and.b32 %r40, %r24, 31; mad.lo.u32 %r40, %r40, 16, %r26;\n"
              "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r40], {%r1}; bar.sync 0;\n" COPY_OUT SYNC),
     32, SIM_ILLEGAL_INSTRUCTION, "*without fence.proxy.async after thread (*,0,0) wrote it\n*"},
    {"wmma.store without fence",
     TOGETHER("mov.u32 %r40, 16; mov.f32 %f1, 0f00000000;\n"
              "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r26], {%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1}, "
              "%r40; bar.sync 0;\n" COPY_OUT SYNC),
     32, SIM_ILLEGAL_INSTRUCTION, "*without fence.proxy.async after thread (0,0,0) wrote it\n*"},
    {"a descriptor's matrix without fence",
     TOGETHER("st.shared.u32 [%r27], 0; st.shared.u32 [%r27 + 512], 0; bar.sync 0;\n" WGMMA SYNC), 128,
     SIM_ILLEGAL_INSTRUCTION,
     "*shared memory at 0x800 is read as a part of A by the asynchronous proxy without fence.proxy.async after thread "
     "(3,0,0) wrote it\n*wgmma.mma_async*"},
    {"st.async with the mbarrier of another block",
     TOGETHER(INIT(1) "st.async.weak.shared::cluster" TX ".u32 [%r31], %r1, [%r28];\n" SYNC), 32,
     SIM_ILLEGAL_INSTRUCTION, "*: st.async to one block of the cluster with the mbarrier of another\n*"},
    {"st.async where no mbarrier is", TOGETHER("st.async.weak.shared::cluster" TX ".u32 [%r31], %r1, [%r32];\n" SYNC),
     32, SIM_ILLEGAL_INSTRUCTION,
     "*: there is no mbarrier at shared address 0x*; that is shared memory of block (1,0,0)\n*"},
    {"the cluster does not wait for the initialisation",
     TOGETHER("@%p1 mbarrier.init.shared.b64 [bar], 1; bar.sync 0;\n"
              "@%p1 st.async.weak.shared::cluster" TX ".u32 [%r31], %r1, [%r32];\n" SYNC),
     64, SIM_ILLEGAL_INSTRUCTION,
     "*block (0,0,0)*: there is no mbarrier at shared address 0x*; that is shared memory of block (1,0,0)\n*"},
    {"red.async misaligned",
     TOGETHER(INIT(1) "red.async.relaxed.cluster.shared::cluster" TX ".add.u32 [%r31 + 2], %r1, [%r32];\n" SYNC), 32,
     SIM_MISALIGNED_ADDRESS, "*: red.async at 0x802, which is not aligned to 4*"},
    {"st.async past the end",
     TOGETHER(INIT(1) "st.async.weak.shared::cluster" TX ".u32 [%r31 + 8192], %r1, [%r32];\n" SYNC), 32,
     SIM_ILLEGAL_ADDRESS, "*: st.async, 4 bytes of shared memory at 0x2800; the block's shared memory is *"},
    {"st.async of fewer bytes than expected",
     TOGETHER(INIT(1) EXPECT(132) "st.async.weak.shared::cluster" TX ".u32 [%r31], %r1, [%r32];\n" WAIT(W) SYNC), 32,
     SIM_TIMEOUT,
     "*: deadlock: no thread of the cluster can go on; block (*\n*(0 of 1 arrivals pending, 4 bytes pending): *of its "
     "cluster:\n*(0 of 1 arrivals pending, 4 bytes pending): *"},
    {"nobody waits for st.async",
     TOGETHER(INIT(1) EXPECT(128) "st.async.weak.shared::cluster" TX ".u32 [%r31], %r1, [%r32];\n" SYNC), 32,
     SIM_ILLEGAL_INSTRUCTION, "*the block ends while this bulk copy to its shared memory is in flight*"},
    {"the source of a copy to another block ends",
     TOGETHER("st.shared.u32 [%r27], %r1; fence.proxy.async;\n" INIT(1)
                  EXPECT(128) "add.u32 %r40, %r30, 1024;\n"
                              "@%p1 cp.async.bulk.shared::cluster.shared::cta" TX " [%r40], [%r26], 128, [%r32];\n"
                              "setp.eq.u32 %p2, %r20, 2; @%p2 exit;\n" SYNC WAIT(W)),
     32, SIM_ILLEGAL_INSTRUCTION, "*the block ends while this bulk copy from its shared memory is in flight*"},
    {"an arrival at a block that has ended",
     TOGETHER(INIT(32) "setp.ne.u32 %p2, %r20, 0; @%p2 exit;\n"
                       "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r32];\n"),
     32, SIM_LAUNCH_FAILURE,
     "*block (0,0,0)*: an mbarrier, at 0x* of block (1,0,0), rank 1 of the cluster, which has ended: a block must wait "
     "for those that use its shared memory (barrier.cluster)\n*"},
    {"a multicast to a rank that does not exist",
     TOGETHER(INIT(1) EXPECT(128) "mov.u16 %rs1, 0x11;\n"
                                  "@%p1 cp.async.bulk.shared::cluster.global" TX
                                  ".multicast::cluster [buf], [%rd1], 128, [bar], %rs1;\n"),
     32, SIM_ILLEGAL_ADDRESS, "*: a multicast to block 4 of the cluster, which is not there\n*"},
    {"another block's mbarrier waited for",
     TOGETHER(INIT(1) "W: mbarrier.try_wait.parity.shared::cta.b64 %p9, [%r32], 0; @!%p9 bra W;\n"), 32,
     SIM_ILLEGAL_ADDRESS, "*: an mbarrier at 0x*, an address of rank *'s shared memory, as its own: *"},
    {"each waits for the other's arrival",
     TOGETHER(INIT(32) WAIT(W) "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r32];\n" SYNC), 32,
     SIM_TIMEOUT,
     "cudasim: kernel k is stopped: deadlock: no thread of the cluster can go on; block (*,0,0):\n"
     "    warp 0, lanes ffffffff, wait for phase 0 of the mbarrier at 0x* (32 of 32 arrivals pending, no bytes "
     "pending): "
     "*  block (*,0,0) of its cluster:\n    warp 0, lanes ffffffff, wait for phase 0 of the mbarrier at 0x*"},
};

static void mistakes_are_named(void **state) {
    for (size_t k = 0; k < COUNT(mistakes); k++) {
        set_environment("CUDASIM_THREADS", k % 2 ? "1" : NULL);
        const sim_status status = run_with(mistakes[k].ptx, clusters(4, mistakes[k].threads, 4));
        if (status != mistakes[k].status || !is_like(said, mistakes[k].says))
            fail_msg("%s: status %d, said:\n%sexpected status %d:\n%s", mistakes[k].name, status, said,
                     mistakes[k].status, mistakes[k].says);
    }
    set_environment("CUDASIM_THREADS", NULL);
}

/* Forms that PTX does not have. */
static void forms_are_refused(void **state) {
    static const struct {
        const char *body, *error;
    } forms[] = {
        {"st.async.weak.shared::cluster" TX ".u16 [%r31], %rs1, [%r32];", "PTX has no st.async of this type*"},
        {"st.async.weak.shared::cta" TX ".u32 [%r31], %r1, [%r32];", "*"},
        {"st.async.weak.shared::cluster" TX ".v4.b32 [%r31], {%r1, %r2}, [%r32];", "4 values in braces are needed*"},
        {"st.async.weak.shared::cluster" TX ".b32 [%r31], %r1;", "*"},
        {"red.async.shared::cluster" TX ".add.u32 [%r31], %r1, [%r32];", "red.async.relaxed.cluster is meant*"},
        {"red.async.relaxed.cluster.shared::cluster" TX ".add.f32 [%r31], %f1, [%r32];",
         "PTX has no red.async of this type*"},
        {"red.async.relaxed.cluster.shared::cluster" TX ".u32 [%r31], %r1, [%r32];", "PTX has no red.async*"},
    };
    for (size_t k = 0; k < COUNT(forms); k++) {
        char ptx[4096], error[1024];
        const char *text = TOGETHER("#");
        const size_t before = strcspn(text, "#");
        snprintf(ptx, sizeof ptx, "%.*s%s%s", (int)before, text, forms[k].body, text + before + 1);
        program p = program_load(ptx);
        assert_non_null(p.module);
        assert_null(sim_module_kernel(p.module, "k", error, sizeof error));
        if (!is_like(error, forms[k].error)) fail_msg("%s: %s", forms[k].body, error);
        program_unload(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_work_together),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(forms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
