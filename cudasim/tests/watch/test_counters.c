/* Counters: exact counts of small kernels, whatever the number of host threads. */
#include "sim_case.h"
#include "watch/metrics.h"
#include "watch/report.h"

/* ---- running ------------------------------------------------------------------------------------------------------
 */

static double counted[METRIC_COUNT];

/* Counts one launch of k(out). */
static void count(const char *ptx, unsigned grid, unsigned block) {
    counters_free();
    counters_of("test", "");
    observers_set(&counters_observer);
    run_well(ptx, grid, block);
    observers_set(NULL);
    assert_non_null(counters_all());
    assert_null(counters_all()->next);
    metrics_of(counters_all(), counted);
}

/* The same for a kernel whose instructions are made up: they come in the place of "@@". */
static void count_body(const char *ptx, const char *body, unsigned grid, unsigned block) {
    char whole[4096];
    const char *at = strstr(ptx, "@@");
    snprintf(whole, sizeof whole, "%.*s%s%s", (int)(at - ptx), ptx, body, at + 2);
    count(whole, grid, block);
}

#define EXPECT(metric, value)                                                                                          \
    do {                                                                                                               \
        if (counted[METRIC_##metric] != (double)(value)) {                                                             \
            fail_msg("%s: %.17g, expected %.17g", #metric, counted[METRIC_##metric], (double)(value));                 \
        }                                                                                                              \
    } while (0)

/* ---- global memory ------------------------------------------------------------------------------------------------
 */

/* What one warp's load (or store) of `width` bytes per lane comes to, from lane * stride + offset on. */
typedef struct global_case {
    const char *type, *registers;
    unsigned stride, offset, sectors, lines;
} global_case;

static void global_accesses(void **state) {
    static const global_case cases[] = {
        {"u32", "%r5", 4, 0, 4, 1},                         /* coalesced */
        {"u32", "%r5", 4, 16, 5, 2},                        /* misaligned */
        {"u32", "%r5", 4, 4096 + 32, 4, 2},                 /* by a sector */
        {"u32", "%r5", 8, 0, 8, 2},                         /* strided */
        {"u32", "%r5", 32, 0, 32, 8},                       /* a sector each */
        {"u32", "%r5", 128, 0, 32, 32},                     /* a line each */
        {"u32", "%r5", 0, 64, 1, 1},                        /* broadcast */
        {"u8", "%r5", 1, 0, 1, 1},                          /* bytes */
        {"u8", "%r5", 1, 16, 2, 1},                         /* over a sector's end */
        {"v2.u32", "{%r5, %r6}", 8, 0, 8, 2},               /* 64 bits */
        {"v4.u32", "{%r5, %r6, %r7, %r8}", 16, 0, 16, 4},   /* 128 bits */
        {"v4.u32", "{%r5, %r6, %r7, %r8}", 16, 16, 17, 5},  /* misaligned */
        {"v4.u32", "{%r5, %r6, %r7, %r8}", 128, 0, 32, 32}, /* strided */
        {"u64", "%rd9", 8, 0, 8, 2},
    };
    for (size_t c = 0; c < COUNT(cases); c++) {
        const global_case *g = &cases[c];
        for (int store = 0; store <= 1; store++) {
            char body[512];
            if (store)
                snprintf(body, sizeof body,
                         "mov.u64 %%rd9, 1; mad.wide.u32 %%rd3, %%r1, %u, %%rd1; st.global.%s [%%rd3+%u], %s;",
                         g->stride, g->type, g->offset, g->registers);
            else
                snprintf(body, sizeof body, "mad.wide.u32 %%rd3, %%r1, %u, %%rd1; ld.global.%s %s, [%%rd3+%u];",
                         g->stride, g->type, g->registers, g->offset);
            count_body(KERNEL("", "@@"), body, 1, 32);
            if (store) {
                EXPECT(STORE_REQUESTS, 1);
                EXPECT(STORE_SECTORS, g->sectors);
                EXPECT(STORE_LINES, g->lines);
                EXPECT(DRAM_WRITTEN, 32 * g->sectors);
                EXPECT(LOAD_REQUESTS, 0);
            } else {
                EXPECT(LOAD_REQUESTS, 1);
                EXPECT(LOAD_SECTORS, g->sectors);
                EXPECT(LOAD_LINES, g->lines);
                EXPECT(LOAD_PER_REQUEST, g->sectors);
                EXPECT(DRAM_READ, 32 * g->sectors);
                EXPECT(STORE_REQUESTS, 0);
            }
        }
    }
}

/* A loop whose addresses move on by a sector, and by less: the pattern stays, the sectors do not. */
static void loops_of_loads(void **state) {
    count(KERNEL("", "mov.u32 %r2, 0;\n"
                     "loop: ld.global.u32 %r5, [%rd2]; add.u64 %rd2, %rd2, 16; add.u32 %r2, %r2, 1;\n"
                     "setp.lt.u32 %p1, %r2, 8; @%p1 bra loop;\n"),
          1, 32);
    EXPECT(LOAD_REQUESTS, 8);
    EXPECT(LOAD_SECTORS, 4 * (4 + 5));
    EXPECT(LOAD_LINES, 1 + 7 * 2); /* at 0 one line, at 16, 32 ... 112 two */
    EXPECT(DRAM_READ, 32 * 8);     /* bytes 0 to 239 */
    EXPECT(CONTROL, 8 + 1);
    EXPECT(INSTRUCTIONS, 3 + 1 + 8 * 5 + 1);
}

/* Lanes that walk on, each on a row of its own: what each instruction reads again and again, by itself. */
typedef struct walk {
    unsigned apart, first; /* bytes from lane to lane; lane 0's first */
    int step, turns;
} walk;

/* The distinct sectors of OUT_WORDS words that are read. */
static unsigned walked(const walk *w) {
    bool read[OUT_WORDS / 8] = {false};
    unsigned count = 0;
    for (unsigned l = 0; l < 32; l++)
        for (int n = 0; n < w->turns; n++) read[(w->first + l * w->apart + (unsigned)(n * w->step)) / 32] = true;
    for (unsigned k = 0; k < OUT_WORDS / 8; k++) count += read[k];
    return count;
}

static void walks(void **state) {
    static const walk all[] = {
        {1024, 0, 4, 256},  {1024, 0, 32, 32}, {512, 64, 32, 80}, {512, 0, 64, 70},    {512, 32, 128, 100},
        {96, 0, 32, 40},    {96, 8, 16, 200},  {160, 4, 12, 90},  {512, 8192, -4, 99}, {512, 8192, -32, 200},
        {512, 128, 96, 67}, {36, 0, 32, 66},   {32, 0, 32, 150},  {0, 0, 32, 500},
    };
    for (size_t c = 0; c < COUNT(all); c++) {
        const walk *w = &all[c];
        char body[512];
        snprintf(body, sizeof body,
                 "mad.wide.u32 %%rd3, %%r1, %u, %%rd1; add.u64 %%rd3, %%rd3, %u; mov.u32 %%r2, 0;\n"
                 "loop: ld.global.u32 %%r5, [%%rd3]; add.s64 %%rd3, %%rd3, %d; add.u32 %%r2, %%r2, 1;\n"
                 "setp.lt.u32 %%p1, %%r2, %d; @%%p1 bra loop;\n",
                 w->apart, w->first, w->step, w->turns);
        for (unsigned blocks = 1; blocks <= 2; blocks++) {
            count_body(KERNEL("", "@@"), body, blocks, 32);
            EXPECT(LOAD_REQUESTS, blocks * (unsigned)w->turns);
            EXPECT(DRAM_READ, 32 * walked(w));
        }
    }
}

static void guarded_lanes(void **state) {
    count(KERNEL("", "setp.lt.u32 %p1, %r1, 8; @%p1 ld.global.u32 %r5, [%rd2]; @!%p1 st.global.u32 [%rd2], %r1;\n"), 1,
          32);
    EXPECT(LOAD_REQUESTS, 1);
    EXPECT(LOAD_SECTORS, 1);
    EXPECT(STORE_SECTORS, 3);
    EXPECT(THREADS, 32 * (3 + 1 + 1) + 8 + 24);
}

/* Several warps, blocks and host threads. */
static void totals_of_threads(void **state) {
    static const char ptx[] =
        KERNEL(".shared .align 16 .b8 s[4096]; ",
               "mov.u32 %r9, %ctaid.x; mad.lo.u32 %r8, %r9, 128, %r1; and.b32 %r8, %r8, 1023; mad.wide.u32 %rd3, %r8, "
               "12, %rd1;\n"
               "ld.global.u32 %r5, [%rd3]; mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 8, %r2; st.shared.u32 [%r3], %r5;\n"
               "bar.sync 0; ld.shared.u32 %r6, [%r3]; fma.rn.f32 %f1, %f2, %f3, %f4; st.global.u32 [%rd2+16384], %r6;\n"
               "atom.global.add.u32 %r7, [%rd1+20000], 1;\n");
    double one[METRIC_COUNT];
    set_environment("CUDASIM_THREADS", "1");
    count(ptx, 64, 128);
    memcpy(one, counted, sizeof one);
    EXPECT(FFMA, 64 * 128);
    EXPECT(BARRIERS, 64 * 4);
    EXPECT(LOAD_REQUESTS, 64 * 4);
    EXPECT(LOAD_SECTORS, 64 * 4 * 12); /* 32 words 12 bytes apart, from a multiple of 32 on */
    EXPECT(SHARED_STORE_WAVEFRONTS, 64 * 4 * 2);
    EXPECT(SHARED_LOAD_CONFLICTS, 64 * 4);
    EXPECT(ATOMIC_REQUESTS, 64 * 4);
    EXPECT(ATOMIC_SECTORS, 64 * 4);
    EXPECT(DRAM_READ, 32 * (12 * 32 + 1)); /* 1024 words, and the counter */
    for (int threads = 2; threads <= 5; threads++) {
        char text[16];
        snprintf(text, sizeof text, "%d", threads);
        set_environment("CUDASIM_THREADS", text);
        count(ptx, 64, 128);
        assert_memory_equal(one, counted, sizeof one);
    }
    set_environment("CUDASIM_THREADS", "1");
}

/* ---- shared memory ------------------------------------------------------------------------------------------------
 */

/* A warp's load and store at s + place(lane): wavefronts of both, and the least. */
typedef struct shared_case {
    const char *type, *registers;
    const char *place; /* %r3 = from %r1, the lane */
    unsigned load, load_least, store, store_least;
} shared_case;

static void shared_accesses(void **state) {
#define V4 "{%r5, %r6, %r7, %r8}"
    static const shared_case cases[] = {
        {"u32", "%r5", "mul.lo.u32 %r3, %r1, 4;", 1, 1, 1, 1},
        {"u32", "%r5", "mul.lo.u32 %r3, %r1, 8;", 2, 1, 2, 1},
        {"u32", "%r5", "mul.lo.u32 %r3, %r1, 128;", 32, 1, 32, 1}, /* all in one bank */
        {"u32", "%r5", "mul.lo.u32 %r3, %r1, 132;", 1, 1, 1, 1},   /* padded */
        {"u32", "%r5", "mov.u32 %r3, 64;", 1, 1, 1, 1},            /* broadcast */
        {"u8", "%r5", "mov.u32 %r3, %r1;", 1, 1, 1, 1},
        {"u16", "%r5", "mul.lo.u32 %r3, %r1, 128;", 32, 1, 32, 1},
        {"u64", "%rd9", "mul.lo.u32 %r3, %r1, 8;", 2, 2, 2, 2},
        {"u64", "%rd9", "mul.lo.u32 %r3, %r1, 16;", 4, 2, 4, 2},
        {"u64", "%rd9", "and.b32 %r3, %r1, 30; mul.lo.u32 %r3, %r3, 4;", 1, 1, 2, 2}, /* in pairs: loads in one phase */
        {"u64", "%rd9", "and.b32 %r3, %r1, 29; mul.lo.u32 %r3, %r3, 8;", 2, 1, 2, 2},
        {"v4.u32", V4, "mul.lo.u32 %r3, %r1, 16;", 4, 4, 4, 4},
        {"v4.u32", V4, "mul.lo.u32 %r3, %r1, 128;", 32, 4, 32, 4},
        {"v4.u32", V4, "mov.u32 %r3, 0;", 2, 2, 4, 4},
        {"v4.u32", V4, "and.b32 %r3, %r1, 30; mul.lo.u32 %r3, %r3, 8;", 2, 2, 4, 4},
    };
    for (size_t c = 0; c < COUNT(cases); c++) {
        const shared_case *s = &cases[c];
        char body[1024];
        snprintf(body, sizeof body,
                 "mov.u64 %%rd9, 1; mov.u32 %%r2, s; %s add.u32 %%r3, %%r3, %%r2; st.shared.%s [%%r3], %s;\n"
                 "ld.shared.%s %s, [%%r3];",
                 s->place, s->type, s->registers, s->type, s->registers);
        count_body(KERNEL(".shared .align 128 .b8 s[8192]; ", "@@"), body, 1, 32);
        EXPECT(SHARED_LOADS, 1);
        EXPECT(SHARED_STORES, 1);
        EXPECT(SHARED_LOAD_WAVEFRONTS, s->load);
        EXPECT(SHARED_LOAD_IDEAL, s->load_least);
        EXPECT(SHARED_LOAD_CONFLICTS, s->load - s->load_least);
        EXPECT(SHARED_STORE_WAVEFRONTS, s->store);
        EXPECT(SHARED_STORE_IDEAL, s->store_least);
        EXPECT(LOAD_REQUESTS, 0);
    }
}

static void matrices(void **state) {
    for (unsigned count_of = 1; count_of <= 4; count_of *= 2) {
        static const char *const registers[] = {"", "{%r5}", "{%r5, %r6}", "", "{%r5, %r6, %r7, %r8}"};
        for (unsigned stride = 16; stride <= 144; stride += stride == 16 ? 112 : 16) {
            char body[1024];
            snprintf(body, sizeof body,
                     "mov.u32 %%r2, s; mad.lo.u32 %%r3, %%r1, %u, %%r2;\n"
                     "stmatrix.sync.aligned.m8n8.x%u.shared.b16 [%%r3], %s;\n"
                     "ldmatrix.sync.aligned.m8n8.x%u.shared.b16 %s, [%%r3];",
                     stride, count_of, registers[count_of], count_of, registers[count_of]);
            count_body(KERNEL(".shared .align 128 .b8 s[8192]; ", "@@"), body, 1, 32);
            const unsigned wavefronts = stride == 128 ? 8 * count_of : count_of;
            EXPECT(LDMATRIX, 1);
            EXPECT(STMATRIX, 1);
            EXPECT(SHARED_LOAD_WAVEFRONTS, wavefronts);
            EXPECT(SHARED_LOAD_IDEAL, count_of);
            EXPECT(SHARED_STORE_WAVEFRONTS, wavefronts);
            EXPECT(SHARED_LOADS, 0);
        }
    }
}

/* ---- constant memory ----------------------------------------------------------------------------------------------
 */

/* Lanes want so many different words, `mask` + 1: lane & mask is the word. Two loads; they are none of global memory.
 */
static void constants(void **state) {
    for (unsigned mask = 0; mask < 32; mask = 2 * mask + 1) {
        char body[512];
        snprintf(body, sizeof body,
                 "and.b32 %%r3, %%r1, %u; mov.u64 %%rd4, t; mad.wide.u32 %%rd3, %%r3, 4, %%rd4;\n"
                 "ld.const.u32 %%r2, [%%rd3]; ld.const.v2.u32 {%%r5, %%r6}, [t+8];",
                 mask);
        count_body(KERNEL(".const .align 16 .u32 t[32] = {1, 2, 3}; ", "@@"), body, 2, 64);
        EXPECT(CONSTANT_LOADS, 8);
        EXPECT(CONSTANT_WORDS, 4 * (mask + 1) + 4);
        EXPECT(LOAD_REQUESTS, 0);
        EXPECT(SHARED_LOADS, 0);
    }
}

/* ---- copies, atomics ----------------------------------------------------------------------------------------------
 */

static void copies(void **state) {
    count(KERNEL(".shared .align 128 .b8 s[2048]; ",
                 "mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 16, %r2; mad.wide.u32 %rd3, %r1, 16, %rd1;\n"
                 "cp.async.cg.shared.global [%r3], [%rd3], 16; cp.async.ca.shared.global [%r3+512], [%rd2], 4;\n"
                 "setp.ge.u32 %p1, %r1, 8; selp.u32 %r4, 0, 4, %p1;\n"
                 "cp.async.ca.shared.global [%r3+1024], [%rd2], 4, %r4;\n" /* eight lanes read */
                 "cp.async.wait_all;\n"),
          1, 32);
    EXPECT(LOAD_REQUESTS, 3);
    EXPECT(LOAD_SECTORS, 16 + 4 + 1);
    EXPECT(COPY_BYPASS_REQUESTS, 1);
    EXPECT(COPY_BYPASS_SECTORS, 16);
    EXPECT(COPY_ACCESS_REQUESTS, 2);
    EXPECT(COPY_ACCESS_SECTORS, 5);
    EXPECT(SHARED_COPY_WAVEFRONTS, 4 + 4 + 1); /* four lines; 4 bytes every 16, four to a bank; eight of these */
    EXPECT(SHARED_WAVEFRONTS, 0);
    EXPECT(DRAM_READ, 512);
}

static void bulk_copies(void **state) {
    count(KERNEL(".shared .align 128 .b8 t[2048]; .shared .align 8 .b64 bar; ",
                 "setp.ne.u32 %p1, %r1, 0; @%p1 ret;\n"
                 "mov.u32 %r2, t; mov.u32 %r4, bar; mbarrier.init.shared.b64 [%r4], 1; fence.proxy.async.shared::cta;\n"
                 "mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 1024;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 1024, [%r4];\n"
                 "again: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra again;\n"
                 "cp.async.bulk.global.shared::cta.bulk_group [%rd1+4096], [%r2], 512; cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;\n"),
          3, 32);
    EXPECT(BULK_IN, 3 * 1024);
    EXPECT(BULK_OUT, 3 * 512);
    EXPECT(LOAD_REQUESTS, 0);
    EXPECT(DRAM_READ, 1024);
    EXPECT(DRAM_WRITTEN, 512);
    /* Lanes with the same operands store once for all of them; a reduction is each lane's own. */
    count(KERNEL(".shared .align 128 .b8 t[2048]; ",
                 "mov.u32 %r2, t; mad.lo.u32 %r3, %r1, 16, %r2; st.shared.v4.u32 [%r3], {%r1, %r1, %r1, %r1};\n"
                 "fence.proxy.async.shared::cta; bar.warp.sync -1; shr.u32 %r4, %r1, 4; mul.wide.u32 %rd3, %r4, 512;\n"
                 "add.u64 %rd4, %rd1, %rd3; cp.async.bulk.global.shared::cta.bulk_group [%rd4], [%r2], 512;\n"
                 "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1+4096], [%r2], 512;\n"
                 "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"),
          1, 32);
    EXPECT(BULK_OUT, 2 * 512);
    EXPECT(BULK_ADDED, 32 * 512);
}

static void atomics(void **state) {
    count(KERNEL(
              ".shared .align 128 .b8 s[2048]; ",
              "mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], 0; bar.warp.sync -1;\n"
              "red.global.add.u32 [%rd1], 1; atom.global.add.u32 %r5, [%rd2], 1; atom.shared.add.u32 %r5, [%r3], 1;\n"),
          2, 64);
    EXPECT(ATOMIC_REQUESTS, 8);
    EXPECT(ATOMIC_SECTORS, 4 * (1 + 4));
    EXPECT(SHARED_ATOMICS, 4);
    EXPECT(SHARED_ATOMIC_WAVEFRONTS, 4);
    EXPECT(LOAD_REQUESTS, 0);
    EXPECT(STORE_REQUESTS, 0);
    EXPECT(DRAM_READ, 256);
    EXPECT(DRAM_WRITTEN, 256);
    EXPECT(SYNC, 4);
}

/* What machine code there is for an atomic operation decides how its lanes share a bank. */
static void shared_atomics(void **state) {
    static const struct {
        const char *code;
        int64_t wavefronts; /* of 32 lanes at one word */
    } cases[] = {
        {"red.shared.add.u32 [%r2], 1;", 1},
        {"atom.shared.add.s32 %r5, [%r2], 1;", 1},
        {"atom.shared.add.u32 %r5, [%r2], 1; st.global.u32 [%rd2], %r5;", 32},
        {"atom.shared.add.u32 %r5, [%r2], 2;", 32},
        {"atom.shared.max.u32 %r5, [%r2], 1;", 32},
        {"atom.shared.exch.b32 %r5, [%r2], 1;", 32},
        {"atom.shared.cas.b32 %r5, [%r2], 1, 2;", 64},
        {"red.shared.add.f32 [%r2], 0f3F800000;", 64},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char code[300];
        snprintf(code, sizeof code, "mov.u32 %%r2, s; st.shared.u32 [%%r2], 0;\n%s\n", cases[k].code);
        count_body(KERNEL(".shared .align 128 .b8 s[128]; ", "@@"), code, 1, 32);
        EXPECT(SHARED_ATOMIC_WAVEFRONTS, cases[k].wavefronts);
    }
}

/* ---- divergence, calls --------------------------------------------------------------------------------------------
 */

static void divergence(void **state) {
    count(KERNEL("", "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra even;\n"
                     "fma.rn.f32 %f1, %f2, %f3, %f4; fma.rn.f32 %f1, %f2, %f3, %f4; bra join;\n"
                     "even: add.f32 %f1, %f2, %f3;\n"
                     "join: mul.f32 %f1, %f2, %f3;\n"),
          1, 32);
    EXPECT(FFMA, 32);
    EXPECT(FADD, 16);
    EXPECT(FMUL, 32);
    EXPECT(INSTRUCTIONS, 3 + 3 + 3 + 1 + 2);
    EXPECT(THREADS, 3 * 32 + 2 * 32 + 16 + 3 * 16 + 16 + 2 * 32);
}

static void calls(void **state) {
    count(KERNEL(".func (.param .b32 d) f(.param .b32 a) { .reg .f32 %f<2>; ld.param.f32 %f1, [a];\n"
                 "fma.rn.f32 %f1, %f1, %f1, %f1; st.param.f32 [d], %f1; ret; } ",
                 "{ .param .b32 pa; .param .b32 pd; st.param.f32 [pa], %f2; setp.lt.u32 %p1, %r1, 4;\n"
                 "@!%p1 bra over; call (pd), f, (pa); over: call (pd), f, (pa); }\n"),
          1, 32);
    EXPECT(STORE_REQUESTS, 0);
    EXPECT(LOAD_REQUESTS, 0);
    EXPECT(FFMA, 4 + 32);
}

/* ---- what is printed ----------------------------------------------------------------------------------------------
 */

static void text_of(void (*report)(const counted_kernel *, FILE *), char *text, size_t size) {
    FILE *f = tmpfile();
    report(counters_all(), f);
    rewind(f);
    text[fread(text, 1, size - 1, f)] = '\0';
    fclose(f);
}

static void reports(void **state) {
    static char text[65536];
    count(PTX_HEAD ".visible .entry k(.param .u64 out) {\n"
                   ".reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .f32 %f<4>;\n"
                   ".loc 1 10 0\nld.param.u64 %rd1, [out];\n.loc 1 11 0\nld.global.u32 %r1, [%rd1];\n"
                   ".loc 2 7 0, function_name $L, inlined_at 1 12 0\nfma.rn.f32 %f1, %f2, %f3, %f1;\n"
                   ".loc 1 12 0\nst.global.u32 [%rd1], %r1;\nret;\n}\n"
                   ".file 1 \"/nowhere/case.cu\"\n.file 2 \"/nowhere/header.h\"\n"
                   ".section .debug_str\n{\n$L:\n.b8 102,0\n}\n",
          1, 64);
    text_of(report_tables, text, sizeof text);
    assert_non_null(strstr(text, "FP32 multiply-adds, of threads                         64  smsp__sass_thread_inst_"));
    assert_non_null(strstr(text, "sectors loaded                                          2  l1tex__t_sectors_pipe_"));
    assert_null(strstr(text, "shared load requests"));
    assert_non_null(strstr(text, "These are the counts of the PTX that ran."));
    text_of(report_lines, text, sizeof text);
    assert_non_null(strstr(text, "/nowhere/case.cu (which cannot be read: the lines that count something)\n"));
    assert_null(strstr(text, "header.h")); /* what is inlined from there counts for line 12 */
    assert_non_null(strstr(text, "              2 32.00             2                               11\n"));
    assert_non_null(strstr(text, "              6 32.00             2                               12\n"));
    text_of(report_csv, text, sizeof text);
    assert_non_null(strstr(text, "variant,problem,kernel,grid,block,launches,metric,plain,nsight,value,unit\n"));
    assert_non_null(strstr(text, "\"test\",\"\",\"k\",1x1x1,64x1x1,1,LOAD_SECTORS,\"sectors loaded\","
                                 "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,2,sectors\n"));
}

static void explanations(void **state) {
    for (int m = 0; m < METRIC_COUNT; m++) {
        int sentences = 0;
        for (const char *c = metrics[m].explanation; *c != '\0'; c++)
            sentences += *c == '.' && (c[1] == ' ' || c[1] == '\0') && c[-1] != '.';
        if (sentences != 3) {
            fail_msg("%s is explained in %d sentences", metrics[m].id, sentences);
        }
        FILE *none = fopen("/dev/null", "w");
        assert_true(metrics_explain(metrics[m].id, none));
        assert_true(metrics_explain(metrics[m].plain, none));
        assert_false(metrics_explain("nothing", none));
        fclose(none);
    }
}

int main(void) {
    set_environment("CUDASIM_THREADS", "1");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_accesses), cmocka_unit_test(constants),     cmocka_unit_test(loops_of_loads),
        cmocka_unit_test(walks),           cmocka_unit_test(guarded_lanes), cmocka_unit_test(totals_of_threads),
        cmocka_unit_test(shared_accesses), cmocka_unit_test(matrices),      cmocka_unit_test(copies),
        cmocka_unit_test(bulk_copies),     cmocka_unit_test(atomics),       cmocka_unit_test(shared_atomics),
        cmocka_unit_test(divergence),      cmocka_unit_test(calls),         cmocka_unit_test(reports),
        cmocka_unit_test(explanations),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    counters_free();
    return failed;
}
