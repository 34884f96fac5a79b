/* Divergence, spinning, barriers. */
#include "groups_case.h"

/* ---- divergence ---- */

static uint32_t two_ways(uint32_t t) {
    return t < 10 ? 100 : 200;
}
static uint32_t four_ways(uint32_t t) {
    return 10 + 10 * (t & 3);
}
static uint32_t triangle(uint32_t t) {
    return t * (t + 1) / 2;
}
static uint32_t nested_loops(uint32_t t) {
    return (t & 3) * (t >> 2);
}
static uint32_t irreducible(uint32_t t) {
    const uint32_t rounds = t > 1 ? t : 1;
    return 100 * rounds + rounds - (t < 16);
}
static uint32_t some_only(uint32_t t) {
    return t < 10 ? 7 : 0;
}
static uint32_t some_not(uint32_t t) {
    return t < 10 ? 0 : 7;
}
static uint32_t called_by_some(uint32_t t) {
    return t < 10 ? t + 1000 : t;
}
static uint32_t guarded_switch(uint32_t t) {
    return t < 10 ? 10 + 10 * (t & 3) : 5;
}
static uint32_t thirty_two_ways(uint32_t t) {
    return 31 - t;
}
static uint32_t exits_in_turn(uint32_t t) {
    return 0xffffffffu << t;
}

#define ADD_1000                                                                                                       \
    ".func (.param .b32 r) add_1000(.param .b32 a) {\n.reg .b32 %r<3>; ld.param.u32 %r1, [a];\n"                       \
    "add.u32 %r2, %r1, 1000; st.param.b32 [r], %r2; ret; }\n"
#define SWITCH_TARGETS "T: .branchtargets A, B, C, D;\n"
#define SWITCH_ARMS                                                                                                    \
    "A: mov.u32 %r2, 10; bra.uni E;\nD: mov.u32 %r2, 40; bra.uni E;\nB: mov.u32 %r2, 20; bra.uni E;\n"                 \
    "C: mov.u32 %r2, 30;\nE: " TOGETHER STORE

