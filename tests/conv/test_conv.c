/* A convolution's operands, its verification on the host, its check list and sweeps. */
#include "../tensor/operands_case.h"
#include "conv/conv_cases.h"
#include "conv/conv_map.h"
#include <limits.h>

static conv_problem p;

static void set_up(const conv_case *what, bool exact) {
    const operand_spec spec = conv_operands(what);
    p = conv_problem_on(what, fill_operands(&spec, exact, what->seed));
}

static size_t at(int n, int c, int i, int j, int channels, int h, int w) {
    return p.nhwc ? (((size_t)n * h + i) * w + j) * channels + c : (((size_t)n * channels + c) * h + i) * w + j;
}

/* Straight from the definition in conv.h: FP32, one rounding to the type at the end. */
static float output(int n, int k, int row, int col) {
    float sum = 0.0f;
    for (int c = 0; c < p.c && p.alpha != 0.0f; c++)
        for (int r = 0; r < p.r; r++)
            for (int s = 0; s < p.s; s++) {
                const int i = row * p.stride[0] - p.pad[0] + r * p.dilation[0];
                const int j = col * p.stride[1] - p.pad[1] + s * p.dilation[1];
                if (i >= 0 && i < p.h && j >= 0 && j < p.w)
                    sum += dtype_load(p.type, p.x, at(n, c, i, j, p.c, p.h, p.w)) *
                           dtype_load(p.type, p.f, at(k, c, r, s, p.c, p.r, p.s));
            }
    float y = p.alpha * sum;
    if (p.beta != 0.0f) y += p.beta * dtype_load(p.type, p.y, at(n, k, row, col, p.k, p.p, p.q));
    return p.bias == NULL ? y : y + dtype_load(p.type, p.bias, (size_t)k);
}

static void store(size_t i, double value) {
    matrix_set_word(&v.c, (size_t)matrix_front(&v.c) + i, dtype_to_bits(p.type, value));
}

static void convolve(void) {
    for (int n = 0; n < p.n; n++)
        for (int k = 0; k < p.k; k++)
            for (int i = 0; i < p.p; i++)
                for (int j = 0; j < p.q; j++) store(at(n, k, i, j, p.k, p.p, p.q), output(n, k, i, j));
}

static int take_cases(dtype type, bool nhwc, int max_size, conv_case **cases) {
    case_list l = {.size = sizeof **cases, .max_size = max_size, .seed = 1};
    conv_cases(type, nhwc, &l);
    *cases = (conv_case *)l.cases;
    return l.count;
}

/* Every case that is small: the reference's view through windows and the definition agree, and each element counts. */
TEST(right_results_pass_and_wrong_ones_do_not) {
    static const dtype types[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};
    for (int t = 0; t < 6; t++) {
        conv_case *cases;
        const int count = take_cases(types[t / 2], t % 2 != 0, 40, &cases);
        assert_true(count > 60);
        for (int i = 0; i < count; i++) {
            set_up(&cases[i], i % 2 != 0);
            convolve();
            verify_result r = verify();
            assert_int_equal(r.wrong, 0);
            const size_t outputs = (size_t)p.n * p.k * p.p * p.q;
            assert_true(outputs == (size_t)v.c.rows * v.c.cols);
            if (outputs == 0 || cases[i].plant != CONV_PLANT_NONE) continue;
            store(outputs / 2, 1e4);
            r = verify();
            assert_int_equal(r.wrong, 1);
            const int in_image = p.p * p.q, n = r.first.row / in_image, place = r.first.row % in_image;
            assert_int_equal(at(n, r.first.col, place / p.q, place % p.q, p.k, p.p, p.q), outputs / 2);
        }
        free(cases);
    }
}

/* The bound with a bias, worked out here once more. */
TEST(a_bias_is_one_more_rounding) {
    conv_case c = {.type = DTYPE_F32, .k = 3, .bias = true, .alpha = -0.5f, .beta = 2};
    c.seen = (windows){.n = 1, .c = 2, .h = 5, .w = 5, .r = 3, .s = 2, .stride = {1, 1}, .dilation = {1, 1}};
    assert_null(conv_case_complete(&c));
    set_up(&c, false);
    const double magnitude = 7.3, ref = -1.9, y0 = -0.6, bias = 0.4, u = 0x1p-24;
    const double bound = (1 + u) * (12 + 3) * u * (0.5 * magnitude + 2 * 0.6 + bias) + u * 1.9 + 0x1p-149;
    assert_true(fabs(verify_bound(&v, magnitude, ref, y0, -bias) - bound) <= 1e-12 * bound);
}

