/* The tensor maps of a convolution in NHWC (tensor/tensor_map.h). */
#pragma once

#include "conv/conv.h"
#include "tensor/tensor_map.h"

__BEGIN_DECLS

/* NULL, or what of the problem TMA does not take. */
const char *conv_map_refuses(const conv_problem *p);

/* x for copies of one tap of `places` places, one after the other in y's order, and 128 bytes of its channels. There
 * must be pixels. */
cudaError_t conv_map_x(CUtensorMap *map, const conv_problem *p, int places);

/* f as c x (r*s) x k: 128 bytes, or 64 or 32 `bytes`, of the channels of one tap, of `filters` filters. */
cudaError_t conv_map_f(CUtensorMap *map, const conv_problem *p, int filters);
cudaError_t conv_map_narrow_f(CUtensorMap *map, const conv_problem *p, int bytes, int filters);

/* x for boxes of `across` x `down` pixels of one image, and 32, 64 or 128 `bytes` of their channels. From a row of an
 * image to the next lie `row` pixels. y for boxes of as many places and so many filters, 128 bytes in shared memory. */
cudaError_t conv_map_pixels(CUtensorMap *map, const conv_problem *p, int row, int bytes, int across, int down);
cudaError_t conv_map_y(CUtensorMap *map, const conv_problem *p, int filters, int across, int down);

/* x and f, as one parameter of a kernel. */
typedef struct {
    CUtensorMap x, f;
} conv_maps;

__END_DECLS
