/* What a GEMM is measured against: of FP32 cuBLAS's two math modes, of other types cublasLt's heuristics. */
#ifndef KL_GEMM_BASELINE_H
#define KL_GEMM_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "gemm/gemm.h"

/* Is cuBLAS's FP32 the baseline? What promises its precision (tf32x3) is measured against it. */
bool gemm_baseline_is_fp32(gemm_type type);

/* Loads the type's library. False after one line on `err` where it is not to be had. */
bool gemm_baseline_open(gemm_type type, FILE *err);
void gemm_baseline_close(void);

/* Its version, or "" before it is open. */
const char *gemm_baseline_version(gemm_type type);

/* How many calls there are for the problem; cublasLt is asked for its heuristics, and forgets those of another. */
int gemm_baseline_calls(const gemm_problem *p);

/* "cublas", "cublasLt #3": as recorded. */
void gemm_baseline_name(gemm_type type, int call, char *name, size_t size);

/* The same contract as gemm_variant's launch, by call number `call`. cudaErrorNotSupported where the library refuses
 * without a CUDA error. */
cudaError_t gemm_baseline_call(const gemm_problem *p, int call, cudaStream_t stream);

#endif