TEST(sides_of_the_result) {
    static const int sides[][6] = {/* side, taps, stride, pad, dilation, places */
                                   {224, 7, 2, 3, 1, 112}, {5, 5, 1, 0, 1, 1}, {4, 5, 1, 0, 1, 0},
                                   {4, 5, 1, 1, 1, 2},     {9, 3, 4, 0, 1, 2}, {8, 3, 1, 0, 4, 0},
                                   {9, 3, 1, 0, 4, 1},     {0, 1, 1, 0, 1, 0}, {0, 1, 1, 1, 1, 2}};
    for (int i = 0; i < ARRAY_SIZE(sides); i++) {
        const int *s = sides[i];
        assert_int_equal(windows_places(s[0], s[1], s[2], s[3], s[4]), s[5]);
    }
    conv_case c = {.k = 1};
    c.seen = (windows){.n = 3, .c = 1, .h = 50000, .w = 50000, .r = 1, .s = 1, .stride = {1, 1}, .dilation = {1, 1}};
    assert_string_equal(conv_case_complete(&c), "n*h*w");
    c.seen.h = 1, c.seen.pad[0] = INT_MAX;
    assert_non_null(conv_case_complete(&c));
}

/* Corners have 8 bits, offsets of taps, too; strides end at 8. */
TEST(what_tma_takes) {
    static const struct {
        int side, taps, stride, pad, dilation, channels;
        bool taken;
    } cases[] = {{9, 3, 1, 1, 1, 8, true},       {9, 3, 1, 1, 1, 12, false},     {9, 3, 8, 1, 1, 8, true},
                 {9, 3, 9, 1, 1, 8, false},      {9, 2, 1, 128, 1, 8, true},     {9, 1, 1, 128, 1, 8, false},
                 {9, 3, 1, 129, 1, 8, false},    {300, 129, 1, 0, 1, 8, true},   {300, 130, 1, 0, 1, 8, false},
                 {300, 130, 1, 1, 1, 8, true},   {300, 256, 1, 127, 1, 8, true}, {300, 257, 1, 128, 1, 8, false},
                 {300, 18, 1, 128, 15, 8, true}, {300, 18, 1, 127, 16, 8, false}};
    for (int i = 0; i < ARRAY_SIZE(cases); i++) {
        conv_problem q = {.type = DTYPE_F16, .nhwc = true, .n = 1, .c = cases[i].channels, .k = 1};
        q.h = q.w = cases[i].side, q.r = q.s = cases[i].taps;
        for (int k = 0; k < 2; k++)
            q.stride[k] = cases[i].stride, q.pad[k] = cases[i].pad, q.dilation[k] = cases[i].dilation;
        if ((conv_map_refuses(&q) == NULL) != cases[i].taken) fail_msg("case %d", i);
        q.x = (const char *)8;
        assert_non_null(conv_map_refuses(&q));
    }
}

TEST(the_check_list) {
    conv_case *cases;
    const int count = take_cases(DTYPE_F32, false, INT_MAX, &cases);
#define SOME(condition) assert_some(c, cases, count, condition)
    for (int i = 0; i < 32; i++) {
        static const float scalars[] = {0.0f, 1.0f, -0.5f, 2.0f};
        SOME(c->seen.c > 0 && c->alpha == scalars[i / 8] && c->beta == scalars[i / 2 % 4] && c->bias == i % 2);
    }
    for (int i = CONV_PLANT_X; i <= CONV_PLANT_Y; i++) SOME((int)c->plant == i);
    SOME(c->seen.n == 0);
    SOME(c->seen.c == 0);
    SOME(c->seen.c == 1 && c->k == 1);
    SOME(c->k == 0);
    SOME(c->seen.h > 0 && c->seen.r > c->seen.h + 2 * c->seen.pad[0] && c->seen.p == 0);
    SOME(c->seen.pad[0] >= c->seen.r && c->seen.p > 0);
    SOME(c->seen.stride[0] == 3);
    SOME(c->seen.stride[0] > c->seen.r && c->seen.r > 1);
    SOME(c->seen.dilation[0] == 2);
    SOME(c->seen.stride[0] != c->seen.stride[1] && c->seen.dilation[0] != c->seen.dilation[1]);
    SOME(c->seen.r * c->seen.s == 1);
    SOME(c->seen.r * c->seen.s == 64);
    SOME(c->seen.r * c->seen.s > 64);
    SOME(c->misalign % 4 != 0);
    SOME((double)c->seen.n * c->seen.c * c->seen.h * c->seen.w > INT_MAX);
    SOME((double)windows_rows(&c->seen) * c->k > INT_MAX);
    free(cases);
}

