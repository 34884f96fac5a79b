#include "gemv/gemv_shapes.h"

#include "base/array.h"

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

shape *gemv_sweep(sweep_kind kind, bool simulated, int max_size, int *count) {
    static const shape_list lists[][2] = {
        [SWEEP_SQUARE] = {SHAPE_LIST(square), SHAPE_LIST(square_simulated)},
        [SWEEP_ARTICLE] = {SHAPE_LIST(article), SHAPE_LIST(article)},
        [SWEEP_ODD] = {SHAPE_LIST(odd), SHAPE_LIST(odd_simulated)},
    };
    return shapes_up_to(lists[kind][simulated], max_size, count);
}
