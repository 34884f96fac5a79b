#include "tensor/matrix.h"

size_t matrix_words(dtype type, int rows, int ld, int misalign) {
    const size_t unit = 256 / dtype_size(type);
    size_t words = (size_t)MATRIX_GUARD + (size_t)misalign + (size_t)rows * (size_t)ld + MATRIX_GUARD;
    return (words + unit - 1) / unit * unit;
}

size_t matrix_bytes(const matrix *x) {
    return x->words * dtype_size(x->type);
}

size_t matrix_element_bytes(const matrix *x) {
    return (size_t)x->rows * (size_t)x->cols * dtype_size(x->type);
}

matrix matrix_place(void *memory, dtype type, int rows, int cols, int ld, int misalign) {
    matrix x = {
        .memory = memory,
        .elements = (char *)memory + ((size_t)MATRIX_GUARD + (size_t)misalign) * dtype_size(type),
        .words = matrix_words(type, rows, ld, misalign),
        .type = type,
        .rows = rows,
        .cols = cols,
        .ld = ld,
        .kind = VALUES_NAN,
    };
    return x;
}

matrix matrix_moved(const matrix *x, void *memory) {
    matrix moved = *x;
    moved.memory = memory;
    moved.elements = (char *)memory + ((const char *)x->elements - (const char *)x->memory);
    return moved;
}

void matrix_fill_host(matrix *x, values_kind kind, uint64_t seed) {
    x->kind = kind;
    x->seed = seed;
    for (size_t i = 0; i < x->words; i++) {
        bool is_element;
        matrix_set_word(x, i, matrix_expected(x, i, &is_element));
    }
}

void matrix_changed_host(const matrix *x, bool elements, uint64_t *changed, int64_t *first) {
    *changed = 0;
    *first = 0;
    for (size_t i = 0; i < x->words; i++) {
        bool is_element;
        uint32_t expected = matrix_expected(x, i, &is_element);
        if ((is_element && !elements) || matrix_word(x, i) == expected) continue;
        if ((*changed)++ == 0) *first = (int64_t)i - matrix_front(x);
    }
}

uint64_t matrix_fingerprint_host(const matrix *x) {
    uint64_t sum = 0;
    for (int row = 0; row < x->rows; row++)
        for (int col = 0; col < x->cols; col++) sum += matrix_fingerprint_at(x, row, col);
    return sum;
}
