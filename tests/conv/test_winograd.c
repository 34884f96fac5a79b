/* Winograd's F(2x2, 3x3) by its matrices: its bound is the one derived from them, right results are within it and equal
 * on integers, and no wrong entry of a matrix and no missing product gets past both passes. */
#include "../tensor/operands_case.h"
#include "conv/conv_operands.h"

static const float right_bt[4][4] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
static const float right_g[4][3] = {{1, 0, 0}, {0.5f, 0.5f, 0.5f}, {0.5f, -0.5f, 0.5f}, {0, 0, 1}};
static const float right_at[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
static float bt[4][4], g[4][3], at[2][4];
static int dropped; /* the product of this channel and element is left out; -1: none */
static conv_problem p;

static void set_up(int channels, bool exact, bool bias) {
    conv_case c = {.type = DTYPE_F32, .k = 3, .alpha = -0.5f, .beta = 2, .bias = bias, .seed = 5};
    c.seen = (windows){.n = 2, .c = channels, .h = 6, .w = 5, .r = 3, .s = 3, .stride = {1, 1}, .dilation = {1, 1}};
    c.seen.pad[0] = c.seen.pad[1] = 1;
    assert_null(conv_case_complete(&c));
    operand_spec spec = conv_operands(&c);
    spec.arithmetic = VERIFY_WINOGRAD;
    p = conv_problem_on(&c, fill_operands(&spec, exact, c.seed));
    memcpy(bt, right_bt, sizeof bt);
    memcpy(g, right_g, sizeof g);
    memcpy(at, right_at, sizeof at);
    dropped = -1;
}

/* to (rows x rows) = M X M^T, of x (cols x cols). */
static void transform(const float *m, int rows, int cols, const float *x, float *to) {
    float half[16] = {0};
    for (int i = 0; i < rows * cols; i++)
        for (int l = 0; l < cols; l++) half[i] += m[i / cols * cols + l] * x[l * cols + i % cols];
    for (int i = 0; i < rows * rows; i++) {
        to[i] = 0;
        for (int l = 0; l < cols; l++) to[i] += m[i % rows * cols + l] * half[i / rows * cols + l];
    }
}

/* The result of filter k at place (i, j) of image n, before scalars: its tile's. */
static float place(int n, int k, int i, int j) {
    float d[16], V[16], U[16], M[16] = {0}, y[4];
    for (int c = 0; c < p.c; c++) {
        for (int e = 0; e < 16; e++) {
            const int row = i / 2 * 2 - 1 + e / 4, col = j / 2 * 2 - 1 + e % 4;
            const bool inside = row >= 0 && row < p.h && col >= 0 && col < p.w;
            d[e] = inside ? ((const float *)p.x)[((n * p.c + c) * p.h + row) * p.w + col] : 0.0f;
        }
        transform(bt[0], 4, 4, d, V);
        transform(g[0], 4, 3, (const float *)p.f + (k * p.c + c) * 9, U);
        for (int e = 0; e < 16; e++)
            if (dropped != c * 16 + e) M[e] = fmaf(U[e], V[e], M[e]);
    }
    transform(at[0], 2, 4, M, y);
    return y[i % 2 * 2 + j % 2];
}

static void compute(void) {
    float *y = (float *)p.y;
    for (int e = 0; e < p.n * p.k * p.p * p.q; e++) {
        const int k = e / (p.p * p.q) % p.k;
        y[e] = p.alpha * place(e / (p.p * p.q * p.k), k, e / p.q % p.p, e % p.q) +
               p.beta * matrix_value(&v.c, (uint64_t)e);
        if (p.bias != NULL) y[e] += ((const float *)p.bias)[k];
    }
}

TEST(right_ones_pass) {
    for (int channels = 1; channels <= 200; channels += 66)
        for (int exact = 0; exact < 2; exact++) {
            set_up(channels, exact, channels % 2 != 0);
            compute();
            const verify_result r = verify();
            assert_int_equal(r.wrong, 0);
            assert_true(exact ? r.worst_share == 0.0 : r.worst_share > 1e-4 && r.worst_share < 0.5);
        }
}

static void take_magnitudes(float *x, int count) {
    for (int i = 0; i < count; i++) x[i] = fabsf(x[i]);
}

TEST(the_bound_is_that_of_the_matrices) {
    set_up(7, false, true);
    take_magnitudes(bt[0], 16);
    take_magnitudes(g[0], 12);
    take_magnitudes(at[0], 8);
    take_magnitudes(v.a.data, v.a.rows * v.a.cols);
    take_magnitudes(v.b.data, v.b.rows * v.b.cols);
    for (int row = 0; row < verify_m(&v); row++) {
        const double sum = place(row / 30, 2, row / 5 % 6, row % 5), found = verify_magnitude(&v, row, 2, 0.0);
        assert_true(fabs(found - sum) <= 1e-5 * sum);
    }
    const double u = 0x1p-24, n = (7 + 10 + 3) * u, bound = n / (1 - n) * (0.5 * 9.0 + 2 * 0.6 + 0.4);
    const double expected = bound + u * (1.9 + bound) + 0x1p-149;
    assert_true(fabs(verify_bound(&v, 9.0, -1.9, -0.6, 0.4) - expected) <= 1e-12 * expected);
    v.alpha = 0.0f;
    assert_true(verify_magnitude(&v, 0, 0, 0.0) == 0.0);
}

/* Each entry of each matrix with the other sign, doubled, or 1 in the place of 0: the exact pass finds it, and so does
 * the random one. */
TEST(no_wrong_matrix_passes) {
    struct {
        float *entries;
        int count;
    } matrices[] = {{bt[0], 16}, {g[0], 12}, {at[0], 8}};
    for (int way = 0; way < 4; way++)
        for (int m = 0; m < ARRAY_SIZE(matrices); m++)
            for (int e = 0; e < matrices[m].count; e++) {
                set_up(9, way % 2 != 0, false);
                float *entry = &matrices[m].entries[e];
                *entry = *entry == 0.0f ? 1.0f : way / 2 ? 2.0f * *entry : -*entry;
                compute();
                assert_true(verify().wrong > 0);
            }
}

/* One product of 64 channels' 1024, in every tile. */
TEST(no_missing_product_passes) {
    for (int exact = 0; exact < 2; exact++)
        for (int product = 0; product < 64 * 16; product += 111) {
            set_up(64, exact, false);
            dropped = product;
            compute();
            assert_true(verify().wrong > 0);
        }
}

/* What an infinite pixel becomes where a place sees it, and nowhere else. */
TEST(an_infinite_pixel_may_become_a_nan) {
    set_up(2, true, false);
    v.a.planted = 1;
    assert_true(verify_judge(&v, NAN, INFINITY, 0.0) == 0.0);
    assert_true(verify_judge(&v, 3.0, INFINITY, 0.0) > 1.0);
    assert_true(verify_judge(&v, NAN, 3.0, 0.0) > 1.0);
    v.arithmetic = VERIFY_FMA;
    assert_true(verify_judge(&v, NAN, INFINITY, 0.0) > 1.0);
}

/* What a library transforms is held to TF32's bound, on integers, too. */
TEST(others_are_held_to_less) {
    set_up(2, true, false);
    v.arithmetic = VERIFY_TRANSFORMED;
    const double s = 0.5 * 40.0 + 2 * 1.0, t = (0x1p-9 + 0x1p-20) * 20.0;
    const double expected = (18 + 2) * 0x1p-23 * (s + t) + t;
    assert_true(fabs(verify_bound(&v, 40.0, 0.0, 1.0, 0.0) - (expected * (1 + 0x1p-24) + 0x1p-149)) < 1e-9 * expected);
}

static const struct fixtures fixtures = {.after = tear_down};
