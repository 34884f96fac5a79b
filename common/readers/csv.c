/* CSV as in RFC 4180: fields separated by commas, in quotes if they contain commas, quotes (doubled) or line breaks;
 * lines end in CR LF or LF. In addition, a byte order mark at the start and blank lines at the end are skipped. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "readers/table_build.h"

enum { MAX_RECORD = 1 << 26, FIRST_ROWS = 16 };

typedef struct {
    const char *text; /* in the input's window, without the quotes around it */
    size_t length;
    uint64_t line;
    bool quoted, doubled; /* quoted; quoted with doubled quotes inside */
} field;

typedef struct {
    table *t;
    uint64_t line; /* of the next record */
    field *fields; /* of the current record */
    int count, capacity;
    uint64_t begins; /* its line */
    char *plain;     /* a field without its doubled quotes */
    size_t plain_capacity;
} reader;

static int no_memory(table *t) {
    return table_reject(t, 0, -1, "out of memory after %d rows", t->rows);
}

/* ---- a record's fields ---- */

typedef enum { RECORD_READ, RECORD_MORE, RECORD_END, RECORD_WRONG } record_status;

static bool put_field(reader *r, const field *f) {
    if (r->count == r->capacity) {
        const int twice = r->capacity == 0 ? 64 : r->capacity * 2;
        field *more = realloc(r->fields, (size_t)twice * sizeof *more);
        if (more == NULL) return false;
        r->fields = more;
        r->capacity = twice;
    }
    r->fields[r->count++] = *f;
    return true;
}

static record_status wrong(reader *r, uint64_t line, const char *reason) {
    table_reject(r->t, line, r->count, "%s", reason);
    return RECORD_WRONG;
}

/* Reads the quoted field at *at and moves *at past it. `final`: nothing follows `end`. */
static record_status scan_quoted(reader *r, const unsigned char **at, const unsigned char *end, bool final,
                                 uint64_t *line, field *f) {
    const unsigned char *p = *at + 1;
    f->quoted = true;
    f->text = (const char *)p;
    for (;; p++) {
        for (; p < end && *p != '"'; p++) {
            if (*p == '\n') ++*line;
            if (*p == '\0') return wrong(r, *line, "a NUL byte");
        }
        if (p == end && final) return wrong(r, f->line, "the quote that opens here is never closed");
        if (p == end || (p + 1 == end && !final)) return RECORD_MORE;
        if (p + 1 == end || p[1] != '"') break;
        f->doubled = true;
        p++;
    }
    f->length = (size_t)((const char *)p - f->text);
    *at = p + 1;
    return RECORD_READ;
}

/* Finds what ends an unquoted field, or is wrong in it. */
static const bool stops[256] = {[','] = true, ['\n'] = true, ['\r'] = true, ['"'] = true, ['\0'] = true};

static record_status scan_plain(reader *r, const unsigned char **at, const unsigned char *end, uint64_t line,
                                field *f) {
    const unsigned char *p = *at;
    while (p < end && !stops[*p]) p++;
    if (p < end && *p == '"') return wrong(r, line, "a quote in a field that does not begin with one");
    f->text = (const char *)*at;
    f->length = (size_t)(p - *at);
    *at = p;
    return RECORD_READ;
}

/* Moves *at past the line end there. */
static record_status scan_line_end(reader *r, const unsigned char **at, const unsigned char *end, bool final,
                                   uint64_t line) {
    const unsigned char *p = *at;
    if (*p == '\r') {
        if (p + 1 == end && !final) return RECORD_MORE;
        if (p + 1 == end || p[1] != '\n') return wrong(r, line, "a carriage return without a line feed");
        p++;
    }
    if (*p == '\0') return wrong(r, line, "a NUL byte");
    if (*p != '\n') return wrong(r, line, "text behind a closing quote");
    *at = p + 1;
    return RECORD_READ;
}

