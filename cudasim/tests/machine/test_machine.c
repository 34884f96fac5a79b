/* What the simulated machine does with memory, calls and launches, and what it says of a kernel that goes wrong. */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <sys/resource.h>

#include "base/heap.h"
#include "sim_case.h"

#define FAULT(what) "cudasim: " what " in kernel k: "
#define FIRST       "thread (0,0,0) of block (0,0,0): "
#define LOC(line)   ".loc 1 " #line " 0\n"

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
    (void)state;
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
    (void)state;
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
    (void)state;
    static const uint64_t sizes[] = {100, 4u << 20, 200, 2u << 20, 300};
    uint64_t at[COUNT(sizes)];
    for (int k = 0; k < (int)COUNT(sizes); k++) at[k] = memory_allocate(sizes[k], 0, MEMORY_DEVICE, NULL, NULL);
    memory_leaks(note_leak);
    assert_in_range(leak_count, COUNT(sizes), 63);
    for (int k = 1; k < leak_count; k++) assert_true(leak_serials[k - 1] < leak_serials[k]);
    for (int k = 0; k < (int)COUNT(sizes); k++) assert_true(memory_free(at[k]));
}

static void test_which_lanes(void **state) {
    (void)state;
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
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        set_environment("CUDASIM_THREADS", threads == 1 ? "1" : threads == 2 ? "2" : "4");
        assert_int_equal(run(KERNEL("", "trap;\n"), 500, 64), SIM_TRAP);
        assert_said(FAULT("trap") "thread (*,0,0) of block (*,0,0) and 31 more of its warp: trap" AT("trap"));
        assert_null(strstr(said + 1, "cudasim"));
    }
    set_environment("CUDASIM_THREADS", NULL);
}

static void test_names_of_cpp(void **state) {
    (void)state;
    program p = program_load(PTX_HEAD ".visible .entry _Z4findILi8EEvPKfm(.param .u64 a, .param .u64 b) { trap; }\n");
    out_renew();
    assert_int_equal(launch_kernel(kernel_of(&p, "_Z4findILi8EEvPKfm"), shape(1, 1), (uint64_t[2]){0}), SIM_TRAP);
    assert_said("cudasim: trap in kernel void find<8>(float const*, unsigned long): " FIRST "*");
    program_unload(&p);
}

static void test_call_chain(void **state) {
    (void)state;
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
    (void)state;
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
    (void)state;
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
    (void)state;
    for (size_t k = 0; k < COUNT(calls); k++) check_words(&calls[k]);
}

