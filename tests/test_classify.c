/* From tables to coordinates and labels, and from predictions to rates and files. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "readers/classes.h"
#include "readers/encoding.h"
#include "readers/results.h"
#include "readers/table.h"

enum { MOST = 16 };

/* Tests run in the repository's root. */
#define KDD_CLASSES "step08_knn/kdd_classes.csv"

static char folder[64], path[160];
static char said[4096];
static FILE *err;
static table *tables[MOST];
static int table_count;
static features *f;
static label_set *labels;

static int set_up(void **state) {
    (void)state;
    strcpy(folder, "/tmp/test_classify_XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    while (table_count > 0) table_free(tables[--table_count]);
    features_free(f);
    labels_free(labels);
    f = NULL;
    labels = NULL;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static void listen_to(void) {
    memset(said, 0, sizeof said);
    err = fmemopen(said, sizeof said - 1, "w");
    assert_non_null(err);
}

static const char *place(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* What was said is `format` with the folder and a slash for each %s. */
static void assert_said(const char *format) {
    char expected[1024], with[80];
    fclose(err);
    snprintf(with, sizeof with, "%s/", folder);
    size_t length = 0;
    for (const char *p = format; *p != '\0';) {
        if (strncmp(p, "%s", 2) == 0) {
            length += (size_t)snprintf(expected + length, sizeof expected - length, "%s", with);
            p += 2;
        } else {
            expected[length++] = *p++;
        }
    }
    expected[length] = '\0';
    assert_string_equal(said, expected);
}

static table *make(const char *name, const char *text, const char *symbolic) {
    FILE *file = fopen(place(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    table *t;
    assert_int_equal(table_read(path, &(table_options){.symbolic = symbolic}, &t, stderr), 0);
    assert_true(table_count < MOST);
    return tables[table_count++] = t;
}

static void fit(const table *t, const int *rows, int count, features_options options, int dimension) {
    listen_to();
    features_free(f);
    assert_int_equal(features_fit(t, rows, count, &options, &f, err), 0);
    assert_said("");
    assert_int_equal(features_dimension(f), dimension);
}

static void refuse_fit(const table *t, const int *rows, int count, features_options options, const char *what) {
    listen_to();
    features_free(f);
    assert_int_equal(features_fit(t, rows, count, &options, &f, err), 2);
    assert_null(f);
    assert_said(what);
}

/* The rows encoded, beside values known; between guards. */
static void check_encoded(const table *t, const int *rows, int count, const float *expected, long long unseen) {
    const size_t values = (size_t)count * (size_t)features_dimension(f);
    float *got = malloc((values + 2) * sizeof *got);
    long long counted = -1;
    got[0] = got[values + 1] = 77;
    listen_to();
    assert_int_equal(features_encode(f, t, rows, 0, count, got + 1, &counted, err), 0);
    assert_said("");
    assert_true(got[0] == 77 && got[values + 1] == 77);
    for (size_t i = 0; i < values; i++)
        if (got[i + 1] != expected[i])
            fail_msg("value %zu: %.9g, not %.9g", i, (double)got[i + 1], (double)expected[i]);
    assert_true(counted == unseen);
    free(got);
}

static void refuse_encode(const table *t, const char *what) {
    float *got = malloc((size_t)table_rows(t) * (size_t)features_dimension(f) * sizeof *got);
    listen_to();
    assert_int_equal(features_encode(f, t, NULL, 0, table_rows(t), got, NULL, err), 2);
    assert_said(what);
    free(got);
}

/* ---- encoding ---- */

static void test_numbers(void **state) {
    (void)state;
    table *t = make("a", "1,2.5,x\n0.1,-7,y\n", NULL);
    fit(t, NULL, 0, (features_options){0}, 2);
    check_encoded(t, NULL, 2, (float[]){1, 2.5f, 0.1f, -7}, 0);
    check_encoded(t, (int[]){1}, 1, (float[]){0.1f, -7}, 0);
    fit(t, NULL, 0, (features_options){.labels = LABELS_FIRST}, 3); /* then x and y are categories */
    check_encoded(t, NULL, 2, (float[]){2.5f, 1, 0, -7, 0, 1}, 0);
    fit(t, NULL, 0, (features_options){.labels = LABELS_NONE}, 4);
    check_encoded(t, NULL, 2, (float[]){1, 2.5f, 1, 0, 0.1f, -7, 0, 1}, 0);
}

static void test_categories(void **state) {
    (void)state;
    table *train = make("train", "b,1,10\n\xc3\xa4,2,9\nB,3,10\nb,4,2\n,5,01\n", NULL);
    fit(train, NULL, 0, (features_options){.labels = LABELS_NONE}, 6);
    /* "", "B", "b", "ä" by their bytes; 01 and 10 are numbers */
    check_encoded(train, NULL, 5,
                  (float[]){0, 0, 1, 0, 1, 10, 0, 0, 0, 1, 2, 9, 0, 1, 0, 0, 3, 10, 0, 0, 1, 0, 4, 2, 1, 0, 0, 0, 5, 1},
                  0);
    table *test = make("test", "b,1,1\nc,1,1\nd,1,1\nc,1,1\n1,1,1\n", NULL);
    check_encoded(test, NULL, 5,
                  (float[]){0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1},
                  4);
    listen_to();
    features_report_unseen(f, test, NULL, 0, err);
    assert_said("%stest: column 1: 4 values of 3 categories that training lacks: 1 c d\n");
    listen_to();
    features_report_unseen(f, test, (int[]){0, 2}, 2, err);
    assert_said("%stest: column 1: 1 value of 1 category that training lacks: d\n");
    listen_to();
    features_report_unseen(f, train, NULL, 0, err);
    assert_said("");
    listen_to();
    features_describe(f, err);
    assert_said("6 coordinates: 2 numeric columns, 1 symbolic of 4 categories\n");
}

/* A slip among numbers makes a column symbolic, but is named. */
static void test_surprise(void **state) {
    (void)state;
    table *t = make("t", "1,a,0\n2,b,0\nO,3,1\n4,4,1\n", NULL);
    fit(t, NULL, 0, (features_options){0}, 8);
    listen_to();
    features_describe(f, err);
    assert_said("8 coordinates: 0 numeric columns, 2 symbolic of 8 categories\n"
                "%st:3: column 1: 'O' makes the column symbolic; 3 of its 4 values are numbers\n");
}

static void test_symbolic_given(void **state) {
    (void)state;
    table *train = make("train", "1,5,a\n01,6,b\n10,7,a\n9,7,a\n", "1");
    fit(train, NULL, 0, (features_options){0}, 5);
    /* by spelling: "01", "1", "10", "9" */
    check_encoded(train, NULL, 4, (float[]){0, 1, 0, 0, 5, 1, 0, 0, 0, 6, 0, 0, 1, 0, 7, 0, 0, 0, 1, 7}, 0);
    refuse_fit(make("words", "1,5,a\n2,6,b\n", "3"), NULL, 0, (features_options){0},
               "%swords: column 3: named by --symbolic, but it holds the labels\n");
    refuse_fit(make("more", "1,5,a\n2,?,b\n", "1"), NULL, 0, (features_options){0},
               "%smore:2: column 2: '?' is not a number\n");
    refuse_fit(make("nan", "1,nan,a\n2,x,b\n", "none"), NULL, 0, (features_options){0},
               "%snan:1: column 2: 'nan' is not a number\n");
}

static void test_training_decides(void **state) {
    (void)state;
    table *t = make("t", "1,0\n2,1\nx,0\n", NULL); /* the word is not among the training rows */
    fit(t, (int[]){0, 1}, 2, (features_options){0}, 1);
    refuse_encode(t, "%st:3: column 1: 'x' is not a number\n");
    check_encoded(t, (int[]){0, 1}, 2, (float[]){1, 2}, 0);
    fit(t, (int[]){1, 2}, 2, (features_options){0}, 2);
    check_encoded(t, (int[]){0, 1, 2}, 3, (float[]){0, 0, 1, 0, 0, 1}, 1);
}

static void test_scaling(void **state) {
    (void)state;
    table *train = make("train", "0,5,a,3\n10,5,b,4\n5,5,a,5\n5,5,a,4\n", NULL);
    table *test = make("test", "20,6,b,3.5\n", NULL);
    const double sd = sqrt(12.5), sd4 = sqrt(0.5);
    fit(train, NULL, 0, (features_options){.minmax = true, .labels = LABELS_NONE}, 5);
    check_encoded(train, NULL, 4, (float[]){0, 0, 1, 0, 0, 1, 0, 0, 1, 0.5f, 0.5f, 0, 1, 0, 1, 0.5f, 0, 1, 0, 0.5f}, 0);
    check_encoded(test, NULL, 1, (float[]){2, 0, 0, 1, 0.25f}, 0); /* outside; a constant column stays 0 */
    fit(train, NULL, 0, (features_options){.zscore = true, .labels = LABELS_NONE}, 5);
    check_encoded(train, (int[]){0, 1, 2}, 3,
                  (float[]){(float)(-5 / sd), 0, 1, 0, (float)(-1 / sd4), (float)(5 / sd), 0, 0, 1, 0, 0, 0, 1, 0,
                            (float)(1 / sd4)},
                  0);
    fit(train, NULL, 0, (features_options){.zscore = true, .minmax = true, .labels = LABELS_NONE}, 5);
    check_encoded(train, (int[]){0, 1, 2}, 3, (float[]){0, 0, 1, 0, 0, 1, 0, 0, 1, 0.5f, 0.5f, 0, 1, 0, 1}, 0);
    listen_to();
    features_describe(f, err);
    assert_said("5 coordinates: 3 numeric columns (1 constant), 1 symbolic of 2 categories\n");
    fit(train, (int[]){0, 2}, 2, (features_options){.minmax = true}, 3); /* those rows alone, where all are a */
    check_encoded(train, (int[]){1}, 1, (float[]){2, 0, 0}, 1);
}

static void test_scaling_extremes(void **state) {
    (void)state;
    table *far = make("far", "1e308,0\n-1e308,1\n", NULL);
    refuse_fit(far, NULL, 0, (features_options){.minmax = true},
               "%sfar: column 1: values from -1e+308 to 1e+308: too far apart for --normalize\n");
    refuse_fit(far, NULL, 0, (features_options){.zscore = true},
               "%sfar: column 1: values from -1e+308 to 1e+308: too far apart for --normalize\n");
    fit(far, NULL, 0, (features_options){0}, 1);
    refuse_encode(far, "%sfar:1: column 1: 1e+308: beyond FP32\n");
    table *near = make("near", "0,0\n1e-40,1\n", NULL);
    fit(near, NULL, 0, (features_options){.minmax = true}, 1);
    refuse_encode(make("big", "0,0\n1,1\n", NULL), "%sbig:2: column 1: 1: beyond FP32\n");
    table *large = make("large", "3.4028235e38,0\n-3.4028235e38,1\n", NULL);
    fit(large, NULL, 0, (features_options){0}, 1);
    check_encoded(large, NULL, 2, (float[]){3.4028235e38f, -3.4028235e38f}, 0);
}

static void test_mismatch(void **state) {
    (void)state;
    table *train = make("train", "1,2,a\n3,4,b\n", NULL);
    fit(train, NULL, 0, (features_options){0}, 2);
    refuse_encode(make("test", "1\n", NULL), "%stest: 1 column, but %strain has 3\n");
    refuse_encode(make("labels", "1,a\n", NULL), "%slabels:1: column 2: 'a' is not a number\n");
    refuse_encode(make("wide", "1,2,3,a\n", NULL), "%swide: 4 columns, but %strain has 3\n");
    refuse_encode(make("word", "x,y,label\n1,2,a\n1,z,b\n", NULL), "%sword:3: column 2: 'z' is not a number\n");
    refuse_encode(make("lines", "1,2,a\n1,\"two\nlines\t\",b\n", NULL),
                  "%slines:2: column 2: 'two?lines?' is not a number\n");
    table *one = make("one", "a\nb\n", NULL);
    refuse_fit(one, NULL, 0, (features_options){0}, "%sone: no columns but the labels\n");
    refuse_fit(train, (int[]){0}, 0, (features_options){0}, "%strain: no training rows\n");
    /* a test of numbers whose spellings are gone, where training has words */
    table *words = make("words", "a,0\nb,1\n", NULL);
    fit(words, NULL, 0, (features_options){0}, 2);
    char *text = malloc(100000);
    size_t length = 0;
    for (int i = 0; i < 5000; i++) length += (size_t)sprintf(text + length, "%d,0\n", i);
    refuse_encode(make("many", text, NULL), "%smany: column 1: more than 4096 different numbers where %swords has "
                                            "categories; name it with --symbolic\n");
    free(text);
}

/* A test without labels has one column fewer: in front or at the end. */
static void test_without_labels(void **state) {
    (void)state;
    table *train = make("train", "x,1,u,7\ny,2,v,8\n", NULL);
    table *last = make("last", "z,5,v\n", NULL), *first = make("first", "5,v,9\n", NULL);
    fit(train, NULL, 0, (features_options){.labels = LABELS_LAST}, 5);
    check_encoded(last, NULL, 1, (float[]){0, 0, 5, 0, 1}, 1);
    listen_to();
    features_report_unseen(f, last, NULL, 0, err);
    assert_said("%slast: column 1: 1 value of 1 category that training lacks: z\n");
    fit(train, NULL, 0, (features_options){.labels = LABELS_FIRST}, 4);
    check_encoded(first, NULL, 1, (float[]){5, 0, 1, 9}, 0);
    fit(train, NULL, 0, (features_options){.labels = LABELS_NONE}, 6);
    refuse_encode(last, "%slast: 3 columns, but %strain has 4\n");
}

/* Arrays of numbers, whole, without labels in front or behind, in part, and scaled. */
static void test_arrays(void **state) {
    (void)state;
    const float data[] = {1, 2, 3, 4, 5, 6};
    assert_int_equal(results_write_distances(place("x.npy"), data, 2, 3, stderr), 0);
    table *t;
    assert_int_equal(table_read(path, &(table_options){0}, &t, stderr), 0);
    tables[table_count++] = t;
    fit(t, NULL, 0, (features_options){.labels = LABELS_NONE}, 3);
    check_encoded(t, NULL, 2, data, 0);
    fit(t, NULL, 0, (features_options){.labels = LABELS_LAST}, 2);
    check_encoded(t, NULL, 2, (float[]){1, 2, 4, 5}, 0);
    float one[2];
    assert_int_equal(features_encode(f, t, NULL, 1, 1, one, NULL, stderr), 0);
    assert_true(one[0] == 4 && one[1] == 5);
    fit(t, NULL, 0, (features_options){.labels = LABELS_FIRST}, 2);
    check_encoded(t, (int[]){1}, 1, (float[]){5, 6}, 0);
    assert_int_equal(features_encode(f, t, (int[]){0, 1, 0}, 1, 1, one, NULL, stderr), 0);
    assert_true(one[0] == 5 && one[1] == 6);
    fit(t, NULL, 0, (features_options){.labels = LABELS_NONE, .minmax = true}, 3);
    check_encoded(t, NULL, 2, (float[]){0, 0, 0, 1, 1, 1}, 0);
    table *text = make("text", "7,8,9\n", NULL);
    fit(t, NULL, 0, (features_options){.labels = LABELS_NONE}, 3);
    check_encoded(text, NULL, 1, (float[]){7, 8, 9}, 0);
}

/* Many values, which threads share: the first that is wrong is the one that is named. */
static void test_many_values(void **state) {
    (void)state;
    enum { ROWS = 20000, COLUMNS = 200 };
    const size_t size = (size_t)ROWS * COLUMNS * 2;
    char *text = malloc(size + 1);
    for (size_t i = 0; i < size; i += 2) {
        text[i] = (char)('0' + i / 2 % 7);
        text[i + 1] = (i / 2 + 1) % COLUMNS == 0 ? '\n' : ',';
    }
    text[size] = '\0';
    table *t = make("t", text, NULL);
    fit(t, NULL, 0, (features_options){.labels = LABELS_NONE, .zscore = true, .minmax = true}, COLUMNS);
    float *values = malloc((size_t)ROWS * COLUMNS * sizeof *values);
    assert_int_equal(features_encode(f, t, NULL, 0, ROWS, values, NULL, stderr), 0);
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++)
        if (fabs((double)values[i] - (double)(i % 7) / 6) > 1e-6) fail_msg("value %zu: %g", i, (double)values[i]);
    free(values);
    text[2 * ((size_t)300 * COLUMNS + 150)] = text[2 * ((size_t)15000 * COLUMNS + 3)] = 'x';
    table *words = make("words", text, "none");
    refuse_fit(words, NULL, 0, (features_options){.labels = LABELS_NONE},
               "%swords:301: column 151: 'x' is not a number\n");
    fit(t, NULL, 0, (features_options){.labels = LABELS_NONE}, COLUMNS);
    refuse_encode(words, "%swords:301: column 151: 'x' is not a number\n");
    free(text);
}

static void test_binary_table(void **state) {
    (void)state;
    FILE *file = fopen(place("x.bvecs"), "wb");
    fwrite("\3\0\0\0\1\2\0\3\0\0\0\4\5\1\3\0\0\0\7\2\1", 1, 21, file);
    fclose(file);
    table *t;
    assert_int_equal(table_read(path, &(table_options){.symbolic = "2"}, &t, stderr), 0);
    tables[table_count++] = t;
    fit(t, NULL, 0, (features_options){0}, 3);
    check_encoded(t, NULL, 3, (float[]){1, 1, 0, 4, 0, 1, 7, 1, 0}, 0);
    int codes[3];
    assert_int_equal(labels_fit(t, 2, NULL, 0, &labels, stderr), 0);
    assert_int_equal(labels_encode(labels, t, 2, NULL, 0, codes, stderr), 0);
    assert_true(labels->count == 2 && codes[0] == 0 && codes[1] == 1 && codes[2] == 1);
    assert_string_equal(labels->names[1], "1");
}

static void test_words_of_options(void **state) {
    (void)state;
    features_options o = {0};
    assert_true(features_parse_normalize("zscore,minmax", &o) && o.zscore && o.minmax);
    assert_true(features_parse_normalize("minmax", &o) && !o.zscore && o.minmax);
    assert_true(features_parse_normalize("zscore", &o) && o.zscore && !o.minmax);
    assert_true(features_parse_normalize("none", &o) && !o.zscore && !o.minmax);
    assert_false(features_parse_normalize("minmax,zscore", &o) || features_parse_normalize("", &o));
    labels_place where;
    assert_true(features_parse_labels("first", &where) && where == LABELS_FIRST);
    assert_true(features_parse_labels("last", &where) && where == LABELS_LAST);
    assert_true(features_parse_labels("none", &where) && where == LABELS_NONE);
    assert_false(features_parse_labels("middle", &where));
}

/* ---- rows ---- */

static void check_list(const int *rows, int count, const bool *allowed, int limit) {
    for (int i = 0; i < count; i++) {
        assert_true(rows[i] >= 0 && rows[i] < limit && allowed[rows[i]]);
        assert_true(i == 0 || rows[i] > rows[i - 1]);
    }
}

static void test_split(void **state) {
    (void)state;
    enum { ROWS = 1000 };
    bool all[ROWS];
    memset(all, true, sizeof all);
    int *a, *b, *again, *other, na, nb, n2, n3;
    assert_int_equal(rows_split(NULL, ROWS, 0.8, 1, &a, &na, &b, &nb, stderr), 0);
    assert_true(na == 800 && nb == 200);
    check_list(a, na, all, ROWS);
    for (int i = 0; i < na; i++) all[a[i]] = false;
    check_list(b, nb, all, ROWS);
    assert_int_equal(rows_split(NULL, ROWS, 0.8, 1, &again, &n2, &other, &n3, stderr), 0);
    assert_memory_equal(a, again, 800 * sizeof *a);
    free(again);
    free(other);
    assert_int_equal(rows_split(NULL, ROWS, 0.8, 2, &again, &n2, &other, &n3, stderr), 0);
    assert_memory_not_equal(a, again, 800 * sizeof *a);
    free(again);
    free(other);
    /* of a list */
    assert_int_equal(rows_split(b, nb, 0.5, 3, &again, &n2, &other, &n3, stderr), 0);
    assert_true(n2 == 100 && n3 == 100);
    check_list(again, n2, all, ROWS);
    free(again);
    free(other);
    listen_to();
    assert_int_equal(rows_split(NULL, 3, 0.1, 1, &again, &n2, &other, &n3, err), 2);
    assert_said("--split 0.1: leaves none of 3 rows for training\n");
    listen_to();
    assert_int_equal(rows_split(NULL, 3, 0.9, 1, &again, &n2, &other, &n3, err), 2);
    assert_said("--split 0.9: leaves none of 3 rows for the test\n");
    for (int i = 0; i < 3; i++) {
        listen_to();
        assert_int_equal(rows_split(NULL, 3, (double[]){0, 1, NAN}[i], 1, &again, &n2, &other, &n3, err), 2);
        assert_said((const char *[]){"--split 0: not between 0 and 1\n", "--split 1: not between 0 and 1\n",
                                     "--split nan: not between 0 and 1\n"}[i]);
    }
    free(a);
    free(b);
}

/* ---- labels ---- */

static void test_labels_of_numbers(void **state) {
    (void)state;
    table *train = make("train", "0,10\n0,9\n0,-1.5\n0,9.0\n0,1e1\n", NULL);
    table *test = make("test", "0,9\n0,7\n0,?\n0,100\n0,010\n", NULL);
    int codes[5];
    assert_int_equal(labels_fit(train, 1, NULL, 0, &labels, stderr), 0);
    assert_true(labels->numeric && labels->count == 3 && labels->trained == 3);
    assert_string_equal(labels->names[0], "-1.5");
    assert_string_equal(labels->names[2], "10");
    assert_true(labels->values[1] == 9);
    assert_int_equal(labels_encode(labels, train, 1, NULL, 0, codes, stderr), 0);
    assert_memory_equal(codes, ((int[]){2, 1, 0, 1, 2}), sizeof codes);
    assert_int_equal(labels_encode(labels, test, 1, NULL, 0, codes, stderr), 0);
    assert_true(labels->count == 6 && labels->trained == 3);
    assert_memory_equal(codes, ((int[]){1, 3, 5, 4, 2}), sizeof codes);
    assert_string_equal(labels->names[5], "?");
    assert_true(isnan(labels->values[5]));
    assert_int_equal(labels_find(labels, "1.0e1"), 2);
    assert_int_equal(labels_find(labels, "nothing"), -1);
}

static void test_labels_of_words(void **state) {
    (void)state;
    table *train = make("train", "b,0\n10,0\n9,0\nB,0\nb,0\n", NULL);
    int codes[2];
    assert_int_equal(labels_fit(train, 0, NULL, 0, &labels, stderr), 0);
    assert_false(labels->numeric);
    assert_int_equal(labels->count, 4);
    for (int i = 0; i < 4; i++) assert_string_equal(labels->names[i], ((const char *[]){"10", "9", "B", "b"}[i]));
    labels_free(labels);
    assert_int_equal(labels_fit(train, 0, (int[]){1, 2}, 2, &labels, stderr), 0); /* numbers alone: by value */
    assert_true(labels->numeric && labels->count == 2);
    assert_string_equal(labels->names[0], "9");
    assert_int_equal(labels_encode(labels, train, 0, (int[]){0, 1}, 2, codes, stderr), 0);
    assert_true(codes[0] == 2 && codes[1] == 1 && labels->trained == 2);
}

static void test_many_labels(void **state) {
    (void)state;
    char *text = malloc(200000);
    size_t length = 0;
    for (int i = 0; i < 6000; i++) length += (size_t)sprintf(text + length, "0,%d\n", 6000 - i);
    table *t = make("many", text, NULL);
    free(text);
    int *codes = malloc(6000 * sizeof *codes);
    assert_int_equal(labels_fit(t, 1, NULL, 0, &labels, stderr), 0);
    assert_int_equal(labels_encode(labels, t, 1, NULL, 0, codes, stderr), 0);
    assert_int_equal(labels->count, 6000);
    for (int i = 0; i < 6000; i++) assert_int_equal(codes[i], 5999 - i);
    free(codes);
}

/* ---- what predictions are worth ---- */

static void test_confusion(void **state) {
    (void)state;
    table *t = make("t", "0,cat\n0,dog\n0,x\n", NULL);
    assert_int_equal(labels_fit(t, 1, (int[]){0, 1}, 2, &labels, stderr), 0);
    int codes[3];
    assert_int_equal(labels_encode(labels, t, 1, NULL, 0, codes, stderr), 0);
    const int truth[] = {0, 0, 0, 1, 1, 2}, predicted[] = {0, 0, 1, 1, 0, 0};
    confusion c;
    assert_int_equal(confusion_make(&c, 3, truth, predicted, 6, NULL, stderr), 0);
    assert_true(confusion_accuracy(&c) == 0.5 && c.right == 3 && c.total == 6);
    assert_true(confusion_precision(&c, 0) == 0.5 && confusion_recall(&c, 0) == 2.0 / 3);
    assert_true(confusion_precision(&c, 1) == 0.5 && confusion_recall(&c, 1) == 0.5);
    assert_true(isnan(confusion_precision(&c, 2)) && confusion_recall(&c, 2) == 0);
    listen_to();
    confusion_print(&c, labels, err);
    assert_said("accuracy  50.00 %: 3 of 6\n"
                "confusion matrix: rows are true classes, columns predictions\n"
                "       cat  dog  x\n"
                "cat      2    1  0\n"
                "dog      1    1  0\n"
                "x        1    0  0\n"
                "class    records  predicted  precision     recall\n"
                "cat            3          4    50.00 %    66.67 %\n"
                "dog            2          2    50.00 %    50.00 %\n"
                "x              1          0          -     0.00 %  (not in training)\n");
    class_map m;
    assert_int_equal(class_map_make(NULL, "dog", labels, &m, stderr), 0);
    confusion groups;
    assert_int_equal(confusion_make(&groups, m.groups, truth, predicted, 6, m.group, stderr), 0);
    assert_int_equal(groups.right, 4);
    const class_rates r = class_map_rates(&groups, 1);
    assert_true(r.records == 2 && r.own == 1 && r.detection == 0.5 && r.any == 0.5 && r.false_alarms == 0.25);
    listen_to();
    class_map_print(&m, &groups, err);
    assert_said("detection: predicted as this class; as any: as any but others; false alarms: records of others "
                "predicted as this class\n"
                "class     records  detection     as any  false alarms\n"
                "dog             2    50.00 %    50.00 %       25.00 %\n");
    class_map_free(&m);
    confusion_free(&groups);
    listen_to();
    assert_int_equal(class_map_make(NULL, "bird", labels, &m, err), 2);
    assert_said("--positive bird: no such label\n");
    confusion_free(&c);
    assert_int_equal(confusion_make(&c, 2, truth, predicted, 0, NULL, stderr), 0);
    assert_true(isnan(confusion_accuracy(&c)));
    confusion_free(&c);
    /* of more classes than a matrix has, all but the matrix */
    assert_int_equal(confusion_make(&c, 2000000, truth, predicted, 6, NULL, stderr), 0);
    assert_true(c.counts == NULL && c.right == 3 && confusion_recall(&c, 0) == 2.0 / 3 && c.predictions[1] == 2);
    confusion_free(&c);
}

/* Names of other than plain letters still line up, and stay on their line. */
static void test_confusion_names(void **state) {
    (void)state;
    table *t = make("t", "0,\"a\nb\"\n0,\xc3\xa4\n0,a123456789b123456789c123456789d123456789e123456789\n", NULL);
    assert_int_equal(labels_fit(t, 1, NULL, 0, &labels, stderr), 0);
    confusion c;
    assert_int_equal(confusion_make(&c, 3, (int[]){0, 1, 2}, (int[]){0, 1, 2}, 3, NULL, stderr), 0);
    listen_to();
    confusion_print(&c, labels, err);
    fclose(err);
    assert_non_null(strstr(said, "\na?b       "));
    assert_non_null(strstr(said, "\n\xc3\xa4         "));
    assert_non_null(strstr(said, "\na123456789b123456789c123456789d123456789e123...  "));
    int lines = 0;
    for (const char *p = said; *p != '\0'; p++) lines += *p == '\n';
    assert_int_equal(lines, 10);
    confusion_free(&c);
}

static void test_class_map_file(void **state) {
    (void)state;
    table *t = make("t", "0,a\n0,b\n0,c\n0,d\n", NULL);
    assert_int_equal(labels_fit(t, 1, NULL, 0, &labels, stderr), 0);
    class_map m;
    make("map", "b,good\na,bad\nc,worse\nz,bad\nd,good\n", NULL);
    assert_int_equal(class_map_make(path, NULL, labels, &m, stderr), 0);
    assert_int_equal(m.groups, 3);
    assert_string_equal(m.names[0], "good");
    assert_memory_equal(m.group, ((int[]){1, 0, 2, 0}), 4 * sizeof *m.group);
    confusion c;
    const int truth[] = {0, 0, 1, 1, 2, 3}, predicted[] = {2, 0, 1, 2, 1, 0};
    assert_int_equal(confusion_make(&c, m.groups, truth, predicted, 6, m.group, stderr), 0);
    const class_rates bad = class_map_rates(&c, 1), worse = class_map_rates(&c, 2), all = class_map_rates(&c, 0);
    assert_true(bad.records == 2 && bad.detection == 0.5 && bad.any == 1 && bad.false_alarms == 1.0 / 3);
    assert_true(worse.records == 1 && worse.detection == 0 && worse.any == 0 && worse.false_alarms == 1.0 / 3);
    assert_true(all.records == 3 && all.own == 1 && all.attack == 2 && all.false_alarms == 2.0 / 3);
    class_map_free(&m);
    assert_int_equal(class_map_make(path, "worse", labels, &m, stderr), 0);
    assert_int_equal(m.groups, 2);
    assert_memory_equal(m.group, ((int[]){0, 0, 1, 0}), 4 * sizeof *m.group);
    class_map_free(&m);
    listen_to();
    assert_int_equal(class_map_make(path, "a", labels, &m, err), 2);
    assert_said("--positive a: no such class in the map\n");
    confusion_free(&c);

    make("short", "b,good\na,bad\nc,bad\n", NULL);
    listen_to();
    assert_int_equal(class_map_make(path, NULL, labels, &m, err), 2);
    assert_said("%sshort: it has no class for the label 'd'\n");
    make("twice", "b,good\na,bad\nb,bad\n", NULL);
    listen_to();
    assert_int_equal(class_map_make(path, NULL, labels, &m, err), 2);
    assert_said("%stwice:3: column 1: 'b' has another class above\n");
    make("wide", "b,good,1\n", NULL);
    listen_to();
    assert_int_equal(class_map_make(path, NULL, labels, &m, err), 2);
    assert_said("%swide:1: 3 columns: a class map has a label and its class a line\n");
    /* a long label is cut between characters */
    labels_free(labels);
    t = make("long",
             "0,x\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3"
             "\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\n",
             NULL);
    assert_int_equal(labels_fit(t, 1, NULL, 0, &labels, stderr), 0);
    make("short", "b,good\na,bad\nc,bad\n", NULL);
    listen_to();
    assert_int_equal(class_map_make(path, NULL, labels, &m, err), 2);
    assert_said(
        "%sshort: it has no class for the label 'x\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3"
        "\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4...'\n");
    make("none", "b,\n", NULL);
    listen_to();
    assert_int_equal(class_map_make(path, NULL, labels, &m, err), 2);
    assert_said("%snone:1: column 2: a class is 1 to 63 characters long\n");
}

/* Counts of corrected.gz by label, and what they are by class. */
static void test_kdd_map(void **state) {
    (void)state;
    static const struct {
        const char *label;
        int count;
    } corrected[] = {
        {"apache2", 794},
        {"back", 1098},
        {"buffer_overflow", 22},
        {"ftp_write", 3},
        {"guess_passwd", 4367},
        {"httptunnel", 158},
        {"imap", 1},
        {"ipsweep", 306},
        {"land", 9},
        {"loadmodule", 2},
        {"mailbomb", 5000},
        {"mscan", 1053},
        {"multihop", 18},
        {"named", 17},
        {"neptune", 58001},
        {"nmap", 84},
        {"normal", 60593},
        {"perl", 2},
        {"phf", 2},
        {"pod", 87},
        {"portsweep", 354},
        {"processtable", 759},
        {"ps", 16},
        {"rootkit", 13},
        {"saint", 736},
        {"satan", 1633},
        {"sendmail", 17},
        {"smurf", 164091},
        {"snmpgetattack", 7741},
        {"snmpguess", 2406},
        {"sqlattack", 2},
        {"teardrop", 12},
        {"udpstorm", 2},
        {"warezmaster", 1602},
        {"worm", 2},
        {"xlock", 9},
        {"xsnoop", 4},
        {"xterm", 13},
        {"spy", 0},
        {"warezclient", 0},
    };
    enum { COUNT = sizeof corrected / sizeof *corrected };
    for (int stop = 0; stop < 2; stop++) {
        char text[2000];
        size_t length = 0;
        for (int i = 0; i < COUNT; i++)
            length += (size_t)sprintf(text + length, "0,%s%s\n", corrected[i].label, stop ? "." : "");
        labels_free(labels);
        assert_int_equal(labels_fit(make("t", text, NULL), 1, NULL, 0, &labels, stderr), 0);
        assert_int_equal(labels->count, COUNT);
        class_map m;
        assert_int_equal(class_map_make(KDD_CLASSES, NULL, labels, &m, stderr), 0);
        assert_int_equal(m.groups, 5);
        int sums[5] = {0};
        for (int i = 0; i < COUNT; i++) {
            char name[64];
            snprintf(name, sizeof name, "%s%s", corrected[i].label, stop ? "." : "");
            sums[m.group[labels_find(labels, name)]] += corrected[i].count;
        }
        assert_memory_equal(sums, ((int[]){60593, 229855, 4166, 16187, 228}), sizeof sums);
        assert_string_equal(m.names[2], "Probe");
        class_map_free(&m);
    }
    class_map m;
    static const char *const wrong[] = {"norma", "normal..", "smurf2"};
    for (int i = 0; i < 3; i++) {
        char text[64], expected[128];
        snprintf(text, sizeof text, "0,%s\n", wrong[i]);
        labels_free(labels);
        assert_int_equal(labels_fit(make("w", text, NULL), 1, NULL, 0, &labels, stderr), 0);
        listen_to();
        assert_int_equal(class_map_make(KDD_CLASSES, NULL, labels, &m, err), 2);
        snprintf(expected, sizeof expected, KDD_CLASSES ": it has no class for the label '%s'\n", wrong[i]);
        assert_said(expected);
    }
}

/* ---- files of results ---- */

static void check_file(const char *expected, size_t length) {
    char bytes[2000];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), length);
    fclose(file);
    assert_memory_equal(bytes, expected, length);
}

static void check_alone(int files) {
    char command[200];
    snprintf(command, sizeof command, "test \"$(ls -A '%s' | wc -l)\" = %d", folder, files);
    assert_int_equal(system(command), 0);
}

static void test_results_csv(void **state) {
    (void)state;
    table *t = make("t", "0,b\n0,\"a,\"\"x\"\"\"\n0,\n", NULL);
    assert_int_equal(labels_fit(t, 1, NULL, 0, &labels, stderr), 0);
    place("labels.csv");
    assert_int_equal(results_prepare(path, stderr), 0);
    check_alone(1);
    assert_int_equal(results_write_labels(path, labels, (int[]){2, 1, 0}, 3, stderr), 0);
    check_file("label\nb\n\"a,\"\"x\"\"\"\n\"\"\n", 21);
    struct stat about;
    const mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0666 & ~mask);
    assert_int_equal(results_write_indices(path, (int[]){5, 0, 2, 2147483647}, 2, 2, stderr), 0);
    check_file("5,0\n2,2147483647\n", 17);
    assert_int_equal(results_write_distances(path, (float[]){0, 0.1f, 1e-45f, INFINITY}, 1, 4, stderr), 0);
    check_file("0,0.100000001,1.40129846e-45,inf\n", 33);
    assert_int_equal(results_write_indices(path, (int[]){0}, 0, 3, stderr), 0);
    check_file("", 0);
    check_alone(2);
}

static void test_results_npy(void **state) {
    (void)state;
    place("x.npy");
    assert_int_equal(results_write_distances(path, (float[]){1, 2.5f, 3, 4, 5, 6}, 3, 2, stderr), 0);
    table *t;
    assert_int_equal(table_read(path, &(table_options){0}, &t, stderr), 0);
    assert_true(table_rows(t) == 3 && table_columns(t) == 2 && table_number(t, 0, 1) == 2.5 &&
                table_number(t, 2, 1) == 6);
    table_free(t);
    assert_int_equal(results_write_indices(path, (int[]){1, -1}, 1, 2, stderr), 0);
    char header[137];
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2), }", 10 + 60);
    memset(header + 69, ' ', 58);
    header[127] = '\n';
    memcpy(header + 128, "\1\0\0\0\377\377\377\377", 8);
    check_file(header, 136);
    t = make("n", "0,1\n0,2.5\n", NULL);
    assert_int_equal(labels_fit(t, 1, NULL, 0, &labels, stderr), 0);
    assert_int_equal(results_write_labels(place("l.NPY"), labels, (int[]){1, 0, 1}, 3, stderr), 0);
    assert_int_equal(table_read(path, &(table_options){0}, &t, stderr), 0);
    assert_true(table_rows(t) == 3 && table_columns(t) == 1 && table_number(t, 0, 0) == 2.5 &&
                table_number(t, 1, 0) == 1);
    table_free(t);
    labels_free(labels);
    assert_int_equal(labels_fit(make("w", "0,xyz\n0,a\n", NULL), 1, NULL, 0, &labels, stderr), 0);
    assert_int_equal(results_write_labels(place("w.npy"), labels, (int[]){1, 0}, 2, stderr), 0);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }", 10 + 58);
    memset(header + 67, ' ', 60);
    memcpy(header + 128, "xyza\0\0", 6);
    check_file(header, 134);
}

