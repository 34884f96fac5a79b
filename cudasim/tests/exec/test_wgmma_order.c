/* When a wgmma is done, what goes wrong with one; setmaxnreg, elect. */
#include <math.h>

#include "sim_case.h"

/* ---- timing that is no accident ---------------------------------------------------------------------------------- */

/* Eight rows of 128 bytes each 1024 bytes, from shared address 1024 on: A has 8 KB, B of 8 columns 1 KB of it. */
#define DESCRIPTOR "0x4000004000010040"
#define SETUP      ".shared .align 1024 .b8 s[8192]; mov.u64 %rd5, " DESCRIPTOR "; mov.u64 %rd6, " DESCRIPTOR ";\n"
#define ZERO       "mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\n"
#define FENCE      "wgmma.fence.sync.aligned;\n"
#define D_OF_8     "{%f1,%f2,%f3,%f4}"
#define MMA        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D_OF_8 ", %rd5, %rd6, 1, 1, 1, 0, 0;\n"
#define A_OF_4     "{%r10,%r11,%r12,%r13}"
#define MMA_A      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D_OF_8 ", " A_OF_4 ", %rd6, 1, 1, 1, 0;\n"
#define COMMIT     "wgmma.commit_group.sync.aligned;\n"
#define WAIT(n)    "wgmma.wait_group.sync.aligned " #n ";\n"
#define STORE_D    "st.global.f32 [%rd2], %f1;\n"
#define VISIBLE    "fence.proxy.async; bar.sync 0;\n"

static void check_all(const char *ptx, uint32_t expected) {
    run_well(ptx, 1, 128);
    for (int t = 0; t < 128; t++) {
        if (out[t] != expected) {
            fail_msg("thread %d has 0x%x, not 0x%x", t, out[t], expected);
        }
    }
}

#define FILL_WITH(label, bits)                                                                                         \
    "mov.b16 %rs1, " bits "; mov.b32 %r20, {%rs1, %rs1}; mov.u32 %r21, %r1;\n" label                                   \
    ": mov.u32 %r22, s; shl.b32 %r23, %r21, 2; add.u32 %r22, %r22, %r23; st.shared.u32 [%r22], %r20;\n"                \
    "add.u32 %r21, %r21, 128; setp.lt.u32 %p9, %r21, 2048; @%p9 bra " label ";\n"

