/* The complete kernel and the three that it is made of, for step.c and one another. */
#ifndef KL_STEP06_BEST_H
#define KL_STEP06_BEST_H

#include "gemm/gemm.h"
#include "gemm/tensor_map.h"

#ifdef __cplusplus
extern "C" {
#endif

GEMM_VARIANT(best);
GEMM_VARIANT(multistage); /* handles what bulk copies cannot */
GEMM_VARIANT(persistent);
GEMM_VARIANT(tf32x3);

/* What a row of the table of variants has besides (gemm_variant). The note says when multistage computes on a Hopper
 * GPU what persistent cannot. */
const char *best_refuses(const gemm_problem *p);
const char *best_note(const gemm_problem *p);
size_t workspace_best(const gemm_problem *p);

size_t workspace_tf32x3(const gemm_problem *p);

/* NULL if bulk copies can handle the problem; else the reason why another kernel computes it, as a remark below the
 * row: "by multistage: rows of C do not begin on 16 bytes". */
const char *tensor_map_refuses(const gemm_problem *p);

/* TF32 with a B of k x n, which wgmma cannot take: transposes B to n x k in the workspace, and changes the problem
 * accordingly. Leaves any other problem unchanged. And how many bytes that needs. */
cudaError_t transpose_b(gemm_problem *p, cudaStream_t stream);
size_t workspace_hopper(const gemm_problem *p);

#ifdef __cplusplus
}
#endif

#endif
