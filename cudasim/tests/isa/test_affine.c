/* Registers kept as base + lane * step (src/exec/affine.h): random kernels give the same, bit for bit, as with
 * plain lanes only, and dot products as when their instructions are executed one by one (isa/dot.c). They mix values
 * that are equal, equally spaced or neither over the lanes, wrap around, diverge, loop, read and write memory at steps,
 * and use what knows nothing of the form. Counters come to the same, too. */
#include "sim_case.h"

#include "check/check.h"
#include "exec/handlers.h"
#include "watch/counters.h"
#include "watch/metrics.h"

/* ---- random text ---- */

static uint64_t seed;
static uint32_t pick(uint32_t below) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % below);
}
#define ONE_OF(array) ((array)[pick(COUNT(array))])

static char text[1 << 17];
static size_t length;
static int labels, floats;
static bool spoiled; /* the statement is about registers that are seldom kept so */
static bool whole;   /* all lanes that have not ended come here together */

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    length += (size_t)vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
    assert_true(length < sizeof text);
}

enum { WORDS = 12, WIDES = 10, PREDICATES = 6, RESULTS = WORDS + 2 * WIDES + 1, MOST_FLOATS = 600 };

static const char *const numbers[] = {"0",          "1",  "-1", "2",    "4",    "7",         "31",         "32",
                                      "2147483647", "33", "63", "1000", "-500", "268435455", "-2147483648"};

/* Registers that the statement may write. One instruction that knows nothing of the form, or a source that is not kept
 * so, is enough for a register not to be kept so throughout the kernel; so the first few take all of that. */
static uint32_t word(void) {
    return spoiled ? 10 + pick(4) : 14 + pick(WORDS - 4);
}
static uint32_t wide(void) {
    return spoiled ? 10 + pick(3) : 13 + pick(WIDES - 3);
}

/* A register or a constant; the name is good until ten more are asked for. */
static const char *source(char kind) {
    static char names[10][32];
    static int next;
    char *name = names[next++ % 10];
    if (pick(5) == 0)
        snprintf(name, 32, "%s", ONE_OF(numbers));
    else if (kind == 'w')
        snprintf(name, 32, "%%r%u", spoiled ? 10 + pick(WORDS) : word());
    else
        snprintf(name, 32, "%%rd%u", spoiled ? 10 + pick(WIDES) : wide());
    return name;
}

static void guard(void) {
    if (pick(8) == 0) say("@%s%%p%u ", pick(2) ? "!" : "", 1 + pick(PREDICATES));
}

