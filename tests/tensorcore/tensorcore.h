/* FP64's answer, for tensorcore.c. */
#ifndef KL_TESTS_TENSORCORE_H
#define KL_TESTS_TENSORCORE_H

#include "gemm/gemm.h"

__BEGIN_DECLS

/* A*B and |A||B| of FP32 and nn, m x n, on the device. Enqueues. */
cudaError_t tensorcore_reference(const gemm_problem *p, double *sum, double *magnitude);

__END_DECLS

#endif
