#include "readers/table_build.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- messages ---- */

static bool is_control(char c) {
    return (unsigned char)c < ' ' || c == 0x7f;
}

/* How many of `length` bytes to keep: at most `most`, and without splitting a UTF-8 character. */
static size_t whole_characters(const char *text, size_t length, size_t most) {
    if (length <= most) return length;
    while (most > 0 && ((unsigned char)text[most] & 0xc0) == 0x80) most--;
    return most;
}

const char *table_shown(const char *text, char *room) {
    const size_t length = strlen(text);
    const bool cut = length >= TABLE_SHOWN;
    const size_t count = cut ? whole_characters(text, length, TABLE_SHOWN - 4) : length;
    for (size_t i = 0; i < count; i++) room[i] = is_control(text[i]) ? '?' : text[i];
    strcpy(room + count, cut ? "..." : "");
    return room;
}

/* Keeps a message on one line, whatever names and values contain. */
static void say(FILE *err, const char *path, uint64_t line, int row, int column, const char *format,
                va_list arguments) {
    char place[96], *reason;
    size_t length = 0;
    place[0] = '\0';
    if (line > 0) length += (size_t)snprintf(place, sizeof place, ":%llu", (unsigned long long)line);
    if (row >= 0) length += (size_t)snprintf(place + length, sizeof place - length, ": row %d", row + 1);
    if (column >= 0) snprintf(place + length, sizeof place - length, ": column %d", column + 1);
    if (vasprintf(&reason, format, arguments) < 0) reason = NULL;
    for (char *p = reason; p != NULL && *p != '\0'; p++)
        if (is_control(*p)) *p = '?';
    fprintf(err, "%s%s: %s\n", path, place, reason != NULL ? reason : "out of memory");
    free(reason);
}

int table_reject(table *t, uint64_t line, int column, const char *format, ...) {
    if (input_failed(t->in)) return 2;
    va_list arguments;
    va_start(arguments, format);
    say(t->err, t->path, line, -1, column, format, arguments);
    va_end(arguments);
    return 2;
}

int table_reject_value(table *t, uint64_t line, int column, const char *value, size_t length, const char *reason) {
    enum { SHOWN = 40 };
    return table_reject(t, line, column, "'%.*s%s' %s", (int)whole_characters(value, length, SHOWN), value,
                        length > SHOWN ? "..." : "", reason);
}

uint64_t table_line(const table *t, int row) {
    if (t->column == NULL) return 0;
    return t->lines != NULL ? t->lines[row] : t->first_line + (uint64_t)row;
}

int table_complain(const table *t, int row, int column, FILE *err, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(err, t->path, row >= 0 ? table_line(t, row) : 0, t->column == NULL ? row : -1, column, format, arguments);
    va_end(arguments);
    return 2;
}

/* ---- numbers ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* "nan", "nan(...)", "inf", "infinity", as strtod accepts them. */
static bool is_not_finite(const char *text, const char *end) {
    const size_t length = (size_t)(end - text);
    if (length == 3) return strncasecmp(text, "nan", 3) == 0 || strncasecmp(text, "inf", 3) == 0;
    if (length == 8 && strncasecmp(text, "infinity", 8) == 0) return true;
    return length > 4 && strncasecmp(text, "nan(", 4) == 0 && end[-1] == ')';
}

/* The double nearest to a number whose syntax has been checked. */
static double nearest(const char *text, size_t length) {
    char room[64], *copy = length < sizeof room ? room : malloc(length + 1);
    if (copy == NULL) return NAN;
    memcpy(copy, text, length);
    copy[length] = '\0';
    const double number = strtod(copy, NULL);
    if (copy != room) free(copy);
    return number;
}

