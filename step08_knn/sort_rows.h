/* The sort of paper/select_bitonic.cu, for other selections. */
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

/* The smallest power of two that is at least n: keys per row. */
int64_t padded_length(int64_t n);

/* Sorts `rows` rows of `length` keys (a power of two; KNN_NO_KEY pads a row) and writes the first k of each as index
 * and distance, k to a row; all on the device. */
cudaError_t sort_rows(uint64_t *keys, int rows, int64_t length, int k, int *index, float *distance,
                      cudaStream_t stream);
