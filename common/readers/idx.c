/* idx, the format of the MNIST files, all big endian: two zero bytes, the elements' type, the number of dimensions,
 * each dimension (32 bits), then the elements. The first dimension is rows; the others make a row's columns. */
#include <limits.h>

#include "readers/table_build.h"

static uint32_t big_endian(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

int table_read_idx(table *t) {
    unsigned char head[4], size[4];
    if (input_read(t->in, head, sizeof head) < sizeof head)
        return table_reject(t, 0, -1, "truncated in its idx header");
    if (head[0] != 0 || head[1] != 0)
        return table_reject(t, 0, -1, "neither an idx file nor text: it begins with a NUL byte");
    switch (head[2]) {
    case 0x08:
        t->type = CELL_U8;
        break;
    case 0x09:
        t->type = CELL_I8;
        break;
    case 0x0b:
        t->type = CELL_I16;
        break;
    case 0x0c:
        t->type = CELL_I32;
        break;
    case 0x0d:
        t->type = CELL_F32;
        break;
    case 0x0e:
        t->type = CELL_F64;
        break;
    default:
        return table_reject(t, 0, -1, "idx elements of type 0x%02x: 0x08, 0x09 and 0x0b ... 0x0e are read", head[2]);
    }
    if (head[3] == 0) return table_reject(t, 0, -1, "an idx file without dimensions");
    uint64_t rows = 0, columns = 1;
    for (int i = 0; i < head[3]; i++) {
        if (input_read(t->in, size, sizeof size) < sizeof size)
            return table_reject(t, 0, -1, "truncated in its idx header");
        const uint64_t value = big_endian(size);
        if (i == 0)
            rows = value;
        else if (columns > TABLE_MAX_COLUMNS || (columns *= value) > TABLE_MAX_COLUMNS)
            return table_reject(t, 0, -1, "more columns than 1048576");
    }
    if (rows > INT_MAX) return table_reject(t, 0, -1, "more than 2147483647 rows");
    if (rows == 0 || columns == 0) return table_reject(t, 0, -1, "holds no records");
    t->rows = (int)rows;
    t->columns = (int)columns;
    t->images = head[3] > 2;
    t->swapped = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    return table_take_cells(t, false);
}