static void test_order(void **state) {
    /* 1 * 1, 16 of them; twice; D of the first instruction adds up in the second. */
    check_all(KERNEL("", SETUP FILL_WITH("F", "0x3c00") VISIBLE ZERO FENCE MMA COMMIT WAIT(0) STORE_D), 0x41800000);
    check_all(KERNEL("", SETUP FILL_WITH("F", "0x3c00") VISIBLE ZERO FENCE MMA MMA COMMIT WAIT(0) STORE_D), 0x42000000);
    check_all(
        KERNEL("", SETUP FILL_WITH("F", "0x3c00") VISIBLE ZERO FENCE MMA COMMIT MMA COMMIT WAIT(1) WAIT(0) STORE_D),
        0x42000000);
    /* What is written before the wait is what is multiplied: 2 * 2 here. */
    check_all(KERNEL("", SETUP FILL_WITH("F", "0x3c00") VISIBLE ZERO FENCE MMA COMMIT FILL_WITH("G", "0x4000")
                             VISIBLE WAIT(0) STORE_D),
              0x42800000);
    /* And what is written after one warp's wait is not: the last warp waits, the others come behind a barrier. */
    check_all(KERNEL("", SETUP FILL_WITH("F", "0x3c00") VISIBLE ZERO FENCE MMA COMMIT
                     "setp.lt.u32 %p1, %r1, 96; @%p1 bra N;\n" WAIT(0) "N: bar.sync 0;\n" FILL_WITH("G", "0x4000")
                         VISIBLE WAIT(0) STORE_D),
              0x41800000);
    /* Of two groups with accumulators of their own the older is done while the younger is on its way. */
    check_all(
        KERNEL(
            "", SETUP FILL_WITH("F", "0x3c00") VISIBLE ZERO
            "mov.f32 %f5, %f1; mov.f32 %f6, %f1; mov.f32 %f7, %f1; mov.f32 %f0, %f1;\n" FENCE MMA COMMIT
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f5,%f6,%f7}, %rd5, %rd6, 1, 1, 1, 0, 0;\n" COMMIT
                WAIT(1) STORE_D WAIT(0)),
        0x41800000);
    /* No group, nothing on its way: no waiting. */
    check_all(KERNEL("", FENCE COMMIT WAIT(0) "mov.u32 %r2, 7;\n" STORE), 7);
    /* D = A B where scale-d is false: NaNs in D do not matter. And NaN is one and the same. */
    check_all(KERNEL("", SETUP FILL_WITH("F", "0x3c00") VISIBLE
                     "mov.f32 %f1, 0f7fc00000; mov.f32 %f2, %f1;\n"
                     "mov.f32 %f3, %f1; mov.f32 %f4, %f1; setp.ne.u32 %p1, %r1, %r1;\n" FENCE
                     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D_OF_8
                     ", %rd5, %rd6, %p1, 1, 1, 0, 0;\n" COMMIT WAIT(0) STORE_D),
              0x41800000);
    check_all(KERNEL("", SETUP FILL_WITH("F", "0xfe01") VISIBLE ZERO FENCE MMA COMMIT WAIT(0) STORE_D), 0x7fffffff);
    /* Moves are the compiler's: behind a fence, too. Instructions that compute come before it. */
    check_all(KERNEL("",
                     SETUP FILL_WITH("F", "0x3c00") VISIBLE FENCE ZERO MMA COMMIT WAIT(
                         0) "add.f32 %f1, %f1, %f1;\n" FENCE "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D_OF_8
                            ", %rd5, %rd6, 1, -1, 1, 0, 0;\n" COMMIT WAIT(0) STORE_D),
              0x41800000);
    /* Also where it is false of the second of two that are done together. */
    check_all(KERNEL("", SETUP FILL_WITH("F", "0x3c00") VISIBLE ZERO FENCE MMA MMA
                     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D_OF_8
                     ", %rd5, %rd6, 0, 1, 1, 0, 0;\n" COMMIT WAIT(0) STORE_D),
              0x41800000);
    /* D of f16 is rounded after each instruction: 2048 + 16 * 0.0625 is 2048, twice. */
    check_all(
        KERNEL("", SETUP FILL_WITH("F", "0x3400") VISIBLE
               "mov.u32 %r2, 0x68006800; mov.u32 %r3, %r2;\n" FENCE
               "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r2,%r3}, %rd5, %rd6, 1, 1, 1, 0, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r2,%r3}, %rd5, %rd6, 1, 1, 1, 0, 0;\n" COMMIT WAIT(
                   0) STORE),
        0x68006800);
    /* Two warpgroups, each with scale-d and groups of its own. */
    run_well(KERNEL("", SETUP FILL_WITH("F", "0x3c00") VISIBLE ZERO "setp.ge.u32 %p1, %r1, 128;\n" FENCE
                                                                    "@%p1 bra H;\n" MMA COMMIT WAIT(0) STORE_D
                    "ret;\nH: " MMA COMMIT MMA COMMIT WAIT(0) STORE_D),
             1, 256);
    for (int t = 0; t < 256; t++) assert_int_equal(out[t], t < 128 ? 0x41800000 : 0x42000000);
    /* A warp whose lanes come apart meets again before the instruction. */
    check_all(KERNEL("", SETUP FILL_WITH("F", "0x3c00") VISIBLE ZERO
                     "and.b32 %r3, %r1, 31; mov.u32 %r4, 0; setp.ne.u32 %p1, %r3, 0; @%p1 bra H;\n"
                     "G: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 10000; @%p2 bra G;\nH: " FENCE MMA COMMIT WAIT(0)
                         STORE_D),
              0x41800000);
}

/* ---- what goes wrong --------------------------------------------------------------------------------------------- */

