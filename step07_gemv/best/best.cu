/* `streaming` in many configurations, from which the autotuner (common/bench/tune.h) picks the fastest for a shape.
 *
 *   n  rows per block (BLOCK_N)          r  threads per row, which decides how many are idle when k is short
 *   u  16-byte loads in flight per row   v  rows per thread, which share its loads of x
 *
 * What won on an H200 (plots/data/nvidia-h200/gemv_search.csv): in plain graphs mostly a direct kernel with 1 to 4 rows
 * and 64 to 256 threads per block; with programmatic dependent launch often a persistent one. Some shapes need another
 * kernel: misaligned rows (unaligned.cuh), few long rows (split.cuh), many short ones (short_rows.cuh). The order
 * matters if nothing is timed: the first that can solve the problem is used. `direct` comes first, in its own file, so
 * that the two compile in parallel. */
#include <string.h>

#include "../best.h"
#include "short_rows.cuh"
#include "split.cuh"
#include "unaligned.cuh"

/* n rows at a time by a whole block; `blocks` per multiprocessor. */
#define PERSISTENT(n, r, u, blocks)                                                                                    \
    { NAMED(n, r, u, n, " persistent"), persistent<n, r, u, blocks>::launch, persistent<n, r, u, blocks>::kernel }
/* For misaligned rows. Takes every problem. */
#define UNALIGNED(n, r, u)                                                                                             \
    { NAMED(n, r, u, 1, " unaligned"), unaligned<n, r, u>::launch, unaligned<n, r, u>::kernel }

/* Several blocks per row, `blocks` per multiprocessor for all rows together. */
#define SPLIT(r, u, blocks)                                                                                            \
    { NAMED(1, r, u, 1, " split"), split<r, u, blocks>::launch, split<r, u, blocks>::kernel }
/* n rows per block through shared memory, one thread per row. */
#define SHORT_ROWS(n)                                                                                                  \
    { NAMED(n, 1, 4, 1, " short"), short_rows<n>::launch, short_rows<n>::kernel }
/* A kernel of an earlier rung, for small problems, where the kernel that does the least before its first load wins. */
extern "C" {
GEMV_VARIANT(shuffle);
GEMV_VARIANT(row_per_block);
}
#define RUNG(n, r, rung)                                                                                               \
    { NAMED(n, r, 1, 1, " " #rung), launch_##rung, kernel_##rung }

static const gemv_candidate others[] = {
    /* 128 to 1024, as many blocks as fit at once */
    PERSISTENT(4, 128, 2, 4),
    PERSISTENT(2, 256, 2, 4),
    PERSISTENT(4, 256, 2, 2),
    PERSISTENT(6, 256, 2, 2),
    PERSISTENT(4, 512, 2, 1),
    PERSISTENT(3, 512, 4, 1),
    PERSISTENT(3, 896, 2, 1),
    PERSISTENT(4, 1024, 1, 1),
    /* 64 to 256 */
    UNALIGNED(2, 32, 4),
    UNALIGNED(16, 8, 2),
    UNALIGNED(8, 16, 2),
    UNALIGNED(4, 32, 2),
    UNALIGNED(8, 32, 4),
    UNALIGNED(1, 128, 4),
    UNALIGNED(2, 128, 2),
    UNALIGNED(1, 256, 4),
    /* 256 and 512 */
    SPLIT(256, 2, 4),
    SPLIT(256, 4, 4),
    SPLIT(512, 4, 2),
    /* 256 */
    SHORT_ROWS(64),
    SHORT_ROWS(256),
    SHORT_ROWS(1024),
    /* 64 and 128 */
    RUNG(2, 32, shuffle),
    RUNG(1, 128, row_per_block),
};
static_assert(BEST_DIRECT + ARRAY_SIZE(others) == BEST_CANDIDATES, "all of them");

extern "C" void best_list(gemv_candidate *all) {
    memcpy(all, best_direct, BEST_DIRECT * sizeof *all);
    memcpy(all + BEST_DIRECT, others, sizeof others);
}
