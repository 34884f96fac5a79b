/* Tensor maps: what the tensor memory accelerator (common/ptx/tma.cuh) needs to know about a matrix. Made on the host
 * for each launch and passed to the kernel as a parameter. */
#ifndef KL_TENSOR_MAP_H
#define KL_TENSOR_MAP_H

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL if bulk copies can handle the problem; else the reason why another kernel computes it, as a remark below the
 * row: "by multistage: rows of C do not begin on 16 bytes". */
const char *tensor_map_refuses(const gemm_problem *p);

/* TF32 with a B of k x n, which wgmma cannot take: transposes B to n x k in the workspace, and changes the problem
 * accordingly. Leaves any other problem unchanged. And how many bytes that needs. */
cudaError_t transpose_b(gemm_problem *p, cudaStream_t stream);
size_t workspace_hopper(const gemm_problem *p);

/* The maps of A, B and C. Boxes are as wide as the 128-byte swizzle, and the given number of rows high. If B is k x n,
 * its rows are rows of k. */
cudaError_t tensor_map_a(CUtensorMap *map, const gemm_problem *p, int box_rows);
cudaError_t tensor_map_b(CUtensorMap *map, const gemm_problem *p, int box_rows);
cudaError_t tensor_map_c(CUtensorMap *map, const gemm_problem *p, int box_rows);

#ifdef __cplusplus
}
#endif

#endif
