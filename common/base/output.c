#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_open_on(int descriptor, const struct stat *file) {
    struct stat s;
    return fstat(descriptor, &s) == 0 && s.st_dev == file->st_dev && s.st_ino == file->st_ino;
}

int output_descriptor(const char *path) {
    struct stat file;
    if (strcmp(path, "-") == 0) return STDOUT_FILENO;
    if (stat(path, &file) != 0) return -1;
    for (int descriptor = STDOUT_FILENO; descriptor < OUTPUT_DESCRIPTORS; descriptor++)
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
