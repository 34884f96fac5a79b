/* Faults, shared memory, cp.async and calls. */
#include "machine_case.h"

/* ---- faults of memory accesses ---- */

/* Of one thread; `said` is what follows the thread. In it, "*" stands for anything, "@0010" for the address of
 * out + 0x10. */
typedef struct fault_case {
    const char *ptx;
    sim_status status;
    const char *said;
} fault_case;

#define BAD      SIM_ILLEGAL_ADDRESS, FAULT("illegal address") FIRST
#define CROOKED  SIM_MISALIGNED_ADDRESS, FAULT("misaligned address") FIRST
#define AT(text) "\n    at PTX line 7: " text "\n"
#define SMALL    ".global .align 16 .b8 small[24]; .const .align 4 .u32 fixed[2] = {5, 6}; "

static const fault_case faults[] = {
    {KERNEL("", "ld.global.u32 %r2, [%rd1+32768];\n"),
     BAD "reads 4 bytes at @8000: 0 bytes past the end of the 32768-byte allocation at @0000" AT(
         "ld.global.u32 %r2, [%rd1+32768]")},
    {KERNEL("", "st.global.u8 [%rd1+32771], %r2;\n"),
     BAD "writes 1 bytes at @8003: 3 bytes past the end of the 32768-byte allocation at @0000" AT(
         "st.global.u8 [%rd1+32771], %r2")},
    {KERNEL("", "ld.u64 %rd3, [%rd1+-8];\n"),
     BAD "reads 8 bytes at *: 8 bytes before the 32768-byte allocation at @0000*"},
    {KERNEL("", "atom.global.add.u32 %r2, [%rd1+36860], 1;\n"),
     BAD "atomically changes 4 bytes at @8ffc: 4092 bytes past the end of the 32768-byte allocation at @0000*"},
    {KERNEL("", "red.add.u32 [%rd1+32768], 1;\n"),
     BAD "atomically changes 4 bytes at @8000: 0 bytes past the end of *"},
    {KERNEL(SMALL, "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [small+16];\n"),
     BAD "reads 16 bytes at 0x*010: it runs over the end of small (24 bytes at 0x*000)" AT(
         "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [small+16]")},
    {KERNEL(SMALL, "st.global.v2.u64 [small+16], {%rd1, %rd1};\n"),
     BAD "writes 16 bytes at 0x*010: it runs over the end *"},
    {KERNEL(SMALL, "ld.const.u32 %r2, [fixed+8];\n"),
     BAD "reads 4 bytes at 0x*008: 0 bytes past the end of fixed (8 bytes *"},
    {KERNEL(SMALL, "mov.u64 %rd3, fixed; cvta.const.u64 %rd3, %rd3; st.u32 [%rd3+4], 1;\n"),
     BAD "writes 4 bytes at 0x*004: fixed is constant*"},
    {KERNEL(SMALL, "mov.u64 %rd3, fixed; st.global.u8 [%rd3], 1;\n"),
     BAD "writes 1 bytes at 0x*000: fixed is constant*"},
    {KERNEL("", "mov.u64 %rd3, 0; ld.global.f32 %f1, [%rd3];\n"), BAD "reads 4 bytes at 0x0: a null pointer*"},
    {KERNEL("", "mov.u64 %rd3, 0; st.u32 [%rd3+16], 1;\n"), BAD "writes 4 bytes at 0x10: a null pointer*"},
    {KERNEL("", "mov.u64 %rd3, -4; ld.global.u32 %r2, [%rd3];\n"),
     BAD "reads 4 bytes at 0xfffffffffffffffc: * past the end*"},
    {KERNEL("", "ld.global.u32 %r2, [%rd1+2];\n"),
     CROOKED "reads 4 bytes at @0002, which is not aligned to 4" AT("ld.global.u32 %r2, [%rd1+2]")},
    {KERNEL("", "st.global.v4.f32 [%rd1+8], {%f1, %f1, %f1, %f1};\n"),
     CROOKED "writes 16 bytes at @0008, which is not aligned to 16*"},
    {KERNEL("", ".shared .u64 s[2]; ld.shared.u64 %rd3, [s+4];\n"),
     CROOKED "reads 8 bytes at 0x404, which is not aligned *"},
    {KERNEL("", ".shared .u32 s[4]; ld.shared.u32 %r2, [s+16];\n"),
     BAD "reads 4 bytes of shared memory at 0x410; the block's shared memory is 0x400 to 0x410" AT(
         "ld.shared.u32 %r2, [s+16]")},
    {KERNEL("", ".shared .u32 s[4]; st.shared.u32 [s+-4], %r2;\n"),
     BAD "writes 4 bytes of shared memory at 0x3fc; the block's shared memory is 0x400 to 0x410*"},
    {KERNEL("", "mov.u32 %r3, -4; ld.shared.u32 %r2, [%r3];\n"), BAD "reads 4 bytes of shared memory at 0xfffffffc; *"},
    {KERNEL("", "mov.u64 %rd3, -4; ld.shared.u32 %r2, [%rd3];\n"),
     BAD "reads 4 bytes of shared memory at 0xfffffffffffffffc; *"},
    {KERNEL("", "mov.u64 %rd3, -1; st.shared.u8 [%rd3], 1;\n"),
     BAD "writes 1 bytes of shared memory at 0xffffffffffffffff; *"},
    {KERNEL("", ".shared .u32 s[4]; mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; st.u32 [%rd3+16], 1;\n"),
     BAD "writes 4 bytes of shared memory at 0x410; the block's shared memory is 0x400 to 0x410*"},
    {KERNEL("", ".shared .u32 s[4]; mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; atom.add.u32 %r2, [%rd3+32], 1;\n"),
     BAD "atomically changes 4 bytes of shared memory at 0x420; *"},
    {KERNEL("", ".local .align 4 .b8 a[16]; mov.u64 %rd3, a; ld.local.u32 %r2, [%rd3+16];\n"),
     BAD "reads 4 bytes of local memory at 0x20; the thread has 32*"},
    {KERNEL("", ".local .align 4 .b8 a[16]; mov.u64 %rd3, a; cvta.local.u64 %rd3, %rd3; st.u32 [%rd3+1000], 1;\n"),
     BAD "writes 4 bytes of local memory at 0x3f8; the thread has 32*"},
    {KERNEL("", "mov.u64 %rd3, out; cvta.param.u64 %rd3, %rd3; st.u32 [%rd3], 1;\n"), BAD "writes 4 bytes at 0x*"},
    {KERNEL("", "mov.u64 %rd3, out; cvta.param.u64 %rd3, %rd3; ld.u32 %r2, [%rd3+8];\n"), BAD "reads 4 bytes at 0x*"},
    {KERNEL("", ".shared .align 16 .b8 s[32]; cp.async.cg.shared.global [s+32], [%rd1], 16;\n"),
     BAD "writes 16 bytes of shared memory at 0x420; *"},
    {KERNEL("", ".shared .align 16 .b8 s[32]; cp.async.cg.shared.global [s], [%rd1+32768], 16;\n"),
     BAD "reads 16 bytes at @8000: *"},
    {KERNEL("", ".shared .align 16 .b8 s[32]; cp.async.ca.shared.global [s], [%rd1+2], 4;\n"),
     CROOKED "reads 4 bytes at @0002, which is not aligned to 4*"},
    {KERNEL("", "trap;\n"), SIM_TRAP, FAULT("trap") FIRST "trap" AT("trap")},
};

