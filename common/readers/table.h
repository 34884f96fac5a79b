/* Records read from a file: rows x columns of numbers and words.
 *
 * Formats, each plain or gzip: CSV (RFC 4180), .npy (f4, f8), .fvecs, .bvecs, .ivecs, idx (images flattened). vecs go
 * by their extension (also before .gz), .npy and idx by their first bytes, all else is CSV.
 *
 * A CSV number is an optional sign, digits with at most one point, an optional decimal exponent, blanks around it; its
 * value is the nearest double (the rounding to FP32 follows, when features_encode makes coordinates). Hexadecimal
 * numbers are words. NaN, Inf and what overflows a double are refused in a column that is otherwise numeric; among
 * words they are words. Every value's spelling is kept, so that a column of numbers can serve as a symbolic one; a
 * column of more than 4,096 different numbers keeps their values only, and cannot (nor hold a word further down), but
 * where table_options names it. */
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

/* Reads the file. Returns 0 and *t (free it), or 2 after one line on `err`: FILE:LINE: column C: what is wrong. At most
 * 2^31 - 1 rows; at least one row and one column. */
int table_read(const char *path, const table_options *options, table **t, FILE *err);
void table_free(table *t);

const char *table_path(const table *t);
int table_rows(const table *t);
int table_columns(const table *t);

/* The header's name of a column; "" where there is none. Columns count from 0 here, and in messages from 1. */
const char *table_name(const table *t, int column);

/* What table_options said: whether columns were named at all, and whether this one was. */
bool table_symbolic_given(const table *t);
bool table_symbolic(const table *t, int column);

/* Every value of the column is a number (of `count` rows listed in `rows`; NULL: of all). */
bool table_numeric(const table *t, int column, const int *rows, int count);

/* The value, where it is a number; NAN otherwise. */
double table_number(const table *t, int row, int column);

/* The value as the file spells it (a number of a binary file: as few digits as bring it back), or NULL where the
 * spelling was not kept. `room` is TABLE_TEXT bytes that may be used. */
const char *table_text(const table *t, int row, int column, char *room);

/* A number in as few digits as bring it back, as a double or (`single`) as a float, in `room` of TABLE_TEXT bytes. */
const char *table_spell(double number, bool single, char *room);

/* A word as it can be shown in a line or a table: cut where it is long, control characters as ?. `room` is TABLE_SHOWN
 * bytes. */
enum { TABLE_SHOWN = 48 };
const char *table_shown(const char *text, char *room);

/* True where the file's spellings of this column were kept: table_text is not NULL. */
bool table_has_text(const table *t, int column);

/* One line on `err` that begins as table_read's do, about a row and a column (-1: about none); control characters of
 * the reason come out as ?. Returns 2. */
int table_complain(const table *t, int row, int column, FILE *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- choosing rows (rows.c). Lists of rows are ascending and malloc'ed (free them); a function returns 0, or 2 after
 * one line on `err`. All depends on the arguments alone: the same on every run and machine. ---- */

/* Splits `count` rows (`rows`; NULL: 0 ... count - 1) by chance: round(fraction x count) of them for training, the rest
 * for the test. 2 where either would be empty or fraction is not between 0 and 1. */
int rows_split(const int *rows, int count, double fraction, uint64_t seed, int **training, int *training_count,
               int **test, int *test_count, FILE *err);

/* The rows whose record (all columns: numbers by value, words by their bytes) has not been seen in an earlier row, nor
 * in any row of `besides` (NULL: no such table; else of as many columns). *found may become 0. */
int rows_distinct(const table *t, const table *besides, int **rows, int *found, FILE *err);

/* `wanted` rows by chance out of `count` rows; all of them where there are no more. */
int rows_sample(const int *rows, int count, int wanted, uint64_t seed, int **sample, int *sampled, FILE *err);

#endif
