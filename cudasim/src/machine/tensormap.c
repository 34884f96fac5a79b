#include "machine/tensormap.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/device_model.h"

enum { RESULT_OK = 0, RESULT_INVALID_VALUE = 1, RESULT_NOT_SUPPORTED = 801 }; /* CUresult */

static const uint8_t element_bytes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

static bool is_float(int type) {
    return type >= TENSOR_F16 && type < TENSOR_TYPES;
}

static uint64_t check_of(const tensor_map *map) {
    uint64_t hash = 0xcbf29ce484222325u;
    const uint8_t *bytes = (const uint8_t *)map;
    for (size_t k = 0; k < offsetof(tensor_map, check); k++) hash = (hash ^ bytes[k]) * 0x100000001b3u;
    return hash;
}

/* ---- making them ------------------------------------------------------------------------------------------------- */

#define INTERLEAVE_NONE 0
#define INTERLEAVE_16B  1
#define INTERLEAVE_32B  2
#define MOST_DIM        (1ull << 32)
#define MOST_STRIDE     (1ull << 40) /* exclusive */
#define MOST_BOX        256
#define MOST_PIXELS     1024
#define MOST_STEP       8

/* More than half of it is refused; where between 128 KB and 256 KB hardware's driver draws the line is not known. */
#define MOST_BYTES (228u << 10)

/* What the CUDA driver API's descriptions of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col ask for, argument by
 * argument, as an H200's driver (580) checks the former: a map need not be aligned (until a kernel uses it), an address
 * may be 0, a stride, too, and smaller than a row; `strides` is needed even for one dimension, where it has no
 * elements. `steps` of the contiguous dimension are ignored without interleave. */
static int fill_in(tensor_map *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                   const uint64_t *strides, const uint32_t *steps, int interleave, int swizzle, int l2_promotion,
                   int fill) {
    if (device_model_current()->cc_major < 9) return RESULT_NOT_SUPPORTED;
    if (type < 0 || type >= TENSOR_TYPES) return RESULT_INVALID_VALUE;
    if (rank < 1 || rank > TENSOR_RANKS) return RESULT_INVALID_VALUE;
    if (interleave < INTERLEAVE_NONE || interleave > INTERLEAVE_32B) return RESULT_INVALID_VALUE;
    if (swizzle < SWIZZLE_NONE || swizzle > SWIZZLE_128B) return RESULT_INVALID_VALUE;
    if (l2_promotion < 0 || l2_promotion > 3) return RESULT_INVALID_VALUE;
    if (fill < 0 || fill > 1 || (fill == 1 && !is_float(type))) return RESULT_INVALID_VALUE;
    if (interleave != INTERLEAVE_NONE && rank < 3) return RESULT_INVALID_VALUE;
    if (interleave == INTERLEAVE_32B && swizzle > SWIZZLE_32B) return RESULT_INVALID_VALUE;
    const unsigned aligned = interleave == INTERLEAVE_32B ? 32 : 16;
    if ((uintptr_t)address % aligned != 0) return RESULT_INVALID_VALUE;
    if (dims == NULL || steps == NULL || strides == NULL) return RESULT_INVALID_VALUE;
    memset(map, 0, sizeof *map);
    map->magic = TENSOR_MAP_MAGIC;
    map->address = (uint64_t)address;
    for (uint32_t k = 0; k < rank; k++) {
        if (dims[k] < 1 || dims[k] > MOST_DIM) return RESULT_INVALID_VALUE;
        if (steps[k] < 1 || steps[k] > MOST_STEP) return RESULT_INVALID_VALUE;
        map->dims[k] = dims[k];
        map->steps[k] = (uint8_t)(k == 0 ? 1 : steps[k]);
        if (k == 0) continue;
        if (strides[k - 1] % aligned != 0 || strides[k - 1] >= MOST_STRIDE) return RESULT_INVALID_VALUE;
        map->strides[k - 1] = strides[k - 1];
    }
    map->type = (uint8_t)type;
    map->rank = (uint8_t)rank;
    map->swizzle = (uint8_t)swizzle;
    map->nan_fill = (uint8_t)fill;
    map->l2_promotion = (uint8_t)l2_promotion;
    return RESULT_OK;
}

