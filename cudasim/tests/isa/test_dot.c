/* Dot products that are executed in one piece (src/isa/dot.c, exec/dot.c), watched: counters and checks say the
 * same of them as where their instructions are executed one by one. */
#include "sim_case.h"

#include "check/check.h"
#include "exec/handlers.h"
#include "isa/rows.h"
#include "watch/counters.h"
#include "watch/metrics.h"

#define MOST_PTX 16384

/* ---- in one piece, and one by one ---- */

static const sim_other_handlers *quick;
static sim_other_handlers plain[ROW_COUNT];

static void one_by_one(bool yes) {
    sim_others = yes ? plain : quick;
}

static int setup(void **state) {
    checks_begin(false, false);                           /* from the allocations on */
    run_well(KERNEL("", "mov.u32 %r2, 0;" STORE), 1, 32); /* the handlers are chosen */
    quick = sim_others;
    plain[ROW_op_observe] = quick[ROW_op_observe];
    return 0;
}

/* Are dot products executed in one piece here? The instruction set must have the fused multiply-add. */
#define TEXT_OF(name) #name
#define TEXT(name)    TEXT_OF(name)
static bool has_fma(void) {
    return strcmp(TEXT(SIM_ISA), "baseline") != 0;
}

static int64_t rows_told; /* loads of dot products that counters were told of together */

static void tell_rows(observer *o, run_counts *counts, const function *f, uint32_t pc, int loads) {
    rows_told += counts->dots[pc]->rows * loads;
    counters_observer.loaded(o, counts, f, pc, loads);
}

/* ---- counters ---- */

/* Lane l of warp w reads a[l * step + w * warp + at ...]; each turn of the loop `turn` bytes further, its steps
 * `apart`. */
typedef struct stream {
    const char *space;
    int step, warp, at, turn, apart;
} stream;
typedef struct loop {
    stream a, b;
    int steps, turns;
    unsigned blocks, threads;
    int lanes;     /* those below it enter the loop; 0: all */
    bool adds;     /* an add.s64 in each step goes on in b, instead of an offset */
    bool together; /* it must be executed in one piece, for the most part */
} loop;

#define G "global"
#define S "shared"
static const loop loops[] = {
    /* as in naive SGEMM, by multiples of a line, a sector, a word */
    {{G, 0, 0, 0, 16, 4}, {G, 4, 128, 0, 2048, 512}, 4, 40, 3, 64, 0, true, true},
    {{G, 0, 2052, 4, 16, 4}, {G, 4, 128, 4, 2052, 516}, 4, 37, 2, 64, 0, true, true},
    {{G, 0, 36, 8, 12, 4}, {G, 4, 0, 96, 32, 160}, 3, 70, 1, 96, 0, false, true},
    {{G, 4, 128, 12, 4, 32}, {G, 4, 128, 28, -4, 8}, 2, 33, 2, 64, 0, false, true},
    {{G, 4, 128, 4096, -128, 128}, {G, 0, 0, 8192, -36, -4}, 5, 31, 1, 32, 0, false, true},
    {{G, 4, 4, 0, 0, 0}, {G, 0, 4, 0, 0, 4}, 6, 9, 1, 64, 0, false, true},
    {{G, 4, 4, 0, 100, 20}, {G, 4, 4, 0, 68, 4}, 1, 100, 1, 64, 0, false, true},
    {{G, 4, 0, 0, 160, 0}, {G, 0, 0, 0, 64, 32}, 2, 1, 5, 64, 0, false, true},
    {{G, 4, 0, 0, 160, 0}, {G, 0, 0, 0, 64, 32}, 2, 2, 5, 64, 0, true, true},
    {{G, 4, 0, 0, 132, 0}, {G, 0, 0, 0, 33024, 32}, 2, 3, 5, 64, 0, true, true},
    /* shared memory, and both */
    {{S, 0, 128, 0, 16, 4}, {S, 4, 0, 256, 128, 32}, 4, 24, 2, 64, 0, false, true},
    {{S, 4, 4, 4, 4, 4}, {S, 4, 8, 8, -4, 12}, 3, 20, 1, 64, 0, false, true},
    {{S, 0, 4, 4, 4, 4}, {G, 4, 12, 8, 12, 12}, 3, 20, 1, 64, 0, false, true},
    /* what goes one by one: other steps, missing lanes, a last warp that is not whole */
    {{G, 8, 0, 0, 16, 4}, {G, 4, 0, 0, 128, 128}, 2, 20, 1, 64, 0, false, false},
    {{G, 4, 0, 0, 16, 4}, {G, -4, 0, 1024, 128, 128}, 3, 20, 1, 64, 0, true, false},
    {{S, 0, 0, 0, 4, 4}, {S, 132, 0, 0, 4, 4}, 2, 20, 1, 64, 0, false, false},
    {{G, 0, 0, 0, 16, 4}, {G, 4, 0, 0, 128, 128}, 2, 20, 1, 64, 20, false, false},
    {{G, 0, 0, 0, 16, 4}, {G, 4, 0, 0, 128, 128}, 2, 20, 2, 80, 0, true, true},
    {{G, 0, 0, 0, 16, 4}, {G, 4, 0, 0, 128, 128}, 2, 20, 2, 17, 0, true, false},
};

