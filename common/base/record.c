/* Rows of measurements. One table of fields drives the CSV writer and reader. */
#include "base/record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"

typedef enum { TEXT, WHOLE, OPTIONAL_WHOLE, NUMBER } field_kind;

typedef struct {
    const char *name;
    field_kind kind;
    size_t offset;
} field;

#define FIELD(kind, name)                                                                                              \
    { #name, kind, offsetof(record, name) }

/* In the order of RECORD_HEADER. */
static const field fields[] = {
    FIELD(TEXT, step),
    FIELD(TEXT, variant),
    FIELD(TEXT, op),
    FIELD(TEXT, dtype),
    FIELD(TEXT, layout),
    FIELD(WHOLE, m),
    FIELD(WHOLE, n),
    FIELD(WHOLE, k),
    FIELD(OPTIONAL_WHOLE, d),
    FIELD(NUMBER, alpha),
    FIELD(NUMBER, beta),
    FIELD(TEXT, cache),
    FIELD(TEXT, mode),
    FIELD(NUMBER, ms_median),
    FIELD(NUMBER, ms_min),
    FIELD(NUMBER, ms_max),
    FIELD(NUMBER, gflops),
    FIELD(NUMBER, gbps),
    FIELD(NUMBER, peak_share),
    FIELD(TEXT, baseline),
    FIELD(NUMBER, baseline_ms),
    FIELD(NUMBER, ratio),
    FIELD(NUMBER, ratio_min),
    FIELD(NUMBER, ratio_max),
    FIELD(NUMBER, max_err_bound_share),
    FIELD(NUMBER, clock_mhz),
    FIELD(NUMBER, power_w),
    FIELD(TEXT, device),
    FIELD(TEXT, cc),
    FIELD(TEXT, driver),
    FIELD(TEXT, cuda),
    FIELD(TEXT, date),
    FIELD(TEXT, baseline_call),
    FIELD(TEXT, cublas),
    FIELD(TEXT, version),
    FIELD(OPTIONAL_WHOLE, pairs),
    FIELD(OPTIONAL_WHOLE, sets),
    FIELD(NUMBER, ms_low),
    FIELD(NUMBER, ms_high),
    FIELD(NUMBER, ratio_low),
    FIELD(NUMBER, ratio_high),
    FIELD(OPTIONAL_WHOLE, calls_tried),
    FIELD(OPTIONAL_WHOLE, calls_failed),
    FIELD(OPTIONAL_WHOLE, calls_wrong),
};

enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

static const char header_line[] = RECORD_HEADER "\n";
enum { HEADER_LENGTH = sizeof header_line - 1 };

record record_empty(void) {
    record r;
    memset(&r, 0, sizeof r);
    for (int i = 0; i < FIELD_COUNT; i++) {
        void *at = (char *)&r + fields[i].offset;
        if (fields[i].kind == NUMBER) *(double *)at = NAN;
        if (fields[i].kind == WHOLE || fields[i].kind == OPTIONAL_WHOLE) *(int64_t *)at = -1;
    }
    return r;
}

static const char *text_in(const record *r, const field *f) {
    return (const char *)r + f->offset;
}

static int64_t whole_in(const record *r, const field *f) {
    return *(const int64_t *)(const void *)((const char *)r + f->offset);
}

static double number_in(const record *r, const field *f) {
    return *(const double *)(const void *)((const char *)r + f->offset);
}

static bool measured(const record *r, const field *f) {
    switch (f->kind) {
    case TEXT:
        return *text_in(r, f) != '\0';
    case WHOLE:
        return true;
    case OPTIONAL_WHOLE:
        return whole_in(r, f) >= 0;
    case NUMBER:
        return isfinite(number_in(r, f)); /* no infinity is measured */
    }
    return false;
}

/* ---- formatting ---- */

/* As in RFC 4180: quoted, with its own quotes doubled, where it contains a comma, a quote or a carriage return. A row
 * is one line. */
static void put_text(FILE *f, const char *text) {
    const bool quoted = strpbrk(text, ",\"\r") != NULL;
    if (quoted) fputc('"', f);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', f);
        fputc(*text == '\n' ? ' ' : *text, f);
    }
    if (quoted) fputc('"', f);
}

