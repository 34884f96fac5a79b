#include "gemm/gemm_cases.h"

typedef struct {
    case_list *list;
    gemm_kind kind; /* of what is added */
} cases;

/* A scalar as the type has it: -3 stands for -0.5, which is not whole. */
static float scalar_of(gemm_type type, float x) {
    return type == GEMM_S8 && x == -0.5f ? -3.0f : x;
}

static void add(cases *l, gemm_case c) {
    if (c.m > l->list->max_size || c.n > l->list->max_size || c.k > l->list->max_size) return;
    c.type = l->kind.type;
    c.out = l->kind.out;
    c.layout = l->kind.layout;
    c.alpha = scalar_of(c.type, c.alpha);
    c.beta = scalar_of(c.type, c.beta);
    c.seed = l->list->seed + (uint64_t)l->list->count;
    case_list_add(l->list, &c);
}

static void add_shape(cases *l, int m, int n, int k, float alpha, float beta) {
    add(l, (gemm_case){.m = m, .n = n, .k = k, .alpha = alpha, .beta = beta});
}

static void add_shapes(cases *l) {
    const bool f32 = l->kind.type == GEMM_F32;
    /* 1 ... 70, or some of them, in one dimension; the other two jump about (29 and 41 have no factor in common with
     * 70). */
    for (int s = 1; s <= 70; s++) {
        const int t = 1 + s * 29 % 70, u = 1 + s * 41 % 70;
        if (!f32 && s > 8 && s % 5 != 0) continue;
        add_shape(l, s, t, u, 1.0f, 0.0f);
        add_shape(l, t, u, s, 1.0f, s % 2 ? 1.0f : 0.0f);
        add_shape(l, u, s, t, -0.5f, 2.0f);
    }
    /* Around the edges of tiles: cubes, and one dimension at a time. Those in the second row: FP32 alone. */
    static const int edges[] = {63, 64, 65, 127,  128, 129, 191, 255, 256, 257, 513, 1025, /**/
                                31, 32, 33, 1000, 4095};
    for (int i = 0; i < (f32 ? ARRAY_SIZE(edges) : 12); i++) {
        const int e = edges[i], side = f32 ? 64 : 40;
        if (f32 || e < 513) add_shape(l, e, e, e, 1.0f, 0.0f);
        add_shape(l, e, side, 33, 1.0f, i % 2 ? 2.0f : 0.0f);
        add_shape(l, 33, e, side, 2.0f, i % 2 ? 0.0f : 1.0f);
        add_shape(l, side, 33, e, 1.0f, i % 2 ? -0.5f : 0.0f);
    }
    /* One whole tile and several; one row, one column, one product; long k; nothing. FP32 alone: longer sides, many
     * rows, many columns; C of more than 2^31 and 2^32 elements. */
    static const int others[][3] = {
        {128, 256, 64},    {256, 128, 192},   {128, 128, 16},    {1, 1000, 65},     {1000, 1, 65},   {65, 65, 1},
        {1, 1, 4100},      {7, 1040, 129},    {264, 520, 72},    {16, 16, 4096},    {0, 64, 64},     {64, 0, 64},
        {64, 64, 0},       {0, 0, 0},         {1, 1, 0},         {0, 64, 0}, /**/
        {1, 1000, 1000},   {1000, 1, 1000},   {1000, 1000, 1},   {1, 1, 4095},      {1, 4095, 1},    {4095, 1, 1},
        {4095, 33, 7},     {7, 4095, 129},    {129, 7, 4095},    {257, 1000, 65},   {1023, 255, 17}, {128, 256, 48},
        {128, 256, 47},    {256, 128, 1},     {200000, 65, 129}, {65, 200000, 129}, {200000, 1, 3},  {1, 200000, 3},
        {50000, 50000, 9}, {65540, 65541, 3},
    };
    for (int i = 0; i < (f32 ? ARRAY_SIZE(others) : 16); i++) {
        const int *s = others[i];
        add_shape(l, s[0], s[1], s[2], 1.0f, 0.0f);
        if (s[0] == 0 || s[1] == 0 || s[2] == 0 || s[1] == 200000) add_shape(l, s[0], s[1], s[2], 1.0f, -0.5f);
    }
}

/* All pairs of scalars: of FP32 on each of the shapes, of other types on one. */
static void add_scalars(cases *l) {
    static const float scalars[] = {0.0f, 1.0f, -0.5f, 2.0f};
    static const int shapes[][3] = {{129, 72, 65}, {128, 128, 64}, {70, 66, 0}};
    for (int i = 0; i < 4 * 4 * 3; i++) {
        const int a = i / 12, b = i / 3 % 4, *s = shapes[i % 3];
        if (l->kind.type == GEMM_F32 || (a + b) % 3 == i % 3) add_shape(l, s[0], s[1], s[2], scalars[a], scalars[b]);
    }
}

