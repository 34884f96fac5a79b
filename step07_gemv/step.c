/* Step 7: a matrix times a vector, where memory bandwidth is everything. */
#include "best.h"
#include "gemv/gemv.h"

static gemv_candidate candidates[BEST_CANDIDATES], configurations[SEARCHED];

static const char *needs_setmaxnreg(const device_facts *device) {
    return device->cc == 90 ? NULL : "setmaxnreg needs compute capability 9.0 exactly";
}

/* clang-format off */
#define VARIANTS(VARIANT, TUNED) \
    VARIANT(naive, "one row per thread, tiles in shared memory, 128 rows per block") \
    VARIANT(naive_specialised, "the same, 128 threads copy and 128 multiply, with mbarriers between them", \
        .supports = needs_setmaxnreg) \
    VARIANT(naive_wide, "the same with 8 rows per block: enough blocks") \
    VARIANT(splitk_atomic, "32 threads share a row, one element per step, and add with atomics") \
    VARIANT(splitk_balanced, "8 consecutive elements per thread and step") \
    VARIANT(vectorized, "16 bytes per load, 2 rows per block") \
    VARIANT(tree, "a tree in shared memory instead of atomics") \
    TUNED(searched, "the article's search: rows per block and threads per row of `tree`", \
        .candidates = configurations, .candidate_count = SEARCHED) \
    VARIANT(row_per_block, "a block reduces a row, as in Triton: lanes walk along it") \
    VARIANT(shuffle, "one warp per row, shuffles: no shared memory, no barrier") \
    VARIANT(streaming, "four loads of A in flight, bypassing L1, issued before the wait for x") \
    TUNED(best, "threads, loads and rows tuned for each shape; odd, few and short rows", \
        .candidates = candidates, .candidate_count = BEST_CANDIDATES)
/* clang-format on */
GEMV_VARIANTS(VARIANTS)

int main(int argc, char **argv) {
    best_list(candidates);
    searched_list(configurations);
    return gemv_step_main(argc, argv, "step07_gemv", variants, ARRAY_SIZE(variants));
}
