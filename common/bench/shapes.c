/* The sweeps' shapes. */
#include "bench/shapes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The 1000s, 3000, 4095 and 5000 stand between the powers of two because no tile divides them: a kernel that is only
 * fast on multiples of its tile shows it here. */
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

/* Just beside the tiles (33, 127, 1023, 4097), round in ten but not in two (1000), and skinny both ways: 200000 rows
 * pass gridDim.y's 65535 where a grid is not flattened. */
static const shape odd[] = {
    {33, 33, 33},       {127, 129, 255},  {257, 1000, 33},  {1000, 1000, 1000}, {1023, 1025, 1027}, {4095, 4095, 4095},
    {4097, 4095, 4100}, {8192, 33, 4096}, {33, 8192, 4096}, {200000, 65, 129},  {65, 200000, 129},
};

/* What the simulator gets: the same kinds of shapes, the article's at a sixteenth. */
static const shape square_simulated[] = {
    {64, 64, 64},    {100, 100, 100}, {128, 128, 128}, {200, 200, 200},
    {256, 256, 256}, {300, 300, 300}, {512, 512, 512}, {640, 640, 640},
};
static const shape article_simulated[] = {{128, 128, 64}, {256, 256, 64}, {512, 512, 64}, {1024, 1024, 64}};
static const shape odd_simulated[] = {
    {33, 33, 33},   {127, 129, 255}, {257, 1000, 33}, {255, 257, 260},
    {512, 33, 256}, {33, 512, 256},  {9000, 5, 9},    {5, 9000, 9},
};

/* A GEMV's; the article has one shape. The first of the odd ones are layers of language models. */
static const shape gemv_square[] = {
    {1, 256, 256},   {1, 512, 512},   {1, 1000, 1000}, {1, 1024, 1024},   {1, 2048, 2048},
    {1, 3000, 3000}, {1, 4096, 4096}, {1, 8192, 8192}, {1, 16384, 16384},
};
static const shape gemv_article[] = {{1, 1024, 1024}};
static const shape gemv_odd[] = {
    {1, 4096, 14336}, {1, 14336, 4096}, {1, 1024, 4096}, {1, 4096, 1024}, {1, 33, 33},     {1, 1000, 1001},
    {1, 4097, 4095},  {1, 4095, 4100},  {1, 33, 100000}, {1, 100000, 33}, {1, 1, 1000000}, {1, 1000000, 1},
};
static const shape gemv_square_simulated[] = {{1, 64, 64},   {1, 100, 100}, {1, 128, 128},
                                              {1, 256, 256}, {1, 300, 300}, {1, 512, 512}};
static const shape gemv_odd_simulated[] = {{1, 256, 896}, {1, 896, 256}, {1, 33, 33},  {1, 100, 101}, {1, 257, 255},
                                           {1, 3, 5000},  {1, 5000, 3},  {1, 1, 9000}, {1, 9000, 1}};

typedef struct {
    const shape *shapes;
    size_t count;
} shape_list;

/* Copies what max_size leaves of it. */
static int keep(shape_list list, int max_size, const shape **shapes) {
    static shape kept[COUNT(square) + COUNT(odd)];
    int count = 0;
    for (size_t i = 0; i < list.count; i++) {
        shape s = list.shapes[i];
        if (s.m <= max_size && s.n <= max_size && s.k <= max_size) kept[count++] = s;
    }
    *shapes = kept;
    return count;
}

int shapes_sweep(sweep_kind kind, int max_size, const shape **shapes) {
    shape_list list = {NULL, 0};
    if (kind == SWEEP_SQUARE) list = (shape_list){square, COUNT(square)};
    if (kind == SWEEP_ARTICLE) list = (shape_list){article, COUNT(article)};
    if (kind == SWEEP_ODD) list = (shape_list){odd, COUNT(odd)};
    return keep(list, max_size, shapes);
}

int shapes_sweep_simulated(sweep_kind kind, int max_size, const shape **shapes) {
    shape_list list = {NULL, 0};
    if (kind == SWEEP_SQUARE) list = (shape_list){square_simulated, COUNT(square_simulated)};
    if (kind == SWEEP_ARTICLE) list = (shape_list){article_simulated, COUNT(article_simulated)};
    if (kind == SWEEP_ODD) list = (shape_list){odd_simulated, COUNT(odd_simulated)};
    return keep(list, max_size, shapes);
}

int shapes_sweep_gemv(sweep_kind kind, bool simulated, int max_size, const shape **shapes) {
    shape_list list = {NULL, 0};
    if (kind == SWEEP_SQUARE)
        list = simulated ? (shape_list){gemv_square_simulated, COUNT(gemv_square_simulated)}
                         : (shape_list){gemv_square, COUNT(gemv_square)};
    if (kind == SWEEP_ARTICLE) list = (shape_list){gemv_article, COUNT(gemv_article)};
    if (kind == SWEEP_ODD)
        list = simulated ? (shape_list){gemv_odd_simulated, COUNT(gemv_odd_simulated)}
                         : (shape_list){gemv_odd, COUNT(gemv_odd)};
    return keep(list, max_size, shapes);
}

double shape_flops(shape s) {
    return 2.0 * s.m * s.n * s.k;
}

double shape_bytes(shape s, float beta, size_t operand_bytes, size_t out_bytes) {
    const double m = s.m, n = s.n, k = s.k;
    const double passes_over_c = beta != 0.0f ? 2.0 : 1.0;
    return (m * k + k * n) * (double)operand_bytes + passes_over_c * m * n * (double)out_bytes;
}

bool shape_elements(int rows, int ld, size_t element_bytes, size_t *elements) {
    if (rows < 0 || ld < 0) return false;
    const uint64_t count = (uint64_t)rows * (uint64_t)ld; /* below 2^62: cannot wrap */
    const uint64_t limit = SIZE_MAX / 4;
    if (element_bytes != 0 && count > limit / element_bytes) return false;
    *elements = (size_t)count;
    return true;
}
