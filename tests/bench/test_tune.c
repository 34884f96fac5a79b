/* The tune file, several writers of it, and the search. */
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../folder.h"
#include "bench/tune.h"

/* ---- the tune file ---- */

static const char *message; /* said by the latest call */
static tune_table table;
static const char *const known[] = {"n2 r32 u4 v1", "n8 r32 u1 v2"};

static const char *known_name(void *context, int i) {
    return known[i];
}

static const tune_candidates candidates = {.count = ARRAY_SIZE(known), .name = known_name};

static int set_up(void **state) {
    const int failed = make_folder(state);
    name_file("a/b/gemv.tune");
    return failed;
}

static int tear_down(void **state) {
    tune_close(&table);
    return remove_folder(state);
}

static tune_entry entry(const char *type, int n, int k, const char *candidate, double us) {
    tune_entry e = {.n = n, .k = k, .us = us};
    snprintf(e.key, sizeof e.key, "best\tNVIDIA H200\t0123456789abcdef\t580.159.04\t13.0\tcold\tgraph\t%s", type);
    strcpy(e.candidate, candidate);
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

static void keep(tune_entry e) {
    tune_keep(&table, &e, listen_in());
    assert_heard("%s", "");
}

static const char *found(const char *type, int n, int k, bool exact) {
    const tune_entry wanted = entry(type, n, k, "", 0), *e = tune_find(&table, &wanted, exact, &candidates);
    return e != NULL ? e->candidate : "none";
}

TEST(tuned_results_come_back) {
    reopen_silently(0);
    keep(entry("f16", 1024, 1024, known[0], 1.625));
    keep(entry("bf16", 1024, 1024, known[1], 2.5));
    reopen_silently(2);
    assert_true(table.entries[0].us == 1.625);
    assert_string_equal(found("f16", 1024, 1024, true), known[0]);
    assert_string_equal(found("bf16", 1024, 1024, true), known[1]);
    assert_string_equal(found("f32", 1024, 1024, true), "none");
    assert_string_equal(found("f32", 1024, 1024, false), "none");
    assert_string_equal(found("f16", 1024, 1025, true), "none");
    keep(entry("f16", 1024, 1024, known[1], 1.5)); /* in the place of the first */
    keep(entry("f16", 7, 7, "of another program", 1.5));
    reopen_silently(4);
    assert_string_equal(found("f16", 1024, 1024, true), known[1]);
    assert_string_equal(found("f16", 7, 7, true), "none");
}

/* What another process kept meanwhile is not lost. */
TEST(two_writers) {
    tune_table other;
    reopen();
    tune_open(&other, path, stderr);
    const tune_entry e = entry("f16", 5, 5, known[0], 1);
    tune_keep(&other, &e, stderr);
    tune_close(&other);
    keep(entry("f16", 6, 6, known[1], 1));
    reopen();
    assert_string_equal(found("f16", 5, 5, true), known[0]);
    assert_string_equal(found("f16", 6, 6, true), known[1]);
}

TEST(the_nearest_shape) {
    reopen();
    assert_string_equal(found("f16", 100, 100, false), "none");
    keep(entry("f16", 1000, 1000, known[0], 1));
    keep(entry("f16", 10000, 10000, known[1], 1));
    keep(entry("f16", 3100, 3100, "unknown", 1));
    assert_string_equal(found("f16", 3000, 3000, false), known[0]); /* by the logarithm; 3162 is half-way */
    assert_string_equal(found("f16", 3300, 3300, false), known[1]);
    assert_string_equal(found("f16", 5600, 1000, false), known[0]); /* 0.75 0 against 0.25 1 */
    assert_string_equal(found("f16", 10000, 0, false), known[0]);
}

/* Whoever's they are, nothing in them is lost. */
TEST(damaged_files_stay_as_they_are) {
#define GOOD "kernel-ladder tune file 3\n"
    static const char *const texts[] = {
        "n,k\n1,2\n",
        "kernel-ladder tune file 2\n",
        GOOD "key\tn\t2\tc\t1\n",
        GOOD "key\t1\t\tc\t1\n",
        GOOD "key\t1\t2\tc\tfast\n",
        GOOD "1\t2\tc\t1\n",
        GOOD "\n",
        GOOD "key\t1\t2\tc\t1",
    };
    for (int i = 0; i < ARRAY_SIZE(texts); i++) {
        reopen();
        write_text(texts[i]);
        reopen();
        assert_non_null(strstr(message, "what is tuned is not kept"));
        assert_ptr_equal(strchr(message, '\n'), message + strlen(message) - 1);
        keep(entry("f16", 3, 4, known[0], 1));
        assert_string_equal(found("f16", 3, 4, true), known[0]); /* this process knows it */
        assert_string_equal(file_text(), texts[i]);
        unlink(path);
    }
    reopen();
    write_text(""); /* of a full disk, say: empty, and no harm */
    reopen_silently(0);
    write_text(GOOD "# a remark\n");
    reopen_silently(0);
}

TEST(unwritable_places_cost_one_line) {
    strcpy(path, "/proc/nowhere/gemv.tune");
    reopen();
    assert_non_null(strstr(message, "what is tuned is not kept: --tune-file /proc/nowhere/gemv.tune: No such file"));
    keep(entry("f16", 3, 4, known[0], 1));
    assert_string_equal(found("f16", 3, 4, true), known[0]);
    strcpy(path, folder); /* a folder */
    reopen();
    assert_non_null(strstr(message, "Is a directory\n"));
}

TEST(a_file_that_can_only_be_read_is_read) {
    reopen();
    keep(entry("f16", 3, 4, known[0], 1));
    assert_int_equal(chmod(path, 0444) | chmod(folder, 0755), 0);
    const uid_t user = geteuid();
    if (user == 0) assert_int_equal(seteuid(65534), 0); /* root may write all */
    reopen();
    assert_int_equal(seteuid(user), 0);
    assert_non_null(strstr(message, "what is tuned is not kept: --tune-file"));
    assert_string_equal(found("f16", 3, 4, true), known[0]);
}

/* All at once: nobody's result is lost. */
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
            const tune_entry e = entry("f16", 1 + w, 1 + i, known[0], 1);
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
    keep(entry("f16", 3, 4, known[0], 1));
    snprintf(place, sizeof place, "%s", path);
    snprintf(path, sizeof path, "%s/link", folder);
    assert_int_equal(symlink(place, path), 0);
    reopen();
    keep(entry("f16", 5, 4, known[0], 1));
    struct stat s;
    assert_true(lstat(path, &s) == 0 && S_ISLNK(s.st_mode));
    strcpy(path, place);
    reopen();
    assert_int_equal(table.count, 2);
}

TEST(the_cache_folder) {
    char wanted[160];
    setenv("HOME", folder, 1);
    setenv("XDG_CACHE_HOME", "relative", 1);
    tune_open(&table, NULL, stderr);
    snprintf(wanted, sizeof wanted, "%s/.cache/kernel-ladder/gemv.tune", folder);
    assert_string_equal(table.path, wanted);
    tune_close(&table);
    setenv("XDG_CACHE_HOME", folder, 1);
    tune_open(&table, NULL, stderr);
    snprintf(wanted, sizeof wanted, "%s/kernel-ladder/gemv.tune", folder);
    assert_string_equal(table.path, wanted);
    tune_close(&table);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    tune_open(&table, NULL, listen_in());
    assert_non_null(strstr(heard(), "there is no home folder"));
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

static const struct fixtures fixtures = {.before = set_up, .after = tear_down};
