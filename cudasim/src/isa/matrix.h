/* What isa/decode_matrix.c and exec/matrix.c agree on: which lane holds which element of a matrix. */
#pragma once

#include "isa/insn.h"

typedef enum matrix_type {
    MATRIX_F16,
    MATRIX_BF16,
    MATRIX_TF32,
    MATRIX_E4M3,
    MATRIX_E5M2,
    MATRIX_F32,
    MATRIX_F64,
    MATRIX_S8,
    MATRIX_U8,
    MATRIX_S4,
    MATRIX_U4,
    MATRIX_B1, /* its elements here are words of 32 bits */
    MATRIX_S32,
    MATRIX_TYPES
} matrix_type;

#define MOST_ELEMENTS 1024 /* 16 x 64 of s4 */

/* A matrix spread over a warp's registers. In the simulator it is also a plain array, row after row: A[m][k], B[k][n],
 * C[m][n], and `at` says where there element e of lane l belongs: at[e * LANES + l]. Elements count from a register's
 * low bits, register after register. Rows and columns are powers of two. */
typedef struct fragment {
    matrix_type type;
    unsigned per;       /* elements a register */
    unsigned registers; /* that hold it, a lane */
    unsigned copies;    /* of all of them: wmma's f16 fragments have more registers than the matrix has elements */
    unsigned columns;   /* of the plain array */
    uint16_t at[MOST_ELEMENTS];
} fragment;

/* d = a * b + c. */
typedef struct matrix_form {
    unsigned m, n, k;
    unsigned batches; /* 4 for m8n8k4 of f16: as many products, each array holds one after the other */
    fragment a, b, c, d;
    struct matrix_form *next;
    uint64_t key;
} matrix_form;

/* insn.flags, beside MODE_NARROW and MODE_FRAME (isa/form.h) */
#define MODE_TRANS 32u /* ldmatrix, stmatrix: .trans;  wmma.load, .store: column by column */
#define MODE_XOR   64u /* single bits: .xor instead of .and */

/* What mma, wmma.load and wmma.store have: a product or a matrix, then registers, those of d, a, b, c in this order. */
typedef struct matrix_use {
    const matrix_form *product;
    const fragment *fragment;
    uint32_t slots[];
} matrix_use;