static void test_results_refuse(void **state) {
    (void)state;
    listen_to();
    assert_int_equal(results_prepare(place("none/x.csv"), err), 2);
    assert_said("%snone/x.csv: No such file or directory\n");
    listen_to();
    assert_int_equal(results_write_indices(path, (int[]){1}, 1, 1, err), 3);
    assert_said("%snone/x.csv: No such file or directory\n");
    listen_to();
    assert_int_equal(results_prepare(folder, err), 2);
    fclose(err);
    assert_non_null(strstr(said, ": is a folder\n"));
    assert_int_equal(results_prepare("/dev/null", stderr), 0);
    assert_int_equal(results_write_indices("/dev/null", (int[]){1}, 1, 1, stderr), 0);
    listen_to();
    int *many = calloc(100000, sizeof *many);
    assert_int_equal(results_write_indices("/dev/full", many, 100000, 1, err), 3);
    free(many);
    assert_said("/dev/full: No space left on device\n");
    /* through a link, which stays one */
    char link[160];
    snprintf(link, sizeof link, "%s/link.csv", folder);
    assert_int_equal(results_write_indices(place("real.csv"), (int[]){1}, 1, 1, stderr), 0);
    assert_int_equal(symlink("real.csv", link), 0);
    assert_int_equal(results_write_indices(link, (int[]){2}, 1, 1, stderr), 0);
    check_file("2\n", 2);
    struct stat about;
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    check_alone(2);
}

