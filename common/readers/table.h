/* Records read from a file: rows x columns of numbers and words.
 *
 * Formats, plain or compressed with gzip: CSV (RFC 4180), .npy (b1, u1 to u8, i1 to i8, f2, f4, f8; one dimension is a
 * column), .fvecs, .bvecs, .ivecs, and idx (MNIST's; images are flattened). The extension names a vecs file (x.fvecs,
 * x.fvecs.gz), the first bytes an .npy or idx file; everything else is CSV.
 *
 * A number in a CSV file is an optional sign, digits with at most one decimal point and an optional decimal exponent,
 * with blanks around it or none; its value is the nearest double (features_encode rounds to FP32). A hexadecimal number
 * is a word. NaN, Inf and numbers too large for a double are words where a column has other words, and are an error
 * where it is otherwise numeric. The spelling of every value is kept, so that a column of numbers can serve as a
 * symbolic one, except where a column that table_options does not name has more than 4,096 different numbers: such a
 * column keeps the values alone, and a word further down in it is an error.
 *
 * A plain binary file is mapped, not read: it must not be cut off while the table is in use. */
#ifndef KL_TABLE_H
#define KL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum {
    TABLE_HEADER_AUTO, /* the first record is one when none of its values is a number and one of the second's is */
    TABLE_HEADER_NO,
    TABLE_HEADER_YES
} table_header;

typedef struct {
    table_header header;  /* CSV only */
    const char *symbolic; /* "2,3,4": these columns (from 1) are symbolic and all others numeric; "none": all are
                           * numeric; NULL: symbolic is what holds a word */
} table_options;

typedef struct table table;

/* Bytes table_text may need. */
enum { TABLE_TEXT = 32 };

/* Reads the file, of 1 to 2^31 - 1 rows and at least one column. Returns 0 and *t (free it), or 2 after one line on
 * `err`: FILE:LINE: column C: what is wrong. */
int table_read(const char *path, const table_options *options, table **t, FILE *err);
void table_free(table *t);

const char *table_path(const table *t);
int table_rows(const table *t);
int table_columns(const table *t);

/* Each row is an image or the like: an idx file of three or more dimensions, whose labels are in a file of their own.
 */
bool table_holds_images(const table *t);

/* What table_options said: whether columns were named at all, and whether this one was. */
bool table_symbolic_given(const table *t);
bool table_symbolic(const table *t, int column);

/* Every value of the column is a number (of `count` rows listed in `rows`; NULL: of all). */
bool table_numeric(const table *t, int column, const int *rows, int count);

/* The value, where it is a number; NAN otherwise. The second: of columns first ... first + count - 1. */
double table_number(const table *t, int row, int column);
void table_numbers(const table *t, int row, int first, int count, double *to);

/* The file was a binary one: every value is a number. */
bool table_binary(const table *t);

/* Of a binary file: `count` rows, from number `from` on, of `rows` (NULL: of the table), columns first ... first +
 * columns
 * - 1, rounded once to FP32, to `to`: count x columns, row-major without gaps. Several threads share the rows. Returns
 * SIZE_MAX, or the place in `to` of the first value that FP32 cannot hold, and then not all are there. */
size_t table_copy(const table *t, const int *rows, int from, int count, int first, int columns, float *to);

/* The value as the file spells it (of a binary file: the shortest decimal that reads back as the same number), or NULL
 * where the spelling was not kept. `room` has TABLE_TEXT bytes, in which the result may lie. */
const char *table_text(const table *t, int row, int column, char *room);

/* The shortest decimal that reads back as the same double or (`single`) float; it lies in `room`, of TABLE_TEXT bytes.
 */
const char *table_spell(double number, bool single, char *room);

/* A word fit to be shown in a line or a table: a long one is cut (between two characters of UTF-8), control characters
 * become ?. `room` has TABLE_SHOWN bytes. */
enum { TABLE_SHOWN = 48 };
const char *table_shown(const char *text, char *room);

/* The spellings of this column were kept: table_text does not return NULL. */
bool table_has_text(const table *t, int column);

/* One line on `err` of table_read's form, about a row and a column (-1: no particular one); control characters in the
 * reason become ?. Returns 2. */
int table_complain(const table *t, int row, int column, FILE *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Splits `count` rows (`rows`; NULL: 0 ... count - 1) at random: round(fraction x count) of them train, the rest are
 * the test. The split depends on the arguments alone: it is the same on every run and machine. Both lists are ascending
 * and malloc'ed (free them). Returns 0, or 2 after one line on `err`: either would be empty, or fraction is not between
 * 0 and
 * 1. rows.c. */
int rows_split(const int *rows, int count, double fraction, uint64_t seed, int **training, int *training_count,
               int **test, int *test_count, FILE *err);

#endif
