/* What a GEMM is measured against: the calls of cuBLAS that compute it, and cublasLt's heuristics. */
#pragma once

#include "bench/family.h"
#include "gemm/gemm.h"
#include "gpu/cublaslt.h"

/* The calls for one problem. All zero: none. */
typedef struct {
    gemm_type type;
    int plain;                 /* calls of cuBLAS; the heuristics come after them */
    cublaslt_request *request; /* NULL: no heuristics */
} gemm_baseline;

/* Takes the calls for the problem in the place of those of another; blas_open (gpu/blas.h) opened the libraries. A type
 * that promises FP32's precision (tf32x3) has those of FP32, which are true FP32. Returns how many there are. */
int gemm_baseline_ask(gemm_baseline *b, const gemm_problem *p);
void gemm_baseline_forget(gemm_baseline *b);

/* The name of call number `call`, and its library. */
void gemm_baseline_call(const gemm_baseline *b, int call, bench_call *c);

/* The same contract as gemm_variant's launch, using call number `call`; p may differ from the problem asked for only in
 * pointers and scalars. Returns cudaErrorNotSupported if the library fails without a CUDA error. */
cudaError_t gemm_baseline_launch(const gemm_baseline *b, const gemm_problem *p, int call, cudaStream_t stream);