/* What both kinds ask of a copy's rows, each of `box[0]` elements, of which the copy spans `elements`. */
static int check_rows(const tensor_map *map, uint64_t elements, int interleave) {
    const unsigned inner = map->box[0] * element_bytes[map->type];
    if (elements * element_bytes[map->type] > MOST_BYTES) return RESULT_INVALID_VALUE;
    if (interleave != INTERLEAVE_NONE) {
        fputs("cudasim: the simulator does not do interleaved tensor maps\n", stderr);
        return RESULT_NOT_SUPPORTED;
    }
    if (inner % 16 != 0) return RESULT_INVALID_VALUE;
    return map->swizzle != SWIZZLE_NONE && inner > 16u << map->swizzle ? RESULT_INVALID_VALUE : RESULT_OK;
}

static int fill_in_box(tensor_map *map, const uint32_t *box, int interleave) {
    uint64_t elements = 1;
    if (box == NULL) return RESULT_INVALID_VALUE;
    for (uint32_t k = 0; k < map->rank; k++) {
        if (box[k] < 1 || box[k] > MOST_BOX) return RESULT_INVALID_VALUE;
        map->box[k] = (uint16_t)box[k];
        elements *= box[k];
    }
    return check_rows(map, elements, interleave);
}

/* Corners are signed numbers of 16 bits in all, W first: one, two of 8, or three of 5. The box must not be empty. */
static int fill_in_column(tensor_map *map, const int *lower, const int *upper, uint32_t channels, uint32_t pixels,
                          int interleave) {
    if (map->rank < 3 || lower == NULL || upper == NULL) return RESULT_INVALID_VALUE;
    if (channels < 1 || channels > MOST_BOX || pixels < 1 || pixels > MOST_PIXELS) return RESULT_INVALID_VALUE;
    const int most = (int)(tensormap_most_offset(map) / 2);
    for (unsigned k = 1; k + 1 < map->rank; k++) {
        const int corners[] = {lower[k - 1], upper[k - 1]};
        for (int c = 0; c < 2; c++)
            if (corners[c] < -most - 1 || corners[c] > most) return RESULT_INVALID_VALUE;
        map->lower[k - 1] = (int16_t)corners[0];
        map->upper[k - 1] = (int16_t)corners[1];
        int64_t from, to;
        tensormap_box(map, k, &from, &to);
        if (to <= from) return RESULT_INVALID_VALUE;
    }
    map->im2col = true;
    map->box[0] = (uint16_t)channels;
    map->box[1] = (uint16_t)pixels;
    return check_rows(map, (uint64_t)channels * pixels, interleave);
}

static void seal(tensor_map *m, void *map) {
    m->check = check_of(m);
    memset(map, 0, 128);
    memcpy(map, m, sizeof *m);
}

int tensormap_encode_tiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int l2_promotion, int fill) {
    tensor_map m;
    if (map == NULL) return RESULT_INVALID_VALUE;
    int result = fill_in(&m, type, rank, address, dims, strides, steps, interleave, swizzle, l2_promotion, fill);
    if (result == RESULT_OK) result = fill_in_box(&m, box, interleave);
    if (result == RESULT_OK) seal(&m, map);
    return result;
}

int tensormap_encode_im2col(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                            const uint64_t *strides, const int *lower, const int *upper, uint32_t channels,
                            uint32_t pixels, const uint32_t *steps, int interleave, int swizzle, int l2_promotion,
                            int fill) {
    tensor_map m;
    if (map == NULL) return RESULT_INVALID_VALUE;
    int result = fill_in(&m, type, rank, address, dims, strides, steps, interleave, swizzle, l2_promotion, fill);
    if (result == RESULT_OK) result = fill_in_column(&m, lower, upper, channels, pixels, interleave);
    if (result == RESULT_OK) seal(&m, map);
    return result;
}

bool tensormap_valid(const tensor_map *map) {
    tensor_map again;
    uint32_t box[TENSOR_RANKS], steps[TENSOR_RANKS];
    int lower[TENSOR_RANKS - 2], upper[TENSOR_RANKS - 2];
    if (map->magic != TENSOR_MAP_MAGIC || map->check != check_of(map)) return false;
    /* Neither is a secret: what they vouch for must be what an encoding function could have made. */
    for (int k = 0; k < TENSOR_RANKS; k++) box[k] = map->box[k], steps[k] = map->steps[k];
    for (int k = 0; k < TENSOR_RANKS - 2; k++) lower[k] = map->lower[k], upper[k] = map->upper[k];
    if (fill_in(&again, map->type, map->rank, (void *)map->address, map->dims, map->strides, steps, INTERLEAVE_NONE,
                map->swizzle, map->l2_promotion, map->nan_fill) != RESULT_OK)
        return false;
    const int result = map->im2col ? fill_in_column(&again, lower, upper, box[0], box[1], INTERLEAVE_NONE)
                                   : fill_in_box(&again, box, INTERLEAVE_NONE);
    return result == RESULT_OK && memcmp(&again, map, offsetof(tensor_map, check)) == 0;
}

