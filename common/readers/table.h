/* Records read from a file: rows of finite numbers, with a label each or without.
 *
 * An .npy file (u1, i4, f4 or f8, little endian, in C order, one or two dimensions) is mapped, so it must not be
 * changed while the table is in use. Anything else is CSV: numbers with commas between them and nothing in quotes. Its
 * first line is a header if none of its coordinates is a number. A number is decimal, possibly with blanks around it;
 * its value is the nearest double. scripts/data.py makes these files of all others (idx, vecs, gzip, CSV with words):
 * the message about a file that is not read ends with the command. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Where the labels are: in a column, nowhere, or in the only column. */
typedef enum { LABELS_LAST, LABELS_FIRST, LABELS_NONE, LABELS_ONLY } labels_place;

typedef struct {
    labels_place labels;
    int coordinates;     /* a file of exactly so many columns has no labels; 0: that is not known */
    const char *convert; /* the command that converts a file that is not read */
    int part, parts;     /* of an .npy file's rows only this part of so many is looked at; parts 0: all rows are */
} table_options;

typedef enum { CELL_U1, CELL_I4, CELL_F4, CELL_F8 } cell_type;

typedef struct {
    char *path;
    int rows, columns; /* columns: of coordinates, without the labels' */
    char **labels;     /* a text for each row; NULL: none. A number is spelled in the fewest digits that read back. */
    /* The rest is only for table.c. Coordinate (row, column) is element row * stride + first + column. */
    cell_type type;
    const void *cells;
    size_t stride, first;
    int header;    /* lines in front of the first row; -1: an .npy file */
    double *owned; /* the cells of a CSV file */
    void *mapped;
    size_t mapped_size;
} table;

/* Reads a file of 1 to 2^31 - 1 rows and up to 2^20 columns. Returns 0 and *t (free it), or 2 after one line on `err`:
 * FILE:LINE: column C: what is wrong. */
int table_read(const char *path, const table_options *options, table **t, FILE *err);
void table_free(table *t);

/* Writes a row's coordinates to `to`. */
void table_row(const table *t, int row, double *to);

/* Rows first ... first + rows - 1 alone; valid as long as `t`, and not to be freed. */
table table_part(const table *t, int first, int rows);

/* All coordinates, rows x columns without gaps, if the file holds them as FP32; else NULL. */
const float *table_floats(const table *t);

/* Prints one line to `err`, in the form that table_read uses, about a row and a column (-1: none in particular);
 * control characters become ?. Returns 2. */
int table_complain(const table *t, int row, int column, FILE *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
