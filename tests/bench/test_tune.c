/* The tune file, also on a system that misbehaves (reads that come in pieces or are interrupted, a lock that cannot be
 * had), several writers of it, and the search. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../folder.h"
#include "bench/tune.h"

/* ---- a system that misbehaves ---- */

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

/* ---- the tune file ---- */

static const char *message;
static tune_table table;
static const char *const known[] = {"n2 r32 u4 v1", "n8 r32 u1 v2"};

static int set_up(void **state) {
    if (make_folder(state) != 0) return -1;
    name_file("a/b/gemv.tune");
    return 0;
}

static int tear_down(void **state) {
    tune_close(&table);
    return remove_folder(state);
}

static tune_entry entry(dtype type, int n, int k, const char *candidate, double us) {
    tune_entry e = {.variant = "best",
                    .device = "NVIDIA H200",
                    .build = "0123456789abcdef",
                    .driver = "580.159.04",
                    .cuda = "13.0",
                    .cache = "cold",
                    .mode = "graph",
                    .type = type,
                    .n = n,
                    .k = k};
    strcpy(e.candidate, candidate);
    e.us = us;
    return e;
}

/* Opens the file anew; what was said is in `message`. */
static void reopen(void) {
    tune_close(&table);
    tune_open(&table, path, listen_in());
    message = heard();
}

static void reopen_silently(int count) {
    reopen();
    assert_string_equal(message, "");
    assert_int_equal(table.count, count);
}

static void keep_loudly(tune_entry e) {
    tune_keep(&table, &e, listen_in());
    message = heard();
}

static void keep(tune_entry e) {
    keep_loudly(e);
    assert_string_equal(message, "");
}

static const char *candidate_of(const tune_entry *e) {
    return e != NULL ? e->candidate : "none";
}

static const char *found(dtype type, int n, int k) {
    const tune_entry key = entry(type, n, k, "", 0);
    return candidate_of(tune_find(&table, &key, known, ARRAY_SIZE(known)));
}

static const char *nearest(dtype type, int n, int k) {
    const tune_entry key = entry(type, n, k, "", 0);
    return candidate_of(tune_nearest(&table, &key, known, ARRAY_SIZE(known)));
}

TEST(tuned_results_come_back) {
    reopen_silently(0);
    keep(entry(DTYPE_F16, 1024, 1024, known[0], 1.625));
    keep(entry(DTYPE_BF16, 1024, 1024, known[1], 2.5));
    reopen_silently(2);
    assert_true(table.entries[0].us == 1.625);
    assert_string_equal(found(DTYPE_F16, 1024, 1024), known[0]);
    assert_string_equal(found(DTYPE_BF16, 1024, 1024), known[1]);
    assert_string_equal(found(DTYPE_F32, 1024, 1024), "none");
    assert_string_equal(found(DTYPE_F16, 1024, 1025), "none");
    keep(entry(DTYPE_F16, 1024, 1024, known[1], 1.5)); /* in the place of the first */
    keep(entry(DTYPE_F16, 7, 7, "of another program", 1.5));
    reopen();
    assert_int_equal(table.count, 3);
    assert_string_equal(found(DTYPE_F16, 1024, 1024), known[1]);
    assert_string_equal(found(DTYPE_F16, 7, 7), "none");
    tune_entry key = entry(DTYPE_F16, 1024, 1024, known[0], 2.5);
    strcpy(key.build, "fedcba9876543210"); /* each build keeps its own result */
    keep(key);
    reopen_silently(4);
    assert_string_equal(found(DTYPE_F16, 1024, 1024), known[1]);
    assert_string_equal(tune_find(&table, &key, known, ARRAY_SIZE(known))->candidate, known[0]);
    char *const parts[] = {key.variant, key.device, key.build, key.driver, key.cuda, key.cache, key.mode};
    for (int i = 0; i < ARRAY_SIZE(parts); i++) {
        key = entry(DTYPE_F16, 1024, 1024, "", 0);
        assert_non_null(tune_find(&table, &key, known, ARRAY_SIZE(known)));
        strcpy(parts[i], "another");
        assert_null(tune_find(&table, &key, known, ARRAY_SIZE(known)));
        assert_null(tune_nearest(&table, &key, known, ARRAY_SIZE(known)));
    }
}

