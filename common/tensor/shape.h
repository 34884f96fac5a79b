/* Problem shapes, and arithmetic on sizes that may pass 2^32. */
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
#define SHAPE_LIST(array) {array, ARRAY_SIZE(array)}

/* The shapes of a list without a side above max_size; malloc'ed, NULL without memory. */
shape *shapes_up_to(shape_list list, int max_size, int *count);

/* Floating-point operations of a GEMM, 2*m*n*k, exact in a double far beyond any size that fits. */
double shape_flops(shape s);

/* Compulsory bytes: A and B read once, C written once and, with beta != 0, read once; operand_bytes an element of A
 * and B, out_bytes one of C. */
double shape_bytes(shape s, float beta, size_t operand_bytes, size_t out_bytes);

/* Elements of a rows x cols matrix with leading dimension ld: the last row is counted in full (rows * ld). Returns
 * false and leaves *elements alone when its bytes pass SIZE_MAX / 4. */
bool shape_elements(int rows, int ld, size_t element_bytes, size_t *elements);

#endif
