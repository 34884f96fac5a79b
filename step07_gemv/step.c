/* Step 7: a matrix times a vector, where memory bandwidth is everything. */
#include "best.h"
#include "gemv/gemv.h"

GEMV_VARIANT(naive);
GEMV_VARIANT(naive_wide);
GEMV_VARIANT(splitk_atomic);
GEMV_VARIANT(splitk_balanced);
GEMV_VARIANT(vectorized);
GEMV_VARIANT(tree);
GEMV_VARIANT(row_per_block);
GEMV_VARIANT(shuffle);
GEMV_VARIANT(streaming);

static gemv_candidate candidates[BEST_CANDIDATES];

static const gemv_variant variants[] = {
    {"naive", "one row per thread, tiles in shared memory, 128 rows per block", launch_naive, kernel_naive, NULL, NULL,
     0},
    {"naive_wide", "the same with 8 rows per block: enough blocks", launch_naive_wide, kernel_naive_wide, NULL, NULL,
     0},
    {"splitk_atomic", "32 threads share a row, one element per step, and add with atomics", launch_splitk_atomic,
     kernel_splitk_atomic, NULL, NULL, 0},
    {"splitk_balanced", "8 consecutive elements per thread and step", launch_splitk_balanced, kernel_splitk_balanced,
     NULL, NULL, 0},
    {"vectorized", "16 bytes per load, 2 rows per block", launch_vectorized, kernel_vectorized, NULL, NULL, 0},
    {"tree", "a tree in shared memory instead of atomics", launch_tree, kernel_tree, NULL, NULL, 0},
    {"row_per_block", "a block reduces a row, as in Triton: lanes walk along it", launch_row_per_block,
     kernel_row_per_block, NULL, NULL, 0},
    {"shuffle", "one warp per row, shuffles: no shared memory, no barrier", launch_shuffle, kernel_shuffle, NULL, NULL,
     0},
    {"streaming", "four loads of A in flight, bypassing L1, issued before the wait for x", launch_streaming,
     kernel_streaming, NULL, NULL, 0},
    {"best", "threads, loads and rows tuned for each shape; odd, few and short rows", NULL, NULL, NULL, candidates,
     BEST_CANDIDATES},
};

int main(int argc, char **argv) {
    best_list(candidates);
    return gemv_step_main(argc, argv, "step07_gemv", variants, ARRAY_SIZE(variants));
}