static void compute(void) {
    static const char *const two[] = {"add.s32", "sub.s32", "mul.lo.s32",   "and.b32",        "or.b32",
                                      "xor.b32", "min.u32", "max.u32",      "mul.hi.u32",     "mul.hi.s32",
                                      "div.u32", "rem.u32", "mul24.lo.s32", "shl.b32",        "shr.u32",
                                      "shr.s32", "add.s32", "add.u32",      "bmsk.clamp.b32", "div.s32"};
    static const char *const three[] = {"mad.lo.s32",     "mad.lo.u32", "bfe.u32",     "prmt.b32",
                                        "shf.l.wrap.b32", "sad.u32",    "dp4a.u32.u32"};
    static const char *const one[] = {"mov.u32",  "mov.b32", "neg.s32",  "not.b32",   "abs.s32",
                                      "popc.b32", "clz.b32", "brev.b32", "bfind.u32", "cnot.b32"};
    static const char *const wide_two[] = {"add.s64", "sub.s64", "mul.lo.s64", "and.b64", "or.b64", "xor.b64",
                                           "min.s64", "max.u64", "mul.hi.u64", "add.u64", "add.s64"};
    static const char *const wide_one[] = {"mov.u64", "mov.b64", "neg.s64", "not.b64", "abs.s64", "brev.b64"};
    static const char *const from_wide[] = {"cvt.u32.u64", "popc.b64", "clz.b64", "cvt.u32.u64"};
    static const char *const widening[] = {"cvt.s64.s32", "cvt.u64.u32"};
    static const char *const linear[] = {"add.s32", "sub.s32", "mul.lo.s32", "shl.b32"};
    static const char *const wide_linear[] = {"add.s64", "sub.s64", "mul.lo.s64"};
    guard();
    switch (pick(spoiled ? 20 : 19)) {
    case 16:
    case 17:
        say("%s %%r%u, %s, %s;\n", ONE_OF(linear), word(), source('w'), source('w'));
        break;
    case 18:
        say("%s %%rd%u, %s, %s;\n", ONE_OF(wide_linear), wide(), source('l'), source('l'));
        break;
    case 0:
    case 1:
    case 2:
        say("%s %%r%u, %s, %s;\n", ONE_OF(two), word(), source('w'), source('w'));
        break;
    case 3:
        say("%s %%r%u, %s, %s, %s;\n", ONE_OF(three), word(), source('w'), source('w'), source('w'));
        break;
    case 4:
        say("%s %%r%u, %s;\n", ONE_OF(one), word(), source('w'));
        break;
    case 5:
    case 6:
        say("%s %%rd%u, %s, %s;\n", ONE_OF(wide_two), wide(), source('l'), source('l'));
        break;
    case 7:
        say("mad.lo.s64 %%rd%u, %s, %s, %s;\n", wide(), source('l'), source('l'), source('l'));
        break;
    case 8:
        say("%s %%rd%u, %s;\n", ONE_OF(wide_one), wide(), source('l'));
        break;
    case 9:
        say("%s.b64 %%rd%u, %s, %s;\n", pick(2) ? "shl" : "shr", wide(), source('l'), source('w'));
        break;
    case 10:
        say("%s %%r%u, %%rd%u;\n", ONE_OF(from_wide), word(), wide());
        break;
    case 11:
        if (pick(4) == 0) /* of a wider register the low half counts */
            say("%s %%rd%u, %%rd%u;\n", ONE_OF(widening), wide(), wide());
        else
            say("%s %%rd%u, %%r%u;\n", ONE_OF(widening), wide(), word());
        break;
    case 12:
        say("mul.wide.%s32 %%rd%u, %s, %s;\n", pick(2) ? "s" : "u", wide(), source('w'), source('w'));
        break;
    case 13:
        say("mad.wide.%s32 %%rd%u, %s, %s, %s;\n", pick(2) ? "s" : "u", wide(), source('w'), source('w'), source('l'));
        break;
    case 14:
        say("selp.b32 %%r%u, %s, %s, %%p%u;\n", word(), source('w'), source('w'), 1 + pick(PREDICATES));
        break;
    case 15:
        say("selp.b64 %%rd%u, %s, %s, %%p%u;\n", wide(), source('l'), source('l'), 1 + pick(PREDICATES));
        break;
    default: /* know nothing of the form */
        switch (pick(6)) {
        case 4:
            say("min.s32 %%r%u, %s, %s;\n", word(), source('w'), source('w'));
            break;
        case 5:
            say("cvt.sat.u32.u64 %%r%u, %%rd%u; cvt.s64.u32 %%rd%u, %%r%u;\n", word(), wide(), wide(), word());
            break;
        case 0:
            say("mov.b64 {%%r%u, %%r%u}, %%rd%u;\n", word(), word(), wide());
            break;
        case 1:
            say("mov.b64 %%rd%u, {%%r%u, %%r%u};\n", wide(), word(), word());
            break;
        case 2:
            say("lop3.b32 %%r%u, %s, %s, %s, %u;\n", word(), source('w'), source('w'), source('w'), pick(256));
            break;
        default:
            say("bfi.b32 %%r%u, %s, %s, %s, %s;\n", word(), source('w'), source('w'), source('w'), source('w'));
        }
    }
}

