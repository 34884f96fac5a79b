/* Readers of data files: what they accept, bit for bit, and what they refuse, word for word. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/values.h"
#include "readers/input.h"
#include "readers/table.h"
#include "readers/table_build.h"

static char folder[64], path[160];
static char said[2048];
static FILE *err;
static table *t;

static int set_up(void **state) {
    (void)state;
    strcpy(folder, "/tmp/test_table_XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    table_free(t);
    t = NULL;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static void write_bytes(const char *name, const void *bytes, size_t length) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

static void write_text(const char *text) {
    write_bytes("x.csv", text, strlen(text));
}

static void write_gzip(const char *name, const void *bytes, size_t length) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    gzFile f = gzopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, bytes, (unsigned)length), (int)length);
    assert_int_equal(gzclose(f), Z_OK);
}

static int read_with(table_header header, const char *symbolic) {
    memset(said, 0, sizeof said);
    err = fmemopen(said, sizeof said - 1, "w");
    table_free(t);
    const int status = table_read(path, &(table_options){.header = header, .symbolic = symbolic}, &t, err);
    fclose(err);
    assert_true((status == 0) == (t != NULL));
    assert_true((status == 0) == (said[0] == '\0'));
    return status;
}

static void accept(int rows, int columns) {
    if (read_with(TABLE_HEADER_AUTO, NULL) != 0) fail_msg("%s", said);
    assert_int_equal(table_rows(t), rows);
    assert_int_equal(table_columns(t), columns);
    assert_string_equal(table_path(t), path);
}

/* One line: the file's path, then `what`. */
static void refuse_with(table_header header, const char *symbolic, const char *what) {
    char expected[512];
    assert_int_equal(read_with(header, symbolic), 2);
    snprintf(expected, sizeof expected, "%s%s\n", path, what);
    assert_string_equal(said, expected);
}

static void refuse(const char *what) {
    refuse_with(TABLE_HEADER_AUTO, NULL, what);
}

static void refuse_text(const char *text, const char *what) {
    write_text(text);
    refuse(what);
}

static const char *text_at(int row, int column) {
    static char room[TABLE_TEXT];
    return table_text(t, row, column, room);
}

/* ---- CSV ---- */

static void test_csv_records(void **state) {
    (void)state;
    static const char *const same[] = {
        "1,a,2.5\n-3,b,1e3\n",
        "1,a,2.5\r\n-3,b,1e3\r\n",
        "1,a,2.5\n-3,b,1e3",
        "\"1\",\"a\",2.5\n-3,b,\"1e3\"",
        "\xef\xbb\xbf"
        "1,a,2.5\n-3,b,1e3\n",
        "1,a,2.5\n-3,b,1e3\n\n\r\n\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        write_text(same[i]);
        accept(2, 3);
        assert_true(table_number(t, 0, 0) == 1 && table_number(t, 1, 0) == -3);
        assert_true(table_number(t, 0, 2) == 2.5 && table_number(t, 1, 2) == 1000);
        assert_true(isnan(table_number(t, 0, 1)));
        assert_string_equal(text_at(0, 1), "a");
        assert_string_equal(text_at(1, 1), "b");
        assert_string_equal(text_at(1, 2), "1e3");
        assert_true(table_numeric(t, 0, NULL, 0) && !table_numeric(t, 1, NULL, 0) && table_numeric(t, 2, NULL, 0));
    }
}

static void test_csv_quotes(void **state) {
    (void)state;
    write_text("\"a,b\",\"say \"\"hi\"\"\",\"\"\n\"two\nlines\",\"\"\"\",x\n\"\"\"\"\"\",y,\"z\"");
    accept(3, 3);
    assert_string_equal(text_at(0, 0), "a,b");
    assert_string_equal(text_at(0, 1), "say \"hi\"");
    assert_string_equal(text_at(0, 2), "");
    assert_string_equal(text_at(1, 0), "two\nlines");
    assert_string_equal(text_at(1, 1), "\"");
    assert_string_equal(text_at(2, 0), "\"\"");
    assert_string_equal(text_at(2, 2), "z");
}

static void test_csv_empty_fields(void **state) {
    (void)state;
    write_text(",\n,\n");
    accept(2, 2);
    assert_string_equal(text_at(1, 1), "");
    assert_false(table_numeric(t, 0, NULL, 0));
    write_text("\"\"\n");
    accept(1, 1);
    write_text("x,\ny,");
    accept(2, 2);
}

static void test_csv_header(void **state) {
    (void)state;
    write_text("width,\"the \"\"label\"\"\"\n1,a\n2,b\n");
    accept(2, 2);
    assert_int_equal(read_with(TABLE_HEADER_NO, NULL), 0);
    assert_int_equal(table_rows(t), 3);
    assert_int_equal(read_with(TABLE_HEADER_YES, NULL), 0);
    assert_int_equal(table_rows(t), 2);

    write_text("1,2\n3,4\n"); /* numbers are no names, unless told */
    accept(2, 2);
    assert_int_equal(read_with(TABLE_HEADER_YES, NULL), 0);
    assert_int_equal(table_rows(t), 1);
    write_text("a,b\nc,d\n"); /* words alone may be records */
    accept(2, 2);
    write_text("a,b\n");
    accept(1, 2);
    refuse_with(TABLE_HEADER_YES, NULL, ": holds no records below its header");
}