static void test_faults(void **state) {
    for (size_t k = 0; k < COUNT(faults); k++) {
        char expected[1024] = "";
        const sim_status status = run(faults[k].ptx, 1, 1);
        size_t used = 0;
        for (const char *at = faults[k].said; *at != '\0'; at++) {
            if (*at != '@') {
                expected[used++] = *at;
                continue;
            }
            char offset[5] = {at[1], at[2], at[3], at[4], '\0'};
            used += (size_t)sprintf(expected + used, "0x%llx", (unsigned long long)out + strtoull(offset, NULL, 16));
            at += 4;
        }
        if (!is_like(said, expected)) fail_msg("said:\n%sexpected:\n%s", said, expected);
        assert_int_equal(status, faults[k].status);
    }
}

static void test_freed_memory_and_gaps(void **state) {
    static const char load[] = KERNEL("", "ld.global.u32 %r2, [%rd1];\n");
    uint64_t first = memory_allocate(100, 0, MEMORY_DEVICE, NULL, NULL);
    uint64_t second = memory_allocate(4096, 0, MEMORY_DEVICE, NULL, NULL);
    assert_int_equal(run_at(load, 1, first + 96), SIM_OK);
    assert_int_equal(run_at(load, 1, first + 100), SIM_ILLEGAL_ADDRESS); /* on its page, not in it */
    assert_said(FAULT("illegal address") FIRST
                "reads 4 bytes at 0x%llx: 0 bytes past the end of the 100-byte allocation at "
                "0x%llx" AT("ld.global.u32 %%r2, [%%rd1]"),
                (unsigned long long)first + 100, (unsigned long long)first);
    assert_int_equal(run_at(load, 1, second - 4), SIM_ILLEGAL_ADDRESS); /* between the two */
    assert_said("*: 4 bytes before the 4096-byte allocation at 0x%llx\n*", (unsigned long long)second);
    assert_true(memory_free(first));
    assert_int_equal(run_at(load, 1, first + 8), SIM_ILLEGAL_ADDRESS);
    assert_said("*reads 4 bytes at 0x%llx: inside of the freed 100-byte allocation at 0x%llx\n*",
                (unsigned long long)first + 8, (unsigned long long)first);
    assert_true(memory_free(second));
}