int tensormap_replace_address(void *map, void *address) {
    tensor_map m;
    if (map == NULL || (uintptr_t)address % 16 != 0) return RESULT_INVALID_VALUE;
    memcpy(&m, map, sizeof m);
    if (!tensormap_valid(&m)) return RESULT_INVALID_VALUE;
    m.address = (uint64_t)address;
    m.check = check_of(&m);
    memcpy(map, &m, sizeof m);
    return RESULT_OK;
}

/* ---- what a copy covers ------------------------------------------------------------------------------------------ */

unsigned tensormap_element(const tensor_map *map) {
    return element_bytes[map->type];
}

/* The documents describe the upper corner in different ways: by the pixel that it is measured from, and whether the box
 * includes it. CUTLASS makes it pad - (filter - 1) * dilation, for as many places as a convolution has; so it is
 * measured from the last pixel, and belongs to the box. */
void tensormap_box(const tensor_map *map, unsigned k, int64_t *from, int64_t *to) {
    *from = map->lower[k - 1];
    *to = (int64_t)map->dims[k] + map->upper[k - 1];
}

unsigned tensormap_most_offset(const tensor_map *map) {
    return (1u << 16 / (map->rank - 2)) - 1;
}

/* Elements of a copy in dimension k, of an im2col map channels (0) and pixels (1). */
static uint32_t count_of(const tensor_map *map, unsigned k) {
    if (map->im2col) return k < 2 ? map->box[k] : 1;
    return k < map->rank ? (map->box[k] + map->steps[k] - 1u) / map->steps[k] : 1;
}

/* Rows of a copy: of a box, or pixels. */
static uint32_t rows_of(const tensor_map *map) {
    uint32_t rows = 1;
    for (unsigned k = 1; k < map->rank; k++) rows *= count_of(map, k);
    return rows;
}

uint64_t tensormap_bytes(const tensor_map *map) {
    return (uint64_t)rows_of(map) * count_of(map, 0) * element_bytes[map->type];
}

/* Bytes from one row of a copy to the next in shared memory: with a swizzle each row has a span of its own, even where
 * it does not fill it; what is left over stays as it is, and counts in no transaction. */
static uint32_t pitch(const tensor_map *map) {
    return map->swizzle == SWIZZLE_NONE ? count_of(map, 0) * element_bytes[map->type] : 16u << map->swizzle;
}

uint64_t tensormap_extent(const tensor_map *map) {
    return (uint64_t)rows_of(map) * pitch(map);
}

bool tensormap_aligned(const tensor_map *map, const tensor_at *at) {
    return (int64_t)at->coordinates[0] * element_bytes[map->type] % 16 == 0;
}

/* Of `count` positions from `at` on: those inside 0 <= position < dim are [*from, *to). */
static void inside(int64_t at, uint64_t dim, uint32_t count, uint32_t *from, uint32_t *to) {
    const int64_t first = at >= 0 ? 0 : -at;
    const int64_t past = (int64_t)dim <= at ? 0 : (int64_t)dim - at;
    *from = (uint32_t)(first < count ? first : count);
    *to = (uint32_t)(past < count ? past : count);
    if (*to < *from) *to = *from;
}

/* Where a copy is: of a tiled map the coordinates of a row of the box, of an im2col map the filter's base. */
typedef struct position {
    int64_t at[TENSOR_RANKS];
    uint32_t index[TENSOR_RANKS]; /* of the row in the box */
} position;

/* On to the next row: dimension 1 is the fastest. A box ends after its rows, an image's dimension at the end of what
 * the corners leave for the filter's base. */
static void next_row(const tensor_map *map, const tensor_at *start, position *p) {
    for (unsigned k = 1; k < map->rank; k++) {
        int64_t from = start->coordinates[k], to = INT64_MAX;
        p->at[k] += map->steps[k];
        if (map->im2col && k + 1 < map->rank)
            tensormap_box(map, k, &from, &to);
        else if (!map->im2col && ++p->index[k] == count_of(map, k))
            to = p->at[k];
        if (p->at[k] < to) return;
        p->at[k] = from;
        p->index[k] = 0;
    }
}

