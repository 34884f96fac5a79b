/* Plain loads and stores, and atomics of integers, against a plain model: every type, vector and space, lanes in every
 * order. */
#include "sim_case.h"

/* In the kernel's memory: where each lane goes, then what is read, what is written, the results. */
#define AREA_BYTES  4096
#define TABLE_BYTE  0
#define SOURCE_BYTE 1024
#define TARGET_BYTE (SOURCE_BYTE + AREA_BYTES)
#define RESULT_BYTE (TARGET_BYTE + AREA_BYTES)
#define ALL_BYTES   (RESULT_BYTE + 32 * 32)

typedef struct access_type {
    const char *name, *reg; /* of the memory, of the register */
    unsigned bytes, reg_bytes;
    bool is_signed;
} access_type;

/* A place for each lane, as a number of elements. Some have the first and the last lane as a row would. */
static unsigned place_of(int order, unsigned lane) {
    switch (order) {
    case 0:
        return 3 + lane;
    case 1:
        return 5;
    case 2:
        return 40 - lane;
    case 3:
        return 2 * lane;
    case 4:
        return lane == 7 ? 8 : lane == 8 ? 7 : lane;
    case 5:
        return lane == 0 || lane == 31 ? lane : 12;
    default:
        return lane == 17 ? 9 : 4;
    }
}
#define ORDERS 7

static uint64_t number_of(unsigned lane, unsigned element) {
    return 0x9e3779b97f4a7c15u * (1 + lane * 4 + element);
}

static void write_access(char *ptx, size_t size, const access_type *t, unsigned vector, const char *space,
                         unsigned active) {
    const bool shared = strcmp(space, ".shared") == 0;
    char registers[64] = "", vectored[16] = "", results[512] = "", values[512] = "";
    for (unsigned v = 0; v < vector; v++) {
        const char *cvt = t->reg_bytes == 8 ? "mov.u64" : t->reg_bytes == 4 ? "cvt.u64.u32" : "cvt.u64.u16";
        snprintf(registers + strlen(registers), sizeof registers - strlen(registers), "%s%s%u", v > 0 ? ", " : "",
                 t->reg, 10 + v);
        snprintf(results + strlen(results), sizeof results - strlen(results),
                 "%s %%rd9, %s%u; st.global.u64 [%%rd4+%u], %%rd9;\n", cvt, t->reg, 10 + v, 8 * v);
        snprintf(values + strlen(values), sizeof values - strlen(values),
                 "add.u64 %%rd8, %%rd8, %%rd7; %s %s%u, %%rd8;\n",
                 t->reg_bytes == 8   ? "mov.u64"
                 : t->reg_bytes == 4 ? "cvt.u32.u64"
                                     : "cvt.u16.u64",
                 t->reg, 10 + v);
    }
    if (vector > 1) snprintf(vectored, sizeof vectored, ".v%u", vector);
    const char *open = vector > 1 ? "{" : "", *close = vector > 1 ? "}" : "";
    snprintf(ptx, size,
             PTX_HEAD ".shared .align 16 .b8 area[%d];\n.visible .entry k(.param .u64 out) {\n"
                      ".reg .pred %%p<4>; .reg .b16 %%rs<20>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>;\n"
                      "ld.param.u64 %%rd1, [out]; mov.u32 %%r1, %%tid.x; setp.lt.u32 %%p1, %%r1, %u;\n"
                      "mad.wide.u32 %%rd2, %%r1, 4, %%rd1; ld.global.u32 %%r2, [%%rd2];\n"
                      "mad.wide.u32 %%rd4, %%r1, 32, %%rd1; add.u64 %%rd4, %%rd4, %d;\n"
                      "add.u64 %%rd5, %%rd1, %d; add.u64 %%rd6, %%rd1, %d; mul.wide.u32 %%rd3, %%r2, %u;\n",
             AREA_BYTES, active, RESULT_BYTE, SOURCE_BYTE, TARGET_BYTE, t->bytes * vector);
    size_t at = strlen(ptx);
    if (shared) /* the source goes there, and what is written comes back */
        at += (size_t)snprintf(
            ptx + at, size - at,
            "mov.u64 %%rd15, area; mov.u32 %%r3, 0;\nI: mad.lo.u32 %%r4, %%r3, 32, %%r1; mul.wide.u32 %%rd16, "
            "%%r4, 4; add.u64 %%rd17, %%rd5, %%rd16; add.u64 %%rd18, %%rd15, %%rd16;\n"
            "ld.global.u32 %%r5, [%%rd17]; st.shared.u32 [%%rd18], %%r5; add.u32 %%r3, %%r3, 1;\n"
            "setp.lt.u32 %%p2, %%r3, %d; @%%p2 bra I; bar.sync 0;\nadd.u64 %%rd5, %%rd15, 0;\n",
            AREA_BYTES / 128);
    at += (size_t)snprintf(
        ptx + at, size - at,
        "add.u64 %%rd5, %%rd5, %%rd3; @%%p1 ld%s%s.%s %s%s%s, [%%rd5];\n%s"
        "mul.wide.u32 %%rd8, %%r1, 4; mov.u64 %%rd7, 0x9e3779b97f4a7c15; mul.lo.u64 %%rd8, %%rd8, %%rd7;\n%s",
        space, vectored, t->name, open, registers, close, results, values);
    if (shared)
        at += (size_t)snprintf(
            ptx + at, size - at,
            "mov.u32 %%r3, 0; mov.u32 %%r5, 0;\nZ: mad.lo.u32 %%r4, %%r3, 32, %%r1; mul.wide.u32 %%rd16, %%r4, 4; "
            "add.u64 %%rd18, %%rd15, %%rd16;\nst.shared.u32 [%%rd18], %%r5; add.u32 %%r3, %%r3, 1;\n"
            "setp.lt.u32 %%p2, %%r3, %d; @%%p2 bra Z; bar.sync 0;\nadd.u64 %%rd6, %%rd15, 0;\n",
            AREA_BYTES / 128);
    at += (size_t)snprintf(ptx + at, size - at, "add.u64 %%rd14, %%rd6, %%rd3; @%%p1 st%s%s.%s [%%rd14], %s%s%s;\n",
                           space, vectored, t->name, open, registers, close);
    if (shared)
        at += (size_t)snprintf(
            ptx + at, size - at,
            "bar.sync 0; add.u64 %%rd6, %%rd1, %d; mov.u32 %%r3, 0;\nO: mad.lo.u32 %%r4, %%r3, 32, %%r1; "
            "mul.wide.u32 %%rd16, %%r4, 4; add.u64 %%rd17, %%rd6, %%rd16; add.u64 %%rd18, %%rd15, %%rd16;\n"
            "ld.shared.u32 %%r5, [%%rd18]; st.global.u32 [%%rd17], %%r5; add.u32 %%r3, %%r3, 1;\n"
            "setp.lt.u32 %%p2, %%r3, %d; @%%p2 bra O;\n",
            TARGET_BYTE, AREA_BYTES / 128);
    snprintf(ptx + at, size - at, "ret;\n}\n");
}

