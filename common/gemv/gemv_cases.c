#include "gemv/gemv_cases.h"

static void add(case_list *l, gemv_case c) {
    if (c.n > l->max_size || c.k > l->max_size) return;
    c.seed = l->seed + (uint64_t)l->count;
    case_list_add(l, &c);
}

static void add_shape(case_list *l, dtype type, int n, int k, float alpha, float beta) {
    add(l, (gemv_case){.type = type, .n = n, .k = k, .alpha = alpha, .beta = beta});
}

static void add_shapes(case_list *l, dtype t) {
    static const int edges[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1000, 1024, 4095, 4096};
    /* Skinny both ways; nothing; many rows (more than gridDim.y holds), a long row, both; A of more than 2^31 and 2^32
     * elements. */
    static const int others[][2] = {{1, 1000},     {1, 4095},   {1000, 1},    {4095, 1},      {7, 4095},
                                    {4095, 7},     {129, 2049}, {2049, 129},  {3, 8192},      {8192, 3},
                                    {0, 64},       {64, 0},     {0, 0},       {1, 0},         {1000000, 33},
                                    {33, 1000000}, {200000, 1}, {1, 3000001}, {50000, 50001}, {70001, 70000}};
    /* Both sides take every value 1 ... 70, the other jumps about (29 has no factor in common with 70). */
    for (int i = 0; i < 70; i++) {
        add_shape(l, t, i + 1, 1 + i * 29 % 70, 1.0f, 0.0f);
        add_shape(l, t, 1 + i * 29 % 70, i + 1, -0.5f, 2.0f);
    }
    for (int i = 0; i < ARRAY_SIZE(edges); i++) {
        add_shape(l, t, edges[i], 33, 1.0f, 0.0f);
        add_shape(l, t, 33, edges[i], 1.0f, 1.0f);
        if (edges[i] <= 1024) add_shape(l, t, edges[i], edges[i], 1.0f, 0.0f);
    }
    for (int i = 0; i < ARRAY_SIZE(others); i++) {
        const int n = others[i][0], k = others[i][1];
        if (n > 0 && k > 0)
            add_shape(l, t, n, k, 1.0f, i % 2 ? -0.5f : 0.0f);
        else
            for (int beta = 0; beta < 2; beta++) add_shape(l, t, n, k, 1.0f, -0.5f * (float)beta);
    }
}

static void add_scalars(case_list *l, dtype t) {
    static const float scalars[] = {0.0f, 1.0f, -0.5f, 2.0f};
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            add_shape(l, t, 129, 257, scalars[a], scalars[b]);
            add_shape(l, t, 64, 64, scalars[a], scalars[b]);
            add_shape(l, t, 70, 0, scalars[a], scalars[b]);
        }
}

/* Rows that keep to 16 bytes (pad 8) and that do not; bases that miss 16 bytes by whole words, half words, alone and
 * together. */
static void add_alignments(case_list *l, dtype t) {
    static const int shapes[][2] = {{129, 256}, {60, 100}, {257, 129}};
    static const int pads[] = {1, 2, 3, 4, 8};
    static const int offs[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {2, 2, 2}, {3, 1, 2},
                                  {4, 4, 4}, {2, 0, 0}, {0, 4, 0}, {7, 5, 3}, {8, 8, 8}};
    for (int i = 0; i < ARRAY_SIZE(shapes); i++) {
        gemv_case c = {.type = t, .n = shapes[i][0], .k = shapes[i][1], .alpha = 1.0f};
        for (int j = 0; j < ARRAY_SIZE(pads); j++) {
            c.lda = c.k + pads[j];
            c.beta = j % 2 ? 1.0f : 0.0f;
            add(l, c);
        }
        for (int j = 0; j < ARRAY_SIZE(offs); j++) {
            c.lda = j % 2 ? 0 : c.k + 8;
            c.off_a = offs[j][0], c.off_x = offs[j][1], c.off_y = offs[j][2];
            add(l, c);
        }
    }
}