/* Calls `row` for each row, in the order in which rows follow one another in shared memory. `global` is the address of
 * the row's first element inside the tensor, `from` and `to` bound those that are; from == to where the row lies
 * outside. A row of the tensor has `width` elements. */
typedef void row_fn(void *context, uint32_t row, uint64_t global, uint32_t from, uint32_t to);

static void each_row(const tensor_map *map, const tensor_at *at, uint64_t width, row_fn *row, void *context) {
    position p = {0};
    uint32_t from, to;
    const unsigned element = element_bytes[map->type], rows = rows_of(map);
    for (unsigned k = 1; k < map->rank; k++) p.at[k] = at->coordinates[k];
    inside(at->coordinates[0], width, count_of(map, 0), &from, &to);
    for (uint32_t n = 0; n < rows; n++) {
        bool in = true;
        uint64_t global = map->address + (uint64_t)((int64_t)at->coordinates[0] + from) * element;
        for (unsigned k = 1; k < map->rank; k++) {
            const int64_t position = p.at[k] + (map->im2col && k + 1 < map->rank ? at->offsets[k - 1] : 0);
            in = in && position >= 0 && (uint64_t)position < map->dims[k];
            global += (uint64_t)position * map->strides[k - 1];
        }
        row(context, n, global, in ? from : 0, in ? to : 0);
        next_row(map, at, &p);
    }
}

typedef struct bounds {
    const tensor_map *map;
    uint64_t first, end;
} bounds;

static void widen(void *context, uint32_t row, uint64_t global, uint32_t from, uint32_t to) {
    bounds *b = context;
    const uint64_t end = global + (uint64_t)(to - from) * element_bytes[b->map->type];
    if (to == from) return;
    if (global < b->first) b->first = global;
    if (end > b->end) b->end = end;
}

bool tensormap_range(const tensor_map *map, const tensor_at *at, uint64_t *first, uint64_t *end) {
    bounds b = {map, UINT64_MAX, 0};
    each_row(map, at, map->dims[0], widen, &b);
    *first = b.end == 0 ? map->address : b.first;
    *end = b.end == 0 ? map->address : b.end;
    return b.end != 0;
}

/* Where byte `address` of shared memory goes: chunks of 16 bytes change places within a span of 32, 64 or 128 bytes,
 * by the number of the 128-byte line that they lie in, taken from the address itself:
 *
 *   128B   chunk (address bits 4..6) xor line (bits 7..9): the pattern repeats after 8 lines, 1024 bytes
 *   64B    chunk (bits 4..5) xor line (bits 7..8): after 512 bytes
 *   32B    chunk (bit 4) xor line (bit 7): after 256 bytes
 */
static uint32_t swizzled(uint32_t address, int swizzle) {
    const uint32_t bits = (1u << swizzle) - 1;
    return address ^ (address >> 7 & bits) << 4;
}

#define LONGEST_ROW (MOST_BOX * 8)

static void copy_row(const tensor_map *map, uint8_t *shared, uint32_t address, uint8_t *row, uint32_t bytes, bool out) {
    if (map->swizzle == SWIZZLE_NONE) {
        if (out)
            memcpy(row, shared + address, bytes);
        else
            memcpy(shared + address, row, bytes);
        return;
    }
    for (uint32_t k = 0; k < bytes; k += 16) {
        uint8_t *at = shared + swizzled(address + k, map->swizzle);
        if (out)
            memcpy(row + k, at, 16);
        else
            memcpy(at, row + k, 16);
    }
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

typedef struct loading {
    const tensor_map *map;
    uint8_t *shared;
    uint32_t offset;
} loading;

/* What stands for elements outside of the tensor where NaN is asked for: the NaN that fma.oob takes for "out of
 * bounds" in each half word. */
#define OOB_NAN 0x7ff7

/* A load through a map of TFLOAT32 rounds f32 to nearest even, denormals like all others, and makes one NaN of all.
 * FTZ is none of a load's business, nor are conversions a store's. */
static void convert(const tensor_map *map, uint8_t *bytes, uint32_t count) {
    if (map->type != TENSOR_TF32 && map->type != TENSOR_TF32_FTZ) return;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t value;
        memcpy(&value, bytes + 4 * k, 4);
        value = (value & 0x7fffffff) > 0x7f800000 ? 0x7fffe000 : (value + 0xfff + (value >> 13 & 1)) & ~0x1fffu;
        memcpy(bytes + 4 * k, &value, 4);
    }
}

