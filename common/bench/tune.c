#include "bench/tune.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/progress.h"

/* The whole file is text: this line, comments, and a line an entry with a tab between its fields. */
static const char first_line[] = "kernel-ladder tune file 3";
static const char older[] = "kernel-ladder tune file 2"; /* did not say what was timed: its entries hold for nothing */
enum { FIELDS = 12, MAX_BYTES = 1 << 22, MAX_ENTRIES = 2000, MAX_SIDE = 2000000000 };

/* ---- reading ---- */

static bool put(tune_table *t, const tune_entry *entry);

/* A whole decimal number without sign or blanks. */
static bool read_side(const char *text, int *value) {
    if (*text == '\0' || strlen(text) > 10 || strspn(text, "0123456789") != strlen(text)) return false;
    const long long number = strtoll(text, NULL, 10);
    *value = (int)number;
    return number <= MAX_SIDE;
}

static bool read_text(const char *text, char *to) {
    if (*text == '\0' || strlen(text) >= TUNE_TEXT) return false;
    strcpy(to, text);
    return true;
}

static bool read_time(const char *text, double *us) {
    char *end;
    if (*text == '\0' || strspn(text, "0123456789.e+-") != strlen(text)) return false;
    *us = strtod(text, &end);
    return *end == '\0' && isfinite(*us) && *us > 0.0;
}

/* Takes the line apart, in place. */
static bool read_entry(char *line, tune_entry *e) {
    char *field[FIELDS];
    int count = 0;
    for (char *rest = line; rest != NULL; count++) {
        if (count == FIELDS) return false;
        field[count] = strsep(&rest, "\t");
    }
    *e = (tune_entry){0};
    return count == FIELDS && read_text(field[0], e->variant) && read_text(field[1], e->device) &&
           read_text(field[2], e->build) && read_text(field[3], e->driver) && read_text(field[4], e->cuda) &&
           read_text(field[5], e->cache) && read_text(field[6], e->mode) && dtype_named(field[7], &e->type) &&
           read_side(field[8], &e->n) && read_side(field[9], &e->k) && read_text(field[10], e->candidate) &&
           read_time(field[11], &e->us);
}

/* Returns NULL, or what is wrong with the text, which is `length` bytes and a 0. */
static const char *read_lines(tune_table *t, char *text, size_t length) {
    if (strlen(text) != length) return "holds a zero byte";
    if (length > 0 && text[length - 1] != '\n') return "its last line is cut short";
    bool first = true;
    for (char *rest = text; *rest != '\0'; first = false) {
        char *line = strsep(&rest, "\n");
        tune_entry e;
        if (first && strcmp(line, older) == 0) return NULL;
        if (first && strcmp(line, first_line) != 0) return "is no tune file of this program";
        if (first || *line == '#') continue;
        if (!read_entry(line, &e)) return "has a line that makes no sense";
        if (!put(t, &e)) return "does not fit in memory";
    }
    return NULL;
}

/* As many bytes as there are, `size` at most, in as many reads as that takes. -1: errno says why. */
static ssize_t read_all(int fd, char *text, size_t size) {
    size_t have = 0;
    while (have < size) {
        const ssize_t length = read(fd, text + have, size - have);
        if (length == 0) break;
        if (length < 0 && errno != EINTR) return -1;
        if (length > 0) have += (size_t)length;
    }
    return (ssize_t)have;
}

/* Adds what the file holds to `t`. Returns NULL, or why it holds nothing. */
static const char *read_file(tune_table *t) {
    struct stat s;
    const int fd = open(t->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT ? NULL : strerror(errno);
    const char *reason = NULL;
    char *text = NULL;
    if (fstat(fd, &s) != 0)
        reason = strerror(errno);
    else if (!S_ISREG(s.st_mode))
        reason = "is no file";
    else if (s.st_size > MAX_BYTES)
        reason = "is too large for a tune file";
    else if ((text = calloc(1, (size_t)s.st_size + 1)) == NULL)
        reason = "does not fit in memory";
    else {
        const ssize_t length = read_all(fd, text, (size_t)s.st_size);
        reason = length < 0 ? strerror(errno) : read_lines(t, text, (size_t)length);
    }
    free(text);
    close(fd);
    if (reason != NULL) {
        free(t->entries);
        t->entries = NULL;
        t->count = 0;
    }
    return reason;
}

char *tune_default_path(void) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int length = -1;
    if (cache != NULL && *cache == '/') /* the specification: a relative one is ignored */
        length = asprintf(&path, "%s/kernel-ladder/gemv.tune", cache);
    else if (home != NULL && *home != '\0')
        length = asprintf(&path, "%s/.cache/kernel-ladder/gemv.tune", home);
    return length < 0 ? NULL : path;
}

