#include "matrix.h"

size_t matrix_floats(int rows, int ld, int misalign) {
    size_t floats = (size_t)MATRIX_GUARD + (size_t)misalign + (size_t)rows * (size_t)ld + MATRIX_GUARD;
    return (floats + 63) / 64 * 64;
}

matrix matrix_place(float *memory, int rows, int cols, int ld, int misalign) {
    matrix x = {
        .base = memory,
        .data = memory + MATRIX_GUARD + misalign,
        .floats = matrix_floats(rows, ld, misalign),
        .rows = rows,
        .cols = cols,
        .ld = ld,
        .kind = VALUES_NAN,
    };
    return x;
}

void matrix_fill_host(matrix *x, values_kind kind, uint64_t seed) {
    x->kind = kind;
    x->seed = seed;
    for (size_t i = 0; i < x->floats; i++) {
        bool is_element;
        x->base[i] = values_from_bits(matrix_expected(x, i, &is_element));
    }
}

void matrix_changed_host(const matrix *x, bool elements, uint64_t *changed, int64_t *first) {
    *changed = 0;
    *first = 0;
    for (size_t i = 0; i < x->floats; i++) {
        bool is_element;
        uint32_t expected = matrix_expected(x, i, &is_element);
        if ((is_element && !elements) || values_to_bits(x->base[i]) == expected) continue;
        if ((*changed)++ == 0) *first = (int64_t)i - (x->data - x->base);
    }
}
