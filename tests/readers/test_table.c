/* The reader of records: what it accepts, bit for bit, and what it refuses, word for word. */
#include <math.h>
#include <sys/stat.h>

#include "../folder.h"
#include "base/values.h"
#include "readers/table.h"

#define CONVERT "; convert it: data.py"

static const char *said;
static table *t;

static int tear_down(void **state) {
    table_free(t);
    t = NULL;
    return remove_folder(state);
}

static int read_as(labels_place labels, int coordinates) {
    table_free(t);
    const int status = table_read(path, &(table_options){labels, coordinates, "data.py", 0, 0}, &t, listen_in());
    said = heard();
    assert_true((status == 0) == (t != NULL) && (status == 0) == (said[0] == '\0'));
    return status;
}

/* The file is read, and has these coordinates, and these labels with commas between them (NULL: none). */
static void accept(labels_place labels, int rows, int columns, const double *expected, const char *names) {
    double row[16];
    char all[512] = "";
    if (read_as(labels, 0) != 0) fail_msg("%s", said);
    assert_int_equal(t->rows, rows);
    assert_int_equal(t->columns, columns);
    for (int i = 0; i < rows; i++) {
        table_row(t, i, row);
        for (int j = 0; j < columns; j++)
            if (memcmp(&row[j], &expected[i * columns + j], sizeof *row) != 0)
                fail_msg("row %d, column %d: %.17g, not %.17g", i, j, row[j], expected[i * columns + j]);
        if (names != NULL) snprintf(all + strlen(all), sizeof all - strlen(all), i > 0 ? ",%s" : "%s", t->labels[i]);
    }
    assert_true((names == NULL) == (t->labels == NULL));
    if (names != NULL) assert_string_equal(all, names);
}

/* One line: the file's path, then `what`. */
static void refuse(labels_place labels, const char *what) {
    char expected[400];
    assert_int_equal(read_as(labels, 0), 2);
    snprintf(expected, sizeof expected, "%s%s\n", path, what);
    assert_string_equal(said, expected);
}

static void refuse_text(const char *text, const char *what) {
    write_text(text);
    refuse(LABELS_LAST, what);
}

static void accept_text(const char *text, labels_place labels, int rows, int columns, const double *expected,
                        const char *names) {
    write_text(text);
    accept(labels, rows, columns, expected, names);
}

/* ---- CSV ---- */

TEST(test_csv) {
    const double four[] = {1, 2.5, -300, .5};
    accept_text("1,2.5,a\n-3e2,.5,b c\n", LABELS_LAST, 2, 2, four, "a,b c");
    accept_text("1,2.5,a\r\n-3e2,.5,b c", LABELS_LAST, 2, 2, four, "a,b c"); /* no newline at the end */
    accept_text("\xef\xbb\xbf"
                "1,2.5,a\n-3e2,.5,b\n\n\n",
                LABELS_LAST, 2, 2, four, "a,b");
    accept_text("a,1,2.5\nb,-3e2,.5\n", LABELS_FIRST, 2, 2, four, "a,b");
    accept_text(" 1 ,\t2.5\n-300,+0.5\n", LABELS_NONE, 2, 2, four, NULL);
    accept_text("x,y,label\n1,2.5,a\n-300,.5,b\n", LABELS_LAST, 2, 2, four, "a,b");
}

TEST(test_csv_labels) {
    const double two[] = {1, 2};
    accept_text("1,01\n2,-0\n", LABELS_LAST, 2, 1, two, "1,0"); /* numbers are spelled alike */
    accept_text("1,1.50\n2,1e3\n", LABELS_LAST, 2, 1, two, "1.5,1000");
    accept_text("1,0.1\n2,12345678901234567890\n", LABELS_LAST, 2, 1, two, "0.1,1.2345678901234567e+19");
    accept_text("1,\n2, \n", LABELS_LAST, 2, 1, two, ", ");
    accept_text("1,nan\n2,0x1\n", LABELS_LAST, 2, 1, two, "nan,0x1");
    accept_text("a\nb\n", LABELS_ONLY, 2, 0, NULL, "a,b");
    refuse_text("1,a,b\n", ":1: column 2: 'a' is not a finite number; words become numbers by: data.py");
    write_bytes("a,b\n", 4);
    refuse(LABELS_ONLY, ": 2 columns: a file of labels has one");
    write_bytes("1,2\n", 4); /* so many coordinates: no labels */
    assert_int_equal(read_as(LABELS_LAST, 2), 0);
    assert_true(t->columns == 2 && t->labels == NULL);
    char text[100] = "1,";
    memset(text + 2, 'x', 64);
    refuse_text(text,
                ": a label longer than 63 bytes: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...");
    text[65] = '\0';
    accept_text(text, LABELS_LAST, 1, 1, two, text + 2);
}

