/* Recorded measurements: round trips, strict reading, and appending that never leaves half a line. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/record.h"
#include "bench/session.h"

#define HEADER_LINE RECORD_HEADER "\n"
#define ROW_TO_DATE                                                                                                    \
    "step01_naive,naive,gemm,f32,nn,1,2,3,,1,0,cold,events,0.5,0.4,0.6,100,200,0.25,cublas,0.25,0.5,0.4,0.6,0.01,"     \
    "1980,500,NVIDIA H200,9.0,580,13.0,2025-01-01"
#define ROW ROW_TO_DATE ",cublasLt heuristic 3,13.1.0,0.10.0 1a2b3c4,51,12,0.45,0.55,0.47,0.53,40,2,1\n"
static const record sample = {
    .step = "step01_naive",
    .variant = "naive",
    .op = "gemm",
    .dtype = "f32",
    .layout = "nn",
    .m = 1,
    .n = 2,
    .k = 3,
    .d = -1,
    .alpha = 1,
    .beta = 0,
    .cache = "cold",
    .mode = "events",
    .ms_median = 0.5,
    .ms_min = 0.4,
    .ms_max = 0.6,
    .gflops = 100,
    .gbps = 200,
    .peak_share = 0.25,
    .baseline = "cublas",
    .baseline_ms = 0.25,
    .ratio = 0.5,
    .ratio_min = 0.4,
    .ratio_max = 0.6,
    .max_err_bound_share = 0.01,
    .clock_mhz = 1980,
    .power_w = 500,
    .device = "NVIDIA H200",
    .cc = "9.0",
    .driver = "580",
    .cuda = "13.0",
    .date = "2025-01-01",
    .baseline_call = "cublasLt heuristic 3",
    .cublas = "13.1.0",
    .version = "0.10.0 1a2b3c4",
    .pairs = 51,
    .sets = 12,
    .ms_low = 0.45,
    .ms_high = 0.55,
    .ratio_low = 0.47,
    .ratio_high = 0.53,
    .calls_tried = 40,
    .calls_failed = 2,
    .calls_wrong = 1,
};

/* ---- a fresh folder for each test ---- */

static char folder[64], path[128];
static char *said;
static size_t said_length;
static FILE *err;

static int set_up(void **state) {
    (void)state;
    strcpy(folder, "/tmp/test_record_XXXXXX");
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(path, sizeof path, "%s/rows", folder);
    err = open_memstream(&said, &said_length);
    return err != NULL ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    fclose(err);
    free(said);
    said = NULL;
    unlink(path);
    return rmdir(folder);
}

/* What has been said on `err` since the last call. */
static const char *take_said(void) {
    static char line[1024];
    fclose(err);
    snprintf(line, sizeof line, "%s", said);
    free(said);
    said = NULL;
    err = open_memstream(&said, &said_length);
    assert_non_null(err);
    assert_true(strlen(line) < sizeof line - 1);
    return line;
}

static void assert_said_nothing(void) {
    assert_string_equal(take_said(), "");
}

