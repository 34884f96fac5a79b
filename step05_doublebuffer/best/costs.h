/* What blocks cost, for a plan in clocks; for step 9's `best`, too. */
#pragma once

#include <stdint.h>

static inline int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/* A multiprocessor has as much shared memory as a block may ask for, and as the driver reserves in each block. How many
 * blocks of `shared` bytes it has at a time, up to per_sm; the bytes of each if so many fill it. */
enum { SHARED_RESERVED = 1024 };
static inline int at_a_time(int per_sm, int shared, int shared_limit) {
    const int room = (shared_limit + SHARED_RESERVED) / (shared + SHARED_RESERVED);
    return room < per_sm ? room : per_sm;
}
static inline int shared_of_each(int blocks, int shared_limit) {
    return (shared_limit + SHARED_RESERVED) / blocks - SHARED_RESERVED;
}

/* The clocks of so many blocks of a multiprocessor, which has `per_sm` at a time and needs `clocks` for each at its
 * full rate. The blocks left at the end may have too few warps for that: each of those contributes ALONE of the rate,
 * so that one block of four warps has seven eighths of it. */
static inline double products_of(int64_t blocks, int per_sm, int warps, double clocks) {
    static const double ALONE = 1.75 / 8;
    const int64_t last = blocks % per_sm;
    const double share = ALONE * (double)(last * warps);
    return clocks * ((double)(blocks - last) + (double)last / (last > 0 && share < 1 ? share : 1));
}