/* Standard output is written to where it is; what is in front of the results and behind them stays. */
static void test_results_standard_output(void **state) {
    (void)state;
    place("out");
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO), fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(kept >= 0 && fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0);
    close(fd);
    printf("before\n");
    const int prepared = results_prepare("/dev/stdout", stderr);
    const int by_device = results_write_indices("/dev/stdout", (int[]){1}, 1, 1, stderr);
    printf("between\n");
    const int by_name = results_write_indices(path, (int[]){2}, 1, 1, stderr);
    printf("after\n");
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    assert_true(prepared == 0 && by_device == 0 && by_name == 0);
    check_file("before\n1\nbetween\n2\nafter\n", 25);
    check_alone(1);
}

static void test_results_pipe(void **state) {
    (void)state;
    int ends[2];
    char bytes[16] = "";
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    assert_int_equal(results_prepare(path, stderr), 0);
    assert_int_equal(results_write_indices(path, (int[]){1, 2}, 1, 2, stderr), 0);
    close(ends[1]);
    assert_int_equal(read(ends[0], bytes, sizeof bytes), 4);
    assert_string_equal(bytes, "1,2\n");
    close(ends[0]);
}

/* A file that is replaced keeps its mode; one that may not be written to is not replaced. */
static void test_results_mode(void **state) {
    (void)state;
    struct stat about;
    place("x.csv");
    assert_int_equal(results_write_indices(path, (int[]){1}, 1, 1, stderr), 0);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(results_write_indices(path, (int[]){2}, 1, 1, stderr), 0);
    check_file("2\n", 2);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640);
    if (geteuid() == 0) return; /* who may write to anything */
    assert_int_equal(chmod(path, 0440), 0);
    listen_to();
    assert_int_equal(results_prepare(path, err), 2);
    assert_said("%sx.csv: Permission denied\n");
}