void tune_open(tune_table *t, const char *path, FILE *err) {
    *t = (tune_table){.path = path != NULL ? realpath(path, NULL) : tune_default_path()}; /* not the link itself */
    if (t->path == NULL && path != NULL) t->path = strdup(path);                          /* it does not exist yet */
    if (t->path == NULL) {
        fprintf(err, "there is no home folder to keep tuned candidates in (--tune-file FILE names a place)\n");
        t->unwritable = true;
        return;
    }
    const char *reason = read_file(t);
    if (reason == NULL) return;
    struct stat s;
    if (stat(t->path, &s) == 0 && !S_ISREG(s.st_mode)) {
        fprintf(err, "%s: %s: what is tuned is not kept\n", t->path, reason);
        t->unwritable = true;
        return;
    }
    fprintf(err, "%s: %s: ignored; with the next result it becomes %s.old\n", t->path, reason, t->path);
}

void tune_close(tune_table *t) {
    free(t->path);
    free(t->entries);
    *t = (tune_table){0};
}

/* ---- looking up ---- */

static bool same_family(const tune_entry *a, const tune_entry *b) {
    return strcmp(a->variant, b->variant) == 0 && strcmp(a->device, b->device) == 0 &&
           strcmp(a->build, b->build) == 0 && strcmp(a->driver, b->driver) == 0 && strcmp(a->cuda, b->cuda) == 0 &&
           strcmp(a->cache, b->cache) == 0 && strcmp(a->mode, b->mode) == 0 && a->type == b->type;
}

static bool same_key(const tune_entry *a, const tune_entry *b) {
    return a->n == b->n && a->k == b->k && same_family(a, b);
}

