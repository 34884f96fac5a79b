/* FP64's answer, for tensorcore.c. */
#pragma once

#include "gemm/gemm.h"

__BEGIN_DECLS

/* A*B and |A||B| of FP32 and nn, m x n, on the device. Enqueues. */
cudaError_t tensorcore_reference(const gemm_problem *p, double *sum, double *magnitude);

__END_DECLS
