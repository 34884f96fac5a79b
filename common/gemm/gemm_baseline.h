/* What a GEMM is measured against: cuBLAS's two math modes for FP32, cublasLt's heuristics for other types. */
#ifndef KL_GEMM_BASELINE_H
#define KL_GEMM_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "gemm/gemm.h"

/* Is cuBLAS's FP32 the baseline? A type that promises FP32's precision (tf32x3) is measured against it. */
bool gemm_baseline_is_fp32(gemm_type type);

/* Loads the library for the type. Returns false, after one line on `err`, if it is not available. */
bool gemm_baseline_open(gemm_type type, FILE *err);
void gemm_baseline_close(void);

/* Its version, or "" before it is open. */
const char *gemm_baseline_version(gemm_type type);

/* How many calls there are for the problem. Requests cublasLt's heuristics, discarding those of another problem. */
int gemm_baseline_calls(const gemm_problem *p);

/* "cublas", "cublasLt #3": as recorded. */
void gemm_baseline_name(gemm_type type, int call, char *name, size_t size);

/* The same contract as gemm_variant's launch, using call number `call`. Returns cudaErrorNotSupported if the library
 * fails without a CUDA error. */
cudaError_t gemm_baseline_call(const gemm_problem *p, int call, cudaStream_t stream);

#endif
