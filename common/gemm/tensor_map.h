/* The tensor maps of matrices (tensor/tensor_map.h). */
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "gemm/gemm.h"

__BEGIN_DECLS

/* The maps of A, B and C. Boxes are as wide as the 128-byte swizzle, and the given number of rows high. If B is k x n,
 * its rows are rows of k. */
cudaError_t tensor_map_a(CUtensorMap *map, const gemm_problem *p, int box_rows);
cudaError_t tensor_map_b(CUtensorMap *map, const gemm_problem *p, int box_rows);
cudaError_t tensor_map_c(CUtensorMap *map, const gemm_problem *p, int box_rows);

/* The same with boxes of fewer columns, a multiple of 16 bytes. In shared memory a row of the box still has 128 bytes
 * to itself. */
cudaError_t tensor_map_c_part(CUtensorMap *map, const gemm_problem *p, int box_rows, int box_cols);

/* Those of A and B, as one parameter of a kernel: boxes of a_rows and of b_rows rows. */
typedef struct {
    CUtensorMap a, b;
} tensor_maps;
cudaError_t tensor_maps_of(tensor_maps *maps, const gemm_problem *p, int a_rows, int b_rows);

__END_DECLS
