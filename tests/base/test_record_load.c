/* Rows that are read back, strictly, and which of them are the same case. */
#include "record_case.h"

/* ---- strict reading ---- */

TEST(load_of_nothing) {
    record *rows = (record *)1;
    int count = 7;
    assert_int_equal(record_csv_load(path, &rows, &count, err), 0);
    assert_null(rows);
    assert_int_equal(count, 0);
    write_text("");
    assert_int_equal(record_csv_load(path, &rows, &count, err), 0);
    assert_int_equal(count, 0);
    write_text(HEADER_LINE);
    assert_int_equal(record_csv_load(path, &rows, &count, err), 0);
    assert_int_equal(count, 0);
    assert_said_nothing();
    assert_int_equal(record_csv_load(folder, &rows, &count, err), 2);
    assert_said("%s: Is a directory\n", folder);
}

static void assert_load_refused(int line, const char *reason) {
    record *rows = (record *)1;
    int count = 7;
    assert_int_equal(record_csv_load(path, &rows, &count, err), 2);
    assert_said("%s:%d: %s\n", path, line, reason);
    assert_null(rows);
    assert_int_equal(count, 0);
}

TEST(load_refuses_malformed_files) {
    static const struct {
        const char *text;
        int line;
        const char *reason;
    } files[] = {
        {"hello\n", 1, "not this program's header"},
        {"\n", 1, "not this program's header"},
        {ROW, 1, "not this program's header"},
        {RECORD_HEADER, 1, "not this program's header"},
        {RECORD_HEADER ",x\n", 1, "not this program's header"},
        {RECORD_HEADER "\r\n", 1, "not this program's header"},
        {HEADER_LINE ROW "step01", 3, "no newline at the end, as a write was cut short: complete or delete that line"},
        {HEADER_LINE ROW "a,b,c\n" ROW, 3, "3 fields instead of 44"},
        {HEADER_LINE ROW ROW "\n", 4, "1 field instead of 44"},
        {HEADER_LINE "x," ROW, 2, "45 fields instead of 44"},
        {HEADER_LINE ROW ROW_TO_DATE "\n", 3, "32 fields instead of 44"},
    };
    for (int i = 0; i < ARRAY_SIZE(files); i++) {
        write_text(files[i].text);
        assert_load_refused(files[i].line, files[i].reason);
    }
    write_bytes(HEADER_LINE ROW ROW, strlen(HEADER_LINE ROW ROW) - 1); /* nothing is missing but the newline */
    assert_load_refused(3, "no newline at the end, as a write was cut short: complete or delete that line");
}

/* Writes the sample row with column `column` replaced. */
static void write_with(int column, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(HEADER_LINE, f);
    const char *from = ROW;
    for (int i = 0; i < column; i++) from = strchr(from, ',') + 1;
    fwrite(ROW, 1, (size_t)(from - ROW), f);
    fputs(text, f);
    fputs(from + strcspn(from, ",\n"), f);
    assert_int_equal(fclose(f), 0);
}

enum {
    COLUMN_VARIANT = 1,
    COLUMN_M = 5,
    COLUMN_D = 8,
    COLUMN_ALPHA = 9,
    COLUMN_MS_MEDIAN = 13,
    COLUMN_DATE = 31,
    COLUMN_PAIRS = 35,
    COLUMN_MS_LOW = 37,
    COLUMN_LAST = 43
};

TEST(load_refuses_malformed_fields) {
    const char *const whole[] = {"", "x", "12x", "-1", "1.5", " 1", "1 ", "0x10", "99999999999999999999"};
    const char *const numbers[] = {"x", "1.5ms", "nan", "inf", "-inf", " 1", "1 ", "0x1p3", "1e400", "1e", "--1", "."};
    static const struct {
        int column;
        const char *text, *reason;
    } fields[] = {
        {COLUMN_D, "-1", "d is not a whole number"},
        {COLUMN_PAIRS, "-1", "pairs is not a whole number"},
        {COLUMN_LAST, "1.0", "calls_wrong is not a whole number"},
        {COLUMN_VARIANT, "a\"b", "a quote inside an unquoted field"},
        {COLUMN_VARIANT, "\"a\"b", "text after a closing quote"},
        {COLUMN_LAST, "\"never closed", "a quote that is not closed"},
    };
    for (int i = 0; i < ARRAY_SIZE(whole); i++) {
        write_with(COLUMN_M, whole[i]);
        assert_load_refused(2, "m is not a whole number");
    }
    for (int i = 0; i < ARRAY_SIZE(numbers); i++) {
        write_with(COLUMN_MS_MEDIAN, numbers[i]);
        assert_load_refused(2, "ms_median is not a number");
        write_with(COLUMN_ALPHA, numbers[i]);
        assert_load_refused(2, "alpha is not a number");
        write_with(COLUMN_MS_LOW, numbers[i]);
        assert_load_refused(2, "ms_low is not a number");
    }
    for (int i = 0; i < ARRAY_SIZE(fields); i++) {
        write_with(fields[i].column, fields[i].text);
        assert_load_refused(2, fields[i].reason);
    }
    write_with(COLUMN_MS_MEDIAN, "1e-3");
    assert_true(load_one().ms_median == 1e-3);
}

