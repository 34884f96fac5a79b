/* Recorded measurements: round trips, strict reading, and appending that never leaves half a line. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../folder.h"
#include "bench/session.h"

#define HEADER_LINE RECORD_HEADER "\n"
#define ROW_TO_DATE                                                                                                    \
    "step01_naive,naive,gemm,f32,nn,1,2,3,,1,0,cold,events,0.5,0.4,0.6,100,200,0.25,cublas,0.25,0.5,0.4,0.6,0.01,"     \
    "1980,500,NVIDIA H200,9.0,580,13.0,2025-01-01"
#define ROW ROW_TO_DATE ",cublasLt heuristic 3,13.1.0,0.10.0 1a2b3c4,51,12,0.45,0.55,0.47,0.53,40,2,1\n"
/* The same, in the header's order. */
/* clang-format off */
static const record sample = {
    "step01_naive", "naive", "gemm", "f32", "nn", 1, 2, 3, -1, 1, 0, "cold", "events", 0.5, 0.4, 0.6, 100, 200, 0.25,
    "cublas", 0.25, 0.5, 0.4, 0.6, 0.01, 1980, 500, "NVIDIA H200", "9.0", "580", "13.0", "2025-01-01",
    "cublasLt heuristic 3", "13.1.0", "0.10.0 1a2b3c4", 51, 12, 0.45, 0.55, 0.47, 0.53, 40, 2, 1};
/* clang-format on */

/* ---- a fresh folder for each test ---- */

static FILE *err; /* what is said there is asserted */

static int set_up(void **state) {
    err = listen_in();
    return make_folder(state);
}

static int tear_down(void **state) {
    fclose(err);
    return remove_folder(state);
}

#define assert_said(...)                                                                                               \
    do {                                                                                                               \
        assert_heard(__VA_ARGS__);                                                                                     \
        err = listen_in();                                                                                             \
    } while (0)

static void assert_said_nothing(void) {
    assert_said("%s", "");
}

static void assert_file_holds(const char *expected) {
    assert_string_equal(file_text(), expected);
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

/* ---- CSV ---- */

TEST(csv_line_is_as_the_schema_says) {
    append_csv(&sample);
    assert_file_holds(HEADER_LINE ROW);
    const record read = load_one();
    assert_memory_equal(&read, &sample, sizeof read);
}

TEST(csv_round_trip_of_what_was_not_measured) {
    record r = record_empty();
    assert_true(r.m == -1 && r.n == -1 && r.k == -1 && r.d == -1);
    strcpy(r.step, "step08_knn");
    r.m = 0;
    r.n = INT64_MAX;
    r.k = 5000000000;
    r.d = 784;
    append_csv(&r);
    assert_file_holds(HEADER_LINE "step08_knn,,,,,0,9223372036854775807,5000000000,784,"
                                  ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n");
    const record read = load_one();
    assert_memory_equal(&read, &r, sizeof read);
}

TEST(csv_round_trip_of_awkward_texts) {
    record r = record_empty();
    r.m = r.n = r.k = 1;
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
    const char *found = file_text(); /* quoted as RFC 4180 asks */
    assert_non_null(strstr(found, "\n,\"a,b\",\"say \"\"hi\"\"\",\"\"\"\","));
    assert_non_null(strstr(found, ",\"\r\","));
    const record read = load_one();
    assert_memory_equal(&read, &r, sizeof read);
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
static int append_below_limit(rlim_t limit) {
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, limit}) != 0) _exit(99);
        _exit(record_csv_append(path, &sample, err));
    }
    int status;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(a_short_write_is_cut_off_again) {
    append_csv(&sample);
    assert_int_equal(append_below_limit(strlen(HEADER_LINE ROW) + 20), 2);
    assert_file_holds(HEADER_LINE ROW);
    assert_int_equal(append_below_limit(strlen(HEADER_LINE ROW ROW)), 0);
    assert_file_holds(HEADER_LINE ROW ROW);

    write_text("");
    assert_int_equal(append_below_limit(strlen(HEADER_LINE) + 20), 2);
    assert_file_holds("");
}

/* ---- concurrent writers ---- */

enum { WRITERS = 8, ROWS_EACH = 150 };

static void write_rows(int writer) {
    for (int i = 0; i < ROWS_EACH; i++) {
        record r = sample;
        r.m = writer;
        r.n = i;
        memset(r.device, 'a' + writer, (size_t)(1 + (i * 7 + writer) % (RECORD_TEXT - 1)));
        r.device[1 + (i * 7 + writer) % (RECORD_TEXT - 1)] = '\0';
        if (record_csv_prepare(path, err) != 0 || record_csv_append(path, &r, err) != 0) _exit(1);
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
    char all[2048];
    const char *from = ROW;
    for (int i = 0; i < column; i++) from = strchr(from, ',') + 1;
    snprintf(all, sizeof all, HEADER_LINE "%.*s%s%s", (int)(from - ROW), ROW, text, from + strcspn(from, ",\n"));
    write_text(all);
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

static const struct fixtures fixtures = {.before = set_up, .after = tear_down};
