/* What best.cu asks of multistage.cu before it launches. */
#ifndef KL_STEP06_MULTISTAGE_H
#define KL_STEP06_MULTISTAGE_H

#include "gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of workspace that launch_multistage needs to divide tiles along K. Without a workspace it divides none. */
size_t workspace_multistage(const gemm_problem *p);

/* How many clocks of a multiprocessor launch_multistage is estimated to take with its workspace. */
int64_t cycles_multistage(const gemm_problem *p);

#ifdef __cplusplus
}
#endif

#endif
