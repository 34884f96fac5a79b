#include "readers/table.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { MAX_COLUMNS = 1 << 20, MAX_HEADER = 1 << 16, MAX_LABEL = 63, SPELLED = 32 };

/* A file while it is read. */
typedef struct {
    table *t;
    const table_options *o;
    FILE *in, *err;
    int label;       /* the labels' column, or -1 */
    int fields;      /* in each row, the label among them */
    size_t capacity; /* rows that there is room for */
} reader;

/* ---- messages ---- */

int table_complain(const table *t, int row, int column, FILE *err, const char *format, ...) {
    va_list arguments;
    fputs(t->path, err);
    if (row >= 0) fprintf(err, t->header < 0 ? ": row %d" : ":%d", t->header < 0 ? row + 1 : row + 1 + t->header);
    if (column >= 0) fprintf(err, ": column %d", column + 1 + (int)t->first);
    fputs(": ", err);
    va_start(arguments, format);
    vfprintf(err, format, arguments);
    va_end(arguments);
    fputc('\n', err);
    return 2;
}

/* About the file; about the row that is being read. */
#define REJECT(r, ...)     table_complain((r)->t, -1, -1, (r)->err, __VA_ARGS__)
#define REJECT_ROW(r, ...) table_complain((r)->t, (r)->t->rows, -1, (r)->err, __VA_ARGS__)

static int no_memory(const reader *r) {
    return REJECT(r, "out of memory");
}

static int not_read(const reader *r, const char *what) {
    return REJECT(r, "%s; convert it: %s", what, r->o->convert);
}

/* ---- numbers and labels ---- */

/* The number that `text` holds in front of a comma or its end; NAN: none, or none that is finite. */
static double parse_number(const char *text) {
    const size_t length = strcspn(text, ",");
    char *end;
    if (strspn(text, "0123456789+-.eE \t") < length) return NAN; /* strtod takes hexadecimal, too, and words */
    const double number = strtod(text, &end);
    if (end == text) return NAN;
    end += strspn(end, " \t");
    return end == text + length && isfinite(number) ? number : NAN;
}

/* The fewest digits that read back as the same number. */
static void spell(double number, char *room) {
    int digits = 1;
    do snprintf(room, SPELLED, "%.*g", fabs(number) < 1e15 && number == floor(number) ? 15 : digits, number);
    while (digits++ < 17 && strtod(room, NULL) != number);
}

static int put_label(reader *r, int row, const char *text, size_t length) {
    if (length > MAX_LABEL) return REJECT(r, "a label longer than 63 bytes: %.*s...", MAX_LABEL, text);
    r->t->labels[row] = strndup(text, length);
    return r->t->labels[row] != NULL ? 0 : no_memory(r);
}

static int put_number_label(reader *r, int row, double number) {
    char room[SPELLED];
    spell(number + 0.0, room); /* -0 is 0 */
    return put_label(r, row, room, strlen(room));
}

/* Of a file with so many columns: which holds the labels, and how many are coordinates. */
static int count_columns(reader *r, int fields) {
    if (fields > MAX_COLUMNS) return REJECT(r, "more than 1048576 columns");
    const bool only = r->o->labels == LABELS_ONLY, none = r->t->header < 0 || fields == r->o->coordinates;
    const labels_place labels = none && !only ? LABELS_NONE : r->o->labels;
    const bool labelled = labels != LABELS_NONE;
    if (labels == LABELS_ONLY && fields > 1) return REJECT(r, "%d columns: a file of labels has one", fields);
    if (labels != LABELS_ONLY && labelled && fields == 1) return REJECT(r, "no columns but the labels");
    r->fields = fields;
    r->label = labels == LABELS_LAST ? fields - 1 : labelled ? 0 : -1;
    r->t->columns = fields - labelled;
    r->t->first = labels == LABELS_FIRST;
    return 0;
}

static double cell(const table *t, size_t i) {
    return t->type == CELL_U1   ? ((const uint8_t *)t->cells)[i]
           : t->type == CELL_I4 ? ((const int32_t *)t->cells)[i]
           : t->type == CELL_F4 ? (double)((const float *)t->cells)[i]
                                : ((const double *)t->cells)[i];
}

/* ---- .npy: magic, version, the header's length, the header (a Python dictionary), then the elements ---- */

/* The value of a key, without what stands in front of it; "" if there is none. */
static const char *value_of(const char *header, const char *key) {
    const char *at = strstr(header, key);
    if (at == NULL) return "";
    at += strlen(key);
    return at + strspn(at, "'\": ");
}