/* A signal that ends the program takes the file that is being written with it; one that is ignored does nothing. */
static void test_results_interrupted(void **state) {
    (void)state;
    enum { COUNT = 1 << 22 };
    int *many = calloc(COUNT, sizeof *many);
    place("x.csv");
    for (int i = 0; i < 3; i++) {
        const int signal_sent = (int[]){SIGINT, SIGTERM, SIGHUP}[i];
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            signal(signal_sent, SIG_DFL); /* in the background a shell has its jobs ignore SIGINT, nohup SIGHUP */
            alarm(60);
            for (;;) results_write_indices(path, many, COUNT, 1, stderr);
        }
        char command[200];
        snprintf(command, sizeof command, "ls '%s' | grep -q 'x.csv\\.......'", folder);
        while (system(command) != 0) {}
        assert_int_equal(kill(child, signal_sent), 0);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signal_sent);
        assert_true(system(command) != 0);
    }
    free(many);
}

/* ---- the data sets, where they are ---- */

static table *open_data(const char *name) {
    const char *where = getenv("KNN_DATA");
    snprintf(path, sizeof path, "%s/%s", where != NULL ? where : "data", name);
    if (access(path, R_OK) != 0) {
        print_message("skipped: no %s; type: make data\n", path);
        return NULL;
    }
    table *t;
    assert_int_equal(table_read(path, &(table_options){0}, &t, stderr), 0);
    return tables[table_count++] = t;
}

