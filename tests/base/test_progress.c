/* The progress line, on a pseudo-terminal and on a pipe. */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "../unit.h"
#include "base/clock.h"
#include "base/progress.h"

#define ERASE "\r\033[K"

typedef struct {
    FILE *stream; /* what the program under test writes to */
    int other;    /* its other end, non-blocking */
    char seen[65536];
} ends;

static ends terminal, channel;

static void open_terminal(ends *e) {
    e->other = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    assert_true(e->other >= 0);
    assert_int_equal(grantpt(e->other), 0);
    assert_int_equal(unlockpt(e->other), 0);
    const int slave = open(ptsname(e->other), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    e->stream = fdopen(slave, "w");
    assert_non_null(e->stream);
}

static void open_channel(ends *e) {
    int fds[2];
    assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
    e->other = fds[0];
    e->stream = fdopen(fds[1], "w");
    assert_non_null(e->stream);
}

/* What has been written since the last call. */
static const char *read_seen(ends *e) {
    fflush(e->stream);
    size_t length = 0;
    ssize_t got;
    while ((got = read(e->other, e->seen + length, sizeof e->seen - 1 - length)) > 0) length += (size_t)got;
    e->seen[length] = '\0';
    return e->seen;
}

static int count_char(const char *text, char c) {
    int count = 0;
    for (; *text != '\0'; text++) count += *text == c;
    return count;
}

static void sleep_ms(long ms) {
    nanosleep(&(struct timespec){0, ms * 1000000L}, NULL);
}

static int open_both(void **state) {
    open_terminal(&terminal);
    open_channel(&channel);
    return 0;
}

static int close_both(void **state) {
    fclose(terminal.stream);
    fclose(channel.stream);
    close(terminal.other);
    close(channel.other);
    return 0;
}

static const char *draw(const char *label, int done, int total) {
    progress_show(terminal.stream, label, done, total);
    return read_seen(&terminal);
}

/* Each test starts with no line drawn. */
static int erase(void **state) {
    progress_clear(terminal.stream);
    read_seen(&terminal);
    return 0;
}

TEST(a_terminal_shows_label_and_count) {
    const char *seen = draw("tile8x8", 0, 12);
    assert_int_equal(seen[0], '\r');
    assert_non_null(strstr(seen, "tile8x8"));
    assert_non_null(strstr(seen, "0/12"));
    assert_string_equal(seen + strlen(seen) - 3, "\033[K");
    assert_int_equal(count_char(seen, '\n'), 0);
}

TEST(the_bar_grows_with_what_is_done) {
    const int empty = count_char(draw("x", 0, 4), '#');
    sleep_ms(120);
    const int half = count_char(draw("x", 2, 4), '#');
    const int full = count_char(draw("x", 4, 4), '#');
    assert_int_equal(empty, 0);
    assert_true(half > 0);
    assert_int_equal(full, 2 * half);
}

TEST(a_pipe_stays_silent) {
    for (int i = 0; i <= 10; i++) progress_show(channel.stream, "tile8x8", i, 10);
    progress_show(terminal.stream, "x", 0, 1); /* a line is drawn beside it */
    progress_clear(channel.stream);
    assert_string_equal(read_seen(&channel), "");
}

TEST(redraws_at_most_ten_times_a_second) {
    enum { STEPS = 20000 };
    const double start = clock_now_s();
    progress_show(terminal.stream, "x", 0, STEPS);
    for (int i = 1; i < STEPS; i++) progress_show(terminal.stream, "x", i, STEPS);
    progress_show(terminal.stream, "x", STEPS, STEPS);
    const double passed = clock_now_s() - start;
    const int redraws = count_char(read_seen(&terminal), '\r');
    assert_true(redraws >= 2);
    assert_true(redraws <= 2 + (int)(passed / 0.1));
}

TEST(first_and_last_are_always_drawn) {
    assert_non_null(strstr(draw("x", 0, 3), "0/3"));
    assert_non_null(strstr(draw("x", 3, 3), "3/3"));
    assert_non_null(strstr(draw("x", 0, 5), "0/5"));
    assert_non_null(strstr(draw("x", 5, 5), "5/5"));
}

TEST(an_intermediate_step_is_drawn_after_a_while) {
    progress_show(terminal.stream, "x", 0, 9);
    sleep_ms(120);
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
    progress_show(terminal.stream, "x", 0, 1);
    read_seen(&terminal);
    progress_clear(terminal.stream);
    assert_string_equal(read_seen(&terminal), ERASE);
    progress_clear(terminal.stream);
    assert_string_equal(read_seen(&terminal), "");
}

TEST(counts_out_of_range_are_harmless) {
    assert_non_null(strstr(draw("x", 0, 0), "0/0"));
    assert_non_null(strstr(draw("x", 9, 3), "3/3"));
    assert_non_null(strstr(draw("x", -4, 3), "0/3"));
}

int main(void) {
    return unit_run_group(open_both, close_both, erase, NULL);
}
