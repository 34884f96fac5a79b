/* Operands between guard zones.
 *
 *   base                 data                                                base + words
 *   | guard ............ | row 0: cols elements | padding to ld | row 1 ...| guard |
 *
 * Guards and padding hold dtype_guard_bits: reading them produces NaN, and writing to them is detected afterwards. The
 * simulator finds reads and writes of guards, and writes of padding, where they happen (inspect_outline in inspect.h).
 */
#pragma once

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/values.h"
#include "tensor/dtype.h"

__BEGIN_DECLS

enum { MATRIX_GUARD = 1024 }; /* words before the data; at least as many follow it */

/* rows x cols, row-major, leading dimension ld, in words of `type`; a vector has one column. `kind` and `seed` record
 * the last fill: values_at, rounded to the type (for integers: values_in_whole). One element may be planted (a NaN,
 * say): it holds `plant` instead. */
typedef struct {
    union {
        float *base;      /* if type is DTYPE_F32 */
        uint32_t *base32; /* by an element's size */
        uint16_t *base16;
        uint8_t *base8;
        void *memory;
    };
    union {
        float *data;
        uint16_t *data16;
        void *elements;
    };
    size_t words;
    dtype type;
    int rows, cols, ld;
    values_kind kind;
    uint64_t seed;
    uint64_t planted; /* 1 + its number (row * cols + col); 0: none */
    float plant;
    bool computed; /* its elements are the result of a launch: inspect() compares only what surrounds them */
} matrix;

/* Words that a matrix takes up with its guards, starting `misalign` words (0 ... 63) after a 256-byte boundary; a
 * multiple of 256 bytes. */
size_t matrix_words(dtype type, int rows, int ld, int misalign);

/* The same in bytes. */
size_t matrix_bytes(const matrix *x);

/* Bytes of its elements alone, without padding. */
size_t matrix_element_bytes(const matrix *x);

/* Lays out a matrix in memory starting at `memory` (aligned to 256 bytes), without filling it. */
matrix matrix_place(void *memory, dtype type, int rows, int cols, int ld, int misalign);

/* The same matrix in another piece of memory of the same size. */
matrix matrix_moved(const matrix *x, void *memory);

/* Writes guards, padding and elements. Device memory: enqueued on `stream`. */
cudaError_t matrix_fill_device(matrix *x, values_kind kind, uint64_t seed, cudaStream_t stream);
void matrix_fill_host(matrix *x, values_kind kind, uint64_t seed);

/* Counts words that no longer hold what matrix_fill_* wrote: guards and padding, and also the elements if `elements` is
 * set (an operand that must not change). *first is the offset in words from data of the first such word (may be
 * negative). The version for device memory synchronises. */
cudaError_t matrix_changed_device(const matrix *x, bool elements, cudaStream_t stream, uint64_t *changed,
                                  int64_t *first);
void matrix_changed_host(const matrix *x, bool elements, uint64_t *changed, int64_t *first);

/* 64 bits that tell the elements of a result from those of another: the sum of a hash of each one's place and bits (0
 * and -0 count as the same). Equal matrices have equal ones; of two that differ, by chance one pair in 2^64. The
 * version for device memory synchronises. */
cudaError_t matrix_fingerprint_device(const matrix *x, cudaStream_t stream, uint64_t *fingerprint);
uint64_t matrix_fingerprint_host(const matrix *x);

__END_DECLS

/* Words in front of the first element. */
KL_BOTH int64_t matrix_front(const matrix *x) {
    return ((const char *)x->elements - (const char *)x->memory) / (int64_t)dtype_size(x->type);
}

/* A uniform value from [-1, 1) scaled to an integer type: -128 ... 127, or -2^23 ... 2^23 - 1, which a float can hold.
 */
KL_BOTH float values_in_whole(dtype type, float value) {
    return type == DTYPE_S8 ? floorf(value * 128.0f) : value * 8388608.0f;
}

/* What element number `index` (row * cols + col) was filled with. */
KL_BOTH float matrix_value(const matrix *x, uint64_t index) {
    if (index + 1 == x->planted) return x->plant;
    float value = values_at(x->kind, x->seed, index);
    if (x->type == DTYPE_F32) return value;
    if (dtype_is_whole(x->type)) return x->kind == VALUES_UNIFORM ? values_in_whole(x->type, value) : value;
    return (float)dtype_round(x->type, value);
}

/* What element (row, col) holds now. */
KL_BOTH double matrix_at(const matrix *x, int row, int col) {
    return dtype_load(x->type, x->elements, (size_t)row * (size_t)x->ld + (size_t)col);
}

/* The word that should be at base[i], and the one that is. */
KL_BOTH uint32_t matrix_expected(const matrix *x, size_t i, bool *is_element) {
    int64_t offset = (int64_t)i - matrix_front(x);
    *is_element = false;
    if (offset < 0 || offset >= (int64_t)x->rows * x->ld) return dtype_guard_bits(x->type);
    int64_t row = offset / x->ld, col = offset % x->ld;
    if (col >= x->cols) return dtype_guard_bits(x->type);
    *is_element = true;
    float value = matrix_value(x, (uint64_t)(row * x->cols + col));
    return x->type == DTYPE_F32 ? values_to_bits(value) : dtype_to_bits(x->type, value);
}

KL_BOTH uint32_t matrix_word(const matrix *x, size_t i) {
    const size_t size = dtype_size(x->type);
    return size == 4 ? x->base32[i] : size == 2 ? x->base16[i] : x->base8[i];
}

KL_BOTH void matrix_set_word(const matrix *x, size_t i, uint32_t bits) {
    const size_t size = dtype_size(x->type);
    if (size == 4)
        x->base32[i] = bits;
    else if (size == 2)
        x->base16[i] = (uint16_t)bits;
    else
        x->base8[i] = (uint8_t)bits;
}

/* What element (row, col) adds to the fingerprint. */
KL_BOTH uint64_t matrix_fingerprint_at(const matrix *x, int row, int col) {
    const size_t at = (size_t)(matrix_front(x) + (int64_t)row * x->ld + col);
    const uint32_t bits = matrix_at(x, row, col) == 0.0 ? 0 : matrix_word(x, at);
    return values_hash(bits, (uint64_t)row * (uint64_t)x->cols + (uint64_t)col);
}
