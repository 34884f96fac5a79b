/* The progress line, on a pseudo-terminal. */
#include <fcntl.h>
#include <unistd.h>

#include "../unit.h"
#include "base/clock.h"
#include "base/progress.h"

#define ERASE "\r\033[K"

static FILE *terminal; /* what the program under test writes to */
static int other;      /* its other end, non-blocking */

static int open_terminal(void **state) {
    other = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    assert_true(other >= 0);
    assert_int_equal(grantpt(other), 0);
    assert_int_equal(unlockpt(other), 0);
    const int slave = open(ptsname(other), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    terminal = fdopen(slave, "w");
    assert_non_null(terminal);
    return 0;
}

static int close_terminal(void **state) {
    fclose(terminal);
    return close(other);
}

/* What has been written since the last call. */
static const char *read_seen(void) {
    static char seen[65536];
    fflush(terminal);
    size_t length = 0;
    ssize_t got;
    while ((got = read(other, seen + length, sizeof seen - 1 - length)) > 0) length += (size_t)got;
    seen[length] = '\0';
    return seen;
}

static int count_char(const char *text, char c) {
    int count = 0;
    for (; *text != '\0'; text++) count += *text == c;
    return count;
}

static void sleep_ms(long ms) {
    nanosleep(&(struct timespec){0, ms * 1000000L}, NULL);
}

static const char *draw(const char *label, int done, int total) {
    progress_show(terminal, label, done, total);
    return read_seen();
}

/* Each test starts with no line drawn. */
static int erase(void **state) {
    progress_clear(terminal);
    read_seen();
    return 0;
}

TEST(a_terminal_shows_label_and_count) {
    const char *seen = draw("tile8x8", 0, 12);
    assert_true(seen[0] == '\r' && strstr(seen, "tile8x8") != NULL && strstr(seen, "0/12") != NULL);
    assert_string_equal(seen + strlen(seen) - 3, "\033[K");
    assert_int_equal(count_char(seen, '\n'), 0);
}

TEST(the_bar_grows_with_what_is_done) {
    const int empty = count_char(draw("x", 0, 4), '#');
    sleep_ms(120);
    const int half = count_char(draw("x", 2, 4), '#');
    const int full = count_char(draw("x", 4, 4), '#');
    assert_true(empty == 0 && half > 0 && full == 2 * half);
}

TEST(what_is_no_terminal_stays_silent) {
    FILE *file = listen_in();
    for (int i = 0; i <= 10; i++) progress_show(file, "tile8x8", i, 10);
    progress_show(terminal, "x", 0, 1); /* a line is drawn beside it */
    progress_clear(file);
    assert_string_equal(heard(), "");
}

TEST(redraws_at_most_ten_times_a_second) {
    enum { STEPS = 20000 };
    const double start = clock_now_s();
    for (int i = 0; i <= STEPS; i++) progress_show(terminal, "x", i, STEPS);
    const double passed = clock_now_s() - start;
    assert_in_range(count_char(read_seen(), '\r'), 2, 2 + (int)(passed / 0.1));
}

TEST(first_and_last_are_always_drawn) {
    assert_non_null(strstr(draw("x", 0, 3), "0/3"));
    assert_non_null(strstr(draw("x", 3, 3), "3/3"));
    assert_non_null(strstr(draw("x", 0, 9), "0/9"));
    sleep_ms(120); /* and what is between after a while */
    assert_non_null(strstr(draw("x", 7, 9), "7/9"));
}

TEST(a_long_label_fits_80_columns) {
    char label[300];
    memset(label, 'w', sizeof label - 1);
    label[sizeof label - 1] = '\0';
    const char *seen = draw(label, 0, 2147483647);
    assert_true(count_char(seen, 'w') > 20);
    assert_true(strlen(seen) - strlen(ERASE) < 80);
}

TEST(clear_erases_the_line_once) {
    progress_show(terminal, "x", 0, 1);
    read_seen();
    progress_clear(terminal);
    assert_string_equal(read_seen(), ERASE);
    progress_clear(terminal);
    assert_string_equal(read_seen(), "");
}

TEST(counts_out_of_range_are_harmless) {
    assert_non_null(strstr(draw("x", 0, 0), "0/0"));
    assert_non_null(strstr(draw("x", 9, 3), "3/3"));
    assert_non_null(strstr(draw("x", -4, 3), "0/3"));
}

static const struct fixtures fixtures = {.first = open_terminal, .last = close_terminal, .before = erase};