#define ROOM_BYTES (1 << 20)
#define MIDDLE     (ROOM_BYTES / 2)

static char ptx[MOST_PTX];

/* k(out, a, b); the loop's instructions are line 100 on of case.cu. */
static void write_loop(const loop *p) {
    const stream *const streams[2] = {&p->a, &p->b};
    char *at = ptx, *const end = ptx + sizeof ptx;
#define SAY(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
    SAY(PTX_HEAD ".visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b) {\n"
                 ".reg .pred %%p<4>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>; .reg .f32 %%f<80>;\n"
                 ".shared .align 128 .b8 area[16384];\n"
                 "ld.param.u64 %%rd9, [out]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%laneid; mov.u32 %%r3, %%warpid;\n"
                 "mov.u32 %%r4, %%ctaid.x; mov.u32 %%r5, %%ntid.x; mad.lo.u32 %%r6, %%r4, %%r5, %%r1;\n"
                 "mad.wide.u32 %%rd9, %%r6, 4, %%rd9; mov.u32 %%r7, area; mov.f32 %%f0, 0f00000000;\n"
                 /* area[n] = 4 n, by all threads */
                 "shl.b32 %%r8, %%r1, 2;\nFILL: add.u32 %%r9, %%r8, %%r7; cvt.rn.f32.u32 %%f1, %%r8; st.shared.f32 "
                 "[%%r9], %%f1;\nshl.b32 %%r9, %%r5, 2; add.u32 %%r8, %%r8, %%r9; setp.lt.u32 %%p1, %%r8, 16384; @%%p1 "
                 "bra FILL;\nbar.sync 0;\n");
    for (int k = 0; k < 2; k++) {
        const stream *s = streams[k];
        const bool shared = s->space[0] == 's';
        SAY("mul.lo.s32 %%r10, %%r3, %d; mad.lo.s32 %%r10, %%r2, %d, %%r10; add.s32 %%r10, %%r10, %d;\n", s->warp,
            s->step, s->at);
        if (shared)
            SAY("add.s32 %%r%d, %%r10, %%r7; add.s32 %%r%d, %%r%d, 4096;\n", 11 + k, 11 + k, 11 + k);
        else
            SAY("ld.param.u64 %%rd%d, [%c]; cvt.s64.s32 %%rd3, %%r10; add.s64 %%rd%d, %%rd%d, %%rd3;\n", 1 + k, "ab"[k],
                1 + k, 1 + k);
    }
    if (p->lanes > 0) SAY("setp.ge.u32 %%p2, %%r2, %d; @%%p2 bra END;\n", p->lanes);
    SAY("mov.u64 %%rd4, %d; mov.u32 %%r13, %d;\nAGAIN:\n.loc 1 100 0\n", p->b.apart, p->turns);
    int sum = 0;
    for (int n = 0; n < p->steps; n++) {
        const int x = 10 + 3 * n;
        for (int k = 0; k < 2; k++) {
            const stream *s = streams[k];
            const bool shared = s->space[0] == 's', adds = k == 1 && p->adds && !shared;
            SAY("ld.%s.f32 %%f%d, [%s%d+%d];\n", s->space, x + k, shared ? "%r" : "%rd", (shared ? 11 : 1) + k,
                adds ? 0 : n * s->apart);
        }
        const int d = n == p->steps - 1 ? 0 : x + 2;
        SAY("fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n.loc 1 %d 0\n", d, x, x + 1, sum, 101 + n);
        if (p->adds && p->b.space[0] == 'g' && n < p->steps - 1) SAY("add.s64 %%rd2, %%rd2, %%rd4;\n");
        sum = d;
    }
    SAY(".loc 1 200 0\n");
    for (int k = 0; k < 2; k++) {
        const stream *s = streams[k];
        if (s->space[0] == 's')
            SAY("add.s32 %%r%d, %%r%d, %d;\n", 11 + k, 11 + k, s->turn);
        else
            SAY("add.s64 %%rd%d, %%rd%d, %d;\n", 1 + k, 1 + k,
                s->turn - (k == 1 && p->adds ? (p->steps - 1) * s->apart : 0));
    }
    SAY("add.s32 %%r13, %%r13, -1; setp.ne.s32 %%p3, %%r13, 0; @%%p3 bra AGAIN;\n"
        "END: st.global.f32 [%%rd9], %%f0;\nret;\n}\n" PTX_FILE);
    assert_true(at < end);
#undef SAY
}