static uint64_t leak_serials[64];
static int leak_count;
static void note_leak(const memory_allocation *m) {
    if (leak_count < 64) leak_serials[leak_count++] = m->serial;
}

/* Small allocations and large ones are kept apart, and what is not freed is told in the program's order all the same.
 */
static void test_leaks_are_told_oldest_first(void **state) {
    static const uint64_t sizes[] = {100, 4u << 20, 200, 2u << 20, 300};
    uint64_t at[COUNT(sizes)];
    for (int k = 0; k < (int)COUNT(sizes); k++) at[k] = memory_allocate(sizes[k], 0, MEMORY_DEVICE, NULL, NULL);
    memory_leaks(note_leak);
    assert_in_range(leak_count, COUNT(sizes), 63);
    for (int k = 1; k < leak_count; k++) assert_true(leak_serials[k - 1] < leak_serials[k]);
    for (int k = 0; k < (int)COUNT(sizes); k++) assert_true(memory_free(at[k]));
}

static void test_which_lanes(void **state) {
    assert_int_equal(run(KERNEL("", "setp.gt.u32 %p1, %r1, 40; @%p1 add.u64 %rd2, %rd2, 32768;\n" STORE), 1, 64),
                     SIM_ILLEGAL_ADDRESS);
    assert_said(FAULT("illegal address") "thread (41,0,0) of block (0,0,0) and 22 more of its warp: writes *");
    sim_launch_config c = {.grid = {1, 2, 1}, .block = {4, 4, 4}, .cluster = {1, 1, 1}};
    assert_int_equal(
        run_with(KERNEL("", "mov.u32 %r3, %ctaid.y; mov.u32 %r4, %tid.z; add.u32 %r4, %r4, %r3;\n"
                            "setp.eq.u32 %p1, %r4, 4; mov.u32 %r5, %tid.y; setp.ne.and.u32 %p1, %r5, 0, %p1;\n"
                            "@%p1 trap;\n"),
                 c),
        SIM_TRAP);
    assert_said(
        FAULT("trap") "thread (0,1,3) of block (0,1,0) and 11 more of its warp: trap\n    at PTX line 9: @%%p1 trap\n");
}

