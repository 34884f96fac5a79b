/* The contract between a GEMM step and the harness.
 *
 * A step is a table of variants and a one-line main(); the harness parses the command line, chooses the device, makes
 * the operands, verifies every element, times each variant against cuBLAS and prints and records the result. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/array.h"
#include "gpu/device.h"
#include "gpu/kernel_info.h"
#include "tensor/dtype.h"

__BEGIN_DECLS

/* What A and B hold, and how they are multiplied. TF32: FP32 in memory; the tensor cores read the bits that TF32 has
 * and ignore the rest. TF32X3: FP32 in memory, each product computed as three TF32 products (verify.h has the bound).
 */
typedef enum { GEMM_F32, GEMM_F16, GEMM_BF16, GEMM_TF32, GEMM_S8, GEMM_TF32X3 } gemm_type;

/* How B is stored: k x n, row-major; or n x k, row-major, which is a column-major B. */
typedef enum { GEMM_NN, GEMM_TN } gemm_layout;

/* C = alpha*A*B + beta*C, row-major: A is m x k, B is k x n, C is m x n, element (i, j) of X at X[i*ldx + j], except
 * that in layout tn element (i, j) of B is at B[j*ldb + i]. Every m, n, k >= 0; lda >= max(1, k), ldb >= max(1, n) (tn:
 * max(1, k)), ldc >= max(1, n), in elements; none of them is larger than OPTIONS_MAX_SIZE (bench/options.h), so that
 * `k0 += BK` or `m + BM - 1` stays an int. BLAS semantics: with beta == 0 C is written and never read; with alpha == 0
 * or k == 0 neither A nor B is read. What lies between the rows of a matrix, from its first element to its last, may be
 * read, but not written; nothing else around it may be touched. Pointers are device memory, aligned to the element and
 * no more. Sums are accumulated in FP32, for s8 in 32-bit integers that wrap around. */
typedef struct {
    gemm_type type;
    dtype out; /* C: f16/bf16 or f32 for f16/bf16; f32 for f32, tf32 and tf32x3; s32 for s8 */
    gemm_layout layout;
    int m, n, k;
    int lda, ldb, ldc;
    float alpha, beta; /* s8: integers, at most GEMM_MAX_WHOLE in magnitude */
    const void *A, *B;
    void *C;
    void *workspace; /* what the variant requested (gemm_variant), aligned to 256 bytes; its contents are undefined */
} gemm_problem;

/* The same for FP32 and nn, as FP32 kernels take it. */
typedef struct {
    int m, n, k;
    int lda, ldb, ldc;
    float alpha, beta;
    const float *A, *B;
    float *C;
} sgemm_problem;

static inline sgemm_problem gemm_as_f32(const gemm_problem *p) {
    const sgemm_problem view = {
        p->m,         p->n, p->k, p->lda, p->ldb, p->ldc, p->alpha, p->beta, (const float *)p->A, (const float *)p->B,
        (float *)p->C};
    return view;
}

/* "f32", "f16", "bf16", "tf32", "s8", "tf32x3"; "nn", "tn". */
const char *gemm_type_name(gemm_type type);
const char *gemm_layout_name(gemm_layout layout);

/* What A and B hold in memory. */
dtype gemm_operand_dtype(gemm_type type);

/* The types C may have: outs[0], the default, and possibly outs[1]. Returns how many. */
int gemm_outs(gemm_type type, dtype outs[2]);

