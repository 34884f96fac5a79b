/* Rows that are written: their format, files that cannot take them, several writers. */
#include "record_case.h"

/* ---- CSV ---- */

TEST(an_empty_record_knows_nothing) {
    const record r = record_empty();
#define NO_TEXT(field)   assert_string_equal(r.field, "");
#define NO_COUNT(field)  assert_int_equal(r.field, -1);
#define NO_NUMBER(field) assert_true(isnan(r.field));
    RECORD_TEXTS(NO_TEXT)
    RECORD_COUNTS(NO_COUNT)
    RECORD_NUMBERS(NO_NUMBER)
}

TEST(csv_line_is_as_the_schema_says) {
    append_csv(&sample);
    assert_file_holds(HEADER_LINE ROW);
    const record read = load_one();
    assert_same_record(&read, &sample);
}

TEST(csv_header_is_written_once) {
    assert_int_equal(record_csv_prepare(path, err), 0);
    append_csv(&sample);
    assert_file_holds(HEADER_LINE ROW);
    assert_int_equal(record_csv_prepare(path, err), 0);
    append_csv(&sample);
    assert_said_nothing();
    assert_file_holds(HEADER_LINE ROW ROW);
}

TEST(csv_round_trip_of_what_was_not_measured) {
    record r = record_empty();
    strcpy(r.step, "step08_knn");
    r.m = 0;
    r.n = INT64_MAX;
    r.k = 5000000000;
    r.d = 784;
    append_csv(&r);
    assert_file_holds(HEADER_LINE "step08_knn,,,,,0,9223372036854775807,5000000000,784,"
                                  ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n");
    const record read = load_one();
    assert_same_record(&read, &r);
}

TEST(csv_round_trip_of_awkward_texts) {
    record r = sample;
    strcpy(r.variant, "a,b");
    strcpy(r.op, "say \"hi\"");
    strcpy(r.dtype, "\"");
    strcpy(r.mode, "\r");
    strcpy(r.baseline, " blanks ");
    strcpy(r.device, "GPU, \"big\", ,\"\"");
    memset(r.driver, 'v', RECORD_TEXT - 1); /* the longest that fits */
    memset(r.cuda, '"', RECORD_TEXT - 1);
    strcpy(r.date, ",");
    strcpy(r.baseline_call, "\"cublasLt\", heuristic 3");
    memset(r.version, ',', RECORD_TEXT - 1);
    append_csv(&r);
    const record read = load_one();
    assert_same_record(&read, &r);
}

TEST(csv_quotes_as_rfc_4180_asks) {
    record r = sample;
    strcpy(r.step, "a,b");
    strcpy(r.variant, "say \"hi\"");
    strcpy(r.date, "it's; fine");
    append_csv(&r);
    const char *found = file_text();
    assert_non_null(strstr(found, "\n\"a,b\",\"say \"\"hi\"\"\",gemm,"));
    assert_non_null(strstr(found, ",it's; fine,cublasLt"));
}

/* Nine significant digits: to a relative 5e-9, and every float exactly. */
TEST(csv_numbers_keep_nine_digits) {
    const double values[] = {1.0 / 3, 123456.789012, 6.02214076e23, 1e-300, 4e-320, 1.79769313e308, -2.0 / 7};
    for (int i = 0; i < ARRAY_SIZE(values); i++) {
        record r = sample;
        r.ms_median = values[i];
        r.alpha = i + 0.1f;
        unlink(path);
        append_csv(&r);
        const record read = load_one();
        assert_true(fabs(read.ms_median - r.ms_median) <= 5e-9 * fabs(r.ms_median) + 5e-324);
        assert_true((float)read.alpha == i + 0.1f);
    }
}

TEST(csv_infinity_is_not_measured) {
    record r = sample;
    r.ratio = INFINITY;
    r.ratio_max = -INFINITY;
    append_csv(&r);
    const record read = load_one();
    assert_true(isnan(read.ratio) && isnan(read.ratio_max));
}

/* ---- preparing ---- */

TEST(prepare_refuses_what_it_cannot_open) {
    char missing[160];
    snprintf(missing, sizeof missing, "%s/missing/rows", folder);
    assert_int_equal(record_csv_prepare(missing, err), 2);
    assert_said("--csv %s: No such file or directory\n", missing);
    assert_int_equal(record_csv_prepare(folder, err), 2);
    assert_said("--csv %s: Is a directory\n", folder);
    assert_int_equal(record_csv_prepare("/dev/full", err), 2);
    assert_said("--csv /dev/full: No space left on device\n");
}

TEST(prepare_leaves_files_as_they_were) {
    assert_int_equal(record_csv_prepare(path, err), 0);
    assert_int_equal(access(path, F_OK), -1);
    const char *const texts[] = {"", HEADER_LINE, HEADER_LINE ROW};
    for (int i = 0; i < ARRAY_SIZE(texts); i++) {
        write_text(texts[i]);
        assert_int_equal(record_csv_prepare(path, err), 0);
        assert_file_holds(texts[i]);
    }
    assert_said_nothing();
}

TEST(prepare_keeps_a_link_to_a_file_to_come) {
    char target[160];
    snprintf(target, sizeof target, "%s/target", folder);
    assert_int_equal(symlink(target, path), 0);
    assert_int_equal(record_csv_prepare(path, err), 0);
    append_csv(&sample);
    assert_file_holds(HEADER_LINE ROW);
    assert_int_equal(unlink(target), 0);
}

/* What reads it would see its end before the first row came. */
TEST(prepare_refuses_a_named_pipe) {
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(record_csv_prepare(path, err), 2);
    assert_said("--csv %s: is a named pipe: name a file, or - for standard output\n", path);
}

TEST(prepare_refuses_another_files_content) {
    const char *const others[] = {"hello\n",        "m,n,k\n1,2,3\n", RECORD_HEADER, RECORD_HEADER ",more\n",
                                  "\n" HEADER_LINE, "\"" HEADER_LINE};
    for (int i = 0; i < ARRAY_SIZE(others); i++) {
        write_text(others[i]);
        assert_int_equal(record_csv_prepare(path, err), 2);
        assert_said("--csv %s: holds something else: its first line is not this program's header\n", path);
        assert_file_holds(others[i]);
    }
}

TEST(prepare_refuses_a_last_line_cut_short) {
    write_text(HEADER_LINE ROW "step01_naive,naive,ge");
    assert_int_equal(record_csv_prepare(path, err), 2);
    assert_said("--csv %s: its last line has no newline, as a write was cut short: complete or delete that line\n",
                path);
    assert_int_equal(record_text_prepare("--tune-csv", path, "a,b\n", err), 2);
    assert_said("--tune-csv %s: holds something else: its first line is not this program's header\n", path);
}

/* ---- failing to append ---- */

TEST(append_reports_what_it_cannot_open_or_write) {
    char missing[160];
    snprintf(missing, sizeof missing, "%s/missing/rows", folder);
    assert_int_equal(record_csv_append(missing, &sample, err), 2);
    assert_said("%s: No such file or directory\n", missing);
    assert_int_equal(record_csv_append("/dev/full", &sample, err), 2);
    assert_said("/dev/full: No space left on device\n");
}

/* `--csv /dev/stdout >file`: what else is printed there stays, and the header comes once. */
TEST(standard_output_keeps_what_else_is_there) {
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO), fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(kept >= 0 && fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0);
    close(fd);
    printf("in front\n");
    int failed = record_csv_prepare("/dev/stdout", err);
    failed += record_csv_append("/dev/stdout", &sample, err);
    printf("between\n");
    failed += record_csv_append(path, &sample, err);
    printf("behind\n");
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    assert_int_equal(failed, 0);
    assert_file_holds("in front\n" HEADER_LINE ROW "between\n" ROW "behind\n");
}

