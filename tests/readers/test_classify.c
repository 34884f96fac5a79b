/* From records to coordinates and classes, and what is printed of predictions. */
#include <math.h>

#include "../folder.h"
#include "readers/classes.h"
#include "readers/scaling.h"

enum { MOST = 16 };

static table *tables[MOST];
static int table_count;
static scaling scale;
static label_classes classes;

static int tear_down(void **state) {
    while (table_count > 0) table_free(tables[--table_count]);
    scaling_free(&scale);
    classes_free(&classes);
    return remove_folder(state);
}

static table *open_table(const char *name, labels_place labels) {
    table *t;
    assert_int_equal(table_read(name, &(table_options){labels, 0, "", 0, 0}, &t, stderr), 0);
    assert_true(table_count < MOST);
    return tables[table_count++] = t;
}

static table *make(const char *name, const char *text, labels_place labels) {
    name_file(name);
    write_text(text);
    return open_table(path, labels);
}

/* ---- scaling ---- */

/* The records scaled as the training's, between guards. */
static void check_scaled(const table *training, const char *how, const table *t, const float *expected) {
    const size_t count = (size_t)t->rows * (size_t)t->columns;
    float *got = malloc((count + 2) * sizeof *got);
    got[0] = got[count + 1] = 77;
    scaling_free(&scale);
    assert_int_equal(scaling_fit(&scale, training, how, stderr), 0);
    assert_int_equal(scaling_apply(&scale, t, got + 1, stderr), 0);
    assert_true(got[0] == 77 && got[count + 1] == 77);
    for (size_t i = 0; i < count; i++)
        if (memcmp(&got[i + 1], &expected[i], sizeof *got) != 0)
            fail_msg("%s: value %zu: %.9g, not %.9g", how, i, (double)got[i + 1], (double)expected[i]);
    free(got);
}

TEST(test_scaling) {
    table *train = make("train", "1,5,0,a\n3,5,1,b\n5,5,0,b\n7,5,0,a\n", LABELS_LAST);
    table *test = make("test", "9,6,1\n0.1,5,0\n", LABELS_NONE);
    const double d = sqrt(5), low = -3 / d, span = 3 / d - low, e = sqrt(0.1875);
    const float one = (float)(0.75 / e), zero = (float)(-0.25 / e);
    check_scaled(train, "none", train, (float[]){1, 5, 0, 3, 5, 1, 5, 5, 0, 7, 5, 0});
    check_scaled(train, "none", test, (float[]){9, 6, 1, 0.1f, 5, 0});
    check_scaled(train, "minmax", test, (float[]){(float)(8 / 6.), 0, 1, (float)(-0.9 / 6), 0, 0});
    check_scaled(
        train, "zscore", train,
        (float[]){(float)(-3 / d), 0, zero, (float)(-1 / d), 0, one, (float)(1 / d), 0, zero, (float)(3 / d), 0, zero});
    check_scaled(
        train, "zscore,minmax", train,
        (float[]){0, 0, 0, (float)((-1 / d - low) / span), 0, 1, (float)((1 / d - low) / span), 0, 0, 1, 0, 0});
    check_scaled(train, "zscore,minmax", test,
                 (float[]){(float)((5 / d - low) / span), 0, 1, (float)(((0.1 - 4) / d - low) / span), 0, 0});
}

TEST(test_scaling_extremes) {
    table *far = make("far", "-1e308,1\n1e308,2\n", LABELS_NONE), *large = make("large", "1,1\n1,1e39\n", LABELS_NONE);
    static const char *const hows[] = {"zscore", "minmax"};
    float got[4];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(scaling_fit(&scale, far, hows[i], listen_in()), 2);
        assert_heard("%s: column 1: values from -1e+308 to 1e+308: too far apart to scale\n", far->path);
        scaling_free(&scale);
    }
    assert_int_equal(scaling_fit(&scale, large, "none", stderr), 0);
    assert_int_equal(scaling_apply(&scale, large, got, listen_in()), 2);
    assert_heard("%s:2: column 2: 1e+39, scaled, is beyond FP32\n", large->path);
    table *close = make("close", "0.1,3\n0.1,3\n0.1,3\n", LABELS_NONE); /* their mean need not be 0.1 */
    check_scaled(close, "zscore", close, (float[]){0, 0, 0, 0, 0, 0});
}

