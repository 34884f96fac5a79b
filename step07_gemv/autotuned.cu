/* `streaming` in many configurations, of which the autotuner (common/harness/tune.h) finds the fastest for a shape.
 *
 *   n  rows a block (BLOCK_N)          r  threads a row, which decides how many end up idle where k is short
 *   u  16-byte loads in flight a row   v  rows a thread, which share its loads of x
 *
 * What wins, on an H200: at 1024 x 1024 few blocks, for the launch is what takes time; at tens of megabytes persistent
 * ones; at hundreds whatever keeps 35 KB a multiprocessor in flight. Larger u * v than these spill registers and lose.
 * The order matters where nothing is timed: the first that can do the problem is taken. */
#include "autotuned.h"
#include "stream.cuh"

#define NAMED(n, r, u, v, word) "n" #n " r" #r " u" #u " v" #v word, n, r, u, v
#define DIRECT(n, r, u, v)                                                                                             \
    { NAMED(n, r, u, v, ""), direct<true, n, r, u, v>::launch, direct<true, n, r, u, v>::kernel }
/* n rows at a time by a whole block; `blocks` a multiprocessor. */
#define PERSISTENT(n, r, u, blocks)                                                                                    \
    { NAMED(n, r, u, n, " persistent"), persistent<n, r, u, blocks>::launch, persistent<n, r, u, blocks>::kernel }
/* For rows that do not begin on 16 bytes: u elements in flight. Takes every problem. */
#define ELEMENTS(n, r, u, v)                                                                                           \
    { NAMED(n, r, u, v, " elements"), direct<false, n, r, u, v>::launch, direct<false, n, r, u, v>::kernel }

const gemv_candidate autotuned_candidates[] = {
    /* 64 threads a block */
    DIRECT(2, 32, 4, 1),
    DIRECT(2, 32, 2, 1),
    DIRECT(1, 64, 2, 1),
    DIRECT(1, 64, 4, 1),
    DIRECT(2, 64, 4, 2),
    DIRECT(4, 32, 2, 2),
    /* 128 */
    DIRECT(16, 8, 4, 1),
    DIRECT(8, 16, 4, 1),
    DIRECT(4, 32, 4, 1),
    DIRECT(2, 64, 4, 1),
    DIRECT(1, 128, 2, 1),
    DIRECT(1, 128, 4, 1),
    DIRECT(2, 128, 2, 2),
    /* 256 */
    DIRECT(8, 32, 4, 1),
    DIRECT(4, 64, 2, 1),
    DIRECT(4, 64, 4, 1),
    DIRECT(2, 128, 2, 1),
    DIRECT(4, 128, 1, 2),
    DIRECT(1, 256, 2, 1),
    DIRECT(1, 256, 4, 1),
    /* 512 */
    DIRECT(4, 128, 1, 1),
    DIRECT(1, 512, 4, 1),
    /* 128 to 1024, as many blocks as fit at once */
    PERSISTENT(4, 128, 2, 4),
    PERSISTENT(2, 256, 2, 4),
    PERSISTENT(4, 256, 2, 2),
    PERSISTENT(6, 256, 2, 2),
    PERSISTENT(4, 512, 2, 1),
    PERSISTENT(3, 512, 4, 1),
    PERSISTENT(3, 896, 2, 1),
    PERSISTENT(4, 1024, 1, 1),
    /* 128 and 256 */
    ELEMENTS(4, 32, 4, 1),
    ELEMENTS(4, 32, 8, 1),
    ELEMENTS(2, 128, 8, 1),
    ELEMENTS(1, 256, 8, 1),
};
