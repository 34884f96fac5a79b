/* mma, ldmatrix, stmatrix, movmatrix and mistakes. */
#include "matrix_case.h"

static void mma_text(const form *f, char *text) {
    static const char order[] = "dabc";
    const int at[] = {D_AT, A_AT, B_AT, C_AT}, first[] = {0, 20, 40, 60};
    text += sprintf(text, PTX_HEAD ".visible .entry k(.param .u64 out) {\n.reg .b32 %%r<100>; .reg .b64 %%rd<100>;\n"
                                   "ld.param.u64 %%rd90, [out]; mov.u32 %%r90, %%tid.x;\n"
                                   "mad.wide.u32 %%rd91, %%r90, 4, %%rd90; mad.wide.u32 %%rd92, %%r90, 8, %%rd90;\n");
    for (int o = 1; o < 4; o++)
        for (int r = 0; r < registers(f, order[o]); r++) {
            const bool wide = widths[type_of(f, order[o])] == 64;
            text += sprintf(text, "ld.global.b%d %s%d, [%%rd%d+%d];\n", wide ? 64 : 32, wide ? "%rd" : "%r",
                            first[o] + r, wide ? 92 : 91, at[o] * 4 + r * (wide ? 256 : 128));
        }
    text += sprintf(text, "mma.sync.aligned.%s%s%s.%s.%s.%s.%s%s ", f->shape, f->layouts, f->before, names[f->d],
                    names[f->a], names[f->b], names[f->c], f->after);
    for (int o = 0; o < 4; o++) {
        if (o > 0) text += sprintf(text, ", ");
        text = vector_text(text, widths[type_of(f, order[o])] == 64 ? "%rd" : "%r", first[o], registers(f, order[o]));
    }
    text += sprintf(text, ";\n");
    for (int r = 0; r < registers(f, 'd'); r++) {
        const bool wide = widths[f->d] == 64;
        text += sprintf(text, "st.global.b%d [%%rd%d+%d], %s%d;\n", wide ? 64 : 32, wide ? 92 : 91,
                        r * (wide ? 256 : 128), wide ? "%rd" : "%r", r);
    }
    sprintf(text, "ret;\n}\n");
}
static void check_mma(const form *f) {
    static char text[1 << 16];
    static double a[4][16][256], b[4][256][8], c[4][16][8];
    mma_text(f, text);
    program p = program_load(text);
    sim_kernel *kernel = kernel_of(&p, "k");
    for (int kind = 0; kind < 3; kind++)
        for (int round = 0; round < 4; round++) {
            out_renew();
            for (int lane = 0; lane < 32; lane++) {
                const int q = is_quads(f) ? lane % 16 / 4 : 0;
                int row, column;
                for (int i = 0; i < elements(f, 'a'); i++) {
                    put(f, 'a', A_AT, lane, i, random_value(f->a, kind));
                    place_a(f, lane, i, &row, &column);
                    a[q][row][column] = value_of(f->a, get(f, 'a', A_AT, lane, i));
                }
                for (int i = 0; i < elements(f, 'b'); i++) {
                    put(f, 'b', B_AT, lane, i, random_value(f->b, kind));
                    place_b(f, lane, i, &row, &column);
                    b[q][row][column] = value_of(f->b, get(f, 'b', B_AT, lane, i));
                }
                for (int i = 0; i < elements(f, 'c'); i++) {
                    put(f, 'c', C_AT, lane, i, random_value(f->c, kind));
                    place_c(f, f->c, lane, i, &row, &column);
                    c[q][row][column] = value_of(f->c, get(f, 'c', C_AT, lane, i));
                }
            }
            sim_status status = launch_kernel(kernel, shape(1, 32), &out);
            if (status != SIM_OK) fail_msg("%s", said);
            for (int lane = 0; lane < 32; lane++)
                for (int i = 0; i < elements(f, 'd'); i++) {
                    const int q = is_quads(f) ? lane % 16 / 4 : 0;
                    int row, column;
                    exact largest;
                    bool special;
                    double plain;
                    char where[200];
                    place_c(f, f->d, lane, i, &row, &column);
                    const exact sum = sum_of(f, q, row, column, &largest, &special, &plain, (const double(*)[16][256])a,
                                             (const double(*)[256][8])b, c[q][row][column]);
                    snprintf(where, sizeof where, "%s%s%s.%s.%s.%s.%s%s, inputs %d: lane %d, element %d", f->shape,
                             f->layouts, f->before, names[f->d], names[f->a], names[f->b], names[f->c], f->after, kind,
                             lane, i);
                    uint64_t got = get(f, 'd', D_AT, lane, i);
                    if (f->d == F64) {
                        double chain = c[q][row][column];
                        for (int k = 0; k < f->k; k++) {
                            const exact step = (exact)a[q][row][k] * (exact)b[q][k][column] + (exact)chain;
                            double next = fma(a[q][row][k], b[q][k][column], chain);
                            if (isfinite(next) && f->rounding != 0 && kind < 2) {
                                const exact error = (exact)next - step;
                                if (f->rounding == 1 && (step > 0 ? error > 0 : error < 0)) next = nextafter(next, 0);
                                if (f->rounding == 2 && error > 0) next = nextafter(next, -INFINITY);
                                if (f->rounding == 3 && error < 0) next = nextafter(next, INFINITY);
                            }
                            chain = next;
                        }
                        const double value = value_of(F64, got);
                        if (kind == 2 && f->rounding != 0) continue;
                        if (isnan(chain) ? !isnan(value) : value != chain)
                            fail_msg("%s: %.17g, not %.17g", where, value, chain);
                        continue;
                    }
                    check_sum(f, got, sum, largest, special, plain, where);
                }
        }
    program_unload(&p);
}

