/* The inside of a table: only for table.c, cells.c and the readers of the formats (csv.c, npy.c, vecs.c, idx.c). */
#ifndef KL_TABLE_BUILD_H
#define KL_TABLE_BUILD_H

#include "readers/input.h"
#include "readers/table.h"

enum { TABLE_MAX_COLUMNS = 1 << 20 };

/* A column with more different numbers keeps no spellings. Fuzzers use a small limit, to exceed it often. */
#ifndef TABLE_MAX_NUMBERS
#define TABLE_MAX_NUMBERS 4096
#endif

/* What a field of a CSV file is. */
typedef enum { VALUE_WORD, VALUE_NUMBER, VALUE_NOT_FINITE } value_kind;

/* A distinct spelling in a column. */
typedef struct {
    uint64_t hash;
    size_t text; /* its offset in column->texts */
    double number;
    uint32_t length;
    value_kind kind;
} table_entry;

/* A column of a CSV file: each row's code is the index of its entry, until the column becomes numbers alone. */
typedef struct {
    int *codes;
    double *numbers; /* not NULL: the column has become numbers; codes, entries, slots and texts are gone */
    table_entry *entries;
    uint32_t *slots; /* 1 + the number of an entry, 0: free; the count is a power of two */
    char *texts;
    size_t texts_length, texts_capacity;
    uint32_t entry_count, entry_capacity, slot_count;
    bool symbolic;      /* named by table_options */
    bool word;          /* some entry is one */
    int not_finite_row; /* the first row with a NaN or an Inf, or -1 */
} table_column;

/* An element of a binary file. */
typedef enum {
    CELL_U8,
    CELL_I8,
    CELL_U16,
    CELL_I16,
    CELL_U32,
    CELL_I32,
    CELL_U64,
    CELL_I64,
    CELL_F16,
    CELL_F32,
    CELL_F64
} cell_type;

struct table {
    char *path;
    int rows, columns;
    bool symbolic_given;
    bool *symbolic; /* for the first symbolic_count columns */
    int symbolic_count;
    /* CSV */
    table_column *column;
    int capacity;
    uint64_t first_line;
    uint64_t *lines; /* the line of each row; NULL: row + first_line */
    /* binary: element (row, column) is at cells + row * row_stride + column * column_stride (bytes; no alignment) */
    input_block block; /* the bytes of the file that contain the elements */
    const unsigned char *cells;
    cell_type type;
    bool swapped; /* in the byte order opposite to this machine's */
    bool images;  /* rows of more than one dimension, flattened */
    size_t row_stride, column_stride;
    /* used while the file is read */
    input *in;
    FILE *err;
};

/* Prints a line to t->err: the path, then `line` (0: none), `column` (from 0; -1: none) and the reason, unless the
 * input has failed and already said so. Returns 2. */
int table_reject(table *t, uint64_t line, int column, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same about a value, which is shown in quotes, shortened if it is long. */
int table_reject_value(table *t, uint64_t line, int column, const char *value, size_t length, const char *reason);

/* The line in which a row of a CSV file begins; 0 for a binary file. */
uint64_t table_line(const table *t, int row);

/* Classifies `length` bytes as a number (and sets *number to its value), an infinity or a NaN, or a word. */
value_kind table_parse_number(const char *text, size_t length, double *number);

size_t table_cell_size(cell_type type);

/* Takes the rest of the input as t->rows x t->columns elements of t->type without gaps, row-major or (`by_column`)
 * column-major. Returns 0, or 2 after one line: more bytes or fewer. */
int table_take_cells(table *t, bool by_column);

/* The value of an element; of `count` elements of a row, from column `first` on. */
double table_cell(const table *t, int row, int column);
void table_cells(const table *t, int row, int first, int count, double *to);

/* Returns 0, or 2 after one line on t->err about the first element that is NaN, infinite or an integer beyond 2^53. */
int table_check_cells(table *t);

/* Each takes the rest of the input and returns 0, or 2 after one line. */
int table_read_csv(table *t, table_header header);
int table_read_npy(table *t);
int table_read_vecs(table *t, cell_type type);
int table_read_idx(table *t);

#endif