static const word_case divergence[] = {
    {"if, else", KERNEL("", BELOW(10) "@%p1 bra A; mov.u32 %r2, 200; bra B; A: mov.u32 %r2, 100; B: " TOGETHER STORE),
     32, two_ways},
    {"if without else", KERNEL("", BELOW(10) "mov.u32 %r2, 200; @!%p1 bra B; mov.u32 %r2, 100; B: " TOGETHER STORE), 32,
     two_ways},
    {"nested",
     KERNEL("", "and.b32 %r3, %r1, 1; and.b32 %r4, %r1, 2; setp.ne.u32 %p1, %r3, 0; setp.ne.u32 %p2, %r4, 0;\n"
                "@%p1 bra ODD; @%p2 bra TWO; mov.u32 %r2, 10; bra EVENS; TWO: mov.u32 %r2, 30;\n"
                "EVENS: activemask.b32 %r5; setp.ne.u32 %p3, %r5, 0x55555555; @%p3 mov.u32 %r2, 0xbad; bra END;\n"
                "ODD: @%p2 bra THREE; mov.u32 %r2, 20; bra ODDS; THREE: mov.u32 %r2, 40;\n"
                "ODDS: activemask.b32 %r5; setp.ne.u32 %p3, %r5, 0xaaaaaaaa; @%p3 mov.u32 %r2, 0xbad;\n"
                "END: " TOGETHER STORE),
     32, four_ways},
    {"a loop of as many rounds as the lane's number",
     KERNEL("", "mov.u32 %r2, 0; mov.u32 %r3, %r1;\nL: setp.eq.u32 %p1, %r3, 0; @%p1 bra E; add.u32 %r2, %r2, %r3;\n"
                "sub.u32 %r3, %r3, 1; bra L;\nE: " TOGETHER STORE),
     32, triangle},
    {"a loop with its test at the end, of some lanes only, longer than a turn",
     KERNEL("", "mul.lo.u32 %r3, %r1, 1000; mov.u32 %r2, 0; setp.eq.u32 %p1, %r3, 0; @%p1 bra E;\n"
                "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r3; @%p1 bra L;\n"
                "E: mad.lo.u32 %r2, %r1, %r1, %r1; shr.u32 %r2, %r2, 1; " STORE),
     32, triangle},
    {"loops in loops",
     KERNEL("", "mov.u32 %r2, 0; and.b32 %r3, %r1, 3;\nO: setp.eq.u32 %p1, %r3, 0; @%p1 bra E; shr.u32 %r4, %r1, 2;\n"
                "I: setp.eq.u32 %p2, %r4, 0; @%p2 bra N; add.u32 %r2, %r2, 1; sub.u32 %r4, %r4, 1; bra I;\n"
                "N: sub.u32 %r3, %r3, 1; bra O;\nE: " TOGETHER STORE),
     32, nested_loops},
    {"a loop with two entries",
     KERNEL(
         "",
         BELOW(16) "mov.u32 %r2, 0; mov.u32 %r3, %r1; @%p1 bra X;\n"
                   "L: add.u32 %r2, %r2, 1;\nX: add.u32 %r2, %r2, 100; sub.s32 %r3, %r3, 1; setp.gt.s32 %p2, %r3, 0;\n"
                   "@%p2 bra L;\n" TOGETHER STORE),
     32, irreducible},
    {"brx.idx", KERNEL("", SWITCH_TARGETS "and.b32 %r3, %r1, 3; brx.idx %r3, T;\n" SWITCH_ARMS), 32, four_ways},
    {"brx.idx of some lanes",
     KERNEL("", SWITCH_TARGETS BELOW(10) "and.b32 %r3, %r1, 3; mov.u32 %r2, 5;\n"
                                         "@%p1 brx.idx %r3, T;\nbra E;\n" SWITCH_ARMS),
     32, guarded_switch},
    {"brx.idx backwards, every lane elsewhere",
     KERNEL("",
            "T: .branchtargets L0, L1, L2, L3, L4, L5, L6, L7, L8, L9, L10, L11, L12, L13, L14, L15, L16, L17, L18,\n"
            "L19, L20, L21, L22, L23, L24, L25, L26, L27, L28, L29, L30, L31;\n"
            "mov.u32 %r2, 0; bra GO;\n"
            "L0: add.u32 %r2, %r2, 1; L1: add.u32 %r2, %r2, 1; L2: add.u32 %r2, %r2, 1; L3: add.u32 %r2, %r2, 1;\n"
            "L4: add.u32 %r2, %r2, 1; L5: add.u32 %r2, %r2, 1; L6: add.u32 %r2, %r2, 1; L7: add.u32 %r2, %r2, 1;\n"
            "L8: add.u32 %r2, %r2, 1; L9: add.u32 %r2, %r2, 1; L10: add.u32 %r2, %r2, 1; L11: add.u32 %r2, %r2, 1;\n"
            "L12: add.u32 %r2, %r2, 1; L13: add.u32 %r2, %r2, 1; L14: add.u32 %r2, %r2, 1; L15: add.u32 %r2, %r2, 1;\n"
            "L16: add.u32 %r2, %r2, 1; L17: add.u32 %r2, %r2, 1; L18: add.u32 %r2, %r2, 1; L19: add.u32 %r2, %r2, 1;\n"
            "L20: add.u32 %r2, %r2, 1; L21: add.u32 %r2, %r2, 1; L22: add.u32 %r2, %r2, 1; L23: add.u32 %r2, %r2, 1;\n"
            "L24: add.u32 %r2, %r2, 1; L25: add.u32 %r2, %r2, 1; L26: add.u32 %r2, %r2, 1; L27: add.u32 %r2, %r2, 1;\n"
            "L28: add.u32 %r2, %r2, 1; L29: add.u32 %r2, %r2, 1; L30: add.u32 %r2, %r2, 1; L31: " TOGETHER STORE
            "ret;\nGO: brx.idx %r1, T;\n"),
     32, thirty_two_ways},
    {"@p ret", KERNEL("", BELOW(10) "mov.u32 %r2, 7; @%p1 ret;\n" STORE), 32, some_not},
    {"@!p ret", KERNEL("", BELOW(10) "mov.u32 %r2, 7; @!%p1 ret;\n" STORE), 32, some_only},
    {"@p exit", KERNEL("", BELOW(10) "mov.u32 %r2, 7; @%p1 exit;\n" STORE), 32, some_not},
    {"@!p exit at once", KERNEL("", BELOW(10) "@!%p1 exit; mov.u32 %r2, 7;\n" STORE), 64, some_only},
    {"@p call",
     KERNEL(ADD_1000, BELOW(10) ".param .b32 a; .param .b32 b; st.param.b32 [a], %r1; mov.u32 %r2, %r1;\n"
                                "@%p1 call (b), add_1000, (a);\n@%p1 ld.param.b32 %r2, [b];\n" TOGETHER STORE),
     32, called_by_some},
    {"lanes that leave one after another", /* the mask that is left when it is this lane's turn */
     KERNEL("", "mov.u32 %r3, 0;\nL: activemask.b32 %r2; setp.eq.u32 %p1, %r3, %r1; @%p1 bra E; add.u32 %r3, %r3, 1;\n"
                "bra L;\nE: " STORE "exit;\n"),
     32, exits_in_turn},
};

