/* The baseline of tensor cores: cublasLt, loaded at run time as cuBLAS is, and the best of its heuristics. */
#ifndef KL_CUBLASLT_H
#define KL_CUBLASLT_H

#include <stdbool.h>
#include <stdio.h>

#include "gemm/gemm.h"

/* How many heuristics are asked for. */
enum { CUBLASLT_HEURISTICS = 8 };

/* Loads cublasLt, creates a handle and gives it a workspace of 64 MiB. False after one line on `err` where cublasLt is
 * not to be had. */
bool cublaslt_open(FILE *err);

/* Gives back what cublaslt_open and cublaslt_ask took; without effect before them. */
void cublaslt_close(void);

/* "13.1.0", or "" before cublaslt_open. */
const char *cublaslt_version(void);

/* Asks for the heuristics of a problem: its types, layout, sizes, leading dimensions, and the alignment that its
 * pointers have (all operand sets of a measurement have the same). Returns how many there are, 0 where cublasLt refuses
 * the problem. What was asked before is forgotten. */
int cublaslt_ask(const gemm_problem *p);

/* The same contract as gemm_variant's launch, by heuristic number `which` of those asked for; p differs from the
 * problem asked for in pointers and scalars at most. cudaErrorNotSupported where cublasLt refuses without a CUDA error.
 */
cudaError_t cublaslt_gemm(const gemm_problem *p, int which, cudaStream_t stream);

#endif
