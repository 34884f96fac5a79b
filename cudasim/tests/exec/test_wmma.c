/* wmma, matrices' rows in shared memory, mistakes. */
#include "matrix_case.h"

/* ---- wmma -------------------------------------------------------------------------------------------------------- */

typedef struct wmma_form {
    const char *shape;
    int m, n, k;
    enum type d, a, c;
    const char *types, *before, *after; /* of wmma.mma */
    bool fixed;                         /* only a.row, b.col */
    const char *op;
} wmma_form;

static void put_element(uint32_t *base, enum type type, int index, uint64_t bits) {
    const unsigned width = widths[type];
    if (width == 64) {
        memcpy(&base[2 * index], &bits, 8);
    } else {
        const unsigned at = (unsigned)index * width, shift = at % 32;
        base[at / 32] = (base[at / 32] & ~((uint32_t)((1ull << width) - 1) << shift)) | (uint32_t)bits << shift;
    }
}

static uint64_t get_element(const uint32_t *base, enum type type, int index) {
    const unsigned width = widths[type], at = (unsigned)index * width;
    uint64_t bits;
    if (width != 64) return base[at / 32] >> at % 32 & (uint32_t)((1ull << width) - 1);
    memcpy(&bits, &base[2 * index], 8);
    return bits;
}

static int wmma_registers(const wmma_form *f, char which) {
    const enum type type = which == 'c' ? f->c : which == 'd' ? f->d : f->a;
    if (f->a == F16 && (which == 'a' || which == 'b')) return 8;
    const int all = which == 'a' ? f->m * f->k : which == 'b' ? f->k * f->n : f->m * f->n;
    return all * (int)widths[type] / (type == F64 ? 64 : 32) / 32;
}