TEST(test_csv_refuses) {
    static const struct {
        const char *text, *what;
    } cases[] = {
        {"", ": is empty"},
        {"\n\n", ": holds no records"},
        {"x,y\n", ": holds no records"},
        {"1,a\n2\n", ":2: 1 columns, but the first line has 2"},
        {"1,a\n2,b,c\n", ":2: 3 columns, but the first line has 2"},
        {"1,a\n\n2,b\n", ":2: a blank line before the end"},
        {"1,2,a\n1,\"2\",a\n", ":2: a field in quotes" CONVERT},
        {"a\nb\n", ": no columns but the labels"},
        {"x,y,l\nz,1,a\n", ":2: column 1: 'z' is not a finite number; words become numbers by: data.py"},
        {"1,2,a\n1,tcp,a\n", ":2: column 2: 'tcp' is not a finite number; words become numbers by: data.py"},
        {"1,a\x01\n", ": neither text nor an .npy file" CONVERT},
        {"\x1f\x8b\x08", ": neither text nor an .npy file" CONVERT},
    };
    for (int i = 0; i < ARRAY_SIZE(cases); i++) refuse_text(cases[i].text, cases[i].what);
    write_bytes("1,a\0\n", 5);
    refuse(LABELS_LAST, ": neither text nor an .npy file" CONVERT);
    write_bytes("\0\0\x08\1\0\0\0\1\7", 9); /* idx */
    refuse(LABELS_LAST, ": neither text nor an .npy file" CONVERT);
    write_bytes("\2\0\0\0abcdefgh", 12); /* fvecs */
    refuse(LABELS_LAST, ": neither text nor an .npy file" CONVERT);
    name_file("none");
    refuse(LABELS_LAST, ": No such file or directory");
    snprintf(path, sizeof path, "%s", folder);
    refuse(LABELS_LAST, ": Is a directory");
}

TEST(test_numbers) {
    static const char *const good[] = {
        "0", "-0", "+1", "1.", ".5", "1e5", "1E+5", " 1.5\t", "-.5e-3", "1e-99999999999", "0e99999999999"};
    static const char *const bad[] = {"",      " ",     ".",        "-",       "e5",   "1e",    "1e+",           "0x10",
                                      "0x1p3", "1.2.3", "1 2",      "--1",     "1f",   "nan",   "+NaN",          "-inf",
                                      "1e309", "1_000", "INFINITY", "infinit", "nano", "1e5e5", "-1e99999999999"};
    char text[128], what[128];
    for (int i = 0; i < ARRAY_SIZE(good); i++) {
        const double expected[] = {7, strtod(good[i], NULL)};
        snprintf(text, sizeof text, "7,%s\n", good[i]);
        accept_text(text, LABELS_NONE, 1, 2, expected, NULL);
    }
    for (int i = 0; i < ARRAY_SIZE(bad); i++) {
        snprintf(text, sizeof text, "7,%s,a\n", bad[i]);
        snprintf(what, sizeof what, ":1: column 2: '%s' is not a finite number; words become numbers by: data.py",
                 bad[i]);
        refuse_text(text, what);
    }
}

/* Correctly rounded, bit for bit; and a file with many lines. */
TEST(test_rounding) {
    enum { MANY = 20000 };
    static const char *const forms[] = {"%.17g\n", "%.3g\n", "%.15f\n", "%.20e\n", "%.8g\n", "%.0f\n"};
    double *values = calloc(MANY, sizeof *values);
    FILE *f = fopen(path, "w");
    for (uint64_t i = 0; i < MANY; i++) {
        char text[512];
        uint64_t bits = i % 2 == 0 ? values_hash(1, i) : values_hash(2, i) >> 2 | UINT64_C(0x3000000000000000);
        memcpy(&values[i], &bits, sizeof bits);
        if (!isfinite(values[i])) values[i] = 1;
        snprintf(text, sizeof text, forms[i % 6], values[i]);
        values[i] = strtod(text, NULL);
        fputs(text, f);
    }
    fclose(f);
    accept(LABELS_NONE, MANY, 1, values, NULL);
    free(values);
}

TEST(test_pipe) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "1,a\n2,b\n", 8), 8);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    accept(LABELS_LAST, 2, 1, (double[]){1, 2}, "a,b");
    close(ends[0]);
}

/* ---- .npy ---- */

/* A file of this header, padded, and these elements. */
static void write_npy(int version, const char *header, const void *elements, size_t length) {
    char bytes[1024] = "\x93NUMPY";
    const int start = version == 1 ? 10 : 12;
    bytes[6] = (char)version;
    bytes[8] = (char)(128 - start);
    memset(bytes + start, ' ', (size_t)(128 - start));
    memcpy(bytes + start, header, strlen(header));
    bytes[127] = '\n';
    memcpy(bytes + 128, elements, length);
    write_bytes(bytes, 128 + length);
}

#define HEADER(descr, shape) "{'descr': '" descr "', 'fortran_order': False, 'shape': " shape ", }"