typedef struct {
    const char *name; /* as --variant takes it */
    const char *idea; /* one line for --list */
    /* Enqueues the whole computation on `stream`; returns the error of the launch. Returns cudaSuccess if there is
     * nothing to do (m == 0 or n == 0). May be captured into a CUDA graph: no allocation, no synchronisation. Launches
     * of one variant must follow one another in one stream or graph, since they share its workspace. */
    cudaError_t (*launch)(const gemm_problem *p, cudaStream_t stream);
    kernel_info (*kernel)(void);
    /* NULL: runs anywhere. Otherwise returns NULL if the device can run the variant, else the reason it cannot. */
    const char *(*supports)(const device_facts *device);
    /* NULL: takes every problem. Otherwise returns NULL if the variant can solve the problem, else the reason it
     * cannot: "takes f16 and bf16". May inspect pointers only for their alignment (up to 256 bytes). */
    const char *(*refuses)(const gemm_problem *p);
    /* NULL: never a remark. Otherwise returns NULL or a remark to print below the row: "by multistage: rows of C do not
     * begin on 16 bytes". Pointers as above. */
    const char *(*note)(const gemm_problem *p);
    /* NULL: none. Otherwise returns how many bytes of device memory a launch needs besides the operands; the harness
     * points p->workspace to at least that many. Launches on all operand sets, and all variants, share them, so what
     * one launch leaves there is gone at the next. Pointers as above. */
    size_t (*workspace)(const gemm_problem *p);
} gemm_variant;

/* The bytes of workspace that `v` needs for `p`; 0 if it needs none or refuses p. */
size_t gemm_workspace(const gemm_variant *v, const gemm_problem *p);

/* Something that a step can demonstrate on the device: `--show NAME` prints it and runs no variant. */
typedef struct {
    const char *name;
    const char *idea; /* one line for --list */
    /* Runs on the current device and prints to `out`, at most 100 columns wide. Returns whether the device's answers
     * are what the host expects; if they are not, what is wrong has been printed too. A CUDA error ends the program. */
    bool (*run)(const device_facts *device, FILE *out);
    /* NULL: runs anywhere. Otherwise like a variant's. */
    const char *(*supports)(const device_facts *device);
} gemm_show;

/* What a step offers besides FP32 and nn: types and layouts, the default first, and what it can show. */
typedef struct {
    const gemm_type *types;
    int type_count;
    const gemm_layout *layouts;
    int layout_count;
    const gemm_show *shows; /* NULL: none */
    int show_count;         /* at most GEMM_MAX_SHOWS */
} gemm_offer;

/* Runs the step's command line (see options.h) over its variants; `offer` is NULL if there is only FP32 and nn. Returns
 * the exit status: 0, 1 for a wrong result, 2 for bad arguments, 3 for a CUDA error or no usable device. */
int gemm_step_main(int argc, char **argv, const char *step, const gemm_variant *variants, int count,
                   const gemm_offer *offer);

/* A step's table, one row a variant:
 *
 *   #define VARIANTS(VARIANT) \
 *       VARIANT(tile4x4, "4x4 results per thread, 64x64 per block") \
 *       VARIANT(best, "the same for any shape", .supports = needs_cp_async)
 *   GEMM_VARIANTS(VARIANTS)
 *
 * declares launch_tile4x4 and kernel_tile4x4, which the variant's .cu defines, and makes `variants`, an array of
 * gemm_variant. Behind the idea may follow any of the last four fields. */
#define GEMM_VARIANTS(TABLE)                                                                                           \
    TABLE(GEMM_VARIANT_DECLARED)                                                                                       \
    static const gemm_variant variants[] = {TABLE(GEMM_VARIANT_ROW)};
#define GEMM_VARIANT_DECLARED(name, ...) GEMM_VARIANT(name);
#define GEMM_VARIANT_ROW(variant, ...)                                                                                 \
    {.name = #variant, .launch = launch_##variant, .kernel = kernel_##variant, .idea = __VA_ARGS__},

/* Declares what a variant's .cu file defines, where another file calls it. */
#define GEMM_VARIANT(name)                                                                                             \
    cudaError_t launch_##name(const gemm_problem *p, cudaStream_t stream);                                             \
    kernel_info kernel_##name(void)

/* Declares in step.c what a show's .cu file defines. */
#define GEMM_SHOW(name) bool show_##name(const device_facts *device, FILE *out)

__END_DECLS
