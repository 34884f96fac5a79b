/* The article's search: every configuration of `tree` is timed, and the fastest runs.
 *
 * Two numbers are free, BLOCK_N rows per block and REDUCE_THREADS threads per row. They decide how many blocks there
 * are, how many threads each has, and which bytes a warp reads at once; nothing else of the kernel changes. The rungs
 * before it are tried as well, with their own BLOCK_N:
 *
 *                      BLOCK_N                  REDUCE_THREADS
 *   tree               2  4  8  32  64  128     4  8  32        as the article has them
 *   vectorized         2                        4  8  32        atomics in the place of the tree
 *   splitk_balanced    32                          8  32        TILE_K = 32 and 8 elements per thread and step
 */
#include <string.h>

#include "best.h"

extern "C" void searched_list(gemv_candidate *all) {
    memcpy(all, tree_configurations, sizeof tree_configurations);
    all += TREE_CONFIGURATIONS;
    memcpy(all, vectorized_configurations, sizeof vectorized_configurations);
    all += VECTORIZED_CONFIGURATIONS;
    memcpy(all, splitk_balanced_configurations, sizeof splitk_balanced_configurations);
}
