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

#endif
