#pragma once

#include <stdint.h>

/* The least multiple of `align`, a power of two, that is not below the value. */
static inline uint64_t align_up(uint64_t value, uint64_t align) {
    return (value + align - 1) & ~(align - 1);
}
