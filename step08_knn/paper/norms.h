/* What the expanded form needs besides its matrix product: |x|^2 of every row, and the matrix of their sums.
 *
 *   |x - y|^2 = |x|^2 + |y|^2 - 2xy:    C = -2 X Y^T + 1 C, where C[i][j] was |x_i|^2 + |y_j|^2 before
 *
 * The norms serve the whole search: those of the queries come first, then those of the points. */
#pragma once

#include "knn/knn.h"

size_t norms_bytes(const knn_problem *p);
cudaError_t make_norms(const knn_problem *p, float *norms, cudaStream_t stream);

/* C of queries first ... first + rows - 1, row by row, as the product finds it. */
cudaError_t make_sums(const knn_problem *p, const float *norms, int first, int rows, float *sums, cudaStream_t stream);

kernel_info norms_kernel(void);
