/* The copies that a plan asks for, in one launch. */
#ifndef KL_STEP06_ALIGN_H
#define KL_STEP06_ALIGN_H

#include "plan.h"

cudaError_t align_operands(const plan_copy *a, const plan_copy *b, cudaStream_t stream);

#endif