typedef struct counts {
    double all[METRIC_COUNT];
    counted_insn insns[400];
    uint32_t results[OUT_WORDS];
    int count;
} counts;

static void count_loop(const loop *p, uint64_t room, bool checked, counts *c) {
    observer spy = counters_observer;
    spy.loaded = tell_rows;
    rows_told = 0;
    out_renew();
    const uint64_t arguments[] = {(uint64_t)out, room, room};
    counters_free();
    counters_of("test", "");
    observers_set(checked ? checks_before(&spy) : &spy);
    program loaded = program_load(ptx);
    const sim_status status = launch_kernel(kernel_of(&loaded, "k"), shape(p->blocks, p->threads), arguments);
    observers_set(NULL);
    program_unload(&loaded);
    if (status != SIM_OK || said[0] != '\0') fail_msg("status %d: %s", status, said);
    metrics_of(counters_all(), c->all);
    c->count = counters_all()->count;
    assert_true(c->count <= (int)COUNT(c->insns));
    memcpy(c->insns, counters_all()->instructions, (size_t)c->count * sizeof *c->insns);
    memcpy(c->results, out, sizeof c->results);
}

/* Every metric of the kernel, every sum of each instruction, and the results. */
static void compare_counts(int which, const char *how, const counts *one, const counts *other) {
    for (int m = 0; m < METRIC_COUNT; m++)
        if (one->all[m] != other->all[m])
            fail_msg("loop %d, %s: %s is %.17g, not %.17g\n%s", which, how, metrics[m].id, one->all[m], other->all[m],
                     ptx);
    assert_int_equal(one->count, other->count);
    for (int n = 0; n < one->count; n++) {
        const counted_insn *a = &one->insns[n], *b = &other->insns[n];
        if (a->warps != b->warps || a->threads != b->threads || memcmp(&a->sum, &b->sum, sizeof a->sum) != 0)
            fail_msg("loop %d, %s: instruction %d is counted otherwise: %lld requests, %lld sectors, %lld lines, not "
                     "%lld, %lld, %lld\n%s",
                     which, how, n, (long long)a->sum.requests, (long long)a->sum.sectors, (long long)a->sum.lines,
                     (long long)b->sum.requests, (long long)b->sum.sectors, (long long)b->sum.lines, ptx);
    }
    if (memcmp(one->results, other->results, sizeof one->results) != 0) fail_msg("loop %d, %s: results", which, how);
}

