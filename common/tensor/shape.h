/* Problem shapes, and arithmetic on sizes that may exceed 2^32. */
#ifndef KL_SHAPE_H
#define KL_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* The shapes in a list that have no side above max_size; malloc'ed, NULL if out of memory. */
shape *shapes_up_to(shape_list list, int max_size, int *count);

/* Floating-point operations of a GEMM, 2*m*n*k, exact in a double far beyond any size that fits. */
double shape_flops(shape s);

/* Compulsory bytes: A and B read once, C written once and, if beta != 0, read once; an element of A or B has
 * operand_bytes, one of C out_bytes. */
double shape_bytes(shape s, float beta, size_t operand_bytes, size_t out_bytes);

/* Elements of a rows x cols matrix with leading dimension ld: the last row is counted in full (rows * ld). Returns
 * false and leaves *elements unchanged if its bytes exceed SIZE_MAX / 4. */
bool shape_elements(int rows, int ld, size_t element_bytes, size_t *elements);

#endif
