/* Operands between guard zones.
 *
 *   base                 data                                                base + floats
 *   | guard ............ | row 0: cols elements | padding to ld | row 1 ...| guard |
 *
 * Guards and padding hold VALUES_GUARD_BITS: reading them makes NaN, writing them is found afterwards. */
#ifndef KL_MATRIX_H
#define KL_MATRIX_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "values.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MATRIX_GUARD = 1024 }; /* floats in front; at least as many behind */

/* rows x cols, row-major, leading dimension ld, FP32. `kind` and `seed` say what was last filled in. */
typedef struct {
    float *base, *data;
    size_t floats;
    int rows, cols, ld;
    values_kind kind;
    uint64_t seed;
} matrix;

/* Floats a matrix takes with its guards, `misalign` floats (0 ... 3) after a 256-byte boundary; a multiple of 64. */
size_t matrix_floats(int rows, int ld, int misalign);

/* Lays a matrix out in memory that starts at `memory` (aligned to 256 bytes). Fills nothing. */
matrix matrix_place(float *memory, int rows, int cols, int ld, int misalign);

/* Writes guards, padding and elements. Device memory: enqueued on `stream`. */
cudaError_t matrix_fill_device(matrix *x, values_kind kind, uint64_t seed, cudaStream_t stream);
void matrix_fill_host(matrix *x, values_kind kind, uint64_t seed);

/* Counts words that are no longer what matrix_fill_* wrote: guards and padding, and the elements too when
 * `elements` is set (an operand that nobody may change). *first is the offset in floats from data of the first such
 * word (may be negative). The device's version synchronises. */
cudaError_t matrix_changed_device(const matrix *x, bool elements, cudaStream_t stream, uint64_t *changed,
                                  int64_t *first);
void matrix_changed_host(const matrix *x, bool elements, uint64_t *changed, int64_t *first);

#ifdef __cplusplus
}
#endif

/* The word that belongs at base[i]. */
KL_BOTH uint32_t matrix_expected(const matrix *x, size_t i, bool *is_element) {
    int64_t offset = (int64_t)i - (x->data - x->base);
    *is_element = false;
    if (offset < 0 || offset >= (int64_t)x->rows * x->ld) return VALUES_GUARD_BITS;
    int64_t row = offset / x->ld, col = offset % x->ld;
    if (col >= x->cols) return VALUES_GUARD_BITS;
    *is_element = true;
    return values_to_bits(values_at(x->kind, x->seed, (uint64_t)(row * x->cols + col)));
}

#endif