/* Finds the fields of the record at `begin`. `final`: nothing follows `end`. RECORD_READ: *taken is how long it is. */
static record_status scan_record(reader *r, const unsigned char *begin, const unsigned char *end, bool final,
                                 size_t *taken) {
    const unsigned char *p = begin;
    uint64_t line = r->line;
    r->count = 0;
    r->begins = line;
    for (;; p++) {
        if (r->count == TABLE_MAX_COLUMNS) return wrong(r, line, "more columns than 1048576");
        field f = {.line = line};
        record_status status =
            p < end && *p == '"' ? scan_quoted(r, &p, end, final, &line, &f) : scan_plain(r, &p, end, line, &f);
        if (status != RECORD_READ) return status;
        if (p == end && !final) return RECORD_MORE;
        const bool last = p == end || *p != ',';
        if (p < end && last) {
            status = scan_line_end(r, &p, end, final, line);
            if (status != RECORD_READ) return status;
            line++;
        }
        if (!put_field(r, &f)) {
            no_memory(r->t);
            return RECORD_WRONG;
        }
        if (last) break;
    }
    r->line = line;
    *taken = (size_t)(p - begin);
    return RECORD_READ;
}

/* Reads the fields of the next record; they stay valid until the next call. */
static record_status next_record(reader *r, size_t *pending) {
    input *in = r->t->in;
    input_take(in, *pending);
    *pending = 0;
    size_t length, wanted = 1;
    for (;;) {
        const unsigned char *bytes = input_peek(in, wanted, &length);
        if (length == 0) return input_failed(in) ? RECORD_WRONG : RECORD_END;
        const bool final = length < wanted;
        const record_status status = scan_record(r, bytes, bytes + length, final, pending);
        if (status != RECORD_MORE) return status;
        if (length > MAX_RECORD) {
            r->count = -1;
            return wrong(r, r->line, "a record longer than 64 MB; is a quote not closed?");
        }
        wanted = length + 1;
    }
}

/* The text of a field, unquoted. NULL: out of memory. */
static const char *field_text(reader *r, const field *f, size_t *length) {
    *length = f->length;
    if (!f->doubled) return f->text;
    if (f->length > r->plain_capacity) {
        free(r->plain);
        r->plain = malloc(f->length);
        r->plain_capacity = r->plain == NULL ? 0 : f->length;
        if (r->plain == NULL) return NULL;
    }
    *length = 0;
    for (size_t i = 0; i < f->length; i++) {
        r->plain[(*length)++] = f->text[i];
        if (f->text[i] == '"') i++;
    }
    return r->plain;
}

/* ---- a column's values ---- */

static uint64_t hash_text(const char *text, size_t length) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ length;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

static bool is_entry(const table_column *c, const table_entry *e, const char *text, size_t length) {
    return e->length == length && memcmp(c->texts + e->text, text, length) == 0;
}

static bool more_slots(table_column *c) {
    const uint32_t count = c->slot_count == 0 ? 16 : c->slot_count * 2;
    uint32_t *slots = count == 0 ? NULL : calloc(count, sizeof *slots);
    if (slots == NULL) return false;
    for (uint32_t i = 0; i < c->entry_count; i++) {
        uint32_t at = (uint32_t)c->entries[i].hash & (count - 1);
        while (slots[at] != 0) at = (at + 1) & (count - 1);
        slots[at] = i + 1;
    }
    free(c->slots);
    c->slots = slots;
    c->slot_count = count;
    return true;
}

/* The entry for this text, added if there is none; -1: out of memory. */
static int intern(table_column *c, const char *text, size_t length) {
    if (c->entry_count >= c->slot_count / 2 && !more_slots(c)) return -1;
    const uint64_t hash = hash_text(text, length);
    uint32_t at = (uint32_t)hash & (c->slot_count - 1);
    for (; c->slots[at] != 0; at = (at + 1) & (c->slot_count - 1)) {
        const table_entry *e = &c->entries[c->slots[at] - 1];
        if (e->hash == hash && is_entry(c, e, text, length)) return (int)c->slots[at] - 1;
    }
    if (c->entry_count == c->entry_capacity) {
        const uint32_t twice = c->entry_capacity == 0 ? 8 : c->entry_capacity * 2;
        table_entry *more = twice <= INT_MAX ? realloc(c->entries, twice * sizeof *more) : NULL;
        if (more == NULL) return -1;
        c->entries = more;
        c->entry_capacity = twice;
    }
    if (c->texts_capacity - c->texts_length <= length) {
        const size_t capacity = (c->texts_capacity + length) * 2 + 64;
        char *more = realloc(c->texts, capacity);
        if (more == NULL) return -1;
        c->texts = more;
        c->texts_capacity = capacity;
    }
    table_entry *e = &c->entries[c->entry_count];
    *e = (table_entry){.hash = hash, .text = c->texts_length, .number = 0, .length = (uint32_t)length};
    e->kind = table_parse_number(text, length, &e->number);
    if (e->kind != VALUE_NUMBER) e->number = __builtin_nan("");
    memcpy(c->texts + c->texts_length, text, length);
    c->texts[c->texts_length + length] = '\0';
    c->texts_length += length + 1;
    c->slots[at] = ++c->entry_count;
    return (int)c->entry_count - 1;
}