static void test_divergence(void **state) {
    for (size_t k = 0; k < COUNT(divergence); k++) check_words(&divergence[k]);
}

static void test_branch_target_out_of_range(void **state) {
    assert_int_equal(run(KERNEL("", SWITCH_TARGETS "brx.idx %r1, T;\n" SWITCH_ARMS), 1, 6), SIM_INVALID_PC);
    assert_said("cudasim: invalid program counter in kernel k: thread (4,0,0) of block (0,0,0): "
                "index 4 of 4 branch targets\n    at PTX line 8: brx.idx %%r1, T\n");
    assert_int_equal(run(KERNEL("", SWITCH_TARGETS "mov.u32 %r3, -1; brx.idx %r3, T;\n" SWITCH_ARMS), 1, 6),
                     SIM_INVALID_PC);
    assert_said("cudasim: invalid program counter in kernel k: thread (0,0,0) of block (0,0,0) and 5 more of its warp: "
                "index 4294967295 of 4 branch targets\n    at PTX line 8: brx.idx %%r3, T\n");
}

/* ---- spinning ---- */

static uint32_t thirty_three(uint32_t t) {
    return t < 32 ? 33 : 0;
}
static uint32_t same(uint32_t t) {
    return t;
}

static const word_case spinning[] = {
    /* out[100] is a lock, out[101] counts, out[102] was never seen below it. */
    {"a lock among the lanes of a warp",
     KERNEL("", "L: atom.global.acquire.gpu.cas.b32 %r3, [%rd1+400], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;\n"
                "ld.global.u32 %r4, [%rd1+404]; add.u32 %r4, %r4, 1; st.global.u32 [%rd1+404], %r4;\n"
                "membar.gl; atom.global.exch.b32 %r5, [%rd1+400], 0;\n"
                "W: ld.volatile.global.u32 %r2, [%rd1+404]; setp.lt.u32 %p1, %r2, 32; @%p1 bra W; add.u32 %r2, %r2, "
                "1;\n" STORE),
     32, thirty_three},
    {"lanes wait for the last one",
     KERNEL("", "setp.eq.u32 %p1, %r1, 31; @%p1 bra SET;\n"
                "W: ld.volatile.global.u32 %r2, [%rd1+400]; setp.eq.u32 %p2, %r2, 0; @%p2 bra W; bra END;\n"
                "SET: mov.u32 %r2, 33; st.volatile.global.u32 [%rd1+400], %r2;\nEND: " STORE),
     32, thirty_three},
    {"the first lane, which has gone ahead, waits for the others",
     KERNEL("", "setp.ne.u32 %p1, %r1, 0; @%p1 bra FAR; mov.u32 %r2, 33;\n"
                "W: ld.relaxed.gpu.global.u32 %r3, [%rd1+400]; setp.ne.u32 %p2, %r3, 31; @%p2 bra W; bra END;\n"
                "FAR: red.global.add.u32 [%rd1+400], 1; mov.u32 %r2, 33;\nEND: " STORE),
     32, thirty_three},
    {"warps pass a token on, the last one first",
     KERNEL("", ".shared .u32 token; mov.u32 %r3, %warpid; mov.u32 %r4, token;\nsetp.eq.u32 %p1, %r1, 0;\n"
                "@%p1 st.shared.u32 [token], 8; bar.sync 0; add.u32 %r5, %r3, 1;\n"
                "W: ld.volatile.shared.u32 %r6, [%r4]; setp.ne.u32 %p1, %r6, %r5; @%p1 bra W;\n"
                "bar.warp.sync 0xffffffff; st.volatile.shared.u32 [%r4], %r3; mov.u32 %r2, %r1;\n" STORE),
     256, same},
    {"with nanosleep",
     KERNEL("", ".shared .u32 flag; setp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [flag], 0; bar.sync 0;\n"
                "setp.eq.u32 %p1, %r1, 95; @%p1 st.shared.u32 [flag], 1; @%p1 bra END;\n"
                "W: nanosleep.u32 100; ld.shared.u32 %r6, [flag]; setp.eq.u32 %p1, %r6, 0; @%p1 bra W;\n"
                "END: mov.u32 %r2, %r1;\n" STORE),
     96, same},
};

