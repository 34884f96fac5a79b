/* What every test in C includes. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"

/* TEST(name) { ... } defines a test. The program runs those of its file in their order, each between `before` and
 * `after`, all of them between `first` and `last`: what a file's definition of `fixtures` leaves out is nothing. */
#define TEST(name)                                                                                                     \
    static void name(void **state);                                                                                    \
    __attribute__((constructor(1000 + __LINE__))) static void add_##name(void) {                                       \
        unit_add(#name, name);                                                                                         \
    }                                                                                                                  \
    static void name(void **state)

static const struct fixtures { CMFixtureFunction before, after, first, last; } fixtures;

static struct CMUnitTest unit_tests[64]; /* cmocka passes over those without a name */
static int unit_count;

static inline void unit_add(const char *name, CMUnitTestFunction test) {
    if (unit_count == ARRAY_SIZE(unit_tests)) abort();
    unit_tests[unit_count++] = (struct CMUnitTest){name, test, fixtures.before, fixtures.after, NULL};
}

int main(void) {
    return cmocka_run_group_tests(unit_tests, fixtures.first, fixtures.last);
}

/* Some element x of the list meets the condition. */
#define assert_some(x, list, count, condition)                                                                         \
    do {                                                                                                               \
        bool unit_met = false;                                                                                         \
        for (int unit_i = 0; unit_i < (count) && !unit_met; unit_i++) {                                                \
            const __typeof__(*(list)) *x = &(list)[unit_i];                                                            \
            unit_met = (condition);                                                                                    \
        }                                                                                                              \
        if (!unit_met) fail_msg("none has %s", #condition);                                                            \
    } while (0)

/* listen_in: a stream that the code under test may write to; heard: it is closed, and this is what was written. */
static FILE *unit_stream;
static char unit_text[8192];

static inline FILE *listen_in(void) {
    memset(unit_text, 0, sizeof unit_text);
    unit_stream = fmemopen(unit_text, sizeof unit_text - 1, "w");
    assert_non_null(unit_stream);
    return unit_stream;
}

static inline const char *heard(void) {
    assert_int_equal(fclose(unit_stream), 0);
    return unit_text;
}

/* That is exactly what was written. */
__attribute__((format(printf, 1, 2))) static inline void assert_heard(const char *format, ...) {
    char expected[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    assert_string_equal(heard(), expected);
}