static void check_wmma(const wmma_form *f, bool a_column, bool b_column, bool c_column, const char *space, int gap,
                       int kind) {
    static char text[1 << 14];
    static double wide_a[32][128], wide_b[128][32], wide_c[32][32];
    const int unit = f->a == B1 ? 128 : f->a == S4 || f->a == U4 ? 32 : 16, c_unit = 8;
    const int lda = (a_column ? f->m : f->k) + gap * unit, ldb = (b_column ? f->k : f->n) + gap * unit;
    const int ldc = (c_column ? f->m : f->n) + gap * c_unit;
    const char *const w = f->a == F64 ? "%rd" : "%r", *const wc = f->c == F64 ? "%rd" : "%r";
    const bool shared = strstr(space, "shared") != NULL;
    char *at = text;
    at += sprintf(at,
                  PTX_HEAD ".visible .entry k(.param .u64 out) {\n.reg .pred %%p<4>; .reg .b32 %%r<100>; .reg .b64 "
                           "%%rd<100>;\n.shared .align 32 .b8 s[32768];\n"
                           "ld.param.u64 %%rd90, [out]; mov.u32 %%r90, %%tid.x; mov.u32 %%r95, s;\n"
                           "mov.u32 %%r91, %d; mov.u32 %%r92, %d; mov.u32 %%r93, %d;\n",
                  lda, ldb, ldc);
    if (shared)
        at += sprintf(
            at, "mov.u32 %%r94, %%r90; UP: mad.wide.u32 %%rd91, %%r94, 4, %%rd90; ld.global.u32 %%r96, [%%rd91];\n"
                "shl.b32 %%r97, %%r94, 2; add.u32 %%r97, %%r97, %%r95; st.shared.u32 [%%r97], %%r96;\n"
                "add.u32 %%r94, %%r94, 32; setp.lt.u32 %%p1, %%r94, 8192; @%%p1 bra UP; bar.sync 0;\n");
    const char *base = shared ? "%r95" : "%rd90";
    at += sprintf(at, "wmma.load.a.sync.aligned.%s.%s%s.%s ", a_column ? "col" : "row", f->shape, space, names[f->a]);
    at = vector_text(at, w, 20, wmma_registers(f, 'a'));
    at += gap ? sprintf(at, ", [%s+%d], %%r91;\n", base, A_AT * 4) : sprintf(at, ", [%s+%d];\n", base, A_AT * 4);
    at += sprintf(at, "wmma.load.b.sync.aligned.%s.%s%s.%s ", b_column ? "col" : "row", f->shape, space, names[f->a]);
    at = vector_text(at, w, 40, wmma_registers(f, 'b'));
    at +=
        gap ? sprintf(at, ", [%s+%d], %%r92;\n", base, B_AT * 4) : sprintf(at, ", [%s+%d], %d;\n", base, B_AT * 4, ldb);
    at += sprintf(at, "wmma.load.c.sync.aligned.%s.%s%s.%s ", c_column ? "col" : "row", f->shape, space, names[f->c]);
    at = vector_text(at, wc, 60, wmma_registers(f, 'c'));
    at += gap ? sprintf(at, ", [%s+%d], %%r93;\n", base, C_AT * 4) : sprintf(at, ", [%s+%d];\n", base, C_AT * 4);
    at += sprintf(at, "wmma.mma%s.sync.aligned.%s.%s.%s%s.%s%s ", f->op, a_column ? "col" : "row",
                  b_column ? "col" : "row", f->shape, f->before, f->types, f->after);
    at = vector_text(at, f->d == F64 ? "%rd" : "%r", 0, wmma_registers(f, 'd'));
    at += sprintf(at, ", ");
    at = vector_text(at, w, 20, wmma_registers(f, 'a'));
    at += sprintf(at, ", ");
    at = vector_text(at, w, 40, wmma_registers(f, 'b'));
    at += sprintf(at, ", ");
    at = vector_text(at, wc, 60, wmma_registers(f, 'c'));
    at += sprintf(at, ";\nwmma.store.d.sync.aligned.%s.%s%s.%s [%s], ", c_column ? "col" : "row", f->shape, space,
                  names[f->d], base);
    at = vector_text(at, f->d == F64 ? "%rd" : "%r", 0, wmma_registers(f, 'd'));
    at += gap ? sprintf(at, ", %%r93;\n") : sprintf(at, ";\n");
    if (shared)
        at += sprintf(at, "bar.sync 0; mov.u32 %%r94, %%r90; DOWN: mad.wide.u32 %%rd91, %%r94, 4, %%rd90;\n"
                          "shl.b32 %%r97, %%r94, 2; add.u32 %%r97, %%r97, %%r95; ld.shared.u32 %%r96, [%%r97]; "
                          "st.global.u32 [%%rd91], %%r96;\n"
                          "add.u32 %%r94, %%r94, 32; setp.lt.u32 %%p1, %%r94, 2048; @%%p1 bra DOWN;\n");
    sprintf(at, "ret;\n}\n");

    out_renew();
    for (int k = 0; k < 2048; k++) out[k] = 0xabababab;
    for (int r = 0; r < f->m; r++)
        for (int k = 0; k < f->k; k++) {
            const uint64_t bits = random_value(f->a, kind);
            put_element(out + A_AT, f->a, a_column ? k * lda + r : r * lda + k, bits);
            wide_a[r][k] = value_of(f->a, bits);
        }
    for (int k = 0; k < f->k; k++)
        for (int j = 0; j < f->n; j++) {
            const uint64_t bits = random_value(f->a, kind);
            put_element(out + B_AT, f->a, b_column ? j * ldb + k : k * ldb + j, bits);
            wide_b[k][j] = value_of(f->a, bits);
        }
    for (int r = 0; r < f->m; r++)
        for (int j = 0; j < f->n; j++) {
            const uint64_t bits = random_value(f->c, kind);
            put_element(out + C_AT, f->c, c_column ? j * ldc + r : r * ldc + j, bits);
            wide_c[r][j] = value_of(f->c, bits);
        }
    program p = program_load(text);
    sim_status status = launch_kernel(kernel_of(&p, "k"), shape(1, 32), &out);
    if (status != SIM_OK) fail_msg("%s%s", said, text);
    program_unload(&p);
    const form as = {f->shape, f->m, f->n, f->k, f->d, f->a, f->a, f->c, f->before, f->after, "", 0};
    for (int r = 0; r < f->m; r++)
        for (int j = 0; j < f->n; j++) {
            exact sum = wide_c[r][j], largest = sum < 0 ? -sum : sum;
            for (int k = 0; k < f->k; k++) {
                double product = wide_a[r][k] * wide_b[k][j];
                if (f->a == B1)
                    product = strstr(f->op, "xor") || strstr(f->after, "xor") ? wide_a[r][k] != wide_b[k][j]
                                                                              : wide_a[r][k] && wide_b[k][j];
                sum += (exact)product;
                const exact part = sum < 0 ? -sum : sum;
                if (part > largest) largest = part;
            }
            char where[200];
            snprintf(where, sizeof where, "wmma %s%s%s %s, %d%d%d, gap %d: (%d, %d)", f->shape, space, f->types,
                     f->after, a_column, b_column, c_column, gap, r, j);
            const uint64_t got = get_element(out, f->d, c_column ? j * ldc + r : r * ldc + j);
            if (f->d == F64 && kind == 1) {
                const exact apart = (exact)value_of(F64, got) - sum;
                assert_true((apart < 0 ? -apart : apart) <= largest * 0x1p-50Q);
            } else {
                check_sum(&as, got, sum, largest, false, 0, where);
            }
        }
    /* Nothing between the rows is written. */
    if (gap && f->d != F64)
        for (int line = 0; line < (c_column ? f->n : f->m) - 1; line++) {
            const int end = line * ldc + (c_column ? f->m : f->n);
            for (int k = end; k < (line + 1) * ldc; k++)
                assert_int_equal(get_element(out, f->d, k), 0xabababab & (uint32_t)((1ull << widths[f->d]) - 1));
        }
}