/* Nine digits bring every float back exactly and are finer than any clock here. */
static void put_value(FILE *f, const record *r, const field *what) {
    switch (what->kind) {
    case TEXT:
        put_text(f, text_in(r, what));
        break;
    case WHOLE:
    case OPTIONAL_WHOLE:
        fprintf(f, "%lld", (long long)whole_in(r, what));
        break;
    case NUMBER:
        fprintf(f, "%.9g", number_in(r, what));
        break;
    }
}

/* The header and the row, to be freed; NULL when out of memory. */
static char *formatted(const record *r) {
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (f == NULL) return NULL;
    fputs(header_line, f);
    for (int i = 0; i < FIELD_COUNT; i++) {
        if (i > 0) fputc(',', f);
        if (measured(r, &fields[i])) put_value(f, r, &fields[i]);
    }
    fputc('\n', f);
    if (fclose(f) == 0) return text;
    free(text);
    return NULL;
}

/* ---- writing ---- */

/* Waits for other writers. Some network file systems do not support flock(); there a single write() to an O_APPEND
 * descriptor still keeps lines whole, so that is not an error. */
static void lock(int fd, int operation) {
    while (flock(fd, operation) != 0 && errno == EINTR) {}
}

/* A file that lines are appended to. */
typedef struct {
    int fd;
    bool pipe;    /* a named pipe */
    bool file;    /* a regular file; devices, pipes and what is already standard output have no length and no header to
                   * look back at */
    bool created; /* the file did not exist */
    int shared;   /* the open descriptor that the path refers to, of which fd is a duplicate; -1: none */
} target;

/* Shared descriptors (OUTPUT_DESCRIPTORS are bits enough) that have had their header and first line. Set when these are
 * written, not in prepare(): after that the process may still restart itself on the simulator. */
static uint64_t begun;

static off_t length_of(const target *t) {
    struct stat s;
    return t->file && fstat(t->fd, &s) == 0 ? s.st_size : 0;
}

/* Another process's prepare() removed the file while this one waited for the lock. */
static bool was_removed(const target *t) {
    struct stat s;
    return t->file && fstat(t->fd, &s) == 0 && s.st_nlink == 0;
}

/* Opens and locks. Returns NULL, or why not. */
static const char *open_to_append(const char *path, target *t) {
    const int flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, descriptor = output_descriptor(path);
    struct stat s;
    *t = (target){.fd = -1, .shared = descriptor};
    if (descriptor >= 0) {
        t->fd = output_duplicate(descriptor);
        return t->fd >= 0 ? NULL : strerror(errno);
    }
    for (;;) {
        t->fd = open(path, flags | O_EXCL, 0666);
        t->created = t->fd >= 0;
        if (t->fd < 0 && errno == EEXIST) t->fd = open(path, flags, 0666);
        if (t->fd < 0) return strerror(errno);
        t->file = fstat(t->fd, &s) == 0 && S_ISREG(s.st_mode);
        t->pipe = !t->file && S_ISFIFO(s.st_mode);
        lock(t->fd, LOCK_EX);
        if (!was_removed(t)) return NULL;
        close(t->fd);
    }
}

/* Writes everything with one write(), or nothing. Returns NULL, or why not. */
static const char *write_whole(const target *t, const char *text, size_t length) {
    const off_t before = length_of(t);
    ssize_t written;
    do written = write(t->fd, text, length);
    while (written < 0 && errno == EINTR);
    if (written == (ssize_t)length) return NULL;
    if (written < 0) return strerror(errno);
    /* Without a lock another writer may have appended since; then the torn line can no longer be cut off. */
    if (t->file && length_of(t) == before + written && ftruncate(t->fd, before) == 0)
        return "no room for the whole line";
    return "a line was written in part";
}

