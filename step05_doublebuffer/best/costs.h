/* What blocks cost, for a plan in clocks; for step 9's `best`, too. */
#pragma once

#include <stdint.h>

static inline int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/* So many blocks on a multiprocessor, `per_sm` of them at a time, of `clocks` each if all warps multiply at the full
 * rate. Those that are left in the end may have too few warps for it: each adds this share. */
static inline double products_of(int64_t blocks, int per_sm, int warps, double clocks) {
    static const double ALONE = 1.75 / 8;
    const int64_t last = blocks % per_sm;
    const double share = ALONE * (double)(last * warps);
    return clocks * ((double)(blocks - last) + (double)last / (last > 0 && share < 1 ? share : 1));
}
