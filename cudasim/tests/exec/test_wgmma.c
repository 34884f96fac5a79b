/* wgmma against a model. */
#include <math.h>

#include "sim_case.h"

/* ---- a case ------------------------------------------------------------------------------------------------------ */

typedef struct type {
    const char *name;
    int bytes;
    bool integer;
} type;
static const type F16 = {"f16", 2, false}, BF16 = {"bf16", 2, false}, TF32 = {"tf32", 4, false},
                  E4M3 = {"e4m3", 1, false}, E5M2 = {"e5m2", 1, false}, S8 = {"s8", 1, true}, U8 = {"u8", 1, true};

/* Where a matrix in shared memory begins and how it is laid out. swizzle: 0 none, 1 128 bytes, 2 64, 3 32. lbo, sbo: 0:
 * what packs it; else bytes. `step`: so many pairs of chunks along K the start address is moved inside of the swizzle.
 * `base`: the pattern begins at so many times 128 bytes. */
typedef struct place_of {
    unsigned start;
    int swizzle;
    bool mn_major;
    unsigned lbo, sbo, step, base;
} place_of;

typedef struct test_case {
    const type *a, *b;
    const char *d; /* "f32", "f16", "s32" */
    int n;
    bool a_in_registers, negate_a, negate_b, satfinite, exact;
    unsigned wide;
    const char *scale; /* the operand: "1", "0", "p" (holds), "!p" */
    place_of at_a, at_b;
} test_case;

enum {
    M = 64,
    MOST_N = 256,
    MOST_K = 32,
    IMAGE = 96 << 10,
    D_AT = IMAGE,
    A_AT = D_AT + 128 * 128 * 4,
    ALL = A_AT + 2048
};

static uint8_t *memory; /* as the kernel gets it: the image of shared memory, D, A's registers */
static uint32_t bits_a[M][MOST_K], bits_b[MOST_N][MOST_K];
static double value_a[M][MOST_K], value_b[MOST_N][MOST_K], value_d[M][MOST_N];
static uint64_t random_state = 1;

static uint32_t random_word(void) {
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(random_state >> 32);
}

static double value_of(const type *t, uint32_t bits) {
    if (t == &F16) {
        _Float16 h;
        const uint16_t narrow = (uint16_t)bits;
        memcpy(&h, &narrow, 2);
        return (double)h;
    }
    if (t == &BF16 || t == &TF32) {
        float f;
        const uint32_t word = t == &BF16 ? bits << 16 : bits >> 13 << 13;
        memcpy(&f, &word, 4);
        return f;
    }
    if (t == &S8) return (int8_t)bits;
    if (t == &U8) return bits;
    const int mantissa_bits = t == &E4M3 ? 3 : 2, bias = t == &E4M3 ? 7 : 15;
    const int exponent = (int)(bits >> mantissa_bits & (t == &E4M3 ? 15 : 31));
    const double mantissa = (double)(bits & ((1u << mantissa_bits) - 1)) / (1 << mantissa_bits);
    const double size = exponent == 0 ? ldexp(mantissa, 1 - bias) : ldexp(1 + mantissa, exponent - bias);
    return bits & 0x80 ? -size : size;
}

/* Random bits: of a small integer, of a number near 1, or (one time in `wide`) of any that is finite. */
static uint32_t random_bits(const type *t, bool exact, unsigned wide) {
    const uint32_t all = t->bytes == 4 ? 0xffffffffu : (1u << 8 * t->bytes) - 1;
    if (t->integer) return random_word() & all;
    for (;;) {
        uint32_t bits;
        if (exact) {
            const int v = (int)(random_word() % 17) - 8;
            const float f = (float)v;
            memcpy(&bits, &f, 4);
            const _Float16 h = (_Float16)v;
            uint16_t half;
            memcpy(&half, &h, 2);
            bits = t == &F16 ? half : t == &BF16 ? bits >> 16 : t == &TF32 ? bits | (random_word() & 0x1fff) : 0;
            for (uint32_t k = 0; t->bytes == 1 && k < 256; k++)
                if (value_of(t, k) == v) bits = k;
            return bits;
        }
        bits = random_word() & all;
        const double v = fabs(value_of(t, bits));
        if (wide != 0 && v < (t == &E4M3 ? 449 : t == &E5M2 ? 57345 : HUGE_VAL) && random_word() % wide == 0)
            return bits;
        if (v < 16 && v > 0x1p-9) return bits;
    }
}

