#include "conv/conv_cases.h"

static void add(case_list *l, conv_case c) {
    const windows *v = &c.seen;
    const int sides[] = {v->n, v->c, v->h, v->w, c.k, v->r, v->s};
    for (int i = 0; i < ARRAY_SIZE(sides); i++)
        if (sides[i] > l->max_size) return;
    if (conv_case_complete(&c) != NULL) return;
    c.seed = l->seed + (uint64_t)l->count;
    case_list_add(l, &c);
}

/* n c h w, k r s, and down and across each: stride, padding, dilation. */
static conv_case with_sides(conv_case c, const int sides[13]) {
    windows *v = &c.seen;
    v->n = sides[0], v->c = sides[1], v->h = sides[2], v->w = sides[3];
    c.k = sides[4], v->r = sides[5], v->s = sides[6];
    for (int i = 0; i < 2; i++) v->stride[i] = sides[7 + i], v->pad[i] = sides[9 + i], v->dilation[i] = sides[11 + i];
    return c;
}

/* clang-format off */
static const int plain[13] = {3, 8, 9, 11, 5, 3, 3, 1, 1, 1, 1, 1, 1};       /* whole 16 bytes of channels, no more */
static const int tiled[13] = {1, 16, 16, 16, 64, 3, 3, 1, 1, 1, 1, 1, 1};    /* whole tiles, but for the border */
static const int none[13] = {2, 0, 5, 6, 4, 3, 3, 1, 1, 1, 1, 1, 1};         /* no channel: no products */
static const int layers[][13] = {
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1},
    {1, 1, 7, 5, 1, 3, 3, 1, 1, 1, 1, 1, 1},       /* one channel, one filter */
    {1, 1, 28, 28, 6, 5, 5, 1, 1, 2, 2, 1, 1},
    {3, 7, 13, 13, 10, 1, 1, 1, 1, 0, 0, 1, 1},    /* one tap */
    {2, 16, 9, 8, 32, 1, 1, 2, 2, 0, 0, 1, 1},
    {1, 3, 31, 33, 64, 7, 7, 2, 2, 3, 3, 1, 1},    /* a first layer */
    {1, 3, 35, 35, 20, 11, 11, 4, 4, 0, 0, 1, 1},  /* more than 64 taps; 64; a row and a column of them */
    {1, 2, 12, 13, 5, 8, 8, 1, 1, 3, 4, 1, 1},
    {2, 5, 9, 9, 7, 1, 7, 1, 1, 0, 3, 1, 1},
    {2, 5, 9, 9, 7, 7, 1, 1, 1, 3, 0, 1, 1},
    {2, 5, 17, 19, 9, 3, 3, 3, 3, 1, 1, 1, 1},     /* stride 3; 5, which leaves pixels out */
    {1, 4, 21, 18, 6, 3, 3, 5, 5, 0, 0, 1, 1},
    {1, 4, 15, 15, 8, 3, 3, 1, 1, 2, 2, 2, 2},     /* dilation */
    {1, 4, 15, 20, 8, 3, 2, 2, 1, 1, 0, 1, 3},     /* other values down than across */
    {2, 3, 6, 40, 7, 2, 5, 1, 3, 0, 7, 4, 2},
    {1, 3, 4, 4, 5, 3, 3, 1, 1, 5, 5, 1, 1},       /* padding wider than the filter: whole windows of it */
    {1, 3, 3, 4, 5, 2, 2, 3, 3, 9, 6, 1, 1},
    {1, 2, 3, 3, 4, 5, 5, 1, 1, 0, 0, 1, 1},       /* a filter larger than the image: nothing; one place; nine */
    {1, 2, 3, 3, 4, 5, 5, 1, 1, 1, 1, 1, 1},
    {2, 2, 3, 3, 4, 5, 5, 1, 1, 2, 2, 1, 1},
    {1, 2, 8, 8, 4, 3, 3, 1, 1, 0, 0, 4, 4},       /* by its dilation */
    {1, 8, 10, 10, 130, 3, 3, 1, 1, 1, 1, 1, 1},   /* more filters than a tile has */
    {1, 67, 6, 6, 33, 3, 3, 1, 1, 1, 1, 1, 1},
    {70, 2, 3, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1},      /* several images in a tile */
    {4, 16, 8, 8, 128, 3, 3, 1, 1, 1, 1, 1, 1},
    {1, 129, 5, 7, 65, 1, 1, 1, 1, 0, 0, 1, 1},
    {1, 72, 7, 6, 40, 3, 3, 1, 1, 1, 1, 1, 1},     /* 16 bytes of channels, where tiles end within a tap */
    {2, 24, 15, 20, 9, 3, 2, 2, 1, 1, 0, 1, 3},
    {50, 8, 3, 3, 136, 2, 5, 1, 3, 0, 4, 2, 1},
    {0, 3, 5, 5, 4, 3, 3, 1, 1, 1, 1, 1, 1},       /* no image, no filter, no pixel */
    {2, 3, 5, 5, 0, 3, 3, 1, 1, 1, 1, 1, 1},
    {2, 3, 0, 0, 4, 1, 1, 1, 1, 1, 1, 1, 1},
    {1, 5, 1, 1000, 17, 1, 9, 1, 1, 0, 4, 1, 1},   /* from here on for GPUs */
    {200000, 1, 2, 2, 3, 2, 2, 1, 1, 1, 1, 1, 1},
    {33, 64, 1024, 1024, 1, 1, 2, 1, 1, 0, 1, 1, 1}, /* x, then y of more than 2^31 elements */
    {33, 8, 1024, 1024, 65, 1, 1, 1, 1, 0, 0, 1, 1},
};
/* clang-format on */