static void test_csv_refuses(void **state) {
    (void)state;
    refuse_text("", ": is empty");
    refuse_text("\n\n", ": holds no records");
    refuse_text("\xef\xbb\xbf", ": holds no records");
    refuse_text("1,2,3\n4,5,6\n7,8\n", ":3: column 3: missing: line 1 has 3 columns, this one 2");
    refuse_text("1,2\n4,5,6,7\n", ":2: column 3: one too many: line 1 has 2 columns, this one 4");
    refuse_text("1,2\n3,\"n\na\tn\"\n\n5,6\n", ":4: a blank line before the end");
    refuse_text("1,2\n\n3,4\n", ":2: a blank line before the end");
    refuse_text("\n1,2\n", ":1: a blank line before the end");
    refuse_text("1,2\n3,nan\n", ":2: column 2: 'nan' is not a finite number");
    refuse_text("1,2\n-Infinity,3\n", ":2: column 1: '-Infinity' is not a finite number");
    refuse_text("1,2\n 1e999 ,3\n", ":2: column 1: ' 1e999 ' is not a finite number");
    refuse_text("a,b\n1,2\n\"3\",NaN\n", ":3: column 2: 'NaN' is not a finite number");
    refuse_text("1,\"2\n3,4\n", ":1: column 2: the quote that opens here is never closed");
    refuse_text("1,2\n3,\"a\nb\"x\n", ":3: column 2: text behind a closing quote");
    refuse_text("1,2\n3,a\"b\n", ":2: column 2: a quote in a field that does not begin with one");
    refuse_text("1,2\r3,4\r", ":1: column 2: a carriage return without a line feed");
    write_bytes("x.csv", "1,2\n3,a\0b\n", 10);
    refuse(":2: column 2: a NUL byte");
    write_bytes("x.csv", "1,2\n3,\"a\0b\"\n", 12);
    refuse(":2: column 2: a NUL byte");
    snprintf(path, sizeof path, "%s/none.csv", folder);
    refuse(": No such file or directory");
    snprintf(path, sizeof path, "%s", folder);
    refuse(": is a folder");
}

/* What is said about a row counts lines, not records. */
static void test_csv_lines(void **state) {
    (void)state;
    write_text("name,x\n\"a\nb\",1\nc,2\n");
    accept(2, 2);
    memset(said, 0, sizeof said);
    err = fmemopen(said, sizeof said - 1, "w");
    assert_int_equal(table_complain(t, 1, 0, err, "why %d", 7), 2);
    fclose(err);
    char expected[256];
    snprintf(expected, sizeof expected, "%s:4: column 1: why 7\n", path);
    assert_string_equal(said, expected);
}

static void test_csv_symbolic(void **state) {
    (void)state;
    write_text("1,2,3\n4,5,6\n");
    assert_int_equal(read_with(TABLE_HEADER_AUTO, "2,3"), 0);
    assert_true(table_symbolic_given(t) && !table_symbolic(t, 0) && table_symbolic(t, 1) && table_symbolic(t, 2));
    assert_int_equal(read_with(TABLE_HEADER_AUTO, "none"), 0);
    assert_true(table_symbolic_given(t) && !table_symbolic(t, 0));
    refuse_with(TABLE_HEADER_AUTO, "4", ": column 4: named by --symbolic, but there are 3 columns");
    static const char *const wrong[] = {"",     "0",  "x",   "1,",      ",1",
                                        "1,,2", "-1", "1 2", "1048577", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char expected[256];
        assert_int_equal(read_with(TABLE_HEADER_AUTO, wrong[i]), 2);
        snprintf(expected, sizeof expected,
                 "--symbolic %s: takes columns from 1 with commas between them, as in 2,3,4, or none\n", wrong[i]);
        assert_string_equal(said, expected);
    }
    write_text("nan\nnan\n"); /* words, where one says so */
    assert_int_equal(read_with(TABLE_HEADER_AUTO, "1"), 0);
    write_text("nan\nabc\n");
    accept(2, 1);
    assert_false(table_numeric(t, 0, NULL, 0));
    assert_false(table_numeric(t, 0, (int[]){0}, 1));
}

/* More than 4,096 different numbers: the spellings go, unless one asks for them. */
static void test_csv_many_numbers(void **state) {
    (void)state;
    enum { ROWS = 10000 };
    char *text = malloc(ROWS * 32);
    size_t length = 0;
    for (int i = 0; i < ROWS; i++) length += (size_t)sprintf(text + length, "%d.5,%d,w%d\n", i, i % 7, i);
    write_bytes("x.csv", text, length);
    accept(ROWS, 3);
    assert_false(table_has_text(t, 0));
    assert_true(table_has_text(t, 1) && table_has_text(t, 2));
    for (int i = 0; i < ROWS; i++) {
        char word[16];
        snprintf(word, sizeof word, "w%d", i);
        assert_true(table_number(t, i, 0) == i + 0.5 && table_number(t, i, 1) == i % 7);
        assert_string_equal(text_at(i, 2), word);
    }
    assert_int_equal(read_with(TABLE_HEADER_AUTO, "1"), 0);
    assert_string_equal(text_at(9999, 0), "9999.5");
    length += (size_t)sprintf(text + length, "abc,1,x\n");
    write_bytes("x.csv", text, length);
    refuse(":10001: column 1: 'abc' is not a number, but the column has more than 4096 different numbers above it");
    memcpy(text + length - 8, "inf", 3);
    write_bytes("x.csv", text, length);
    refuse(":10001: column 1: 'inf' is not a finite number");
    memcpy(text, "nan", 3);
    write_bytes("x.csv", text, length);
    refuse(":1: column 1: 'nan' is not a finite number");
    free(text);
}

