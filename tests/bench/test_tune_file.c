/* The tuning file on a system that misbehaves: reads that come in pieces or are interrupted, and a lock that cannot be
 * had. */
#include <errno.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../unit.h"
#include "bench/tune.h"

static int piece;        /* bytes that one read gives at most; 0: as many as asked for */
static bool interrupted; /* every other read and lock is, first */
static int lock_error;   /* 0: locks work */

static bool interrupt(void) {
    static bool odd;
    odd = !odd;
    if (interrupted && odd) errno = EINTR;
    return interrupted && odd;
}

ssize_t read(int fd, void *to, size_t size) {
    if (interrupt()) return -1;
    return syscall(SYS_read, fd, to, piece > 0 && size > (size_t)piece ? (size_t)piece : size);
}

int flock(int fd, int operation) {
    if (interrupt()) return -1;
    if (lock_error == 0) return (int)syscall(SYS_flock, fd, operation);
    errno = lock_error;
    return -1;
}

static char folder[] = "/tmp/test_tune_file_XXXXXX", path[64], said[512];

static tune_entry entry(int n) {
    tune_entry e = {.variant = "best", .device = "made up", .build = "0123456789abcdef", .driver = "580.159.04"};
    strcpy(e.cuda, "13.0");
    strcpy(e.cache, "cold");
    strcpy(e.mode, "graph");
    e.n = n;
    e.k = 64;
    strcpy(e.candidate, "n2 r32 u4 v1");
    e.us = 3.5;
    return e;
}

static int count_kept(void) {
    tune_table t;
    tune_open(&t, path, stderr);
    const int count = t.count;
    tune_close(&t);
    return count;
}

static void keep(int n) {
    tune_table t;
    const tune_entry e = entry(n);
    memset(said, 0, sizeof said);
    FILE *err = fmemopen(said, sizeof said - 1, "w");
    assert_non_null(err);
    tune_open(&t, path, err);
    tune_keep(&t, &e, err);
    tune_close(&t);
    fclose(err);
}

TEST(short_reads_are_no_damage) {
    for (int n = 1; n <= 5; n++) keep(n);
    piece = 7;
    interrupted = true;
    keep(6);
    assert_string_equal(said, "");
    assert_int_equal(count_kept(), 6);
    piece = 0;
    interrupted = false;
    assert_int_equal(count_kept(), 6);
}

/* Without the lock another process's results could be lost: nothing is written, and that is said. */
TEST(a_lock_that_fails_is_said) {
    const int before = count_kept();
    lock_error = ENOLCK;
    keep(7);
    lock_error = 0;
    assert_non_null(strstr(said, strerror(ENOLCK)));
    assert_non_null(strstr(said, "not kept\n"));
    assert_int_equal(count_kept(), before);
}

/* Builds come and go: the file does not grow for ever. */
TEST(the_oldest_entry_goes) {
    tune_table t;
    tune_open(&t, path, stderr);
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    for (int n = 1000; n < 3000; n++)
        fprintf(f, "best\tmade up\tb\t580\t13.0\tcold\tgraph\tf16\t%d\t64\tn2 r32 u4 v1\t3.5\n", n);
    fclose(f);
    tune_close(&t);
    tune_open(&t, path, stderr);
    assert_int_equal(t.count, 2000);
    assert_int_equal(t.entries[0].n, 1000);
    assert_int_equal(t.entries[1999].n, 2999);
    tune_close(&t);
    keep(8);
    assert_string_equal(said, "");
    tune_open(&t, path, stderr);
    assert_int_equal(t.count, 2000);
    assert_int_equal(t.entries[0].n, 1001);
    assert_int_equal(t.entries[1999].n, 8);
    tune_close(&t);
}

static int make_folder(void **state) {
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(path, sizeof path, "%s/gemv.tune", folder);
    return 0;
}

static int remove_folder(void **state) {
    return unlink(path) | rmdir(folder);
}

int main(void) {
    return unit_run_group(make_folder, remove_folder, NULL, NULL);
}