#define WRONG(body) KERNEL("", SETUP body)
static const struct fault {
    const char *ptx;
    unsigned threads;
    const char *said;
} faults[] = {
    /* accumulators and A before the wait */
    {WRONG(ZERO FENCE MMA COMMIT STORE_D WAIT(0)), 128,
     "%f1 is accessed while the wgmma.mma_async at PTX line 10, whose accumulator it is, is on its way: "
     "wgmma.wait_group "
     "comes first\n    at PTX line 12: st.global.f32 [%rd2], %f1\n"},
    {WRONG(ZERO FENCE MMA COMMIT "add.f32 %f5, %f3, %f5;\n" WAIT(0)), 128,
     "%f3 is accessed while the wgmma.mma_async at *"},
    {WRONG(ZERO FENCE MMA COMMIT "mov.f32 %f3, %f5;\n" WAIT(0)), 128, "%f3 is accessed while the wgmma.mma_async at *"},
    {WRONG(ZERO FENCE MMA COMMIT "mul.f32 %f2, %f5, %f5;\n" WAIT(0)), 128,
     "%f2 is written while the wgmma.mma_async at *"},
    {WRONG(ZERO FENCE MMA COMMIT WAIT(1) STORE_D WAIT(0)), 128, "%f1 is accessed while the wgmma.mma_async at *"},
    {WRONG(ZERO FENCE MMA WAIT(0) STORE_D), 128, "%f1 is accessed while the wgmma.mma_async at *"}, /* no group */
    {WRONG(ZERO FENCE MMA COMMIT MMA COMMIT WAIT(1) STORE_D), 128,
     "%f1 is accessed while the wgmma.mma_async at PTX line 12, *"},
    {WRONG(ZERO FENCE MMA_A COMMIT "add.u32 %r11, %r1, 1;\n" WAIT(0)), 128,
     "%r11 is written while the wgmma.mma_async at PTX line 10, whose A it is, *"},
    {WRONG(ZERO FENCE MMA COMMIT "ld.global.f32 %f4, [%rd1];\n" WAIT(0)), 128, "%f4 is written while *"},
    /* other uses by another wgmma */
    {WRONG(ZERO FENCE MMA "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 " D_OF_8
                          ", %rd5, %rd6, 1, 1, 1;\n" COMMIT WAIT(0)),
     128, "%f1 is an accumulator of the wgmma.mma_async of another shape at PTX line 10, which is on its way: *"},
    {WRONG("mov.u32 %r11, 0;\n" FENCE
           "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r10,%r11,%r12,%r13}, %rd5, %rd6, 1;\n" MMA_A COMMIT WAIT(
               0)),
     128, "%r10 is A's while a wgmma.mma_async whose accumulator it is is on its way: *"},
    {WRONG(FENCE MMA_A
           "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r13,%r14,%r15,%r16}, %rd5, %rd6, 1;\n" COMMIT WAIT(0)),
     128, "%r13 is an accumulator while a wgmma.mma_async whose A it is is on its way: *"},
    /* fences */
    {WRONG(ZERO MMA COMMIT WAIT(0)), 128,
     "there is no wgmma.fence before the first wgmma.mma_async\n    at PTX line 9: wgmma.mma_async.*"},
    {WRONG(ZERO FENCE "add.f32 %f2, %f2, %f2;\n" MMA COMMIT WAIT(0)), 128,
     "%f2 has been written since the latest wgmma.fence: there must be one between\n    at PTX line 11: *"},
    {WRONG(ZERO FENCE MMA COMMIT WAIT(0) "mul.f32 %f4, %f4, %f4;\n" MMA COMMIT WAIT(0)), 128,
     "%f4 has been written since *"},
    {WRONG(FENCE "ld.global.u32 %r12, [%rd1];\n" MMA_A COMMIT WAIT(0)), 128, "%r12 has been written since *"},
    /* the warpgroup */
    {WRONG(ZERO FENCE MMA COMMIT WAIT(0)), 96, "a warpgroup is warps 0 to 3, and the block has only 3 warps\n*"},
    {WRONG(ZERO FENCE MMA COMMIT WAIT(0)), 160, "a warpgroup is warps 4 to 7, and the block has only 5 warps\n*"},
    {WRONG(ZERO FENCE "setp.ge.u32 %p1, %r1, 96; @%p1 exit;\n" MMA COMMIT WAIT(0)), 128,
     "warp 3 ends without the wgmma.mma_async at PTX line 11, which warp 0 of its warpgroup has issued\n*"},
    {WRONG(ZERO FENCE "setp.lt.u32 %p1, %r1, 32; @%p1 exit;\n" MMA COMMIT WAIT(0)), 128,
     "warp 0 of the warpgroup has ended: a wgmma.mma_async takes all four\n*"},
    {WRONG(ZERO FENCE "setp.ge.u32 %p1, %r1, 96;\n@%p1 bra H;\n" MMA "bra E;\nH: " MMA "E: " COMMIT WAIT(0)), 128,
     "the warps of a warpgroup execute different wgmma.mma_async: warp 0 the one at PTX line 12\n    at PTX line 14: "
     "*"},
    {WRONG(ZERO FENCE "setp.ge.u32 %p1, %r1, 64; @%p1 add.u64 %rd5, %rd5, 2;\n" MMA COMMIT WAIT(0)), 128,
     "the warps of a warpgroup give different descriptors of A: warp 0 0x4000004000010040, warp 2 "
     "0x4000004000010042\n*"},
    {WRONG(ZERO FENCE "setp.ge.u32 %p1, %r1, 32; @%p1 add.u64 %rd6, %rd6, 2;\n" MMA COMMIT WAIT(0)), 128,
     "the warps of a warpgroup give different descriptors of B: warp 0 0x4000004000010040, warp 1 *"},
    {WRONG(ZERO FENCE "setp.ge.u32 %p1, %r1, 32;\n"
                      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D_OF_8
                      ", %rd5, %rd6, %p1, 1, 1, 0, 0;\n" COMMIT WAIT(0)),
     128, "the warps of a warpgroup give different scale-d: warp 0 0x0, warp 1 0x1\n*"},
    {WRONG(ZERO FENCE "setp.eq.u32 %p1, %r1, 5; @%p1 add.u64 %rd6, %rd6, 2;\n" MMA COMMIT WAIT(0)), 128,
     "the lanes of a warp give different descriptors of B\n*"},
    {WRONG(ZERO FENCE "setp.eq.u32 %p1, %r1, 5;\n"
                      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D_OF_8
                      ", %rd5, %rd6, %p1, 1, 1, 0, 0;\n" COMMIT WAIT(0)),
     128, "the lanes of a warp give different scale-d\n*"},
    {WRONG(ZERO FENCE "setp.ge.u32 %p1, %r1, 16;\n@%p1 " MMA COMMIT WAIT(0)), 128,
     "16 of the 32 lanes of a warp execute this, which takes all of them (.sync.aligned)\n*"},
    {WRONG(ZERO FENCE "setp.eq.u32 %p1, %r1, 0; @%p1 exit;\n" MMA COMMIT WAIT(0)), 128,
     "31 of the 32 lanes of a warp *"},
    {WRONG(ZERO "setp.eq.u32 %p1, %r1, 0; @%p1 exit;\n" FENCE), 128, "31 of the 32 lanes of a warp *"},
    /* descriptors */
    {WRONG(ZERO FENCE "mov.u64 %rd6, 0x4000004000010238;\n" MMA COMMIT WAIT(0)), 128,
     "the descriptor 0x4000004000010238 of B leads to 16 bytes of shared memory at 0x2400 (column 1, chunk 0); the "
     "block's "
     "shared memory is 0x400 to 0x2400\n*"},
    {WRONG(ZERO FENCE "mov.u64 %rd5, 0x4000004000010080;\n" MMA COMMIT WAIT(0)), 128,
     "the descriptor 0x4000004000010080 of A leads to 16 bytes of shared memory at 0x2400 (row 56, chunk 0); *"},
    {WRONG(ZERO FENCE "mov.u64 %rd6, 0x4000004000010000;\n" MMA COMMIT WAIT(0)), 128,
     "the descriptor 0x4000004000010000 of B leads to 16 bytes of shared memory at 0x0 (column 0, chunk 0); *"},
    /* a function that leaves one behind */
    {KERNEL(".func f() { .reg .f32 %f<8>; .reg .b64 %rd<8>; mov.u64 %rd5, " DESCRIPTOR "; mov.u64 %rd6, " DESCRIPTOR
            "; " ZERO FENCE MMA COMMIT "ret; }\n",
            ".shared .align 1024 .b8 s[8192]; call f;\n"),
     128, "f returns while a wgmma.mma_async is on its way: wgmma.wait_group comes first\n*called from*"},
};

