#include "gemm/gemm_shapes.h"

#include "base/array.h"

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
    {33, 33, 33},       {127, 129, 255},  {257, 1000, 33},  {1000, 1000, 1000}, {1023, 1025, 1027}, {4095, 4095, 4095},
    {4097, 4095, 4100}, {8192, 33, 4096}, {33, 8192, 4096}, {200000, 65, 129},  {65, 200000, 129},
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

shape *gemm_sweep(sweep_kind kind, bool simulated, int max_size, int *count) {
    static const shape_list lists[][2] = {
        [SWEEP_SQUARE] = {SHAPE_LIST(square), SHAPE_LIST(square_simulated)},
        [SWEEP_ARTICLE] = {SHAPE_LIST(article), SHAPE_LIST(article_simulated)},
        [SWEEP_ODD] = {SHAPE_LIST(odd), SHAPE_LIST(odd_simulated)},
    };
    return shapes_up_to(lists[kind][simulated], max_size, count);
}
