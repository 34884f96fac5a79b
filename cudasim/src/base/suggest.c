/* The restricted Damerau-Levenshtein distance, of whose table three rows are kept. */
#include "base/suggest.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

static int least(int a, int b) {
    return a < b ? a : b;
}

int suggest_distance(const char *a, const char *b) {
    const size_t m = strlen(a), n = strlen(b);
    int rows[3][SUGGEST_LONGEST + 1];
    if (m > SUGGEST_LONGEST || n > SUGGEST_LONGEST) return INT_MAX;
    for (size_t i = 0; i <= m; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= n; j++) {
            if (i == 0) {
                row[j] = (int)j;
                continue;
            }
            const int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            row[j] = least(above[j - 1] + (x != y), 1 + least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) && y == tolower((unsigned char)a[i - 2]))
                row[j] = least(row[j], 1 + two_above[j - 2]);
        }
    }
    return rows[m % 3][n];
}

int suggest_limit(const char *typed, const char *name) {
    const size_t a = strlen(typed), b = strlen(name), longer = a > b ? a : b;
    return longer < 12 ? (int)(longer / 4) : 3;
}