static void test_faults(void **state) {
    for (size_t k = 0; k < COUNT(faults); k++) {
        sim_status status = run(faults[k].ptx, 1, faults[k].threads);
        char pattern[1024];
        snprintf(pattern, sizeof pattern, "cudasim: * in kernel k: thread (*,0,0) of block (0,0,0)*: %s",
                 faults[k].said);
        if ((status != SIM_ILLEGAL_INSTRUCTION && status != SIM_ILLEGAL_ADDRESS) || !is_like(said, pattern)) {
            fail_msg("case %zu: status %d, said:\n%sexpected:\n%s", k, status, said, pattern);
        }
    }
    /* A warp that goes another way: the others wait for its part. */
    set_environment("CUDASIM_WATCHDOG", "5");
    assert_int_equal(
        run(WRONG(ZERO FENCE "setp.ge.u32 %p1, %r1, 96;\n@%p1 bra H;\n" MMA COMMIT WAIT(0) "H: bar.sync 0;\n"), 1, 128),
        SIM_TIMEOUT);
    set_environment("CUDASIM_WATCHDOG", NULL);
    assert_said("cudasim: kernel k is stopped: deadlock: no thread of the block can go on; block (0,0,0):\n"
                "    warp 0, lanes ffffffff, wait for all of their warpgroup to issue its wgmma: PTX line 14: *"
                "    warp 3, lanes ffffffff, wait at barrier 0 (32 of 128 threads have come): *");
}

