#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_open_on(int descriptor, const struct stat *file) {
    struct stat s;
    return fstat(descriptor, &s) == 0 && s.st_dev == file->st_dev && s.st_ino == file->st_ino;
}

/* N of PREFIXN, or -1. */
static int number_behind(const char *path, const char *prefix) {
    const size_t length = strlen(prefix);
    if (strncmp(path, prefix, length) != 0 || path[length] == '\0') return -1;
    char *end;
    const long number = strtol(path + length, &end, 10);
    return strspn(path + length, "0123456789") == strlen(path + length) && number <= 1 << 20 ? (int)number : -1;
}

int output_descriptor(const char *path) {
    struct stat file;
    if (strcmp(path, "-") == 0) return STDOUT_FILENO;
    if (stat(path, &file) != 0) return -1;
    int named = number_behind(path, "/dev/fd/");
    if (named < 0) named = number_behind(path, "/proc/self/fd/");
    if (named >= 0) return named;
    for (int descriptor = STDOUT_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (is_open_on(descriptor, &file)) return descriptor;
    return -1;
}

int output_duplicate(int descriptor) {
    fflush(stdout);
    fflush(stderr);
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

void output_reserve(void) {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

bool output_flush(FILE *f) {
    errno = 0;
    return fflush(f) == 0 && !ferror(f);
}