/* Records across the window of 1 MB, plain and packed: same table. */
static void test_csv_long(void **state) {
    (void)state;
    enum { ROWS = 3000, WIDE = 1200 };
    const size_t capacity = (size_t)ROWS * (WIDE + 64);
    char *text = malloc(capacity);
    size_t length = 0;
    for (int i = 0; i < ROWS; i++) {
        length += (size_t)sprintf(text + length, "%d,\"", i);
        for (int k = 0; k < WIDE + i % 7; k++) text[length++] = k % 50 == 0 ? ',' : (char)('a' + (i + k) % 26);
        length += (size_t)sprintf(text + length, "\",%d\n", -i);
    }
    assert_true(length < capacity);
    for (int packed = 0; packed < 2; packed++) {
        if (packed)
            write_gzip("x.csv.gz", text, length);
        else
            write_bytes("x.csv", text, length);
        accept(ROWS, 3);
        for (int i = 0; i < ROWS; i++) {
            assert_true(table_number(t, i, 0) == i && table_number(t, i, 2) == -i);
            assert_int_equal(strlen(text_at(i, 1)), WIDE + i % 7);
        }
    }
    char *one = malloc(3 << 20); /* a record longer than the window */
    memset(one, 'x', 3 << 20);
    one[0] = one[(3 << 20) - 1] = '"';
    write_bytes("x.csv", one, 3 << 20);
    accept(1, 1);
    assert_int_equal(strlen(text_at(0, 0)), (3 << 20) - 2);
    free(one);
    free(text);
}

/* Long words are cut between characters, in tables and in messages. */
static void test_shown(void **state) {
    (void)state;
    char room[TABLE_SHOWN], word[3 * TABLE_SHOWN + 1];
    for (int shift = 0; shift < 4; shift++) {
        memset(word, 'x', sizeof word);
        for (int i = shift; i + 3 < 2 * TABLE_SHOWN; i += 3) memcpy(word + i, "\xe2\x82\xac", 3); /* the euro sign */
        word[2 * TABLE_SHOWN] = '\0';
        const char *shown = table_shown(word, room);
        const size_t kept = strlen(shown) - 3;
        assert_string_equal(shown + kept, "...");
        assert_memory_equal(shown, word, kept);
        assert_true(kept > TABLE_SHOWN - 8 && kept <= TABLE_SHOWN - 4);
        assert_true(((unsigned char)word[kept] & 0xc0) != 0x80);
    }
    write_text("1,2\n3,\"nan(\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
               "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4x\xc3\xa4\xc3\xa4)\"\n");
    refuse(":2: column 2: 'nan(\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
           "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4x...' is not a finite number");
}

static void test_pipe(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "1,2\n3,4\n", 8), 8);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    accept(2, 2);
    close(ends[0]);
}

/* ---- numbers ---- */