/* `text` starts with `header` bytes that are written only at the start of a file. */
int record_text_append(const char *path, const char *text, size_t header, FILE *err) {
    if (text == NULL) {
        fprintf(err, "%s: out of memory\n", path);
        return 2;
    }
    target t;
    const char *reason = open_to_append(path, &t);
    if (reason == NULL) {
        const bool shared = t.shared >= 0, first = shared && !(begun >> t.shared & 1);
        const size_t from = first || (t.file && length_of(&t) == 0) ? 0 : header;
        if (shared) begun |= UINT64_C(1) << t.shared;
        reason = write_whole(&t, text + from, strlen(text + from));
        if (close(t.fd) != 0 && reason == NULL) reason = strerror(errno);
    }
    if (reason == NULL) return 0;
    fprintf(err, "%s: %s\n", path, reason);
    return 2;
}

int record_csv_append(const char *path, const record *r, FILE *err) {
    char *text = formatted(r);
    const int status = record_text_append(path, text, HEADER_LENGTH, err);
    free(text);
    return status;
}

/* ---- preparing ---- */

/* Reads `length` bytes at `offset`; a file that ends earlier does not match. */
static bool file_holds(int fd, off_t offset, const char *expected, size_t length) {
    char found[HEADER_LENGTH];
    return pread(fd, found, length, offset) == (ssize_t)length && memcmp(found, expected, length) == 0;
}

/* Checks that an empty file can be written to, and leaves it empty; a device or pipe keeps the header. */
static const char *try_to_write(const target *t, const char *header) {
    const char *reason = write_whole(t, header, strlen(header));
    const bool alone = t->file && length_of(t) == (off_t)strlen(header);
    if (reason == NULL && alone && ftruncate(t->fd, 0) != 0) return strerror(errno);
    return reason;
}

/* Returns NULL if the file can be appended to, otherwise why not. */
static const char *prepare_open(const target *t, const char *header) {
    const off_t length = length_of(t);
    if (t->shared >= 0) return NULL;
    if (t->pipe) return "is a named pipe: name a file, or - for standard output";
    if (length == 0) return try_to_write(t, header);
    if (!file_holds(t->fd, 0, header, strlen(header)))
        return "holds something else: its first line is not this program's header";
    if (!file_holds(t->fd, length - 1, "\n", 1))
        return "its last line has no newline, as a write was cut short: complete or delete that line";
    return NULL;
}

int record_text_prepare(const char *option, const char *path, const char *header, FILE *err) {
    target t;
    const char *reason = open_to_append(path, &t);
    if (reason == NULL) reason = prepare_open(&t, header);
    if (reason != NULL) fprintf(err, "%s %s: %s\n", option, path, reason);
    /* A run that records nothing leaves no file behind; the first row creates it again. */
    if (t.created && t.file && length_of(&t) == 0) unlink(path);
    if (t.fd >= 0) close(t.fd);
    return reason == NULL ? 0 : 2;
}

int record_csv_prepare(const char *path, FILE *err) {
    return record_text_prepare("--csv", path, header_line, err);
}

/* ---- reading ---- */

typedef struct {
    long line;
    char reason[128]; /* set where reading failed */
} reader;

__attribute__((format(printf, 2, 3))) static bool refuse(reader *in, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(in->reason, sizeof in->reason, format, arguments);
    va_end(arguments);
    return false;
}

/* Takes a field off the line at *rest and unquotes it in place; *rest becomes NULL behind the last one. */
static bool take_field(reader *in, char **rest, char **text) {
    const bool opened = **rest == '"';
    bool closed = false;
    char *from = *rest + opened, *to = from;
    *text = from;
    while (*from != '\0' && !closed && (opened || *from != ',')) {
        if (*from == '"' && !opened) return refuse(in, "a quote inside an unquoted field");
        closed = *from == '"' && *++from != '"';
        if (!closed) *to++ = *from++;
    }
    if (opened && !closed) return refuse(in, "a quote that is not closed");
    if (*from != '\0' && *from != ',') return refuse(in, "text after a closing quote");
    if (to - *text >= RECORD_TEXT) return refuse(in, "a field longer than %d characters", RECORD_TEXT - 1);
    *rest = *from == ',' ? from + 1 : NULL;
    *to = '\0';
    return true;
}

static bool parse_whole(reader *in, const field *f, const char *text, int64_t *value) {
    if (f->kind == OPTIONAL_WHOLE && *text == '\0') {
        *value = -1;
        return true;
    }
    errno = 0;
    *value = strtoll(text, NULL, 10);
    if (*text == '\0' || strspn(text, "0123456789") != strlen(text) || errno == ERANGE)
        return refuse(in, "%s is not a whole number", f->name);
    return true;
}

