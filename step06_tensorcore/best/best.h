/* The complete kernel and the three that it is made of, for step.c and one another. */
#pragma once

#include "gemm/gemm.h"
#include "gemm/tensor_map.h"
#include "plan.h"

__BEGIN_DECLS

GEMM_VARIANT(best);
GEMM_VARIANT(multistage);
GEMM_VARIANT(tf32x3);

/* What a row of the table of variants has besides (gemm_variant). The note says what computes on a Hopper GPU besides
 * or instead of persistent. */
const char *best_refuses(const gemm_problem *p);
const char *best_note(const gemm_problem *p);
size_t workspace_best(const gemm_problem *p);

size_t workspace_tf32x3(const gemm_problem *p);

/* The configurations of persistent for a problem's type and layout, on the current device; returns how many. */
enum { PERSISTENT_TILES = 12 }; /* at most */
int persistent_tiles(const gemm_problem *p, plan_tile tiles[PERSISTENT_TILES]);

/* How persistent computes a problem on the current device, of sm_90; and the launch, where there is such a plan. */
hopper_plan plan_persistent(const gemm_problem *p);
cudaError_t launch_persistent(const hopper_plan *plan, cudaStream_t stream);
kernel_info kernel_persistent(void);

__END_DECLS
