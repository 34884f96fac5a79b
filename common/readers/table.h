/* Records read from a file: rows by columns of numbers and words.
 *
 * Formats, plain or compressed with gzip: CSV (RFC 4180), .npy (b1, u1 to u8, i1 to i8, f2, f4, f8; one dimension is a
 * column), .fvecs, .bvecs, .ivecs, and idx (MNIST's; images are flattened). A vecs file is recognised by its extension
 * (x.fvecs, x.fvecs.gz), an .npy or idx file by its first bytes; anything else is CSV.
 *
 * In a CSV file a number is an optional sign, digits with at most one decimal point, and an optional decimal exponent,
 * possibly surrounded by blanks; its value is the nearest double (features_encode rounds it to FP32). A hexadecimal
 * number counts as a word. NaN, Inf and numbers too large for a double count as words if the column contains other
 * words; in an otherwise numeric column they are an error. The spelling of every value is kept, so that a column of
 * numbers can be used as a symbolic one. The exception is a column with more than 4,096 different numbers that
 * table_options does not name: it keeps only the values, and a word further down is an error.
 *
 * An uncompressed binary file is mapped, not read, so it must not be truncated while the table is in use. */
#ifndef KL_TABLE_H
#define KL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum {
    TABLE_HEADER_AUTO, /* auto: the first record is a header if none of its values is a number and at least one of the
                        * second record's is */
    TABLE_HEADER_NO,
    TABLE_HEADER_YES
} table_header;

typedef struct {
    table_header header;  /* CSV only */
    const char *symbolic; /* "2,3,4": these columns (counted from 1) are symbolic and all others numeric; "none": all
                           * are numeric; NULL: a column with a word in it is symbolic */
} table_options;

typedef struct table table;

/* The size of the buffer that table_text needs. */
enum { TABLE_TEXT = 32 };

/* Reads a file of 1 to 2^31 - 1 rows and at least one column. Returns 0 and *t (free it), or 2 after one line on `err`:
 * FILE:LINE: column C: what is wrong. */
int table_read(const char *path, const table_options *options, table **t, FILE *err);
void table_free(table *t);

const char *table_path(const table *t);
int table_rows(const table *t);
int table_columns(const table *t);

/* True if each row is an image or similar: an idx file of three or more dimensions, whose labels are in a separate
 * file. */
bool table_holds_images(const table *t);

/* Whether table_options named any columns, and whether it named this one. */
bool table_symbolic_given(const table *t);
bool table_symbolic(const table *t, int column);

/* True if every value of the column is a number (in the `count` rows listed in `rows`; NULL: in all rows). */
bool table_numeric(const table *t, int column, const int *rows, int count);

/* The value if it is a number, else NAN. The second function: for columns first ... first + count - 1. */
double table_number(const table *t, int row, int column);
void table_numbers(const table *t, int row, int first, int count, double *to);

/* True if the file was binary: every value is a number. */
bool table_binary(const table *t);

/* For a binary file: converts columns first ... first + columns - 1 of `count` rows to FP32, rounding once. The rows
 * are those from number `from` on in `rows` (NULL: in the table). `to` is count x columns, row-major without gaps.
 * Several threads divide the rows among them. Returns SIZE_MAX, or the position in `to` of the first value that FP32
 * cannot hold; in that case `to` may be incomplete. */
size_t table_copy(const table *t, const int *rows, int from, int count, int first, int columns, float *to);

/* The value as the file spells it (in a binary file: the shortest decimal that reads back as the same number), or NULL
 * if the spelling was not kept. `room` has TABLE_TEXT bytes and may hold the result. */
const char *table_text(const table *t, int row, int column, char *room);

/* The shortest decimal that reads back as the same double or (`single`) float, written to `room`, of TABLE_TEXT bytes.
 */
const char *table_spell(double number, bool single, char *room);

/* A word made fit for a message or a table: a long one is cut (between two UTF-8 characters), and control characters
 * become ?. `room` has TABLE_SHOWN bytes. */
enum { TABLE_SHOWN = 48 };
const char *table_shown(const char *text, char *room);

/* True if the spellings of this column were kept, so that table_text does not return NULL. */
bool table_has_text(const table *t, int column);

/* Prints one line to `err`, in the form that table_read uses, about a row and a column (-1: no particular one); control
 * characters in the reason become ?. Returns 2. */
int table_complain(const table *t, int row, int column, FILE *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Splits `count` rows (`rows`; NULL: 0 ... count - 1) at random: round(fraction x count) of them for training, the rest
 * for the test. The split depends only on the arguments, so it is the same on every run and every machine. Both lists
 * are ascending and malloc'ed (free them). Returns 0, or 2 after one line on `err` if either list would be empty or
 * fraction is not between 0 and 1. Defined in rows.c. */
int rows_split(const int *rows, int count, double fraction, uint64_t seed, int **training, int *training_count,
               int **test, int *test_count, FILE *err);

#endif