TEST(the_nearest_shape) {
    reopen();
    assert_string_equal(nearest(DTYPE_F16, 100, 100), "none");
    keep(entry(DTYPE_F16, 1000, 1000, known[0], 1));
    keep(entry(DTYPE_F16, 10000, 10000, known[1], 1));
    keep(entry(DTYPE_F16, 3100, 3100, "unknown", 1));
    assert_string_equal(nearest(DTYPE_F16, 3000, 3000), known[0]); /* by the logarithm; 3162 is half-way */
    assert_string_equal(nearest(DTYPE_F16, 3300, 3300), known[1]);
    assert_string_equal(nearest(DTYPE_F16, 5600, 1000), known[0]); /* 0.75 0 against 0.25 1 */
    assert_string_equal(nearest(DTYPE_F16, 10000, 0), known[0]);
    assert_string_equal(nearest(DTYPE_BF16, 1000, 1000), "none");
}

/* In place of the file. */
static void replace(const char *text, size_t length) {
    keep(entry(DTYPE_F16, 9, 9, known[0], 1)); /* makes the folders */
    write_bytes(text, length);
}

TEST(damaged_files_are_ignored_and_rewritten) {
#define GOOD "kernel-ladder tune file 3\n"
    static const char *const texts[] = {
        "n,k\n1,2\n",
        "kernel-ladder tune file 1\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t1\t2\tc\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t1\t2\tc\t1\t1\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf64\t1\t2\tc\t1\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t-1\t2\tc\t1\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t1\t9999999999\tc\t1\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t1\t2\tc\tnan\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t1\t2\tc\t0\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t1\t2\t\t1\n",
        GOOD "a\tb\t\td\te\tcold\tgraph\tf16\t1\t2\tc\t1\n",
        GOOD "a\tb\tc\td\tcold\tgraph\tf16\t1\t2\tc\t1\n",
        GOOD "\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t1\t2\tc\t1",
    };
    for (int i = 0; i < ARRAY_SIZE(texts); i++) {
        reopen();
        replace(texts[i], strlen(texts[i]));
        reopen();
        assert_non_null(strstr(message, "ignored; with the next result it becomes "));
        assert_ptr_equal(strchr(message, '\n'), message + strlen(message) - 1);
        assert_int_equal(table.count, 0);
        keep(entry(DTYPE_F16, 3, 4, known[0], 1));
        reopen_silently(1);
        name_file("a/b/gemv.tune.old");
        assert_string_equal(file_text(), texts[i]); /* whoever's it was, it is not lost */
        name_file("a/b/gemv.tune");
    }
    replace(GOOD "a\0b\n", sizeof GOOD + 3);
    reopen();
    assert_non_null(strstr(message, "zero byte"));
    replace("", 0); /* of a full disk, say: empty, and no harm */
    reopen_silently(0);
    replace(GOOD "# a remark\n", strlen(GOOD "# a remark\n"));
    reopen_silently(0);
}

/* Its entries do not say which build they are of: they are not found, without a word, and the next result replaces
 * them. */
TEST(a_file_of_0_9_is_empty) {
    const char *const text =
        "kernel-ladder tune file 2\nautotuned\tNVIDIA H200\tcold\tgraph\tf16\t1024\t1024\tn2\t1.5\n";
    reopen();
    replace(text, strlen(text));
    reopen_silently(0);
    keep(entry(DTYPE_F16, 3, 4, known[0], 1));
    reopen_silently(1);
}

TEST(unwritable_places_cost_one_line) {
    strcpy(path, "/proc/nowhere/gemv.tune");
    reopen_silently(0);
    keep_loudly(entry(DTYPE_F16, 3, 4, known[0], 1));
    assert_non_null(strstr(message, "not kept\n"));
    assert_string_equal(found(DTYPE_F16, 3, 4), known[0]); /* this process knows it */
    keep(entry(DTYPE_F16, 5, 4, known[0], 1));
    strcpy(path, folder); /* a folder */
    reopen();
    assert_non_null(strstr(message, "is no file: what is tuned is not kept"));
    keep(entry(DTYPE_F16, 3, 4, known[0], 1));
    struct stat s;
    assert_true(stat(folder, &s) == 0 && S_ISDIR(s.st_mode));
}

/* What another process kept meanwhile is not lost, nor what all keep at once. */
TEST(many_writers) {
    enum { WRITERS = 8, EACH = 20 };
    pid_t children[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        children[w] = fork();
        assert_true(children[w] >= 0);
        if (children[w] > 0) continue;
        tune_table own;
        tune_open(&own, path, stderr);
        for (int i = 0; i < EACH; i++) {
            const tune_entry e = entry(DTYPE_F16, 1 + w, 1 + i, known[0], 1);
            tune_keep(&own, &e, stderr);
        }
        _exit(0);
    }
    for (int w = 0; w < WRITERS; w++) assert_true(waitpid(children[w], NULL, 0) == children[w]);
    reopen();
    assert_int_equal(table.count, WRITERS * EACH);
}