static void test_number_forms(void **state) {
    (void)state;
    static const struct {
        const char *text;
        value_kind kind;
    } cases[] = {
        {"0", VALUE_NUMBER},
        {"-0", VALUE_NUMBER},
        {"+1", VALUE_NUMBER},
        {"1.", VALUE_NUMBER},
        {".5", VALUE_NUMBER},
        {"1e5", VALUE_NUMBER},
        {"1E+5", VALUE_NUMBER},
        {" 1.5\t", VALUE_NUMBER},
        {"-.5e-3", VALUE_NUMBER},
        {"", VALUE_WORD},
        {" ", VALUE_WORD},
        {".", VALUE_WORD},
        {"-", VALUE_WORD},
        {"e5", VALUE_WORD},
        {"1e", VALUE_WORD},
        {"1e+", VALUE_WORD},
        {"0x10", VALUE_WORD},
        {"0x1p3", VALUE_WORD},
        {"1.2.3", VALUE_WORD},
        {"1 2", VALUE_WORD},
        {"1,5", VALUE_WORD},
        {"--1", VALUE_WORD},
        {"1f", VALUE_WORD},
        {"infinit", VALUE_WORD},
        {"nano", VALUE_WORD},
        {"in", VALUE_WORD},
        {"nan", VALUE_NOT_FINITE},
        {"+NaN", VALUE_NOT_FINITE},
        {"-inf", VALUE_NOT_FINITE},
        {"INFINITY", VALUE_NOT_FINITE},
        {"nan(0x1)", VALUE_NOT_FINITE},
        {"1e309", VALUE_NOT_FINITE},
        {"-1e99999999999", VALUE_NOT_FINITE},
        {"1e-99999999999", VALUE_NUMBER},
        {"0e99999999999", VALUE_NUMBER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double number;
        const value_kind kind = table_parse_number(cases[i].text, strlen(cases[i].text), &number);
        if (kind != cases[i].kind) fail_msg("'%s' is %d", cases[i].text, (int)kind);
        if (kind == VALUE_NUMBER) assert_true(number == strtod(cases[i].text, NULL));
    }
}

/* Correctly rounded: as strtod, bit for bit, sign of zero too. */
static void test_number_rounding(void **state) {
    (void)state;
    static const char *const forms[] = {"%.17g", "%.3g", "%.15f", "%.20e", "%.8g", "%.0f"};
    for (uint64_t i = 0; i < 200000; i++) {
        char text[512];
        double value;
        const uint64_t bits = i % 2 == 0 ? values_hash(1, i) : (values_hash(2, i) >> 2) | UINT64_C(0x3000000000000000);
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        snprintf(text, sizeof text, forms[i % 6], value);
        double number;
        const double nearest = strtod(text, NULL);
        const value_kind kind = table_parse_number(text, strlen(text), &number);
        if (!isfinite(nearest)) continue;
        if (kind != VALUE_NUMBER || memcmp(&number, &nearest, sizeof number) != 0) fail_msg("%s: %a", text, number);
    }
    char zeros[1200];
    memset(zeros, '0', sizeof zeros);
    zeros[0] = '1';
    memcpy(zeros + 1190, "e-1189", 7);
    double number;
    assert_int_equal(table_parse_number(zeros, strlen(zeros), &number), VALUE_NUMBER);
    assert_true(number == 1);
}

static void test_spell(void **state) {
    (void)state;
    char room[TABLE_TEXT];
    assert_string_equal(table_spell(10, false, room), "10");
    assert_string_equal(table_spell(-3, false, room), "-3");
    assert_string_equal(table_spell(0.1, false, room), "0.1");
    assert_string_equal(table_spell((double)0.1f, true, room), "0.1");
    assert_string_equal(table_spell(-1.7976931348623157e308, false, room), "-1.7976931348623157e+308");
    assert_true(strlen(room) < TABLE_TEXT);
}

/* ---- gzip ---- */

static void test_gzip(void **state) {
    (void)state;
    char text[20000];
    size_t length = 0;
    for (int i = 0; i < 1000; i++) length += (size_t)sprintf(text + length, "%d,%d\n", i, 3 * i);
    write_gzip("x", text, length);
    accept(1000, 2);

    unsigned char packed[20000];
    FILE *f = fopen(path, "rb");
    const size_t size = fread(packed, 1, sizeof packed, f);
    fclose(f);
    for (size_t cut = 1; cut < size; cut += cut < 40 || cut > size - 20 ? 1 : 97) {
        write_bytes("cut", packed, cut);
        refuse(": truncated: the gzip data ends early");
    }
    packed[size - 6] ^= 1;
    write_bytes("sum", packed, size);
    refuse(": damaged: its gzip checksum does not match");
    packed[size - 6] ^= 1;
    packed[size / 2] ^= 0x55;
    write_bytes("bits", packed, size);
    assert_int_equal(read_with(TABLE_HEADER_AUTO, NULL), 2);
    assert_true(strstr(said, ": damaged") != NULL && strchr(said, '\n') == said + strlen(said) - 1);
    packed[size / 2] ^= 0x55;
    packed[size] = 'x';
    write_bytes("tail", packed, size + 1);
    refuse(": damaged: bytes that are not gzip follow the gzip data");
    memset(packed + size, 0, 700);
    write_bytes("zeros", packed, size + 700);
    accept(1000, 2);
    memcpy(packed + size, packed, size); /* two members */
    write_bytes("two", packed, 2 * size);
    accept(2000, 2);
    packed[size + 1] ^= 1;
    write_bytes("second", packed, 2 * size);
    refuse(": damaged: bytes that are not gzip follow the gzip data");
    write_gzip("empty", "", 0);
    refuse(": is empty");
    write_gzip("one.gz", "1,2\n3\n", 6);
    refuse(":2: column 2: missing: line 1 has 2 columns, this one 1");
}

/* ---- .npy ---- */

/* The file's bytes; returns how many. */
static size_t make_npy(unsigned char *to, int version, const char *dictionary, const void *data, size_t bytes) {
    const size_t text = strlen(dictionary);
    size_t length = 8;
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (unsigned char)version;
    to[7] = 0;
    for (int i = 0; i < (version == 1 ? 2 : 4); i++) to[length++] = (unsigned char)(text >> 8 * i);
    memcpy(to + length, dictionary, text);
    length += text;
    if (bytes > 0) memcpy(to + length, data, bytes);
    return length + bytes;
}

static void write_npy(int version, const char *dictionary, const void *data, size_t bytes) {
    unsigned char file[4096];
    write_bytes("x.npy", file, make_npy(file, version, dictionary, data, bytes));
}

static void check_2x3(void) {
    accept(2, 3);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) assert_true(table_number(t, i, j) == 10 * i + j + 0.25);
    assert_string_equal(text_at(1, 2), "12.25");
}