/* Rows keep to 16 bytes with 16 elements of padding in any type, and with less in the wider types: 1 and 3 keep none,
 * 2, 4 and 8 keep 16 bytes of some types and lesser alignments of others. The same of base pointers. */
static void add_alignments(cases *l) {
    static const int shapes[][3] = {{128, 96, 80}, /**/ {129, 127, 33}, {60, 100, 36}, {257, 516, 128}};
    static const int pads[] = {1, 2, 3, 4, 8, 16};
    for (int i = 0; i < (l->kind.type == GEMM_F32 ? ARRAY_SIZE(shapes) : 1); i++)
        for (int padded = 0; padded < 5; padded++) /* A, B, C, none but all of them misaligned, all */
            for (int j = 0; j < ARRAY_SIZE(pads); j++) {
                const int m = shapes[i][0], n = shapes[i][1], k = shapes[i][2], pad = pads[j];
                gemm_case c = {.m = m, .n = n, .k = k, .alpha = 1.0f, .beta = j % 2 ? 1.0f : 0.0f};
                c.lda = padded == 0 || padded == 4 ? k + pad : 0;
                c.ldb = padded == 1 || padded == 4 ? (l->kind.layout == GEMM_TN ? k : n) + pad : 0;
                c.ldc = padded == 2 || padded == 4 ? n + pad : 0;
                c.misalign = padded == 3 ? pad : 0;
                add(l, c);
            }
    /* Sides that are no multiples, in rows aligned to 16 bytes; and misaligned by three elements. */
    gemm_case c = {.m = 77, .n = 83, .k = 101, .lda = 112, .ldb = 112, .ldc = 96, .alpha = 2.0f, .beta = -0.5f};
    add(l, c);
    c.misalign = 3;
    add(l, c);
}

void gemm_cases(const gemm_kind *kinds, int kind_count, case_list *list) {
    for (int i = 0; i < kind_count; i++) {
        cases l = {list, kinds[i]};
        add_shapes(&l);
        add_scalars(&l);
        add_alignments(&l);
    }
}

/* ---- timed sweeps ---- */

/* The 1000s, 3000, 4095 and 5000 lie between the powers of two because no tile divides them: here a kernel that is only
 * fast on multiples of its tile gives itself away. */
static const shape square[] = {
    {256, 256, 256},    {512, 512, 512},    {1000, 1000, 1000},    {1024, 1024, 1024},
    {2048, 2048, 2048}, {3000, 3000, 3000}, {4095, 4095, 4095},    {4096, 4096, 4096},
    {5000, 5000, 5000}, {8192, 8192, 8192}, {16384, 16384, 16384},
};
static const shape article[] = {
    {2048, 2048, 1024},
    {4096, 4096, 1024},
    {8192, 8192, 1024},
    {16384, 16384, 1024},
};
/* Just off the tile sizes (33, 127, 1023, 4097), round in base ten but not in base two (1000), and skinny both ways:
 * 200000 rows exceed gridDim.y's 65535 if a grid is not flattened. */
static const shape odd[] = {
    {33, 33, 33},       {127, 129, 255},    {257, 1000, 33},  {1000, 1000, 1000}, {1023, 1025, 1027},
    {4095, 4095, 4095}, {4097, 4095, 4100}, {8192, 33, 4096}, {33, 8192, 4096},   {200000, 65, 129},
    {65, 200000, 129},  {100, 100, 100000}, /* so long a k that it pays to divide it */
};
/* For the simulator: the same kinds of shapes, the article's at a sixteenth of the size. */
static const shape square_simulated[] = {
    {64, 64, 64},    {100, 100, 100}, {128, 128, 128}, {200, 200, 200},
    {256, 256, 256}, {300, 300, 300}, {512, 512, 512}, {640, 640, 640},
};
static const shape article_simulated[] = {{128, 128, 64}, {256, 256, 64}, {512, 512, 64}, {1024, 1024, 64}};
static const shape odd_simulated[] = {
    {33, 33, 33},   {127, 129, 255}, {257, 1000, 33}, {255, 257, 260},
    {512, 33, 256}, {33, 512, 256},  {9000, 5, 9},    {5, 9000, 9},
};

shape_list gemm_sweep(sweep_kind kind, bool simulated) {
    static const shape_list lists[][2] = {
        [SWEEP_SQUARE] = {SHAPE_LIST(square), SHAPE_LIST(square_simulated)},
        [SWEEP_ARTICLE] = {SHAPE_LIST(article), SHAPE_LIST(article_simulated)},
        [SWEEP_ODD] = {SHAPE_LIST(odd), SHAPE_LIST(odd_simulated)},
    };
    return lists[kind][simulated];
}