#define RC ".row.col"
static const form forms[] = {
    {"m8n8k4", 8, 8, 4, F16, F16, F16, F16, "", "", ".row.col", 0},
    {"m8n8k4", 8, 8, 4, F16, F16, F16, F16, "", "", ".col.row", 0},
    {"m8n8k4", 8, 8, 4, F32, F16, F16, F16, "", "", ".row.row", 0},
    {"m8n8k4", 8, 8, 4, F32, F16, F16, F32, "", "", ".col.col", 0},
    {"m8n8k4", 8, 8, 4, F32, F16, F16, F32, "", "", ".row.col", 0},
    {"m16n8k8", 16, 8, 8, F16, F16, F16, F16, "", "", RC, 0},
    {"m16n8k8", 16, 8, 8, F32, F16, F16, F32, "", "", RC, 0},
    {"m16n8k16", 16, 8, 16, F16, F16, F16, F16, "", "", RC, 0},
    {"m16n8k16", 16, 8, 16, F32, F16, F16, F32, "", "", RC, 0},
    {"m16n8k8", 16, 8, 8, F32, BF16, BF16, F32, "", "", RC, 0},
    {"m16n8k16", 16, 8, 16, F32, BF16, BF16, F32, "", "", RC, 0},
    {"m16n8k4", 16, 8, 4, F32, TF32, TF32, F32, "", "", RC, 0},
    {"m16n8k8", 16, 8, 8, F32, TF32, TF32, F32, "", "", RC, 0},
    {"m16n8k16", 16, 8, 16, F32, E4M3, E5M2, F32, "", "", RC, 0},
    {"m16n8k16", 16, 8, 16, F16, E4M3, E4M3, F16, "", "", RC, 0},
    {"m16n8k32", 16, 8, 32, F32, E5M2, E4M3, F32, "", "", RC, 0},
    {"m16n8k32", 16, 8, 32, F32, E4M3, E4M3, F32, "", "", RC, 0},
    {"m16n8k32", 16, 8, 32, F16, E5M2, E5M2, F16, "", "", RC, 0},
    {"m8n8k4", 8, 8, 4, F64, F64, F64, F64, "", "", RC, 0},
    {"m16n8k4", 16, 8, 4, F64, F64, F64, F64, "", "", RC, 0},
    {"m16n8k8", 16, 8, 8, F64, F64, F64, F64, "", "", RC, 0},
    {"m16n8k16", 16, 8, 16, F64, F64, F64, F64, "", "", RC, 0},
    {"m8n8k4", 8, 8, 4, F64, F64, F64, F64, ".rz", "", RC, 1},
    {"m16n8k8", 16, 8, 8, F64, F64, F64, F64, ".rm", "", RC, 2},
    {"m16n8k16", 16, 8, 16, F64, F64, F64, F64, "", ".rp", RC, 3},
    {"m8n8k16", 8, 8, 16, S32, S8, S8, S32, "", "", RC, 0},
    {"m8n8k16", 8, 8, 16, S32, U8, S8, S32, ".satfinite", "", RC, 0},
    {"m16n8k16", 16, 8, 16, S32, S8, U8, S32, "", "", RC, 0},
    {"m16n8k16", 16, 8, 16, S32, U8, U8, S32, ".satfinite", "", RC, 0},
    {"m16n8k32", 16, 8, 32, S32, S8, S8, S32, "", "", RC, 0},
    {"m16n8k32", 16, 8, 32, S32, S8, U8, S32, "", ".satfinite", RC, 0},
    {"m16n8k32", 16, 8, 32, S32, U8, S8, S32, "", "", RC, 0},
    {"m8n8k32", 8, 8, 32, S32, S4, S4, S32, "", "", RC, 0},
    {"m8n8k32", 8, 8, 32, S32, U4, S4, S32, ".satfinite", "", RC, 0},
    {"m16n8k32", 16, 8, 32, S32, S4, U4, S32, "", "", RC, 0},
    {"m16n8k64", 16, 8, 64, S32, U4, U4, S32, "", "", RC, 0},
    {"m16n8k64", 16, 8, 64, S32, S4, S4, S32, ".satfinite", "", RC, 0},
    {"m8n8k128", 8, 8, 128, S32, B1, B1, S32, "", ".and.popc", RC, 0},
    {"m8n8k128", 8, 8, 128, S32, B1, B1, S32, "", ".xor.popc", RC, 0},
    {"m16n8k128", 16, 8, 128, S32, B1, B1, S32, "", ".and.popc", RC, 0},
    {"m16n8k128", 16, 8, 128, S32, B1, B1, S32, "", ".xor.popc", RC, 0},
    {"m16n8k256", 16, 8, 256, S32, B1, B1, S32, "", ".and.popc", RC, 0},
    {"m16n8k256", 16, 8, 256, S32, B1, B1, S32, "", ".xor.popc", RC, 0},
};

