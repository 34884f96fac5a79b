/* The complete convolution: best.c hands a problem to the kernels of its type. */
#pragma once

#include "conv/conv.h"

__BEGIN_DECLS

CONV_VARIANT(best);
size_t workspace_conv_best(const conv_problem *p);

/* Of FP32, and of f16 and bf16, in both layouts. y has elements; there may be no product (alpha == 0 or c == 0). */
size_t f32_workspace(const conv_problem *p);
cudaError_t f32_launch(const conv_problem *p, cudaStream_t stream);
kernel_info f32_kernel(void);
size_t half_workspace(const conv_problem *p);
cudaError_t half_launch(const conv_problem *p, cudaStream_t stream);

__END_DECLS
