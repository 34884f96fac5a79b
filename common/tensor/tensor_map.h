/* Tensor maps: what the tensor memory accelerator (common/ptx/tma.cuh) needs to know about an array in memory. Made on
 * the host for each launch and passed to the kernel as a parameter. Both return cudaErrorNotSupported if the driver
 * lacks the function, cudaErrorInvalidValue for what TMA cannot take: rows off 16 bytes, or none (CUDA Driver API,
 * "Tensor Map Object Management"). What a copy brings has rows of `width` bytes, and is swizzled so; outside of the
 * array are zeros. */
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "tensor/dtype.h"

__BEGIN_DECLS

/* The array: its sides in elements, the contiguous one first, and of the others the bytes from one index to the next.
 */
typedef struct {
    dtype type;
    const void *address;
    int rank;
    cuuint64_t sides[5], pitches[4];
    int width; /* bytes of a row in shared memory: 128, 64 or 32 */
} tensor_outline;

/* For boxes of `box` elements in each dimension, those of the first one `width` bytes at most (tma_load). */
cudaError_t tensor_map_tiled(CUtensorMap *map, const tensor_outline *array, const cuuint32_t *box);

/* For columns of `pixels` pixels of n h w c, the corner of whose window moves in `steps`: (x, y) from `lower` to the
 * last pixel's + `upper`, both included (tma_load_im2col). */
cudaError_t tensor_map_im2col(CUtensorMap *map, const tensor_outline *array, const int lower[2], const int upper[2],
                              const cuuint32_t steps[2], int pixels);

__END_DECLS
