/* The contract between a GEMV step and the harness: like gemm.h, for a matrix times a vector. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "base/array.h"
#include "gpu/device.h"
#include "gpu/kernel_info.h"
#include "tensor/dtype.h"

__BEGIN_DECLS

/* y = alpha*A*x + beta*y with fp32 accumulation; A is n x k, row-major, element (i, j) at A[i*lda + j]; x has k and y n
 * elements, all of type `type`, contiguous. Every n, k >= 0; lda >= max(1, k), in elements. BLAS semantics:
 * with beta == 0 y is written and never read; with alpha == 0 or k == 0 neither A nor x is read. What lies between A's
 * rows may be read; nothing else around an operand may be touched. Pointers are device memory, aligned to the element
 * and no more: 16-byte loads are for the kernel to earn (gemv_aligned). */
typedef struct {
    dtype type;
    int n, k;
    int lda;
    float alpha, beta;
    const void *A, *x;
    void *y;
    bool pdl; /* may start before the preceding kernel in the stream has ended: launch it with programmatic stream
               * serialization, and read x and y, and write y, only after griddepcontrol.wait (A is constant) */
} gemv_problem;

/* One configuration of a tunable kernel; the tuner (tune.h) verifies and times all that `fits` accepts. */
typedef struct {
    /* "n2 r32 u4 v1": BLOCK_N, reduce_threads, loads in flight, rows per thread; single blanks between the words */
    const char *name;
    int block_n, reduce_threads, loads, rows;
    cudaError_t (*launch)(const gemv_problem *p, cudaStream_t stream);
    kernel_info (*kernel)(dtype type);
} gemv_candidate;

typedef struct {
    const char *name;
    const char *idea;
    /* Enqueues the whole computation on `stream`; returns the error of the launch. Returns cudaSuccess if there is
     * nothing to do (n == 0). May be captured into a graph. NULL for a variant with candidates. */
    cudaError_t (*launch)(const gemv_problem *p, cudaStream_t stream);
    kernel_info (*kernel)(dtype type);
    const char *(*supports)(const device_facts *device);
    const gemv_candidate *candidates; /* NULL: nothing to tune */
    int candidate_count;
} gemv_variant;

/* Runs the step's command line over its variants. Exit status as gemm_step_main's. */
int gemv_step_main(int argc, char **argv, const char *step, const gemv_variant *variants, int count);

/* A step's table, as GEMM_VARIANTS (gemm.h) has it; its second parameter makes the row of a variant with candidates,
 * which has neither a launcher nor a kernel of its own:
 *
 *   #define VARIANTS(VARIANT, TUNED) \
 *       VARIANT(shuffle, "one warp per row") \
 *       TUNED(best, "tuned for each shape", .candidates = candidates, .candidate_count = BEST_CANDIDATES) */
#define GEMV_VARIANTS(TABLE)                                                                                           \
    TABLE(GEMV_VARIANT_DECLARED, GEMV_TUNED_DECLARED)                                                                  \
    static const gemv_variant variants[] = {TABLE(GEMV_VARIANT_ROW, GEMV_TUNED_ROW)};
#define GEMV_VARIANT_DECLARED(name, ...) GEMV_VARIANT(name);
#define GEMV_VARIANT_ROW(variant, ...)                                                                                 \
    {.name = #variant, .launch = launch_##variant, .kernel = kernel_##variant, .idea = __VA_ARGS__},
#define GEMV_TUNED_DECLARED(name, ...)
#define GEMV_TUNED_ROW(variant, ...) {.name = #variant, .idea = __VA_ARGS__},

/* Declares what a variant's .cu file defines, where another file calls it. */
#define GEMV_VARIANT(name)                                                                                             \
    cudaError_t launch_##name(const gemv_problem *p, cudaStream_t stream);                                             \
    kernel_info kernel_##name(dtype type)

__END_DECLS