static void test_bad_calls(void **state) {
    (void)state;
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

/* ---- printf, assert, malloc ---- */

#define VPRINTF ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
/* Text as a variable of bytes; its arguments at %rd20 in local memory. */
#define PRINT                                                                                                          \
    ".local .align 8 .b8 v[128]; .param .b64 f; .param .b64 a; .param .b32 r; mov.u64 %rd21, v;\n"                     \
    "cvta.local.u64 %rd20, %rd21; mov.u64 %rd22, text; st.param.b64 [f], %rd22; st.param.b64 [a], %rd20;\n"

static void put_text(char *ptx, const char *name, const char *text) {
    sprintf(ptx + strlen(ptx), ".global .align 1 .b8 %s[%zu] = {", name, strlen(text) + 1);
    for (const char *at = text;; at++) {
        sprintf(ptx + strlen(ptx), "%s%u", at == text ? "" : ", ", (unsigned char)*at);
        if (*at == '\0') break;
    }
    strcat(ptx, "};\n");
}

static sim_status print(const char *format, const char *stores, unsigned threads) {
    static char scope[8192], ptx[16384];
    scope[0] = '\0';
    put_text(scope, "text", format);
    put_text(scope, "name", "Ada");
    snprintf(ptx, sizeof ptx, "%s%s%s%s%s%s%s", PTX_HEAD VPRINTF, scope,
             ".visible .entry k(.param .u64 out) {\n"
             ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<40>; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n",
             PRINT, stores, "call (r), vprintf, (f, a); ld.param.b32 %r2, [r]; st.global.u32 [%rd1], %r2;\n",
             "ret; }\n");
    return run(ptx, 1, threads);
}

static void test_printf(void **state) {
    (void)state;
    static const struct {
        const char *format, *stores, *printed;
        int count;
    } cases[] = {
        {"plain 100%% text\n", "", "plain 100% text\n", 0},
        {"%d %i %5d|%-5d|%05d|%+d\n",
         "st.local.v2.u32 [%rd21], {-1, 2}; st.local.v2.u32 [%rd21+8], {3, 4}; st.local.v2.u32 [%rd21+16], {5, 6};\n",
         "-1 2     3|4    |00005|+6\n", 6},
        {"%u %x %X %#o\n", "st.local.v4.u32 [%rd21], {-1, 255, 255, 8};\n", "4294967295 ff FF 010\n", 4},
        {"%c%lld%c%lu\n", /* 8-byte arguments lie on 8-byte places */
         "st.local.u32 [%rd21], 65; st.local.u64 [%rd21+8], -5; st.local.u32 [%rd21+16], 66; st.local.u64 [%rd21+24], "
         "-1;\n",
         "A-5B18446744073709551615\n", 4},
        {"%f %.3e %g %a\n",
         "st.local.f64 [%rd21], 0d3FF8000000000000; st.local.f64 [%rd21+8], 0d3FF8000000000000;\n"
         "st.local.f64 [%rd21+16], 0d3FF8000000000000; st.local.f64 [%rd21+24], 0d3FF8000000000000;\n",
         "1.500000 1.500e+00 1.5 0x1.8p+0\n", 4},
        {"%d %.*f|%*d|\n",
         "st.local.u32 [%rd21], 7; st.local.u32 [%rd21+4], 2; st.local.f64 [%rd21+8], 0d3FF8000000000000;\n"
         "st.local.u32 [%rd21+16], 4; st.local.u32 [%rd21+20], 9;\n",
         "7 1.50|   9|\n", 5},
        {"<%s|%6s|%.2s>\n",
         "mov.u64 %rd23, name; st.local.u64 [%rd21], %rd23; st.local.u64 [%rd21+8], %rd23;\n"
         "st.local.u64 [%rd21+16], %rd23;\n",
         "<Ada|   Ada|Ad>\n", 3},
        {"%s %p\n", "st.local.u64 [%rd21], 0; st.local.u64 [%rd21+8], 4096;\n", "(null) 0x1000\n", 2},
        {"%hhd %zu %y\n", "st.local.u32 [%rd21], 7; st.local.u64 [%rd21+8], 8;\n", "7 8 %y\n", 2},
        /* wider than any line of text: as it stands */
        {"[%99999999999d|%2147483647d|%d]\n", "st.local.v2.u32 [%rd21], {1, 2}; st.local.u32 [%rd21+8], 3;\n",
         "[%99999999999d|%2147483647d|3]\n", 3},
        {"[%*.*f|%d]\n",
         "st.local.v2.u32 [%rd21], {2147483647, 2147483647}; st.local.f64 [%rd21+8], 0d3FF8000000000000;\n"
         "st.local.u32 [%rd21+16], 3;\n",
         "[%*.*f|3]\n", 4},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        assert_int_equal(print(cases[k].format, cases[k].stores, 1), SIM_OK);
        assert_string_equal(printed, cases[k].printed);
        assert_int_equal(out[0], cases[k].count);
    }
    assert_int_equal(print("%20000d|\n", "st.local.u32 [%rd21], 7;\n", 1), SIM_OK);
    assert_int_equal(strlen(printed), 20002);
    assert_string_equal(printed + 19998, " 7|\n");
    assert_int_equal(print("%d\n", "st.local.u32 [%rd21], %r1;\n", 40), SIM_OK);
    assert_non_null(strstr(printed, "0\n1\n2\n"));
    assert_non_null(strstr(printed, "31\n32\n33\n34\n35\n36\n37\n38\n39\n"));
    assert_int_equal(print("%d %s\n", "st.local.u32 [%rd21], 1; st.local.u64 [%rd21+8], 64;\n", 3),
                     SIM_ILLEGAL_ADDRESS);
    assert_said(FAULT("illegal address") FIRST "printf: its format or an argument cannot be read\n    at PTX line *");
}

static void test_assert(void **state) {
    (void)state;
    static char ptx[4096];
    ptx[0] = '\0';
    strcat(ptx,
           ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n");
    put_text(ptx, "message", "x > 0");
    put_text(ptx, "file", "some.cu");
    put_text(ptx, "function", "void k(int *)");
    static char whole[8192];
    snprintf(whole, sizeof whole, "%s%s%s", PTX_HEAD, ptx,
             ".visible .entry k(.param .u64 out) {\n"
             ".reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<4>; .param .b64 a; .param .b64 b; .param .b32 c;\n"
             ".param .b64 d; .param .b64 e; mov.u32 %r1, %tid.x; mov.u64 %rd1, message; st.param.b64 [a], %rd1;\n"
             "mov.u64 %rd1, file; st.param.b64 [b], %rd1; st.param.b32 [c], 77; mov.u64 %rd1, function;\n"
             "st.param.b64 [d], %rd1; st.param.b64 [e], 1; setp.gt.u32 %p1, %r1, 2;\n"
             "@%p1 call __assertfail, (a, b, c, d, e);\nret; }\n");
    assert_int_equal(run(whole, 1, 5), SIM_ASSERT);
    assert_said("some.cu:77: void k(int *): block: [0,0,0], thread: [3,0,0] Assertion `x > 0` failed.\n"
                "cudasim: assertion in kernel k: thread (3,0,0) of block (0,0,0): assertion `x > 0` failed\n    at *");
}

static void test_device_heap(void **state) {
    (void)state;
#define HEAP ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
#define DEVICE_MALLOC(bytes)                                                                                           \
    ".param .b64 n; .param .b64 p; st.param.b64 [n], " #bytes "; call (p), malloc, (n); ld.param.b64 %rd3, [p];\n"
    run_well(KERNEL(HEAP, DEVICE_MALLOC(64) "st.u32 [%rd3+60], %r1; bar.sync 0; ld.u32 %r2, [%rd3+60];\n" STORE
                                            "st.param.b64 [p], %rd3; call free, (p);\n"),
             1, 256);
    for (uint32_t t = 0; t < 256; t++) assert_int_equal(out[t], t);
    /* Freed pieces grow together again: there is room for nearly everything. */
    run_well(KERNEL(HEAP, DEVICE_MALLOC(8000000) "setp.ne.u64 %p1, %rd3, 0; selp.u32 %r2, 1, 0, %p1;\n" STORE
                                                 "call free, (p);\n"),
             1, 1);
    assert_int_equal(out[0], 1);
    run_well(KERNEL(HEAP, DEVICE_MALLOC(9000000) "setp.eq.u64 %p1, %rd3, 0; selp.u32 %r2, 1, 0, %p1;\n" STORE
                                                 "call free, (p);\n"),
             1, 1); /* 0, and free(0) does nothing */
    assert_int_equal(out[0], 1);
    assert_int_equal(run(KERNEL(HEAP, DEVICE_MALLOC(16) "call free, (p); call free, (p);\n"), 1, 1),
                     SIM_ILLEGAL_ADDRESS);
    assert_said(FAULT("illegal address") FIRST "free: 0x* is nothing that malloc gave\n    at *");
}

/* ---- launches ---- */

static uint64_t sum_of(size_t words) {
    uint64_t sum = 0;
    for (size_t k = 0; k < words; k++) sum += (uint64_t)(k + 1) * out[k];
    return sum;
}

/* What an instruction writes may be what it reads, in every lane and part. */
static void test_results_in_the_place_of_sources(void **state) {
    (void)state;
    const sim_launch_config one = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    assert_int_equal(run_with(KERNEL("", "mov.b32 %f1, 0f3F800000; mov.b32 %f2, 0f40000000;\n"
                                         "atom.global.add.v2.f32 {%f1, %f2}, [%rd1+16], {%f2, %f1};\n"
                                         "mov.b32 %r2, %f1; mov.b32 %r3, %f2; st.global.v2.u32 [%rd1], {%r2, %r3};\n"
                                         "mov.u64 %rd3, %rd1; st.global.u64 [%rd1+24], %rd1;\n"
                                         "ld.global.u64 %rd3, [%rd3+24]; st.global.u32 [%rd3+8], 5;\n"),
                              one),
                     SIM_OK);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 0);
    assert_int_equal(out[4], 0x40000000);
    assert_int_equal(out[5], 0x3f800000);
    assert_int_equal(out[2], 5);
}

static void test_shapes(void **state) {
    (void)state;
#define LINEAR /* out[number of the thread in the grid] */                                                             \
    "mov.u32 %r3, %ctaid.z; mov.u32 %r4, %nctaid.y; mov.u32 %r5, %ctaid.y; mad.lo.u32 %r3, %r3, %r4, %r5;\n"           \
    "mov.u32 %r4, %nctaid.x; mov.u32 %r5, %ctaid.x; mad.lo.u32 %r3, %r3, %r4, %r5; mov.u32 %r4, %ntid.z;\n"            \
    "mov.u32 %r5, %tid.z; mad.lo.u32 %r3, %r3, %r4, %r5; mov.u32 %r4, %ntid.y; mov.u32 %r5, %tid.y;\n"                 \
    "mad.lo.u32 %r3, %r3, %r4, %r5; mov.u32 %r4, %ntid.x; mad.lo.u32 %r3, %r3, %r4, %r1;\n"                            \
    "mad.wide.u32 %rd3, %r3, 4, %rd1; add.u32 %r2, %r3, 1; atom.global.add.u32 %r5, [%rd3], %r2;\n"
    static const sim_launch_config shapes[] = {
        {.grid = {2, 3, 4}, .block = {5, 3, 2}},  {.grid = {1, 1, 1}, .block = {1024, 1, 1}},
        {.grid = {1, 1, 7}, .block = {1, 1, 64}}, {.grid = {3, 1, 1}, .block = {33, 1, 1}},
        {.grid = {2, 1, 1}, .block = {1, 1, 1}},  {.grid = {1, 2, 1}, .block = {32, 32, 1}},
    };
    for (int threads = 1; threads <= 2; threads++) {
        set_environment("CUDASIM_THREADS", threads == 1 ? "1" : "2");
        for (size_t k = 0; k < COUNT(shapes); k++) {
            const unsigned *g = shapes[k].grid, *b = shapes[k].block;
            assert_int_equal(run_with(KERNEL("", LINEAR), shapes[k]), SIM_OK);
            const uint32_t count = g[0] * g[1] * g[2] * b[0] * b[1] * b[2];
            for (uint32_t t = 0; t < count; t++) assert_int_equal(out[t], t + 1);
            assert_int_equal(out[count], 0);
        }
    }
    set_environment("CUDASIM_THREADS", NULL);
}

static void test_many_blocks(void **state) {
    (void)state;
    uint64_t sums[2];
    for (int threads = 1; threads <= 2; threads++) {
        set_environment("CUDASIM_THREADS", threads == 1 ? "1" : "2");
        run_well(KERNEL("", "mov.u32 %r3, %ctaid.x; and.b32 %r4, %r3, 1023; mad.wide.u32 %rd3, %r4, 4, %rd1;\n"
                            "red.global.add.u32 [%rd3], %r3;\n"),
                 100000, 1);
        sums[threads - 1] = sum_of(OUT_WORDS);
    }
    set_environment("CUDASIM_THREADS", NULL);
    assert_true(sums[0] == sums[1]);
    uint64_t sum = 0;
    for (int k = 0; k < 1024; k++) sum += out[k];
    assert_true(sum == 100000ull * 99999 / 2);
}

static void test_no_parameters(void **state) {
    (void)state;
    program p = program_load(
        PTX_HEAD ".visible .global .u32 count;\n.visible .entry k() {\nred.global.add.u32 [count], 1;\nret; }\n");
    uint64_t address, size;
    assert_int_equal(launch_kernel(kernel_of(&p, "k"), shape(3, 33), NULL), SIM_OK);
    assert_true(sim_module_variable(p.module, "count", &address, &size));
    assert_int_equal(size, 4);
    assert_int_equal(*(uint32_t *)address, 99);
    assert_false(sim_module_variable(p.module, "nothing", &address, &size));
    program_unload(&p);
}

static void test_cooperative(void **state) {
    (void)state;
#define WORKSPACE                                                                                                      \
    KERNEL("",                                                                                                         \
           "mov.u32 %r3, %envreg1; mov.u32 %r4, %envreg2; mov.b64 %rd3, {%r4, %r3}; setp.eq.u64 %p1, %rd3, 0;\n"       \
           "@%p1 exit; ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd1], %r2; atom.global.add.u32 %r5, [%rd3+4], 1;\n"  \
           "W: ld.volatile.global.u32 %r6, [%rd3+4]; setp.lt.u32 %p1, %r6, 200; @%p1 bra W;\n"                         \
           "red.global.add.u32 [%rd1+4], 1;\n")
    sim_launch_config c = shape(200, 1);
    assert_int_equal(run_with(WORKSPACE, c), SIM_OK);
    assert_int_equal(out[1], 0);
    c.cooperative = true;
    assert_int_equal(run_with(WORKSPACE, c), SIM_OK);
    assert_int_equal(out[0], 256);
    assert_int_equal(out[1], 200);
}

/* ---- a host without memory ---- */

/* Runs kernel k(out) with so much address space more than the process has now. */
static sim_status run_within(const char *ptx, sim_launch_config config, uint64_t bytes) {
    struct rlimit before, now;
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%llu", &pages), 1);
    fclose(f);
    out_renew();
    program p = program_load(ptx);
    sim_kernel *kernel = kernel_of(&p, "k");
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    now = before;
    now.rlim_cur = pages * (uint64_t)sysconf(_SC_PAGESIZE) + bytes;
    assert_int_equal(setrlimit(RLIMIT_AS, &now), 0);
    sim_status status = launch_kernel(kernel, config, &out);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    program_unload(&p);
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
#define STOPPED "cudasim: kernel k is stopped: the host has no memory for "
    set_environment("CUDASIM_THREADS", "2");
    run_well(KERNEL("", ""), 2, 32); /* the threads have their stacks */
#define LARGE_LOCAL KERNEL("", ".local .align 4 .b8 a[200000000]; mov.u64 %rd3, a; st.local.u32 [%rd3], 1;\n")
    for (unsigned blocks = 1; blocks < 9; blocks += 7) {
        assert_int_equal(run_within(LARGE_LOCAL, shape(blocks, 64), 1u << 30), SIM_NO_MEMORY);
        assert_said(STOPPED "a warp's stacks (6408*)\n");
    }
#ifndef __SANITIZE_ADDRESS__ /* whose own malloc ends the process */
    /* Blocks that wait for one another need all of their shared memory at once. */
#define ALL_AT_ONCE                                                                                                    \
    KERNEL(".extern .shared .b8 s[];\n",                                                                               \
           "red.global.add.u32 [%rd1], 1;\n"                                                                           \
           "W: ld.volatile.global.u32 %r6, [%rd1]; setp.lt.u32 %p1, %r6, 120; @%p1 bra W;\n")
    sim_launch_config c = shape(120, 1);
    c.dynamic_shared = 200 << 10;
    assert_int_equal(run_within(ALL_AT_ONCE, c, 8u << 20), SIM_NO_MEMORY);
    assert_said(STOPPED "a block's shared memory (2*)\n");
    assert_int_equal(run_within(ALL_AT_ONCE, c, 1u << 30), SIM_OK);
#endif
    set_environment("CUDASIM_THREADS", NULL);
}

/* ---- launches that go on while the host does ---- */

static void *end_launch(void *launch) {
    return (void *)(uintptr_t)sim_launch_end(launch);
}

/* Kernel k(out) waits until out[0] is 1, and adds 1 to it. So many of the host's threads wait for it, if any, and the
 * host sets it, or does not. */
static sim_status run_beside(int waiting, bool helps) {
    out_renew();
    program p = program_load(KERNEL("", "W: ld.volatile.global.u32 %r6, [%rd1]; setp.eq.u32 %p1, %r6, 0; @%p1 bra W;\n"
                                        "red.global.add.u32 [%rd1], 1;\n"));
    capture err = capture_begin(stderr);
    sim_status status;
    sim_launch_config config = shape(4, 1);
    sim_running *launch = sim_launch_begin(kernel_of(&p, "k"), &config, &out, 0.01, &status);
    assert_non_null(launch);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, end_launch, launch), 0);
    sim_host_waits(waiting);
    usleep(400000);
    if (helps) __atomic_store_n(out, 1, __ATOMIC_SEQ_CST);
    void *result;
    pthread_join(thread, &result);
    sim_host_waits(0);
    capture_end(err, said);
    program_unload(&p);
    return (sim_status)(uintptr_t)result;
}