static void test_only_the_first_fault_is_told(void **state) {
    for (int threads = 1; threads <= 4; threads++) {
        set_environment("CUDASIM_THREADS", threads == 1 ? "1" : threads == 2 ? "2" : "4");
        assert_int_equal(run(KERNEL("", "trap;\n"), 500, 64), SIM_TRAP);
        assert_said(FAULT("trap") "thread (*,0,0) of block (*,0,0) and 31 more of its warp: trap" AT("trap"));
        assert_null(strstr(said + 1, "cudasim"));
    }
    set_environment("CUDASIM_THREADS", NULL);
}

static void test_names_of_cpp(void **state) {
    program p = program_load(PTX_HEAD ".visible .entry _Z4findILi8EEvPKfm(.param .u64 a, .param .u64 b) { trap; }\n");
    out_renew();
    assert_int_equal(launch_kernel(kernel_of(&p, "_Z4findILi8EEvPKfm"), shape(1, 1), (uint64_t[2]){0}), SIM_TRAP);
    assert_said("cudasim: trap in kernel void find<8>(float const*, unsigned long): " FIRST "*");
    program_unload(&p);
}

static void test_call_chain(void **state) {
#define CHAIN                                                                                                          \
    PTX_FILE ".func deep(.param .b64 a) {\n.reg .b64 %rd<2>; ld.param.u64 %rd1, [a];\n" LOC(                           \
        3) "st.u32 [%rd1], 0;\nret; }\n.func middle(.param .b64 a) {\n"                                                \
           ".reg .b64 %rd<2>; .param .b64 b; ld.param.u64 %rd1, [a]; st.param.b64 [b], %rd1;\n" LOC(                   \
               20) "call deep, (b);\nret; }\n"
    assert_int_equal(run(KERNEL(CHAIN, ".param .b64 b; add.u64 %rd3, %rd1, 32768; st.param.b64 [b], %rd3;\n" LOC(
                                           40) "call middle, (b);\n"),
                         1, 1),
                     SIM_ILLEGAL_ADDRESS);
    assert_said(FAULT("illegal address") FIRST "writes 4 bytes at *\n"
                                               "    at case.cu:3 (PTX line 8: st.u32 [%%rd1], 0)\n"
                                               "    called from case.cu:20 (PTX line 13: call deep, (b))\n"
                                               "    called from case.cu:40 (PTX line 20: call middle, (b))\n");
}

/* ---- shared memory ---- */

static void test_shared_memory(void **state) {
    /* a of the module, b of the function that it calls, c its own, then what the launch asks for. */
    static const char text[] = KERNEL(
        ".shared .align 4 .b8 a[20]; .extern .shared .align 128 .b8 dynamic[]; .extern .shared .u32 too[];\n"
        ".func f() { .shared .u32 b; .reg .b32 %r<2>; st.shared.u32 [b], 5; ret; }\n",
        ".shared .u64 c; mov.u32 %r3, a; st.global.u32 [%rd1], %r3; mov.u32 %r3, c; st.global.u32 [%rd1+4], %r3;\n"
        "mov.u32 %r3, dynamic; st.global.u32 [%rd1+8], %r3; mov.u32 %r4, too; st.global.u32 [%rd1+12], %r4;\n"
        "call f, (); ld.shared.u32 %r5, [a+32]; st.global.u32 [%rd1+16], %r5; mov.u32 %r6, %dynamic_smem_size;\n"
        "st.global.u32 [%rd1+20], %r6; ld.shared.u32 %r7, [c]; st.global.u32 [%rd1+24], %r7;\n"
        "setp.eq.u32 %p1, %r6, 0; @%p1 exit; st.shared.u32 [%r3+60], 9; st.shared.u32 [%r3+64], 9;\n");
    sim_launch_config c = shape(1, 1);
    assert_int_equal(run_with(text, c), SIM_OK);
    const uint32_t places[] = {1024, 1024 + 48, 1152, 1152, 5, 0, 0xffffffffu};
    assert_memory_equal(out, places, sizeof places);
    c.dynamic_shared = 64;
    assert_int_equal(run_with(text, c), SIM_ILLEGAL_ADDRESS);
    assert_said("*writes 4 bytes of shared memory at 0x4c0; the block's shared memory is 0x400 to 0x4c0\n*");
    assert_int_equal(out[5], 64);
}

