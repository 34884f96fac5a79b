/* cuBLAS, the baseline, loaded at run time: half a gigabyte that a step can do without. */
#ifndef KL_CUBLAS_H
#define KL_CUBLAS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>

/* True FP32 has two math modes; which is faster depends on the shape, so both are timed. */
typedef enum { CUBLAS_DEFAULT, CUBLAS_PEDANTIC } cublas_math;

/* Loads cuBLAS, creates a handle and gives it a 32 MiB workspace (cuBLAS's own default on Hopper; fixed, so that calls
 * can be captured into graphs). Removes NVIDIA_TF32_OVERRIDE from the environment first, which would turn FP32 into
 * TF32. Does nothing if cuBLAS is already open. Returns false, after one line on `err`, if cuBLAS is not available. */
bool cublas_open(FILE *err);

/* Releases what cublas_open acquired; does nothing before it. */
void cublas_close(void);

/* "13.1.0", or "" before cublas_open. */
const char *cublas_version(void);

/* C = alpha*A*B + beta*C in FP32 through cublasSgemm, row-major: A is m x k, B is k x n (b_transposed: n x k), C is
 * m x n, leading dimensions in elements. (Row-major C = A B is column-major C^T = B^T A^T.) cudaErrorNotSupported where
 * cuBLAS refuses without a CUDA error. */
cudaError_t cublas_sgemm(bool b_transposed, int m, int n, int k, float alpha, const void *A, int lda, const void *B,
                         int ldb, float beta, void *C, int ldc, cublas_math math, cudaStream_t stream);

/* The calls that compute a GEMV; which is fastest depends on type and shape, so all are tried. */
enum { CUBLAS_GEMV_CALLS = 4 };

/* The element type, numbered as in cudaDataType. */
typedef enum { CUBLAS_F32 = 0, CUBLAS_F16 = 2, CUBLAS_BF16 = 14 } cublas_type;

/* The name of a call, as shown and recorded: "cublasGemmEx A*x"; NULL if this cuBLAS has no such call for the type. */
const char *cublas_gemv_name(cublas_type type, int call);

/* y = alpha*A*x + beta*y through call number `call`: A is n x k, row-major, leading dimension lda in elements; x and y
 * are dense. cudaErrorNotSupported where there is no such call, or where cuBLAS refuses without a CUDA error. */
cudaError_t cublas_gemv(cublas_type type, int call, int n, int k, float alpha, const void *A, int lda, const void *x,
                        float beta, void *y, cudaStream_t stream);

#endif