static void test_spinning(void **state) {
    for (size_t k = 0; k < COUNT(spinning); k++) check_words(&spinning[k]);
}

/* Every block but the last waits for the last. */
#define WAIT_FOR_LAST(wait)                                                                                            \
    KERNEL("", "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x; sub.u32 %r4, %r4, 1; setp.eq.u32 %p1, %r3, %r4;\n"      \
               "@%p1 bra SET;\nW: " wait " setp.eq.u32 %p2, %r2, 0; @%p2 bra W; bra END;\n"                            \
               "SET: membar.gl; st.volatile.global.u32 [%rd1], 1;\n"                                                   \
               "END: red.global.add.u32 [%rd1+4], 1;\n")

static void test_blocks_wait_for_later_ones(void **state) {
    static const char *const waits[] = {
        WAIT_FOR_LAST("ld.volatile.global.u32 %r2, [%rd1];"),
        WAIT_FOR_LAST("ld.acquire.gpu.global.u32 %r2, [%rd1];"),
        WAIT_FOR_LAST("atom.global.cas.b32 %r2, [%rd1], 7, 8;"),
        WAIT_FOR_LAST("atom.global.add.u32 %r2, [%rd1], 0;"),
        WAIT_FOR_LAST("atom.global.or.b32 %r2, [%rd1], 0;"),
        WAIT_FOR_LAST("nanosleep.u32 20; ld.global.u32 %r2, [%rd1];"),
        WAIT_FOR_LAST("ld.global.cg.u32 %r2, [%rd1];"),
        WAIT_FOR_LAST("ld.global.u32 %r2, [%rd1];"), /* nothing tells it from computing but time */
    };
    for (int threads = 1; threads <= 2; threads++) {
        set_environment("CUDASIM_THREADS", threads == 1 ? "1" : "2");
        for (size_t k = 0; k < COUNT(waits); k++) {
            run_well(waits[k], 300, 2);
            assert_int_equal(out[1], 600);
        }
    }
    set_environment("CUDASIM_THREADS", NULL);
}

static void test_blocks_take_turns(void **state) {
    for (int threads = 1; threads <= 2; threads++) {
        set_environment("CUDASIM_THREADS", threads == 1 ? "1" : "2");
        run_well(KERNEL("",
                        "mov.u32 %r3, %ctaid.x;\nW: ld.volatile.global.u32 %r4, [%rd1]; setp.ne.u32 %p1, %r4, %r3;\n"
                        "@%p1 bra W; add.u32 %r4, %r4, 1; st.volatile.global.u32 [%rd1], %r4; add.u32 %r3, %r3, 3;\n"
                        "setp.lt.u32 %p1, %r3, 30; @%p1 bra W;\n"),
                 3, 1);
        assert_int_equal(out[0], 30);
    }
    set_environment("CUDASIM_THREADS", NULL);
}

/* ---- barriers ---- */

static uint32_t from_the_end_of_40(uint32_t t) {
    return 39 - t;
}
static uint32_t consumed(uint32_t t) {
    return t < 32 ? 0 : 63 - t;
}
static uint32_t reductions(uint32_t t) {
    return t < 70 ? 60 | 0 << 8 | 1 << 9 | 10 << 16 : 0;
}
static uint32_t alive_only(uint32_t t) {
    return t < 32 ? 5 : t < 64 ? 0 : 5;
}
static uint32_t halves(uint32_t t) {
    return t ^ 32;
}
static uint32_t forty_left(uint32_t t) {
    return t < 40 ? 9 : 0;
}

#define SHARED_ARRAY ".shared .align 4 .b8 s[4096]; mov.u32 %r20, s; mad.lo.u32 %r21, %r1, 4, %r20;\n"