static void test_npy(void **state) {
    (void)state;
    const float c4[] = {0.25f, 1.25f, 2.25f, 10.25f, 11.25f, 12.25f};
    const double c8[] = {0.25, 1.25, 2.25, 10.25, 11.25, 12.25}, f8[] = {0.25, 10.25, 1.25, 11.25, 2.25, 12.25};
    unsigned char big4[24], big8[48];
    for (int i = 0; i < 24; i++) big4[i] = ((const unsigned char *)c4)[i / 4 * 4 + 3 - i % 4];
    for (int i = 0; i < 48; i++) big8[i] = ((const unsigned char *)f8)[i / 8 * 8 + 7 - i % 8];
    for (int version = 1; version <= 3; version++) {
        write_npy(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", c4, sizeof c4);
        check_2x3();
        write_npy(version, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n", c8, sizeof c8);
        check_2x3();
        write_npy(version, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }\n", f8, sizeof f8);
        check_2x3();
        write_npy(version, "{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3)}", big4, sizeof big4);
        check_2x3();
        write_npy(version, "{\"shape\":(2L,3L),\"fortran_order\":True,\"descr\":\">f8\"}", big8, sizeof big8);
        check_2x3();
    }
    write_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }\n", c4, sizeof c4);
    accept(6, 1);
    unsigned char file[4096];
    const size_t length =
        make_npy(file, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", c4, sizeof c4);
    write_gzip("x.npy.gz", file, length);
    check_2x3();
    write_bytes("no_extension", file, length);
    check_2x3();
}

/* Every type, in both byte orders; numbers of a binary file are spelled as short as they can be. */
static void test_npy_types(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int bytes;
        uint64_t bits[3];
        double values[3];
    } types[] = {
        {"b1", 1, {0, 1, 1}, {0, 1, 1}},
        {"u1", 1, {0, 7, 255}, {0, 7, 255}},
        {"i1", 1, {0, 0x80, 0xff}, {0, -128, -1}},
        {"u2", 2, {0, 0x0102, 0xffff}, {0, 258, 65535}},
        {"i2", 2, {0, 0x0102, 0xffff}, {0, 258, -1}},
        {"u4", 4, {0, 0x01020304, 0xffffffff}, {0, 16909060, 4294967295}},
        {"i4", 4, {0, 0x01020304, 0xffffffff}, {0, 16909060, -1}},
        {"u8", 8, {0, UINT64_C(1) << 53, 5}, {0, 0x1p53, 5}},
        {"i8", 8, {-(UINT64_C(1) << 53), UINT64_C(1) << 53, UINT64_MAX}, {-0x1p53, 0x1p53, -1}},
        {"f2", 2, {0x3c00, 0xc100, 0x0001}, {1, -2.5, 0x1p-24}},
        {"f4", 4, {0x3f800000, 0xc0200000, 0x00000001}, {1, -2.5, 0x1p-149}},
        {"f8", 8, {UINT64_C(0x3ff0000000000000), UINT64_C(0xc004000000000000), 1}, {1, -2.5, 0x1p-1074}},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int big = 0; big < 2; big++) {
            unsigned char data[24];
            char dictionary[128];
            const int size = types[i].bytes;
            for (int j = 0; j < 3 * size; j++)
                data[j] = (unsigned char)(types[i].bits[j / size] >> 8 * (big ? size - 1 - j % size : j % size));
            snprintf(dictionary, sizeof dictionary, "{'descr': '%c%s', 'fortran_order': False, 'shape': (3,)}",
                     size == 1 ? '|'
                     : big     ? '>'
                               : '<',
                     types[i].name);
            write_npy(1, dictionary, data, (size_t)(3 * size));
            accept(3, 1);
            float copied[3];
            const size_t beyond = table_copy(t, NULL, 0, 3, 0, 1, copied);
            assert_int_equal(beyond, SIZE_MAX);
            for (int j = 0; j < 3; j++) {
                assert_true(table_number(t, j, 0) == types[i].values[j]);
                assert_true(copied[j] == (float)types[i].values[j]);
                const char *spelled = text_at(j, 0);
                assert_true(size <= 4 ? strtof(spelled, NULL) == copied[j]
                                      : strtod(spelled, NULL) == types[i].values[j]);
            }
        }
    const int64_t far[] = {1, (INT64_C(1) << 53) + 2};
    write_npy(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 1)}", far, sizeof far);
    refuse(": row 2: column 1: 9007199254740994: integers beyond 2^53 would not be exact");
    const uint16_t nan[] = {0x7bff, 0x7e00};
    write_npy(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2)}", nan, sizeof nan);
    refuse(": row 1: column 2: NaN: not a finite number");
}

