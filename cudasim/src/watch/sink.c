#include "watch/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refuse(const char *path) {
    fprintf(stderr, "cudasim: %s cannot be written: %s\n", path, strerror(errno));
    return false;
}

/* The standard output or error that is this file; -1: neither is. */
static int open_already(const struct stat *file) {
    struct stat s;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &s) == 0 && s.st_dev == file->st_dev && s.st_ino == file->st_ino) return fd;
    return -1;
}

static FILE *open_new(const sink *s, mode_t mode) {
    const int fd = mkstemp(s->beside);
    if (fd < 0) return NULL;
    fchmod(fd, mode);
    return fdopen(fd, "w");
}

static void sink_free(sink *s) {
    free(s->target);
    free(s->beside);
}

/* False, and nothing to free, where it cannot be written; errno says why. */
static bool try_open(sink *s, const char *path) {
    struct stat there;
    const bool exists = stat(path, &there) == 0;
    *s = (sink){.target = exists ? realpath(path, NULL) : strdup(path)}; /* a link stays one */
    const int open = exists ? open_already(&there) : -1;
    if (exists && S_ISDIR(there.st_mode)) {
        errno = EISDIR;
    } else if (open >= 0) {
        s->to = fdopen(dup(open), "w");
    } else if (exists && !S_ISREG(there.st_mode)) {
        s->to = fopen(path, "w");
    } else if (s->target != NULL && (!exists || access(path, W_OK) == 0) &&
               asprintf(&s->beside, "%s.XXXXXX", s->target) >= 0) {
        const mode_t mask = umask(0);
        umask(mask);
        s->to = open_new(s, exists ? there.st_mode & 0777 : 0666 & ~mask);
    }
    if (s->to == NULL) sink_free(s);
    return s->to != NULL;
}

bool sink_open(sink *s, const char *path) {
    return try_open(s, path) || refuse(path);
}

bool sink_close(sink *s, const char *path) {
    const bool written = ferror(s->to) == 0;
    bool good = fclose(s->to) == 0 && written;
    if (s->beside != NULL && good) good = rename(s->beside, s->target) == 0;
    const int why = errno;
    if (s->beside != NULL && !good) unlink(s->beside);
    sink_free(s);
    errno = why;
    return good || refuse(path);
}

bool sink_try(const char *path) {
    struct stat there;
    sink s;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) &&
        !S_ISDIR(there.st_mode)) /* a pipe may wait for its reader */
        return access(path, W_OK) == 0 || refuse(path);
    if (!try_open(&s, path)) return refuse(path);
    fclose(s.to);
    if (s.beside != NULL) unlink(s.beside);
    sink_free(&s);
    return true;
}