static void test_kdd99(void **state) {
    (void)state;
    table *train = open_data("kdd99/kddcup.data_10_percent.gz"), *test = open_data("kdd99/corrected.gz");
    if (train == NULL || test == NULL) skip();
    fit(train, NULL, 0, (features_options){.zscore = true, .minmax = true}, 118);
    listen_to();
    features_describe(f, err);
    assert_said("118 coordinates: 38 numeric columns (2 constant), 3 symbolic of 80 categories\n");
    float *values = malloc((size_t)table_rows(train) * 118 * sizeof *values);
    long long unseen;
    assert_int_equal(features_encode(f, train, NULL, 0, table_rows(train), values, &unseen, stderr), 0);
    assert_true(unseen == 0);
    float low = 1, high = 0;
    for (size_t i = 0; i < (size_t)table_rows(train) * 118; i++) {
        if (values[i] < low) low = values[i];
        if (values[i] > high) high = values[i];
    }
    assert_true(low == 0 && high == 1);
    assert_int_equal(features_encode(f, test, NULL, 0, table_rows(test), values, &unseen, stderr), 0);
    assert_true(unseen == 2);
    free(values);

    int *codes = malloc((size_t)table_rows(train) * sizeof *codes);
    assert_int_equal(labels_fit(train, 41, NULL, 0, &labels, stderr), 0);
    assert_int_equal(labels->count, 23);
    assert_int_equal(labels_encode(labels, train, 41, NULL, 0, codes, stderr), 0);
    confusion c;
    class_map m;
    assert_int_equal(class_map_make(KDD_CLASSES, NULL, labels, &m, stderr), 0);
    assert_int_equal(confusion_make(&c, m.groups, codes, codes, table_rows(train), m.group, stderr), 0);
    static const long long records[] = {396743, 391458, 4107, 1126, 52};
    for (int i = 0; i < 5; i++) assert_true(class_map_rates(&c, i).records == records[i]);
    class_map_free(&m);
    confusion_free(&c);
    assert_int_equal(labels_encode(labels, test, 41, NULL, 0, codes, stderr), 0);
    assert_true(labels->count == 40 && labels->trained == 23);
    assert_int_equal(class_map_make(KDD_CLASSES, NULL, labels, &m, stderr), 0);
    class_map_free(&m);
    free(codes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_categories, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_surprise, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_symbolic_given, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_training_decides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_scaling, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_scaling_extremes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mismatch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_labels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_arrays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_binary_table, set_up, tear_down),
        cmocka_unit_test(test_words_of_options),
        cmocka_unit_test(test_split),
        cmocka_unit_test_setup_teardown(test_labels_of_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_labels_of_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_labels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_confusion, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_confusion_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_class_map_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kdd_map, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_results_csv, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_results_npy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_results_refuse, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_results_standard_output, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_results_pipe, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_results_mode, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_results_interrupted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kdd99, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