/* A large array, which several threads check and copy: as it is, with rows left out, by columns, from the middle. */
static void test_npy_large(void **state) {
    (void)state;
    enum { ROWS = 3000, COLUMNS = 1000, TAKEN = 990 };
    const size_t count = (size_t)ROWS * COLUMNS;
    float *data = malloc(count * sizeof *data), *copied = malloc(count * sizeof *copied);
    unsigned char *file = malloc(count * sizeof *data + 4096);
    int *rows = malloc(ROWS / 3 * sizeof *rows);
    for (size_t i = 0; i < count; i++) data[i] = (float)(values_hash(3, i) >> 40);
    for (int i = 0; i < ROWS / 3; i++) rows[i] = 3 * i + 1;
    for (int fortran = 0; fortran < 2; fortran++) {
        char dictionary[128];
        snprintf(dictionary, sizeof dictionary, "{'descr': '<f4', 'fortran_order': %s, 'shape': (%d, %d)}%s",
                 fortran ? "True" : "False", ROWS, COLUMNS, fortran ? "   " : "    ");
        size_t length = make_npy(file, 1, dictionary, data, count * sizeof *data);
        write_bytes("x.npy", file, length);
        accept(ROWS, COLUMNS);
#define AT(i, j) data[fortran ? (size_t)(j)*ROWS + (size_t)(i) : (size_t)(i)*COLUMNS + (size_t)(j)]
        assert_int_equal(table_copy(t, NULL, 0, 100, 5, TAKEN, copied), SIZE_MAX);
        assert_int_equal(table_copy(t, NULL, 100, ROWS - 100, 5, TAKEN, copied + (size_t)100 * TAKEN), SIZE_MAX);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < TAKEN; j++) assert_true(copied[(size_t)i * TAKEN + (size_t)j] == AT(i, j + 5));
        assert_int_equal(table_copy(t, rows, 0, ROWS / 3, 0, COLUMNS, copied), SIZE_MAX);
        for (int i = 0; i < ROWS / 3; i++)
            for (int j = 0; j < COLUMNS; j++) assert_true(copied[(size_t)i * COLUMNS + (size_t)j] == AT(rows[i], j));
        assert_int_equal(table_copy(t, rows, 500, 2, 0, COLUMNS, copied), SIZE_MAX);
        for (int j = 0; j < COLUMNS; j++) assert_true(copied[COLUMNS + j] == AT(rows[501], j));
        /* the first NaN in the order of the file's lines */
        const float kept[] = {AT(1999, 7), AT(1999, 8)};
        AT(1999, 7) = AT(1999, 8) = NAN;
        length = make_npy(file, 1, dictionary, data, count * sizeof *data);
        write_bytes("x.npy", file, length);
        refuse(": row 2000: column 8: NaN: not a finite number");
        AT(1999, 7) = kept[0];
        AT(1999, 8) = kept[1];
    }
    free(rows);
    free(file);
    free(copied);
    free(data);
}

