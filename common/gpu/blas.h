/* cuBLAS and cublasLt, which others are measured against: how a product is described to both, and opening both. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The compute type, numbered as in cublasComputeType_t. BLAS_FP32: true FP32 where operands are. */
typedef enum { BLAS_FP32 = 68, BLAS_INT32 = 72, BLAS_TF32 = 77 } blas_compute;

/* C = alpha*op(A)*op(B) + beta*C, all three column-major: op(A) is m x k, op(B) is k x n, C is m x n; leading
 * dimensions in elements. (Row-major C = A B is column-major C^T = B^T A^T.) */
typedef struct {
    bool a_transposed, b_transposed;
    int m, n, k;
    int type, out; /* of A and B; of C: numbered as in cudaDataType (dtype_cuda in tensor/dtype.h) */
    blas_compute compute;
    int lda, ldb, ldc;
    float alpha, beta; /* BLAS_INT32: integers */
    const void *A, *B;
    void *C;
} blas_gemm;

/* A scalar in the type that products are summed in. */
typedef union {
    float number;
    int32_t whole;
} blas_scalar;
static inline blas_scalar blas_scalar_of(const blas_gemm *g, float x) {
    blas_scalar scalar = {.number = x};
    if (g->compute == BLAS_INT32) scalar.whole = (int32_t)x;
    return scalar;
}

/* Opens both libraries. Returns whether there is at least one; one line on `err` says what is missing. */
bool blas_open(FILE *err);
void blas_close(void);

/* What there is, for a sentence: "cuBLAS 13.1.0 and cublasLt". Empty before blas_open. */
void blas_name(char *text, size_t size);
