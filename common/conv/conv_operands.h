/* The operands of a convolution: x as A, seen through windows, f as a transposed B, y as C, the bias as d. */
#pragma once

#include "conv/conv.h"
#include "tensor/operands.h"
#include "tensor/shape.h"

typedef enum { CONV_PLANT_NONE, CONV_PLANT_X, CONV_PLANT_Y } conv_plant;

typedef struct {
    dtype type;
    windows seen; /* with p and q, once conv_case_complete has seen it */
    int k;
    bool bias;
    float alpha, beta;
    int misalign;     /* elements by which every operand misses a 256-byte boundary, 0 ... 63 */
    conv_plant plant; /* where `planted` stands in the place of the element in the middle */
    float planted;
    uint64_t seed;
} conv_case;

/* Computes p and q. NULL, or which product of sides is too large (conv.h): "n*h*w". */
const char *conv_case_complete(conv_case *c);

/* The product of matrices that it is: n*p*q x k, of sums of c*r*s products. */
shape conv_shape(const conv_case *c);

/* Outlines of its operands, and all that verifying has to know. */
operand_spec conv_operands(const conv_case *c);

/* The case on these operands. */
conv_problem conv_problem_on(const conv_case *c, const operand_set *set);

/* The same on operands without memory. */
conv_problem conv_problem_of(const conv_case *c);
