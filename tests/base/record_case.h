/* Recorded measurements: round trips, strict reading, and appending that never leaves half a line. */
#ifndef RECORD_CASE_H
#define RECORD_CASE_H

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit.h"
#include "base/record.h"
#include "bench/session.h"

/* Not every test that includes this uses all of it. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"

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

static char folder[64], path[128];
static char *said;
static size_t said_length;
static FILE *err;

static int set_up(void **state) {
    strcpy(folder, "/tmp/test_record_XXXXXX");
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(path, sizeof path, "%s/rows", folder);
    err = open_memstream(&said, &said_length);
    return err != NULL ? 0 : -1;
}

static int tear_down(void **state) {
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

static const char *file_text(void) {
    static char found[65536];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    found[fread(found, 1, sizeof found - 1, f)] = '\0';
    fclose(f);
    return found;
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

/* clang-format off */
#define RECORD_TEXTS(X)                                                                                                \
    X(step) X(variant) X(op) X(dtype) X(layout) X(cache) X(mode) X(baseline) X(device) X(cc) X(driver) X(cuda) X(date) \
    X(baseline_call) X(cublas) X(version)
#define RECORD_COUNTS(X) X(m) X(n) X(k) X(d) X(pairs) X(sets) X(calls_tried) X(calls_failed) X(calls_wrong)
#define RECORD_NUMBERS(X)                                                                                              \
    X(alpha) X(beta) X(ms_median) X(ms_min) X(ms_max) X(gflops) X(gbps) X(peak_share) X(baseline_ms) X(ratio)          \
    X(ratio_min) X(ratio_max) X(max_err_bound_share) X(clock_mhz) X(power_w) X(ms_low) X(ms_high) X(ratio_low)         \
    X(ratio_high)
/* clang-format on */

static void assert_same_record(const record *a, const record *b) {
#define SAME_TEXT(field)   assert_string_equal(a->field, b->field);
#define SAME_COUNT(field)  assert_int_equal(a->field, b->field);
#define SAME_NUMBER(field) assert_true(a->field == b->field || (isnan(a->field) && isnan(b->field)));
    RECORD_TEXTS(SAME_TEXT)
    RECORD_COUNTS(SAME_COUNT)
    RECORD_NUMBERS(SAME_NUMBER)
}

#endif