static const wmma_form wmma_forms[] = {
    {"m16n16k16", 16, 16, 16, F32, F16, F32, "f32.f32", "", "", false, ""},
    {"m16n16k16", 16, 16, 16, F16, F16, F16, "f16.f16", "", "", false, ""},
    {"m16n16k16", 16, 16, 16, F16, F16, F32, "f16.f32", "", "", false, ""},
    {"m16n16k16", 16, 16, 16, F32, F16, F16, "f32.f16", "", "", false, ""},
    {"m32n8k16", 32, 8, 16, F32, F16, F32, "f32.f32", "", "", false, ""},
    {"m32n8k16", 32, 8, 16, F16, F16, F16, "f16.f16", "", "", false, ""},
    {"m8n32k16", 8, 32, 16, F32, F16, F32, "f32.f32", "", "", false, ""},
    {"m8n32k16", 8, 32, 16, F16, F16, F16, "f16.f16", "", "", false, ""},
    {"m16n16k16", 16, 16, 16, F32, BF16, F32, "f32.bf16.bf16.f32", "", "", false, ""},
    {"m32n8k16", 32, 8, 16, F32, BF16, F32, "f32.bf16.bf16.f32", "", "", false, ""},
    {"m8n32k16", 8, 32, 16, F32, BF16, F32, "f32.bf16.bf16.f32", "", "", false, ""},
    {"m16n16k8", 16, 16, 8, F32, TF32, F32, "f32.tf32.tf32.f32", "", "", false, ""},
    {"m8n8k4", 8, 8, 4, F64, F64, F64, "f64.f64.f64.f64", "", "", false, ""},
    {"m8n8k4", 8, 8, 4, F64, F64, F64, "f64.f64.f64.f64", ".rn", "", false, ""},
    {"m16n16k16", 16, 16, 16, S32, S8, S32, "s32.s8.s8.s32", "", "", false, ""},
    {"m16n16k16", 16, 16, 16, S32, U8, S32, "s32.u8.u8.s32", "", ".satfinite", false, ""},
    {"m32n8k16", 32, 8, 16, S32, U8, S32, "s32.u8.u8.s32", "", "", false, ""},
    {"m8n32k16", 8, 32, 16, S32, S8, S32, "s32.s8.s8.s32", "", ".satfinite", false, ""},
    {"m8n8k32", 8, 8, 32, S32, S4, S32, "s32.s4.s4.s32", "", "", true, ""},
    {"m8n8k32", 8, 8, 32, S32, U4, S32, "s32.u4.u4.s32", "", ".satfinite", true, ""},
    {"m8n8k128", 8, 8, 128, S32, B1, S32, "s32.b1.b1.s32", "", "", true, ".xor.popc"},
    {"m8n8k128", 8, 8, 128, S32, B1, S32, "s32.b1.b1.s32", "", "", true, ".and.popc"},
};

