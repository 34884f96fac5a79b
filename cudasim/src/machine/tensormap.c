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
#define MOST_STEP       8

/* More than half of it is refused; where between 128 KB and 256 KB hardware's driver draws the line is not known. */
#define MOST_BYTES (228u << 10)

/* What the CUDA driver API's description of cuTensorMapEncodeTiled asks for, argument by argument, as an H200's driver
 * (580) checks it: a map need not be aligned (until a kernel uses it), an address may be 0, a stride, too, and smaller
 * than a row; `strides` is needed even for one dimension, where it has no elements. */
static int fill_in(tensor_map *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                   const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle,
                   int l2_promotion, int fill) {
    if (device_model_current()->cc_major < 9) return RESULT_NOT_SUPPORTED;
    if (type < 0 || type >= TENSOR_TYPES) return RESULT_INVALID_VALUE;
    if (rank < 1 || rank > TENSOR_RANKS) return RESULT_INVALID_VALUE;
    if (interleave < INTERLEAVE_NONE || interleave > INTERLEAVE_32B) return RESULT_INVALID_VALUE;
    if (swizzle < SWIZZLE_NONE || swizzle > SWIZZLE_128B) return RESULT_INVALID_VALUE;
    if (l2_promotion < 0 || l2_promotion > 3) return RESULT_INVALID_VALUE;
    if (fill < 0 || fill > 1 || (fill == 1 && !is_float(type))) return RESULT_INVALID_VALUE;
    if (interleave != INTERLEAVE_NONE && rank < 3) return RESULT_INVALID_VALUE;
    if (interleave == INTERLEAVE_32B && swizzle > SWIZZLE_32B) return RESULT_INVALID_VALUE;
    const unsigned aligned = interleave == INTERLEAVE_32B ? 32 : 16, element = element_bytes[type];
    uint64_t bytes = element;
    if ((uintptr_t)address % aligned != 0) return RESULT_INVALID_VALUE;
    if (dims == NULL || box == NULL || steps == NULL || strides == NULL) return RESULT_INVALID_VALUE;
    for (uint32_t k = 0; k < rank; k++) {
        if (dims[k] < 1 || dims[k] > MOST_DIM) return RESULT_INVALID_VALUE;
        if (box[k] < 1 || box[k] > MOST_BOX) return RESULT_INVALID_VALUE;
        if (steps[k] < 1 || steps[k] > MOST_STEP) return RESULT_INVALID_VALUE;
        bytes *= box[k];
        if (k > 0 && (strides[k - 1] % aligned != 0 || strides[k - 1] >= MOST_STRIDE)) return RESULT_INVALID_VALUE;
    }
    if (bytes > MOST_BYTES) return RESULT_INVALID_VALUE;
    if (interleave == INTERLEAVE_NONE) {
        const unsigned inner = box[0] * element;
        if (inner % 16 != 0) return RESULT_INVALID_VALUE;
        if (swizzle != SWIZZLE_NONE && inner > 16u << swizzle) return RESULT_INVALID_VALUE;
    } else {
        fputs("cudasim: the simulator does not do interleaved tensor maps\n", stderr);
        return RESULT_NOT_SUPPORTED;
    }
    memset(map, 0, sizeof *map);
    map->magic = TENSOR_MAP_MAGIC;
    map->address = (uint64_t)address;
    for (uint32_t k = 0; k < rank; k++) {
        map->dims[k] = dims[k];
        map->box[k] = (uint16_t)box[k];
        map->steps[k] = (uint8_t)(k == 0 ? 1 : steps[k]); /* the contiguous dimension's is ignored without interleave */
        if (k > 0) map->strides[k - 1] = strides[k - 1];
    }
    map->type = (uint8_t)type;
    map->rank = (uint8_t)rank;
    map->swizzle = (uint8_t)swizzle;
    map->nan_fill = (uint8_t)fill;
    map->l2_promotion = (uint8_t)l2_promotion;
    return RESULT_OK;
}

int tensormap_encode_tiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int l2_promotion, int fill) {
    tensor_map m;
    if (map == NULL) return RESULT_INVALID_VALUE;
    const int result =
        fill_in(&m, type, rank, address, dims, strides, box, steps, interleave, swizzle, l2_promotion, fill);
    if (result != RESULT_OK) return result;
    m.check = check_of(&m);
    memset(map, 0, 128);
    memcpy(map, &m, sizeof m);
    return RESULT_OK;
}