static int reject_not_finite(table *t, int column) {
    const table_column *c = &t->column[column];
    const table_entry *e = &c->entries[c->codes[c->not_finite_row]];
    return table_reject_value(t, table_line(t, c->not_finite_row), column, c->texts + e->text, e->length,
                              "is not a finite number");
}

/* Drops the spellings of a column and keeps its numbers; `rows` of them have been read. */
static int forget_spellings(table *t, int column, int rows) {
    table_column *c = &t->column[column];
    if (c->not_finite_row >= 0) return reject_not_finite(t, column);
    c->numbers = malloc((size_t)t->capacity * sizeof *c->numbers);
    if (c->numbers == NULL) return no_memory(t);
    for (int i = 0; i < rows; i++) c->numbers[i] = c->entries[c->codes[i]].number;
    free(c->codes);
    free(c->entries);
    free(c->slots);
    free(c->texts);
    c->codes = NULL;
    c->entries = NULL;
    c->slots = NULL;
    c->texts = NULL;
    return 0;
}

/* Stores a value in row t->rows of a column. */
static int put_value(table *t, int column, const char *text, size_t length, uint64_t line) {
    table_column *c = &t->column[column];
    const int row = t->rows;
    if (c->numbers != NULL) {
        const value_kind kind = table_parse_number(text, length, &c->numbers[row]);
        if (kind == VALUE_NUMBER) return 0;
        return table_reject_value(t, line, column, text, length,
                                  kind == VALUE_WORD
                                      ? "is not a number, but the column has more than 4096 different numbers above it"
                                      : "is not a finite number");
    }
    int code = row > 0 ? c->codes[row - 1] : -1;
    if (code < 0 || !is_entry(c, &c->entries[code], text, length)) code = intern(c, text, length);
    if (code < 0) return no_memory(t);
    c->codes[row] = code;
    const value_kind kind = c->entries[code].kind;
    if (kind == VALUE_WORD) c->word = true;
    if (kind == VALUE_NOT_FINITE && c->not_finite_row < 0) c->not_finite_row = row;
    if (c->entry_count > TABLE_MAX_NUMBERS && !c->word && !c->symbolic) return forget_spellings(t, column, row + 1);
    return 0;
}

/* ---- rows ---- */

static int make_columns(table *t, int count) {
    t->column = calloc((size_t)count, sizeof *t->column);
    if (t->column == NULL) return no_memory(t);
    t->columns = count;
    for (int i = 0; i < count; i++) {
        t->column[i].symbolic = table_symbolic(t, i);
        t->column[i].not_finite_row = -1;
    }
    return 0;
}

static bool grow(void **memory, int count, size_t size) {
    void *more = realloc(*memory, (size_t)count * size);
    if (more != NULL) *memory = more;
    return more != NULL;
}

/* Makes room for one more row by doubling. */
static int make_room(table *t) {
    if (t->rows < t->capacity) return 0;
    const int twice = t->capacity == 0 ? FIRST_ROWS : t->capacity > INT_MAX / 2 ? INT_MAX : t->capacity * 2;
    for (int i = 0; i < t->columns; i++) {
        table_column *c = &t->column[i];
        if (!(c->numbers != NULL ? grow((void **)&c->numbers, twice, sizeof *c->numbers)
                                 : grow((void **)&c->codes, twice, sizeof *c->codes)))
            return no_memory(t);
    }
    if (t->lines != NULL && !grow((void **)&t->lines, twice, sizeof *t->lines)) return no_memory(t);
    t->capacity = twice;
    return 0;
}

/* Line numbers are kept from the first row that does not directly follow the one before it. */
static int put_line(table *t, uint64_t line) {
    if (t->rows == 0) t->first_line = line;
    if (t->lines == NULL && line != t->first_line + (uint64_t)t->rows) {
        if (!grow((void **)&t->lines, t->capacity, sizeof *t->lines)) return no_memory(t);
        for (int i = 0; i < t->rows; i++) t->lines[i] = t->first_line + (uint64_t)i;
    }
    if (t->lines != NULL) t->lines[t->rows] = line;
    return 0;
}