static void wmma_loads_multiplies_and_stores(void **state) {
    static const char *const spaces[] = {".global", "", ".shared", ".shared::cta"};
    seed = 2;
    for (size_t k = 0; k < COUNT(wmma_forms); k++)
        for (int layouts = 0; layouts < 8; layouts++) {
            const wmma_form *f = &wmma_forms[k];
            if (f->fixed && (layouts & 3) != 2) continue;
            for (int gap = 0; gap < 2; gap++)
                for (int kind = 0; kind < 2; kind++)
                    check_wmma(f, layouts & 1, layouts & 2, layouts & 4, spaces[(layouts + gap + (int)k) % 4], gap,
                               kind);
        }
}

/* Programs work on fragments element by element: f16 and f32 accumulators are spread alike, and what is done to all
 * elements of a is done to the matrix. */
static void wmma_fragments_are_alike(void **state) {
    static char text[8192];
    char *at = text;
    at += sprintf(at, PTX_HEAD ".visible .entry k(.param .u64 out) {\n.reg .b32 %%r<40>; .reg .f32 %%f<20>; .reg .b16 "
                               "%%h<20>; .reg .b64 %%rd<4>;\nld.param.u64 %%rd1, [out];\n"
                               "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 ");
    at = vector_text(at, "%f", 0, 8);
    at += sprintf(at, ", [%%rd1+8192];\n");
    for (int k = 0; k < 8; k++) at += sprintf(at, "cvt.rn.f16.f32 %%h%d, %%f%d;\n", k, k);
    for (int k = 0; k < 4; k++) at += sprintf(at, "mov.b32 %%r%d, {%%h%d, %%h%d};\n", k, 2 * k, 2 * k + 1);
    at += sprintf(at, "wmma.store.d.sync.aligned.col.m16n16k16.global.f16 [%%rd1], ");
    at = vector_text(at, "%r", 0, 4);
    sprintf(at, ";\nret;\n}\n");
    out_renew();
    for (int k = 0; k < 256; k++) {
        const float value = (float)k;
        memcpy(&out[2048 + k], &value, 4);
    }
    program p = program_load(text);
    assert_int_equal(launch_kernel(kernel_of(&p, "k"), shape(1, 32), &out), SIM_OK);
    program_unload(&p);
    for (int r = 0; r < 16; r++)
        for (int j = 0; j < 16; j++) assert_true(value_of(F16, get_element(out, F16, j * 16 + r)) == r * 16 + j);
}

/* ---- rows in shared memory --------------------------------------------------------------------------------------- */

/* Lane l's row is 16 bytes at shared address s + 16 * perm(l); memory holds 16-bit numbers 0, 1, 2, ... */
static uint32_t row_of(uint32_t lane) {
    return lane * 11 % 32;
}

#define MATRIX_HEAD                                                                                                    \
    PTX_HEAD ".visible .entry k(.param .u64 out) {\n.reg .pred %p<4>; .reg .b32 %r<40>; .reg .b64 %rd<40>;\n"          \
             ".shared .align 16 .b8 s[1024];\n"                                                                        \
             "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd2, %r1, 4, %rd1; mov.u32 %r20, s;\n"      \
             "mul.lo.u32 %r21, %r1, 11; and.b32 %r21, %r21, 31; mad.lo.u32 %r21, %r21, 16, %r20;\n"                    \
             "cvt.u64.u32 %rd3, %r21; cvta.shared.u64 %rd4, %rd3;\n"

/* 512 numbers, eight pairs per lane */
#define FILL                                                                                                           \
    "mad.lo.u32 %r22, %r1, 32, %r20; mul.lo.u32 %r23, %r1, 0x100010; add.u32 %r23, %r23, 0x10000;\n"                   \
    "st.shared.u32 [%r22], %r23; add.u32 %r23, %r23, 0x20002; st.shared.u32 [%r22+4], %r23;\n"                         \
    "add.u32 %r23, %r23, 0x20002; st.shared.u32 [%r22+8], %r23; add.u32 %r23, %r23, 0x20002;\n"                        \
    "st.shared.u32 [%r22+12], %r23; add.u32 %r23, %r23, 0x20002; st.shared.u32 [%r22+16], %r23;\n"                     \
    "add.u32 %r23, %r23, 0x20002; st.shared.u32 [%r22+20], %r23; add.u32 %r23, %r23, 0x20002;\n"                       \
    "st.shared.u32 [%r22+24], %r23; add.u32 %r23, %r23, 0x20002; st.shared.u32 [%r22+28], %r23; bar.sync 0;\n"