static int read_header(reader *r, const char *header, size_t bytes) {
    static const struct {
        const char *name;
        cell_type type;
        size_t size;
    } types[] = {{"|u1", CELL_U1, 1}, {"<i4", CELL_I4, 4}, {"<f4", CELL_F4, 4}, {"<f8", CELL_F8, 8}};
    enum { TYPES = sizeof types / sizeof *types };
    const char *descr = value_of(header, "descr"), *shape = value_of(header, "shape");
    int i = 0, used = 0;
    unsigned long long rows, columns = 1;
    while (i < TYPES && (strncmp(descr, types[i].name, 3) != 0 || strchr("'\"", descr[3]) == NULL)) i++;
    if (i == TYPES) return not_read(r, "of an .npy file only u1, <i4, <f4 and <f8 are read");
    if (strncmp(value_of(header, "fortran_order"), "False", 5) != 0)
        return not_read(r, "of an .npy file only C order is read, not Fortran's");
    if (sscanf(shape, "(%19llu , %19llu )%n", &rows, &columns, &used) != 2 || used == 0) {
        columns = 1;
        used = 0;
        if (sscanf(shape, "(%19llu ,)%n", &rows, &used) != 1 || used == 0)
            return not_read(r, "of an .npy file only one or two dimensions are read");
    }
    if (rows == 0 || columns == 0) return REJECT(r, "holds no records");
    if (rows > INT_MAX || columns > MAX_COLUMNS) return REJECT(r, "more than 2147483647 rows or 1048576 columns");
    if (rows * columns * types[i].size != bytes)
        return REJECT(r, "%zu bytes of elements, not the %llu of %llu x %llu", bytes, rows * columns * types[i].size,
                      rows, columns);
    r->t->rows = (int)rows;
    r->t->stride = columns;
    r->t->type = types[i].type;
    return count_columns(r, (int)columns);
}

/* Looks for what is no finite number, and keeps the labels. */
static int check_cells(reader *r) {
    table *t = r->t;
    if (r->label >= 0 && (t->labels = calloc((size_t)t->rows, sizeof *t->labels)) == NULL) return no_memory(r);
    const int64_t parts = r->o->parts > 0 ? r->o->parts : 1, part = r->o->parts > 0 ? r->o->part : 0;
    const int end = (int)(t->rows * (part + 1) / parts);
    for (int i = (int)(t->rows * part / parts); i < end; i++)
        for (int j = t->type < CELL_F4 ? r->fields : 0; j < r->fields; j++) {
            const double value = cell(t, (size_t)i * t->stride + (size_t)j);
            if (!isfinite(value)) return table_complain(t, i, j, r->err, "%g is not a finite number", value);
        }
    for (int i = 0; i < t->rows && r->label >= 0; i++)
        if (put_number_label(r, i, cell(t, (size_t)i)) != 0) return 2;
    return 0;
}

static int read_npy(reader *r) {
    table *t = r->t;
    struct stat about;
    t->header = -1;
    if (fstat(fileno(r->in), &about) != 0) return REJECT(r, "%s", strerror(errno));
    if (!S_ISREG(about.st_mode)) return REJECT(r, "an .npy file is mapped and cannot come through a pipe");
    t->mapped_size = (size_t)about.st_size;
    void *mapped = mmap(NULL, t->mapped_size, PROT_READ, MAP_PRIVATE, fileno(r->in), 0);
    if (mapped == MAP_FAILED) return REJECT(r, "cannot be mapped: %s", strerror(errno));
    t->mapped = mapped;
    const unsigned char *bytes = t->mapped;
    if (t->mapped_size < 12) return REJECT(r, "truncated in its .npy header");
    if (memcmp(bytes, "\x93NUMPY", 6) != 0) return not_read(r, "neither text nor an .npy file");
    const size_t start = bytes[6] == 1 ? 10 : 12; /* version 1 has 16 bits for the length, 2 and 3 have 32 */
    size_t length = 0;
    for (size_t i = start; i-- > 8;) length = length << 8 | bytes[i];
    if (bytes[6] < 1 || bytes[6] > 3 || length > MAX_HEADER)
        return not_read(r, "of .npy files versions 1 to 3 are read, with up to 64 KB of header");
    if (length > t->mapped_size - start) return REJECT(r, "truncated in its .npy header");
    if ((start + length) % sizeof(double) != 0) return not_read(r, "its elements are not aligned to 8 bytes");
    char *header = strndup((const char *)bytes + start, length);
    t->cells = bytes + start + length;
    int status = header != NULL ? read_header(r, header, t->mapped_size - start - length) : no_memory(r);
    free(header);
    return status == 0 ? check_cells(r) : status;
}

/* ---- CSV ---- */

static int reject_field(const reader *r, int column, const char *text) {
    const size_t length = strcspn(text, ",");
    return table_complain(r->t, r->t->rows, column, r->err,
                          "'%.*s' is not a finite number; words become numbers by: %s", length < 40 ? (int)length : 40,
                          text, r->o->convert);
}

/* Makes room for another row. */
static bool make_room(reader *r) {
    table *t = r->t;
    if ((size_t)t->rows < r->capacity) return true;
    const size_t capacity = r->capacity == 0 ? 256 : r->capacity * 2;
    if (capacity > SIZE_MAX / sizeof(double) / (size_t)r->fields) return false;
    void *cells = realloc(t->owned, capacity * (size_t)r->fields * sizeof *t->owned);
    if (cells == NULL) return false;
    t->owned = cells;
    if (r->label >= 0) {
        void *labels = realloc(t->labels, capacity * sizeof *t->labels);
        if (labels == NULL) return false;
        t->labels = labels;
    }
    r->capacity = capacity;
    return true;
}