static void test_refusals(void **state) {
    static const char *const refused[][2] = {
        {"wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 " D_OF_8 ", %rd5, %rd6, 1, 1, 1, 0, 0;", "N = 12 is none"},
        {"wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r1}, %rd5, %rd6, 1;", "N = 40 is none"},
        {"wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 " D_OF_8 ", %rd5, %rd6, 1, 1, 1, 0, 0;", "K is not"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f16.bf16.bf16 {%r1,%r2}, %rd5, %rd6, 1, 1, 1, 0, 0;",
         "combination of types"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.bf16 " D_OF_8 ", %rd5, %rd6, 1, 1, 1, 0, 0;",
         "combination of types"},
        {"wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%r1,%r2,%r3,%r4}, %rd5, %rd6, 1;", "\".b1\""},
        {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " D_OF_8 ", %rd5, %rd6, %r1, 0, 1, 1, 1, 0, 0;",
         "sparse"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3}, %rd5, %rd6, 1, 1, 1, 0, 0;",
         "a vector of 4 registers is needed"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f1}, %rd5, %rd6, 1, 1, 1, 0, 0;",
         "stands twice"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%rd1}, %rd5, %rd6, 1, 1, 1, 0, 0;",
         "%rd1 has 64 bits"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D_OF_8 ", %rd5, %rd6, 1, 2, 1, 0, 0;", "1 or -1"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D_OF_8 ", %rd5, %rd6, 1, 1, 1, 0, 2;", "0 or 1"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D_OF_8 ", %rd5, %rd6, 3, 1, 1, 0, 0;", "scale-d"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " D_OF_8 ", %rd5, %r6, 1, 1, 1, 0, 0;", "%r6"},
        {"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 " D_OF_8 ", %rd5, %rd6, 1, 1, 1, 0, 0;",
         "8 operands where it takes 6"},
        {"wgmma.mma_async.sync.aligned.satfinite.m64n8k16.f32.f16.f16 " D_OF_8 ", %rd5, %rd6, 1, 1, 1, 0, 0;", "shape"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.satfinite.f32.f16.f16 " D_OF_8 ", %rd5, %rd6, 1, 1, 1, 0, 0;",
         ".satfinite"},
        {"wgmma.mma_async.m64n8k16.f32.f16.f16 " D_OF_8 ", %rd5, %rd6, 1, 1, 1, 0, 0;", ".sync.aligned"},
        {"wgmma.fence.aligned;", ".sync.aligned"},
        {"wgmma.wait_group.sync.aligned %r1;", "number of groups"},
        {"wgmma.commit.sync.aligned;", "form of wgmma"},
        {"setmaxnreg.inc.sync.aligned.u32 28;", "multiple of 8"},
        {"setmaxnreg.dec.sync.aligned.u32 16;", "24 to 256"},
        {"setmaxnreg.dec.sync.aligned.u32 264;", "24 to 256"},
        {"setmaxnreg.dec.sync.aligned.u32 %r1;", "constant"},
        {"setmaxnreg.sync.aligned.u32 24;", "inc or dec"},
    };
    for (size_t k = 0; k < COUNT(refused); k++) {
        char ptx[2048], error[1024] = "";
        snprintf(ptx, sizeof ptx, "%s%s%s", KERNEL("", "\x01"), "", "");
        char *at = strchr(ptx, 1), rest[256];
        snprintf(rest, sizeof rest, "%s", at + 1);
        snprintf(at, sizeof ptx - (size_t)(at - ptx), "%s%s", refused[k][0], rest);
        program p = program_load(ptx);
        assert_non_null(p.module);
        if (sim_module_kernel(p.module, "k", error, sizeof error) != NULL || strstr(error, refused[k][1]) == NULL ||
            strstr(error, "PTX line 7") == NULL) {
            fail_msg("%s: %s", refused[k][0], error[0] != '\0' ? error : "not refused");
        }
        program_unload(&p);
    }
}

