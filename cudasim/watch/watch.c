#include "watch/watch.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "watch/report.h"

static const char *csv;
static bool tables, lines, checks;

/* Not exit(): this may be inside a static constructor. */
__attribute__((format(printf, 1, 2), noreturn)) static void refuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    _Exit(2);
}

static const char *value_of(const char *name) {
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? text : NULL;
}

static void explain(const char *name) {
    if (!metrics_explain(name, stdout))
        refuse("cudasim: no metric is called '%s' (--counters shows their names)\n", name);
    fflush(stdout);
    _Exit(0);
}

static void observe(bool counting) {
    observer *first = counting ? &counters_observer : NULL;
    observers_set(checks ? checks_before(first) : first);
}

static void read_environment(void) {
    const char *form = value_of("CUDASIM_COUNTERS"), *metric = value_of("CUDASIM_EXPLAIN");
    if (metric != NULL) explain(metric);
    csv = value_of("CUDASIM_COUNTERS_CSV");
    tables = form != NULL && strcmp(form, "table") == 0;
    lines = form != NULL && strcmp(form, "lines") == 0;
    if (form != NULL && !tables && !lines) refuse("cudasim: CUDASIM_COUNTERS=%s is neither table nor lines\n", form);
    FILE *f = csv != NULL ? fopen(csv, "a") : NULL;
    if (csv != NULL && f == NULL) refuse("cudasim: %s cannot be written: %s\n", csv, strerror(errno));
    if (f != NULL) fclose(f);
    const char *check = value_of("CUDASIM_CHECK");
    if (check != NULL && strcmp(check, "0") != 0 && strcmp(check, "1") != 0)
        refuse("cudasim: CUDASIM_CHECK=%s is neither 0 nor 1\n", check);
    checks = check == NULL || strcmp(check, "1") == 0;
    const char *leaks = value_of("CUDASIM_LEAK_CHECK");
    if (leaks != NULL && strcmp(leaks, "0") != 0 && strcmp(leaks, "1") != 0)
        refuse("cudasim: CUDASIM_LEAK_CHECK=%s is neither 0 nor 1\n", leaks);
    if (checks) checks_begin(leaks != NULL && strcmp(leaks, "1") == 0);
    observe(false);
    if (watch_counts()) watch_count("", "");
}

void watch_begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_environment);
}

/* Whatever program it is preloaded to. */
__attribute__((constructor)) static void explain_at_once(void) {
    if (value_of("CUDASIM_EXPLAIN") != NULL) watch_begin();
}

bool watch_counts(void) {
    return tables || lines || csv != NULL;
}

void watch_count(const char *what, const char *problem) {
    counters_of(what, problem);
    observe(what != NULL);
}

static void write_counts(void) {
    const counted_kernel *all = counters_all();
    if (!watch_counts()) return;
    observe(false);
    if (tables) report_tables(all, stdout);
    if (lines) report_lines(all, stdout);
    if (tables || lines) fflush(stdout);
    FILE *f = csv != NULL ? fopen(csv, "w") : NULL;
    if (f != NULL) report_csv(all, f);
    if (csv != NULL && (f == NULL || fclose(f) != 0))
        fprintf(stderr, "cudasim: %s cannot be written: %s\n", csv, strerror(errno));
    counters_free();
    tables = lines = false;
    csv = NULL;
}

bool watch_end(void) {
    write_counts();
    return checks && checks_end();
}
