/* The kernel for little products of 16-bit types, for multistage.cu's choice. */
#pragma once

#include "gemm/gemm.h"

/* How many clocks of a multiprocessor, of which the GPU has `sms`, launch_little is estimated to take, beside the
 * launch; infinite: it does not take the problem. */
double cycles_little(const gemm_problem *p, int sms);

/* p as gemm_effective gives it. */
cudaError_t launch_little(const gemm_problem *p, cudaStream_t stream);