/* ---- setmaxnreg, elect, griddepcontrol --------------------------------------------------------------------------- */

#define WITH_REGISTERS(n, body)                                                                                        \
    PTX_HEAD ".visible .entry k(.param .u64 out) .maxnreg " #n                                                         \
             " {\n.reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"                                              \
             "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd2, %r1, 4, %rd1; mov.u32 %r2, 5;\n"       \
             "setp.ge.u32 %p1, %r1, 128; @%p1 bra H;\n" body "\nE: " STORE "ret;\n}\n"

static void test_setmaxnreg(void **state) {
    /* 256 * 2 of what 168 * 3 are: the consumers wait until the producer has handed its registers back. */
    run_well(WITH_REGISTERS(168,
                            "setmaxnreg.inc.sync.aligned.u32 232;\nbra E;\nH: setp.ge.u32 %p2, %r1, 256; @%p2 bra I;\n"
                            "setmaxnreg.inc.sync.aligned.u32 232;\nbra E;\nI: setmaxnreg.dec.sync.aligned.u32 40;\n"),
             1, 384);
    for (int t = 0; t < 384; t++) assert_int_equal(out[t], 5);
    assert_int_equal(
        run(WITH_REGISTERS(168, "setmaxnreg.inc.sync.aligned.u32 240;\nbra E;\nH: setp.ge.u32 %p2, %r1, 256;\n"
                                "@%p2 bra I; setmaxnreg.inc.sync.aligned.u32 240;\nbra E;\n"
                                "I: setmaxnreg.dec.sync.aligned.u32 40; bar.sync 1, 128;\n"),
            1, 384),
        SIM_TIMEOUT);
    assert_said("cudasim: kernel k is stopped: deadlock: *wait for 64 registers per thread: PTX line *");
    assert_int_equal(run(WITH_REGISTERS(128, "setmaxnreg.inc.sync.aligned.u32 120;\nH:"), 1, 128),
                     SIM_ILLEGAL_INSTRUCTION);
    assert_said("*: a warp with 128 registers per thread cannot rise to 120\n*");
    assert_int_equal(run(WITH_REGISTERS(128, "setmaxnreg.dec.sync.aligned.u32 136;\nH:"), 1, 128),
                     SIM_ILLEGAL_INSTRUCTION);
    assert_said("*: a warp with 128 registers per thread cannot go down to 136\n*");
    /* Without a number of registers given it has no effect. */
    run_well(KERNEL("", "setmaxnreg.inc.sync.aligned.u32 256; mov.u32 %r2, 5;\n" STORE), 1, 128);
    assert_int_equal(out[127], 5);
    assert_int_equal(run(KERNEL("", "setmaxnreg.inc.sync.aligned.u32 256;\n"), 1, 64), SIM_ILLEGAL_INSTRUCTION);
    assert_said("*: a warpgroup is warps 0 to 3, and the block has only 2 warps\n*");
}

static void test_elect(void **state) {
    run_well(KERNEL("", "elect.sync %r2|%p1, -1; @%p1 add.u32 %r2, %r2, 100;\n" STORE), 1, 64);
    for (int t = 0; t < 64; t++) assert_int_equal(out[t], t % 32 == 0 ? 100 : 0);
    run_well(KERNEL("", "setp.lt.u32 %p2, %r1, 12; @%p2 bra E; elect.sync _|%p1, 0xfffff000; selp.u32 %r2, 1, 2, %p1;\n"
                        "E: " STORE),
             1, 32);
    for (int t = 12; t < 32; t++) assert_int_equal(out[t], t == 12 ? 1 : 2);
    run_well(KERNEL("", "griddepcontrol.wait; mov.u32 %r2, 3; griddepcontrol.launch_dependents;\n" STORE), 2, 32);
    assert_int_equal(out[31], 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),      cmocka_unit_test(test_faults), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_setmaxnreg), cmocka_unit_test(test_elect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