TEST(load_refuses_texts_too_long) {
    char text[RECORD_TEXT + 1];
    memset(text, 'x', sizeof text);
    text[RECORD_TEXT] = '\0';
    write_with(COLUMN_VARIANT, text);
    assert_load_refused(2, "a field longer than 63 characters");
    text[RECORD_TEXT - 1] = '\0';
    write_with(COLUMN_VARIANT, text);
    assert_string_equal(load_one().variant, text);
}

TEST(load_refuses_a_nul_byte) {
    char text[] = HEADER_LINE ROW ROW;
    text[strlen(HEADER_LINE ROW) + 3] = '\0';
    write_bytes(text, sizeof text - 1);
    assert_load_refused(3, "a NUL byte");
}

/* ---- comparing ---- */

TEST(same_case_ignores_what_was_measured) {
    record r = sample;
    strcpy(r.mode, "graph");
    strcpy(r.baseline, "");
    strcpy(r.driver, "600");
    strcpy(r.cuda, "13.1");
    strcpy(r.date, "2026-02-02");
    strcpy(r.version,
           "0.11.0 7654321-dirty"); /* rows of other versions need not be measured again: each says its own */
    strcpy(r.baseline_call, "cublasSgemm");
    strcpy(r.cublas, "13.2.0");
    r.pairs = r.sets = r.calls_tried = r.calls_failed = r.calls_wrong = -1;
    r.ms_low = r.ms_high = r.ratio_low = r.ratio_high = NAN;
    r.ms_median = r.ms_min = r.ms_max = r.gflops = r.gbps = r.peak_share = r.baseline_ms = r.ratio = 77;
    r.ratio_min = r.ratio_max = r.max_err_bound_share = r.clock_mhz = r.power_w = NAN;
    assert_true(record_same_case(&sample, &r));
}

TEST(same_case_tells_every_part_of_the_case) {
    record other[15];
    for (int i = 0; i < ARRAY_SIZE(other); i++) other[i] = sample;
    char *const texts[] = {other[0].step,   other[1].variant, other[2].op,     other[3].dtype,
                           other[4].layout, other[5].cache,   other[6].device, other[7].cc};
    for (int i = 0; i < ARRAY_SIZE(texts); i++) strcpy(texts[i], "another");
    other[8].m++, other[9].n++, other[10].k++, other[11].d++;
    other[12].alpha = 2;
    other[13].alpha = NAN;
    other[14].beta = 1;
    for (int i = 0; i < ARRAY_SIZE(other); i++) {
        assert_false(record_same_case(&sample, &other[i]));
        assert_false(record_same_case(&other[i], &sample));
    }
}

/* 0.1f has more digits than the file keeps; a kNN row has no scalars at all. */
TEST(same_case_survives_the_file) {
    record r = sample;
    r.alpha = 0.1f;
    r.beta = -1.0f / 3.0f;
    append_csv(&r);
    record read = load_one();
    assert_true(record_same_case(&read, &r));

    unlink(path);
    r.alpha = r.beta = NAN;
    append_csv(&r);
    read = load_one();
    assert_true(record_same_case(&read, &r));
}

/* --resume: a row of sustained load is not the other measurement of the case, nor the other way round. */
TEST(resume_tells_sustained_rows) {
    record rows[2] = {sample, sample};
    session s = {.recorded = rows, .recorded_count = 1};
    record wanted = sample;
    snprintf(rows[0].mode, sizeof rows[0].mode, "sustained");
    wanted.mode[0] = '\0';
    assert_null(session_find(&s, &wanted, false));
    snprintf(wanted.mode, sizeof wanted.mode, "sustained");
    assert_ptr_equal(session_find(&s, &wanted, false), &rows[0]);
    s.recorded_count = 2; /* the second by events */
    assert_ptr_equal(session_find(&s, &wanted, false), &rows[0]);
    wanted.mode[0] = '\0';
    assert_ptr_equal(session_find(&s, &wanted, false), &rows[1]);
    snprintf(wanted.version, sizeof wanted.version, "0.11.0 7654321"); /* of another version, and still measured */
    assert_ptr_equal(session_find(&s, &wanted, false), &rows[1]);
    rows[1].ratio = NAN;
    assert_ptr_equal(session_find(&s, &wanted, false), &rows[1]);
    assert_null(session_find(&s, &wanted, true));
}

int main(void) {
    return unit_run(set_up, tear_down);
}