static void compare(void) {
    static const char *const how[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const unsigned_how[] = {"lo", "ls", "hi", "hs", "eq", "lt"};
    static const char *const combine[] = {"and", "or", "xor"};
    const bool is_unsigned = pick(2), is_wide = pick(3) == 0;
    const char kind = is_wide ? 'l' : 'w';
    guard();
    say("setp.%s", is_unsigned ? ONE_OF(unsigned_how) : ONE_OF(how));
    const bool combined = pick(4) == 0;
    if (combined) say(".%s", ONE_OF(combine));
    say(".%c%d %%p%u|%%p%u, %s, %s", is_unsigned ? 'u' : 's', is_wide ? 64 : 32, 1 + pick(3), 4 + pick(3), source(kind),
        source(kind));
    if (combined) say(", %s%%p%u", pick(2) ? "!" : "", 1 + pick(PREDICATES));
    say(";\n");
}

/* A load or store a warp's room, %r3 (shared), %rd3 (global) or %rd4 (generic) being its middle and %r2 the lane. */
static void access_memory(void) {
    static const struct {
        const char *type, *reg;
        int bytes;
    } types[] = {{"u8", "r", 1},  {"s8", "r", 1},  {"u16", "r", 2}, {"s16", "r", 2},
                 {"u32", "r", 4}, {"b32", "r", 4}, {"u64", "rd", 8}};
    static const int steps[] = {0, 1, 1, 1, 2, 3, -1, -2};
    const int type = (int)pick(COUNT(types)), vector = pick(5) == 0 ? 2 : 1;
    const int bytes = types[type].bytes * vector, step = ONE_OF(steps) * bytes;
    const int offset = bytes * (int)pick(5);
    const bool in_words = types[type].bytes < 8, store = pick(2);
    const uint32_t space = pick(3);
    const char *spaces[] = {".shared", ".global", ""};
    char address[32], data[64];
    if (pick(3) == 0)
        say("xor.b32 %%r9, %%r2, %u;\n", pick(32)); /* neither equal nor equally spaced */
    else
        say("mov.u32 %%r9, %%r2;\n");
    if (space == 0) {
        say("mad.lo.s32 %%r8, %%r9, %d, %%r3;\n", step);
        snprintf(address, sizeof address, "[%%r8+%d]", offset);
    } else {
        say("mad.wide.s32 %%rd8, %%r9, %d, %%rd%d;\n", step, space == 1 ? 3 : 4);
        snprintf(address, sizeof address, "[%%rd8+%d]", offset);
    }
    spoiled = !store;
    const uint32_t first = in_words ? word() : wide(), second = in_words ? word() : wide();
    if (vector == 2)
        snprintf(data, sizeof data, "{%%%s%u, %%%s%u}", types[type].reg, first, types[type].reg,
                 second == first && !store ? (first == 10 ? 11 : 10) : second);
    else
        snprintf(data, sizeof data, "%%%s%u", types[type].reg, first);
    guard();
    if (store)
        say("st%s%s.%s %s, %s;\n", spaces[space], vector == 2 ? ".v2" : "", types[type].type, address, data);
    else
        say("ld%s%s.%s %s, %s;\n", spaces[space], vector == 2 ? ".v2" : "", types[type].type, data, address);
}

/* Steps of a dot product, and what is nearly that: a factor or a sum that something else reads as well, a branch into
 * the middle, a multiply-add of another sum. Numbers are what memory holds: NaN, infinities and subnormal ones, too. */
static void dot(void) {
    static const int steps[] = {0, 0, 4, 4, 4, 8, -4};
    const bool shared = pick(3) == 0, common = pick(4) == 0; /* a sum, and addresses, that all paths share */
    const char *at[2] = {shared ? "%r7" : "%rd6", shared ? "%r8" : "%rd7"};
    if (common) at[0] = at[1] = shared ? "%r3" : "%rd3";
    if (pick(6) == 0)
        say("xor.b32 %%r9, %%r2, %u;\n", pick(32));
    else
        say("mov.u32 %%r9, %%r2;\n");
    for (int k = 0; k < 2 && !common; k++)
        say("mad.%s.s32 %s, %%r9, %d, %s;\n", shared ? "lo" : "wide", at[k], ONE_OF(steps), shared ? "%r3" : "%rd3");
    int sum = common ? 1 : floats++;
    const int first = sum, label = labels++;
    const bool branch = pick(6) == 0;
    spoiled = true;
    if (!common) say("cvt.rn.f32.s32 %%f%d, %%r%u;\n", sum, 10 + pick(WORDS));
    say("mov.u64 %%rd8, %d; mov.u32 %%r38, 2;\n", ONE_OF(steps));
    for (int left = 1 + (int)pick(6), target = (int)pick((uint32_t)left); left > 0; left--) {
        const int x = floats++, y = floats++, d = pick(3) && !common ? floats++ : sum, place = (int)pick(2);
        for (uint32_t adds = shared || common ? 0 : pick(3); adds > 0; adds--) {
            const char *const to = at[pick(2)];
            say("add.s64 %s, %s, %%rd8;\n", to, to);
        }
        const char *const space = shared ? "shared" : pick(8) ? "global" : "volatile.global";
        say("ld.%s.f32 %%f%d, [%s+%u];\n", space, x, at[0], 4 * pick(8));
        if (branch && left == target + 1 && place == 0) say("L%d:\n", label);
        say("ld.%s.f32 %%f%d, [%s+%u];\n", space, y, at[1], 4 * pick(8));
        if (branch && left == target + 1 && place == 1) say("L%d:\n", label);
        say("fma.%s.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", pick(12) ? "rn" : "rz", d, pick(2) ? x : y, pick(12) ? y : x,
            pick(12) ? sum : first);
        if (pick(10) == 0) say("mov.b32 %%r%u, %%f%d;\n", word(), pick(2) ? x : sum);
        sum = d;
    }
    if (branch) say("add.s32 %%r38, %%r38, -1; setp.ne.s32 %%p7, %%r38, 0; @%%p7 bra L%d;\n", label);
    say("mov.b32 %%r%u, %%f%d;\n", word(), sum);
}

static void statements(int count, int depth);

static void branch_away(int depth) {
    const int label = labels++;
    const bool was = whole;
    whole = false;
    say("@%s%%p%u bra L%d;\n", pick(2) ? "!" : "", 1 + pick(PREDICATES), label);
    statements(4, depth + 1);
    say("L%d:\n", label);
    whole = was;
}

/* Each depth has a counter of its own. */
static void loop(int depth) {
    const int label = labels++;
    const bool was = whole, same = pick(2);
    whole = whole && same;
    if (same)
        say("mov.u32 %%r%d, %u;\n", 30 + depth, 1 + pick(3));
    else
        say("and.b32 %%r%d, %s, 3; add.s32 %%r%d, %%r%d, 1;\n", 30 + depth, source('w'), 30 + depth, 30 + depth);
    say("L%d:\n", label);
    statements(4, depth + 1);
    say("add.s32 %%r%d, %%r%d, -1; setp.ne.s32 %%p%d, %%r%d, 0; @%%p%d bra L%d;\n", 30 + depth, 30 + depth, 8 + depth,
        30 + depth, 8 + depth, label);
    whole = was;
}

static void statements(int count, int depth) {
    for (int k = 0; k < count; k++) {
        const uint32_t kind = pick(20);
        spoiled = pick(4) == 0;
        if (kind < 11)
            compute();
        else if (kind < 14)
            compare();
        else if (kind < 16)
            access_memory();
        else if (kind < 17 && floats + 24 < MOST_FLOATS)
            dot();
        else if (kind == 17 && whole)
            say("shfl.sync.bfly.b32 %%r%u, %%r%u, %u, 31, -1;\n", 10 + pick(4), 10 + pick(WORDS), 1 + pick(31));
        else if (kind == 18 && depth < 3)
            branch_away(depth);
        else if (depth < 2)
            loop(depth);
    }
}

/* k(out, room, n, m): %r2 is the lane; a warp has 4096 bytes of shared and of global memory. */
static void write_kernel(void) {
    static const char *const words[] = {"%tid.x", "%laneid", "%ctaid.x", "%ntid.x", "%tid.y", "%warpid"};
    length = 0;
    labels = 0;
    floats = 2;
    whole = true;
    say(PTX_HEAD ".visible .entry k(.param .u64 out, .param .u64 room, .param .u32 n, .param .u64 m) {\n"
                 ".reg .pred %%p<12>; .reg .b32 %%r<40>; .reg .b64 %%rd<30>; .reg .f32 %%f<%d>;\n"
                 ".shared .align 16 .b8 area[32768];\n"
                 "ld.param.u64 %%rd1, [out]; ld.param.u64 %%rd3, [room];\n"
                 "mov.u32 %%r1, %%tid.x; mov.u32 %%r4, %%ntid.x; mov.u32 %%r5, %%tid.y; mad.lo.s32 %%r1, %%r5, %%r4, "
                 "%%r1;\n" /* the thread */
                 "mov.u32 %%r2, %%laneid; mov.u32 %%r6, %%warpid; shl.b32 %%r6, %%r6, 12; mov.u32 %%r3, area;\n"
                 "add.s32 %%r3, %%r3, %%r6; add.s32 %%r3, %%r3, 2048;\n"
                 "mul.wide.u32 %%rd5, %%r6, 1; add.s64 %%rd3, %%rd3, %%rd5; add.s64 %%rd3, %%rd3, 2048;\n"
                 "cvt.u64.u32 %%rd4, %%r3; cvta.shared.u64 %%rd4, %%rd4;\n"
                 "mov.u32 %%r7, 0;\nZERO: shl.b32 %%r8, %%r2, 3; add.s32 %%r8, %%r8, %%r7; add.s32 %%r8, %%r8, %%r3;\n"
                 "st.shared.u64 [%%r8+-2048], %%rd1; add.s32 %%r7, %%r7, 256; setp.lt.u32 %%p1, %%r7, 4096; @%%p1 bra "
                 "ZERO;\n",
        MOST_FLOATS);
    for (int k = 0; k < WORDS; k++) switch (pick(4)) {
        case 0: /* towards an end of the 32-bit numbers, or past it */
            say("mad.lo.s32 %%r%d, %%r2, %s, %s;\n", 10 + k, ONE_OF(numbers), ONE_OF(numbers));
            break;
        case 1:
            say("ld.param.u32 %%r%d, [n];\n", 10 + k);
            break;
        default:
            say("mov.u32 %%r%d, %s;\n", 10 + k, ONE_OF(words));
        }
    for (int k = 0; k < WIDES; k++) switch (pick(3)) {
        case 0:
            say("mov.u64 %%rd%d, %s;\n", 10 + k, ONE_OF(numbers));
            break;
        case 1:
            say("ld.param.u64 %%rd%d, [m];\n", 10 + k);
            break;
        default:
            say("cvt.u64.u32 %%rd%d, %%r%u;\n", 10 + k, 1 + pick(2));
        }
    for (int p = 1; p <= PREDICATES; p++) say("setp.gt.s32 %%p%d, %%r%u, %u;\n", p, 10 + pick(WORDS), pick(40));
    say("cvt.rn.f32.s32 %%f1, %%r2;\n");
    statements(5 + (int)pick(40), 0);
    if (pick(2)) say("cvt.rn.f32.s32 %%f0, %%r%u; mov.b32 %%r10, %%f0;\n", 10 + pick(WORDS));
    say("mov.b32 %%r11, %%f1;\n");
    say("mul.lo.s32 %%r36, %%r1, %d; mov.u32 %%r37, %%ctaid.x; mad.lo.s32 %%r36, %%r37, %d, %%r36;\n"
        "mul.wide.u32 %%rd28, %%r36, 4; add.s64 %%rd28, %%rd28, %%rd1;\n",
        RESULTS, RESULTS * 96);
    for (int k = 0; k < WORDS; k++) say("st.global.u32 [%%rd28+%d], %%r%d;\n", 4 * k, 10 + k);
    for (int k = 0; k < WIDES; k++)
        say("mov.b64 {%%r36, %%r37}, %%rd%d; st.global.u32 [%%rd28+%d], %%r36; st.global.u32 [%%rd28+%d], %%r37;\n",
            10 + k, 4 * (WORDS + 2 * k), 4 * (WORDS + 2 * k) + 4);
    say("mov.u32 %%r36, 0;\n");
    for (int p = 1; p <= PREDICATES; p++) say("@%%p%d or.b32 %%r36, %%r36, %d;\n", p, 1 << p);
    say("st.global.u32 [%%rd28+%d], %%r36;\nret;\n}\n", 4 * (RESULTS - 1));
}

/* ---- with the form, and without ---- */

enum { OUT_BYTES = 2 * 96 * RESULTS * 4, ROOM_BYTES = 32768 };
typedef struct arguments {
    uint64_t out, room;
    uint32_t n, unused;
    uint64_t m;
} arguments;

static void run_kernel(const arguments *a, sim_launch_config config, uint8_t *results) {
    memset((void *)a->out, 0, OUT_BYTES);
    for (int k = 0; k < ROOM_BYTES; k++) ((uint8_t *)a->room)[k] = (uint8_t)(k * 37);
    program p = program_load(text);
    const sim_status status = launch_kernel(kernel_of(&p, "k"), config, a);
    program_unload(&p);
    if (status != SIM_OK) fail_msg("status %d: %s\n%s", status, said, text);
    memcpy(results, (void *)a->out, OUT_BYTES);
    memcpy(results + OUT_BYTES, (void *)a->room, ROOM_BYTES);
}

/* The same, and what the counters say of it, with checks beside them or without. */
static void count_kernel(const arguments *a, sim_launch_config config, bool checked, uint8_t *results,
                         double *counted) {
    counters_free();
    counters_of("test", "");
    observers_set(checked ? checks_before(&counters_observer) : &counters_observer);
    run_kernel(a, config, results);
    observers_set(NULL);
    metrics_of(counters_all(), counted);
}

static void compare_results(int kernel, const unsigned *shape, const uint8_t *one, const uint8_t *other) {
    for (int at = 0; at < OUT_BYTES + ROOM_BYTES; at++) {
        if (one[at] == other[at]) continue;
        const int result = at / 4 % RESULTS, thread = at / 4 / RESULTS;
        fail_msg("kernel %d of %ux%u: byte %d (thread %d's result %d): %02x, not %02x\n%s", kernel, shape[0], shape[1],
                 at, thread, result, one[at], other[at], text);
    }
}

static void random_kernels(void **state) {
    static const unsigned shapes[][2] = {{64, 1}, {32, 3}, {16, 4}, {8, 8}, {48, 1}, {96, 1}, {5, 7}};
    static sim_other_handlers plain[ROW_COUNT];
    const char *const wanted = getenv("TEST_ALL");
    const int kernels = wanted != NULL && *wanted != '\0' ? 30000 : 3000;
    run_well(KERNEL("", "mov.u32 %r2, 0;" STORE), 1, 32); /* the handlers are chosen */
    const sim_other_handlers *const others = sim_others;
    plain[ROW_op_observe] = others[ROW_op_observe];
    double counted[METRIC_COUNT], expected[METRIC_COUNT];
    checks_begin(false, false); /* from the allocations on */
    arguments a = {.n = 6, .m = 0x123456789};
    a.out = memory_allocate(OUT_BYTES, 256, MEMORY_DEVICE, NULL, NULL);
    a.room = memory_allocate(ROOM_BYTES, 256, MEMORY_DEVICE, NULL, NULL);
    uint8_t *one = malloc(OUT_BYTES + ROOM_BYTES), *other = malloc(OUT_BYTES + ROOM_BYTES);
    setenv("CUDASIM_THREADS", "1", 1);
    for (int k = 0; k < kernels; k++) {
        seed = 0x9e3779b97f4a7c15u * (uint64_t)(k + 1);
        write_kernel();
        const unsigned *s = shapes[k % (int)COUNT(shapes)];
        const sim_launch_config config = {.grid = {2, 1, 1}, .block = {s[0], s[1], 1}, .cluster = {1, 1, 1}};
        run_kernel(&a, config, one);
        sim_others = plain;
        run_kernel(&a, config, other);
        sim_others = others;
        compare_results(k, s, one, other);
        if (k % 4 != 0) continue;
        count_kernel(&a, config, k % 8 == 0, one, counted);
        compare_results(k, s, one, other);
        sim_others = plain;
        count_kernel(&a, config, false, one, expected);
        sim_others = others;
        for (int m = 0; m < METRIC_COUNT; m++)
            if (counted[m] != expected[m])
                fail_msg("kernel %d: metric %d is %.17g, not %.17g\n%s", k, m, counted[m], expected[m], text);
    }
    unsetenv("CUDASIM_THREADS");
    free(one);
    free(other);
    memory_free(a.out);
    memory_free(a.room);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