static void check_access(const access_type *t, unsigned vector, const char *space, int order, unsigned active) {
    static char ptx[8192];
    static uint8_t target[AREA_BYTES];
    const unsigned each = t->bytes * vector;
    const uint64_t at = memory_allocate(ALL_BYTES, 256, MEMORY_DEVICE, NULL, NULL);
    uint8_t *memory = (uint8_t *)at;
    for (unsigned l = 0; l < 32; l++) ((uint32_t *)(memory + TABLE_BYTE))[l] = place_of(order, l);
    for (unsigned k = 0; k < AREA_BYTES; k++) memory[SOURCE_BYTE + k] = (uint8_t)(k * 167 + (k >> 8) + 13);
    write_access(ptx, sizeof ptx, t, vector, space, active);
    program p = program_load(ptx);
    const sim_status status = launch_kernel(kernel_of(&p, "k"), shape(1, 32), &at);
    program_unload(&p);
    if (status != SIM_OK) fail_msg("%s: %s", ptx, said);
    memset(target, 0, sizeof target);
    for (unsigned l = 0; l < 32; l++)
        for (unsigned v = 0; v < vector; v++) {
            const unsigned byte = place_of(order, l) * each + v * t->bytes;
            uint64_t want = 0, got;
            memcpy(&want, memory + SOURCE_BYTE + byte, t->bytes);
            if (t->is_signed && want >> (8 * t->bytes - 1)) want |= UINT64_MAX << 8 * t->bytes;
            if (t->reg_bytes < 8) want &= (1ull << 8 * t->reg_bytes) - 1;
            if (l >= active) want = 0;
            memcpy(&got, memory + RESULT_BYTE + 32 * l + 8 * v, 8);
            if (got != want)
                fail_msg("ld%s.v%u.%s, order %d, %u lanes: lane %u got 0x%llx, not 0x%llx", space, vector, t->name,
                         order, active, l, (unsigned long long)got, (unsigned long long)want);
            const uint64_t value = number_of(l, v);
            if (l < active) memcpy(target + byte, &value, t->bytes);
        }
    for (unsigned k = 0; k < AREA_BYTES; k++)
        if (memory[TARGET_BYTE + k] != target[k])
            fail_msg("st%s.v%u.%s, order %d, %u lanes: byte %u is 0x%x, not 0x%x", space, vector, t->name, order,
                     active, k, memory[TARGET_BYTE + k], target[k]);
    memory_free(at);
}

