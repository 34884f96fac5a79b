/* Splitting a table's rows at random. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/values.h"
#include "readers/table.h"

static int no_memory(FILE *err) {
    fprintf(err, "rows: out of memory\n");
    return 2;
}

/* A uniformly distributed number below `bound`: the few hashes that would favour some numbers are rejected. */
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

/* All rows, with `chosen` random ones in front (Fisher and Yates) and both parts ascending. NULL: out of memory. */
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
        fprintf(err, "--split %g: leaves none of %d rows for %s\n", fraction, count,
                wanted < 1 ? "training" : "the test");
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