static void mma_is_the_sum_of_products(void **state) {
    seed = 1;
    for (size_t k = 0; k < COUNT(forms); k++) check_mma(&forms[k]);
}

/* A NaN, an infinity, the least subnormal, a sum that cancels: what the random bits seldom meet. */
static void mma_takes_special_values(void **state) {
    static const struct {
        const char *what;
        uint32_t a0, a1, b0, b1, c; /* f16, f16, f16, f16, f32 */
        uint32_t expected;
    } cases[] = {
        {"NaN in a", 0x7e00, 0, 0x3c00, 0, 0, 0x7fffffff},
        {"NaN in c", 0, 0, 0, 0, 0xffc00001, 0x7fffffff},
        {"infinity", 0x7c00, 0, 0x3c00, 0, 0x3f800000, 0x7f800000},
        {"infinity times zero", 0x7c00, 0, 0x0000, 0, 0, 0x7fffffff},
        {"infinity less infinity", 0x7c00, 0xfc00, 0x3c00, 0x3c00, 0, 0x7fffffff},
        {"infinity less c's", 0x7c00, 0, 0x3c00, 0, 0xff800000, 0x7fffffff},
        {"least subnormals", 0x0001, 0, 0x0001, 0, 0, 0x27800000},
        {"the least c beside zeros", 0, 0, 0, 0, 0x00000001, 0x00000001},
        {"cut off below the first of 25 bits", 0x3c00, 0x0001, 0x3c00, 0x0201, 0x40000000, 0x40400000},
        {"cut off, and negative", 0xbc00, 0, 0x3c00, 0, 0xb3000001, 0xbf800000},
        {"largest", 0x7bff, 0, 0x7bff, 0, 0, 0x4f7fc004},
        {"c is lost beside what cancels", 0x7bff, 0xfbff, 0x7bff, 0x7bff, 0x3a800000, 0x00000000},
        {"half a last place is cut off", 0x3c00, 0x0c00, 0x3c00, 0x0c00, 0, 0x3f800000},
        {"more than that, too", 0x3c00, 0x0c01, 0x3c00, 0x0c01, 0, 0x3f800000},
        {"a zero has no sign", 0x8000, 0, 0x3c00, 0, 0x80000000, 0x00000000},
    };
    static const form f = {"m16n8k16", 16, 8, 16, F32, F16, F16, F32, "", "", RC, 0};
    static char text[1 << 14];
    mma_text(&f, text);
    program p = program_load(text);
    for (size_t k = 0; k < COUNT(cases); k++) {
        out_renew();
        /* Row 0 of a and column 0 of b: their first two elements, in lane 0. */
        out[A_AT] = cases[k].a0 | cases[k].a1 << 16;
        out[B_AT] = cases[k].b0 | cases[k].b1 << 16;
        out[C_AT] = cases[k].c;
        assert_int_equal(launch_kernel(kernel_of(&p, "k"), shape(1, 32), &out), SIM_OK);
        if (out[0] != cases[k].expected) fail_msg("%s: 0x%x, not 0x%x", cases[k].what, out[0], cases[k].expected);
    }
    program_unload(&p);
}

/* The destination may be any of the sources. */
static void mma_in_place(void **state) {
    run_well(KERNEL("", "cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\n"
                        "mov.b32 %r4, 0x3c003c00; mov.b32 %r5, 0x3c003c00;\n"
                        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r4, %r5}, {%r4}, "
                        "{%f1, %f2, %f3, %f4};\n"
                        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r4, %r5}, {%r4, %r5}, {%r4}, {%r4, %r5};\n"
                        "cvt.rzi.u32.f32 %r2, %f1; add.u32 %r2, %r2, %r4; st.global.u32 [%rd2], %r2;"),
             1, 32);
    for (uint32_t t = 0; t < 32; t++) assert_int_equal(out[t], t + 8 + 0x48804880); /* 9.0 is 0x4880 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mma_is_the_sum_of_products),
        cmocka_unit_test(mma_takes_special_values),
        cmocka_unit_test(mma_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
