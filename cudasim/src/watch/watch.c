#include "watch/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/check.h"
#include "watch/report.h"
#include "watch/sink.h"
#include "watch/trace.h"

static const char *csv;
static bool tables, lines, checks, traces;
static bool records, spares; /* launches from now on: are they counted or traced, are they not checked? */

/* Not exit(): this may be inside a static constructor. */
__attribute__((format(printf, 1, 2), noreturn)) static void refuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    _Exit(2);
}

/* Are there counters? */
static bool counters_wanted(void) {
    return tables || lines || csv != NULL;
}

static const char *value_of(const char *name) {
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? text : NULL;
}

/* False, and a line on stderr, if printed output could not be written. */
static bool flush_output(void) {
    const bool good = fflush(stdout) == 0 && !ferror(stdout);
    if (!good) fprintf(stderr, "cudasim: the standard output cannot be written: %s\n", strerror(errno));
    return good;
}

static void explain(const char *name) {
    const char *nearest = metrics_nearest(name);
    if (!metrics_explain(name, stdout))
        refuse("cudasim: no metric is called '%s'%s%s%s (--counters shows their names)\n", name,
               nearest != NULL ? ": did you mean '" : "", nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
    _Exit(flush_output() ? 0 : 2);
}

/* Sets the observers of later launches. */
static void observe(void) {
    observer *first = records && counters_wanted() ? &counters_observer : NULL;
    if (records && traces) {
        trace_observer.next = first;
        first = &trace_observer;
    }
    observers_set(checks && !spares ? checks_before(first) : first);
}

/* "0", "1" or nothing. */
static bool read_switch(const char *name, bool otherwise) {
    const char *text = value_of(name);
    if (text != NULL && strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
        refuse("cudasim: %s=%s is neither 0 nor 1\n", name, text);
    return text == NULL ? otherwise : *text == '1';
}

static void read_trace(void) {
    const char *file = value_of("CUDASIM_TRACE"), *blocks = value_of("CUDASIM_TRACE_BLOCKS");
    uint64_t count = TRACE_BLOCKS;
    if (blocks != NULL) {
        char *end;
        errno = 0;
        count = strtoull(blocks, &end, 10);
        if (errno != 0 || count == 0 || count > INT_MAX || strspn(blocks, "0123456789") != strlen(blocks))
            refuse("cudasim: CUDASIM_TRACE_BLOCKS=%s is not a number above 0\n", blocks);
    }
    traces = file != NULL;
    if (traces && !trace_begin(file, count)) _Exit(2);
}

static void read_environment(void) {
    const char *form = value_of("CUDASIM_COUNTERS"), *metric = value_of("CUDASIM_EXPLAIN");
    if (metric != NULL) explain(metric);
    csv = value_of("CUDASIM_COUNTERS_CSV");
    tables = form != NULL && strcmp(form, "table") == 0;
    lines = form != NULL && strcmp(form, "lines") == 0;
    if (form != NULL && !tables && !lines) refuse("cudasim: CUDASIM_COUNTERS=%s is neither table nor lines\n", form);
    if (csv != NULL && !sink_try(csv)) _Exit(2);
    /* A file that the program opens would take its place. */
    if ((tables || lines) && fcntl(STDOUT_FILENO, F_GETFD) < 0)
        refuse("cudasim: the standard output is closed: no counters can be printed\n");
    checks = read_switch("CUDASIM_CHECK", true);
    const bool leaks = read_switch("CUDASIM_LEAK_CHECK", false), strict = read_switch("CUDASIM_STRICT", false);
    if (checks) checks_begin(leaks, strict);
    read_trace();
    observe();
    if (watch_records()) watch_record("", "");
}

void watch_begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_environment);
}

/* Whatever program it is preloaded to. */
__attribute__((constructor)) static void explain_at_once(void) {
    if (value_of("CUDASIM_EXPLAIN") != NULL) watch_begin();
}

bool watch_records(void) {
    return counters_wanted() || traces;
}

void watch_record(const char *what, const char *problem) {
    if (counters_wanted()) counters_of(what, problem);
    if (what != NULL && traces) trace_of(what, problem);
    records = what != NULL;
    observe();
}

void watch_check(bool on) {
    spares = !on;
    if (checks) observe();
}

/* False where a file could not be written. */
static bool write_counts(void) {
    const counted_kernel *all = counters_all();
    if (!counters_wanted()) return true;
    if (tables) report_tables(all, stdout);
    if (lines) report_lines(all, stdout);
    bool good = (!tables && !lines) || flush_output();
    sink s;
    if (csv != NULL && sink_open(&s, csv)) {
        report_csv(all, s.to);
        good = sink_close(&s, csv) && good;
    } else if (csv != NULL) {
        good = false;
    }
    counters_free();
    tables = lines = false;
    csv = NULL;
    return good;
}

int watch_end(int exit_status) {
    records = spares = false;
    observe();
    bool good = write_counts();
    if (traces) good = trace_end() && good;
    traces = false;
    const bool found = checks && checks_end();
    return exit_status != 0 ? 0 : !good ? 2 : found ? 1 : 0;
}
