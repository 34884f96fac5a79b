/* FP64's answer, for tensorcore.c. */
#ifndef KL_TESTS_TENSORCORE_H
#define KL_TESTS_TENSORCORE_H

#include "gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A*B and |A||B| of FP32 and nn, m x n, on the device. Enqueues. */
cudaError_t tensorcore_reference(const gemm_problem *p, double *sum, double *magnitude);

#ifdef __cplusplus
}
#endif

#endif
