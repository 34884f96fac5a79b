/* One line, redrawn in place: carriage return, text, clear to the end of the line. */
#include "base/progress.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* One column less than the terminal has: a character in the last one makes some terminals wrap. */
enum { LINE_COLUMNS = 79 };

static const double redraw_seconds = 0.1;

/* There is one stderr, so one line to remember. */
static bool drawn;
static double drawn_at;

static void draw(FILE *f, const char *label, long done, long total) {
    static const char full[] = "####################", empty[] = "....................";
    const int share = total > 0 ? (int)((double)done / (double)total * (double)strlen(full)) : 0;
    char line[2 * LINE_COLUMNS];
    snprintf(line, sizeof line, "[%.*s%s] %ld/%ld %s", share, full, empty + share, done, total, label);
    fprintf(f, "\r%.*s\033[K", LINE_COLUMNS, line);
    fflush(f);
}

void progress_show(FILE *f, const char *label, long done, long total) {
    if (!isatty(fileno(f))) return;
    if (total < 0) total = 0;
    if (done > total) done = total;
    if (done < 0) done = 0;

    const double now = clock_now_s();
    const bool due = !drawn || now - drawn_at >= redraw_seconds;
    if (!due && done != 0 && done != total) return;
    draw(f, label, done, total);
    drawn = true;
    drawn_at = now;
}

void progress_clear(FILE *f) {
    /* What another program left on the line is not ours to erase. */
    if (!drawn || !isatty(fileno(f))) return;
    fputs("\r\033[K", f);
    fflush(f);
    drawn = false;
}