bool tensormap_valid(const tensor_map *map) {
    tensor_map again;
    uint32_t box[TENSOR_RANKS], steps[TENSOR_RANKS];
    if (map->magic != TENSOR_MAP_MAGIC || map->check != check_of(map)) return false;
    /* Neither is a secret: what they vouch for must be what cuTensorMapEncodeTiled could have made. */
    for (int k = 0; k < TENSOR_RANKS; k++) box[k] = map->box[k], steps[k] = map->steps[k];
    return fill_in(&again, map->type, map->rank, (void *)map->address, map->dims, map->strides, box, steps,
                   INTERLEAVE_NONE, map->swizzle, map->l2_promotion, map->nan_fill) == RESULT_OK &&
           memcmp(&again, map, offsetof(tensor_map, check)) == 0;
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

/* Elements of a copy in dimension k. */
static uint32_t count_of(const tensor_map *map, unsigned k) {
    return k < map->rank ? (map->box[k] + map->steps[k] - 1u) / map->steps[k] : 1;
}

uint64_t tensormap_bytes(const tensor_map *map) {
    uint64_t bytes = element_bytes[map->type];
    for (unsigned k = 0; k < map->rank; k++) bytes *= count_of(map, k);
    return bytes;
}

/* Bytes from one row of a copy to the next in shared memory: with a swizzle each row has a span of its own, even where
 * it does not fill it; what is left over stays as it is, and counts in no transaction. */
static uint32_t pitch(const tensor_map *map) {
    return map->swizzle == SWIZZLE_NONE ? count_of(map, 0) * element_bytes[map->type] : 16u << map->swizzle;
}

static uint32_t rows_of(const tensor_map *map) {
    uint32_t rows = 1;
    for (unsigned k = 1; k < map->rank; k++) rows *= count_of(map, k);
    return rows;
}

uint64_t tensormap_extent(const tensor_map *map) {
    return (uint64_t)rows_of(map) * pitch(map);
}

bool tensormap_aligned(const tensor_map *map, const int32_t *at) {
    return (int64_t)at[0] * element_bytes[map->type] % 16 == 0;
}

/* Of `count` positions from `at` on in steps: those inside 0 <= position < dim are [*from, *to). */
static void inside(int64_t at, uint64_t dim, uint32_t count, uint32_t step, uint32_t *from, uint32_t *to) {
    const int64_t first = at >= 0 ? 0 : (-at + step - 1) / step;
    const int64_t past = (int64_t)dim <= at ? 0 : ((int64_t)dim - at + step - 1) / step;
    *from = (uint32_t)(first < count ? first : count);
    *to = (uint32_t)(past < count ? past : count);
    if (*to < *from) *to = *from;
}

static uint64_t stride(const tensor_map *map, unsigned k) {
    return k == 0 ? element_bytes[map->type] : map->strides[k - 1];
}

bool tensormap_range(const tensor_map *map, const int32_t *at, uint64_t *first, uint64_t *end) {
    *first = *end = map->address;
    for (unsigned k = 0; k < map->rank; k++) {
        uint32_t from, to;
        inside(at[k], map->dims[k], count_of(map, k), map->steps[k], &from, &to);
        if (from == to) return false;
        *first += (uint64_t)(at[k] + (int64_t)from * map->steps[k]) * stride(map, k);
        *end += (uint64_t)(at[k] + (int64_t)(to - 1) * map->steps[k]) * stride(map, k);
    }
    *end += element_bytes[map->type];
    return true;
}

/* Calls `row` for each row of the box (its contiguous dimension), in the order in which rows follow one another in
 * shared memory: dimension 1 fastest. `global` is the address of the row's first element inside the tensor, `from` and
 * `to` bound those that are; from == to where the row lies outside. A row of the tensor has `width` elements. */
typedef void row_fn(void *context, uint32_t row, uint64_t global, uint32_t from, uint32_t to);

static void each_row(const tensor_map *map, const int32_t *at, uint64_t width, row_fn *row, void *context) {
    uint32_t index[TENSOR_RANKS] = {0}, from, to;
    const unsigned element = element_bytes[map->type], rows = rows_of(map);
    inside(at[0], width, count_of(map, 0), 1, &from, &to);
    for (uint32_t n = 0; n < rows; n++) {
        bool in = true;
        uint64_t global = map->address + (uint64_t)((int64_t)at[0] + from) * element;
        for (unsigned k = 1; k < map->rank; k++) {
            const int64_t position = at[k] + (int64_t)index[k] * map->steps[k];
            in = in && position >= 0 && (uint64_t)position < map->dims[k];
            global += (uint64_t)position * map->strides[k - 1];
        }
        row(context, n, global, in ? from : 0, in ? to : 0);
        for (unsigned k = 1; k < map->rank; k++) {
            if (++index[k] < count_of(map, k)) break;
            index[k] = 0;
        }
    }
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

void tensormap_load(const tensor_map *map, const int32_t *at, uint8_t *shared, uint32_t offset) {
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

void tensormap_scatter(const tensor_map *map, const int32_t *at, const uint8_t *linear,
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

void tensormap_rows(const tensor_map *map, const int32_t *at, bool stores, tensor_row_fn *each, void *context) {
    each_row(map, at, stores ? stored_width(map) : map->dims[0], ask_row, &(asking){map, each, context});
}

uint32_t tensormap_place(const tensor_map *map, uint32_t offset, uint32_t row, uint32_t from, uint32_t *follow) {
    const uint32_t address = offset + row * pitch(map) + from;
    *follow = map->swizzle == SWIZZLE_NONE ? pitch(map) - from : 16 - address % 16;
    return map->swizzle == SWIZZLE_NONE ? address : swizzled(address, map->swizzle);
}