static void test_the_host_may_do_what_a_kernel_waits_for(void **state) {
    (void)state;
    set_environment("CUDASIM_WATCHDOG", "0.1");
    for (int threads = 1; threads <= 2; threads++) {
        set_environment("CUDASIM_THREADS", threads == 1 ? "1" : "2");
        /* The thread that ends the launch is one of the host's, too: there are two. */
        for (int waiting = 0; waiting <= 1; waiting++) {
            assert_int_equal(run_beside(waiting, true), SIM_OK);
            assert_said(
                "cudasim: kernel k polls memory, and no thread has ended or passed a barrier for 0.1 s; it goes on, "
                "since the host may yet do what it waits for; block (*,0,0) is one that polls\n");
            assert_int_equal(out[0], 5);
        }
        assert_int_equal(run_beside(2, false), SIM_TIMEOUT);
        assert_said("*cudasim: kernel k is stopped: no thread has ended or passed a barrier for too long "
                    "(CUDASIM_WATCHDOG=0 lets it run): all of its blocks have begun and poll memory, so only the host "
                    "could help, and that waits for it; block *");
    }
    set_environment("CUDASIM_THREADS", NULL);
    set_environment("CUDASIM_WATCHDOG", NULL);
}

static uint32_t lane_masks(uint32_t t) {
    const uint32_t l = t % 32, eq = 1u << l, lt = eq - 1;
    return eq * 3 + lt * 5 + (lt | eq) * 7 + ~lt * 11 + ~(lt | eq) * 13 + l + 100 * (t / 32);
}