static void check_rows(const char *name, const char *op, const char *address, int count, bool trans, bool store) {
    static char text[8192];
    char list[64], *end = vector_text(list, "%r", 4, count);
    *end = '\0';
    char *at = text + sprintf(text, "%s%s", MATRIX_HEAD, FILL);
    if (store) {
        for (int q = 0; q < count; q++)
            at += sprintf(at, "mad.lo.u32 %%r%d, %%r1, 0x20002, %d; add.u32 %%r%d, %%r%d, 0x10000;\n", 4 + q,
                          q * 0x400040, 4 + q, 4 + q);
        at += sprintf(at, "%s [%s], %s;\nbar.sync 0;\n", op, address, list);
        for (int q = 0; q < 8; q++)
            at +=
                sprintf(at,
                        "mad.lo.u32 %%r30, %%r1, 4, %%r20; ld.shared.u32 %%r31, [%%r30+%d]; st.global.u32 [%%rd2+%d], "
                        "%%r31;\n",
                        q * 128, q * 128);
    } else {
        at += sprintf(at, "%s %s, [%s];\n", op, list, address);
        for (int q = 0; q < count; q++) at += sprintf(at, "st.global.u32 [%%rd2+%d], %%r%d;\n", q * 128, 4 + q);
    }
    sprintf(at, "ret;\n}\n");
    run_well(text, 1, 32);
    for (uint32_t q = 0; q < (uint32_t)count; q++)
        for (uint32_t l = 0; l < 32; l++)
            for (uint32_t half = 0; half < 2; half++) {
                const uint32_t major = l / 4, minor = 2 * (l % 4) + half;
                const uint32_t row = trans ? minor : major, column = trans ? major : minor;
                const uint32_t stands = row_of(8 * q + row) * 8 + column;
                const uint32_t number = store ? q * 64 + l * 2 + half : stands;
                const uint32_t got =
                    store ? out[stands / 2] >> 16 * (stands % 2) & 0xffff : out[q * 32 + l] >> 16 * half & 0xffff;
                if (got != number)
                    fail_msg("%s: matrix %u, lane %u, half %u: %u, not %u", name, q, l, half, got, number);
            }
    for (uint32_t l = (uint32_t)count * 8; store && l < 32; l++)
        for (uint32_t k = 0; k < 4; k++) { /* not written */
            const uint32_t word = row_of(l) * 4 + k;
            assert_int_equal(out[word], 2 * word | (2 * word + 1) << 16);
        }
}

static void rows_are_loaded_and_stored(void **state) {
    static const struct {
        const char *space, *address;
    } spaces[] = {{".shared", "%r21"}, {".shared::cta", "%rd3"}, {"", "%rd4"}};
    for (int store = 0; store < 2; store++)
        for (int count = 1; count <= 4; count *= 2)
            for (int trans = 0; trans < 2; trans++)
                for (size_t s = 0; s < COUNT(spaces); s++) {
                    char op[100];
                    snprintf(op, sizeof op, "%s.sync.aligned.m8n8.x%d%s%s.b16", store ? "stmatrix" : "ldmatrix", count,
                             trans ? ".trans" : "", spaces[s].space);
                    check_rows(op, op, spaces[s].address, count, trans, store);
                }
}

/* Only the first 8 lanes' addresses count for .x1. */
static void lanes_past_the_last_matrix_give_no_address(void **state) {
    static char text[8192];
    sprintf(text, "%s%s%s", MATRIX_HEAD, FILL,
            "setp.ge.u32 %p1, %r1, 8; @%p1 mov.u32 %r21, 3;\n"
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r21];\nst.global.u32 [%rd2], %r2;\nret;\n}\n");
    run_well(text, 1, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(out[l] & 0xffff, row_of(l / 4) * 8 + l % 4 * 2);
}