static int put_record(reader *r) {
    table *t = r->t;
    if (t->rows == INT_MAX) return table_reject(t, r->begins, -1, "more than 2147483647 rows");
    if (make_room(t) != 0 || put_line(t, r->begins) != 0) return 2;
    for (int i = 0; i < t->columns; i++) {
        size_t length;
        const char *text = field_text(r, &r->fields[i], &length);
        if (text == NULL) return no_memory(t);
        if (put_value(t, i, text, length, r->fields[i].line) != 0) return 2;
    }
    t->rows++;
    return 0;
}

/* ---- the file ---- */

static bool is_blank(const reader *r) {
    return r->count == 1 && r->fields[0].length == 0 && !r->fields[0].quoted;
}

/* A copy of the current record, whose texts remain valid. */
static int keep_record(const reader *r, reader *kept) {
    size_t length = 0;
    for (int i = 0; i < r->count; i++) length += r->fields[i].length + 1;
    *kept = (reader){.t = r->t, .count = r->count, .begins = r->begins};
    kept->fields = malloc((size_t)r->count * sizeof *kept->fields);
    char *texts = malloc(length);
    if (kept->fields == NULL || texts == NULL) {
        free(kept->fields);
        free(texts);
        kept->fields = NULL;
        return no_memory(r->t);
    }
    for (int i = 0; i < r->count; i++) {
        kept->fields[i] = r->fields[i];
        kept->fields[i].text = texts;
        memcpy(texts, r->fields[i].text, r->fields[i].length);
        texts += r->fields[i].length;
        *texts++ = '\0';
    }
    return 0;
}

static bool holds_number(reader *r) {
    for (int i = 0; i < r->count; i++) {
        size_t length;
        double number;
        const char *text = field_text(r, &r->fields[i], &length);
        if (text != NULL && table_parse_number(text, length, &number) != VALUE_WORD) return true;
    }
    return false;
}

static int ragged(reader *r, uint64_t first_line) {
    table *t = r->t;
    const int column = r->count < t->columns ? r->count : t->columns;
    return table_reject(t, r->begins, column, "%s: line %llu has %d column%s, this one %d",
                        r->count < t->columns ? "missing" : "one too many", (unsigned long long)first_line, t->columns,
                        t->columns == 1 ? "" : "s", r->count);
}

static int read_records(reader *r, reader *first, table_header header) {
    table *t = r->t;
    size_t pending = 0;
    uint64_t blank = 0;   /* the line of the first of the current blank lines */
    bool waiting = false; /* the first record is still in `first` */
    record_status status;
    while ((status = next_record(r, &pending)) == RECORD_READ) {
        if (is_blank(r)) {
            if (blank == 0) blank = r->begins;
            continue;
        }
        if (blank != 0) return table_reject(t, blank, -1, "a blank line before the end");
        if (t->column == NULL) {
            if (make_columns(t, r->count) != 0 || keep_record(r, first) != 0) return 2;
            waiting = true;
            continue;
        }
        if (r->count != t->columns) return ragged(r, first->begins);
        if (waiting) {
            waiting = false;
            const bool names =
                header == TABLE_HEADER_YES || (header == TABLE_HEADER_AUTO && !holds_number(first) && holds_number(r));
            if (!names && put_record(first) != 0) return 2;
        }
        if (put_record(r) != 0) return 2;
    }
    if (status == RECORD_WRONG) return 2;
    if (t->column == NULL) return table_reject(t, 0, -1, "holds no records");
    if (waiting) {
        if (header == TABLE_HEADER_YES) return table_reject(t, 0, -1, "holds no records below its header");
        return put_record(first);
    }
    return 0;
}

int table_read_csv(table *t, table_header header) {
    reader r = {.t = t, .line = 1}, first = {.t = t};
    size_t length;
    const unsigned char *mark = input_peek(t->in, 3, &length);
    if (length >= 3 && memcmp(mark, "\xef\xbb\xbf", 3) == 0) input_take(t->in, 3);
    int status = read_records(&r, &first, header);
    if (first.fields != NULL) free((char *)first.fields[0].text);
    free(first.fields);
    free(first.plain);
    free(r.fields);
    free(r.plain);
    for (int i = 0; status == 0 && i < t->columns; i++) {
        const table_column *c = &t->column[i];
        if (c->not_finite_row >= 0 && !c->word && !c->symbolic && !input_failed(t->in))
            status = reject_not_finite(t, i);
    }
    return status;
}