static const word_case barriers[] = {
    {"a warp of 8 threads",
     KERNEL("", SHARED_ARRAY "st.shared.u32 [%r21], %r1; bar.sync 0; sub.u32 %r3, 39, %r1;\n"
                             "mad.lo.u32 %r3, %r3, 4, %r20; ld.shared.u32 %r2, [%r3];\n" STORE),
     40, from_the_end_of_40},
    {"one warp arrives, another waits",
     KERNEL("",
            SHARED_ARRAY BELOW(
                32) "@!%p1 bra WAIT; mov.u32 %r4, 0;\n"
                    "D: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 20000; @%p2 bra D;\n" /* the others wait by then */
                    "st.shared.u32 [%r21], %r1; bar.arrive 1, 64; exit;\n"
                    "WAIT: bar.sync 1, 64; sub.u32 %r3, 63, %r1; mad.lo.u32 %r3, %r3, 4, %r20; ld.shared.u32 %r2, "
                    "[%r3];\n" STORE),
     64, consumed},
    {"bar.red",
     KERNEL(
         "",
         BELOW(10) "bar.red.popc.u32 %r3, 0, !%p1; bar.red.popc.u32 %r6, 1, %p1;\n"
                   "bar.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, 2, %p1; bar.red.and.pred %p4, 0, !%p1;\n"
                   "setp.lt.u32 %p6, %r1, 100; bar.red.or.pred %p5, 0, !%p6; bar.red.and.pred %p7, 0, %p6;\n"
                   "selp.u32 %r4, 256, 0, %p2; selp.u32 %r5, 512, 0, %p3; or.b32 %r2, %r3, %r4; or.b32 %r2, %r2, %r5;\n"
                   "shl.b32 %r6, %r6, 16; or.b32 %r2, %r2, %r6; @%p4 mov.u32 %r2, 1; @%p5 mov.u32 %r2, 2;\n"
                   "@!%p7 mov.u32 %r2, 3;\n" STORE),
     70, reductions},
    {"bar.red of a number of threads",
     KERNEL("", BELOW(32) "@!%p1 exit; setp.lt.u32 %p2, %r1, 5; mov.u32 %r2, 0;\n"
                          "bar.red.popc.u32 %r2, 3, 32, %p2; add.u32 %r2, %r2, 28;\n" STORE),
     64, thirty_three},
    {"a warp that has gone is not waited for",
     KERNEL(
         "",
         BELOW(32) "setp.ge.u32 %p2, %r1, 64; or.pred %p1, %p1, %p2; @!%p1 bra GO; bar.sync 0; mov.u32 %r2, 5;\n" STORE
                   "exit;\nGO: mov.u32 %r4, 0;\nD: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 20000; @%p2 bra D;\n"),
     96, alive_only},
    {"lanes of one warp at different barriers",
     KERNEL("", SHARED_ARRAY "st.shared.u32 [%r21], %r1; and.b32 %r3, %r1, 31; setp.lt.u32 %p1, %r3, 16;\n"
                             "@%p1 bra A; barrier.sync 2, 32; bra B; A: barrier.sync 1, 32; B: xor.b32 %r3, %r1, 32;\n"
                             "mad.lo.u32 %r3, %r3, 4, %r20; ld.shared.u32 %r2, [%r3];\n" TOGETHER STORE),
     64, halves},
    {"lanes of one warp come to one barrier one after another",
     KERNEL("", SHARED_ARRAY "st.shared.u32 [%r21], %r1; and.b32 %r3, %r1, 31; setp.lt.u32 %p1, %r3, 16;\n"
                             "@%p1 bra A; barrier.sync 1; bra B; A: barrier.sync 1; B: xor.b32 %r3, %r1, 32;\n"
                             "mad.lo.u32 %r3, %r3, 4, %r20; ld.shared.u32 %r2, [%r3];\n" TOGETHER STORE),
     64, halves},
    {"threads that have left before a counted barrier",
     KERNEL("", "setp.ge.u32 %p1, %r1, 40; @%p1 exit; mov.u32 %r2, 9; bar.sync 1, 64;\n" STORE), 64, forty_left},
    {"threads that leave after the others have come to a counted barrier",
     KERNEL("", "setp.ge.u32 %p1, %r1, 40; @%p1 bra END; mov.u32 %r2, 9; bar.sync 1, 64;\n" STORE "END:\n"), 64,
     forty_left},
    {"threads that never were", KERNEL("", "mov.u32 %r2, 9; bar.sync 1, 64;\n" STORE), 40, forty_left},
    {"one warp names all of the block's threads, another names no number",
     KERNEL("",
            SHARED_ARRAY "st.shared.u32 [%r21], %r1;\n" BELOW(
                32) "@%p1 bar.sync 1;\n@!%p1 bar.sync 1, 64;\n"
                    "xor.b32 %r3, %r1, 32; mad.lo.u32 %r3, %r3, 4, %r20; ld.shared.u32 %r2, [%r3];\n" TOGETHER STORE),
     64, halves},
    {"the same the other way about, with threads that never were",
     KERNEL("", BELOW(32) "@%p1 bar.sync 1, 64;\n@!%p1 bar.sync 1;\nmov.u32 %r2, 9;\n" STORE), 40, forty_left},
    {"a barrier whose number and count are in registers",
     KERNEL("",
            "mov.u32 %r3, 15; mov.u32 %r4, %ntid.x; bar.sync %r3, %r4; bar.sync %r3, %r4; mov.u32 %r2, %r1;\n" STORE),
     96, same},
};

