/* The restricted Damerau-Levenshtein distance (Boytsov, "Indexing methods for approximate dictionary searching", 2011),
 * of which three rows are kept. */
#include "base/suggest.h"

#include <string.h>

enum { LONGEST = 63, MOST = 3 };

static int least(int a, int b) {
    return a < b ? a : b;
}

/* MOST + 1 where a text is too long to tell. */
static int distance(const char *a, const char *b) {
    const int m = (int)strlen(a), n = (int)strlen(b);
    int rows[3][LONGEST + 1];
    if (m > LONGEST || n > LONGEST) return MOST + 1;
    for (int i = 0; i <= m; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            if (i == 0) {
                row[j] = j;
                continue;
            }
            const int replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least(replaced, 1 + least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], 1 + two_above[j - 2]);
        }
    }
    return rows[m % 3][n];
}

const char *suggest(const char *text, const char *const *known) {
    const char *nearest = NULL;
    int fewest = MOST + 1;
    for (int i = 0; known[i] != NULL; i++) {
        const size_t a = strlen(text), b = strlen(known[i]);
        const int d = distance(text, known[i]), limit = (int)((a > b ? a : b) / 4);
        if (d >= fewest || d > limit) continue;
        fewest = d;
        nearest = known[i];
    }
    return nearest;
}