static void counted_alike(void **state) {
    static counts one, other;
    const uint64_t room = memory_allocate(ROOM_BYTES, 256, MEMORY_DEVICE, NULL, NULL);
    float *numbers = (float *)room;
    for (int k = 0; k < ROOM_BYTES / 4; k++) numbers[k] = (float)(k % 1021) - 500;
    memory_written(room, ROOM_BYTES);
    set_environment("CUDASIM_THREADS", "1");
    for (int n = 0; n < (int)COUNT(loops); n++) {
        const loop *p = &loops[n];
        write_loop(p);
        one_by_one(true);
        count_loop(p, room + MIDDLE, false, &other);
        assert_int_equal(rows_told, 0);
        one_by_one(false);
        for (int checked = 0; checked < 2; checked++) {
            count_loop(p, room + MIDDLE, checked, &one);
            compare_counts(n, checked ? "checked" : "counted", &one, &other);
            const int64_t loads = 2 * (int64_t)p->steps * p->turns * p->blocks * (p->threads / 32);
            if (!has_fma()) continue;
            if (p->together && 10 * rows_told < 9 * loads - 400)
                fail_msg("loop %d: of %lld loads %lld were told of together", n, (long long)loads,
                         (long long)rows_told);
        }
        set_environment("CUDASIM_THREADS", "3");
        count_loop(p, room + MIDDLE, false, &one);
        compare_counts(n, "three threads", &one, &other);
        set_environment("CUDASIM_THREADS", "1");
    }
    memory_free(room);
    set_environment("CUDASIM_THREADS", NULL);
}

/* ---- checks ---- */

/* Two warps; three steps of x * y a turn, each `apart` bytes from the one before. %rd1 = a + 4 lane, %rd2 = a,
 * %r11 = area + 4 lane. Line 100 + n is step n's. */
typedef struct fault {
    const char *name, *before; /* the loop */
    struct factor {
        const char *space, *from;
        int at;
    } x, y;
    int apart, written; /* bytes of a */
    sim_status status;
    const char *said[2]; /* parts of it */
} fault;

#define FILL    "st.shared.u32 [%r12], %r1; st.shared.u32 [%r12+256], %r1;\n" /* 512 bytes, by thread */
#define BARRIER "bar.sync 0;\n"
#define A_BYTES 4096
#define TURNS   6

static const fault faults[] = {
    {"none", FILL BARRIER, {G, "%rd1", 0}, {S, "%r11", 0}, 4, A_BYTES, SIM_OK, {"", ""}},
    {"past the end of global memory",
     FILL BARRIER,
     {G, "%rd1", A_BYTES - 7 * 128},
     {S, "%r11", 0},
     128 - 4,
     A_BYTES,
     SIM_ILLEGAL_ADDRESS,
     {"case.cu:101", "reads 4 bytes at"}},
    {"past the end, all lanes at one place",
     FILL BARRIER,
     {G, "%rd2", A_BYTES - 20},
     {G, "%rd1", 0},
     4,
     A_BYTES,
     SIM_ILLEGAL_ADDRESS,
     {"case.cu:102", "reads 4 bytes at"}},
    {"misaligned",
     FILL BARRIER,
     {G, "%rd1", 0},
     {G, "%rd2", 12},
     2,
     A_BYTES,
     SIM_MISALIGNED_ADDRESS,
     {"case.cu:101", "misaligned"}},
    {"past the end of shared memory",
     FILL BARRIER,
     {G, "%rd2", 0},
     {S, "%r11", 232000},
     124,
     A_BYTES,
     SIM_ILLEGAL_ADDRESS,
     {"case.cu:100", "shared"}},
    {"unwritten global memory",
     FILL BARRIER,
     {G, "%rd1", 512},
     {S, "%r11", 0},
     12,
     752,
     SIM_OK,
     {"uninitialised: case.cu:101", "allocation"}},
    {"unwritten shared memory",
     FILL BARRIER,
     {G, "%rd2", 0},
     {S, "%r11", 336},
     8,
     A_BYTES,
     SIM_OK,
     {"uninitialised: case.cu:101", "area"}},
    {"race in shared memory",
     FILL,
     {G, "%rd2", 0},
     {S, "%r11", 0},
     4,
     A_BYTES,
     SIM_OK,
     {"race: case.cu:101", "case.cu:90"}},
    {"race in global memory",
     FILL BARRIER "st.global.u32 [%rd4+512], %r1;\n",
     {G, "%rd1", 384},
     {S, "%r11", 0},
     4,
     A_BYTES,
     SIM_OK,
     {"race: case.cu:101", "case.cu:90"}},
};