/* Decimal and finite only: strtod alone would accept blanks, "nan", "inf" and hexadecimal. */
static bool parse_number(reader *in, const field *f, const char *text, double *value) {
    char *end;
    *value = *text == '\0' ? NAN : strtod(text, &end);
    if (*text == '\0') return true;
    if (strspn(text, "0123456789+-.eE") != strlen(text) || *end != '\0' || !isfinite(*value))
        return refuse(in, "%s is not a number", f->name);
    return true;
}

static bool set_field(reader *in, const field *f, const char *text, record *r) {
    void *target = (char *)r + f->offset;
    switch (f->kind) {
    case TEXT:
        memcpy(target, text, strlen(text) + 1);
        return true;
    case WHOLE:
    case OPTIONAL_WHOLE:
        return parse_whole(in, f, text, target);
    case NUMBER:
        return parse_number(in, f, text, target);
    }
    return false;
}

static bool read_row(reader *in, char *line, record *r) {
    char *texts[FIELD_COUNT], *surplus;
    int count = 0;
    for (; line != NULL; count++)
        if (!take_field(in, &line, count < FIELD_COUNT ? &texts[count] : &surplus)) return false;
    if (count != FIELD_COUNT) return refuse(in, "%d field%s instead of %d", count, count > 1 ? "s" : "", FIELD_COUNT);
    *r = record_empty();
    for (int i = 0; i < FIELD_COUNT; i++)
        if (!set_field(in, &fields[i], texts[i], r)) return false;
    return true;
}

/* Takes the header, or adds a row. */
static bool read_line(reader *in, char *line, size_t length, record **rows, int *count) {
    if (++in->line == 1) return strcmp(line, header_line) == 0 || refuse(in, "not this program's header");
    if (strlen(line) != length) return refuse(in, "a NUL byte");
    if (line[length - 1] != '\n')
        return refuse(in, "no newline at the end, as a write was cut short: complete or delete that line");
    line[length - 1] = '\0';
    record *grown = realloc(*rows, (size_t)(*count + 1) * sizeof *grown);
    if (grown == NULL) return refuse(in, "out of memory");
    *rows = grown;
    return read_row(in, line, &grown[(*count)++]);
}

int record_csv_load(const char *path, record **rows, int *count, FILE *err) {
    *rows = NULL;
    *count = 0;
    FILE *f = fopen(path, "re");
    if (f == NULL && errno == ENOENT) return 0;
    reader in = {.line = 0};
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool ok = f != NULL;
    if (ok) lock(fileno(f), LOCK_SH); /* not while another process is writing */
    while (ok && (length = getline(&line, &room, f)) >= 0) ok = read_line(&in, line, (size_t)length, rows, count);
    if (*in.reason != '\0')
        fprintf(err, "%s:%ld: %s\n", path, in.line, in.reason);
    else if (f == NULL || ferror(f)) {
        fprintf(err, "%s: %s\n", path, strerror(errno));
        ok = false;
    }
    free(line);
    if (f != NULL) fclose(f);
    if (ok) return 0;
    free(*rows);
    *rows = NULL;
    *count = 0;
    return 2;
}

/* ---- comparing ---- */

/* Scalars are floats, and a row read back from a file has nine digits of each. */
static bool same_scalar(double a, double b) {
    return (isnan(a) && isnan(b)) || (float)a == (float)b;
}

bool record_same_case(const record *a, const record *b) {
    return strcmp(a->step, b->step) == 0 && strcmp(a->variant, b->variant) == 0 && strcmp(a->op, b->op) == 0 &&
           strcmp(a->dtype, b->dtype) == 0 && strcmp(a->layout, b->layout) == 0 && a->m == b->m && a->n == b->n &&
           a->k == b->k && a->d == b->d && same_scalar(a->alpha, b->alpha) && same_scalar(a->beta, b->beta) &&
           strcmp(a->cache, b->cache) == 0 && strcmp(a->device, b->device) == 0 && strcmp(a->cc, b->cc) == 0;
}