/* ---- classes ---- */

static void check_classes(const table *t, const char *names, int trained, const int *expected) {
    int codes[64];
    char all[512] = "";
    assert_int_equal(classes_add(&classes, t, codes, stderr), 0);
    for (int i = 0; i < classes.count; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), i > 0 ? " %s" : "%s", classes.class[i].name);
    assert_string_equal(all, names);
    assert_int_equal(classes.trained, trained);
    for (int i = 0; i < t->rows; i++) assert_int_equal(codes[i], expected[i]);
}

TEST(test_classes) {
    check_classes(make("a", "10\n9\n-1\n9.0\n1e1\n", LABELS_ONLY), "-1 9 10", 3, (int[]){2, 1, 0, 1, 2});
    check_classes(make("b", "x\n10\n9.5\nx\n0x1\n", LABELS_ONLY), "-1 9 10 9.5 0x1 x", 3, (int[]){5, 2, 3, 5, 4});
    classes_free(&classes);
    check_classes(make("c", "b\nB\n1\nb\n\xc3\xa4\n", LABELS_ONLY), "1 B b \xc3\xa4", 4, (int[]){2, 1, 0, 2, 3});
}

TEST(test_many_classes) {
    enum { MANY = 20000 };
    char *text, *at = text = malloc(16 * MANY);
    int *codes = malloc(2 * MANY * sizeof *codes);
    for (int i = 0; i < 2 * MANY; i++) at += sprintf(at, "%d\n", i * 7919 % MANY);
    table *t = make("many", text, LABELS_ONLY);
    assert_int_equal(classes_add(&classes, t, codes, stderr), 0);
    assert_int_equal(classes.count, MANY);
    for (int i = 0; i < 2 * MANY; i++) assert_int_equal(codes[i], i * 7919 % MANY);
    free(text);
    free(codes);
}

TEST(test_printing) {
    int codes[8];
    table *train = make("train", "a\nbb\n", LABELS_ONLY), *test = make("test", "a\na\nbb\nc\n", LABELS_ONLY);
    assert_int_equal(classes_add(&classes, train, codes, stderr), 0);
    assert_int_equal(classes_add(&classes, test, codes, stderr), 0);
    assert_int_equal(classes_print(&classes, codes, (int[]){0, 1, 1, 0}, 4, listen_in()), 0);
    assert_string_equal(heard(), "accuracy  50.00 %: 2 of 4\n"
                                 "class    records  predicted  precision     recall\n"
                                 "a              2          2    50.00 %    50.00 %\n"
                                 "bb             1          2    50.00 %   100.00 %\n"
                                 "c              1          0          -     0.00 %  (not in training)\n");
}

/* ---- the data sets, where they are: what 0.10 made of them, byte for byte ---- */

/* Appends the coordinates, scaled as the training's, and the labels. */
static void put_features(FILE *to, const table *t, const table *labels) {
    const size_t count = (size_t)t->rows * (size_t)t->columns;
    float *values = malloc(count * sizeof *values);
    assert_int_equal(scaling_apply(&scale, t, values, stderr), 0);
    assert_int_equal(fwrite(values, sizeof *values, count, to), count);
    for (int i = 0; i < labels->rows; i++) fprintf(to, "%s\n", labels->labels[i]);
    free(values);
}

static void run_command(const char *command) {
    if (system(command) != 0) fail_msg("%s", command);
}

static FILE *start_hash(void) {
    char command[200];
    snprintf(command, sizeof command, "sha256sum >%s/hash", folder);
    return popen(command, "w");
}

static void assert_hash(FILE *hash, const char *expected) {
    assert_int_equal(pclose(hash), 0);
    name_file("hash");
    assert_int_equal(strncmp(file_text(), expected, 64), 0);
}

/* The data's folder; NULL, after a message, without this file in it. */
static const char *find_data(const char *file) {
    const char *data = getenv("KNN_DATA") != NULL ? getenv("KNN_DATA") : "data";
    snprintf(path, sizeof path, "%s/%s", data, file);
    if (access(path, R_OK) == 0) return data;
    print_message("skipped: no %s; type: make data\n", path);
    return NULL;
}

