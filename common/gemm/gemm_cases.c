#include "gemm/gemm_cases.h"

#include "bench/case_list.h"

typedef struct {
    case_list list;
    int max_size;
    uint64_t seed;
} cases;

static void add(cases *l, gemm_case c) {
    if (c.m > l->max_size || c.n > l->max_size || c.k > l->max_size) return;
    c.seed = l->seed + (uint64_t)l->list.count;
    case_list_add(&l->list, &c);
}

static void add_shape(cases *l, int m, int n, int k, float alpha, float beta) {
    add(l, (gemm_case){.m = m, .n = n, .k = k, .alpha = alpha, .beta = beta});
}

int gemm_cases(int max_size, int every, uint64_t seed, gemm_case **taken) {
    cases l = {.list = {.size = sizeof(gemm_case)}, .max_size = max_size, .seed = seed};

    /* Each dimension takes every value 1 ... 70, the other two jump about (29 and 41 have no factor in common with 70).
     */
    for (int i = 0; i < 70; i++) {
        int s = i + 1, t = 1 + i * 29 % 70, u = 1 + i * 41 % 70;
        add_shape(&l, s, t, u, 1.0f, 0.0f);
        add_shape(&l, t, u, s, 1.0f, 1.0f);
        add_shape(&l, u, s, t, -0.5f, 2.0f);
    }

    /* Around the edges of tiles, cubes and one dimension at a time. */
    static const int edges[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 4095};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        int e = edges[i];
        add_shape(&l, e, e, e, 1.0f, 0.0f);
        add_shape(&l, e, 64, 33, 1.0f, 2.0f);
        add_shape(&l, 33, e, 64, 2.0f, 1.0f);
        add_shape(&l, 64, 33, e, 1.0f, -0.5f);
    }

    static const int rectangles[][3] = {{1, 1000, 1000}, {1000, 1, 1000}, {1000, 1000, 1}, {1, 1, 4095},
                                        {1, 4095, 1},    {4095, 1, 1},    {4095, 33, 7},   {7, 4095, 129},
                                        {129, 7, 4095},  {257, 1000, 65}, {1023, 255, 17}, {128, 256, 16},
                                        {128, 256, 48},  {128, 256, 47},  {256, 128, 1}};
    for (size_t i = 0; i < sizeof rectangles / sizeof rectangles[0]; i++)
        add_shape(&l, rectangles[i][0], rectangles[i][1], rectangles[i][2], 1.0f, 0.0f);

    static const float scalars[] = {0.0f, 1.0f, -0.5f, 2.0f};
    static const int scaled[][3] = {{129, 257, 65}, {64, 64, 64}, {70, 66, 0}};
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            for (int i = 0; i < 3; i++) add_shape(&l, scaled[i][0], scaled[i][1], scaled[i][2], scalars[a], scalars[b]);

    /* Leading dimensions with room: still whole float4 (4, 8), and not (1, 3); base pointers 1 ... 3 words off. */
    static const int padded[][3] = {{128, 256, 32}, {129, 127, 33}, {60, 100, 36}, {257, 516, 128}};
    static const int paddings[] = {1, 3, 4, 8};
    for (int i = 0; i < 4; i++) {
        int m = padded[i][0], n = padded[i][1], k = padded[i][2];
        gemm_case c = {.m = m, .n = n, .k = k, .alpha = 1.0f, .beta = 0.0f};
        for (int j = 0; j < 4; j++) {
            int pad = paddings[j];
            c.beta = j % 2 ? 1.0f : 0.0f;
            c.lda = k + pad, c.ldb = n + pad, c.ldc = n + pad, c.misalign = 0;
            add(&l, c);
            c.lda = k + pad, c.ldb = 0, c.ldc = 0;
            add(&l, c);
            c.lda = 0, c.ldb = n + pad, c.ldc = 0;
            add(&l, c);
            c.lda = 0, c.ldb = 0, c.ldc = n + pad;
            add(&l, c);
        }
        for (int off = 1; off <= 3; off++) {
            c.lda = c.ldb = c.ldc = 0;
            c.misalign = off;
            add(&l, c);
        }
    }

    for (int b = 0; b < 2; b++) {
        float beta = b ? -0.5f : 0.0f;
        add_shape(&l, 0, 64, 64, 1.0f, beta);
        add_shape(&l, 64, 0, 64, 1.0f, beta);
        add_shape(&l, 64, 64, 0, 1.0f, beta);
        add_shape(&l, 0, 0, 0, 1.0f, beta);
        add_shape(&l, 1, 1, 0, 1.0f, beta);
        add_shape(&l, 0, 64, 0, 1.0f, beta);
    }

    /* Many rows, many columns; C of more than 2^31 and 2^32 elements. */
    add_shape(&l, 200000, 65, 129, 1.0f, 0.0f);
    add_shape(&l, 65, 200000, 129, 1.0f, 1.0f);
    add_shape(&l, 200000, 1, 3, 1.0f, 0.0f);
    add_shape(&l, 1, 200000, 3, 1.0f, 0.0f);
    add_shape(&l, 50000, 50000, 9, 1.0f, 0.0f);
    add_shape(&l, 65540, 65541, 3, 1.0f, 0.0f);
    return case_list_take(&l.list, every, taken);
}

/* ---- the list of a kind ---- */