/* Both of bias and not on the empty ones, and where there is no product; else they take turns. */
static void add_layers(case_list *l, conv_case like) {
    static const float betas[] = {0.0f, 1.0f, 0.0f, -0.5f};
    for (int i = 0; i < ARRAY_SIZE(layers); i++) {
        conv_case c = with_sides(like, layers[i]);
        c.bias = i / 2 % 2;
        c.alpha = i % 3 == 2 ? -0.5f : 1.0f;
        c.beta = betas[i % 4];
        add(l, c);
    }
    add(l, with_sides(like, tiled));
}

static void add_scalars(case_list *l, conv_case like) {
    static const float scalars[] = {0.0f, 1.0f, -0.5f, 2.0f};
    for (int i = 0; i < 4 * 4 * 2; i++) {
        like.alpha = scalars[i / 8], like.beta = scalars[i / 2 % 4], like.bias = i % 2;
        conv_case c = with_sides(like, plain);
        if ((i + i / 2) % 2 == 0) c.k = 8; /* of filters, too */
        add(l, c);
        if ((i + i / 2) % 3 == 0) add(l, with_sides(like, none));
    }
}

static void add_alignments(case_list *l, conv_case like) {
    static const int offs[] = {1, 2, 3, 4, 8};
    for (int i = 0; i < ARRAY_SIZE(offs); i++) {
        like.misalign = offs[i], like.bias = i % 2, like.beta = i % 2 ? 1.0f : 0.0f;
        add(l, with_sides(like, i % 2 ? plain : tiled));
    }
}

/* What is NaN or infinite in x reaches the outputs that see it, in y itself; nothing else. */
static void add_planted(case_list *l, conv_case like) {
    static const float values[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        conv_case c = with_sides(like, plain);
        c.planted = values[i];
        c.plant = CONV_PLANT_X;
        add(l, c);
        c.plant = CONV_PLANT_Y, c.beta = -0.5f;
        add(l, c);
        c.alpha = 0.0f; /* y alone */
        add(l, c);
    }
}

