/* The baseline for tensor cores: cublasLt, loaded at run time like cuBLAS, and the best of its heuristics. */
#ifndef KL_CUBLASLT_H
#define KL_CUBLASLT_H

#include <stdbool.h>
#include <stdio.h>

#include "gemm/gemm.h"

/* How many heuristics to request. */
enum { CUBLASLT_HEURISTICS = 8 };

/* Loads cublasLt, creates a handle and gives it a workspace of 64 MiB. Returns false, after one line on `err`, if
 * cublasLt is not available. */
bool cublaslt_open(FILE *err);

/* Releases what cublaslt_open and cublaslt_ask acquired; does nothing before them. */
void cublaslt_close(void);

/* "13.1.0", or "" before cublaslt_open. */
const char *cublaslt_version(void);

/* Requests the heuristics for a problem: its types, layout, sizes, leading dimensions, and the alignment of its
 * pointers (the same for all operand sets of a measurement). Returns how many there are, 0 if cublasLt refuses the
 * problem. Discards those of the previous request. */
int cublaslt_ask(const gemm_problem *p);

/* The same contract as gemm_variant's launch, using heuristic number `which` of those requested; p may differ from the
 * problem they were requested for only in pointers and scalars. Returns cudaErrorNotSupported if cublasLt fails without
 * a CUDA error. */
cudaError_t cublaslt_gemm(const gemm_problem *p, int which, cudaStream_t stream);

#endif
