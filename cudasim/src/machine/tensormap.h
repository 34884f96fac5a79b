/* Tensor maps: what a cp.async.bulk.tensor copies, made on the host by cuTensorMapEncodeTiled or
 * cuTensorMapEncodeIm2col. The 128 bytes are opaque to programs; these are the simulator's own.
 *
 * A copy of a tiled map is a box, whose rows lie along dimension 0. One of an im2col map is a column of pixels, whose
 * rows are some channels (dimension 0) of one pixel each. Dimensions 1 to rank - 2 are the image's (W, H, D), the last
 * one is N, the image's number. The copy goes from pixel to pixel as a convolution goes from place to place: along W,
 * then H, D and N, with the traversal strides as steps. What it goes over is the base of the filter; each pixel lies
 * `offsets` away from it, the same for all, which is the tap. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "isa/form.h"

#define TENSOR_MAP_MAGIC 0x6e736f72u

typedef enum tensor_type { /* CUtensorMapDataType */
                           TENSOR_U8,
                           TENSOR_U16,
                           TENSOR_U32,
                           TENSOR_S32,
                           TENSOR_U64,
                           TENSOR_S64,
                           TENSOR_F16,
                           TENSOR_F32,
                           TENSOR_F64,
                           TENSOR_BF16,
                           TENSOR_F32_FTZ,
                           TENSOR_TF32,
                           TENSOR_TF32_FTZ,
                           TENSOR_TYPES
} tensor_type;

typedef enum tensor_swizzle { SWIZZLE_NONE, SWIZZLE_32B, SWIZZLE_64B, SWIZZLE_128B } tensor_swizzle;

typedef struct tensor_map {
    uint64_t address;
    uint64_t dims[TENSOR_RANKS];        /* elements, the contiguous one first */
    uint64_t strides[TENSOR_RANKS - 1]; /* bytes, of dimension 1 on */
    uint32_t magic;
    uint16_t box[TENSOR_RANKS];      /* elements that a copy spans; im2col: channels of a pixel, and pixels */
    int16_t lower[TENSOR_RANKS - 2]; /* im2col: corners of the box for the filter's base: W, H, D */
    int16_t upper[TENSOR_RANKS - 2];
    uint8_t steps[TENSOR_RANKS]; /* every how-many-th element of a box is copied; how far the filter's base moves */
    uint8_t type, rank, swizzle, nan_fill, l2_promotion;
    bool im2col;
    uint64_t check; /* of all the above */
} tensor_map;
_Static_assert(sizeof(tensor_map) <= 128, "a CUtensorMap has 128 bytes");

/* Where a copy begins: the instruction's coordinates, and of im2col its offsets. */
typedef struct tensor_at {
    int32_t coordinates[TENSOR_RANKS];
    uint16_t offsets[TENSOR_RANKS - 2];
} tensor_at;

/* cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col and cuTensorMapReplaceAddress with the driver's error codes
 * (CUresult).
 */
int tensormap_encode_tiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int l2_promotion, int fill);
int tensormap_encode_im2col(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                            const uint64_t *strides, const int *lower, const int *upper, uint32_t channels,
                            uint32_t pixels, const uint32_t *steps, int interleave, int swizzle, int l2_promotion,
                            int fill);
int tensormap_replace_address(void *map, void *address);

/* Is it a map, unaltered? One that somebody made up is held to what those two allow. */
bool tensormap_valid(const tensor_map *map);

unsigned tensormap_element(const tensor_map *map);
/* Bytes of a copy, whether they lie inside the tensor or not. */
uint64_t tensormap_bytes(const tensor_map *map);

/* Bytes of shared memory past which nothing of a copy to or from `offset` lies. */
uint64_t tensormap_extent(const tensor_map *map);

/* Global addresses of the part of a copy that lies inside the tensor: first byte, and the one past the last. False
 * where there is none. */
bool tensormap_range(const tensor_map *map, const tensor_at *at, uint64_t *first, uint64_t *end);

/* The part of each row of a copy that lies inside the tensor; of stores up to the end of the 16 bytes in which it ends.
 */
typedef struct tensor_row {
    uint32_t row, from;     /* its number in the copy, the first byte in it */
    uint64_t global, bytes; /* inside */
    uint32_t width;         /* bytes of each row of the copy */
} tensor_row;
typedef void tensor_row_fn(void *context, const tensor_row *r);
void tensormap_rows(const tensor_map *map, const tensor_at *at, bool stores, tensor_row_fn *each, void *context);

/* Where byte `from` of row `row` lies in shared memory, of a copy to or from `offset`; so many bytes from there on
 * follow it. */
uint32_t tensormap_place(const tensor_map *map, uint32_t offset, uint32_t row, uint32_t from, uint32_t *follow);

/* The base of the filter in dimension k, from 1 on, of an im2col map: from *from up to below *to. */
void tensormap_box(const tensor_map *map, unsigned k, int64_t *from, int64_t *to);

/* The most that an offset of an im2col copy may be: three of 5 bits, two of 8, or one of 16. */
unsigned tensormap_most_offset(const tensor_map *map);

/* Hardware takes only coordinates whose innermost one is a multiple of 16 bytes. */
bool tensormap_aligned(const tensor_map *map, const tensor_at *at);

/* Global memory to shared memory (`shared` is what address 0 stands for). */
void tensormap_load(const tensor_map *map, const tensor_at *at, uint8_t *shared, uint32_t offset);

/* Shared memory to tensormap_bytes() bytes without swizzle; from there to global memory, row by row: `put` gets each
 * run of bytes that lies inside the tensor, and past a row's end what fills its last 16 bytes. */
void tensormap_gather(const tensor_map *map, const uint8_t *shared, uint32_t offset, uint8_t *linear);
void tensormap_scatter(const tensor_map *map, const tensor_at *at, const uint8_t *linear,
                       void (*put)(void *context, uint8_t *to, const uint8_t *from, uint64_t bytes), void *context);