void conv_cases(dtype type, bool nhwc, case_list *l) {
    const conv_case like = {.type = type, .seen.nhwc = nhwc, .alpha = 1.0f};
    add_layers(l, like);
    add_scalars(l, like);
    add_alignments(l, like);
    add_planted(l, like);
}

/* ---- timed sweeps ---- */

/* Square images and filters. */
typedef struct {
    int c, h, k, r, stride, pad;
} layer;

typedef struct {
    const layer *layers;
    int count, batches[2];
} layer_list;

#define LAYERS(array, first, second)                                                                                   \
    {                                                                                                                  \
        array, ARRAY_SIZE(array), {                                                                                    \
            first, second                                                                                              \
        }                                                                                                              \
    }

static const layer networks[] = {
    {3, 224, 64, 7, 2, 3}, /* ResNet-50 */
    {64, 56, 64, 1, 1, 0},   {64, 56, 64, 3, 1, 1},    {64, 56, 256, 1, 1, 0},  {128, 56, 128, 3, 2, 1},
    {128, 28, 128, 3, 1, 1}, {256, 56, 512, 1, 2, 0},  {256, 14, 256, 3, 1, 1}, {1024, 14, 256, 1, 1, 0},
    {512, 7, 512, 3, 1, 1},  {512, 7, 2048, 1, 1, 0},  {3, 224, 64, 3, 1, 1}, /* VGG-16 */
    {64, 224, 64, 3, 1, 1},  {128, 112, 128, 3, 1, 1}, {256, 56, 256, 3, 1, 1}, {512, 28, 512, 3, 1, 1},
    {512, 14, 512, 3, 1, 1}, {32, 112, 64, 1, 1, 0}, /* MobileNet's 1x1 */
    {128, 56, 128, 1, 1, 0}, {256, 28, 256, 1, 1, 0},  {512, 14, 512, 1, 1, 0}, {1024, 7, 1024, 1, 1, 0},
    {3, 227, 96, 11, 4, 0}, /* AlexNet */
    {96, 27, 256, 5, 1, 2},
};
static const layer square[] = {
    {32, 128, 32, 3, 1, 1}, {64, 64, 64, 3, 1, 1},   {128, 32, 128, 3, 1, 1}, {256, 16, 256, 3, 1, 1},
    {512, 8, 512, 3, 1, 1}, {128, 64, 128, 1, 1, 0}, {512, 32, 512, 1, 1, 0},
};
static const layer odd[] = {
    {3, 223, 61, 7, 2, 3}, {67, 53, 71, 3, 1, 1},  {131, 29, 127, 3, 1, 1}, {257, 13, 251, 3, 2, 1},
    {61, 31, 67, 5, 1, 2}, {509, 7, 521, 1, 1, 0}, {1, 101, 1, 3, 1, 1},    {31, 59, 37, 3, 3, 2},
};
static const layer networks_simulated[] = {
    {3, 32, 16, 7, 2, 3}, {16, 14, 16, 3, 1, 1}, {16, 14, 32, 1, 1, 0}, {16, 14, 16, 3, 2, 1}, {8, 7, 32, 5, 1, 2},
};
static const layer square_simulated[] = {{8, 16, 8, 3, 1, 1}, {16, 8, 16, 3, 1, 1}, {32, 8, 32, 1, 1, 0}};
static const layer odd_simulated[] = {
    {3, 23, 7, 3, 2, 1}, {13, 11, 17, 3, 1, 1}, {29, 7, 31, 1, 1, 0}, {5, 13, 11, 5, 1, 2}, {7, 19, 3, 3, 3, 2},
};

