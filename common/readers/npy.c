/* .npy, versions 1, 2 and 3: magic, version, the length of the header, the header (a Python dictionary of descr,
 * fortran_order and shape), then the elements. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "readers/table_build.h"

enum { MAX_HEADER = 1 << 16 };

/* The value of a key: the text after the colon, without leading blanks. NULL: no such key. */
static const char *value_of(const char *header, const char *key) {
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s'", key);
    const char *at = strstr(header, quoted);
    if (at == NULL) {
        snprintf(quoted, sizeof quoted, "\"%s\"", key);
        at = strstr(header, quoted);
    }
    if (at == NULL) return NULL;
    at += strlen(quoted);
    at += strspn(at, " ");
    if (*at != ':') return NULL;
    at++;
    return at + strspn(at, " ");
}

/* A shape of one or two numbers; a single one means one column. */
static int read_shape(table *t, const char *at, uint64_t *rows, uint64_t *columns) {
    uint64_t size[2] = {1, 1};
    int count = 0;
    if (at == NULL || *at++ != '(') return table_reject(t, 0, -1, "its .npy header has no shape");
    for (at += strspn(at, " "); *at != ')'; at += strspn(at, " ")) {
        uint64_t value = 0;
        const char *const from = at;
        for (; *at >= '0' && *at <= '9'; at++) {
            if (value > (UINT64_MAX - 9) / 10) return table_reject(t, 0, -1, "its .npy header's shape overflows");
            value = value * 10 + (uint64_t)(*at - '0');
        }
        if (at == from) return table_reject(t, 0, -1, "its .npy header's shape is not made of numbers");
        if (count < 2) size[count] = value;
        count++;
        at += strspn(at, "L "); /* Python 2 wrote 10L */
        if (*at == ',')
            at++;
        else if (*at != ')')
            return table_reject(t, 0, -1, "its .npy header's shape is not made of numbers");
    }
    if (count < 1 || count > 2) return table_reject(t, 0, -1, "an array of %d dimensions, not rows and columns", count);
    *rows = size[0];
    *columns = size[1];
    return 0;
}

static int read_type(table *t, const char *at) {
    static const struct {
        char name[3];
        cell_type type;
    } types[] = {{"b1", CELL_U8},  {"u1", CELL_U8},  {"i1", CELL_I8},  {"u2", CELL_U16},
                 {"i2", CELL_I16}, {"u4", CELL_U32}, {"i4", CELL_I32}, {"u8", CELL_U64},
                 {"i8", CELL_I64}, {"f2", CELL_F16}, {"f4", CELL_F32}, {"f8", CELL_F64}};
    enum { TYPES = sizeof types / sizeof *types };
    if (at == NULL || (*at != '\'' && *at != '"')) return table_reject(t, 0, -1, "its .npy header has no plain descr");
    const char quote = *at++;
    const size_t length = strcspn(at, "'\"");
    const char *const name = at + (*at != '\0' && strchr("<>=|", *at) != NULL);
    int i = 0;
    while (i < TYPES && strncmp(name, types[i].name, 2) != 0) i++;
    if (at[length] != quote || length - (size_t)(name - at) != 2 || i == TYPES)
        return table_reject_value(t, 0, -1, at, length, "elements: b1, u1 ... u8, i1 ... i8, f2, f4 and f8 are read");
    t->type = types[i].type;
    const bool little = *at == '<' || (*at != '>' && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    t->swapped = little != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    return 0;
}

/* Whether the text at `at` is exactly this word. */
static bool is_word(const char *at, const char *word) {
    const size_t length = strlen(word);
    return strncmp(at, word, length) == 0 && strchr(" ,}\n", at[length]) != NULL;
}

static int read_array(table *t, const char *header) {
    const char *order = value_of(header, "fortran_order");
    uint64_t rows = 0, columns = 0;
    if (read_type(t, value_of(header, "descr")) != 0) return 2;
    if (order == NULL || (!is_word(order, "True") && !is_word(order, "False")))
        return table_reject(t, 0, -1, "its .npy header has no fortran_order of True or False");
    if (read_shape(t, value_of(header, "shape"), &rows, &columns) != 0) return 2;
    if (rows > INT_MAX) return table_reject(t, 0, -1, "more than 2147483647 rows");
    if (columns > TABLE_MAX_COLUMNS) return table_reject(t, 0, -1, "more columns than 1048576");
    if (rows == 0 || columns == 0) return table_reject(t, 0, -1, "holds no records");
    t->rows = (int)rows;
    t->columns = (int)columns;
    return table_take_cells(t, *order == 'T');
}

int table_read_npy(table *t) {
    unsigned char start[12];
    if (input_read(t->in, start, 8) < 8) return table_reject(t, 0, -1, "truncated in its .npy header");
    const int version = start[6], bytes = version == 1 ? 2 : 4;
    if (version < 1 || version > 3 || start[7] != 0)
        return table_reject(t, 0, -1, "an .npy file of version %d.%d: 1.0, 2.0 and 3.0 are read", version, start[7]);
    if (input_read(t->in, start + 8, (size_t)bytes) < (size_t)bytes)
        return table_reject(t, 0, -1, "truncated in its .npy header");
    size_t length = 0;
    for (int i = bytes; i-- > 0;) length = length << 8 | start[8 + i];
    if (length > MAX_HEADER) return table_reject(t, 0, -1, "an .npy header longer than 64 KB");
    char *header = malloc(length + 1);
    if (header == NULL) return table_reject(t, 0, -1, "out of memory");
    int status;
    if (input_read(t->in, header, length) < length) {
        status = table_reject(t, 0, -1, "truncated in its .npy header");
    } else {
        header[length] = '\0';
        status = read_array(t, header);
    }
    free(header);
    return status;
}