/* Address of the chunk (16 bytes) `c` along the major direction in row `r` along the other one. */
static unsigned chunk_address(const place_of *p, unsigned r, unsigned c) {
    const unsigned width = p->swizzle == 0 ? 1 : 16u >> p->swizzle; /* chunks: 8, 4, 2 */
    const unsigned pattern = p->start + 128 * p->base;              /* where the swizzle's pattern begins */
    unsigned down, right;                                           /* from one pattern to the next */
    if (!p->mn_major) {
        down = p->sbo, right = p->lbo;
    } else if (p->swizzle == 0) {
        down = p->lbo, right = p->sbo;
    } else {
        down = p->sbo, right = p->lbo;
    }
    if (!p->mn_major && p->swizzle != 0) assert_true(c < width);
    const unsigned turn = p->swizzle == 0 ? 0 : p->swizzle == 1 ? r % 8 : p->swizzle == 2 ? r % 8 / 2 : r % 8 / 4;
    return pattern + r / 8 * down + c / width * right + r % 8 * width * 16 + ((c % width) ^ turn) * 16;
}

static void put_element(const place_of *p, const type *t, unsigned row, unsigned k, uint32_t bits) {
    const unsigned per_chunk = 16u / (unsigned)t->bytes;
    const unsigned major = p->mn_major ? row : k, other = p->mn_major ? k : row;
    const unsigned first = p->mn_major ? 0 : 2 * p->step;
    const unsigned at = chunk_address(p, other, major / per_chunk + first) + major % per_chunk * (unsigned)t->bytes;
    assert_true(at >= 1024 && at + 4 <= IMAGE + 1024);
    memcpy(memory + at - 1024, &bits, (size_t)t->bytes);
}

static uint64_t descriptor(const place_of *p) {
    const uint64_t start = p->start + 128 * p->base + 32 * p->step;
    return (start & 0x3ffff) >> 4 | (uint64_t)(p->lbo >> 4) << 16 | (uint64_t)(p->sbo >> 4) << 32 |
           (uint64_t)p->base << 49 | (uint64_t)p->swizzle << 62;
}