value_kind table_parse_number(const char *text, size_t length, double *number) {
    const char *p = text, *end = text + length;
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    while (end > p && (end[-1] == ' ' || end[-1] == '\t')) end--;
    const char *const start = p;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p < end && (*p == 'n' || *p == 'N' || *p == 'i' || *p == 'I'))
        return is_not_finite(p, end) ? VALUE_NOT_FINITE : VALUE_WORD;

    /* The first 19 significant digits go into `digits`; the decimal point becomes a power of ten. */
    uint64_t digits = 0;
    int kept = 0;
    long scale = 0;
    bool any = false, point = false, dropped = false;
    for (; p < end && (is_digit(*p) || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        any = true;
        if (point) scale--;
        if (digits == 0 && *p == '0') continue;
        if (kept == 19) {
            dropped = true;
            continue;
        }
        digits = digits * 10 + (uint64_t)(*p - '0');
        kept++;
    }
    if (!any) return VALUE_WORD;
    if (p < end && (*p == 'e' || *p == 'E')) {
        bool down = false;
        long exponent = 0;
        p++;
        if (p < end && (*p == '-' || *p == '+')) down = *p++ == '-';
        if (p == end) return VALUE_WORD;
        for (; p < end && is_digit(*p); p++)
            if (exponent < 100000) exponent = exponent * 10 + (*p - '0');
        scale += down ? -exponent : exponent;
    }
    if (p != end) return VALUE_WORD;

    /* Both are exact, so this is the only rounding. */
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (!dropped && digits <= UINT64_C(1) << 53 && scale >= -22 && scale <= 22) {
        const double value = scale < 0 ? (double)digits / powers[-scale] : (double)digits * powers[scale];
        *number = negative ? -value : value;
        return VALUE_NUMBER;
    }
    *number = nearest(start, (size_t)(end - start));
    return isfinite(*number) ? VALUE_NUMBER : VALUE_NOT_FINITE;
}

/* ---- reading ---- */

/* The list given by --symbolic: which columns it names, up to the highest. Columns the table does not have are found
 * once it has been read. */
static int parse_symbolic(table *t, const char *list, FILE *err) {
    t->symbolic_given = true;
    if (strcmp(list, "none") == 0) return 0;
    for (const char *p = list;; p++) {
        int column = 0;
        const char *const start = p;
        for (; is_digit(*p) && column <= TABLE_MAX_COLUMNS; p++) column = column * 10 + (*p - '0');
        if (p == start || column < 1 || column > TABLE_MAX_COLUMNS || (*p != ',' && *p != '\0')) {
            fprintf(err, "--symbolic %s: takes columns from 1 with commas between them, as in 2,3,4, or none\n", list);
            return 2;
        }
        if (column > t->symbolic_count) {
            bool *more = realloc(t->symbolic, (size_t)column * sizeof *more);
            if (more == NULL) {
                fprintf(err, "--symbolic: out of memory\n");
                return 2;
            }
            memset(more + t->symbolic_count, 0, (size_t)(column - t->symbolic_count) * sizeof *more);
            t->symbolic = more;
            t->symbolic_count = column;
        }
        t->symbolic[column - 1] = true;
        if (*p == '\0') return 0;
    }
}

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), of_end = strlen(end);
    return length >= of_end && strcasecmp(text + length - of_end, end) == 0;
}

/* "data.fvecs" and "data.fvecs.gz". */
static bool has_extension(const char *path, const char *extension) {
    char packed[16];
    snprintf(packed, sizeof packed, "%s.gz", extension);
    return ends_with(path, extension) || ends_with(path, packed);
}

static int read_format(table *t, table_header header) {
    size_t length;
    const unsigned char *first = input_peek(t->in, 6, &length);
    if (length == 0) return table_reject(t, 0, -1, "is empty");
    if (has_extension(t->path, ".fvecs")) return table_read_vecs(t, CELL_F32);
    if (has_extension(t->path, ".bvecs")) return table_read_vecs(t, CELL_U8);
    if (has_extension(t->path, ".ivecs")) return table_read_vecs(t, CELL_I32);
    const bool npy = length >= 6 && memcmp(first, "\x93NUMPY", 6) == 0;
    if (npy) return table_read_npy(t);
    if (has_extension(t->path, ".npy"))
        return table_reject(t, 0, -1, "is not an .npy file: it does not begin like one");
    if (first[0] == 0) return table_read_idx(t);
    return table_read_csv(t, header);
}

