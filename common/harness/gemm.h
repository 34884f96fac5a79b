/* The contract between a GEMM step and the harness.
 *
 * A step is a table of variants and a one-line main(); the harness parses the command line, chooses the device, makes
 * the operands, verifies every element, times each variant against cuBLAS and prints and records the result. */
#ifndef KL_GEMM_H
#define KL_GEMM_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* C = alpha*A*B + beta*C in FP32, row-major: A is m x k, B is k x n, C is m x n, element (i, j) of X at X[i*ldx + j].
 * Every m, n, k >= 0; lda >= max(1, k), ldb >= max(1, n), ldc >= max(1, n), in elements; none of them is larger than
 * GEMM_MAX_SIZE (options.h), so that `k0 += BK` or `m + BM - 1` stays an int. BLAS semantics: with beta == 0
 * C is written and never read; with alpha == 0 or k == 0 neither A nor B is read. Pointers are device memory, aligned
 * to 4 bytes and no more. */
typedef struct {
    int m, n, k;
    int lda, ldb, ldc;
    float alpha, beta;
    const float *A, *B;
    float *C;
} gemm_problem;

/* What `--list --verbose` needs to ask the runtime for registers, shared memory and occupancy. */
typedef struct {
    const void *function;  /* the __global__ function */
    int threads;           /* threads a block */
    size_t dynamic_shared; /* bytes of dynamic shared memory a block */
} gemm_kernel;

typedef struct {
    const char *name; /* as --variant takes it */
    const char *idea; /* one line for --list */
    /* Enqueues the whole computation on `stream`; returns the launch's error. Nothing to do (m == 0 or n == 0) is
     * cudaSuccess. May be captured into a CUDA graph: no allocation, no synchronisation. A variant may own a workspace:
     * launches of one variant must follow one another, in one stream or graph. */
    cudaError_t (*launch)(const gemm_problem *p, cudaStream_t stream);
    gemm_kernel (*kernel)(void);
    /* NULL: runs anywhere. Otherwise returns NULL where the device can run the variant, else the reason it cannot. */
    const char *(*supports)(const device_facts *device);
} gemm_variant;

/* Runs the step's command line (see options.h) over its variants. Returns the exit status: 0, 1 a wrong result, 2 bad
 * arguments, 3 a CUDA error or no usable device. */
int gemm_step_main(int argc, char **argv, const char *step, const gemm_variant *variants, int count);

/* Elements of an array (not of a pointer). */
#define GEMM_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* Declares, in step.c, what one .cu file defines. */
#define GEMM_VARIANT(name)                                                                                             \
    cudaError_t launch_##name(const gemm_problem *p, cudaStream_t stream);                                             \
    gemm_kernel kernel_##name(void)

#ifdef __cplusplus
}
#endif

#endif