TEST(sweeps_of_layers) {
    const conv_case like = {.type = DTYPE_F32, .alpha = 1};
    static const sweep_kind kinds[] = {SWEEP_NETWORKS, SWEEP_SQUARE, SWEEP_ODD};
    for (int i = 0; i < 2 * ARRAY_SIZE(kinds); i++) {
        case_list l = {.size = sizeof like, .max_size = INT_MAX, .seed = 1};
        conv_sweep(kinds[i / 2], i % 2 != 0, &like, &l);
        assert_true(l.count >= 6);
        const conv_case *cases = (const conv_case *)l.cases;
        for (int j = 0; j < l.count; j++) assert_true(windows_rows(&cases[j].seen) > 0 && cases[j].k > 0);
        if (kinds[i / 2] == SWEEP_NETWORKS) assert_some(c, cases, l.count, c->seen.n == 1 && c->seen.c == 3);
        free(l.cases);
    }
}

TEST(layers_at_random) {
    const conv_case like = {.type = DTYPE_F16, .alpha = 1, .bias = true, .seed = 7};
    case_list l = {.size = sizeof like, .max_size = INT_MAX}, again = l, other = l;
    random_draw draw = {.sweep = {300, 2048, 8, "log"}, .seed = 5};
    conv_random(draw, false, &like, &l);
    const conv_case *cases = (const conv_case *)l.cases;
    assert_int_equal(l.count, 300);
    for (int i = 0; i < l.count; i++) {
        const windows *w = &cases[i].seen;
        assert_true((w->c == 3 || w->c % 8 == 0) && cases[i].k % 8 == 0 && w->c <= 2048 && cases[i].k <= 2048);
        assert_true(cases[i].bias && w->p > 0 && w->q > 0 && w->h < 224 && w->n < 128);
        assert_true((double)windows_rows(w) * cases[i].k * windows_cols(w) <= 0x1p36);
    }
#define DRAWN(condition) assert_some(c, cases, l.count, condition)
    DRAWN(c->seen.c == 3 && c->seen.r == 7);
    DRAWN(c->seen.n == 1);
    DRAWN(c->seen.dilation[0] == 2);
    DRAWN(c->seen.stride[0] == 3);
    DRAWN(c->seen.r != c->seen.s && c->seen.h != c->seen.w);
    DRAWN(c->seen.r == 3 && c->seen.pad[0] == 0);
    DRAWN((double)windows_rows(&c->seen) * c->k * windows_cols(&c->seen) > 0x1p35);
    /* They never change: what is recorded was drawn so. */
    static const int pinned[3][5] = {{20, 490, 14, 384, 7}, {126, 10, 23, 264, 3}, {57, 415, 21, 373, 5}};
    conv_random((random_draw){.sweep = {3, 512, 1, "uniform"}, .seed = 1}, false, &like, &other);
    for (int i = 0; i < 3; i++) {
        const conv_case *c = (const conv_case *)case_list_at(&other, i);
        const int found[] = {c->seen.n, c->seen.c, c->seen.w, c->k, c->seen.s};
        assert_memory_equal(found, pinned[i], sizeof found);
    }
    draw.sweep.count = 20;
    conv_random(draw, false, &like, &again); /* begins with what a longer sweep has */
    assert_memory_equal(again.cases, l.cases, 20 * sizeof like);
    draw.sweep = (random_sweep){20, CONV_RANDOM_MAX, 1, "uniform"};
    conv_random(draw, true, &like, &other);
    for (int i = 3; i < 23; i++) {
        const conv_case *c = (const conv_case *)case_list_at(&other, i);
        assert_true(c->seen.p > 0 && (double)windows_rows(&c->seen) * c->k * windows_cols(&c->seen) <= 0x1p24);
    }
    free(l.cases);
    free(again.cases);
    free(other.cases);
}

static const struct fixtures fixtures = {.after = tear_down};