static bool is_one_of(const char *name, const char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

const tune_entry *tune_find(const tune_table *t, const tune_entry *key, const char *const *names, int count) {
    for (int i = 0; i < t->count; i++)
        if (same_key(&t->entries[i], key) && is_one_of(t->entries[i].candidate, names, count)) return &t->entries[i];
    return NULL;
}

static double log_side(int side) {
    return log(side > 0 ? side : 1);
}

const tune_entry *tune_nearest(const tune_table *t, const tune_entry *key, const char *const *names, int count) {
    const tune_entry *nearest = NULL;
    double least = INFINITY;
    for (int i = 0; i < t->count; i++) {
        const tune_entry *e = &t->entries[i];
        if (!same_family(e, key) || !is_one_of(e->candidate, names, count)) continue;
        const double distance = hypot(log_side(e->n) - log_side(key->n), log_side(e->k) - log_side(key->k));
        if (distance >= least) continue;
        least = distance;
        nearest = e;
    }
    return nearest;
}

/* ---- writing ---- */

/* Where there are too many already, the oldest goes: most likely of a build that is no more. */
static bool put(tune_table *t, const tune_entry *entry) {
    for (int i = 0; i < t->count; i++)
        if (same_key(&t->entries[i], entry)) {
            t->entries[i] = *entry;
            return true;
        }
    if (t->count == MAX_ENTRIES) memmove(t->entries, t->entries + 1, (size_t)--t->count * sizeof *t->entries);
    tune_entry *grown = realloc(t->entries, (size_t)(t->count + 1) * sizeof *grown);
    if (grown == NULL) return false;
    t->entries = grown;
    t->entries[t->count++] = *entry;
    return true;
}

/* Makes the folders that `path` lies in. What fails shows when the file is opened. */
static void make_folders(const char *path) {
    char *copy = strdup(path);
    if (copy == NULL) return;
    for (char *c = copy + 1; *c != '\0'; c++) {
        if (*c != '/') continue;
        *c = '\0';
        mkdir(copy, 0777);
        *c = '/';
    }
    free(copy);
}

static bool print_table(FILE *f, const tune_table *t) {
    fprintf(
        f,
        "%s\n# variant, device, build, driver, CUDA, cache, mode, dtype, n, k, the fastest candidate, its microseconds "
        "(tabs between)\n",
        first_line);
    for (int i = 0; i < t->count; i++) {
        const tune_entry *e = &t->entries[i];
        fprintf(f, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%.4g\n", e->variant, e->device, e->build, e->driver,
                e->cuda, e->cache, e->mode, dtype_name(e->type), e->n, e->k, e->candidate, e->us);
    }
    return fflush(f) == 0 && !ferror(f);
}

/* Returns NULL, or why the file cannot be written; then it is as it was. */
static const char *write_file(const tune_table *t) {
    struct stat s;
    char *other = NULL;
    if (stat(t->path, &s) == 0 && !S_ISREG(s.st_mode)) return "is no file";
    if (asprintf(&other, "%s.XXXXXX", t->path) < 0) return "out of memory";
    const char *reason = NULL;
    const int fd = mkstemp(other);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (f == NULL) {
        reason = strerror(errno);
        if (fd >= 0) close(fd);
    } else {
        const mode_t mask = umask(0);
        umask(mask);
        fchmod(fd, 0666 & ~mask);
        if (!print_table(f, t)) reason = strerror(errno);
        if (fclose(f) != 0 && reason == NULL) reason = strerror(errno);
        if (reason == NULL && rename(other, t->path) != 0) reason = strerror(errno);
    }
    if (reason != NULL && fd >= 0) unlink(other);
    free(other);
    return reason;
}

/* Opens the folder of the file at `path` and waits until no other process holds it; -1 where that fails, and errno says
 * why. */
static int lock_folder(const char *path) {
    char *folder = strdup(path);
    if (folder == NULL) return -1;
    const int fd = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    int locked = fd < 0 ? -1 : flock(fd, LOCK_EX);
    while (fd >= 0 && locked != 0 && errno == EINTR) locked = flock(fd, LOCK_EX);
    if (locked == 0) return fd;
    const int why = errno;
    if (fd >= 0) close(fd);
    errno = why;
    return -1;
}

/* Adds the entry to what the file holds now. Returns NULL, or why that fails. */
static const char *add_to_file(tune_table *t, const tune_entry *entry) {
    tune_table now = {.path = t->path};
    const char *unreadable = read_file(&now);
    if (unreadable != NULL) {
        char *aside = NULL;
        const bool kept = asprintf(&aside, "%s.old", t->path) >= 0 && rename(t->path, aside) == 0;
        free(aside);
        if (!kept) return unreadable;
    }
    const char *reason = put(&now, entry) ? write_file(&now) : "out of memory";
    free(now.entries);
    return reason;
}

void tune_keep(tune_table *t, const tune_entry *entry, FILE *err) {
    put(t, entry);
    if (t->unwritable) return;
    make_folders(t->path);
    const int folder = lock_folder(t->path);
    const char *reason = folder < 0 ? strerror(errno) : add_to_file(t, entry);
    if (folder >= 0) close(folder); /* and unlocks */
    if (reason == NULL) return;
    t->unwritable = true;
    fprintf(err, "%s: %s: what was tuned is not kept\n", t->path, reason);
}

/* ---- searching ---- */

static int fastest(const double *times, const bool *out, int count) {
    int best = -1;
    for (int i = 0; i < count; i++)
        if (!isnan(times[i]) && (out == NULL || !out[i]) && (best < 0 || times[i] < times[best])) best = i;
    return best;
}

int tune_search(const tune_candidates *c, double *times, FILE *progress) {
    const long total = c->count + TUNE_FINALISTS;
    bool *measured = calloc((size_t)c->count + 1, sizeof *measured);
    if (measured == NULL) return -1;
    for (int i = 0; i < c->count; i++) {
        progress_show(progress, c->name(c->context, i), i, total);
        times[i] = c->fits(c->context, i) ? c->measure(c->context, i, false) : NAN;
    }
    int best = -1;
    for (int round = 0; round < TUNE_FINALISTS; round++) {
        const int i = fastest(times, measured, c->count);
        if (i < 0) break;
        progress_show(progress, c->name(c->context, i), c->count + round, total);
        measured[i] = true;
        times[i] = c->measure(c->context, i, true);
        if (!isnan(times[i]) && (best < 0 || times[i] < times[best])) best = i;
    }
    progress_clear(progress);
    free(measured);
    return best;
}
