/* The kernels for a C of few rows or columns, and for a k of a few, for multistage.cu's choice. */
#pragma once

#include "gemm/gemm.h"

/* How many clocks of a multiprocessor, of which the GPU has `sms`, launch_thin is estimated to take, beside the launch,
 * and if memory is fast enough; infinite: it does not take the problem. */
double cycles_thin(const gemm_problem *p, int sms);

/* How many times as long memory takes for it as for the problems that it is best for. */
double memory_thin(const gemm_problem *p);

/* p as gemm_effective gives it. */
cudaError_t launch_thin(const gemm_problem *p, cudaStream_t stream);
