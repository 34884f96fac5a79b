/* What a GEMV is measured against: the calls of cuBLAS that compute it, and cublasLt's heuristics for it as a GEMM. */
#pragma once

#include "bench/family.h"
#include "gemv/gemv.h"
#include "gpu/cublaslt.h"

/* A GEMV is a GEMM in two ways: y = A x, n x 1, and y^T = x^T A^T, 1 x n. */
enum { GEMV_WAYS = 2 };

/* The calls for one problem. All zero: none. */
typedef struct {
    dtype type;
    int plain;                            /* calls of cuBLAS; the heuristics come after them, one way after the other */
    cublaslt_request *request[GEMV_WAYS]; /* NULL: no heuristics */
} gemv_baseline;

/* Takes the calls for the problem in the place of those of another; blas_open (gpu/blas.h) opened the libraries.
 * Returns how many there are. */
int gemv_baseline_ask(gemv_baseline *b, const gemv_problem *p);
void gemv_baseline_forget(gemv_baseline *b);

/* The name of call number `call`, and its library. */
void gemv_baseline_call(const gemv_baseline *b, int call, bench_call *c);

/* The same contract as gemv_variant's launch, using call number `call`; p may differ from the problem asked for only in
 * pointers and scalars. Returns cudaErrorNotSupported if the library fails without a CUDA error. */
cudaError_t gemv_baseline_launch(const gemv_baseline *b, const gemv_problem *p, int call, cudaStream_t stream);