static void test_barriers(void **state) {
    for (size_t k = 0; k < COUNT(barriers); k++) check_words(&barriers[k]);
}

static void test_refused_barriers(void **state) {
    static const stop_case cases[] = {
        {KERNEL("", BELOW(32) "@%p1 bar.sync 1, 64;\n@!%p1 bar.sync 1, 96;\n"), 64, SIM_ILLEGAL_INSTRUCTION,
         ILLEGAL
         "thread (32,0,0) of block (0,0,0) and 31 more of its warp: barrier 1 is expected by 64 threads and by 96\n"
         "    at PTX line 9: @!%p1 bar.sync 1, 96\n"},
        {KERNEL("", BELOW(32) "@%p1 bar.sync 1;\n@!%p1 bar.sync 1, 32;\n"), 64, SIM_ILLEGAL_INSTRUCTION,
         ILLEGAL
         "thread (32,0,0) of block (0,0,0) and 31 more of its warp: barrier 1 is expected by 64 threads and by 32\n"
         "    at PTX line 9: @!%p1 bar.sync 1, 32\n"},
        {KERNEL("", "bar.sync 16;\n"), 1, SIM_ILLEGAL_INSTRUCTION,
         ILLEGAL "thread (0,0,0) of block (0,0,0): barrier 16: there are 16\n    at PTX line 7: bar.sync 16\n"},
        {KERNEL("", "mov.u32 %r3, 99; bar.arrive %r3, 32;\n"), 2, SIM_ILLEGAL_INSTRUCTION,
         ILLEGAL "thread (0,0,0) of block (0,0,0) and 1 more of its warp: barrier 99: there are 16\n"
                 "    at PTX line 7: bar.arrive %r3, 32\n"},
        {KERNEL("", "bar.sync 1, 40;\n"), 64, SIM_ILLEGAL_INSTRUCTION,
         ILLEGAL
         "thread (0,0,0) of block (0,0,0) and 31 more of its warp: a barrier for 40 threads: not a multiple of 32\n"
         "    at PTX line 7: bar.sync 1, 40\n"},
        {KERNEL("", "bar.sync 1, 0;\n"), 32, SIM_ILLEGAL_INSTRUCTION,
         ILLEGAL
         "thread (0,0,0) of block (0,0,0) and 31 more of its warp: a barrier for 0 threads: not a multiple of 32\n"
         "    at PTX line 7: bar.sync 1, 0\n"},
        {KERNEL("", "and.b32 %r3, %r1, 1; barrier.sync %r3;\n"), 32, SIM_ILLEGAL_INSTRUCTION,
         ILLEGAL "thread (1,0,0) of block (0,0,0) and 15 more of its warp: lanes of one warp name different barriers\n"
                 "    at PTX line 7: barrier.sync %r3\n"},
    };
    check_stops(cases, COUNT(cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_divergence),        cmocka_unit_test(test_branch_target_out_of_range),
        cmocka_unit_test(test_spinning),          cmocka_unit_test(test_blocks_wait_for_later_ones),
        cmocka_unit_test(test_blocks_take_turns), cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_refused_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
