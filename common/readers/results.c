#include "readers/results.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "base/record.h"

/* ---- a file that is written completely or not at all ---- */

typedef struct {
    FILE *f;
    char *target;    /* links followed */
    char *temporary; /* NULL: written directly */
} draft;

/* ---- a signal that ends the program removes the temporary file, of which there is one at a time ---- */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING = sizeof ending / sizeof *ending };
static struct sigaction before[ENDING];
static char *volatile doomed;

static void remove_doomed(int signal) {
    if (doomed != NULL) unlink(doomed);
    for (int i = 0; i < ENDING; i++)
        if (ending[i] == signal) sigaction(signal, &before[i], NULL);
    raise(signal);
}

/* A signal that was ignored (nohup) stays ignored. */
static void guard(char *temporary) {
    doomed = temporary;
    for (int i = 0; i < ENDING; i++) {
        const struct sigaction handler = {.sa_handler = remove_doomed};
        sigaction(ending[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) sigaction(ending[i], &handler, NULL);
    }
}

static void end_guard(void) {
    for (int i = 0; i < ENDING; i++) sigaction(ending[i], &before[i], NULL);
    doomed = NULL;
}

static void drop(draft *d) {
    if (d->f != NULL) fclose(d->f);
    if (d->temporary != NULL) {
        unlink(d->temporary);
        end_guard();
    }
    free(d->temporary);
    free(d->target);
    *d = (draft){0};
}

/* The mode and, if this process may set it, the owner of the file that is replaced; the usual mode of a new file if
 * there is none. */
static void give_mode(int fd, const struct stat *replaced) {
    if (replaced != NULL) {
        if (fchown(fd, replaced->st_uid, replaced->st_gid) != 0) errno = 0;
        fchmod(fd, replaced->st_mode & 0777);
        return;
    }
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
}

/* Creates a temporary file next to the target. Returns its descriptor, or -1 with errno set. */
static int open_beside(draft *d, const struct stat *replaced) {
    char *name;
    if (asprintf(&name, "%s.XXXXXX", d->target) < 0) {
        errno = ENOMEM;
        return -1;
    }
    sigset_t all, masked;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &masked); /* from its creation until it is guarded */
    const int fd = mkostemp(name, O_CLOEXEC), cause = errno;
    if (fd >= 0)
        guard(d->temporary = name);
    else
        free(name);
    pthread_sigmask(SIG_SETMASK, &masked, NULL);
    if (fd >= 0)
        give_mode(fd, replaced);
    else
        errno = cause;
    return fd;
}

/* Returns NULL, or why not. */
static const char *start(draft *d, const char *path) {
    struct stat about;
    *d = (draft){0};
    const int descriptor = output_descriptor(path);
    const bool there = stat(path, &about) == 0;
    int fd;
    if (there && S_ISDIR(about.st_mode)) return "is a folder";
    if (descriptor >= 0) {
        fd = output_duplicate(descriptor);
    } else if (there && !S_ISREG(about.st_mode)) {
        fd = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        if (there && access(path, W_OK) != 0) return strerror(errno);
        d->target = there ? realpath(path, NULL) : strdup(path);
        if (d->target == NULL) return strerror(errno);
        fd = open_beside(d, there ? &about : NULL);
    }
    if (fd < 0) return strerror(errno);
    d->f = fdopen(fd, "w");
    if (d->f != NULL) return NULL;
    close(fd);
    return strerror(errno);
}

/* Finishes the draft: moves it into place if nothing failed. Returns 0 or 3. */
static int finish(draft *d, const char *path, FILE *err) {
    const char *reason = NULL;
    errno = 0;
    if (fflush(d->f) != 0 || ferror(d->f)) reason = strerror(errno != 0 ? errno : EIO);
    if (fclose(d->f) != 0 && reason == NULL) reason = strerror(errno);
    d->f = NULL;
    if (reason == NULL && d->temporary != NULL) {
        if (rename(d->temporary, d->target) != 0) {
            reason = strerror(errno);
        } else {
            end_guard();
            free(d->temporary);
            d->temporary = NULL;
        }
    }
    drop(d);
    if (reason == NULL) return 0;
    fprintf(err, "%s: %s\n", path, reason);
    return 3;
}

static int cannot(draft *d, const char *path, const char *reason, int status, FILE *err) {
    fprintf(err, "%s: %s\n", path, reason);
    drop(d);
    return status;
}