/* Offsets that pack the matrix, unless others are wanted. */
static void pack(place_of *p, unsigned rows, unsigned bytes_k) {
    const unsigned pattern = p->swizzle == 0 ? 128 : 128 * (16u >> p->swizzle);
    if (!p->mn_major) {
        if (p->sbo == 0) p->sbo = pattern;
        if (p->lbo == 0) p->lbo = p->swizzle == 0 ? pattern * (rows / 8) : 16;
    } else if (p->swizzle == 0) {
        if (p->sbo == 0) p->sbo = pattern;
        if (p->lbo == 0) p->lbo = pattern * (rows / 8);
    } else {
        const unsigned patterns = (rows * 2 + 16 * (16u >> p->swizzle) - 1) / (16 * (16u >> p->swizzle));
        if (p->lbo == 0) p->lbo = pattern;
        if (p->sbo == 0) p->sbo = pattern * patterns;
    }
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

static char text[1 << 17];
static size_t text_length;
__attribute__((format(printf, 1, 2))) static void put(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_length += (size_t)vsnprintf(text + text_length, sizeof text - text_length, format, arguments);
    va_end(arguments);
    assert_true(text_length < sizeof text);
}

static void put_list(const char *name, int count) {
    put("{");
    for (int k = 0; k < count; k++) put("%s%%%s%d", k > 0 ? "," : "", name, k);
    put("}");
}

static int k_of(const test_case *c) {
    return 32 / c->a->bytes;
}
static int d_registers(const test_case *c) {
    return strcmp(c->d, "f16") == 0 ? c->n / 4 : c->n / 2;
}

static void write_kernel(const test_case *c) {
    text_length = 0;
    put(PTX_HEAD
        ".visible .entry k(.param .u64 out) {\n"
        ".reg .pred %%p<4>; .reg .b32 %%r<16>; .reg .b64 %%rd<16>; .reg .b32 %%d<128>; .reg .b32 %%a<4>;\n"
        ".shared .align 1024 .b8 s[%d];\n"
        "ld.param.u64 %%rd1, [out]; mov.u32 %%r1, %%tid.x; setp.ge.u32 %%p1, %%r1, 0;\n"
        "shl.b32 %%r2, %%r1, 4; mov.u32 %%r3, s;\n"
        "L: cvt.u64.u32 %%rd2, %%r2; add.s64 %%rd3, %%rd1, %%rd2; ld.global.v4.u32 {%%r4,%%r5,%%r6,%%r7}, [%%rd3];\n"
        "add.u32 %%r8, %%r3, %%r2; st.shared.v4.u32 [%%r8], {%%r4,%%r5,%%r6,%%r7};\n"
        "add.u32 %%r2, %%r2, 2048; setp.lt.u32 %%p2, %%r2, %d; @%%p2 bra L;\n"
        "fence.proxy.async.shared::cta; bar.sync 0; mad.wide.u32 %%rd4, %%r1, 4, %%rd1;\n",
        IMAGE, IMAGE);
    for (int j = 0; j < d_registers(c); j++) put("ld.global.b32 %%d%d, [%%rd4+%d];\n", j, D_AT + 512 * j);
    for (int j = 0; j < 4; j++) put("ld.global.b32 %%a%d, [%%rd4+%d];\n", j, A_AT + 512 * j);
    put("mov.u64 %%rd5, 0x%llx; mov.u64 %%rd6, 0x%llx; wgmma.fence.sync.aligned;\n",
        (unsigned long long)descriptor(&c->at_a), (unsigned long long)descriptor(&c->at_b));
    put("wgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s%s ", c->n, k_of(c), c->d, c->a->name, c->b->name,
        c->satfinite ? ".satfinite" : "");
    put_list("d", d_registers(c));
    put(", ");
    if (c->a_in_registers)
        put_list("a", 4);
    else
        put("%%rd5");
    put(", %%rd6, %s", strcmp(c->scale, "p") == 0 ? "%p1" : strcmp(c->scale, "!p") == 0 ? "!%p1" : c->scale);
    if (!c->a->integer) put(", %d, %d", c->negate_a ? -1 : 1, c->negate_b ? -1 : 1);
    if (c->a->bytes == 2 && !c->a_in_registers) put(", %d", c->at_a.mn_major);
    if (c->a->bytes == 2) put(", %d", c->at_b.mn_major);
    put(";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n");
    for (int j = 0; j < d_registers(c); j++) put("st.global.b32 [%%rd4+%d], %%d%d;\n", D_AT + 512 * j, j);
    put("ret;\n}\n");
}

/* ---- placing, running, comparing --------------------------------------------------------------------------------- */

static bool scales(const test_case *c) {
    return strcmp(c->scale, "1") == 0 || strcmp(c->scale, "p") == 0;
}

/* Element (row, column) of D lies with this thread, in this register; of f16 in this half of it. */
static uint8_t *d_element(const test_case *c, int row, int column) {
    const int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
    const int number = column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
    if (strcmp(c->d, "f16") == 0) return memory + D_AT + 512 * (number / 2) + 4 * thread + 2 * (number % 2);
    return memory + D_AT + 512 * number + 4 * thread;
}

static double read_d(const test_case *c, int row, int column) {
    const uint8_t *at = d_element(c, row, column);
    if (strcmp(c->d, "f16") == 0) {
        _Float16 h;
        memcpy(&h, at, 2);
        return (double)h;
    }
    if (strcmp(c->d, "s32") == 0) {
        int32_t i;
        memcpy(&i, at, 4);
        return i;
    }
    float f;
    memcpy(&f, at, 4);
    return f;
}

static void write_d(const test_case *c, int row, int column, double v) {
    uint8_t *at = d_element(c, row, column);
    const _Float16 h = (_Float16)v;
    const float f = (float)v;
    const int32_t i = (int32_t)v;
    if (strcmp(c->d, "f16") == 0)
        memcpy(at, &h, 2);
    else
        memcpy(at, strcmp(c->d, "s32") == 0 ? (const void *)&i : &f, 4);
}

static void describe(const test_case *c, char *to, size_t size) {
    snprintf(to, size,
             "m64n%dk%d.%s.%s.%s A %s swizzle %d %s step %u base %u, B swizzle %d %s step %u base %u, scale-d %s", c->n,
             k_of(c), c->d, c->a->name, c->b->name, c->a_in_registers ? "in registers" : "in memory", c->at_a.swizzle,
             c->at_a.mn_major ? "MN" : "K", c->at_a.step, c->at_a.base, c->at_b.swizzle, c->at_b.mn_major ? "MN" : "K",
             c->at_b.step, c->at_b.base, c->scale);
}

/* An exponent as tensor_sum.h has it. */
static int exponent_of(const type *t, const char *d, double v) {
    const int least = t == &F16 || t == &E5M2 ? -14 : t == &E4M3 ? -6 : t != NULL || strcmp(d, "f16") != 0 ? -126 : -14;
    return v == 0 ? -1000 : ilogb(v) < least ? least : ilogb(v);
}

/* The sum as tensor_sum.h describes it, in integers. */
static double model_sum(const test_case *c, int k, int row, int column, double sign) {
    const bool half = strcmp(c->d, "f16") == 0;
    const int bits = c->a->bytes == 1 ? 13 : 25;
    int most = exponent_of(NULL, c->d, value_d[row][column]);
    for (int p = 0; p < k; p++) {
        const int e = exponent_of(c->a, c->d, value_a[row][p]) + exponent_of(c->b, c->d, value_b[column][p]);
        most = e > most ? e : most;
    }
    if (most < -400) return 0; /* zeros only */
    const double unit = ldexp(1, bits - most);
    int64_t sum = (int64_t)(value_d[row][column] * unit);
    for (int p = 0; p < k; p++) sum += (int64_t)(sign * value_a[row][p] * value_b[column][p] * unit);
    const double exact = ldexp((double)sum, most - bits);
    if (half) return (double)(_Float16)exact;
    if (sum == 0) return 0;
    if (fabs(exact) >= 0x1p128) return exact > 0 ? HUGE_VAL : -HUGE_VAL;
    const int last = ilogb(exact) - (bits == 13 ? 13 : 23), place = last < -149 ? -149 : last;
    return ldexp(trunc(ldexp(exact, -place)), place);
}

static void check_case(test_case c) {
    const int k = k_of(&c);
    if (memory == NULL) memory = (uint8_t *)memory_allocate(ALL, 256, MEMORY_DEVICE, NULL, NULL);
    if (c.at_a.start == 0) c.at_a.start = 1024;
    if (c.at_b.start == 0) c.at_b.start = 1024 + (24 << 10);
    pack(&c.at_a, M, 32);
    pack(&c.at_b, (unsigned)c.n, 32);
    memset(memory, 0xff, ALL);
    for (int p = 0; p < k; p++) {
        for (int r = 0; r < M; r++) {
            bits_a[r][p] = random_bits(c.a, c.exact, c.wide);
            value_a[r][p] = value_of(c.a, bits_a[r][p]);
            if (!c.a_in_registers) {
                put_element(&c.at_a, c.a, (unsigned)r, (unsigned)p, bits_a[r][p]);
                continue;
            }
            const int byte = p * c.a->bytes;
            uint8_t *at = memory + A_AT + 512 * (r % 16 / 8 + byte / 16 * 2) +
                          4 * (r / 16 * 32 + r % 8 * 4 + byte % 16 / 4) + byte % 4;
            memcpy(at, &bits_a[r][p], (size_t)c.a->bytes);
        }
        for (int n = 0; n < c.n; n++) {
            bits_b[n][p] = random_bits(c.b, c.exact, c.wide);
            value_b[n][p] = value_of(c.b, bits_b[n][p]);
            put_element(&c.at_b, c.b, (unsigned)n, (unsigned)p, bits_b[n][p]);
        }
    }
    for (int r = 0; r < M; r++)
        for (int n = 0; n < c.n; n++) {
            double v = (double)(random_word() % 2001) - 1000;
            const bool half = strcmp(c.d, "f16") == 0;
            if (c.wide != 0) v = ldexp(v, (int)(random_word() % (half ? 24 : 200)) - (half ? 18 : 100));
            if (c.satfinite)
                v = random_word() % 2 ? 2147483647.0 - random_word() % 100000 : -2147483648.0 + random_word() % 100000;
            write_d(&c, r, n, v);
            value_d[r][n] = scales(&c) ? read_d(&c, r, n) : 0;
        }
    write_kernel(&c);
    char what[256];
    describe(&c, what, sizeof what);
    if (run_at(text, 128, (uint64_t)memory) != SIM_OK || said[0] != '\0') {
        fail_msg("%s: %s", what, said);
    }
    const double sign = (c.negate_a ? -1.0 : 1.0) * (c.negate_b ? -1.0 : 1.0);
    for (int r = 0; r < M; r++)
        for (int n = 0; n < c.n; n++) {
            double sum = value_d[r][n];
            for (int p = 0; p < k && c.a->integer; p++) sum += value_a[r][p] * value_b[n][p];
            if (!c.a->integer) sum = model_sum(&c, k, r, n, sign);
            if (c.satfinite) sum = sum > 2147483647.0 ? 2147483647.0 : sum < -2147483648.0 ? -2147483648.0 : sum;
            const double got = read_d(&c, r, n);
            if (got != sum) {
                fail_msg("%s: row %d, column %d is %.17g, not %.17g", what, r, n, got, sum);
            }
        }
}

/* ---- right results ----------------------------------------------------------------------------------------------- */

static const struct combination {
    const type *a, *b;
    const char *d;
} combinations[] = {
    {&F16, &F16, "f32"},   {&F16, &F16, "f16"},   {&BF16, &BF16, "f32"}, {&TF32, &TF32, "f32"}, {&S8, &S8, "s32"},
    {&U8, &U8, "s32"},     {&S8, &U8, "s32"},     {&U8, &S8, "s32"},     {&E4M3, &E4M3, "f32"}, {&E5M2, &E4M3, "f16"},
    {&E4M3, &E5M2, "f32"}, {&E5M2, &E5M2, "f32"}, {&E4M3, &E4M3, "f16"},
};

/* Every N of every type, with a layout, scale-d and signs that change from case to case. */
static void test_shapes(void **state) {
    static const char *const scale[] = {"1", "0", "p", "!p"};
    for (size_t t = 0; t < COUNT(combinations); t++)
        for (int n = 8; n <= 256; n += 8) {
            const struct combination *x = &combinations[t];
            if (x->a->integer && n > 32 && n % 16 != 0) continue;
            const uint32_t r = random_word();
            test_case c = {.a = x->a, .b = x->b, .d = x->d, .n = n, .scale = scale[r % 4], .exact = r >> 2 & 1};
            c.exact = c.exact || x->a->integer;
            c.a_in_registers = r >> 3 & 1;
            c.negate_a = !x->a->integer && (r >> 4 & 1);
            c.negate_b = !x->a->integer && (r >> 5 & 1);
            c.at_a.swizzle = (int)(r >> 6 & 3);
            c.at_b.swizzle = (int)(r >> 8 & 3);
            check_case(c);
        }
}

/* Each layout of A beside each of B; MN-major ones of 16 bits only. */
static void test_layouts(void **state) {
    for (size_t t = 0; t < COUNT(combinations); t++) {
        const struct combination *x = &combinations[t];
        const int majors = x->a->bytes == 2 ? 2 : 1;
        for (int v = 0; v < 16 * majors * majors; v++) {
            test_case c = {.a = x->a, .b = x->b, .d = x->d, .n = 96, .scale = "1", .exact = true};
            c.at_a.swizzle = v % 4;
            c.at_b.swizzle = v / 4 % 4;
            c.at_a.mn_major = v / 16 % 2;
            c.at_b.mn_major = v / 32 % 2;
            check_case(c);
        }
        for (int v = 0; v < 4 * majors; v++) { /* A in registers */
            test_case c = {
                .a = x->a, .b = x->b, .d = x->d, .n = 160, .scale = "p", .exact = true, .a_in_registers = true};
            c.at_b.swizzle = v % 4;
            c.at_b.mn_major = v / 4;
            check_case(c);
        }
    }
}

/* N-major B where N is no multiple of the swizzle's width, all of them. */
static void test_transposed_shapes(void **state) {
    for (int n = 8; n <= 256; n += 8)
        for (int swizzle = 0; swizzle < 4; swizzle++) {
            const type *t = (n / 8 + swizzle) % 2 ? &F16 : &BF16;
            check_case((test_case){.a = t,
                                   .b = t,
                                   .d = "f32",
                                   .n = n,
                                   .scale = "1",
                                   .exact = true,
                                   .at_a = {.swizzle = (swizzle + 1) % 4, .mn_major = n % 16 == 0},
                                   .at_b = {.swizzle = swizzle, .mn_major = true}});
        }
}

/* Offsets that leave gaps; the start address inside of a swizzled row; patterns that begin off the grid. */
static void test_offsets(void **state) {
    for (int swizzle = 0; swizzle < 4; swizzle++)
        for (int mn = 0; mn < 2; mn++) {
            const unsigned pattern = swizzle == 0 ? 128 : 128 * (16u >> swizzle);
            test_case c = {.a = &F16, .b = &F16, .d = "f32", .n = 64, .scale = "0", .exact = true};
            c.at_a = (place_of){
                .swizzle = swizzle, .mn_major = mn, .lbo = 3 * pattern, .sbo = swizzle ? 1024 : 12 * pattern};
            c.at_b = (place_of){.swizzle = swizzle,
                                .mn_major = mn,
                                .start = 1024 + (32 << 10),
                                .lbo = swizzle ? 3072 : 128,
                                .sbo = 1024};
            if (swizzle != 0 && mn) c.at_a.lbo = 2048, c.at_a.sbo = 1024;
            if (swizzle == 0) c.at_a.sbo = 2 * pattern, c.at_a.lbo = 20 * pattern;
            check_case(c);
        }
    for (unsigned step = 0; step < 4; step++)
        for (int swizzle = 1; swizzle < 4; swizzle++) {
            if (step >= (16u >> swizzle) / 2) continue;
            check_case((test_case){.a = &TF32,
                                   .b = &TF32,
                                   .d = "f32",
                                   .n = 40,
                                   .scale = "1",
                                   .exact = true,
                                   .at_a = {.swizzle = swizzle, .step = step},
                                   .at_b = {.swizzle = swizzle, .step = step}});
        }
    for (unsigned base = 1; base < 8; base++)
        for (int swizzle = 1; swizzle < 4; swizzle++) {
            if (base >= (16u >> swizzle)) continue; /* a pattern of 64 bytes begins again after 512 bytes */
            check_case((test_case){.a = &BF16,
                                   .b = &BF16,
                                   .d = "f32",
                                   .n = 24,
                                   .scale = "1",
                                   .exact = true,
                                   .at_a = {.swizzle = swizzle, .base = base},
                                   .at_b = {.swizzle = swizzle, .base = base}});
        }
}

/* Operands whose exponents lie far apart, everywhere or here and there, subnormals and zeros among them. */
static void test_wide(void **state) {
    for (size_t t = 0; t < COUNT(combinations); t++)
        for (int round = 0; round < 40; round++) {
            const struct combination *x = &combinations[t];
            static const unsigned wide[] = {0, 1, 4, 300};
            if (x->a->integer) continue;
            check_case((test_case){.a = x->a,
                                   .b = x->b,
                                   .d = x->d,
                                   .n = 8 << round % 3,
                                   .scale = round % 5 == 0 ? "0" : "1",
                                   .wide = wide[round % 4],
                                   .negate_a = round % 7 == 0,
                                   .a_in_registers = round % 2});
        }
}

static void test_overflow(void **state) {
    for (int registers = 0; registers < 2; registers++) {
        check_case(
            (test_case){.a = &U8, .b = &U8, .d = "s32", .n = 32, .scale = "1", .exact = true, .satfinite = true});
        check_case((test_case){.a = &S8,
                               .b = &S8,
                               .d = "s32",
                               .n = 240,
                               .scale = "1",
                               .exact = true,
                               .satfinite = true,
                               .a_in_registers = registers});
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),  cmocka_unit_test(test_layouts),  cmocka_unit_test(test_transposed_shapes),
        cmocka_unit_test(test_offsets), cmocka_unit_test(test_overflow), cmocka_unit_test(test_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