/* ---- cp.async ---- */

/* Thread t's four words of shared memory are 1, 2, 3, 4, those in out 5, 6, 7, 8; %r20 and %rd2 are where. */
#define COPIES                                                                                                         \
    ".shared .align 16 .b8 s[4096]; mov.u32 %r20, s; mad.lo.u32 %r20, %r1, 16, %r20; mad.wide.u32 %rd3, %r1, 16, "     \
    "%rd1;\n"                                                                                                          \
    "st.shared.v4.u32 [%r20], {1, 2, 3, 4}; st.global.v4.u32 [%rd3+8192], {5, 6, 7, 8};\n"
#define COPY(word) "cp.async.ca.shared.global [%r20+4*" #word "], [%rd3+8192+4*" #word "], 4;\n"
#define COLLECT                                                                                                        \
    "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r20]; mad.lo.u32 %r2, %r3, 10, %r4; mad.lo.u32 %r2, %r2, 10, %r5;\n"     \
    "mad.lo.u32 %r2, %r2, 10, %r6;\n" STORE

static uint32_t nothing_came(uint32_t t) {
    return (void)t, 1234;
}
static uint32_t all_came(uint32_t t) {
    return (void)t, 5678;
}
static uint32_t first_came(uint32_t t) {
    return (void)t, 5234;
}
static uint32_t two_came(uint32_t t) {
    return (void)t, 5634;
}
static uint32_t three_came(uint32_t t) {
    return (void)t, 5674;
}
static uint32_t filled(uint32_t t) {
    return (void)t, 5000;
}
static uint32_t filled_by_lane(uint32_t t) {
    return t == 0 ? 0 : t == 1 ? 5000 : t == 2 ? 5600 : t == 3 ? 5670 : 5678;
}
static uint32_t odd_ones_ignored(uint32_t t) {
    return t & 1 ? 0 : 5678;
}
static uint32_t even_ones_committed(uint32_t t) {
    return t & 1 ? 1234 : 5234;
}
static uint32_t even_ones_waited(uint32_t t) {
    return t & 1 ? 1234 : 5678;
}

static const word_case copies[] = {
    {"without a wait",
     KERNEL("", COPIES "cp.async.cg.shared.global [%r20], [%rd3+8192], 16; cp.async.commit_group;\n"
                       "bar.sync 0;\n" COLLECT),
     40, nothing_came},
    {"wait_all, without a group",
     KERNEL("", COPIES "cp.async.cg.shared.global [%r20], [%rd3+8192], 16;\n"
                       "cp.async.wait_all;\n" COLLECT),
     40, all_came},
    {"wait_group 0 does not wait for what is in no group",
     KERNEL("", COPIES COPY(0) "cp.async.commit_group;\n" COPY(1) "cp.async.wait_group 0;\n" COLLECT), 40, first_came},
    {"wait_group 2 of three",
     KERNEL("", COPIES COPY(0) "cp.async.commit_group;\n" COPY(1) "cp.async.commit_group;\n" COPY(
                    2) "cp.async.commit_group; cp.async.wait_group 2;\n" COLLECT),
     40, first_came},
    {"wait_group 1 of three",
     KERNEL("", COPIES COPY(0) "cp.async.commit_group;\n" COPY(1) "cp.async.commit_group;\n" COPY(
                    2) "cp.async.commit_group; cp.async.wait_group 1;\n" COLLECT),
     40, two_came},
    {"wait_group 0 of three",
     KERNEL("", COPIES COPY(0) "cp.async.commit_group;\n" COPY(1) "cp.async.commit_group;\n" COPY(
                    2) "cp.async.commit_group; cp.async.wait_group 0;\n" COLLECT),
     40, three_came},
    {"empty groups count",
     KERNEL("", COPIES COPY(0) "cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1;\n" COLLECT), 40,
     first_came},
    {"zeros behind 4 bytes",
     KERNEL("", COPIES "cp.async.cg.shared.global [%r20], [%rd3+8192], 16, 4; cp.async.wait_all;\n" COLLECT), 40,
     filled},
    {"zeros behind as many as the lane says", /* bytes that are not read may lie outside of everything */
     KERNEL("", COPIES "shl.b32 %r4, %r1, 2; min.u32 %r4, %r4, 16; setp.eq.u32 %p1, %r1, 0; @%p1 mov.u64 %rd3, 0;\n"
                       "cp.async.cg.shared.global [%r20], [%rd3+8192], 16, %r4; cp.async.wait_all;\n" COLLECT),
     40, filled_by_lane},
    {"ignore-src",
     KERNEL("", COPIES "and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 1; @%p1 mov.u64 %rd3, 0;\n"
                       "cp.async.ca.shared.global [%r20], [%rd3+8192], 16, %p1; cp.async.wait_all;\n" COLLECT),
     40, odd_ones_ignored},
    {"lanes that commit",
     KERNEL("", COPIES COPY(0) "and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0;\n"
                               "@%p1 cp.async.commit_group; cp.async.wait_group 0;\n" COLLECT),
     40, even_ones_committed},
    {"lanes that wait",
     KERNEL("", COPIES "and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0;\n"
                       "cp.async.ca.shared.global [%r20], [%rd3+8192], 8;\n"
                       "cp.async.ca.shared.global [%r20+8], [%rd3+8200], 8; @%p1 cp.async.wait_all;\n" COLLECT),
     40, even_ones_waited},
};