static void plain_accesses(void **state) {
    static const access_type types[] = {
        {"u8", "%r", 1, 4, false},  {"s8", "%r", 1, 4, true},   {"u8", "%rs", 1, 2, false},
        {"s8", "%rs", 1, 2, true},  {"u8", "%rd", 1, 8, false}, {"u16", "%rs", 2, 2, false},
        {"s16", "%r", 2, 4, true},  {"u16", "%r", 2, 4, false}, {"s16", "%rd", 2, 8, true},
        {"u32", "%r", 4, 4, false}, {"s32", "%rd", 4, 8, true}, {"u64", "%rd", 8, 8, false}};
    static const char *const spaces[] = {".global", ".shared", ""};
    for (size_t k = 0; k < COUNT(types); k++)
        for (size_t s = 0; s < COUNT(spaces); s++)
            for (unsigned vector = 1; vector <= 4 && vector * types[k].bytes <= 16; vector *= 2)
                for (int order = 0; order < ORDERS; order++)
                    for (unsigned active = 20; active <= 32; active += 12)
                        check_access(&types[k], vector, spaces[s], order, active);
}

/* ---- atomics: lanes in ascending order ---- */

typedef struct atomic_case {
    const char *name; /* the operation and its type */
    unsigned bytes;
    bool compares;
    uint64_t (*after)(uint64_t old, uint64_t a, uint64_t b);
} atomic_case;

static uint64_t sum(uint64_t old, uint64_t a, uint64_t b) {
    return (void)b, old + a;
}
static uint64_t most(uint64_t old, uint64_t a, uint64_t b) {
    return (void)b, (int32_t)a > (int32_t)old ? a : old;
}
static uint64_t other(uint64_t old, uint64_t a, uint64_t b) {
    return (void)b, old ^ a;
}
static uint64_t swapped(uint64_t old, uint64_t a, uint64_t b) {
    return (void)old, (void)b, a;
}
static uint64_t compared(uint64_t old, uint64_t a, uint64_t b) {
    return old == a ? b : old;
}

