/* A family of its own, in one folder: y = a*x + y. It shows that the bench does not know the families, and how little
 * one needs. */
#pragma once

#include "gpu/kernel_info.h"

typedef struct {
    int n;
    float a;
    const float *x; /* n elements */
    float *y;       /* n elements */
} saxpy_problem;

typedef struct {
    const char *name, *idea;
    cudaError_t (*launch)(const saxpy_problem *p, cudaStream_t stream);
    kernel_info (*kernel)(void);
} saxpy_variant;

__BEGIN_DECLS
cudaError_t saxpy_launch(const saxpy_problem *p, cudaStream_t stream);
cudaError_t saxpy_launch_short(const saxpy_problem *p, cudaStream_t stream); /* leaves the last element out */
kernel_info saxpy_kernel(void);
__END_DECLS
