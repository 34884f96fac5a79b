/* The contract between a convolution step and the harness: like gemm.h, for a forward convolution in two dimensions. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "gpu/device.h"
#include "gpu/kernel_info.h"
#include "tensor/dtype.h"
#include "tensor/verify.h"

__BEGIN_DECLS

/* y = alpha*conv(x, f) + beta*y + bias with FP32 sums, all of type `type`, without gaps:
 *
 *            NCHW           NHWC
 *   x        n c h w        n h w c      n images of c channels, each h rows of w pixels
 *   f        k c r s        k r s c      k filters, each r rows of s taps in every channel
 *   y        n k p q        n p q k      a channel a filter
 *   bias     k              k            NULL: none
 *
 *   y[n][k][i][j] = alpha * (sum over c, r, s of x[n][c][u][v] * f[k][c][r][s]) + beta * y[n][k][i][j] + bias[k],
 *   u = i*stride[0] - pad[0] + r*dilation[0],  v = j*stride[1] - pad[1] + s*dilation[1]
 *
 * where x counts as 0 outside of its images: whether a tap there multiplies its 0 or is left out is for the kernel to
 * choose, so that an infinite filter may make a NaN of it. It is the cross-correlation that networks call convolution:
 * f is not turned round. p = (h + 2 pad - dilation (r - 1) - 1) / stride + 1, rounded down, and 0 where the filter is
 * larger than the padded image; q likewise. The harness computes both.
 *
 * n, c, h, w, k and pad >= 0, r, s, stride and dilation >= 1. A tensor may have more than 2^31 elements, but n*h*w,
 * n*p*q, n*c, n*k, c*h*w, h + 2*pad, w + 2*pad, dilation*r, dilation*s, p*q, c*r*s and k are at most OPTIONS_MAX_SIZE.
 * As in BLAS: with beta == 0 y is written and never read; with alpha == 0 or c == 0 neither x nor f is read. bias is
 * always added. Nothing around an operand may be touched. Pointers are device memory, aligned to the element and no
 * more. */
typedef struct {
    dtype type;
    bool nhwc;
    int n, c, h, w;
    int k, r, s;
    int stride[2], pad[2], dilation[2]; /* down, across */
    int p, q;
    float alpha, beta;
    const void *x, *f, *bias;
    void *y;
    void *workspace; /* what the variant requested, aligned to 256 bytes; its contents are undefined */
} conv_problem;

typedef struct {
    const char *name; /* as --variant takes it */
    const char *idea; /* one line for --list */
    /* Enqueues the whole computation on `stream`; returns the error of the launch. Returns cudaSuccess if y is empty.
     * May be captured into a graph; launches of one variant follow one another, as they share its workspace. */
    cudaError_t (*launch)(const conv_problem *p, cudaStream_t stream);
    kernel_info (*kernel)(void);
    const char *(*supports)(const device_facts *device); /* this, the next and the last as a gemm_variant's */
    const char *(*refuses)(const conv_problem *p);
    size_t (*workspace)(const conv_problem *p);
    verify_arithmetic bound; /* VERIFY_WINOGRAD where it multiplies transformed tiles (tensor/verify.h), else 0 */
} conv_variant;

/* Runs the step's command line over its variants. Exit status as gemm_step_main's. */
int conv_step_main(int argc, char **argv, const char *step, const conv_variant *variants, int count);

/* A step's table, as GEMM_VARIANTS (gemm.h) has it. */
#define CONV_VARIANTS(TABLE)                                                                                           \
    TABLE(CONV_VARIANT_DECLARED)                                                                                       \
    static const conv_variant variants[] = {TABLE(CONV_VARIANT_ROW)};
#define CONV_VARIANT_DECLARED(name, ...) CONV_VARIANT(name);
#define CONV_VARIANT_ROW(variant, ...)                                                                                 \
    {.name = #variant, .launch = launch_conv_##variant, .kernel = kernel_conv_##variant, .idea = __VA_ARGS__},

/* Declares what a variant's .cu file defines. Their names say conv, as a step links other steps' kernels, too. */
#define CONV_VARIANT(name)                                                                                             \
    cudaError_t launch_conv_##name(const conv_problem *p, cudaStream_t stream);                                        \
    kernel_info kernel_conv_##name(void)

__END_DECLS
