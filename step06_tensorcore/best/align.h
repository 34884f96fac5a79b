/* The copies that a plan asks for, in one launch. */
#pragma once

#include "plan.h"

cudaError_t align_operands(const plan_copy *a, const plan_copy *b, cudaStream_t stream);
