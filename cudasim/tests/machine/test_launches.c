/* printf, assert, the device's heap; launches, and what they do for want of memory. */
#include <malloc.h>

#include "base/threads.h"
#include "machine_case.h"

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
#define STOPPED "cudasim: kernel k is stopped: the host has no memory for "
    set_environment("CUDASIM_THREADS", "2");
    mallopt(M_MMAP_THRESHOLD, 128 << 10); /* else it may grow, and large blocks be found in a heap that is there */
    run_well(KERNEL("", ""), 2, 32);      /* the threads have their stacks */
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
    sim_status status;
    sim_launch_work(launch, 0, 0);
    assert_true(sim_launch_end(launch, 0, &status));
    return (void *)(uintptr_t)status;
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
    sim_running *launch = sim_launch_begin(kernel_of(&p, "k"), &config, &out);
    assert_non_null(launch);
    const double until = pool_now() + 0.01;
    sim_launch_work(launch, 0, until);
    assert_false(sim_launch_end(launch, until, &status));
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
    const uint64_t address = heap_allocate(64);
    assert_int_not_equal(address, 0);
    assert_int_equal(cudaFree((void *)(uintptr_t)address), cudaErrorInvalidValue);
    assert_true(heap_free(address));
}

int main(void) {
    const struct CMUnitTest tests[] = {
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