/* Takes a line as a row. A first line without a number among its coordinates is a header. */
static int read_line(reader *r, const char *text) {
    table *t = r->t;
    double *to;
    int fields = 1, numbers = 0, wrong = -1, column = 0;
    const char *p, *word = NULL, *label = NULL;
    for (p = text; *p != '\0'; p++) fields += *p == ',';
    if (r->fields == 0 && count_columns(r, fields) != 0) return 2;
    if (fields != r->fields) return REJECT_ROW(r, "%d columns, but the first line has %d", fields, r->fields);
    if (strchr(text, '"') != NULL) return REJECT_ROW(r, "a field in quotes; convert it: %s", r->o->convert);
    if (!make_room(r)) return no_memory(r);
    to = t->owned + (size_t)t->rows * t->stride;
    for (p = text; column < fields; p += strcspn(p, ",") + 1, column++) {
        const double number = parse_number(p);
        if (column == r->label) {
            label = p;
            continue;
        }
        if (isnan(number) && word == NULL) {
            word = p;
            wrong = column - (int)t->first;
        }
        numbers += !isnan(number);
        *to++ = number;
    }
    if (word != NULL && (t->rows > 0 || t->header > 0 || numbers > 0)) return reject_field(r, wrong, word);
    t->header = t->header > 0 || word != NULL;
    if (word != NULL) return 0;
    const double number = label != NULL ? parse_number(label) : NAN;
    if (label != NULL &&
        (isnan(number) ? put_label(r, t->rows, label, strcspn(label, ",")) : put_number_label(r, t->rows, number)) != 0)
        return 2;
    t->rows++;
    return 0;
}

static int read_csv(reader *r) {
    char *text = NULL;
    size_t capacity = 0;
    int status = 0;
    bool blank = false;
    ssize_t length;
    while (status == 0 && (length = getline(&text, &capacity, r->in)) >= 0) {
        while (length > 0 && strchr("\r\n", text[length - 1]) != NULL && text[length - 1] != '\0')
            text[--length] = '\0';
        for (ssize_t i = 0; i < length && status == 0; i++)
            if (((unsigned char)text[i] < ' ' && text[i] != '\t') || text[i] == 0x7f)
                status = not_read(r, "neither text nor an .npy file");
        if (status == 0 && blank && length > 0) status = REJECT_ROW(r, "a blank line before the end");
        blank = length == 0;
        if (status == 0 && r->t->rows == INT_MAX) status = REJECT(r, "more than 2147483647 rows");
        if (status == 0 && !blank) status = read_line(r, text + (strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0));
        r->t->stride = (size_t)r->t->columns;
    }
    if (status == 0 && ferror(r->in)) status = REJECT(r, "%s", strerror(errno));
    if (status == 0 && r->t->rows == 0) status = REJECT(r, "holds no records");
    free(text);
    r->t->cells = r->t->owned;
    r->t->type = CELL_F8;
    return status;
}

/* ---- the file ---- */

static int read_file(reader *r) {
    errno = 0;
    r->in = fopen(r->t->path, "re");
    const int first = r->in != NULL ? getc(r->in) : EOF;
    if (first == EOF) return REJECT(r, "%s", errno != 0 ? strerror(errno) : "is empty");
    ungetc(first, r->in);
    return first == 0x93 ? read_npy(r) : read_csv(r);
}

int table_read(const char *path, const table_options *options, table **read, FILE *err) {
    table *t = calloc(1, sizeof *t);
    reader r = {.t = t, .o = options, .err = err, .label = -1};
    *read = NULL;
    if (t == NULL || (t->path = strdup(path)) == NULL) {
        fprintf(err, "%s: out of memory\n", path);
        free(t);
        return 2;
    }
    const int status = read_file(&r);
    if (r.in != NULL) fclose(r.in);
    if (status != 0) table_free(t);
    if (status == 0) *read = t;
    return status;
}

void table_free(table *t) {
    if (t == NULL) return;
    if (t->mapped != NULL) munmap(t->mapped, t->mapped_size);
    for (int i = 0; t->labels != NULL && i < t->rows; i++) free(t->labels[i]);
    free(t->owned);
    free(t->labels);
    free(t->path);
    free(t);
}

/* ---- asking ---- */

void table_row(const table *t, int row, double *to) {
    for (size_t j = 0; j < t->stride; j++) to[j] = cell(t, (size_t)row * t->stride + j);
}

table table_part(const table *t, int first, int rows) {
    static const size_t sizes[] = {[CELL_U1] = 1, [CELL_I4] = 4, [CELL_F4] = 4, [CELL_F8] = 8};
    table part = *t;
    part.cells = (const char *)t->cells + (size_t)first * t->stride * sizes[t->type];
    part.rows = rows;
    return part;
}

const float *table_floats(const table *t) {
    return t->type == CELL_F4 ? t->cells : NULL;
}
