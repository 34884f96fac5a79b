/* The baselines: cuBLAS, loaded at run time (it is half a gigabyte that a step can do without). */
#ifndef KL_CUBLAS_H
#define KL_CUBLAS_H

#include <stdbool.h>
#include <stdio.h>

#include "gemm/gemm.h"
#include "gemv/gemv.h"

/* True FP32 has two math modes; which is faster depends on the shape, so both are timed. */
typedef enum { CUBLAS_DEFAULT, CUBLAS_PEDANTIC } cublas_math;

/* Loads cuBLAS, creates a handle and gives it a 32 MiB workspace (cuBLAS's own default for Hopper; fixed, so that calls
 * can be captured into graphs). NVIDIA_TF32_OVERRIDE is taken out of the environment first: it would turn FP32 into
 * TF32. False after one line on `err` where cuBLAS is not to be had. */
bool cublas_open(FILE *err);

/* Gives back what cublas_open took; without effect before it. */
void cublas_close(void);

/* "13.1.0", or "" before cublas_open. */
const char *cublas_version(void);

/* The same contract as gemm_variant's launch, for FP32 in either layout, through cublasSgemm: row-major C = A B is
 * column-major C^T = B^T A^T. cudaErrorNotSupported where cuBLAS refuses without a CUDA error. */
cudaError_t cublas_sgemm(const gemm_problem *p, cublas_math math, cudaStream_t stream);

/* The calls that compute a GEMV; which is fastest depends on type and shape, so all are tried. */
enum { CUBLAS_GEMV_CALLS = 4 };

/* Its name for people and files: "cublasGemmEx A*x"; NULL where this cuBLAS has no such call for the type. */
const char *cublas_gemv_name(dtype type, int call);

/* The same contract as gemv_variant's launch, through call number `call`. cudaErrorNotSupported where there is no such
 * call, or where cuBLAS refuses without a CUDA error. */
cudaError_t cublas_gemv(const gemv_problem *p, int call, cudaStream_t stream);

#endif