static void test_copies(void **state) {
    for (size_t k = 0; k < COUNT(copies); k++) check_words(&copies[k]);
}

/* ---- calls ---- */

#define STRUCT_FUNCTION /* {x, y} -> {y, x + 1} */                                                                     \
    ".func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 a[16]) {\n.reg .b64 %rd<4>; .reg .b32 %r<3>;\n"        \
    "ld.param.u32 %r1, [a]; ld.param.u64 %rd1, [a+8]; add.u32 %r1, %r1, 1; cvt.u64.u32 %rd2, %r1;\n"                   \
    "st.param.b64 [r], %rd1; st.param.b64 [r+8], %rd2; ret; }\n"
#define RECURSIVE /* n -> n + (n - 1) + ... , by way of .local memory */                                               \
    ".func (.param .b32 r) sum(.param .b32 n) {\n.reg .b32 %r<6>; .reg .pred %p<2>; .reg .b64 %rd<2>;\n"               \
    ".local .u32 mine; .param .b32 a; .param .b32 b; ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 0;\n"                \
    "mov.u32 %r3, 0; @%p1 bra E; st.local.u32 [mine], %r1; sub.u32 %r2, %r1, 1; st.param.b32 [a], %r2;\n"              \
    "call (b), sum, (a); ld.param.u32 %r3, [b]; ld.local.u32 %r4, [mine]; add.u32 %r3, %r3, %r4;\n"                    \
    "E: st.param.b32 [r], %r3; ret; }\n"
#define TIMES(name, factor)                                                                                            \
    ".func (.param .b32 r) " #name "(.param .b32 n) { .reg .b32 %r<3>; ld.param.u32 %r1, [n]; "                        \
    "mul.lo.u32 %r2, %r1, " #factor "; st.param.b32 [r], %r2; ret; }\n"
#define TABLE TIMES(two, 2) TIMES(three, 3) TIMES(four, 4) ".global .u64 table[3] = {two, three, four};\n"
/* `pick` alone names `five`. */
#define PICK                                                                                                           \
    TIMES(five, 5)                                                                                                     \
    ".func (.param .b64 r) pick() { .reg .b64 %rd<2>; mov.u64 %rd1, five; st.param.b64 [r], %rd1; ret; }\n"
/* The simulator does not know an instruction of `strange`. */
#define STRANGE                                                                                                        \
    ".func (.param .b32 r) strange(.param .b32 n) { .reg .b32 %r<2>; ld.param.u32 %r1, [n]; foo.u32 %r1, %r1;\n"       \
    "st.param.b32 [r], %r1; ret; }\n.global .u64 table[1] = {strange};\n"