/* A limit on the file's size makes write() end in the middle of a line. */
static int append_below_limit(rlim_t limit, int (*append)(const char *, const record *, FILE *)) {
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        FILE *null = fopen("/dev/null", "w");
        if (null == NULL || setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, limit}) != 0) _exit(99);
        _exit(append(path, &sample, null));
    }
    int status;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(a_short_write_is_cut_off_again) {
    append_csv(&sample);
    assert_int_equal(append_below_limit(strlen(HEADER_LINE ROW) + 20, record_csv_append), 2);
    assert_file_holds(HEADER_LINE ROW);
    assert_int_equal(append_below_limit(strlen(HEADER_LINE ROW ROW), record_csv_append), 0);
    assert_file_holds(HEADER_LINE ROW ROW);

    write_text("");
    assert_int_equal(append_below_limit(strlen(HEADER_LINE) + 20, record_csv_append), 2);
    assert_file_holds("");
}

/* ---- concurrent writers ---- */

enum { WRITERS = 8, ROWS_EACH = 150 };

static void write_rows(int writer) {
    FILE *null = fopen("/dev/null", "w");
    if (null == NULL) _exit(99);
    for (int i = 0; i < ROWS_EACH; i++) {
        record r = sample;
        r.m = writer;
        r.n = i;
        memset(r.device, 'a' + writer, (size_t)(1 + (i * 7 + writer) % (RECORD_TEXT - 1)));
        r.device[1 + (i * 7 + writer) % (RECORD_TEXT - 1)] = '\0';
        if (record_csv_prepare(path, null) != 0 || record_csv_append(path, &r, null) != 0) _exit(1);
    }
    _exit(0);
}

/* The file does not exist when they start: they race for its header too. */
TEST(concurrent_writers_do_not_tear_lines) {
    pid_t children[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        children[w] = fork();
        if (children[w] == 0) write_rows(w);
        assert_true(children[w] > 0);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status;
        assert_int_equal(waitpid(children[w], &status, 0), children[w]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }

    record *rows;
    int count;
    assert_int_equal(record_csv_load(path, &rows, &count, err), 0);
    assert_said_nothing();
    assert_int_equal(count, WRITERS * ROWS_EACH);
    int next[WRITERS] = {0};
    for (int i = 0; i < count; i++) {
        assert_in_range(rows[i].m, 0, WRITERS - 1);
        assert_true(rows[i].n == next[rows[i].m]++);
        assert_int_equal(strspn(rows[i].device, (char[]){(char)('a' + rows[i].m), '\0'}), strlen(rows[i].device));
    }
    free(rows);
}

int main(void) {
    return unit_run(set_up, tear_down);
}