static void write_fault(const fault *f) {
    char *at = ptx, *const end = ptx + sizeof ptx;
#define SAY(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
    SAY(PTX_HEAD ".visible .entry k(.param .u64 out, .param .u64 a) {\n"
                 ".reg .pred %%p<4>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>; .reg .f32 %%f<20>;\n"
                 ".shared .align 128 .b8 area[2048];\n"
                 "ld.param.u64 %%rd9, [out]; ld.param.u64 %%rd2, [a]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%laneid;\n"
                 "mad.wide.u32 %%rd9, %%r1, 4, %%rd9; mad.wide.u32 %%rd1, %%r2, 4, %%rd2;\n"
                 "mad.wide.u32 %%rd4, %%r1, 4, %%rd2; mov.u32 %%r11, area; mad.lo.u32 %%r12, %%r1, 4, %%r11;\n"
                 "mad.lo.u32 %%r11, %%r2, 4, %%r11; mov.f32 %%f0, 0f00000000; mov.u32 %%r13, %d;\n.loc 1 90 0\n%s"
                 "AGAIN:\n",
        TURNS, f->before);
    for (int n = 0; n < 3; n++)
        SAY(".loc 1 %d 0\nld.%s.f32 %%f%d, [%s+%d];\nld.%s.f32 %%f%d, [%s+%d];\n"
            "fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n",
            100 + n, f->x.space, 3 * n + 1, f->x.from, f->x.at + n * f->apart, f->y.space, 3 * n + 2, f->y.from,
            f->y.at + n * f->apart, n == 2 ? 0 : 3 * n + 3, 3 * n + 1, 3 * n + 2, 3 * n);
    SAY(".loc 1 200 0\nadd.s64 %%rd1, %%rd1, %d; add.s64 %%rd2, %%rd2, %d; add.s32 %%r11, %%r11, %d;\n"
        "add.s32 %%r13, %%r13, -1; setp.ne.s32 %%p3, %%r13, 0; @%%p3 bra AGAIN;\nst.global.f32 [%%rd9], "
        "%%f0;\nret;\n}\n" PTX_FILE,
        3 * f->apart, 3 * f->apart, 3 * f->apart);
    assert_true(at < end);
#undef SAY
}

/* Every address in the text as "0x-". */
static void hide_addresses(char *text) {
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        const bool address = strncmp(from, "0x", 2) == 0;
        *to++ = *from++;
        if (!address) continue;
        *to++ = *from++;
        from += strspn(from, "0123456789abcdef");
        *to++ = '-';
    }
    *to = '\0';
}

static sim_status check_fault(const fault *f, program *p, bool counted) {
    const uint64_t a = memory_allocate(A_BYTES, 256, MEMORY_DEVICE, NULL, NULL);
    const uint64_t arguments[] = {(uint64_t)out, a};
    memset((void *)a, 0, A_BYTES);
    memory_written(a, (uint64_t)f->written);
    observers_set(checks_before(counted ? &counters_observer : NULL));
    *p = program_load(ptx); /* it stays: findings are told apart by their function */
    const sim_status status = launch_kernel(kernel_of(p, "k"), shape(1, 64), arguments);
    observers_set(NULL);
    hide_addresses(said);
    memory_free(a);
    return status;
}

static void found_alike(void **state) {
    static program programs[COUNT(faults)][3];
    static char expected[MOST_TEXT];
    out_renew();
    set_environment("CUDASIM_THREADS", "1");
    for (size_t n = 0; n < COUNT(faults); n++) {
        const fault *f = &faults[n];
        write_fault(f);
        one_by_one(true);
        if (check_fault(f, &programs[n][0], false) != f->status) fail_msg("%s: %s%s", f->name, said, ptx);
        memcpy(expected, said, sizeof said);
        one_by_one(false);
        for (int k = 0; k < 2; k++)
            if (strstr(expected, f->said[k]) == NULL || (f->said[0][0] == '\0' && expected[0] != '\0'))
                fail_msg("%s: \"%s\" is not said:\n%s%s", f->name, f->said[k], expected, ptx);
        for (int counted = 0; counted < 2; counted++) {
            const sim_status status = check_fault(f, &programs[n][1 + counted], counted);
            if (status != f->status || strcmp(said, expected) != 0)
                fail_msg("%s, in one piece:\n%sone by one:\n%s", f->name, said, expected);
        }
    }
    for (size_t n = 0; n < COUNT(faults); n++)
        for (int k = 0; k < 3; k++) program_unload(&programs[n][k]);
    counters_free();
    set_environment("CUDASIM_THREADS", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counted_alike), cmocka_unit_test(found_alike)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