int results_prepare(const char *path, FILE *err) {
    struct stat about;
    draft d = {0};
    if (output_descriptor(path) < 0 && stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return access(path, W_OK) == 0 ? 0 : cannot(&d, path, strerror(errno), 2, err);
    const char *reason = start(&d, path);
    if (reason != NULL) return cannot(&d, path, reason, 2, err);
    drop(&d);
    return 0;
}

/* ---- formats ---- */

static bool is_npy(const char *path) {
    const size_t length = strlen(path);
    return length >= 4 && strcasecmp(path + length - 4, ".npy") == 0;
}

/* Version 1.0; the elements begin at a multiple of 64 bytes. `columns` 0: one dimension. */
static void put_npy_header(FILE *f, const char *type, int rows, int columns) {
    char shape[32] = "", header[160];
    if (columns > 0) snprintf(shape, sizeof shape, " %d", columns);
    int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%d,%s), }", type,
                          rows, shape);
    while ((10 + length + 1) % 64 != 0) header[length++] = ' ';
    header[length++] = '\n';
    fwrite("\x93NUMPY\x01\x00", 1, 8, f);
    fputc(length & 0xff, f);
    fputc(length >> 8, f);
    fwrite(header, 1, (size_t)length, f);
}

static const char *with_order(const char *little, const char *big) {
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? little : big;
}

/* An empty label is quoted, or its line would be blank. */
static void put_label(FILE *f, const char *text) {
    if (*text == '\0')
        fputs("\"\"", f);
    else
        record_put_csv_text(f, text);
}

static void put_npy_labels(FILE *f, const label_set *labels, const int *predicted, int m) {
    if (labels->numeric) {
        put_npy_header(f, with_order("<f8", ">f8"), m, 0);
        for (int i = 0; i < m; i++) fwrite(&labels->values[predicted[i]], sizeof(double), 1, f);
        return;
    }
    size_t longest = 1;
    for (int i = 0; i < labels->count; i++)
        if (strlen(labels->names[i]) > longest) longest = strlen(labels->names[i]);
    char type[32];
    snprintf(type, sizeof type, "|S%zu", longest);
    put_npy_header(f, type, m, 0);
    for (int i = 0; i < m; i++) {
        const char *name = labels->names[predicted[i]];
        fputs(name, f);
        for (size_t k = strlen(name); k < longest; k++) fputc(0, f);
    }
}

int results_write_labels(const char *path, const label_set *labels, const int *predicted, int m, FILE *err) {
    draft d;
    const char *reason = start(&d, path);
    if (reason != NULL) return cannot(&d, path, reason, 3, err);
    if (is_npy(path)) {
        put_npy_labels(d.f, labels, predicted, m);
    } else {
        fputs("label\n", d.f);
        for (int i = 0; i < m; i++) {
            put_label(d.f, labels->names[predicted[i]]);
            fputc('\n', d.f);
        }
    }
    return finish(&d, path, err);
}

int results_write_indices(const char *path, const int *index, int m, int k, FILE *err) {
    draft d;
    const char *reason = start(&d, path);
    if (reason != NULL) return cannot(&d, path, reason, 3, err);
    if (is_npy(path)) {
        put_npy_header(d.f, with_order("<i4", ">i4"), m, k);
        fwrite(index, sizeof *index, (size_t)m * (size_t)k, d.f);
    } else {
        for (size_t i = 0; i < (size_t)m * (size_t)k; i++)
            fprintf(d.f, "%d%c", index[i], (i + 1) % (size_t)k == 0 ? '\n' : ',');
    }
    return finish(&d, path, err);
}

int results_write_distances(const char *path, const float *distance, int m, int k, FILE *err) {
    draft d;
    const char *reason = start(&d, path);
    if (reason != NULL) return cannot(&d, path, reason, 3, err);
    if (is_npy(path)) {
        put_npy_header(d.f, with_order("<f4", ">f4"), m, k);
        fwrite(distance, sizeof *distance, (size_t)m * (size_t)k, d.f);
    } else {
        for (size_t i = 0; i < (size_t)m * (size_t)k; i++)
            fprintf(d.f, "%.9g%c", (double)distance[i], (i + 1) % (size_t)k == 0 ? '\n' : ',');
    }
    return finish(&d, path, err);
}