#define PROTOTYPE "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
#define ARGUMENTS ".param .b32 a; .param .b32 b; st.param.b32 [a], %r1;\n"
#define RESULT    "ld.param.b32 %r2, [b];\n" STORE
#define LEAVER                                                                                                         \
    ".func leave(.param .b32 n) { .reg .b32 %r<2>; .reg .pred %p<2>; ld.param.u32 %r1, [n];\n"                         \
    "setp.lt.u32 %p1, %r1, 10; @%p1 exit; ret; }\n"

static uint32_t triangle(uint32_t t) {
    return t * (t + 1) / 2;
}
static uint32_t swapped(uint32_t t) {
    return 1000 * t + t + 1;
}
static uint32_t by_table(uint32_t t) {
    return t * (2 + t % 3);
}
static uint32_t itself(uint32_t t) {
    return t;
}
static uint32_t five_times(uint32_t t) {
    return 5 * t;
}
static uint32_t some_by_pointer(uint32_t t) {
    return t < 10 ? 3 * t : t;
}
static uint32_t those_left(uint32_t t) {
    return t < 10 ? 0 : 0xfffffc00;
}
static uint32_t depth_of_64(uint32_t t) {
    return triangle(t & 31) + (t >> 5);
}

static const word_case calls[] = {
    {"a struct by value",
     KERNEL(STRUCT_FUNCTION, ".param .align 8 .b8 a[16]; .param .align 8 .b8 b[16]; mul.wide.u32 %rd3, %r1, 1000;\n"
                             "st.param.b32 [a], %r1; st.param.b64 [a+8], %rd3; call.uni (b), swap, (a);\n"
                             "ld.param.u32 %r3, [b]; ld.param.u64 %rd4, [b+8]; cvt.u32.u64 %r4, %rd4;\n"
                             "add.u32 %r2, %r3, %r4;\n" STORE),
     64, swapped},
    {"as deep as the lane's number", KERNEL(RECURSIVE, ARGUMENTS "call (b), sum, (a);\n" RESULT), 32, triangle},
    {"in two warps, again and again",
     KERNEL(RECURSIVE,
            ".param .b32 a; .param .b32 b; and.b32 %r3, %r1, 31; shr.u32 %r4, %r1, 5; st.param.b32 [a], %r3;\n"
            "mov.u32 %r6, 0; L: call (b), sum, (a); add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 5; @%p1 bra L;\n"
            "ld.param.b32 %r2, [b]; add.u32 %r2, %r2, %r4;\n" STORE),
     64, depth_of_64},
    {"through pointers, to three functions at once",
     KERNEL(TABLE, PROTOTYPE ARGUMENTS "rem.u32 %r3, %r1, 3; mov.u64 %rd3, table; mad.wide.u32 %rd3, %r3, 8, %rd3;\n"
                                       "ld.global.u64 %rd4, [%rd3]; call (b), %rd4, (a), P;\n" RESULT),
     64, by_table},
    {"through a pointer that another function gives",
     KERNEL(PICK, PROTOTYPE ARGUMENTS ".param .b64 p; call (p), pick, (); ld.param.b64 %rd4, [p];\n"
                                      "call (b), %rd4, (a), P;\n" RESULT),
     64, five_times},
    {"not through a pointer to what cannot be decoded",
     KERNEL(STRANGE, PROTOTYPE ARGUMENTS "mov.u64 %rd4, strange; mov.u32 %r2, %r1; setp.gt.u32 %p1, %r1, 1000;\n"
                                         "@%p1 call (b), %rd4, (a), P;\n" STORE),
     64, itself},
    {"through a pointer, of some lanes",
     KERNEL(TABLE, PROTOTYPE ARGUMENTS "mov.u64 %rd4, three; st.param.b32 [b], %r1; setp.lt.u32 %p1, %r1, 10;\n"
                                       "@%p1 call (b), %rd4, (a), P;\n" RESULT),
     64, some_by_pointer},
    {"exit in a function",
     KERNEL(LEAVER, ".param .b32 a; st.param.b32 [a], %r1; call leave, (a); activemask.b32 %r2;\n" STORE), 32,
     those_left},
};

