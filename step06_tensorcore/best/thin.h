/* The kernels for a C of one row or one column, and for a k of a few, for multistage.cu's choice. */
#ifndef KL_STEP06_THIN_H
#define KL_STEP06_THIN_H

#include "gemm/gemm.h"

/* How many clocks of a multiprocessor, of which the GPU has `sms`, launch_thin is estimated to take, beside the launch;
 * INT64_MAX: it does not take the problem. `floor`: the clocks that memory takes. */
int64_t cycles_thin(const gemm_problem *p, int sms, int64_t floor);

/* p as gemm_effective gives it. */
cudaError_t launch_thin(const gemm_problem *p, cudaStream_t stream);

#endif
