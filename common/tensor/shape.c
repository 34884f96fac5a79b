#include "tensor/shape.h"

#include <stdlib.h>

shape *shapes_up_to(shape_list list, int max_size, int *count) {
    shape *kept = malloc((size_t)list.count * sizeof *kept);
    *count = 0;
    for (int i = 0; i < list.count && kept != NULL; i++) {
        const shape s = list.shapes[i];
        if (s.m <= max_size && s.n <= max_size && s.k <= max_size) kept[(*count)++] = s;
    }
    return kept;
}

double shape_flops(shape s) {
    return 2.0 * s.m * s.n * s.k;
}

double shape_bytes(shape s, float beta, size_t operand_bytes, size_t out_bytes) {
    const double m = s.m, n = s.n, k = s.k;
    const double passes_over_c = beta != 0.0f ? 2.0 : 1.0;
    return (m * k + k * n) * (double)operand_bytes + passes_over_c * m * n * (double)out_bytes;
}

bool shape_elements(int rows, int ld, size_t element_bytes, size_t *elements) {
    if (rows < 0 || ld < 0) return false;
    const uint64_t count = (uint64_t)rows * (uint64_t)ld; /* below 2^62: cannot wrap */
    const uint64_t limit = SIZE_MAX / 4;
    if (element_bytes != 0 && count > limit / element_bytes) return false;
    *elements = (size_t)count;
    return true;
}