static void test_calls(void **state) {
    for (size_t k = 0; k < COUNT(calls); k++) check_words(&calls[k]);
}

static void test_bad_calls(void **state) {
    assert_int_equal(run(KERNEL(TABLE, PROTOTYPE ARGUMENTS "mov.u64 %rd4, two; setp.gt.u32 %p1, %r1, 4;\n"
                                                           "@%p1 mov.u64 %rd4, 4660; call (b), %rd4, (a), P;\n"),
                         1, 8),
                     SIM_INVALID_PC);
    assert_said(FAULT("invalid program counter") "thread (5,0,0) of block (0,0,0) and 2 more of its warp: "
                                                 "call of 0x1234, which is no function\n    at PTX line 14: *");
    assert_int_equal(run(KERNEL(TABLE, PROTOTYPE ARGUMENTS "mov.u64 %rd4, two; setp.eq.u32 %p1, %r1, 0;\n"
                                                           "@%p1 add.u64 %rd4, %rd4, 8; call (b), %rd4, (a), P;\n"),
                         1, 8),
                     SIM_INVALID_PC);
    assert_said(FAULT("invalid program counter") FIRST "call of 0x*, which is no function\n*");
    assert_int_equal(
        run(KERNEL(TABLE LEAVER, PROTOTYPE ARGUMENTS "mov.u64 %rd4, leave; call (b), %rd4, (a), P;\n"), 1, 1),
        SIM_INVALID_PC);
    assert_said(FAULT("invalid program counter") FIRST "call of leave with other arguments than it takes\n*");
    assert_int_equal(run(KERNEL(STRANGE, PROTOTYPE ARGUMENTS "mov.u64 %rd3, table; ld.global.u64 %rd4, [%rd3];\n"
                                                             "call (b), %rd4, (a), P;\n" RESULT),
                         1, 1),
                     SIM_UNSUPPORTED);
    assert_said(FAULT("not supported") FIRST "the simulator does not know the instruction foo: \"foo.u32*function "
                                             "strange)\n    at PTX line *");
    /* An address that is made up. */
    assert_int_equal(run(KERNEL(TIMES(two, 2) PICK, PROTOTYPE ARGUMENTS "mov.u64 %rd4, two; add.u64 %rd4, %rd4, 16;\n"
                                                                        "call (b), %rd4, (a), P;\n" RESULT),
                         1, 1),
                     SIM_UNSUPPORTED);
    assert_said(FAULT("not supported") FIRST "a call of a function whose address nothing in its module takes\n*");
    assert_int_equal(
        run(KERNEL(RECURSIVE, ".param .b32 a; .param .b32 b; st.param.b32 [a], 1000000; call (b), sum, (a);\n"), 1, 1),
        SIM_STACK_ERROR);
    assert_said(FAULT("stack error") FIRST
                "the stack of * bytes per thread is used up, * calls deep "
                "(cudaDeviceSetLimit(cudaLimitStackSize))\n    at PTX line 8: call (b), sum, (a)\n    called from *");
    const uint64_t limit = sim_stack_limit();
    sim_set_stack_limit(64u << 20);
    const char *deep =
        KERNEL(RECURSIVE, ".param .b32 a; .param .b32 b; st.param.b32 [a], 30000; call (b), sum, (a);\n" RESULT);
    run_well(deep, 1, 1);
    assert_int_equal(out[0], 30000u * 30001 / 2);
    sim_set_stack_limit(limit);
    assert_int_equal(run(deep, 1, 1), SIM_STACK_ERROR);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_freed_memory_and_gaps),
        cmocka_unit_test(test_leaks_are_told_oldest_first),
        cmocka_unit_test(test_which_lanes),
        cmocka_unit_test(test_only_the_first_fault_is_told),
        cmocka_unit_test(test_names_of_cpp),
        cmocka_unit_test(test_call_chain),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_bad_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