TEST(test_optdigits) {
    static const char *const hashes[] = {"06aefd249c403fb36298fe8b97d218ef1619dc9cf08d45fa888fe18bb0a49d87",
                                         "36f902d4321b2668f63f78da73b3d5c68b78d8aaafa10e2b42045ecd5faab2ce"};
    if (find_data("optdigits/optdigits.tes") == NULL) skip();
    table *test = open_table(path, LABELS_LAST);
    strcpy(path + strlen(path) - 2, "ra");
    table *train = open_table(path, LABELS_LAST);
    for (int i = 0; i < 2; i++) {
        scaling_free(&scale);
        assert_int_equal(scaling_fit(&scale, train, i == 0 ? "none" : "zscore,minmax", stderr), 0);
        FILE *hash = start_hash();
        put_features(hash, train, train);
        put_features(hash, test, test);
        assert_hash(hash, hashes[i]);
    }
}

/* One of the eight samples of a seed, converted by scripts/data.py. */
static void put_sample(FILE *hash, const char *name) {
    char command[1024];
    table *t[4];
    static const char *const kinds[] = {"train.npy", "train.labels", "test.npy", "test.labels"};
    snprintf(
        command, sizeof command,
        "python3 -B scripts/data.py --symbolic 2,3,4 %s/%s-train.csv %s/%s-train.npy %s/%s-test.csv %s/%s-test.npy "
        ">/dev/null",
        folder, name, folder, name, folder, name, folder, name);
    run_command(command);
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s-%s", folder, name, kinds[i]);
        t[i] = open_table(path, i % 2 == 0 ? LABELS_NONE : LABELS_ONLY);
    }
    scaling_free(&scale);
    assert_int_equal(scaling_fit(&scale, t[0], "zscore,minmax", stderr), 0);
    put_features(hash, t[0], t[1]);
    put_features(hash, t[2], t[3]);
    while (table_count > 0) table_free(tables[--table_count]);
}

TEST(test_kdd99) {
    static const char *const hashes[] = {"d1f1ebb53ba8159abcf16e694bdbcd928895b21d8b52d5c07a689ac54a533ac7",
                                         "d4af4dd8d367a1c2fab2c9c677e7be1a924117f10111d31d90e0b4ec106c82e5",
                                         "dd0590c0a1a2ff0b62ba62730e4c3ded95ed46740bc4d0c8f21c098f475c6518",
                                         "f761a3ec64d4f0e93b22b785b0490cc4147be87bf75c54c0fa77499c7903ce08",
                                         "fd0ab86c81de14389c24949cd4add213837119358ed5fc8ca164150192f2427f",
                                         "0b5b925054da044b2b44d3ecd018aacb8e99e98139658d05275daf5e7c6c62ee",
                                         "c7577533546ff5ebb139d751cee36b35d4ba6dd8e3a39a638719cb5622beb8e6",
                                         "d5bc85ac5cb3618806ea6fd8b737119cfd2b313a6194234d0697d9351ec2d039",
                                         "699d90fa5b9ce0ea368e21d869b42b84b753723b6a5cd6c05b3ab7e08336abff",
                                         "f07d5fb3963a0631cb63b49cf5238ee1658dc0f545dc903fc2e07fef12780012"};
    static const char *const samples[] = {"same-DoS",      "same-Probe",      "same-R2L",      "same-U2R",
                                          "corrected-DoS", "corrected-Probe", "corrected-R2L", "corrected-U2R"};
    const char *data = find_data("kdd99/corrected.gz");
    if (data == NULL) skip();
    if (system("python3 -B scripts/data.py --help >/dev/null 2>&1") != 0) {
        print_message("skipped: python3 has no numpy; type: sh scripts/deps.sh data\n");
        skip();
    }
    const int seeds = getenv("KL_TEST_ALL") != NULL ? ARRAY_SIZE(hashes) : 1; /* `make test` takes one of the ten */
    for (int seed = 1; seed <= seeds; seed++) {
        char command[600];
        snprintf(
            command, sizeof command,
            "python3 -B -m report knn-sample %d %s %s/kdd99/kddcup.data_10_percent.gz %s/kdd99/corrected.gz >/dev/null",
            seed, folder, data, data);
        run_command(command);
        FILE *hash = start_hash();
        for (int i = 0; i < ARRAY_SIZE(samples); i++) put_sample(hash, samples[i]);
        assert_hash(hash, hashes[seed - 1]);
    }
}

static const struct fixtures fixtures = {.before = make_folder, .after = tear_down};
