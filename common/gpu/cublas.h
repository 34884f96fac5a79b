/* cuBLAS, the baseline, loaded at run time: half a gigabyte that a step can do without. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "gpu/blas.h"

/* True FP32 has two math modes; which is faster depends on the shape, so both are timed. */
typedef enum { CUBLAS_DEFAULT, CUBLAS_PEDANTIC } cublas_math;

/* Loads cuBLAS, creates a handle and gives it a 32 MiB workspace (cuBLAS's own default on Hopper; fixed, so that calls
 * can be captured into graphs). Does nothing if cuBLAS is already open. Returns NULL, or the reason it is not
 * available: "cuBLAS is not installed (libcublas.so.13)". */
const char *cublas_open(void);

/* Releases what cublas_open acquired; does nothing before it. */
void cublas_close(void);

/* "13.1.0", or "" before cublas_open. */
const char *cublas_version(void);

/* C = alpha*A*B + beta*C in FP32 through cublasSgemm, row-major: A is m x k, B is k x n (b_transposed: n x k), C is
 * m x n, leading dimensions in elements. (Row-major C = A B is column-major C^T = B^T A^T.) cudaErrorNotSupported where
 * cuBLAS refuses without a CUDA error; so do the following. */
cudaError_t cublas_sgemm(bool b_transposed, int m, int n, int k, float alpha, const void *A, int lda, const void *B,
                         int ldb, float beta, void *C, int ldc, cublas_math math, cudaStream_t stream);

/* The product through cublasGemmEx. */
cudaError_t cublas_gemm(const blas_gemm *g, cudaStream_t stream);

/* The one call for y = alpha*A*x + beta*y in the type (numbered as in cudaDataType): "cublasSgemv"; NULL if this cuBLAS
 * has none. A is n x k, row-major, leading dimension lda in elements; x and y are dense. */
const char *cublas_gemv_name(int type);
cudaError_t cublas_gemv(int type, int n, int k, float alpha, const void *A, int lda, const void *x, float beta, void *y,
                        cudaStream_t stream);
