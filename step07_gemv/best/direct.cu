/* The configurations of `direct` (stream.cuh), for best.cu. */
#include "../best.h"
#include "stream.cuh"

#define DIRECT(n, r, u, v)                                                                                             \
    { NAMED(n, r, u, v, ""), direct<n, r, u, v>::launch, direct<n, r, u, v>::kernel }

const gemv_candidate best_direct[BEST_DIRECT] = {
    /* 64 threads per block */
    DIRECT(2, 32, 4, 1),
    DIRECT(2, 32, 2, 1),
    DIRECT(1, 64, 2, 1),
    DIRECT(1, 64, 4, 1),
    DIRECT(4, 32, 2, 2),
    /* 128 */
    DIRECT(16, 8, 4, 1),
    DIRECT(8, 16, 4, 1),
    DIRECT(4, 32, 4, 1),
    DIRECT(1, 128, 2, 1),
    DIRECT(1, 128, 4, 1),
    DIRECT(2, 128, 1, 2),
    DIRECT(2, 128, 2, 2),
    /* 224: 7 * 2^n columns are common, and 8 halves * 4 loads * 224 threads are half of 14336 */
    DIRECT(1, 224, 4, 1),
    /* 256 */
    DIRECT(64, 8, 2, 2),
    DIRECT(128, 8, 2, 4),
    DIRECT(64, 16, 1, 4),
    DIRECT(8, 32, 4, 1),
    DIRECT(4, 64, 2, 1),
    DIRECT(4, 64, 4, 1),
    DIRECT(2, 128, 2, 1),
    DIRECT(4, 128, 1, 2),
    DIRECT(1, 256, 2, 1),
    DIRECT(1, 256, 4, 1),
    DIRECT(2, 256, 1, 2),
    /* 512 */
    DIRECT(1, 512, 4, 1),
};
