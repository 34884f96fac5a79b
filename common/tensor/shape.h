/* Problem shapes. */
#pragma once

#include <stddef.h>

typedef struct {
    int m, n, k;
} shape;

typedef struct {
    const shape *shapes;
    int count;
} shape_list;

/* A list of an array's shapes. */
#define SHAPE_LIST(array)                                                                                              \
    { array, ARRAY_SIZE(array) }

/* Floating-point operations of a GEMM, exact in a double far beyond any size that fits. */
static inline double shape_flops(shape s) {
    return 2.0 * s.m * s.n * s.k;
}

/* Compulsory bytes: A and B read once, C written once and, if beta != 0, read once; an element of A or B has
 * operand_bytes, one of C out_bytes. */
static inline double shape_bytes(shape s, float beta, size_t operand_bytes, size_t out_bytes) {
    const double m = s.m, n = s.n, k = s.k;
    const double passes_over_c = beta != 0.0f ? 2.0 : 1.0;
    return (m * k + k * n) * (double)operand_bytes + passes_over_c * m * n * (double)out_bytes;
}