void conv_sweep(sweep_kind kind, bool simulated, const conv_case *like, case_list *l) {
    static const layer_list lists[][2] = {
        [SWEEP_NETWORKS] = {LAYERS(networks, 64, 1), LAYERS(networks_simulated, 2, 1)},
        [SWEEP_SQUARE] = {LAYERS(square, 64, 16), LAYERS(square_simulated, 2, 1)},
        [SWEEP_ODD] = {LAYERS(odd, 61, 7), LAYERS(odd_simulated, 3, 1)},
    };
    const layer_list *list = &lists[kind][simulated];
    for (int i = 0; i < 2 * list->count; i++) {
        const layer *x = &list->layers[i / 2];
        const int sides[13] = {
            list->batches[i % 2], x->c, x->h, x->h, x->k, x->r, x->r, x->stride, x->stride, x->pad, x->pad, 1, 1};
        add(l, with_sides(*like, sides));
    }
}

/* ---- at random ---- */

/* Up to `octaves` of them from `least` on, one as likely as another. */
static int draw_octaves(random_draw *d, int least, int octaves) {
    const int begin = least << random_below(d, octaves);
    return begin + random_below(d, begin);
}

/* The first again in 3 of 4, else another one. */
static int draw_second(random_draw *d, int first, int other) {
    return random_below(d, 4) > 0 ? first : other;
}

static bool is_too_large(const conv_case *c, bool simulated) {
    const windows *v = &c->seen;
    const double places = (double)v->n * v->p * v->q, x = (double)v->n * v->c * v->h * v->w;
    return places * c->k * windows_cols(v) > (simulated ? 0x1p24 : 0x1p36) || places * c->k > 0x1p27 || x > 0x1p27;
}

/* Halves the first of the sides that can be, rounded up, channels and filters to a multiple. */
static bool shrink(conv_case *c, int multiple) {
    windows *v = &c->seen;
    int *const sides[] = {&v->n, &v->h, &v->w, &v->c, &c->k};
    const int least[] = {2, 28, 28, 2 * multiple, 2 * multiple}; /* an image keeps room for every filter */
    for (int i = 0; i < ARRAY_SIZE(sides); i++) {
        const int unit = i < 3 ? 1 : multiple;
        if (*sides[i] < least[i]) continue;
        *sides[i] = (*sides[i] / 2 + unit - 1) / unit * unit;
        conv_case_complete(c);
        return true;
    }
    return false;
}

static conv_case draw_layer(random_draw *d, bool simulated, conv_case c) {
    static const int taps[] = {1, 1, 3, 3, 3, 3, 5, 7}, strides[] = {1, 1, 1, 1, 1, 2, 2, 3};
    windows *v = &c.seen;
    v->c = random_side(d), c.k = random_side(d);
    if (random_below(d, 8) == 0) v->c = 3;
    v->n = draw_octaves(d, 1, simulated ? 2 : 7);
    v->h = draw_octaves(d, 7, simulated ? 2 : 5);
    v->w = draw_second(d, v->h, draw_octaves(d, 7, simulated ? 2 : 5));
    v->r = taps[random_below(d, 8)];
    v->s = draw_second(d, v->r, taps[random_below(d, 8)]);
    v->stride[0] = v->stride[1] = strides[random_below(d, 8)];
    v->dilation[0] = v->dilation[1] = random_below(d, 8) == 0 ? 2 : 1;
    const bool kept = random_below(d, 4) > 0;
    for (int i = 0; i < 2; i++) {
        const int of_filter = i == 0 ? v->r : v->s, any = random_below(d, of_filter);
        v->pad[i] = kept ? (of_filter - 1) * v->dilation[i] / 2 : any;
    }
    conv_case_complete(&c);
    if (v->p == 0 || v->q == 0) v->dilation[0] = v->dilation[1] = 1;
    conv_case_complete(&c);
    while (is_too_large(&c, simulated) && shrink(&c, d->sweep.multiple)) continue;
    return c;
}

void conv_random(random_draw draw, bool simulated, const conv_case *like, case_list *l) {
    for (int i = 0; i < draw.sweep.count; i++) {
        const conv_case c = draw_layer(&draw, simulated, *like);
        case_list_add(l, &c);
    }
}