/* Rows on 16 bytes, and more of them than a GPU of 132 multiprocessors takes on at once (2112, step 7's persistent
 * kernels), twice over and some; k with one and with two pieces of 16 bytes for each of 128 threads, and a rest. */
static void add_turns(case_list *l, dtype t) {
    add(l, (gemv_case){.type = t, .n = 4301, .k = 1021, .lda = 1024, .alpha = 1.0f, .beta = 2.0f});
    add(l, (gemv_case){.type = t, .n = 4301, .k = 2045, .lda = 2048, .alpha = -0.5f});
}

/* As BLAS has it: what is NaN or infinite in x reaches all of y, in a row of A its element; what beta == 0 or
 * alpha == 0 forbids to read (operands are then NaN anyway) reaches nothing. Every other case has rows on 16 bytes. */
static void add_planted(case_list *l, dtype t) {
    static const float values[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        gemv_case c = {.type = t, .n = 67, .k = 131, .alpha = 1.0f, .planted = values[i]};
        static const int places[] = {0, 64, 130};
        for (int j = 0; j < 3; j++) {
            c.plant = PLANT_X, c.plant_at = (uint64_t)places[j], c.beta = j == 1 ? 2.0f : 0.0f;
            c.lda = (i + j) % 2 ? 0 : 136;
            add(l, c);
            c.plant = PLANT_A, c.plant_at = (uint64_t)places[j] * 67;
            add(l, c);
        }
        c.plant = PLANT_Y, c.plant_at = 66, c.beta = -0.5f;
        add(l, c);
        c.alpha = 0.0f; /* y alone */
        add(l, c);
    }
}

void gemv_cases(case_list *l) {
    static const dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32};
    for (int i = 0; i < ARRAY_SIZE(types); i++) {
        add_turns(l, types[i]); /* first: every sample of the list has one, scripts/tests/sanitize.sh relies on it */
        add_shapes(l, types[i]);
        add_scalars(l, types[i]);
        add_alignments(l, types[i]);
        add_planted(l, types[i]);
    }
}

/* ---- timed sweeps ---- */

/* The article has one GEMV shape. The first of the odd shapes are layers of language models. */
static const shape square[] = {
    {1, 256, 256},   {1, 512, 512},   {1, 1000, 1000}, {1, 1024, 1024},   {1, 2048, 2048},
    {1, 3000, 3000}, {1, 4096, 4096}, {1, 8192, 8192}, {1, 16384, 16384},
};
static const shape article[] = {{1, 1024, 1024}};
static const shape odd[] = {
    {1, 4096, 14336}, {1, 14336, 4096}, {1, 1024, 4096}, {1, 4096, 1024}, {1, 33, 33},     {1, 1000, 1001},
    {1, 4097, 4095},  {1, 4095, 4100},  {1, 33, 100000}, {1, 100000, 33}, {1, 1, 1000000}, {1, 1000000, 1},
};
static const shape square_simulated[] = {{1, 64, 64},   {1, 100, 100}, {1, 128, 128},
                                         {1, 256, 256}, {1, 300, 300}, {1, 512, 512}};
static const shape odd_simulated[] = {{1, 256, 896}, {1, 896, 256}, {1, 33, 33},  {1, 100, 101}, {1, 257, 255},
                                      {1, 3, 5000},  {1, 5000, 3},  {1, 1, 9000}, {1, 9000, 1}};

shape_list gemv_sweep(sweep_kind kind, bool simulated) {
    static const shape_list lists[][2] = {
        [SWEEP_SQUARE] = {SHAPE_LIST(square), SHAPE_LIST(square_simulated)},
        [SWEEP_ARTICLE] = {SHAPE_LIST(article), SHAPE_LIST(article)},
        [SWEEP_ODD] = {SHAPE_LIST(odd), SHAPE_LIST(odd_simulated)},
    };
    return lists[kind][simulated];
}
