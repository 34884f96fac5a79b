/* The kernels for a C of few rows or columns, and for a k of a few, for multistage.cu's choice. */
#pragma once

#include "gemm/gemm.h"

/* How many clocks of a multiprocessor, of which the GPU has `sms`, launch_thin is estimated to take, beside the launch;
 * infinite: it does not take the problem. `floor`: the clocks that memory takes. */
double cycles_thin(const gemm_problem *p, int sms, double floor);

/* p as gemm_effective gives it. */
cudaError_t launch_thin(const gemm_problem *p, cudaStream_t stream);