int table_read(const char *path, const table_options *options, table **read, FILE *err) {
    *read = NULL;
    table *t = calloc(1, sizeof *t);
    if (t != NULL) t->path = strdup(path);
    if (t == NULL || t->path == NULL) {
        fprintf(err, "%s: out of memory\n", path);
        table_free(t);
        return 2;
    }
    t->err = err;
    int status = options->symbolic != NULL ? parse_symbolic(t, options->symbolic, err) : 0;
    if (status == 0) status = input_open(path, &t->in, err);
    if (status == 0) status = read_format(t, options->header);
    if (status == 0 && input_failed(t->in)) status = 2;
    input_close(t->in);
    t->in = NULL;
    if (status == 0 && t->symbolic_count > t->columns) {
        fprintf(err, "%s: column %d: named by --symbolic, but there are %d columns\n", path, t->symbolic_count,
                t->columns);
        status = 2;
    }
    if (status == 0 && t->column == NULL) status = table_check_cells(t);
    if (status != 0) {
        table_free(t);
        return status;
    }
    *read = t;
    return 0;
}

static void free_column(table_column *c) {
    free(c->codes);
    free(c->numbers);
    free(c->entries);
    free(c->slots);
    free(c->texts);
}

void table_free(table *t) {
    if (t == NULL) return;
    for (int i = 0; t->column != NULL && i < t->columns; i++) free_column(&t->column[i]);
    free(t->column);
    free(t->lines);
    input_release(&t->block);
    free(t->symbolic);
    free(t->path);
    free(t);
}

/* ---- asking ---- */

const char *table_path(const table *t) {
    return t->path;
}

int table_rows(const table *t) {
    return t->rows;
}

int table_columns(const table *t) {
    return t->columns;
}

bool table_holds_images(const table *t) {
    return t->images;
}

bool table_symbolic_given(const table *t) {
    return t->symbolic_given;
}

bool table_symbolic(const table *t, int column) {
    return column < t->symbolic_count && t->symbolic[column];
}

static const table_entry *entry_of(const table *t, int row, int column) {
    return &t->column[column].entries[t->column[column].codes[row]];
}

bool table_numeric(const table *t, int column, const int *rows, int count) {
    if (t->column == NULL || t->column[column].numbers != NULL) return true;
    const table_column *c = &t->column[column];
    if (!c->word && c->not_finite_row < 0) return true;
    if (rows == NULL) return false;
    for (int i = 0; i < count; i++)
        if (entry_of(t, rows[i], column)->kind != VALUE_NUMBER) return false;
    return true;
}

double table_number(const table *t, int row, int column) {
    if (t->column == NULL) return table_cell(t, row, column);
    if (t->column[column].numbers != NULL) return t->column[column].numbers[row];
    return entry_of(t, row, column)->number;
}

bool table_binary(const table *t) {
    return t->column == NULL;
}

void table_numbers(const table *t, int row, int first, int count, double *to) {
    if (t->column == NULL) {
        table_cells(t, row, first, count, to);
        return;
    }
    for (int j = 0; j < count; j++) to[j] = table_number(t, row, first + j);
}

bool table_has_text(const table *t, int column) {
    return t->column == NULL || t->column[column].numbers == NULL;
}

const char *table_text(const table *t, int row, int column, char *room) {
    if (t->column != NULL) {
        if (!table_has_text(t, column)) return NULL;
        return t->column[column].texts + entry_of(t, row, column)->text;
    }
    return table_spell(table_cell(t, row, column), t->type == CELL_F32 || t->type == CELL_F16, room);
}

/* Millions of labels may be such numbers, and printf is slow. */
static const char *spell_whole(int64_t number, bool negative, char *room) {
    char *at = room + TABLE_TEXT - 1;
    uint64_t rest = negative ? (uint64_t)-number : (uint64_t)number;
    *at = '\0';
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (negative) *--at = '-';
    return at;
}

const char *table_spell(double number, bool single, char *room) {
    if (fabs(number) < 1e15 && number == floor(number)) return spell_whole((int64_t)number, signbit(number), room);
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(room, TABLE_TEXT, "%.*g", digits, number);
        if (single ? strtof(room, NULL) == (float)number : strtod(room, NULL) == number) break;
    }
    return room;
}