/* A link, to a file in a folder of dotfiles say, stays one. */
TEST(a_link_stays_a_link) {
    char place[160];
    reopen();
    keep(entry(DTYPE_F16, 3, 4, known[0], 1));
    snprintf(place, sizeof place, "%s", path);
    name_file("link");
    assert_int_equal(symlink(place, path), 0);
    reopen();
    keep(entry(DTYPE_F16, 5, 4, known[0], 1));
    struct stat s;
    assert_true(lstat(path, &s) == 0 && S_ISLNK(s.st_mode));
    strcpy(path, place);
    reopen();
    assert_int_equal(table.count, 2);
}

TEST(the_cache_folder) {
    char *path;
    setenv("HOME", "/h", 1);
    setenv("XDG_CACHE_HOME", "/c", 1);
    path = tune_default_path();
    assert_string_equal(path, "/c/kernel-ladder/gemv.tune");
    free(path);
    setenv("XDG_CACHE_HOME", "relative", 1);
    path = tune_default_path();
    assert_string_equal(path, "/h/.cache/kernel-ladder/gemv.tune");
    free(path);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_null(tune_default_path());
}

TEST(short_reads_are_no_damage) {
    reopen();
    for (int n = 1; n <= 5; n++) keep(entry(DTYPE_F16, n, 64, known[0], 3.5));
    piece = 7;
    interrupted = true;
    reopen();
    keep(entry(DTYPE_F16, 6, 64, known[0], 3.5));
    reopen_silently(6);
    piece = 0;
    interrupted = false;
    reopen_silently(6);
}

/* Without the lock another process's results could be lost: nothing is written, and that is said. */
TEST(a_lock_that_fails_is_said) {
    reopen();
    keep(entry(DTYPE_F16, 1, 64, known[0], 3.5));
    lock_error = ENOLCK;
    keep_loudly(entry(DTYPE_F16, 7, 64, known[0], 3.5));
    lock_error = 0;
    assert_non_null(strstr(message, strerror(ENOLCK)));
    assert_non_null(strstr(message, "not kept\n"));
    reopen_silently(1);
}

/* Builds come and go: the file does not grow for ever. */
TEST(the_oldest_entry_goes) {
    reopen();
    keep(entry(DTYPE_F16, 1, 64, known[0], 3.5)); /* makes the file */
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    for (int n = 1000; n < 3000; n++)
        fprintf(f, "best\tmade up\tb\t580\t13.0\tcold\tgraph\tf16\t%d\t64\tn2 r32 u4 v1\t3.5\n", n);
    fclose(f);
    for (int kept = 0; kept < 2; kept++) {
        reopen_silently(2000);
        assert_int_equal(table.entries[0].n, 1000 + kept);
        assert_int_equal(table.entries[1999].n, kept == 0 ? 2999 : 8);
        keep(entry(DTYPE_F16, 8, 64, known[0], 3.5));
    }
}

/* ---- the search ---- */

typedef struct {
    double quick[6], careful[6];
    int verified[6], measured[6];
} made_up;

static bool made_up_fits(void *context, int i) {
    made_up *m = context;
    m->verified[i]++;
    return !isnan(m->quick[i]);
}

static double made_up_time(void *context, int i, bool finals) {
    made_up *m = context;
    assert_int_equal(m->verified[i], 1); /* before it is timed */
    m->measured[i]++;
    return finals ? m->careful[i] : m->quick[i];
}

static const char *made_up_name(void *context, int i) {
    return "candidate";
}

TEST(the_search_times_what_fits_and_has_finals) {
    made_up m = {.quick = {5, NAN, 3, 2, 4, 9}, .careful = {5, 0, 1.5, 2, 4, 0}};
    const tune_candidates c = {6, &m, made_up_fits, made_up_time, made_up_name};
    double times[6];
    FILE *quiet = fopen("/dev/null", "w");
    assert_int_equal(tune_search(&c, times, quiet), 2); /* only the careful time tells */
    assert_true(times[2] == 1.5 && isnan(times[1]) && times[5] == 9);
    assert_true(m.measured[1] == 0 && m.measured[5] == 1 && m.measured[0] == 2);
    made_up none = {.quick = {NAN, NAN, NAN, NAN, NAN, NAN}};
    const tune_candidates nothing = {6, &none, made_up_fits, made_up_time, made_up_name};
    assert_int_equal(tune_search(&nothing, times, quiet), -1);
    fclose(quiet);
}

int main(void) {
    return unit_run(set_up, tear_down);
}