/* A case of this kind; -0.5 is a scalar that is not whole, -3 stands for it. */
static void add_kind(cases *l, const gemm_kind *kind, gemm_case c) {
    c.type = kind->type;
    c.out = kind->out;
    c.layout = kind->layout;
    if (kind->type == GEMM_S8 && c.alpha == -0.5f) c.alpha = -3.0f;
    if (kind->type == GEMM_S8 && c.beta == -0.5f) c.beta = -3.0f;
    add(l, c);
}

static void add_kind_shape(cases *l, const gemm_kind *kind, int m, int n, int k, float alpha, float beta) {
    add_kind(l, kind, (gemm_case){.m = m, .n = n, .k = k, .alpha = alpha, .beta = beta});
}

static void add_kind_shapes(cases *l, const gemm_kind *kind) {
    /* Each dimension takes every fifth value of 1 ... 70, and all of 1 ... 8, the others jump about. */
    for (int i = 0; i < 22; i++) {
        int s = i < 8 ? i + 1 : (i - 7) * 5, t = 1 + s * 29 % 70, u = 1 + s * 41 % 70;
        add_kind_shape(l, kind, s, t, u, 1.0f, 0.0f);
        add_kind_shape(l, kind, i % 2 ? t : u, s, i % 2 ? u : t, -0.5f, 2.0f);
        add_kind_shape(l, kind, t, u, s, 1.0f, i % 2 ? 1.0f : 0.0f);
    }
    static const int edges[] = {63, 64, 65, 127, 128, 129, 191, 255, 256, 257, 513, 1025};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        int e = edges[i];
        if (e < 513) add_kind_shape(l, kind, e, e, e, 1.0f, 0.0f);
        add_kind_shape(l, kind, e, 40, 33, 1.0f, i % 2 ? 2.0f : 0.0f);
        add_kind_shape(l, kind, 33, e, 40, 2.0f, i % 2 ? 0.0f : 1.0f);
        add_kind_shape(l, kind, 40, 33, e, 1.0f, i % 2 ? -0.5f : 0.0f);
    }
    /* One whole tile and several, all sides multiples of 16; one row, one column, one product; long k. */
    static const int others[][3] = {{128, 256, 64}, {256, 128, 192}, {128, 128, 16}, {1, 1000, 65},  {1000, 1, 65},
                                    {65, 65, 1},    {1, 1, 4100},    {7, 1040, 129}, {264, 520, 72}, {16, 16, 4096}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        add_kind_shape(l, kind, others[i][0], others[i][1], others[i][2], 1.0f, 0.0f);
    for (int b = 0; b < 2; b++) {
        float beta = b ? -0.5f : 0.0f;
        add_kind_shape(l, kind, 0, 64, 64, 1.0f, beta);
        add_kind_shape(l, kind, 64, 0, 64, 1.0f, beta);
        add_kind_shape(l, kind, 64, 64, 0, 1.0f, beta);
        add_kind_shape(l, kind, 0, 0, 0, 1.0f, beta);
    }
}

static void add_kind_scalars(cases *l, const gemm_kind *kind) {
    static const float scalars[] = {0.0f, 1.0f, -0.5f, 2.0f};
    static const int shapes[][3] = {{129, 72, 65}, {128, 128, 64}, {70, 66, 0}};
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            const int *s = shapes[(a + b) % 3];
            add_kind_shape(l, kind, s[0], s[1], s[2], scalars[a], scalars[b]);
        }
}

/* Rows keep to 16 bytes with 16 elements of padding in any type, and with less in the wider types: 1 keeps none, 2, 4
 * and 8 keep 16 bytes of some types and lesser alignments of others. The same of base pointers. */
static void add_kind_alignments(cases *l, const gemm_kind *kind) {
    static const int steps[] = {1, 2, 4, 8, 16};
    for (int i = 0; i < 5; i++) {
        const int pad = steps[i];
        gemm_case c = {.m = 128, .n = 96, .k = 80, .alpha = 1.0f, .beta = i % 2 ? 1.0f : 0.0f};
        const int row_b = kind->layout == GEMM_TN ? c.k : c.n;
        c.lda = c.k + pad, c.ldb = row_b + pad, c.ldc = c.n + pad;
        add_kind(l, kind, c);
        c.ldb = c.ldc = 0;
        add_kind(l, kind, c);
        c.lda = 0, c.ldb = row_b + pad;
        add_kind(l, kind, c);
        c.ldb = 0, c.ldc = c.n + pad;
        add_kind(l, kind, c);
        c.ldc = 0, c.misalign = pad;
        add_kind(l, kind, c);
    }
    /* Sides that are no multiples, in rows that are on 16 bytes; and off by three elements. */
    gemm_case c = {.m = 77, .n = 83, .k = 101, .lda = 112, .ldb = 112, .ldc = 96, .alpha = 2.0f, .beta = -0.5f};
    add_kind(l, kind, c);
    c.misalign = 3;
    add_kind(l, kind, c);
}

int gemm_kind_cases(const gemm_kind *kinds, int kind_count, int max_size, int every, uint64_t seed,
                    gemm_case **taken) {
    cases l = {.list = {.size = sizeof(gemm_case)}, .max_size = max_size, .seed = seed};
    for (int i = 0; i < kind_count; i++) {
        add_kind_shapes(&l, &kinds[i]);
        add_kind_scalars(&l, &kinds[i]);
        add_kind_alignments(&l, &kinds[i]);
    }
    return case_list_take(&l.list, every, taken);
}