TEST(test_npy) {
    const double six[] = {1, 2, 3, 4, 5, 6};
    const float floats[] = {1, 2, 3, 4, 5, 6};
    write_npy(1, HEADER("<f4", "(2, 3)"), floats, sizeof floats);
    accept(LABELS_LAST, 2, 3, six, NULL); /* no column of it holds labels */
    assert_non_null(table_floats(t));
    assert_memory_equal(table_floats(t), floats, sizeof floats);
    write_npy(2, HEADER("<f8", "(3,2)"), six, sizeof six);
    accept(LABELS_NONE, 3, 2, six, NULL);
    assert_null(table_floats(t));
    write_npy(3, HEADER("<i4", "(6,)"), (int32_t[]){1, 2, 3, 4, 5, 6}, 24);
    accept(LABELS_NONE, 6, 1, six, NULL);
    write_npy(1, "{\"shape\":(1,6),\"fortran_order\":False,\"descr\":\"|u1\"}", "\1\2\3\4\5\6", 6);
    accept(LABELS_NONE, 1, 6, six, NULL);
    write_npy(1, HEADER("<i4", "(3,)"), (int32_t[]){7, -1, 7}, 12);
    accept(LABELS_ONLY, 3, 0, NULL, "7,-1,7");
    write_npy(1, HEADER("<f8", "(2, 1)"), (double[]){1.5, -0.0}, 16);
    accept(LABELS_ONLY, 2, 0, NULL, "1.5,0");
}

TEST(test_npy_refuses) {
    const float two[] = {1, NAN};
    static const struct {
        const char *header, *what;
    } cases[] = {
        {HEADER("<f4", "(2, 2)"), ": 8 bytes of elements, not the 16 of 2 x 2"},
        {HEADER("<f4", "(1, 1)"), ": 8 bytes of elements, not the 4 of 1 x 1"},
        {HEADER("<f4", "(0, 2)"), ": holds no records"},
        {HEADER("<f4", "(2, 0)"), ": holds no records"},
        {HEADER("<f4", "(2147483648, 1)"), ": more than 2147483647 rows or 1048576 columns"},
        {HEADER("<f4", "(1, 1048577)"), ": more than 2147483647 rows or 1048576 columns"},
        {HEADER("<f4", "(9999999999999999999, 2)"), ": more than 2147483647 rows or 1048576 columns"},
        {HEADER("<f4", "(1, 1, 2)"), ": of an .npy file only one or two dimensions are read" CONVERT},
        {HEADER("<f4", "()"), ": of an .npy file only one or two dimensions are read" CONVERT},
        {HEADER("<f4", "(-1, 2)"), ": more than 2147483647 rows or 1048576 columns"},
        {HEADER(">f4", "(1, 2)"), ": of an .npy file only u1, <i4, <f4 and <f8 are read" CONVERT},
        {HEADER("<i8", "(1, 1)"), ": of an .npy file only u1, <i4, <f4 and <f8 are read" CONVERT},
        {HEADER("<f2", "(1, 4)"), ": of an .npy file only u1, <i4, <f4 and <f8 are read" CONVERT},
        {HEADER("<f40", "(1, 2)"), ": of an .npy file only u1, <i4, <f4 and <f8 are read" CONVERT},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }",
         ": of an .npy file only C order is read, not Fortran's" CONVERT},
        {"{'descr': '<f4', 'shape': (1, 2), }", ": of an .npy file only C order is read, not Fortran's" CONVERT},
        {"{'descr': '<f4', 'fortran_order': False, }", ": of an .npy file only one or two dimensions are read" CONVERT},
        {HEADER("<f4", "(1, 2)"), ": row 1: column 2: nan is not a finite number"},
        {HEADER("<f4", "(2, 1)"), ": row 2: column 1: nan is not a finite number"},
    };
    for (int i = 0; i < ARRAY_SIZE(cases); i++) {
        write_npy(1, cases[i].header, two, sizeof two);
        refuse(LABELS_NONE, cases[i].what);
    }
    write_npy(1, HEADER("<f8", "(1, 1)"), (double[]){-INFINITY}, 8);
    refuse(LABELS_NONE, ": row 1: column 1: -inf is not a finite number");
    write_npy(4, HEADER("<f4", "(1, 2)"), two, sizeof two);
    refuse(LABELS_NONE, ": of .npy files versions 1 to 3 are read, with up to 64 KB of header" CONVERT);
    write_npy(1, HEADER("<f4", "(1, 2)"), two, sizeof two);
    assert_int_equal(truncate(path, 60), 0);
    refuse(LABELS_NONE, ": truncated in its .npy header");
    write_bytes("\x93NUM", 4);
    refuse(LABELS_NONE, ": truncated in its .npy header");
    write_bytes("\x93NOMPY\1\0\0\0\0\0", 13);
    refuse(LABELS_NONE, ": neither text nor an .npy file" CONVERT);
    char odd[200] = "\x93NUMPY\1\0\x40";
    memset(odd + 10, ' ', 64);
    memcpy(odd + 10, HEADER("|u1", "(1, 2)"), strlen(HEADER("|u1", "(1, 2)")));
    write_bytes(odd, 76);
    refuse(LABELS_NONE, ": its elements are not aligned to 8 bytes" CONVERT);
}

static const struct fixtures fixtures = {.before = make_folder, .after = tear_down};