static void assert_said(const char *format, ...) {
    char expected[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    assert_string_equal(take_said(), expected);
}

static void write_bytes(const char *text, size_t length) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

static void write_text(const char *text) {
    write_bytes(text, strlen(text));
}

static void assert_file_holds(const char *expected) {
    static char found[65536];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    found[fread(found, 1, sizeof found - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(found, expected);
}

static record load_one(void) {
    record *rows;
    int count;
    assert_int_equal(record_csv_load(path, &rows, &count, err), 0);
    assert_said_nothing();
    assert_int_equal(count, 1);
    const record r = rows[0];
    free(rows);
    return r;
}

static void append_csv(const record *r) {
    assert_int_equal(record_csv_append(path, r, err), 0);
    assert_said_nothing();
}

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static void assert_same_record(const record *a, const record *b) {
    assert_string_equal(a->step, b->step);
    assert_string_equal(a->variant, b->variant);
    assert_string_equal(a->op, b->op);
    assert_string_equal(a->dtype, b->dtype);
    assert_string_equal(a->layout, b->layout);
    assert_true(a->m == b->m && a->n == b->n && a->k == b->k && a->d == b->d);
    assert_true(same_number(a->alpha, b->alpha) && same_number(a->beta, b->beta));
    assert_string_equal(a->cache, b->cache);
    assert_string_equal(a->mode, b->mode);
    assert_true(same_number(a->ms_median, b->ms_median));
    assert_true(same_number(a->ms_min, b->ms_min) && same_number(a->ms_max, b->ms_max));
    assert_true(same_number(a->gflops, b->gflops) && same_number(a->gbps, b->gbps));
    assert_true(same_number(a->peak_share, b->peak_share));
    assert_string_equal(a->baseline, b->baseline);
    assert_true(same_number(a->baseline_ms, b->baseline_ms) && same_number(a->ratio, b->ratio));
    assert_true(same_number(a->ratio_min, b->ratio_min) && same_number(a->ratio_max, b->ratio_max));
    assert_true(same_number(a->max_err_bound_share, b->max_err_bound_share));
    assert_true(same_number(a->clock_mhz, b->clock_mhz) && same_number(a->power_w, b->power_w));
    assert_string_equal(a->device, b->device);
    assert_string_equal(a->cc, b->cc);
    assert_string_equal(a->driver, b->driver);
    assert_string_equal(a->cuda, b->cuda);
    assert_string_equal(a->date, b->date);
    assert_string_equal(a->baseline_call, b->baseline_call);
    assert_string_equal(a->cublas, b->cublas);
    assert_string_equal(a->version, b->version);
    assert_true(a->pairs == b->pairs && a->sets == b->sets);
    assert_true(same_number(a->ms_low, b->ms_low) && same_number(a->ms_high, b->ms_high));
    assert_true(same_number(a->ratio_low, b->ratio_low) && same_number(a->ratio_high, b->ratio_high));
    assert_true(a->calls_tried == b->calls_tried && a->calls_failed == b->calls_failed);
    assert_true(a->calls_wrong == b->calls_wrong);
}

/* ---- CSV ---- */

static void an_empty_record_knows_nothing(void **state) {
    (void)state;
    const record r = record_empty();
    assert_true(r.m == -1 && r.n == -1 && r.k == -1 && r.d == -1);
    assert_true(r.pairs == -1 && r.sets == -1 && r.calls_tried == -1 && r.calls_failed == -1 && r.calls_wrong == -1);
    assert_true(isnan(r.alpha) && isnan(r.beta) && isnan(r.ms_median) && isnan(r.gflops) && isnan(r.gbps));
    assert_true(isnan(r.peak_share) && isnan(r.baseline_ms) && isnan(r.ratio) && isnan(r.max_err_bound_share));
    assert_true(isnan(r.ms_low) && isnan(r.ms_high) && isnan(r.ratio_low) && isnan(r.ratio_high));
    assert_true(isnan(r.clock_mhz) && isnan(r.power_w));
    assert_string_equal(r.step, "");
    assert_string_equal(r.version, "");
}

static void csv_line_is_as_the_schema_says(void **state) {
    (void)state;
    append_csv(&sample);
    assert_file_holds(HEADER_LINE ROW);
}

static void csv_header_is_written_once(void **state) {
    (void)state;
    assert_int_equal(record_csv_prepare(path, err), 0);
    append_csv(&sample);
    assert_file_holds(HEADER_LINE ROW);
    assert_int_equal(record_csv_prepare(path, err), 0);
    append_csv(&sample);
    assert_said_nothing();
    assert_file_holds(HEADER_LINE ROW ROW);
}

static void csv_round_trip(void **state) {
    (void)state;
    append_csv(&sample);
    const record read = load_one();
    assert_same_record(&read, &sample);
}

static void csv_round_trip_of_what_was_not_measured(void **state) {
    (void)state;
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

static void csv_round_trip_of_awkward_texts(void **state) {
    (void)state;
    record r = sample;
    strcpy(r.variant, "a,b");
    strcpy(r.op, "say \"hi\"");
    strcpy(r.dtype, "\"");
    strcpy(r.cache, "two\nlines");
    strcpy(r.mode, "\r");
    strcpy(r.baseline, " blanks ");
    strcpy(r.device, "GPU, \"big\", \n,\"\"");
    memset(r.driver, 'v', RECORD_TEXT - 1); /* the longest that fits */
    memset(r.cuda, '"', RECORD_TEXT - 1);
    strcpy(r.date, ",");
    strcpy(r.baseline_call, "\"cublasLt\", heuristic 3");
    memset(r.version, ',', RECORD_TEXT - 1);
    append_csv(&r);
    const record read = load_one();
    assert_same_record(&read, &r);
}

static void csv_quotes_as_rfc_4180_asks(void **state) {
    (void)state;
    record r = sample;
    strcpy(r.step, "a,b");
    strcpy(r.variant, "say \"hi\"");
    strcpy(r.date, "it's; fine");
    append_csv(&r);
    static char found[4096];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    found[fread(found, 1, sizeof found - 1, f)] = '\0';
    fclose(f);
    assert_non_null(strstr(found, "\n\"a,b\",\"say \"\"hi\"\"\",gemm,"));
    assert_non_null(strstr(found, ",it's; fine,cublasLt"));
}

/* Nine significant digits: to a relative 5e-9, and every float exactly. */
static void csv_numbers_keep_nine_digits(void **state) {
    (void)state;
    const double values[] = {1.0 / 3, 123456.789012, 6.02214076e23, 1e-300, 4e-320, 1.79769313e308, -2.0 / 7};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
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

static void csv_infinity_is_not_measured(void **state) {
    (void)state;
    record r = sample;
    r.ratio = INFINITY;
    r.ratio_max = -INFINITY;
    append_csv(&r);
    const record read = load_one();
    assert_true(isnan(read.ratio) && isnan(read.ratio_max));
}

static void csv_many_rows_in_order(void **state) {
    (void)state;
    enum { COUNT = 500 };
    for (int i = 0; i < COUNT; i++) {
        record r = sample;
        r.m = i;
        append_csv(&r);
    }
    record *rows;
    int count;
    assert_int_equal(record_csv_load(path, &rows, &count, err), 0);
    assert_int_equal(count, COUNT);
    for (int i = 0; i < COUNT; i++) assert_true(rows[i].m == i);
    free(rows);
}

/* ---- preparing ---- */

static void prepare_refuses_what_it_cannot_open(void **state) {
    (void)state;
    char missing[160];
    snprintf(missing, sizeof missing, "%s/missing/rows", folder);
    assert_int_equal(record_csv_prepare(missing, err), 2);
    assert_said("--csv %s: No such file or directory\n", missing);
    assert_int_equal(record_csv_prepare(folder, err), 2);
    assert_said("--csv %s: Is a directory\n", folder);
}

static void prepare_leaves_files_as_they_were(void **state) {
    (void)state;
    assert_int_equal(record_csv_prepare(path, err), 0);
    assert_int_equal(access(path, F_OK), -1);
    const char *const texts[] = {"", HEADER_LINE, HEADER_LINE ROW};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_text(texts[i]);
        assert_int_equal(record_csv_prepare(path, err), 0);
        assert_file_holds(texts[i]);
    }
    assert_said_nothing();
}

static void prepare_keeps_a_link_to_a_file_to_come(void **state) {
    (void)state;
    char target[160];
    snprintf(target, sizeof target, "%s/target", folder);
    assert_int_equal(symlink(target, path), 0);
    assert_int_equal(record_csv_prepare(path, err), 0);
    append_csv(&sample);
    assert_file_holds(HEADER_LINE ROW);
    assert_int_equal(unlink(target), 0);
}

static void prepare_refuses_a_full_device(void **state) {
    (void)state;
    assert_int_equal(record_csv_prepare("/dev/full", err), 2);
    assert_said("--csv /dev/full: No space left on device\n");
}

/* What reads it would see its end before the first row came. */
static void prepare_refuses_a_named_pipe(void **state) {
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(record_csv_prepare(path, err), 2);
    assert_said("--csv %s: is a named pipe: name a file, or - for standard output\n", path);
}

static void prepare_refuses_another_files_content(void **state) {
    (void)state;
    const char *const others[] = {"hello\n",        "m,n,k\n1,2,3\n", RECORD_HEADER,       RECORD_HEADER ",more\n",
                                  "\n" HEADER_LINE, "\"" HEADER_LINE};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        write_text(others[i]);
        assert_int_equal(record_csv_prepare(path, err), 2);
        assert_said("--csv %s: holds something else: its first line is not this program's header\n", path);
        assert_file_holds(others[i]);
    }
}

static void prepare_refuses_a_last_line_cut_short(void **state) {
    (void)state;
    write_text(HEADER_LINE ROW "step01_naive,naive,ge");
    assert_int_equal(record_csv_prepare(path, err), 2);
    assert_said("--csv %s: its last line has no newline, as a write was cut short: complete or delete that line\n", path);
    assert_int_equal(record_text_prepare("--tune-csv", path, "a,b\n", err), 2);
    assert_said("--tune-csv %s: holds something else: its first line is not this program's header\n", path);
}

/* ---- failing to append ---- */

static void append_reports_what_it_cannot_open_or_write(void **state) {
    (void)state;
    char missing[160];
    snprintf(missing, sizeof missing, "%s/missing/rows", folder);
    assert_int_equal(record_csv_append(missing, &sample, err), 2);
    assert_said("%s: No such file or directory\n", missing);
    assert_int_equal(record_csv_append("/dev/full", &sample, err), 2);
    assert_said("/dev/full: No space left on device\n");
}

/* `--csv /dev/stdout >file`: what else is printed there stays, and the header comes once. */
static void standard_output_keeps_what_else_is_there(void **state) {
    (void)state;
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

static void a_short_write_is_cut_off_again(void **state) {
    (void)state;
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
static void concurrent_writers_do_not_tear_lines(void **state) {
    (void)state;
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

/* ---- strict reading ---- */

static void load_of_nothing(void **state) {
    (void)state;
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

static void load_refuses_a_wrong_header(void **state) {
    (void)state;
    const char *const others[] = {"hello\n",
                                  "\n",
                                  ROW,
                                  RECORD_HEADER,
                                  RECORD_HEADER ",x\n",
                                  RECORD_HEADER "\r\n"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        write_text(others[i]);
        assert_load_refused(1, "not this program's header");
    }
}

static void load_refuses_a_missing_last_newline(void **state) {
    (void)state;
    write_bytes(HEADER_LINE ROW ROW, strlen(HEADER_LINE ROW ROW) - 1);
    assert_load_refused(3, "no newline at the end, as a write was cut short: complete or delete that line");
    write_text(HEADER_LINE ROW "step01");
    assert_load_refused(3, "no newline at the end, as a write was cut short: complete or delete that line");
}

static void load_refuses_a_wrong_number_of_fields(void **state) {
    (void)state;
    write_text(HEADER_LINE ROW "a,b,c\n" ROW);
    assert_load_refused(3, "3 fields instead of 44");
    write_text(HEADER_LINE ROW ROW "\n");
    assert_load_refused(4, "1 field instead of 44");
    write_text(HEADER_LINE "x," ROW);
    assert_load_refused(2, "45 fields instead of 44");
    write_text(HEADER_LINE ROW ROW_TO_DATE "\n");
    assert_load_refused(3, "32 fields instead of 44");
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

static void load_refuses_malformed_numbers(void **state) {
    (void)state;
    const char *const whole[] = {"", "x", "12x", "-1", "1.5", " 1", "1 ", "0x10", "99999999999999999999"};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        write_with(COLUMN_M, whole[i]);
        assert_load_refused(2, "m is not a whole number");
    }
    write_with(COLUMN_D, "-1");
    assert_load_refused(2, "d is not a whole number");
    write_with(COLUMN_PAIRS, "-1");
    assert_load_refused(2, "pairs is not a whole number");
    write_with(COLUMN_LAST, "1.0");
    assert_load_refused(2, "calls_wrong is not a whole number");
    const char *const numbers[] = {"x", "1.5ms", "nan", "inf", "-inf", " 1", "1 ", "0x1p3", "1e400", "1e", "--1", "."};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        write_with(COLUMN_MS_MEDIAN, numbers[i]);
        assert_load_refused(2, "ms_median is not a number");
        write_with(COLUMN_ALPHA, numbers[i]);
        assert_load_refused(2, "alpha is not a number");
        write_with(COLUMN_MS_LOW, numbers[i]);
        assert_load_refused(2, "ms_low is not a number");
    }
    write_with(COLUMN_MS_MEDIAN, "1e-3");
    assert_true(load_one().ms_median == 1e-3);
}

static void load_refuses_texts_too_long(void **state) {
    (void)state;
    char text[RECORD_TEXT + 1];
    memset(text, 'x', sizeof text);
    text[RECORD_TEXT] = '\0';
    write_with(COLUMN_VARIANT, text);
    assert_load_refused(2, "a field longer than 63 characters");
    text[RECORD_TEXT - 1] = '\0';
    write_with(COLUMN_VARIANT, text);
    assert_string_equal(load_one().variant, text);
}

static void load_refuses_bad_quoting(void **state) {
    (void)state;
    write_with(COLUMN_VARIANT, "a\"b");
    assert_load_refused(2, "a quote inside an unquoted field");
    write_with(COLUMN_VARIANT, "\"a\"b");
    assert_load_refused(2, "text after a closing quote");
    write_with(COLUMN_LAST, "\"never closed");
    assert_load_refused(2, "a quote that is not closed");
}

static void load_refuses_a_nul_byte(void **state) {
    (void)state;
    char text[] = HEADER_LINE ROW ROW;
    text[strlen(HEADER_LINE ROW) + 3] = '\0';
    write_bytes(text, sizeof text - 1);
    assert_load_refused(3, "a NUL byte");
}

/* A row with a newline in a quoted text takes two lines. */
static void line_numbers_count_quoted_newlines(void **state) {
    (void)state;
    record r = sample;
    strcpy(r.variant, "two\nlines");
    append_csv(&r);
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    fputs("bad\n", f);
    fclose(f);
    assert_load_refused(4, "1 field instead of 44");
}

/* ---- comparing ---- */

static void same_case_ignores_what_was_measured(void **state) {
    (void)state;
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

#define ASSERT_DIFFERENT(change)                                                                                       \
    do {                                                                                                               \
        record r = sample;                                                                                             \
        change;                                                                                                        \
        assert_false(record_same_case(&sample, &r));                                                                   \
        assert_false(record_same_case(&r, &sample));                                                                   \
    } while (0)

static void same_case_tells_every_part_of_the_case(void **state) {
    (void)state;
    ASSERT_DIFFERENT(strcpy(r.step, "step02_shared"));
    ASSERT_DIFFERENT(strcpy(r.variant, "other"));
    ASSERT_DIFFERENT(strcpy(r.op, "gemv"));
    ASSERT_DIFFERENT(strcpy(r.dtype, "f16"));
    ASSERT_DIFFERENT(strcpy(r.layout, "nt"));
    ASSERT_DIFFERENT(r.m++);
    ASSERT_DIFFERENT(r.n++);
    ASSERT_DIFFERENT(r.k++);
    ASSERT_DIFFERENT(r.d++);
    ASSERT_DIFFERENT(r.alpha = 2);
    ASSERT_DIFFERENT(r.alpha = NAN);
    ASSERT_DIFFERENT(r.beta = 1);
    ASSERT_DIFFERENT(strcpy(r.cache, "warm"));
    ASSERT_DIFFERENT(strcpy(r.device, "NVIDIA H100"));
    ASSERT_DIFFERENT(strcpy(r.cc, "8.0"));
}

/* 0.1f has more digits than the file keeps; a kNN row has no scalars at all. */
static void same_case_survives_the_file(void **state) {
    (void)state;
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* --resume: a row of sustained load is not the other measurement of the case, nor the other way round. */
static void resume_tells_sustained_rows(void **state) {
    (void)state;
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
    const struct CMUnitTest tests[] = {
        TEST(an_empty_record_knows_nothing),
        TEST(csv_line_is_as_the_schema_says),
        TEST(csv_header_is_written_once),
        TEST(csv_round_trip),
        TEST(csv_round_trip_of_what_was_not_measured),
        TEST(csv_round_trip_of_awkward_texts),
        TEST(csv_quotes_as_rfc_4180_asks),
        TEST(csv_numbers_keep_nine_digits),
        TEST(csv_infinity_is_not_measured),
        TEST(csv_many_rows_in_order),
        TEST(prepare_refuses_what_it_cannot_open),
        TEST(prepare_leaves_files_as_they_were),
        TEST(prepare_keeps_a_link_to_a_file_to_come),
        TEST(prepare_refuses_a_full_device),
        TEST(prepare_refuses_a_named_pipe),
        TEST(prepare_refuses_another_files_content),
        TEST(prepare_refuses_a_last_line_cut_short),
        TEST(append_reports_what_it_cannot_open_or_write),
        TEST(standard_output_keeps_what_else_is_there),
        TEST(a_short_write_is_cut_off_again),
        TEST(concurrent_writers_do_not_tear_lines),
        TEST(load_of_nothing),
        TEST(load_refuses_a_wrong_header),
        TEST(load_refuses_a_missing_last_newline),
        TEST(load_refuses_a_wrong_number_of_fields),
        TEST(load_refuses_malformed_numbers),
        TEST(load_refuses_texts_too_long),
        TEST(load_refuses_bad_quoting),
        TEST(load_refuses_a_nul_byte),
        TEST(line_numbers_count_quoted_newlines),
        TEST(same_case_ignores_what_was_measured),
        TEST(same_case_tells_every_part_of_the_case),
        TEST(same_case_survives_the_file),
        TEST(resume_tells_sustained_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
