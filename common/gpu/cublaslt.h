/* cublasLt, loaded at run time like cuBLAS: for a product it names several ways to compute it, its heuristics. */
#pragma once

#include <cuda_runtime_api.h>

#include "gpu/blas.h"

/* How many heuristics to request. */
enum { CUBLASLT_HEURISTICS = 32 };

/* Loads cublasLt, creates a handle and gives it a workspace of 64 MiB, which all calls share. Does nothing if cublasLt
 * is already open. Returns NULL, or the reason it is not available: "cublasLt is not installed (libcublasLt.so.13)". */
const char *cublaslt_open(void);

/* Releases what cublaslt_open acquired; does nothing before it. Requests have to be forgotten before. */
void cublaslt_close(void);

/* "13.1.0", or "" before cublaslt_open. */
const char *cublaslt_version(void);

/* A product's description and its heuristics, the one that cublasLt thinks best first. */
typedef struct cublaslt_request cublaslt_request;

/* Requests the heuristics for a product: its types, compute type, transpositions, sizes, leading dimensions, the
 * alignment of its pointers (up to 256 bytes), and 64 MiB of workspace. NULL: cublasLt is not open, or knows none. To
 * be given to cublaslt_forget, which takes NULL, too. */
cublaslt_request *cublaslt_ask(const blas_gemm *g);
void cublaslt_forget(cublaslt_request *r);

/* How many there are, 0 ... CUBLASLT_HEURISTICS; of NULL 0. */
int cublaslt_count(const cublaslt_request *r);

/* In how many parts heuristic number `which` divides k; 1: in none. */
int cublaslt_split_k(const cublaslt_request *r, int which);

/* Enqueues the product by heuristic number `which`; g may differ from what was asked for only in pointers (not in their
 * alignment) and scalars. Returns cudaErrorNotSupported if cublasLt fails without a CUDA error. */
cudaError_t cublaslt_gemm(const cublaslt_request *r, int which, const blas_gemm *g, cudaStream_t stream);