static void load_row(void *context, uint32_t row, uint64_t global, uint32_t from, uint32_t to) {
    loading *l = context;
    const tensor_map *map = l->map;
    const uint32_t element = element_bytes[map->type], count = count_of(map, 0);
    uint8_t bytes[LONGEST_ROW];
    if (to - from < count) {
        const uint16_t fill = OOB_NAN;
        memset(bytes, 0, count * element);
        if (map->nan_fill)
            for (uint32_t k = 0; k < count * element; k += 2) memcpy(bytes + k, &fill, 2);
    }
    if (to > from) {
        memcpy(bytes + from * element, (const uint8_t *)global, (size_t)(to - from) * element);
        convert(map, bytes + from * element, to - from);
    }
    copy_row(map, l->shared, l->offset + row * pitch(map), bytes, count * element, false);
}

void tensormap_load(const tensor_map *map, const tensor_at *at, uint8_t *shared, uint32_t offset) {
    loading l = {map, shared, offset};
    each_row(map, at, map->dims[0], load_row, &l);
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

/* Loads end where the tensor's rows do, element by element. Stores end at the chunk of 16 bytes in which they do: an
 * H200 writes what shared memory holds over what lies between a row's end and the next multiple of 16 bytes. A pitch is
 * such a multiple, so that is never the next row. So it is with reductions. */
#define STORED_CHUNK 16u

void tensormap_gather(const tensor_map *map, const uint8_t *shared, uint32_t offset, uint8_t *linear) {
    const uint32_t row = count_of(map, 0) * element_bytes[map->type], rows = rows_of(map);
    for (uint32_t n = 0; n < rows; n++)
        copy_row(map, (uint8_t *)(uintptr_t)shared, offset + n * pitch(map), linear + (size_t)n * row, row, true);
}

static uint64_t stored_width(const tensor_map *map) {
    const uint64_t chunk = STORED_CHUNK / element_bytes[map->type];
    return (map->dims[0] + chunk - 1) / chunk * chunk;
}

typedef struct storing {
    const tensor_map *map;
    const uint8_t *linear;
    void (*put)(void *context, uint8_t *to, const uint8_t *from, uint64_t bytes);
    void *context;
} storing;

static void store_row(void *context, uint32_t row, uint64_t global, uint32_t from, uint32_t to) {
    const storing *s = context;
    const uint32_t element = element_bytes[s->map->type];
    if (to > from)
        s->put(s->context, (uint8_t *)global, s->linear + ((size_t)row * count_of(s->map, 0) + from) * element,
               (uint64_t)(to - from) * element);
}

void tensormap_scatter(const tensor_map *map, const tensor_at *at, const uint8_t *linear,
                       void (*put)(void *context, uint8_t *to, const uint8_t *from, uint64_t bytes), void *context) {
    storing s = {map, linear, put, context};
    each_row(map, at, stored_width(map), store_row, &s);
}

/* ---- what others ask --------------------------------------------------------------------------------------------- */

typedef struct asking {
    const tensor_map *map;
    tensor_row_fn *each;
    void *context;
} asking;

static void ask_row(void *context, uint32_t row, uint64_t global, uint32_t from, uint32_t to) {
    const asking *q = context;
    const uint32_t element = element_bytes[q->map->type];
    if (to > from)
        q->each(q->context, &(tensor_row){row, from * element, global, (uint64_t)(to - from) * element,
                                          count_of(q->map, 0) * element});
}

void tensormap_rows(const tensor_map *map, const tensor_at *at, bool stores, tensor_row_fn *each, void *context) {
    each_row(map, at, stores ? stored_width(map) : map->dims[0], ask_row, &(asking){map, each, context});
}

uint32_t tensormap_place(const tensor_map *map, uint32_t offset, uint32_t row, uint32_t from, uint32_t *follow) {
    const uint32_t address = offset + row * pitch(map) + from;
    *follow = map->swizzle == SWIZZLE_NONE ? pitch(map) - from : 16 - address % 16;
    return map->swizzle == SWIZZLE_NONE ? address : swizzled(address, map->swizzle);
}
