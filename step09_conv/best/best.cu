/* Any convolution: a kernel for each type, and in it a plan for each size. */
#include "best.h"

static bool is_empty(const conv_problem *p) {
    return p->n == 0 || p->k == 0 || p->p == 0 || p->q == 0;
}

size_t workspace_conv_best(const conv_problem *p) {
    if (is_empty(p)) return 0;
    return p->type == DTYPE_F32 ? f32_workspace(p) : half_workspace(p);
}

kernel_info kernel_conv_best(void) {
    return f32_kernel();
}

cudaError_t launch_conv_best(const conv_problem *p, cudaStream_t stream) {
    if (is_empty(p)) return cudaSuccess;
    return p->type == DTYPE_F32 ? f32_launch(p, stream) : half_launch(p, stream);
}