static void test_special_registers(void **state) {
    (void)state;
    static const word_case c = {
        "lane masks",
        KERNEL("",
               "mov.u32 %r3, %lanemask_eq; mov.u32 %r4, %lanemask_lt; mov.u32 %r5, %lanemask_le;\n"
               "mov.u32 %r6, %lanemask_ge; mov.u32 %r7, %lanemask_gt; mul.lo.u32 %r2, %r3, 3;\n"
               "mad.lo.u32 %r2, %r4, 5, %r2; mad.lo.u32 %r2, %r5, 7, %r2; mad.lo.u32 %r2, %r6, 11, %r2;\n"
               "mad.lo.u32 %r2, %r7, 13, %r2; add.u32 %r2, %r2, %laneid; mad.lo.u32 %r2, %warpid, 100, %r2;\n" STORE),
        80, lane_masks};
    check_words(&c);
}

/* Not even the piece at the heap's start. */
static void test_the_host_cannot_free_what_a_kernel_allocated(void **state) {
    (void)state;
    const uint64_t address = heap_allocate(64);
    assert_int_not_equal(address, 0);
    assert_int_equal(cudaFree((void *)(uintptr_t)address), cudaErrorInvalidValue);
    assert_true(heap_free(address));
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
        cmocka_unit_test(test_printf),
        cmocka_unit_test(test_assert),
        cmocka_unit_test(test_device_heap),
        cmocka_unit_test(test_the_host_cannot_free_what_a_kernel_allocated),
        cmocka_unit_test(test_results_in_the_place_of_sources),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_no_parameters),
        cmocka_unit_test(test_cooperative),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_the_host_may_do_what_a_kernel_waits_for),
        cmocka_unit_test(test_special_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