/* With the old values as results, or without (red). */
static void check_atomic(const atomic_case *c, const char *space, int order, unsigned active, bool result) {
    static char ptx[4096];
    static uint64_t model[64];
    const char *reg = c->bytes == 8 ? "%rd" : "%r";
    const bool shared = strcmp(space, ".shared") == 0;
    const uint64_t mask = c->bytes == 8 ? UINT64_MAX : UINT32_MAX;
    const uint64_t at = memory_allocate(ALL_BYTES, 256, MEMORY_DEVICE, NULL, NULL);
    for (unsigned l = 0; l < 32; l++) ((uint32_t *)at)[l] = place_of(order, l);
    /* Words of 8 bytes start as their own number; a = 3 * lane + 1 (or the place's number), b = 1000 + lane. */
    snprintf(ptx, sizeof ptx,
             PTX_HEAD ".shared .align 16 .b8 area[512];\n.visible .entry k(.param .u64 out) {\n"
                      ".reg .pred %%p<4>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>;\n"
                      "ld.param.u64 %%rd1, [out]; mov.u32 %%r1, %%tid.x; setp.lt.u32 %%p1, %%r1, %u;\n"
                      "mad.wide.u32 %%rd2, %%r1, 4, %%rd1; ld.global.u32 %%r2, [%%rd2];\n"
                      "add.u64 %%rd3, %%rd1, %d;\n%s"
                      "mad.wide.u32 %%rd4, %%r1, 8, %%rd3; cvt.u64.u32 %%rd5, %%r1; st%s.u64 [%%rd4], %%rd5;\n"
                      "add.u64 %%rd6, %%rd5, 32; st%s.u64 [%%rd4+256], %%rd6; bar.sync 0;\n"
                      "mad.wide.u32 %%rd7, %%r2, 8, %%rd3; %s cvt.u64.u32 %%rd10, %%r10;\n"
                      "add.u32 %%r11, %%r1, 1000; cvt.u64.u32 %%rd11, %%r11; mov.u32 %%r12, 0; mov.u64 %%rd12, 0;\n",
             active, SOURCE_BYTE, shared ? "mov.u64 %rd3, area;\n" : "", space, space,
             c->compares ? "mov.u32 %r10, %r2;" : "mad.lo.u32 %r10, %r1, 3, 1;");
    size_t length = strlen(ptx);
    if (result)
        length += (size_t)snprintf(ptx + length, sizeof ptx - length, "@%%p1 atom%s.%s %s12, [%%rd7], %s10%s%s%s;\n",
                                   space, c->name, reg, reg, c->compares ? ", " : "", c->compares ? reg : "",
                                   c->compares ? "11" : "");
    else
        length +=
            (size_t)snprintf(ptx + length, sizeof ptx - length, "@%%p1 red%s.%s [%%rd7], %s10;\n", space, c->name, reg);
    snprintf(ptx + length, sizeof ptx - length,
             "bar.sync 0; %s add.u64 %%rd13, %%rd1, %d; mad.wide.u32 %%rd13, %%r1, 8, %%rd13; st.global.u64 [%%rd13], "
             "%%rd12;\n"
             "ld%s.u64 %%rd14, [%%rd4]; st.global.u64 [%%rd13+256], %%rd14;\n"
             "ld%s.u64 %%rd14, [%%rd4+256]; st.global.u64 [%%rd13+512], %%rd14; ret;\n}\n",
             c->bytes == 8 ? "" : "cvt.u64.u32 %rd12, %r12;", TARGET_BYTE, space, space);
    program p = program_load(ptx);
    const sim_status status = launch_kernel(kernel_of(&p, "k"), shape(1, 32), &at);
    program_unload(&p);
    if (status != SIM_OK) fail_msg("%s: %s", ptx, said);
    const uint64_t *got = (const uint64_t *)(at + TARGET_BYTE);
    for (unsigned k = 0; k < 64; k++) model[k] = k;
    for (unsigned l = 0; l < 32; l++) {
        const unsigned place = place_of(order, l);
        const uint64_t old = l < active ? model[place] & mask : 0, a = c->compares ? place : 3 * l + 1;
        if (l < active) model[place] = (model[place] & ~mask) | (c->after(old, a, 1000 + l) & mask);
        if (result && got[l] != old)
            fail_msg("atom%s.%s, order %d, %u lanes: lane %u got %llu, not %llu", space, c->name, order, active, l,
                     (unsigned long long)got[l], (unsigned long long)old);
    }
    for (unsigned k = 0; k < 64; k++)
        if (got[32 + k] != model[k])
            fail_msg("%s%s.%s, order %d, %u lanes: word %u is %llu, not %llu", result ? "atom" : "red", space, c->name,
                     order, active, k, (unsigned long long)got[32 + k], (unsigned long long)model[k]);
    memory_free(at);
}

static void atomics(void **state) {
    static const atomic_case cases[] = {{"add.u32", 4, false, sum},      {"add.s32", 4, false, sum},
                                        {"add.u64", 8, false, sum},      {"max.s32", 4, false, most},
                                        {"xor.b32", 4, false, other},    {"xor.b64", 8, false, other},
                                        {"exch.b32", 4, false, swapped}, {"exch.b64", 8, false, swapped},
                                        {"cas.b32", 4, true, compared},  {"cas.b64", 8, true, compared}};
    static const char *const spaces[] = {".global", ".shared", ""};
    for (size_t k = 0; k < COUNT(cases); k++)
        for (size_t s = 0; s < COUNT(spaces); s++)
            for (int order = 0; order < ORDERS; order++)
                for (unsigned active = 20; active <= 32; active += 12)
                    for (int result = 0; result <= 1; result++)
                        if (result || (cases[k].after != swapped && !cases[k].compares))
                            check_atomic(&cases[k], spaces[s], order, active, result);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain_accesses), cmocka_unit_test(atomics)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
