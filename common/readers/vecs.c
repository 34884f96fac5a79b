/* .fvecs, .bvecs, .ivecs: each row is its dimension (int32, little endian) and its elements (float, byte, int32, little
 * endian). */
#include <limits.h>

#include "readers/table_build.h"

int table_read_vecs(table *t, cell_type type) {
    size_t capacity = 0, done = 0;
    bool memory;
    t->type = type;
    for (;;) {
        unsigned char head[4];
        const size_t got = input_read(t->in, head, sizeof head);
        if (got == 0 && t->rows > 0) break;
        const uint64_t at = input_offset(t->in) - got;
        if (got < sizeof head)
            return table_reject(t, 0, -1, "row %d: truncated at byte %llu", t->rows + 1, (unsigned long long)at);
        const uint32_t dimension = head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 | (uint32_t)head[3] << 24;
        if (dimension == 0 || dimension > TABLE_MAX_COLUMNS)
            return table_reject(t, 0, -1, "row %d: dimension %lld at byte %llu is not between 1 and 1048576",
                                t->rows + 1, (long long)(int32_t)dimension, (unsigned long long)at);
        if (t->rows == 0) t->columns = (int)dimension;
        if ((int)dimension != t->columns)
            return table_reject(t, 0, -1, "row %d: %d columns, but row 1 has %d", t->rows + 1, (int)dimension,
                                t->columns);
        if (t->rows == INT_MAX) return table_reject(t, 0, -1, "more than 2147483647 rows");
        if (!table_read_cells(t, done, dimension, &capacity, &memory))
            return table_reject(t, 0, -1, memory ? "out of memory after %d rows" : "row %d: truncated",
                                memory ? t->rows : t->rows + 1);
        done += dimension;
        t->rows++;
    }
    t->row_stride = (size_t)t->columns;
    t->column_stride = 1;
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) table_swap_cells(t, done);
    return 0;
}
