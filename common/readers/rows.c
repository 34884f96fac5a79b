/* Choosing rows of a table: by chance, or those that differ. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "readers/table.h"
#include "base/values.h"

static int no_memory(FILE *err) {
    fprintf(err, "rows: out of memory\n");
    return 2;
}

/* A number below `bound`, every one as likely: the few hashes that would favour some are passed over. */
static uint64_t below(uint64_t bound, uint64_t seed, uint64_t *next) {
    const uint64_t last = UINT64_MAX - UINT64_MAX % bound;
    uint64_t hash;
    do {
        hash = values_hash(seed, (*next)++);
    } while (hash >= last);
    return hash % bound;
}

static int ascending(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* All rows, `chosen` of them by chance in front (Fisher and Yates), both parts ascending. NULL: no memory. */
static int *shuffled(const int *rows, int count, int chosen, uint64_t seed) {
    int *all = malloc(((size_t)count + 1) * sizeof *all);
    if (all == NULL) return NULL;
    for (int i = 0; i < count; i++) all[i] = rows != NULL ? rows[i] : i;
    uint64_t next = 0;
    for (int i = 0; i < chosen; i++) {
        const int other = i + (int)below((uint64_t)(count - i), seed, &next);
        const int row = all[i];
        all[i] = all[other];
        all[other] = row;
    }
    qsort(all, (size_t)chosen, sizeof *all, ascending);
    qsort(all + chosen, (size_t)(count - chosen), sizeof *all, ascending);
    return all;
}

int rows_split(const int *rows, int count, double fraction, uint64_t seed, int **training, int *training_count,
               int **test, int *test_count, FILE *err) {
    *training = *test = NULL;
    const double wanted = floor(fraction * count + 0.5);
    if (!(fraction > 0 && fraction < 1)) {
        fprintf(err, "--split %g: not between 0 and 1\n", fraction);
        return 2;
    }
    if (wanted < 1 || wanted > count - 1) {
        fprintf(err, "--split %g: of %d rows this leaves none for the %s\n", fraction, count,
                wanted < 1 ? "training" : "test");
        return 2;
    }
    const int chosen = (int)wanted;
    int *all = shuffled(rows, count, chosen, seed);
    int *rest = malloc(((size_t)count - (size_t)chosen + 1) * sizeof *rest);
    if (all == NULL || rest == NULL) {
        free(all);
        free(rest);
        return no_memory(err);
    }
    memcpy(rest, all + chosen, ((size_t)count - (size_t)chosen) * sizeof *rest);
    *training = all;
    *training_count = chosen;
    *test = rest;
    *test_count = count - chosen;
    return 0;
}

int rows_sample(const int *rows, int count, int wanted, uint64_t seed, int **sample, int *sampled, FILE *err) {
    *sampled = wanted < count ? wanted : count;
    *sample = shuffled(rows, count, *sampled, seed);
    return *sample != NULL ? 0 : no_memory(err);
}

/* ---- rows that differ ---- */

static uint64_t hash_bytes(uint64_t hash, const char *text) {
    for (; *text != '\0'; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_row(const table *t, int row) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < table_columns(t); i++) {
        char room[TABLE_TEXT];
        const double number = table_number(t, row, i) + 0.0; /* -0 is 0 */
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        hash = isnan(number) ? hash_bytes(hash ^ 1, table_text(t, row, i, room)) : values_hash(hash, bits);
    }
    return hash;
}

static bool same_row(const table *a, int row, const table *b, int other) {
    for (int i = 0; i < table_columns(a); i++) {
        const double x = table_number(a, row, i), y = table_number(b, other, i);
        char room[TABLE_TEXT], another[TABLE_TEXT];
        if (isnan(x) != isnan(y)) return false;
        if (isnan(x) ? strcmp(table_text(a, row, i, room), table_text(b, other, i, another)) != 0 : x != y)
            return false;
    }
    return true;
}

typedef struct {
    uint64_t hash;
    const table *t; /* NULL: free */
    int row;
} seen_row;

/* Notes a row. True where its like had not been seen. */
static bool note(seen_row *seen, size_t mask, const table *t, int row) {
    const uint64_t hash = hash_row(t, row);
    size_t at = hash & mask;
    for (; seen[at].t != NULL; at = (at + 1) & mask)
        if (seen[at].hash == hash && same_row(seen[at].t, seen[at].row, t, row)) return false;
    seen[at] = (seen_row){hash, t, row};
    return true;
}

int rows_distinct(const table *t, const table *besides, int **rows, int *found, FILE *err) {
    *rows = NULL;
    *found = 0;
    if (besides != NULL && table_columns(besides) != table_columns(t))
        return table_complain(t, -1, -1, err, "%d columns, but %s has %d", table_columns(t), table_path(besides),
                              table_columns(besides));
    const size_t all = (size_t)table_rows(t) + (besides != NULL ? (size_t)table_rows(besides) : 0);
    size_t slots = 16;
    while (slots < 2 * all) slots *= 2;
    seen_row *seen = calloc(slots, sizeof *seen);
    int *kept = malloc(((size_t)table_rows(t) + 1) * sizeof *kept);
    if (seen == NULL || kept == NULL) {
        free(seen);
        free(kept);
        return no_memory(err);
    }
    for (int i = 0; besides != NULL && i < table_rows(besides); i++) note(seen, slots - 1, besides, i);
    for (int i = 0; i < table_rows(t); i++)
        if (note(seen, slots - 1, t, i)) kept[(*found)++] = i;
    free(seen);
    *rows = kept;
    return 0;
}
