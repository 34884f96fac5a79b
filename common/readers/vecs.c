/* .fvecs, .bvecs, .ivecs: each row is its dimension (int32, little endian) and its elements (float, byte, int32, little
 * endian). */
#include <limits.h>

#include "readers/table_build.h"

enum { HEAD = 4 };

static uint32_t little_endian(const unsigned char *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

int table_read_vecs(table *t, cell_type type) {
    if (!input_rest(t->in, SIZE_MAX, &t->block)) return 2;
    const size_t length = t->block.length, size = table_cell_size(type);
    for (size_t at = 0; at < length || t->rows == 0; at += t->row_stride) {
        if (length - at < HEAD) return table_reject(t, 0, -1, "row %d: truncated at byte %zu", t->rows + 1, at);
        const uint32_t dimension = little_endian(t->block.bytes + at);
        if (dimension == 0 || dimension > TABLE_MAX_COLUMNS)
            return table_reject(t, 0, -1, "row %d: dimension %lld at byte %zu is not between 1 and 1048576",
                                t->rows + 1, (long long)(int32_t)dimension, at);
        if (t->rows == 0) t->columns = (int)dimension;
        if ((int)dimension != t->columns)
            return table_reject(t, 0, -1, "row %d: %d columns, but row 1 has %d", t->rows + 1, (int)dimension,
                                t->columns);
        if (t->rows == INT_MAX) return table_reject(t, 0, -1, "more than 2147483647 rows");
        t->row_stride = HEAD + dimension * size;
        if (length - at < t->row_stride) return table_reject(t, 0, -1, "row %d: truncated", t->rows + 1);
        t->rows++;
    }
    t->type = type;
    t->cells = t->block.bytes + HEAD;
    t->column_stride = size;
    t->swapped = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__;
    return 0;
}