static void test_npy_refuses(void **state) {
    (void)state;
    static const struct {
        const char *dictionary, *said;
    } cases[] = {
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 3), }",
         ": '<c8' elements: b1, u1 ... u8, i1 ... i8, f2, f4 and f8 are read"},
        {"{'descr': '<i16', 'fortran_order': False, 'shape': (2, 3), }",
         ": '<i16' elements: b1, u1 ... u8, i1 ... i8, f2, f4 and f8 are read"},
        {"{'descr': '<f4', 'fortran_order': Falsey, 'shape': (2, 3), }",
         ": its .npy header has no fortran_order of True or False"},
        {"{'descr': '<f4', 'fortran_order': True1, 'shape': (2, 3), }",
         ": its .npy header has no fortran_order of True or False"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3), }",
         ": its .npy header has no plain descr"},
        {"{'fortran_order': False, 'shape': (2, 3), }", ": its .npy header has no plain descr"},
        {"{'descr': '<f4', 'shape': (2, 3), }", ": its .npy header has no fortran_order of True or False"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3), }",
         ": its .npy header has no fortran_order of True or False"},
        {"{'descr': '<f4', 'fortran_order': False}", ": its .npy header has no shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, x)}",
         ": its .npy header's shape is not made of numbers"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3", ": its .npy header's shape is not made of numbers"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3)}",
         ": its .npy header's shape is not made of numbers"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", ": an array of 0 dimensions, not rows and columns"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3)}",
         ": an array of 3 dimensions, not rows and columns"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3)}", ": holds no records"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 0)}", ": holds no records"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967298, 3)}", ": more than 2147483647 rows"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2147483648, 1)}", ": more than 2147483647 rows"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1048577)}", ": more columns than 1048576"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551617, 3)}",
         ": its .npy header's shape overflows"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2147483647, 1048576)}",
         ": truncated: it ends before its 2147483647 x 1048576 elements do"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4)}",
         ": truncated: it ends before its 2 x 4 elements do"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}", ": bytes follow its 2 x 2 elements"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", ": row 2: column 1: NaN: not a finite number"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", ": row 2: column 2: NaN: not a finite number"},
    };
    const float data[] = {0, 1, 2, NAN, 3, 4};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_npy(1, cases[i].dictionary, data, sizeof data);
        refuse(cases[i].said);
    }
    const double far[] = {0, -INFINITY};
    write_npy(2, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", far, sizeof far);
    refuse(": row 2: column 1: -Inf: not a finite number");
    write_npy(4, "{}", NULL, 0);
    refuse(": an .npy file of version 4.0: 1.0, 2.0 and 3.0 are read");
    unsigned char file[256];
    const size_t length =
        make_npy(file, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", (float[6]){0}, 24);
    for (size_t cut = 1; cut < length; cut++) {
        write_bytes("x.npy", file, cut);
        refuse(cut < 6             ? ": is not an .npy file: it does not begin like one"
               : cut < length - 24 ? ": truncated in its .npy header"
                                   : ": truncated: it ends before its 2 x 3 elements do");
    }
    file[9] = 0xff;
    file[6] = 2;
    memset(file + 10, 0xff, 2);
    write_bytes("x.npy", file, length);
    refuse(": an .npy header longer than 64 KB");
    write_bytes("x.npy", "1,2\n", 4);
    refuse(": is not an .npy file: it does not begin like one");
}

/* ---- vecs and idx ---- */

static void test_vecs(void **state) {
    (void)state;
    const float f[] = {0, 0.25f, -1.5f, 0, 3, 4};
    int32_t file[6], whole[] = {2, 7, -8, 2, 16777217, 10};
    memcpy(file, f, sizeof f);
    file[0] = file[3] = 2;
    write_bytes("x.fvecs", file, sizeof file);
    accept(2, 2);
    assert_true(table_number(t, 0, 1) == -1.5 && table_number(t, 1, 0) == 3);
    write_gzip("x.fvecs.gz", file, sizeof file);
    accept(2, 2);
    write_bytes("x.IVECS", whole, sizeof whole);
    accept(2, 2);
    assert_true(table_number(t, 0, 1) == -8 && table_number(t, 1, 0) == 16777217);
    assert_string_equal(text_at(1, 0), "16777217");
    write_bytes("x.bvecs", "\3\0\0\0\1\2\377\3\0\0\0\4\5\6", 14);
    accept(2, 3);
    assert_true(table_number(t, 0, 2) == 255 && table_number(t, 1, 0) == 4);

    refuse_with(TABLE_HEADER_AUTO, "4", ": column 4: named by --symbolic, but there are 3 columns");
    write_bytes("x.bvecs", "\3\0\0\0\1\2\377\2\0\0\0\4\5", 13);
    refuse(": row 2: 2 columns, but row 1 has 3");
    write_bytes("x.bvecs", "\3\0\0\0\1\2\377\3\0\0\0\4\5", 13);
    refuse(": row 2: truncated");
    write_bytes("x.bvecs", "\3\0\0\0\1\2\377\3\0", 9);
    refuse(": row 2: truncated at byte 7");
    write_bytes("x.bvecs", "\0\0\0\0", 4);
    refuse(": row 1: dimension 0 at byte 0 is not between 1 and 1048576");
    write_bytes("x.bvecs", "\377\377\377\377", 4);
    refuse(": row 1: dimension -1 at byte 0 is not between 1 and 1048576");
    write_bytes("x.bvecs", "\0\0\20\0", 4);
    refuse(": row 1: truncated");
    write_bytes("x.bvecs", "", 0);
    refuse(": is empty");
    file[4] = 0x7f800000;
    write_bytes("x.fvecs", file, sizeof file);
    refuse(": row 2: column 1: Inf: not a finite number");
}

static void test_idx(void **state) {
    (void)state;
    write_bytes("images-idx3-ubyte", "\0\0\10\3\0\0\0\2\0\0\0\2\0\0\0\2\1\2\3\4\5\6\7\377", 24);
    accept(2, 4);
    assert_true(table_holds_images(t));
    assert_true(table_number(t, 0, 3) == 4 && table_number(t, 1, 3) == 255);
    assert_string_equal(text_at(1, 3), "255");
    write_gzip("images.gz", "\0\0\10\1\0\0\0\3\7\10\11", 11);
    accept(3, 1);
    write_bytes("i", "\0\0\14\2\0\0\0\1\0\0\0\2\377\377\377\376\0\1\0\0", 20);
    accept(1, 2);
    assert_true(table_number(t, 0, 0) == -2 && table_number(t, 0, 1) == 65536);
    write_bytes("f", "\0\0\15\1\0\0\0\1\277\300\0\0", 12);
    accept(1, 1);
    assert_true(table_number(t, 0, 0) == -1.5);
    write_bytes("d", "\0\0\16\1\0\0\0\1\277\370\0\0\0\0\0\0", 16);
    accept(1, 1);
    assert_true(table_number(t, 0, 0) == -1.5 && !table_holds_images(t));
    write_bytes("i1", "\0\0\11\1\0\0\0\1\376", 9);
    accept(1, 1);
    assert_true(table_number(t, 0, 0) == -2);
    write_bytes("i2", "\0\0\13\1\0\0\0\1\376\377", 10);
    accept(1, 1);
    assert_true(table_number(t, 0, 0) == -257);

    write_bytes("x", "\0\0\12\1\0\0\0\1\0\0", 10);
    refuse(": idx elements of type 0x0a: 0x08, 0x09 and 0x0b ... 0x0e are read");
    write_bytes("x", "\0\0\10\0", 4);
    refuse(": an idx file without dimensions");
    write_bytes("x", "\0\1\10\1", 4);
    refuse(": neither an idx file nor text: it begins with a NUL byte");
    write_bytes("x", "\0\0\10", 3);
    refuse(": truncated in its idx header");
    write_bytes("x", "\0\0\10\2\0\0\0\1\0\0", 10);
    refuse(": truncated in its idx header");
    write_bytes("x", "\0\0\10\1\377\377\377\377", 8);
    refuse(": more than 2147483647 rows");
    write_bytes("x", "\0\0\10\3\0\0\0\1\0\1\0\0\0\1\0\0", 16);
    refuse(": more columns than 1048576");
    write_bytes("x", "\0\0\10\2\0\0\0\0\0\0\0\2", 12);
    refuse(": holds no records");
    write_bytes("x", "\0\0\10\2\0\0\0\2\0\0\0\2\1\2\3", 15);
    refuse(": truncated: it ends before its 2 x 2 elements do");
    write_bytes("x", "\0\0\10\1\0\0\0\1\1\2", 10);
    refuse(": bytes follow its 1 x 1 elements");
    write_bytes("x", "\0\0\15\2\0\0\0\1\0\0\0\2\0\0\0\0\177\300\0\0", 20);
    refuse(": row 1: column 2: NaN: not a finite number");
}

/* ---- the stream itself ---- */

static void test_input(void **state) {
    (void)state;
    enum { BYTES = 3000000 };
    unsigned char *bytes = malloc(BYTES), *back = malloc(BYTES);
    for (int i = 0; i < BYTES; i++) bytes[i] = (unsigned char)values_hash(5, (uint64_t)i);
    bytes[0] = 'x';
    for (int packed = 0; packed < 2; packed++) {
        if (packed)
            write_gzip("b.gz", bytes, BYTES);
        else
            write_bytes("b", bytes, BYTES);
        input *in;
        assert_int_equal(input_open(path, &in, stderr), 0);
        size_t length, done = 0;
        for (uint64_t i = 0; done < BYTES; i++) {
            const size_t wanted = values_hash(6, i) % (i % 50 == 7 ? 2000000 : 5000);
            const unsigned char *p = input_peek(in, wanted, &length);
            assert_true(length >= wanted || done + length == BYTES);
            assert_true(length <= BYTES - done);
            assert_memory_equal(p, bytes + done, length < 9000 ? length : 9000);
            const size_t take = length < wanted ? length : wanted;
            assert_int_equal(input_read(in, back + done, take), take);
            done += take;
        }
        assert_memory_equal(back, bytes, BYTES);
        input_peek(in, 1, &length);
        assert_int_equal(length, 0);
        assert_int_equal(input_read(in, back, 10), 0);
        assert_false(input_failed(in));
        input_close(in);
    }
    free(bytes);
    free(back);
}

/* The rest as one block: what is mapped and what is read are the same. */
static void test_input_rest(void **state) {
    (void)state;
    enum { BYTES = 300000, TAKEN = 1000 };
    unsigned char *bytes = malloc(BYTES), head[TAKEN];
    for (int i = 0; i < BYTES; i++) bytes[i] = (unsigned char)values_hash(7, (uint64_t)i);
    bytes[0] = 'x';
    for (int packed = 0; packed < 2; packed++) {
        if (packed)
            write_gzip("b.gz", bytes, BYTES);
        else
            write_bytes("b", bytes, BYTES);
        for (size_t most = 0; most <= BYTES + 1; most += most == 0 ? 5000 : BYTES - 4999) {
            input *in;
            input_block block;
            assert_int_equal(input_open(path, &in, stderr), 0);
            assert_int_equal(input_read(in, head, TAKEN), TAKEN);
            assert_true(input_rest(in, most, &block));
            input_close(in);
            const size_t wanted = packed && most < BYTES - TAKEN ? most : BYTES - TAKEN;
            assert_int_equal(block.length, wanted);
            assert_true(wanted == 0 || memcmp(block.bytes, bytes + TAKEN, wanted) == 0);
            assert_int_equal(block.mapped > 0, !packed);
            input_release(&block);
        }
    }
    free(bytes);
}

/* ---- the data sets, where they are ---- */

static bool find_data(const char *name) {
    const char *where = getenv("KNN_DATA");
    snprintf(path, sizeof path, "%s/%s", where != NULL ? where : "data", name);
    if (access(path, R_OK) == 0) return true;
    print_message("skipped: no %s; type: make data\n", path);
    return false;
}

static void test_optdigits(void **state) {
    (void)state;
    if (!find_data("optdigits/optdigits.tra")) skip();
    accept(3823, 65);
    for (int j = 0; j < 65; j++) assert_true(table_numeric(t, j, NULL, 0));
    assert_true(table_number(t, 0, 2) == 6 && table_number(t, 3822, 64) == 7);
    if (!find_data("optdigits/optdigits.tes")) skip();
    accept(1797, 65);
}

static void test_kdd99(void **state) {
    (void)state;
    if (!find_data("kdd99/kddcup.data_10_percent.gz")) skip();
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    accept(494021, 42);
    clock_gettime(CLOCK_MONOTONIC, &b);
    const double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    print_message("kddcup.data_10_percent.gz: %.2f s\n", seconds);
    for (int j = 0; j < 42; j++) assert_int_equal(table_numeric(t, j, NULL, 0), !((j >= 1 && j <= 3) || j == 41));
    double most = 0;
    for (int i = 0; i < table_rows(t); i++)
        if (table_number(t, i, 4) > most) most = table_number(t, i, 4);
    assert_true(most == 693375640);
    if (!find_data("kdd99/corrected.gz")) return;
    accept(311029, 42);
    assert_string_equal(text_at(136488, 2), "icmp");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_csv_records, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_csv_quotes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_csv_empty_fields, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_csv_header, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_csv_refuses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_csv_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_csv_symbolic, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_csv_many_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_csv_long, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pipe, set_up, tear_down),
        cmocka_unit_test(test_number_forms),
        cmocka_unit_test(test_number_rounding),
        cmocka_unit_test(test_spell),
        cmocka_unit_test_setup_teardown(test_gzip, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_npy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_npy_types, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_npy_large, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_npy_refuses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_vecs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_idx, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_input, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_input_rest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_optdigits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kdd99, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