/* A copy that nobody waits for has not come. */
static void ldmatrix_without_a_wait_reads_what_was_there(void **state) {
    static const char *const waits[] = {"", "cp.async.wait_all; bar.sync 0;\n"};
    for (int waited = 0; waited < 2; waited++) {
        static char text[8192];
        sprintf(text, "%s%s%s%s%s", MATRIX_HEAD, FILL,
                "mad.wide.u32 %rd5, %r1, 16, %rd1; cp.async.cg.shared.global [%r21], [%rd5+16384], 16;\n",
                waits[waited],
                "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r21];\nst.global.u32 [%rd2], %r2;\nret;\n}\n");
        out_renew();
        for (uint32_t k = 0; k < 128; k++) out[4096 + k] = 0xa0000 + k;
        program p = program_load(text);
        assert_int_equal(launch_kernel(kernel_of(&p, "k"), shape(1, 32), &out), SIM_OK);
        program_unload(&p);
        for (uint32_t l = 0; l < 32; l++) {
            const uint32_t old = row_of(l / 4) * 8 + l % 4 * 2;
            assert_int_equal(out[l], waited ? 0xa0000 + l : (old | (old + 1) << 16));
        }
    }
}

static void movmatrix_transposes(void **state) {
    run_well(
        KERNEL("", "mad.lo.u32 %r3, %r1, 0x20002, 0x10000; movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r3;\n" STORE), 1,
        32);
    for (uint32_t l = 0; l < 32; l++) {
        assert_int_equal(out[l] & 0xffff, l % 4 * 2 * 8 + l / 4);
        assert_int_equal(out[l] >> 16, (l % 4 * 2 + 1) * 8 + l / 4);
    }
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

#define MMA "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r2,%r3}, {%r4,%r5}, {%r6}, {%r7,%r8};"

#define MISTAKE(before, instruction) MATRIX_HEAD before "\n" instruction "\nst.global.u32 [%rd2], %r2;\nret;\n}\n"

static void mistakes_are_named(void **state) {
    static const struct {
        const char *ptx;
        unsigned threads;
        sim_status status;
        const char *said;
    } cases[] = {
        {MISTAKE("setp.gt.u32 %p1, %r1, 27; @%p1 exit;", MMA), 32, SIM_ILLEGAL_INSTRUCTION,
         "cudasim: illegal instruction in kernel k: thread (0,0,0) of block (0,0,0) and 27 more of its warp: all 32 "
         "lanes "
         "of a warp must execute it together; lanes f0000000 have exited or are none of the block's\n    at PTX line "
         "*: "
         "mma.sync*"},
        {MISTAKE("", MMA), 48, SIM_ILLEGAL_INSTRUCTION,
         "cudasim: illegal instruction in kernel k: thread (32,0,0) of block (0,0,0) and 15 more of its warp: all 32 "
         "lanes "
         "of a warp must execute it together; lanes ffff0000 have exited or are none of the block's\n*"},
        {MISTAKE("setp.lt.u32 %p1, %r1, 16; @%p1 bra OTHER; " MMA " bra END; OTHER:", MMA "\nEND:"), 32, SIM_TIMEOUT,
         "cudasim: kernel k is stopped: *wait for lanes ffffffff of their warp: PTX line *mma.sync*wait for lanes "
         "ffffffff of "
         "their warp: PTX line *mma.sync*"},
        {MISTAKE("setp.lt.u32 %p1, %r1, 16;", "@%p1 " MMA " bar.warp.sync -1;"), 32, SIM_TIMEOUT,
         "cudasim: kernel k is stopped: *wait for lanes ffffffff of their warp: PTX line *mma.sync*"},
        {MISTAKE("", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r21+8];"), 32, SIM_MISALIGNED_ADDRESS,
         "cudasim: misaligned address in kernel k: thread (0,0,0) of block (0,0,0) and 7 more of its warp: reads 16 "
         "bytes at "
         "0x*08, which is not aligned to 16\n    at PTX line *: ldmatrix.sync*"},
        {MISTAKE("", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r21+544];"), 32,
         SIM_ILLEGAL_ADDRESS,
         "cudasim: illegal address in kernel k: thread (*) of block (0,0,0) and * more of its warp: reads 16 bytes of "
         "shared "
         "memory at 0x*; the block's shared memory is 0x* to 0x*\n    at PTX line *: ldmatrix.sync*"},
        {MISTAKE("", "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r21+1024], {%r2, %r3};"), 32, SIM_ILLEGAL_ADDRESS,
         "cudasim: illegal address in kernel k: thread (0,0,0) of block (0,0,0) and 15 more of its warp: writes 16 "
         "bytes of "
         "shared memory at 0x*; the block's shared memory is 0x* to 0x*\n    at PTX line *: stmatrix.sync*"},
        {MISTAKE("", "ldmatrix.sync.aligned.m8n8.x1.b16 {%r2}, [%rd1];"), 32, SIM_INVALID_ADDRESS_SPACE,
         "cudasim: invalid address space in kernel k: thread (0,0,0) of block (0,0,0): 0x* is not in the block's "
         "shared "
         "memory\n*"},
        {MISTAKE("", "wmma.load.a.sync.aligned.row.m16n16k16.s8 {%r2, %r3}, [%rd2];"), 32, SIM_ILLEGAL_INSTRUCTION,
         "cudasim: illegal instruction in kernel k: thread (1,0,0) of block (0,0,0): its address and stride (0x*, 16) "
         "are "
         "not those of the warp's first thread (0x*, 16)\n    at PTX line *: wmma.load.a.sync*"},
        {MISTAKE("add.u32 %r30, %r1, 16;", "wmma.load.a.sync.aligned.row.m16n16k16.s8 {%r2, %r3}, [%rd1], %r30;"), 32,
         SIM_ILLEGAL_INSTRUCTION,
         "cudasim: illegal instruction in kernel k: thread (1,0,0) of block (0,0,0): its address and stride (0x*, 17) "
         "are "
         "not those of the warp's first thread (0x*, 16)\n*"},
        {MISTAKE("", "wmma.load.a.sync.aligned.row.m16n16k16.s8 {%r2, %r3}, [%rd1+4];"), 32, SIM_MISALIGNED_ADDRESS,
         "cudasim: misaligned address in kernel k: thread (0,0,0) of block (0,0,0) and 31 more of its warp: a matrix "
         "at "
         "0x*4, which is not aligned to 8\n*"},
        {MISTAKE("", "wmma.load.a.sync.aligned.row.m16n16k16.s8 {%r2, %r3}, [%rd1], 20;"), 32, SIM_MISALIGNED_ADDRESS,
         "cudasim: misaligned address in kernel k: thread (0,0,0) of block (0,0,0) and 31 more of its warp: a stride "
         "of 20 "
         "elements is no multiple of 8 bytes\n*"},
        {MISTAKE("", "wmma.load.a.sync.aligned.row.m16n16k16.s8 {%r2, %r3}, [%rd1+32752];"), 32, SIM_ILLEGAL_ADDRESS,
         "cudasim: illegal address in kernel k: thread (1,0,0) of block (0,0,0) and 14 more of its warp: reads 8 bytes "
         "at "
         "0x*: 0 bytes past the end of the 32768-byte allocation at 0x*\n    at PTX line *: wmma.load.a.sync*"},
        {MISTAKE("mov.u64 %rd5, -128;", "wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {%r2, %r3}, [%rd5];"), 32,
         SIM_ILLEGAL_ADDRESS, "cudasim: illegal address in kernel k: thread *reads 8 bytes of shared memory at 0xff*"},
        {MISTAKE("mov.u64 %rd5, -128;", "wmma.load.a.sync.aligned.row.m16n16k16.s8 {%r2, %r3}, [%rd5];"), 32,
         SIM_ILLEGAL_ADDRESS, "cudasim: illegal address in kernel k: thread *reads 8 bytes at 0xff*"},
        {MISTAKE("", "wmma.store.d.sync.aligned.row.m8n8k4.shared.f64 [%r20+768], {%rd8, %rd9};"), 32,
         SIM_ILLEGAL_ADDRESS,
         "cudasim: illegal address in kernel k: thread (4,0,0) of block (0,0,0) and 3 more of its warp: writes 16 "
         "bytes of "
         "shared memory at 0x*; the block's shared memory is 0x* to 0x*\n    at PTX line *: wmma.store.d.sync*"},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        const sim_status status = run(cases[k].ptx, 1, cases[k].threads);
        if (status != cases[k].status) fail_msg("case %zu: status %d: %s", k, status, said);
        assert_said("%s", cases[k].said);
    }
}

/* What is no instruction of sm_90, or not done, is refused before anything runs. */
static void other_forms_are_refused(void **state) {
    static const struct {
        const char *instruction, *why;
    } cases[] = {
        {"mma.sync.aligned.m16n8k8.row.row.f16.f16.f16.f16 {%r2, %r3}, {%r4, %r5}, {%r6}, {%r7, %r8};",
         "of this shape and type there is only .row.col: *"},
        {"mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%r2, %r3}, {%r4, %r5}, {%r6}, {%r7, %r8};",
         "PTX for sm_90 has no product of this shape and these types: *"},
        {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f32 {%r2, %r3}, {%r4, %r5}, {%r6}, {%r7, %r8, %r2, %r3};",
         "PTX has no accumulators of these types for this product: *"},
        {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.tf32.f32 {%r2, %r3, %r4, %r5}, {%r4, %r5}, {%r6}, {%r7, %r8, %r2, "
         "%r3};",
         "PTX for sm_90 has no product of this shape and these types: *"},
        {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r2, %r3}, {%r4}, {%r6}, {%r7, %r8};",
         "a vector of 2 registers is needed: *"},
        {"mma.sync.aligned.m16n8k8.row.col.satfinite.f16.f16.f16.f16 {%r2, %r3}, {%r4, %r5}, {%r6}, {%r7, %r8};",
         ".satfinite belongs to integers: *"},
        {"mma.sync.m16n8k8.row.col.f16.f16.f16.f16 {%r2, %r3}, {%r4, %r5}, {%r6}, {%r7, %r8};",
         ".sync.aligned is missing: *"},
        {"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r2, %r3}, {%r4, %r5}, {%r6, %r7}, {%r7, %r8}, %r9, 0;",
         "the simulator does not do products of sparse matrices: *"},
        {"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32 {%r2, %r3}, {%r4, %r5}, {%r6}, {%r7, %r8};",
         "the simulator does not know \".kind::f8f6f4\" here: *"},
        {"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32 {%r2, %r3}, {%r4, %r5}, {%r6}, {%r7, %r8};",
         ".and.popc and .xor.popc belong to b1: *"},
        {"wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32 {%r2}, {%r4}, {%r6}, {%r7};",
         "PTX for sm_90 has no product of this shape and these types: *"},
        {"wmma.load.a.sync.aligned.col.m8n8k32.s4 {%r2}, [%rd1];", "of this type a is .row and b is .col: *"},
        {"wmma.load.a.sync.aligned.row.m16n16k8.f16 {%r2}, [%rd1];",
         "PTX for sm_90 has no matrix of this shape and type: *"},
        {"ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32 {%r2}, [%r21];",
         "the simulator does not know \".m8n16\" here: *"},
        {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r2}, [%r21];", "a vector of 2 registers is needed: *"},
        {"ldmatrix.sync.aligned.m8n8.x1.shared::cluster.b16 {%r2}, [%r21];",
         "the simulator does not know \".shared::cluster\" here: *"},
        {"stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r21], {%r2};",
         "the simulator does not know \".m16n8\" here: *"},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        static char text[8192], error[1024];
        sprintf(text, "%s%s\nret;\n}\n", MATRIX_HEAD, cases[k].instruction);
        program p = program_load(text);
        if (p.module == NULL) fail_msg("%s", p.error);
        assert_null(sim_module_kernel(p.module, "k", error, sizeof error));
        if (!is_like(error, cases[k].why)) fail_msg("%s\n%s", cases[k].instruction, error);
        program_unload(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wmma_loads_multiplies_and_stores),
        cmocka_unit_test(wmma_fragments_are_alike),
        cmocka_unit_test(rows_are_loaded_and_stored),
        cmocka_unit_test(lanes_past_the_last_matrix_give_no_address),
        cmocka_unit_test(ldmatrix_without_a_wait_reads_what_was_there),
        cmocka_unit_test(movmatrix_transposes),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(other_forms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
